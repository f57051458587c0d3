//! Constants and variables that equations fix.

use super::tests::check;

const LIST: &str = "(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))";

#[test]
fn constants_with_listed_values_are_enumerated() {
    let real = "(declare-const r Real)(assert (or (= r 0.0) (= 0.5 r) (= r (- 2.0))))";
    let float = "(declare-const x Float32)(assert (or (= x (_ NaN 8 24)) (= x (_ -zero 8 24))))";
    check(&[
        (&format!("{real}(assert (= (* r r) 4.0))"), "sat"),
        (&format!("{real}(assert (= (* r r) 2.0))"), "unsat"),
        (&format!("{real}(assert (= (+ r 1) 1.5))"), "sat"),
        (&format!("{float}(assert (fp.eq x x))(assert (fp.isPositive x))"), "unsat"),
        (&format!("{float}(assert (fp.eq x (fp.neg x)))"), "sat"),
        // An integer among the cases of a real.
        ("(declare-const r Real)(assert (or (= r 1) (= r 2.0)))(assert (< 1.0 r 2.0))", "unsat"),
        // Cases within conjunctions, implications and negations.
        (
            "(declare-const r Real)(assert (not (and (distinct r 1.0) (distinct r 2.0))))(assert (> r 2.0))",
            "unsat",
        ),
        (
            "(declare-const r Real)(assert (=> (distinct r 3.0) (and (= r 1.0) true)))(assert (> r 3.0))",
            "unsat",
        ),
        (
            "(declare-const r Real)(assert (or (and (= r 1.0) (> r 5.0)) (= r 2.0)))(assert (< r 2.0))",
            "unsat",
        ),
    ]);
}

#[test]
fn what_is_no_list_of_cases_says_nothing() {
    check(&[
        ("(declare-const r Real)(assert (or (= r 1.0) (> r 7.5)))(assert (< 8.25 r 8.5))", "infinite"),
        ("(declare-const r Real)(assert (not (or (= r 1.0) (= r 2.0))))(assert (< 8.25 r 8.5))", "infinite"),
        (
            "(declare-const r Real)(declare-const b Bool)(assert (= b (= r 1.0)))(assert (< 8.25 r 8.5))",
            "infinite",
        ),
        // The variable of the guard is another one.
        (
            "(assert (exists ((x Real)) (and (exists ((x Real)) (or (= x 1.0) (= x 2.0))) (< 8.25 x 8.5))))",
            "infinite",
        ),
    ]);
}

#[test]
fn a_constant_that_equals_a_term_is_that_term() {
    let array = "(declare-const a (Array Int Int))(declare-const i Int)(declare-const e Int)(assert (<= 0 i 2))(assert (<= 0 e 1))\
                 (assert (= a (store ((as const (Array Int Int)) 0) i e)))";
    let sum = "(declare-const r Real)(declare-const b Bool)(assert (= (+ (ite b 0.25 0.75) 1.0) r))";
    check(&[
        (&format!("{array}(assert (= (select a 5) 1))"), "unsat"),
        (&format!("{array}(assert (= (select a 1) 1))"), "sat"),
        (&format!("{array}(assert (= (select a 1) (select a 2) 1))"), "unsat"),
        (&format!("{sum}(assert (= r 1.5))"), "unsat"),
        (&format!("{sum}(assert (= r 1.75))"), "sat"),
        // Nothing else needs its value, but a model does.
        (sum, "sat"),
    ]);
}

#[test]
fn a_constant_is_one_of_some_terms() {
    let list = format!(
        "{LIST}(declare-const l L)(declare-const n Int)(assert (<= 0 n 1))(assert (or (= l nil) (= l (cons n nil)) (= (cons n (cons 1 nil)) l)))"
    );
    check(&[
        (&format!("{list}(assert (and ((_ is cons) l) (= (head l) 2)))"), "unsat"),
        (&format!("{list}(assert (and ((_ is cons) l) ((_ is cons) (tail l)) (= (head l) 1)))"), "sat"),
        (
            &format!("{list}(assert (and ((_ is cons) l) ((_ is cons) (tail l)) (= (head (tail l)) 0)))"),
            "unsat",
        ),
        (&list, "sat"),
    ]);
}

#[test]
fn constants_that_depend_on_each_other_are_no_terms() {
    check(&[
        (&format!("{LIST}(declare-const l L)(assert (= l (cons 1 l)))"), "infinite"),
        (
            &format!(
                "{LIST}(declare-const l L)(declare-const m L)(assert (= l (cons 1 m)))(assert (= m (cons 2 l)))"
            ),
            "infinite",
        ),
        (
            &format!("{LIST}(declare-const l L)(define-fun f ((n Int)) L (cons n l))(assert (= l (f 1)))"),
            "infinite",
        ),
        // One of the two equations fixes a constant.
        (
            "(declare-const r Real)(declare-const s Real)(assert (= r (+ s 1.0)))(assert (= s 2.0 (- r 1.0)))",
            "sat",
        ),
    ]);
}

#[test]
fn guards_list_the_values_of_quantified_variables() {
    let guard = "(or (= x 0.0) (= x 0.5))";
    check(&[
        (&format!("(assert (forall ((x Real)) (=> {guard} (< (* x x) 0.3))))"), "sat"),
        (&format!("(assert (forall ((x Real)) (=> {guard} (< (* x x) 0.2))))"), "unsat"),
        (&format!("(assert (exists ((x Real)) (and {guard} (> x 0.5))))"), "unsat"),
        // The guard of a disjunction does not bound the variable.
        (&format!("(assert (exists ((x Real)) (or {guard} (> x 8.25))))"), "sat"),
        (&format!("(assert (exists ((x Real)) (and (or {guard} (< 8.25 x)) (< 8.25 x 8.5))))"), "infinite"),
    ]);
}

#[test]
fn an_instance_decides_a_quantifier_over_too_many_values() {
    check(&[
        ("(assert (forall ((x Real)) (distinct (* 2.0 x) 2.0)))", "unsat"),
        ("(assert (exists ((x Real)) (= (* 2.0 x) 2.0)))", "sat"),
        ("(declare-const b Bool)(assert (=> b (forall ((x Int) (y Real)) (< x y))))(assert b)", "unsat"),
        ("(assert (forall ((x Real)) (>= (* x x) 0.0)))", "infinite"),
    ]);
}

#[test]
fn a_guard_that_contradicts_itself_leaves_no_instance_of_other_variables() {
    let between = "(<= 448 x (- 1)) (<= (- 604402183459) y 1083184351031)";
    let guarded = |binder: &str, connective: &str| {
        format!("(assert ({binder} ((x Int) (y Int) (z Real)) ({connective} (and {between}) (< (+ x y) 0))))")
    };
    check(&[(&guarded("forall", "=>"), "sat"), (&guarded("exists", "and"), "unsat")]);
}
