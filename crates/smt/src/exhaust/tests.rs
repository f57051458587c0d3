//! Decisions on small scripts, and every operator on words against the evaluator.

use super::*;
use crate::Signature;
use crate::queries::sat_queries;

fn decided(text: &str) -> Decision {
    let script = Script::parse(text, &Signature::standard()).unwrap();
    decide(&script, &sat_queries(&script)[0], ExhaustionBudget::of_steps(5_000_000))
}

/// `sat`, `unsat`, `sat with open …` or the kind of reason.
pub(super) fn word(text: &str) -> String {
    match decided(text).answer {
        ExactAnswer::Sat { open, .. } if open.is_empty() => "sat".to_owned(),
        ExactAnswer::Sat { open, .. } => format!("sat with {}", open.join(" ")),
        ExactAnswer::Unsat => "unsat".to_owned(),
        ExactAnswer::Undecided(reason) => reason.kind().to_owned(),
    }
}

pub(super) fn check(table: &[(&str, &str)]) {
    for (text, expected) in table {
        assert_eq!(word(text), *expected, "{text}");
    }
}

#[test]
fn finite_sorts_are_decided() {
    check(&[
        ("(declare-const a Bool)(assert (and a (not a)))", "unsat"),
        ("(declare-const a Bool)(declare-const b Bool)(assert (xor a b))", "sat"),
        ("(declare-const x (_ BitVec 4))(assert (= (bvmul x x) #x2))", "unsat"),
        ("(declare-const x (_ BitVec 4))(assert (= (bvmul x x) #x9))", "sat"),
        ("(declare-const x (_ BitVec 4))(assert (distinct (bvudiv x #x0) #xf))", "unsat"),
        (
            "(declare-datatypes ((C 0)) (((r) (g) (b))))(declare-const x C)(assert (distinct x r g b))",
            "unsat",
        ),
        (
            "(declare-datatypes ((P 0)) (((p (f Bool) (s Bool)))))(declare-const x P)(assert (distinct (f x) (s x)))",
            "sat",
        ),
        (
            "(declare-const a (Array Bool Bool))(assert (and (select a true) (= a (store a true false))))",
            "unsat",
        ),
        ("(declare-const m RoundingMode)(assert (distinct m RNE RNA RTP RTN RTZ))", "unsat"),
        (
            "(declare-const x (_ FloatingPoint 2 3))(assert (not (= (fp.add RNE x x) (fp.mul RNE x (fp #b0 #b10 #b00)))))",
            "unsat",
        ),
        (
            "(declare-const x (_ FloatingPoint 2 3))(assert (and (fp.eq x (fp.neg x)) (not (fp.isZero x))))",
            "unsat",
        ),
        (
            "(declare-fun f ((_ BitVec 2)) (_ BitVec 2))(declare-const x (_ BitVec 2))(assert (distinct x (f x) (f (f x)) (f (f (f x)))))",
            "sat",
        ),
        ("(declare-fun f (Bool) Bool)(declare-const x Bool)(assert (distinct (f x) (f (f (f x)))))", "unsat"),
        ("(assert (forall ((x (_ BitVec 3))) (exists ((y (_ BitVec 3))) (= (bvadd x y) #b000))))", "sat"),
        ("(assert (forall ((x (_ BitVec 3))) (exists ((y (_ BitVec 3))) (= (bvmul x y) #b001))))", "unsat"),
        (
            "(define-fun d ((x (_ BitVec 3))) Bool (= x (bvadd x #b001)))(declare-const y (_ BitVec 3))(assert (d y))",
            "unsat",
        ),
        (
            "(declare-const x (_ BitVec 3))(assert (let ((y (bvneg x))) (and (= x y) (distinct x #b000))))",
            "sat",
        ),
        (
            "(declare-datatypes ((C 0)) (((r) (g (v Bool)))))(declare-const x C)(assert (match x ((r false) ((g w) (and w (not (v x)))))))",
            "unsat",
        ),
    ]);
}

