//! The store that many machines share: a database of PostgreSQL, one campaign in each.
//!
//! Any number of workers record batches at the same time. A worker takes leases on chains (`worker.rs`), makes their cases, and
//! records a batch in one transaction, which fails if one of its leases was lost meanwhile. So nothing is counted twice: whatever
//! happens to a worker, the server or the connection between them, the worker drops what it has not recorded, begins a new session,
//! and makes those cases again from the records. The counts of a campaign are the sum of one tally for each session, so that
//! workers do not wait for each other to count.
//!
//! The folders of findings are rows of `exhibits`; `gainsay merge` copies a shared store to a folder, for all other commands.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;

use super::folder::{FINDINGS_FOLDER, finding_files};
use super::origin::{FindingOrigin, slug};
use super::{
    Batch, ChainLeases, FindingDetails, FindingRecord, Lessons, Sample, SeedEntry, SeedRecord, SharedLessons,
    StartRecord, Store, StoreError, StoredProgress,
};
use crate::event::CaseNumber;
use crate::tally::{CoverageTally, Tally};
use link::ServerLink;
use worker::{SharedLink, WorkerLeases, WorkerSession, lock};
use writing::PendingExhibit;

pub mod address;
mod lessons;
mod link;
pub mod overview;
mod reading;
mod worker;
mod writing;

pub use address::StoreAddress;

/// The changes of the tables, in order: the version of the tables is the number of those that were made.
const SCHEMA_MIGRATIONS: &[&str] = &[
    include_str!("postgres/migrations/1.sql"),
    include_str!("postgres/migrations/2.sql"),
    include_str!("postgres/migrations/3.sql"),
    include_str!("postgres/migrations/4.sql"),
];
/// Held while tables are made or changed: "gain".
const MIGRATION_LOCK: &str = "select pg_advisory_xact_lock(1734437230)";

/// The usual time of a lease.
pub const LEASE_TIME: Duration = Duration::from_secs(60);

/// A shared store.
pub struct Postgres {
    address: StoreAddress,
    link: SharedLink,
    /// Name and lease time of the worker, if this process is one.
    worker: Option<(String, Duration)>,
    session: Option<WorkerSession>,
    counts: Mutex<SessionCounts>,
    /// Behaviours of solvers up to this place were read.
    traces_read: AtomicI64,
    exhibits: BTreeMap<String, PendingExhibit>,
}

/// The counts of a session: a batch tells those of the whole campaign, and only those of this session are written.
#[derive(Debug, Default)]
struct SessionCounts {
    /// The counts of the campaign when they were last read.
    base: Tally,
    /// The counts of the session at that moment.
    earlier: Tally,
    /// The counts of the session that are recorded.
    recorded: Tally,
    /// Traces of the session since that moment that another worker has recorded before: they are not unique.
    known_traces: u64,
    /// The number of sites of each solver that are recorded.
    reached: BTreeMap<String, usize>,
}

impl SessionCounts {
    /// The counts of the session, if those of the campaign are these. The code that was reached is recorded once for all sessions.
    fn with(&self, tally: &Tally) -> Tally {
        let mut sum = self.earlier.clone();
        sum.add(&tally.since(&self.base));
        sum.coverage.clear();
        sum.traces.unique = sum.traces.unique.saturating_sub(self.known_traces);
        sum
    }

    /// The code of solvers that was reached and is not recorded yet.
    fn unrecorded<'a>(&self, tally: &'a Tally) -> Vec<(&'a String, &'a CoverageTally)> {
        let is_new = |(solver, known): &(&String, &CoverageTally)| {
            self.reached.get(*solver).is_none_or(|sites| *sites < known.summary.sites_reached)
        };
        tally.coverage.iter().filter(is_new).collect()
    }
}

impl Postgres {
    /// Opens the campaign in a store, or begins one with this plan (TOML) in an empty store; [`Store::plan`] tells which plan counts.
    pub fn enter(address: &StoreAddress, plan: &str) -> Result<Postgres, StoreError> {
        let mut link = ServerLink::open(address)?;
        migrate(&mut link, SCHEMA_MIGRATIONS)?;
        let insert = "insert into campaign values (1, $1, $2, 0, 0, '', '') on conflict do nothing";
        link.change(insert, &[&plan.as_bytes(), &packed_json(&Tally::default())])?;
        Ok(Postgres::new(address, link))
    }

