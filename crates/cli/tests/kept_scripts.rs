//! `fuzz --queue`: a campaign in pieces, killed or in shards makes the cases of one that was not, and `replay` makes them again.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

mod support;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;
use support::CliTest;

/// The cases of each campaign.
const CASES: u64 = 180;

/// A folder with seeds and a solver, whose mutants often reach new functions.
fn prepare() -> CliTest {
    let test = CliTest::with_real_solvers();
    let source = test.write("solver.cpp", include_str!("programs/length_solver.cpp"));
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-O1", "-o"]).arg(test.path("solver")).arg(source);
    assert!(compiler.status().unwrap().success());
    for (number, body) in
        ["(> (+ x y) 3)", "(= (* x y) (- x 7))", "(or (< x y) (= (mod x 5) 2))"].iter().enumerate()
    {
        let text = format!(
            "(set-logic QF_NIA)\n(declare-const x Int)\n(declare-const y Int)\n(assert {body})\n(check-sat)\n"
        );
        test.write(&format!("seeds/{number}.smt2"), &text);
    }
    test
}

/// The words that begin a campaign.
fn begin(test: &CliTest, out: &str, cases: u64, more: &[&str]) -> Vec<String> {
    let solver = format!("generic={}", test.path("solver").display());
    let words = [
        "fuzz",
        "--solver",
        &solver,
        "--seeds",
        "seeds",
        "--strategy",
        "operator,generative",
        "--chain",
        "3",
    ];
    let led = [
        "--coverage",
        "--schedule",
        "thompson",
        "--queue",
        "--rng-seed",
        "1",
        "--timeout",
        "60",
        "--out",
        out,
    ];
    let cases = cases.to_string();
    let all = [&words[..], &led, &["--cases", &cases, "--json"], more].concat();
    all.into_iter().map(str::to_owned).collect()
}

/// The words that resume a campaign.
fn resume(out: &str, cases: u64) -> Vec<String> {
    let cases = cases.to_string();
    ["fuzz", "--resume", "--out", out, "--cases", &cases, "--json"].map(str::to_owned).to_vec()
}

/// The seed, strategy and size of each case, and whether it reached new code.
type CaseFacts = BTreeMap<u64, Vec<(String, String, u64, bool)>>;

/// Runs a campaign until it has ended, or is killed after so many cases; adds the facts of its cases.
fn run(test: &CliTest, words: &[String], kill_after: Option<usize>, facts: &mut CaseFacts) {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut child = test.command(&words).stdout(Stdio::piped()).spawn().unwrap();
    let mut seen = 0;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let Ok(event) = serde_json::from_str::<Value>(&line.unwrap()) else { break };
        if event["event"] == "case" {
            seen += 1;
            let text = |key: &str| event[key].as_str().unwrap().to_owned();
            let is_new = event["runs"][0]["new_code"].as_u64().unwrap_or(0) > 0;
            let own = (text("seed"), text("strategy"), event["bytes"].as_u64().unwrap(), is_new);
            facts.entry(event["case"].as_u64().unwrap()).or_default().push(own);
        }
        if Some(seen) == kill_after {
            child.kill().unwrap();
            break;
        }
    }
    let status = child.wait().unwrap();
    assert!(kill_after.is_some() || status.code() == Some(0), "{words:?}: {status}");
}

/// Runs one job from start to end.
fn whole(test: &CliTest) -> CaseFacts {
    let mut facts = CaseFacts::new();
    run(test, &begin(test, "whole", CASES, &["--jobs", "1"]), None, &mut facts);
    assert!(facts.len() as u64 > CASES * 9 / 10, "few cases are skipped: {}", facts.len());
    facts
}

