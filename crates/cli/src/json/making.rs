//! The objects of commands that make, search and measure scripts.

use std::collections::BTreeMap;

use gainsay_engine::coverage::report::{CoverageSummary, ScopeRow, UnreachedFunction};
use gainsay_engine::coverage::target::Level;
use gainsay_engine::finding::Finding;
use schemars::JsonSchema;
use serde::Serialize;

/// How many cases were made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MadeCases {
    /// Cases that were made.
    pub cases: u64,
    /// Cases that could not be made.
    pub skipped: u64,
    /// CPU seconds; null if they were not measured.
    pub cpu_seconds: Option<f64>,
    /// Cases that could not be made, by reason.
    pub skipped_by_reason: BTreeMap<String, u64>,
}

/// How a case was made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CaseHistory<'a> {
    /// Its number.
    pub case: u64,
    /// The strategy.
    pub strategy: &'a str,
    /// The files that it was made from.
    pub parents: &'a [String],
    /// What was changed.
    pub steps: Vec<&'a str>,
    /// The promised answer: sat, unsat, parent (that of its parent) or none.
    pub promise: &'a str,
}

/// How many scripts were enumerated.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EnumeratedScripts {
    /// Scripts.
    pub scripts: u64,
    /// Operators that they use.
    pub operators: usize,
    /// With --decide: satisfiable ones.
    pub sat: u64,
    /// With --decide: unsatisfiable ones.
    pub unsat: u64,
    /// With --decide: undecided ones.
    pub undecided: u64,
    /// CPU seconds.
    pub cpu_seconds: f64,
}

/// How many fusion functions were made or checked.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct FusionFunctionCounts {
    /// Functions.
    pub functions: u64,
    /// Functions whose inverses solvers proved.
    pub proved: u64,
    /// Functions whose inverses are right on all inputs that were tried.
    pub evaluated: u64,
    /// Functions with a counterexample.
    pub refuted: u64,
    /// Functions that are ill-sorted.
    pub ill_sorted: u64,
    /// Functions that were neither proved nor evaluated.
    pub unproved: u64,
    /// Blocks of the file that cannot be read.
    pub malformed: u64,
    /// What is wrong.
    pub errors: Vec<FunctionRemark>,
    /// What was not proved.
    pub unproven: Vec<FunctionRemark>,
}

/// A remark on a fusion function.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FunctionRemark {
    /// The line in the file.
    pub line: usize,
    /// The function; empty if its block cannot be read.
    pub function: String,
    /// The remark.
    pub message: String,
}

/// The slow scripts that were found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SlowScripts {
    /// Scripts that were tried.
    pub queries: u64,
    /// The slowest ones, the slowest first.
    pub best: Vec<SlowScriptEntry>,
    /// The constructs, the one that most probably makes a script slower first.
    pub ranking: Vec<RankedConstructEntry>,
    /// Queries without a score.
    pub lost: u64,
    /// Queries that all references solved.
    pub comparable: u64,
    /// The limit of a solver, in the unit of --score.
    pub limit: f64,
    /// Scripts that a solver crashed on.
    pub crashes: Vec<CrashingScriptEntry>,
    /// Why the search ended early, if it did.
    pub remark: Option<String>,
}

/// A slow script.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SlowScriptEntry {
    /// Its file; null without --out.
    pub path: Option<String>,
    /// How much slower the target is, in the unit of --score.
    pub margin: f64,
    /// The query that found it.
    pub query: u64,
    /// The effort of each solver.
    pub efforts: Vec<SolverEffort>,
    /// The file of the reduced script.
    pub reduced: Option<String>,
    /// The margin of the reduced script.
    pub reduced_margin: Option<f64>,
    /// The efforts for the reduced script.
    pub reduced_efforts: Option<Vec<SolverEffort>>,
}

/// The effort of a solver for a script.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SolverEffort {
    /// The solver.
    pub solver: String,
    /// A number in the unit of --score, or a word: unsolved, not asked, or what went wrong.
    pub effort: EffortValue,
}

