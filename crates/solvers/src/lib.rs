//! Runs SMT solvers: names, installs, starts, limits and confines them, and reads their output. Facts about each solver are in its profile.
//!
//! A solver may crash, hang, flood its output or leave child processes behind. That must cost no more than the script that
//! caused it, so every solver runs under a helper process ([`helper`]), which limits and watches it, and which outlives gainsay
//! just long enough to clean up.
//!
//! * From a name to a program: [`name`], [`version`], [`resolve`]; installed releases ([`cache`], [`install`]).
//! * From a query to a [`Run`](run::Run): [`runner`] applies a profile, a [`driver`] runs the solver, [`dialogue`] keeps one open.
//! * Processes: [`process`] and `protocol` talk to the helper, [`helper`] starts and limits solvers, `guard` cleans up after a
//!   killed helper, [`shortage`] says which errors pass by themselves, [`sandbox`] limits the files that a solver may access, `sys`
//!   has the system calls; `native` loads libz3 and libcvc5.
//! * [`coverage`] chooses what to cover of a solver, and how; [`backtrace`] asks a debugger where it crashed; [`proof_checker`] runs a
//!   checker of proofs.
//! * From output to meaning: [`output_reader`] finds answers, [`classify`] finds [`trouble`], [`trace`] and [`statistics`] record
//!   what the solver did. All of them apply the rows of the profile ([`profile`]).

pub mod backtrace;
pub mod bounded;
pub mod cache;
pub mod classify;
pub mod coverage;
pub mod dialogue;
pub mod driver;
pub mod guard;
pub mod helper;
pub mod install;
pub mod name;
mod native;
pub mod outline;
pub mod output_reader;
pub mod process;
pub mod profile;
pub mod profiles;
pub mod program_hash;
pub mod proof_checker;
pub mod protocol;
mod rejection;
pub mod resolve;
pub mod run;
mod run_clock;
pub mod runner;
pub mod sandbox;
pub mod sanitizer;
pub mod script_filter;
pub mod selftest;
pub mod shortage;
pub mod statistics;
pub mod suggest;
mod sys;
pub mod trace;
pub mod trouble;
mod unescape;
pub mod version;

pub use sys::{own_cpu_time, raise_descriptor_limit, survive_file_size_limit};