/// Replays some cases and asserts that they have the recorded sizes; returns how many start from a kept script.
fn replay(test: &CliTest, folder: &str, facts: &CaseFacts) -> usize {
    let mut kept = 0;
    for (case, facts) in facts.iter().filter(|(case, _)| *case % 9 == 0 && **case > 40) {
        let replayed = test.json(&["replay", folder, &case.to_string(), "--json"]);
        let script = replayed["script"].as_str().unwrap();
        // A script beyond its logic is printed with another one.
        let sizes = ["ALL", "QF_LIA"]
            .map(|logic| script.replace(&format!("(set-logic {logic})"), "(set-logic QF_NIA)").len() as u64);
        assert!(
            sizes.contains(&facts[0].2) || script.len() as u64 == facts[0].2,
            "case {case} of {folder}: {facts:?} {replayed}"
        );
        kept += usize::from(replayed["steps"].to_string().contains("starts from the script of case"));
    }
    kept
}

#[test]
fn a_resumed_campaign_makes_the_cases_of_an_uninterrupted_one() {
    let test = prepare();
    let mut facts = CaseFacts::new();
    run(&test, &begin(&test, "pieces", 50, &["--jobs", "1"]), None, &mut facts);
    run(&test, &resume("pieces", 110), None, &mut facts);
    run(&test, &resume("pieces", CASES), None, &mut facts);
    assert_eq!(facts, whole(&test));
    assert!(replay(&test, "pieces", &facts) > 0, "no chain started from a kept script");
}

#[test]
fn a_killed_campaign_makes_the_cases_of_an_uninterrupted_one() {
    let test = prepare();
    let mut facts = CaseFacts::new();
    run(&test, &begin(&test, "killed", CASES, &["--jobs", "1"]), Some(20), &mut facts);
    for cases in [11, 37, 58] {
        run(&test, &resume("killed", CASES), Some(cases), &mut facts);
    }
    run(&test, &resume("killed", CASES), None, &mut facts);
    for (case, expected) in whole(&test) {
        // Cases that were not recorded before a kill are made again.
        assert!(
            facts[&case].iter().all(|own| *own == expected[0]),
            "case {case}: {:?} {expected:?}",
            facts[&case]
        );
    }
}

#[test]
fn cases_of_several_jobs_are_replayed_exactly() {
    let test = prepare();
    let mut facts = CaseFacts::new();
    run(&test, &begin(&test, "jobs", CASES, &["--jobs", "3"]), None, &mut facts);
    assert!(replay(&test, "jobs", &facts) > 0, "no chain started from a kept script");
}

#[test]
fn joined_shards_are_replayed_and_resumed() {
    let test = prepare();
    let mut facts = CaseFacts::new();
    let mut reached = Vec::new();
    for shard in ["1/2", "2/2"] {
        let out = format!("shard-{}", &shard[..1]);
        run(&test, &begin(&test, &out, CASES, &["--jobs", "1", "--shard", shard]), None, &mut facts);
        reached.push(functions_reached(&test, &out));
    }
    assert!(facts.len() as u64 > CASES * 9 / 10, "few cases are skipped: {}", facts.len());
    let merged = test.run(&["merge", "joined", "shard-1", "shard-2"]);
    assert!(merged.code == 0, "{}", merged.stderr);
    let all = functions_reached(&test, "joined");
    assert!(reached.iter().all(|own| *own < all) && all <= reached.iter().sum(), "{reached:?} {all}");
    assert!(replay(&test, "joined", &facts) > 0, "no chain started from a kept script");
    let mut more = CaseFacts::new();
    run(&test, &resume("joined", CASES + 60), None, &mut more);
    assert!(more.len() > 50 && more.keys().all(|case| *case >= CASES), "{more:?}");
    replay(&test, "joined", &more);
}

/// The functions that a campaign has reached, as its report says.
fn functions_reached(test: &CliTest, folder: &str) -> u64 {
    let report = test.json(&["report", folder, "--json"]);
    let coverage = report["tally"]["coverage"].as_object().unwrap_or_else(|| panic!("{report}"));
    coverage.values().next().unwrap()["summary"]["functions_reached"].as_u64().unwrap()
}
