//! Claims about every generated script.

use std::collections::BTreeSet;

use gainsay_solvers::profiles::Profiles;

use super::theory::TheoryChoice;
use super::*;
use crate::random::RandomStream;

fn generator(
    names: &[&str],
    change: impl FnOnce(&mut GeneratorSettings),
) -> Result<Generator, GeneratorSettingsError> {
    let mut settings = GeneratorSettings::default();
    for name in names {
        let choice = TheoryChoice::read(name).unwrap();
        settings.theories.extend(choice.theories);
        settings.logic = choice.logic;
    }
    change(&mut settings);
    Generator::new(&Signature::standard(), settings, &[])
}

fn scripts(generator: &Generator, count: u64) -> Vec<Script> {
    (0..count).filter_map(|number| generator.script(&mut RandomStream::new(number).rng())).collect()
}

/// The operators of a script.
fn heads(script: &Script) -> BTreeSet<String> {
    let arena = script.arena();
    let mut names = BTreeSet::new();
    for term in arena.reachable(script.assertions()) {
        if let TermView::Application(head, _) = arena.view(term) {
            names.insert(arena.text(head.symbol).to_owned());
        }
    }
    names
}

#[test]
fn every_script_of_every_theory_reads_back_as_it_was_made() {
    let signature = Signature::standard();
    for theory in GeneratorTheory::all().map(GeneratorTheory::name).chain(["all"]) {
        for quantifiers in [0, 20] {
            let generator = generator(&[theory], |s| s.habits.quantifiers = quantifiers).unwrap();
            let made = scripts(&generator, 300);
            assert!(made.len() > 290, "{theory}: {}", made.len());
            for script in made {
                let text = script.to_string();
                match Script::parse(&text, &signature) {
                    Ok(read) => assert!(read == script, "{theory}: read back as another script:\n{text}"),
                    Err(error) => panic!("{theory}: {error}\n{}\n{text}", error.snippet()),
                }
            }
        }
    }
}

/// Theories whose terms are read back with another sort that is spelled alike: `(lambda ((x A)) b)` is an array for z3, and `set.singleton`
/// is an operator of both solvers.
const SPELLED_ALIKE: [&str; 3] = ["finiteset", "mapped", "fold"];

/// Operators that scripts over a theory alone do not have: they need floats, integers or arrays given by functions beside it. The index
/// of `char` cannot be drawn.
const UNUSED_ALONE: &[(&str, &[&str])] = &[
    ("finiteset", &["as-array"]),
    ("fold", &["as-array"]),
    ("collection", &["bag.card", "bag.count", "set.card"]),
    ("cvc5int", &["/_total"]),
    ("cvc5bitvector", &["int_to_bv", "to_fp_bv", "to_fp_fp", "to_fp_real", "to_fp_signed", "ubv_to_int"]),
    (
        "z3bitvector",
        &[
            "fp.max_i",
            "fp.min_i",
            "fp.to_ieee_bv",
            "fp.to_ieee_bv_I",
            "fp.to_real_I",
            "fp.to_sbv_I",
            "fp.to_ubv_I",
            "int_to_bv",
            "to_fp",
            "to_ieee_bv",
            "ubv_to_int",
        ],
    ),
    ("relation", &["<", "<=", ">=", "set.card"]),
    ("cvc5string", &["char"]),
];

#[test]
fn theories_of_one_solver_use_all_the_operators_of_their_tables() {
    let (signature, profiles) = (Signature::standard(), Profiles::built_in());
    for theory in GeneratorTheory::every() {
        let (Some(solver), name) = (theory.solver(), theory.name()) else { continue };
        let profile = (&**profiles.get(solver).unwrap(), None);
        let (mut used, mut known) = (BTreeSet::new(), BTreeSet::new());
        for scope in [ValueScope::Small, ValueScope::Ordinary] {
            let settings =
                GeneratorSettings { theories: vec![theory], scope, ..GeneratorSettings::default() };
            let generator = Generator::new(&signature, settings, &[profile]).unwrap();
            for script in scripts(&generator, 400) {
                let text = script.to_string();
                let read = Script::parse(&text, &signature).unwrap_or_else(|error| panic!("{error}\n{text}"));
                let is_same = read == script || SPELLED_ALIKE.contains(&name);
                assert!(is_same, "{name}: read back as another script:\n{text}");
                assert!(!read.has_opaque(), "{name}: {text}");
                used.extend(heads(&script));
            }
            let ranks = generator.operators().ranks().iter();
            known.extend(ranks.map(|rank| generator.operators().name(rank).to_owned()));
        }
        let is_grown = |(_, form): &&(&str, &str)| theory.has_form(form);
        known.extend(GrownForms::FORM_OPERATORS.iter().filter(is_grown).map(|(name, _)| (*name).to_owned()));
        let missing: Vec<&str> = known.difference(&used).map(String::as_str).collect();
        let alone = UNUSED_ALONE.iter().find(|(other, _)| *other == name).map_or(&[][..], |(_, names)| names);
        assert_eq!(missing, alone, "{name}");
    }
}

