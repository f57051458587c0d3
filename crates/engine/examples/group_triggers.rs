//! Groups triggers as triage does, without running a solver: `experiments/triage/known_pairs.py` judges the groups.
//!
//! Reads lines from standard input, with tabs between: name, code base, kind (`refutation`, `solution` or `model`), releases that are
//! affected, releases that are not (with commas between), and the path of the script. Prints the names of each group on one line.

#![expect(clippy::unwrap_used, reason = "wrong input ends the program")]
#![expect(clippy::print_stdout, reason = "a program prints its result")]

use gainsay_engine::finding::{Evidence, FindingKind};
use gainsay_engine::triage::bisect::ReleaseResult;
use gainsay_engine::triage::groups::{Trigger, group};
use gainsay_engine::triage::shape::Shape;
use gainsay_smt::{Script, Signature};

fn main() {
    let triggers: Vec<Trigger> = std::io::stdin().lines().filter_map(|line| read(&line.unwrap())).collect();
    for found in group(&triggers) {
        let names: Vec<&str> = found.members.iter().map(|&member| triggers[member].name.as_str()).collect();
        println!("{}", names.join(" "));
    }
}

/// The trigger of a line; `None` if its script is not well-sorted.
fn read(line: &str) -> Option<Trigger> {
    let words: Vec<&str> = line.split('\t').collect();
    let &[name, family, kind, affected, others, path] = words.as_slice() else {
        panic!("six words, not {line}")
    };
    let text = std::fs::read_to_string(path).unwrap();
    let script = Script::parse(&text, &Signature::standard()).ok()?;
    let releases = |list: &str, is_affected: bool| -> Vec<ReleaseResult> {
        let versions = list.split(',').filter(|word| !word.is_empty());
        let result = |version: &str| ReleaseResult {
            version: version.parse().unwrap(),
            affected: Some(is_affected),
            said: "sat".to_owned(),
            why: String::new(),
        };
        versions.map(result).collect()
    };
    Some(Trigger {
        name: name.to_owned(),
        family: family.to_owned(),
        kind: match kind {
            "refutation" => FindingKind::Refutation,
            "solution" => FindingKind::Solution,
            _ => FindingKind::Model,
        },
        evidence: Evidence::Proved,
        crash: None,
        crash_site: Vec::new(),
        options: Vec::new(),
        bytes: text.len(),
        shape: Shape::of(&script),
        versions: [releases(affected, true), releases(others, false)].concat(),
    })
}
