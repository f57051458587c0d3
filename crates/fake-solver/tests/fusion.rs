//! Campaigns that fuse seeds, with solvers that lie about them.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fake_solver::storm;
use gainsay_engine::campaign::Campaign;
use gainsay_engine::campaign::chain::StepOutcome;
use gainsay_engine::campaign::known::KnownBugs;
use gainsay_engine::campaign::plan::{CampaignBudget, CampaignPlan, OptionPlan, RunLimits};
use gainsay_engine::campaign::recipe::Recipe;
use gainsay_engine::campaign::remake::{remake, rerun};
use gainsay_engine::event::Event;
use gainsay_engine::finding::{Evidence, FindingKind};
use gainsay_engine::seeds::Seeds;
use gainsay_engine::solver::resolve::Solver;
use gainsay_engine::solver::run::Answer;
use gainsay_engine::solver::runner::Setting;
use gainsay_engine::store::memory::MemoryStore;
use gainsay_engine::store::{Exhibit, FindingRecord, SeedStatus, Store};
use gainsay_engine::strategy::operators::Operators;
use gainsay_engine::strategy::value::ConstantSource;
use gainsay_engine::strategy::{self, CaseBounds, FusionKit, Kit};
use gainsay_engine::tally::Tally;
use gainsay_engine::trial::panel::PanelSolver;
use gainsay_smt::Signature;
use tempfile::TempDir;

const FAKE: &str = env!("CARGO_BIN_EXE_fake-solver");

/// A solver that says this of what does not tell it anything else. Seeds do, and what is fused from them does not.
fn solver(name: &str, answer: &str) -> Solver {
    let mut solver = storm::solver(Path::new(FAKE), "fusion");
    solver.name = format!("{name}=fake").parse().unwrap();
    name.clone_into(&mut Arc::make_mut(&mut solver.profile).family);
    solver.name.options.extend(["--fake".to_owned(), format!("answer {answer}")]);
    solver
}

/// Three seeds, of which solvers rightly say `said`; the model that the fake solver prints says that `x` is 3.
fn seeds(status: &str, said: &str) -> Vec<String> {
    let seed = |bound: u32| {
        let above = if said == "sat" { 7 } else { bound };
        format!(
            "(set-logic QF_LIA)\n{status}\n(set-info :fake |answer {said}|)\n(declare-const x Int)\n\
             (assert (< {bound} (+ x x) {above}))\n(check-sat)\n"
        )
    };
    (0..3).map(seed).collect()
}

const SAT: &str = "(set-info :status sat)";
const UNSAT: &str = "(set-info :status unsat)";

struct Bench {
    _folder: TempDir,
    campaign: Campaign,
}

impl Bench {
    fn new(strategies: &[&str], solvers: &[Solver], seeds: &[String]) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        for (number, text) in seeds.iter().enumerate() {
            std::fs::write(folder.path().join(format!("{number}.smt2")), text).unwrap();
        }
        let signature = Signature::standard();
        let setting = Setting { host: storm::host(Path::new(FAKE)), variables: BTreeMap::default() };
        let plan = CampaignPlan {
            seeds: vec![folder.path().to_owned()],
            rng_seed: 7,
            chain: 5,
            budget: CampaignBudget { cases: Some(60), ..CampaignBudget::default() },
            limits: RunLimits { seconds: 30.0, memory: 1024, patience: 0 },
            options: OptionPlan { tier: None, percent: 0 },
            ..CampaignPlan::default()
        };
        let seeds = Seeds::load(&plan.seeds, 10_000, &signature, &mut |_, _| {}).unwrap();
        let bounds = CaseBounds { bytes: 10_000, depth: 100 };
        let kit = Kit {
            bounds,
            operators: Operators::standard(&signature),
            fusion: FusionKit::default(),
            values: ConstantSource::Random,
        };
        let strategies = strategies.iter().map(|name| strategy::find(name).unwrap()).collect();
        let recipe = Recipe::new(plan.rng_seed, plan.chain, strategies, kit);
        let panel = solvers.iter().map(|solver| PanelSolver::invite(solver, &setting).unwrap()).collect();
        let campaign = Campaign {
            plan,
            folder: folder.path().to_owned(),
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

    fn run(&self) -> Ran {
        let (mut store, mut events) = (MemoryStore::new(""), Vec::new());
        let listen = &mut |event: &Event, _: &Tally| events.push(event.clone());
        self.campaign.run(&mut store, listen, &AtomicBool::new(false)).unwrap();
        Ran { store, events }
    }
}

struct Ran {
    store: MemoryStore,
    events: Vec<Event>,
}

impl Ran {
    fn findings(&self) -> Vec<FindingRecord> {
        self.store.findings().unwrap()
    }

