//! Chains are reproducible, and errors of a strategy are caught.

use super::*;
use crate::campaign::scripts::drawn_logic::LogicChoice;
use crate::campaign::scripts::partners::PartnerPools;
use crate::strategy::operators::Operators;
use crate::strategy::value::ConstantSource;
use crate::strategy::{self, CaseBounds, FusionSettings, ScopeChoice, StrategySettings};
use crate::trial::Promise;
use gainsay_smt::Signature;

const SEED_SCRIPT: &str = "(set-info :status sat)(declare-const x Int)(declare-const y Int)\
                    (assert (< x (+ y 1)))(assert (or (= x 0) (> y 3)))(check-sat)";

fn recipe(length: u64) -> Recipe {
    let operators = Operators::standard(&Signature::standard());
    let (bounds, fusion) = (CaseBounds { bytes: 1000, depth: 30 }, FusionSettings::default());
    let settings = StrategySettings {
        bounds,
        operators,
        fusion,
        values: ConstantSource::Random,
        scope: crate::strategy::ScopeChoice::default(),
        formats: Default::default(),
        enumerations: Default::default(),
    };
    let strategies = ["generative", "operator", "subterm"].into_iter().filter_map(strategy::find).collect();
    Recipe::new(7, length, strategies, settings)
}

fn texts(chain: Chain<'_>) -> Vec<String> {
    chain
        .map(|step| match step.outcome {
            StepOutcome::Made(made) => made.text,
            StepOutcome::Skipped(skip) => skip.name().to_owned(),
            StepOutcome::OurBug(bug) => panic!("{bug}"),
        })
        .collect()
}

#[test]
fn a_chain_is_known_by_its_number_and_is_made_again_alike() {
    let (recipe, seed) = (recipe(20), Script::parse(SEED_SCRIPT, &Signature::standard()).unwrap());
    let chain = |number, reread| texts(Chain::new(&recipe, number, &seed, None, reread));
    let first = chain(3, Reread::Yes);
    assert_eq!(first, chain(3, Reread::Yes));
    assert_eq!(first, chain(3, Reread::No), "reading again changes nothing");
    assert_ne!(first, chain(4, Reread::Yes));
    assert_eq!(first.len(), 20);
}

#[test]
fn a_step_that_is_left_out_leaves_the_script_as_it_was_and_the_others_their_draws() {
    let (recipe, seed) = (recipe(20), Script::parse(SEED_SCRIPT, &Signature::standard()).unwrap());
    let chain = || Chain::new(&recipe, 3, &seed, None, Reread::Yes);
    let whole: Vec<(CaseNumber, &str)> = chain().map(|step| (step.case, step.strategy)).collect();
    let mut fewer = chain();
    let before = fewer.text();
    (0..5).for_each(|_| fewer.leave_out());
    assert_eq!(fewer.text(), before);
    let rest: Vec<(CaseNumber, &str)> = fewer.map(|step| (step.case, step.strategy)).collect();
    assert_eq!(rest, whole[5..]);
    assert_eq!(recipe.steps_to(63), [60, 61, 62, 63]);
}

#[test]
fn a_step_changes_what_the_step_before_made() {
    let (recipe, seed) = (recipe(30), Script::parse(SEED_SCRIPT, &Signature::standard()).unwrap());
    let mut chain = Chain::new(&recipe, 0, &seed, None, Reread::Yes);
    assert!(!chain.text().contains(":status"), "the status of the seed is not that of its mutants");
    let mut before = chain.text();
    while let Some(step) = chain.next() {
        let StepOutcome::Made(made) = step.outcome else { continue };
        let changed = before.lines().zip(made.text.lines()).filter(|(a, b)| a != b).count();
        assert_eq!(changed, 1, "{before}{}", made.text);
        assert_eq!((made.text.as_str(), made.script.to_string()), (chain.text().as_str(), made.text.clone()));
        assert!(made.text.len() <= 1000, "{} bytes", made.text.len());
        before = made.text;
    }
}

#[test]
fn a_long_chain_does_not_pile_up_what_its_scripts_were() {
    let (recipe, seed) = (recipe(5000), Script::parse(SEED_SCRIPT, &Signature::standard()).unwrap());
    let mut chain = Chain::new(&recipe, 0, &seed, None, Reread::Yes);
    let mut most = 0;
    while let Some(step) = chain.next() {
        assert!(!matches!(step.outcome, StepOutcome::OurBug(_)), "{:?}", step.outcome);
        most = most.max(chain.script().arena().term_count());
    }
    assert!((MAX_UNUSED_TERMS..2 * MAX_UNUSED_TERMS).contains(&most), "{most} terms");
}

