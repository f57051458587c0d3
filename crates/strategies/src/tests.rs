//! Claims about every strategy, and the pitfalls of scoping.

use std::collections::BTreeSet;
use std::sync::Arc;

use gainsay_smt::{Script, Signature};

use super::*;
use crate::random::RandomStream;

pub(super) fn settings(signature: &Arc<Signature>) -> StrategySettings {
    let (bounds, operators) = (CaseBounds { bytes: 2000, depth: 40 }, Operators::standard(signature));
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

/// The strategies that change one place.
fn of_one_place() -> impl Iterator<Item = &'static dyn Strategy> {
    ["generative", "operator", "subterm"].into_iter().filter_map(find)
}

/// The mutants of a script by several streams, each read again.
fn mutants(strategy: &dyn Strategy, text: &str, streams: u64) -> BTreeSet<String> {
    let signature = Signature::standard();
    let settings = settings(&signature);
    let script = Script::parse(text, &signature).unwrap();
    let (before, parents) = (script.to_string(), [Parent::new(&script, None)]);
    let mut made = BTreeSet::new();
    for number in 0..streams {
        let propose = || strategy.propose(&parents, &settings, &mut RandomStream::new(number).rng());
        let Ok(proposal) = propose() else { continue };
        let after = proposal.script.to_string();
        assert_eq!(after, propose().unwrap().script.to_string(), "the same stream makes the same text");
        assert_ne!(after, before, "{}", proposal.step);
        let changed: Vec<usize> = before
            .lines()
            .zip(after.lines())
            .enumerate()
            .filter(|(_, (a, b))| a != b)
            .map(|(n, _)| n)
            .collect();
        assert_eq!(changed, [proposal.edit.unwrap().command], "{after}");
        assert!(after.len() <= settings.bounds.bytes, "{} bytes", after.len());
        match Script::parse(&after, &signature) {
            Ok(read) => assert!(read == proposal.script, "read back as another script:\n{after}"),
            Err(error) => panic!("{}: {error}\n{}\n{after}", strategy.name(), error.snippet()),
        }
        made.insert(after);
    }
    made
}

/// Fails if no stream turns one text into the other.
fn reaches(strategy: &str, before: &str, after: &str) {
    const STREAM_COUNT: u64 = 200_000;
    let (strategy, signature) = (find(strategy).unwrap(), Signature::standard());
    let (settings, script) = (settings(&signature), Script::parse(before, &signature).unwrap());
    let after = Script::parse(after, &signature).unwrap().to_string();
    let parents = [Parent::new(&script, None)];
    let makes_it = |number: u64| {
        let made = strategy.propose(&parents, &settings, &mut RandomStream::new(number).rng());
        made.is_ok_and(|proposal| proposal.script.to_string() == after)
    };
    assert!((0..STREAM_COUNT).any(makes_it), "not in {STREAM_COUNT} streams:\n{after}");
}

