//! Workers that share a store: together they make the cases and findings of one process, whatever happens to them or the server.
//!
//! The server is a real PostgreSQL in a folder of the test. Without PostgreSQL these tests say so, and test nothing.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "../../engine/tests/support/postgres.rs"]
mod postgres;

use std::collections::BTreeMap;
use std::time::Duration;

use fake_solver::shard_campaign::{EVENTFUL_DIRECTIVES, HARMLESS_DIRECTIVES, SHARDED_CASES, shard_campaign};
use fake_solver::test_campaign::TestCampaign;
use gainsay_engine::campaign::chain::StepOutcome;
use gainsay_engine::campaign::remake::remake;
use gainsay_engine::campaign::steering;
use gainsay_engine::event::{Event, Stop};
use gainsay_engine::merge::{CampaignPart, merge};
use gainsay_engine::store::memory::MemoryStore;
use gainsay_engine::store::postgres::{Postgres, StoreAddress};
use gainsay_engine::store::sqlite::Sqlite;
use gainsay_engine::store::{Batch, ChainBounds, ChainRecord, LeaseOffer, Store, StoreError};
use gainsay_engine::tally::Tally;
use postgres::TemporaryServer;

const FAKE_SOLVER: &str = env!("CARGO_BIN_EXE_fake-solver");
const LEASE: Duration = Duration::from_secs(3600);
const BOUNDS: ChainBounds = ChainBounds { steps: 5, limit: 10 };

fn campaign(directives: &'static [&'static str]) -> TestCampaign {
    shard_campaign(FAKE_SOLVER, None, "uniform", directives)
}

/// The cases and skipped cases of a campaign, and its findings in cases: first case and all sightings, by fingerprint.
type Essence = (u64, u64, BTreeMap<String, (Option<u64>, Vec<u64>)>);

fn essence(store: &dyn Store) -> Essence {
    let tally = store.standing().unwrap().tally;
    let found = store.findings().unwrap().into_iter().map(|found| {
        let sightings = store.sightings(&found.fingerprint).unwrap();
        (found.fingerprint, (found.case, sightings))
    });
    (tally.cases, tally.skipped_in_all(), found.collect())
}

fn whole(directives: &'static [&'static str]) -> Essence {
    let mut store = MemoryStore::new("");
    assert_eq!(campaign(directives).run(&mut store).0, Stop::Cases);
    essence(&store)
}

fn worker(address: &StoreAddress, name: &str) -> Postgres {
    let mut store = Postgres::enter(address, "").unwrap();
    store.join(name, LEASE).unwrap();
    store
}

fn take(store: &Postgres, wanted: usize) -> Vec<u64> {
    match store.leases().unwrap().take(BOUNDS, wanted).unwrap() {
        LeaseOffer::Chains(chains) => chains.iter().map(|record| record.chain).collect(),
        LeaseOffer::Wait | LeaseOffer::Done => Vec::new(),
    }
}

/// A batch of a worker that has made one more case of a chain.
fn batch(store: &Postgres, chain: u64, next: Option<u64>) -> Batch {
    let tally = store.standing().unwrap().tally;
    let tally = Tally { cases: tally.cases + 1, ..tally };
    Batch { tally, chains: vec![ChainRecord { chain, next, out: Vec::new() }], ..Batch::default() }
}

