//! Campaigns that fuse seeds, with solvers that lie about them.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use std::collections::BTreeMap;
use std::path::Path;

use fake_solver::fixture;
use fake_solver::test_campaign::{self, TestCampaign};
use gainsay_engine::campaign::Campaign;
use gainsay_engine::campaign::chain::StepOutcome;
use gainsay_engine::campaign::remake::{remake, rerun};
use gainsay_engine::event::Event;
use gainsay_engine::finding::{Evidence, FindingKind};
use gainsay_engine::solver::resolve::Solver;
use gainsay_engine::solver::run::Answer;
use gainsay_engine::store::memory::MemoryStore;
use gainsay_engine::store::{FindingDetails, FindingRecord, SeedStatus, Store};

const FAKE_SOLVER: &str = env!("CARGO_BIN_EXE_fake-solver");

/// A solver that returns `answer` for scripts without directives: seeds have directives, fused scripts do not.
fn solver(name: &str, answer: &str) -> Solver {
    fixture::named_solver(Path::new(FAKE_SOLVER), "fusion", name, &["--fake", &format!("answer {answer}")])
}

/// Three seeds for which `said` is the correct answer; in the fake solver's model `x` is 3.
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

const STATUS_SAT: &str = "(set-info :status sat)";
const STATUS_UNSAT: &str = "(set-info :status unsat)";

fn campaign(strategies: &[&str], solvers: &[Solver], seeds: &[String]) -> TestCampaign {
    let (fake, strategies) = (Path::new(FAKE_SOLVER), test_campaign::strategies(strategies));
    TestCampaign::new(fake, strategies, test_campaign::panel(fake, solvers), seeds, test_campaign::plan(60))
}

fn run(test: &TestCampaign) -> FusionRun {
    let mut store = MemoryStore::new("");
    let (_, events) = test.run(&mut store);
    FusionRun { store, events }
}

struct FusionRun {
    store: MemoryStore,
    events: Vec<Event>,
}

impl FusionRun {
    fn findings(&self) -> Vec<FindingRecord> {
        self.store.findings().unwrap()
    }

