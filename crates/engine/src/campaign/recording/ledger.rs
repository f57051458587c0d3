//! The ledger counts events, tells the listener, and writes batches to the store.
//!
//! Events are counted and passed on at once; records go to the store in batches. A finding's folder is written before the batch
//! that names it, so that the store never names a missing folder.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::known_bugs::KnownBugs;
use super::own_cpu::OwnCpuUsage;
use crate::campaign::choosing::guide::Guide;
use crate::campaign::choosing::steering::Steering;
use crate::campaign::running::worker::WorkerReport;
use crate::campaign::shard::Shard;
use crate::event::{CaseNumber, Event};
use crate::finding::Finding;
use crate::session::coverage::PanelCoverage;
use crate::solver::trace::Identity;
use crate::store::folder::write_finding;
use crate::store::{Batch, ChainRecord, FindingDetails, FindingRecord, Sample, Store, StoreError};
use crate::tally::Tally;

/// The usual time between two batches.
pub const BATCH_INTERVAL: Duration = Duration::from_millis(100);

/// Chains whose next step is remembered: more than there are workers.
const MAX_CHAINS_REMEMBERED: usize = 4_096;
/// Recording may take one part in this many of a campaign's time: on a slow disk, batches are larger.
const RECORDING_TIME_DIVISOR: u32 = 100;

/// Time between two readings of what other processes have learnt.
const SHARED_LESSONS_INTERVAL: Duration = Duration::from_secs(20);

/// Time between two measurements of gainsay's own CPU time.
const CPU_POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The time between two samples, as a fraction of the campaign's time so far.
const SAMPLE_INTERVAL_FRACTION: f64 = 0.005;

/// Gets every event, with the counts after it.
pub type Listener<'a> = dyn FnMut(&Event, &Tally) + 'a;

/// The state of the coordinator.
pub struct Ledger<'a> {
    store: &'a mut dyn Store,
    listener: &'a mut Listener<'a>,
    known: &'a KnownBugs,
    guide: &'a Guide,
    steering: Option<&'a Steering>,
    coverage: &'a PanelCoverage,
    shard: Shard,
    tally: Tally,
    findings: BTreeMap<String, RecordedFinding>,
    batch: Batch,
    chains: BTreeMap<u64, ChainRecord>,
    /// The next step of the chains that were reported last; `None` if a chain has ended.
    next_steps: BTreeMap<u64, Option<u64>>,
    pending: BTreeMap<String, FindingRecord>,
    /// Findings that are not in the store yet, by fingerprint.
    unrecorded: BTreeMap<String, FindingDetails>,
    start: Instant,
    /// Seconds and CPU seconds of earlier sessions.
    before: (f64, f64),
    usage: OwnCpuUsage,
    looked: Instant,
    recorded: Instant,
    /// Whether other processes record to the store, too.
    is_shared: bool,
    /// When their lessons were last read.
    learnt: Instant,
    pause: Duration,
    /// The current time between two batches.
    wait: Duration,
    sampled: f64,
    dirty: bool,
}

/// A finding in the store.
struct RecordedFinding {
    count: u64,
    case: Option<CaseNumber>,
    /// The seed of that case, or the seed that shows it itself.
    seed: String,
    known: bool,
    path: PathBuf,
}

/// The parts of a campaign that learn from recorded events.
#[derive(Debug, Clone, Copy)]
pub struct EventObservers<'a> {
    /// Bugs that are known already.
    pub known: &'a KnownBugs,
    /// Learns from traces.
    pub guide: &'a Guide,
    /// Learns which chains pay off, if an agent schedules them.
    pub steering: Option<&'a Steering>,
    /// Knows the code that was reached.
    pub coverage: &'a PanelCoverage,
}

impl RecordedFinding {
    /// Returns true if this sighting precedes the recorded one. As in the store and in the folder of a finding, the one with the
    /// lowest case number is described, and of several seeds that show it themselves the first by name, whichever worker was first.
    fn is_after(&self, details: &FindingDetails) -> bool {
        (details.case, &details.parents()) < (self.case, &self.seed)
    }
}

impl<'a> Ledger<'a> {
    /// Resumes from the store.
    pub fn open(
        store: &'a mut dyn Store,
        listener: &'a mut Listener<'a>,
        observers: EventObservers<'a>,
        tally: Tally,
        pause: Duration,
    ) -> Result<Self, StoreError> {
        let EventObservers { known, guide, steering, coverage } = observers;
        let seen = |record: FindingRecord| {
            let FindingRecord { fingerprint, count, case, seed, known, path, .. } = record;
            (fingerprint, RecordedFinding { count, case, seed, known, path })
        };
        let findings = store.findings()?.into_iter().map(seen).collect();
        let sampled = store.samples()?.last().map_or(0.0, |sample| sample.seconds);
        let now = Instant::now();
        Ok(Ledger {
            is_shared: store.leases().is_some(),
            store,
            listener,
            known,
            guide,
            steering,
            coverage,
            shard: Shard::default(),
            before: (tally.seconds, tally.own_cpu),
            tally,
            findings,
            batch: Batch::default(),
            chains: BTreeMap::new(),
            next_steps: BTreeMap::new(),
            pending: BTreeMap::new(),
            unrecorded: BTreeMap::new(),
            start: now,
            usage: OwnCpuUsage::start(),
            looked: now,
            recorded: now,
            learnt: now,
            pause,
            wait: pause,
            sampled,
            dirty: false,
        })
    }

