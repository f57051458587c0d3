//! Triage as the command line plays it: where triggers come from, many at work at a time, and what is written of them.

pub mod background;
pub mod output;
pub mod triggers;
pub mod workers;
