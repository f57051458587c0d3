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

#[test]
fn relations_and_nullables_use_all_their_operators() {
    let signature = Signature::standard();
    let is_grown = |(_, form): &&(&str, &str)| *form == "relations";
    let relational = GrownForms::FORMS.iter().filter(is_grown).map(|(name, _)| *name).collect();
    let nullable = ["nullable.null", "nullable.some", "nullable.val", "nullable.is_null", "nullable.is_some"];
    let expected: [(&str, BTreeSet<&str>); 2] = [("relation", relational), ("nullable", nullable.into())];
    for (theory, names) in expected {
        let theories = TheoryChoice::read(theory).unwrap().theories;
        let settings =
            GeneratorSettings { theories, scope: ValueScope::Small, ..GeneratorSettings::default() };
        let profiles = Profiles::built_in();
        let cvc5 = (&**profiles.get("cvc5").unwrap(), None);
        let made = scripts(&Generator::new(&signature, settings, &[cvc5]).unwrap(), 300);
        for script in &made {
            let text = script.to_string();
            let read = Script::parse(&text, &signature).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert!(read == *script, "read back as another script:\n{text}");
            assert!(!read.has_opaque(), "{text}");
        }
        let used: BTreeSet<String> = made.iter().flat_map(heads).collect();
        let missing: Vec<&&str> = names.iter().filter(|name| !used.contains(**name)).collect();
        assert!(missing.is_empty(), "{theory}: {missing:?}");
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
fn a_logic_holds_every_script_that_is_made_for_it() {
    for logic in
        ["QF_FP", "QF_BVFP", "QF_SLIA", "QF_LIA", "QF_NRA", "QF_AUFBV", "QF_UFDT", "UFLIA", "BV", "QF_UF"]
    {
        let generator = generator(&[logic], |_| {}).unwrap();
        let features = Features::of_name(logic).unwrap();
        let made = scripts(&generator, 200);
        assert!(made.len() > 100, "{logic}: {}", made.len());
        for script in made {
            assert!(features.include(&Features::of_script(&script)), "{logic}: {script}");
        }
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
