//! A store in memory, for tests and for campaigns that nobody will ask about again.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{
    Batch, ChainRecord, Exhibit, FindingRecord, Sample, SeedEntry, SeedRecord, Standing, Store, StoreError,
};
use crate::event::CaseNumber;
use crate::tally::Tally;

/// Keeps the records of a campaign as long as it lives.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    plan: String,
    tally: Tally,
    chains: BTreeMap<u64, ChainRecord>,
    findings: Vec<FindingRecord>,
    sightings: Vec<(CaseNumber, String)>,
    samples: Vec<Sample>,
    seeds: BTreeMap<String, SeedRecord>,
    roster: Vec<SeedEntry>,
    /// The folders of findings, by path.
    pub exhibits: BTreeMap<PathBuf, Exhibit>,
}

impl Memory {
    /// The store of a new campaign.
    pub fn new(plan: &str) -> Self {
        Memory { plan: plan.to_owned(), ..Memory::default() }
    }

    fn merge(&mut self, record: &FindingRecord) {
        match self.findings.iter_mut().find(|known| known.fingerprint == record.fingerprint) {
            None => self.findings.push(record.clone()),
            Some(known) => {
                let count = known.count + record.count;
                if record.case < known.case {
                    *known = record.clone();
                }
                known.count = count;
            }
        }
    }
}

impl Store for Memory {
    fn record(&mut self, batch: &Batch) -> Result<(), StoreError> {
        self.tally = batch.tally.clone();
        self.chains.extend(batch.chains.iter().map(|record| (record.chain, record.clone())));
        batch.findings.iter().for_each(|record| self.merge(record));
        self.sightings.extend(batch.sightings.iter().cloned());
        self.samples.extend(batch.sample);
        self.seeds.extend(batch.seeds.iter().map(|seed| (seed.hash.clone(), seed.clone())));
        if !batch.roster.is_empty() {
            self.roster.clone_from(&batch.roster);
        }
        Ok(())
    }

    fn keep(&mut self, exhibit: &Exhibit) -> Result<PathBuf, StoreError> {
        let path = PathBuf::from("findings").join(exhibit.finding.fingerprint.as_str().replace('/', "-"));
        self.exhibits.insert(path.clone(), exhibit.clone());
        Ok(path)
    }

    fn standing(&self) -> Result<Standing, StoreError> {
        let ended = |chain: &u64| self.chains.get(chain).is_some_and(|record| record.next.is_none());
        let ended_below = (0..).find(|chain| !ended(chain)).unwrap_or(0);
        let chains = self.chains.range(ended_below..).map(|(_, record)| record.clone()).collect();
        Ok(Standing { tally: self.tally.clone(), ended_below, chains })
    }

    fn findings(&self) -> Result<Vec<FindingRecord>, StoreError> {
        Ok(self.findings.clone())
    }

    fn sightings(&self, fingerprint: &str) -> Result<Vec<CaseNumber>, StoreError> {
        let of_it = self.sightings.iter().filter(|(_, known)| known == fingerprint);
        let mut cases: Vec<CaseNumber> = of_it.map(|(case, _)| *case).collect();
        cases.sort_unstable();
        Ok(cases)
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

    fn plan(&self) -> Result<String, StoreError> {
        Ok(self.plan.clone())
    }
}
