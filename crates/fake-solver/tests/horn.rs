//! Horn campaigns with behaviour feedback, with fake solvers.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use std::collections::BTreeSet;
use std::path::Path;

use fake_solver::fixture;
use fake_solver::test_campaign::{self, HORN_SEEDS, TestCampaign, script_recorder, without_statistics};
use gainsay_engine::campaign::Campaign;
use gainsay_engine::campaign::chain::StepOutcome;
use gainsay_engine::campaign::plan::CampaignPlan;
use gainsay_engine::campaign::remake::{RemakeError, remake};
use gainsay_engine::event::{Event, Stop};
use gainsay_engine::prepare::Preparation;
use gainsay_engine::session::panel::PanelSolver;
use gainsay_engine::store::memory::MemoryStore;
use gainsay_engine::store::{Batch, Store};
use gainsay_engine::strategy::mutation_weights::{MutationChoice, MutationWeights};

const FAKE_SOLVER: &str = env!("CARGO_BIN_EXE_fake-solver");

/// The skip reason of chains without new behaviour.
const NOTHING_NEW: &str = "chain ended: it shows nothing new any more";

/// A campaign on Horn clauses.
struct HornCampaign {
    test: TestCampaign,
}

impl HornCampaign {
    /// With a solver that obeys this directive and shows neither traces nor statistics.
    fn new(directive: &str, chain: u64, cases: u64) -> HornCampaign {
        let mut solver = without_statistics(fixture::solver(Path::new(FAKE_SOLVER), "horn"));
        solver.name = "a=fake".parse().unwrap();
        solver.name.options.extend(["--fake".to_owned(), directive.to_owned()]);
        let mut panel = test_campaign::panel(Path::new(FAKE_SOLVER), &[solver]);
        HornCampaign::with(panel.remove(0), chain, cases)
    }

    fn with(member: PanelSolver, chain: u64, cases: u64) -> HornCampaign {
        let (fake, horn) = (Path::new(FAKE_SOLVER), test_campaign::strategies(&["horn"]));
        let plan = CampaignPlan { chain, ..test_campaign::plan(cases) };
        HornCampaign { test: TestCampaign::new(fake, horn, vec![member], &HORN_SEEDS, plan) }
    }

    /// Runs until it ends, or until so many cases were reported.
    fn run(&self, store: &mut MemoryStore, cases: usize) -> (Stop, Vec<Event>) {
        self.test.run_cases(store, cases)
    }

    /// Checks that every reported case is reproduced exactly.
    fn check_remade(&self, store: &MemoryStore, events: &[Event]) -> usize {
        let Campaign { recipe, signature, .. } = &self.test.campaign;
        let mut remade = 0;
        for event in events {
            let Event::Case { case, mutation, bytes, seed, .. } = event else { continue };
            let again = remake(store, recipe, signature, *case).unwrap();
            let StepOutcome::Made(made) = &again.outcome else { panic!("{again:?}") };
            assert_eq!((made.text.len(), &again.seed.name), (*bytes, seed), "case {case}");
            assert_eq!(made.step.mutation, *mutation, "case {case}");
            remade += 1;
        }
        remade
    }
}

/// The mutations of the cases.
fn mutations(events: &[Event]) -> BTreeSet<&'static str> {
    let mutation = |event: &Event| match event {
        Event::Case { mutation, .. } => *mutation,
        _ => None,
    };
    events.iter().filter_map(mutation).collect()
}

#[test]
fn a_chain_that_shows_nothing_new_ends_before_its_last_step() {
    let campaign = HornCampaign::new("answer unsat", 100, 600);
    let mut store = MemoryStore::new("");
    let (why, _) = campaign.run(&mut store, usize::MAX);
    let tally = store.standing().unwrap().tally;
    assert_eq!((why, tally.flaky), (Stop::Cases, 0));
    assert!(tally.skipped[NOTHING_NEW] > 300, "{tally:?}");
    assert_eq!((tally.traces.runs, tally.traces.by["answers"]), (tally.cases + 3, tally.cases + 3));
    assert!(tally.traces.unique >= 1 && tally.traces.unique < 10, "{tally:?}");
}

#[test]
fn a_chain_without_answers_ends_after_as_many_as_the_plan_says() {
    let mut campaign = HornCampaign::new("answer unknown", 50, 50);
    campaign.test.campaign.plan.horn.unknowns = 4;
    let mut store = MemoryStore::new("");
    campaign.run(&mut store, usize::MAX);
    let tally = store.standing().unwrap().tally;
    assert_eq!((tally.cases, tally.skipped[NOTHING_NEW]), (4, 46), "{tally:?}");
}

