//! Values of terms under models, one claim per test.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use gainsay_smt::eval::{EvalBudget, Evaluation, TruthValue, evaluate, explain};
use gainsay_smt::{Model, SatQuery, Script, Signature, sat_queries};

fn read(script: &str, model: &str) -> (Model, SatQuery) {
    let script = Script::parse(script, &Signature::standard()).unwrap();
    let check = sat_queries(&script).pop().unwrap();
    (Model::read(model, &script, &check).unwrap(), check)
}

fn evaluation(script: &str, model: &str) -> Evaluation {
    let (model, check) = read(script, model);
    evaluate(&model, &check, EvalBudget::default())
}

/// The truth values of the assertions under a model, in words.
fn words(script: &str, model: &str) -> String {
    let words: Vec<&str> = evaluation(script, model).assertions.iter().map(TruthValue::word).collect();
    words.join(" ")
}

/// Asserts that all assertions hold; shows the first that does not.
fn holds(script: &str, model: &str) {
    let evaluation = evaluation(script, model);
    assert_eq!(evaluation.outcome(), TruthValue::True, "{:?}\n{script}\n{model}", evaluation.assertions);
}

const XYP_DECLARATIONS: &str = "(declare-const x Int)(declare-const y Int)(declare-const p Bool)";

#[test]
fn irrelevant_undecided_values_do_not_matter() {
    let of = |term: &str| {
        words(
            &format!("{XYP_DECLARATIONS}(assert {term})"),
            "((define-fun x () Int 0)(define-fun p () Bool true))",
        )
    };
    assert_eq!(of("(= (div 1 x) 5)"), "undecided");
    assert_eq!(of("(or (= (div 1 x) 5) p)"), "true");
    assert_eq!(of("(and (= (div 1 x) 5) (not p))"), "false");
    assert_eq!(of("(=> (= (div 1 x) 5) p)"), "true");
    assert_eq!(of("(=> (not p) (= (div 1 x) 5))"), "true");
    assert_eq!(of("(ite p (= x 0) (= (div 1 x) 5))"), "true");
    assert_eq!(of("(= (ite (= (div 1 x) 5) 3 3) 3)"), "true");
    assert_eq!(of("(= (div 1 x) (div 1 x))"), "true");
    assert_eq!(of("(distinct (div 1 x) 1 1)"), "false");
    assert_eq!(of("(= (* x (div 1 x)) 0)"), "true");
    assert_eq!(of("(let ((z (div 1 x))) p)"), "true");
}

#[test]
fn what_is_chosen_from_several_elements_is_no_other_value() {
    let of = |term: &str| {
        words(
            &format!(
                "(declare-const s (Set Int))(declare-const b (Bag Int))(declare-const x Int)(assert {term})"
            ),
            "((define-fun s () (Set Int) (set.union (set.singleton 1) (set.singleton 2)))
              (define-fun b () (Bag Int) (bag.union_disjoint (bag 1 1) (bag 2 3)))(define-fun x () Int 0))",
        )
    };
    assert_eq!(of("(= x (set.choose s))"), "false");
    assert_eq!(of("(= (bag.choose b) 3)"), "false");
    assert_eq!(of("(distinct x (set.choose s))"), "true");
    assert_eq!(of("(let ((y (set.choose s))) (= y x))"), "false");
    // Of a term around it, the elements say nothing.
    for term in [
        "(= 11 (+ 10 (set.choose s)))",
        "(= x (- (set.choose s) 1))",
        "(= (tuple 1) (tuple (set.choose s)))",
        "(= 5 (ite (set.choose (set.insert true (set.singleton false))) 5 6))",
        "(= 2 (ite (> x 5) 1 (set.choose s)))",
    ] {
        assert_eq!(of(term), "undecided", "{term}");
    }
    // Either element may be the chosen one, and of no element any value.
    assert_eq!(of("(= 1 (set.choose s))"), "undecided");
    assert_eq!(of("(distinct (bag.choose b) 2)"), "undecided");
    assert_eq!(of("(= (set.choose s) (bag.choose b))"), "undecided");
    assert_eq!(of("(= x (set.choose (set.minus s s)))"), "undecided");
    assert_eq!(of("(= x (set.choose (set.inter s (set.singleton 2))))"), "false");
}

