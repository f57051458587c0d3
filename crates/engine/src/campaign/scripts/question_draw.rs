//! Some cases of a campaign ask a question beyond sat and unsat: which one is drawn from a stream of the case.
//!
//! The question changes the case only, not the script that the next step of the chain starts from.

use gainsay_smt::Script;

use super::chain::{MadeScript, StepOutcome};
use crate::question::Question;
use crate::random::RandomStream;

/// Which questions a campaign asks, and how often.
#[derive(Debug, Clone, Default)]
pub struct QuestionDraw {
    /// The questions.
    pub questions: Vec<&'static dyn Question>,
    /// In how many of 100 cases.
    pub percent: u8,
}

impl QuestionDraw {
    /// Makes a case ask a question, if one is drawn and suits it.
    pub(super) fn apply(&self, stream: RandomStream, outcome: StepOutcome) -> StepOutcome {
        let StepOutcome::Made(mut made) = outcome else { return outcome };
        let mut rng = stream.child("question", 0).rng();
        if self.questions.is_empty() || !rng.chance(usize::from(self.percent.min(100)), 100) {
            return StepOutcome::Made(made);
        }
        let mut order = self.questions.clone();
        rng.shuffle(&mut order);
        let asked =
            order.into_iter().find_map(|question| Some((question, question.ask(&made.script, &mut rng)?)));
        let Some((question, text)) = asked else { return StepOutcome::Made(made) };
        match Script::parse(&text, made.script.arena().signature()) {
            Ok(script) => {
                made =
                    MadeScript { text: script.to_string(), script, question: Some(question.name()), ..made };
                StepOutcome::Made(made)
            }
            Err(error) => StepOutcome::OurBug(format!("the question {} makes {error}", question.name())),
        }
    }
}
