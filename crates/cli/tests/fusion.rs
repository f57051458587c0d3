//! `gainsay fusion generate` and `check`, as a user runs them, with real solvers for the proofs.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/real_solvers.rs"]
mod solvers;
mod support;

use std::process::Command;

use serde_json::Value;
use support::CliTest;

/// Runs a check in the environment of the tests, where the solvers are installed.
fn proved(arguments: &[&str]) -> Value {
    let names = ["z3@5.4.0", "cvc5@1.4.2"];
    let mut all = vec!["fusion", "check", "--json"];
    for name in &names {
        solvers::solver(name);
        all.extend(["--solver", name]);
    }
    all.extend(arguments);
    let output = Command::new(env!("CARGO_BIN_EXE_gainsay")).args(&all).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().last().unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    serde_json::from_str(line).unwrap()
}

#[test]
fn every_row_of_the_table_is_proved_or_marked() {
    let json = proved(&["--standard", "--inputs", "1000", "--timeout", "100"]);
    for key in ["refuted", "ill_sorted", "unproved", "malformed"] {
        assert_eq!(json[key], 0, "{json}");
    }
    let open: Vec<&str> =
        json["unproven"].as_array().unwrap().iter().map(|open| open["message"].as_str().unwrap()).collect();
    assert!(open.iter().all(|message| message.ends_with("is marked :evaluated")), "{open:#?}");
    assert!(json["proved"].as_u64().unwrap() >= 110, "{json}");
}

#[test]
fn generated_functions_are_not_refuted() {
    let cli = CliTest::offline();
    let file = cli.folder.path().join("functions.smt2").display().to_string();
    let theories = ["bool", "int", "real", "string", "bitvector", "floatingpoint", "array", "sequence"];
    for (number, size) in ["5", "10", "20", "25", "30", "50"].iter().enumerate() {
        let seed = number.to_string();
        let mut arguments = vec!["fusion", "generate", "--size", size, "--count", "40", "--rng-seed", &seed];
        arguments.extend(["--out", &file, "--force", "--json", "--theory"]);
        // All theories together, and each once by itself.
        arguments.extend(if number % 2 == 0 { &theories[..] } else { &theories[number..number + 3] });
        assert_eq!(cli.json(&arguments)["functions"], 40);
        let json = cli.json(&["fusion", "check", &file, "--inputs", "100", "--json"]);
        for (key, count) in [("functions", 40), ("refuted", 0), ("ill_sorted", 0), ("malformed", 0)] {
            assert_eq!(json[key], count, "size {size}: {json}");
        }
    }
}

#[test]
fn small_generated_functions_are_proved() {
    let cli = CliTest::offline();
    let file = cli.folder.path().join("functions.smt2").display().to_string();
    let arguments =
        ["fusion", "generate", "--theory", "int,real,bool", "--total", "--size", "5", "--count", "20"];
    cli.json(&[&arguments[..], &["--out", &file, "--json"]].concat());
    let json = proved(&[&file, "--inputs", "100", "--timeout", "60"]);
    assert_eq!(json["refuted"], 0, "{json}");
    assert!(json["proved"].as_u64().unwrap() > 10, "{json}");
}

#[test]
fn the_same_seed_makes_the_same_functions_in_every_format() {
    let cli = CliTest::offline();
    for format in ["gainsay", "yinyang", "dot", "infix"] {
        let arguments = [
            "fusion",
            "generate",
            "--theory",
            "int,string",
            "--size",
            "9",
            "--count",
            "5",
            "--format",
            format,
        ];
        let (one, two) = (cli.run(&arguments), cli.run(&arguments));
        assert_eq!((one.code, &one.stdout), (0, &two.stdout), "{}", one.stderr);
        assert!(one.stdout.lines().count() >= 5, "{}", one.stdout);
    }
}

#[test]
fn what_is_written_for_yinyang_is_read_back_and_right() {
    let cli = CliTest::offline();
    let file = cli.folder.path().join("functions.txt").display().to_string();
    let arguments =
        ["fusion", "generate", "--theory", "int,real,string,bitvector", "--size", "12", "--count", "60"];
    let made = cli.json(&[&arguments[..], &["--format", "yinyang", "--out", &file, "--json"]].concat());
    let json = cli.json(&["fusion", "check", &file, "--inputs", "300", "--json"]);
    assert_eq!(json["functions"], made["functions"]);
    assert!(json["errors"].as_array().unwrap().is_empty(), "{json}");
}

/// A file with the mistakes that people make.
const WRONG_FUNCTIONS: &str = "; blocks
#begin
(declare-const x Int)
(declare-const y Int)
(declare-const z Int)
(assert (= z (* x y)))
(assert (= x (div z y)))
(assert (= y (div z x)))
#end
#begin
(declare-const x Real)
(declare-const y Real)
(declare-const z Real)
(assert (= z (+ x 1.0) y))
(assert (= x (- z y)))
(assert (= y (- z x)))
#end
#begin
(declare-const x Int)
(declare-const y Int)
(declare-const z Int)
(assert (= z (+ x y)))
(assert (= x (bvsub z y)))
(assert (= y (- z x)))
#end
";

#[test]
fn mistakes_are_told_with_line_and_counterexample() {
    let cli = CliTest::offline();
    let file = cli.folder.path().join("mistakes.txt");
    std::fs::write(&file, WRONG_FUNCTIONS).unwrap();
    let outcome = cli.run(&["fusion", "check", file.to_str().unwrap()]);
    assert_eq!(outcome.code, 10, "{}", outcome.stderr);
    for part in [
        "line 14: expected an equation of a name and a term, found one of 3 terms",
        "block-1: line 7: x is not (div z y) for x = ",
        "y = 0: div by zero may be any value",
        "block-3: line 23: ",
        "2 functions: 0 proved, 0 evaluated, 1 refuted, 1 ill-sorted, 0 unproved, and 1 malformed blocks",
    ] {
        assert!(outcome.stdout.contains(part), "{part}\n{}", outcome.stdout);
    }
}

#[test]
fn what_cannot_be_is_a_usage_error_with_one_clear_line() {
    let cli = CliTest::offline();
    let file = cli.folder.path().join("bad.smt2");
    std::fs::write(&file, "(function f ((x Int)) Int (+ x 1))").unwrap();
    let bad = file.to_str().unwrap();
    for (arguments, expected) in [
        (&["fusion", "generate", "--theory", "sets"][..], "unknown theory sets; choose from bool int real"),
        (&["fusion", "check", bad], "line 1: f has no inverse for its parameter x"),
        (&["fusion", "check", "no-such-file"], "cannot read no-such-file"),
        (&["fusion", "generate", "--theory", "int", "--size", "1"], "1 is not in 3..=100"),
    ] {
        let outcome = cli.run(arguments);
        assert_eq!(outcome.code, 2, "{arguments:?}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(expected), "{arguments:?}: {}", outcome.stderr);
    }
}
