//! `gainsay eval`: its output and exit codes.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

mod support;

use support::{CliOutput, CliTest};

const EVALUATED_SCRIPT: &str = "(declare-const x Int)\n(assert (< x 5))\n(assert (and (< 0 x) (= (* x x) 9)))\n\
    (assert (= (div x 0) 1))\n(check-sat)\n(check-sat-assuming ((= x 2)))\n";

/// A script and a model in files, and the arguments that name them.
fn prepared(script: &str, model: &str, options: &[&str]) -> (CliTest, Vec<String>) {
    let cli = CliTest::new("");
    let path = |name: &str| cli.folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("script.smt2"), script).unwrap();
    std::fs::write(path("model.txt"), model).unwrap();
    let mut arguments = vec!["eval".to_owned(), path("script.smt2"), "--model".to_owned(), path("model.txt")];
    arguments.extend(options.iter().map(|&option| option.to_owned()));
    (cli, arguments)
}

/// Runs `gainsay eval` on a script and a model.
fn eval(script: &str, model: &str, options: &[&str]) -> CliOutput {
    let (cli, arguments) = prepared(script, model, options);
    cli.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Its output as JSON.
fn json(script: &str, model: &str, options: &[&str]) -> serde_json::Value {
    let (cli, arguments) = prepared(script, model, &[options, &["--json"]].concat());
    cli.json(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn every_assertion_gets_a_word_and_what_is_undecided_a_reason() {
    let json = json(EVALUATED_SCRIPT, "sat\n((define-fun x () Int 3))", &["--check", "1"]);
    assert_eq!(json["assertions"], serde_json::json!(["true", "true", "undecided"]), "{json}");
    assert_eq!(json["reasons"], serde_json::json!([null, null, "div by zero"]));
    let outcome = eval(EVALUATED_SCRIPT, "((define-fun x () Int 3))", &["--check", "1"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
}

#[test]
fn a_false_assertion_is_a_finding_and_can_be_explained() {
    let outcome = eval(EVALUATED_SCRIPT, "((define-fun x () Int 2))", &["--explain"]);
    assert_eq!(outcome.code, 10);
    assert_eq!(
        outcome.stdout,
        "true: (< x 5)\nfalse: (and (< 0 x) (= (* x x) 9))\n  (= (* x x) 9) is false\n    (* x x) is 4\n    9 is 9\n\
         undecided: (= (div x 0) 1)\n  reason: div by zero\ntrue: (= x 2)\n"
    );
}

#[test]
fn a_model_that_cannot_be_read_is_wrong_input() {
    for model in ["", "unsat", "((define-fun x () Int 2)", "(error \"model is not available\")", "\u{0}"] {
        let outcome = eval(EVALUATED_SCRIPT, model, &["--json"]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{model}");
        assert!(outcome.stderr.contains("model.txt: the model cannot be read: "), "{}", outcome.stderr);
    }
}

#[test]
fn a_script_that_cannot_be_read_is_a_mistake_of_the_user() {
    let outcome = eval("(assert (< x 5))", "()", &[]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert!(outcome.stderr.contains("script.smt2: 1:12: "), "{}", outcome.stderr);
    let outcome = eval(EVALUATED_SCRIPT, "()", &["--check", "3"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("there is no check-sat 3; the script has 2"), "{}", outcome.stderr);
}

#[test]
fn checks_before_an_error_of_the_script_are_evaluated() {
    let script = "(declare-const x Int)(assert (< x 5))(check-sat)\n(declare-const x Int)\n(check-sat)\n";
    let outcome = eval(script, "((define-fun x () Int 7))", &[]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (10, "false: (< x 5)\n"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("script.smt2: 2:16: "), "{}", outcome.stderr);
}

#[test]
fn what_the_model_leaves_out_is_named() {
    let outcome = eval("(declare-const x Int)(assert (= x 0))(assert (= x 1))", "()", &[]);
    let expected = "true: (= x 0)\nundecided: (= x 1)\n  reason: x is not in the model, and its default value proves nothing\n\
        not in the model, set to default values: x\n";
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, expected));
}

#[test]
fn what_the_model_redefines_is_ignored_and_named() {
    let script = "(declare-const x Int)(define-fun f () Int 1)(assert (< x x))(assert (= f 1))";
    let model = "((define-fun x () Int 3)(define-fun < ((a Int) (b Int)) Bool true)(define-fun f () Int 2))";
    let outcome = eval(script, model, &[]);
    let expected = "false: (< x x)\ntrue: (= f 1)\nignored in the model: < (a theory defines this operator)\n\
        ignored in the model: f (it is already defined)\n";
    assert_eq!((outcome.code, outcome.stdout.as_str()), (10, expected));
    let json = json(script, model, &[]);
    let operator = serde_json::json!({ "name": "<", "reason": "a theory defines this operator" });
    assert_eq!(json["ignored"][0], operator, "{json}");
}
