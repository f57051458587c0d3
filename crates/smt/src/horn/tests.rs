//! Tests of reading, writing and unrolling systems of Horn clauses.

use super::*;
use crate::Signature;
use crate::print::term_text;

const INVARIANT_DECLARATIONS: &str = "(declare-fun inv (Int) Bool)(declare-fun end (Int Int) Bool)";

fn read(text: &str) -> Result<System, NotHorn> {
    System::read(&Script::parse(text, &Signature::standard()).unwrap())
}

/// The clauses of assertions, each as `variables: body => head`.
fn clauses(text: &str) -> Vec<String> {
    let system = read(text).unwrap();
    let arena = system.arena();
    let list =
        |terms: &[Term]| terms.iter().map(|&term| term_text(arena, term)).collect::<Vec<_>>().join(" ");
    let show = |clause: &Clause| {
        let names: Vec<&str> = clause.variables.iter().map(|variable| arena.text(variable.name)).collect();
        let head = clause.head.map_or("false".to_owned(), |head| term_text(arena, head));
        format!("{}: {} => {head}", names.join(" "), list(&clause.body))
    };
    system.clauses.iter().map(show).collect()
}

fn check(assertion: &str, expected: &[&str]) {
    assert_eq!(clauses(&format!("{INVARIANT_DECLARATIONS}(assert {assertion})")), expected, "{assertion}");
}

fn refused(assertion: &str, why: &str) {
    let error = read(&format!("{INVARIANT_DECLARATIONS}(assert (inv 0))(assert {assertion})")).unwrap_err();
    assert_eq!((error.assertion, error.command), (Some(2), Some(3)), "{assertion}");
    assert_eq!(error.why, why, "{assertion}");
}

#[test]
fn an_implication_is_a_clause() {
    check(
        "(forall ((x Int)) (=> (and (inv x) (< x 10)) (inv (+ x 1))))",
        &["x: (inv x) (< x 10) => (inv (+ x 1))"],
    );
    check("(inv 0)", &[":  => (inv 0)"]);
    check("(forall ((x Int)) (=> (inv x) (< x 10)))", &["x: (inv x) (not (< x 10)) => false"]);
    check("(forall ((x Int)) (=> (inv x) (= x 0) (inv (- x))))", &["x: (inv x) (= x 0) => (inv (- x))"]);
}

#[test]
fn a_disjunction_is_a_clause() {
    check(
        "(forall ((x Int)) (or (not (inv x)) (inv (+ x 1)) (not (< x 10))))",
        &["x: (inv x) (< x 10) => (inv (+ x 1))"],
    );
    check(
        "(forall ((x Int)) (or (>= x 3) (not (and (inv x) true))))",
        &["x: (not (>= x 3)) (inv x) => false"],
    );
    check("(not (exists ((x Int)) (and (inv x) (> x 10))))", &["x: (inv x) (> x 10) => false"]);
}

#[test]
fn names_that_are_bound_again_are_kept_apart() {
    check(
        "(forall ((x Int)) (=> (and (exists ((x Int)) (inv x)) (exists ((y Int)) (end x y)) (= x 1)) (inv x)))",
        &["x x~0 y: (inv x~0) (end x y) (= x 1) => (inv x)"],
    );
}

#[test]
fn lets_are_seen_through_where_predicates_are_and_kept_elsewhere() {
    check(
        "(forall ((x Int)) (let ((a (inv x)) (b (+ x 1))) (=> (and a (let ((c b)) (< c 2))) (inv b))))",
        &["x: (inv x) (let ((c (+ x 1))) (< c 2)) => (inv (+ x 1))"],
    );
}

#[test]
fn boolean_structure_is_split_into_clauses() {
    check(
        "(forall ((x Int)) (=> (or (inv x) (end x x)) (and (inv 1) (=> (= x 2) (inv x)))))",
        &[
            "x: (inv x) => (inv 1)",
            "x: (inv x) (= x 2) => (inv x)",
            "x: (end x x) => (inv 1)",
            "x: (end x x) (= x 2) => (inv x)",
        ],
    );
    check(
        "(forall ((x Int)) (ite (< x 0) (inv x) (not (inv x))))",
        &["x: (< x 0) => (inv x)", "x: (not (< x 0)) (inv x) => false"],
    );
    check("(= (inv 0) (inv 1))", &[": (inv 0) => (inv 1)", ": (inv 1) => (inv 0)"]);
}

