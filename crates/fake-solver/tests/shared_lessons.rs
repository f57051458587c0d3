//! Workers that share a store share what they learn: weights of mutations, the code that was reached, and scripts that reached new code.
//!
//! The server is a real PostgreSQL in a folder of the test. Without PostgreSQL these tests say so, and test nothing.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "../../engine/tests/support/postgres.rs"]
mod postgres;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use fake_solver::fixture::{self, named_solver};
use fake_solver::test_campaign::{self, HORN_SEEDS, TestCampaign, directive_seed, directive_strategy};
use gainsay_coverage::reached::ReachedRecord;
use gainsay_coverage::report::CoverageSummary;
use gainsay_coverage::target::Level;
use gainsay_engine::campaign::chain::StepOutcome;
use gainsay_engine::campaign::plan::CampaignPlan;
use gainsay_engine::campaign::remake::remake;
use gainsay_engine::event::{Event, Stop};
use gainsay_engine::merge::{CampaignPart, merge};
use gainsay_engine::schedule::Schedule;
use gainsay_engine::store::postgres::{Postgres, StoreAddress};
use gainsay_engine::store::sqlite::Sqlite;
use gainsay_engine::store::{Batch, Store};
use gainsay_engine::strategy::mutation_weights::MutationWeights;
use gainsay_engine::tally::{CoverageTally, Tally};
use postgres::TemporaryServer;

const FAKE_SOLVER: &str = env!("CARGO_BIN_EXE_fake-solver");
const LEASE: Duration = Duration::from_secs(3600);
const HORN_CASES: u64 = 60;

fn worker(address: &StoreAddress, plan: &CampaignPlan, name: &str) -> Postgres {
    let mut store = Postgres::enter(address, &plan.to_toml()).unwrap();
    store.join(name, LEASE).unwrap();
    store
}

fn horn(shard: Option<&str>) -> TestCampaign {
    let fake = Path::new(FAKE_SOLVER);
    let mut solver = test_campaign::without_statistics(fixture::solver(fake, "horn"));
    solver.name = "a=fake".parse().unwrap();
    solver.name.options.extend(["--fake".to_owned(), "answer unsat".to_owned()]);
    let shard = shard.map(|shard| shard.parse().unwrap());
    let plan = CampaignPlan { shard, ..test_campaign::plan(HORN_CASES) };
    let strategies = test_campaign::strategies(&["horn"]);
    TestCampaign::new(fake, strategies, test_campaign::panel(fake, &[solver]), &HORN_SEEDS, plan)
}

fn mutated(events: &[Event]) -> u64 {
    events.iter().filter(|event| matches!(event, Event::Case { mutation: Some(_), .. })).count() as u64
}

/// Checks that the cases of these events are made again from the records.
fn check_remade(test: &TestCampaign, store: &dyn Store, events: &[Event]) {
    for event in events {
        let Event::Case { case, bytes, .. } = event else { continue };
        let again = remake(store, &test.campaign.recipe, &test.campaign.signature, *case).unwrap();
        let StepOutcome::Made(made) = &again.outcome else { panic!("{again:?}") };
        assert_eq!(made.text.len(), *bytes, "case {case}");
    }
}

