//! Solvers: how they are started, limited, watched and understood.
//!
//! A solver is a program that may do anything: crash, hang, flood, leave children behind. None of that may cost more
//! than the one script that caused it, so every solver runs under a helper process ([`helper`]) that limits it, watches
//! it, and outlives gainsay just long enough to clean up after it.

pub mod driver;
pub mod helper;
mod native;
pub mod outline;
pub mod process;
pub mod protocol;
pub mod reading;
pub mod run;
mod sys;
pub mod trouble;
