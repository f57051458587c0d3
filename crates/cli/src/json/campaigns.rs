//! The objects of campaigns, their findings and their triage.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gainsay_engine::event::{ArmReport, RunReport};
use gainsay_engine::finding::{Evidence, Finding, FindingKind};
use gainsay_engine::store::Sample;
use gainsay_engine::tally::{OracleTally, SolverTally, StrategyTally, Tally, TraceTally, ValueTally};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The totals of a campaign.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CampaignSummary {
    /// Cases that were run and judged.
    pub cases: u64,
    /// The findings, known ones included.
    pub findings: Vec<CampaignFinding>,
    /// Cases that were not run.
    pub skipped: u64,
    /// The most cases that one oracle could not judge.
    pub undecided: u64,
    /// CPU seconds.
    pub cpu: CpuSeconds,
    /// Wall-clock seconds, all sessions together.
    pub seconds: f64,
    /// The folder of the records.
    pub folder: PathBuf,
    /// Why no case was run, if none was.
    pub no_case: Option<String>,
    /// The statuses of seeds.
    pub statuses: SeedStatuses,
    /// Cases that were not run, by reason.
    pub skipped_by_reason: BTreeMap<String, u64>,
    /// Cases that each oracle could not judge.
    pub undecided_by_oracle: BTreeMap<String, u64>,
    /// Counts of each solver.
    pub solvers: BTreeMap<String, SolverTally>,
    /// Counts of each strategy.
    pub strategies: BTreeMap<String, StrategyTally>,
    /// Cases with a question beyond sat and unsat, by question.
    pub questions: BTreeMap<String, OracleTally>,
    /// Queries for values of constants.
    pub values: ValueTally,
    /// Behaviours of solvers.
    pub traces: TraceTally,
    /// The bandit's arms, the most promising first.
    pub arms: Vec<ArmReport>,
    /// Findings that did not show again.
    pub flaky: u64,
    /// Cases lost to bugs of gainsay.
    pub our_bugs: u64,
}

/// CPU seconds of a campaign.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CpuSeconds {
    /// Of gainsay and its helpers.
    pub own: f64,
    /// Of solvers.
    pub solvers: f64,
}

/// How many statuses of seeds were asked for.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SeedStatuses {
    /// Seeds that claim no status.
    pub unclaimed: u64,
    /// Those that solvers were asked about.
    pub asked: u64,
    /// Those whose status was determined.
    pub found: u64,
}

/// A finding in the totals of a campaign.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CampaignFinding {
    /// The kind of bug.
    pub kind: FindingKind,
    /// The solver at fault, or all that contradict each other.
    pub suspect: String,
    /// The strength of the evidence.
    pub evidence: Evidence,
    /// Equal for two sightings of one bug.
    pub fingerprint: String,
    /// The reason, in one line.
    pub explanation: String,
    /// How often it was seen.
    pub count: u64,
    /// The first case that showed it; null if a seed itself did.
    pub case: Option<u64>,
    /// Whether it is a known bug.
    pub known: bool,
    /// Its folder.
    pub path: PathBuf,
}

/// The findings of a campaign.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListedFindings {
    /// Cases that were run and judged.
    pub cases: u64,
    /// New findings, the most severe first.
    pub findings: Vec<ListedFinding>,
    /// Findings that are known bugs.
    pub known: Vec<ListedFinding>,
    /// The groups of triage; null before triage.
    pub groups: Option<Vec<BugGroup>>,
}

/// A finding in the records of a campaign.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListedFinding {
    /// The name of its folder.
    pub id: String,
    /// The kind of bug.
    pub kind: FindingKind,
    /// The solver at fault, or all that contradict each other.
    pub suspect: String,
    /// The strength of the evidence.
    pub evidence: Evidence,
    /// Equal for two sightings of one bug.
    pub fingerprint: String,
    /// The reason, in one line.
    pub explanation: String,
    /// How often it was seen.
    pub count: u64,
    /// The first case that showed it; null if a seed itself did.
    pub case: Option<u64>,
    /// The strategy of that case.
    pub strategy: String,
    /// The seed of its chain.
    pub seed: String,
    /// Seconds into the campaign.
    pub seconds: u64,
    /// Whether it is a known bug.
    pub known: bool,
    /// Its folder.
    pub path: String,
}