    fn details(&self, record: &FindingRecord) -> &FindingDetails {
        &self.store.details[&record.path]
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
    let test = campaign(&["fusion"], &[solver("liar", "unsat")], &seeds(STATUS_SAT, "sat"));
    let ran = run(&test);
    let [found] = &ran.findings()[..] else { panic!("{:?}", ran.findings()) };
    assert_eq!((found.kind, found.evidence), (FindingKind::Refutation, Evidence::Proved), "{found:?}");
    assert!(found.explanation.contains("the model that the script was made to have"), "{found:?}");
    let details = ran.details(found);
    assert_eq!(details.partners.len(), 1, "{:?}", details.partners);
    assert!(details.model.as_ref().unwrap().contains("(define-fun z "), "{:?}", details.model);
    // Reproduced, it is judged alike.
    let case = found.case.unwrap();
    let Campaign { recipe, signature, plan, panel, launcher, .. } = &test.campaign;
    let remade = remake(&ran.store, recipe, signature, case).unwrap();
    let StepOutcome::Made(made) = &remade.outcome else { panic!("{remade:?}") };
    let rerun = rerun((&remade, made), (plan, recipe), panel, launcher);
    assert_eq!(rerun.findings.len(), 1);
    assert_eq!(rerun.findings[0].fingerprint.to_string(), found.fingerprint);
    assert_eq!(rerun.findings[0].evidence, Evidence::Proved);
}

#[test]
fn a_promise_alone_is_called_a_promise() {
    let ran = run(&campaign(&["fusion"], &[solver("liar", "sat")], &seeds(STATUS_UNSAT, "unsat")));
    let [found] = &ran.findings()[..] else { panic!("{:?}", ran.findings()) };
    assert_eq!((found.kind, found.evidence), (FindingKind::Promise, Evidence::Disagreement), "{found:?}");
}

#[test]
fn a_promise_and_another_solver_make_a_suspect() {
    let solvers = [solver("liar", "sat"), solver("honest", "unsat")];
    let ran = run(&campaign(&["fusion"], &solvers, &seeds(STATUS_UNSAT, "unsat")));
    let [found] = &ran.findings()[..] else { panic!("{:?}", ran.findings()) };
    assert_eq!((found.kind, found.evidence), (FindingKind::Solution, Evidence::Corroborated), "{found:?}");
    assert!(found.suspects.to_string().starts_with("liar"), "{found:?}");
}

#[test]
fn a_seed_that_claims_what_solvers_contradict_promises_nothing() {
    let solvers = [solver("a", "sat"), solver("b", "sat")];
    let ran = run(&campaign(&["fusion"], &solvers, &seeds(STATUS_UNSAT, "sat")));
    assert!(!ran.cases().is_empty());
    let of_cases: Vec<_> = ran.findings().into_iter().filter(|found| found.case.is_some()).collect();
    assert_eq!(of_cases, [], "the seeds are wrong, not the solvers");
}

#[test]
fn a_wrong_claim_that_no_solver_can_check_accuses_no_solver_for_sure() {
    // No solver decides the seeds, and all agree on the fused scripts: only the promise contradicts them.
    for (claim, answer) in [(STATUS_SAT, "unsat"), (STATUS_UNSAT, "sat")] {
        let solvers = [solver("a", answer), solver("b", answer)];
        let ran = run(&campaign(&["fusion"], &solvers, &seeds(claim, "unknown")));
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
    let ran = run(&campaign(&["fusion"], &[solver("a", "unsat")], &seeds("", "sat")));
    let roster = ran.store.roster().unwrap();
    assert!(
        roster
            .iter()
            .all(|entry| entry.status == SeedStatus::Asked(Some(Answer::Sat)) && entry.sorts == "Int"),
        "{roster:?}"
    );
    assert_eq!(ran.findings()[0].evidence, Evidence::Proved);
    let unclear = run(&campaign(&["fusion"], &[solver("a", "unsat")], &seeds("", "unknown")));
    assert_eq!(unclear.cases(), [], "their status is unknown");
    let tally = unclear.store.standing().unwrap().tally;
    assert_eq!((tally.classified, tally.found_status), (3, 0));
    assert!(tally.skipped["the status of the seed is not known"] > 0, "{tally:?}");
}

#[test]
fn every_case_is_made_again_from_the_store_alone_at_any_number_of_jobs() {
    assert_eq!(
        most_joined(&["fusion", "generative"]),
        1,
        "other strategies go on from the script before a fusion"
    );
    assert_eq!(most_joined(&["fusion"]), 2, "a fused script is fused once more");
}

/// Runs a campaign with one job and with three, makes all its cases again, and returns the most seeds that were joined to one.
fn most_joined(strategies: &[&str]) -> usize {
    let mut test = campaign(strategies, &[solver("a", "sat")], &seeds(STATUS_SAT, "sat"));
    let first = run(&test);
    test.campaign.plan.jobs = 3;
    let second = run(&test);
    assert_eq!(first.cases(), second.cases());
    assert!(first.cases().len() > 40, "{}", first.cases().len());
    let Campaign { recipe, signature, .. } = &test.campaign;
    let mut joined = 0;
    for (case, bytes) in first.cases() {
        let remade = remake(&second.store, recipe, signature, case).unwrap();
        let StepOutcome::Made(made) = &remade.outcome else { panic!("{remade:?}") };
        assert_eq!(made.text.len(), bytes, "{}", made.text);
        assert_eq!(remade.parents.len(), 1 + remade.partners.len());
        joined = joined.max(remade.partners.len());
    }
    joined
}

#[test]
fn who_was_out_of_a_chain_is_asked_again_when_a_fusion_starts_anew() {
    // A chain fuses two seeds, then three, then starts again with two; only three have an `x_3`.
    let mut weak = solver("weak", "sat");
    weak.name.options.extend(["--fake".to_owned(), "seeing x_3 flood".to_owned()]);
    let test = campaign(&["fusion"], &[weak, solver("strong", "sat")], &seeds(STATUS_SAT, "sat"));
    let ran = run(&test);
    let mut told = BTreeMap::<(bool, u64), BTreeMap<&str, usize>>::new();
    for event in &ran.events {
        // Count by restarts and number of seeds.
        let (case, word) = match event {
            Event::Case { case, runs, .. } => {
                let Some(weak) = runs.iter().find(|run| run.solver.starts_with("weak")) else { continue };
                (*case, if weak.trouble.is_some() { "out" } else { "answers" })
            }
            Event::Spared { case, .. } => (*case, "spared"),
            _ => continue,
        };
        let Campaign { recipe, signature, .. } = &test.campaign;
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
