//! Simplification: a term and what a solver simplifies it to must be equal, whatever the values of its constants.
//!
//! ```text
//! (simplify (+ x x 1) :som true)        reply (+ 1 (* 2 x))
//!        claims that      (assert (distinct (+ x x 1) (+ 1 (* 2 x)))) (check-sat)      is unsat
//! ```
//!
//! cvc5 documents that it may use the assertions before the command, so these assertions are part of the claim.

use gainsay_smt::print::{command_text, term_text};
use gainsay_smt::{Command, Script, Word};

use super::core::shown;
use super::values::closed_terms;
use super::{AskedCommand, Question};
use crate::random::Rng;
use crate::solver::run::Answer;
use crate::trial::QuestionKind;
use crate::trial::claim::{Claim, ReplyReading};

/// Asks for simplified terms.
pub struct SimplifyQuestion;

/// Terms of a script that are simplified.
const MAX_TERMS_SIMPLIFIED: usize = 6;

/// Options of z3's simplify that change the look of the result and not its meaning (`(help-tactic)` of 5.4.0, simplify).
const Z3_OPTIONS: &[&str] = &[
    "algebraic_number_evaluator false",
    "arith_ineq_lhs true",
    "arith_lhs true",
    "bit2bool false",
    "blast_distinct true",
    "blast_eq_value true",
    "blast_select_store true",
    "bv_extract_prop true",
    "bv_ite2id true",
    "bv_le_extra true",
    "bv_not_simpl true",
    "bv_sort_ac true",
    "elim_and true",
    "elim_ite false",
    "elim_rem true",
    "elim_to_real true",
    "eq2ineq true",
    "expand_nested_stores true",
    "expand_power true",
    "expand_select_ite true",
    "expand_select_store true",
    "expand_store_eq true",
    "expand_tan true",
    "flat false",
    "flat_and_or false",
    "gcd_rounding true",
    "hoist_ite true",
    "hoist_mul true",
    "ite_extra_rules true",
    "local_ctx true",
    "mul2concat true",
    "mul_to_power true",
    "pull_cheap_ite true",
    "push_ite_arith true",
    "push_ite_bv true",
    "push_to_real false",
    "rewrite_patterns true",
    "som true",
    "sort_store true",
    "sort_sums true",
    "split_concat_eq true",
];

impl Question for SimplifyQuestion {
    fn name(&self) -> &'static str {
        "simplify"
    }

    fn about(&self) -> &'static str {
        "a simplified term must be equal to the term"
    }

    fn kind(&self) -> QuestionKind {
        QuestionKind::Simplify
    }

    fn commands(&self) -> &'static [&'static str] {
        &["simplify"]
    }

    fn ask(&self, script: &Script, rng: &mut Rng) -> Option<String> {
        if script.is_horn() || super::is_asked(script) || super::goes_on(script) || script.has_opaque() {
            return None;
        }
        let mut terms = closed_terms(script);
        rng.shuffle(&mut terms);
        terms.truncate(MAX_TERMS_SIMPLIFIED);
        let first = script.commands.iter().position(|one| matches!(one, Command::Term(Word::Assert, ..)))?;
        // cvc5 refuses options.
        let takes_options = rng.chance(1, 2);
        let mut text = String::new();
        for (place, command) in script.commands.iter().enumerate() {
            if place == first {
                for &term in &terms {
                    let options: Vec<String> = match takes_options {
                        true => (0..1 + rng.below(3))
                            .filter_map(|_| rng.choose(Z3_OPTIONS))
                            .map(|one| format!(" :{one}"))
                            .collect(),
                        false => Vec::new(),
                    };
                    text.push_str(&format!(
                        "(simplify {}{})\n",
                        term_text(script.arena(), term),
                        options.concat()
                    ));
                }
            }
            text.push_str(&command_text(script.arena(), command));
            text.push('\n');
        }
        // Only declarations that stand before the terms are known to them.
        let declares = |command: &Command| command.is_declaration();
        (!terms.is_empty() && !script.commands[first..].iter().any(declares)).then_some(text)
    }

    fn read(&self, asked: &AskedCommand<'_>) -> ReplyReading {
        let Command::Term(Word::Simplify, term, _) = asked.command else {
            return ReplyReading::unclear("it is not a simplify command");
        };
        let term = term_text(asked.script.arena(), *term);
        let flat = asked.flat();
        let differ = flat.assertion(&format!("(distinct {term} {})", asked.reply));
        ReplyReading::Claims(vec![Claim {
            text: flat.with_some(|place| place < asked.place, &differ),
            answer: Answer::Unsat,
            otherwise: format!("its simplified term {} differs from {}", shown(asked.reply), shown(&term)),
        }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::{asked, reading};

    #[test]
    fn a_simplified_term_must_not_differ() {
        let text = "(declare-const x Int)(simplify (+ x x))(assert (> x 0))(check-sat)";
        let ReplyReading::Claims(claims) = reading(&SimplifyQuestion, text, Answer::Sat, "(* 2 x)") else {
            panic!()
        };
        let expected = "(declare-const x Int)\n(assert (distinct (+ x x) (* 2 x)))\n(check-sat)\n";
        assert_eq!((claims[0].text.as_str(), claims[0].answer), (expected, Answer::Unsat));
    }

    #[test]
    fn terms_are_simplified_before_anything_is_asserted() {
        let text = "(declare-const x Int)(assert (> (+ x x) 0))(check-sat)";
        let made = asked(&SimplifyQuestion, text, 3).unwrap();
        assert!(made.find("(simplify").unwrap() < made.find("(assert").unwrap(), "{made}");
    }
}
