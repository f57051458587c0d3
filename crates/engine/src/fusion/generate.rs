//! Making functions of the rows of a table.

use super::expression::Expression;
use super::{Function, Functions};
use crate::random::Rng;

/// What function is wanted.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// The sorts of its parameters.
    pub parameters: Vec<Expression>,
    /// The sort of its result, if it matters.
    pub result: Option<Expression>,
    /// How many operators, constants and parameters it is made of.
    pub size: usize,
}

/// A function as it is wished, if the draws find one.
pub fn generate(functions: &Functions, wish: &Wish, rng: &mut Rng) -> Option<Function> {
    let _ = (functions, wish, rng);
    None
}