#[test]
fn a_model_defines_results_that_the_standard_leaves_open() {
    let model = "((define-fun div0 ((a Int) (b Int)) Int (ite (= a 1) 5 6))(define-fun x () Int 0))";
    holds(
        &format!(
            "{XYP_DECLARATIONS}(assert (= (div 1 x) 5))(assert (= (div 2 x) 6))(assert (= (div 1 x x) 6))"
        ),
        model,
    );
    let old = "((define-fun /0 ((a Real)) Real 5.0))";
    holds("(assert (= (/ 3.0 0.0) 5.0))", old);
}

#[test]
fn missing_functions_get_default_values_and_are_named() {
    let (model, check) = read(&format!("{XYP_DECLARATIONS}(assert (= x y 0))"), "((define-fun x () Int 0))");
    let evaluation = evaluate(&model, &check, EvalBudget::default());
    assert_eq!(evaluation.outcome(), TruthValue::True);
    let names: Vec<&str> = evaluation.completed.iter().map(|&name| model.arena().text(name)).collect();
    assert_eq!(names, ["y"]);
}

#[test]
fn an_integer_is_a_real_where_one_is_meant() {
    let script = "(declare-const r Real)(declare-fun f (Real) Real)(declare-const a (Array Real Real))\
        (assert (= r 2))(assert (= (f 2) 0.5))(assert (= (select a 1) 3.0))(assert (= (+ r 1) 3.0))(assert (is_int r))";
    let model = "((define-fun r () Real 2)(define-fun f ((x Real)) Real (ite (= x 2.0) (/ 1 2) 0))\
        (define-fun a () (Array Real Real) (store ((as const (Array Real Real)) 0.0) 1 3)))";
    holds(script, model);
}

#[test]
fn functions_and_lambdas_are_tables_where_they_compare_only() {
    let script = "(declare-const a (Array Int Int))(declare-const b (Array Int Int))(declare-const c (Array Int Bool))\
        (assert (= a b))(assert (= (select a 5) 7))(assert (= (store a 5 0) ((as const (Array Int Int)) 0)))\
        (assert (= c (store (store ((as const (Array Int Bool)) false) 1 true) 2 true)))";
    let model = "((define-fun k ((x Int)) Int (ite (= x 5) 7 0))(define-fun a () (Array Int Int) (_ as-array k))\
        (define-fun b () (Array Int Int) (lambda ((x Int)) (let ((y (= 5 x))) (ite y 7 0))))\
        (define-fun c () (Array Int Bool) (lambda ((x Int)) (and (or (= x 1) (= x 2) (= x 3)) (not (= x 3))))))";
    holds(script, model);
}

#[test]
fn a_function_that_is_no_table_can_still_be_read() {
    let script = "(declare-const a (Array Int Int))(assert (= (select a 5) 6))(assert (= a ((as const (Array Int Int)) 0)))";
    assert_eq!(
        words(script, "((define-fun a () (Array Int Int) (lambda ((x Int)) (+ x 1))))"),
        "true undecided"
    );
}

#[test]
fn quantifiers_over_few_values_are_evaluated() {
    holds("(assert (forall ((x (_ BitVec 4)) (p Bool)) (=> p (= (bvxor x x) #x0))))", "()");
    assert_eq!(words("(assert (exists ((x (_ BitVec 4))) (bvult #xf x)))", "()"), "false");
    assert_eq!(words("(assert (forall ((x Int)) (> (* x x) (- 1))))", "()"), "undecided");
    holds("(assert (forall ((x (_ BitVec 16))) (= (bvand x (bvneg x)) (bvand (bvneg x) x))))", "()");
    holds("(assert (exists ((x (_ BitVec 16))) (= (bvmul x x) #x2aa1)))", "()");
    holds("(assert (forall ((x Float16)) (or (fp.isNaN x) (fp.eq (fp.neg (fp.neg x)) x))))", "()");
    assert_eq!(words("(assert (forall ((x Int)) (or (= x x) (> x 3))))", "()"), "true");
    assert_eq!(words("(assert (exists ((x Int) (p Bool)) (and p (not p) (> x 3))))", "()"), "false");
}

