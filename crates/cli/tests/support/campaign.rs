//! An artificial campaign with all kinds of records, including hostile text.

use std::path::{Path, PathBuf};
use std::time::Duration;

use gainsay_engine::campaign::plan::{CampaignPlan, RunLimits};
use gainsay_engine::finding::{Evidence, Finding, FindingKind, Fingerprint};
use gainsay_engine::solver::run::{Answer, Exit, Run};
use gainsay_engine::store::sqlite::Sqlite;
use gainsay_engine::store::{Batch, FindingDetails, FindingRecord, FindingRun, Sample, Store};
use gainsay_engine::tally::{OracleTally, SolverTally, StrategyTally, Tally};

/// Text that breaks a page, table or terminal unless it is escaped.
pub const HOSTILE_TEXT: &str = "</code></pre><script>alert(1)</script>\x1b[2J | `x` \u{202e}";

const NRA_SCRIPT: &str = "(set-logic QF_NRA)\n(declare-fun x () Real)\n(declare-fun y () Real)\n(assert (< (* x y) 0.0))\n\
    (assert (= (/ x (- y y)) (* 2.0 x)))\n(assert (or (> x 1.0) (and (<= x 0.0) (distinct x y))))\n(check-sat)\n";

/// Creates the campaign; its store stays open.
pub fn make(folder: &Path) -> Sqlite {
    let mut store = Sqlite::create(folder, &plan()).unwrap();
    fill(&mut store);
    store
}

/// The plan of the campaign, TOML.
pub fn plan() -> String {
    let plan = CampaignPlan {
        seeds: vec!["corpus/smt".into()],
        solvers: vec!["z3@4.8.10".into(), "cvc5@1.4.2".into(), HOSTILE_TEXT.into()],
        strategies: vec!["generative".into(), "operator".into()],
        jobs: 2,
        ..CampaignPlan::default()
    };
    plan.to_toml()
}

/// Records the whole campaign in an empty store.
pub fn fill(store: &mut dyn Store) {
    for minute in 0..60u64 {
        let growth = minute as f64 * minute as f64 / 60.0 + minute as f64;
        let sample = Sample {
            seconds: minute as f64 * 60.0,
            cases: (growth * 700.0) as u64,
            findings: minute / 11,
            solver_cpu: minute as f64 * 117.0,
            own_cpu: minute as f64 * 2.6,
        };
        store.record(&Batch { sample: Some(sample), tally: tally(), ..Batch::default() }).unwrap();
    }
    let findings = [
        (FindingKind::Disagreement, Evidence::Disagreement, "cvc5@1.4.2 / yices@2.6.5", 1, false),
        (FindingKind::Crash, Evidence::Proved, "cvc5@1.4.2", 1412, false),
        (FindingKind::Refutation, Evidence::Corroborated, "z3@4.8.10", 3, false),
        (FindingKind::Solution, Evidence::Proved, "z3@4.8.10 rewriter.flat=false", 12, false),
        (FindingKind::Crash, Evidence::Proved, "z3@4.8.10", 77, true),
    ];
    for (place, (kind, evidence, suspect, count, known)) in findings.into_iter().enumerate() {
        let details = details(place as u64, kind, evidence, suspect);
        let path = store.keep(&details).unwrap();
        store.record(&batch(&details, path, count, known)).unwrap();
    }
}

fn batch(details: &FindingDetails, path: PathBuf, count: u64, known: bool) -> Batch {
    let finding = &details.finding;
    let fingerprint = finding.fingerprint.to_string();
    let record = FindingRecord {
        fingerprint: fingerprint.clone(),
        kind: finding.kind,
        suspects: finding.suspects.clone(),
        evidence: finding.evidence,
        explanation: finding.explanation.clone(),
        count,
        case: details.case,
        strategy: details.strategy.to_owned(),
        seed: details.parents(),
        seconds: 60 * count,
        known,
        path,
    };
    let first = details.case.unwrap_or(7);
    let sightings = (0..count).map(|more| (first + 13 * more, fingerprint.clone())).collect();
    Batch { tally: tally(), findings: vec![record], sightings, ..Batch::default() }
}