#[test]
fn integers_are_decided_within_the_bounds_that_the_assertions_imply() {
    check(&[
        ("(declare-const x Int)(assert (< 0 x 9))(assert (= (* x x) 50))", "unsat"),
        ("(declare-const x Int)(assert (< 0 x 9))(assert (= (* x x) 49))", "sat"),
        (
            "(declare-const x Int)(declare-const y Int)(assert (and (>= x 0) (>= y 0) (<= (+ x y) 5) (= (* x y) 7)))",
            "unsat",
        ),
        ("(declare-const x Int)(assert (and (<= (* x x) 10) (= (mod x 5) 4) (> x 0)))", "unsat"),
        ("(declare-const x Int)(assert (or (= x 3) (= x 7)))(assert (= (mod x 4) 0))", "unsat"),
        (
            "(declare-const x Int)(assert (forall ((y Int)) (=> (<= 0 y 3) (distinct x y))))(assert (<= 0 x 3))",
            "unsat",
        ),
        ("(declare-const x Int)(assert (= (* x x) 49))", "sat"),
        ("(declare-const x Int)(assert (= (* x x x) 50))", "infinite"),
    ]);
    let decision = decided("(declare-const x Int)(assert (< 0 x 9))(assert (= (* x x) 50))");
    assert_eq!(decision.domains[0].values, "1 to 7");
}

#[test]
fn strings_and_sequences_are_decided_if_their_length_and_letters_are_bounded() {
    let two = |name: &str| {
        format!(
            "(declare-const {name} String)(assert (<= (str.len {name}) 2))\
             (assert (str.in_re {name} (re.* (re.union (str.to_re \"a\") (str.to_re \"b\")))))"
        )
    };
    let strings = format!("{}{}", two("x"), two("y"));
    let with = |assertion: &str| word(&format!("{strings}(assert {assertion})"));
    assert_eq!(with("(distinct (str.++ x y) (str.++ y x))"), "sat");
    assert_eq!(with("(and (= (str.++ x \"a\") (str.++ \"b\" x)))"), "unsat");
    assert_eq!(with("(str.contains x \"c\")"), "unsat");
    assert_eq!(with("(= (str.len (str.++ x y x)) 7)"), "unsat");
    check(&[
        ("(declare-const x String)(assert (<= (str.len x) 1))(assert (= (str.to_code x) 77))", "infinite"),
        (
            "(declare-const s (Seq Bool))(assert (<= (seq.len s) 2))\
             (assert (= (seq.++ s (seq.unit true)) (seq.++ (seq.unit false) s)))",
            "unsat",
        ),
    ]);
}

#[test]
fn results_that_the_standard_leaves_open_are_enumerated_and_named() {
    check(&[
        ("(declare-const x Int)(assert (<= 0 x 3))(assert (= (div x 0) 1))", "sat with div"),
        // The same arguments give the same result.
        (
            "(declare-const x (_ FloatingPoint 2 3))(assert (distinct ((_ fp.to_ubv 2) RNE x) ((_ fp.to_ubv 2) RNE x)))",
            "unsat",
        ),
        ("(assert (= ((_ fp.to_ubv 2) RNE (_ NaN 2 3)) #b11))", "sat with fp.to_ubv"),
        // Either zero, and nothing else.
        ("(assert (fp.eq (fp.min (_ -zero 2 3) (_ +zero 2 3)) (fp #b0 #b01 #b00)))", "unsat"),
        ("(declare-datatypes ((C 0)) (((r) (g (v Bool)))))(assert (v r))", "sat with v"),
        (
            "(declare-const x Int)(assert (<= 0 x 3))(assert (= (div x 0) 77))(assert (= (div x 0) 78))",
            "infinite",
        ),
    ]);
}

/// The declared function may be negative at every point, whatever its name is.
#[test]
fn a_declared_function_with_the_name_of_an_operator_is_no_operator() {
    let text = "(declare-fun str.len (Bool) Int)(declare-const y Int)(assert (<= (- 2) y (- 1)))
        (assert (distinct y 7 8))(assert (< (+ y y y) 50))(assert (>= y (str.len true)))";
    assert_eq!(word(text), "sat");
    assert_eq!(word(&text.replace("str.len", "length")), "sat");
}