#[test]
fn workers_of_horn_clauses_make_every_case_once_and_share_their_weights() {
    let Some(server) = TemporaryServer::shared() else { return };
    let address = server.database("horn");
    let first = horn(None);
    let mut vanished = worker(&address, &first.campaign.plan, "vanished");
    let (_, begun) = first.run_cases(&mut vanished, 3);
    server
        .sql("horn", "update leases set until = clock_timestamp() - interval '1 s' where worker is not null");
    let made: Vec<(TestCampaign, Vec<Event>)> = std::thread::scope(|scope| {
        let run = |number: usize| {
            let test = horn(None);
            let mut store = worker(&address, &first.campaign.plan, &number.to_string());
            scope.spawn(move || {
                let (stop, events) = test.run(&mut store);
                assert_eq!(stop, Stop::Cases);
                store.leave().unwrap();
                (test, events)
            })
        };
        let threads: Vec<_> = (0..3).map(run).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let store = Postgres::open(&address).unwrap();
    let tally = store.standing().unwrap().tally;
    assert_eq!((tally.cases + tally.skipped_in_all(), tally.our_bugs), (HORN_CASES, 0));
    made.iter().for_each(|(test, events)| check_remade(test, &store, events));
    assert_eq!(tally.traces.unique as usize, store.lessons().unwrap().seen.len(), "unique among all workers");
    // Each round of chains visits every seed once, whichever worker began a chain.
    let starts = store.lessons().unwrap().starts;
    assert_eq!(starts.len() as u64, HORN_CASES / first.campaign.plan.chain);
    for round in starts.chunks(HORN_SEEDS.len()) {
        assert_eq!(round.iter().map(|start| start.seed).collect::<BTreeSet<_>>().len(), 3, "{starts:?}");
    }
    let counted = |store: &dyn Store| {
        let read = |text: &String| serde_json::from_str::<MutationWeights>(text).unwrap();
        let lessons = store.lessons_of_others().unwrap().weights;
        MutationWeights::joined(&lessons.iter().map(read).collect::<Vec<_>>()).unwrap().runs
    };
    let runs = mutated(&begun) + made.iter().map(|(_, events)| mutated(events)).sum::<u64>();
    assert!((runs - 1..=runs).contains(&counted(&store)), "{} of {runs}", counted(&store));
    // A copy in a folder goes on with the lessons of all.
    let folder = tempfile::tempdir().unwrap();
    merge(&[CampaignPart::open_shared(&address).unwrap()], &folder.path().join("out")).unwrap();
    let copied = Sqlite::read(&folder.path().join("out")).unwrap().lessons().unwrap().weights;
    assert_eq!(serde_json::from_str::<MutationWeights>(&copied).unwrap().runs, counted(&store));
}

#[test]
fn joined_shards_of_horn_clauses_have_the_weights_of_all_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut runs = 0;
    for (name, shard) in [("a", "1/3"), ("b", "2/3"), ("c", "3/3")] {
        let test = horn(Some(shard));
        let mut store = Sqlite::create(&folder.path().join(name), &test.campaign.plan.to_toml()).unwrap();
        runs += mutated(&test.run(&mut store).1);
    }
    let join = |out: &str, names: &[&str]| {
        let part = |name: &&str| CampaignPart::open(&folder.path().join(name)).unwrap().unwrap();
        merge(&names.iter().map(part).collect::<Vec<_>>(), &folder.path().join(out)).unwrap();
        Sqlite::read(&folder.path().join(out)).unwrap().lessons().unwrap().weights
    };
    let all = join("all", &["a", "b", "c"]);
    assert_eq!(serde_json::from_str::<MutationWeights>(&all).unwrap().runs, runs);
    join("ab", &["a", "b"]);
    assert_eq!(all, join("ab-c", &["ab", "c"]));
}

/// The tally of a worker that has reached these functions of a solver.
fn reached(tally: &Tally, sites: &[u32], of: usize) -> Tally {
    let summary = CoverageSummary {
        functions_reached: sites.len(),
        functions: of,
        sites_reached: sites.len(),
        sites: of,
        lines_reached: 0,
        lines: 0,
        left_out: 0,
    };
    let record = ReachedRecord::new(sites.iter().copied().collect());
    let known = CoverageTally { level: Level::Functions, summary, growth: Vec::new(), record };
    Tally { coverage: BTreeMap::from([("z3".to_owned(), known)]), ..tally.clone() }
}

#[test]
fn the_code_that_workers_reach_is_joined_in_the_store() {
    let Some(server) = TemporaryServer::shared() else { return };
    let address = server.database("reached");
    let plan = CampaignPlan::default();
    let (mut one, mut other) = (worker(&address, &plan, "one"), worker(&address, &plan, "other"));
    let record = |store: &mut Postgres, sites: &[u32], of: usize, seconds: f64| {
        let tally = Tally { seconds, ..reached(&store.standing().unwrap().tally, sites, of) };
        store.record(&Batch { tally, ..Batch::default() }).unwrap();
    };
    record(&mut one, &[1, 2], 100, 1.0);
    record(&mut other, &[2, 3, 70], 100, 9.0);
    record(&mut one, &[1, 2, 5], 100, 20.0);
    // Sites of another build mean something else.
    record(&mut other, &[8], 90, 30.0);
    let sites = |coverage: &BTreeMap<String, CoverageTally>| -> Vec<u32> {
        coverage["z3"].record.sites().iter().collect()
    };
    assert_eq!(sites(&one.lessons_of_others().unwrap().coverage), [1, 2, 3, 5, 70]);
    let known = other.standing().unwrap().tally.coverage;
    assert_eq!((sites(&known), known["z3"].summary.functions_reached), (vec![1, 2, 3, 5, 70], 5));
    let growth: Vec<usize> = known["z3"].growth.iter().map(|point| point.reached).collect();
    assert_eq!(growth, [4, 5], "over time");
    assert_eq!(sites(&one.overview().unwrap().tally.coverage), [1, 2, 3, 5, 70], "the page shows it");
    let own = "select count(*) from workers where convert_from(tally, 'UTF8') like '%coverage%'";
    assert_eq!(server.sql("reached", own).trim(), "0", "it is recorded once for all workers");
}

/// A campaign in which scripts that reach new code of the fake solver are kept.
fn covered() -> TestCampaign {
    let fake = Path::new(FAKE_SOLVER);
    let solver = test_campaign::without_statistics(named_solver(fake, "covered", "a", &[]));
    let plan = CampaignPlan {
        coverage: Some(Level::Functions),
        queue: true,
        schedule: Schedule::find("thompson").unwrap(),
        ..test_campaign::plan(200)
    };
    let seeds: Vec<String> = (0..4).map(directive_seed).collect();
    let strategies = vec![directive_strategy(&["answer sat", "complain once", "sleep 1", "meet /nowhere"])];
    TestCampaign::new(fake, strategies, test_campaign::panel(fake, &[solver]), &seeds, plan)
}

#[test]
fn chains_start_from_scripts_that_another_worker_has_kept_and_go_on_elsewhere() {
    let Some(server) = TemporaryServer::shared() else { return };
    let address = server.database("queue");
    let test = covered();
    let mut first = worker(&address, &test.campaign.plan, "first");
    let (_, events) = test.run_cases(&mut first, 60);
    if let Some(Event::NotCovered { why, .. }) =
        events.iter().find(|event| matches!(event, Event::NotCovered { .. }))
    {
        eprintln!("not run, because programs cannot be traced here ({why}): a shared queue");
        return;
    }
    first.leave().unwrap();
    let kept: u64 = server.sql("queue", "select count(*) from queue").trim().parse().unwrap();
    assert!(kept > 0, "no script was kept");
    // Another worker knows the code already, and starts chains from scripts of the first.
    let begun =
        || server.sql("queue", "select hash, name from seeds where hash like 'chain %' order by hash");
    let before = begun();
    let mut second = worker(&address, &test.campaign.plan, "second");
    let again = covered();
    let (_, events) = again.run_cases(&mut second, 60);
    check_remade(&again, &second, &events);
    assert!(begun().lines().count() > before.lines().count(), "{}", begun());
    let uses: u64 = server.sql("queue", "select sum(chains) from queue").trim().parse().unwrap();
    assert!(uses > 0, "chains that start from a script are counted");
    assert_eq!(server.sql("queue", "select count(*) from reached").trim(), "1", "one row for the solver");
    // A third worker finishes the chains of the second, from the same scripts.
    server.sql(
        "queue",
        "update leases set until = clock_timestamp() - interval '1 s' where worker is not null",
    );
    let mut third = worker(&address, &test.campaign.plan, "third");
    let last = covered();
    let (stop, events) = last.run(&mut third);
    assert_eq!(stop, Stop::Cases);
    check_remade(&last, &third, &events);
    let tally = third.standing().unwrap().tally;
    assert_eq!((tally.cases + tally.skipped_in_all(), tally.our_bugs), (200, 0));
    let folder = tempfile::tempdir().unwrap();
    merge(&[CampaignPart::open_shared(&address).unwrap()], &folder.path().join("out")).unwrap();
    let schedule = Sqlite::read(&folder.path().join("out")).unwrap().lessons().unwrap().schedule;
    let schedule: serde_json::Value = serde_json::from_str(&schedule).unwrap();
    assert!(!schedule["kept"].as_array().unwrap().is_empty(), "the copy has the queue");
}
