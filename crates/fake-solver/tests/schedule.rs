//! Campaigns that an agent leads, with solvers that misbehave where a strategy tells them to.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use std::collections::BTreeMap;
use std::path::Path;

use fake_solver::fixture;
use fake_solver::test_campaign::{self, TestCampaign, script_recorder, without_statistics};
use gainsay_engine::campaign::chain::StepOutcome;
use gainsay_engine::campaign::plan::CampaignPlan;
use gainsay_engine::campaign::recipe::Recipe;
use gainsay_engine::campaign::remake::remake;
use gainsay_engine::event::{ArmReport, Event, Stop};
use gainsay_engine::prepare::Preparation;
use gainsay_engine::random::Rng;
use gainsay_engine::schedule::Schedule;
use gainsay_engine::session::panel::PanelSolver;
use gainsay_engine::store::Store;
use gainsay_engine::store::memory::MemoryStore;
use gainsay_engine::strategy::operators::Operators;
use gainsay_engine::strategy::value::ConstantSource;
use gainsay_engine::strategy::{
    self, CaseBounds, FusionSettings, Parent, Proposal, Skip, Strategy, StrategySettings,
};
use gainsay_engine::trial::Promise;
use gainsay_smt::{Command, Signature};

const FAKE_SOLVER: &str = env!("CARGO_BIN_EXE_fake-solver");

/// A strategy that writes one of these directives for solvers into the script.
struct DirectiveStrategy(&'static str, Vec<String>);

impl Strategy for DirectiveStrategy {
    fn name(&self) -> &'static str {
        self.0
    }

    fn about(&self) -> &'static str {
        "tells fake solvers what to do"
    }

    fn may_repeat(&self) -> bool {
        true
    }

    fn propose(&self, parents: &[Parent<'_>], _: &StrategySettings, rng: &mut Rng) -> Result<Proposal, Skip> {
        let step = rng.choose(&self.1).unwrap().clone();
        if step == "skip" {
            return Err(Skip::NothingToDo);
        }
        let mut script = parents[0].script.clone();
        let arena = script.arena_mut();
        let note = Command::Plain(arena.symbol("set-info"), arena.symbol(&format!(":fake |{step}|")));
        // No two steps are alike, so that something is changed.
        let number = format!(":n{}", rng.below(1 << 30));
        let mark = Command::Plain(arena.symbol("set-info"), arena.symbol(&format!(":mark {number}")));
        (script.commands[1], script.commands[2]) = (note, mark);
        Ok(Proposal::new(script, Promise::Nothing, step))
    }
}

/// One that tells this; it lives as long as the tests.
fn directive_strategy(name: &'static str, directives: &[&str]) -> &'static dyn Strategy {
    let directives = directives.iter().map(|text| (*text).to_owned()).collect();
    Box::leak(Box::new(DirectiveStrategy(name, directives)))
}

/// One that makes a solver crash in ever new ways, in one of four cases.
fn crashing_strategy() -> &'static dyn Strategy {
    let letters = || ('a'..='z').map(String::from);
    let crash = |a: &String, b: &String, c: &str| format!("assertion {a}{b}{c}.cpp");
    let mut directives: Vec<String> =
        letters().flat_map(|a| letters().map(move |b| crash(&a, &b, "x"))).collect();
    directives.extend(vec!["answer sat".to_owned(); 3 * directives.len()]);
    Box::leak(Box::new(DirectiveStrategy("sharp", directives)))
}

fn seed(number: usize) -> String {
    format!(
        "(set-logic QF_UF)\n(set-info :fake |answer sat|)\n(set-info :mark x)\n(declare-const p{number} Bool)\n\
         (assert p{number})\n(check-sat)\n"
    )
}

/// A campaign that a bandit schedules.
struct ScheduledCampaign {
    test: TestCampaign,
}

impl ScheduledCampaign {
    fn new(strategies: Vec<&'static dyn Strategy>, cases: u64) -> ScheduledCampaign {
        let fake = Path::new(FAKE_SOLVER);
        let solver = without_statistics(fixture::named_solver(fake, "campaign", "a", &[]));
        let member = test_campaign::panel(fake, &[solver]).remove(0);
        ScheduledCampaign::with(strategies, cases, member, &(0..4).map(seed).collect::<Vec<_>>())
    }