    /// Records the progress of chains by their places in a shard.
    #[must_use]
    pub fn in_shard(self, shard: Shard) -> Self {
        Ledger { shard, ..self }
    }

    /// The counts.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Distinct findings that are not known.
    pub fn fresh_findings(&self) -> u64 {
        self.findings.values().filter(|seen| !seen.known).count() as u64
    }

    /// Counts an event and tells the listener.
    pub fn tell(&mut self, event: &Event) {
        self.look_at_the_clock();
        self.tally.count(event);
        (self.listener)(event, &self.tally);
    }

    /// Counts and records the report of a worker.
    pub fn take(&mut self, report: WorkerReport) -> Result<(), StoreError> {
        // The folder of a finding says how to remake its case, so the records that the case depends on must be written first.
        if !report.sightings.is_empty() && self.batch.has_premises() {
            self.record()?;
        }
        self.dirty = true;
        self.steering.iter().for_each(|steering| steering.told(&report, self.known));
        self.batch.starts.extend(report.start);
        self.batch.statuses.extend(report.status);
        self.batch.advice.extend(report.advice);
        for event in &report.events {
            self.tell(event);
            self.guide.told(event);
            self.batch.seen.extend(new_ways(event));
        }
        self.hold(&report.sightings);
        for details in report.sightings {
            self.sight(&details)?;
        }
        if let Some(record) = report.chain {
            self.next_steps.insert(record.chain, record.next);
            if self.next_steps.len() > MAX_CHAINS_REMEMBERED {
                self.next_steps.pop_first();
            }
            self.chains.insert(record.chain, record);
        }
        self.batch.seeds.extend(report.seed);
        if self.recorded.elapsed() >= self.wait { self.record() } else { Ok(()) }
    }

    /// The next step of a chain by its last report, `Some(None)` if it has ended; `None` if it was not reported lately.
    pub fn next_step(&self, chain: u64) -> Option<Option<u64>> {
        self.next_steps.get(&chain).copied()
    }

    /// Adds the list of seeds to the first batch of a campaign.
    pub fn enrol(&mut self, roster: Vec<crate::store::SeedEntry>) {
        self.batch.roster = roster;
        self.dirty = true;
    }

    /// Writes the pending batch to the store.
    pub fn record(&mut self) -> Result<(), StoreError> {
        self.recorded = Instant::now();
        // The time is updated even without reports: a solver may run longer than the campaign's budget.
        self.look_at_the_clock();
        if !self.dirty {
            return self.store.keep_alive();
        }
        for event in self.coverage.growth() {
            self.tell(&event);
        }
        let mut batch = std::mem::take(&mut self.batch);
        batch.tally = self.tally.clone();
        let placed = |record: ChainRecord| ChainRecord { chain: self.shard.place_of(record.chain), ..record };
        batch.chains = std::mem::take(&mut self.chains).into_values().map(placed).collect();
        batch.findings = std::mem::take(&mut self.pending).into_values().collect();
        batch.sample = self.sample();
        batch.weights = self.guide.weights();
        self.steering.iter().for_each(|steering| steering.record(&mut batch));
        self.dirty = false;
        let recorded = self.store.record(&batch);
        self.wait = self.pause.max(self.recorded.elapsed() * RECORDING_TIME_DIVISOR).min(self.pause * 10);
        self.recorded = Instant::now();
        recorded?;
        self.unrecorded.clear();
        self.learn_from_others()
    }

    /// Now and then, learns from what other processes have learnt, if anything here learns.
    fn learn_from_others(&mut self) -> Result<(), StoreError> {
        let learns = self.steering.is_some() || self.guide.leads() || self.coverage.is_measured();
        if !self.is_shared || !learns || self.learnt.elapsed() < SHARED_LESSONS_INTERVAL {
            return Ok(());
        }
        self.learnt = Instant::now();
        let others = self.store.lessons_of_others()?;
        self.steering.iter().for_each(|steering| steering.learn_from(&others));
        self.guide.learn_from(&others);
        self.coverage.learn_from(&others.coverage);
        Ok(())
    }

