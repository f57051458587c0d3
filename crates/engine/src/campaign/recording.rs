//! Recording: the coordinator counts events, passes them to the listener and writes them to the store.

pub mod known_bugs;
pub(super) mod ledger;
mod own_cpu;
