//! Campaigns over seeds that claim no status: solvers are asked about a seed when a chain first needs it, within the budget, and what
//! they say is recorded before any case depends on it.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fake_solver::storm;
use gainsay_engine::campaign::Campaign;
use gainsay_engine::campaign::chain::StepOutcome;
use gainsay_engine::campaign::known::KnownBugs;
use gainsay_engine::campaign::plan::{CampaignBudget, CampaignPlan, OptionPlan, RunLimits};
use gainsay_engine::campaign::recipe::Recipe;
use gainsay_engine::campaign::remake::remake;
use gainsay_engine::event::{Event, Stop};
use gainsay_engine::seeds::Seeds;
use gainsay_engine::solver::resolve::Solver;
use gainsay_engine::solver::run::Answer;
use gainsay_engine::solver::runner::Setting;
use gainsay_engine::store::memory::MemoryStore;
use gainsay_engine::store::{
    Batch, Exhibit, FindingRecord, Lessons, Sample, SeedEntry, SeedRecord, SeedStatus, StartRecord, Store,
    StoreError, StoredProgress,
};
use gainsay_engine::strategy::operators::Operators;
use gainsay_engine::strategy::value::ConstantSource;
use gainsay_engine::strategy::{self, CaseBounds, FusionKit, Kit};
use gainsay_engine::tally::Tally;
use gainsay_engine::trial::panel::PanelSolver;
use gainsay_smt::Signature;
use tempfile::TempDir;

const FAKE: &str = env!("CARGO_BIN_EXE_fake-solver");

/// A solver that says sat of what does not tell it anything else: seeds do, and what is fused from them does not.
fn solver(name: &str) -> Solver {
    let mut solver = storm::solver(Path::new(FAKE), "statuses");
    solver.name = format!("{name}=fake").parse().unwrap();
    name.clone_into(&mut Arc::make_mut(&mut solver.profile).family);
    solver.name.options.extend(["--fake".to_owned(), "answer unknown".to_owned()]);
    solver
}

/// A seed without a status that tells solvers what to do.
fn seed(number: usize, directive: &str) -> String {
    format!(
        "(set-logic QF_LIA)\n(set-info :fake |{directive}|)\n(declare-const x Int)\n\
         (assert (< {number} (+ x x)))\n(check-sat)\n"
    )
}

/// Of every five seeds, solvers say that two are unsat; they know nothing of the others.
fn mostly_unknown(count: usize) -> Vec<String> {
    let directive = |number: usize| if number % 5 < 2 { "answer unsat" } else { "answer unknown" };
    (0..count).map(|number| seed(number, directive(number))).collect()
}

struct Bench {
    _folder: TempDir,
    campaign: Campaign,
}

/// What the sessions of a campaign told.
#[derive(Default)]
struct Told {
    events: Vec<Event>,
}

impl Told {
    /// The number, seed and size of each case, in order.
    fn cases(&self) -> BTreeSet<(u64, String, usize)> {
        let case = |event: &Event| match event {
            Event::Case { case, seed, bytes, .. } => Some((*case, seed.clone(), *bytes)),
            _ => None,
        };
        self.events.iter().filter_map(case).collect()
    }

    /// The seeds that were classified, in the order of that.
    fn classified<'a>(&'a self) -> Vec<&'a str> {
        let seed = |event: &'a Event| match event {
            Event::Classified { seed, .. } => Some(seed.as_str()),
            _ => None,
        };
        self.events.iter().filter_map(seed).collect()
    }
}

