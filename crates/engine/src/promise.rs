//! Promises: the answer to a question that a strategy guarantees.

use serde::{Deserialize, Serialize};

use crate::solver::run::Answer;

/// The guaranteed answer to a question, if any.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Promise {
    /// Nothing.
    #[default]
    Nothing,
    /// The question has this answer.
    Known(Answer),
}