#[test]
fn the_reason_for_an_undecided_quantifier_is_the_true_one() {
    let reason = |script: &str, model: &str| evaluation(script, model).outcome();
    let says = |script: &str, expected: &str| match reason(script, "()") {
        TruthValue::Undecided(why) => assert_eq!(why.to_string(), expected),
        decided => panic!("{script} is {decided:?}"),
    };
    says(
        "(assert (forall ((x (_ BitVec 32))) (= (bvmul x x x) (bvmul x (bvmul x x)))))",
        "a quantifier over too many values of sort (_ BitVec 32)",
    );
    says(
        "(assert (forall ((x Int)) (>= (* x x) 0)))",
        "a quantifier over infinitely many values of sort Int",
    );
    says(
        "(declare-sort U 0)(declare-fun f (U) U)(assert (forall ((x U)) (distinct x (f x))))",
        "a quantifier over sort U, whose elements the model does not list",
    );
    says(
        "(declare-datatype L ((nil) (cons (head Bool) (tail L))))(assert (forall ((x L)) (= (cons true x) (cons (not false) x) )))",
        "a quantifier over infinitely many values of sort L",
    );
}

#[test]
fn one_instance_decides_a_quantifier_over_too_many_values() {
    let script = |assertion: &str| format!("(declare-const y (_ BitVec 64))(declare-const i Int){assertion}");
    let model = "((define-fun y () (_ BitVec 64) #x00000000deadbeef)(define-fun i () Int 77))";
    let of = |assertion: &str| words(&script(assertion), model);
    assert_eq!(of("(assert (exists ((x (_ BitVec 64))) (= (bvadd x #x0000000000000001) y)))"), "true");
    assert_eq!(of("(assert (forall ((x (_ BitVec 64))) (distinct (bvxor x x y) x)))"), "false");
    assert_eq!(of("(assert (forall ((x Int) (z Int)) (distinct (+ x z) (+ i i))))"), "false");
    assert_eq!(of("(assert (exists ((x Int)) (and (> x i) (< x (+ i 2)))))"), "true");
    assert_eq!(of("(assert (exists ((x Int)) (= (* x x x) 1000003)))"), "undecided");
}

#[test]
fn a_model_that_omits_a_value_refutes_nothing_by_an_instance() {
    let script = "(declare-const y Int)(assert (forall ((x Int)) (distinct x y)))";
    assert_eq!(words(script, "()"), "undecided");
    assert_eq!(words(script, "((define-fun y () Int 3))"), "false");
}

#[test]
fn a_large_quantifier_leaves_steps_for_other_assertions() {
    let script = "(declare-const p Bool)\
        (assert (forall ((x (_ BitVec 20))) (= (bvmul x x x) (bvmul x (bvmul x x)))))(assert p)";
    let (model, check) = read(script, "((define-fun p () Bool false))");
    let evaluation = evaluate(&model, &check, EvalBudget { steps: 20_000, ..EvalBudget::default() });
    let words: Vec<&str> = evaluation.assertions.iter().map(TruthValue::word).collect();
    assert_eq!(words, ["undecided", "false"]);
}

#[test]
fn looking_for_sample_points_costs_steps() {
    let many: String = (0..1_900).map(|number| format!(" {number}")).collect();
    let script = format!(
        "(assert (forall ((b (_ BitVec 9))) (exists ((y Int)) (and (= (* y y y) (+ 1000003 (bv2nat b))) (distinct{many})))))"
    );
    let evaluation = evaluation(&script, "()");
    assert!(evaluation.steps > 512 * 1_900, "{} steps", evaluation.steps);
}

#[test]
fn omitted_constants_cost_steps_once() {
    let count = 3_000;
    let declared: String =
        (0..count).map(|n| format!("(declare-const c{n} Int)(assert (= c{n} 1))")).collect();
    let (model, check) = read(&declared, "()");
    let all = evaluate(&model, &check, EvalBudget::default());
    assert!(all.assertions.iter().all(|outcome| outcome.word() == "undecided"));
    assert!(all.steps < 20 * count, "{} steps", all.steps);
    // The budget is that of all assertions together.
    let few = evaluate(&model, &check, EvalBudget { steps: 1_000, ..EvalBudget::default() });
    assert!(few.steps < 2 * 1_000 + 2 * count, "{} steps", few.steps);
    let last = few.assertions.last().unwrap();
    assert!(matches!(last, TruthValue::Undecided(why) if why.kind() == "large"), "{last:?}");
}

