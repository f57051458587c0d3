//! Triage beside a campaign: one worker that takes findings as they come, and is done when the campaign is.
//!
//! It reads the records of the campaign as any reader does, and never stands in its way: if something goes wrong here the
//! campaign goes on, and says so at its end. `gainsay triage` goes on where this ends.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use gainsay_engine::campaign::chain::words_of;
use gainsay_engine::solver::run::Limits;
use gainsay_engine::triage::memory::Memory;
use gainsay_engine::triage::queue::queue;
use gainsay_engine::triage::record::{Docket, Record, Stage};
use gainsay_engine::triage::work::{Patience, Workshop};

use super::{gather, play, write};
use crate::environment::Environment;

/// How long it waits for findings when it has none.
const PAUSE: Duration = Duration::from_secs(2);
/// What a run may take, and a reduction.
const RUN: Duration = Duration::from_secs(5);
const REDUCTION: Duration = Duration::from_secs(60);
/// Reports a week, where nobody says otherwise.
const QUOTA: usize = 3;

/// The worker beside a campaign, and what it has done.
#[derive(Debug, Default)]
pub struct Beside {
    stopped: AtomicBool,
    triggers: AtomicU64,
    groups: AtomicU64,
    /// Why it ended before it was stopped, if it did.
    trouble: Mutex<Option<String>>,
    /// Held while it waits.
    waiting: Mutex<()>,
    wake: Condvar,
}

impl Beside {
    /// Triggers that are done, and the groups of them.
    pub fn grouped(&self) -> (u64, u64) {
        (self.triggers.load(Ordering::Relaxed), self.groups.load(Ordering::Relaxed))
    }

    /// Asks it to end; the step at work is given up.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        let _guard = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        self.wake.notify_all();
    }

    /// Works until it is stopped, or until something goes wrong.
    pub fn run(&self, folder: &Path, environment: &Environment) {
        // A bug of ours here must not end the campaign.
        let worked = catch_unwind(AssertUnwindSafe(|| self.work(folder, environment)));
        let trouble = match worked {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(format!("{error:#}")),
            Err(panic) => Some(format!("a bug of gainsay itself: {}", words_of(panic.as_ref()))),
        };
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }

    /// Why it ended before it was stopped, if it did.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn work(&self, folder: &Path, environment: &Environment) -> anyhow::Result<()> {
        let docket = Docket::open(folder)?;
        let setting = environment.setting()?;
        let workbench = gather::Workbench::open(folder, environment)?;
        let workshop = Workshop {
            places: environment.places(),
            setting: &setting,
            memory: Memory::within(environment.cache.folder()),
            limits: Limits { wall: RUN, memory: Some(2 << 30), ..Limits::default() },
            patience: Patience { time: REDUCTION, checks: None },
            maker: &|steps| workbench.make(steps),
            parents: &|steps| workbench.parents(steps),
            invited: Mutex::default(),
        };
        let mut tried = BTreeSet::new();
        while !self.stopped.load(Ordering::Relaxed) {
            let names: BTreeSet<String> = docket.load()?.into_iter().map(|record| record.name).collect();
            let fresh = gather::campaign(folder, environment, 1, &|name| names.contains(name))?;
            fresh.iter().try_for_each(|record| docket.save(record))?;
            let is_new = |record: &Record| record.is_open() && !tried.contains(&record.name);
            let open: Vec<String> =
                docket.load()?.iter().filter(|one| is_new(one)).map(|one| one.name.clone()).collect();
            if open.is_empty() {
                self.wait();
                continue;
            }
            play::work(&docket, &workshop, 1, &self.stopped, &Quiet)?;
            tried.extend(open);
            self.publish(&docket, environment, &workshop)?;
        }
        Ok(())
    }

    fn publish(
        &self,
        docket: &Docket,
        environment: &Environment,
        workshop: &Workshop<'_>,
    ) -> anyhow::Result<()> {
        let records = docket.load()?;
        let bugs = queue(&records, QUOTA);
        write::write(docket.folder(), &bugs, &records, environment, workshop.setting)?;
        let done = records.iter().filter(|record| record.stage == Stage::Bisected).count();
        self.triggers.store(done as u64, Ordering::Relaxed);
        self.groups.store(bugs.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    fn wait(&self) {
        let guard = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.stopped.load(Ordering::Relaxed) {
            drop(self.wake.wait_timeout(guard, PAUSE));
        }
    }
}

/// The campaign has the screen.
struct Quiet;

impl play::Tell for Quiet {
    fn step(&self, _: &Record) {}
}
