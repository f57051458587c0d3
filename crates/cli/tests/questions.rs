//! Questions beyond sat and unsat with real solvers: known bugs are recognised on releases that have them, and right replies
//! are not called wrong.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/real_solvers.rs"]
mod solvers;

use std::process::Command;

use serde_json::Value;

/// The scripts that `gainsay check` is run on, with the solvers.
fn check(script: &str, names: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("script.smt2");
    std::fs::write(&path, script).unwrap();
    let mut words = vec!["check", path.to_str().unwrap(), "--json", "--timeout", "20"];
    for name in names {
        assert!(solvers::REAL_SOLVERS.contains(name));
        solvers::solver(name);
        words.extend(["--solver", name]);
    }
    let output = Command::new(env!("CARGO_BIN_EXE_gainsay")).args(words).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

fn findings(judged: &Value) -> Vec<String> {
    let findings = judged["findings"].as_array().unwrap().iter();
    findings
        .map(|one| format!("{} {}", one["kind"].as_str().unwrap(), one["suspect"].as_str().unwrap()))
        .collect()
}

/// The bug of https://github.com/Z3Prover/z3/issues/7098, fixed in 4.13.0: a core that is too small.
const SMALL_CORE: &str = "(set-option :produce-unsat-cores true)
(declare-const p Bool) (declare-const q Bool) (declare-const r Bool) (declare-const s Bool)
(declare-const a Bool) (declare-const b Bool) (declare-const c Bool) (declare-const d Bool)
(assert (and ((_ pbeq 1 1 1) r s) ((_ pbeq 1 1 1) p q)))
(assert (forall ((x Real) (y Real)) (=> (and (> x 0.0) (> y x))
  (and (=> a (=> r (=> b (>= x y)))) (=> c (=> (and p s) (=> d (>= 0.0 y))))))))
(assert p) (assert b) (assert d)
(check-sat-assuming (a c))
(get-unsat-core)
";

#[test]
fn a_core_that_is_too_small_is_found_on_the_release_that_gives_it() {
    let judged = check(SMALL_CORE, &["z3@4.8.10", "z3@5.4.0"]);
    assert_eq!(findings(&judged), ["reply z3@4.8.10"], "{judged}");
    let judged = check(SMALL_CORE, &["z3@5.4.0", "cvc5@1.4.2"]);
    assert_eq!((findings(&judged), &judged["verdict"]), (Vec::new(), &"fine".into()), "{judged}");
}

/// The bug of https://github.com/Z3Prover/z3/issues/6946: quantifier elimination makes a satisfiable formula false.
const FALSE_ELIMINATION: &str = "(declare-const a Real)
(assert (forall ((v Real)) (= (= a v) (= v 0.0))))
(check-sat-using qe)
";

#[test]
fn a_tactic_that_makes_a_formula_false_is_found_on_the_release_that_has_it() {
    let judged = check(FALSE_ELIMINATION, &["z3@4.8.10", "z3@5.4.0", "cvc5@1.4.2"]);
    assert!(findings(&judged).iter().any(|one| one == "reply z3@4.8.10"), "{judged}");
    let judged = check(FALSE_ELIMINATION, &["z3@5.4.0", "cvc5@1.4.2"]);
    assert_eq!(findings(&judged), Vec::<String>::new(), "{judged}");
}

#[test]
fn right_replies_are_fine() {
    let cores = "(set-option :produce-unsat-cores true)(set-logic QF_LIA)(declare-const x Int)
        (assert (! (> x 3) :named a))(assert (! (< x 2) :named b))(assert (! (= x 7) :named c))
        (push 1)(check-sat)(get-unsat-core)(pop 1)(check-sat)";
    let values =
        "(set-option :produce-models true)(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)
        (assert (> (+ x (* 2 y)) 7))(assert (< x 3))(check-sat)(get-value (x y (+ x (* 2 y)) (< x y)))";
    for script in [cores, values] {
        let judged = check(script, &["z3@5.4.0", "cvc5@1.4.2", "yices@2.6.5"]);
        assert_eq!((findings(&judged), &judged["verdict"]), (Vec::new(), &"fine".into()), "{judged}");
    }
    let optimum = "(declare-const x Int)(declare-const r Real)(declare-const v (_ BitVec 8))
        (assert (< (* 3 x) 10))(assert (< r 2.5))(assert (bvult v #x80))
        (maximize x)(maximize v)(maximize r)(check-sat)(get-objectives)";
    let goals =
        "(declare-const x Int)(declare-const y Int)(assert (= x (+ y 3)))(assert (or (> x 1) (< y 2)))
        (simplify (+ x x y))(check-sat)(apply (then simplify propagate-values))(apply solve-eqs)";
    for script in [optimum, goals] {
        let judged = check(script, &["z3@5.4.0", "cvc5@1.4.2"]);
        assert_eq!((findings(&judged), &judged["verdict"]), (Vec::new(), &"fine".into()), "{judged}");
    }
}

/// z3 4.8.10 prints seven characters of code 0 as 28: the escapes of C, which the standard does not have.
const ESCAPED_VALUE: &str = "(set-option :produce-models true)
(declare-const s String)
(assert (= (str.len s) 7))
(check-sat)
(get-value (s (str.len s)))
";

#[test]
fn values_are_read_in_the_spelling_of_the_release() {
    let judged = check(ESCAPED_VALUE, &["z3@4.8.10", "cvc5@1.4.2"]);
    assert_eq!(findings(&judged), Vec::<String>::new(), "{judged}");
}
