//! Functions of a script by the names of operators: a script means the same whatever its functions are called.
//!
//! The names are all that a theory has, and all that the code of exhaustion has in a string: an operator that is matched by a new
//! name is tested without a change here. Names of the first kind alone are tested with a part of the scripts each.

use std::collections::BTreeSet;
use std::path::Path;

use super::tests::word;
use crate::symbol::KNOWN_SYMBOLS;
use crate::{Script, Signature};

/// Functions `NAME` with what is asserted of them. A wrong bound, connective, part or size changes each answer.
const SCRIPTS: &[(&str, &str)] = &[
    // Results that many operators of a theory cannot have.
    ("(declare-fun NAME (Own) Int)", "(assert (= x (NAME own)))(assert (<= (- 9) x 3))(assert (< x 0))"),
    (
        "(define-fun NAME ((y Own)) Int (- 7))",
        "(assert (= x (NAME own)))(assert (<= (- 9) x 3))(assert (< x 0))",
    ),
    (
        "(declare-datatypes ((S 0)) (((mk (first Int) (NAME Int)))))",
        "(assert (= x (NAME (mk 1 (- 2)))))(assert (<= (- 9) x 3))(assert (< x 0))",
    ),
    (
        "(declare-datatypes ((S 0)) (((NAME (number Int)))))",
        "(assert (= x (number (NAME (- 2)))))(assert (<= (- 9) x 3))(assert (< x 0))",
    ),
    ("(declare-fun NAME (Int) Int)", "(assert (= x (NAME 1)))(assert (<= (- 9) x 3))(assert (< x 0))"),
    ("(define-fun NAME ((y Int)) Int (- y))", "(assert (<= (NAME 5) x))(assert (< (- 9) x 0))"),
    ("(declare-fun NAME (Int Int) Int)", "(assert (= x (NAME 1 2)))(assert (<= (- 9) x 3))(assert (< x 0))"),
    ("(declare-fun NAME (String) Int)", "(assert (= x (NAME \"a\")))(assert (<= (- 9) x 3))(assert (< x 0))"),
    (
        "(declare-fun NAME ((FiniteSet Int)) Int)",
        "(assert (= x (NAME (set.singleton 1))))(assert (<= (- 9) x 3))(assert (< x 0))",
    ),
    (
        "(declare-fun NAME (Int (Bag Int)) Int)",
        "(assert (= x (NAME 1 (bag 1 1))))(assert (<= (- 9) x 3))(assert (< x 0))",
    ),
    // Truth values that connectives and comparisons cannot have.
    ("(declare-fun NAME (Bool Int) Bool)", "(assert (NAME (< x 0) 1))(assert (<= 0 x 2))"),
    ("(declare-fun NAME (Bool Int) Bool)", "(assert (not (NAME (< x 0) 1)))(assert (< (- 3) x 0))"),
    ("(define-fun NAME ((a Bool) (y Int)) Bool true)", "(assert (NAME (< x 0) 1))(assert (<= 0 x 2))"),
    ("(declare-fun NAME (Bool Own) Bool)", "(assert (NAME (< x 0) own))(assert (<= 0 x 2))"),
    (
        "(declare-fun NAME (Int Own) Bool)",
        "(assert (NAME x own))(assert (not (NAME (- x) own)))(assert (<= 0 x 2))",
    ),
    ("(declare-fun NAME (Own Own) Bool)", "(assert (not (NAME own own)))"),
    ("(declare-fun NAME (Bool) Bool)", "(assert (NAME true))(assert (NAME false))"),
    (
        "(declare-fun NAME ((FiniteSet Int) (FiniteSet Int)) Bool)",
        "(declare-const s (FiniteSet Int))(assert (NAME s (set.singleton 1)))(assert (set.in 2 s))",
    ),
    (
        "(declare-fun NAME ((Bag Int) (Bag Int)) Bool)",
        "(declare-const s (Bag Int))(assert (NAME s (bag 1 1)))(assert (= 1 (bag.count 2 s)))",
    ),
    (
        "(declare-fun NAME (String RegLan) Bool)",
        "(declare-const s String)(assert (= s \"b\"))(assert (NAME s (str.to_re \"a\")))",
    ),
    // Numbers of a relation, and a constant.
    (
        "(declare-fun NAME (Own) Own)(declare-fun p (Own) Bool)",
        "(assert (p (NAME own)))(assert (not (p own)))",
    ),
    ("(declare-const NAME Bool)", "(assert NAME)(assert (distinct NAME (< x 0)))(assert (< (- 3) x 0))"),
    // Recursion that does not end, and two functions of which one takes integers for reals.
    ("(define-fun-rec NAME ((y Int) (o Own)) Bool (not (NAME y o)))", "(assert (=> (NAME 1 own) false))"),
    ("(declare-fun NAME (Real Int) Bool)", "(assert (NAME 1.0 2))(assert (not (NAME 2.0 1)))"),
];