    /// Writes findings that the store did not take to the first of these folders that can be written, those of `waiting` reports, too.
    /// Returns their number and the folder; the error is the number of findings that could not be written anywhere.
    pub fn rescue(
        &mut self,
        waiting: &[FindingDetails],
        folders: &[PathBuf],
    ) -> Option<Result<(usize, PathBuf), usize>> {
        self.hold(waiting);
        let unwritten: Vec<&FindingDetails> = self.unrecorded.values().collect();
        let write =
            |folder: &&PathBuf| unwritten.iter().all(|details| write_finding(folder, details).is_ok());
        let written = folders.iter().find(write);
        let count = unwritten.len();
        (count > 0).then(|| written.map(|folder| (count, folder.clone())).ok_or(count))
    }

    /// Holds findings until they are recorded.
    fn hold(&mut self, unwritten: &[FindingDetails]) {
        for details in unwritten {
            let fingerprint = details.finding.fingerprint.to_string();
            let is_first = self.findings.get(&fingerprint).is_none_or(|seen| seen.is_after(details));
            if is_first {
                self.unrecorded.insert(fingerprint, details.clone());
            }
        }
    }

    fn sight(&mut self, details: &FindingDetails) -> Result<(), StoreError> {
        let known_as = self.known.find(&details.finding.fingerprint, &details.script);
        let known = known_as.is_some();
        // A known bug is recorded apart from new ones of its kind and logic.
        let renamed =
            known_as.filter(|known_as| *known_as != details.finding.fingerprint).map(|fingerprint| {
                let finding = Finding { fingerprint, ..details.finding.clone() };
                FindingDetails { finding, ..details.clone() }
            });
        let details = renamed.as_ref().unwrap_or(details);
        let fingerprint = &*details.finding.fingerprint.to_string();
        let earlier = self.findings.get(fingerprint);
        let is_first = earlier.is_none_or(|seen| seen.is_after(details));
        let path = match earlier {
            Some(seen) if !is_first => seen.path.clone(),
            _ => self.store.keep(details)?,
        };
        let seen = self.findings.entry(fingerprint.to_owned()).or_insert_with(|| RecordedFinding {
            count: 0,
            case: details.case,
            seed: details.parents(),
            known,
            path: path.clone(),
        });
        seen.count += 1;
        seen.known = known;
        if is_first {
            (seen.case, seen.seed, seen.path) = (details.case, details.parents(), path.clone());
        }
        let count = seen.count;
        self.pend(details, known, path.clone());
        self.tell(&Event::Found {
            case: details.case,
            strategy: details.strategy,
            seed: details.parents(),
            finding: details.finding.clone(),
            count,
            known,
            path,
        });
        Ok(())
    }

    /// Adds a sighting to the next batch; of several sightings, the one with the lowest case number is described.
    fn pend(&mut self, details: &FindingDetails, known: bool, path: PathBuf) {
        let finding = &details.finding;
        let fingerprint = finding.fingerprint.to_string();
        self.batch.sightings.extend(details.case.map(|case| (case, fingerprint.clone())));
        let record = FindingRecord {
            fingerprint: fingerprint.clone(),
            kind: finding.kind,
            suspects: finding.suspects.clone(),
            evidence: finding.evidence,
            explanation: finding.explanation.clone(),
            count: 1,
            case: details.case,
            strategy: details.strategy.to_owned(),
            seed: details.parents(),
            seconds: self.tally.seconds as u64,
            known,
            path,
        };
        let count = self.pending.get(&fingerprint).map_or(0, |earlier| earlier.count);
        match self.pending.get_mut(&fingerprint) {
            Some(earlier) if (earlier.case, &earlier.seed) <= (record.case, &record.seed) => {
                earlier.count += 1;
            }
            _ => {
                self.pending.insert(fingerprint, FindingRecord { count: count + 1, ..record });
            }
        }
    }

    fn look_at_the_clock(&mut self) {
        self.tally.seconds = self.before.0 + self.start.elapsed().as_secs_f64();
        if self.looked.elapsed() >= CPU_POLL_INTERVAL || self.tally.own_cpu == self.before.1 {
            self.looked = Instant::now();
            self.tally.own_cpu = self.before.1 + self.usage.since_start().as_secs_f64();
        }
    }

    /// Takes a sample of the counts: every second at first, and less often the longer the campaign runs.
    fn sample(&mut self) -> Option<Sample> {
        let seconds = self.tally.seconds;
        if seconds < self.sampled + (seconds * SAMPLE_INTERVAL_FRACTION).max(1.0) {
            return None;
        }
        self.sampled = seconds;
        Some(Sample {
            seconds,
            cases: self.tally.cases,
            findings: self.findings.len() as u64,
            solver_cpu: self.tally.solver_cpu(),
            own_cpu: self.tally.own_cpu,
        })
    }
}

/// The new behaviours of solvers in an event.
fn new_ways(event: &Event) -> impl Iterator<Item = Identity> {
    let runs = match event {
        Event::Case { runs, .. } | Event::Probed { runs, .. } => runs.as_slice(),
        _ => &[],
    };
    runs.iter().filter_map(|run| run.behaviour).filter(|way| way.new).map(|way| way.identity)
}
