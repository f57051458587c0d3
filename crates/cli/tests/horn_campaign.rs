//! Horn campaigns with a real solver: traces are counted, and a killed campaign continues from its records.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/repository.rs"]
mod repository;
#[path = "support/real_solvers.rs"]
mod solvers;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use gainsay_engine::store::Store;
use gainsay_engine::store::sqlite::Sqlite;
use repository::repository;
use serde_json::Value;

const HORN_SOLVER: &str = "spacer@5.4.0";

fn gainsay(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gainsay"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped());
    command
}

/// The arguments of a campaign over the Horn systems of the corpus.
fn begin(more: &[&str]) -> Vec<String> {
    drop(solvers::solver(solvers::REAL_SOLVERS[0]));
    let corpus = repository().join("corpus/chc");
    let words =
        ["fuzz", "--strategy", "horn", "--solver", HORN_SOLVER, "--rng-seed", "3", "--json", "--out", "out"];
    let words = words.iter().chain(more).map(ToString::to_string);
    words.chain(["--seeds".to_owned(), corpus.to_str().unwrap().to_owned()]).collect()
}

/// Runs a campaign, kills it after so many events, and returns them.
fn told(folder: &Path, words: &[String], lines: usize) -> Vec<Value> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut child = gainsay(folder, &words).spawn().unwrap();
    let read = BufReader::new(child.stdout.take().unwrap()).lines().take(lines);
    let told = read.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    told
}

/// The behaviour identities of all runs.
fn ways(events: &[Value]) -> BTreeSet<String> {
    let runs = events.iter().filter_map(|event| event["runs"].as_array()).flatten();
    let shown = runs.filter(|run| run["behaviour"]["rung"] != "stopped");
    shown.filter_map(|run| Some(run["behaviour"]["identity"].as_str()?.to_owned())).collect()
}

#[test]
fn unique_traces_are_counted_as_they_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let events = told(folder.path(), &begin(&["--cases", "60", "--chain", "6"]), usize::MAX);
    let sums = &events.last().unwrap()["traces"];
    let ways = ways(&events);
    assert!(ways.len() > 20, "{sums}");
    assert_eq!(sums["unique"].as_u64().unwrap(), ways.len() as u64, "{sums}");
    assert_eq!(sums["unreadable"], 0, "{sums}");
    let runs = events.iter().filter_map(|event| event["runs"].as_array()).map(Vec::len).sum::<usize>();
    assert_eq!(sums["runs"].as_u64().unwrap(), runs as u64, "{sums}");
    let store = Sqlite::read(&folder.path().join("out")).unwrap();
    assert_eq!(store.lessons().unwrap().seen.len(), ways.len());
    // A third of the cases or so has parameters of its own.
    let with_options = |event: &&Value| event["runs"][0]["options"].is_array();
    let drawn = events.iter().filter(with_options).count();
    assert!((5..40).contains(&drawn), "{drawn}");
}

#[test]
fn a_campaign_that_is_killed_makes_the_cases_that_its_record_says() {
    let folder = tempfile::tempdir().unwrap();
    let mut words = begin(&["--cases", "50", "--chain", "5", "--jobs", "2", "--order", "rare"]);
    let mut cases = BTreeMap::new();
    for lines in [14, 9, 30, usize::MAX] {
        for event in told(folder.path(), &words, lines) {
            let Some(case) = event["case"].as_u64() else { continue };
            // Unrecorded cases run again, perhaps from another start: the last event counts.
            match event["event"].as_str() {
                Some("case") => drop(cases.insert(case, event)),
                Some("skipped") => {
                    let skipped = case..case + event["count"].as_u64().unwrap();
                    cases.retain(|case, _| !skipped.contains(case));
                }
                _ => {}
            }
        }
        words = ["fuzz", "--resume", "--out", "out", "--json"].map(str::to_owned).to_vec();
    }
    let store = Sqlite::read(&folder.path().join("out")).unwrap();
    let tally = store.standing().unwrap().tally;
    assert_eq!(tally.cases + tally.skipped_in_all() + tally.our_bugs, 50, "{tally:?}");
    assert_eq!(tally.traces.unique as usize, store.lessons().unwrap().seen.len());
    for (case, event) in cases.iter().step_by(4) {
        let replay =
            gainsay(folder.path(), &["replay", "out", &case.to_string(), "--json"]).output().unwrap();
        let again: Value = serde_json::from_slice(&replay.stdout).unwrap();
        assert_eq!(again["seed"], event["seed"], "case {case}");
        assert_eq!(
            again["script"].as_str().unwrap().len() as u64,
            event["bytes"].as_u64().unwrap(),
            "case {case}"
        );
        if let Some(mutation) = event["mutation"].as_str() {
            let last = again["steps"].as_array().unwrap().last().unwrap().as_str().unwrap().to_owned();
            assert!(last.starts_with(&format!("horn: {mutation}: ")), "case {case}: {last}");
        }
    }
}
