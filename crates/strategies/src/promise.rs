//! Promises: the answer to a question that a strategy guarantees.

use serde::{Deserialize, Serialize};

use gainsay_solvers::run::Answer;

/// The guaranteed answer to a question, if any.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Promise {
    /// Nothing.
    #[default]
    Nothing,
    /// The question has this answer, if the parents of the script have theirs.
    Known(Answer),
    /// The question has this answer by construction, whatever the answers of the parents are.
    Constructed(Answer),
    /// Each question has the answer that the `:status` before it claims: scripts with several checks have several. A trial gives each
    /// of its questions the promise that follows.
    Claimed,
}

impl Promise {
    /// The answer of a parent with this status, for a script that keeps it.
    pub fn of_status(status: Option<Answer>) -> Promise {
        match status {
            Some(answer @ (Answer::Sat | Answer::Unsat)) => Promise::Known(answer),
            Some(Answer::Unknown) | None => Promise::Nothing,
        }
    }

    /// The guaranteed answer.
    pub fn answer(self) -> Option<Answer> {
        match self {
            Promise::Nothing | Promise::Claimed => None,
            Promise::Known(answer) | Promise::Constructed(answer) => Some(answer),
        }
    }
}
