//! A store in memory, for tests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::{
    AdviceRecord, Batch, ChainRecord, FindingDetails, FindingRecord, Lessons, MAX_SAMPLES_KEPT,
    MAX_SIGHTINGS_KEPT, Sample, SeedEntry, SeedRecord, SeedStatus, StartRecord, StatusRecord, Store,
    StoreError, StoredProgress,
};
use crate::event::CaseNumber;
use crate::solver::trace::Identity;
use crate::tally::Tally;

/// Keeps the records of a campaign in memory.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore {
    plan: String,
    tally: Tally,
    ended_below: u64,
    chains: BTreeMap<u64, ChainRecord>,
    findings: BTreeMap<String, FindingRecord>,
    sightings: BTreeMap<String, BTreeSet<CaseNumber>>,
    samples: Vec<Sample>,
    seeds: BTreeMap<String, SeedRecord>,
    roster: Vec<SeedEntry>,
    starts: BTreeMap<u64, StartRecord>,
    seen: BTreeSet<Identity>,
    weights: String,
    schedule: String,
    /// The folders of findings, by path.
    pub details: BTreeMap<PathBuf, FindingDetails>,
}

impl MemoryStore {
    /// The store of a new campaign.
    pub fn new(plan: &str) -> Self {
        MemoryStore { plan: plan.to_owned(), ..MemoryStore::default() }
    }

    fn write_chain(&mut self, record: &ChainRecord) {
        let has_ended = |known: &ChainRecord| known.next.is_none();
        if record.chain >= self.ended_below && !self.chains.get(&record.chain).is_some_and(has_ended) {
            self.chains.insert(record.chain, record.clone());
        }
    }

    fn fold_chains(&mut self) {
        while self.chains.get(&self.ended_below).is_some_and(|record| record.next.is_none()) {
            self.chains.remove(&self.ended_below);
            self.ended_below += 1;
        }
    }

    fn write_finding(&mut self, record: &FindingRecord) {
        match self.findings.get_mut(&record.fingerprint) {
            Some(known) => known.merge(record),
            None => drop(self.findings.insert(record.fingerprint.clone(), record.clone())),
        }
    }

    fn write_sighting(&mut self, case: CaseNumber, fingerprint: &str) {
        if self.findings.contains_key(fingerprint) {
            let cases = self.sightings.entry(fingerprint.to_owned()).or_default();
            cases.insert(case);
            if cases.len() > MAX_SIGHTINGS_KEPT {
                cases.pop_last();
            }
        }
    }

    fn write_status(&mut self, StatusRecord { seed, answer }: &StatusRecord) {
        if let Some(entry) = self.roster.get_mut(*seed).filter(|entry| entry.status == SeedStatus::Unasked) {
            entry.status = SeedStatus::Asked(*answer);
        }
    }

    fn write_advice(&mut self, AdviceRecord { hash, values }: &AdviceRecord) {
        if let Some(seed) = self.seeds.get_mut(hash).filter(|seed| seed.values.is_empty()) {
            seed.values.clone_from(values);
        }
    }

    fn write_sample(&mut self, sample: Sample) {
        self.samples.push(sample);
        if self.samples.len() > MAX_SAMPLES_KEPT {
            let mut place = 0;
            self.samples.retain(|_| {
                place += 1;
                place % 2 == 1
            });
        }
    }
}

impl Store for MemoryStore {
    fn record(&mut self, batch: &Batch) -> Result<(), StoreError> {
        self.tally = batch.tally.clone();
        batch.chains.iter().for_each(|record| self.write_chain(record));
        self.fold_chains();
        batch.findings.iter().for_each(|record| self.write_finding(record));
        batch.sightings.iter().for_each(|(case, fingerprint)| self.write_sighting(*case, fingerprint));
        batch.sample.into_iter().for_each(|sample| self.write_sample(sample));
        for seed in &batch.seeds {
            self.seeds.entry(seed.hash.clone()).or_insert_with(|| seed.clone());
        }
        if self.roster.is_empty() {
            self.roster.clone_from(&batch.roster);
        }
        batch.statuses.iter().for_each(|record| self.write_status(record));
        batch.advice.iter().for_each(|record| self.write_advice(record));
        for start in &batch.starts {
            self.starts.entry(start.chain).or_insert_with(|| start.clone());
        }
        self.seen.extend(&batch.seen);
        if let Some(weights) = &batch.weights {
            self.weights.clone_from(weights);
        }
        if let Some(schedule) = &batch.schedule {
            self.schedule.clone_from(schedule);
        }
        Ok(())
    }

    fn keep(&mut self, details: &FindingDetails) -> Result<PathBuf, StoreError> {
        let path = PathBuf::from("findings").join(details.finding.fingerprint.to_string().replace('/', "-"));
        self.details.insert(path.clone(), details.clone());
        Ok(path)
    }

    fn standing(&self) -> Result<StoredProgress, StoreError> {
        let chains = self.chains.values().cloned().collect();
        Ok(StoredProgress { tally: self.tally.clone(), ended_below: self.ended_below, chains })
    }

    fn findings(&self) -> Result<Vec<FindingRecord>, StoreError> {
        let mut findings: Vec<FindingRecord> = self.findings.values().cloned().collect();
        findings.sort_by_key(|finding| (finding.seconds, finding.case));
        Ok(findings)
    }

    fn sightings(&self, fingerprint: &str) -> Result<Vec<CaseNumber>, StoreError> {
        Ok(self.sightings.get(fingerprint).into_iter().flatten().copied().collect())
    }

    fn samples(&self) -> Result<Vec<Sample>, StoreError> {
        Ok(self.samples.clone())
    }

    fn seed(&self, hash: &str) -> Result<Option<SeedRecord>, StoreError> {
        Ok(self.seeds.get(hash).cloned())
    }

    fn roster(&self) -> Result<Vec<SeedEntry>, StoreError> {
        let used = |entry: &SeedEntry| self.seeds.contains_key(&entry.hash);
        Ok(self.roster.iter().map(|entry| SeedEntry { used: used(entry), ..entry.clone() }).collect())
    }

    fn start(&self, chain: u64) -> Result<Option<StartRecord>, StoreError> {
        Ok(self.starts.get(&chain).cloned())
    }

    fn lessons(&self) -> Result<Lessons, StoreError> {
        let starts = self.starts.values().cloned().collect();
        let seen = self.seen.iter().copied().collect();
        Ok(Lessons { weights: self.weights.clone(), schedule: self.schedule.clone(), seen, starts })
    }

    fn plan(&self) -> Result<String, StoreError> {
        Ok(self.plan.clone())
    }
}
