//! Campaigns with solvers that misbehave on request.
//!
//! One long file: all tests use the same kind of campaign, whose strategy writes directives for the solvers.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fake_solver::fixture;
use fake_solver::test_campaign::{self, FailingStore, TestCampaign};
use gainsay_engine::campaign::CampaignError;
use gainsay_engine::campaign::known_bugs::KnownBugs;
use gainsay_engine::campaign::plan::{CampaignBudget, CampaignPlan, OptionPlan};
use gainsay_engine::event::{Event, RunReport, Stop};
use gainsay_engine::finding::{Evidence, FindingKind};
use gainsay_engine::random::Rng;
use gainsay_engine::solver::profile::{DriverName, SolverOption, Tier};
use gainsay_engine::solver::resolve::{Program, Solver};
use gainsay_engine::store::Store;
use gainsay_engine::store::memory::MemoryStore;
use gainsay_engine::strategy::{Parent, Proposal, Skip, Strategy, StrategySettings};
use gainsay_engine::tally::Tally;
use gainsay_engine::trial::Promise;
use gainsay_smt::{Command, Script, Signature};

const FAKE_SOLVER: &str = env!("CARGO_BIN_EXE_fake-solver");

/// A strategy that writes one of its directives into the script.
struct Directives(Vec<String>);

impl Strategy for Directives {
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
        let step = rng.choose(&self.0).unwrap().clone();
        match step.as_str() {
            "skip" => return Err(Skip::NothingToDo),
            "panic" => panic!("as was asked for"),
            _ => {}
        }
        let mut script = parents[0].script.clone();
        let text = if step == "ill-sorted" { ":fake (" } else { &format!(":fake |{step}|") };
        let arena = script.arena_mut();
        let note = Command::Plain(arena.symbol("set-info"), arena.symbol(text));
        // A new directive replaces the previous one.
        script.commands[1] = note;
        Ok(Proposal::new(script, Promise::Nothing, step))
    }
}

/// A campaign whose strategy writes directives into its seeds, and the directives.
struct DirectedCampaign {
    test: TestCampaign,
    directives: Vec<String>,
}

/// A solver of the family `name` that obeys the directives for its role and those for all roles.
fn role(name: &str) -> Solver {
    fixture::named_solver(Path::new(FAKE_SOLVER), "campaign", name, &["--fake", &format!("role {name}")])
}

fn seed(number: usize, more: &str) -> String {
    format!(
        "(set-logic QF_UF)\n(set-info :fake |answer sat|)\n(declare-const p{number} Bool)\n(assert p{number})\n{more}(check-sat)\n"
    )
}

impl DirectedCampaign {
    fn new(directives: &[&str], solvers: &[Solver]) -> Self {
        let seeds: Vec<String> = (0..4).map(|number| seed(number, "")).collect();
        DirectedCampaign::with_seeds(directives, solvers, &seeds)
    }

    fn with_seeds(directives: &[&str], solvers: &[Solver], seeds: &[String]) -> Self {
        let directives: Vec<String> = directives.iter().map(|text| (*text).to_owned()).collect();
        let strategy: &'static dyn Strategy = Box::leak(Box::new(Directives(directives.clone())));
        let plan = CampaignPlan {
            chain: CampaignPlan::default().chain,
            options: CampaignPlan::default().options,
            ..test_campaign::plan(200)
        };
        let fake = Path::new(FAKE_SOLVER);
        let panel = test_campaign::panel(fake, solvers);
        DirectedCampaign { test: TestCampaign::new(fake, vec![strategy], panel, seeds, plan), directives }
    }

    fn run(&self) -> FinishedRun {
        let mut store = MemoryStore::new("");
        let (stop, events) = self.test.run(&mut store);
        FinishedRun { stop, events, store }
    }
}

/// The result of a campaign.
struct FinishedRun {
    stop: Stop,
    events: Vec<Event>,
    store: MemoryStore,
}

impl FinishedRun {
    fn tally(&self) -> Tally {
        self.store.standing().unwrap().tally
    }

    fn findings(&self) -> Vec<(String, u64)> {
        let findings = self.store.findings().unwrap();
        let mut findings: Vec<_> =
            findings.into_iter().map(|record| (record.fingerprint, record.count)).collect();
        findings.sort();
        findings
    }

    fn count(&self, wanted: impl Fn(&Event) -> bool) -> usize {
        self.events.iter().filter(|event| wanted(event)).count()
    }
}

