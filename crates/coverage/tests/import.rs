//! Counts of instrumented builds are read through gcov and llvm-cov, and a missing program is told in one sentence.

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use gainsay_coverage::import::{CountedLines, ImportPrograms, import};
use gainsay_coverage::lcov;
use gainsay_coverage::target::{CoverageTarget, Level};
use support::{Workshop, run_traced};

fn programs(workshop: &Workshop) -> ImportPrograms {
    let [gcov, llvm_profdata, llvm_cov] = ["gcov", "llvm-profdata", "llvm-cov"].map(PathBuf::from);
    ImportPrograms { gcov, llvm_profdata, llvm_cov, scratch: workshop.path("") }
}

/// Asserts that lines of `shapes.cpp` are counted as a run without arguments reaches them.
fn assert_lines_of_a_plain_run(lines: &CountedLines) {
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
fn lines_of_gcov_are_those_that_ran() {
    let workshop = Workshop::new();
    let program = workshop.build("shapes.cpp", "instrumented", &["-O0", "--coverage"]);
    workshop.run(Command::new(program));
    let counts = workshop.path("instrumented-shapes.gcda");
    assert_lines_of_a_plain_run(
        &import(&[counts], None, &programs(&workshop)).expect("gcov reads its own files"),
    );
}

/// Builds `shapes.cpp` with counters of llvm; `None`, after one line that says so, if clang or llvm is not installed.
fn build_with_llvm(workshop: &Workshop) -> Option<PathBuf> {
    let ran = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if let Some(missing) = ["clang++", "llvm-profdata", "llvm-cov"].into_iter().find(|program| !ran(program))
    {
        println!("{missing} is not installed: no .profraw file was imported");
        return None;
    }
    let flags = ["-O0", "-fprofile-instr-generate", "-fcoverage-mapping"];
    Some(workshop.build_by("clang++", "shapes.cpp", "counted", &flags))
}

/// The file with the counts of a run.
fn llvm_counts(workshop: &Workshop, program: &Path, arguments: &[&str], name: &str) -> PathBuf {
    let counts = workshop.path(name);
    let mut run = Command::new(program);
    workshop.run({
        run.args(arguments).env("LLVM_PROFILE_FILE", &counts);
        run
    });
    counts
}

#[test]
fn lines_of_llvm_are_those_that_ran() {
    let workshop = Workshop::new();
    let Some(program) = build_with_llvm(&workshop) else { return };
    let plain = llvm_counts(&workshop, &program, &["plain"], "plain.profraw");
    let lines = import(std::slice::from_ref(&plain), Some(&program), &programs(&workshop))
        .expect("llvm reads its files");
    assert_lines_of_a_plain_run(&lines);
    // Counts of two runs are added, and merged counts are read too.
    let full = llvm_counts(&workshop, &program, &["full"], "full.profraw");
    let both = import(&[plain.clone(), full], Some(&program), &programs(&workshop)).expect("two files");
    let count = |lines: &CountedLines| lines.values().filter(|is_reached| **is_reached).count();
    assert!(both.len() == lines.len() && count(&both) > count(&lines), "{} {}", count(&both), count(&lines));
    let merged = workshop.path("merged.profdata");
    let mut merge = Command::new("llvm-profdata");
    merge.arg("merge").arg("--output").arg(&merged).arg(&plain);
    assert!(workshop.run(merge).status.success());
    assert_eq!(import(&[merged], Some(&program), &programs(&workshop)).expect("merged counts"), lines);
}

#[test]
fn lines_of_llvm_are_those_that_traps_reach() {
    let workshop = Workshop::new();
    let Some(program) = build_with_llvm(&workshop) else { return };
    let source = include_str!("programs/shapes.cpp");
    for arguments in [&["plain"][..], &["full"]] {
        let counts = llvm_counts(&workshop, &program, arguments, "counts.profraw");
        let counted = import(&[counts], Some(&program), &programs(&workshop)).expect("counts");
        let plain = workshop.build_by("clang++", "shapes.cpp", "plain", &["-O0", "-g1"]);
        let target = Arc::new(CoverageTarget::program(&plain, Level::Lines).expect("a line table"));
        let trapped = lcov::read(&lcov::write(&target, &run_traced(&target, arguments).reached));
        // llvm counts the brace after a `throw`; traps only where its code is reached.
        let is_brace =
            |line: u64| source.lines().nth(line as usize - 1).is_some_and(|text| text.trim() == "}");
        let own = |lines: &CountedLines| -> BTreeMap<u64, bool> {
            let own =
                lines.iter().filter(|((file, line), _)| file.ends_with("shapes.cpp") && !is_brace(*line));
            own.map(|((_, line), is_reached)| (*line, *is_reached)).collect()
        };
        let (counted, trapped) = (own(&counted), own(&trapped));
        let both = trapped.iter().filter_map(|(line, reached)| Some((line, *reached, *counted.get(line)?)));
        let different: Vec<_> = both.clone().filter(|(_, trapped, counted)| trapped != counted).collect();
        assert!(different.is_empty(), "{arguments:?} line, by traps, by llvm: {different:?}");
        assert!(both.count() > 50);
    }
}

#[test]
fn counts_of_another_program_are_told() {
    let workshop = Workshop::new();
    let Some(program) = build_with_llvm(&workshop) else { return };
    let counts = llvm_counts(&workshop, &program, &["plain"], "plain.profraw");
    let other = workshop.build("shapes.cpp", "other", &["-O0"]);
    let error =
        import(&[counts], Some(&other), &programs(&workshop)).expect_err("a program without counters");
    assert!(error.to_string().starts_with("llvm-cov does not read"), "{error}");
    let broken = workshop.path("broken.profraw");
    std::fs::write(&broken, "nothing").expect("a file");
    let error = import(&[broken], Some(&program), &programs(&workshop)).expect_err("no counts").to_string();
    assert!(error.contains("broken.profraw"), "{error}");
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
    let error = import(&[file], None, &programs(&workshop)).expect_err("no counts").to_string();
    assert!(error.contains("broken.gcda"), "{error}");
}