#[test]
fn elements_of_a_sort_need_no_declaration() {
    let script = "(declare-sort S4 0)(declare-const a S4)(declare-const b S4)(declare-fun f (S4) S4)\
        (assert (distinct a b))(assert (= (f a) b))";
    let model = "((define-fun a () S4 S4!val!0)(define-fun b () S4 S4!val!1)\
        (define-fun f ((x S4)) S4 (ite (= x S4!val!0) S4!val!1 S4!val!0)))";
    holds(script, model);
    assert_eq!(words(script, &model.replace("a () S4 S4!val!0", "a () S4 S4!val!1")), "false false");
    // A universe that is listed has no other elements.
    let listed = model.replacen('(', "((declare-fun S4!val!0 () S4)(forall ((x S4)) (= x S4!val!0))", 1);
    assert_eq!(words(script, &listed), "undecided undecided");
    // A theory's sort has the values of the theory.
    let of_int = "(declare-const i Int)(assert (= i 0))";
    assert_eq!(words(of_int, "((define-fun i () Int Int!val!0))"), "undecided");
}

#[test]
fn a_definition_of_another_rank_with_the_same_meaning_is_read() {
    let script = "(set-logic HO_ALL)(declare-fun f (Int) (-> Int Int))(assert (= ((f 1) 2) 12))(assert (= ((f 3) 4) 34))";
    holds(script, "((define-fun f ((x Int) (y Int)) Int (+ (* 10 x) y)))");
    assert_eq!(words(script, "((define-fun f ((x Int) (y Int)) Int x))"), "false false");
    assert_eq!(words(script, "((define-fun f ((x Int) (y Bool)) Int x))"), "undecided undecided");
    holds("(declare-const r Real)(assert (= r 3.0))", "((define-fun r () Int 3))");
    assert_eq!(words("(declare-const i Int)(assert (= i 3))", "((define-fun i () Real 3.0))"), "undecided");
}

#[test]
fn a_value_of_another_sort_is_described() {
    let reason = |script: &str, model: &str| match evaluation(script, model).outcome() {
        TruthValue::Undecided(why) => why.to_string(),
        decided => panic!("{script} is {decided:?}"),
    };
    assert_eq!(
        reason(
            "(declare-sort U 0)(declare-const a U)(declare-const b U)(assert (= a b))",
            "((declare-fun U!val!0 () U)(forall ((x U)) (= x U!val!0))(define-fun a () U @U_7))",
        ),
        "a is @U_7, which is not in the model's universe of U"
    );
}

#[test]
fn a_model_lists_the_universe_of_a_sort() {
    let script = "(declare-sort U 0)(declare-const a U)(declare-fun f (U) U)\
        (assert (forall ((x U)) (= (f (f x)) x)))(assert (exists ((x U)) (distinct x a)))";
    let z3 = "((declare-fun U!val!0 () U)(declare-fun U!val!1 () U)\
        (forall ((x U)) (or (= x U!val!0) (= x U!val!1)))(define-fun a () U U!val!1)\
        (define-fun f ((x U)) U (ite (= x U!val!0) U!val!1 U!val!0)))";
    holds(script, z3);
    let cvc5 = "(\n; cardinality of U is 2\n; rep: (as @U_0 U)\n; rep: (as @U_1 U)\n(define-fun a () U (as @U_1 U))\n\
        (define-fun f ((x U)) U (ite (= (as @U_0 U) x) (as @U_1 U) (as @U_0 U))))";
    holds(script, cvc5);
    assert_eq!(
        words(script, "((define-fun a () U (as @a0 U))(define-fun f ((x U)) U x))"),
        "undecided undecided"
    );
}

