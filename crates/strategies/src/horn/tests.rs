//! Claims about every mutation of Horn clauses; `crates/cli/tests/horn.rs` asks solvers.

use std::collections::BTreeSet;

use gainsay_smt::Signature;

use super::*;
use crate::random::RandomStream;

const TEST_SYSTEM: &str = "(set-logic HORN)(declare-fun inv (Int Real) Bool)(declare-fun end ((_ BitVec 4)) Bool)\
    (assert (forall ((x Int) (r Real)) (=> (and (= x 0) (< r 0.5) (or (> x 0) (< x 1))) (inv x r))))\
    (assert (forall ((x Int) (r Real)) (=> (and (= x 7) (< r 0.5)) (inv x r))))\
    (assert (forall ((x Int) (r Real)) (=> (and (inv x r) (< x 10) (inv x (* 2.0 r))) (inv (+ x 1) r))))\
    (assert (forall ((x Int) (r Real) (b (_ BitVec 4))) (or (not (inv x r)) (end b) (not (bvult b #x3)))))\
    (assert (not (exists ((b (_ BitVec 4))) (and (end b) (bvule #xe b)))))(check-sat)";

fn system(text: &str) -> Script {
    Script::parse(text, &Signature::standard()).unwrap()
}

/// Advice that a solver might give about the systems here.
fn advice() -> HornAdvice {
    let text = str::to_owned;
    let rewrite = crate::horn::advice::ConstraintRewrite {
        parameter: text("-"),
        variables: text("((x Int) (r Real))"),
        old: text("(= x 0)"),
        new: text("(and (<= x 0) (>= x 0))"),
    };
    let lemma = crate::horn::advice::PredicateLemma {
        predicate: text("inv"),
        parameters: text("((a Int) (b Real))"),
        term: text("(>= a (- 5))"),
    };
    HornAdvice { rewrites: vec![rewrite], lemmas: vec![lemma] }
}

/// The mutants of a system by many streams, each read again as a system.
fn mutants(mutation: &dyn HornMutation, text: &str) -> BTreeSet<String> {
    let script = system(text);
    let (system, advice) = (System::read(&script).unwrap(), advice());
    let mut made = BTreeSet::new();
    for number in 0..100 {
        let status = Some(if number % 2 == 0 { Answer::Sat } else { Answer::Unsat });
        let source = HornSource { advice: Some(&advice), status, ..HornSource::new(&script, &system) };
        let apply = || mutation.apply(&source, &mut RandomStream::new(number).rng());
        let Some(draft) = apply() else { continue };
        let text = draft.script.to_string();
        assert_eq!(text, apply().unwrap().script.to_string(), "{}: one stream, one text", mutation.name());
        let read = Script::parse(&text, &Signature::standard());
        let read = read.unwrap_or_else(|error| panic!("{}: {error}\n{text}", mutation.name()));
        let again = System::read(&read).unwrap_or_else(|why| panic!("{}: {why}\n{text}", mutation.name()));
        assert_eq!(again.form, HornForm::Horn);
        assert_ne!(text, script.to_string(), "{} changes something", mutation.name());
        made.insert(text);
    }
    made
}

#[test]
fn every_mutation_makes_systems() {
    let names: BTreeSet<&str> = ALL.iter().map(|mutation| mutation.name()).collect();
    assert_eq!(names.len(), ALL.len());
    for mutation in ALL {
        assert!(!mutants(*mutation, TEST_SYSTEM).is_empty(), "{} makes nothing", mutation.name());
    }
}

/// Checks that some stream makes a script that contains `wanted`.
fn reaches(mutation: &dyn HornMutation, text: &str, wanted: &str) {
    let made = mutants(mutation, text);
    assert!(
        made.iter().any(|text| text.contains(wanted)),
        "{} never makes {wanted}: {made:?}",
        mutation.name()
    );
}

const SMALL_SYSTEM: &str = "(set-logic HORN)(declare-fun p (Int Int) Bool)\
    (assert (forall ((x Int) (y Int)) (=> (and (< x 3) (>= y x) (= x 1)) (p x y))))\
    (assert (forall ((x Int) (y Int)) (=> (and (p x y) (or (> x 3) (= x y))) false)))(check-sat)";

#[test]
fn mutations_of_the_paper_do_what_it_says() {
    reaches(&place::SwapAnd, SMALL_SYSTEM, "(and (= x 1) (>= y x) (< x 3))");
    reaches(&place::DuplicateAnd, SMALL_SYSTEM, "(and (< x 3) (>= y x) (= x 1) (>= y x))");
    reaches(&place::BreakAnd, SMALL_SYSTEM, "(and (< x 3) (and (>= y x) (= x 1)))");
    reaches(&place::SwapOr, SMALL_SYSTEM, "(or (= x y) (> x 3))");
    reaches(
        &place::MixVariables,
        SMALL_SYSTEM,
        "(forall ((y Int) (x Int)) (=> (and (< x 3) (>= y x) (= x 1)) (p x y)))",
    );
    reaches(&inequality::AddInequality, SMALL_SYSTEM, "(and (< x 3) (< x 4))");
    reaches(&inequality::AddInequality, SMALL_SYSTEM, "(and (>= y x) (>= (+ y 1) x))");
    reaches(&rules::AddLinearRule, SMALL_SYSTEM, "(=> false (p v~0 v~1))");
    reaches(
        &rules::AddNonLinearRule,
        SMALL_SYSTEM,
        "(=> (and (> n~0 n~1) (p v~0 v~1) (> n~1 n~0) (p v~0 v~1)) (p v~0 v~1))",
    );
}