fn details(place: u64, kind: FindingKind, evidence: Evidence, suspect: &str) -> FindingDetails {
    let said = format!("{} {HOSTILE_TEXT}", ["alpha", "beta", "gamma", "delta", "epsilon"][place as usize]);
    FindingDetails {
        finding: Finding {
            kind,
            suspects: suspect.into(),
            needs_model: kind == FindingKind::Model,
            evidence,
            fingerprint: Fingerprint::new(kind, suspect.split('@').next().unwrap(), &said),
            explanation: format!("{suspect} says unsat; cvc5@1.4.2 and yices@2.6.5 say sat"),
        },
        family: "z3".into(),
        case: (place > 0).then_some(place * 1771),
        strategy: if place > 0 { "generative" } else { "seed" },
        seed: (
            if place == 1 { HOSTILE_TEXT.into() } else { "corpus/smt/QF_NRA/sat/division.smt2".into() },
            "1f".into(),
        ),
        partners: vec![(HOSTILE_TEXT.into(), "2f".into())],
        model: None,
        rng_seed: 7,
        steps: vec!["(+ x y) => (* x y)".into(), HOSTILE_TEXT.into()],
        limits: RunLimits::default(),
        script: if place == 1 { format!("; {HOSTILE_TEXT}\n{NRA_SCRIPT}") } else { NRA_SCRIPT.into() },
        runs: vec![run(suspect, Answer::Unsat), run("cvc5@1.4.2", Answer::Sat)],
    }
}

fn run(solver: &str, answer: Answer) -> FindingRun {
    let run = Run {
        answers: vec![answer],
        output: format!("{}\n{HOSTILE_TEXT}\n", answer.name()).into_bytes(),
        cpu: Duration::from_millis(31),
        wall: Duration::from_millis(33),
        peak_memory: 21 << 20,
        ..Run::ended(Exit::Code(0))
    };
    FindingRun {
        solver: solver.into(),
        version: "4.8.10".parse().ok(),
        command: "z3 -smt2 -in".into(),
        script: NRA_SCRIPT.into(),
        run,
    }
}

fn tally() -> Tally {
    let mut tally = Tally {
        cases: 81_900,
        bytes: 90_000_000,
        probed: 412,
        sightings: 1505,
        flaky: 2,
        ..Tally::default()
    };
    tally.seconds = 3_601.0;
    tally.own_cpu = 156.0;
    tally.skipped =
        [("chain ended with a finding".to_owned(), 8_112), ("nothing to do".to_owned(), 391)].into();
    for (name, sat, unsat) in
        [("z3@4.8.10", 31_000, 36_100), ("cvc5@1.4.2", 30_500, 34_900), ("yices@2.6.5", 9_100, 8_800)]
    {
        let mut solver =
            SolverTally { runs: 82_000, sat, unsat, unknown: 5_211, cpu: 2_301.0, ..SolverTally::default() };
        solver.troubles =
            [("time-out".to_owned(), 3_100), ("unsupported".to_owned(), 611), ("crash".to_owned(), 14)]
                .into();
        solver.reasons =
            [(format!("operator {HOSTILE_TEXT} is not supported"), 501), ("logic QF_S".to_owned(), 110)]
                .into();
        solver.spared = [("ran out of time earlier in this chain".to_owned(), 4_000)].into();
        tally.solvers.insert(name.to_owned(), solver);
    }
    tally.oracles.insert("agreement".into(), OracleTally { fine: 70_000, undecided: 11_800, bug: 100 });
    tally.oracles.insert("crash".into(), OracleTally { fine: 80_400, undecided: 0, bug: 1_500 });
    tally
        .strategies
        .insert("generative".into(), StrategyTally { cases: 41_900, skipped: 301, sightings: 1_400 });
    tally.strategies.insert("operator".into(), StrategyTally { cases: 40_000, skipped: 90, sightings: 105 });
    tally
}