#[test]
fn the_same_stream_makes_the_same_script_and_another_another() {
    let generator = generator(&["all"], |_| {}).unwrap();
    let texts: Vec<String> = scripts(&generator, 50).iter().map(ToString::to_string).collect();
    let again: Vec<String> = scripts(&generator, 50).iter().map(ToString::to_string).collect();
    assert_eq!(texts, again);
    assert_eq!(texts.iter().collect::<BTreeSet<_>>().len(), texts.len());
}

#[test]
fn every_operator_of_a_theory_is_used_sooner_or_later() {
    for theory in ["floatingpoint", "string", "bitvector", "int", "real"] {
        let generator = generator(&[theory], |_| {}).unwrap();
        let used: BTreeSet<String> = scripts(&generator, 3000).iter().flat_map(heads).collect();
        let arena = gainsay_smt::Arena::new(generator.signature());
        let needs_others = |rank: &gainsay_smt::signature::Rank| {
            let foreign = ["Real", "Int", "BitVec"];
            let own =
                |name: &str| theory.starts_with(&name.to_lowercase()) || theory == "string" && name == "Int";
            let heads = rank.parameter_heads().chain(rank.result_head());
            let mut heads = heads.map(|head| arena.text(head).to_owned());
            heads.any(|head| foreign.contains(&head.as_str()) && !own(&head))
        };
        let ranks = generator.operators().ranks().iter().filter(|rank| !needs_others(rank));
        let names: BTreeSet<&str> = ranks.map(|rank| generator.operators().name(rank)).collect();
        let missing: Vec<&&str> = names.iter().filter(|name| !used.contains(**name)).collect();
        // These need integers and reals; the index of `char` cannot be drawn, but string literals cover it.
        let expected = ["is_int", "to_int", "to_real", "char"];
        assert!(missing.iter().all(|name| expected.contains(name)), "{theory}: {missing:?}");
    }
}

#[test]
fn every_logic_holds_the_scripts_that_are_made_for_it() {
    for logic in logic::STANDARD_LOGICS {
        let generator = generator(&[logic], |_| {}).unwrap();
        let features = Features::of_name(logic).unwrap();
        let made = scripts(&generator, 40);
        assert!(!made.is_empty(), "{logic}");
        for script in made {
            assert!(features.include(&Features::of_script(&script)), "{logic}: {script}");
        }
    }
}

#[test]
fn strings_without_integers_use_operators_of_strings() {
    let generator = generator(&["QF_S"], |_| {}).unwrap();
    let used: BTreeSet<String> = scripts(&generator, 200).iter().flat_map(heads).collect();
    for name in ["str.++", "str.replace_all", "str.in_re", "str.<", "re.union"] {
        assert!(used.contains(name), "{name}: {used:?}");
    }
}

#[test]
fn settings_are_kept() {
    let few = generator(&["fp"], |s| {
        s.operators = vec!["fp.add".into(), "fp.eq".into()];
        s.rounding_modes = vec!["RTZ".into()];
        s.sorts = vec!["(_ FloatingPoint 3 4)".into()];
        (s.variables, s.assertions, s.habits.depth) = (2, 5, 3);
        s.habits.literals = 0;
    });
    for script in scripts(&few.unwrap(), 100) {
        assert_eq!(script.assertions().count(), 5);
        let known = ["fp.add", "fp.eq", "RTZ", "x1", "x2", "x3", "x4", "true", "false"];
        assert!(heads(&script).iter().all(|name| known.contains(&name.as_str())), "{script}");
        assert!(!script.to_string().contains("Float32"), "{script}");
    }
}

#[test]
fn a_weight_of_zero_leaves_out_and_a_high_one_prefers() {
    let weighted = |weight: u32| {
        let generator =
            generator(&["fp"], |s| s.habits.weights.extend([("fp.sqrt".to_owned(), weight)])).unwrap();
        scripts(&generator, 200).iter().filter(|script| heads(script).contains("fp.sqrt")).count()
    };
    assert_eq!(weighted(0), 0);
    assert!(weighted(50) > 150 && weighted(1) < 120, "{} {}", weighted(50), weighted(1));
}

#[test]
fn a_wrong_name_is_an_error_that_says_which_was_meant() {
    let error = |change: fn(&mut GeneratorSettings)| generator(&["fp"], change).unwrap_err().to_string();
    assert_eq!(
        error(|s| s.operators = vec!["fp.sqr".into()]),
        "unknown operator fp.sqr (did you mean `fp.sqrt`?)"
    );
    assert!(error(|s| s.rounding_modes = vec!["RNX".into()]).contains("expected one of RNE"));
    assert!(error(|s| s.sorts = vec!["Float33".into()]).starts_with("Float33 is not a sort"));
    assert!(error(|s| s.theories.clear()).contains("no theory"));
}