#[test]
fn words_get_weaker_inequalities_that_do_not_wrap() {
    let word = |condition: &str| {
        format!(
            "(set-logic HORN)(declare-fun p ((_ BitVec 4)) Bool)\
            (assert (forall ((b (_ BitVec 4))) (=> {condition} (p b))))(check-sat)"
        )
    };
    reaches(&inequality::AddInequality, &word("(bvult b #x3)"), "(and (bvult b #x3) (bvule b #x3))");
    reaches(&inequality::AddInequality, &word("(bvule b #x3)"), "(and (bvule b #x3) (bvule b #b0100))");
    reaches(&inequality::AddInequality, &word("(bvsle b #xf)"), "(and (bvsle b #xf) (bvsle b #b0000))");
    assert!(mutants(&inequality::AddInequality, &word("(bvule b #xf)")).is_empty(), "there is no next word");
    assert!(mutants(&inequality::AddInequality, &word("(bvsle b #x7)")).is_empty(), "there is no next word");
}

#[test]
fn mutations_of_systems_do_what_they_say() {
    reaches(&predicates::PermuteArguments, SMALL_SYSTEM, "(p~0 y x)");
    reaches(&predicates::AddIndirection, SMALL_SYSTEM, "(=> (p v~0 v~1) (p~0 v~0 v~1))");
    reaches(
        &unfold::UnfoldCall,
        SMALL_SYSTEM,
        "(=> (and (= x x~0) (= y y~0) (and (< x~0 3) (>= y~0 x~0) (= x~0 1)) (or (> x 3) (= x y))) false)",
    );
    reaches(&rules::AddDeadClause, SMALL_SYSTEM, "(and (dead~0 x y) (p x y)");
    reaches(&clauses::SplitClause, SMALL_SYSTEM, "(not (<= x y))");
}

#[test]
fn clauses_become_weaker_in_satisfiable_and_stronger_in_unsatisfiable_systems() {
    reaches(&monotone::DropClause, SMALL_SYSTEM, "Bool)\n(assert (forall ((x Int) (y Int)) (=> (and (p x y)");
    reaches(
        &monotone::GuardClause,
        SMALL_SYSTEM,
        "(=> (and (and (< x 3) (>= y x) (= x 1)) (<= x y)) (p x y))",
    );
    reaches(&monotone::DropCondition, SMALL_SYSTEM, "(=> (and (< x 3) (= x 1)) (p x y))");
    reaches(&monotone::FalseHead, SMALL_SYSTEM, "(=> (and (< x 3) (>= y x) (= x 1)) false)");
    let script = system(SMALL_SYSTEM);
    let system = System::read(&script).unwrap();
    let applies = |mutation: &dyn HornMutation, status| {
        let source = HornSource { status, ..HornSource::new(&script, &system) };
        (0..20).any(|number| mutation.apply(&source, &mut RandomStream::new(number).rng()).is_some())
    };
    for status in [None, Some(Answer::Unknown), Some(Answer::Sat), Some(Answer::Unsat)] {
        for mutation in [&monotone::DropClause as &dyn HornMutation, &monotone::GuardClause] {
            assert_eq!(applies(mutation, status), status == Some(Answer::Sat), "{mutation:?} {status:?}");
        }
        for mutation in [&monotone::DropCondition as &dyn HornMutation, &monotone::FalseHead] {
            assert_eq!(applies(mutation, status), status == Some(Answer::Unsat), "{mutation:?} {status:?}");
        }
    }
}

#[test]
fn what_a_solver_said_is_said_again() {
    reaches(&advised::RewriteConstraint, TEST_SYSTEM, "(and (and (<= x 0) (>= x 0)) (< r 0.5)");
    let rewritten = TEST_SYSTEM.replace("(= x 0)", "(and (<= x 0) (>= x 0))");
    reaches(&advised::RewriteConstraint, &rewritten, "(and (= x 0) (< r 0.5)");
    reaches(
        &advised::AddLemma,
        TEST_SYSTEM,
        "(=> (and (inv x r) (< x 10) (inv x (* 2.0 r)) (>= x (- 5))) (inv (+ x 1) r))",
    );
    reaches(&advised::AddInvariant, TEST_SYSTEM, "(=> (and (inv v~0 v~1) (not (>= v~0 (- 5)))) false)");
    let renamed = TEST_SYSTEM.replace("inv", "other");
    assert!(mutants(&advised::AddLemma, &renamed).is_empty(), "nothing is known of other");
}

#[test]
fn rules_are_written_as_assertions_with_the_opposite_answer() {
    let script = system("(declare-rel p (Int))(declare-var x Int)(rule (p 0))(query p)");
    let free = |status| {
        let signature = Signature::standard();
        let bounds = super::super::CaseBounds { bytes: 2000, depth: 40 };
        let operators = super::super::operators::Operators::standard(&signature);
        let fusion = super::super::FusionSettings::default();
        let settings = StrategySettings {
            bounds,
            operators,
            fusion,
            values: crate::value::ConstantSource::Random,
            scope: crate::ScopeChoice::default(),
            formats: Default::default(),
            enumerations: Default::default(),
        };
        HornStrategy
            .propose(&[Parent::new(&script, status)], &settings, &mut RandomStream::new(1).rng())
            .unwrap()
    };
    let made = free(Some(Answer::Sat));
    assert_eq!(made.promise, Promise::Known(Answer::Unsat));
    assert!(made.script.to_string().contains("(assert (forall ((q~0 Int)) (=> (p q~0) false)))"));
    assert_eq!(free(None).promise, Promise::Nothing);
}

#[test]
fn the_table_of_contradictions_has_names_and_sorts_that_clauses_can_have() {
    let table = rules::contradictions(&Signature::standard());
    let rows = rules::rows(&table);
    assert!(rows.len() > 10);
    for row in rows {
        assert_eq!(row.result, gainsay_smt::Sort::BOOL, "{}", table.arena().text(row.name));
    }
}
