//! Triage: from a thousand triggers to a few reports worth filing.
//!
//! A trigger is a script on which a solver is wrong. It is reduced under the [`question`] of its own finding and asked of many
//! releases ([`testimony`], remembered by [`memory`]), measured against what is right ([`truth`]), which tells the releases
//! that have the bug ([`bisect`], [`survey`]) and where it comes and goes, which a reduction keeps ([`edge`]); the look of
//! its script ([`shape`]) and that vector of releases tell which triggers show one bug ([`groups`]), and in which order they
//! are told ([`queue`]). What is known of each trigger is kept step by step in the folder of the campaign ([`record`]), and
//! [`work`] does the next step; a mutation chain is first cut down to the [`steps`] that are needed, and what is known only
//! by what it was made of is made again of smaller [`parents`].

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
pub mod release_statement;
pub mod release_survey;
pub mod releases;
pub mod shape;
mod shrink;
pub mod statement_cache;
mod status_checkers;
mod strengthen;
pub mod triager;
pub mod truth;
