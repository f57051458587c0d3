//! The parts to join: opens them, and checks that they are different parts of one campaign.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::MergeError;
use crate::campaign::plan::CampaignPlan;
use crate::campaign::shard::Shard;
use crate::store::folder::{copy_finding, import_finding};
use crate::store::postgres::{Postgres, StoreAddress};
use crate::store::sqlite::Sqlite;
use crate::store::{ChainRecord, FindingRecord, SeedEntry, Store, StoreError, StoredProgress};

/// Keys of a plan that may differ between parts: they change no case. Seeds are compared by their texts.
const KEYS_LEFT_ALONE: [&str; 3] = ["jobs", "shard", "seeds"];

/// A campaign to be joined with others.
pub struct CampaignPart {
    /// Its folder, or the address of its store.
    pub folder: PathBuf,
    /// Its plan.
    pub plan: CampaignPlan,
    /// Its records.
    pub store: PartStore,
    /// Its progress; chains have the numbers of the whole campaign, except for [`StoredProgress::ended_below`].
    pub progress: StoredProgress,
}

/// The records of a part.
pub enum PartStore {
    /// Those in a folder.
    Folder(Sqlite),
    /// Those in a shared store.
    Shared(Box<Postgres>),
}

impl PartStore {
    /// The records.
    pub fn records(&self) -> &dyn Store {
        match self {
            PartStore::Folder(store) => store,
            PartStore::Shared(store) => store.as_ref(),
        }
    }
}

impl CampaignPart {
    /// Opens a campaign; `None` if the folder holds none, because its process died before its first record.
    pub fn open(folder: &Path) -> Result<Option<CampaignPart>, MergeError> {
        Sqlite::check_idle(folder)?;
        let store = match Sqlite::read(folder) {
            Err(StoreError::Missing(_)) if folder.is_dir() => return Ok(None),
            store => store?,
        };
        CampaignPart::new(folder.to_owned(), PartStore::Folder(store)).map(Some)
    }

    /// Opens a campaign in a shared store as it is now; workers may go on meanwhile.
    pub fn open_shared(address: &StoreAddress) -> Result<CampaignPart, MergeError> {
        let store = Postgres::snapshot(address)?;
        CampaignPart::new(address.shown().into(), PartStore::Shared(Box::new(store)))
    }

    fn new(folder: PathBuf, store: PartStore) -> Result<CampaignPart, MergeError> {
        let plan = CampaignPlan::read_recorded(&store.records().plan()?)
            .map_err(|error| MergeError::Plan { folder: folder.clone(), why: error.to_string() })?;
        let mut progress = store.records().standing()?;
        let shard = plan.shard.unwrap_or_default();
        progress.chains.iter_mut().for_each(|record| record.chain = shard.chain_at(record.chain));
        Ok(CampaignPart { folder, plan, store, progress })
    }

    /// Copies a finding to the campaign in the folder `places.0`, which will be renamed to `places.1`; returns its path there.
    pub fn copy_finding(
        &self,
        record: &FindingRecord,
        places: (&Path, &Path),
    ) -> Result<PathBuf, StoreError> {
        match &self.store {
            PartStore::Folder(_) => copy_finding(&self.folder.join(&record.path), places),
            PartStore::Shared(store) => import_finding(store.exhibits(&record.fingerprint)?, places),
        }
    }

    /// The part of the campaign that it is.
    pub fn shard(&self) -> Shard {
        self.plan.shard.unwrap_or_default()
    }

    /// The progress of all its chains, by their numbers in the whole campaign.
    pub fn chains(&self) -> impl Iterator<Item = ChainRecord> + '_ {
        let shard = self.shard();
        let ended = (0..self.progress.ended_below).map(move |place| shard.chain_at(place));
        let ended = ended.map(|chain| ChainRecord { chain, next: None, out: Vec::new() });
        ended.chain(self.progress.chains.iter().cloned())
    }
}

