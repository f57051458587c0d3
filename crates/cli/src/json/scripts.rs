//! The objects of commands that judge or shrink scripts.

use std::path::PathBuf;

use gainsay_engine::finding::{Evidence, Finding, FindingKind};
use gainsay_engine::solver::trouble::Trouble;
use gainsay_engine::solver::version::Version;
use gainsay_engine::triage::bisect::ReleaseResult;
use gainsay_engine::trial::ExhaustionEvidence;
use schemars::JsonSchema;
use serde::Serialize;

/// The answers of solvers to a script, and what is wrong with them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckedScript<'a> {
    /// bug, fine, undecided, expectation disproved or status disproved.
    pub verdict: &'a str,
    /// What is wrong.
    pub findings: &'a [Finding],
    /// The run of each solver.
    pub runs: Vec<CheckRun>,
    /// Why the answer of --expect is wrong, if it is.
    pub disproved: Option<&'a str>,
    /// Why the status that the script claims is wrong, if it is.
    pub status_disproved: Option<&'a str>,
    /// The first error of the script, if only the commands before it were judged.
    pub error: Option<&'a str>,
    /// What gainsay found by trying every assignment, for each check-sat.
    pub exhaustion: &'a [ExhaustionEvidence],
}

/// One run of a solver.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckRun {
    /// The solver.
    pub solver: String,
    /// Its version, if known.
    #[schemars(with = "Option<String>")]
    pub version: Option<Version>,
    /// Its answers, in order.
    pub answers: Vec<&'static str>,
    /// How it ended.
    pub exit: String,
    /// Its CPU seconds.
    pub cpu_seconds: f64,
    /// Commands that were not sent to it.
    pub not_sent: Vec<String>,
    /// What went wrong with the run.
    pub trouble: Option<Trouble>,
    /// Why its answers are compared with nothing: a quirk of the solver, or an option that changes the meaning of the script.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excused: Option<String>,
}

/// The answers of a script by trying every assignment.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DecidedScript {
    /// The script.
    pub file: PathBuf,
    /// One for each check-sat.
    pub answers: Vec<ExactDecision>,
}

/// The answer to one check-sat.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExactDecision {
    /// sat, unsat or undecided.
    pub answer: &'static str,
    /// Why.
    pub reason: String,
    /// Assignments that were evaluated.
    pub assignments: u64,
    /// Steps that were used.
    pub steps: u64,
    /// The values of each constant that were tried.
    pub domains: Vec<TriedDomain>,
    /// A model, if the answer is sat.
    pub model: Option<String>,
    /// Results that the standard leaves open, and that the model defines.
    pub open: Vec<String>,
}

/// The values of a constant that were tried.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TriedDomain {
    /// The constant.
    pub name: String,
    /// The values that were tried, in words.
    pub values: String,
    /// Whether there are no others.
    pub complete: bool,
}

/// The assertions of a script under a model.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EvaluatedScript {
    /// true, false or undecided, for each assertion.
    pub assertions: Vec<&'static str>,
    /// The same for each assumption of the check-sat.
    pub assumptions: Vec<&'static str>,
    /// Why an assertion or assumption is undecided; null if it is decided.
    pub reasons: Vec<Option<String>>,
    /// With --explain: the smallest false subterm of each; null for those that are not false.
    pub explanations: Vec<Option<FalseTerm>>,
    /// Names that the model leaves out, and that were completed.
    pub completed: Vec<String>,
    /// Definitions of the model that were ignored.
    pub ignored: Vec<IgnoredModelPart>,
    /// Steps that were used.
    pub steps: u64,
}

/// A false subterm.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FalseTerm {
    /// The term.
    pub term: String,
    /// Its value.
    pub value: bool,
    /// Its arguments.
    pub children: Vec<TermValue>,
}

/// A term and its value.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TermValue {
    /// The term.
    pub term: String,
    /// Its value.
    pub value: String,
}

/// A definition of a model that was ignored.
#[derive(Debug, Serialize, JsonSchema)]
pub struct IgnoredModelPart {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// Which scripts can be read.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ParsedScripts<'a> {
    /// Files.
    pub files: usize,
    /// Files that are SMT-LIB.
    pub read: usize,
    /// Files that are well-sorted.
    pub checked: usize,
    /// Well-sorted files with parts that gainsay does not know.
    pub opaque: usize,
    /// Files that cannot be read.
    pub failed: usize,
    /// Why.
    pub errors: &'a [ParseErrorEntry],
}

/// An error in a script.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ParseErrorEntry {
    /// The file.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1.
    pub column: usize,
    /// The error.
    pub message: String,
}

/// The releases that a bug affects.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BisectedReleases<'a> {
    /// The solver.
    pub solver: &'a str,
    /// The kind of bug; null if no release that was run is wrong.
    pub kind: Option<FindingKind>,
    /// The strongest evidence.
    pub evidence: Option<Evidence>,
    /// The right answers.
    pub expected: String,
    /// Every release, the oldest first.
    pub versions: &'a [ReleaseResult],
    /// The first affected release.
    pub first_bad: Option<String>,
    /// The release before it.
    pub last_good: Option<String>,
    /// The last affected release.
    pub last_bad: Option<String>,
    /// The release after it.
    pub fixed_in: Option<String>,
    /// Where the bug appears, in words.
    pub introduced: Option<String>,
    /// Where the bug disappears, in words.
    pub fixed: Option<String>,
    /// Whether the newest of `versions` has it; null if that is not known.
    pub still_bad: Option<bool>,
    /// The solvers that were compared with.
    pub references: Vec<ReferenceAnswer>,
    /// Whether it was stopped before its end.
    pub stopped: bool,
}

/// The answer of a solver that is compared with.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReferenceAnswer {
    /// The solver.
    pub solver: String,
    /// Its answer.
    pub said: String,
}

/// The commit that brought a bug.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BisectedCommits<'a> {
    /// The kind of bug.
    pub kind: &'a str,
    /// The first bad commit; null if it is not known.
    pub first_bad: Option<&'a str>,
    /// Commits one of which is the first bad one, if the others could not be judged.
    pub candidates: Vec<&'a str>,
    /// The commits that were tested, in order.
    pub commits: &'a [TestedCommit],
    /// Whether it was stopped before its end.
    pub stopped: bool,
}

/// A commit that was tested.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TestedCommit {
    /// The commit.
    pub commit: String,
    /// Its date and subject.
    pub subject: String,
    /// fine, the kinds of findings, or why it was skipped.
    pub said: String,
}

/// The result of a reduction.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReducedScriptSummary<'a> {
    /// Bytes of the input.
    pub bytes_before: usize,
    /// Bytes of the result.
    pub bytes_after: usize,
    /// Candidates that were tested.
    pub checks: u64,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// The file of the result.
    pub out: String,
    /// Candidates that ran into the timeout.
    pub slow: u64,
    /// Whether nothing smaller can be found, rather than being stopped.
    pub complete: bool,
    /// The solvers that show the bug; empty with a command.
    pub solvers: &'a [String],
    /// The command that reproduces the bug.
    pub command: &'a str,
    /// Counts of each pass.
    pub passes: Vec<PassSummary>,
}

/// Counts of a pass of the reducer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PassSummary {
    /// The pass.
    pub pass: String,
    /// Candidates that were tested.
    pub checks: u32,
    /// Candidates that were taken.
    pub taken: u32,
}
