//! Processes triggers in parallel. Each finished step is recorded, so that triage can be stopped at any time.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use gainsay_engine::triage::record::{Stage, TriageRecord, TriageRecords, TriageRecordsError};
use gainsay_engine::triage::triager::Triager;

/// Receives finished steps.
pub trait StepListener: Sync {
    /// A step is finished.
    fn step(&self, record: &TriageRecord);
}

/// Processes all open triggers, until all are done or `stop` is set.
pub fn run(
    triage_records: &TriageRecords,
    triager: &Triager<'_>,
    jobs: usize,
    stop: &AtomicBool,
    listener: &dyn StepListener,
) -> Result<(), TriageRecordsError> {
    let open: VecDeque<TriageRecord> =
        triage_records.load()?.into_iter().filter(TriageRecord::is_open).collect();
    let open = Mutex::new(open);
    let failed: Mutex<Option<TriageRecordsError>> = Mutex::new(None);
    // A closure, so that the lock is released before the step begins: `while let` would hold it.
    let next = || open.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while let Some(record) = next() {
                    if let Err(error) = advance(record, triage_records, triager, stop, listener) {
                        stop.store(true, Ordering::Relaxed);
                        *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    }
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                }
            });
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// Processes one trigger until it is done or stuck.
fn advance(
    mut record: TriageRecord,
    triage_records: &TriageRecords,
    triager: &Triager<'_>,
    stop: &AtomicBool,
    listener: &dyn StepListener,
) -> Result<(), TriageRecordsError> {
    while record.is_open() && !stop.load(Ordering::Relaxed) {
        let Some(done) = triager.step(&record, stop) else { return Ok(()) };
        triage_records.save(&done)?;
        listener.step(&done);
        if done.stage == Stage::Stuck {
            return Ok(());
        }
        record = done;
    }
    Ok(())
}