impl Bench {
    fn new(strategies: &[&str], seeds: &[String]) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        for (number, text) in seeds.iter().enumerate() {
            std::fs::write(folder.path().join(format!("{number:03}.smt2")), text).unwrap();
        }
        let signature = Signature::standard();
        let setting = Setting { host: storm::host(Path::new(FAKE)), variables: BTreeMap::default() };
        let plan = CampaignPlan {
            seeds: vec![folder.path().to_owned()],
            rng_seed: 7,
            chain: 5,
            budget: CampaignBudget { cases: Some(40), ..CampaignBudget::default() },
            limits: RunLimits { seconds: 30.0, memory: 1024, patience: 0 },
            options: OptionPlan { tier: None, percent: 0 },
            ..CampaignPlan::default()
        };
        let seeds = Seeds::load(&plan.seeds, 10_000, &signature, &mut |_, _| {}).unwrap();
        let kit = Kit {
            bounds: CaseBounds { bytes: 10_000, depth: 100 },
            operators: Operators::standard(&signature),
            fusion: FusionKit::default(),
            values: ConstantSource::Random,
        };
        let strategies = strategies.iter().map(|name| strategy::find(name).unwrap()).collect();
        let recipe = Recipe::new(plan.rng_seed, plan.chain, strategies, kit);
        let panel =
            ["a", "b"].iter().map(|name| PanelSolver::invite(&solver(name), &setting).unwrap()).collect();
        let campaign = Campaign {
            plan,
            folder: PathBuf::from("here"),
            seeds,
            recipe,
            signature,
            panel,
            setting,
            advice_source: None,
            known: KnownBugs::default(),
            pause: Duration::ZERO,
        };
        Bench { _folder: folder, campaign }
    }

    /// Runs until it ends, or until so many events were told.
    fn run(&self, store: &mut dyn Store, told: &mut Told, events: usize) -> Stop {
        let (stop, mut seen) = (AtomicBool::new(false), 0);
        let listen = &mut |event: &Event, _: &Tally| {
            seen += 1;
            if seen >= events {
                stop.store(true, Ordering::Relaxed);
            }
            told.events.push(event.clone());
        };
        self.campaign.run(store, listen, &stop).unwrap()
    }

    fn whole(&self) -> (MemoryStore, Told) {
        let (mut store, mut told) = (MemoryStore::new(""), Told::default());
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
    let bench = Bench::new(&["fusion"], &mostly_unknown(60));
    let (store, told) = bench.whole();
    assert!(!told.cases().is_empty());
    let roster = store.roster().unwrap();
    let mut classified = told.classified();
    classified.sort_unstable();
    assert_eq!(asked(&roster), classified, "each is asked about once, and the answer is recorded");
    assert!(classified.len() < 40, "40 cases in 8 chains do not need {} seeds", classified.len());
    // Solvers run nothing but the cases and the seeds that were needed.
    let tally = store.standing().unwrap().tally;
    assert_eq!(tally.probed, classified.len() as u64);
    assert_eq!(tally.classified, tally.probed);
    let found = roster.iter().filter(|entry| entry.status == SeedStatus::Asked(Some(Answer::Unsat)));
    assert_eq!(tally.found_status, found.count() as u64);
}

#[test]
fn a_strategy_that_needs_no_status_has_none_asked_for() {
    let (store, told) = Bench::new(&["generative"], &mostly_unknown(10)).whole();
    assert!(!told.cases().is_empty() && told.classified().is_empty());
    assert!(asked(&store.roster().unwrap()).is_empty());
}