/// The plan of the whole campaign; an error names the differences between the plans of its parts.
pub fn whole_plan(parts: &[CampaignPart]) -> Result<CampaignPlan, MergeError> {
    let (first, rest) = parts.split_first().ok_or(MergeError::Nothing)?;
    for part in rest {
        let differences = plan_differences(&first.plan, &part.plan);
        if !differences.is_empty() {
            let (one, other) = (first.folder.clone(), part.folder.clone());
            return Err(MergeError::Plans { one, other, differences: differences.join("; ") });
        }
    }
    Ok(CampaignPlan { shard: None, ..first.plan.clone() })
}

/// The differences between two plans that change cases or their judgement.
pub fn plan_differences(one: &CampaignPlan, other: &CampaignPlan) -> Vec<String> {
    let (one, other) = (keys(one), keys(other));
    let all: std::collections::BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    let shown = |value: Option<&String>| value.map_or("not set", String::as_str).to_owned();
    all.into_iter()
        .filter(|key| one.get(*key) != other.get(*key))
        .map(|key| format!("{key} is {} and {}", shown(one.get(key)), shown(other.get(key))))
        .collect()
}

/// The keys of a plan, as `limits.timeout`, with their values.
fn keys(plan: &CampaignPlan) -> BTreeMap<String, String> {
    let table: toml::Table = plan.to_toml().parse().expect("a plan that was written is read back");
    let mut found = BTreeMap::new();
    for (key, value) in table.into_iter().filter(|(key, _)| !KEYS_LEFT_ALONE.contains(&key.as_str())) {
        match value {
            toml::Value::Table(section) => {
                found.extend(
                    section.into_iter().map(|(name, value)| (format!("{key}.{name}"), value.to_string())),
                );
            }
            value => drop(found.insert(key, value.to_string())),
        }
    }
    found
}

/// Checks that all parts have the same seeds in the same order, wherever their files lie. A part without records has no list yet.
pub fn check_rosters(parts: &[CampaignPart]) -> Result<(), MergeError> {
    let mut first: Option<(&Path, Vec<SeedEntry>)> = None;
    for part in parts {
        let roster = part.store.records().roster()?;
        match &first {
            _ if roster.is_empty() => {}
            None => first = Some((&part.folder, roster)),
            Some((one, known)) => {
                let place = known.iter().zip(&roster).position(|(one, other)| one.hash != other.hash);
                let differences = match place {
                    Some(place) => {
                        format!("seed {place} is {} and {}", known[place].name, roster[place].name)
                    }
                    None if known.len() != roster.len() => {
                        format!("they have {} and {} seeds", known.len(), roster.len())
                    }
                    None => continue,
                };
                let (one, other) = (one.to_path_buf(), part.folder.clone());
                return Err(MergeError::Plans { one, other, differences });
            }
        }
    }
    Ok(())
}

/// Checks that no two parts have made the same chain.
pub fn check_disjoint(parts: &[CampaignPart]) -> Result<(), MergeError> {
    let own = |(number, part): (usize, &CampaignPart)| -> Vec<(u64, usize)> {
        part.chains().map(|record| (record.chain, number)).collect()
    };
    let mut chains: Vec<(u64, usize)> = parts.iter().enumerate().flat_map(own).collect();
    chains.sort_unstable();
    match chains.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        None => Ok(()),
        Some(pair) => {
            let folder = |place: usize| parts[pair[place].1].folder.clone();
            Err(MergeError::Twice { one: folder(0), other: folder(1), chain: pair[0].0 })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_differ_by_what_changes_cases_and_each_key_is_named() {
        let read = |text: &str| CampaignPlan::read("c.toml", text).unwrap();
        let whole = read("rng_seed = 7\nseeds = [\"a\"]\n[limits]\ntimeout = 2\n");
        let same = read(
            "rng_seed = 7\nseeds = [\"/scratch/a\"]\nshard = \"2/3\"\njobs = 9\n[limits]\ntimeout = 2\n",
        );
        assert_eq!(plan_differences(&whole, &same), Vec::<String>::new());
        let other = read("rng_seed = 8\n[limits]\ntimeout = 3\n[budget]\ncases = 5\n");
        let differences = plan_differences(&whole, &other);
        assert_eq!(
            differences,
            ["budget.cases is not set and 5", "limits.timeout is \"2s\" and \"3s\"", "rng_seed is 7 and 8"]
        );
    }
}
