//! Replaces a constant by the term that an assertion equates it with.
//!
//! ```text
//! (declare-const x Int) (assert (= x (+ y 1))) (assert (p x))   becomes   (assert (p (+ y 1)))
//! ```

use gainsay_smt::print::term_text;
use gainsay_smt::{Arena, Command, Script, Symbol, Term, TermView, Word};

use super::{Pass, Phase};
use crate::change::{ScriptChange, rewrite_script, rewrite_script_with_key};
use crate::contents::{UnambiguousSymbols, asserted_term, has_scopes};
use crate::rewrite::{RewriteRule, rewrite_and_reparse};
use crate::script_view::ScriptView;

/// Replaces constants by the terms that they are equal to.
pub struct InlineEqualities;

/// Equations that are tried.
const MAX_EQUATIONS: usize = 64;

impl Pass for InlineEqualities {
    fn name(&self) -> &'static str {
        "inline-equalities"
    }

    fn about(&self) -> &'static str {
        "replaces a constant by a term that it is equal to"
    }

    fn phase(&self) -> Phase {
        Phase::Structure
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let found = replaceable_constants(script);
        let single = found.iter().take(MAX_EQUATIONS).map(|&rule| {
            let equation = term_text(script.arena(), rule.assertion);
            rewrite_script_with_key((equation, rule.name.index()), move |script| {
                rewrite_and_reparse(script, &mut { rule })
            })
        });
        let single = single.collect();
        let all = if found.len() > 1 { vec![rewrite_script(replace_all)] } else { Vec::new() };
        vec![all, single]
    }
}

/// The constants that can be replaced by the equations of a script.
fn replaceable_constants(script: &Script) -> Vec<SubstituteConstant> {
    let symbols = UnambiguousSymbols::of(script);
    if has_scopes(script) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for assertion in script.commands.iter().filter_map(asserted_term) {
        for ((name, constant), value) in equations(script.arena(), assertion) {
            if symbols.contains(name) && !occurs(script.arena(), constant, value) {
                found.push(SubstituteConstant { assertion, constant, name, value });
            }
        }
    }
    found
}

/// The script with one constant after another replaced, as long as it gets shorter.
fn replace_all(script: &Script) -> Option<Script> {
    let mut best = script.clone();
    let mut bytes = script.to_string().len();
    let mut skipped = 0;
    for _ in 0..MAX_EQUATIONS {
        let Some(&rule) = replaceable_constants(&best).get(skipped) else { break };
        let after = rewrite_and_reparse(&best, &mut { rule }).filter(|after| after.to_string().len() < bytes);
        match after {
            Some(after) => {
                bytes = after.to_string().len();
                best = after;
            }
            None => skipped += 1,
        }
    }
    Some(best)
}

/// The constants on the sides of an equation, each with the other side.
fn equations(arena: &Arena, assertion: Term) -> Vec<((Symbol, Term), Term)> {
    let TermView::Application(head, &[left, right]) = arena.view(assertion) else { return Vec::new() };
    if head.symbol != Symbol::EQUAL {
        return Vec::new();
    }
    let constant = |term: Term| match arena.view(term) {
        TermView::Application(head, []) if head.indices.is_empty() && head.qualifier.is_none() => {
            Some((head.symbol, term))
        }
        _ => None,
    };
    [(left, right), (right, left)].into_iter().filter_map(|(a, b)| Some((constant(a)?, b))).collect()
}

fn occurs(arena: &Arena, subterm: Term, term: Term) -> bool {
    arena.reachable([term]).any(|part| part == subterm)
}

/// Replaces a constant by a value, and drops an assertion.
#[derive(Clone, Copy)]
pub struct SubstituteConstant {
    /// The assertion to drop.
    pub assertion: Term,
    /// The constant.
    pub constant: Term,
    /// Its name.
    pub name: Symbol,
    /// The value that replaces it.
    pub value: Term,
}

impl RewriteRule for SubstituteConstant {
    fn term(&mut self, _: &mut Arena, old: Term, _: &[Term]) -> Option<Term> {
        (old == self.constant).then_some(self.value)
    }

    fn command(&mut self, _: &mut Arena, command: &Command) -> Vec<Command> {
        match command {
            Command::Term(Word::Assert, term, None) if *term == self.assertion => Vec::new(),
            Command::Declare(_, name, ..) if *name == self.name => Vec::new(),
            other => vec![other.clone()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};

    #[test]
    fn a_constant_is_replaced_by_its_value() {
        let y = "(declare-fun p (Int) Bool)(declare-const y Int)";
        check(
            &InlineEqualities,
            &format!("{y}(declare-const x Int)(assert (= x (+ y 1)))(assert (p x))"),
            &format!("{y}(assert (p (+ y 1)))"),
        );
        check_nothing(&InlineEqualities, &format!("{y}(assert (= y (+ y 1)))(assert (p y))"));
    }

    #[test]
    fn several_constants_are_replaced_at_once() {
        let y = "(declare-fun p (Int) Bool)(declare-const y Int)";
        check(
            &InlineEqualities,
            &format!(
                "{y}(declare-const x Int)(declare-const z Int)(assert (= x (+ y 1)))(assert (p z))(assert (= (* 2 x) z))"
            ),
            &format!("{y}(assert (p (* 2 (+ y 1))))"),
        );
    }
}
