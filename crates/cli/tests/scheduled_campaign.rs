//! Campaigns scheduled by a bandit, with real solvers: choices are recorded and continue after a kill.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/real_solvers.rs"]
mod solvers;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use gainsay_engine::store::Store;
use gainsay_engine::store::sqlite::Sqlite;
use serde_json::Value;
use solvers::REAL_SOLVERS;
use tempfile::TempDir;

/// Seeds of several theories; old versions of z3 are wrong about mutants of the last two.
const CAMPAIGN_SEEDS: [&str; 4] = [
    "(set-info :status sat)(declare-const x Int)(declare-const y Int)(assert (< (+ x y) (* 2 x)))(assert (> y 3))(check-sat)",
    "(set-info :status sat)(declare-const a (_ BitVec 8))(assert (bvult (bvadd a #x01) (bvurem a #x00)))(check-sat)",
    "(declare-const s String)(assert (= (str.len (str.++ s \"a\")) 3))(assert (str.prefixof \"b\" s))(check-sat)",
    "(assert (forall ((x Float16)) (not (fp.isNegative (fp.rem x (_ -zero 5 11))))))(check-sat)",
];

fn site() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("seeds")).unwrap();
    for (number, text) in CAMPAIGN_SEEDS.iter().enumerate() {
        std::fs::write(folder.path().join(format!("seeds/{number}.smt2")), text).unwrap();
    }
    std::fs::write(folder.path().join("campaign.toml"), "limits.patience = 0\n").unwrap();
    folder
}

fn gainsay(folder: &Path, arguments: &[String]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gainsay"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped());
    command
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

/// The arguments of a campaign. It limits work, not time, so that choices do not depend on the machine.
fn begin(out: &str, jobs: &str) -> Vec<String> {
    let limited = [(REAL_SOLVERS[1], "rlimit=200000"), (REAL_SOLVERS[0], "rlimit=200000")];
    let mut all = words(&[
        "fuzz",
        "campaign.toml",
        "--schedule",
        "thompson",
        "--seeds",
        "seeds",
        "--rng-seed",
        "5",
        "--chain",
        "2",
    ]);
    all.extend(words(&[
        "--cases",
        "120",
        "--timeout",
        "20",
        "--values",
        "random",
        "--json",
        "--out",
        out,
        "--jobs",
        jobs,
    ]));
    for (name, limit) in limited {
        drop(solvers::solver(name));
        all.extend(["--solver".to_owned(), format!("{name} {limit}")]);
    }
    all
}

/// Runs a campaign, kills it after so many events, and returns them.
fn told(folder: &Path, words: &[String], lines: usize) -> Vec<Value> {
    let mut child = gainsay(folder, words).spawn().unwrap();
    let read = BufReader::new(child.stdout.take().unwrap()).lines().take(lines);
    let told = read.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    told
}

/// The starts of chains, counts and findings.
fn essence(folder: &Path, out: &str) -> String {
    let store = Sqlite::read(&folder.join(out)).unwrap();
    let tally = store.standing().unwrap().tally;
    let found =
        store.findings().unwrap().into_iter().map(|found| (found.fingerprint, found.count, found.case));
    let counts = (tally.cases, tally.skipped_in_all(), tally.our_bugs);
    format!("{:?}\n{counts:?}\n{:?}", store.lessons().unwrap().starts, found.collect::<BTreeSet<_>>())
}

#[test]
fn a_campaign_that_is_killed_chooses_what_it_would_have_chosen_and_every_case_is_made_again() {
    let site = site();
    let whole = told(site.path(), &begin("whole", "1"), usize::MAX);
    let arms = whole.last().unwrap()["arms"].as_array().unwrap().clone();
    let cases_of = |arm: &Value| arm["cases"].as_u64().unwrap();
    assert!(arms.len() >= 7 && arms.iter().filter(|arm| cases_of(arm) > 0).count() >= 5, "{arms:?}");
    // Every case that was run belongs to one arm, and no other case counts.
    let run = whole.iter().filter(|event| event["event"] == "case").count() as u64;
    assert_eq!(arms.iter().map(cases_of).sum::<u64>(), run, "{arms:?}");
    assert_eq!(whole.last().unwrap()["cases"], run);
    let mut next = begin("killed", "2");
    let mut cases = BTreeMap::new();
    for lines in [30, 25, 60, usize::MAX] {
        for event in told(site.path(), &next, lines) {
            if event["event"] == "case" {
                cases.insert(event["case"].as_u64().unwrap(), event);
            }
        }
        next = words(&["fuzz", "--resume", "--out", "killed", "--json"]);
    }
    assert_eq!(essence(site.path(), "killed"), essence(site.path(), "whole"));
    let strategies: BTreeSet<&str> =
        cases.values().map(|event| event["strategy"].as_str().unwrap()).collect();
    assert!(strategies.len() >= 5, "{strategies:?}");
    for (case, event) in cases.iter().step_by(5) {
        let replay = words(&["replay", "killed", &case.to_string(), "--json"]);
        let replay = gainsay(site.path(), &replay).output().unwrap();
        let again: Value = serde_json::from_slice(&replay.stdout).unwrap();
        assert_eq!((&again["seed"], &again["strategy"]), (&event["seed"], &event["strategy"]), "case {case}");
        // A case with operators of z3 alone is written in the logic ALL, which holds it; within the chain it has the logic of its parent.
        let script = again["script"].as_str().unwrap();
        let difference = (script.len() as u64).abs_diff(event["bytes"].as_u64().unwrap());
        let is_same = difference == 0 || script.starts_with("(set-logic ALL)") && difference < 8;
        assert!(is_same, "case {case}: {script}");
    }
    let report = gainsay(site.path(), &words(&["report", "killed"])).output().unwrap();
    assert!(String::from_utf8(report.stdout).unwrap().contains("## Bandit arms"));
}

#[test]
fn a_schedule_that_is_none_is_refused_with_what_there_is() {
    let site = site();
    let output = gainsay(site.path(), &words(&["fuzz", "--schedule", "tompson"])).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    std::fs::write(site.path().join("c.toml"), "schedule = \"tompson\"\n").unwrap();
    let output = gainsay(site.path(), &words(&["fuzz", "c.toml"])).stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("c.toml:1") && said.contains("thompson"), "{said}");
}
