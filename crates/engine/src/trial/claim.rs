//! Claims: what a reply implies, as plain scripts with one check and the answer that they must have.
//!
//! ```text
//! (assert (! (> x 3) :named a)) (assert (! (< x 2) :named b)) (assert (! (= y 0) :named c)) (check-sat) (get-unsat-core)
//!        reply (a b)      implies that      (assert (> x 3)) (assert (< x 2)) (check-sat)      is unsat
//! ```
//!
//! Every question reduces to such scripts, so that any solver can check the reply of any other, our own evaluator decides the
//! models that they give, and one rule of evidence (`evidence.rs`) serves all questions.

use gainsay_smt::print::{command_text, term_text};
use gainsay_smt::{Command, SatQuery, Script, Word};

use crate::solver::run::Answer;

/// A script that must have an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The script, with one check.
    pub text: String,
    /// The answer that the reply implies.
    pub answer: Answer,
    /// The fault of the reply if the answer is another one: `its unsat core is satisfiable`.
    pub otherwise: String,
}

/// What follows from a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplyReading {
    /// It is right if all of these hold.
    Claims(Vec<Claim>),
    /// It is right if of each of these lists one claim holds.
    OneOfEach(Vec<Vec<Claim>>),
    /// It is right.
    Right,
    /// It is wrong whatever solvers say, and why.
    Wrong(String),
    /// It is one that the solver gave before, where another was asked for; how it is said.
    Repeats(String),
    /// Nothing, and why.
    Unclear(String),
}

impl ReplyReading {
    /// Nothing follows.
    pub fn unclear(why: impl Into<String>) -> Self {
        ReplyReading::Unclear(why.into())
    }
}

/// A check of a script as a script of its own: without scopes, assumptions, options and other questions.
#[derive(Debug, Clone, Copy)]
pub struct FlatCheck<'s> {
    /// The script.
    pub script: &'s Script,
    /// The check.
    pub query: &'s SatQuery,
}

impl FlatCheck<'_> {
    /// The script of the check with all that is asserted, all assumptions, and more commands before the check.
    pub fn with(self, commands: &str) -> String {
        let assumptions: String = self
            .query
            .assumptions
            .iter()
            .map(|&term| self.assertion(&term_text(self.script.arena(), term)))
            .collect();
        self.with_some(|_| true, &(assumptions + commands))
    }

    /// The same with the assertions of which this is true, by the index of their command, and without assumptions.
    pub fn with_some(self, keeps: impl Fn(usize) -> bool, commands: &str) -> String {
        let mut text = self.declarations(keeps);
        text.push_str(commands);
        text.push_str("(check-sat)\n");
        text
    }

    /// The logic and declarations of the check, and the assertions of which this is true.
    pub fn declarations(self, keeps: impl Fn(usize) -> bool) -> String {
        let arena = self.script.arena();
        let mut text = String::new();
        if let Some(logic) = self.script.logic() {
            text.push_str(&format!("(set-logic {logic})\n"));
        }
        for &place in &self.query.declarations {
            let command = &self.script.commands[place];
            let is_kept = match command {
                // With global declarations, the name of a popped assertion stays, and the assertion does not.
                Command::Term(Word::Assert, term, _) => keeps(place) && self.query.assertions.contains(term),
                _ => true,
            };
            if is_kept {
                text.push_str(&command_text(arena, command));
                text.push('\n');
            }
        }
        text
    }

    /// An assertion as text.
    pub fn assertion(self, term: &str) -> String {
        format!("(assert {term})\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_smt::{Signature, sat_queries};

    fn flat(text: &str, check: usize) -> String {
        let script = Script::parse(text, &Signature::standard()).unwrap();
        let queries = sat_queries(&script);
        FlatCheck { script: &script, query: &queries[check] }.with("").replace('\n', "")
    }

    #[test]
    fn a_check_is_flattened_to_what_is_in_force() {
        let text = "(set-logic QF_UF)(set-option :x 1)(declare-const a Bool)(push)(declare-const b Bool)\
            (assert b)(check-sat)(pop)(assert a)(check-sat-assuming ((not a)))";
        assert_eq!(
            flat(text, 0),
            "(set-logic QF_UF)(declare-const a Bool)(declare-const b Bool)(assert b)(check-sat)"
        );
        assert_eq!(
            flat(text, 1),
            "(set-logic QF_UF)(declare-const a Bool)(assert a)(assert (not a))(check-sat)"
        );
    }

    #[test]
    fn a_popped_assertion_is_gone_even_if_declarations_are_global() {
        let text = "(set-option :global-declarations true)(push)(declare-const b Bool)(assert (! b :named n))(pop)(check-sat)";
        assert_eq!(flat(text, 0), "(declare-const b Bool)(check-sat)");
    }
}