#[test]
fn workers_that_share_a_store_make_the_cases_and_findings_of_one_process() {
    let Some(server) = TemporaryServer::shared() else { return };
    for (name, directives) in [("harmless", HARMLESS_DIRECTIVES), ("eventful", EVENTFUL_DIRECTIVES)] {
        let address = server.database(name);
        let made: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3)
                .map(|number| {
                    let mut store = worker(&address, &number.to_string());
                    scope.spawn(move || {
                        let (stop, events) = campaign(directives).run(&mut store);
                        assert_eq!(stop, Stop::Cases);
                        store.leave().unwrap();
                        events.iter().filter(|event| matches!(event, Event::Case { .. })).count()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        let store = Postgres::open(&address).unwrap();
        assert_eq!(essence(&store), whole(directives));
        assert_eq!(made as u64, essence(&store).0, "no case was made twice");
        assert_eq!(server.sql(name, "select count(*) from leases where worker is not null").trim(), "0");
    }
}

#[test]
fn workers_that_bandits_lead_make_every_case_once_and_chains_that_are_taken_over_go_on_as_they_began() {
    let Some(server) = TemporaryServer::shared() else { return };
    let address = server.database("led");
    let led = || shard_campaign(FAKE_SOLVER, None, "thompson", EVENTFUL_DIRECTIVES);
    let mut vanished = worker(&address, "vanished");
    led().run_cases(&mut vanished, 3);
    server
        .sql("led", "update leases set until = clock_timestamp() - interval '1 s' where worker is not null");
    let starts = || server.sql("led", "select chain, seed, strategies from starts order by chain");
    let begun = starts();
    assert!(begun.contains("directives"), "{begun}");
    std::thread::scope(|scope| {
        for number in 0..3 {
            let mut store = worker(&address, &number.to_string());
            scope.spawn(move || {
                assert_eq!(led().run(&mut store).0, Stop::Cases);
                store.leave().unwrap();
            });
        }
    });
    let store = Postgres::open(&address).unwrap();
    let tally = store.standing().unwrap().tally;
    assert_eq!((tally.cases + tally.skipped_in_all(), tally.our_bugs), (SHARDED_CASES, 0));
    assert!(begun.lines().all(|start| starts().lines().any(|one| one == start)), "{begun} {}", starts());
    assert_eq!(starts().lines().count(), 8);
    let schedules = store.lessons_of_others().unwrap().schedules;
    assert!(
        !schedules.is_empty() && steering::joined_schedule(&schedules, &[], 0, &[]).is_some(),
        "{schedules:?}"
    );
    // The script of each finding follows from the records.
    let test = led();
    for found in store.findings().unwrap() {
        let Some(case) = found.case else { continue };
        let made = remake(&store, &test.campaign.recipe, &test.campaign.signature, case).unwrap();
        let StepOutcome::Made(made) = made.outcome else { panic!("case {case} was not made") };
        let files = store.exhibits(&found.fingerprint).unwrap();
        let kept = &files.iter().find(|(name, _)| name == "case.smt2").unwrap().1;
        assert_eq!(kept.trim(), made.text.trim(), "case {case}");
    }
}

#[test]
fn a_campaign_that_two_workers_left_early_is_finished_by_a_third() {
    let Some(server) = TemporaryServer::shared() else { return };
    let address = server.database("early");
    for (name, cases) in [("first", 7), ("second", 4)] {
        let mut store = worker(&address, name);
        let (stop, _) = campaign(EVENTFUL_DIRECTIVES).run_cases(&mut store, cases);
        assert_eq!(stop, Stop::Interrupted);
        store.leave().unwrap();
    }
    // One more vanished without a word: its leases have run out.
    let mut vanished = worker(&address, "vanished");
    campaign(EVENTFUL_DIRECTIVES).run_cases(&mut vanished, 3);
    server.sql(
        "early",
        "update leases set until = clock_timestamp() - interval '1 s' where worker is not null",
    );
    let mut store = worker(&address, "third");
    assert_eq!(campaign(EVENTFUL_DIRECTIVES).run(&mut store).0, Stop::Cases);
    assert_eq!(essence(&store), whole(EVENTFUL_DIRECTIVES));
}

#[test]
fn work_on_a_chain_that_another_worker_took_over_is_dropped_whole() {
    let Some(server) = TemporaryServer::shared() else { return };
    let address = server.database("takeover");
    let (mut slow, mut quick) = (worker(&address, "slow"), worker(&address, "quick"));
    assert_eq!(take(&slow, 1), [0]);
    slow.record(&batch(&slow, 0, Some(1))).unwrap();
    assert_eq!(take(&quick, 9), [1], "chain 0 is leased");
    // An expired lease stays valid until another worker takes the chain.
    server.sql("takeover", "update leases set until = clock_timestamp() - interval '1 s'");
    slow.record(&batch(&slow, 0, Some(2))).unwrap();
    server.sql("takeover", "update leases set until = clock_timestamp() - interval '1 s'");
    let taken = quick.leases().unwrap().take(BOUNDS, 1).unwrap();
    assert_eq!(taken, LeaseOffer::Chains(vec![ChainRecord { chain: 0, next: Some(2), out: Vec::new() }]));
    let lost = slow.record(&batch(&slow, 0, None));
    assert!(matches!(lost, Err(StoreError::LeaseLost(_))), "{lost:?}");
    assert_eq!(slow.standing().unwrap().tally.cases, 2);
    quick.record(&batch(&quick, 0, None)).unwrap();
    quick.record(&batch(&quick, 1, None)).unwrap();
    assert_eq!(quick.standing().unwrap().tally.cases, 4);
    slow.rejoin().unwrap();
    assert_eq!(slow.leases().unwrap().take(BOUNDS, 1).unwrap(), LeaseOffer::Done);
}

#[test]
fn a_store_with_tables_of_an_older_version_is_changed_and_used() {
    let Some(server) = TemporaryServer::shared() else { return };
    let address = server.database("older");
    server.sql("older", include_str!("../../engine/src/store/postgres/migrations/1.sql"));
    server.sql("older", "create table gainsay_schema (version integer primary key)");
    server.sql("older", "insert into gainsay_schema values (1)");
    assert_eq!(take(&worker(&address, "newer"), 9), [0, 1]);
    assert_eq!(server.sql("older", "select max(version) from gainsay_schema").trim(), "4");
}

#[test]
fn a_worker_takes_no_chain_that_it_holds_however_old_its_lease_is() {
    let Some(server) = TemporaryServer::shared() else { return };
    let address = server.database("held");
    let (slow, other) = (worker(&address, "slow"), worker(&address, "other"));
    assert_eq!(take(&slow, 1), [0]);
    server
        .sql("held", "update leases set until = clock_timestamp() - interval '1 s' where worker is not null");
    assert_eq!(take(&slow, 9), [1], "a thread of this worker works on chain 0");
    assert_eq!(take(&other, 9), [0], "its lease has expired, that of chain 1 has not");
}

#[test]
fn a_worker_waits_while_others_hold_the_last_chains() {
    let Some(server) = TemporaryServer::shared() else { return };
    let address = server.database("last");
    let (first, second) = (worker(&address, "first"), worker(&address, "second"));
    assert_eq!(take(&first, 9), [0, 1]);
    assert_eq!(second.leases().unwrap().take(BOUNDS, 1).unwrap(), LeaseOffer::Wait);
    assert_eq!(
        first.leases().unwrap().take(BOUNDS, 1).unwrap(),
        LeaseOffer::Done,
        "all that is left is its own"
    );
}

#[test]
fn a_worker_goes_on_after_a_crash_of_the_server_and_counts_nothing_twice() {
    let Some(server) = TemporaryServer::start() else { return };
    let address = server.database("crash");
    let mut store = worker(&address, "worker");
    let test = campaign(EVENTFUL_DIRECTIVES);
    let (mut sessions, mut crashes) = (0, 0);
    loop {
        let mut seen = 0;
        let (stop, _) = test.run_until(&mut store, |event| {
            seen += usize::from(matches!(event, Event::Case { .. }));
            if seen == 6 && crashes < 3 {
                crashes += 1;
                // The server ends at once, as by a crash of its machine.
                server.run("pg_ctl", &["-D", "data", "-m", "immediate", "-s", "-w", "stop"]);
                server.start_again();
                seen += 1;
            }
            false
        });
        if stop == Stop::Cases {
            break;
        }
        assert!(matches!(stop, Stop::Session(_)), "{stop:?}");
        sessions += 1;
        store.rejoin().unwrap();
    }
    // How much is left after a crash depends on the batches until then.
    assert!(crashes > 0 && sessions == crashes, "{sessions} sessions ended by {crashes} crashes");
    assert_eq!(essence(&store), whole(EVENTFUL_DIRECTIVES));
    assert_eq!(essence(&store).0 + essence(&store).1, SHARDED_CASES);
}

#[test]
fn a_shared_store_is_copied_to_a_folder_with_its_findings() {
    let Some(server) = TemporaryServer::shared() else { return };
    let address = server.database("copied");
    let test = campaign(EVENTFUL_DIRECTIVES);
    let mut store = Postgres::enter(&address, &test.campaign.plan.to_toml()).unwrap();
    store.join("worker", LEASE).unwrap();
    assert_eq!(test.run(&mut store).0, Stop::Cases);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    merge(&[CampaignPart::open_shared(&address).unwrap()], &out).unwrap();
    let copy = Sqlite::read(&out).unwrap();
    assert_eq!(essence(&copy), essence(&store));
    let findings = copy.findings().unwrap();
    assert!(!findings.is_empty());
    for found in findings {
        let read = gainsay_engine::store::folder::read_finding(&out, &found.path).unwrap();
        assert_eq!((read.origin.fingerprint, read.origin.case), (found.fingerprint, found.case));
        assert_eq!(read.runs.len(), 3);
        let path = out.display().to_string();
        assert!(read.origin.again.check.contains(&path), "{}", read.origin.again.check);
    }
}

#[test]
fn what_is_wrong_with_a_store_is_told_in_one_sentence_without_the_password() {
    let Some(server) = TemporaryServer::shared() else { return };
    let read = |text: &str| StoreAddress::read(text, &|_| None).unwrap();
    let said = |address: &StoreAddress| {
        let error = Postgres::open(address).map(drop).unwrap_err();
        assert!(!error.to_string().contains("secret") && !error.to_string().contains('\n'), "{error}");
        error.to_string()
    };
    assert!(said(&read("postgres://me:secret@127.0.0.1:1/x")).contains("cannot be reached"));
    assert!(said(&read(&server.address("nowhere"))).contains("does not exist; `createdb` makes it"));
    let stranger = server.address("postgres").replace("gainsay@", "stranger:secret@");
    assert!(said(&read(&stranger)).contains("the server refuses the user or the password"));
    server.sql("postgres", "create role guarded login password 'right'");
    for guarded in ["guarded:secret@", "guarded@"] {
        let address = read(&server.address("postgres").replace("gainsay@", guarded));
        assert!(said(&address).contains("the server refuses the user or the password"), "{guarded}");
    }
    let right = read(&server.address("postgres").replace("gainsay@", "guarded:right@"));
    assert!(said(&right).contains("it holds no campaign"));
    assert!(said(&server.database("empty")).contains("it holds no campaign"));
    let address = server.database("newer");
    drop(Postgres::enter(&address, "").unwrap());
    server.sql("newer", "insert into gainsay_schema values (99)");
    assert!(
        said(&address).contains("a newer gainsay made its tables (version 99; this one knows version 4)")
    );
}
