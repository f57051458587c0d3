//! Claims about all rows, generated functions, and their instances.

use gainsay_smt::print::{command_text, term_text};
use gainsay_smt::{Command, Signature};

use super::check::{self, EvaluationResult};
use super::generate::{FunctionRequest, generate};
use super::parse::LocatedExpression;
use super::*;
use crate::random::RandomStream;

fn expression(text: &str) -> SExpression {
    LocatedExpression::read_all(text, 1).unwrap()[0].expression()
}

/// Sorts of every kind that functions are generated for.
const TESTED_SORTS: [&str; 14] = [
    "Bool",
    "Int",
    "Real",
    "String",
    "(_ BitVec 1)",
    "(_ BitVec 8)",
    "(_ BitVec 32)",
    "(_ FloatingPoint 3 5)",
    "(_ FloatingPoint 8 24)",
    "RoundingMode",
    "(Array Int Int)",
    "(Array (_ BitVec 4) Bool)",
    "(Seq Int)",
    "(Seq (_ BitVec 8))",
];

fn assert_right(function: &FusionFunction, inputs: usize, signature: &Arc<Signature>, rng: &mut Rng) {
    match check::evaluate(function, inputs, signature, rng) {
        EvaluationResult::Right { .. } => {}
        other => panic!("{}\n{other:?}", function.write()),
    }
}

/// Evaluates a function that uses the datatypes of a script.
fn evaluate_in(
    script: &Script,
    function: &FusionFunction,
    inputs: usize,
    rng: &mut Rng,
) -> check::EvaluationResult {
    let is_datatype = |command: &&Command| matches!(command, Command::DeclareDatatypes(..));
    let text = |command| command_text(script.arena(), command).replace('\n', " ");
    let declarations = script.commands.iter().filter(is_datatype).map(text).collect();
    let (datatypes, signature) = (DrawableDatatypes::of(script), script.arena().signature());
    check::EvaluationContext { declarations, datatypes, signature }.evaluate(function, inputs, rng)
}

#[test]
fn every_row_of_the_table_gives_back_its_parameters() {
    let signature = Signature::standard();
    let mut rng = RandomStream::new(1).rng();
    for row in FusionFunctions::standard().list() {
        match check::evaluate(row, 600, &signature, &mut rng) {
            EvaluationResult::Right { inputs } => {
                assert!(inputs.iter().all(|&count| count > 5), "{} {inputs:?}", row.name);
            }
            other => panic!("{}: {other:?}", row.name),
        }
    }
}

#[test]
fn generated_functions_are_well_sorted_and_right() {
    let signature = Signature::standard();
    let functions = FusionFunctions::standard();
    let stream = RandomStream::new(2);
    let mut number = 0;
    for size in [5, 10, 20, 25, 30, 50] {
        for sort in TESTED_SORTS {
            number += 1;
            let mut rng = stream.child("function", number).rng();
            let parameters = vec![expression(sort); 2];
            let request =
                FunctionRequest { name: "f".into(), parameters, size, ..FunctionRequest::default() };
            let function = generate(&functions, &request, &mut rng);
            let function = function.unwrap_or_else(|| panic!("nothing of size {size} over {sort}"));
            assert_right(&function, 50, &signature, &mut rng);
        }
    }
}

#[test]
fn functions_over_mixed_sorts_and_many_parameters_are_generated() {
    let signature = Signature::standard();
    let functions = FusionFunctions::standard();
    let stream = RandomStream::new(3);
    for (a, first) in TESTED_SORTS.iter().enumerate() {
        for (b, second) in TESTED_SORTS.iter().enumerate() {
            let mut rng = stream.child(first, b as u64).rng();
            let third = TESTED_SORTS[(a + b) % TESTED_SORTS.len()];
            let parameters = [first, second, &third].map(|sort| expression(sort)).to_vec();
            let request =
                FunctionRequest { name: "f".into(), parameters, size: 20, ..FunctionRequest::default() };
            let function = generate(&functions, &request, &mut rng);
            let function = function.unwrap_or_else(|| panic!("nothing over {first} {second} {third}"));
            assert_right(&function, 20, &signature, &mut rng);
        }
    }
}

#[test]
fn what_is_written_is_read_back() {
    let standard = FusionFunctions::standard();
    let mut again = FusionFunctions::read(&standard.write()).unwrap();
    for (function, before) in again.list.iter_mut().zip(standard.list()) {
        function.line = before.line;
        let inverses = function.inverses.iter_mut().flatten().zip(before.inverses.iter().flatten());
        inverses.for_each(|(inverse, before)| inverse.line = before.line);
    }
    assert_eq!(again.list(), standard.list());
}

