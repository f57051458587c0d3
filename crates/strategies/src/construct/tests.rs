//! The examples of the paper, and claims about every construct of every theory.

use std::collections::BTreeSet;

use gainsay_smt::Signature;

use super::super::generate::theory::{GeneratorTheory, TheoryChoice};
use super::super::generate::{Generator, GeneratorSettings, KeptDeclarations, with_smallest_logic};
use super::*;
use crate::random::RandomStream;

fn generator(names: &[&str]) -> Generator {
    let theories: Vec<GeneratorTheory> =
        names.iter().flat_map(|name| TheoryChoice::read(name).unwrap().theories).collect();
    let mix = theories.len();
    let settings = GeneratorSettings {
        theories,
        mix,
        declarations: KeptDeclarations::All,
        ..GeneratorSettings::default()
    };
    Generator::new(&Signature::standard(), settings, &[]).unwrap()
}

/// All results of inserting an operator into the assertion of a script.
fn results(assertion: &str, name: &str) -> BTreeSet<String> {
    let signature = Signature::standard();
    let text =
        format!("(set-logic QF_FP)(declare-const x Float32)(declare-const y Float32)(assert {assertion})");
    let script = Script::parse(&text, &signature).unwrap();
    let theories = TheoryChoice::read("fp").unwrap().theories;
    let settings = GeneratorSettings {
        theories,
        rounding_modes: vec!["RNE".to_owned()],
        ..GeneratorSettings::default()
    };
    let generator = Generator::new(&signature, settings, &[]).unwrap();
    let habits = GrowthSettings { depth: 3, literals: 0, ..GrowthSettings::default() };
    let inserter = ConstructInserter { operators: generator.operators(), habits: &habits };
    let construct = Construct { kind: ConstructKind::Operator, name: name.to_owned() };
    let insert =
        |number: u64| inserter.insert(&script, &construct, &mut RandomStream::new(number).rng()).unwrap();
    let assertion = |script: Script| {
        let term = script.assertions().next().unwrap();
        gainsay_smt::print::term_text(script.arena(), term)
    };
    (0..300).map(insert).map(assertion).collect()
}

#[test]
fn surplus_arguments_are_dropped_from_the_right() {
    let made = results("(fp.eq (fp.add RNE x y) (fp.sub RNE x y))", "fp.abs");
    let expected = ["(fp.eq (fp.abs x) (fp.sub RNE x y))", "(fp.eq (fp.add RNE x y) (fp.abs x))"];
    assert_eq!(made, expected.map(str::to_owned).into());
}

#[test]
fn missing_arguments_are_grown() {
    let made = results("(fp.eq (fp.abs x) (fp.abs y))", "fp.add");
    let expected = [
        "(fp.eq (fp.add RNE x x) (fp.abs y))",
        "(fp.eq (fp.add RNE x y) (fp.abs y))",
        "(fp.eq (fp.abs x) (fp.add RNE y x))",
        "(fp.eq (fp.abs x) (fp.add RNE y y))",
    ];
    assert_eq!(made, expected.map(str::to_owned).into());
}

/// Whether a script contains a construct: an operator by its head, a literal by the text of the assertions.
fn has(script: &Script, construct: &Construct) -> bool {
    let arena = script.arena();
    let mut open: Vec<Term> = script.assertions().collect();
    while let Some(term) = open.pop() {
        match arena.view(term) {
            TermView::Application(head, _) if arena.text(head.symbol) == construct.name => return true,
            view => open.extend_from_slice(view.children()),
        }
    }
    construct.kind == ConstructKind::Literal
}

#[test]
fn every_construct_of_every_theory_is_in_the_result_which_is_well_sorted() {
    let signature = Signature::standard();
    for theories in
        [&["fp"][..], &["strings"], &["bv", "fp"], &["int", "real", "array"], &["seq", "dt"], &["uf"]]
    {
        let generator = generator(theories);
        let inserter =
            ConstructInserter { operators: generator.operators(), habits: &generator.settings().habits };
        let constructs = list(&generator);
        assert!(constructs.len() >= 8, "{theories:?}: {constructs:?}");
        for (number, construct) in constructs.iter().enumerate() {
            let mut rng = RandomStream::new(number as u64).rng();
            let mut script = generator.script(&mut rng).unwrap();
            for _ in 0..5 {
                let before = script.to_string();
                let made = inserter.insert(&script, construct, &mut rng);
                script =
                    with_smallest_logic(made.unwrap_or_else(|| panic!("{construct:?} not into\n{before}")));
                let text = script.to_string();
                assert!(has(&script, construct), "{construct:?} is not in\n{text}");
                assert_ne!(before, text, "{construct:?}");
                match Script::parse(&text, &signature) {
                    Ok(read) => assert!(read == script, "read back as another script:\n{text}"),
                    Err(error) => panic!("{construct:?}: {error}\n{}\n{text}", error.snippet()),
                }
            }
        }
    }
}

#[test]
fn the_list_has_operators_predicates_rounding_modes_and_kinds_of_literals() {
    let names: Vec<String> = list(&generator(&["fp"])).into_iter().map(|construct| construct.name).collect();
    for name in ["fp.add", "fp.isNaN", "RTZ", "NaN", "FloatingPoint:subnormal", "ite"] {
        assert!(names.iter().any(|other| other == name), "{name} is not in {names:?}");
    }
    for name in ["fp.to_real", "to_fp_unsigned", "roundTowardZero", "Int:zero"] {
        assert!(names.iter().all(|other| other != name), "{name} is in {names:?}");
    }
}
