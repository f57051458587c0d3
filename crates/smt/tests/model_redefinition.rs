//! A model interprets only the functions that a script declares and the results that the standard leaves open.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use std::collections::BTreeSet;
use std::sync::Arc;

use gainsay_smt::eval::{EvalBudget, Evaluation, TruthValue, evaluate};
use gainsay_smt::print::{head_text, sort_text, symbol_text};
use gainsay_smt::signature::Rank;
use gainsay_smt::{Arena, Head, Model, Script, Signature, Sort, sat_queries};

/// The truth values of the assertions of a script under a model, and the ignored lines of the model.
fn under(script: &Script, model: &str) -> (Evaluation, Vec<String>) {
    let check = sat_queries(script).pop().unwrap();
    let model = Model::read(model, script, &check).unwrap();
    let line = |one: &gainsay_smt::IgnoredDefinition| {
        format!("{}: {}", symbol_text(model.arena(), one.name), one.reason)
    };
    let ignored = model.ignored().iter().map(line).collect();
    (evaluate(&model, &check, EvalBudget { steps: 100_000, bytes: 1 << 20 }), ignored)
}

fn parsed(script: &str, signature: &Arc<Signature>) -> Script {
    Script::parse(script, signature).unwrap_or_else(|error| panic!("{error}\n{}", error.snippet()))
}

/// Asserts the truth values of the assertions and the ignored definitions.
fn check(script: &str, model: &str, outcomes: &str, ignored: &[&str]) {
    let (evaluation, lines) = under(&parsed(script, &Signature::standard()), model);
    let words: Vec<&str> = evaluation.assertions.iter().map(TruthValue::word).collect();
    assert_eq!(words.join(" "), outcomes, "{:?}\n{script}\n{model}", evaluation.assertions);
    assert_eq!(lines, ignored, "{script}\n{model}");
}

/// A script that applies an operator, and models of it: one that defines only what the script leaves open, and that one
/// after a definition of the operator.
struct Redefinition {
    script: String,
    honest: String,
    lies: Vec<String>,
}

/// Applies an instance of a rank to constants. `lie` is the result of the redefined operator; the honest model does not
/// define the operator.
fn redefinition(rank: &Rank, signature: &Arc<Signature>, seed: usize) -> Option<Redefinition> {
    let mut arena = Arena::new(signature);
    let sorts = [Sort::INT, Sort::BOOL, Sort::REAL, arena.bit_vector(4)];
    let mut next = seed;
    let mut below = |bound: usize| {
        next = next.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (next >> 33) % bound
    };
    let instance = rank.instance(&mut arena, &sorts, &mut below)?;
    let qualifier = instance.needs_qualifier.then_some(instance.result);
    let head = head_text(&arena, Head { symbol: rank.name, indices: &instance.indices, qualifier });
    let result = sort_text(&arena, instance.result);
    let mut script = format!("(declare-const lie {result})(declare-const same {result})");
    let (mut application, mut parameters) = (head.clone(), String::new());
    for (place, &sort) in instance.parameters.iter().enumerate() {
        let sort = sort_text(&arena, sort);
        script += &format!("(declare-const c{place} {sort})");
        application += &format!(" c{place}");
        parameters += &format!("(x{place} {sort})");
    }
    let term = if instance.parameters.is_empty() { head } else { format!("({application})") };
    let name = symbol_text(&arena, rank.name);
    // Models have no notation for regular expressions, and solvers no equality.
    script += &match instance.result == Sort::REGLAN {
        true => format!("(assert (str.in_re \"a\" {term}))"),
        false => format!("(assert (= {term} same))(assert (= {term} lie))"),
    };
    let honest = format!("(define-fun same () {result} {term})");
    let lies = [
        format!("({parameters}) {result} lie"),
        format!("() {result} lie"),
        format!("({parameters}) Bool true"),
    ];
    let lies = lies.iter().map(|lie| format!("((define-fun {name} {lie}){honest})")).collect();
    Some(Redefinition { script, honest: format!("({honest})"), lies })
}

/// Operators that stand for open results and that the evaluator does not define.
const MODEL_DEFINED_OPERATORS: [&str; 9] =
    ["/0", "bvsdiv0", "bvsmod0", "bvsrem0", "bvudiv0", "bvurem0", "div0", "mod0", "seq.nth_u"];

/// Operators that a model defines only where the evaluator leaves them open.
const PARTLY_DEFINED_OPERATORS: [&str; 4] = ["fp.to_ieee_bv_I", "fp.to_real_I", "fp.to_sbv_I", "fp.to_ubv_I"];

