//! Claims about fused scripts, and the pitfalls of fusion.

use std::collections::BTreeSet;
use std::sync::Arc;

use gainsay_smt::{Signature, eval, sat_queries};

use super::*;
use crate::operators::Operators;
use crate::random::RandomStream;
use crate::value::ConstantSource;
use crate::{CaseBounds, FusionSettings};
use gainsay_solvers::profiles::Profiles;

fn settings(signature: &Arc<Signature>) -> StrategySettings {
    let (bounds, operators) = (CaseBounds { bytes: 20_000, depth: 100 }, Operators::standard(signature));
    StrategySettings {
        bounds,
        operators,
        fusion: FusionSettings::default(),
        values: ConstantSource::Random,
        scope: crate::ScopeChoice::default(),
        formats: Default::default(),
        enumerations: Default::default(),
    }
}

/// The fusions of two seeds by several streams, each read again.
fn fused(first: &str, second: &str, status: Answer, streams: u64) -> Vec<Result<Proposal, Skip>> {
    let signature = Signature::standard();
    let (settings, read) = (settings(&signature), |text| Script::parse(text, &signature).unwrap());
    let (first, second) = (read(first), read(second));
    let parents = [&first, &second].map(|script| Parent::new(script, Some(status)));
    let made = |number| {
        let proposal = FusionStrategy.propose(&parents, &settings, &mut RandomStream::new(number).rng())?;
        let again = FusionStrategy.propose(&parents, &settings, &mut RandomStream::new(number).rng())?;
        let text = proposal.script.to_string();
        assert_eq!(text, again.script.to_string(), "the same stream makes the same text");
        match Script::parse(&text, &signature) {
            Ok(read) => assert!(read == proposal.script, "read back as another script:\n{text}"),
            Err(error) => panic!("{error}\n{}\n{text}", error.snippet()),
        }
        assert_eq!(proposal.promise, Promise::Known(status));
        Ok(proposal)
    };
    (0..streams).map(made).collect()
}

fn texts(first: &str, second: &str, status: Answer, streams: u64) -> BTreeSet<String> {
    let made = fused(first, second, status, streams).into_iter();
    made.map(|proposal| proposal.unwrap().script.to_string()).collect()
}

fn skip(first: &str, second: &str, status: Answer) -> &'static str {
    match fused(first, second, status, 1).remove(0) {
        Err(skip) => skip.name(),
        Ok(proposal) => panic!("{}", proposal.script),
    }
}

/// Fuses two satisfiable seeds, and checks that the joined models satisfy every script.
///
/// In a few scripts, a function's result may stay unspecified (the element of an empty sequence).
fn keeps_models(first: (&str, &str), second: (&str, &str), streams: u64) {
    let mut open = 0;
    for proposal in fused(first.0, second.0, Answer::Sat, streams) {
        let proposal = proposal.unwrap();
        let (script, join) = (&proposal.script, proposal.join.unwrap());
        let text = join.model(first.1, second.1, script.arena()).unwrap();
        let check = sat_queries(script).remove(0);
        let model = gainsay_smt::Model::read(&text, script, &check).unwrap();
        let evaluation = eval::evaluate(&model, &check, eval::EvalBudget::default());
        match evaluation.outcome() {
            eval::TruthValue::True => {}
            eval::TruthValue::Undecided(eval::Undecided::Unspecified(_)) => open += 1,
            _ => panic!("{script}\n{text}\n{evaluation:?}"),
        }
    }
    assert!(open * 5 <= streams, "{open} of {streams}");
}

const INTEGER_SEED: &str = "(set-logic QF_NIA)(declare-const x Int)(declare-const y Int)\
    (assert (and (< 3 x) (= (* x y) 0)))(assert (<= y x))(check-sat)";

