//! The campaign that a page shows: reads its records anew for each request, and writes marks of findings.
//!
//! A mark in a shared store is a row there. In a folder it is a line of `known.txt` (`marks.rs`).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use gainsay_engine::store::folder::{FindingFolder, finding_of_files, read_finding};
use gainsay_engine::store::postgres::overview::{FindingMark, StoreOverview};
use gainsay_engine::store::postgres::{Postgres, StoreAddress};
use gainsay_engine::store::sqlite::Sqlite;
use gainsay_engine::store::{FindingRecord, Store, StoreError};

use super::marks::{edit_marks, read_marks};
use crate::exit::NoOutput;
use crate::known_bugs::{self, MARKS_FILE};
use crate::report::{self, CampaignReport};

/// Findings that a page shows in full; the others have links to pages that do.
const MAX_SERVED_IN_FULL: usize = 20;

/// A campaign in a folder or in a shared store.
pub enum ServedCampaign {
    /// In a folder.
    Folder(CampaignFolder),
    /// In a shared store.
    Store(Box<SharedRecords>),
}

/// A campaign in a folder.
pub struct CampaignFolder {
    path: PathBuf,
    /// Held while its file of marks is written.
    writing: Mutex<()>,
}

/// A campaign in a shared store, with a connection that is opened again after an error.
pub struct SharedRecords {
    address: StoreAddress,
    open: Mutex<Option<Postgres>>,
}

impl ServedCampaign {
    /// The campaign in this folder.
    pub fn in_folder(path: &Path) -> ServedCampaign {
        ServedCampaign::Folder(CampaignFolder { path: path.to_owned(), writing: Mutex::default() })
    }

    /// The campaign in this store.
    pub fn in_store(address: StoreAddress) -> ServedCampaign {
        ServedCampaign::Store(Box::new(SharedRecords { address, open: Mutex::default() }))
    }

    /// The figures of the campaign now.
    pub fn overview(&self) -> Result<StoreOverview, StoreError> {
        match self {
            ServedCampaign::Folder(folder) => folder.overview(),
            ServedCampaign::Store(store) => store.with(Postgres::overview),
        }
    }

    /// The contents of the page, with the first findings in full, or only the one whose folder has this name.
    pub fn report(&self, shown: Option<&str>) -> Result<CampaignReport, StoreError> {
        let is_shown = |place: usize, record: &FindingRecord| match shown {
            Some(id) => report::id(record) == id,
            None => place < MAX_SERVED_IN_FULL,
        };
        match self {
            ServedCampaign::Folder(folder) => folder.report(&is_shown),
            ServedCampaign::Store(store) => store.with(|store| report_of_store(store, &is_shown)),
        }
    }

    /// The marks of findings.
    pub fn marks(&self) -> anyhow::Result<Vec<FindingMark>> {
        match self {
            ServedCampaign::Folder(folder) => Ok(folder.marks()?),
            ServedCampaign::Store(store) => Ok(store.with(Postgres::marks)?),
        }
    }

    /// Marks a finding; `None` removes its mark. Returns false if there is no such finding.
    pub fn mark(&self, fingerprint: &str, mark: Option<&FindingMark>) -> anyhow::Result<bool> {
        match self {
            ServedCampaign::Folder(folder) => folder.mark(fingerprint, mark),
            ServedCampaign::Store(store) => Ok(store.with(|store| store.mark(fingerprint, mark))?),
        }
    }
}

/// Tells of a finding at a place of its list if it is shown in full.
type ShownInFull<'a> = dyn Fn(usize, &FindingRecord) -> bool + 'a;

impl CampaignFolder {
    fn overview(&self) -> Result<StoreOverview, StoreError> {
        let store = Sqlite::read(&self.path)?;
        let findings = self.findings(&store)?;
        Ok(StoreOverview {
            tally: store.standing()?.tally,
            findings: findings.len() as u64,
            known: findings.iter().filter(|finding| finding.known).count() as u64,
            workers: Vec::new(),
        })
    }

    fn report(&self, is_shown: &ShownInFull<'_>) -> Result<CampaignReport, StoreError> {
        let store = Sqlite::read(&self.path)?;
        let findings = self.findings(&store)?;
        let open = |place: usize, record: &FindingRecord| {
            is_shown(place, record).then(|| read_finding(&self.path, &record.path))
        };
        CampaignReport::of_store(&store, &self.path, findings, &open)
    }

    /// The findings, those that are marked as known.
    fn findings(&self, store: &Sqlite) -> Result<Vec<FindingRecord>, StoreError> {
        let marks = self.marks().unwrap_or_default();
        let marked: BTreeSet<&str> = marks.iter().map(|mark| mark.fingerprint.as_str()).collect();
        let mut findings = store.findings()?;
        for record in &mut findings {
            record.known |= marked.contains(record.fingerprint.trim());
        }
        Ok(findings)
    }

    fn marks(&self) -> Result<Vec<FindingMark>, crate::exit::NoInput> {
        Ok(read_marks(&known_bugs::read(&self.path.join(MARKS_FILE))?))
    }

    fn mark(&self, fingerprint: &str, mark: Option<&FindingMark>) -> anyhow::Result<bool> {
        let _turn = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let findings = Sqlite::read(&self.path)?.findings()?;
        if fingerprint.contains('\n') || !findings.iter().any(|one| one.fingerprint == fingerprint) {
            return Ok(false);
        }
        let path = self.path.join(MARKS_FILE);
        let text = edit_marks(&known_bugs::read(&path)?, fingerprint, mark);
        let draft = self.path.join(format!(".new-{MARKS_FILE}"));
        let written = std::fs::write(&draft, text).and_then(|()| std::fs::rename(&draft, &path));
        written.map_err(|source| NoOutput { path, source })?;
        Ok(true)
    }
}

impl SharedRecords {
    fn with<T>(&self, work: impl FnOnce(&Postgres) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let store = match open.take() {
            Some(store) => store,
            None => Postgres::open(&self.address)?,
        };
        let done = work(&store)?;
        *open = Some(store);
        Ok(done)
    }
}

fn report_of_store(store: &Postgres, is_shown: &ShownInFull<'_>) -> Result<CampaignReport, StoreError> {
    let read = |record: &FindingRecord| -> Result<FindingFolder, StoreError> {
        let files = store.exhibits(&record.fingerprint)?;
        finding_of_files(files).map_err(|why| StoreError::Server { store: store.shown().to_owned(), why })
    };
    let open = |place: usize, record: &FindingRecord| is_shown(place, record).then(|| read(record));
    CampaignReport::of_store(store, Path::new(store.shown()), store.findings()?, &open)
}
