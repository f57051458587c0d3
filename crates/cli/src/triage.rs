//! Triage as the command line plays it: where triggers come from, many at work at a time, and what is written of them.

pub mod beside;
pub mod gather;
pub mod play;
pub mod write;
