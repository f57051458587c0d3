//! Triage: from findings to reports.

pub mod question;