/// Scripts of every theory, with what makes mutation hard: every mutant contains the texts in the second list.
const TESTED_SCRIPTS: &[(&str, &[&str])] = &[
    (
        "(declare-const x Int)(declare-const y Real)(assert (< (+ x 1) (* 2 x)))(assert (= y (/ y 2.0)))(check-sat)",
        &[],
    ),
    (
        "(set-logic QF_LRA)(declare-const x Real)(assert (< (+ x 1) (* 2 x)))(assert (or (= x 3) (< x 0)))",
        &[],
    ),
    // The values of a `let` are outside of its scope, and a variable may shadow another.
    ("(declare-const x Int)(assert (let ((x (+ x 1)) (y 2.5)) (let ((x (< y 1.5))) (and x (= y y)))))", &[]),
    // Two variables with the same name and different sorts.
    (
        "(assert (forall ((x Int)) (and (< x 0) (forall ((x Real)) (< x 0.5)) (exists ((y Int)) (< y x)))))",
        &[],
    ),
    // A constant that a variable shadows.
    (
        "(declare-const c Int)(declare-fun f (Int) Bool)(assert (f c))(assert (forall ((c Bool) (f Int)) (or c (= f 3))))",
        &[],
    ),
    // Operators that variables shadow.
    (
        "(declare-const p Bool)(assert (exists ((and Bool) (not Int)) (or and p (< not 2))))(assert (and p (not p)))",
        &[],
    ),
    // Later declarations are not in scope yet, nor is a function in its own definition.
    (
        "(declare-const a Int)(assert (< a 1))(define-fun f ((x Int)) Int (+ x a))(declare-const b Int)\
         (define-fun-rec g ((x Int)) Int (ite (< x 0) 0 (g (- x 1))))(assert (< (f b) (g b)))",
        &[],
    ),
    (
        "(define-funs-rec ((e ((n Int)) Bool) (o ((m Int)) Bool)) ((or (= n 0) (o (- n 1))) (and (> m 0) (e (- m 1)))))\
         (assert (e 4))",
        &[],
    ),
    // Declarations of a level end with it, and their names may be declared again as something else.
    (
        "(declare-const a Int)(push 1)(declare-const b Int)(assert (< a b))(push 1)(declare-const c Bool)(assert c)(pop 2)\
         (assert (= a 0))(declare-const c Int)(declare-const b Int)(assert (> b c 0))",
        &[],
    ),
    (
        "(set-option :global-declarations true)(push 1)(declare-const b Int)(assert (< b 3))(pop 1)(assert (= b 0))",
        &[],
    ),
    // A `:named` term stays, occurs once, and has no free variables.
    (
        "(set-option :produce-unsat-cores true)(declare-const p Bool)(declare-const x Int)(assert (! (< x 0) :named n))\
         (assert (or (! p :named m) (forall ((y Int)) (< x y))))(assert (and n m p))(get-unsat-core)",
        &[":named n)", ":named m)"],
    ),
    // Patterns stay as they are, with their quantifier.
    (
        "(declare-fun f (Int) Int)(assert (forall ((x Int) (y Int)) (! (=> (< x y) (< (f x) (f y))) :pattern ((f x) (f y)) :qid q)))\
         (assert (< (f 1) 2))",
        &[],
    ),
    (
        "(declare-const a (Array Int (Array Int Bool)))(declare-const i Int)(assert (select (select a i) (+ i 1)))",
        &[],
    ),
    ("(declare-const a (Array Int Int))(assert (= a (store ((as const (Array Int Int)) 7) 1 2)))", &[]),
    (
        "(declare-const a (_ BitVec 8))(declare-const b (_ BitVec 4))\
         (assert (bvult (concat b b) ((_ zero_extend 4) ((_ extract 5 2) a))))(assert (= a (bvadd a #x01 ((_ rotate_left 3) a))))",
        &[],
    ),
    (
        "(declare-const f Float32)(declare-const r RoundingMode)(declare-const b (_ BitVec 32))\
         (assert (fp.lt (fp.add r f ((_ to_fp 8 24) b)) ((_ to_fp 8 24) RNE 0.5)))(assert (fp.isNaN (fp #b0 #x01 #b00000000000000000000001)))",
        &[],
    ),
    (
        "(declare-const s String)(assert (str.in_re s (re.++ (re.range \"a\" \"z\") ((_ re.loop 1 3) (str.to_re \"ab\")))))\
         (assert (= (str.len s) (str.indexof s \"b\" 0)))",
        &[],
    ),
    (
        "(declare-const s (Seq Int))(assert (= (seq.nth s 0) (seq.len (seq.++ s (seq.unit 3)))))(assert (= s (as seq.empty (Seq Int))))",
        &[],
    ),
    (
        "(declare-datatypes ((L 0) (C 0)) (((nil) (cons (h Int) (t L))) ((red) (green))))(declare-const l L)(declare-const c C)\
         (assert (match l ((nil (= c red)) ((cons a b) (and (< a 3) ((_ is cons) b) (= a (h b)))))))",
        &[],
    ),
    (
        "(declare-datatypes ((P 2)) ((par (X Y) ((none) (pair (fst X) (snd Y))))))(declare-const p (P Int Bool))\
         (assert (and (snd p) (= p (pair 1 true)) (distinct p (as none (P Int Bool)))))(assert (match p (((pair x y) y) (q (= q p)))))",
        &[],
    ),
    (
        "(declare-sort S 0)(declare-fun f (S S) S)(declare-const s S)(assert (forall ((x S)) (= (f x s) (f s x))))(assert (distinct s (f s s)))",
        &[],
    ),
    (
        "(push)(declare-sort S 0)(assert (exists ((x S) (y S)) (= x y)))(pop)(assert (exists ((x Int)) (= x 0)))",
        &[],
    ),
    (
        "(declare-const p Bool)(assert (and p (str.nonsense p 3) (or p p)))(assert (not p))",
        &["(str.nonsense p 3)"],
    ),
    (
        "(declare-const p Bool)(declare-const q Bool)(assert (or p q))(check-sat-assuming (p (not q)))(get-value (p (and p q)))",
        &["(p (not q))", "(p (and p q))"],
    ),
];

