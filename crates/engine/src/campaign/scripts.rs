//! Making scripts: which script each case is.
//!
//! A [`recipe`] draws the strategy and the streams of a case, a [`chain`] applies the strategies one after the other, and
//! [`remake`] makes a recorded case again. [`partners`] draws the second parents of fusions, [`question_draw`] the questions of cases; `small_seed` shrinks seeds; [`advice`] asks a solver for values
//! of constants and for Horn clauses in other words.

pub mod advice;
pub mod chain;
pub mod drawn_logic;
pub(super) mod intended_model;
pub mod partners;
pub mod question_draw;
pub mod recipe;
pub mod remake;
mod small_seed;