#[test]
fn the_step_after_a_side_step_starts_from_the_script_before_it() {
    let seed = Script::parse(SEED_SCRIPT, &Signature::standard()).unwrap();
    let recipe = |names: &[&str]| {
        let strategies = names.iter().filter_map(|name| strategy::find(name)).collect();
        Recipe::new(7, 40, strategies, recipe(1).settings)
    };
    let mixed = recipe(&["operator", "incremental", "generate"]);
    let mut chain = Chain::new(&mixed, 0, &seed, None, Reread::Yes);
    let mut side_steps = 0;
    let mut before = chain.text();
    while let Some(step) = chain.next() {
        let StepOutcome::Made(made) = step.outcome else { continue };
        assert_eq!(made.is_side_step, step.strategy != "operator");
        assert_eq!(chain.text(), if made.is_side_step { &before } else { &made.text }.as_str());
        side_steps += usize::from(made.is_side_step);
        before = chain.text();
    }
    assert!((10..40).contains(&side_steps), "{side_steps}");
    let made_alone = |name: &str| -> Vec<bool> {
        let alone = recipe(&[name]);
        let made = |step: Step| match step.outcome {
            StepOutcome::Made(made) => Some(made.is_side_step),
            _ => None,
        };
        Chain::new(&alone, 0, &seed, None, Reread::Yes).filter_map(made).collect()
    };
    let generated = made_alone("generate");
    assert!(generated.contains(&false) && !generated.contains(&true), "there is nothing else to go on from");
    let split = made_alone("incremental");
    assert!(
        split.len() > 5 && !split.contains(&false),
        "a script over several checks is not split again: {split:?}"
    );
}

#[test]
fn a_chain_makes_no_script_twice() {
    let seed = "(declare-const x Int)(assert (< x 3))(check-sat)";
    let seed = Script::parse(seed, &Signature::standard()).unwrap();
    let recipe = Recipe::new(7, 200, vec![strategy::find("operator").unwrap()], recipe(1).settings);
    let mut made = texts(Chain::new(&recipe, 0, &seed, None, Reread::Yes));
    let steps = made.len();
    made.retain(|text| text.starts_with('('));
    let count = made.len();
    assert!(!made.contains(&seed.to_string()) && 1 < count && count < steps, "{made:?}");
    made.sort();
    made.dedup();
    assert_eq!(made.len(), count);
}

/// Puts `new` in the place of the first child of an assertion, as if it were well-sorted.
#[derive(Debug)]
struct Careless(&'static str);

impl Strategy for Careless {
    fn name(&self) -> &'static str {
        "careless"
    }

    fn about(&self) -> &'static str {
        "gets it wrong"
    }

    fn propose(&self, parents: &[Parent<'_>], _: &StrategySettings, rng: &mut Rng) -> Result<Proposal, Skip> {
        let mut script = parents[0].script.clone();
        let command = 2 + rng.below(2);
        let root = script.commands[command].term(0);
        let Some(&old) = script.arena().children(root).first() else { return Err(Skip::NothingToDo) };
        let (name, sort) = (script.arena_mut().symbol(self.0), script.arena().sort_of(old));
        let new = script.arena_mut().application(gainsay_smt::Head::plain(name), &[], sort);
        let edit = gainsay_smt::Edit { command, position: 0, path: vec![(root, 0)], old, new };
        edit.make(&mut script);
        Ok(Proposal { edit: Some(edit), ..Proposal::new(script, Promise::Nothing, self.0.to_owned()) })
    }
}

