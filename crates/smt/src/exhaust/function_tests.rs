//! Decisions over functions as values. The expected answers are worked out by hand.

use super::tests::check;

const HIGHER_ORDER: &str = "(set-logic HO_ALL)(declare-datatypes ((U 0)) (((a) (b))))(declare-fun f (U U) U)\
                            (declare-const g (-> U U))(declare-const h (-> (-> U U) U))(declare-const k (-> U U U))(declare-const x U)";

fn assert_all(cases: &[(&str, &str)]) {
    for (assertion, expected) in cases {
        check(&[(&format!("{HIGHER_ORDER}(assert {assertion})"), expected)]);
    }
}

#[test]
fn functions_are_equal_if_they_are_equal_everywhere() {
    assert_all(&[
        ("(and (= (f a) g) (distinct (f a x) (g x)))", "unsat"),
        ("(and (= (f a) (f b)) (distinct (f a x) (f b x)))", "unsat"),
        ("(and (distinct (f a) (f b)) (= (f a a) (f b a)))", "sat"),
        ("(and (= f k) (distinct (f a x) (k a x)))", "unsat"),
        ("(and (distinct f k) (= (f a) (k a)) (= (f b) (k b)))", "unsat"),
        ("(and (= (g a) (g b)) (= g (lambda ((y U)) y)))", "unsat"),
        ("(= k (lambda ((y U) (z U)) (f z y)))", "sat"),
        ("(and (= k (lambda ((y U) (z U)) (f z y))) (distinct (k a b) (f b a)))", "unsat"),
        // There are four functions from two values to two values.
        (
            "(distinct g (lambda ((y U)) y) (lambda ((y U)) a) (lambda ((y U)) b) (lambda ((y U)) (ite (= y a) b a)))",
            "unsat",
        ),
        ("(distinct g (lambda ((y U)) y) (lambda ((y U)) a) (lambda ((y U)) b))", "sat"),
    ]);
}

#[test]
fn functions_are_arguments_and_results() {
    assert_all(&[
        ("(and (= g (f a)) (distinct (h g) (h (f a))))", "unsat"),
        ("(distinct (h g) (h (f a)))", "sat"),
        ("(and (= (h g) a) (= (h (lambda ((y U)) (g y))) b))", "unsat"),
        ("(distinct (@ k a b) (k a b))", "unsat"),
        ("(distinct (@ (@ k a) b) (k a b))", "unsat"),
        ("(distinct ((k a) x) ((lambda ((y U)) (k a y)) x))", "unsat"),
        ("(forall ((p (-> U U))) (= (h p) (p x)))", "sat"),
        ("(forall ((p (-> U U))) (= (h p) (h (lambda ((y U)) (p (p y))))))", "sat"),
        // h is evaluation at x, so no two functions with two values at x have one value.
        ("(and (forall ((p (-> U U))) (= (h p) (p x))) (= (h g) a) (= (g x) b))", "unsat"),
        ("(exists ((p (-> U U))) (forall ((y U)) (distinct (p y) y)))", "sat"),
        ("(forall ((p (-> U U))) (exists ((y U)) (= (p y) y)))", "unsat"),
    ]);
}

#[test]
fn defined_functions_are_values_as_well() {
    let with = |rest: &str| format!("{HIGHER_ORDER}{rest}");
    check(&[
        (
            &with(
                "(define-fun d ((y U) (z U)) U (ite (= y z) x (f y z)))(assert (distinct (d a a) ((d a) a)))",
            ),
            "unsat",
        ),
        (
            &with(
                "(define-fun d ((y U) (z U)) U (ite (= y z) x (f y z)))(assert (and (= d k) (distinct (k b b) x)))",
            ),
            "unsat",
        ),
        (&with("(define-fun d ((y U)) (-> U U) (f y))(assert (distinct (d a b) (f a b)))"), "unsat"),
        (
            &with("(define-fun d () (-> U U) (lambda ((y U)) (f x y)))(assert (distinct (d a) (f x a)))"),
            "unsat",
        ),
        (
            &with("(declare-fun e (U) (-> U U))(assert (and (= (e a) (f a)) (distinct (e a b) (f a b))))"),
            "unsat",
        ),
        (
            &with(
                "(declare-fun e (U) (-> U U))(assert (and (= e f) (distinct (e a b) a) (distinct (f a b) b)))",
            ),
            "unsat",
        ),
    ]);
}

#[test]
fn functions_over_infinite_sorts_are_undecided_or_found() {
    let ints = "(set-logic HO_ALL)(declare-const g (-> Int Int))(declare-fun f (Int Int) Int)";
    check(&[
        (&format!("{ints}(assert (= (g 0) 0))"), "sat"),
        (&format!("{ints}(assert (distinct (f 0) (f 1)))"), "unknown"),
    ]);
}
