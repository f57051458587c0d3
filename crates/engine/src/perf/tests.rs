//! Both loops with solvers that are functions: a slow operator, a wrong one.

use gainsay_smt::Signature;

use super::localize::{Localization, OracleJudgement};
use super::score::SolveEffort;
use super::*;
use crate::finding::{Evidence, Finding, FindingKind, Fingerprint};
use crate::strategy::construct::list;
use crate::strategy::generate::theory::TheoryChoice;
use crate::strategy::generate::{GeneratorSettings, KeptDeclarations};

fn generator() -> Generator {
    let mut settings = GeneratorSettings {
        theories: TheoryChoice::read("fp").unwrap().theories,
        declarations: KeptDeclarations::All,
        assertions: 2,
        ..GeneratorSettings::default()
    };
    settings.habits.depth = 3;
    Generator::new(&Signature::standard(), settings, &[]).unwrap()
}

fn plan(method: SearchMethod, rng_seed: u64) -> SearchPlan {
    SearchPlan {
        method,
        limit: 10.0,
        least: 0.1,
        patience: 30,
        bound: AtBound::GoOn,
        keep: 3,
        decay: 1.0,
        rng_seed,
    }
}

/// The noise of a measurement: a number that the text and the turn decide.
fn noise(text: &str, turn: usize) -> f64 {
    let mut rng = RandomStream::new(text.len() as u64).child(text, turn as u64).rng();
    rng.fraction() * 0.08
}

fn score(target: f64) -> Score {
    Score::new(SolveEffort::Solved(target), vec![SolveEffort::Solved(0.01)], 10.0)
}

fn finding(print: &str) -> Finding {
    Finding {
        kind: FindingKind::Refutation,
        suspects: "target".into(),
        needs_model: false,
        evidence: Evidence::Proved,
        fingerprint: Fingerprint::new(FindingKind::Refutation, "target", print),
        explanation: String::new(),
    }
}

#[test]
fn the_slow_operator_is_named_first_by_every_agent() {
    let generator = generator();
    let constructs = list(&generator);
    for (name, runs) in [("thompson", 10), ("ucb", 4), ("epsilon", 4)] {
        let mut first = 0;
        for seed in 0..runs {
            let mut search =
                SlowScriptSearch::new(&generator, &constructs, plan(SearchMethod::find(name).unwrap(), seed));
            let mut turn = 0;
            let mut measure = |script: &Script| {
                turn += 1;
                let text = script.to_string();
                let slow = if text.contains("fp.rem") { 1.0 } else { 0.0 };
                Ok(score(0.01 + slow + noise(&text, turn)))
            };
            while search.queries() < 2000 {
                search.step(&mut measure).unwrap();
            }
            let best = search.record().ranking()[0];
            first += u64::from(constructs[best.arm].name == "fp.rem");
            assert!(search.best[0].margin >= 1.0 && search.best[0].script.to_string().contains("fp.rem"));
        }
        assert!(first >= runs - 1, "{name}: first in {first} of {runs}");
    }
}

#[test]
fn the_operator_with_wrong_answers_is_named_first() {
    let generator = generator();
    let constructs = list(&generator);
    let mut first = 0;
    for seed in 0..10 {
        let method = SearchMethod::find("thompson").unwrap();
        let mut search = Localization::new(&generator, &constructs, method, 1.0, seed);
        let mut judge = |script: &Script| {
            let text = script.to_string();
            Ok(match text.len() % 7 {
                0 => OracleJudgement::Undecided("out of time".into()),
                _ if text.contains("fp.rem") => OracleJudgement::Wrong(vec![finding("x")]),
                _ => OracleJudgement::Fine,
            })
        };
        while search.queries < 2000 {
            search.step(&mut judge).unwrap();
        }
        let best = search.record().ranking()[0];
        first += usize::from(constructs[best.arm].name == "fp.rem");
        assert!(search.triggers.iter().all(|trigger| trigger.script.to_string().contains("fp.rem")));
        assert!(search.undecided.0 > 0);
    }
    assert!(first >= 9, "first in {first} of 10");
}

#[test]
fn a_construct_earns_nothing_where_the_script_is_wrong_without_it_and_what_is_fine_is_asked_once() {
    let generator = generator();
    let constructs = list(&generator);
    let ranked = |seen: OracleJudgement| {
        let method = SearchMethod::find("thompson").unwrap();
        let mut search = Localization::new(&generator, &constructs, method, 1.0, 1);
        while search.queries < 200 {
            search.step(&mut |_| Ok(seen.clone())).unwrap();
        }
        let pulls: f64 = search.record().ranking().iter().map(|rank| rank.pulls).sum();
        (pulls, search.record().has_success())
    };
    assert_eq!(ranked(OracleJudgement::Wrong(vec![finding("x")])), (0.0, false));
    assert_eq!(ranked(OracleJudgement::Fine), (200.0, false));
}

#[test]
fn the_baselines_climb_and_the_same_seed_makes_the_same_queries() {
    let generator = generator();
    let constructs = list(&generator);
    for name in SearchMethod::METHOD_NAMES {
        let run = || {
            let mut search =
                SlowScriptSearch::new(&generator, &constructs, plan(SearchMethod::find(name).unwrap(), 3));
            let mut measure =
                |script: &Script| Ok(score(script.to_string().matches("fp.").count() as f64 / 10.0));
            (0..200).for_each(|_| assert!(search.step(&mut measure).is_ok()));
            (search.best[0].script.to_string(), search.best[0].margin, search.points.clone())
        };
        let (text, margin, points) = run();
        assert!(margin > 0.3, "{name}: {margin}");
        assert_eq!((text, margin, points), run(), "{name}");
    }
}

