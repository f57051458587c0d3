//! Campaigns that are led by what runs showed, with solvers that show what they are told to.

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
use gainsay_engine::campaign::remake::{RemakeError, remake};
use gainsay_engine::event::{Event, Stop};
use gainsay_engine::feedback::weights::{MutationChoice, MutationWeights};
use gainsay_engine::prepare::Preparation;
use gainsay_engine::seeds::Seeds;
use gainsay_engine::solver::profile::DriverName;
use gainsay_engine::solver::resolve::{Program, Solver};
use gainsay_engine::solver::runner::Setting;
use gainsay_engine::store::memory::MemoryStore;
use gainsay_engine::store::{Batch, Store};
use gainsay_engine::strategy::operators::Operators;
use gainsay_engine::strategy::value::ConstantSource;
use gainsay_engine::strategy::{self, CaseBounds, FusionKit, Kit};
use gainsay_engine::tally::Tally;
use gainsay_engine::trial::SolverIdentity;
use gainsay_engine::trial::panel::PanelSolver;
use gainsay_smt::Signature;
use tempfile::TempDir;

const FAKE: &str = env!("CARGO_BIN_EXE_fake-solver");

/// Why a chain ends that shows nothing new.
const STALE: &str = "chain ended: it shows nothing new any more";

/// Systems without a model: one with a predicate, one with two, one that is not linear.
const SEEDS: [&str; 3] = [
    "(set-logic HORN)(set-info :status unsat)(declare-fun p (Int) Bool)
     (assert (forall ((x Int)) (=> (and (= x 0) (< x 3)) (p x))))
     (assert (forall ((x Int)) (=> (and (p x) (< x 5)) (p (+ x 1)))))
     (assert (forall ((x Int)) (=> (and (p x) (> x 3)) false)))(check-sat)",
    "(set-logic HORN)(set-info :status unsat)(declare-fun p (Int) Bool)(declare-fun q (Int) Bool)
     (assert (forall ((x Int)) (=> (and (= x 0) (< x 3)) (p x))))
     (assert (forall ((x Int)) (=> (and (p x) (< x 5)) (q (+ x 1)))))
     (assert (forall ((x Int)) (=> (and (q x) (> x 0)) false)))(check-sat)",
    "(set-logic HORN)(set-info :status unsat)(declare-fun p (Int) Bool)
     (assert (forall ((x Int)) (=> (and (= x 0) (< x 3)) (p x))))
     (assert (forall ((x Int) (y Int)) (=> (and (p x) (p y) (< x 5)) (p (+ x y 1)))))
     (assert (forall ((x Int)) (=> (and (p x) (> x 0)) false)))(check-sat)",
];

/// A solver that does this, and tells nothing of how.
fn solver(name: &str, directive: &str) -> Solver {
    let mut solver = storm::solver(Path::new(FAKE), "horn");
    let profile = Arc::make_mut(&mut solver.profile);
    (profile.trace, profile.statistics) = (None, None);
    // What it is told on its command line holds for the first script of a process.
    profile.drivers = vec![DriverName::Plain];
    solver.name = format!("{name}=fake").parse().unwrap();
    solver.name.options.extend(["--fake".to_owned(), directive.to_owned()]);
    solver
}

fn setting() -> Setting {
    Setting { host: storm::host(Path::new(FAKE)), variables: BTreeMap::default() }
}

/// A solver that keeps every script that it gets in a folder, and says unsat. It is no solver without its options, so nobody
/// asks it whether it is one.
fn spy(folder: &Path) -> PanelSolver {
    let mut solver = solver("spy", "");
    solver.name.options = vec!["-c".to_owned(), format!("cat > '{}'/$$; echo unsat", folder.display())];
    solver.program = Program::Binary { path: "/bin/sh".into(), library: None };
    let identity = SolverIdentity { name: "spy".into(), family: "spy".into(), version: None };
    PanelSolver { solver, identity }
}

struct Bench {
    _folder: TempDir,
    campaign: Campaign,
}

impl Bench {
    fn new(directive: &str, chain: u64, cases: u64) -> Bench {
        Bench::with(PanelSolver::invite(&solver("a", directive), &setting()).unwrap(), chain, cases)
    }

