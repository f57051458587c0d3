//! Tests of SQLite alone: damage, a full disk, two writers, readers beside a writer, a read-only disk.

use super::*;
use crate::finding::{Evidence, FindingKind};
use crate::random::RandomStream;
use crate::store::ChainRecord;
use tempfile::TempDir;

/// Batch number `n` of an even campaign: everything in it is counted `n` times after it.
fn batch(n: u64) -> Batch {
    let tally = Tally { cases: n, ..Tally::default() };
    let finding = FindingRecord {
        fingerprint: format!("crash z3 {n}"),
        kind: FindingKind::Crash,
        suspects: "z3".into(),
        evidence: Evidence::Proved,
        explanation: "x".repeat(300),
        count: 1,
        case: Some(n),
        strategy: "generative".into(),
        seed: "a.smt2".into(),
        seconds: n,
        known: false,
        path: "findings/x".into(),
    };
    let seed = SeedRecord {
        name: format!("{n}"),
        hash: format!("{n}"),
        text: "(check-sat)\n".repeat(50),
        values: String::new(),
    };
    Batch {
        tally,
        chains: vec![ChainRecord { chain: 2 * n, next: Some(n), out: vec![("z3".into(), "time".into())] }],
        sightings: vec![(n, finding.fingerprint.clone())],
        findings: vec![finding],
        sample: Some(Sample { seconds: n as f64, cases: n, ..Sample::default() }),
        seeds: vec![seed],
        ..Batch::default()
    }
}

/// A campaign with that many batches.
fn campaign(batches: u64) -> (TempDir, Sqlite) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Sqlite::create(folder.path(), "jobs = 1\n").unwrap();
    (1..=batches).for_each(|n| store.record(&batch(n)).unwrap());
    (folder, store)
}

/// How many batches are in a store; all of each.
fn batches(store: &Sqlite) -> u64 {
    let standing = store.standing().unwrap();
    let findings = store.findings().unwrap();
    assert_eq!(standing.chains.len() as u64, standing.tally.cases);
    assert_eq!(findings.len() as u64, standing.tally.cases);
    assert_eq!(store.samples().unwrap().len() as u64, standing.tally.cases);
    assert!(findings.iter().all(|finding| store.sightings(&finding.fingerprint).unwrap().len() == 1));
    standing.tally.cases
}

/// What there is in a folder, and how long.
fn files(folder: &Path) -> Vec<(String, u64)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut files: Vec<_> = entries
        .map(|entry| (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().len()))
        .collect();
    files.sort();
    files
}

#[test]
fn a_folder_that_holds_a_campaign_is_refused_and_left_alone() {
    let (folder, store) = campaign(3);
    assert!(matches!(Sqlite::create(folder.path(), ""), Err(StoreError::Exists(_))));
    drop(store);
    assert!(matches!(Sqlite::create(folder.path(), ""), Err(StoreError::Exists(_))));
    assert_eq!(batches(&Sqlite::resume(folder.path()).unwrap()), 3);
}

#[test]
fn a_folder_that_holds_none_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(Sqlite::resume(folder.path()), Err(StoreError::Missing(_))));
    assert!(matches!(Sqlite::read(&folder.path().join("no")), Err(StoreError::Missing(_))));
    assert_eq!(files(folder.path()), [], "looking leaves nothing behind");
}

#[test]
fn half_a_campaign_that_was_being_made_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("store.sqlite.new"), "half").unwrap();
    fs::write(folder.path().join("store.sqlite.new-wal"), "half").unwrap();
    let store = Sqlite::create(folder.path(), "jobs = 7\n").unwrap();
    assert_eq!((store.plan().unwrap().as_str(), batches(&store)), ("jobs = 7\n", 0));
    assert_eq!(fs::read_to_string(folder.path().join(folder::PLAN_FILE)).unwrap(), "jobs = 7\n");
}

#[test]
fn a_plan_of_the_users_is_not_overwritten_and_a_lost_one_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join(folder::PLAN_FILE);
    fs::write(&plan, "# mine\n").unwrap();
    drop(Sqlite::create(folder.path(), "jobs = 7\n").unwrap());
    assert_eq!(fs::read_to_string(&plan).unwrap(), "# mine\n");
    fs::remove_file(&plan).unwrap();
    drop(Sqlite::resume(folder.path()).unwrap());
    assert_eq!(fs::read_to_string(&plan).unwrap(), "jobs = 7\n");
}

