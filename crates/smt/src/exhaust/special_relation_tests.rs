//! Decisions over orders and transitive closures. The expected answers are worked out by hand.

use super::tests::check;

const THREE_ELEMENT_SORT: &str =
    "(declare-datatypes ((U 0)) (((a) (b) (c))))(declare-const x U)(declare-const y U)";

fn with(assertions: &str) -> String {
    format!("{THREE_ELEMENT_SORT}(declare-fun f (U U) Bool){assertions}")
}

#[test]
fn orders_are_decided() {
    let p = |x: &str, y: &str| format!("((_ partial-order 0) {x} {y})");
    let l = |x: &str, y: &str| format!("((_ linear-order 0) {x} {y})");
    let w = |x: &str, y: &str| format!("((_ piecewise-linear-order 0) {x} {y})");
    let cases = [
        (format!("(assert (not {}))", p("x", "x")), "unsat"),
        (format!("(assert (and {} {} (distinct x y)))", p("x", "y"), p("y", "x")), "unsat"),
        (format!("(assert (not (or {} {})))", p("x", "y"), p("y", "x")), "sat"),
        (format!("(assert (not (or {} {})))", l("x", "y"), l("y", "x")), "unsat"),
        (format!("(assert (and {} {} (not {})))", l("a", "b"), l("b", "c"), l("a", "c")), "unsat"),
        // Two indices are two relations.
        (format!("(assert (and {} (not ((_ partial-order 1) a b))))", p("a", "b")), "sat"),
        // b and c are above a: comparable in a piecewise linear order, not in a partial one.
        (
            format!(
                "(assert (and {} {} (not (or {} {}))))",
                w("a", "b"),
                w("a", "c"),
                w("b", "c"),
                w("c", "b")
            ),
            "unsat",
        ),
        (
            format!(
                "(assert (and {} {} (not (or {} {}))))",
                w("b", "a"),
                w("c", "a"),
                w("b", "c"),
                w("c", "b")
            ),
            "unsat",
        ),
        (
            format!(
                "(assert (and {} {} (not (or {} {}))))",
                p("a", "b"),
                p("a", "c"),
                p("b", "c"),
                p("c", "b")
            ),
            "sat",
        ),
        // A chain of a and b, beside c.
        (format!("(assert (and {} (not (or {} {}))))", w("a", "b"), w("b", "c"), w("c", "b")), "sat"),
        // A linear order of three values has a least one, a partial order need not.
        (format!("(assert (forall ((z U)) (exists ((v U)) (not {}))))", l("z", "v")), "unsat"),
        (format!("(assert (forall ((z U)) (exists ((v U)) (not {}))))", p("z", "v")), "sat"),
    ];
    for (assertions, expected) in &cases {
        check(&[(&with(assertions), expected)]);
    }
}

#[test]
fn orders_over_infinite_sorts_are_decided_by_the_points_that_matter() {
    let two = "(declare-const x Int)(declare-const y Int)(assert (<= 0 x 3))(assert (<= 0 y 3))";
    check(&[
        (
            &format!(
                "{two}(assert (distinct x y ))(assert ((_ linear-order 0) x y))(assert ((_ linear-order 0) y x))"
            ),
            "unsat",
        ),
        (&format!("{two}(assert (< x y))(assert ((_ linear-order 0) y x))"), "sat"),
    ]);
}

#[test]
fn tree_orders_are_decided_where_both_readings_agree() {
    let t = |x: &str, y: &str| format!("((_ tree-order 0) {x} {y})");
    let apart = format!("(not (or {} {}))", t("b", "c"), t("c", "b"));
    check(&[
        (&with(&format!("(assert (and (= x y) (not {})))", t("x", "y"))), "unsat"),
        (&with(&format!("(assert (and {} {} (distinct x y)))", t("x", "y"), t("y", "x"))), "unsat"),
        (&with(&format!("(assert {apart})")), "sat"),
        (&with(&format!("(assert (and {} {} {apart}))", t("a", "b"), t("a", "c"))), "unspecified"),
        (&with(&format!("(assert (and {} {} {apart}))", t("b", "a"), t("c", "a"))), "unspecified"),
    ]);
}

#[test]
fn transitive_closures_are_decided_where_both_readings_agree() {
    let t = |x: &str, y: &str| format!("((_ transitive-closure f) {x} {y})");
    let no_steps = "(not (f a a)) (not (f a b)) (not (f a c))";
    let defined = format!(
        "{THREE_ELEMENT_SORT}(define-fun f ((v U) (w U)) Bool (or (and (= v a) (= w b)) (and (= v b) (= w x))))"
    );
    let cases = [
        (with(&format!("(assert (and (f a b) (f b c) (not {})))", t("a", "c"))), "unsat"),
        (with(&format!("(assert (and {} (not (f a c))))", t("a", "c"))), "sat"),
        // A path from a to c has a first step, and it is not to c.
        (with(&format!("(assert (and {} (not (f a c)) (not (f a b))))", t("a", "c"))), "unsat"),
        // Whether the closure is reflexive decides these two, but not that one of them has a model.
        (with(&format!("(assert (and {} {no_steps}))", t("a", "a"))), "unspecified"),
        (with(&format!("(assert (and (not {}) {no_steps}))", t("a", "a"))), "unspecified"),
        (
            with(&format!("(declare-const p Bool)(assert (and (distinct p {}) {no_steps}))", t("a", "a"))),
            "sat",
        ),
        (with(&format!("(assert (and {} {} (not {})))", t("x", "y"), t("y", "x"), t("x", "x"))), "unsat"),
        // f is from a to b, and from b to x.
        (format!("{defined}(assert (not {}))", t("a", "b")), "unsat"),
        (format!("{defined}(assert {})", t("a", "c")), "sat"),
        (format!("{defined}(assert (and {} (distinct x c)))", t("a", "c")), "unsat"),
        (format!("{defined}(assert (and {} {}))", t("b", "b"), t("a", "a")), "sat"),
        (format!("{defined}(assert {})", t("c", "a")), "unsat"),
        (
            "(declare-fun f (Int Int) Bool)(assert (and ((_ transitive-closure f) 0 1) (not (f 0 1))))"
                .to_owned(),
            "unknown",
        ),
    ];
    for (script, expected) in &cases {
        check(&[(script, expected)]);
    }
}
