//! The campaign: seeds in, findings out.

pub mod chain;
pub mod plan;