#[test]
fn assertions_that_are_no_clauses_are_explained() {
    refused("(or (inv 1) (end 1 2))", "two heads, inv and end");
    refused(
        "(forall ((x Int)) (=> (forall ((y Int)) (inv y)) (inv x)))",
        "quantifiers alternate: forall in a condition holds a predicate",
    );
    refused("(exists ((y Int)) (inv y))", "quantifiers alternate: exists in a conclusion holds a predicate");
    refused("(xor (inv 1) (inv 2))", "a predicate stands below xor");
    refused("(inv (ite (inv 1) 2 3))", "an argument of inv holds a predicate");
}

#[test]
fn scripts_that_are_no_systems_are_explained() {
    let why = |text: &str| read(text).unwrap_err().to_string();
    assert_eq!(why("(declare-fun f (Int) Int)"), "command 1: f is declared but is not a predicate");
    assert_eq!(why("(check-sat)"), "it has no clause");
    assert_eq!(
        why(&format!("{INVARIANT_DECLARATIONS}(push 1)")),
        "command 3: a command that has no place in a system of Horn clauses"
    );
    assert_eq!(
        why(&format!("{INVARIANT_DECLARATIONS}(assert (inv 0))(check-sat)(check-sat)")),
        "command 5: it asks more than once"
    );
    assert_eq!(
        why(&format!("{INVARIANT_DECLARATIONS}(assert (inv 0))(check-sat)(assert (inv 1))")),
        "command 5: it says more after it was asked"
    );
    assert_eq!(
        why(&format!("{INVARIANT_DECLARATIONS}(rule (inv 0))(assert (inv 1))(query inv)")),
        "it has both assertions and rules"
    );
    assert_eq!(
        why(&format!("{INVARIANT_DECLARATIONS}(assert (inv 0))(assert (or (inv 1) (inv 2)))")),
        "assertion 2 is not a Horn clause: two heads, inv and inv"
    );
}

const FIXEDPOINT_RULES: &str = "(declare-rel inv (Int))(declare-rel bad ())(declare-var x Int)(declare-var y Int)\
    (rule (inv 0))(rule (=> (and (inv x) (= y (+ x 1))) (inv y)))(rule (=> (and (inv x) (> x 5)) bad))(query bad)";

#[test]
fn rules_and_a_query_are_a_system_too() {
    assert_eq!(
        clauses(FIXEDPOINT_RULES),
        [
            ":  => (inv 0)",
            "x y: (inv x) (= y (+ x 1)) => (inv y)",
            "x: (inv x) (> x 5) => bad",
            ": bad => false"
        ]
    );
    let any = FIXEDPOINT_RULES.replace("(query bad)", "(query inv)");
    assert_eq!(clauses(&any).last().unwrap(), "q~0: (inv q~0) => false");
}

#[test]
fn a_system_goes_from_one_style_to_the_other_and_back() {
    let rules = read(FIXEDPOINT_RULES).unwrap();
    let horn = rules.script(HornForm::Horn).to_string();
    assert_eq!(
        horn,
        "(set-logic HORN)\n(declare-fun inv (Int) Bool)\n(declare-fun bad () Bool)\n(assert (=> true (inv 0)))\n\
         (assert (forall ((x Int) (y Int)) (=> (and (inv x) (= y (+ x 1))) (inv y))))\n\
         (assert (forall ((x Int)) (=> (and (inv x) (> x 5)) bad)))\n(assert (=> bad false))\n(check-sat)\n"
    );
    let back = read(&horn).unwrap().script(HornForm::Fixedpoint).to_string();
    assert_eq!(
        back,
        "(declare-rel inv (Int))\n(declare-rel bad ())\n(declare-rel goal~0 ())\n(declare-var x Int)\n\
         (declare-var y Int)\n(rule (=> true (inv 0)))\n(rule (=> (and (inv x) (= y (+ x 1))) (inv y)))\n\
         (rule (=> (and (inv x) (> x 5)) bad))\n(rule (=> bad goal~0))\n(query goal~0)\n"
    );
    assert_eq!(read(&back).unwrap().clauses.len(), 5);
}

#[test]
fn linear_systems_call_once_a_clause() {
    assert!(
        read(&format!("{INVARIANT_DECLARATIONS}(assert (forall ((x Int)) (=> (inv x) (inv (+ x 1)))))"))
            .unwrap()
            .is_linear()
    );
    let two = "(assert (forall ((x Int)) (=> (and (inv x) (inv (- x))) (inv 7))))";
    assert!(!read(&format!("{INVARIANT_DECLARATIONS}{two}")).unwrap().is_linear());
}

