//! Abducts of cvc5: a formula that is consistent with the assertions, and with them implies a conjecture.
//!
//! ```text
//! (assert (> x y)) (check-sat) (get-abduct missing (> x z))      reply (define-fun missing () Bool (>= y z))
//!        claims that      (assert (> x y)) (assert (>= y z)) (check-sat)                        is sat
//!        and that         (assert (> x y)) (assert (>= y z)) (assert (not (> x z))) (check-sat) is unsat
//! ```
//!
//! The interface of cvc5 says so. If it finds no abduct, it says `fail` or gives up, which claims nothing.

use gainsay_smt::Script;

use super::core::shown;
use super::interpolant::{AssertedParts, conjecture_and_result, next_commands, repetition};
use super::{AskedCommand, Question, fresh_prefix};
use crate::random::Rng;
use crate::solver::run::Answer;
use crate::trial::QuestionKind;
use crate::trial::claim::{Claim, ReplyReading};

/// Asks for abducts.
pub struct AbductQuestion;

impl Question for AbductQuestion {
    fn name(&self) -> &'static str {
        "abduct"
    }

    fn about(&self) -> &'static str {
        "an abduct must be consistent with the assertions and, with them, imply the conjecture"
    }

    fn kind(&self) -> QuestionKind {
        QuestionKind::Abduct
    }

    fn commands(&self) -> &'static [&'static str] {
        &["get-abduct", "get-abduct-next"]
    }

    fn ask(&self, script: &Script, rng: &mut Rng) -> Option<String> {
        let parts = AssertedParts::of(script)?;
        let conjecture = rng.choose(&parts.formulas)?.clone();
        let conjecture = if rng.chance(1, 2) { format!("(not {conjecture})") } else { conjecture };
        let mut text = format!("(set-option :produce-abducts true)\n{}", parts.head);
        // Fewer assertions leave more to be found.
        for part in parts.conjuncts.iter().filter(|_| rng.chance(2, 3)) {
            text.push_str(&format!("(assert {part})\n"));
        }
        let name = fresh_prefix(script, "missing");
        let next = next_commands("get-abduct-next", rng);
        Some(text + &format!("(check-sat)\n(get-abduct {name} {conjecture})\n{next}"))
    }

    fn read(&self, asked: &AskedCommand<'_>) -> ReplyReading {
        // Then nothing is consistent with them, and cvc5 says true.
        if asked.answer == Some(Answer::Unsat) {
            return ReplyReading::unclear("the assertions contradict each other");
        }
        let Some((conjecture, result)) = conjecture_and_result(asked) else {
            return ReplyReading::unclear("it gives no abduct");
        };
        if let Some(why) = repetition(asked) {
            return ReplyReading::Repeats(format!("its next abduct {why}"));
        }
        let flat = asked.flat();
        let assumed = flat.assertion(result);
        let rejected = flat.assertion(&format!("(not {conjecture})"));
        let claim = |text: String, answer: Answer, what: &str| Claim {
            text,
            answer,
            otherwise: format!("its abduct {} {what}", shown(result)),
        };
        let mut claims = Vec::new();
        // `true` adds nothing to assertions of which the solver may not know that they contradict each other.
        if result != "true" {
            // Only who answered sat has said that the assertions do not do so by themselves.
            let what = match asked.answer {
                Some(Answer::Sat) => "contradicts the assertions",
                _ => "is not consistent with the assertions, which may contradict each other without it",
            };
            claims.push(claim(flat.with(&assumed), Answer::Sat, what));
        }
        claims.push(claim(flat.with(&(assumed + &rejected)), Answer::Unsat, "does not imply the conjecture"));
        ReplyReading::Claims(claims)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::{asked, reading};

    #[test]
    fn an_abduct_is_consistent_and_enough() {
        let text = "(declare-const x Int)(declare-const y Int)(declare-const z Int)(assert (> x y))(check-sat)\
            (get-abduct missing (> x z))";
        let reply = "(define-fun missing () Bool (>= y z))";
        let ReplyReading::Claims(claims) = reading(&AbductQuestion, text, Answer::Sat, reply) else {
            panic!()
        };
        assert!(claims[0].text.ends_with("(assert (> x y))\n(assert (>= y z))\n(check-sat)\n"));
        assert!(claims[1].text.ends_with("(assert (>= y z))\n(assert (not (> x z)))\n(check-sat)\n"));
        assert_eq!((claims[0].answer, claims[1].answer), (Answer::Sat, Answer::Unsat));
        assert!(claims[0].otherwise.ends_with("contradicts the assertions"), "{}", claims[0].otherwise);
        let ReplyReading::Claims(claims) = reading(&AbductQuestion, text, Answer::Unknown, reply) else {
            panic!()
        };
        assert!(claims[0].otherwise.ends_with("without it"), "nothing is known of the assertions alone");
        assert!(matches!(reading(&AbductQuestion, text, Answer::Sat, "fail"), ReplyReading::Unclear(_)));
        assert!(matches!(reading(&AbductQuestion, text, Answer::Unsat, reply), ReplyReading::Unclear(_)));
        let trivial = "(define-fun missing () Bool true)";
        let ReplyReading::Claims(claims) = reading(&AbductQuestion, text, Answer::Unknown, trivial) else {
            panic!()
        };
        assert_eq!(claims.len(), 1, "it may not know that the assertions contradict each other");
    }

    #[test]
    fn a_formula_of_the_script_is_the_conjecture() {
        let text = "(declare-const x Int)(assert (or (> x 3) (< x 2)))(check-sat)";
        let made: Vec<String> = (0..40).filter_map(|seed| asked(&AbductQuestion, text, seed)).collect();
        assert!(
            made.iter()
                .any(|text| text
                    .ends_with("(check-sat)\n(get-abduct missing (not (< x 2)))\n(get-abduct-next)\n")),
            "{made:?}"
        );
    }
}
