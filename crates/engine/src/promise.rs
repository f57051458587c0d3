//! What a strategy guarantees about the answer to a question.

use serde::{Deserialize, Serialize};

use crate::solver::run::Answer;

/// What is known about the answer to a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Promise {
    /// Nothing.
    #[default]
    Nothing,
    /// The question has this answer.
    Known(Answer),
}
