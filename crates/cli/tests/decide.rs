//! `gainsay decide`, and exhaustion as evidence in `gainsay check` with a single solver.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

mod support;

use support::CliTest;

const NO_ROOT: &str = "(declare-const x (_ BitVec 4))(assert (= (bvmul x x) #x2))(check-sat)\n";

/// The output of a script of which a check-sat is decided.
fn decided(text: &str, more: &[&str]) -> String {
    output(text, more, 0)
}

/// The output of a script of which no check-sat is decided.
fn undecided(text: &str, more: &[&str]) -> String {
    output(text, more, 6)
}

fn output(text: &str, more: &[&str], code: i32) -> String {
    let cli = CliTest::offline();
    let script = cli.write("script.smt2", text);
    let outcome = cli.run(&[&["decide", script.as_str()], more].concat());
    assert_eq!(outcome.code, code, "{}", outcome.stderr);
    outcome.stdout
}

#[test]
fn a_small_script_is_decided_with_the_number_of_assignments_and_a_model() {
    let unsat = decided(NO_ROOT, &[]);
    assert!(
        unsat.starts_with("unsat\nreason: by exhaustion: all 16 assignments were evaluated\n"),
        "{unsat}"
    );
    let sat = decided("(declare-const x Int)(assert (< 2 x 9))(assert (= (* x x) 49))(check-sat)", &[]);
    assert!(sat.starts_with("sat\n"), "{sat}");
    assert!(sat.contains("values of x: 3 to 7\n") && sat.contains("(define-fun x () Int 7)"), "{sat}");
}

#[test]
fn each_check_sat_has_an_answer_of_its_own_in_json() {
    let text = "(declare-const a Bool)(assert a)(check-sat)(assert (not a))(check-sat)";
    let json: serde_json::Value = serde_json::from_str(&decided(text, &["--json"])).unwrap();
    let answers: Vec<&str> =
        json["answers"].as_array().unwrap().iter().map(|one| one["answer"].as_str().unwrap()).collect();
    assert_eq!(answers, ["sat", "unsat"]);
}

#[test]
fn what_is_too_much_is_undecided_within_the_budget_and_exits_as_nothing_tested() {
    let wide = "(declare-const x (_ BitVec 64))(declare-const y (_ BitVec 64))\
                (assert (= (bvmul x y) (bvadd (bvmul y x) (_ bv1 64))))(check-sat)";
    let text = undecided(wide, &["--steps", "100000"]);
    assert!(text.starts_with("undecided\nreason: ") && text.contains("within the budget"), "{text}");
    let infinite = undecided("(declare-const x Real)(assert (= (* x x) 2.0))(check-sat)", &[]);
    assert!(infinite.starts_with("undecided\n") && infinite.contains("too many to enumerate"), "{infinite}");
    let half =
        "(declare-const x Real)(push 1)(assert (= (* x x) 2.0))(check-sat)(pop 1)(assert false)(check-sat)";
    assert!(decided(half, &[]).contains("undecided\n"));
}

#[test]
fn one_solver_alone_is_proved_wrong() {
    let cli = CliTest::offline();
    let script = cli.write("script.smt2", NO_ROOT);
    let liar = format!("z3={}", cli.write_program("liar", "#!/bin/sh\ncat > /dev/null\necho sat\n"));
    let outcome = cli.run(&["check", &script, "--solver", &liar]);
    assert_eq!(outcome.code, 10, "{}{}", outcome.stdout, outcome.stderr);
    assert!(
        outcome.stdout.contains("exhaustion: unsat: by exhaustion: all 16 assignments"),
        "{}",
        outcome.stdout
    );
    assert!(outcome.stdout.contains("proved"), "{}", outcome.stdout);
    let right = cli.write("right.smt2", "(declare-const x Bool)(assert x)(check-sat)\n");
    let outcome = cli.run(&["check", &right, "--solver", &liar]);
    assert!(outcome.stdout.contains("agreement: fine"), "{}", outcome.stdout);
}
