//! Drivers and verdicts with real solvers: installed from the package index, run by every driver, judged by `gainsay check`.
//!
//! These tests install solvers from the index that pip is configured for into the user's cache, once.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/launcher.rs"]
mod launcher;
#[path = "support/real_solvers.rs"]
mod solvers;

use std::process::Command;

use gainsay_engine::solver::run::{Answer, Ask, Exit, Limits, Query, Run};
use gainsay_engine::solver::runner::{self, Runner};
use launcher::launcher;
use serde_json::Value;
use solvers::REAL_SOLVERS;

/// Runs gainsay in the environment of the tests, where the solvers are installed, and reads its last line.
fn gainsay(arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_gainsay")).args(arguments).arg("--json").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().last().unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    serde_json::from_str(line).unwrap()
}

/// Checks a script, and says the answers and troubles of each solver, then the verdict.
fn check(script: &str, solvers: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("script.smt2");
    std::fs::write(&file, script).unwrap();
    let mut arguments = vec!["check", file.to_str().unwrap()];
    for solver in solvers {
        solvers::solver(solver);
        arguments.extend(["--solver", solver]);
    }
    let json = gainsay(&arguments);
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let run = |run: &Value| {
        let answers = run["answers"].as_array().unwrap().iter().map(word).collect::<Vec<_>>().join(",");
        [answers, word(&run["trouble"]["kind"])].join(" ").trim().to_owned()
    };
    let mut parts: Vec<String> = json["runs"].as_array().unwrap().iter().map(run).collect();
    parts.push(word(&json["verdict"]));
    parts.join("; ")
}

#[test]
fn every_driver_of_every_solver_passes_the_self_test() {
    for name in REAL_SOLVERS {
        solvers::solver(name);
        let json = gainsay(&["solvers", "check", name]);
        assert_eq!(json["passed"], true, "{name}: {json}");
        let checks = json["checks"].as_array().unwrap();
        assert!(
            checks.iter().any(|check| check["check"] == "limits" && check["outcome"] == "passed"),
            "{json}"
        );
    }
}

/// Runs a script through every driver of every solver, asking for a model and for the work count.
fn ask_all(script: &str, judge: impl Fn(&str, Run)) {
    let launcher = launcher();
    for name in REAL_SOLVERS {
        let solver = solvers::solver(name);
        for kind in runner::drivers(&solver, &launcher) {
            let mut runner = Runner::open(&solver, kind, &launcher).unwrap();
            let query = Query {
                script,
                limits: Limits::default(),
                ask: Ask { model: true, work: true, ..Ask::ANSWERS_ONLY },
            };
            judge(&format!("{name} {}", kind.name), runner.run(&query).unwrap());
        }
    }
}

#[test]
fn every_driver_of_cvc5_gives_an_unknown_as_its_program_does() {
    let script = "(set-logic UFLIA)\n(declare-fun f (Int) Int)\n(assert (forall ((x Int)) (> (f x) x)))\n(check-sat)\n";
    let launcher = launcher();
    let solver = solvers::solver("cvc5@1.4.2");
    for kind in runner::drivers(&solver, &launcher) {
        let mut runner = Runner::open(&solver, kind, &launcher).unwrap();
        let run = runner.run(&Query { script, limits: Limits::default(), ask: Ask::ANSWERS_ONLY }).unwrap();
        assert_eq!(run.answers, [Answer::Unknown], "{}", kind.name);
        assert_eq!(run.output, b"unknown\n", "{}", kind.name);
    }
}

#[test]
fn a_script_with_match_is_answered_after_another_one() {
    let script = "(set-logic ALL)\n(declare-datatype D ((n) (c (s Int))))\n(declare-const d D)\n\
        (assert (match d ((n true) ((c x) (> x 3)))))\n(check-sat)\n";
    let launcher = launcher();
    for name in REAL_SOLVERS.iter().filter(|name| !name.starts_with("yices")) {
        let solver = solvers::solver(name);
        let mut runner = Runner::open(&solver, runner::drivers(&solver, &launcher)[0], &launcher).unwrap();
        for _ in 0..2 {
            let run =
                runner.run(&Query { script, limits: Limits::default(), ask: Ask::ANSWERS_ONLY }).unwrap();
            assert_eq!((run.answers.as_slice(), run.trouble), ([Answer::Sat].as_slice(), None), "{name}");
        }
    }
}

#[test]
fn every_driver_gives_a_model_that_was_asked_for() {
    let script = "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (= x 33))\n(check-sat)\n(exit)\n";
    ask_all(script, |who, run| {
        let model = run.model.unwrap_or_else(|| panic!("{who}: {}", String::from_utf8_lossy(&run.output)));
        let words = model.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("(define-fun x () Int 33)"), "{who}: {model}");
        assert_eq!((run.answers.as_slice(), run.exit), ([Answer::Sat].as_slice(), Exit::Code(0)), "{who}");
        assert_eq!((run.trouble, run.output), (None, b"sat\n".to_vec()), "{who}");
        assert_eq!(run.work.is_some(), !who.starts_with("yices"), "{who}");
    });
}