#[test]
fn what_is_lost_earns_nothing_and_is_counted() {
    let generator = generator();
    let constructs = list(&generator);
    let mut search =
        SlowScriptSearch::new(&generator, &constructs, plan(SearchMethod::find("thompson").unwrap(), 1));
    let mut measure = |_: &Script| {
        Ok(Score::new(SolveEffort::Lost("refused".into()), vec![SolveEffort::Solved(0.1)], 10.0))
    };
    (0..50).for_each(|_| assert!(search.step(&mut measure).is_ok()));
    assert_eq!(search.lost, (50, "refused".to_owned()));
    assert!(search.best.is_empty() && (0..constructs.len()).all(|arm| search.record().pulls(arm) == 0.0));
}

#[test]
fn every_method_finds_wrong_answers_and_only_those_that_change_scripts_name_constructs() {
    let generator = generator();
    let constructs = list(&generator);
    for name in SearchMethod::METHOD_NAMES {
        let mut search =
            Localization::new(&generator, &constructs, SearchMethod::find(name).unwrap(), 1.0, 5);
        let mut judge = |script: &Script| {
            let wrong = script.to_string().contains("fp.rem");
            Ok(if wrong { OracleJudgement::Wrong(vec![finding("rem")]) } else { OracleJudgement::Fine })
        };
        (0..200).for_each(|_| search.step(&mut judge).unwrap());
        assert!(!search.triggers.is_empty(), "{name}");
        let texts: std::collections::HashSet<String> =
            search.triggers.iter().map(|trigger| trigger.script.to_string()).collect();
        assert_eq!(texts.len(), search.triggers.len(), "{name} keeps each script once");
        let changed = search.triggers.iter().any(|trigger| trigger.construct.is_some());
        assert_eq!(changed, name != "random", "{name}");
    }
}

#[test]
fn a_crash_is_kept_once_with_its_first_script_and_teaches_nothing() {
    let generator = generator();
    let constructs = list(&generator);
    for name in SearchMethod::METHOD_NAMES {
        let mut search =
            SlowScriptSearch::new(&generator, &constructs, plan(SearchMethod::find(name).unwrap(), 2));
        let mut measure = |script: &Script| {
            let crash = if script.to_string().contains("fp.rem") { "rem" } else { "other" };
            Ok(Score::new(
                SolveEffort::Crashed(Box::new(finding(crash))),
                vec![SolveEffort::Solved(0.1)],
                10.0,
            ))
        };
        (0..60).for_each(|_| assert!(search.step(&mut measure).is_ok()));
        assert_eq!(search.crashes.len(), 2, "{name}");
        assert_eq!(search.crashes.iter().map(|crash| crash.seen).sum::<u64>(), 60, "{name}");
        assert_eq!(search.lost.0, 60, "{name}");
        assert!((0..constructs.len()).all(|arm| search.record().pulls(arm) == 0.0), "{name}");
    }
}

#[test]
fn a_climb_begins_where_references_solve_and_goes_on_from_changes_that_make_no_difference() {
    let generator = generator();
    let constructs = list(&generator);
    let mut search =
        SlowScriptSearch::new(&generator, &constructs, plan(SearchMethod::find("mutational").unwrap(), 4));
    // Slow are scripts with two constructs, of which one alone makes no difference.
    let mut measure = |script: &Script| {
        let text = script.to_string();
        let slow = text.contains("fp.rem") && text.contains("fp.sqrt") && text.contains("fp.fma");
        let hard = if text.contains("fp.div") { SolveEffort::Unsolved } else { SolveEffort::Solved(0.01) };
        Ok(Score::new(SolveEffort::Solved(if slow { 5.0 } else { 0.01 }), vec![hard], 10.0))
    };
    (0..400).for_each(|_| assert!(search.step(&mut measure).is_ok()));
    assert!(search.best[0].margin > 4.0 && search.comparable > 200, "{}", search.comparable);
}

#[test]
fn of_each_climb_the_best_script_is_kept() {
    let generator = generator();
    let constructs = list(&generator);
    let hasty = SearchPlan { patience: 3, ..plan(SearchMethod::find("mutational").unwrap(), 6) };
    let mut search = SlowScriptSearch::new(&generator, &constructs, hasty);
    let mut measure = |script: &Script| Ok(score(script.to_string().matches("fp.").count() as f64 / 3.0));
    (0..150).for_each(|_| assert!(search.step(&mut measure).is_ok()));
    let climbs: std::collections::HashSet<u64> = search.best.iter().map(|kept| kept.climb).collect();
    assert!(search.best.len() > 1 && climbs.len() == search.best.len(), "{climbs:?}");
    assert!(search.points.len() > 5 * climbs.len());
    let best = search.points.iter().filter_map(|point| point.margin).fold(0.0, f64::max);
    assert_eq!(search.best[0].margin, best);
}

#[test]
fn a_search_stops_at_the_bound_if_it_is_told_to() {
    let generator = generator();
    let constructs = list(&generator);
    let stopping = SearchPlan { bound: AtBound::Stop, ..plan(SearchMethod::find("ucb").unwrap(), 1) };
    let mut search = SlowScriptSearch::new(&generator, &constructs, stopping);
    let mut measure = |script: &Script| {
        let target = if script.to_string().contains("fp.sqrt") {
            SolveEffort::Unsolved
        } else {
            SolveEffort::Solved(0.1)
        };
        Ok(Score::new(target, vec![SolveEffort::Solved(0.1)], 10.0))
    };
    let steps = (0..1000).take_while(|_| search.step(&mut measure).unwrap() == SearchStep::More).count();
    assert!(steps < 999);
    assert!(search.best[0].script.to_string().contains("fp.sqrt"));
}
