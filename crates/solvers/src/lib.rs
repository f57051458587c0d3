//! Solvers: what is known of each (profiles), how they are named, installed, started, limited, watched and understood.
//!
//! A solver is a program that may do anything: crash, hang, flood, leave children behind. None of that may cost more
//! than the one script that caused it, so every solver runs under a helper process ([`helper`]) that limits it, watches
//! it, and outlives gainsay just long enough to clean up after it.
//!
//! * From a name to a program: [`name`], [`version`], [`resolve`]; installed releases ([`cache`], [`install`]).
//! * From a query to a [`Run`](run::Run): [`runner`] applies a profile, a [`driver`] runs the solver, [`dialogue`] keeps one open.
//! * Processes: [`process`] and `protocol` talk to the helper, [`helper`] starts and limits solvers, `guard` cleans up after a
//!   killed helper, [`sandbox`] says what a solver may reach, `sys` has the system calls; `native` loads libz3 and libcvc5.
//! * From output to meaning: [`reading`] finds answers, [`classify`] finds [`trouble`], [`trace`] and [`statistics`] tell what
//!   the solver did. All of it goes by the rows of the profile ([`profile`]).

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