/// The results that must not depend on jobs or interruptions: cases, findings, and counts without times.
fn reproducible_results(events: &[Event], store: &MemoryStore) -> (Vec<String>, Vec<String>, Tally) {
    let mut told: Vec<String> = events
        .iter()
        .filter_map(|event| match event {
            Event::Opened { .. } | Event::Closed { .. } | Event::Found { .. } => None,
            event => Some(format!("{event:?}")),
        })
        .map(|line| {
            line.split("cpu: ").map(|part| part.split_once('s').map_or(part, |(_, rest)| rest)).collect()
        })
        .collect();
    told.sort();
    let mut found: Vec<String> = store
        .findings()
        .unwrap()
        .iter()
        .map(|found| {
            format!(
                "{:?}",
                (&found.fingerprint, found.count, found.case, store.sightings(&found.fingerprint).unwrap())
            )
        })
        .collect();
    found.sort();
    let mut tally = store.standing().unwrap().tally;
    (tally.seconds, tally.own_cpu) = (0.0, 0.0);
    tally.solvers.values_mut().for_each(|solver| solver.cpu = 0.0);
    (told, found, tally)
}

const MIXED_DIRECTIVES: [&str; 9] = [
    "answer sat",
    "answer unsat",
    "a: answer unsat",
    "b: answer unknown",
    "a: segv",
    "b: assertion",
    "a: error line 1 column 2: unknown constant x",
    "skip",
    "panic",
];

fn mixed_campaign() -> DirectedCampaign {
    DirectedCampaign::new(&MIXED_DIRECTIVES, &[role("a"), role("b"), role("c")])
}

#[test]
fn cases_and_findings_are_the_same_at_any_number_of_jobs() {
    let mut campaign = mixed_campaign();
    let mut results = Vec::new();
    for jobs in [1, 2, 3] {
        campaign.test.campaign.plan.jobs = jobs;
        let ran = campaign.run();
        assert_eq!(ran.stop, Stop::Cases);
        results.push(reproducible_results(&ran.events, &ran.store));
    }
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
    let tally = &results[0].2;
    assert_eq!(tally.cases + tally.skipped_in_all() + tally.our_bugs, 200, "{tally:?}");
    assert_eq!(tally.probed, 4);
    assert!(tally.our_bugs > 0 && tally.skipped["nothing to do"] > 0);
}

#[test]
fn findings_carry_their_evidence_and_end_their_chain() {
    let ran = mixed_campaign().run();
    let findings = ran.store.findings().unwrap();
    let find = |fingerprint: &str| findings.iter().find(|found| found.fingerprint == fingerprint);
    let wrong = find("refutation a QF_UF").unwrap_or_else(|| panic!("{findings:?}"));
    assert_eq!((wrong.kind, wrong.evidence), (FindingKind::Refutation, Evidence::Corroborated));
    let crash = find("crash a crash: signal_11").unwrap_or_else(|| panic!("{findings:?}"));
    assert_eq!((crash.kind, crash.evidence), (FindingKind::Crash, Evidence::Proved));
    assert_eq!(findings.len(), 3, "{findings:?}");
    let ended = ran.tally().skipped["chain ended with a finding"];
    assert!(ended > 0);
    let details = &ran.store.details[&wrong.path];
    assert_eq!((details.case, details.runs.len()), (wrong.case, 3));
    assert!(details.script.contains("(set-info :fake |a: answer unsat|)"), "{}", details.script);
    assert!(details.steps.last().unwrap().ends_with("a: answer unsat"));
}

#[test]
fn references_are_asked_only_where_nothing_tells_whether_an_answer_is_right() {
    // `a` is under test; `b` and `c` judge it, in this order.
    let directives = ["answer sat", "a: answer unknown", "a: answer unsat", "b: answer unknown"];
    let mut campaign = DirectedCampaign::new(&directives, &[role("a"), role("b"), role("c")]);
    campaign.test.campaign.plan.references = vec!["b".to_owned(), "c".to_owned()];
    let ran = campaign.run();
    let solvers = |wanted: &str| -> BTreeSet<Vec<String>> {
        let answers = |event: &Event| match event {
            Event::Case { runs, .. } => Some(runs.clone()),
            _ => None,
        };
        let runs = ran.events.iter().filter_map(answers);
        let runs = runs.filter(|runs| runs[0].answers.first().map(|answer| answer.name()) == Some(wanted));
        let family = |run: &RunReport| run.solver.split('=').next().unwrap().to_owned();
        runs.map(|runs| runs.iter().map(family).collect()).collect()
    };
    let names = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
    assert_eq!(solvers("unknown"), [names("a")].into());
    assert_eq!(solvers("unsat"), [names("a b c")].into(), "a contradiction gets all votes");
    assert_eq!(solvers("sat"), [names("a b"), names("a b c")].into(), "c is asked where b does not know");
    let findings = ran.store.findings().unwrap();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!((findings[0].kind, findings[0].evidence), (FindingKind::Refutation, Evidence::Corroborated));
}