#[test]
fn a_recursive_definition_is_an_axiom_that_may_have_no_solution() {
    check(&[
        ("(define-fun-rec b () Bool (not b))(declare-const a Bool)(assert a)", "unspecified"),
        ("(define-fun-rec b () Bool (not b))(assert false)", "unsat"),
        (
            "(define-funs-rec ((f () Bool) (g () Bool)) ((not g) f))(declare-const a Bool)(assert a)",
            "unspecified",
        ),
        ("(define-fun-rec b () Bool true)(declare-const a Bool)(assert a)", "sat"),
        (
            "(define-fun-rec f ((x Int)) Int (ite (<= x 0) 0 (+ 1 (f (- x 1)))))(declare-const y Int)(assert (<= 0 y 5))(assert (= (f y) 3))",
            "sat",
        ),
        (
            "(define-fun-rec f ((x Int)) Int (ite (= x 0) 0 (+ 1 (f (- x 1)))))(declare-const y Int)(assert (<= 0 y 5))(assert (= (f y) 3))",
            "unspecified",
        ),
        (
            "(define-fun-rec f ((x (_ BitVec 2))) Bool (ite (= x #b00) true (not (f (bvsub x #b01)))))(assert (f #b10))",
            "sat",
        ),
    ]);
}

#[test]
fn what_cannot_be_enumerated_is_undecided() {
    check(&[
        ("(declare-const x Real)(assert (= (* x x) 2.0))", "infinite"),
        ("(declare-sort U 0)(declare-const x U)(declare-const y U)(assert (distinct x y))", "infinite"),
        (
            "(declare-const x (_ BitVec 60))(declare-const y (_ BitVec 60))(assert (= (bvmul x y) (bvadd (bvmul y x) (_ bv1 60))))",
            "large",
        ),
        ("(assert (forall ((x Int)) (exists ((y Int)) (< x y))))", "infinite"),
        (
            "(define-fun-rec f ((x Int)) Int (ite (<= x 0) 0 (+ 1 (f (- x 1)))))(declare-const y Int)(assert (<= 0 y 5))(assert (distinct (f y) y))",
            "unsat",
        ),
        ("(define-fun-rec f ((x Int)) Int (+ 1 (f x)))(assert (= (f 1) 0))", "model"),
    ]);
}

#[test]
fn disjunctions_below_quantifiers_bound_their_variables() {
    check(&[
        ("(assert (forall ((x Int)) (or (< x 0) (> x 3) (< (* x x) 9))))", "unsat"),
        ("(assert (forall ((x Int)) (or (< x 0) (> x 3) (< (* x x) 10))))", "sat"),
        ("(assert (forall ((x Int)) (or (not (<= 0 x 3)) (< (* x x) 9))))", "unsat"),
        ("(assert (forall ((x Int)) (! (or (not (>= x 0)) (not (< x 4)) (< (* x x) 10)) :qid q)))", "sat"),
        ("(assert (forall ((x Int)) (not (and (<= 0 x 3) (= (* x x) 9)))))", "unsat"),
        ("(assert (forall ((x Int)) (=> (<= 0 x) (<= x 3) (< (* x x) 9))))", "unsat"),
        ("(assert (forall ((x Int) (y Int)) (or (< x 0) (> x y) (> y 2) (distinct (+ x y) 4))))", "unsat"),
        ("(assert (forall ((x Int) (y Int)) (or (< x 0) (> x y) (> y 2) (distinct (+ x y) 5))))", "sat"),
        ("(assert (exists ((x Int)) (not (or (< x 0) (> x 3) (distinct (* x x) 5)))))", "unsat"),
        // Not bounded: a case of a disjunction is no fact.
        ("(assert (forall ((x Int)) (or (and (< x 0) (> x (- 5))) (> x 3) (< (* x x) 10))))", "infinite"),
        // Nor is it bounded, but an instance refutes it.
        ("(assert (forall ((x Int)) (and (or (< x 0) (> x 3)) (< (* x x) 9))))", "unsat"),
    ]);
}

