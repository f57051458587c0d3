//! Triage in the background of a campaign: one worker that processes findings until the campaign ends.
//!
//! It only reads the records of the campaign: if triage fails, the campaign continues and reports the failure at its end.
//! `gainsay triage` continues where this worker stops.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use gainsay_engine::campaign::chain::panic_message;
use gainsay_engine::solver::run::Limits;
use gainsay_engine::triage::queue::queue;
use gainsay_engine::triage::record::{Stage, TriageRecord, TriageRecords};
use gainsay_engine::triage::statement_cache::StatementCache;
use gainsay_engine::triage::triager::{ReductionBudget, Triager};

use super::{leads, output, triggers, workers};
use crate::environment::Environment;

/// How long it waits for new findings.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Timeouts of a run and of a reduction.
const RUN_TIMEOUT: Duration = Duration::from_secs(5);
const REDUCTION_TIMEOUT: Duration = Duration::from_secs(60);
/// Reports to file per week.
const REPORTS_PER_WEEK: usize = 3;

/// The worker and its progress.
#[derive(Debug, Default)]
pub struct BackgroundTriage {
    stopped: AtomicBool,
    triggers: AtomicU64,
    groups: AtomicU64,
    /// Why it failed, if it did.
    trouble: Mutex<Option<String>>,
    /// Locked while it waits.
    waiting: Mutex<()>,
    wake: Condvar,
}

impl BackgroundTriage {
    /// The number of processed triggers and of their groups.
    pub fn grouped(&self) -> (u64, u64) {
        (self.triggers.load(Ordering::Relaxed), self.groups.load(Ordering::Relaxed))
    }

    /// Stops the worker; aborts its current step.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        let _guard = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        self.wake.notify_all();
    }

    /// Processes findings until it is stopped or fails.
    pub fn run(&self, folder: &Path, environment: &Environment) {
        // A panic here must not end the campaign.
        let worked = catch_unwind(AssertUnwindSafe(|| self.work(folder, environment)));
        let trouble = match worked {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(format!("{error:#}")),
            Err(panic) => Some(format!("a bug in gainsay: {}", panic_message(panic.as_ref()))),
        };
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }

    /// Why it failed, if it did.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn work(&self, folder: &Path, environment: &Environment) -> anyhow::Result<()> {
        let triage_records = TriageRecords::open(folder)?;
        let launcher = environment.launcher()?;
        let remaker = triggers::CaseRemaker::open(folder, environment)?;
        let triager = Triager {
            places: environment.places(),
            launcher: &launcher,
            memory: StatementCache::within(environment.cache.folder()),
            limits: Limits { wall: RUN_TIMEOUT, memory: Some(2 << 30), ..Limits::default() },
            patience: ReductionBudget { time: REDUCTION_TIMEOUT, checks: None },
            remake: &|steps| remaker.make(steps),
            parents: &|steps| remaker.parents(steps),
            // A campaign downloads nothing; `gainsay triage` asks more releases.
            index: None,
            opened: Mutex::default(),
        };
        let mut tried = BTreeSet::new();
        while !self.stopped.load(Ordering::Relaxed) {
            let names: BTreeSet<String> =
                triage_records.load()?.into_iter().map(|record| record.name).collect();
            let fresh = triggers::from_campaign(folder, environment, 1, &|name| names.contains(name))?;
            fresh.iter().try_for_each(|record| triage_records.save(record))?;
            let is_new = |record: &TriageRecord| record.is_open() && !tried.contains(&record.name);
            let open: Vec<String> =
                triage_records.load()?.iter().filter(|one| is_new(one)).map(|one| one.name.clone()).collect();
            if open.is_empty() {
                self.wait();
                continue;
            }
            workers::run(&triage_records, &triager, 1, &self.stopped, &SilentListener)?;
            tried.extend(open);
            leads::prepare(&triage_records, &triager, &self.stopped)?;
            self.publish(&triage_records, environment, &triager)?;
        }
        Ok(())
    }

    fn publish(
        &self,
        triage_records: &TriageRecords,
        environment: &Environment,
        triager: &Triager<'_>,
    ) -> anyhow::Result<()> {
        let records = triage_records.load()?;
        let bugs = queue(&records, REPORTS_PER_WEEK);
        output::write(triage_records.folder(), &bugs, &records, environment, triager.launcher)?;
        let done = records.iter().filter(|record| record.stage == Stage::Bisected).count();
        self.triggers.store(done as u64, Ordering::Relaxed);
        self.groups.store(bugs.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    fn wait(&self) {
        let guard = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.stopped.load(Ordering::Relaxed) {
            drop(self.wake.wait_timeout(guard, POLL_INTERVAL));
        }
    }
}

/// Prints nothing: the campaign has the screen.
struct SilentListener;

impl workers::StepListener for SilentListener {
    fn step(&self, _: &TriageRecord) {}
}