/// A script with constants of the given sorts, and `z` of the result sort.
fn fused(declarations: &str, function: &FusionFunction, seed: u64) -> Option<(Script, FusionInstance)> {
    let mut rng = RandomStream::new(seed).rng();
    let mut script = Script::parse(declarations, &Signature::standard()).unwrap();
    let constants: Vec<(gainsay_smt::Symbol, Sort)> = script
        .commands
        .iter()
        .filter_map(|command| match command {
            Command::Declare(_, name, parameters, sort) if parameters.is_empty() => {
                Some((*name, script.arena().canonical(*sort)))
            }
            _ => None,
        })
        .collect();
    let sorts: Vec<Sort> = constants.iter().map(|(_, sort)| *sort).collect();
    let result = function.result_sort(&mut script, &sorts, &mut rng)?;
    let arena = script.arena_mut();
    let mut term = |(name, sort)| arena.application(gainsay_smt::Head::plain(name), &[], sort);
    let arguments: Vec<Term> = constants.into_iter().map(&mut term).collect();
    let z = script.arena_mut().symbol("z");
    let z = script.arena_mut().application(gainsay_smt::Head::plain(z), &[], result);
    let functions = FusionFunctions::default().with_datatypes_of(&script);
    let instance = functions.instantiate(function, &mut script, &arguments, z, &mut rng)?;
    Some((script, instance))
}

#[test]
fn an_instance_is_of_terms_of_the_script() {
    let standard = FusionFunctions::standard();
    let check = |declarations: &str, name: &str, expected: &[&str]| {
        let function = standard.list().iter().find(|function| *function.name == *name).unwrap();
        let (script, instance) = fused(declarations, function, 1).unwrap();
        let terms = [instance.result].into_iter().chain(instance.inverses).chain(instance.condition);
        let shown: Vec<String> = terms.map(|term| term_text(script.arena(), term)).collect();
        assert_eq!(shown, expected);
    };
    let words = "(declare-const a (_ BitVec 8))(declare-const |b c| (_ BitVec 4))";
    check(words, "bv-concat", &["(concat a |b c|)", "((_ extract 11 4) z)", "((_ extract 3 0) z)"]);
    check(
        "(declare-sort S 0)(declare-const p Bool)(declare-const s S)(declare-const t S)",
        "choose",
        &["(ite p s t)", "(ite (= s t) p (= z s))", "(ite p z s)", "(ite p t z)"],
    );
}

#[test]
fn an_operator_that_the_script_declares_itself_is_not_used() {
    let standard = FusionFunctions::standard();
    let function = standard.list().iter().find(|function| *function.name == *"int-absolute").unwrap();
    assert!(fused("(declare-const x Int)", function, 1).is_some());
    let hidden = "(define-fun abs ((p Bool)) Bool p)(declare-const x Int)";
    assert!(fused(hidden, function, 1).is_none());
}

#[test]
fn functions_are_found_by_the_sorts_of_their_arguments() {
    let script =
        Script::parse("(declare-const a (_ BitVec 8))(declare-const i Int)", &Signature::standard()).unwrap();
    let arena = script.arena();
    let sorts = |sorts: &[Sort], result| -> Vec<String> {
        let standard = FusionFunctions::standard();
        let found = standard.for_sorts(arena, sorts, result).into_iter();
        found.map(|function| function.name.to_string()).collect()
    };
    let Command::Declare(_, _, _, bits) = script.commands[0] else { panic!("it is a declaration") };
    assert!(sorts(&[bits, bits], Some(bits)).contains(&"bv-xor".to_owned()));
    assert!(!sorts(&[bits, bits], Some(bits)).contains(&"bv-concat".to_owned()));
    assert!(sorts(&[bits, bits], None).contains(&"bv-concat".to_owned()));
    assert_eq!(sorts(&[bits, Sort::INT], None), ["bv-int-add"]);
    assert!(sorts(&[Sort::REGLAN, Sort::REGLAN], None).is_empty());
}

#[test]
fn constructors_of_a_script_are_functions() {
    let text = "(declare-datatypes ((|a pair| 0) (list 0)) (((pair (first Int) (second Bool))) ((nil) (cons (head |a pair|) (tail list)))))
        (declare-const i Int)(declare-const p Bool)";
    let script = Script::parse(text, &Signature::standard()).unwrap();
    let functions = FusionFunctions::default().with_datatypes_of(&script);
    let names: Vec<&str> = functions.list().iter().map(|function| &*function.name).collect();
    assert_eq!(names, ["pair", "cons"]);
    let (script, instance) = fused(text, &functions.list()[0], 1).unwrap();
    let shown: Vec<String> = instance.inverses.iter().map(|&term| term_text(script.arena(), term)).collect();
    assert_eq!(shown, ["(first z)", "(second z)"]);
    assert_eq!(term_text(script.arena(), instance.result), "(pair i p)");
}

