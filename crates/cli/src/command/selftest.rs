//! `gainsay solvers check`: a self-test of every driver of every installed solver.

use std::collections::BTreeSet;
use std::process::ExitCode;

use gainsay_engine::solver::cache::Installed;
use gainsay_engine::solver::process::RunError;
use gainsay_engine::solver::resolve::Solver;
use gainsay_engine::solver::run::Limits;
use gainsay_engine::solver::runner::{self, Launcher, Runner};
use gainsay_engine::solver::selftest::{self, ProbeOutcome};

use crate::environment::Environment;
use crate::exit;
use crate::json::solvers::{SelfTest, SelfTestCheck};
use crate::{console, json, solver_lookup};

/// The result of one check.
struct SelfTestResult {
    solver: String,
    driver: &'static str,
    probe: &'static str,
    outcome: ProbeOutcome,
}

/// Tests these solvers, or all installed ones.
pub fn run(environment: &Environment, names: &[String], json: bool) -> anyhow::Result<ExitCode> {
    let launcher = environment.launcher()?;
    let installed = environment.cache.list().iter().map(Installed::name).collect::<Vec<_>>();
    let names = if names.is_empty() { &installed } else { names };
    let mut failed = false;
    let mut all = Vec::new();
    for solver in solver_lookup::find_or_install(environment, names)? {
        let lines = check(&solver, &launcher);
        failed |= lines.iter().any(|line| matches!(line.outcome, ProbeOutcome::Failed(_)));
        if !json {
            show(&solver.name.to_string(), &lines);
        }
        all.extend(lines);
    }
    if json {
        json::print(&SelfTest { passed: !failed, checks: all.iter().map(describe).collect() });
    } else if names.is_empty() {
        console::out("no solvers are installed; run `gainsay solvers install z3 cvc5`");
    }
    Ok(ExitCode::from(if failed { exit::EXIT_SOLVER } else { 0 }))
}

fn check(solver: &Solver, launcher: &Launcher) -> Vec<SelfTestResult> {
    let line =
        |driver, probe, outcome| SelfTestResult { solver: solver.name.to_string(), driver, probe, outcome };
    let mut lines = vec![line("plain", "version", version(solver, launcher).unwrap_or_else(failed))];
    for kind in runner::drivers(solver, launcher) {
        match Runner::open(solver, kind, launcher) {
            Err(error) => lines.push(line(kind.name, "start", failed(error))),
            Ok(mut runner) => lines.extend(
                selftest::ALL
                    .iter()
                    .map(|probe| line(kind.name, probe.name, probe.run(&mut runner).unwrap_or_else(failed))),
            ),
        }
    }
    lines
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that unwrap_or_else wants")]
fn failed(error: RunError) -> ProbeOutcome {
    ProbeOutcome::Failed(error.to_string())
}

fn version(solver: &Solver, launcher: &Launcher) -> Result<ProbeOutcome, RunError> {
    let found = runner::ask_version(solver, launcher, Limits::default())?;
    Ok(match (&solver.version, found) {
        _ if solver.profile.version.pattern.text().is_empty() => ProbeOutcome::Skipped,
        (_, None) => ProbeOutcome::Failed("no version in its output".to_owned()),
        (Some(expected), Some(found)) if *expected != found => {
            ProbeOutcome::Failed(format!("it reports version {found}"))
        }
        _ => ProbeOutcome::Passed,
    })
}

fn show(name: &str, lines: &[SelfTestResult]) {
    let drivers: BTreeSet<&str> = lines.iter().map(|line| line.driver).collect();
    for driver in drivers.into_iter().rev() {
        let of_driver = || lines.iter().filter(|line| line.driver == driver);
        let words: Vec<String> = of_driver().filter_map(word).collect();
        console::out(format_args!("{name:<16} {driver:<8} {}", words.join(", ")));
    }
}

fn word(line: &SelfTestResult) -> Option<String> {
    match &line.outcome {
        ProbeOutcome::Passed => Some(format!("{} ok", line.probe)),
        ProbeOutcome::Skipped => None,
        ProbeOutcome::Failed(why) => Some(format!("{} FAILED ({why})", line.probe)),
    }
}

fn describe(line: &SelfTestResult) -> SelfTestCheck<'_> {
    let (outcome, why) = match &line.outcome {
        ProbeOutcome::Passed => ("passed", None),
        ProbeOutcome::Skipped => ("skipped", None),
        ProbeOutcome::Failed(why) => ("failed", Some(why)),
    };
    SelfTestCheck {
        solver: &line.solver,
        driver: line.driver,
        check: line.probe,
        outcome,
        why: why.map(String::as_str),
    }
}
