//! The store: the records of a campaign.
//!
//! A case can be remade from its number, so the store only records that it is done. All changes since the last time are
//! recorded atomically as one [`Batch`], so that a campaign that is killed at any instant resumes exactly where it stopped.
//! The interface does not assume that the store is on this machine or that there is one worker: a batch adds to the records,
//! and findings are merged by fingerprint.
//!
//! `tests/store.rs` runs the same requirements on every back end.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::CaseNumber;
use crate::finding::{Evidence, Finding, FindingKind, Suspects};
use crate::run_limits::RunLimits;
use crate::solver::run::{Answer, Run};
use crate::solver::trace::Identity;
use crate::solver::version::Version;
use crate::tally::{CoverageTally, Tally};

mod error;
pub mod folder;
pub mod memory;
pub mod origin;
pub mod postgres;
pub mod sqlite;
pub mod transcript;
pub mod triage_folder;

pub use error::StoreError;

/// Sightings kept of each finding, those with the lowest case numbers; all are counted.
pub const MAX_SIGHTINGS_KEPT: usize = 1_000;
/// Samples kept; when there are more, every other one is deleted.
pub const MAX_SAMPLES_KEPT: usize = 2_000;
/// Scripts in the queue of a campaign, at most.
pub const MAX_QUEUED_SCRIPTS: usize = 64;

/// Keeps the records of a campaign.
pub trait Store: Send {
    /// Records a batch atomically: after an error, none of it is recorded.
    fn record(&mut self, batch: &Batch) -> Result<(), StoreError>;
    /// Writes the folder of a finding atomically, before the batch that names it; repeating it is harmless. Returns its path below
    /// the folder of the campaign.
    fn keep(&mut self, details: &FindingDetails) -> Result<PathBuf, StoreError>;
    /// The progress of the campaign.
    fn standing(&self) -> Result<StoredProgress, StoreError>;
    /// The findings, in the order in which they were first seen.
    fn findings(&self) -> Result<Vec<FindingRecord>, StoreError>;
    /// The cases in which a finding was seen, in order of number, up to a limit.
    fn sightings(&self, fingerprint: &str) -> Result<Vec<CaseNumber>, StoreError>;
    /// The samples of the counts, oldest first.
    fn samples(&self) -> Result<Vec<Sample>, StoreError>;
    /// The copy of a seed that was used, by the hash of its text.
    fn seed(&self, hash: &str) -> Result<Option<SeedRecord>, StoreError>;
    /// All seeds of the campaign in their order; empty before its first batch.
    fn roster(&self) -> Result<Vec<SeedEntry>, StoreError>;
    /// The start of a chain; `None` if it follows from the chain's number, or if the chain was not started.
    fn start(&self, chain: u64) -> Result<Option<StartRecord>, StoreError>;
    /// The lessons of the campaign from its runs.
    fn lessons(&self) -> Result<Lessons, StoreError>;
    /// The plan that the campaign started with, in TOML.
    fn plan(&self) -> Result<String, StoreError>;
    /// Tells a shared store that this process still works; called several times a second.
    fn keep_alive(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
    /// What other processes that work on the campaign have learnt.
    fn lessons_of_others(&self) -> Result<SharedLessons, StoreError> {
        Ok(SharedLessons::default())
    }
    /// Hands out the chains of a campaign that several processes work on; `None` if this process has the campaign for itself.
    fn leases(&self) -> Option<Box<dyn ChainLeases>> {
        None
    }
}

/// Hands out the chains of a campaign that several processes work on.
pub trait ChainLeases: Send {
    /// Takes up to `wanted` chains.
    fn take(&mut self, bounds: ChainBounds, wanted: usize) -> Result<LeaseOffer, StoreError>;
    /// The recorded starts of some chains that were taken.
    fn starts(&mut self, chains: &[u64]) -> Result<Vec<StartRecord>, StoreError>;
    /// The copy of a seed that was used, by the hash of its text.
    fn seed(&mut self, hash: &str) -> Result<Option<SeedRecord>, StoreError>;
    /// The number of the session that takes chains.
    fn session(&self) -> u64;
}

/// The cases of a campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainBounds {
    /// Cases of a chain.
    pub steps: u64,
    /// Cases from this number on are not run.
    pub limit: u64,
}

/// The answer to a worker that wants chains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseOffer {
    /// Chains that are this worker's from now on, from their next step.
    Chains(Vec<ChainRecord>),
    /// Other workers hold all chains that are left: one of them may vanish.
    Wait,
    /// No chain is left but those that this worker holds already.
    Done,
}

