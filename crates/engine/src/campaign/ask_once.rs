//! Facts that are asked for once: the first caller asks, others wait for the answer.
//!
//! Unlike with `OnceLock::get_or_init`, asking may be interrupted when the campaign stops; the next caller asks again.

use std::sync::{Mutex, OnceLock, PoisonError};

/// The campaign is stopping: the current work is dropped and not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Halted;

/// A fact that is asked for once.
#[derive(Debug)]
pub struct OnceAsked<T> {
    answer: OnceLock<T>,
    asking: Mutex<()>,
}

impl<T> Default for OnceAsked<T> {
    fn default() -> Self {
        OnceAsked { answer: OnceLock::new(), asking: Mutex::new(()) }
    }
}

impl<T> OnceAsked<T> {
    /// Sets an answer from an earlier session, unless there is one.
    pub fn recall(&self, answer: T) {
        let _ = self.answer.set(answer);
    }

    /// The answer, if there is one yet.
    pub fn get(&self) -> Option<&T> {
        self.answer.get()
    }

    /// The answer; calls `ask` if there is none yet. A panic of `ask` leaves it unset.
    pub fn get_or_ask(&self, ask: impl FnOnce() -> Result<T, Halted>) -> Result<&T, Halted> {
        let asking = self.asking.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = self.answer.get() {
            return Ok(answer);
        }
        let answer = ask()?;
        let answer = self.answer.get_or_init(|| answer);
        drop(asking);
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_is_asked_for_until_there_is_an_answer_and_never_again() {
        let fact = OnceAsked::default();
        assert_eq!(fact.get_or_ask(|| Err(Halted)), Err(Halted));
        assert_eq!(fact.get_or_ask(|| Ok(1)), Ok(&1));
        assert_eq!(fact.get_or_ask(|| unreachable!("the answer is known")), Ok(&1));
        fact.recall(2);
        assert_eq!(fact.get_or_ask(|| Err(Halted)), Ok(&1), "the first answer stays");
    }
}