#[test]
fn declared_sorts_are_decided_if_an_assertion_bounds_the_number_of_elements() {
    let declared =
        "(declare-sort S 0)(declare-const a S)(declare-const b S)(declare-const c S)(declare-fun f (S) S)";
    let cover = "(assert (forall ((x S)) (or (= x a) (= b x))))";
    let with = |assertions: &str| format!("{declared}{assertions}");
    let cases = [
        (format!("{cover}(assert (distinct a b c))"), "unsat"),
        (format!("{cover}(assert (distinct a b))(assert (distinct (f a) a b))"), "unsat"),
        (format!("{cover}(assert (distinct a b))(assert (distinct (f a) a))"), "sat"),
        (format!("{cover}(assert (= a b))(assert (distinct (f a) c))"), "unsat"),
        (format!("{cover}(assert (distinct (f (f (f a))) (f a)))"), "unsat"),
        (format!("{cover}(assert (exists ((x S)) (distinct x c)))(assert (distinct c a))"), "sat"),
        // Two elements or fewer, three or fewer.
        ("(assert (forall ((x S) (y S) (z S)) (or (= x y) (= y z) (= x z))))(assert (distinct a b c))".to_owned(), "unsat"),
        ("(assert (forall ((x S) (y S) (z S)) (not (distinct x y z))))(assert (distinct a b))".to_owned(), "sat"),
        ("(assert (not (exists ((x S) (y S)) (and (distinct x y) (distinct x c) (distinct y c)))))(assert (distinct a b c))".to_owned(), "unsat"),
        ("(assert (not (exists ((x S) (y S) (z S) (v S)) (distinct x y z v))))(assert (distinct a b c (f a)))".to_owned(), "unsat"),
        ("(assert (not (exists ((x S) (y S) (z S) (v S)) (distinct x y z v))))(assert (distinct a b c))".to_owned(), "sat"),
        // Of one element.
        ("(assert (forall ((x S)) (= x a)))(assert (distinct b c))".to_owned(), "unsat"),
        ("(assert (forall ((x S) (y S)) (= x y)))(assert (distinct b c))".to_owned(), "unsat"),
        ("(assert (forall ((x S) (y S)) (= x y)))(assert (= b (f c)))".to_owned(), "sat"),
        // Not bounded: another case, another sort, and a bound that is not asserted.
        ("(declare-const k Bool)(assert (forall ((x S)) (or k (= x a))))(assert (distinct a b c))".to_owned(), "infinite"),
        ("(assert (forall ((x S)) (or (= x a) (= x (f x)))))(assert (distinct a b c))".to_owned(), "infinite"),
        ("(assert (forall ((x S)) (exists ((y S)) (= x y))))(assert (distinct a b c))".to_owned(), "infinite"),
        ("(declare-const k Bool)(assert (or k (forall ((x S)) (= x a))))(assert (distinct a b c))".to_owned(), "infinite"),
        ("(assert (not (forall ((x S)) (or (= x a) (= x b)))))(assert (= a b))".to_owned(), "infinite"),
    ];
    for (assertions, expected) in &cases {
        check(&[(&with(assertions), expected)]);
    }
    // Two sorts, and values that contain elements.
    let two = "(declare-sort S 0)(declare-sort |T t| 0)(declare-const a S)(declare-const b |T t|)(declare-const d |T t|)\
               (assert (forall ((x S)) (= x a)))(assert (forall ((x |T t|)) (or (= x b) (= x d))))";
    let arrays =
        "(declare-const m (Array S |T t|))(declare-const n (Array S |T t|))(declare-const o (Array S |T t|))";
    check(&[
        (&format!("{two}{arrays}(assert (distinct m n o))"), "unsat"),
        (&format!("{two}{arrays}(assert (distinct m n))"), "sat"),
        // A script that has the name of an element.
        (
            "(declare-sort S 0)(declare-const S!val!0 S)(declare-const b S)(assert (forall ((x S)) (= x b)))(assert (distinct S!val!0 b))",
            "infinite",
        ),
    ]);
}

