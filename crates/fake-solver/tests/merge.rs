//! Shards that are joined are the campaign that they are parts of.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fake_solver::shard_campaign::{EVENTFUL_DIRECTIVES, HARMLESS_DIRECTIVES, SHARDED_CASES, shard_campaign};
use fake_solver::test_campaign::TestCampaign;
use gainsay_engine::campaign::plan::CampaignPlan;
use gainsay_engine::campaign::remake::remake;
use gainsay_engine::event::Stop;
use gainsay_engine::merge::{CampaignPart, MergeError, MergeSummary, merge};
use gainsay_engine::store::folder::read_finding;
use gainsay_engine::store::sqlite::Sqlite;
use gainsay_engine::store::{Store, StoreError};
use gainsay_engine::tally::Tally;
use tempfile::TempDir;

const FAKE_SOLVER: &str = env!("CARGO_BIN_EXE_fake-solver");

fn campaign(shard: Option<&str>, schedule: &str, directives: &'static [&'static str]) -> TestCampaign {
    shard_campaign(FAKE_SOLVER, shard, schedule, directives)
}

/// Runs campaigns in folders of their own below a temporary one.
struct Fleet {
    folder: TempDir,
    schedule: &'static str,
    directives: &'static [&'static str],
}

impl Fleet {
    fn new(directives: &'static [&'static str]) -> Fleet {
        Fleet { folder: tempfile::tempdir().unwrap(), schedule: "uniform", directives }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a shard, or the whole campaign; it stops after so many cases, as if it had been killed.
    fn run(&self, name: &str, shard: Option<&str>, cases: usize) {
        let test = campaign(shard, self.schedule, self.directives);
        let mut store = Sqlite::create(&self.path(name), &test.campaign.plan.to_toml()).unwrap();
        test.run_cases(&mut store, cases);
    }

    fn merge(&self, out: &str, names: &[&str]) -> Result<MergeSummary, MergeError> {
        let open = |name: &&str| CampaignPart::open(&self.path(name)).transpose();
        let parts = names.iter().filter_map(open).collect::<Result<Vec<_>, _>>()?;
        merge(&parts, &self.path(out))
    }

    /// All records of a campaign, without its seeds' temporary folder; wall-clock and CPU times only if they were added up from the same parts.
    fn records(&self, name: &str, with_times: bool) -> BTreeMap<&'static str, String> {
        let store = Sqlite::read(&self.path(name)).unwrap();
        let standing = store.standing().unwrap();
        let mut tally = standing.tally;
        if !with_times {
            forget_times(&mut tally);
        }
        let found = store.findings().unwrap().into_iter().map(|mut record| {
            let sightings = store.sightings(&record.fingerprint).unwrap();
            let details = read_finding(&self.path(name), &record.path).unwrap();
            let replay = details
                .origin
                .again
                .replay
                .map(|line| line.replace(&*self.path(name).to_string_lossy(), "OUT"));
            record.seed = Path::new(&record.seed).file_name().unwrap().to_string_lossy().into_owned();
            if !with_times {
                record.seconds = 0;
            }
            format!("{record:?} {sightings:?} {} {replay:?} {}", details.case, details.runs.len())
        });
        let mut found: Vec<String> = found.collect();
        found.sort();
        let roster = store.roster().unwrap();
        let seeds: Vec<String> = roster
            .iter()
            .map(|entry| {
                format!(
                    "{} {} {:?}",
                    entry.hash,
                    entry.used,
                    store.seed(&entry.hash).unwrap().map(|seed| seed.text)
                )
            })
            .collect();
        let samples = if with_times { format!("{:?}", store.samples().unwrap()) } else { String::new() };
        BTreeMap::from([
            ("tally", format!("{tally:?}")),
            ("chains", format!("{} {:?}", standing.ended_below, standing.chains)),
            ("findings", found.join("\n")),
            ("seeds", seeds.join("\n")),
            ("samples", samples),
        ])
    }
}

/// Sets times to zero, and what several shards count because each of them runs the seeds that it uses.
fn forget_times(tally: &mut Tally) {
    (tally.seconds, tally.own_cpu, tally.probed) = (0.0, 0.0, 0);
    for solver in tally.solvers.values_mut() {
        (solver.cpu, solver.runs, solver.sat, solver.unsat) = (0.0, 0, 0, 0);
    }
}

#[test]
fn joined_shards_have_the_records_of_the_whole() {
    for directives in [HARMLESS_DIRECTIVES, EVENTFUL_DIRECTIVES] {
        let fleet = Fleet::new(directives);
        fleet.run("whole", None, usize::MAX);
        for shard in ["1/3", "2/3", "3/3"] {
            fleet.run(&shard[..1], Some(shard), usize::MAX);
        }
        let summary = fleet.merge("out", &["3", "1", "2"]).unwrap();
        assert_eq!(summary, MergeSummary { parts: 3, missing_cases: Some(0) });
        assert_eq!(fleet.records("out", false), fleet.records("whole", false));
        let plan =
            CampaignPlan::read_recorded(&Sqlite::read(&fleet.path("out")).unwrap().plan().unwrap()).unwrap();
        assert_eq!(plan.shard, None);
    }
}

