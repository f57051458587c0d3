//! Triage: from findings to reports.

pub mod command;
pub mod question;