#[test]
fn a_campaign_that_dies_after_any_batch_goes_on_as_if_it_had_not() {
    let mut campaign = mixed_campaign();
    campaign.test.campaign.plan.budget.cases = Some(60);
    let whole = campaign.run();
    let expected = reproducible_results(&[], &whole.store);
    for (batches, jobs) in [(1, 1), (2, 1), (7, 1), (3, 2), (11, 2), (1, 3), (9, 3)] {
        campaign.test.campaign.plan.jobs = jobs;
        let mut store = FailingStore::new(batches);
        let mut deaths = 0;
        while !matches!(campaign.test.run(&mut store).0, Stop::Cases) {
            deaths += 1;
            store.batches = batches;
        }
        assert!(deaths > 0);
        assert_eq!(
            reproducible_results(&[], &store.store),
            expected,
            "after {batches} batches at {jobs} jobs"
        );
    }
}

#[test]
fn a_store_that_cannot_be_written_ends_the_campaign_and_says_why() {
    let campaign = mixed_campaign();
    let mut store = FailingStore::new(5);
    let (stop, events) = campaign.test.run(&mut store);
    assert!(matches!(&stop, Stop::Store(why) if why.contains("no space left on device")), "{stop:?}");
    assert_eq!(events.last(), Some(&Event::Closed { why: stop }));
}

#[test]
fn an_interrupted_campaign_goes_on_where_it_was() {
    let campaign = mixed_campaign();
    let whole = campaign.run();
    let mut store = MemoryStore::new("");
    let (stop, mut seen) = (AtomicBool::new(false), 0);
    let listen = &mut |event: &Event, _: &Tally| {
        seen += usize::from(matches!(event, Event::Case { .. }));
        stop.store(seen >= 20, Ordering::Relaxed);
    };
    assert_eq!(campaign.test.campaign.run(&mut store, listen, &stop).unwrap(), Stop::Interrupted);
    assert!(store.standing().unwrap().tally.cases < 40);
    assert_eq!(campaign.test.run(&mut store).0, Stop::Cases);
    assert_eq!(reproducible_results(&[], &store), reproducible_results(&[], &whole.store));
}

#[test]
fn what_does_not_happen_again_is_flaky_and_no_finding() {
    let folder = tempfile::tempdir().unwrap();
    let once = |action: &str, number: u32| format!("a: once {}/{number} {action}", folder.path().display());
    let (lie, crash) = (once("answer unsat", 1), once("segv", 2));
    let ran = DirectedCampaign::new(&["answer sat", &lie, &crash], &[role("a"), role("b")]).run();
    assert_eq!(ran.findings(), []);
    assert_eq!(ran.tally().flaky, 2);
    assert_eq!(ran.count(|event| matches!(event, Event::Flaky { .. })), 2);
    assert_eq!(ran.tally().cases, 200, "a flaky case ends no chain");
}

#[test]
fn what_a_solver_says_after_an_error_unknown_or_out_of_turn_is_no_finding() {
    let directives = [
        "a: error line 1 column 2: unknown constant x",
        "a: answer unknown",
        "a: print sat",
        "a: garbage",
        "a: answer",
        "a: complain sat",
    ];
    // The seeds end with a wrong answer: an answer next to an error or to unexpected output does not count.
    let tail = "(set-info :fake |b: answer unsat|)\n";
    let seeds: Vec<String> = (0..4).map(|number| seed(number, "")).collect();
    let lied = ["error line 1 column 2: unknown constant x", "print sat", "garbage"]
        .map(|fault| format!("b: {fault}"));
    let ran = DirectedCampaign::with_seeds(&directives, &[role("a"), role("c")], &seeds).run();
    assert_eq!((ran.findings(), ran.tally().flaky), (vec![], 0));
    for fault in lied {
        let seeds: Vec<String> =
            (0..2).map(|number| seed(number, &format!("{tail}(set-info :fake |{fault}|)\n"))).collect();
        let ran = DirectedCampaign::with_seeds(&["answer sat"], &[role("b"), role("c")], &seeds).run();
        assert_eq!((ran.findings(), ran.tally().flaky), (vec![], 0), "{fault}");
    }
}

