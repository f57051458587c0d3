//! Recording: what the coordinator counts, tells the listener and writes to the store.

pub mod known_bugs;
pub(super) mod ledger;
mod own_cpu;