    fn exhibit(&self, record: &FindingRecord) -> &Exhibit {
        &self.store.exhibits[&record.path]
    }

    /// The number and size of each case, in order.
    fn cases(&self) -> Vec<(u64, usize)> {
        let case = |event: &Event| match event {
            Event::Case { case, bytes, .. } => Some((*case, *bytes)),
            _ => None,
        };
        let mut cases: Vec<_> = self.events.iter().filter_map(case).collect();
        cases.sort_unstable();
        cases
    }
}

#[test]
fn unsat_against_the_models_of_the_seeds_is_proved_wrong() {
    let bench = Bench::new(&["fusion"], &[solver("liar", "unsat")], &seeds(SAT, "sat"));
    let ran = bench.run();
    let [found] = &ran.findings()[..] else { panic!("{:?}", ran.findings()) };
    assert_eq!((found.kind, found.evidence), (FindingKind::Refutation, Evidence::Proved), "{found:?}");
    assert!(found.explanation.contains("the model that the script was made to have"), "{found:?}");
    let exhibit = ran.exhibit(found);
    assert_eq!(exhibit.partners.len(), 1, "{:?}", exhibit.partners);
    assert!(exhibit.model.as_ref().unwrap().contains("(define-fun z "), "{:?}", exhibit.model);
    // MadeScript again, it is judged alike.
    let case = found.case.unwrap();
    let Campaign { recipe, signature, plan, panel, setting, .. } = &bench.campaign;
    let remade = remake(&ran.store, recipe, signature, case).unwrap();
    let StepOutcome::Made(made) = &remade.outcome else { panic!("{remade:?}") };
    let rerun = rerun((&remade, made), (plan, recipe), panel, setting);
    assert_eq!(rerun.findings.len(), 1);
    assert_eq!(rerun.findings[0].fingerprint.to_string(), found.fingerprint);
    assert_eq!(rerun.findings[0].evidence, Evidence::Proved);
}

#[test]
fn a_promise_alone_is_called_a_promise() {
    let ran = Bench::new(&["fusion"], &[solver("liar", "sat")], &seeds(UNSAT, "unsat")).run();
    let [found] = &ran.findings()[..] else { panic!("{:?}", ran.findings()) };
    assert_eq!((found.kind, found.evidence), (FindingKind::Promise, Evidence::Disagreement), "{found:?}");
}

#[test]
fn a_promise_and_another_solver_make_a_suspect() {
    let solvers = [solver("liar", "sat"), solver("honest", "unsat")];
    let ran = Bench::new(&["fusion"], &solvers, &seeds(UNSAT, "unsat")).run();
    let [found] = &ran.findings()[..] else { panic!("{:?}", ran.findings()) };
    assert_eq!((found.kind, found.evidence), (FindingKind::Solution, Evidence::Corroborated), "{found:?}");
    assert!(found.suspects.to_string().starts_with("liar"), "{found:?}");
}

#[test]
fn a_seed_that_claims_what_solvers_contradict_promises_nothing() {
    let solvers = [solver("a", "sat"), solver("b", "sat")];
    let ran = Bench::new(&["fusion"], &solvers, &seeds(UNSAT, "sat")).run();
    assert!(!ran.cases().is_empty());
    let of_cases: Vec<_> = ran.findings().into_iter().filter(|found| found.case.is_some()).collect();
    assert_eq!(of_cases, [], "the seeds are wrong, not the solvers");
}

#[test]
fn a_wrong_claim_that_nobody_can_check_accuses_nobody_for_sure() {
    // Nobody says anything of the seeds, all say the same of what is fused: the promise stands alone.
    for (claim, answer) in [(SAT, "unsat"), (UNSAT, "sat")] {
        let solvers = [solver("a", answer), solver("b", answer)];
        let ran = Bench::new(&["fusion"], &solvers, &seeds(claim, "unknown")).run();
        assert!(!ran.cases().is_empty());
        let most = ran.findings().into_iter().map(|found| (found.kind, found.evidence)).collect::<Vec<_>>();
        assert!(
            most.iter().all(|found| *found == (FindingKind::Promise, Evidence::Disagreement)),
            "{claim}: {most:?}"
        );
    }
}

#[test]
fn seeds_without_a_status_are_classified_when_they_are_needed() {
    let ran = Bench::new(&["fusion"], &[solver("a", "unsat")], &seeds("", "sat")).run();
    let roster = ran.store.roster().unwrap();
    assert!(
        roster
            .iter()
            .all(|entry| entry.status == SeedStatus::Asked(Some(Answer::Sat)) && entry.sorts == "Int"),
        "{roster:?}"
    );
    assert_eq!(ran.findings()[0].evidence, Evidence::Proved);
    let unclear = Bench::new(&["fusion"], &[solver("a", "unsat")], &seeds("", "unknown")).run();
    assert_eq!(unclear.cases(), [], "nobody knows their status");
    let tally = unclear.store.standing().unwrap().tally;
    assert_eq!((tally.classified, tally.found_status), (3, 0));
    assert!(tally.skipped["the status of the seed is not known"] > 0, "{tally:?}");
}

#[test]
fn every_case_is_made_again_from_the_store_alone_at_any_number_of_jobs() {
    let mut bench = Bench::new(&["fusion", "generative"], &[solver("a", "sat")], &seeds(SAT, "sat"));
    let first = bench.run();
    bench.campaign.plan.jobs = 3;
    let second = bench.run();
    assert_eq!(first.cases(), second.cases());
    assert!(first.cases().len() > 40, "{}", first.cases().len());
    let Campaign { recipe, signature, .. } = &bench.campaign;
    let mut joined = 0;
    for (case, bytes) in first.cases() {
        let remade = remake(&second.store, recipe, signature, case).unwrap();
        let StepOutcome::Made(made) = &remade.outcome else { panic!("{remade:?}") };
        assert_eq!(made.text.len(), bytes, "{}", made.text);
        assert_eq!(remade.parents.len(), 1 + remade.partners.len());
        joined = joined.max(remade.partners.len());
    }
    assert_eq!(joined, 2, "what was fused is fused once more");
}

#[test]
fn who_was_out_of_a_chain_is_asked_again_when_a_fusion_starts_anew() {
    // The seed is fused with one, what comes of that with another one, and then the seed again: three have an `x_3`.
    let mut weak = solver("weak", "sat");
    weak.name.options.extend(["--fake".to_owned(), "seeing x_3 flood".to_owned()]);
    let bench = Bench::new(&["fusion"], &[weak, solver("strong", "sat")], &seeds(SAT, "sat"));
    let ran = bench.run();
    let mut told = BTreeMap::<(bool, u64), BTreeMap<&str, usize>>::new();
    for event in &ran.events {
        // The steps of a chain are at this place, and have so many seeds in them.
        let (case, word) = match event {
            Event::Case { case, runs, .. } => {
                let Some(weak) = runs.iter().find(|run| run.solver.starts_with("weak")) else { continue };
                (*case, if weak.trouble.is_some() { "out" } else { "answers" })
            }
            Event::Spared { case, .. } => (*case, "spared"),
            _ => continue,
        };
        let Campaign { recipe, signature, .. } = &bench.campaign;
        let StepOutcome::Made(made) = remake(&ran.store, recipe, signature, case).unwrap().outcome else {
            continue;
        };
        let seeds = 1 + made.joined.len() as u64;
        *told.entry((made.is_anew && case % 5 > 0, seeds)).or_default().entry(word).or_default() += 1;
    }
    assert_eq!(told[&(true, 2)].keys().collect::<Vec<_>>(), [&"answers"], "{told:?}");
    assert_eq!(told[&(false, 3)].keys().collect::<Vec<_>>(), [&"out"], "{told:?}");
    assert!(told[&(true, 2)]["answers"] > 10, "{told:?}");
}
