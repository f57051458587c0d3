//! Scripts that go on: every check must have the answer of its flattened script, which a fresh process is asked.
//!
//! ```text
//! (push) (assert a) (check-sat) (pop) (assert b) (check-sat)
//!        the second check must have the answer of        (assert b) (check-sat)
//! ```
//!
//! The same holds for assumptions (asserted in the flattened script), for tactics, simplifiers and preprocessing passes (left out of it),
//! and for blocked models (asserted as formulas, `models.rs`).

use gainsay_smt::{Command, Script};

use super::preprocess::preprocessing_options;
use super::{AskedCommand, Question};
use crate::random::Rng;
use crate::solver::run::Answer;
use crate::strategy::script_state::simplifier;
use crate::trial::QuestionKind;
use crate::trial::claim::{Claim, ReplyReading};

/// Compares each check with its flattened script.
pub struct SequenceQuestion;

impl Question for SequenceQuestion {
    fn name(&self) -> &'static str {
        "sequence"
    }

    fn about(&self) -> &'static str {
        "each check of a script that goes on must have the answer of its flattened script"
    }

    fn kind(&self) -> QuestionKind {
        QuestionKind::Sequence
    }

    fn commands(&self) -> &'static [&'static str] {
        &["check-sat", "check-sat-assuming", "check-sat-using"]
    }

    fn ask(&self, script: &Script, _: &mut Rng) -> Option<String> {
        // The strategy `incremental` makes such scripts; any script that goes on asks it.
        super::goes_on(script).then(|| script.to_string())
    }

    fn read(&self, asked: &AskedCommand<'_>) -> ReplyReading {
        let answer = match Answer::from_word(asked.reply.as_bytes()) {
            None | Some(Answer::Unknown) => return ReplyReading::unclear("it does not decide the check"),
            Some(answer) => answer,
        };
        if answer == Answer::Unsat && !asked.blocked.is_complete {
            return ReplyReading::unclear("it is not known which models are blocked");
        }
        ReplyReading::Claims(vec![Claim {
            text: asked.flat().with(&asked.blocked.assertions()),
            answer,
            otherwise: format!("its {} to a check is not that of the same check by itself", answer.name()),
        }])
    }

    fn detail(&self, command: &Command, script: &Script) -> String {
        match command {
            Command::Plain(name, text) if script.arena().text(*name) == "check-sat-using" => {
                format!("using:{}", script.arena().text(*text).replace(char::is_whitespace, "_"))
            }
            _ => {
                let passes = preprocessing_options(script);
                let mut simplifiers = script.commands.iter().filter_map(|one| simplifier(script, one));
                match simplifiers.next() {
                    Some(name) => format!("simplifier:{}", name.replace(char::is_whitespace, "_")),
                    None if passes.is_empty() => self.name().to_owned(),
                    None => format!("passes:{}", passes.join("+")),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::reading;

    #[test]
    fn a_check_claims_the_answer_of_its_flattened_script() {
        let text = "(declare-const p Bool)(push)(assert p)(check-sat)(pop)(check-sat-assuming ((not p)))";
        let ReplyReading::Claims(claims) = reading(&SequenceQuestion, text, Answer::Sat, "sat") else {
            panic!()
        };
        assert_eq!(claims[0].text, "(declare-const p Bool)\n(assert (not p))\n(check-sat)\n");
        assert!(matches!(
            reading(&SequenceQuestion, text, Answer::Unknown, "unknown"),
            ReplyReading::Unclear(_)
        ));
    }
}
