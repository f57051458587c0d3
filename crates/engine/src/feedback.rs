//! Feedback: what runs showed, and what follows from that for the choice of seeds and mutations (HornFuzz, sections 4.1 to
//! 4.4). All of it is pure: values that are told what happened and say what to do.
//!
//! ```text
//! Run ── behaviour ── Seen: was it new? ──┬── weights: which mutation next
//!           │                             └── groups:  go on with this seed, roll back, or take another
//!           └── trace ── transitions ── order: which seed comes first
//! ```

pub mod behaviour;
pub mod groups;
pub mod order;
pub mod points;
pub mod transitions;
pub mod weights;
