//! Feedback from runs for the choice of seeds and mutations (HornFuzz, sections 4.1 to 4.4). Nothing here runs a solver: each
//! value is told the outcomes of runs and answers questions about the next step.
//!
//! ```text
//! Run ── behaviour: was it new? ──┬── weights:   which mutation comes next
//!           │                     └── chain_end: does the chain continue
//!           └── trace ── transitions ── order: which seed comes first
//! ```

pub mod behaviour;
pub mod chain_end;
pub mod order;
pub mod transitions;