#[test]
fn no_model_changes_an_operator_of_the_tables() {
    let signature = Signature::standard();
    let (mut tried, mut changed) = (BTreeSet::new(), BTreeSet::new());
    for (rank, seed) in signature.ranks().iter().flat_map(|rank| (0..3).map(move |seed| (rank, seed))) {
        let name = signature.text(rank.name);
        let Some(Redefinition { script, honest, lies }) = redefinition(rank, &signature, seed) else {
            continue;
        };
        // An older rank of the same name and parameters can hide this one.
        let Ok(script) = Script::parse(&script, &signature) else { continue };
        tried.insert(name);
        let (expected, _) = under(&script, &honest);
        for lie in lies {
            let (found, ignored) = under(&script, &lie);
            if (&found.assertions, &found.completed) != (&expected.assertions, &expected.completed) {
                changed.insert(name);
            }
            let is_noted = ignored == [format!("{name}: a theory defines this operator")];
            assert_eq!(
                is_noted,
                !MODEL_DEFINED_OPERATORS.contains(&name) && !PARTLY_DEFINED_OPERATORS.contains(&name),
                "{lie}\n{ignored:?}"
            );
        }
    }
    assert_eq!(changed.into_iter().collect::<Vec<_>>(), MODEL_DEFINED_OPERATORS);
    let all: BTreeSet<&str> = signature.ranks().iter().map(|rank| signature.text(rank.name)).collect();
    assert_eq!(tried, all);
}

#[test]
fn constants_and_connectives_cannot_be_redefined() {
    let script =
        "(declare-const p Bool)(assert p)(assert (not p))(assert true)(assert false)(assert (= p true))";
    let model = "((define-fun true () Bool false)(define-fun false () Bool true)(define-fun not ((a Bool)) Bool a)\
        (define-fun = ((a Bool) (b Bool)) Bool false)(define-fun p () Bool true))";
    let ignored = ["true", "false", "not", "="].map(|name| format!("{name}: a theory defines this operator"));
    check(script, model, "true false true false true", &ignored.each_ref().map(String::as_str));
    let elements =
        "((declare-fun true () Bool)(declare-const x Int)(declare-sort Int 0)(define-fun p () Bool true))";
    let ignored = [
        "true: a theory defines this operator",
        "x: the values of its sort are fixed",
        "Int: a theory defines this sort",
    ];
    check(script, elements, "true false true false true", &ignored);
    let yices = "(= p true)\n(= false true)\n(function < (type (-> Int Int Bool)) (default true))";
    let ignored = ["false: a theory defines this operator", "<: a theory defines this operator"];
    check(script, yices, "true false true false true", &ignored);
}

#[test]
fn operators_that_no_table_describes_cannot_be_redefined() {
    let script = "(declare-const r Real)(assert (= (* r r) 2.0))";
    let model = "((define-fun root-obj ((a Real) (b Int)) Real 5.0)(define-fun r () Real (root-obj (+ (^ x 2) (- 2)) 2)))";
    check(script, model, "true", &["root-obj: a theory defines this operator"]);
}

const LIST_DECLARATIONS: &str =
    "(declare-datatypes ((L 1)) ((par (T) ((nil) (cons (head T) (tail (L T)))))))(declare-const l (L Int))";

#[test]
fn functions_of_datatypes_cannot_be_redefined() {
    let script = format!(
        "{LIST_DECLARATIONS}(assert (= (head l) 4))(assert (is-cons l))(assert ((_ is cons) l))(assert (= l (cons 4 (as nil (L Int)))))\
        (assert (is-nil l))"
    );
    let model = "((define-fun head ((a (L Int))) Int 7)(define-fun is-nil ((a (L Int))) Bool true)\
        (define-fun is-cons ((a (L Int))) Bool false)(define-fun nil () (L Int) (cons 1 (as nil (L Int))))\
        (define-fun cons ((a Int) (b (L Int))) (L Int) b)(define-fun l () (L Int) (cons 4 (as nil (L Int)))))";
    let ignored =
        ["head", "is-nil", "is-cons", "nil", "cons"].map(|name| format!("{name}: it belongs to a datatype"));
    check(&script, model, "true true true true false", &ignored.each_ref().map(String::as_str));
}

