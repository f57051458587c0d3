//! A case that is replayed, or written by `mutate`, is the one in the folder of its finding, and z3 reads it as it stands.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/repository.rs"]
mod repository;
#[path = "support/real_solvers.rs"]
mod solvers;
mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use gainsay_engine::solver::resolve::Program;
use repository::repository;
use solvers::REAL_SOLVERS;
use support::CliTest;

/// Linear; a product makes another logic of it.
const LINEAR_SEED: &str = "(set-logic QF_LIA)\n(declare-const x Int)\n(declare-const y Int)\n\
    (assert (> (+ x y) (- y x)))\n(check-sat)\n";

/// A solver that gives this answer to every script with a product, and says `sat` to others.
fn solver(answer: &str) -> String {
    format!(
        "#!/bin/sh\n\
         case \"$1\" in --version) echo 'Z3 version 4.8.10'; exit;; esac\n\
         for word; do [ -f \"$word\" ] && exec <\"$word\"; done\n\
         said=sat\n\
         while read -r line; do case \"$line\" in *'(* '*) said={answer};; esac; done\n\
         echo $said\n"
    )
}

/// A campaign that finds a wrong answer to products; the folder of its records.
fn campaign(cli: &CliTest) -> String {
    let seed = cli.write("seed.smt2", LINEAR_SEED);
    let wrong = format!("generic={}", cli.write_program("wrong", &solver("unsat")));
    let right = format!("cvc5={}", cli.write_program("right", &solver("sat")));
    let out = cli.path("out").display().to_string();
    let words = [
        "fuzz",
        "--seeds",
        &seed,
        "--solver",
        &wrong,
        "--solver",
        &right,
        "--strategy",
        "operator",
        "--cases",
        "60",
        "--rng-seed",
        "1",
        "--jobs",
        "1",
        "--out",
        &out,
        "--plain",
    ];
    let fuzzed = cli.run(&words);
    assert_eq!(fuzzed.code, 10, "{}{}", fuzzed.stdout, fuzzed.stderr);
    out
}

#[test]
fn a_replayed_case_is_byte_for_byte_that_of_the_finding() {
    let cli = CliTest::offline();
    let out = campaign(&cli);
    let listed = cli.json(&["list", &out, "--json"]);
    let mut compared = 0;
    for finding in listed["findings"].as_array().unwrap() {
        let Some(case) = finding["case"].as_u64() else { continue };
        let kept =
            fs::read_to_string(Path::new(finding["path"].as_str().unwrap()).join("case.smt2")).unwrap();
        assert!(
            kept.contains("(set-logic QF_NIA)"),
            "the product needs another logic than the seed has: {kept}"
        );
        assert_eq!(cli.run(&["replay", &out, &case.to_string()]).stdout, kept);
        let file = cli.path("replayed.smt2").display().to_string();
        assert_eq!(cli.run(&["replay", &out, &case.to_string(), "--out", &file, "--force"]).code, 0);
        assert_eq!(fs::read_to_string(&file).unwrap(), kept);
        compared += 1;
    }
    assert!(compared > 0, "{listed}");
}

#[test]
fn a_case_that_the_campaign_never_came_to_is_an_error() {
    let cli = CliTest::offline();
    let out = campaign(&cli);
    for case in ["60", "4711", "18446744073709551615"] {
        let replayed = cli.run(&["replay", &out, case]);
        assert_eq!(replayed.code, 2, "{}{}", replayed.stdout, replayed.stderr);
        let part = format!("the campaign has not run case {case}; the last one is case 59");
        assert!(replayed.stderr.contains(&part), "{}", replayed.stderr);
    }
}

#[test]
fn a_resumed_campaign_refuses_another_program() {
    let cli = CliTest::offline();
    let out = campaign(&cli);
    let resume = ["fuzz", "--resume", "--out", &out, "--cases", "70", "--plain"];
    cli.write_program("wrong", &format!("{}# another build\n", solver("unsat")));
    let refused = cli.run(&resume);
    assert_eq!(refused.code, 2, "{}{}", refused.stdout, refused.stderr);
    assert!(
        refused.stderr.contains("the program has changed since the campaign began"),
        "{}",
        refused.stderr
    );
    assert!(refused.stderr.contains("--accept-changed-solvers"), "{}", refused.stderr);
    let accepted = cli.run(&[&resume[..], &["--accept-changed-solvers"]].concat());
    assert!(matches!(accepted.code, 0 | 10), "{}{}", accepted.stdout, accepted.stderr);
    assert!(accepted.stderr.contains("warning: generic="), "{}", accepted.stderr);
    let replayed = cli.run(&["replay", &out, "1", "--run"]);
    assert!(replayed.stderr.contains("the program has changed since the campaign"), "{}", replayed.stderr);
    cli.write_program("wrong", &solver("unsat"));
    let same = cli.run(&["fuzz", "--resume", "--out", &out, "--cases", "80", "--plain"]);
    assert!(!same.stderr.contains("has changed"), "{}", same.stderr);
}

#[test]
fn z3_rejects_no_mutant_as_it_is_written() {
    let Program::Binary { path: z3, .. } = solvers::solver(REAL_SOLVERS[0]).program else {
        panic!("z3 is a binary")
    };
    let cli = CliTest::with_real_solvers();
    let corpus = repository().join("corpus/smt").display().to_string();
    for strategy in ["operator", "generative", "subterm", "fusion"] {
        let out = cli.path(strategy).display().to_string();
        let words = [
            "mutate",
            "--strategy",
            strategy,
            "--seeds",
            &corpus,
            "-n",
            "100",
            "--rng-seed",
            "3",
            "--out",
            &out,
        ];
        assert_eq!(cli.run(&words).code, 0);
        let mut read = 0;
        for entry in fs::read_dir(&out).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "smt2") {
                let text = fs::read_to_string(&path).unwrap();
                // Reading is all that z3 is to do.
                let unasked = cli.write("unasked.smt2", &text.replace("(check-sat)", ""));
                let run = Command::new(&z3).arg(&unasked).output().unwrap();
                let said = String::from_utf8_lossy(&run.stdout).into_owned();
                assert!(!said.contains("(error"), "{}: {said}\n{text}", path.display());
                read += 1;
            }
        }
        assert!(read > 30, "{strategy}: {read}");
    }
}