/// Equal languages are one point of a function, one element and one part of a value, however they are written.
#[test]
fn regular_expressions_are_not_told_apart() {
    let (plus, same) = ("(re.+ (str.to_re \"a\"))", "(re.++ (str.to_re \"a\") (re.* (str.to_re \"a\")))");
    let f = "(declare-fun f (RegLan) Bool)(declare-const k Bool)";
    let record = "(declare-datatype D ((d (r RegLan))))(declare-fun g (D) Bool)";
    check(&[
        (&format!("{f}(assert (f {plus}))(assert (not (f {same})))"), "infinite"),
        (&format!("{f}(assert (f (ite k {plus} re.all)))(assert k)(assert (not (f {same})))"), "infinite"),
        (&format!("{f}(assert (distinct {plus} {same}))"), "unknown"),
        (&format!("{record}(assert (g (d {plus})))(assert (not (g (d {same}))))"), "large"),
        (&format!("{record}(assert (distinct (d {plus}) (d {same})))"), "large"),
        (&format!("(assert (distinct (seq.unit {plus}) (seq.unit {same})))"), "large"),
        (&format!("(assert (distinct (set.singleton {plus}) (set.singleton {same})))"), "unknown"),
        (
            &format!(
                "(declare-const a (Array RegLan Bool))(assert (distinct (select (store a {plus} true) {same}) true))"
            ),
            "infinite",
        ),
        // Membership needs no comparison.
        (&format!("{f}(assert (distinct k (str.in_re \"aa\" (ite k {plus} re.none))))"), "unsat"),
        (
            &format!(
                "(define-fun-rec h ((n Int) (l RegLan)) Bool (ite (<= n 0) (str.in_re \"aa\" l) (h (- n 1) l)))(assert (not (h 2 {same})))"
            ),
            "unsat",
        ),
    ]);
}

/// Values that can be written in several ways are one point of a function.
#[test]
fn equal_values_are_one_point() {
    let same = |declared: &str, sort: &str, a: &str, b: &str| {
        format!("{declared}(declare-fun f ({sort}) Bool)(assert (f {a}))(assert (not (f {b})))")
    };
    let streams =
        "(declare-codatatypes ((S 0)) (((c (head Bool) (tail S)))))(declare-const x S)(declare-const y S)";
    let cyclic = "(assert (= x (c true x)))(assert (= y (c true (c true y))))";
    let table = "(Array Bool Bool)";
    check(&[
        (
            &same(
                "",
                table,
                "(store (store ((as const (Array Bool Bool)) true) true false) false false)",
                "((as const (Array Bool Bool)) false)",
            ),
            "unsat",
        ),
        (
            &same(
                "",
                table,
                "(lambda ((b Bool)) (not b))",
                "(store ((as const (Array Bool Bool)) true) true false)",
            ),
            "unsat",
        ),
        (
            &same(
                "",
                "(Array Int Int)",
                "(store ((as const (Array Int Int)) 1) 2 1)",
                "((as const (Array Int Int)) 1)",
            ),
            "unsat",
        ),
        (
            &same("", "(_ FloatingPoint 2 3)", "(_ NaN 2 3)", "(fp.div RNE (_ +zero 2 3) (_ +zero 2 3))"),
            "unsat",
        ),
        (&same("", "(_ FloatingPoint 2 3)", "(fp #b1 #b11 #b01)", "(fp #b0 #b11 #b10)"), "unsat"),
        (&same("", "(_ FloatingPoint 2 3)", "(_ -zero 2 3)", "(_ +zero 2 3)"), "sat"),
        (&same("", "(Bag Int)", "(bag 1 0)", "(as bag.empty (Bag Int))"), "unsat"),
        (&same("", "(Bag Int)", "(bag.union_disjoint (bag 1 1) (bag 1 1))", "(bag 1 2)"), "unsat"),
        (
            &same(
                "",
                "(Set Int)",
                "(set.insert 1 2 (set.singleton 3))",
                "(set.insert 3 2 (set.singleton 1))",
            ),
            "unsat",
        ),
        (&same("", "Real", "(/ 2.0 4.0)", "0.5"), "unsat"),
        (&same("", "Real", "(exp 0.0)", "1.0"), "unsat"),
        // The numbers of these have no single form.
        (&same("", "Real", "(sqrt 2.0)", "(/ 2.0 (sqrt 2.0))"), "large"),
        (&same(&format!("{streams}{cyclic}"), "S", "x", "y"), "infinite"),
        (&same(&format!("{streams}{cyclic}"), "Bool", "(= x y)", "true"), "infinite"),
    ]);
}

/// All words of a small width, and the corners of a large one.
fn samples(width: u32) -> Vec<u64> {
    let all = native::ones(width);
    match width {
        1..=3 => (0..=all).collect(),
        _ => vec![
            0,
            1,
            2,
            3,
            all,
            all - 1,
            all / 2,
            all / 2 + 1,
            0x1234_5678_9ABC_DEF0 & all,
            u64::from(width),
        ],
    }
}

