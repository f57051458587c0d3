//! The store: what a campaign must not forget.
//!
//! A case can be made again from its number, so little is kept of it: that it is done. What happened since the last time
//! is recorded as one [`Batch`], all of it or nothing, so that a campaign that is killed at any instant knows exactly
//! what it had done. Nothing here assumes that the store is on this machine or that there is one worker: a batch adds to
//! what is there, and findings are merged by fingerprint.
//!
//! `tests/store.rs` holds the requirements for every back end and runs all of them on each.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::event::CaseNumber;
use crate::finding::{Evidence, Finding, FindingKind, Suspects};
use crate::run_limits::RunLimits;
use crate::solver::run::{Answer, Run};
use crate::solver::trace::Identity;
use crate::solver::version::Version;
use crate::tally::Tally;

pub mod folder;
pub mod memory;
pub mod origin;
pub mod sqlite;
pub mod transcript;

/// Sightings that are kept of one finding, those with the lowest numbers; its count goes on.
pub const MAX_SIGHTINGS_KEPT: usize = 1_000;
/// Samples that are kept; when there are more, every other one goes.
pub const MAX_SAMPLES_KEPT: usize = 2_000;

/// Keeps the records of a campaign.
pub trait Store: Send {
    /// Records what happened since the last batch; all of it or, after an error, nothing.
    fn record(&mut self, batch: &Batch) -> Result<(), StoreError>;
    /// Writes the folder of a finding, whole or not at all, before the batch that names it; doing it again is harmless.
    /// Gives its path below the folder of the campaign.
    fn keep(&mut self, exhibit: &Exhibit) -> Result<PathBuf, StoreError>;
    /// Where the campaign stands.
    fn standing(&self) -> Result<StoredProgress, StoreError>;
    /// The findings, the first seen first.
    fn findings(&self) -> Result<Vec<FindingRecord>, StoreError>;
    /// The cases in which a finding was seen, in order of number, bounded.
    fn sightings(&self, fingerprint: &str) -> Result<Vec<CaseNumber>, StoreError>;
    /// How the counts grew, oldest first.
    fn samples(&self) -> Result<Vec<Sample>, StoreError>;
    /// The text of a seed that was used, by its hash.
    fn seed(&self, hash: &str) -> Result<Option<SeedRecord>, StoreError>;
    /// The seeds of the campaign in their order, used or not; nothing before its first batch.
    fn roster(&self) -> Result<Vec<SeedEntry>, StoreError>;
    /// What a chain was begun with; nothing if that follows from its number, or if it was not begun.
    fn start(&self, chain: u64) -> Result<Option<StartRecord>, StoreError>;
    /// What was learnt from runs.
    fn lessons(&self) -> Result<Lessons, StoreError>;
    /// The plan of the campaign as it was first given, in TOML.
    fn plan(&self) -> Result<String, StoreError>;
}

/// What happened since the last batch.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// The counts, from the start of the campaign.
    pub tally: Tally,
    /// Chains that went on or ended.
    pub chains: Vec<ChainRecord>,
    /// Findings that are new, or were seen again: counts are added.
    pub findings: Vec<FindingRecord>,
    /// Which case showed which finding, by fingerprint.
    pub sightings: Vec<(CaseNumber, String)>,
    /// A point for the plots, where it is time for one.
    pub sample: Option<Sample>,
    /// Seeds that were used for the first time.
    pub seeds: Vec<SeedRecord>,
    /// All seeds in their order; in the first batch of a campaign, and in no other.
    pub roster: Vec<SeedEntry>,
    /// What solvers said of seeds that claim no status; the first answer about a seed stays.
    pub statuses: Vec<StatusRecord>,
    /// What a helper said about seeds whose texts are recorded; the first advice about a seed stays.
    pub advice: Vec<AdviceRecord>,
    /// What chains were begun with.
    pub starts: Vec<StartRecord>,
    /// Ways of solvers that are new.
    pub seen: Vec<Identity>,
    /// What is known of mutations, JSON; nothing if nobody will ask.
    pub weights: Option<String>,
    /// What is known of arms, JSON; nothing if nobody will ask.
    pub schedule: Option<String>,
}

impl Batch {
    /// Returns true if it holds what cases are made again from.
    pub fn has_premises(&self) -> bool {
        let Batch { seeds, statuses, advice, starts, .. } = self;
        !(seeds.is_empty() && statuses.is_empty() && advice.is_empty() && starts.is_empty())
    }
}

