//! Campaigns over seeds without a status: solvers determine the status when a chain first needs it, within the budget, and it is
//! recorded before any case depends on it.

use std::collections::BTreeSet;
use std::path::Path;

use fake_solver::fixture;
use fake_solver::test_campaign::{self, FailingStore, TestCampaign};
use gainsay_engine::campaign::Campaign;
use gainsay_engine::campaign::chain::StepOutcome;
use gainsay_engine::campaign::plan::CampaignBudget;
use gainsay_engine::campaign::remake::remake;
use gainsay_engine::event::{Event, Stop};
use gainsay_engine::solver::resolve::Solver;
use gainsay_engine::solver::run::Answer;
use gainsay_engine::store::memory::MemoryStore;
use gainsay_engine::store::{SeedEntry, SeedStatus, Store};

const FAKE_SOLVER: &str = env!("CARGO_BIN_EXE_fake-solver");

/// A solver that returns unknown for scripts without directives: seeds have directives, fused scripts do not.
fn solver(name: &str) -> Solver {
    fixture::named_solver(Path::new(FAKE_SOLVER), "statuses", name, &["--fake", "answer unknown"])
}

/// A seed without a status, with a directive.
fn seed(number: usize, directive: &str) -> String {
    format!(
        "(set-logic QF_LIA)\n(set-info :fake |{directive}|)\n(declare-const x Int)\n\
         (assert (< {number} (+ x x)))\n(check-sat)\n"
    )
}

/// Of every five seeds, two are unsat, and the others unknown.
fn mostly_unknown(count: usize) -> Vec<String> {
    let directive = |number: usize| if number % 5 < 2 { "answer unsat" } else { "answer unknown" };
    (0..count).map(|number| seed(number, directive(number))).collect()
}

/// A campaign over seeds without a status.
struct UnclaimedCampaign {
    test: TestCampaign,
}

/// The events of all sessions of a campaign.
#[derive(Default)]
struct CampaignEvents {
    events: Vec<Event>,
}

impl CampaignEvents {
    /// The number, seed and size of each case, in order.
    fn cases(&self) -> BTreeSet<(u64, String, usize)> {
        let case = |event: &Event| match event {
            Event::Case { case, seed, bytes, .. } => Some((*case, seed.clone(), *bytes)),
            _ => None,
        };
        self.events.iter().filter_map(case).collect()
    }

    /// The classified seeds, in order.
    fn classified<'a>(&'a self) -> Vec<&'a str> {
        let seed = |event: &'a Event| match event {
            Event::Classified { seed, .. } => Some(seed.as_str()),
            _ => None,
        };
        self.events.iter().filter_map(seed).collect()
    }
}

impl UnclaimedCampaign {
    fn new(strategies: &[&str], seeds: &[String]) -> UnclaimedCampaign {
        let (fake, strategies) = (Path::new(FAKE_SOLVER), test_campaign::strategies(strategies));
        let panel = test_campaign::panel(fake, &["a", "b"].map(solver));
        UnclaimedCampaign { test: TestCampaign::new(fake, strategies, panel, seeds, test_campaign::plan(40)) }
    }

    /// Runs until it ends, or until so many events were reported.
    fn run(&self, store: &mut dyn Store, told: &mut CampaignEvents, events: usize) -> Stop {
        let mut seen = 0;
        let (stop, new) = self.test.run_until(store, |_| {
            seen += 1;
            seen >= events
        });
        told.events.extend(new);
        stop
    }

    fn whole(&self) -> (MemoryStore, CampaignEvents) {
        let (mut store, mut told) = (MemoryStore::new(""), CampaignEvents::default());
        self.run(&mut store, &mut told, usize::MAX);
        (store, told)
    }
}

fn asked(roster: &[SeedEntry]) -> Vec<&str> {
    let asked = roster.iter().filter(|entry| matches!(entry.status, SeedStatus::Asked(_)));
    asked.map(|entry| entry.name.as_str()).collect()
}

