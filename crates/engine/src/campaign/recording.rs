//! Recording: the coordinator counts events, passes them to the listener and writes them to the store.

mod known_again;
pub mod known_bugs;
pub(super) mod ledger;
mod own_cpu;