/// What a chain was begun with, where that does not follow from its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartRecord {
    /// Its number.
    pub chain: u64,
    /// The place of its seed in the roster.
    pub seed: usize,
    /// What mutations were drawn by, JSON; empty if all are alike.
    pub weights: String,
    /// The strategies of its steps, if an agent chose them; none if they are drawn.
    pub strategies: Vec<String>,
    /// How often the same was begun with this seed before.
    pub visits: u64,
}

/// What was learnt from runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lessons {
    /// What is known of mutations, JSON; empty if nothing is.
    pub weights: String,
    /// What is known of arms, JSON; empty if nothing is.
    pub schedule: String,
    /// The ways that solvers took.
    pub seen: Vec<Identity>,
    /// What chains were begun with, in order.
    pub starts: Vec<StartRecord>,
}

/// How far a chain is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainRecord {
    /// Its number.
    pub chain: u64,
    /// The step that comes next; none if it has ended.
    pub next: Option<u64>,
    /// Solvers that are out for the rest of it, with the reason.
    pub out: Vec<(String, String)>,
}

/// Where a campaign stands.
#[derive(Debug, Clone, Default)]
pub struct StoredProgress {
    /// The counts.
    pub tally: Tally,
    /// Chains below this number have ended.
    pub ended_below: u64,
    /// Chains from there on that ended or were begun.
    pub chains: Vec<ChainRecord>,
}

/// A finding and how often it was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingRecord {
    /// Equal for two sightings of one bug.
    pub fingerprint: String,
    /// What is wrong.
    pub kind: FindingKind,
    /// Who is at fault.
    pub suspects: Suspects,
    /// How sure we are.
    pub evidence: Evidence,
    /// The reason, in one line.
    pub explanation: String,
    /// How often it was seen; in a batch, how often since the last one.
    pub count: u64,
    /// The case that showed it first; none if a seed itself did.
    pub case: Option<CaseNumber>,
    /// Who made that case.
    pub strategy: String,
    /// The seed of its chain.
    pub seed: String,
    /// Seconds into the campaign when it was first seen.
    pub seconds: u64,
    /// Whether the user has said that this is known.
    pub known: bool,
    /// Its folder, below that of the campaign.
    pub path: PathBuf,
}

impl FindingRecord {
    /// Adds another sighting of the same finding. The one with the lowest number is kept as the first (a seed itself comes
    /// before any), so that the order of workers does not matter; what the user said last of being known counts.
    pub fn merge(&mut self, other: &FindingRecord) {
        let (count, seconds) = (self.count + other.count, self.seconds.min(other.seconds));
        if (other.case, &other.seed) < (self.case, &self.seed) {
            *self = other.clone();
        }
        (self.count, self.seconds, self.known) = (count, seconds, other.known);
    }
}

/// The counts at one moment, for plots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Seconds into the campaign.
    pub seconds: f64,
    /// Cases until then.
    pub cases: u64,
    /// Distinct findings until then.
    pub findings: u64,
    /// CPU seconds of solvers.
    pub solver_cpu: f64,
    /// CPU seconds of ours.
    pub own_cpu: f64,
}

/// A seed as it was when it was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeedRecord {
    /// Its path as the user knows it.
    pub name: String,
    /// A hash of its text.
    pub hash: String,
    /// Its text.
    pub text: String,
    /// What a helper said about it, as JSON; empty if none was asked.
    pub values: String,
}

/// What a helper said about a seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdviceRecord {
    /// The hash of the seed's text.
    pub hash: String,
    /// What it said, as JSON.
    pub values: String,
}

/// What solvers said of a seed that claims no status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusRecord {
    /// The place of the seed in the roster.
    pub seed: usize,
    /// Its status; `None` if they time out, do not know or contradict each other.
    pub answer: Option<Answer>,
}

/// What a campaign knows of the status of a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeedStatus {
    /// The seed claims it.
    Claimed(Answer),
    /// The seed claims none, and solvers were not asked.
    Unasked,
    /// The seed claims none, and this is what solvers said; `None` if they do not tell.
    Asked(Option<Answer>),
}

impl SeedStatus {
    /// Of a seed that claims this, before anybody is asked.
    pub fn claimed(claim: Option<Answer>) -> SeedStatus {
        claim.map_or(SeedStatus::Unasked, SeedStatus::Claimed)
    }