/// All changes since the last batch.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// The counts since the start of the campaign.
    pub tally: Tally,
    /// Chains that progressed or ended.
    pub chains: Vec<ChainRecord>,
    /// New findings and repeated ones, whose counts are added.
    pub findings: Vec<FindingRecord>,
    /// Which case showed which finding, by fingerprint.
    pub sightings: Vec<(CaseNumber, String)>,
    /// A sample of the counts, if one is due.
    pub sample: Option<Sample>,
    /// Seeds that were used for the first time.
    pub seeds: Vec<SeedRecord>,
    /// All seeds in their order; only in the first batch of a campaign.
    pub roster: Vec<SeedEntry>,
    /// Statuses that solvers gave to seeds that claim none; the first one of a seed is kept.
    pub statuses: Vec<StatusRecord>,
    /// Advice about seeds whose texts are recorded; the first advice about a seed is kept.
    pub advice: Vec<AdviceRecord>,
    /// The starts of chains.
    pub starts: Vec<StartRecord>,
    /// New behaviours of solvers.
    pub seen: Vec<Identity>,
    /// The weights of mutations, JSON; `None` if unused.
    pub weights: Option<String>,
    /// The state of the bandit, JSON; `None` if unused.
    pub schedule: Option<String>,
    /// Scripts that reached new code, if other processes may start chains from them.
    pub queued: Vec<QueueRecord>,
    /// The scripts of the queue that chains of this process started from, by the cases that made them.
    pub queue_uses: Vec<CaseNumber>,
}

impl Batch {
    /// Returns true if it holds records that are needed to remake cases.
    pub fn has_premises(&self) -> bool {
        let Batch { seeds, statuses, advice, starts, .. } = self;
        !(seeds.is_empty() && statuses.is_empty() && advice.is_empty() && starts.is_empty())
    }
}

/// The start of a chain, if it does not follow from the chain's number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartRecord {
    /// Its number.
    pub chain: u64,
    /// The index of its seed in the roster.
    pub seed: usize,
    /// The weights that mutations are drawn with, JSON; empty if uniform.
    pub weights: String,
    /// The strategies of its steps, if a bandit chose them; empty if they are drawn.
    pub strategies: Vec<String>,
    /// How many chains started with this seed before.
    pub visits: u64,
}

/// The lessons of the campaign from its runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lessons {
    /// The weights of mutations, JSON; empty if unused.
    pub weights: String,
    /// The state of the bandit, JSON; empty if unused.
    pub schedule: String,
    /// The behaviours of solvers that were seen.
    pub seen: Vec<Identity>,
    /// The starts of chains, in order.
    pub starts: Vec<StartRecord>,
}

/// What other processes that work on the campaign have learnt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SharedLessons {
    /// The states of their bandits, JSON each.
    pub schedules: Vec<String>,
    /// Their weights of mutations, JSON each, with the runs of each process alone.
    pub weights: Vec<String>,
    /// Behaviours of solvers that were seen since this was last read.
    pub seen: Vec<Identity>,
    /// The code of each solver that any process has reached.
    pub coverage: BTreeMap<String, CoverageTally>,
    /// The scripts that chains of all processes start from.
    pub queue: Vec<QueueRecord>,
}

/// A script that reached new code, in a queue that several processes share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueRecord {
    /// The case that made it.
    pub case: CaseNumber,
    /// The number of chains that started from it.
    pub chains: u64,
    /// The script and its seed, JSON.
    pub script: String,
}

/// The progress of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainRecord {
    /// Its number; in the store of a shard, its place among the chains of the shard.
    pub chain: u64,
    /// The next step; `None` if the chain has ended.
    pub next: Option<u64>,
    /// Solvers that are left out for the rest of the chain, with the reason.
    pub out: Vec<(String, String)>,
}

/// The progress of a campaign.
#[derive(Debug, Clone, Default)]
pub struct StoredProgress {
    /// The counts.
    pub tally: Tally,
    /// Chains below this number have ended; in the store of a shard, those below this place.
    pub ended_below: u64,
    /// Chains from that number on that were started or have ended.
    pub chains: Vec<ChainRecord>,
}