#[test]
fn every_case_follows_from_the_records_at_any_number_of_jobs() {
    let mut bench = Bench::new(&["fusion", "generative"], &mostly_unknown(20));
    bench.campaign.plan.budget.cases = Some(100);
    let (_, first) = bench.whole();
    bench.campaign.plan.jobs = 3;
    let (store, second) = bench.whole();
    assert_eq!(first.cases(), second.cases());
    let Campaign { recipe, signature, .. } = &bench.campaign;
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
        let mut bench = Bench::new(&["fusion"], &mostly_unknown(20));
        let (whole, uninterrupted) = bench.whole();
        bench.campaign.plan.jobs = jobs;
        let (mut store, mut told) = (MemoryStore::new(""), Told::default());
        let mut sessions = 0;
        while bench.run(&mut store, &mut told, 4) == Stop::Interrupted {
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

/// A store that fails after some batches, as if the program had been killed then.
struct Mortal {
    store: MemoryStore,
    batches: usize,
}

impl Store for Mortal {
    fn record(&mut self, batch: &Batch) -> Result<(), StoreError> {
        if self.batches == 0 {
            return Err(StoreError::Disk { folder: "here".into(), why: "no room".into() });
        }
        self.batches -= 1;
        self.store.record(batch)
    }
    fn keep(&mut self, exhibit: &Exhibit) -> Result<PathBuf, StoreError> {
        self.store.keep(exhibit)
    }
    fn standing(&self) -> Result<StoredProgress, StoreError> {
        self.store.standing()
    }
    fn findings(&self) -> Result<Vec<FindingRecord>, StoreError> {
        self.store.findings()
    }
    fn sightings(&self, fingerprint: &str) -> Result<Vec<u64>, StoreError> {
        self.store.sightings(fingerprint)
    }
    fn samples(&self) -> Result<Vec<Sample>, StoreError> {
        self.store.samples()
    }
    fn seed(&self, hash: &str) -> Result<Option<SeedRecord>, StoreError> {
        self.store.seed(hash)
    }
    fn roster(&self) -> Result<Vec<SeedEntry>, StoreError> {
        self.store.roster()
    }
    fn start(&self, chain: u64) -> Result<Option<StartRecord>, StoreError> {
        self.store.start(chain)
    }
    fn lessons(&self) -> Result<Lessons, StoreError> {
        self.store.lessons()
    }
    fn plan(&self) -> Result<String, StoreError> {
        self.store.plan()
    }
}

#[test]
fn whatever_was_recorded_when_a_campaign_dies_every_recorded_case_can_be_made_again() {
    let bench = Bench::new(&["fusion"], &mostly_unknown(12));
    let (whole, uninterrupted) = bench.whole();
    for batches in (1..60).step_by(7) {
        let mut store = Mortal { store: MemoryStore::new(""), batches };
        let mut told = Told::default();
        bench.run(&mut store, &mut told, usize::MAX);
        let mut store = store.store;
        let Campaign { recipe, signature, .. } = &bench.campaign;
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
        bench.run(&mut store, &mut told, usize::MAX);
        assert_eq!(told.cases(), uninterrupted.cases(), "after {batches} batches");
        assert_eq!(store.roster().unwrap(), whole.roster().unwrap());
    }
}

#[test]
fn a_budget_of_time_ends_the_asking_and_nothing_that_was_learnt_is_lost() {
    let seeds: Vec<String> = (0..40).map(|number| seed(number, "hang")).collect();
    let mut bench = Bench::new(&["fusion"], &seeds);
    bench.campaign.plan.limits.seconds = 0.3;
    bench.campaign.plan.budget = CampaignBudget { seconds: Some(1.0), ..CampaignBudget::default() };
    let (mut store, mut told) = (MemoryStore::new(""), Told::default());
    // All of them would take 24 seconds.
    assert_eq!(bench.run(&mut store, &mut told, usize::MAX), Stop::Time);
    let tally = store.standing().unwrap().tally;
    let begun = told.events.iter().filter(|event| matches!(event, Event::Classifying { .. })).count();
    assert!(begun >= 1 && tally.classified < 40, "{tally:?}");
    assert_eq!(tally.cases, 0);
    let mut classified = told.classified();
    classified.sort_unstable();
    assert_eq!(asked(&store.roster().unwrap()), classified, "that nobody knows it is recorded as well");
}

#[test]
fn no_solver_is_started_on_a_seed_when_the_time_is_over() {
    let mut bench = Bench::new(&["fusion"], &[seed(0, "hang"), seed(1, "hang")]);
    bench.campaign.plan.limits.seconds = 2.0;
    bench.campaign.plan.budget = CampaignBudget { seconds: Some(0.1), ..CampaignBudget::default() };
    let (mut store, mut told) = (MemoryStore::new(""), Told::default());
    assert_eq!(bench.run(&mut store, &mut told, usize::MAX), Stop::Time);
    let abandoned = |event: &Event| match event {
        Event::Abandoned { runs, .. } => Some(runs.len()),
        _ => None,
    };
    // The first solver had begun when the time was over, the second one had not.
    assert_eq!(told.events.iter().filter_map(abandoned).collect::<Vec<_>>(), [1], "{:?}", told.events);
    assert!(asked(&store.roster().unwrap()).is_empty(), "half an answer is none");
}

#[test]
fn a_seed_that_is_gone_when_it_is_drawn_is_recorded_as_one_without_a_status() {
    let seeds = mostly_unknown(20);
    let bench = Bench::new(&["fusion"], &seeds);
    let (_, uninterrupted) = bench.whole();
    // Gone are those that no chain begins with and that no case has as its second parent, but that were drawn.
    let known: BTreeSet<&str> = uninterrupted.classified().into_iter().collect();
    let mut gone = 0;
    for entry in bench.campaign.seeds.list() {
        let number: usize = entry.path.file_stem().unwrap().to_str().unwrap().parse().unwrap();
        if known.contains(entry.name.as_str()) && number % 5 >= 2 {
            std::fs::remove_file(&entry.path).unwrap();
            gone += 1;
        }
    }
    assert!(gone > 3, "{gone}");
    let (store, told) = bench.whole();
    assert_eq!(told.cases(), uninterrupted.cases(), "what nobody knows of and what is gone is no partner");
    let Campaign { recipe, signature, .. } = &bench.campaign;
    for (case, _, bytes) in told.cases() {
        let StepOutcome::Made(made) = remake(&store, recipe, signature, case).unwrap().outcome else {
            panic!()
        };
        assert_eq!(made.text.len(), bytes);
    }
}
