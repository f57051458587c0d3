//! Quantifier elimination of cvc5: `get-qe` must give an equivalent formula, `get-qe-disjunct` one that implies the input, or follows
//! from it if the input is universal.
//!
//! ```text
//! (get-qe (exists ((y Int)) (and (< x y) (< y z))))        reply (>= z (+ x 2))
//!        claims that   (assert (not (= (exists ((y Int)) (and (< x y) (< y z))) (>= z (+ x 2))))) (check-sat)   is unsat
//! ```
//!
//! Both hold together with the assertions before the command, by cvc5's documentation. z3's elimination is a tactic
//! (`tactic.rs`).

use gainsay_smt::print::{command_text, term_text};
use gainsay_smt::{Binder, Command, Script, Term, TermView, Word, variables};

use super::core::shown;
use super::{AskedCommand, Question};
use crate::random::Rng;
use crate::solver::run::Answer;
use crate::trial::QuestionKind;
use crate::trial::claim::{Claim, ReplyReading};

/// Asks for formulas without quantifiers.
pub struct EliminationQuestion;

impl Question for EliminationQuestion {
    fn name(&self) -> &'static str {
        "elimination"
    }

    fn about(&self) -> &'static str {
        "a formula after quantifier elimination must be equivalent"
    }

    fn kind(&self) -> QuestionKind {
        QuestionKind::Elimination
    }

    fn commands(&self) -> &'static [&'static str] {
        &["get-qe", "get-qe-disjunct"]
    }

    fn ask(&self, script: &Script, rng: &mut Rng) -> Option<String> {
        if script.is_horn() || super::is_asked(script) || super::goes_on(script) || script.has_opaque() {
            return None;
        }
        let quantified = quantified(script);
        let term = *rng.choose(&quantified)?;
        let command = if rng.chance(1, 4) { "get-qe-disjunct" } else { "get-qe" };
        let first = script.commands.iter().position(|one| matches!(one, Command::Term(Word::Assert, ..)))?;
        if script.commands[first..].iter().any(Command::is_declaration) {
            return None;
        }
        let mut text = String::new();
        for (place, one) in script.commands.iter().enumerate() {
            if place == first {
                text.push_str(&format!("({command} {})\n", term_text(script.arena(), term)));
            }
            text.push_str(&command_text(script.arena(), one));
            text.push('\n');
        }
        Some(text)
    }

    fn read(&self, asked: &AskedCommand<'_>) -> ReplyReading {
        let Command::Term(word @ (Word::GetQe | Word::GetQeDisjunct), term, _) = asked.command else {
            return ReplyReading::unclear("it asks for no elimination");
        };
        let is_forall = matches!(asked.script.arena().view(*term), TermView::Bind(Binder::Forall, ..));
        let (term, reply) = (term_text(asked.script.arena(), *term), asked.reply);
        let differ = match word {
            Word::GetQe => format!("(not (= {term} {reply}))"),
            // The interface of cvc5 says so: the part of a universal formula follows from it, that of an existential implies it.
            _ if is_forall => format!("(and {term} (not {reply}))"),
            _ => format!("(and {reply} (not {term}))"),
        };
        let flat = asked.flat();
        ReplyReading::Claims(vec![Claim {
            text: flat.with_some(|place| place < asked.place, &flat.assertion(&differ)),
            answer: Answer::Unsat,
            otherwise: format!("its result {} of {} is wrong", shown(reply), word.text()),
        }])
    }
}

/// The quantified formulas of a script without free variables.
fn quantified(script: &Script) -> Vec<Term> {
    let arena = script.arena();
    let is_quantifier = |&term: &Term| {
        matches!(arena.view(term), TermView::Bind(Binder::Forall | Binder::Exists, ..))
            && variables::free(arena, term).is_empty()
    };
    arena.reachable(script.assertions()).filter(is_quantifier).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::reading;

    #[test]
    fn an_elimination_claims_equivalence_and_a_disjunct_an_implication() {
        let script = |command: &str| {
            format!("(declare-const x Int)({command} (exists ((y Int)) (< x y)))(assert (> x 0))(check-sat)")
        };
        let claim = |command: &str| match reading(&EliminationQuestion, &script(command), Answer::Sat, "true")
        {
            ReplyReading::Claims(claims) => claims[0].text.clone(),
            other => panic!("{other:?}"),
        };
        let expected =
            "(declare-const x Int)\n(assert (not (= (exists ((y Int)) (< x y)) true)))\n(check-sat)\n";
        assert_eq!(claim("get-qe"), expected);
        assert!(claim("get-qe-disjunct").contains("(assert (and true (not (exists ((y Int)) (< x y)))))"));
    }

    #[test]
    fn a_part_of_a_universal_formula_follows_from_it() {
        let script = "(declare-const x Int)(get-qe-disjunct (forall ((y Int)) (< x y)))(check-sat)";
        let ReplyReading::Claims(claims) = reading(&EliminationQuestion, script, Answer::Sat, "(< x 0)")
        else {
            panic!()
        };
        let expected = "(assert (and (forall ((y Int)) (< x y)) (not (< x 0))))";
        assert!(claims[0].text.contains(expected), "{}", claims[0].text);
    }
}
