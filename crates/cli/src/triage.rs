//! Triage: collects triggers, processes them in parallel, and writes reports.

pub mod background;
pub mod leads;
pub mod output;
pub mod triggers;
pub mod workers;