#[test]
fn a_model_is_validated_clause_by_clause() {
    let system = read(
        "(declare-fun inv (Int) Bool)(assert (inv 0))(assert (forall ((x Int)) (=> (inv x) (inv (+ x 1)))))",
    );
    let validation = system.unwrap().model_validation("((define-fun inv ((a Int)) Bool (< a 10)))").unwrap();
    assert_eq!(
        validation.script.to_string(),
        "(set-logic ALL)\n(define-fun inv ((a Int)) Bool (< a 10))\n(push 1)\n(assert (not (inv 0)))\n\
         (check-sat)\n(pop 1)\n(push 1)\n(declare-const point~0 Int)\n(assert (inv point~0))\n\
         (assert (not (inv (+ point~0 1))))\n(check-sat)\n(pop 1)\n"
    );
    assert_eq!(validation.points.iter().map(Vec::len).collect::<Vec<_>>(), [0, 1]);
    let silent =
        read("(declare-fun inv (Int) Bool)(assert (inv 0))").unwrap().model_validation("()").unwrap_err();
    assert_eq!(silent, "the model says nothing of inv");
}

#[test]
fn a_validation_script_has_no_reserved_names() {
    let system = read(
        "(declare-fun @p (Int) Bool)(declare-fun q (Int) Bool)(assert (forall ((x Int)) (=> (q x) (@p x))))",
    );
    let model = "((define-fun @p ((a Int)) Bool (q a)) (define-fun q ((a Int)) Bool (< a 3)))";
    let validation = system.unwrap().model_validation(model).unwrap().script.to_string();
    assert_eq!(
        validation,
        "(set-logic ALL)\n(define-fun q ((a Int)) Bool (< a 3))\n(define-fun reserved~0 ((a Int)) Bool (q a))\n(push 1)\n\
         (declare-const point~0 Int)\n(assert (q point~0))\n(assert (not (reserved~0 point~0)))\n(check-sat)\n(pop 1)\n"
    );
}

#[test]
fn existential_variables_of_a_model_are_part_of_the_point() {
    let system =
        read("(declare-fun p (Int) Bool)(assert (forall ((x Int)) (=> (and (p x) (> x 3)) (p (+ x 1)))))");
    let model = "((define-fun p ((a Int)) Bool (or (exists ((b Int)) (! (= a (* 2 b)) :weight 0)) (= a 1))))";
    let validation = system.unwrap().model_validation(model).unwrap().script.to_string();
    let (_, sat_queries) = validation.split_once("(push 1)\n").unwrap();
    assert_eq!(
        sat_queries,
        "(declare-const point~0 Int)\n(declare-const point~1 Int)\n\
         (assert (or (= point~0 (* 2 point~1)) (= point~0 1)))\n(assert (> point~0 3))\n\
         (assert (not (or (exists ((b Int)) (! (= (+ point~0 1) (* 2 b)) :weight 0)) (= (+ point~0 1) 1))))\n\
         (check-sat)\n(pop 1)\n"
    );
}

#[test]
fn a_bounded_refutation_is_a_derivation() {
    let text = "(declare-fun inv (Int) Bool)(assert (inv 0))\
        (assert (forall ((x Int)) (=> (inv x) (inv (+ x 3)))))(assert (forall ((x Int)) (=> (and (inv x) (> x 2)) false)))";
    let system = read(text).unwrap();
    let unrolled = |steps: usize| system.unroll(steps).unwrap().to_string();
    assert_eq!(
        unrolled(1),
        "(set-logic ALL)\n(declare-const step~0 Int)\n(declare-const step~1 Bool)\n(declare-const step~2 Int)\n\
         (assert (and step~1 (= step~2 step~0) (> step~0 2)))\n(assert (or (not step~1) (= step~2 0)))\n(check-sat)\n"
    );
    assert!(
        unrolled(2).contains(
            "(or (not step~1) (= step~2 0) (and step~4 (= step~5 step~3) (= step~2 (+ step~3 3))))"
        )
    );
}

#[test]
fn a_numeral_of_a_logic_of_reals_is_a_decimal_in_the_system() {
    let text = "(set-logic LRA)(assert (forall ((x Real)) (=> (<= x 1) (<= (* 2 x) 2))))(check-sat)";
    let script = read(text).unwrap().script(HornForm::Horn);
    let again = Script::parse(&script.to_string(), &Signature::standard()).unwrap();
    assert!(again == script, "{script}");
    assert!(script.to_string().contains("(<= x 1.0)"), "{script}");
}
