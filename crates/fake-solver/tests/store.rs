//! A store stays consistent when its writer is killed at any time.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use fake_solver::store_writer;
use gainsay_engine::random::RandomStream;
use gainsay_engine::store::sqlite::Sqlite;
use gainsay_engine::store::{Store, StoreError};

fn start_writer(folder: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_helper"));
    command.arg("store-writer").arg(folder).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap()
}

#[test]
fn every_batch_is_whole_and_none_is_lost_when_the_writer_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut before = 0;
    for kill in 0..20 {
        let mut rng = RandomStream::new(3).child("kill", kill).rng();
        let mut child = start_writer(folder.path());
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut told = 0;
        for _ in 0..1 + rng.below(25) {
            told = lines.next().unwrap().unwrap().parse::<u64>().unwrap() + 1;
        }
        // Somewhere in the batches that follow.
        (0..rng.below(400_000)).for_each(|_| std::hint::spin_loop());
        child.kill().unwrap();
        child.wait().unwrap();
        told = lines.map(|line| line.unwrap().parse::<u64>().unwrap() + 1).last().unwrap_or(told);
        let read = store_writer::count_batches(&Sqlite::read(folder.path()).unwrap(), folder.path());
        assert!(before < told && (read == told || read == told + 1), "told {told}, there are {read}");
        let resumed = store_writer::count_batches(&Sqlite::resume(folder.path()).unwrap(), folder.path());
        assert_eq!(read, resumed);
        before = read;
    }
}

#[test]
fn readers_see_whole_batches_while_another_process_writes_and_no_second_writer_gets_in() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = start_writer(folder.path());
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for _ in 0..30 {
        let told = lines.next().unwrap().unwrap().parse::<u64>().unwrap() + 1;
        let read = store_writer::count_batches(&Sqlite::read(folder.path()).unwrap(), folder.path());
        assert!(read >= told, "told {told}, there are {read}");
    }
    assert!(matches!(Sqlite::resume(folder.path()), Err(StoreError::Busy(_))));
    assert!(matches!(Sqlite::create(folder.path(), ""), Err(StoreError::Exists(_))));
    child.kill().unwrap();
    child.wait().unwrap();
    Sqlite::resume(folder.path()).unwrap().standing().unwrap();
}