#[test]
fn an_element_is_one_of_its_universe() {
    let script = "(declare-sort U 0)(declare-const u U)(declare-const a (Array Int U))(declare-fun p (U) Bool)\
        (assert (forall ((x U)) (p x)))(assert (not (p u)))(assert (not (p (select a 1))))";
    let universe = "(declare-fun U!val!0 () U)(forall ((x U)) (= x U!val!0))(declare-fun U!val!1 () U)\
        (define-fun p ((x U)) Bool (= x U!val!0))";
    for other in ["U!val!1", "(as @U_1 U)"] {
        let array = format!("(store ((as const (Array Int U)) U!val!0) 1 {other})");
        let values = format!("(define-fun u () U {other})(define-fun a () (Array Int U) {array})");
        assert_eq!(words(script, &format!("({universe}{values})")), "true undecided undecided", "{other}");
    }
}

#[test]
fn arrays_that_may_differ_at_unnamed_elements_are_undecided() {
    let script = "(declare-sort U 0)(declare-const u U)(declare-const a (Array U Int))(declare-const b (Array U Int))\
        (assert (= a (store b u 0)))(assert (distinct a (store b u 1)))(assert (= a a))";
    let model = "(define-fun u () U (as @U_0 U))(define-fun a () (Array U Int) ((as const (Array U Int)) 0))\
        (define-fun b () (Array U Int) ((as const (Array U Int)) 1)))";
    assert_eq!(words(script, &format!("({model}")), "undecided true true");
    let one = "(\n; cardinality of U is 1\n; rep: (as @U_0 U)\n";
    assert_eq!(words(script, &format!("{one}{model}")), "true true true");
    let two = "(\n; cardinality of U is 2\n; rep: (as @U_0 U)\n; rep: (as @U_1 U)\n";
    assert_eq!(words(script, &format!("{two}{model}")), "false true true");
    let other = model.replace("u () U (as @U_0 U)", "u () U (as @U_7 U)");
    assert_eq!(
        words(script, &format!("{one}{other}")),
        "undecided true true",
        "one is not all that there are"
    );
    let sets = "(declare-sort U 0)(declare-const s (Array U Bool))(declare-const t (Array U Bool))(assert (subset s t))";
    let model = "((define-fun s () (Array U Bool) ((as const (Array U Bool)) true))\
        (define-fun t () (Array U Bool) (store ((as const (Array U Bool)) false) (as @U_0 U) true)))";
    assert_eq!(words(sets, model), "undecided");
}

#[test]
fn datatypes_are_matched_tested_selected_and_updated() {
    let script = "(declare-datatypes ((L 1)) ((par (T) ((nil) (cons (head T) (tail (L T)))))))\
        (declare-const l (L Int))\
        (define-fun-rec len ((l (L Int))) Int (match l ((nil 0) ((cons h t) (+ 1 (len t))))))\
        (assert (= (len l) 2))(assert ((_ is cons) l))(assert (= (head (tail l)) (- 5)))\
        (assert (= (head ((_ update head) l 9)) 9))(assert (= (tail (tail l)) (as nil (L Int))))\
        (assert (= (head (tail (tail l))) 3))";
    let model = "((define-fun l () (L Int) (cons 4 (cons (- 5) (as nil (L Int))))))";
    assert_eq!(words(script, model), "true true true true true undecided");
}

#[test]
fn algebraic_numbers_are_compared_by_signs() {
    let script = "(declare-const r Real)(assert (= (* r r) 2.0))(assert (< 1.41 r 1.42))(assert (= (/ 2.0 r) r))\
        (assert (= (to_int r) 1))(assert (not (is_int r)))(assert (= (+ (* r r r) (* (- 2) r)) 0.0))";
    holds(script, "((define-fun r () Real (root-obj (+ (^ x 2) (- 2)) 2)))");
    holds(script, "((define-fun r () Real (_ real_algebraic_number <1*x^2 + (-2), (5/4, 3/2)>)))");
}