    fn with(member: PanelSolver, chain: u64, cases: u64) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        for (number, text) in SEEDS.iter().enumerate() {
            std::fs::write(folder.path().join(format!("{number}.smt2")), text).unwrap();
        }
        let signature = Signature::standard();
        let setting = setting();
        let plan = CampaignPlan {
            seeds: vec![folder.path().to_owned()],
            rng_seed: 7,
            chain,
            budget: CampaignBudget { cases: Some(cases), ..CampaignBudget::default() },
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
        let recipe = Recipe::new(plan.rng_seed, plan.chain, vec![strategy::find("horn").unwrap()], kit);
        let panel = vec![member];
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

    /// Runs until it ends, or until so many cases were told of.
    fn run(&self, store: &mut MemoryStore, cases: usize) -> (Stop, Vec<Event>) {
        let (mut events, stop) = (Vec::new(), AtomicBool::new(false));
        let mut seen = 0;
        let listen = &mut |event: &Event, _: &Tally| {
            seen += usize::from(matches!(event, Event::Case { .. }));
            stop.store(seen >= cases, Ordering::Relaxed);
            events.push(event.clone());
        };
        let why = self.campaign.run(store, listen, &stop).unwrap();
        (why, events)
    }

    /// Sees that every case that was told of is made again as it was.
    fn check_remade(&self, store: &MemoryStore, events: &[Event]) -> usize {
        let Campaign { recipe, signature, .. } = &self.campaign;
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
    let bench = Bench::new("answer unsat", 100, 600);
    let mut store = MemoryStore::new("");
    let (why, _) = bench.run(&mut store, usize::MAX);
    let tally = store.standing().unwrap().tally;
    assert_eq!((why, tally.flaky), (Stop::Cases, 0));
    assert!(tally.skipped[STALE] > 300, "{tally:?}");
    assert_eq!((tally.traces.runs, tally.traces.by["answers"]), (tally.cases + 3, tally.cases + 3));
    assert!(tally.traces.unique >= 1 && tally.traces.unique < 10, "{tally:?}");
}

#[test]
fn a_chain_without_answers_ends_after_as_many_as_the_plan_says() {
    let mut bench = Bench::new("answer unknown", 50, 50);
    bench.campaign.plan.horn.unknowns = 4;
    let mut store = MemoryStore::new("");
    bench.run(&mut store, usize::MAX);
    let tally = store.standing().unwrap().tally;
    assert_eq!((tally.cases, tally.skipped[STALE]), (4, 46), "{tally:?}");
}

#[test]
fn a_campaign_that_was_stopped_goes_on_and_every_case_is_made_again_as_it_was() {
    for jobs in [1, 3] {
        let mut bench = Bench::new("answer unsat", 8, 120);
        bench.campaign.plan.jobs = jobs;
        let (mut store, mut told) = (MemoryStore::new(""), Vec::new());
        let mut stops = 0;
        loop {
            let (why, events) = bench.run(&mut store, 13);
            told.extend(events);
            if why == Stop::Cases {
                break;
            }
            stops += 1;
        }
        let tally = store.standing().unwrap().tally;
        assert!(stops > 3 && tally.cases + tally.skipped_in_all() == 120, "{stops} {tally:?}");
        assert_eq!(bench.check_remade(&store, &told) as u64, tally.cases);
        let rounds: Vec<usize> = store.lessons().unwrap().starts.iter().map(|start| start.seed).collect();
        for round in rounds.chunks(SEEDS.len()) {
            assert_eq!(round.iter().collect::<BTreeSet<_>>().len(), round.len(), "{rounds:?}");
        }
    }
}

#[test]
fn mutations_are_drawn_by_the_weights_that_were_recorded_and_made_again_by_those_of_their_chain() {
    let bench = Bench::new("answer unsat", 8, 48);
    let mut store = MemoryStore::new("");
    let (_, mut told) = bench.run(&mut store, 20);
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
    let (_, later) = bench.run(&mut store, usize::MAX);
    let is_later = |event: &&Event| matches!(event, Event::Case { case, .. } if *case >= begun as u64 * 8);
    let fresh: Vec<Event> = later.iter().filter(is_later).cloned().collect();
    assert!(fresh.len() > 8);
    assert_eq!(mutations(&fresh), BTreeSet::from(["rename"]));
    told.extend(later);
    assert_eq!(bench.check_remade(&store, &told) as u64, store.standing().unwrap().tally.cases);
}

#[test]
fn a_case_that_is_made_again_is_byte_for_byte_what_the_solver_got() {
    let scripts = tempfile::tempdir().unwrap();
    let mut bench = Bench::with(spy(scripts.path()), 8, 72);
    bench.campaign.plan.jobs = 2;
    let (mut store, mut told) = (MemoryStore::new(""), Vec::new());
    while !told.iter().any(|event| matches!(event, Event::Closed { why: Stop::Cases })) {
        told.extend(bench.run(&mut store, 11).1);
    }
    let files = std::fs::read_dir(scripts.path()).unwrap().map(|entry| entry.unwrap().path());
    let got: Vec<String> = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let Campaign { recipe, signature, .. } = &bench.campaign;
    assert!(bench.check_remade(&store, &told) > 40);
    for event in &told {
        let Event::Case { case, .. } = event else { continue };
        let again = remake(&store, recipe, signature, *case).unwrap();
        let StepOutcome::Made(made) = &again.outcome else { panic!("{again:?}") };
        // Around it stands what asks for a model.
        let text = Preparation::standard(&made.script, &made.text);
        assert!(got.iter().any(|got| got.contains(text.trim_end())), "case {case}:\n{text}\n{}", got[0]);
    }
}

#[test]
fn the_order_of_seeds_is_that_of_the_plan() {
    let first = |order: &str| {
        let mut bench = Bench::new("answer unsat", 4, 12);
        bench.campaign.plan.horn.order = order.parse().unwrap();
        let mut store = MemoryStore::new("");
        bench.run(&mut store, usize::MAX);
        store.lessons().unwrap().starts.iter().map(|start| start.seed).collect::<Vec<_>>()
    };
    assert_eq!(first("default"), [0, 1, 2]);
    assert_eq!(first("complex"), [2, 1, 0]);
    assert_eq!(first("simple"), [0, 1, 2]);
}

#[test]
fn a_chain_that_was_not_begun_cannot_be_made_again() {
    let bench = Bench::new("answer unsat", 8, 8);
    let mut store = MemoryStore::new("");
    bench.run(&mut store, usize::MAX);
    let Campaign { recipe, signature, .. } = &bench.campaign;
    let error = remake(&store, recipe, signature, 17).unwrap_err();
    assert!(matches!(error, RemakeError::NotBegunYet { case: 17, chain: 2 }), "{error}");
}
