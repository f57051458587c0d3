//! Writes batches to a store until it is killed, and prints a line for each recorded batch.
//!
//! Batch `n` adds one of everything, so that half a batch is noticed.

use std::io::Write;
use std::path::Path;

use gainsay_engine::campaign::plan::RunLimits;
use gainsay_engine::finding::{Evidence, Finding, FindingKind, Fingerprint};
use gainsay_engine::solver::run::{Exit, Run};
use gainsay_engine::store::folder::read_finding;
use gainsay_engine::store::sqlite::Sqlite;
use gainsay_engine::store::{
    Batch, ChainRecord, FindingDetails, FindingRecord, FindingRun, Sample, SeedRecord, Store, StoreError,
};
use gainsay_engine::tally::Tally;

/// Number of open chains; older ones have ended.
const OPEN_CHAINS: u64 = 5;

/// Resumes or creates a store and writes until it is killed.
pub fn write(folder: &Path) -> Result<(), StoreError> {
    let mut store = match Sqlite::resume(folder) {
        Err(StoreError::Missing(_)) => Sqlite::create(folder, "jobs = 1\n")?,
        store => store?,
    };
    let first = store.standing()?.tally.cases;
    let mut out = std::io::stdout();
    for n in first.. {
        // A new finding is slow to store, so most batches repeat one.
        let details = details(n / 7);
        let path = store.keep(&details)?;
        store.record(&batch(n, &details, &path))?;
        if writeln!(out, "{n}").and_then(|()| out.flush()).is_err() {
            break;
        }
    }
    Ok(())
}

/// Counts the batches of a store; panics if one of them is incomplete.
pub fn count_batches(store: &dyn Store, folder: &Path) -> u64 {
    let standing = store.standing().expect("the store can be read");
    let batches = standing.tally.cases;
    assert_eq!(standing.ended_below, batches.saturating_sub(OPEN_CHAINS), "chains that ended");
    assert_eq!(standing.ended_below + standing.chains.len() as u64, batches, "chains");
    let findings = store.findings().expect("the findings can be read");
    assert_eq!(findings.iter().map(|finding| finding.count).sum::<u64>(), batches, "findings");
    for finding in &findings {
        let sightings = store.sightings(&finding.fingerprint).expect("the sightings can be read");
        assert_eq!(sightings.len() as u64, finding.count, "sightings");
        let kept = read_finding(folder, &finding.path).expect("the finding is in its folder");
        assert_eq!(kept.origin.fingerprint, finding.fingerprint);
    }
    assert_eq!(store.samples().expect("the samples can be read").len() as u64, batches, "samples");
    for n in 0..batches {
        assert!(store.seed(&n.to_string()).expect("the seeds can be read").is_some(), "seed {n}");
    }
    batches
}

fn batch(n: u64, details: &FindingDetails, path: &Path) -> Batch {
    let fingerprint = details.finding.fingerprint.to_string();
    let chain = |chain, next| ChainRecord { chain, next, out: vec![("z3".into(), "ran out of time".into())] };
    let ended = n.checked_sub(OPEN_CHAINS).map(|old| chain(old, None));
    Batch {
        tally: Tally { cases: n + 1, ..Tally::default() },
        chains: ended.into_iter().chain([chain(n, Some(1))]).collect(),
        findings: vec![FindingRecord {
            fingerprint: fingerprint.clone(),
            kind: FindingKind::Crash,
            suspects: "z3".into(),
            evidence: Evidence::Proved,
            explanation: "it crashes".into(),
            count: 1,
            case: Some(n),
            strategy: "operator".into(),
            seed: n.to_string(),
            seconds: n,
            known: false,
            path: path.to_owned(),
        }],
        sightings: vec![(n, fingerprint)],
        sample: Some(Sample { seconds: n as f64, cases: n, ..Sample::default() }),
        seeds: vec![SeedRecord {
            name: n.to_string(),
            hash: n.to_string(),
            text: format!("(echo {n:?})"),
            values: String::new(),
        }],
        ..Batch::default()
    }
}

fn details(number: u64) -> FindingDetails {
    let run = Run { errors: b"segmentation fault".to_vec(), ..Run::ended(Exit::Signal(11)) };
    let word: String = format!("{number}").chars().map(|digit| (digit as u8 - b'0' + b'a') as char).collect();
    FindingDetails {
        finding: Finding {
            kind: FindingKind::Crash,
            suspects: "z3".into(),
            needs_model: false,
            evidence: Evidence::Proved,
            fingerprint: Fingerprint::new(FindingKind::Crash, "z3", &word),
            explanation: "it crashes".into(),
        },
        family: "z3".into(),
        case: Some(number),
        strategy: "operator",
        seed: ("a.smt2".into(), "00".into()),
        partners: Vec::new(),
        model: None,
        rng_seed: 0,
        steps: Vec::new(),
        limits: RunLimits::default(),
        script: "(check-sat)\n".into(),
        runs: vec![FindingRun {
            solver: "z3".into(),
            version: None,
            command: "z3".into(),
            script: "(check-sat)\n".into(),
            run,
        }],
    }
}