#[test]
fn the_tables_of_yices_are_functions_and_arrays() {
    let script = "(declare-sort U 0)(declare-const u U)(declare-const v U)(declare-fun f (U Int) Int)(declare-const a (Array Int Int))\
        (assert (distinct u v))(assert (= (f u 1) (- 5)))(assert (= (f v 1) 6))(assert (= (select a 3) 5))\
        (assert (= (store a 3 4) ((as const (Array Int Int)) 4)))";
    let model = "(= u @const_5)\n(= v @const_6)\n(= f @fun_2)\n(= a @fun_1)\n\
        (function @fun_2 (type (-> U int int)) (= (@fun_2 @const_5 1) (- 5)) (default 6))\n\
        (function @fun_1 (type (Array Int Int)) (= (@fun_1 3) 5) (default 4))";
    holds(script, model);
    let standard = "(model (define-fun u () U (as @const_5 U))(define-fun v () U (as @const_6 U))\
        (define-fun f ((x!0 U) (x!1 Int)) Int (ite (and (= x!0 (as @const_5 U)) (= x!1 1)) (- 5) 6))\
        (define-fun a ((x!0 Int)) Int (ite (= x!0 3) 5 4)))";
    holds(script, standard);
}

#[test]
fn names_of_terms_and_levels_are_followed() {
    let script = "(declare-const p Bool)(assert (! (or p (not p)) :named n))(push)(define-fun q () Bool (not p))(pop)\
        (define-fun q () Bool p)(assert (and n q))(check-sat)";
    holds(script, "((define-fun p () Bool true))");
}

#[test]
fn a_quantifier_over_a_datatype_of_many_recursive_fields_is_undecided_at_once() {
    let script = "(declare-datatypes ((T 0)) (((nil) (node (a T) (b T) (c T) (d T) (e T) (f T) (g T) (h T)))))\
        (declare-const x T)(assert (forall ((y T)) (distinct (a y) (node x x y y x y x y))))";
    let said = evaluation(script, "((define-fun x () T nil))");
    let TruthValue::Undecided(why) = said.outcome() else { panic!("{:?}", said.assertions) };
    assert!(format!("{why:?}").contains("infinitely many values of sort T"), "{why:?}");
}

#[test]
fn a_name_means_the_term_in_scope() {
    let script = "(declare-const p Bool)(push)(assert (! (not p) :named n))(pop)\
        (push)(assert (! (or p p) :named n))(check-sat-assuming (n))";
    let (model, check) = read(script, "((define-fun p () Bool true))");
    let holds = evaluate(&model, &check, EvalBudget::default());
    assert_eq!(holds.outcome(), TruthValue::True, "{:?}", holds.assertions);
}

#[test]
fn a_name_means_the_term_that_the_script_has_not_one_that_a_mutation_replaced() {
    let text = "(declare-const p Bool)(push)(assert (! (not p) :named n))(pop)\
        (assert (! (or p p) :named n))(check-sat-assuming (n))";
    let mut script = Script::parse(text, &Signature::standard()).unwrap();
    // The arena keeps the first assertion, as after a mutation.
    script.commands.drain(1..4);
    let check = sat_queries(&script).pop().unwrap();
    let model = Model::read("((define-fun p () Bool true))", &script, &check).unwrap();
    assert_eq!(evaluate(&model, &check, EvalBudget::default()).outcome(), TruthValue::True);
}

#[test]
fn a_false_assertion_is_explained_by_its_smallest_false_part() {
    let script = "(declare-const x Int)(assert (and (< x 9) (let ((y (+ x 1))) (not (= y 4)))))";
    let (model, check) = read(script, "((define-fun x () Int 3))");
    let explanation = explain(&model, check.assertions[0], EvalBudget::default()).unwrap();
    assert_eq!((explanation.text.as_str(), explanation.value), ("(= y 4)", true));
    assert_eq!(explanation.children, [("y".into(), "4".into()), ("4".into(), "4".into())]);
    let (model, check) = read("(assert (exists ((p Bool)) (and p (not p))))", "()");
    let explanation = explain(&model, check.assertions[0], EvalBudget::default()).unwrap();
    assert_eq!(explanation.text, "(exists ((p Bool)) (and p (not p)))");
    assert_eq!(explanation.children, [], "p is nothing by itself");
}

