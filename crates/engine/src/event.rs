//! Events: the closed list of what happens in a campaign.
//!
//! The screen, the plain lines, `--json` and the tally read nothing else, so what is not an event did not happen.
//! An event is a value that can be printed as JSON; keys may be added, never renamed.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::feedback::behaviour::BehaviourSignal;
use crate::finding::Finding;
use crate::solver::run::Answer;
use crate::solver::trace::Identity;
use crate::solver::trouble::TroubleKind;
use crate::strategy::value::CoercionCounts;

/// The number of a case in its campaign: all there is to know to make it again.
pub type CaseNumber = u64;

/// Something that happened in a campaign.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The campaign begins, or goes on.
    Opened {
        /// Where it keeps its records.
        folder: PathBuf,
        /// Seeds that can be used.
        seeds: usize,
        /// Seeds that cannot, by reason.
        refused: Vec<(String, u64)>,
        /// The solvers, as they are called in all other events.
        solvers: Vec<String>,
        /// The case that it begins or goes on with.
        next: CaseNumber,
        /// Seeds without a claimed status, which a strategy needs to know: solvers are asked about each when it is needed first.
        unclaimed: usize,
    },
    /// A seed claims no status, a chain needs to know it, and solvers are being asked.
    Classifying {
        /// The seed.
        seed: String,
    },
    /// Solvers were asked for the status of a seed that claims none, and the answer is recorded.
    Classified {
        /// The seed.
        seed: String,
        /// Its status, if that is known now.
        status: Option<&'static str>,
    },
    /// A seed itself was run on the solvers before its first mutant.
    Probed {
        /// The seed.
        seed: String,
        /// What the solvers did.
        runs: Vec<RunReport>,
    },
    /// The campaign ends while a seed is run: what solvers did with it counts as their time, and is not used.
    Abandoned {
        /// The seed.
        seed: String,
        /// What the solvers did that were asked.
        runs: Vec<RunReport>,
    },
    /// A helper was asked to say the clauses of a seed in other words.
    Phrased {
        /// The seed.
        seed: String,
        /// Rewrites and lemmas that it gave.
        found: usize,
        /// CPU time of the helper.
        #[serde(rename = "cpu_seconds", serialize_with = "seconds")]
        cpu: Duration,
    },
    /// A solver was asked for values of the constants of a seed.
    Coerced {
        /// The seed.
        seed: String,
        /// How many different ones it gave.
        found: usize,
        /// Why there are none, if so.
        why: Option<&'static str>,
        /// What became of the questions.
        account: CoercionCounts,
    },
    /// A case was made, run and judged.
    Case {
        /// Its number.
        case: CaseNumber,
        /// Who made it.
        strategy: &'static str,
        /// The mutation of that strategy, where it tells.
        #[serde(skip_serializing_if = "Option::is_none")]
        mutation: Option<&'static str>,
        /// The seed that its chain began with.
        seed: String,
        /// Bytes of its text.
        bytes: usize,
        /// What the solvers did, those that were asked.
        runs: Vec<RunReport>,
        /// What each oracle said.
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
        /// Why: it cannot do the seed, lacks an operator, ran out of time earlier in this chain.
        why: String,
    },
    /// Something is wrong with a solver, and it happened again in a fresh process.
    Found {
        /// The case that shows it; none if a seed itself does.
        case: Option<CaseNumber>,
        /// Who made the case.
        strategy: &'static str,
        /// The seed of its chain.
        seed: String,
        /// What is wrong.
        finding: Finding,
        /// How often it has been seen now.
        count: u64,
        /// Whether the user has said that this is known.
        known: bool,
        /// Where it is kept.
        path: PathBuf,
    },
    /// Something looked wrong and did not happen again.
    Flaky {
        /// The case.
        case: Option<CaseNumber>,
        /// What looked wrong.
        finding: Finding,
    },
    /// Triage has come further: the triggers that it is done with, and the groups that it made of them.
    Grouped {
        /// Triggers.
        triggers: u64,
        /// Groups.
        groups: u64,
    },
    /// We are wrong ourselves: a strategy made an ill-sorted script, or something of ours panicked. It costs this case.
    OurBug {
        /// The case.
        case: CaseNumber,
        /// What happened.
        message: String,
    },
    /// A solver cannot be run any more, and is left out from here on.
    SolverLost {
        /// The solver.
        solver: String,
        /// Why.
        why: String,
    },
    /// What an agent has learnt by the end of the campaign, the most promising arm first.
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

/// What a solver did with a script, in short.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunReport {
    /// The solver, options included.
    pub solver: String,
    /// Options that were drawn for this run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// Its answers.
    #[serde(serialize_with = "words")]
    pub answers: Vec<Answer>,
    /// What was wrong with the run.
    pub trouble: Option<TroubleKind>,
    /// The line that shows it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub said: String,
    /// Commands of the script that it was not sent, because they name files or are options of another solver.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// CPU time.
    #[serde(rename = "cpu_seconds", serialize_with = "seconds")]
    pub cpu: Duration,
    /// The way that the solver took, where somebody wanted to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behaviour: Option<BehaviourReport>,
}

/// The way that a solver took, in short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BehaviourReport {
    /// What it is known by.
    pub rung: BehaviourSignal,
    /// Equal for two runs that took the same way.
    pub identity: Identity,
    /// Whether no run of the campaign took it before.
    pub new: bool,
    /// Whether there was a trace that could not be read.
    pub unreadable: bool,
}

/// What an agent knows of an arm: a strategy, and the theory of the seeds that it is given.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArmReport {
    /// The strategy.
    pub strategy: String,
    /// The theory; none if it is given all seeds.
    pub theory: Option<String>,
    /// Cases that it was chosen for.
    pub cases: u64,
    /// Cases that were learnt from; less, because the past fades.
    pub pulls: f64,
    /// How likely a case of it is to bring something new.
    pub mean: f64,
    /// The lower end of the interval in which that is with 95 percent.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// What an oracle said of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
    /// There is no seed that any of the solvers can do.
    NoSeed,
    /// What was found cannot be written any more: the disk is full or gone.
    Store(String),
}

fn words<S: Serializer>(answers: &[Answer], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(answers.iter().map(|answer| answer.name()))
}

fn seconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}
