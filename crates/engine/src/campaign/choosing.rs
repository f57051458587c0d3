//! Choosing: which chain is next, and which seed and strategies it starts with.
//!
//! The [`agenda`] hands out chains by number. Where every strategy preserves the answer, the [`guide`] orders seeds and weighs
//! mutations by the traces of earlier runs; where a bandit leads, [`steering`] lets it choose among the [`arms`].

pub(super) mod agenda;
mod arms;
pub(super) mod guide;
pub mod steering;