#[test]
fn definitions_of_the_script_cannot_be_redefined() {
    let script = "(declare-const x Int)(define-fun f ((a Int)) Real 1.0)\
        (define-fun-rec g ((a Int)) Int (ite (<= a 0) 0 (+ 1 (g (- a 1)))))(assert (! (= (f x) 1.0) :named n))\
        (assert (= (g x) 3))(assert n)";
    let x = "(define-fun x () Int 3)";
    check(
        script,
        &format!("({x}(define-fun g ((a Int)) Int (ite (<= a 0) 0 (+ 1 (g (- a 1))))))"),
        "true true true",
        &["g: it is already defined"],
    );
    let lie = format!(
        "((define-fun f ((a Real)) Real 2.0)(define-fun g ((a Int)) Int 8)(define-fun n () Bool false){x}(define-fun x () Int 4))"
    );
    check(
        script,
        &lie,
        "true true true",
        &[
            "f: it is already defined",
            "g: it is already defined",
            "n: it is the name of a term",
            "x: it is already defined",
        ],
    );
}

#[test]
fn a_function_of_the_script_has_the_sorts_of_the_script() {
    let script = "(declare-fun f (Int) Real)(assert (= (f 1) 2.0))";
    check(
        script,
        "((define-fun f ((a Real)) Real 2.0))",
        "undecided",
        &["f: the script declares it with other sorts"],
    );
    check(script, "((define-fun f ((a Int)) Real 2.0))", "true", &[]);
    let operator = "(set-logic QF_UF)(declare-sort U 0)(declare-const u U)(declare-fun bvadd (U U) U)(declare-fun + (U) Bool)\
        (assert (= (bvadd u u) u))(assert (+ u))";
    let model = "((define-fun u () U (as @U_0 U))(define-fun bvadd ((a U) (b U)) U b)(define-fun + ((a U)) Bool true))";
    check(operator, model, "true true", &[]);
}

#[test]
fn a_model_may_have_functions_of_its_own() {
    let script = "(declare-fun f (Int) Bool)(declare-const a (Array Int Int))(assert (f 5))(assert (not (f 1)))(assert (= (select a 3) 7))";
    let model = "((define-fun f ((x!0 Int)) Bool (f!1 (k!0 x!0)))(define-fun f!1 ((+ Int)) Bool (bvultbv + 5))(define-fun bvultbv ((a Int) (b Int)) Bool (= a b))\
        (define-fun k!0 ((not Int)) Int (ite (= not 5) 5 0))(define-fun k!0 ((x Real)) Real x)\
        (define-fun k!1 ((x Int)) Int (ite (= x 3) 7 0))(define-fun a () (Array Int Int) (_ as-array k!1)))";
    check(script, model, "true true true", &[]);
}

#[test]
fn a_model_defines_an_operator_only_where_it_is_open() {
    let script = "(declare-const x Real)(assert (= (/ x 0.0) 5.0))(assert (= (/ 6.0 2.0) 3.0))(assert (= (mod 7 0) 1))\
        (assert (= (div0 7 1) 9))(assert (= (fp.to_real_I (_ NaN 5 11)) 4.0))(assert (= (fp.to_real_I (_ +zero 5 11)) 0.0))\
        (assert (= (bvurem_i #x3 #x0) #x7))";
    let model = "((define-fun /0 ((a Real) (b Real)) Real 5.0)(define-fun mod0 ((a Int) (b Int)) Int 1)\
        (define-fun div0 ((a Int) (b Int)) Int 9)(define-fun fp.to_real_I ((a (_ FloatingPoint 5 11))) Real 4.0)\
        (define-fun bvurem0 ((a (_ BitVec 4))) (_ BitVec 4) #x7))";
    check(script, model, "true true true true true true true", &[]);
}

#[test]
fn open_results_have_the_sort_of_their_operator() {
    let script = "(assert (distinct (bvudiv_i #b1 #b0) #b0 #b1))(assert (distinct (div 1 0) 5))(assert (distinct (div0 1 0) 5))";
    let model =
        "((define-fun bvudiv0 ((a (_ BitVec 1))) Bool true)(define-fun div0 ((a Int) (b Int)) Bool true))";
    check(script, model, "undecided undecided undecided", &[]);
    let formats = "(assert (= (fp.to_real (_ NaN 5 11)) 1.0))(assert (= (fp.to_real (_ NaN 8 24)) 2.0))";
    let model = "((define-fun fp.to_real_unspecified ((a (_ FloatingPoint 5 11))) Real 1.0)\
        (define-fun fp.to_real_unspecified ((a (_ FloatingPoint 8 24))) Real 2.0))";
    check(formats, model, "true true", &[]);
}
