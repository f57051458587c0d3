//! Proofs: a solver is asked for a proof of unsat, and cvc5 also checks every step of its own proof.
//!
//! ```text
//! (assert a) (assert (not a)) (check-sat)
//!        becomes      (set-option :produce-proofs true) (set-option :check-proofs true) (set-option :proof-check eager)
//!                     (assert a) (assert (not a)) (check-sat) (get-proof)
//! ```
//!
//! A proof step that cvc5 itself finds wrong ends its process, which is a crash. Of the proof as text, its goal and its premises are
//! read (`proof/premises.rs`): it must mention `false`, and each premise must follow from the assertions. No checker of proofs comes with
//! the solvers, so nothing else follows from it.

use gainsay_smt::print::command_text;
use gainsay_smt::{Command, Script};

use super::{AskedCommand, Question};
use crate::random::Rng;
use crate::solver::run::Answer;
use crate::trial::QuestionKind;
use crate::trial::claim::{Claim, ReplyReading};

mod premises;

use premises::premises;

/// Asks for proofs.
pub struct ProofQuestion;

impl Question for ProofQuestion {
    fn name(&self) -> &'static str {
        "proof"
    }

    fn about(&self) -> &'static str {
        "a proof of unsat must pass the solver's own checker, and start from the assertions"
    }

    fn kind(&self) -> QuestionKind {
        QuestionKind::Proof
    }

    fn commands(&self) -> &'static [&'static str] {
        &["get-proof"]
    }

    fn ask(&self, script: &Script, rng: &mut Rng) -> Option<String> {
        let is_plain = script.commands.iter().any(|command| matches!(command, Command::CheckSat));
        if !is_plain || script.is_horn() || super::is_asked(script) || super::goes_on(script) {
            return None;
        }
        let mut text = String::from("(set-option :produce-proofs true)\n(set-option :check-proofs true)\n");
        if rng.chance(1, 2) {
            text.push_str("(set-option :proof-check eager)\n");
        }
        for command in &script.commands {
            text.push_str(&command_text(script.arena(), command));
            text.push('\n');
            if matches!(command, Command::CheckSat) {
                text.push_str("(get-proof)\n");
            }
        }
        Some(text)
    }

    fn read(&self, asked: &AskedCommand<'_>) -> ReplyReading {
        match (asked.answer, asked.reply.contains("false")) {
            (Some(Answer::Unsat), true) => from_assertions(asked),
            (Some(Answer::Unsat), false) => ReplyReading::unclear("the goal of the proof cannot be found"),
            _ => ReplyReading::unclear("the check before it is not unsat"),
        }
    }
}

/// Claims that the premises of a proof follow from the assertions, if they can be read.
fn from_assertions(asked: &AskedCommand<'_>) -> ReplyReading {
    let Some(premises) = premises(asked.reply) else { return ReplyReading::Right };
    let flat = asked.flat();
    ReplyReading::Claims(vec![Claim {
        text: flat.with(&flat.assertion(&format!("(not (and true {}))", premises.join(" ")))),
        answer: Answer::Unsat,
        otherwise: "a premise of its proof does not follow from the assertions".to_owned(),
    }])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::{asked, reading};

    #[test]
    fn a_script_is_made_to_ask_for_its_proof() {
        let made = asked(&ProofQuestion, "(declare-const p Bool)(assert p)(check-sat)", 1).unwrap();
        assert!(made.starts_with("(set-option :produce-proofs true)"), "{made}");
        assert!(made.ends_with("(check-sat)\n(get-proof)\n"), "{made}");
    }

    #[test]
    fn a_proof_is_right_if_it_proves_false_and_needed_if_the_answer_is_unsat() {
        let text = "(declare-const p Bool)(assert p)(check-sat)(get-proof)";
        assert_eq!(
            reading(&ProofQuestion, text, Answer::Unsat, "((step @p1 false :rule x))"),
            ReplyReading::Right
        );
        assert!(matches!(reading(&ProofQuestion, text, Answer::Sat, "(x false)"), ReplyReading::Unclear(_)));
        assert!(matches!(reading(&ProofQuestion, text, Answer::Unsat, "(x)"), ReplyReading::Unclear(_)));
    }

    #[test]
    fn a_premise_must_follow_from_the_assertions() {
        let text = "(declare-const p Bool)(assert p)(check-sat)(get-proof)";
        let proof = "((assume @p1 (not p))(step @p2 false :rule x))";
        let ReplyReading::Claims(claims) = reading(&ProofQuestion, text, Answer::Unsat, proof) else {
            panic!("the premise is a claim")
        };
        assert_eq!(claims.len(), 1);
        let claimed = claims[0].text.replace('\n', "");
        assert_eq!(claimed, "(declare-const p Bool)(assert p)(assert (not (and true (not p))))(check-sat)");
        assert_eq!(claims[0].answer, Answer::Unsat);
    }
}