#[test]
fn there_is_one_writer_at_a_time() {
    let (folder, store) = campaign(1);
    assert!(matches!(Sqlite::resume(folder.path()), Err(StoreError::Busy(_))));
    drop(store);
    assert_eq!(batches(&Sqlite::resume(folder.path()).unwrap()), 1);
}

#[test]
fn a_reader_sees_one_moment_and_blocks_no_writer() {
    let (folder, mut store) = campaign(2);
    let reader = Sqlite::read(folder.path()).unwrap();
    (3..=50).for_each(|n| store.record(&batch(n)).unwrap());
    assert_eq!((batches(&reader), batches(&store)), (2, 50));
    assert_eq!(batches(&Sqlite::read(folder.path()).unwrap()), 50);
}

#[test]
fn a_reader_cannot_write() {
    let (folder, store) = campaign(2);
    drop(store);
    let mut reader = Sqlite::read(folder.path()).unwrap();
    assert!(matches!(reader.record(&batch(3)), Err(StoreError::Disk { .. })));
}

#[test]
fn what_a_killed_writer_left_is_read_with_and_without_the_right_to_write() {
    let (folder, store) = campaign(5);
    // A kill leaves the write-ahead file unclosed.
    let left = tempfile::tempdir().unwrap();
    for name in [STORE_FILE, "store.sqlite-wal"] {
        fs::copy(folder.path().join(name), left.path().join(name)).unwrap();
    }
    drop(store);
    let before = files(left.path());
    let place = StoreLocation::new(left.path());
    let lonely = Sqlite { connection: alone(&place).unwrap(), place, lock: None };
    assert_eq!(batches(&lonely), 5);
    drop(lonely);
    assert_eq!(files(left.path()), before, "nothing was written");
    assert_eq!(batches(&Sqlite::read(left.path()).unwrap()), 5);
    assert_eq!(batches(&Sqlite::resume(left.path()).unwrap()), 5);
}

#[test]
fn a_finished_campaign_is_read_without_the_right_to_write_whatever_its_name() {
    let outside = tempfile::tempdir().unwrap();
    let folder = outside.path().join("100% of é?#&x=1 'it'");
    let mut store = Sqlite::create(&folder, "").unwrap();
    store.record(&batch(1)).unwrap();
    drop(store);
    let before = files(&folder);
    let place = StoreLocation::new(&folder);
    let lonely = Sqlite { connection: alone(&place).unwrap(), place, lock: None };
    assert_eq!((batches(&lonely), files(&folder)), (1, before));
}

#[test]
fn a_full_disk_loses_nothing_that_was_recorded_and_the_campaign_goes_on_later() {
    let (folder, mut store) = campaign(5);
    let pages: i64 = store.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    store.connection.execute_batch(&format!("pragma max_page_count = {}", pages + 3)).unwrap();
    let failed = (6..).find(|&n| store.record(&batch(n)).is_err()).unwrap();
    let error = store.record(&batch(failed)).unwrap_err();
    assert!(matches!(&error, StoreError::Disk { why, .. } if why == "the disk is full"), "{error}");
    assert_eq!(batches(&store), failed - 1);
    store.connection.execute_batch("pragma max_page_count = 1000000").unwrap();
    store.record(&batch(failed)).unwrap();
    drop(store);
    assert_eq!(batches(&Sqlite::resume(folder.path()).unwrap()), failed);
}

/// Both ways to open a store that was replaced by these bytes; it must still have them afterwards.
fn open_damaged(bytes: &[u8]) -> [Result<Sqlite, StoreError>; 2] {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(STORE_FILE);
    fs::write(&file, bytes).unwrap();
    let results = [Sqlite::read(folder.path()), Sqlite::resume(folder.path())];
    if results[1].is_err() {
        assert!(fs::read(file).unwrap() == bytes, "a damaged store is left as it is");
    }
    results
}

/// The bytes of a store with some hundred batches.
fn whole() -> Vec<u8> {
    let (folder, store) = campaign(300);
    drop(store);
    fs::read(folder.path().join(STORE_FILE)).unwrap()
}

#[test]
fn what_is_no_store_is_called_damaged() {
    for bytes in [&b""[..], b"x", b"(check-sat)\n", &[0; 4096], &b"SQLite format 3\0".repeat(300)] {
        for result in open_damaged(bytes) {
            let error = result.unwrap_err();
            assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
        }
    }
}