#[test]
fn a_known_bug_is_counted_and_neither_new_nor_in_the_budget() {
    let mut campaign =
        DirectedCampaign::new(&["a: answer unsat", "a: segv"], &[role("a"), role("b"), role("c")]);
    campaign.test.campaign.known = KnownBugs::read("refutation a *\n");
    campaign.test.campaign.plan.budget.findings = Some(1);
    let ran = campaign.run();
    assert_eq!(ran.stop, Stop::Findings);
    let findings = ran.store.findings().unwrap();
    let known: Vec<(FindingKind, bool)> = findings.iter().map(|found| (found.kind, found.known)).collect();
    assert!(known.contains(&(FindingKind::Crash, false)), "{known:?}");
    assert!(known.iter().all(|(kind, known)| *known == (*kind == FindingKind::Refutation)), "{known:?}");
}

#[test]
fn a_budget_of_findings_is_kept_to_the_finding() {
    let mut campaign = mixed_campaign();
    for jobs in [1, 3] {
        for findings in 1..=3 {
            campaign.test.campaign.plan.jobs = jobs;
            campaign.test.campaign.plan.budget.findings = Some(findings);
            let ran = campaign.run();
            assert_eq!((ran.stop.clone(), ran.findings().len() as u64), (Stop::Findings, findings));
        }
    }
}

#[test]
fn a_budget_of_cases_is_kept_to_the_case() {
    let mut campaign = mixed_campaign();
    for cases in [1, 9, 10, 37] {
        campaign.test.campaign.plan.budget.cases = Some(cases);
        campaign.test.campaign.plan.jobs = 2;
        let ran = campaign.run();
        let tally = ran.tally();
        assert_eq!(
            (ran.stop.clone(), tally.cases + tally.skipped_in_all() + tally.our_bugs),
            (Stop::Cases, cases)
        );
    }
}

#[test]
fn time_that_is_over_is_over_for_all_sessions_together() {
    let mut campaign = mixed_campaign();
    campaign.test.campaign.plan.budget = CampaignBudget { seconds: Some(0.05), ..CampaignBudget::default() };
    let mut store = MemoryStore::new("");
    assert_eq!(campaign.test.run(&mut store).0, Stop::Time);
    let cases = store.standing().unwrap().tally.cases;
    assert_eq!(campaign.test.run(&mut store).0, Stop::Time);
    assert_eq!(store.standing().unwrap().tally.cases, cases, "no time is left for any more");
}

#[test]
fn a_solver_that_runs_out_of_time_is_spared_the_rest_of_the_chain() {
    let mut campaign = DirectedCampaign::new(&["a: hang"], &[role("a"), role("b")]);
    campaign.test.campaign.plan.limits.seconds = 0.2;
    campaign.test.campaign.plan.budget.cases = Some(10);
    let ran = campaign.run();
    let tally = ran.tally();
    let limits: u64 =
        tally.solvers.values().map(|solver| solver.troubles.get("time-out").unwrap_or(&0)).sum();
    assert!(limits >= 1);
    let a = tally.solvers.iter().find(|(name, _)| name.starts_with('a')).unwrap().1;
    assert_eq!(a.troubles["time-out"], 1);
    assert_eq!(a.spared["ran out of time earlier in this chain"], 9);
    assert_eq!(ran.findings(), []);
}

#[test]
fn models_of_a_script_with_many_questions_cost_no_more_than_the_case_and_are_counted() {
    let seeds = [seed(0, &"(check-sat)\n".repeat(7))];
    let mut campaign = DirectedCampaign::with_seeds(&["a: seeing get-model spin"], &[role("a")], &seeds);
    let plan = &mut campaign.test.campaign.plan;
    (plan.limits.seconds, plan.limits.patience, plan.models.percent) = (2.0, 1, 100);
    plan.budget.cases = Some(1);
    let ran = campaign.run();
    let runs = ran.events.iter().find_map(|event| match event {
        Event::Case { runs, .. } => Some(runs.clone()),
        _ => None,
    });
    let [run] = &runs.unwrap()[..] else { panic!("one solver ran") };
    assert_eq!(run.answers.len(), 8);
    // Each of the seven models would take two seconds; together they get the tenth of a second that the case has.
    assert!(!run.side_cpu.is_zero() && run.side_cpu.as_secs_f64() < 1.0, "{:?}", run.side_cpu);
    let counted = ran.tally().solvers.values().map(|solver| solver.cpu).sum::<f64>();
    assert!(counted >= (run.cpu + run.side_cpu).as_secs_f64(), "{counted}");
}