#[test]
fn joining_is_associative_to_the_last_bit() {
    let fleet = Fleet::new(EVENTFUL_DIRECTIVES);
    for shard in ["1/3", "2/3", "3/3"] {
        fleet.run(&shard[..1], Some(shard), usize::MAX);
    }
    fleet.merge("12", &["1", "2"]).unwrap();
    fleet.merge("12-3", &["12", "3"]).unwrap();
    fleet.merge("23", &["2", "3"]).unwrap();
    fleet.merge("1-23", &["1", "23"]).unwrap();
    assert_eq!(fleet.records("12-3", true), fleet.records("1-23", true));
    fleet.merge("123", &["1", "2", "3"]).unwrap();
    assert_eq!(fleet.records("123", true), fleet.records("1-23", true));
}

#[test]
fn a_shard_that_died_is_joined_as_far_as_it_came_and_the_rest_is_made_by_resuming() {
    for schedule in ["uniform", "thompson"] {
        let fleet = Fleet { schedule, ..Fleet::new(HARMLESS_DIRECTIVES) };
        fleet.run("whole", None, usize::MAX);
        fleet.run("1", Some("1/3"), usize::MAX);
        fleet.run("2", Some("2/3"), 3);
        // The third died before its first record.
        std::fs::create_dir(fleet.path("3")).unwrap();
        let summary = fleet.merge("out", &["1", "2", "3"]).unwrap();
        assert_eq!(summary.parts, 2);
        let missing = summary.missing_cases.unwrap();
        assert!((10..=28).contains(&missing), "{missing}");
        let test = campaign(None, schedule, HARMLESS_DIRECTIVES);
        let mut store = Sqlite::resume(&fleet.path("out")).unwrap();
        let (stop, _) = test.run(&mut store);
        assert_eq!(stop, Stop::Cases);
        let tally = store.standing().unwrap().tally;
        assert_eq!(tally.cases + tally.skipped_in_all(), SHARDED_CASES);
        assert!(remake(&store, &test.campaign.recipe, &test.campaign.signature, 7).is_ok());
        if schedule == "uniform" {
            drop(store);
            assert_eq!(fleet.records("out", false), fleet.records("whole", false));
        }
    }
}

#[test]
fn parts_that_do_not_belong_together_are_refused_and_nothing_is_left_behind() {
    let fleet = Fleet::new(HARMLESS_DIRECTIVES);
    fleet.run("1", Some("1/2"), usize::MAX);
    fleet.run("again", Some("1/2"), 3);
    let error = fleet.merge("out", &["1", "again"]).unwrap_err();
    assert!(matches!(error, MergeError::Twice { chain: 0, .. }), "{error}");
    let other = Fleet::new(HARMLESS_DIRECTIVES);
    let test = campaign(Some("2/2"), "uniform", HARMLESS_DIRECTIVES);
    let plan = CampaignPlan { rng_seed: 8, ..test.campaign.plan.clone() };
    drop(Sqlite::create(&fleet.path("2"), &plan.to_toml()).unwrap());
    let error = fleet.merge("out", &["1", "2"]).unwrap_err().to_string();
    assert!(error.ends_with("cannot be joined: rng_seed is 7 and 8"), "{error}");
    assert!(matches!(other.merge("out", &[]), Err(MergeError::Nothing)));
    let nowhere = fleet.merge("out", &["1", "nowhere"]).unwrap_err();
    assert!(matches!(nowhere, MergeError::Store(StoreError::Missing(_))), "{nowhere}");
    assert!(!fleet.path("out").exists());
}

#[test]
fn a_result_is_never_overwritten_and_two_joins_into_one_folder_are_one() {
    let fleet = Fleet::new(HARMLESS_DIRECTIVES);
    fleet.run("1", Some("1/2"), 3);
    let staging = fleet.path(".out.merging");
    std::fs::create_dir(&staging).unwrap();
    std::fs::write(staging.join("store.sqlite"), "left by a killed join").unwrap();
    let lock = std::fs::File::open(&staging).unwrap();
    lock.lock().unwrap();
    let error = fleet.merge("out", &["1"]).unwrap_err();
    assert!(matches!(error, MergeError::Busy(_)), "{error}");
    lock.unlock().unwrap();
    fleet.merge("out", &["1"]).unwrap();
    assert!(!staging.exists());
    let before = fleet.records("out", true);
    let error = fleet.merge("out", &["1"]).unwrap_err();
    assert!(matches!(error, MergeError::Exists(_)), "{error}");
    assert_eq!(fleet.records("out", true), before);
    let _writer = Sqlite::resume(&fleet.path("1")).unwrap();
    let error = fleet.merge("other", &["1"]).unwrap_err();
    assert!(matches!(error, MergeError::Store(StoreError::Busy(_))), "{error}");
}
