//! Triage: from a thousand triggers to a few reports worth filing.
//!
//! A trigger is a script on which a solver is wrong. Each is asked of many releases ([`testimony`], remembered by
//! [`memory`]), measured against what is right ([`truth`]), which tells the releases that have the bug ([`bisect`]); the look
//! of its script ([`shape`]) and that vector of releases tell which triggers show one bug ([`groups`]).

pub mod bisect;
pub mod groups;
pub mod memory;
pub mod shape;
pub mod testimony;
pub mod truth;
