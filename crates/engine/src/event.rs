//! Events: the closed list of what happens in a campaign.
//!
//! The screen, the plain lines, `--json` and the tally read nothing else. Events are printed as JSON; keys may be added, never
//! renamed.

use std::path::PathBuf;
use std::time::Duration;

use gainsay_coverage::change::ChangedReach;
use gainsay_coverage::reached::ReachedRecord;
use gainsay_coverage::report::CoverageSummary;
use gainsay_coverage::target::Level;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::feedback::behaviour::BehaviourSignal;
use crate::finding::Finding;
use crate::solver::run::Answer;
use crate::solver::trace::Identity;
use crate::solver::trouble::TroubleKind;
use crate::strategy::value::CoercionCounts;

/// The number of a case in its campaign, from which the case can be remade.
pub type CaseNumber = u64;

/// Something that happened in a campaign.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The campaign starts or resumes.
    Opened {
        /// The folder of its records.
        folder: PathBuf,
        /// Seeds that can be used.
        seeds: usize,
        /// Seeds that cannot, by reason.
        refused: Vec<(String, u64)>,
        /// The names of the solvers, as in all other events.
        solvers: Vec<String>,
        /// The case that it starts or resumes with.
        next: CaseNumber,
        /// Seeds that claim no status although a strategy needs it; solvers are asked about each when it is first needed.
        unclaimed: usize,
    },
    /// A chain needs the status of a seed that claims none, and solvers are being asked.
    Classifying {
        /// The seed.
        seed: String,
    },
    /// Solvers were asked for the status of a seed that claims none, and the answer is recorded.
    Classified {
        /// The seed.
        seed: String,
        /// Its status, if they determined it.
        status: Option<&'static str>,
    },
    /// A seed itself was run on the solvers before its first mutant.
    Probed {
        /// The seed.
        seed: String,
        /// The runs of the solvers.
        runs: Vec<RunReport>,
    },
    /// The campaign stops while a seed is run: the runs count as solver time, and are not used.
    Abandoned {
        /// The seed.
        seed: String,
        /// The runs so far.
        runs: Vec<RunReport>,
    },
    /// A solver was asked to rewrite the clauses of a seed.
    Phrased {
        /// The seed.
        seed: String,
        /// Rewrites and lemmas that it gave.
        found: usize,
        /// CPU time of that solver.
        #[serde(rename = "cpu_seconds", serialize_with = "seconds")]
        #[schemars(with = "f64")]
        cpu: Duration,
    },
    /// A solver was asked for values of the constants of a seed.
    Coerced {
        /// The seed.
        seed: String,
        /// The number of different ones.
        found: usize,
        /// Why there are none, if so.
        why: Option<&'static str>,
        /// The outcomes of the queries.
        account: CoercionCounts,
    },
    /// A case was made, run and judged.
    Case {
        /// Its number.
        case: CaseNumber,
        /// Its strategy.
        strategy: &'static str,
        /// The mutation of that strategy, if it names one.
        #[serde(skip_serializing_if = "Option::is_none")]
        mutation: Option<&'static str>,
        /// The question beyond sat and unsat that it asks, if it was made to ask one.
        #[serde(skip_serializing_if = "Option::is_none")]
        question: Option<&'static str>,
        /// The seed of its chain.
        seed: String,
        /// Bytes of its text.
        bytes: usize,
        /// The theories of its script.
        theories: Vec<&'static str>,
        /// The runs of the solvers that were asked.
        runs: Vec<RunReport>,
        /// The verdict of each oracle.
        oracles: Vec<(&'static str, Opinion)>,
    },
    /// Cases that were not run.
    Skipped {
        /// The first of them.
        case: CaseNumber,
        /// How many in a row.
        count: u64,
        /// The strategy that could not make it, if that is why.
        strategy: Option<&'static str>,
        /// Why.
        why: String,
    },
    /// A solver was not asked, though others were.
    Spared {
        /// The case.
        case: CaseNumber,
        /// The solver.
        solver: String,
        /// Why: it cannot handle the seed, lacks an operator, timed out earlier in this chain.
        why: String,
    },
    /// A finding that was confirmed in fresh processes.
    Found {
        /// The case that shows it; `None` if a seed itself does.
        case: Option<CaseNumber>,
        /// The strategy of the case.
        strategy: &'static str,
        /// The seed of its chain.
        seed: String,
        /// The finding.
        finding: Finding,
        /// The number of sightings so far.
        count: u64,
        /// Whether the user lists it as known.
        known: bool,
        /// Its folder.
        path: PathBuf,
    },
    /// A finding that did not show again in fresh processes.
    Flaky {
        /// The case.
        case: Option<CaseNumber>,
        /// The finding.
        finding: Finding,
    },
    /// Triage progressed: the triggers that it has finished, and their groups.
    Grouped {
        /// Triggers.
        triggers: u64,
        /// Groups.
        groups: u64,
    },
    /// A bug of gainsay: a strategy made an ill-sorted script, or our code panicked. It costs this case.
    OurBug {
        /// The case.
        case: CaseNumber,
        /// What happened.
        message: String,
    },
    /// A solver cannot be run any more, and is left out from now on.
    SolverLost {
        /// The solver.
        solver: String,
        /// Why.
        why: String,
    },
    /// The machine lacked something that a solver needs, and the solver was started again later. Told at most every ten seconds.
    Shortage {
        /// The solver.
        solver: String,
        /// What was lacking.
        why: String,
    },
    /// Runs of a solver reached code that no run of the campaign had reached before.
    Covered {
        /// The solver.
        solver: String,
        /// What is counted.
        level: Level,
        /// How much of it was reached so far.
        #[serde(flatten)]
        summary: CoverageSummary,
        /// Changed functions that were reached for the first time, if the campaign is led by a change.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        changed: Vec<String>,
        /// The sites, for the store.
        #[serde(skip)]
        record: ReachedRecord,
    },
    /// The campaign is led by a change: these functions of a solver are its targets.
    Targeted {
        /// The solver.
        solver: String,
        /// What it is compared with: an older build, or revisions of its sources.
        since: String,
        /// The number of changed functions that can be covered.
        functions: usize,
        /// Their names, as in the source; of very many, the largest functions.
        names: Vec<String>,
    },
    /// The coverage of a solver cannot be measured.
    NotCovered {
        /// The solver.
        solver: String,
        /// Why.
        why: String,
    },
    /// The records of a bandit at the end of the campaign, the most promising arm first.
    Learnt {
        /// The arms.
        arms: Vec<ArmReport>,
    },
    /// The campaign ends.
    Closed {
        /// Why.
        why: Stop,
    },
}