/// The effort of a solver on a script, or the reason why the solver was not measured.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum EffortValue {
    /// The effort.
    Number(f64),
    /// The reason why the solver was not measured.
    Word(String),
}

/// The record of a construct.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RankedConstructEntry {
    /// The construct.
    pub construct: String,
    /// The probability of a success.
    pub mean: f64,
    /// The lower end of its 95 percent interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// How often it was tried.
    pub pulls: f64,
}

/// A script that a solver crashed on.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CrashingScriptEntry {
    /// Its file; null without --out.
    pub path: Option<String>,
    /// The query that found it.
    pub query: u64,
    /// How often it was seen.
    pub seen: u64,
    /// The finding.
    pub finding: Finding,
}

/// The scripts with wrong answers that were found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WrongScripts<'a> {
    /// Scripts that were tried.
    pub queries: u64,
    /// The first ones with findings for the target.
    pub best: &'a [WrongScriptEntry],
    /// The constructs, the one that most probably causes a wrong answer first.
    pub ranking: Vec<RankedConstructEntry>,
    /// Scripts with findings for the target.
    pub triggers: usize,
    /// Scripts that could not be judged.
    pub undecided: u64,
    /// Scripts with findings for references only.
    pub aside: &'a [WrongScriptEntry],
}

/// A script with a wrong answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WrongScriptEntry {
    /// Its file; null without --out.
    pub path: Option<String>,
    /// Always null: there is no margin of a wrong answer.
    pub margin: Option<f64>,
    /// The query that found it.
    pub query: u64,
    /// The construct that was tried; null for the first script.
    pub construct: Option<String>,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

/// The code of a solver that scripts reach.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CoverageMeasured<'a> {
    /// The solver.
    pub solver: &'a str,
    /// What is counted.
    pub level: Level,
    /// Scripts that were run.
    pub scripts: usize,
    /// How much was reached.
    pub summary: CoverageSummary,
    /// By namespace, class or folder, those with the most unreached first.
    pub scopes: Vec<ScopeRow>,
    /// The largest functions that were not reached.
    pub unreached: Vec<UnreachedFunction>,
    /// With --against: the other scripts.
    pub against: Option<ComparedCoverage>,
    /// With --since: the functions that changed.
    pub changed: Option<ChangedFunctions>,
    /// The answers to each script.
    pub answers: &'a [String],
}

/// Lines that an instrumented build has counted.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportedCoverage {
    /// Files of counts.
    pub files: usize,
    /// Lines that were reached.
    pub lines_reached: usize,
    /// All lines.
    pub lines: usize,
    /// The lines of each folder, those with the most unreached first.
    pub scopes: Vec<ScopeRow>,
}

/// The code that another set of scripts reaches.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ComparedCoverage {
    /// Scripts that were run.
    pub scripts: usize,
    /// How much was reached.
    pub summary: CoverageSummary,
    /// Functions that only the first set reaches.
    pub only_first: Vec<String>,
    /// Functions that only the other set reaches.
    pub only_against: Vec<String>,
}

/// The functions that changed since an older build.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangedFunctions {
    /// Those that the scripts reach.
    pub reached: Vec<String>,
    /// The others.
    pub missed: Vec<String>,
}

/// The answers without traps.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UntrappedAnswers {
    /// Scripts that were run.
    pub scripts: usize,
    /// The answers to each script.
    pub answers: Vec<String>,
}

/// The scripts that reach the same code as all of them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DistilledScripts<'a> {
    /// The solver.
    pub solver: String,
    /// What is counted.
    pub level: Level,
    /// Scripts that were run.
    pub scripts: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Functions, blocks or lines that they reach.
    pub reached: usize,
    /// The chosen scripts.
    pub chosen: Vec<&'a str>,
    /// Their bytes.
    pub chosen_bytes: u64,
}