    /// What the seed claims.
    pub fn claim(self) -> Option<Answer> {
        match self {
            SeedStatus::Claimed(claim) => Some(claim),
            SeedStatus::Unasked | SeedStatus::Asked(_) => None,
        }
    }

    /// The status, where known.
    pub fn answer(self) -> Option<Answer> {
        match self {
            SeedStatus::Claimed(answer) => Some(answer),
            SeedStatus::Unasked => None,
            SeedStatus::Asked(answer) => answer,
        }
    }
}

/// A seed in the list that chains draw on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeedEntry {
    /// Its path as the user knows it.
    pub name: String,
    /// A hash of its text.
    pub hash: String,
    /// What is known of its status.
    pub status: SeedStatus,
    /// The names of the sorts of its variables: with the status, they decide which seeds may be joined.
    pub sorts: String,
    /// Whether it was used, so that its text is in the store; in a batch, no.
    pub used: bool,
}

/// What the folder of a finding holds: enough to see it, and to make it again.
#[derive(Debug, Clone, PartialEq)]
pub struct Exhibit {
    /// What is wrong.
    pub finding: Finding,
    /// The code base of the suspect, or of all who contradict each other.
    pub family: String,
    /// The case that shows it; none if a seed itself does.
    pub case: Option<CaseNumber>,
    /// Who made it.
    pub strategy: &'static str,
    /// The seed of its chain: name and hash.
    pub seed: (String, String),
    /// The seeds that were joined with it, in order.
    pub partners: Vec<(String, String)>,
    /// The model that the script was made to have, where that was checked.
    pub model: Option<String>,
    /// The number that all random choices follow from.
    pub rng_seed: u64,
    /// What each step of the chain did.
    pub steps: Vec<String>,
    /// What each run was allowed.
    pub limits: RunLimits,
    /// The script, in standard spelling.
    pub script: String,
    /// What the solvers did with it, each in a fresh process.
    pub runs: Vec<ExhibitRun>,
}

impl Exhibit {
    /// The seeds that it was made of, for people: `a.smt2 with b.smt2`.
    pub fn parents(&self) -> String {
        let partners = self.partners.iter().map(|(name, _)| format!(" with {name}"));
        std::iter::once(self.seed.0.clone()).chain(partners).collect()
    }
}

/// One run of a finding.
#[derive(Debug, Clone, PartialEq)]
pub struct ExhibitRun {
    /// The solver as the user named it, with options that were drawn for this case.
    pub solver: String,
    /// Its version, where known.
    pub version: Option<Version>,
    /// The command line that was run, as text for people.
    pub command: String,
    /// The script as this solver got it.
    pub script: String,
    /// What came back.
    pub run: Run,
}

/// The store failed us.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder holds a campaign already.
    #[error("{0} holds a campaign already: go on with it by --resume, or choose another --out")]
    Exists(PathBuf),
    /// The folder holds no campaign.
    #[error("{0} holds no campaign: `gainsay fuzz --out` makes one")]
    Missing(PathBuf),
    /// The store is not what we wrote.
    #[error(
        "the store of {folder} is damaged ({why}); it was left as it is, and so was what is in {folder}/findings: \
         put a copy of it back, or begin anew with `gainsay fuzz {folder}/campaign.toml --out OTHER`"
    )]
    Damaged {
        /// The folder of the campaign.
        folder: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Made by another version of gainsay, in a format that this one does not know.
    #[error("the store of {folder} has format {found}, and this gainsay knows format {known}")]
    Format {
        /// The folder of the campaign.
        folder: PathBuf,
        /// The format found.
        found: u32,
        /// The format known.
        known: u32,
    },
    /// Another gainsay works in the folder.
    #[error("another gainsay is at work in {0}")]
    Busy(PathBuf),
    /// The records cannot be made or read: not ours, not a folder, no room.
    #[error("cannot open the records of a campaign in {folder}: {why}")]
    Open {
        /// The folder of the campaign.
        folder: PathBuf,
        /// What the system says.
        why: String,
    },
    /// The disk is full, or not ours to write.
    #[error(
        "cannot keep the records of the campaign in {folder}: {why}; what was recorded until then is intact, \
         and --resume goes on from there"
    )]
    Disk {
        /// The folder of the campaign.
        folder: PathBuf,
        /// What the system says.
        why: String,
    },
}