#[test]
fn both_seeds_survive_and_variables_are_fused() {
    let texts = texts(INTEGER_SEED, INTEGER_SEED, Answer::Sat, 200);
    assert!(texts.len() > 150, "{}", texts.len());
    for text in &texts {
        assert!(text.contains("(declare-const x_2 Int)") && text.contains("(declare-fun z () "), "{text}");
        assert_eq!(text.matches("(check-sat)").count(), 1, "{text}");
    }
    assert!(texts.iter().any(|text| text.contains("(declare-fun z_2 ")), "more than one triplet");
}

#[test]
fn models_of_both_satisfy_a_fused_script() {
    let model = "((define-fun x () Int 4) (define-fun y () Int 0))";
    keeps_models(
        (INTEGER_SEED, model),
        (INTEGER_SEED, "((define-fun x () Int 7) (define-fun y () Int 0))"),
        2000,
    );
}

#[test]
fn factors_that_are_zero_break_no_promise() {
    let zeros = "(declare-const a Real)(declare-const b Real)(assert (and (= a 0.0) (= a b)))(check-sat)";
    let other = "(declare-const a Real)(declare-const b Real)(assert (and (= a 3.0) (= b 5.0)))(check-sat)";
    let model = "((define-fun a () Real 0.0) (define-fun b () Real 0.0))";
    keeps_models((zeros, model), (other, "((define-fun a () Real 3.0) (define-fun b () Real 5.0))"), 2000);
    keeps_models((zeros, model), (zeros, model), 2000);
}

#[test]
fn every_theory_keeps_its_models() {
    let cases = [
        ("String", "\"ab\"", "\"\""),
        ("String", "\"\"", "\"0\""),
        ("Bool", "true", "false"),
        ("(_ BitVec 8)", "#xff", "#x00"),
        ("(_ BitVec 5)", "#b00001", "#b10000"),
        ("(_ FloatingPoint 8 24)", "(_ NaN 8 24)", "(_ -zero 8 24)"),
        ("(Array Int Int)", "((as const (Array Int Int)) 1)", "((as const (Array Int Int)) 0)"),
        ("(Seq Int)", "(seq.unit 3)", "(as seq.empty (Seq Int))"),
        ("Real", "(/ 1.0 3.0)", "(- 2.5)"),
        ("Int", "(- 17)", "0"),
    ];
    for (sort, one, two) in cases {
        let seed = |value: &str| {
            format!(
                "(declare-const x {sort})(declare-const y {sort})(assert (= x {value}))(assert (= y x))(check-sat)"
            )
        };
        let model =
            |value: &str| format!("((define-fun x () {sort} {value})(define-fun y () {sort} {value}))");
        keeps_models((&seed(one), &model(one)), (&seed(two), &model(two)), 300);
        keeps_models((&seed(two), &model(two)), (&seed(two), &model(two)), 100);
    }
}

#[test]
fn an_unsat_script_has_every_constraint() {
    // A case that yinyang's functions for strings missed.
    let seed = "(declare-const s String)(assert (= (str.len s) 1))(assert (= s \"\"))(check-sat)";
    for text in texts(seed, seed, Answer::Unsat, 300) {
        assert_eq!(text.matches("(assert (or (and ").count(), 1, "{text}");
        let fused = text.lines().filter(|line| line.starts_with("(declare-fun z")).count();
        let about =
            |name: &str| text.lines().filter(|line| line.starts_with(&format!("(assert (= {name} "))).count();
        assert_eq!((about("s"), about("s_2"), fused), (1, 1, 1), "{text}");
    }
}

#[test]
fn names_like_commands_and_quoted_names_are_names() {
    let seed = "(declare-const echo_x Int)(declare-const |a b| Int)(declare-const |simplify me| Int)\
        (assert (< echo_x |a b| |simplify me|))(assert (= echo_x 0))(check-sat)";
    for text in texts(seed, seed, Answer::Sat, 100) {
        for name in ["echo_x ", "|a b| ", "|simplify me| ", "echo_x_2 ", "|a b_2| ", "|simplify me_2| "] {
            assert!(text.contains(&format!("(declare-const {name}")), "{name}: {text}");
        }
        assert_eq!(text.matches("(assert").count() - text.matches("(assert (= z").count(), 4, "{text}");
    }
}