#[test]
fn every_strategy_makes_scripts_that_are_well_sorted_and_differ_from_their_parent() {
    for strategy in of_one_place() {
        for (text, kept) in TESTED_SCRIPTS {
            for mutant in mutants(strategy, text, 300) {
                for piece in *kept {
                    assert_eq!(mutant.matches(piece).count(), 1, "{}: {piece} in\n{mutant}", strategy.name());
                }
            }
        }
    }
}

#[test]
fn the_value_of_a_constant_array_stays_a_literal() {
    let text = "(declare-const a (Array Int Int))(assert (= a (store ((as const (Array Int Int)) 7) 1 2)))";
    for strategy in of_one_place() {
        for mutant in mutants(strategy, text, 500) {
            let value = "((as const (Array Int Int)) 7)";
            assert_eq!(mutant.matches("as const").count(), mutant.matches(value).count(), "{mutant}");
        }
    }
}

#[test]
fn chains_of_every_strategy_stay_within_their_bounds() {
    let signature = Signature::standard();
    let settings = settings(&signature);
    for strategy in ALL {
        for (text, _) in TESTED_SCRIPTS {
            let mut script = Script::parse(text, &signature).unwrap();
            for number in 0..60 {
                let parents = [Parent::new(&script, None)];
                match strategy.propose(&parents, &settings, &mut RandomStream::new(number).rng()) {
                    Ok(proposal) => {
                        let after = proposal.script.to_string();
                        // The survey estimates the size of terms only; chains count the exact size.
                        assert!(after.len() < 2 * settings.bounds.bytes, "{} bytes", after.len());
                        script = Script::parse(&after, &signature).unwrap();
                    }
                    Err(_) => continue,
                }
            }
        }
    }
}

#[test]
fn a_script_that_was_read_again_is_mutated_alike() {
    let signature = Signature::standard();
    let settings = settings(&signature);
    for strategy in ALL {
        for (text, _) in TESTED_SCRIPTS {
            let mut script = Script::parse(text, &signature).unwrap();
            for number in 0..20 {
                let again = Script::parse(&script.to_string(), &signature).unwrap();
                let propose = |script: &Script| {
                    let parents = [Parent::new(script, None)];
                    strategy.propose(&parents, &settings, &mut RandomStream::new(number).rng())
                };
                let (one, other) = (propose(&script), propose(&again));
                let show = |made: &Result<Proposal, Skip>| {
                    made.as_ref().map(|p| p.script.to_string()).map_err(|s| *s)
                };
                assert_eq!(show(&one), show(&other));
                // Not the re-read script: its ids would be in the order of the text.
                script = one.map_or(script, |proposal| proposal.script);
            }
        }
    }
}

#[test]
fn generative_reaches_the_mutant_of_figure_2() {
    reaches(
        "generative",
        "(declare-fun x () String)(assert (> (- (str.to_int (str.++ x x))) 0))(check-sat)",
        "(declare-fun x () String)(assert (> (- (str.to_int (str.++ x (str.from_int 0)))) 0))(check-sat)",
    );
}

#[test]
fn generative_reaches_the_mutant_of_figure_3() {
    let script = |term: &str| {
        format!(
            "(declare-fun x () String)(declare-fun y () String)(assert (= {term} (str.++ y \"B\")))(check-sat)"
        )
    };
    let old = "(str.replace x \"B\" (str.++ \"B\" \"B\"))";
    reaches("generative", &script(old), &script(&format!("(str.replace {old} \"B\" (str.++ y \"B\"))")));
}

#[test]
fn generative_uses_variables_in_scope_and_functions_of_the_script() {
    let script = |term: &str| {
        format!(
            "(declare-fun p (Int) Bool)(assert (forall ((x Int)) (let ((y (+ x 1))) (and {term} (p y)))))"
        )
    };
    for term in ["(p x)", "(= y x)", "(< x y 1)", "(and (p y) (p y))"] {
        reaches("generative", &script("(< x y)"), &script(term));
    }
    let script = |term: &str| {
        format!(
            "(declare-datatypes ((L 0)) (((nil) (cons (h Int) (t L)))))(declare-const l L)(assert (= {term} (cons 1 nil)))"
        )
    };
    for term in ["(t l)", "nil", "(cons 1 l)", "(ite (= l (cons 1 nil)) nil l)"] {
        reaches("generative", &script("l"), &script(term));
    }
}