    /// Opens the campaign in a store.
    pub fn open(address: &StoreAddress) -> Result<Postgres, StoreError> {
        let mut link = ServerLink::open(address)?;
        let tables =
            "select to_regclass('gainsay_schema') is not null and to_regclass('campaign') is not null";
        let has_tables: bool = link.row(tables, &[])?.get(0);
        if has_tables {
            migrate(&mut link, SCHEMA_MIGRATIONS)?;
        }
        if !has_tables || link.rows("select 1 from campaign", &[])?.is_empty() {
            return Err(link.refused("it holds no campaign: `gainsay fuzz --store` begins one"));
        }
        Ok(Postgres::new(address, link))
    }

    /// Opens the campaign in a store for reading, as it is at this moment.
    pub fn snapshot(address: &StoreAddress) -> Result<Postgres, StoreError> {
        let store = Postgres::open(address)?;
        lock(&store.link).run("begin isolation level repeatable read read only")?;
        Ok(store)
    }

    fn new(address: &StoreAddress, link: ServerLink) -> Postgres {
        Postgres {
            address: address.clone(),
            link: Arc::new(Mutex::new(link)),
            worker: None,
            session: None,
            counts: Mutex::default(),
            traces_read: AtomicI64::new(0),
            exhibits: BTreeMap::new(),
        }
    }

    /// Begins a session of a worker: from now on chains are leased, and batches add to those of other workers.
    pub fn join(&mut self, name: &str, lease: Duration) -> Result<(), StoreError> {
        self.worker = Some((name.to_owned(), lease));
        self.counts = Mutex::default();
        self.session = Some(WorkerSession::begin(&mut lock(&self.link), name, lease)?);
        Ok(())
    }

    /// Begins the session of a worker anew, on another connection: what the last one has not recorded is dropped.
    pub fn rejoin(&mut self) -> Result<(), StoreError> {
        self.exhibits.clear();
        let mut link = ServerLink::open(&self.address)?;
        if let Some(last) = &self.session {
            // Its last transaction may still run: this waits for it.
            WorkerSession::end(&mut link, last.id)?;
        }
        self.session = None;
        self.link = Arc::new(Mutex::new(link));
        match self.worker.clone() {
            Some((name, lease)) => self.join(&name, lease),
            None => Ok(()),
        }
    }

    /// Ends the session of a worker, and gives its chains back.
    pub fn leave(&mut self) -> Result<(), StoreError> {
        match self.session.take() {
            Some(session) => WorkerSession::end(&mut lock(&self.link), session.id),
            None => Ok(()),
        }
    }

    /// The address, without its password.
    pub fn shown(&self) -> &str {
        self.address.shown()
    }

    /// The files of a finding: path in its folder, and text.
    pub fn exhibits(&self, fingerprint: &str) -> Result<Vec<(String, String)>, StoreError> {
        reading::exhibits(&mut lock(&self.link), fingerprint)
    }
}

impl Store for Postgres {
    fn record(&mut self, batch: &Batch) -> Result<(), StoreError> {
        let counts = self.counts.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut tally = counts.with(&batch.tally);
        let mut known_traces = 0;
        let (session, exhibits) = (&mut self.session, &self.exhibits);
        lock(&self.link).transact(|link| {
            let worker = session.as_ref().map(|session| session.id);
            let is_worker = worker.is_some();
            let known = lessons::write_seen(link, batch)?;
            // Where a bandit leads, some of them are lessons of it, and no traces.
            known_traces = if batch.schedule.is_none() { known } else { 0 };
            tally.traces.unique = tally.traces.unique.saturating_sub(known_traces);
            match session {
                Some(session) => {
                    let begun = batch.starts.iter().map(|start| start.chain);
                    let chains = batch.chains.iter().map(|record| record.chain);
                    session.secure(link, &tally, chains.chain(begun))?;
                }
                None => drop(link.change("update campaign set tally = $1", &[&packed_json(&batch.tally)])?),
            }
            writing::write_batch(link, batch)?;
            lessons::write_lessons(link, batch, worker)?;
            if is_worker {
                lessons::write_reached(link, &counts.unrecorded(&batch.tally), batch.tally.seconds)?;
                writing::check_premises(link, batch)?;
            }
            writing::write_findings(link, &batch.findings, exhibits)?;
            writing::write_sightings(link, &batch.sightings)?;
            match &batch.sample {
                Some(sample) if is_worker => writing::write_shared_sample(link, sample),
                Some(sample) => writing::write_sample(link, sample),
                None => Ok(()),
            }
        })?;
        if let Some(session) = &mut self.session {
            session.batches += 1;
            counts.recorded = tally;
            counts.known_traces += known_traces;
            let sites =
                |(solver, known): (&String, &CoverageTally)| (solver.clone(), known.summary.sites_reached);
            counts.reached = batch.tally.coverage.iter().map(sites).collect();
        }
        self.exhibits.clear();
        Ok(())
    }