#[test]
fn a_campaign_that_was_stopped_goes_on_and_every_case_is_made_again_as_it_was() {
    for jobs in [1, 3] {
        let mut campaign = HornCampaign::new("answer unsat", 8, 120);
        campaign.test.campaign.plan.jobs = jobs;
        let (mut store, mut told) = (MemoryStore::new(""), Vec::new());
        let mut stops = 0;
        loop {
            let (why, events) = campaign.run(&mut store, 13);
            told.extend(events);
            if why == Stop::Cases {
                break;
            }
            stops += 1;
        }
        let tally = store.standing().unwrap().tally;
        assert!(stops > 3 && tally.cases + tally.skipped_in_all() == 120, "{stops} {tally:?}");
        assert_eq!(campaign.check_remade(&store, &told) as u64, tally.cases);
        let rounds: Vec<usize> = store.lessons().unwrap().starts.iter().map(|start| start.seed).collect();
        for round in rounds.chunks(HORN_SEEDS.len()) {
            assert_eq!(round.iter().collect::<BTreeSet<_>>().len(), round.len(), "{rounds:?}");
        }
    }
}

#[test]
fn mutations_are_drawn_by_the_weights_that_were_recorded_and_made_again_by_those_of_their_chain() {
    let campaign = HornCampaign::new("answer unsat", 8, 48);
    let mut store = MemoryStore::new("");
    let (_, mut told) = campaign.run(&mut store, 20);
    assert!(mutations(&told).len() > 3, "{:?}", mutations(&told));
    let begun = store.lessons().unwrap().starts.len();
    let mut weights: MutationWeights = serde_json::from_str(&store.lessons().unwrap().weights).unwrap();
    assert_eq!(weights.choice, MutationChoice::Weighted);
    for row in weights.kinds.iter_mut().flat_map(|kind| &mut kind.mutations) {
        row.weight = f64::from(u8::from(row.name == "rename"));
    }
    let tally = store.standing().unwrap().tally;
    let weights = Some(serde_json::to_string(&weights).unwrap());
    store.record(&Batch { tally, weights, ..Batch::default() }).unwrap();
    let (_, later) = campaign.run(&mut store, usize::MAX);
    let is_later = |event: &&Event| matches!(event, Event::Case { case, .. } if *case >= begun as u64 * 8);
    let fresh: Vec<Event> = later.iter().filter(is_later).cloned().collect();
    assert!(fresh.len() > 8);
    assert_eq!(mutations(&fresh), BTreeSet::from(["rename"]));
    told.extend(later);
    assert_eq!(campaign.check_remade(&store, &told) as u64, store.standing().unwrap().tally.cases);
}

#[test]
fn a_case_that_is_made_again_is_byte_for_byte_what_the_solver_got() {
    let scripts = tempfile::tempdir().unwrap();
    let mut campaign = HornCampaign::with(script_recorder(Path::new(FAKE_SOLVER), scripts.path()), 8, 72);
    campaign.test.campaign.plan.jobs = 2;
    let (mut store, mut told) = (MemoryStore::new(""), Vec::new());
    while !told.iter().any(|event| matches!(event, Event::Closed { why: Stop::Cases })) {
        told.extend(campaign.run(&mut store, 11).1);
    }
    let files = std::fs::read_dir(scripts.path()).unwrap().map(|entry| entry.unwrap().path());
    let got: Vec<String> = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let Campaign { recipe, signature, .. } = &campaign.test.campaign;
    assert!(campaign.check_remade(&store, &told) > 40);
    for event in &told {
        let Event::Case { case, .. } = event else { continue };
        let again = remake(&store, recipe, signature, *case).unwrap();
        let StepOutcome::Made(made) = &again.outcome else { panic!("{again:?}") };
        // The solver also gets commands that ask for a model.
        let text = Preparation::standard(&made.script, &made.text);
        assert!(got.iter().any(|got| got.contains(text.trim_end())), "case {case}:\n{text}\n{}", got[0]);
    }
}

#[test]
fn the_order_of_seeds_is_that_of_the_plan() {
    let first = |order: &str| {
        let mut campaign = HornCampaign::new("answer unsat", 4, 12);
        campaign.test.campaign.plan.horn.order = order.parse().unwrap();
        let mut store = MemoryStore::new("");
        campaign.run(&mut store, usize::MAX);
        store.lessons().unwrap().starts.iter().map(|start| start.seed).collect::<Vec<_>>()
    };
    assert_eq!(first("default"), [0, 1, 2]);
    assert_eq!(first("complex"), [2, 1, 0]);
    assert_eq!(first("simple"), [0, 1, 2]);
}

#[test]
fn a_chain_that_was_not_begun_cannot_be_made_again() {
    let campaign = HornCampaign::new("answer unsat", 8, 8);
    let mut store = MemoryStore::new("");
    campaign.run(&mut store, usize::MAX);
    let Campaign { recipe, signature, .. } = &campaign.test.campaign;
    let error = remake(&store, recipe, signature, 17).unwrap_err();
    assert!(matches!(error, RemakeError::NeverRun { case: 17, last: Some(7) }), "{error}");
}