#[test]
fn nothing_is_asked_before_it_is_needed() {
    let campaign = UnclaimedCampaign::new(&["fusion"], &mostly_unknown(60));
    let (store, told) = campaign.whole();
    assert!(!told.cases().is_empty());
    let roster = store.roster().unwrap();
    let mut classified = told.classified();
    classified.sort_unstable();
    assert_eq!(asked(&roster), classified, "each is asked about once, and the answer is recorded");
    assert!(classified.len() < 40, "40 cases in 8 chains do not need {} seeds", classified.len());
    // Solvers run only on cases and needed seeds.
    let tally = store.standing().unwrap().tally;
    assert_eq!(tally.probed, classified.len() as u64);
    assert_eq!(tally.classified, tally.probed);
    let found = roster.iter().filter(|entry| entry.status == SeedStatus::Asked(Some(Answer::Unsat)));
    assert_eq!(tally.found_status, found.count() as u64);
}

#[test]
fn a_strategy_that_needs_no_status_has_none_asked_for() {
    let (store, told) = UnclaimedCampaign::new(&["generative"], &mostly_unknown(10)).whole();
    assert!(!told.cases().is_empty() && told.classified().is_empty());
    assert!(asked(&store.roster().unwrap()).is_empty());
}

#[test]
fn every_case_follows_from_the_records_at_any_number_of_jobs() {
    let mut campaign = UnclaimedCampaign::new(&["fusion", "generative"], &mostly_unknown(20));
    campaign.test.campaign.plan.budget.cases = Some(100);
    let (_, first) = campaign.whole();
    campaign.test.campaign.plan.jobs = 3;
    let (store, second) = campaign.whole();
    assert_eq!(first.cases(), second.cases());
    let Campaign { recipe, signature, .. } = &campaign.test.campaign;
    let mut joined = BTreeSet::new();
    for (case, seed, bytes) in second.cases() {
        let remade = remake(&store, recipe, signature, case).unwrap();
        let StepOutcome::Made(made) = &remade.outcome else { panic!("{remade:?}") };
        assert_eq!((&remade.seed.name, made.text.len()), (&seed, bytes), "{}", made.text);
        joined.extend(remade.partners.iter().map(|partner| partner.name.clone()));
    }
    assert!(joined.len() > 2, "several seeds that claim nothing are second parents: {joined:?}");
}

#[test]
fn a_campaign_that_is_stopped_while_it_asks_goes_on_and_asks_nothing_twice() {
    for jobs in [1, 3] {
        let mut campaign = UnclaimedCampaign::new(&["fusion"], &mostly_unknown(20));
        let (whole, uninterrupted) = campaign.whole();
        campaign.test.campaign.plan.jobs = jobs;
        let (mut store, mut told) = (MemoryStore::new(""), CampaignEvents::default());
        let mut sessions = 0;
        while campaign.run(&mut store, &mut told, 4) == Stop::Interrupted {
            sessions += 1;
        }
        assert!(sessions > 3, "{sessions}");
        assert_eq!(told.cases(), uninterrupted.cases(), "{jobs} jobs");
        assert_eq!(store.roster().unwrap(), whole.roster().unwrap());
        let classified = told.classified();
        let distinct: BTreeSet<&str> = classified.iter().copied().collect();
        assert_eq!(classified.len(), distinct.len(), "{classified:?}");
        let (tally, expected) = (store.standing().unwrap().tally, whole.standing().unwrap().tally);
        assert_eq!((tally.cases, &tally.skipped), (expected.cases, &expected.skipped));
        assert_eq!((tally.classified, tally.found_status), (expected.classified, expected.found_status));
    }
}

#[test]
fn whatever_was_recorded_when_a_campaign_dies_every_recorded_case_can_be_made_again() {
    let campaign = UnclaimedCampaign::new(&["fusion"], &mostly_unknown(12));
    let (whole, uninterrupted) = campaign.whole();
    for batches in (1..60).step_by(7) {
        let mut store = FailingStore::new(batches);
        let mut told = CampaignEvents::default();
        campaign.run(&mut store, &mut told, usize::MAX);
        let mut store = store.store;
        let Campaign { recipe, signature, .. } = &campaign.test.campaign;
        let standing = store.standing().unwrap();
        for record in &standing.chains {
            let done = record.next.unwrap_or(recipe.length());
            for case in recipe.cases_of(record.chain).take(done as usize) {
                let remade = remake(&store, recipe, signature, case).unwrap();
                if let StepOutcome::Made(made) = &remade.outcome {
                    let like = (case, remade.seed.name.clone(), made.text.len());
                    assert!(uninterrupted.cases().contains(&like), "{like:?} after {batches} batches");
                }
            }
        }
        campaign.run(&mut store, &mut told, usize::MAX);
        assert_eq!(told.cases(), uninterrupted.cases(), "after {batches} batches");
        assert_eq!(store.roster().unwrap(), whole.roster().unwrap());
    }
}