#[test]
fn too_large_values_are_undecided() {
    let of = |declarations: &str, term: &str| {
        let (model, check) = read(&format!("{declarations}(assert {term})"), "()");
        match evaluate(&model, &check, EvalBudget { steps: 200_000, bytes: 4 << 20 }).outcome() {
            TruthValue::Undecided(why) => why.to_string(),
            outcome => panic!("{outcome:?}"),
        }
    };
    assert_eq!(of("", "(= (^ 3 1000000000000) 1)"), "the result of ^ is too large");
    let doubled = |operator: &str, start: &str| {
        let mut text = format!("(= {start} v60)");
        for level in (0..60).rev() {
            let value = if level == 0 { start.to_owned() } else { format!("v{level}") };
            text = format!("(let ((v{} ({operator} {value} {value}))) {text})", level + 1);
        }
        text
    };
    assert_eq!(of("", &doubled("str.++", "\"ab\"")), "the result of str.++ is too large");
    assert_eq!(of("", &doubled("*", "3")), "the result of * is too large");
    let tree = "(declare-datatype T ((leaf) (node (l T) (r T))))";
    assert_eq!(of(tree, &doubled("node", "leaf")), "a value that is too large");
    assert_eq!(of("", "(= (str.from_int (^ 7 90000000)) \"\")"), "the result of ^ is too large");
    let endless = "(define-fun-rec f ((x Int)) Int (f (+ x 1)))";
    assert!(of(endless, "(= (f 0) 1)").contains("too"), "{}", of(endless, "(= (f 0) 1)"));
}

/// A script and a model with all kinds of definitions.
const SCRIPT_AND_MODEL: (&str, &str) = (
    "(declare-sort U 0)(declare-datatype L ((nil) (cons (h Int) (t L))))(declare-fun f (U Int) Int)(declare-const u U)\
    (declare-const a (Array Int Int))(declare-const l L)(declare-const r Real)(declare-const s String)\
    (declare-const b (_ BitVec 8))(declare-const m Float16)\
    (assert (= (f u 1) 2))(assert (= (select a 3) 4))(assert (= (h l) 1))(assert (= (* r r) 2.0))(assert (= s \"ab\"))\
    (assert (= b #x0f))(assert (fp.isNaN m))(assert (forall ((x U)) (= x u)))",
    "(\n; universe\n(declare-fun U!val!0 () U)\n(forall ((x U)) (= x U!val!0))\n(define-fun u () U U!val!0)\n\
    (define-fun f ((x!0 U) (x!1 Int)) Int (let ((c (= x!1 1))) (ite c 2 (- 3))))\n\
    (define-fun k!0 ((x!0 Int)) Int (ite (= x!0 3) 4 0))\n(define-fun a () (Array Int Int) (_ as-array k!0))\n\
    (define-fun l () L (cons 1 nil))\n(define-fun r () Real (root-obj (+ (^ x 2) (- 2)) 2))\n\
    (define-fun s () String \"ab\")\n(define-fun b () (_ BitVec 8) #x0f)\n(define-fun m () Float16 (_ NaN 5 11))\n)",
);

/// Evaluates under a text that need not be a model, and must not crash.
fn outcomes_under(script: &Script, text: &str) -> Vec<TruthValue> {
    let check = sat_queries(script).pop().unwrap();
    match Model::read(text, script, &check) {
        Ok(model) => evaluate(&model, &check, EvalBudget { steps: 20_000, bytes: 1 << 20 }).assertions,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            Vec::new()
        }
    }
}

#[test]
fn a_model_that_is_cut_off_is_an_error() {
    holds(SCRIPT_AND_MODEL.0, SCRIPT_AND_MODEL.1);
    let script = Script::parse(SCRIPT_AND_MODEL.0, &Signature::standard()).unwrap();
    let check = sat_queries(&script).pop().unwrap();
    for end in 1..SCRIPT_AND_MODEL.1.len() {
        assert!(
            Model::read(&SCRIPT_AND_MODEL.1[..end], &script, &check).is_err(),
            "{}",
            &SCRIPT_AND_MODEL.1[..end]
        );
    }
    for text in ["", "sat", "unsat", "(error \"no\")", "))", "sat\n(", "\u{0}", "\""] {
        assert!(Model::read(text, &script, &check).is_err(), "{text}");
    }
}

