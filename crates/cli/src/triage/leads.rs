//! Prepares the trigger that leads each group for its report: asks more releases, and runs the command of the report.
//!
//! Only leads are prepared: releases may have to be downloaded for it. What the releases say may change the groups, and so the
//! leads, so this is repeated until nothing changes.

use std::sync::atomic::{AtomicBool, Ordering};

use gainsay_engine::triage::queue::queue;
use gainsay_engine::triage::record::{TriageRecord, TriageRecords, TriageRecordsError};
use gainsay_engine::triage::triager::Triager;

use crate::console;

/// How often the groups may change.
const MAX_ROUNDS: usize = 4;

/// Prepares all leads, until all are done or `stop` is set.
pub fn prepare(
    triage_records: &TriageRecords,
    triager: &Triager<'_>,
    stop: &AtomicBool,
) -> Result<(), TriageRecordsError> {
    for _ in 0..MAX_ROUNDS {
        let records = triage_records.load()?;
        let leads: Vec<TriageRecord> = queue(&records, 1).iter().map(|bug| bug.lead.clone()).collect();
        let mut is_changed = false;
        for lead in leads {
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let prepared = prepared(&lead, triager, stop);
            if prepared != lead {
                triage_records.save(&prepared)?;
                is_changed = true;
            }
        }
        if !is_changed {
            break;
        }
    }
    Ok(())
}

fn prepared(lead: &TriageRecord, triager: &Triager<'_>, stop: &AtomicBool) -> TriageRecord {
    let mut record = match triager.settle(lead, stop) {
        Ok(settled) => settled.unwrap_or_else(|| lead.clone()),
        Err(why) => {
            console::err(format_args!("gainsay: {}: more releases cannot be asked: {why}", lead.name));
            lead.clone()
        }
    };
    // Records of before do not have it.
    if record.build_version.is_none() {
        record.build_version = triager.build_version(&record);
    }
    if record.reproduction.is_none() {
        record.reproduction = triager.reproduce(&record).unwrap_or_default();
    }
    record
}
