//! A campaign with real solvers that is killed repeatedly ends like an uninterrupted one.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/real_solvers.rs"]
mod solvers;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use gainsay_engine::store::Store;
use gainsay_engine::store::sqlite::Sqlite;
use solvers::REAL_SOLVERS;
use tempfile::TempDir;

/// Small scripts of several theories; old versions of z3 answer some of their mutants wrongly.
const CAMPAIGN_SEEDS: [&str; 4] = [
    "(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(assert (< (+ x y) (* 2 x)))(assert (> y 3))(check-sat)",
    "(set-logic QF_BV)(declare-const a (_ BitVec 8))(assert (bvult (bvadd a #x01) (bvurem a #x00)))(check-sat)",
    "(set-logic QF_SLIA)(declare-const s String)(assert (= (str.len (str.++ s \"a\")) 3))(assert (str.prefixof \"b\" s))(check-sat)",
    "(set-logic FP)(assert (forall ((x Float16)) (not (fp.isNegative (fp.rem x (_ -zero 5 11))))))(check-sat)",
];

fn site() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("seeds")).unwrap();
    for (number, text) in CAMPAIGN_SEEDS.iter().enumerate() {
        fs::write(folder.path().join(format!("seeds/{number}.smt2")), text).unwrap();
    }
    folder
}

fn gainsay(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gainsay"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped());
    command
}

fn begin(out: &str, jobs: &'static str) -> Vec<String> {
    // Limit work, not time, so that the cases do not depend on the machine.
    let limited = |name: &str, limit: &str| format!("{name} {limit}");
    let solvers = [
        limited(REAL_SOLVERS[1], "rlimit=200000"),
        limited(REAL_SOLVERS[0], "rlimit=200000"),
        limited(REAL_SOLVERS[2], "--rlimit=20000"),
    ];
    solvers.iter().for_each(|name| drop(solvers::solver(name)));
    let words = ["fuzz", "--seeds", "seeds", "--rng-seed", "5", "--cases", "80", "--timeout", "20", "--json"];
    let mut words: Vec<String> = words.iter().map(ToString::to_string).collect();
    words.extend(["--jobs", jobs, "--out", out].map(str::to_owned));
    words.extend(solvers.iter().flat_map(|name| ["--solver".to_owned(), name.clone()]));
    words
}

/// The counts of a campaign and its findings with their sightings.
fn essence(folder: &Path, out: &str) -> (u64, u64, BTreeSet<String>) {
    let store = Sqlite::read(&folder.join(out)).unwrap();
    let standing = store.standing().unwrap();
    let found = store.findings().unwrap().into_iter().map(|found| {
        let sightings = store.sightings(&found.fingerprint).unwrap();
        format!("{} {} {:?} {sightings:?}", found.fingerprint, found.count, found.case)
    });
    (standing.tally.cases, standing.tally.skipped_in_all(), found.collect())
}

#[test]
fn a_campaign_killed_again_and_again_ends_like_one_that_was_not() {
    let folder = site();
    let whole: Vec<String> = begin("whole", "1");
    let words: Vec<&str> = whole.iter().map(String::as_str).collect();
    assert!(gainsay(folder.path(), &words).output().unwrap().status.code().is_some());
    let mut words = begin("broken", "2");
    let mut kills = 0;
    // Kill after arbitrary numbers of events, until the campaign is done.
    for lines in [3, 1, 20, 9, 33, 2, 14, 27, 5, 8, usize::MAX] {
        let words_now: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut child = gainsay(folder.path(), &words_now).spawn().unwrap();
        let seen = BufReader::new(child.stdout.take().unwrap()).lines().take(lines).count();
        kills += usize::from(seen == lines);
        child.kill().unwrap();
        child.wait().unwrap();
        words = ["fuzz", "--resume", "--out", "broken", "--json"].map(str::to_owned).to_vec();
    }
    assert!(kills > 2);
    assert_eq!(essence(folder.path(), "broken"), essence(folder.path(), "whole"));
}

#[test]
fn a_case_is_replayed_byte_for_byte_after_the_seeds_are_gone() {
    let folder = site();
    // With fp.max or fp.min for fp.rem the last seed is unsatisfiable, and z3 4.8.10 says sat all the same.
    (0..3).for_each(|number| fs::remove_file(folder.path().join(format!("seeds/{number}.smt2"))).unwrap());
    let mut words = begin("out", "2");
    words.extend(["--strategy", "operator"].map(str::to_owned));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    gainsay(folder.path(), &words).output().unwrap();
    let store = Sqlite::read(&folder.path().join("out")).unwrap();
    fs::remove_dir_all(folder.path().join("seeds")).unwrap();
    let findings = store.findings().unwrap();
    let shown = findings.iter().find(|found| found.case.is_some()).expect("z3 4.8.10 errs on some mutant");
    let case = shown.case.unwrap().to_string();
    let again = || gainsay(folder.path(), &["replay", "out", &case]).output().unwrap();
    let (first, second) = (again(), again());
    assert_eq!(first.stdout, second.stdout);
    let kept = fs::read(folder.path().join("out").join(&shown.path).join("case.smt2")).unwrap();
    let commands = |text: &[u8]| -> Vec<String> {
        let text = String::from_utf8(text.to_vec()).unwrap();
        text.lines().filter(|line| line.starts_with("(assert")).map(str::to_owned).collect()
    };
    assert_eq!(commands(&first.stdout), commands(&kept));
    let run = gainsay(folder.path(), &["replay", "out", &case, "--run"]).output().unwrap();
    assert_eq!(run.status.code(), Some(10), "{}", String::from_utf8_lossy(&run.stdout));
}
