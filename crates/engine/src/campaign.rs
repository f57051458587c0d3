//! The campaign: seeds in, findings out.

pub mod plan;