/// A summary of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RunReport {
    /// The solver, options included.
    pub solver: String,
    /// Options that were drawn for this run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// Its answers.
    #[serde(serialize_with = "words")]
    #[schemars(with = "Vec<String>")]
    pub answers: Vec<Answer>,
    /// The trouble of the run.
    pub trouble: Option<TroubleKind>,
    /// The line of output that shows it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub said: String,
    /// Commands that were removed from the script, because they name files or are options of another solver.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// CPU time.
    #[serde(rename = "cpu_seconds", serialize_with = "seconds")]
    #[schemars(with = "f64")]
    pub cpu: Duration,
    /// CPU time of the solver's further runs for this script: for models, for the claims of replies, and to confirm a finding.
    #[serde(
        rename = "side_cpu_seconds",
        serialize_with = "seconds",
        skip_serializing_if = "Duration::is_zero"
    )]
    #[schemars(with = "f64")]
    pub side_cpu: Duration,
    /// The behaviour of the solver, if tracked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behaviour: Option<BehaviourReport>,
    /// Sites of the solver's code that no earlier run reached, if coverage is measured.
    #[serde(skip_serializing_if = "is_zero")]
    pub new_code: usize,
    /// How much changed code it reached, if the campaign is led by a change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<ChangedReach>,
}

/// A summary of a solver's behaviour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BehaviourReport {
    /// The signal that identifies it: a trace or statistics.
    pub rung: BehaviourSignal,
    /// Equal for two runs with the same behaviour.
    #[schemars(with = "String")]
    pub identity: Identity,
    /// Whether no run of the campaign showed it before.
    pub new: bool,
    /// Whether there was a trace that could not be read.
    pub unreadable: bool,
}

/// The record of an arm of a bandit: a strategy, and the theory of its seeds.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ArmReport {
    /// The strategy.
    pub strategy: String,
    /// The theory; `None` if it takes all seeds.
    pub theory: Option<String>,
    /// Cases that it was chosen for.
    pub cases: u64,
    /// Cases that it has learned from, with decay.
    pub pulls: f64,
    /// The probability that one of its cases is a success.
    pub mean: f64,
    /// The lower end of the 95 percent interval of that.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The opinion of an oracle on a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Opinion {
    /// Nothing is wrong.
    Fine,
    /// It cannot tell.
    Undecided,
    /// Something is wrong.
    Bug,
}

/// Why a campaign ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// All cases that were asked for are done.
    Cases,
    /// The time is over.
    Time,
    /// There are as many findings as were asked for.
    Findings,
    /// The user asked for it.
    Interrupted,
    /// No solver can be run any more.
    NoSolver,
    /// No solver can handle any of the seeds.
    NoSeed,
    /// This process used too much memory; names the case that is left out from now on.
    Memory(String),
    /// The store failed: the disk is full or gone.
    Store(String),
    /// The connection to a shared store, or leases of chains, were lost: the worker can go on in a new session.
    Session(String),
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

fn words<S: Serializer>(answers: &[Answer], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(answers.iter().map(|answer| answer.name()))
}

fn seconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}