/// The contents of a report.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReportedCampaign {
    /// The file of the report; null if it went to standard output.
    pub out: Option<PathBuf>,
    /// All counts.
    pub tally: Tally,
    /// The counts over time.
    pub samples: Vec<Sample>,
    /// The plan, TOML.
    pub plan: String,
    /// New findings, the most severe first.
    pub findings: Vec<ListedFinding>,
    /// Findings that are known bugs.
    pub known: Vec<ListedFinding>,
}

/// A case that was made again.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReplayedCase<'a> {
    /// Its number.
    pub case: u64,
    /// Its strategy.
    pub strategy: &'a str,
    /// The seed of its chain.
    pub seed: &'a str,
    /// The seeds that were fused with it.
    pub partners: Vec<&'a str>,
    /// How it was made from the seed, the last step last.
    pub steps: &'a [String],
    /// Its text.
    pub script: &'a str,
    /// With --run: the runs of the solvers.
    pub runs: Option<&'a [RunReport]>,
    /// With --run: the findings.
    pub findings: Option<&'a [Finding]>,
}

/// The result of triage.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct TriageSummary {
    /// Triggers: scripts that show a finding.
    pub triggers: u64,
    /// Their groups, one for each bug.
    pub groups: Vec<BugGroup>,
    /// Triggers that did not show their finding again.
    pub flaky: u64,
    /// Triggers whose finding is gone.
    pub gone: u64,
    /// Triggers that could not be processed.
    pub stuck: u64,
    /// Triggers that are not processed yet.
    pub open: u64,
    /// Whether it was stopped before its end.
    #[serde(default)]
    pub stopped: bool,
}

/// A bug: triggers that show the same.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct BugGroup {
    /// The name of its folder.
    pub name: String,
    /// The title of its report.
    pub title: String,
    /// The kind of bug.
    pub kind: FindingKind,
    /// The solver at fault, or all that contradict each other.
    pub suspect: String,
    /// The strength of the evidence.
    pub evidence: Evidence,
    /// Equal for two sightings of one bug.
    pub fingerprint: String,
    /// The names of its triggers, the one of the report first.
    pub triggers: Vec<String>,
    /// Bytes of the script of the report.
    pub bytes: u64,
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
    /// Whether the newest release has it; null if that is not known.
    pub still_bad: Option<bool>,
    /// The week in which to file it; null if it is not due.
    pub week: Option<u64>,
    /// Why it is not due.
    pub held: Option<String>,
    /// A remark of triage.
    pub note: String,
    /// Why its folder has no regression test; null if it has one.
    pub no_regression_test: Option<String>,
    /// The folder of its report.
    pub path: String,
}

/// The known bugs of a file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KnownList {
    /// The file.
    pub file: PathBuf,
    /// Their fingerprints.
    pub known: Vec<String>,
}

/// A campaign that was joined from parts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JoinedCampaign {
    /// The folder of its records.
    pub folder: PathBuf,
    /// Parts that were joined.
    pub parts: usize,
    /// Folders that hold no campaign.
    pub left_out: Vec<PathBuf>,
    /// Cases that were run and judged.
    pub cases: u64,
    /// Cases that were not run.
    pub skipped: u64,
    /// Cases of the budget that no part has made; null without a budget of cases.
    pub missing_cases: Option<u64>,
    /// New findings.
    pub findings: usize,
    /// Findings that are known bugs.
    pub known: usize,
}

/// The jobs of a fleet that were written.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WrittenFleet {
    /// Their folder.
    pub folder: PathBuf,
    /// The name of the jobs.
    pub name: String,
    /// The number of shards.
    pub shards: u64,
    /// The number of the job array, if it was submitted.
    pub array: Option<String>,
    /// The number of the job that joins the shards, if it was submitted.
    pub merge: Option<String>,
}
