//! Computes the records of the joined campaign, and writes them to its store.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::MergeError;
use super::parts::CampaignPart;
use super::samples::joined_samples;
use crate::campaign::steering::joined_schedule;
use crate::campaign::steering::kept::QueuedScript;
use crate::event::CaseNumber;
use crate::solver::trace::Identity;
use crate::store::{
    Batch, ChainRecord, FindingRecord, Sample, SeedEntry, SeedRecord, SeedStatus, SharedLessons, StartRecord,
    StatusRecord, Store, StoreError,
};
use crate::strategy::mutation_weights::MutationWeights;
use crate::tally::Tally;

/// Records of one kind in a batch.
const RECORDS_PER_BATCH: usize = 10_000;
/// Texts of seeds in a batch.
const SEEDS_PER_BATCH: usize = 64;

/// The records of the joined campaign.
pub struct JoinedRecords {
    tally: Tally,
    chains: Vec<ChainRecord>,
    /// Each with the index of the part whose folder is kept.
    findings: BTreeMap<String, (usize, FindingRecord)>,
    samples: Vec<Sample>,
    roster: Vec<SeedEntry>,
    statuses: Vec<StatusRecord>,
    starts: Vec<StartRecord>,
    seen: BTreeSet<Identity>,
    schedule: Option<String>,
    weights: Option<String>,
}

impl JoinedRecords {
    /// Reads the records of all parts.
    pub fn read(parts: &[CampaignPart]) -> Result<JoinedRecords, StoreError> {
        let mut tally = Tally::default();
        parts.iter().for_each(|part| tally.add(&part.progress.tally));
        let mut chains: Vec<ChainRecord> = parts.iter().flat_map(CampaignPart::chains).collect();
        chains.sort_by_key(|record| record.chain);
        let findings = findings(parts)?;
        let found: Vec<FindingRecord> = findings.values().map(|(_, record)| record.clone()).collect();
        let samples =
            parts.iter().map(|part| part.store.records().samples()).collect::<Result<Vec<_>, _>>()?;
        let (roster, statuses) = roster(parts)?;
        let (mut starts, mut seen, mut learnt) = (Vec::new(), BTreeSet::new(), SharedLessons::default());
        let mut counted = 0;
        for part in parts {
            let lessons = part.store.records().lessons()?;
            starts.extend(lessons.starts);
            counted += lessons.seen.len();
            seen.extend(lessons.seen);
            let workers = part.store.records().lessons_of_others()?;
            learnt.schedules.extend(std::iter::once(lessons.schedule).chain(workers.schedules));
            learnt.weights.extend(std::iter::once(lessons.weights).chain(workers.weights));
            learnt.queue.extend(workers.queue);
        }
        // A behaviour that several parts saw was new in each of them.
        tally.traces.unique = tally.traces.unique.saturating_sub((counted - seen.len()) as u64);
        let (schedule, weights) = (schedule(&learnt, &chains), weights(&learnt.weights));
        let samples = joined_samples(&samples, &found);
        Ok(JoinedRecords {
            tally,
            chains,
            findings,
            samples,
            roster,
            statuses,
            starts,
            seen,
            schedule,
            weights,
        })
    }

    /// Cases that were made, skipped ones included.
    pub fn made_cases(&self) -> u64 {
        self.tally.cases + self.tally.skipped_in_all() + self.tally.our_bugs
    }

    /// Writes the records to the store in `folder`, which will be renamed to `named`, and copies the folders of findings.
    pub fn write(
        mut self,
        parts: &[CampaignPart],
        store: &mut dyn Store,
        (folder, named): (&Path, &Path),
    ) -> Result<(), MergeError> {
        let tally = std::mem::take(&mut self.tally);
        let batch = || Batch { tally: tally.clone(), ..Batch::default() };
        let roster = std::mem::take(&mut self.roster);
        store.record(&Batch { roster: roster.clone(), ..batch() })?;
        for hashes in used_hashes(&roster).chunks(SEEDS_PER_BATCH) {
            let seeds = hashes.iter().map(|hash| seed(parts, hash)).collect::<Result<Vec<_>, _>>()?;
            store.record(&Batch { seeds: seeds.into_iter().flatten().collect(), ..batch() })?;
        }
        for start in &self.starts {
            let kept = seed(parts, &QueuedScript::key(start.chain))?;
            if kept.is_some() {
                store.record(&Batch { seeds: kept.into_iter().collect(), ..batch() })?;
            }
        }
        store.record(&Batch {
            statuses: self.statuses,
            seen: self.seen.into_iter().collect(),
            schedule: self.schedule,
            weights: self.weights,
            ..batch()
        })?;
        for chains in self.chains.chunks(RECORDS_PER_BATCH) {
            store.record(&Batch { chains: chains.to_vec(), ..batch() })?;
        }
        for starts in self.starts.chunks(RECORDS_PER_BATCH) {
            store.record(&Batch { starts: starts.to_vec(), ..batch() })?;
        }
        for (fingerprint, (part, mut record)) in self.findings {
            record.path = parts[part].copy_finding(&record, (folder, named))?;
            let cases = sightings(parts, &fingerprint)?;
            let sightings = cases.into_iter().map(|case| (case, fingerprint.clone())).collect();
            store.record(&Batch { findings: vec![record], sightings, ..batch() })?;
        }
        for sample in self.samples {
            store.record(&Batch { sample: Some(sample), ..batch() })?;
        }
        Ok(())
    }
}