    fn with(
        strategies: Vec<&'static dyn Strategy>,
        cases: u64,
        member: PanelSolver,
        seeds: &[String],
    ) -> ScheduledCampaign {
        let plan =
            CampaignPlan { schedule: Schedule::find("thompson").unwrap(), ..test_campaign::plan(cases) };
        let fake = Path::new(FAKE_SOLVER);
        ScheduledCampaign { test: TestCampaign::new(fake, strategies, vec![member], seeds, plan) }
    }

    /// Runs until it ends, or until so many cases were reported.
    fn run(&self, store: &mut MemoryStore, cases: usize) -> (Stop, Vec<Event>) {
        self.test.run_cases(store, cases)
    }

    /// The arms at the end of the whole campaign, by strategy.
    fn arms(&self) -> BTreeMap<String, ArmReport> {
        let (why, events) = self.run(&mut MemoryStore::new(""), usize::MAX);
        assert_eq!(why, Stop::Cases);
        let arms = events.iter().find_map(|event| match event {
            Event::Learnt { arms } => Some(arms.clone()),
            _ => None,
        });
        arms.unwrap().into_iter().map(|arm| (arm.strategy.clone(), arm)).collect()
    }
}

/// All that must be the same however a campaign was run: choices, records of arms, findings and counts.
fn reproducible_results(store: &MemoryStore) -> String {
    let mut tally = store.standing().unwrap().tally;
    (tally.seconds, tally.own_cpu) = (0.0, 0.0);
    tally.solvers.values_mut().for_each(|solver| solver.cpu = 0.0);
    let lessons = store.lessons().unwrap();
    let mut found: Vec<String> = store
        .findings()
        .unwrap()
        .iter()
        .map(|found| format!("{:?}", (&found.fingerprint, found.count, found.case)))
        .collect();
    found.sort();
    format!("{:?}\n{:?}\n{found:?}\n{tally:?}", lessons.schedule, lessons.starts)
}

fn mixed_campaign() -> ScheduledCampaign {
    let strategies = vec![
        directive_strategy("dull", &["answer sat"]),
        directive_strategy("moody", &["answer sat", "answer unsat", "answer unknown", "skip"]),
        crashing_strategy(),
    ];
    ScheduledCampaign::new(strategies, 400)
}

#[test]
fn thompson_chooses_most_often_what_alone_finds_new_bugs() {
    let dull = ["one", "two", "three"].map(|name| directive_strategy(name, &["answer sat"]));
    for schedule in ["thompson", "epsilon"] {
        let mut campaign = ScheduledCampaign::new([&dull[..], &[crashing_strategy()]].concat(), 1000);
        let schedule = Schedule::find(schedule).unwrap();
        campaign.test.campaign.plan.schedule = schedule;
        campaign.test.campaign.recipe =
            std::mem::replace(&mut campaign.test.campaign.recipe, unused_recipe()).scheduled(schedule);
        let arms = campaign.arms();
        let others: u64 = arms.values().filter(|arm| arm.strategy != "sharp").map(|arm| arm.cases).sum();
        assert!(arms["sharp"].cases > others, "{arms:?}");
        assert!(arms["sharp"].low > arms["one"].mean, "{arms:?}");
    }
}

/// A recipe that is never used.
fn unused_recipe() -> Recipe {
    let signature = Signature::standard();
    let (bounds, operators) = (CaseBounds { bytes: 1, depth: 1 }, Operators::standard(&signature));
    let settings = StrategySettings {
        bounds,
        operators,
        fusion: FusionSettings::default(),
        values: ConstantSource::Random,
        scope: gainsay_engine::strategy::ScopeChoice::default(),
        formats: Default::default(),
        enumerations: Default::default(),
    };
    Recipe::new(1, 1, vec![strategy::ALL[0]], settings)
}

#[test]
fn a_bug_that_is_seen_again_earns_nothing() {
    let campaign = ScheduledCampaign::new(
        vec![directive_strategy("stuck", &["segv"]), directive_strategy("dull", &["answer sat"])],
        400,
    );
    let arms = campaign.arms();
    assert!(arms["stuck"].pulls > 5.0 && arms["stuck"].mean < 0.3, "{arms:?}");
    let all = arms["stuck"].cases + arms["dull"].cases;
    assert!(all > 100 && arms["dull"].cases * 4 > all, "the other arm has its share: {arms:?}");
}