#[test]
fn generative_finds_indices_that_fit() {
    let script = |term: &str| {
        format!(
            "(declare-const a (_ BitVec 8))(declare-const b (_ BitVec 4))(assert (= b {term}))(assert (= a a))"
        )
    };
    for term in ["((_ extract 6 3) a)", "((_ rotate_left 3) b)", "(bvadd b b b)", "((_ repeat 1) b)"] {
        reaches("generative", &script("b"), &script(term));
    }
    let script = |term: &str| {
        format!(
            "(declare-const a (_ BitVec 8))(declare-const b (_ BitVec 4))(assert (= a {term}))(assert (= b b))"
        )
    };
    for term in ["(concat b b)", "((_ sign_extend 4) b)", "((_ repeat 2) b)"] {
        reaches("generative", &script("a"), &script(term));
    }
}

#[test]
fn operator_keeps_the_arguments() {
    let script = |term: &str| {
        format!(
            "(declare-const x Int)(declare-const a (_ BitVec 8))(declare-fun f (Int Int) Bool)(assert {term})"
        )
    };
    reaches("operator", &script("(< x 3)"), &script("(distinct x 3)"));
    reaches("operator", &script("(< x 3)"), &script("(f x 3)"));
    reaches("operator", &script("(< x 3 x)"), &script("(>= x 3 x)"));
    reaches("operator", &script("(forall ((y Int)) (< x y))"), &script("(exists ((y Int)) (< x y))"));
    reaches("operator", &script("(= #x0 ((_ extract 5 2) a))"), &script("(= #x0 ((_ extract 3 0) a))"));
    for mutant in mutants(find("operator").unwrap(), &script("(< x 3 x)"), 2000) {
        assert!(!mutant.contains("(f x 3"), "f takes two arguments: {mutant}");
    }
}

#[test]
fn subterm_takes_what_is_there() {
    let made =
        mutants(find("subterm").unwrap(), "(declare-const x Int)(assert (forall ((y Int)) (< x y)))", 300);
    let assertions: Vec<&str> = made.iter().filter_map(|text| text.lines().nth(1)).collect();
    assert_eq!(
        assertions,
        [
            "(assert (forall ((y Int)) (< x x)))",
            "(assert (forall ((y Int)) (< y y)))",
            "(assert (forall ((y Int)) (forall ((y Int)) (< x y))))",
        ]
    );
}

#[test]
fn what_cannot_be_changed_is_skipped() {
    let signature = Signature::standard();
    for text in ["(check-sat)", "(assert (str.nonsense 1))", "(declare-const p Bool)(get-value (p))"] {
        let script = Script::parse(text, &signature).unwrap();
        for strategy in ALL {
            let parents = [Parent::new(&script, None)];
            // Asking in between needs no more than an assertion, whatever it says.
            if strategy.name() == "incremental" && text.contains("assert") {
                continue;
            }
            let skip = strategy
                .propose(&parents, &settings(&signature), &mut RandomStream::new(1).rng())
                .unwrap_err();
            let why = [
                "there are no constants",
                "no system of Horn clauses",
                "the script goes on already",
                "the script is not plain",
            ];
            let why = why.map(Skip::Unfit);
            let is_told = skip == Skip::NothingToDo || why.contains(&skip);
            assert!(is_told, "{} {text}: {skip:?}", strategy.name());
        }
    }
}

#[test]
fn what_would_be_too_large_is_skipped() {
    let signature = Signature::standard();
    let script = Script::parse("(declare-const p Bool)(assert (and p (or p p)))", &signature).unwrap();
    let settings = StrategySettings { bounds: CaseBounds { bytes: 1, depth: 1 }, ..settings(&signature) };
    let parents = [Parent::new(&script, None)];
    for number in 0..100 {
        match find("generative").unwrap().propose(&parents, &settings, &mut RandomStream::new(number).rng()) {
            Ok(proposal) => {
                let after = proposal.script.to_string();
                assert!(
                    after.len() <= script.to_string().len(),
                    "a script beyond its bounds does not grow: {after}"
                );
            }
            Err(skip) => assert_eq!(skip, Skip::TooLarge),
        }
    }
}

/// The scripts that a strategy makes which may change everything.
fn made(strategy: &str, text: &str, streams: u64) -> Vec<String> {
    let (strategy, signature) = (find(strategy).unwrap(), Signature::standard());
    let (settings, script) = (settings(&signature), Script::parse(text, &signature).unwrap());
    let parents = [Parent::new(&script, None)];
    let propose = |number| strategy.propose(&parents, &settings, &mut RandomStream::new(number).rng()).ok();
    let read = |proposal: Proposal| {
        let text = proposal.script.to_string();
        let read = Script::parse(&text, &signature).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(read == proposal.script, "read back as another script:\n{text}");
        text
    };
    (0..streams).filter_map(propose).map(read).collect()
}

