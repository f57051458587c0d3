//! Which functions of a new build changed: by its code, and by a diff of its sources; and that these alone can be covered.

mod support;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use gainsay_coverage::binary::{Binary, BinaryError};
use gainsay_coverage::change::{changed_symbols, symbols_of_lines};
use gainsay_coverage::diff;
use gainsay_coverage::name::demangle;
use gainsay_coverage::target::{CoverageTarget, Level, SiteChoice};
use support::{Workshop, run_traced};

/// The source of the old build.
const OLD_SOURCE: &str = include_str!("programs/shapes.cpp");

/// A longer function in front moves all code; two functions differ; one function is new.
fn new_source() -> String {
    OLD_SOURCE
        .replace("return value - 42;", "return value - 43;")
        .replace("case 4: return 50;", "case 4: return shapes::small(value) - value * 7;")
        .replace(
            "namespace shapes {\n\ntemplate",
            "extern \"C\" int added(int a) {\n int s = 0;\n for (int i = 0; i < a; i++) { s += i * i; printf(\"%d\", s); }\n return s;\n}\n\
             namespace shapes {\n\ntemplate",
        )
}

/// Builds both versions, as `old` and `new`, from `old.cpp` and `new.cpp`.
fn builds(workshop: &Workshop, flags: &[&str]) -> [PathBuf; 2] {
    [("old", OLD_SOURCE.to_owned()), ("new", new_source())].map(|(name, text)| {
        let source = workshop.path(&format!("{name}.cpp"));
        std::fs::write(&source, text).expect("a file");
        workshop.build(source.to_str().expect("a path"), name, flags)
    })
}

#[test]
fn functions_with_other_code_are_changed_and_moved_ones_are_not() {
    let workshop = Workshop::new();
    for position in ["-no-pie", "-pie"] {
        let builds = builds(&workshop, &["-O1", position]);
        let [old, new] = builds.map(|path| Binary::read(&path).expect("a program"));
        let expected = ["_ZL9by_switchi", "_ZN6shapes12never_calledEi", "added"];
        assert_eq!(changed_symbols(&old, &new), expected, "{position}");
        assert_eq!(changed_symbols(&new, &new), Vec::<String>::new());
    }
}

#[test]
fn a_diff_is_mapped_to_functions_by_the_line_table() {
    let workshop = Workshop::new();
    let [_, new] = builds(&workshop, &["-O1", "-g1"]);
    let mut git = Command::new("git");
    git.args(["diff", "--no-index", "-U0", "old.cpp", "new.cpp"]);
    let text = String::from_utf8(workshop.run(git).stdout).expect("text");
    let lines = diff::read(&text);
    assert!(lines.iter().all(|lines| lines.file == "new.cpp") && lines.len() == 3, "{text}");
    let found = symbols_of_lines(&Binary::read(&new).expect("a program"), &lines).expect("a line table");
    let expected = ["_ZL9by_switchi", "_ZN6shapes12never_calledEi", "added"];
    assert_eq!(found, expected);
    let bare = workshop.build("shapes.cpp", "bare", &["-O1", "-g0"]);
    let error = symbols_of_lines(&Binary::read(&bare).expect("a program"), &lines).expect_err("no lines");
    assert!(matches!(error, BinaryError::NoLines { .. }), "{error}");
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[test]
fn every_run_tells_the_changed_functions_that_it_reaches() {
    let workshop = Workshop::new();
    let [old, new] = builds(&workshop, &["-O0"]);
    let changed =
        changed_symbols(&Binary::read(&old).expect("a program"), &Binary::read(&new).expect("a program"));
    let changed: BTreeSet<String> = changed.into_iter().collect();
    let choice = SiteChoice { level: Level::Functions, only: Some(&changed) };
    let target = Arc::new(CoverageTarget::program(&new, choice).expect("a target"));
    assert_eq!(target.sites.len(), 3);
    for _ in 0..2 {
        let run = run_traced(&target, &[]);
        assert!(run.output.starts_with("area 16\n"), "{}", run.output);
        let reached = run.reached.functions(&target);
        let names: Vec<String> =
            reached.iter().map(|function| demangle(&target.functions[*function as usize].symbol)).collect();
        assert_eq!(names, ["by_switch(int)"]);
    }
}