/// A fake solver whose program can be removed.
fn removable_solver(name: &str, folder: &Path) -> Solver {
    let path = folder.join(name);
    // A copy might still be open for writing in a process that another test has just forked.
    std::os::unix::fs::symlink(FAKE_SOLVER, &path).unwrap();
    let mut solver = role(name);
    Arc::make_mut(&mut solver.profile).drivers = vec![DriverName::Plain];
    solver.program = Program::Binary { path, library: None };
    solver
}

fn run_and_remove(campaign: &DirectedCampaign, gone: &[PathBuf]) -> (Stop, Vec<Event>, MemoryStore) {
    let (mut store, mut events) = (MemoryStore::new(""), Vec::new());
    let listen = &mut |event: &Event, tally: &Tally| {
        if tally.cases == 20 {
            gone.iter().for_each(|path| drop(std::fs::remove_file(path)));
        }
        events.push(event.clone());
    };
    let stop = campaign.test.campaign.run(&mut store, listen, &AtomicBool::new(false)).unwrap();
    (stop, events, store)
}

#[test]
fn a_solver_that_is_taken_away_is_left_out_and_the_campaign_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let campaign = DirectedCampaign::new(
        &["answer sat", "answer unsat"],
        &[removable_solver("a", folder.path()), role("b")],
    );
    let (stop, events, store) = run_and_remove(&campaign, &[folder.path().join("a")]);
    assert_eq!(stop, Stop::Cases);
    let lost: Vec<&Event> = events.iter().filter(|event| matches!(event, Event::SolverLost { .. })).collect();
    assert!(
        matches!(lost.as_slice(), [Event::SolverLost { solver, why }]
        if solver.starts_with("a=") && why.contains("No such file")),
        "{lost:?}"
    );
    assert_eq!(store.standing().unwrap().tally.cases, 200);
}

#[test]
fn a_program_that_is_damaged_is_a_solver_lost_and_no_crash_found() {
    let folder = tempfile::tempdir().unwrap();
    let campaign = DirectedCampaign::new(
        &["answer sat", "answer unsat"],
        &[removable_solver("a", folder.path()), role("b")],
    );
    let (program, damaged) = (folder.path().join("a"), folder.path().join("damaged"));
    std::fs::write(&damaged, "#!/bin/sh\nkill -SEGV $$\n").unwrap();
    std::fs::set_permissions(&damaged, std::fs::metadata(&program).unwrap().permissions()).unwrap();
    let (mut store, mut events) = (MemoryStore::new(""), Vec::new());
    let listen = &mut |event: &Event, tally: &Tally| {
        if tally.cases == 20 {
            // The second rename fails, which is fine.
            drop(std::fs::rename(&damaged, &program));
        }
        events.push(event.clone());
    };
    campaign.test.campaign.run(&mut store, listen, &AtomicBool::new(false)).unwrap();
    let lost = events.iter().filter(|event| matches!(event, Event::SolverLost { .. })).count();
    assert_eq!(lost, 1);
    assert!(store.findings().unwrap().iter().all(|finding| finding.kind != FindingKind::Crash));
    assert_eq!(store.standing().unwrap().tally.flaky, 0);
}

#[test]
fn a_campaign_ends_when_no_solver_is_left_and_goes_on_when_they_are_back() {
    let folder = tempfile::tempdir().unwrap();
    let solvers = [removable_solver("a", folder.path()), removable_solver("b", folder.path())];
    let mut campaign = DirectedCampaign::new(&["answer sat", "answer unsat"], &solvers);
    campaign.test.campaign.plan.jobs = 2;
    let (stop, _, mut store) = run_and_remove(&campaign, &[folder.path().join("a"), folder.path().join("b")]);
    assert_eq!(stop, Stop::NoSolver);
    assert!(store.standing().unwrap().tally.cases < 200);
    for name in ["a", "b"] {
        std::os::unix::fs::symlink(FAKE_SOLVER, folder.path().join(name)).unwrap();
    }
    assert_eq!(campaign.test.run(&mut store).0, Stop::Cases);
    assert_eq!(store.standing().unwrap().tally.cases, 200);
}

