//! Runs the program that checks the proofs of a solver (Ethos, Carcara, drat-trim), if its profile names one.
//!
//! ```text
//! (set-option :proof-format-mode cpc) …the script… (get-proof)      the solver prints a proof in the format of the checker
//! ethos --include=Cpc.eo proof                                      the checker prints `correct`
//! ```
//!
//! The checker runs confined and limited as the solver does.

use std::borrow::Cow;
use std::path::PathBuf;

use super::driver::LaunchSpec;
use super::process::RunError;
use super::profile::{Profile, ProofChecker};
use super::resolve::Solver;
use super::run::{Ask, Query, Run};
use super::runner::{Launcher, plain, start};

/// What a checker says of a proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProofVerdict {
    /// It accepts the proof.
    Accepted,
    /// It rejects the proof, in this line.
    Rejected(String),
    /// It says something else, in this line: it crashed, ran into a limit, or lacks a rule.
    Unclear(String),
}

/// A script with the commands that a proof checker needs, on its first line, if it asks for a proof.
pub(crate) fn with_head<'s>(profile: &Profile, script: &'s str) -> Cow<'s, str> {
    match &profile.proof_checker {
        Some(checker) if !checker.head.is_empty() && script.contains("(get-proof") => {
            format!("{} {script}", checker.head).into()
        }
        _ => script.into(),
    }
}

/// Runs the proof checker of a solver on a proof. The run has no answers and no trouble; [`verdict`] reads its output.
pub(crate) fn run(solver: &Solver, launcher: &Launcher, query: &Query<'_>) -> Result<Run, RunError> {
    let checker = solver.profile.proof_checker.as_ref().expect("only solvers with a proof checker are asked");
    let program = find(checker, solver, launcher)?;
    let arguments =
        checker.command[1..].iter().cloned().chain([LaunchSpec::SCRIPT_PLACEHOLDER.to_owned()]).collect();
    let mut launch = start(solver, Vec::new(), launcher);
    launch.access = launch.access.map(|access| access.with_program(&program, launcher));
    (launch.program, launch.arguments) = (program, arguments);
    let proof = if checker.without_parentheses { inner(query.script) } else { query.script };
    (plain().open)(&launcher.host, &launch)?.run(&Query { script: proof, ask: Ask::ANSWERS_ONLY, ..*query })
}

/// Checks that the proof checker of a solver exists, if its profile names one.
pub(crate) fn check_program(solver: &Solver, launcher: &Launcher) -> Result<(), RunError> {
    solver.profile.proof_checker.as_ref().map_or(Ok(()), |checker| find(checker, solver, launcher).map(drop))
}

/// What a run of a checker says of a proof.
pub fn verdict(checker: &ProofChecker, run: &Run) -> ProofVerdict {
    read_output(checker, &[run.output.as_slice(), b"\n", run.errors.as_slice()].concat())
}

fn read_output(checker: &ProofChecker, output: &[u8]) -> ProofVerdict {
    let line_with = |at: usize| {
        let start = output[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        let line = output[start..].split(|&byte| byte == b'\n').next().unwrap_or_default();
        String::from_utf8_lossy(line).trim().chars().take(200).collect::<String>()
    };
    // A word of acceptance may be part of a word of rejection: `correct` of `incorrect`.
    if let Some(found) = checker.rejects.regex().find(output) {
        return ProofVerdict::Rejected(line_with(found.start()));
    }
    match checker.accepts.regex().is_match(output) {
        true => ProofVerdict::Accepted,
        false => ProofVerdict::Unclear(line_with(0)),
    }
}

/// The absolute path of a checker, which is named by a path or by its name on PATH.
fn find(checker: &ProofChecker, solver: &Solver, launcher: &Launcher) -> Result<PathBuf, RunError> {
    let program = checker.command.first().map_or("", String::as_str);
    let folders = launcher.variables.get("PATH").map_or("", String::as_str);
    let found = match program.contains('/') {
        true => Some(PathBuf::from(program)).filter(|path| path.is_file()),
        false => {
            std::env::split_paths(folders).map(|folder| folder.join(program)).find(|path| path.is_file())
        }
    };
    // The checker runs in another folder than gainsay.
    found.map(|path| std::path::absolute(&path).unwrap_or(path)).ok_or_else(|| RunError::NoProofChecker {
        program: program.to_owned(),
        solver: solver.profile.name.clone(),
    })
}

/// A proof without the parentheses around it.
fn inner(proof: &str) -> &str {
    let proof = proof.trim();
    proof.strip_prefix('(').and_then(|proof| proof.strip_suffix(')')).unwrap_or(proof)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(output: &str) -> ProofVerdict {
        let checker: ProofChecker = toml::from_str(
            "name = 'c'\ncommand = ['c']\naccepts = 'correct'\nrejects = 'incorrect|Error:'\n",
        )
        .unwrap();
        read_output(&checker, output.as_bytes())
    }

    #[test]
    fn a_rejection_is_told_from_a_failure_of_the_checker() {
        assert_eq!(judged("correct\n"), ProofVerdict::Accepted);
        assert_eq!(judged("step @p3\nincorrect\n"), ProofVerdict::Rejected("incorrect".to_owned()));
        assert_eq!(judged("x\nError: bad step\n"), ProofVerdict::Rejected("Error: bad step".to_owned()));
        assert_eq!(judged("Killed"), ProofVerdict::Unclear("Killed".to_owned()));
        assert_eq!(judged(""), ProofVerdict::Unclear(String::new()));
    }

    #[test]
    fn a_proof_loses_only_the_parentheses_around_it() {
        assert_eq!(inner(" (\n(step a)\n(step b))\n"), "\n(step a)\n(step b)");
        assert_eq!(inner("x"), "x");
    }
}
