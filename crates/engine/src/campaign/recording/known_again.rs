//! Decides anew which recorded findings are known, when a campaign is resumed with another list of known bugs.

use crate::campaign::Campaign;
use crate::campaign::scripts::chain::StepOutcome;
use crate::campaign::scripts::remake::remake_by;
use crate::event::CaseNumber;
use crate::finding::Fingerprint;
use crate::store::folder::read_finding;
use crate::store::{Batch, FindingRecord, Store, StoreError};

/// Sightings of a finding that are remade: each takes a few milliseconds.
const MAX_SIGHTINGS_REMADE: usize = 50;

impl Campaign {
    /// Decides which findings of the store are known.
    ///
    /// A finding of a campaign may cover several bugs, so it is known only if its first case is, and all others that are remade.
    pub fn reconsider_known(&self, store: &mut dyn Store) -> Result<(), StoreError> {
        let mut changed = Vec::new();
        for record in store.findings()? {
            let known = self.is_known(store, &record)?;
            if known != record.known {
                changed.push(FindingRecord { count: 0, known, ..record });
            }
        }
        if changed.is_empty() {
            return Ok(());
        }
        let tally = store.standing()?.tally;
        store.record(&Batch { tally, findings: changed, ..Batch::default() })
    }

    fn is_known(&self, store: &dyn Store, record: &FindingRecord) -> Result<bool, StoreError> {
        let Some(fingerprint) = Fingerprint::parse(&record.fingerprint) else { return Ok(record.known) };
        let Ok(kept) = read_finding(&self.folder, &record.path) else { return Ok(record.known) };
        let is_known = |script: &str| self.known.find(&fingerprint, script).is_some();
        if !is_known(&kept.case) {
            return Ok(false);
        }
        let remade = |case: &CaseNumber| {
            let made = remake_by(store, &self.recipe, &self.signature, *case, &self.recipe.steps_to(*case));
            made.ok().and_then(|made| match made.outcome {
                StepOutcome::Made(made) => Some(made.text.clone()),
                _ => None,
            })
        };
        let cases = store.sightings(&record.fingerprint)?;
        Ok(cases.iter().take(MAX_SIGHTINGS_REMADE).filter_map(remade).all(|script| is_known(&script)))
    }
}
