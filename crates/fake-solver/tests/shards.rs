//! The shards of a campaign together make exactly the cases of the whole.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use std::collections::BTreeMap;
use std::path::Path;

use fake_solver::shard_campaign::{EVENTFUL_DIRECTIVES, HARMLESS_DIRECTIVES, SHARDED_CASES, shard_campaign};
use fake_solver::test_campaign::{FailingStore, TestCampaign};
use gainsay_engine::campaign::remake::{RemakeError, remake};
use gainsay_engine::event::{Event, Stop};
use gainsay_engine::store::memory::MemoryStore;
use gainsay_engine::store::{FindingRecord, Store};

const FAKE_SOLVER: &str = env!("CARGO_BIN_EXE_fake-solver");

fn campaign(shard: Option<&str>, schedule: &str, directives: &'static [&'static str]) -> TestCampaign {
    shard_campaign(FAKE_SOLVER, shard, schedule, directives)
}

/// The events of cases by number, without times.
fn cases(events: &[Event]) -> BTreeMap<u64, String> {
    let case = |event: &Event| match event {
        Event::Case { case, strategy, seed, bytes, runs, oracles, .. } => {
            let answers: Vec<_> = runs.iter().map(|run| (&run.solver, &run.answers)).collect();
            let seed = Path::new(seed).file_name();
            Some((*case, format!("{strategy} {seed:?} {bytes} {answers:?} {oracles:?}")))
        }
        Event::Skipped { case, strategy, why, count } => Some((*case, format!("{strategy:?} {why} {count}"))),
        _ => None,
    };
    events.iter().filter_map(case).collect()
}

/// The findings of several stores, added up: fingerprint, count, first case.
fn findings(stores: &[&dyn Store]) -> BTreeMap<String, (u64, Option<u64>)> {
    let mut sums = BTreeMap::new();
    for FindingRecord { fingerprint, count, case, .. } in
        stores.iter().flat_map(|store| store.findings().unwrap())
    {
        let sum = sums.entry(fingerprint).or_insert((0, case));
        *sum = (sum.0 + count, sum.1.min(case));
    }
    sums
}

#[test]
fn three_shards_make_the_cases_and_findings_of_the_whole_and_no_case_twice() {
    for directives in [HARMLESS_DIRECTIVES, EVENTFUL_DIRECTIVES] {
        let mut whole = MemoryStore::new("");
        let (_, events) = campaign(None, "uniform", directives).run(&mut whole);
        let (mut union, mut stores) = (BTreeMap::new(), Vec::new());
        for shard in ["1/3", "2/3", "3/3"] {
            let mut store = MemoryStore::new("");
            let (stop, events) = campaign(Some(shard), "uniform", directives).run(&mut store);
            assert_eq!(stop, Stop::Cases);
            for (case, event) in cases(&events) {
                assert_eq!(union.insert(case, event), None, "case {case} is in two shards");
            }
            stores.push(store);
        }
        assert_eq!(union, cases(&events));
        let stores: Vec<&dyn Store> = stores.iter().map(|store| store as &dyn Store).collect();
        assert_eq!(findings(&stores), findings(&[&whole]));
        assert_eq!(findings(&stores).is_empty(), directives == HARMLESS_DIRECTIVES);
    }
}

#[test]
fn a_shard_that_was_killed_goes_on_where_it_was_and_forgets_chains_that_ended() {
    let test = campaign(Some("2/3"), "uniform", HARMLESS_DIRECTIVES);
    let mut undisturbed = MemoryStore::new("");
    let (_, events) = test.run(&mut undisturbed);
    let mut failing = FailingStore::new(6);
    let (stop, before) = test.run(&mut failing);
    assert!(matches!(stop, Stop::Store(_)), "{stop:?}");
    let (stop, after) = test.run(&mut failing.store);
    assert_eq!(stop, Stop::Cases);
    let mut made = cases(&before);
    made.extend(cases(&after));
    assert_eq!(made, cases(&events));
    let standing = failing.store.standing().unwrap();
    let all = standing.tally.cases + standing.tally.skipped_in_all();
    assert_eq!(all, test.campaign.plan.shard.unwrap().share_of(SHARDED_CASES, 5));
    // Of the chains 1, 4 and 7, the budget cuts the last.
    assert_eq!((standing.ended_below, standing.chains.len()), (2, 1));
}

#[test]
fn replay_knows_the_cases_of_its_shard_and_no_others() {
    let test = campaign(Some("2/3"), "uniform", HARMLESS_DIRECTIVES);
    let mut store = MemoryStore::new("");
    test.run(&mut store);
    let made = |case| remake(&store, &test.campaign.recipe, &test.campaign.signature, case);
    assert!(made(5).is_ok() && made(22).is_ok() && made(37).is_ok());
    for case in [0, 10, 38] {
        let error = made(case).map(|_| ()).unwrap_err();
        assert!(matches!(error, RemakeError::NeverRun { last: Some(37), .. }), "{case}: {error}");
    }
}

#[test]
fn a_shard_that_an_agent_leads_ends_and_its_cases_are_made_again() {
    for (shard, share) in [("1/2", 20), ("2/2", 18)] {
        let test = campaign(Some(shard), "thompson", EVENTFUL_DIRECTIVES);
        let mut store = MemoryStore::new("");
        let (stop, _) = test.run(&mut store);
        assert_eq!(stop, Stop::Cases);
        let tally = store.standing().unwrap().tally;
        assert_eq!(tally.cases + tally.skipped_in_all(), share, "{tally:?}");
        let starts = store.lessons().unwrap().starts;
        let own = test.campaign.plan.shard.unwrap();
        assert!(starts.iter().all(|start| own.owns(start.chain)), "{starts:?}");
        let case = starts[1].chain * 5;
        assert!(remake(&store, &test.campaign.recipe, &test.campaign.signature, case).is_ok());
    }
}
