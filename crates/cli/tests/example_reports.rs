//! The reports in `docs/reports` are those that `gainsay triage` writes of the files in `bugs/`. `BLESS=1` writes them again.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/repository.rs"]
mod repository;
#[path = "support/real_solvers.rs"]
mod solvers;

use std::fs;
use std::path::Path;
use std::process::Command;

use repository::repository;

/// The files of `bugs/` that are shown, with the solvers that triage gets.
const EXAMPLES: [(&str, &[&str]); 9] = [
    ("z3-solution-simplifier-bit-blast", &["z3@5.4.0"]),
    ("z3-solution-datatype-rounding-mode", &["z3@5.4.0"]),
    ("z3-crash-match-reset", &["z3@5.4.0"]),
    ("cvc5-solution-mbqi-datatype", &["cvc5@1.4.2 --mbqi", "z3@5.4.0"]),
    ("cvc5-reply-core-real-division", &["cvc5@1.4.2", "z3@5.4.0"]),
    ("cvc5-crash-bag-all", &["cvc5@1.4.2"]),
    ("yices-solution-bv-assumptions", &["yices@2.6.5"]),
    ("yices-refutation-nary-division", &["yices@2.6.5"]),
    ("yices-solution-let-shadow", &["yices@2.6.5"]),
];

/// The report on a bug as a page: its title and its body.
fn written(folder: &Path, name: &str, names: &[&str]) -> String {
    for release in ["z3@5.4.0", "cvc5@1.4.2", "yices@2.6.5"] {
        solvers::solver(release);
    }
    let scripts = folder.join(name);
    fs::create_dir(&scripts).unwrap();
    let script = fs::read_to_string(repository().join("bugs").join(format!("{name}.smt2"))).unwrap();
    let script: Vec<&str> = script.lines().filter(|line| !line.starts_with(';')).collect();
    fs::write(scripts.join("a.smt2"), script.join("\n") + "\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gainsay"));
    command.args(["triage", name, "--installed", "--timeout", "10"]).current_dir(folder);
    for solver in names {
        command.args(["--solver", solver]);
    }
    let output = command.output().unwrap();
    let bugs = fs::read_dir(scripts.join("triage/bugs")).map(|bugs| bugs.flatten().collect::<Vec<_>>());
    let bugs = bugs.unwrap_or_default();
    let [bug] = bugs.as_slice() else { panic!("{name}: {}", String::from_utf8_lossy(&output.stdout)) };
    let read = |file: &str| fs::read_to_string(bug.path().join(file)).unwrap();
    format!("# {}\n\n{}", read("title.txt").trim(), read("report.md"))
}

/// A page without what depends on the machine: releases that are installed, environment, and the stack, which takes a debugger.
fn without_machine(page: &str) -> String {
    let (before, _) = page.split_once("### Versions").unwrap();
    match before.split_once("Backtrace:") {
        Some((start, rest)) => start.to_owned() + rest.split_once("### Expected").unwrap().1,
        None => before.replacen("### Expected", "", 1),
    }
}

/// The page without the name of the kernel.
fn for_readers(page: &str) -> String {
    let line = |line: &str| match line.split_once(", Linux ") {
        Some((system, _)) if line.starts_with("- Operating system") => system.to_owned(),
        _ => line.to_owned(),
    };
    page.lines().map(|one| line(one) + "\n").collect()
}

#[test]
fn the_example_reports_are_what_triage_writes() {
    let folder = tempfile::tempdir().unwrap();
    let mut different = Vec::new();
    for (name, names) in EXAMPLES {
        let path = repository().join(format!("docs/reports/{name}.md"));
        let page = written(folder.path(), name, names);
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, for_readers(&page)).unwrap();
        }
        let kept = fs::read_to_string(&path).unwrap();
        if without_machine(&kept) != without_machine(&page) {
            different.push(format!("{name}:\n{page}"));
        }
    }
    assert!(different.is_empty(), "BLESS=1 writes docs/reports again\n{}", different.join("\n"));
}

#[test]
fn an_example_report_names_no_file_of_this_machine() {
    for (name, _) in EXAMPLES {
        let page = fs::read_to_string(repository().join(format!("docs/reports/{name}.md"))).unwrap();
        for word in ["/tmp/", "/dev/shm", " from /", "gainsay-"] {
            assert!(!page.contains(word), "{name} contains {word}");
        }
        for part in ["### Steps to reproduce", "### Expected result", "### Versions", "### Environment"] {
            assert!(page.contains(part), "{name} lacks {part}");
        }
    }
}
