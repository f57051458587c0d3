//! Triage deduplicates findings into bug reports that are ready to file.
//!
//! A trigger is a script on which a solver is wrong. [`triager`] does its steps: confirm, reduce, bisect.
//!
//! * Confirm: many releases and other solvers are asked ([`release_statement`], cached by [`statement_cache`]), and their
//!   answers are compared with the right ones ([`truth`]).
//! * Reduce: first to the [`fewest_steps`] of its mutation chain, then by the reducer. The test is [`finding_persists`], or
//!   [`command`] for a command of the user's. The releases between which the bug appears and disappears must stay the same
//!   ([`release_boundary`]). If only a promised answer speaks against the solver, the [`parents`] are reduced instead.
//! * Bisect: which releases have the bug ([`bisect`], [`release_survey`], in words by [`release_range`]).
//!
//! Before a report is ready, more releases are asked ([`settle`]), and the command of the report is run ([`reproduction`]).
//!
//! Afterwards the [`shape`] of the reduced script and the affected releases decide which triggers show the same bug
//! ([`groups`]), and in which order to report them ([`queue`]). Each step is recorded in the campaign's folder ([`record`]).

pub mod bisect;
pub mod command;
pub mod fewest_steps;
pub mod finding_persists;
pub mod groups;
pub mod options;
pub mod parents;
pub mod queue;
pub mod record;
pub mod release_boundary;
pub mod release_range;
pub mod release_statement;
pub mod release_survey;
pub mod releases;
pub mod reproduction;
pub mod settle;
pub mod shape;
mod shrink;
pub mod statement_cache;
mod status_checkers;
mod strengthen;
pub mod triager;
pub mod truth;