#[test]
fn functions_over_datatypes_of_a_script_give_back_what_they_should() {
    let text = "(declare-datatypes ((|a pair| 0) (list 0)) (((pair (first Int) (second Bool)) (none)) \
        ((nil) (cons (head |a pair|) (tail list)))))(declare-const p |a pair|)(declare-const l list)";
    let script = Script::parse(text, &Signature::standard()).unwrap();
    let functions = FusionFunctions::standard().with_datatypes_of(&script);
    let own = FusionFunctions::default().with_datatypes_of(&script);
    let sort = |command: &Command| match command {
        Command::Declare(_, _, _, sort) => script.arena().canonical(*sort),
        _ => panic!("it is a declaration"),
    };
    let sorts: Vec<Sort> = script.commands[1..].iter().map(sort).collect();
    let mut rng = RandomStream::new(9).rng();
    let generated: Vec<FusionFunction> = (0..40)
        .filter_map(|size| functions.generate_for(script.arena(), &sorts, None, 4 + size % 8, &mut rng))
        .collect();
    assert!(generated.len() > 20, "{}", generated.len());
    for function in own.list().iter().chain(&generated) {
        match evaluate_in(&script, function, 200, &mut rng) {
            EvaluationResult::Right { .. } => {}
            other => panic!("{}: {other:?}", function.write()),
        }
    }
    let all = evaluate_in(&script, &own.list()[1], 200, &mut rng);
    assert_eq!(all, EvaluationResult::Right { inputs: vec![200, 200] }, "cons");
}

#[test]
fn inverses_that_are_never_of_use_are_dropped() {
    let text = "(function f ((x Int)) Int (- x) :inverse x (- z) :inverse x (+ z 1) :when (< x x) :inverse x (- z) :when (< 0 x))";
    let functions = FusionFunctions::read(text).unwrap();
    let signature = Signature::standard();
    let kept =
        check::without_idle(&functions.list()[0], &signature, &mut RandomStream::new(1).rng()).unwrap();
    assert_eq!(kept.inverses[0].len(), 2, "{}", kept.write());
    let text = "(function f ((x Int)) Int (- x) :inverse x (- z) :when (< x x))";
    let functions = FusionFunctions::read(text).unwrap();
    assert_eq!(check::without_idle(&functions.list()[0], &signature, &mut RandomStream::new(1).rng()), None);
}

#[test]
fn wrong_inverses_are_refuted_with_a_counterexample() {
    let signature = Signature::standard();
    let refuted = |text: &str| {
        let functions = FusionFunctions::read(text).unwrap();
        match check::evaluate(&functions.list()[0], 500, &signature, &mut RandomStream::new(4).rng()) {
            EvaluationResult::Refuted(counterexample) => counterexample.to_string(),
            other => panic!("{text}: {other:?}"),
        }
    };
    let product = "(function f ((x Int) (y Int)) Int (* x y)\n:inverse x (div z y)\n:inverse y (div z x) :when (distinct x 0))";
    let shown = refuted(product);
    assert!(shown.starts_with("line 2: x is not (div z y) for x = ") && shown.contains("y = 0"), "{shown}");
    refuted("(function f ((x Real)) Int (to_int x) :inverse x (to_real z))");
    refuted(
        "(function f ((x Int) (y Int)) Int (div x y) :inverse x (* z y) :when (distinct y 0) :inverse y (div x z) :when (distinct y 0))",
    );
    refuted("(function f ((x Int)) (_ BitVec 8) ((_ int_to_bv 8) x) :inverse x (ubv_to_int z))");
    refuted(
        "(function f ((x String) (y String)) String (str.++ x y) :inverse x (str.replace z y \"\") :inverse y (str.replace z x \"\"))",
    );
    refuted(
        "(function f ((x String) (y String)) String (str.++ x y) :inverse x (str.substr z 0 (str.indexof z y 0)) :inverse y (str.replace z x \"\"))",
    );
    refuted("(function f ((x String)) Int (str.to_int x) :inverse x (str.from_int z))");
    refuted("(function f ((x Int)) String (str.from_int x) :inverse x (str.to_int z))");
    refuted("(function f ((x Float16)) Float16 (fp.abs x) :inverse x z)");
    refuted(
        "(function f ((x (_ BitVec 8)) (y (_ BitVec 8))) (_ BitVec 8) (bvmul x y) :inverse x (bvudiv z y) :inverse y (bvudiv z x))",
    );
}