#[test]
fn a_folder_in_the_place_of_the_store_is_called_damaged() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(STORE_FILE)).unwrap();
    assert!(matches!(Sqlite::read(folder.path()), Err(StoreError::Damaged { .. })));
    assert!(matches!(Sqlite::resume(folder.path()), Err(StoreError::Damaged { .. })));
    assert!(matches!(Sqlite::create(folder.path(), ""), Err(StoreError::Exists(_))));
}

#[test]
fn a_store_that_was_cut_anywhere_is_called_damaged() {
    let whole = whole();
    let mut rng = RandomStream::new(1).child("cut", 0).rng();
    let anywhere = (0..40).map(|_| rng.below(whole.len()));
    let pages = (0..whole.len()).step_by(4096).take(40);
    for length in anywhere.chain(pages.collect::<Vec<_>>()) {
        let [_, resumed] = open_damaged(&whole[..length]);
        assert!(matches!(resumed, Err(StoreError::Damaged { .. })), "{length}: {resumed:?}");
    }
}

#[test]
fn flipped_bytes_are_damage_or_do_no_harm_and_never_a_panic() {
    let whole = whole();
    let mut found = 0;
    for number in 0..150 {
        let mut rng = RandomStream::new(2).child("flip", number).rng();
        let mut bytes = whole.clone();
        for _ in 0..=rng.below(20) {
            let place = rng.below(bytes.len());
            bytes[place] ^= 1 << rng.below(8);
        }
        for store in open_damaged(&bytes) {
            match store {
                Ok(mut store) => read_all(&mut store),
                Err(StoreError::Damaged { .. } | StoreError::Format { .. }) => found += 1,
                Err(error) => panic!("{error}"),
            }
        }
    }
    assert!(found > 10, "{found} of 300 were found out");
}

/// Everything that can be asked, and one batch more: an error is an answer, a panic is not.
fn read_all(store: &mut Sqlite) {
    let asked = [
        store.standing().map(drop),
        store.samples().map(drop),
        store.roster().map(drop),
        store.plan().map(drop),
        store.seed("7").map(drop),
        store.findings().map(drop),
        store.sightings("crash z3 7").map(drop),
        store.record(&batch(1000)),
    ];
    for error in asked.into_iter().filter_map(Result::err) {
        assert!(matches!(error, StoreError::Damaged { .. } | StoreError::Disk { .. }), "{error}");
    }
}

/// A store after some SQL of a stranger's, opened to go on.
fn after(sql: &str) -> Result<Sqlite, StoreError> {
    let (folder, store) = campaign(3);
    store.connection.execute_batch(sql).unwrap();
    drop(store);
    let before = fs::read(folder.path().join(STORE_FILE)).unwrap();
    let opened = Sqlite::resume(folder.path());
    assert!(opened.is_ok() || fs::read(folder.path().join(STORE_FILE)).unwrap() == before);
    opened
}

#[test]
fn records_that_cannot_be_ours_are_damage() {
    for sql in [
        "drop table seeds",
        "delete from campaign",
        "update campaign set tally = '{'",
        "update campaign set ended_below = -1",
        "update chains set out = '7'",
        "update findings set kind = 'strange'",
        "update samples set cases = -1",
        "pragma application_id = 7",
    ] {
        let error = after(sql).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{sql}: {error}");
    }
}

#[test]
fn the_schema_names_the_format_that_is_written() {
    assert!(SCHEMA_SQL.lines().next().unwrap().contains(&format!("format {STORE_FORMAT} ")));
}

#[test]
fn a_store_of_another_format_is_told_so() {
    for (format, writer) in [(STORE_FORMAT - 1, "an older gainsay"), (STORE_FORMAT + 1, "a newer gainsay")] {
        let error = after(&format!("pragma user_version = {format}")).unwrap_err();
        let words = error.to_string();
        assert!(matches!(error, StoreError::Format { found, .. } if found == format), "{words}");
        assert!(words.starts_with(writer) && words.lines().count() == 1, "{words}");
        assert!(words.contains(&format!("format {format}")) && words.contains("begin anew"), "{words}");
    }
}

#[test]
fn a_folder_that_cannot_be_one_is_told_without_a_word_of_records() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = Sqlite::create(&file, "").unwrap_err();
    assert!(matches!(&error, StoreError::Open { why, .. } if why.contains("it is a file")), "{error}");
    assert!(!error.to_string().contains("--resume"), "{error}");
}

#[test]
fn damage_is_told_in_one_line() {
    let told = StoreLocation::new(Path::new("x")).damaged("*** in database main ***\nTree 8 page 10");
    assert_eq!(told.to_string().lines().count(), 1, "{told}");
}