#[test]
fn a_bound_variable_hides_no_fused_one() {
    let seed = "(declare-const x Int)(declare-const y Int)(define-fun f ((x Int)) Int (+ x y))\
        (assert (forall ((y Int)) (= (f x) (let ((x y)) (f x)))))(assert (exists ((z Int) (+ Int)) (= z + x)))(check-sat)";
    for text in texts(seed, seed, Answer::Sat, 300) {
        assert!(!text.contains("((y Int))") && !text.contains("((x Int))"), "{text}");
        assert!(!text.contains("(+ Int)"), "{text}");
    }
}

#[test]
fn what_is_bound_or_named_like_an_operator_hides_none() {
    // Functions over integers use these very operators in the inverses of `x`.
    let bound = "(declare-const x Int)(assert (forall ((- Int) (abs Int)) (=> (< - abs) (< - (+ abs (* 0 x))))))(check-sat)";
    for text in texts(bound, bound, Answer::Sat, 100) {
        assert!(!text.contains("(- Int)") && !text.contains("(abs Int)"), "{text}");
    }
    let named = "(declare-const x Int)(assert (! (< 0 x) :named seq.len))(assert (! (< 1 x) :named bv2int))(check-sat)";
    for text in texts(named, named, Answer::Sat, 20) {
        assert!(!text.contains(":named seq.len)") && !text.contains(":named bv2int)"), "{text}");
    }
    let standard = "(declare-const x Int)(assert (! (< 0 x) :named bvadd))(check-sat)";
    assert_eq!(skip(standard, named, Answer::Sat), "a seed declares an operator of the standard");
}

#[test]
fn everything_that_a_seed_declares_survives() {
    let seed = "(set-logic ALL)(declare-sort U 0)(define-sort P (T) (Array T U))(declare-datatypes ((L 1)) ((par (T) ((nil) \
        (cons (head T) (tail (L T)))))))(declare-fun g (U Int) U)(define-fun-rec r ((n Int)) Int (ite (< n 1) 0 (r (- n 1))))\
        (define-funs-rec ((e ((n Int)) Bool) (o ((n Int)) Bool)) ((or (= n 0) (o (- n 1))) (e (- n 1))))\
        (declare-const a (P Int))(declare-const i Int)(declare-const l (L Int))\
        (assert (! (= (select a i) (g (select a 0) i)) :named first))(assert (or first (e (r i))))\
        (assert (and ((_ is cons) l) (is-cons (tail l)) (= (head l) i)))(assert (forall ((u U)) (! (= u (g u i)) :pattern ((g u i)))))\
        (assert (match l ((nil false) ((cons h t) (= h i)))))(check-sat)";
    for text in texts(seed, seed, Answer::Sat, 300) {
        for name in [
            "U_2 0)",
            "P_2 (T) (Array T U_2))",
            "L_2 1)",
            "nil_3)",
            "cons_2 (head_3 T)",
            "g_2 (U_2 Int) U_2)",
            "r_2 ((n Int))",
            "e_2 ((n Int))",
            ":named first_2)",
            "(_ is cons_2)",
            "is-cons_2",
            ":pattern ((g_2 u i_2))",
        ] {
            assert!(text.contains(name), "{name}: {text}");
        }
    }
}

#[test]
fn constructors_of_a_seed_fuse_variables_of_both() {
    let seed = "(declare-datatypes ((D 0)) (((pair (left Int) (right Bool)))))(declare-const d D)(declare-const i Int)\
        (declare-const p Bool)(assert (= (left d) i))(assert (= p (right d)))(check-sat)";
    let texts = texts(seed, seed, Answer::Sat, 500);
    assert!(texts.iter().any(|text| text.contains("(declare-fun z () D")), "{}", texts.len());
}

