//! Builds campaigns with fake solvers in a temporary folder and runs them in this process: the one place for all such tests.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gainsay_engine::campaign::Campaign;
use gainsay_engine::campaign::known_bugs::KnownBugs;
use gainsay_engine::campaign::plan::{CampaignBudget, CampaignPlan, OptionPlan, RunLimits};
use gainsay_engine::campaign::recipe::Recipe;
use gainsay_engine::event::{Event, Stop};
use gainsay_engine::random::Rng;
use gainsay_engine::seeds::Seeds;
use gainsay_engine::session::panel::PanelSolver;
use gainsay_engine::solver::profile::DriverName;
use gainsay_engine::solver::resolve::{Program, Solver};
use gainsay_engine::store::memory::MemoryStore;
use gainsay_engine::store::{
    Batch, FindingDetails, FindingRecord, Lessons, Sample, SeedEntry, SeedRecord, StartRecord, Store,
    StoreError, StoredProgress,
};
use gainsay_engine::strategy::operators::Operators;
use gainsay_engine::strategy::value::ConstantSource;
use gainsay_engine::strategy::{
    self, CaseBounds, FusionSettings, Parent, Proposal, Skip, Strategy, StrategySettings,
};
use gainsay_engine::tally::Tally;
use gainsay_engine::trial::{Promise, SolverIdentity};
use gainsay_smt::{Command, Signature};
use tempfile::TempDir;

use crate::fixture;

/// A campaign and the temporary folder that holds its seeds.
pub struct TestCampaign {
    /// Holds the seeds as `seeds/000.smt2`, `seeds/001.smt2` and so on.
    pub folder: TempDir,
    /// The campaign; tests change its plan before they run it.
    pub campaign: Campaign,
}

/// A plan for fake solvers: chains of 5, no drawn options, and a timeout that only a hanging solver reaches.
pub fn plan(cases: u64) -> CampaignPlan {
    CampaignPlan {
        rng_seed: 7,
        chain: 5,
        budget: CampaignBudget { cases: Some(cases), ..CampaignBudget::default() },
        limits: RunLimits { seconds: 30.0, memory: 1024, patience: 0, exhaustion: 0 },
        options: OptionPlan { tier: None, percent: 0 },
        ..CampaignPlan::default()
    }
}

/// A strategy that writes one of these directives into the second command of a script, which must be a `set-info`; `skip` makes no case.
struct FakeDirectives(&'static [&'static str]);

impl Strategy for FakeDirectives {
    fn name(&self) -> &'static str {
        "directives"
    }

    fn about(&self) -> &'static str {
        "tells fake solvers what to do"
    }

    fn may_repeat(&self) -> bool {
        true
    }

    fn propose(&self, parents: &[Parent<'_>], _: &StrategySettings, rng: &mut Rng) -> Result<Proposal, Skip> {
        let directive = rng.choose(self.0).copied().unwrap_or("skip");
        if directive == "skip" {
            return Err(Skip::NothingToDo);
        }
        let mut script = parents[0].script.clone();
        let arena = script.arena_mut();
        let info = arena.symbol(&format!(":fake |{directive}|"));
        script.commands[1] = Command::Plain(arena.symbol("set-info"), info);
        Ok(Proposal::new(script, Promise::Nothing, directive.to_owned()))
    }
}

/// A strategy that tells fake solvers what to do.
pub fn directive_strategy(directives: &'static [&'static str]) -> &'static dyn Strategy {
    Box::leak(Box::new(FakeDirectives(directives)))
}

/// A seed for directives; solvers say sat.
pub fn directive_seed(number: usize) -> String {
    format!(
        "(set-logic QF_UF)\n(set-info :fake |answer sat|)\n(declare-const p{number} Bool)\n(assert p{number})\n(check-sat)\n"
    )
}

/// Unsatisfiable systems: one with one predicate, one with two, one non-linear.
pub const HORN_SEEDS: [&str; 3] = [
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

/// The strategies with these names.
pub fn strategies(names: &[&str]) -> Vec<&'static dyn Strategy> {
    names.iter().map(|name| strategy::find(name).expect("a strategy of that name")).collect()
}

/// Opens solvers for a campaign.
pub fn panel(fake: &Path, solvers: &[Solver]) -> Vec<PanelSolver> {
    let launcher = fixture::launcher(fake);
    solvers
        .iter()
        .map(|solver| PanelSolver::open(solver, &launcher).expect("the fake solver answers"))
        .collect()
}

