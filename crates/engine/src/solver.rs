//! Solvers: what is known of each (profiles), how they are named, installed, started, limited, watched and understood.
//!
//! A solver is a program that may do anything: crash, hang, flood, leave children behind. None of that may cost more
//! than the one script that caused it, so every solver runs under a helper process ([`helper`]) that limits it, watches
//! it, and outlives gainsay just long enough to clean up after it.

pub mod cache;
pub mod classify;
pub mod dialogue;
pub mod driver;
pub mod guard;
pub mod helper;
pub mod install;
pub mod name;
mod native;
pub mod outline;
pub mod process;
pub mod profile;
pub mod profiles;
pub mod protocol;
pub mod reading;
pub mod resolve;
pub mod run;
pub mod runner;
pub mod sandbox;
pub mod script_filter;
pub mod selftest;
pub mod statistics;
pub mod suggest;
mod sys;
pub mod trace;
pub mod trouble;
mod unescape;
pub mod version;

pub use sys::own_cpu_time;
