//! A promise belongs to a check: it is carried through mutation, reduction, triage and bisection, or dropped.
//!
//! The solvers are programs that answer every check alike, so that only the promise of one check contradicts them.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

mod support;

use std::fs;
use std::path::Path;

use serde_json::Value;
use support::CliTest;

/// The second check is unsatisfiable, which exhaustion over the reals does not find.
const SEED: &str = "(set-logic QF_LRA)\n(declare-const x Real)\n(declare-const y Real)\n(assert (> x 1.0))\n(assert (< y 7.0))\n\
    (set-info :status sat)\n(check-sat)\n(push 1)\n(assert (< (* 3.0 x) (+ y 0.5)))\n(assert (< y 2.5))\n\
    (set-info :status unsat)\n(check-sat)\n(pop 1)\n(set-info :status sat)\n(check-sat)\n";

/// A program that gives this answer to each check.
fn program(cli: &CliTest, answer: &str) -> String {
    let text = format!(
        "#!/bin/sh\nfor last; do :; done\n[ -f \"$last\" ] || last=/dev/stdin\n\
         while read -r line || [ -n \"$line\" ]; do case \"$line\" in *check-sat*) echo {answer};; esac; done < \"$last\"\n"
    );
    format!("generic={}", cli.write_program(&format!("says-{answer}"), &text))
}

/// The records of triage in the folder of a campaign.
fn records(folder: &Path) -> Vec<Value> {
    let files = fs::read_dir(folder.join("triage/triggers")).unwrap();
    files.map(|file| serde_json::from_slice(&fs::read(file.unwrap().path()).unwrap()).unwrap()).collect()
}

/// Runs a campaign on one seed and triages it; returns the records of promises.
fn fuzz_and_triage(cli: &CliTest, seed: &str, strategy: &str, solver: &str) -> Vec<Value> {
    let seed = cli.write("seeds/a.smt2", seed);
    let out = cli.path("out").display().to_string();
    let words = ["fuzz", "--seeds", &seed, "--strategy", strategy, "--solver", solver, "--out", &out];
    let outcome = cli.run(&[words.as_slice(), &["--cases", "20", "--rng-seed", "1", "--plain"]].concat());
    assert_eq!(outcome.code, 10, "{}{}", outcome.stdout, outcome.stderr);
    let value = cli.json(&["triage", &out, "--json"]);
    assert_eq!(value["flaky"], 0, "{value}");
    let is_promise = |record: &Value| record["found"]["kind"] == "promise";
    records(Path::new(&out)).into_iter().filter(is_promise).collect()
}

#[test]
fn a_seed_with_a_promised_check_is_reduced_to_that_check() {
    let cli = CliTest::offline();
    let found = fuzz_and_triage(&cli, SEED, "operator", &program(&cli, "sat"));
    assert!(!found.is_empty());
    for record in found {
        assert_eq!(record["check_promises"][1], "unsat", "{record}");
        let reduced = record["reduced"].as_str().unwrap();
        // The other checks went with their promises. The set of assertions that is known to be unsatisfiable stays whole.
        assert_eq!(reduced.matches("check-sat").count(), 1, "{reduced}");
        for needed in ["(> x 1.0)", "(< y 7.0)", "(< (* 3.0 x) (+ y 0.5))", "(< y 2.5)"] {
            assert!(reduced.contains(needed), "{reduced}");
        }
    }
    let report = fs::read_dir(cli.path("out/triage/bugs")).unwrap().next().unwrap().unwrap().path();
    let report = fs::read_to_string(report.join("report.md")).unwrap();
    assert!(report.contains("`unsat`, by what is known of each check"), "{report}");
}

#[test]
fn a_script_that_is_made_to_go_on_is_held_to_the_answer_of_its_parent() {
    let seed = "(set-logic QF_LRA)\n(set-info :status unsat)\n(declare-const x Real)\n(assert (> x 1.5))\n(assert (< (* 2.0 x) 2.5))\n(check-sat)\n";
    let cli = CliTest::offline();
    // It is right about the seed, and wrong about what goes on.
    let text = "#!/bin/sh\nfor last; do :; done\n[ -f \"$last\" ] || last=/dev/stdin\nanswer=sat\nasserted=unsat\n\
         while read -r line || [ -n \"$line\" ]; do case \"$line\" in *assumed_*) asserted=sat;; esac; \
         case \"$line\" in *assert*) answer=$asserted;; esac; \
         case \"$line\" in *check-sat*) echo $answer;; esac; done < \"$last\"\n";
    let solver = format!("generic={}", cli.write_program("says-sat-later", text));
    let found = fuzz_and_triage(&cli, seed, "incremental", &solver);
    assert!(!found.is_empty());
    for record in found {
        let promises = record["check_promises"].as_array().unwrap();
        assert_eq!(promises.last().unwrap(), "unsat", "{record}");
        let (script, reduced) = (record["script"].as_str().unwrap(), record["reduced"].as_str().unwrap());
        assert!(reduced.len() < script.len() && reduced.contains("(< (* 2.0 x) 2.5)"), "{reduced}");
    }
}

#[test]
fn reduce_keeps_the_claims_that_follow_and_writes_them_before_their_checks() {
    let cli = CliTest::offline();
    let (file, small) = (cli.write("a.smt2", SEED), cli.path("small.smt2").display().to_string());
    let solver = program(&cli, "sat");
    let words = ["reduce", &file, &small, "--solver", &solver, "--expect-statuses"];
    let outcome = cli.run(&words);
    assert_eq!(outcome.code, 0, "{}{}", outcome.stdout, outcome.stderr);
    let reduced = fs::read_to_string(&small).unwrap();
    assert!(reduced.contains("(set-info :status unsat)\n(check-sat)"), "{reduced}");
    assert_eq!(
        (reduced.matches(":status").count(), reduced.matches("check-sat").count()),
        (1, 1),
        "{reduced}"
    );
    assert_eq!(cli.run(&["check", &small, "--solver", &solver, "--expect-statuses"]).code, 10, "{reduced}");
    // Without the claims, nothing contradicts the solver.
    let outcome = cli.run(&["reduce", &file, "--solver", &solver]);
    assert_eq!(outcome.code, 2, "{}{}", outcome.stdout, outcome.stderr);
}
