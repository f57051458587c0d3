//! `gainsay mutate`, as a user runs it, and its cases in the eyes of real solvers.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/repository.rs"]
mod repository;
#[path = "support/real_solvers.rs"]
mod solvers;
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use repository::repository;
use support::CliTest;

fn corpus() -> String {
    repository().join("corpus").display().to_string()
}

/// The files of a folder with their contents.
fn contents(folder: &Path) -> BTreeMap<PathBuf, String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.file_name().unwrap().into(), fs::read_to_string(&path).unwrap())).collect()
}

#[test]
fn the_same_seed_makes_the_same_bytes_at_any_number_of_jobs() {
    let (cli, corpus) = (CliTest::offline(), corpus());
    let make = |name: &str, jobs: &str| {
        let out = cli.folder.path().join(name);
        let strategies = "generative,operator,subterm";
        let arguments =
            ["mutate", "--strategy", strategies, "--seeds", &corpus, "-n", "500", "--jobs", jobs, "--json"];
        let outcome = cli.run(&[&arguments[..], &["--out", out.to_str().unwrap()]].concat());
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        let json: serde_json::Value = serde_json::from_str(outcome.stdout.lines().last().unwrap()).unwrap();
        let files = contents(&out);
        assert_eq!(files.len() as u64, 2 * json["cases"].as_u64().unwrap());
        assert_eq!(json["cases"].as_u64().unwrap() + json["skipped"].as_u64().unwrap(), 500);
        files
    };
    assert_eq!(make("one", "1"), make("two", "2"));
}

#[test]
fn mutants_of_scripts_that_only_one_solver_knows_mean_what_was_made() {
    let cli = CliTest::offline();
    for solver in ["z3", "cvc5"] {
        let seeds = repository().join("corpus").join(solver).display().to_string();
        // A text that means something else is a bug of gainsay, which ends the command.
        let words = ["mutate", "--strategy", "generative,operator,subterm", "--seeds", &seeds];
        let outcome = cli.run(&[&words[..], &["-n", "5000", "--discard", "--rng-seed", "5"]].concat());
        assert_eq!(outcome.code, 0, "{solver}: {}", outcome.stderr);
    }
}

#[test]
fn what_cannot_be_is_a_usage_error_with_one_clear_line() {
    let cli = CliTest::offline();
    let file = |name: &str, text: &str| {
        let path = cli.folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let (bad, good) =
        (file("bad.smt2", "(assert (< 1 p))(check-sat)"), file("good.smt2", "(assert true)(check-sat)"));
    let operators = file("operators.txt", "(abs Int Int)\n(+ Int");
    let fails = |arguments: &[&str], expected: &str| {
        let outcome = cli.run(&[&["mutate", "-n", "5", "--discard"], arguments].concat());
        assert_eq!(outcome.code, 2, "{}", outcome.stderr);
        assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
        assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
    };
    fails(&["--strategy", "subterm", "--seeds", &bad], "no file can be a seed; skipped 1 file");
    fails(
        &["--strategy", "subterms", "--seeds", &good],
        "unknown strategy subterms (did you mean `subterm`?); choose from generative, operator",
    );
    fails(
        &["--strategy", "subterm", "--seeds", &good, "--signatures", &operators],
        "operators.txt:2: expected one signature a line",
    );
}

/// Scripts in one: each in a level of its own, nothing asked.
fn together(scripts: &[&str]) -> String {
    let mut all = String::from("(set-logic ALL)\n");
    for script in scripts {
        all += "(push 1)\n";
        for line in script.lines() {
            let left_out = ["(set-", "(check-", "(get-", "(exit", "(push", "(pop", "(reset", "(echo"];
            if !left_out.iter().any(|word| line.starts_with(word)) {
                all += line;
                all += "\n";
            }
        }
        all += "(pop 1)\n";
    }
    all
}

#[test]
fn solvers_refuse_no_mutant_for_its_syntax_sorts_or_scopes() {
    // What cvc5 does only on request is no mistake in a script: other formats, constant arrays.
    let (z3, cvc5) = ("z3@5.4.0", "cvc5@1.4.2 --fp-exp --arrays-exp");
    let scripts = mutants("smt", 3000);
    assert!(scripts.len() > 2000, "{} scripts are too few", scripts.len());
    [z3, cvc5].iter().for_each(|solver| assert_readable(&scripts, solver));
}

/// Mutants of the seeds in a folder of the corpus that can be checked one after another in one script.
fn mutants(folder: &str, number: usize) -> Vec<String> {
    let cli = CliTest::offline();
    let (out, seeds) = (cli.folder.path().join("cases"), repository().join("corpus").join(folder));
    let (seeds, number) = (seeds.display().to_string(), number.to_string());
    let words =
        ["mutate", "--strategy", "generative,operator,subterm", "--seeds", &seeds, "-n", &number, "--out"];
    assert_eq!(cli.run(&[&words[..], &[out.to_str().unwrap()]].concat()).code, 0);
    // In a logic of reals alone numerals are reals; one that comes and goes by levels cannot be one of many.
    let fits = |text: &String| {
        let reals = text.contains("LRA)") || text.contains("NRA)") || text.contains("RDL)");
        !reals && !text.contains("(push") && !text.contains("(reset") && !text.contains("(match ")
    };
    let is_script = |name: &PathBuf| name.extension().is_some_and(|ending| ending == "smt2");
    let scripts = contents(&out).into_iter().filter(|(name, _)| is_script(name)).map(|(_, text)| text);
    scripts.filter(fits).collect()
}

/// Fails if a solver refuses one of these scripts.
fn assert_readable(scripts: &[String], solver: &str) {
    let cli = CliTest::offline();
    solvers::solver(solver);
    let scripts: Vec<&str> = scripts.iter().map(String::as_str).collect();
    let mut open: Vec<&[&str]> = scripts.chunks(250).collect();
    let mut endless = 0;
    while let Some(some) = open.pop() {
        let file = cli.folder.path().join("together.smt2");
        fs::write(&file, together(some)).unwrap();
        let json = judged(&file, solver);
        let trouble = &json["runs"][0]["trouble"];
        match trouble["kind"].as_str() {
            None => {}
            // A script whose reading takes all memory hides those after it.
            Some("memory-out" | "time-out") if some.len() > 1 => {
                let (left, right) = some.split_at(some.len() / 2);
                open.extend([left, right]);
            }
            Some("memory-out" | "time-out") => endless += 1,
            Some(_) => panic!("{solver}: {json}"),
        }
    }
    assert!(endless <= 3, "{solver} cannot read {endless} scripts with the means that it has");
}

/// What `gainsay check` says of a script by one solver.
fn judged(file: &std::path::Path, solver: &str) -> serde_json::Value {
    let output = Command::new(env!("CARGO_BIN_EXE_gainsay"))
        .args([
            "check",
            file.to_str().unwrap(),
            "--json",
            "--timeout",
            "20",
            "--memory",
            "1024",
            "--solver",
            solver,
        ])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}