    fn keep(&mut self, details: &FindingDetails) -> Result<PathBuf, StoreError> {
        let fingerprint = details.finding.fingerprint.to_string();
        let path = Path::new(FINDINGS_FOLDER).join(slug(&fingerprint));
        let origin = FindingOrigin::new(details, Path::new(""), &path);
        let rank = (details.case.map_or(-1, reading::integer), details.parents());
        let exhibit = PendingExhibit { rank, files: finding_files(&origin, details) };
        let is_first = self.exhibits.get(&fingerprint).is_none_or(|known| exhibit.rank < known.rank);
        if is_first {
            self.exhibits.insert(fingerprint, exhibit);
        }
        Ok(path)
    }

    fn standing(&self) -> Result<StoredProgress, StoreError> {
        let progress = reading::standing(&mut lock(&self.link))?;
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        (counts.earlier, counts.known_traces) = (counts.recorded.clone(), 0);
        counts.base = progress.tally.clone();
        drop(counts);
        Ok(progress)
    }

    fn findings(&self) -> Result<Vec<FindingRecord>, StoreError> {
        reading::findings(&mut lock(&self.link))
    }

    fn sightings(&self, fingerprint: &str) -> Result<Vec<CaseNumber>, StoreError> {
        reading::sightings(&mut lock(&self.link), fingerprint)
    }

    fn samples(&self) -> Result<Vec<Sample>, StoreError> {
        reading::samples(&mut lock(&self.link))
    }

    fn seed(&self, hash: &str) -> Result<Option<SeedRecord>, StoreError> {
        reading::seed(&mut lock(&self.link), hash)
    }

    fn roster(&self) -> Result<Vec<SeedEntry>, StoreError> {
        reading::roster(&mut lock(&self.link))
    }

    fn start(&self, chain: u64) -> Result<Option<StartRecord>, StoreError> {
        Ok(reading::starts(&mut lock(&self.link), Some(&[reading::integer(chain)]))?.pop())
    }

    fn lessons(&self) -> Result<Lessons, StoreError> {
        let (lessons, read) = lessons::lessons(&mut lock(&self.link))?;
        self.traces_read.store(read, Ordering::Relaxed);
        Ok(lessons)
    }

    fn plan(&self) -> Result<String, StoreError> {
        reading::plan(&mut lock(&self.link))
    }

    fn lessons_of_others(&self) -> Result<SharedLessons, StoreError> {
        let session = self.session.as_ref().map(|session| session.id);
        let known = self.traces_read.load(Ordering::Relaxed);
        let (others, read) = lessons::lessons_of_others(&mut lock(&self.link), session, known)?;
        self.traces_read.store(read, Ordering::Relaxed);
        Ok(others)
    }

    fn keep_alive(&mut self) -> Result<(), StoreError> {
        match &mut self.session {
            Some(session) => session.keep_alive(&mut lock(&self.link)),
            None => Ok(()),
        }
    }

    fn leases(&self) -> Option<Box<dyn ChainLeases>> {
        let session = self.session.as_ref()?;
        let (link, worker, lease) = (Arc::clone(&self.link), session.id, session.lease);
        Some(Box::new(WorkerLeases { link, worker, lease, looked: None }))
    }
}

/// A value of ours as JSON.
fn packed_json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("records are made of what JSON can write")
}

/// Makes the tables, or changes those of an older version.
fn migrate(link: &mut ServerLink, migrations: &[&str]) -> Result<(), StoreError> {
    link.transact(|link| {
        link.run(MIGRATION_LOCK)?;
        link.run("create table if not exists gainsay_schema (version integer primary key)")?;
        let found: i32 = link.row("select coalesce(max(version), 0) from gainsay_schema", &[])?.get(0);
        let (found, known) = (usize::try_from(found).unwrap_or(0), migrations.len());
        if found > known {
            return Err(link.refused(format!(
                "a newer gainsay made its tables (version {found}; this one knows version {known}): use that release"
            )));
        }
        for (version, migration) in (1i32..).zip(migrations).skip(found) {
            link.run(migration)?;
            link.change("insert into gainsay_schema values ($1)", &[&version])?;
        }
        Ok(())
    })
}