#[test]
fn a_budget_of_time_ends_the_asking_and_nothing_that_was_learnt_is_lost() {
    let seeds: Vec<String> = (0..40).map(|number| seed(number, "hang")).collect();
    let mut campaign = UnclaimedCampaign::new(&["fusion"], &seeds);
    campaign.test.campaign.plan.limits.seconds = 0.3;
    campaign.test.campaign.plan.budget = CampaignBudget { seconds: Some(1.0), ..CampaignBudget::default() };
    let (mut store, mut told) = (MemoryStore::new(""), CampaignEvents::default());
    // All of them would take 24 seconds.
    assert_eq!(campaign.run(&mut store, &mut told, usize::MAX), Stop::Time);
    let tally = store.standing().unwrap().tally;
    let begun = told.events.iter().filter(|event| matches!(event, Event::Classifying { .. })).count();
    assert!(begun >= 1 && tally.classified < 40, "{tally:?}");
    assert_eq!(tally.cases, 0);
    let mut classified = told.classified();
    classified.sort_unstable();
    assert_eq!(asked(&store.roster().unwrap()), classified, "an unknown status is recorded as well");
}

#[test]
fn no_solver_is_started_on_a_seed_when_the_time_is_over() {
    let mut campaign = UnclaimedCampaign::new(&["fusion"], &[seed(0, "hang"), seed(1, "hang")]);
    campaign.test.campaign.plan.limits.seconds = 2.0;
    campaign.test.campaign.plan.budget = CampaignBudget { seconds: Some(0.1), ..CampaignBudget::default() };
    let (mut store, mut told) = (MemoryStore::new(""), CampaignEvents::default());
    assert_eq!(campaign.run(&mut store, &mut told, usize::MAX), Stop::Time);
    let abandoned = |event: &Event| match event {
        Event::Abandoned { runs, .. } => Some(runs.len()),
        _ => None,
    };
    // The first solver had started at the time limit, the second one had not.
    assert_eq!(told.events.iter().filter_map(abandoned).collect::<Vec<_>>(), [1], "{:?}", told.events);
    assert!(asked(&store.roster().unwrap()).is_empty(), "half an answer is none");
}

#[test]
fn a_seed_that_is_gone_when_it_is_drawn_is_recorded_as_one_without_a_status() {
    let seeds = mostly_unknown(20);
    let campaign = UnclaimedCampaign::new(&["fusion"], &seeds);
    let (_, uninterrupted) = campaign.whole();
    // Remove seeds that were drawn but used by no chain and no case.
    let known: BTreeSet<&str> = uninterrupted.classified().into_iter().collect();
    let mut gone = 0;
    for entry in campaign.test.campaign.seeds.list() {
        let number: usize = entry.path.file_stem().unwrap().to_str().unwrap().parse().unwrap();
        if known.contains(entry.name.as_str()) && number % 5 >= 2 {
            std::fs::remove_file(&entry.path).unwrap();
            gone += 1;
        }
    }
    assert!(gone > 3, "{gone}");
    let (store, told) = campaign.whole();
    assert_eq!(told.cases(), uninterrupted.cases(), "seeds without status and missing seeds are no partners");
    let Campaign { recipe, signature, .. } = &campaign.test.campaign;
    for (case, _, bytes) in told.cases() {
        let StepOutcome::Made(made) = remake(&store, recipe, signature, case).unwrap().outcome else {
            panic!()
        };
        assert_eq!(made.text.len(), bytes);
    }
}