/// The findings of all parts by fingerprint; the part with the lowest case number describes a finding.
fn findings(parts: &[CampaignPart]) -> Result<BTreeMap<String, (usize, FindingRecord)>, StoreError> {
    let mut joined: BTreeMap<String, (usize, FindingRecord)> = BTreeMap::new();
    for (number, part) in parts.iter().enumerate() {
        for record in part.store.records().findings()? {
            match joined.get_mut(&record.fingerprint) {
                None => drop(joined.insert(record.fingerprint.clone(), (number, record))),
                Some((owner, known)) => {
                    if (record.case, &record.seed) < (known.case, &known.seed) {
                        *owner = number;
                    }
                    known.merge(&record);
                }
            }
        }
    }
    Ok(joined)
}

fn sightings(parts: &[CampaignPart], fingerprint: &str) -> Result<BTreeSet<CaseNumber>, StoreError> {
    let mut cases = BTreeSet::new();
    for part in parts {
        cases.extend(part.store.records().sightings(fingerprint)?);
    }
    Ok(cases)
}

/// The list of seeds, marked as used if any part used them, and the statuses that solvers gave: the first answer of a part, or that there was none.
fn roster(parts: &[CampaignPart]) -> Result<(Vec<SeedEntry>, Vec<StatusRecord>), StoreError> {
    let mut joined: Vec<SeedEntry> = Vec::new();
    for part in parts {
        let roster = part.store.records().roster()?;
        if joined.is_empty() {
            joined = roster;
            continue;
        }
        for (known, more) in joined.iter_mut().zip(roster) {
            known.used |= more.used;
            known.status = match (known.status, more.status) {
                (SeedStatus::Asked(None), SeedStatus::Asked(Some(answer))) => SeedStatus::Asked(Some(answer)),
                (SeedStatus::Unasked, status) => status,
                (status, _) => status,
            };
        }
    }
    let asked = |(seed, entry): (usize, &SeedEntry)| match entry.status {
        SeedStatus::Asked(answer) => Some(StatusRecord { seed, answer }),
        SeedStatus::Claimed(_) | SeedStatus::Unasked => None,
    };
    let statuses = joined.iter().enumerate().filter_map(asked).collect();
    Ok((joined, statuses))
}

fn used_hashes(roster: &[SeedEntry]) -> Vec<&str> {
    let used = roster.iter().filter(|entry| entry.used).map(|entry| entry.hash.as_str());
    used.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The text of a seed, with the first values for its constants that a part knows.
fn seed(parts: &[CampaignPart], hash: &str) -> Result<Option<SeedRecord>, StoreError> {
    let mut found: Option<SeedRecord> = None;
    for part in parts {
        match (&mut found, part.store.records().seed(hash)?) {
            (_, None) => {}
            (Some(known), Some(more)) if known.values.is_empty() => known.values = more.values,
            (Some(_), Some(_)) => {}
            (None, record) => found = record,
        }
    }
    Ok(found)
}

/// The joined record of the bandits, if bandits lead.
fn schedule(learnt: &SharedLessons, chains: &[ChainRecord]) -> Option<String> {
    let ended: Vec<u64> =
        chains.iter().filter(|record| record.next.is_none()).map(|record| record.chain).collect();
    let ended_below = (0..).zip(&ended).take_while(|(place, chain)| place == *chain).count() as u64;
    joined_schedule(&learnt.schedules, &learnt.queue, ended_below, &ended)
}

/// The joined weights of mutations, if traces lead. Those of one part alone stay as they are.
fn weights(parts: &[String]) -> Option<String> {
    let read = parts.iter().filter_map(|text| serde_json::from_str(text).ok());
    let read: Vec<MutationWeights> = read.collect();
    let joined = match read.as_slice() {
        [one] => Some(one.clone()),
        several => MutationWeights::joined(several),
    };
    joined.map(|weights| serde_json::to_string(&weights).expect("weights are numbers and names"))
}