#[test]
fn constants_are_such_as_every_solver_knows() {
    let seed = "(declare-const a (Array Int Int))(declare-const p Bool)(assert (= (select a 0) 1))(assert p)(check-sat)";
    let signature = Signature::standard();
    let profiles = Profiles::built_in();
    let script = Script::parse(seed, &signature).unwrap();
    let parents = [&script, &script].map(|script| Parent::new(script, Some(Answer::Sat)));
    let constants = |names: &[&str]| {
        let solvers: Vec<_> = names.iter().map(|name| (&**profiles.get(name).unwrap(), None)).collect();
        let settings = StrategySettings {
            fusion: FusionSettings::known_to(&signature, &solvers),
            ..settings(&signature)
        };
        let made = (0..300).map(|number| {
            FusionStrategy.propose(&parents, &settings, &mut RandomStream::new(number).rng()).unwrap()
        });
        made.filter(|proposal| proposal.script.to_string().contains("(as const")).count()
    };
    assert_eq!(constants(&["z3", "cvc5"]), 0);
    assert!(constants(&["z3"]) > 10);
}

#[test]
fn functions_of_operators_that_a_solver_lacks_are_left_out() {
    let signature = Signature::standard();
    let profiles = Profiles::built_in();
    let names = |solver: &str| -> Vec<String> {
        let settings = FusionSettings::known_to(&signature, &[(&**profiles.get(solver).unwrap(), None)]);
        settings.functions.list().iter().map(|function| function.name.to_string()).collect()
    };
    let all = FusionSettings::default().functions.list().len();
    assert!(names("z3").len() + 10 > all, "of an unknown version only what all have");
    let few = names("bitwuzla");
    let has = |name: &str| few.iter().any(|other| other == name);
    assert!(has("bv-concat") && !has("int-multiply") && !has("string-concat-constant"), "{few:?}");
}

#[test]
fn numerals_keep_their_sorts_in_another_logic() {
    let reals = "(set-logic QF_LRA)(declare-const x Real)(assert (< 3 x 4))(check-sat)";
    let mixed = "(declare-const r Real)(declare-const i Int)(assert (= r (to_real i) 3.0))(check-sat)";
    for text in texts(reals, mixed, Answer::Sat, 100) {
        assert!(text.contains("3.0") && text.contains("4.0"), "{text}");
    }
    for text in texts(reals, reals, Answer::Sat, 20) {
        assert!(text.starts_with("(set-logic QF_LRA)") || text.starts_with("(set-logic QF_NRA)"), "{text}");
    }
}

#[test]
fn levels_are_flattened_and_assumptions_asserted() {
    let seed = "(set-option :produce-models true)(declare-const x Int)(push 1)(assert (< x 0))(pop 1)(push 1)(assert (< 0 x))\
        (declare-const p Bool)(echo \"sat\")(check-sat-assuming (p))(get-model)(pop 1)(assert false)";
    for text in texts(seed, seed, Answer::Sat, 20) {
        for gone in ["push", "pop", "(< x 0)", "assuming", "option", "echo", "get-model", "(assert false)"] {
            assert!(!text.contains(gone), "{gone}: {text}");
        }
        assert!(text.matches("(assert").count() >= 4, "{text}");
    }
}

