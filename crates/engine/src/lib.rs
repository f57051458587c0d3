//! The fuzzing: everything between a script and a finding.

pub mod oracle;
pub mod solver;