#[test]
fn a_seed_that_changes_is_skipped_and_seeds_that_differ_are_told_on_resume() {
    let campaign = DirectedCampaign::new(&["answer sat"], &[role("a")]);
    std::fs::write(campaign.test.folder.path().join("seeds/000.smt2"), seed(9, "")).unwrap();
    let ran = campaign.run();
    assert_eq!(ran.tally().skipped["the seed was changed since the campaign began"], 50);
    assert_eq!(ran.tally().cases, 150);
    let directives: Vec<&str> = campaign.directives.iter().map(String::as_str).collect();
    let others: Vec<String> = [0, 2, 3, 4, 5].map(|number| seed(number, "")).to_vec();
    let other = DirectedCampaign::with_seeds(&directives, &[role("a")], &others);
    let mut store = ran.store;
    let error = other.test.campaign.run(&mut store, &mut |_, _| {}, &AtomicBool::new(false)).unwrap_err();
    assert!(matches!(error, CampaignError::Seeds(_)), "{error}");
}

#[test]
fn a_campaign_whose_seeds_no_solver_can_solve_ends_and_says_so() {
    let seeds: Vec<String> = (0..3)
        .map(|number| seed(number, "(set-info :fake |error line 1 column 1: unknown sort|)\n"))
        .collect();
    let mut campaign = DirectedCampaign::with_seeds(&["answer sat"], &[role("a"), role("b")], &seeds);
    campaign.test.campaign.plan.budget = CampaignBudget::default();
    assert_eq!(campaign.run().stop, Stop::NoSeed);
}

#[test]
fn a_script_that_must_not_be_made_is_our_bug_and_never_sent() {
    let ran = DirectedCampaign::new(&["answer sat", "ill-sorted"], &[role("a")]).run();
    let tally = ran.tally();
    assert!(tally.our_bugs > 0);
    assert_eq!(tally.cases + tally.our_bugs, 200);
    assert_eq!(tally.solvers.values().map(|solver| solver.runs).sum::<u64>(), tally.cases + tally.probed);
}

#[test]
fn a_wrong_status_of_a_seed_is_a_finding_unless_two_code_bases_contradict_it() {
    let seeds = [seed(0, "(set-info :status unsat)\n")];
    let mut campaign = DirectedCampaign::with_seeds(&["answer sat"], &[role("a")], &seeds);
    campaign.test.campaign.plan.budget.cases = Some(1);
    assert_eq!(campaign.run().findings(), [("promise a QF_UF".to_owned(), 1)]);
    let mut campaign = DirectedCampaign::with_seeds(&["answer sat"], &[role("a"), role("b")], &seeds);
    campaign.test.campaign.plan.budget.cases = Some(1);
    assert_eq!(campaign.run().findings(), []);
}

#[test]
fn a_seed_that_shows_a_bug_is_found_without_a_mutant() {
    let text = seed(0, "(set-info :status sat)\n(set-info :fake |a: answer unsat|)\n");
    assert!(Script::parse(&text, &Signature::standard()).is_ok());
    let mut campaign = DirectedCampaign::with_seeds(&["answer sat"], &[role("a"), role("b")], &[text]);
    campaign.test.campaign.plan.budget.cases = Some(1);
    let ran = campaign.run();
    let findings = ran.store.findings().unwrap();
    assert_eq!((findings[0].case, findings[0].strategy.as_str()), (None, "seed"));
    assert_eq!(findings[0].fingerprint, "refutation a QF_UF");
}

#[test]
fn options_are_drawn_by_the_case_and_a_bug_under_one_names_it() {
    let mut solvers = [role("a"), role("b"), role("c")];
    let lie = "write = \"--fake=VALUE\"\nvalues = [\"answer unsat\"]\ntier = \"safe\"\n";
    let choice: SolverOption = toml::from_str(lie).unwrap();
    Arc::make_mut(&mut solvers[0].profile).option.push(choice);
    let mut campaign = DirectedCampaign::new(&["complain nothing"], &solvers);
    campaign.test.campaign.plan.options = OptionPlan { tier: Some(Tier::Safe), percent: 50 };
    let mut results = Vec::new();
    for jobs in [1, 2] {
        campaign.test.campaign.plan.jobs = jobs;
        let ran = campaign.run();
        let found = ran.store.findings().unwrap();
        assert!(found[0].suspects.to_string().ends_with("\"--fake=answer unsat\""), "{found:?}");
        assert_eq!(found.len(), 1);
        results.push(reproducible_results(&ran.events, &ran.store));
    }
    assert_eq!(results[0], results[1]);
}