/// A finding and its number of sightings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingRecord {
    /// The fingerprint: equal for two sightings of one bug.
    pub fingerprint: String,
    /// The kind of bug.
    pub kind: FindingKind,
    /// The suspects.
    pub suspects: Suspects,
    /// The strength of the evidence.
    pub evidence: Evidence,
    /// The reason, in one line.
    pub explanation: String,
    /// The number of sightings; in a batch, since the last one.
    pub count: u64,
    /// The case that showed it first; `None` if a seed itself did.
    pub case: Option<CaseNumber>,
    /// The strategy of that case.
    pub strategy: String,
    /// The seed of its chain.
    pub seed: String,
    /// Seconds into the campaign when it was first seen.
    pub seconds: u64,
    /// Whether the user lists it as known.
    pub known: bool,
    /// Its folder, below that of the campaign.
    pub path: PathBuf,
}

impl FindingRecord {
    /// Adds another sighting of the same finding. The sighting with the lowest case number is kept as the first (a seed itself
    /// precedes all cases), so that the order of workers does not matter. The latest `known` overrides.
    pub fn merge(&mut self, other: &FindingRecord) {
        let (count, seconds) = (self.count + other.count, self.seconds.min(other.seconds));
        if (other.case, &other.seed) < (self.case, &self.seed) {
            *self = other.clone();
        }
        (self.count, self.seconds, self.known) = (count, seconds, other.known);
    }
}

/// The counts at one moment, for plots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema, Deserialize)]
pub struct Sample {
    /// Seconds into the campaign.
    pub seconds: f64,
    /// Cases until then.
    pub cases: u64,
    /// Distinct findings until then.
    pub findings: u64,
    /// CPU seconds of solvers.
    pub solver_cpu: f64,
    /// CPU seconds of gainsay itself.
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
    /// The advice about it, as JSON; empty if there is none.
    pub values: String,
}

/// Advice about a seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdviceRecord {
    /// The hash of the seed's text.
    pub hash: String,
    /// The advice, as JSON.
    pub values: String,
}

/// The status that solvers gave to a seed that claims none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusRecord {
    /// The index of the seed in the roster.
    pub seed: usize,
    /// Its status; `None` if the solvers time out, answer unknown or contradict each other.
    pub answer: Option<Answer>,
}

/// The status of a seed, as far as known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeedStatus {
    /// The seed claims it.
    Claimed(Answer),
    /// The seed claims none, and solvers were not asked.
    Unasked,
    /// The seed claims none, and solvers gave this answer, if any.
    Asked(Option<Answer>),
}

impl SeedStatus {
    /// The status of a seed with this claim, before solvers are asked.
    pub fn claimed(claim: Option<Answer>) -> SeedStatus {
        claim.map_or(SeedStatus::Unasked, SeedStatus::Claimed)
    }

    /// The status that the seed claims.
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

/// A seed in the roster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeedEntry {
    /// Its path as the user knows it.
    pub name: String,
    /// A hash of its text.
    pub hash: String,
    /// Its status, as far as known.
    pub status: SeedStatus,
    /// The names of the sorts of its variables; with the status, they decide which seeds can be fused.
    pub sorts: String,
    /// Whether it was used, so that its text is in the store; always false in a batch.
    pub used: bool,
}

/// The contents of a finding's folder: enough to reproduce it, and to remake its case.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingDetails {
    /// The finding.
    pub finding: Finding,
    /// The code base of the suspect, or those of all solvers that contradict each other.
    pub family: String,
    /// The case that shows it; `None` if a seed itself does.
    pub case: Option<CaseNumber>,
    /// The strategy that made the case.
    pub strategy: &'static str,
    /// The seed of its chain: name and hash.
    pub seed: (String, String),
    /// The seeds that were fused with it, in order.
    pub partners: Vec<(String, String)>,
    /// The model that the script was made to have, if it was checked.
    pub model: Option<String>,
    /// The random seed of the campaign.
    pub rng_seed: u64,
    /// What each step of the chain did.
    pub steps: Vec<String>,
    /// The limits of each run.
    pub limits: RunLimits,
    /// The script, in standard spelling.
    pub script: String,
    /// The runs of the solvers, each in a fresh process.
    pub runs: Vec<FindingRun>,
}

impl FindingDetails {
    /// The seeds that it was made from, for display: `a.smt2 with b.smt2`.
    pub fn parents(&self) -> String {
        let partners = self.partners.iter().map(|(name, _)| format!(" with {name}"));
        std::iter::once(self.seed.0.clone()).chain(partners).collect()
    }
}

/// One run of a finding.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingRun {
    /// The solver as the user named it, with options that were drawn for this case.
    pub solver: String,
    /// Its version, where known.
    pub version: Option<Version>,
    /// The command line, for display.
    pub command: String,
    /// The script as this solver got it.
    pub script: String,
    /// The result.
    pub run: Run,
}