#[test]
fn nothing_is_earned_by_runs_that_were_not_decided() {
    let undecided = ["answer unknown", "error line 1 column 2: unknown constant x", "garbage", "exit 3"];
    let campaign = ScheduledCampaign::new(
        vec![directive_strategy("lost", &undecided), directive_strategy("dull", &["answer sat"])],
        300,
    );
    let mut store = MemoryStore::new("");
    campaign.run(&mut store, usize::MAX);
    let state: serde_json::Value = serde_json::from_str(&store.lessons().unwrap().schedule).unwrap();
    let arms = state["arms"].as_array().unwrap();
    let lost = arms.iter().find(|arm| arm["strategy"] == "lost").unwrap();
    let number = |key: &str| lost[key].as_f64().unwrap();
    assert_eq!(number("successes"), 0.0, "{state}");
    let chains = 300.0 / campaign.test.campaign.plan.chain as f64;
    assert!(number("failures") > 0.0 && number("failures") <= chains, "one a chain: {state}");
    assert!(store.findings().unwrap().is_empty());
}

#[test]
fn choices_are_the_same_at_any_number_of_jobs_and_however_often_it_was_stopped() {
    let mut campaign = mixed_campaign();
    let mut whole = MemoryStore::new("");
    assert_eq!(campaign.run(&mut whole, usize::MAX).0, Stop::Cases);
    assert!(whole.findings().unwrap().len() > 5);
    for (jobs, cases) in [(2, usize::MAX), (3, usize::MAX), (1, 37), (3, 11)] {
        campaign.test.campaign.plan.jobs = jobs;
        let mut store = MemoryStore::new("");
        while campaign.run(&mut store, cases).0 != Stop::Cases {}
        let same = reproducible_results(&store) == reproducible_results(&whole);
        assert!(
            same,
            "{jobs} jobs, stopped after {cases} cases:\n{}\n{}",
            reproducible_results(&store),
            reproducible_results(&whole)
        );
    }
}

#[test]
fn a_case_that_is_made_again_is_byte_for_byte_what_the_solver_got() {
    let scripts = tempfile::tempdir().unwrap();
    let real = ["generative", "operator", "fusion", "value", "construct", "generate", "horn"];
    let strategies = real.iter().map(|name| strategy::find(name).unwrap()).collect();
    let seeds = [
        "(set-info :status unsat)(declare-const x Int)(declare-const y Int)(assert (< (+ x 1) y 7))(assert (> x y))(check-sat)",
        "(set-info :status unsat)(declare-const x Int)(assert (= (* 2 x) 7))(check-sat)",
        "(set-info :status unsat)(declare-const s String)(assert (= (str.len s) (- 1)))(check-sat)",
        "(set-logic HORN)(set-info :status unsat)(declare-fun p (Int) Bool)
         (assert (forall ((x Int)) (=> (and (= x 0) (< x 3)) (p x))))
         (assert (forall ((x Int)) (=> (and (p x) (> x (- 1))) false)))(check-sat)",
    ];
    let mut campaign = ScheduledCampaign::with(
        strategies,
        240,
        script_recorder(Path::new(FAKE_SOLVER), scripts.path()),
        &seeds.map(str::to_owned),
    );
    campaign.test.campaign.plan.jobs = 2;
    let (mut store, mut told) = (MemoryStore::new(""), Vec::new());
    while !told.iter().any(|event| matches!(event, Event::Closed { why: Stop::Cases })) {
        told.extend(campaign.run(&mut store, 60).1);
    }
    let files = std::fs::read_dir(scripts.path()).unwrap().map(|entry| entry.unwrap().path());
    let got: Vec<String> = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let mut strategies = std::collections::BTreeSet::new();
    for event in &told {
        let Event::Case { case, strategy, bytes, seed, .. } = event else { continue };
        let again =
            remake(&store, &campaign.test.campaign.recipe, &campaign.test.campaign.signature, *case).unwrap();
        let StepOutcome::Made(made) = &again.outcome else { panic!("{again:?}") };
        assert_eq!(
            (made.text.len(), &again.seed.name, again.strategy),
            (*bytes, seed, *strategy),
            "case {case}"
        );
        let text = Preparation::standard(&made.script, &made.text);
        assert!(got.iter().any(|got| got.contains(text.trim_end())), "case {case}:\n{text}\n{}", got[0]);
        strategies.insert(*strategy);
    }
    assert_eq!(strategies.len(), real.len(), "{strategies:?}");
}