/// Compares the values of constant terms by the program and by the evaluator.
fn compare(terms: &[String]) {
    let equalities: Vec<String> = terms.iter().map(|term| format!("(assert (= {term} {term}))")).collect();
    let script = Script::parse(&equalities.join("\n"), &Signature::standard()).unwrap();
    let query = &sat_queries(&script)[0];
    let model = Model::empty(&script, query);
    let arena = model.arena();
    let mut evaluator = Evaluator::new(&model, EvalBudget::default());
    let mut program = Program::new(Evaluator::new(&model, APPLICATION_BUDGET), ExhaustionBudget::default());
    for (&assertion, term) in query.assertions.iter().zip(terms) {
        let side = arena.children(assertion)[0];
        let reading = RelationReading { trees: OrderKind::Partial, closures: ClosureKind::Transitive };
        let node = Compiler::new(&mut program, &model, Bounds::default(), Cases::default(), reading)
            .compile(side)
            .unwrap();
        let kind = words::WordKind::of(arena, arena.sort_of(side));
        let value = program.word(node).map(|word| program.words.value(kind, word));
        let expected = evaluator.value(side).ok();
        let is_beyond =
            matches!(&expected, Some(crate::Value::Int(number)) if i64::try_from(number).is_err());
        assert_eq!(value, expected.filter(|_| !is_beyond), "{term}");
    }
}

#[test]
fn every_operator_on_words_agrees_with_the_evaluator() {
    let literal = |width: u32, word: u64| format!("(_ bv{word} {width})");
    let indexed = ["extract", "zero_extend", "sign_extend", "repeat", "rotate_left", "rotate_right"];
    let mut terms = Vec::new();
    for width in [1, 2, 3, 8, 63, 64] {
        for a in samples(width) {
            for (name, _) in native::UNARY_WORD_OPERATORS {
                let head = match (indexed.contains(name), *name) {
                    (true, "extract") => format!("(_ extract {} {})", width - 1, width / 2),
                    (true, _) => format!("(_ {name} {})", if width > 8 { 1 } else { 3 }),
                    _ => (*name).to_owned(),
                };
                terms.push(format!("({head} {})", literal(width, a)));
            }
            for b in samples(width) {
                for (name, _) in native::BINARY_WORD_OPERATORS {
                    let (first, second) = match *name {
                        "xor" => ((a % 2 == 1).to_string(), (b % 2 == 1).to_string()),
                        _ => (literal(width, a), literal(width, b)),
                    };
                    terms.push(format!("({name} {first} {second})"));
                }
            }
        }
    }
    compare(&terms);
}

#[test]
fn every_operator_on_integers_agrees_with_the_evaluator() {
    let shown = |number: i64| if number < 0 { format!("(- {})", -number) } else { number.to_string() };
    let mut terms = Vec::new();
    for a in [0i64, 1, -1, 7, i64::MAX, i64::MIN + 1] {
        for (name, count, _) in native::INT_OPERATORS {
            for b in [0i64, 1, -3] {
                let second = if *count == 2 { shown(b) } else { String::new() };
                terms.push(format!("({name} {} {second})", shown(a)));
            }
        }
        for (name, _) in native::INT_COMPARISONS {
            terms.extend([0i64, 1, -3].map(|b| format!("({name} {} {})", shown(a), shown(b))));
        }
    }
    compare(&terms);
}

#[test]
fn associative_operators_take_more_than_two_arguments() {
    let terms = [
        "(concat #b1 #b01 #b110)",
        "(bvadd #x3 #x9 #xc #x1)",
        "(- 9 3 2 1)",
        "(< 1 2 3)",
        "(< 1 3 3)",
        "(=> true false true)",
        "(=> (=> true false) true)",
        "(=> false false false)",
        "(distinct 1 2 1)",
        "(= 1 1 2)",
        "(div 17 2 2)",
    ];
    compare(&terms.map(str::to_owned));
}

#[test]
fn a_false_assertion_prunes_what_is_assigned_after_it() {
    let wide =
        "(declare-const a Bool)(declare-const x (_ BitVec 64))(assert (and a (not a) (= x (bvneg x))))";
    let decision = decided(wide);
    assert_eq!((decision.answer, decision.assignments), (ExactAnswer::Unsat, 2));
}