#[test]
fn a_proposal_that_is_ill_sorted_or_out_of_scope_is_caught_at_any_step() {
    let seed = Script::parse(SEED_SCRIPT, &Signature::standard()).unwrap();
    let [wrong, unknown, right]: [&'static dyn Strategy; 3] =
        [&Careless("re.none"), &Careless("z"), strategy::ALL[0]];
    let settings = || recipe(1).settings;
    for (careless, words) in [(wrong, "something else"), (unknown, "unknown function or constant z")] {
        let recipe = Recipe::new(1, 60, vec![careless, right], settings());
        let mut caught = 0;
        let mut chain = Chain::new(&recipe, 0, &seed, None, Reread::Yes);
        while let Some(step) = chain.next() {
            match step.outcome {
                StepOutcome::OurBug(bug) => {
                    assert!(bug.contains(words) || bug.contains("expected"), "{bug}");
                    caught += 1;
                }
                StepOutcome::Made(_) => assert_eq!(step.strategy, "generative", "{}", chain.text()),
                StepOutcome::Skipped(_) => {}
            }
            let again = Script::parse(&chain.text(), &Signature::standard()).unwrap();
            assert!(again == *chain.script(), "{}", chain.text());
        }
        assert!(caught > 10, "{caught}");
    }
}

#[test]
fn a_round_visits_every_seed_once_and_no_round_is_like_another() {
    let recipe = recipe(10);
    let mut visits = recipe.visits(50);
    let mut round = |number: u64| (0..50).map(|n| visits.seed_of(number * 50 + n)).collect::<Vec<_>>();
    let (first, second) = (round(0), round(1));
    assert_ne!(first, second);
    assert_eq!(first, round(0));
    for mut round in [first, second] {
        round.sort_unstable();
        assert_eq!(round, (0..50).collect::<Vec<_>>());
    }
}

#[test]
fn no_case_is_larger_than_its_bound_even_where_the_seed_is() {
    let seed = Script::parse(SEED_SCRIPT, &Signature::standard()).unwrap();
    let outcomes = |bytes: usize| {
        let settings = StrategySettings { bounds: CaseBounds { bytes, depth: 30 }, ..recipe(1).settings };
        let strategies = vec![strategy::find("operator").unwrap()];
        let recipe = Recipe::new(7, 50, strategies, settings);
        let chain = Chain::new(&recipe, 0, &seed, None, Reread::Yes);
        let outcomes: Vec<StepOutcome> = chain.map(|step| step.outcome).collect();
        outcomes
    };
    let size = seed.to_string().len() - "(set-info :status sat)\n".len();
    assert!(
        outcomes(1).iter().all(|one| matches!(one, StepOutcome::Skipped(Skip::TooLarge | Skip::NothingToDo)))
    );
    let within = outcomes(size);
    let made = within.iter().filter_map(|one| match one {
        StepOutcome::Made(made) => Some(made.text.len()),
        _ => None,
    });
    let made: Vec<usize> = made.collect();
    assert!(!made.is_empty() && made.iter().all(|&bytes| bytes <= size), "{made:?} of {size}");
}

#[test]
fn half_of_the_chains_start_under_another_logic_if_logics_are_drawn() {
    let text = "(set-logic QF_LIA)(declare-const x Int)(assert (< x 3))(check-sat)";
    let seed = Script::parse(text, &Signature::standard()).unwrap();
    let starts = |logics| -> Vec<Option<String>> {
        let settings = StrategySettings { scope: ScopeChoice::Ordinary, ..recipe(1).settings };
        let recipe =
            Recipe::new(7, 5, vec![strategy::find("operator").unwrap()], settings).under_logics(logics);
        let start = |number| {
            let chain = Chain::new(&recipe, number, &seed, Some(Answer::Sat), Reread::Yes);
            assert_eq!(*chain.seed(), seed, "solvers are asked about the seed as it was read");
            assert_eq!(chain.status, Some(Answer::Sat), "another logic changes no answer");
            let logic = chain.script().logic().map(str::to_owned);
            let told = logic.clone().unwrap_or_else(|| "none".to_owned());
            let expected = if told == "QF_LIA" { Vec::new() } else { vec![format!("logic: {told}")] };
            assert_eq!(chain.origin(), expected);
            logic
        };
        (0..64).map(start).collect()
    };
    let own = Some("QF_LIA".to_owned());
    assert!(starts(LogicChoice::Own).iter().all(|logic| *logic == own));
    let drawn = starts(LogicChoice::Drawn);
    let count = |logic: Option<&str>| drawn.iter().filter(|one| one.as_deref() == logic).count();
    let (none, all, kept) = (count(None), count(Some("ALL")), count(Some("QF_LIA")));
    assert!(none >= 8 && all >= 8 && kept >= 20 && none + all + kept == 64, "{none}, {all}, {kept}");
}

#[test]
fn a_chain_in_small_scope_starts_from_a_shrunk_seed() {
    let seed = Script::parse(SEED_SCRIPT, &Signature::standard()).unwrap();
    let starts = |scope| {
        let settings = StrategySettings { scope, ..recipe(1).settings };
        let recipe = Recipe::new(7, 5, vec![strategy::find("operator").unwrap()], settings);
        let chains: Vec<(bool, Vec<String>)> = (0..64)
            .map(|number| {
                let chain = Chain::new(&recipe, number, &seed, Some(Answer::Sat), Reread::Yes);
                assert!(*chain.seed() == seed.without_status());
                let is_small = chain.text().contains("(assert (<= (- 3) x 4))");
                assert_eq!(is_small, !chain.origin().is_empty());
                assert_eq!(
                    chain.status,
                    Some(Answer::Sat).filter(|_| !is_small),
                    "the answer of a shrunk seed is not known"
                );
                (is_small, texts(chain))
            })
            .collect();
        chains
    };
    let small = |chains: &[(bool, Vec<String>)]| chains.iter().filter(|(is_small, _)| *is_small).count();
    assert_eq!(small(&starts(ScopeChoice::Small)), 64);
    assert_eq!(small(&starts(ScopeChoice::Ordinary)), 0);
    let (ordinary, some) = (starts(ScopeChoice::Ordinary), starts(ScopeChoice::Some));
    assert_eq!(starts(ScopeChoice::Mixed), ordinary, "it concerns generated scripts only");
    assert!((3..13).contains(&small(&some)), "one in ten: {}", small(&some));
    for (some, ordinary) in some.iter().zip(&ordinary).filter(|(some, _)| !some.0) {
        assert_eq!(some, ordinary, "the choice moves no other draws");
    }
}

#[test]
fn every_case_of_a_chain_in_small_scope_has_the_bounds_of_its_seed() {
    let seed = Script::parse(SEED_SCRIPT, &Signature::standard()).unwrap();
    let settings = StrategySettings { scope: ScopeChoice::Small, ..recipe(1).settings };
    let recipe = Recipe::new(7, 40, vec![strategy::find("operator").unwrap()], settings);
    let chain = Chain::new(&recipe, 3, &seed, None, Reread::Yes);
    let steps = chain.filter_map(|step| match step.outcome {
        StepOutcome::Made(made) => Some(made.text),
        StepOutcome::Skipped(_) => None,
        StepOutcome::OurBug(bug) => panic!("{bug}"),
    });
    let texts: Vec<String> = steps.collect();
    assert!(texts.len() > 10);
    for text in &texts {
        assert!(
            text.contains("(assert (<= (- 3) x 4))") && text.contains("(assert (<= (- 3) y 4))"),
            "{text}"
        );
    }
    let assertions = |text: &String| text.matches("(assert").count();
    assert!(texts.iter().all(|text| assertions(text) == 4), "a changed bound is not kept");
}

#[test]
fn a_case_knows_its_chain() {
    let recipe = recipe(10);
    assert_eq!((recipe.place_of(37), recipe.cases_of(3)), ((3, 7), 30..40));
}

/// The number of seeds that each case of a chain of these strategies is fused with, and the strategy of the case.
fn joins(names: &[&str]) -> Vec<(&'static str, usize)> {
    let signature = Signature::standard();
    let settings =
        StrategySettings { bounds: CaseBounds { bytes: 10_000, depth: 100 }, ..recipe(1).settings };
    let strategies = names.iter().filter_map(|name| strategy::find(name)).collect();
    let recipe = Recipe::new(3, 300, strategies, settings);
    let read = || Script::parse(SEED_SCRIPT, &signature).unwrap();
    let pools = PartnerPools::new([(Some(Answer::Sat), "Int")].into_iter());
    let library = PartnerLibrary::new(pools, |_| Some(read()));
    let seed = read();
    let chain = || Chain::new(&recipe, 0, &seed, Some(Answer::Sat), Reread::Yes).with_partners(0, &library);
    assert_eq!(texts(chain()), texts(chain()));
    let mut joins = Vec::new();
    for step in chain() {
        let StepOutcome::Made(made) = step.outcome else { continue };
        assert!(!made.text.contains(":status"), "{}", made.text);
        let promised = match step.strategy {
            "fusion" => (Promise::Known(Answer::Sat), Some(0)),
            _ => (Promise::Nothing, None),
        };
        assert_eq!((made.promise, step.partner), promised);
        let names = made.text.matches("(declare-const x").count();
        assert_eq!(names, made.joined.len() + 1, "a fused script has the names of both seeds: {}", made.text);
        joins.push((step.strategy, made.joined.len()));
    }
    joins
}

#[test]
fn a_mutation_drops_the_promise_and_a_join_starts_from_the_seed_then() {
    let mixed = joins(&["fusion", "subterm"]);
    let count = |of: (&str, usize)| mixed.iter().filter(|step| **step == of).count();
    assert!(count(("fusion", 1)) > 50 && count(("subterm", 0)) > 50, "{mixed:?}");
    assert_eq!(count(("fusion", 1)) + count(("subterm", 0)), mixed.len(), "{mixed:?}");
}

#[test]
fn fusions_alone_go_on_from_each_other_up_to_a_bound() {
    let alone: Vec<usize> = joins(&["fusion"]).into_iter().map(|(_, joined)| joined).collect();
    assert_eq!((alone[0], alone[1], alone[2]), (1, MAX_JOINS_IN_A_ROW, 1));
    assert_eq!(alone.iter().max(), Some(&MAX_JOINS_IN_A_ROW));
}

#[test]
fn a_seed_that_cannot_be_joined_is_skipped_with_a_reason() {
    let recipe = Recipe::new(3, 1, vec![strategy::find("fusion").unwrap()], recipe(1).settings);
    let seed = Script::parse(SEED_SCRIPT, &Signature::standard()).unwrap();
    let library = |status, script: Option<Script>| {
        PartnerLibrary::new(PartnerPools::new([(status, "Int")].into_iter()), move |_| script.clone())
    };
    let outcome = |status, library: &PartnerLibrary<'_>| {
        texts(Chain::new(&recipe, 0, &seed, status, Reread::Yes).with_partners(0, library)).remove(0)
    };
    let sat = Some(Answer::Sat);
    assert_eq!(outcome(None, &library(sat, None)), "the status of the seed is not known");
    assert_eq!(outcome(sat, &library(Some(Answer::Unsat), None)), "there is no seed to join it with");
    assert_eq!(outcome(sat, &library(sat, None)), "the seed to join it with cannot be read any more");
    assert!(outcome(sat, &library(sat, Some(seed.clone()))).contains("(declare-fun z "));
}

