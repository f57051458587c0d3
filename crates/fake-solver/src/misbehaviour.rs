//! Scripts that make the fake solver misbehave, and the results that every driver must report for them.
//!
//! A test runs each script twice; the example of the same name runs as many as asked.

use std::time::Duration;

use gainsay_engine::solver::run::{Answer, Ask, Exit, Limits, Query, Run};
use gainsay_engine::solver::runner::Runner;
use gainsay_engine::solver::trouble::TroubleKind;

use crate::fixture::limits;

/// A script and the run that a driver must report for it.
pub struct MisbehaviourCase {
    /// The script.
    pub script: &'static str,
    /// The expected answers.
    pub answers: &'static [Answer],
    /// The accepted exits.
    pub exits: &'static [Exit],
    /// The expected trouble.
    pub trouble: Option<TroubleKind>,
}

use Answer::{Sat, Unknown, Unsat};

const fn expect_run(
    script: &'static str,
    answers: &'static [Answer],
    exits: &'static [Exit],
    trouble: Option<TroubleKind>,
) -> MisbehaviourCase {
    MisbehaviourCase { script, answers, exits, trouble }
}

/// All cases. Answers that precede the trouble must be kept.
pub const MISBEHAVIOUR_CASES: &[MisbehaviourCase] = &[
    expect_run("(check-sat)\n", &[Sat], &[Exit::Code(0)], None),
    expect_run(
        "; fake: answer unsat\n(check-sat)\n; fake: answer unknown\n(check-sat)\n(exit)\n(check-sat)\n",
        &[Unsat, Unknown],
        &[Exit::Code(0)],
        None,
    ),
    expect_run("(check-sat)\n; fake: segv\n", &[Sat], &[Exit::Signal(11)], Some(TroubleKind::Crash)),
    expect_run(
        "(check-sat)\n; fake: abort\n(check-sat)\n",
        &[Sat],
        &[Exit::Signal(6)],
        Some(TroubleKind::Crash),
    ),
    expect_run("; fake: assertion\n(check-sat)\n", &[], &[Exit::Code(114)], Some(TroubleKind::Assertion)),
    expect_run(
        "(check-sat)\n; fake: error no such thing\n(check-sat)\n",
        &[Sat, Sat],
        &[Exit::Code(1)],
        Some(TroubleKind::Error),
    ),
    expect_run(
        "(check-sat)\n; fake: hang\n(check-sat)\n",
        &[Sat],
        &[Exit::WallLimit],
        Some(TroubleKind::TimeOut),
    ),
    expect_run(
        "; fake: ignore-term\n(check-sat)\n; fake: hang\n",
        &[Sat],
        &[Exit::WallLimit],
        Some(TroubleKind::TimeOut),
    ),
    expect_run("(check-sat)\n; fake: flood\n", &[Sat], &[Exit::OutputLimit], Some(TroubleKind::Flood)),
    expect_run("(check-sat)\n; fake: flood-errors\n", &[Sat], &[Exit::OutputLimit], Some(TroubleKind::Flood)),
    expect_run(
        "(check-sat)\n; fake: leak\n",
        &[Sat],
        &[Exit::MemoryLimit, Exit::Code(101), Exit::Signal(6)],
        Some(TroubleKind::MemoryOut),
    ),
    expect_run("(check-sat)\n; fake: half\n", &[Sat], &[Exit::Signal(9)], Some(TroubleKind::Killed)),
    expect_run("; fake: garbage\n(check-sat)\n", &[Sat], &[Exit::Code(0)], Some(TroubleKind::Garbage)),
    expect_run("; fake: orphan\n(check-sat)\n; fake: exit 3\n", &[Sat], &[Exit::Code(3)], None),
    expect_run("; fake: orphan-session\n(check-sat)\n; fake: exit 0\n", &[Sat], &[Exit::Code(0)], None),
    expect_run(
        "; fake: orphan\n; fake: orphan-session\n(check-sat)\n; fake: kill-parent\n",
        &[Sat],
        &[Exit::Signal(9)],
        Some(TroubleKind::Killed),
    ),
    expect_run("(check-sat", &[Sat], &[Exit::Code(0)], None),
];

/// Runs `count` scripts, cycling through the cases; the error describes the first unexpected run.
pub fn run_all(runner: &mut Runner, count: usize) -> Result<(), String> {
    for (number, case) in MISBEHAVIOUR_CASES.iter().cycle().take(count).enumerate() {
        // A short timeout only for scripts that hang: a busy machine must not fail the others.
        let hangs = case.exits.contains(&Exit::WallLimit);
        let wall = if hangs { limits().wall } else { Duration::from_secs(60) };
        let query =
            Query { script: case.script, limits: Limits { wall, ..limits() }, ask: Ask::ANSWERS_ONLY };
        let run = runner.run(&query).map_err(|error| format!("script {number}: {error}"))?;
        let trouble = run.trouble.as_ref().map(|trouble| trouble.kind);
        let is_expected =
            run.answers == case.answers && case.exits.contains(&run.exit) && trouble == case.trouble;
        if !is_expected {
            return Err(format!("script {number}: {:?}\n{}", case.script, show(&run)));
        }
    }
    Ok(())
}

fn show(run: &Run) -> String {
    let short = |text: &[u8]| String::from_utf8_lossy(text).chars().take(200).collect::<String>();
    format!(
        "{:?} {:?} {:?}\n{}\n{}",
        run.exit,
        run.answers,
        run.trouble,
        short(&run.output),
        short(&run.errors)
    )
}