/// Scripts for one name of an operator that the code does not match: one in so many.
const PARTS: usize = 8;

/// All names of operators.
fn operators() -> BTreeSet<String> {
    let signature = Signature::standard();
    let ranked = signature.ranks().iter().map(|rank| signature.text(rank.name).to_owned());
    ranked.chain(signature.rankless().map(|(name, ..)| name.to_owned())).collect()
}

/// The strings and symbols in the code that may be names of operators.
fn matched_names() -> BTreeSet<String> {
    let mut names: BTreeSet<String> = KNOWN_SYMBOLS.iter().map(|&name| name.to_owned()).collect();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut open = ["exhaust", "eval", "heap", "model"].map(|folder| source.join(folder)).to_vec();
    let mut files =
        ["exhaust.rs", "heap.rs", "orders.rs", "recursion.rs", "queries.rs"].map(|f| source.join(f)).to_vec();
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let (folders, found): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
        open.extend(folders);
        files.extend(found);
    }
    for file in files.iter().filter(|file| !file.to_string_lossy().contains("tests")) {
        let text = std::fs::read_to_string(file).unwrap();
        let is_symbol = |text: &&str| {
            !text.is_empty()
                && !text.starts_with(|first: char| first.is_ascii_digit() || first == ':')
                && text
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/".contains(&byte))
        };
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            names.extend(line.split('"').skip(1).step_by(2).filter(is_symbol).map(str::to_owned));
        }
    }
    names
}

#[test]
fn a_script_means_the_same_whatever_its_functions_are_called() {
    let (matched, operators) = (matched_names(), operators());
    let is_there = |name: &str| matched.contains(name);
    assert!(["set.card", "bag.count", "seq.in.re", "and", "sep", "linear-order"].into_iter().all(is_there));
    let mut count = 0;
    for (place, (declaration, assertions)) in SCRIPTS.iter().enumerate() {
        let script = |name: &str| {
            let text = format!("{declaration}{assertions}").replace("NAME", name);
            format!("(declare-datatypes ((Own 0)) (((own))))(declare-const x Int){text}(check-sat)")
        };
        let expected = word(&script("plain-name"));
        let others = operators.difference(&matched).skip(place % PARTS).step_by(PARTS);
        for name in matched.iter().chain(others) {
            let text = script(name);
            if Script::parse(&text, &Signature::standard()).is_err() {
                continue;
            }
            let found = word(&text);
            // Nothing is concluded from a name that the script uses both ways.
            let is_used =
                format!("{declaration}{assertions}").split(['(', ')', ' ']).any(|part| part == name);
            let is_undecided = !found.contains("sat");
            assert!(found == expected || is_used && is_undecided, "{found}, not {expected}: {text}");
            count += 1;
        }
    }
    assert!(count > 10 * matched.len(), "{count} for {} names", matched.len());
}

/// As in the sort checker: functions that take the arguments as they are, then operators, then functions of reals.
#[test]
fn overloaded_names_are_resolved_as_the_sort_checker_does() {
    super::tests::check(&[
        ("(declare-fun < (Real Int) Bool)(assert (not (< 1 2)))", "unsat"),
        ("(declare-fun < (Real Int) Bool)(assert (not (< 1.5 2)))", "sat"),
        ("(declare-fun f (Int) Bool)(declare-fun f (Real) Bool)(assert (f 1))(assert (not (f 1.0)))", "sat"),
        ("(declare-fun f (Int) Bool)(declare-fun f (Real) Bool)(assert (f 1))(assert (not (f 1)))", "unsat"),
        (
            "(declare-fun f (Real) Bool)(declare-fun f (Int Int) Bool)(assert (f 1))(assert (not (f 1.0)))",
            "unsat",
        ),
        // A sort of the script by the name of a sort of a theory.
        (
            "(set-logic QF_UF)(declare-sort RoundingMode 0)(declare-const a RoundingMode)(declare-const b RoundingMode)\
             (declare-const c RoundingMode)(declare-const d RoundingMode)(declare-const e RoundingMode)\
             (declare-const f RoundingMode)(assert (distinct a b c d e f))",
            "large",
        ),
        // Which `and` is mapped depends on the sorts of the arrays.
        (
            "(declare-fun and (Bool Int) Bool)(declare-const a (Array Bool Bool))\
             (assert (distinct a ((_ map and) a a)))",
            "unknown",
        ),
    ]);
}

#[test]
fn literals_are_those_of_the_operators() {
    let count = |declared: &str| {
        let text = format!(
            "{declared}(declare-const x Bool)(assert (not (and x (not x))))(assert (and x x))(check-sat)"
        );
        let script = Script::parse(&text, &Signature::standard()).unwrap();
        crate::sat_queries(&script)[0].literals(&script).len()
    };
    assert_eq!(count(""), 5);
    assert_eq!(count("(declare-fun and (Bool Int) Bool)"), 3);
}