#[test]
fn what_is_wrong_with_a_file_is_told_with_its_line() {
    for (text, message) in [
        ("(version 2)", "line 1: the notation has version 2; this gainsay reads version 1"),
        ("\n(function f ((x Int)) Int (+ x 1))", "line 2: f has no inverse for its parameter x"),
        ("(function f ((x Int)) Int 1 :inverse x 1)", "line 1: f does not use its parameter x"),
        ("(function f ((x Int)) Int x\n:inverse y z)", "line 2: f has no parameter y"),
        ("(function f ((x Int)) Int x :inverse x z :when)", "line 1: expected a condition here"),
        (
            "(function f ((x Int)) Int x :inverse x (let ((a z)) a))",
            "line 1: a fusion function may not contain let",
        ),
        (
            "(function f ((x Int)) Int (+ x z) :inverse x 1)",
            "line 1: only inverses may use the result z of f",
        ),
        ("(function f ((x Int) (x Int)) Int x :inverse x z)", "line 1: the name x is used twice in f"),
        ("(define f)", "line 1: expected (function NAME ((PARAMETER SORT) …) SORT TERM …)"),
        ("x", "line 1: expected a list, found x"),
    ] {
        assert_eq!(FusionFunctions::read(text).unwrap_err().to_string(), message, "{text}");
    }
}

/// All terms of an instance, asserted, as text.
fn asserted(mut script: Script, instance: &FusionInstance) -> String {
    let inverses = instance.inverses.iter().chain(&instance.condition);
    for &term in [instance.result].iter().chain(inverses) {
        let equal =
            script.arena_mut().operation(gainsay_smt::Head::plain(gainsay_smt::Symbol::EQUAL), &[term, term]);
        script.commands.push(Command::Term(gainsay_smt::Word::Assert, equal.unwrap(), None));
    }
    script.to_string()
}

#[test]
fn instances_of_rows_and_of_generated_functions_are_well_sorted() {
    const TEST_DECLARATIONS: &str =
        "(declare-sort S 0)\n(declare-datatypes ((D 0)) (((nil) (cons (head Int) (tail D)))))\n";
    let sorts: Vec<&str> = TESTED_SORTS.iter().copied().chain(["S", "D", "(Array S D)", "(Seq D)"]).collect();
    let signature = Signature::standard();
    let script = Script::parse(TEST_DECLARATIONS, &signature).unwrap();
    let functions = FusionFunctions::standard().with_datatypes_of(&script);
    let (mut instances, mut skipped) = (0, Vec::new());
    for (a, first) in sorts.iter().enumerate() {
        for (b, second) in sorts.iter().enumerate() {
            let text = format!("{TEST_DECLARATIONS}(declare-const x {first})(declare-const y {second})");
            let parsed = Script::parse(&text, &signature).unwrap();
            let declared: Vec<Sort> = parsed.commands[2..]
                .iter()
                .map(|command| match command {
                    Command::Declare(_, _, _, sort) => parsed.arena().canonical(*sort),
                    _ => panic!("it is a declaration"),
                })
                .collect();
            let mut rng = RandomStream::new(5).child("pair", (a * 100 + b) as u64).rng();
            let generated = functions.generate_for(parsed.arena(), &declared, None, 8, &mut rng);
            let fitting = functions.for_sorts(parsed.arena(), &declared, None);
            for function in fitting.into_iter().chain(&generated) {
                let Some((script, instance)) = fused(&text, function, (a + b) as u64) else {
                    skipped.push(format!("{} over {first} {second}", function.name));
                    continue;
                };
                let z =
                    gainsay_smt::print::sort_text(script.arena(), script.arena().sort_of(instance.result));
                let text = asserted(script, &instance).replacen(
                    "(assert",
                    &format!("(declare-const z {z})\n(assert"),
                    1,
                );
                let read = Script::parse(&text, &signature);
                assert!(read.is_ok(), "{}: {:?}\n{text}", function.name, read.err());
                assert!(!read.unwrap().has_opaque(), "{text}");
                instances += 1;
            }
        }
    }
    assert!(instances > 400, "{instances}");
    // A function is unusable only if it has a constant whose values cannot be written.
    skipped.retain(|skip| !skip.contains(" S") && !skip.contains("(Array S D)"));
    assert_eq!(skipped, [""; 0]);
}