/// A "solver" that stores each script it gets as a file in `folder` and answers unsat.
///
/// It is not asked whether it is a solver: without its options it is a shell.
pub fn script_recorder(fake: &Path, folder: &Path) -> PanelSolver {
    let mut solver = without_statistics(fixture::solver(fake, "recorder"));
    solver.name = "recorder=fake".parse().expect("a name");
    solver.name.options = vec!["-c".to_owned(), format!("cat > '{}'/$$; echo unsat", folder.display())];
    solver.program = Program::Binary { path: "/bin/sh".into(), library: None };
    let identity = SolverIdentity { name: "recorder".into(), family: "recorder".into(), version: None };
    PanelSolver { solver, identity }
}

/// The same solver without traces and statistics, in a new process for each script.
#[must_use]
pub fn without_statistics(mut solver: Solver) -> Solver {
    let profile = std::sync::Arc::make_mut(&mut solver.profile);
    (profile.trace, profile.statistics) = (None, None);
    profile.drivers = vec![DriverName::Plain];
    solver
}

impl TestCampaign {
    /// Writes the seeds and builds the campaign.
    pub fn new<S: AsRef<str>>(
        fake: &Path,
        strategies: Vec<&'static dyn Strategy>,
        panel: Vec<PanelSolver>,
        seeds: &[S],
        plan: CampaignPlan,
    ) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let seed_folder = folder.path().join("seeds");
        std::fs::create_dir(&seed_folder).expect("the folder is new");
        for (number, text) in seeds.iter().enumerate() {
            std::fs::write(seed_folder.join(format!("{number:03}.smt2")), text.as_ref())
                .expect("the folder is ours");
        }
        let plan = CampaignPlan { seeds: vec![seed_folder], ..plan };
        let signature = Signature::standard();
        let seeds =
            Seeds::load(&plan.seeds, 10_000, &signature, &mut |_, _| {}).expect("the seeds are well-sorted");
        let settings = StrategySettings {
            bounds: CaseBounds { bytes: 10_000, depth: 100 },
            operators: Operators::standard(&signature),
            fusion: FusionSettings::default(),
            values: ConstantSource::Random,
            scope: gainsay_engine::strategy::ScopeChoice::default(),
            formats: Default::default(),
            enumerations: Default::default(),
        };
        let recipe = Recipe::new(plan.rng_seed, plan.chain, strategies, settings)
            .weighted(&plan.strategy_weights)
            .scheduled(plan.schedule)
            .in_shard(plan.shard.unwrap_or_default());
        let campaign = Campaign {
            plan,
            folder: folder.path().to_owned(),
            seeds,
            recipe,
            signature,
            panel,
            launcher: fixture::launcher(fake),
            advice_source: None,
            changed: None,
            known: KnownBugs::default(),
            pause: Duration::ZERO,
            memory: None,
            rescue_folders: Vec::new(),
        };
        TestCampaign { folder, campaign }
    }

    /// Runs the campaign to its end.
    pub fn run(&self, store: &mut dyn Store) -> (Stop, Vec<Event>) {
        self.run_until(store, |_| false)
    }

    /// Runs the campaign to its end, or asks it to stop after so many cases.
    pub fn run_cases(&self, store: &mut dyn Store, cases: usize) -> (Stop, Vec<Event>) {
        let mut seen = 0;
        self.run_until(store, |event| {
            seen += usize::from(matches!(event, Event::Case { .. }));
            seen >= cases
        })
    }

    /// Runs the campaign to its end, or asks it to stop at the first event for which `is_enough` returns true.
    pub fn run_until(
        &self,
        store: &mut dyn Store,
        mut is_enough: impl FnMut(&Event) -> bool,
    ) -> (Stop, Vec<Event>) {
        let (mut events, stop) = (Vec::new(), AtomicBool::new(false));
        let listen = &mut |event: &Event, _: &Tally| {
            if is_enough(event) {
                stop.store(true, Ordering::Relaxed);
            }
            events.push(event.clone());
        };
        let why = self.campaign.run(store, listen, &stop).expect("the campaign can begin");
        (why, events)
    }
}

/// A store that fails after a number of batches, as if gainsay had been killed then.
pub struct FailingStore {
    /// The records before the failure.
    pub store: MemoryStore,
    /// Batches that it still takes.
    pub batches: usize,
}

impl FailingStore {
    /// An empty store that takes so many batches.
    pub fn new(batches: usize) -> Self {
        FailingStore { store: MemoryStore::new(""), batches }
    }
}

impl Store for FailingStore {
    fn record(&mut self, batch: &Batch) -> Result<(), StoreError> {
        if self.batches == 0 {
            return Err(StoreError::Disk { folder: "x".into(), why: "no space left on device".into() });
        }
        self.batches -= 1;
        self.store.record(batch)
    }
    fn keep(&mut self, details: &FindingDetails) -> Result<PathBuf, StoreError> {
        self.store.keep(details)
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
