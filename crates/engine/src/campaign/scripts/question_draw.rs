//! Some cases of a campaign ask a question beyond sat and unsat: which one is drawn from a stream of the case.
//!
//! The question changes the case only, not the script that the next step of the chain starts from.

use gainsay_smt::Script;

use super::chain::{MadeScript, StepOutcome};
use crate::known_answers::KnownAnswers;
use crate::question::Question;
use crate::question::tactic::installed::InstalledTactics;
use crate::random::RandomStream;
use crate::trial::{Promise, question_count};

/// Which questions a campaign asks, and how often.
#[derive(Debug, Clone, Default)]
pub struct QuestionDraw {
    /// The questions.
    pub questions: Vec<&'static dyn Question>,
    /// In how many of 100 cases.
    pub percent: u8,
    /// Tactics beyond those of the tables.
    pub tactics: InstalledTactics,
}

impl QuestionDraw {
    /// Makes a case ask a question, if one is drawn and suits it.
    pub(super) fn apply(&self, stream: RandomStream, outcome: StepOutcome) -> StepOutcome {
        let StepOutcome::Made(mut made) = outcome else { return outcome };
        if self.questions.is_empty() {
            return StepOutcome::Made(made);
        }
        let mut rng = stream.child("question", 0).rng();
        if !rng.chance(usize::from(self.percent.min(100)), 100) {
            return StepOutcome::Made(made);
        }
        let mut order = self.questions.clone();
        rng.shuffle(&mut order);
        let asked = order.into_iter().find_map(|question| {
            Some((question, question.ask_installed(&made.script, &mut rng, &self.tactics)?))
        });
        let Some((question, text)) = asked else { return StepOutcome::Made(made) };
        match Script::parse(&text, made.script.arena().signature()) {
            Ok(script) => {
                if question_count(&script) != question_count(&made.script) {
                    promise_by_assertions(&mut made);
                }
                made =
                    MadeScript { text: script.to_string(), script, question: Some(question.name()), ..made };
                StepOutcome::Made(made)
            }
            Err(error) => StepOutcome::OurBug(format!("the question {} makes {error}", question.name())),
        }
    }
}

/// Turns the promise of a script into answers to what its checks assert: a question may add checks, such as those after a blocked model, to
/// which the promise does not belong.
fn promise_by_assertions(made: &mut MadeScript) {
    let promise = std::mem::replace(&mut made.promise, Promise::Nothing);
    let answers = vec![promise.answer(); question_count(&made.script)];
    made.known = KnownAnswers::of(&made.script, &answers).and(&made.known);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question;
    use crate::solver::run::Answer;
    use gainsay_smt::Signature;

    #[test]
    fn a_promise_does_not_belong_to_the_checks_that_a_question_adds() {
        let text = "(declare-const x Int)(assert (< 3 x 5))(check-sat)";
        let script = Script::parse(text, &Signature::standard()).unwrap();
        let made = MadeScript {
            text: text.to_owned(),
            script,
            promise: Promise::Known(Answer::Sat),
            known: KnownAnswers::default(),
            step: String::new().into(),
            joined: Vec::new(),
            is_anew: false,
            is_side_step: false,
            question: None,
        };
        let draw = |name: &str| {
            let questions = vec![question::find(name).unwrap()];
            let draw = QuestionDraw { questions, percent: 100, ..QuestionDraw::default() };
            let StepOutcome::Made(asked) = draw.apply(RandomStream::new(1), StepOutcome::Made(made.clone()))
            else {
                panic!()
            };
            assert_eq!(asked.question, Some(name));
            asked
        };
        // A second model does not exist.
        let blocked = draw("models");
        assert_eq!(blocked.promise, Promise::Nothing);
        let answers = blocked.known.of_each(&blocked.script);
        assert!(answers.len() > 1 && answers.iter().all(Option::is_none), "{}", blocked.text);
        assert_eq!(draw("values").promise, Promise::Known(Answer::Sat));
    }
}