/// Three checks: the second has a scope of its own.
const CHECKS_SCRIPT: &str = "(declare-const x (_ BitVec 2))(declare-const y (_ BitVec 2))(assert (bvult x y))\
    (set-info :status sat)(check-sat)(push)(assert (= y #b00))(set-info :status unsat)(check-sat)(pop)\
    (assert (distinct x #b11))(check-sat)";

#[test]
fn each_check_of_a_mutant_keeps_its_promise_or_loses_it() {
    use gainsay_smt::exhaust::{self, ExactAnswer, ExhaustionBudget};
    use gainsay_smt::sat_queries;
    let (recipe, seed) = (recipe(6), Script::parse(CHECKS_SCRIPT, &Signature::standard()).unwrap());
    let (mut kept, mut lost) = (0, 0);
    for number in 0..60 {
        for step in Chain::new(&recipe, number, &seed, None, Reread::Yes) {
            let StepOutcome::Made(made) = step.outcome else { continue };
            assert_eq!(made.promise, Promise::Nothing);
            let answers = made.known.of_each(&made.script);
            for (query, answer) in sat_queries(&made.script).iter().zip(answers) {
                let Some(answer) = answer else {
                    lost += 1;
                    continue;
                };
                let budget = ExhaustionBudget::of_steps(1_000_000);
                let exact = match exhaust::decide(&made.script, query, budget).answer {
                    ExactAnswer::Sat { .. } => Answer::Sat,
                    ExactAnswer::Unsat => Answer::Unsat,
                    ExactAnswer::Undecided(why) => panic!("{why}: {}", made.text),
                };
                assert_eq!(exact, answer, "{}", made.text);
                kept += 1;
            }
        }
    }
    assert!(kept > 20 && lost > 20, "{kept} kept, {lost} lost");
}

#[test]
fn strategies_are_drawn_by_their_weights() {
    let counts = |weights: &[(&str, u32)]| {
        let weights = weights.iter().map(|(name, weight)| ((*name).to_owned(), *weight)).collect();
        let strategies = ["operator", "subterm", "value"].map(|name| strategy::find(name).unwrap());
        let recipe = Recipe::new(7, 1, strategies.to_vec(), recipe(1).settings).weighted(&weights);
        let drawn = |case: u64| recipe.strategy(None, &mut recipe.stream_of(case).rng()).name();
        let count = |name: &str| (0..1000).filter(|case| drawn(*case) == name).count();
        ["operator", "subterm", "value"].map(count)
    };
    let near = |count: usize, expected: usize| count.abs_diff(expected) < 60;
    let [operator, subterm, value] = counts(&[]);
    assert!([operator, subterm, value].iter().all(|count| near(*count, 333)), "{operator} {subterm} {value}");
    let [operator, subterm, value] = counts(&[("operator", 6), ("value", 3)]);
    assert!(near(operator, 600) && near(subterm, 100) && near(value, 300), "{operator} {subterm} {value}");
}