#[test]
fn what_cannot_be_fused_is_skipped_with_a_reason() {
    use Answer::{Sat, Unsat};
    let ok = "(declare-const x Int)(assert (= x 0))(check-sat)";
    let twice = "(declare-const x Int)(assert (= x 0))(check-sat)(check-sat)";
    assert_eq!(skip(ok, twice, Sat), "a seed asks more than once");
    assert_eq!(skip(ok, "(assert true)(check-sat)", Sat), "a seed has no variables");
    assert_eq!(skip("(declare-const y Int)(assert true)(check-sat)", ok, Sat), "a seed has no variables");
    let sort = "(declare-sort U 0)(declare-const u U)(assert (= u u))(check-sat)";
    assert_eq!(skip(ok, sort, Sat), "no variables of the seeds fit each other");
    let goal = "(declare-const x Int)(assert (= x 0))(minimize x)(check-sat)";
    assert_eq!(skip(ok, goal, Sat), "a seed has commands that cannot be fused");
    let named = "(declare-const p Bool)(assert (! p :named n))(assert (not n))(check-sat)";
    assert_eq!(skip(named, named, Unsat), "a seed refers to a named term, which a disjunction cannot keep");
    for option in [":solve-int-as-bv 8", ":encoding ascii", ":rewriter.hi_div0 false", ":global-negate true"]
    {
        let option = format!("(set-option {option})(declare-const x Int)(assert (= x 0))(check-sat)");
        assert_eq!(skip(&option, ok, Sat), "a seed sets an option that may change its meaning");
    }
    let opaque = "(declare-const s String)(assert (= s (str.frobnicate_all s)))(check-sat)";
    assert_eq!(skip(opaque, opaque, Sat), "a seed holds what gainsay cannot read");
    let signature = Signature::standard();
    let script = Script::parse(ok, &signature).unwrap();
    let with = |one, other| {
        let parents = [one, other].map(|status| Parent::new(&script, status));
        FusionStrategy
            .propose(&parents, &settings(&signature), &mut RandomStream::new(0).rng())
            .unwrap_err()
            .name()
    };
    assert_eq!(with(Some(Sat), Some(Unsat)), "the seeds are of contradicting status");
    assert_eq!(with(Some(Sat), None), "the status of a seed is not known");
    assert_eq!(with(Some(Answer::Unknown), Some(Answer::Unknown)), "the status of a seed is not known");
}

#[test]
fn what_the_standard_leaves_open_is_in_one_satisfiable_seed_at_most() {
    let open = |value: &str| {
        format!("(declare-const x Real)(assert (= (/ x 0.0) {value}))(assert (= x 1.0))(check-sat)")
    };
    assert_eq!(skip(&open("1.0"), &open("2.0"), Answer::Sat), "both seeds use what the standard leaves open");
    let closed = "(declare-const x Real)(assert (= (/ x 2.0) 1.0))(check-sat)";
    assert_eq!(fused(closed, &open("2.0"), Answer::Sat, 10).iter().filter(|made| made.is_ok()).count(), 10);
    assert_eq!(
        fused(&open("1.0"), &open("2.0"), Answer::Unsat, 10).iter().filter(|made| made.is_ok()).count(),
        10
    );
}

/// Decomposes fusions of two seeds and rebuilds them; both must be equal.
fn apart(first: &str, second: &str, status: Answer, streams: u64) -> Vec<(DecomposedFusion, String)> {
    let signature = Signature::standard();
    let (settings, read) = (settings(&signature), |text| Script::parse(text, &signature).unwrap());
    let (first, second) = (read(first), read(second));
    let parents = [&first, &second].map(|script| Parent::new(script, Some(status)));
    let made = |number| {
        let fused =
            FusionStrategy.propose(&parents, &settings, &mut RandomStream::new(number).rng()).unwrap();
        let apart =
            FusionStrategy.decompose(&parents, &settings, &mut RandomStream::new(number).rng()).unwrap();
        let again = apart.fuse([&apart.parents[0], &apart.parents[1]]).unwrap();
        assert_eq!(again.script.to_string(), fused.script.to_string());
        assert_eq!((again.step, again.promise), (fused.step, fused.promise));
        assert_eq!(again.join.unwrap().definitions, fused.join.unwrap().definitions);
        (apart, fused.script.to_string())
    };
    (0..streams).map(made).collect()
}

