//! Every file of `bugs/` has a complete head, and still shows its bug on the release that it names.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/repository.rs"]
mod repository;
#[path = "support/real_solvers.rs"]
mod solvers;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use gainsay_engine::triage::shape::Shape;
use gainsay_smt::{Script, Signature};
use repository::repository;
use serde_json::Value;

/// The keys in the head of a file, in this order.
const BUG_HEADER_KEYS: [&str; 14] = [
    "title",
    "kind",
    "question",
    "evidence",
    "standing",
    "solver",
    "beside",
    "command",
    "says",
    "should say",
    "affected",
    "not affected",
    "found",
    "tracker",
];

/// The value of `beside` if gainsay alone provides the evidence.
const NO_OTHER_SOLVER: &str = "no other solver";

/// Seconds that a solver has: none of the bugs takes one.
const CHECK_TIMEOUT_SECONDS: &str = "20";

struct FoundBug {
    path: PathBuf,
    head: BTreeMap<String, String>,
    report: String,
    script: Script,
}

impl FoundBug {
    fn read(path: PathBuf) -> FoundBug {
        let text = std::fs::read_to_string(&path).unwrap();
        let comments: Vec<&str> = text.lines().map_while(|line| line.strip_prefix(';')).collect();
        let rows: Vec<(&str, &str)> = comments
            .iter()
            .map_while(|line| line.split_once(':'))
            .map(|(key, value)| (key.trim(), value.trim()))
            .collect();
        let keys: Vec<&str> = rows.iter().map(|(key, _)| *key).collect();
        assert_eq!(keys, BUG_HEADER_KEYS, "{}: the head", path.display());
        let head = rows.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        let report = comments[BUG_HEADER_KEYS.len()..].join("\n");
        let script = Script::parse(&text, &Signature::standard());
        let script = script.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        FoundBug { path, head, report, script }
    }

    fn name(&self) -> &str {
        self.path.file_stem().unwrap().to_str().unwrap()
    }

    /// What `gainsay check` says of it.
    fn judged(&self) -> Value {
        let beside = self.head["beside"].split(',').map(str::trim).filter(|name| *name != NO_OTHER_SOLVER);
        let mut words =
            vec!["check", self.path.to_str().unwrap(), "--json", "--timeout", CHECK_TIMEOUT_SECONDS];
        for name in std::iter::once(self.head["solver"].as_str()).chain(beside) {
            let release = name.split_whitespace().next().unwrap();
            assert!(
                solvers::REAL_SOLVERS.contains(&release),
                "{}: no other test needs {release}",
                self.name()
            );
            solvers::solver(name);
            words.extend(["--solver", name]);
        }
        let output = Command::new(env!("CARGO_BIN_EXE_gainsay")).args(words).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        serde_json::from_str(text.lines().last().unwrap()).unwrap()
    }
}

fn bugs() -> Vec<FoundBug> {
    let folder = repository().join("bugs");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut bugs: Vec<FoundBug> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "smt2"))
        .map(FoundBug::read)
        .collect();
    bugs.sort_by(|a, b| a.path.cmp(&b.path));
    bugs
}

#[test]
fn every_bug_still_shows_on_the_release_that_it_names() {
    let mut missing = Vec::new();
    for bug in bugs() {
        let judged = bug.judged();
        let found = judged["findings"].as_array().unwrap();
        let is_it = |finding: &&Value| {
            finding["kind"] == bug.head["kind"]
                && finding["evidence"] == bug.head["evidence"]
                && finding["suspect"] == bug.head["solver"]
        };
        let said = judged["runs"][0]["answers"].as_array().unwrap();
        let said: Vec<&str> = said.iter().filter_map(Value::as_str).collect();
        let says = bug.head["says"].split(',').next().unwrap();
        if !found.iter().any(|finding| is_it(&finding))
            || says != said.join(" ") && !says.starts_with("nothing")
        {
            missing.push(format!("{}: {judged}", bug.name()));
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_bug_is_told_in_full() {
    for bug in bugs() {
        let (solver, version) =
            bug.head["solver"].split_whitespace().next().unwrap().split_once('@').unwrap();
        let begin = format!("{solver}-{}-", bug.head["kind"]);
        assert!(bug.name().starts_with(&begin), "{}: its name should begin with {begin}", bug.name());
        let named =
            bug.head["affected"].split_whitespace().any(|release| release.trim_end_matches(',') == version);
        assert!(named, "{}: {version} is not among the releases that are affected", bug.name());
        assert!(
            bug.head["command"].ends_with(bug.path.file_name().unwrap().to_str().unwrap()),
            "{}",
            bug.name()
        );
        assert!(bug.report.trim().len() > 100, "{}: there is no report", bug.name());
    }
}

#[test]
fn no_two_bugs_are_alike() {
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for bug in bugs() {
        let shape = Shape::of(&bug.script);
        // A shape does not tell the terms of questions: `(get-qe (exists …))`.
        let text = bug.script.to_string();
        let asked: Vec<&str> = text.lines().filter(|line| line.starts_with("(get-")).collect();
        let key = format!(
            "{} {} {} {} {:?} {asked:?}",
            bug.head["solver"], bug.head["kind"], bug.head["question"], bug.head["affected"], shape.operators
        );
        if let Some(other) = seen.insert(key, bug.name().to_owned()) {
            panic!("{} and {other} are of one kind, one shape and the same releases", bug.name());
        }
    }
    assert!(seen.len() >= 10, "{} bugs", seen.len());
}