#[test]
fn a_model_that_there_cannot_be_is_no_trouble() {
    let script = "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (< x x))\n(check-sat)\n";
    ask_all(script, |who, run| {
        assert_eq!((run.answers.as_slice(), run.model), ([Answer::Unsat].as_slice(), None), "{who}");
        assert_eq!((run.exit, run.trouble), (Exit::Code(0), None), "{who}");
    });
}

#[test]
fn solvers_check_themselves_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("script.smt2");
    std::fs::write(&file, "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (> x 2))\n(check-sat)\n")
        .unwrap();
    let mut arguments = vec!["check", file.to_str().unwrap(), "--self-check"];
    for name in REAL_SOLVERS {
        solvers::solver(name);
        arguments.extend(["--solver", name]);
    }
    let json = gainsay(&arguments);
    let names: Vec<&str> =
        json["runs"].as_array().unwrap().iter().map(|run| run["solver"].as_str().unwrap()).collect();
    let expected = [
        "z3@5.4.0 model_validate=true",
        "z3@4.8.10 model_validate=true",
        "cvc5@1.4.2 --check-models",
        "yices@2.6.5",
    ];
    assert_eq!((names.as_slice(), &json["verdict"]), (expected.as_slice(), &Value::from("fine")), "{json}");
}

#[test]
fn solvers_agree_on_what_is_plain() {
    let script = "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (> x 2))\n(check-sat)\n";
    assert_eq!(check(script, &REAL_SOLVERS), "sat; sat; sat; sat; fine");
    let script = script.replace("(assert (> x 2))", "(assert (> x 2))(assert (< x 2))");
    assert_eq!(check(&script, &REAL_SOLVERS), "unsat; unsat; unsat; unsat; fine");
}

#[test]
fn what_a_solver_refuses_is_no_answer() {
    let undeclared = "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (> x y))\n(check-sat)\n";
    assert_eq!(
        check(undeclared, &REAL_SOLVERS),
        "sat sort-error; sat sort-error; sort-error; sort-error; undecided"
    );
    let unbalanced = "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (> x 2)\n(check-sat)\n";
    assert_eq!(
        check(unbalanced, &REAL_SOLVERS),
        "parse-error; parse-error; parse-error; parse-error; undecided"
    );
    let nonlinear = "(set-logic QF_LIA)\n(declare-fun x () Int)\n(declare-fun y () Int)\n(assert (= 4 (* x y)))\n(check-sat)\n";
    assert_eq!(
        check(nonlinear, &REAL_SOLVERS),
        "sat unsupported; sat unsupported; unsupported; unsupported; undecided"
    );
}

#[test]
fn a_quirk_of_an_old_solver_accuses_no_other() {
    // Up to 4.8.8, z3 reads \x41 as one letter; the standard says four.
    let script = "(set-logic QF_S)\n(declare-fun x () String)\n(assert (= x \"\\x41\"))\n(assert (= (str.len x) 1))\n(check-sat)\n";
    assert_eq!(check(script, &["z3@4.8.8", "z3@5.4.0", "cvc5@1.4.2"]), "sat; unsat; unsat; fine");
    // Exhaustion decides the script: the equation leaves one value.
    assert_eq!(check(script, &["z3@4.8.8", "z3@5.4.0"]), "sat; unsat; fine");
}

/// The findings of `gainsay check` on a script, as `kind evidence suspect`.
fn findings(script: &str, names: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("script.smt2");
    std::fs::write(&file, script).unwrap();
    let mut arguments = vec!["check", file.to_str().unwrap()];
    for name in names {
        solvers::solver(name);
        arguments.extend(["--solver", name]);
    }
    let word = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    let line = |finding: &Value| ["kind", "evidence", "suspect"].map(|key| word(finding, key)).join(" ");
    gainsay(&arguments)["findings"].as_array().unwrap().iter().map(line).collect()
}

#[test]
fn a_model_of_an_old_z3_that_does_not_satisfy_is_proved_wrong() {
    let script = "(set-logic QF_S)\n(declare-const s String)\n\
        (assert (= s (str.replace_all (str.replace \"abba\" \"b\" \"\") \"b\" \"\")))\n(assert (not (str.<= s \"\")))\n(check-sat)\n";
    assert_eq!(findings(script, &["z3@4.8.10"]), ["model proved z3@4.8.10"]);
    assert_eq!(findings(script, &["z3@5.4.0", "cvc5@1.4.2"]), [""; 0]);
}

#[test]
fn an_unsat_of_an_old_z3_is_proved_wrong_by_the_model_of_a_new_one() {
    let script = "(set-logic ALL)\n(declare-const r Real)\n(declare-const m RoundingMode)\n\
        (assert (= r (/ 3.0 (- (fp.to_real ((_ to_fp 8 24) m r)) 5.0 (fp.to_real ((_ to_fp 8 24) m r))))))\n\
        (assert (< r (fp.to_real ((_ to_fp 8 24) m r))))\n(assert (distinct m RNA RTP))\n(check-sat)\n";
    assert_eq!(findings(script, &["z3@4.8.10", "z3@5.4.0"]), ["refutation proved z3@4.8.10"]);
}

#[test]
fn letters_that_an_old_z3_writes_otherwise_are_not_held_against_its_model() {
    let script = "(set-logic QF_SLIA)\n(declare-const s String)\n(assert (= (str.len s) 3))\n(check-sat)\n";
    assert_eq!(findings(script, &["z3@4.8.10"]), [""; 0]);
}