#[test]
fn what_is_taken_apart_is_fused_again_as_it_was() {
    for status in [Answer::Sat, Answer::Unsat] {
        apart(INTEGER_SEED, INTEGER_SEED, status, 300);
        apart(STRING_SEED, INTEGER_SEED, status, 300);
    }
    for (apart, text) in apart(INTEGER_SEED, INTEGER_SEED, Answer::Sat, 100) {
        let unmarked = DecomposedFusion::unmarked(&apart.parents[0]).to_string();
        assert!(apart.parents[0].to_string().contains("(! ") && !unmarked.contains("(! "), "{unmarked}");
        assert!(
            Script::parse(INTEGER_SEED, apart.parents[0].arena().signature()).unwrap().to_string()
                == unmarked
        );
        let mut fewer = apart.clone();
        while fewer.triplets() > 0 {
            fewer = fewer.without(0);
            let fused = fewer.fuse([&apart.parents[0], &apart.parents[1]]).unwrap().script.to_string();
            assert!(fused.len() < text.len() && !fused.contains(":fused"), "{fused}");
        }
    }
}

const STRING_SEED: &str = "(set-logic ALL)(declare-datatypes ((T 0)) (((c (d Int)) (e))))(declare-const t T)\
    (define-fun f ((s String)) String (str.++ s s))(declare-const s String)(declare-const x (_ BitVec 8))\
    (assert (forall ((y String)) (! (or (= s y) (let ((a x)) (= a #x00))) :pattern ((f y)))))\
    (assert (! (= (f s) \"aa\") :named n))(assert (and (= x #xff) ((_ is c) t)))(check-sat)";

#[test]
fn marks_go_where_a_reducer_puts_them() {
    let signature = Signature::standard();
    let read = |text: &str| Script::parse(text, &signature).unwrap();
    let settings = settings(&signature);
    let one = "(set-logic QF_LIA)(declare-const x Int)(assert (< 3 x))(check-sat)";
    let parents = [&read(one), &read(one)];
    let apart = (0..).find_map(|number| {
        let apart =
            DecomposedFusion::of(parents, Answer::Sat, &settings, &mut RandomStream::new(number).rng())
                .unwrap();
        let fused = apart.fuse([&apart.parents[0], &apart.parents[1]]).unwrap().script.to_string();
        fused.contains("(assert (< 3 (- z x_2)))").then_some(apart)
    });
    let apart = apart.unwrap();
    let second = &apart.parents[1];
    let number = if apart.parents[0].to_string().contains(":fused 0") { 0 } else { 1 };
    let fuse = |first: &str| {
        let fused = apart.fuse([&read(&first.replace(":fused", &format!(":fused {number}"))), second]);
        fused.map(|proposal| proposal.script.to_string()).map_err(Skip::name)
    };
    // Another name, a value, only the other parent's marks, and parents that cannot be fused.
    let renamed = fuse("(set-logic QF_LIA)(declare-const x_2 Int)(assert (< 3 (! x_2 :fused)))(check-sat)");
    assert!(renamed.as_ref().unwrap().contains("(declare-const x_2_2 Int)"), "{renamed:?}");
    let value = fuse("(assert (< 3 (! 7 :fused)))(check-sat)").unwrap();
    assert!(value.contains("(- z 7)") && value.contains("(- z x_2)"), "{value}");
    let nothing = fuse("(check-sat)").unwrap();
    assert!(nothing.contains("(declare-const x Int)") && nothing.contains("(- z x)"), "{nothing}");
    let different = "(declare-const x Int)(assert (< (! 7 :fused) (! x :fused)))(check-sat)";
    assert_eq!(fuse(different), Err("one mark is at different terms"));
    let bound = "(assert (forall ((x Int)) (< 3 (! x :fused))))(check-sat)";
    assert_eq!(fuse(bound), Err("what is marked has variables or marks in it"));
    let unfit = "(declare-const x Bool)(assert (! x :fused))(check-sat)";
    assert_eq!(fuse(unfit), Err("what is marked does not fit its function"));
}