#[test]
fn generate_is_over_what_the_seed_is_over() {
    let rows: [(&str, &str, &[&str]); 4] = [
        (
            "(declare-const x Int)(assert (< (+ x 1) 3))",
            "Int)",
            &["Real)", "String", "(* ", "(div ", "forall", "exists"],
        ),
        (
            "(declare-const x Real)(assert (forall ((y Real)) (< (* x y) 3.5)))",
            "Real)",
            &["String", "BitVec"],
        ),
        (
            "(declare-const a (_ BitVec 12))(assert (bvult a (bvnot a)))",
            "BitVec 12)",
            &["Int)", "Real)", "forall"],
        ),
        ("(declare-const s (Seq Int))(assert (= (seq.len s) 2))", "(Seq ", &["Real)", "BitVec"]),
    ];
    for (seed, wanted, unwanted) in rows {
        let scripts = made("generate", seed, 300);
        assert!(scripts.len() > 250, "{seed}: {}", scripts.len());
        assert!(scripts.iter().any(|script| script.contains(wanted)), "{seed}: no {wanted}");
        for word in unwanted {
            let found = scripts.iter().find(|script| script.contains(word));
            assert!(found.is_none(), "{word} from {seed}:\n{}", found.unwrap());
        }
    }
}

#[test]
fn construct_puts_in_what_the_sorts_of_the_script_have() {
    let scripts = made(
        "construct",
        "(declare-const s String)(declare-const i Int)(assert (= (str.at s i) \"a\"))",
        300,
    );
    for word in ["str.replace", "str.<", "(div ", "re.", "(ite ", "(- "] {
        assert!(scripts.iter().any(|script| script.contains(word)), "{word}");
    }
    assert!(!scripts.iter().any(|script| script.contains("BitVec")));
}

/// Seeds whose logic does not fit: some have `Int` in a logic of reals alone, where no literal of that sort can be written.
const MISFIT_SEEDS: [&str; 6] = [
    "(set-logic NRA)(declare-fun f (Int) Int)(declare-const r Real)(assert (> r 0))(check-sat)",
    "(set-logic LRA)(assert (forall ((x Real)) (=> (<= x 1) (<= (* 2 x) 2))))(check-sat)",
    "(set-logic QF_LRA)(declare-const n Int)(declare-const m Int)(assert (<= n m))(check-sat)",
    "(set-logic QF_RDL)(declare-const s String)(declare-const n Int)(assert (= (str.len s) n))(check-sat)",
    "(set-logic UFLRA)(declare-fun inv (Int) Bool)(assert (forall ((x Int)) (=> (inv x) (inv (* x x)))))(check-sat)",
    "(set-logic QF_BV)(declare-const r Real)(declare-const n Int)(assert (< r (to_real (+ n 1))))(check-sat)",
];

#[test]
fn no_strategy_writes_what_reads_differently_in_a_logic_that_does_not_fit() {
    let signature = Signature::standard();
    let settings = settings(&signature);
    for strategy in ALL.iter().filter(|strategy| strategy.parents() == 1) {
        for text in MISFIT_SEEDS {
            let seed = Script::parse(text, &signature).unwrap();
            for number in 0..60 {
                let rng = &mut RandomStream::new(number).rng();
                let parents = [Parent::new(&seed, None)];
                let Ok(proposal) = strategy.propose(&parents, &settings, rng) else { continue };
                let after = proposal.script.to_string();
                let what = format!("{}: {}\n{after}", strategy.name(), proposal.step);
                match Script::parse(&after, &signature) {
                    Ok(read) => assert!(read == proposal.script, "read back as another script: {what}"),
                    Err(error) => panic!("{error}: {what}"),
                }
            }
        }
    }
}

#[test]
fn no_strategy_writes_the_digits_of_a_very_wide_sort() {
    let signature = Signature::standard();
    let settings = settings(&signature);
    for sort in
        ["(_ BitVec 4294967295)", "(_ FloatingPoint 4294967295 53)", "(_ FloatingPoint 11 4294967295)"]
    {
        let text =
            format!("(declare-const x {sort})(declare-const y {sort})(assert (distinct x y))(check-sat)");
        let seed = Script::parse(&text, &signature).unwrap();
        for strategy in ALL.iter().filter(|strategy| strategy.parents() == 1) {
            for number in 0..40 {
                let rng = &mut RandomStream::new(number).rng();
                if let Ok(proposal) = strategy.propose(&[Parent::new(&seed, None)], &settings, rng) {
                    let bytes = proposal.script.to_string().len();
                    assert!(bytes < 10_000, "{} writes {bytes} bytes for {sort}", strategy.name());
                }
            }
        }
    }
}