#[test]
fn no_damage_to_a_model_is_a_crash() {
    let script = Script::parse(SCRIPT_AND_MODEL.0, &Signature::standard()).unwrap();
    let words: Vec<&str> = SCRIPT_AND_MODEL.1.split_inclusive([' ', '(', ')']).collect();
    for place in 0..words.len() {
        let without: String =
            words.iter().enumerate().filter(|(n, _)| *n != place).map(|(_, word)| *word).collect();
        outcomes_under(&script, &without);
        for other in [
            "U!val!0 ",
            "(- ",
            "#b1 ",
            "1.5 ",
            "\"x\" ",
            "nil ",
            ") ",
            "(_ as-array f) ",
            "(lambda ((z Int)) z) ",
            "@a ",
        ] {
            let mut changed = words.clone();
            changed[place] = other;
            outcomes_under(&script, &changed.concat());
        }
    }
}

#[test]
fn a_definition_that_makes_no_sense_decides_nothing() {
    let of = |model: &str| {
        words("(declare-const x Int)(declare-fun f (Int) Int)(assert (= x 1))(assert (= (f 2) x))", model)
    };
    assert_eq!(of("((define-fun x () Bool true))"), "undecided undecided", "another sort");
    assert_eq!(of("((define-fun x () Real 1.0))"), "undecided undecided", "a real is no integer");
    assert_eq!(of("((define-fun x () Int true))"), "undecided undecided", "a value of another sort");
    assert_eq!(of("((define-fun x () Int (+ y 1)))"), "undecided undecided", "an unknown name");
    assert_eq!(
        of("((define-fun x () Int (f 1))(define-fun f ((a Int)) Int (f a)))"),
        "undecided undecided",
        "a circle"
    );
    for nonsense in
        ["@a", "(lambda ((z Int)) 1)", "(_ as-array f)", "(ite true @a @b)", "(root-obj (^ x 2) 1)"]
    {
        let model = format!("((define-fun x () Int {nonsense})(define-fun f ((a Int)) Int 3))");
        assert_eq!(of(&model), "undecided undecided", "{nonsense}");
    }
    assert_eq!(of("((define-fun x () Int x))"), "undecided undecided", "itself");
    assert_eq!(
        of("((define-fun x () Int 1)(define-fun f ((a Int) (b Int)) Int 1))"),
        "true undecided",
        "another arity"
    );
    assert_eq!(of("((define-fun x () Int 1))"), "true undecided", "a missing constant may have any value");
}

#[test]
fn depth_costs_no_stack() {
    let script = Script::parse("(declare-const x Int)(assert (= x 1))", &Signature::standard()).unwrap();
    let deep = format!("((define-fun x () Int {}1{}))", "(- ".repeat(100_000), ")".repeat(100_000));
    let check = sat_queries(&script).pop().unwrap();
    let model = Model::read(&deep, &script, &check).unwrap();
    assert_eq!(evaluate(&model, &check, EvalBudget::default()).outcome(), TruthValue::True);
    let list = "(declare-datatype L ((nil) (cons (t L))))(declare-const x L)(assert (= x nil))";
    let deep = format!("((define-fun x () L {}nil{}))", "(cons ".repeat(100_000), ")".repeat(100_000));
    assert_eq!(words(list, &deep), "undecided");
}

#[test]
fn sets_of_a_z3_model_are_read_and_those_that_it_only_counts_stay_undecided() {
    let script = "(declare-const a (FiniteSet Int))(declare-const b (FiniteSet Int))(declare-const c (FiniteSet Int))\
                  (declare-const d (FiniteSet (FiniteSet Int)))\
                  (assert (= (set.size a) 2))(assert (not (= (set.size b) 1)))(assert (set.in a d))(assert (= (set.size c) 3))";
    let model = "((define-fun a () (FiniteSet Int) (set.union (set.singleton 4) (set.singleton 5)))\
                  (define-fun b () (FiniteSet Int) (set.singleton 2))\
                  (define-fun c () (FiniteSet Int) ((as set.unique (FiniteSet Int)) 1 3))\
                  (define-fun d () (FiniteSet (FiniteSet Int))\
                    (set.singleton (set.union (set.singleton 5) (set.singleton 4)))))";
    assert_eq!(words(script, model), "true false true undecided");
}
