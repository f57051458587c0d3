//! Counts of instrumented builds are read through gcov and llvm-cov, and a missing program is told in one sentence.

mod support;

use std::path::PathBuf;
use std::process::Command;

use gainsay_coverage::import::{ImportPrograms, import};
use support::Workshop;

fn programs() -> ImportPrograms {
    let [gcov, llvm_profdata, llvm_cov] = ["gcov", "llvm-profdata", "llvm-cov"].map(PathBuf::from);
    ImportPrograms { gcov, llvm_profdata, llvm_cov, scratch: std::env::temp_dir() }
}

#[test]
fn lines_of_gcov_are_those_that_ran() {
    let workshop = Workshop::new();
    let program = workshop.build("shapes.cpp", "instrumented", &["-O0", "--coverage"]);
    workshop.run(Command::new(program));
    let counts = workshop.path("instrumented-shapes.gcda");
    let lines = import(&[counts], None, &programs()).expect("gcov reads its own files");
    let source = include_str!("programs/shapes.cpp");
    let reached = |text: &str| {
        let number = source.lines().position(|line| line.contains(text)).expect("a line") as u64 + 1;
        let mut own =
            lines.iter().filter(|((file, line), _)| file.ends_with("shapes.cpp") && *line == number);
        *own.next().unwrap_or_else(|| panic!("{text} is not counted: {lines:?}")).1
    };
    assert!(reached("int area() const override { return side * side; }"));
    assert!(!reached("return value - 42;"));
    assert!(!reached("printf(\"thread %d"));
}

#[test]
fn what_is_missing_is_told() {
    let absent = || PathBuf::from("/nonexistent/program");
    let none =
        ImportPrograms { gcov: absent(), llvm_profdata: absent(), llvm_cov: absent(), scratch: absent() };
    let told = |file: &str, program: Option<&str>| {
        let error = import(&[PathBuf::from(file)], program.map(std::path::Path::new), &none);
        error.expect_err("nothing can be read").to_string()
    };
    assert!(told("a.gcda", None).starts_with(".gcda files are read by gcov, which cannot be run"));
    assert!(told("a.profraw", None).contains("name it with --program"));
    assert!(told("a.profraw", Some("z3")).starts_with(".profraw files are read by llvm-profdata"));
    assert!(told("a.txt", None).starts_with("there are no .gcda"));
}

#[test]
fn a_file_that_is_no_count_is_told_with_its_name() {
    let workshop = Workshop::new();
    let file = workshop.path("broken.gcda");
    std::fs::write(&file, "nothing").expect("a file");
    let error = import(&[file], None, &programs()).expect_err("no counts").to_string();
    assert!(error.contains("broken.gcda"), "{error}");
}
