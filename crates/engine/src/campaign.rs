//! The campaign: seeds in, findings out.

pub mod check;
pub mod plan;
pub mod span;
