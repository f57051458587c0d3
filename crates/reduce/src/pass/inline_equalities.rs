//! A constant that an assertion says to be equal to a term, replaced by that term everywhere.
//!
//! ```text
//! (declare-const x Int) (assert (= x (+ y 1))) (assert (p x))   becomes   (assert (p (+ y 1)))
//! ```

use gainsay_smt::print::term_text;
use gainsay_smt::{Arena, Command, Script, Symbol, Term, View as TermView, Word};

use super::{Pass, Phase};
use crate::change::Change;
use crate::change::{rewrite_script, rewrite_script_with_key};
use crate::contents::{OwnNames, asserted, has_levels};
use crate::rewrite::{RewriteRule, rewritten};
use crate::script_view::ScriptView;

/// The pass.
pub struct InlineEqualities;

/// Equations that are looked at.
const MOST: usize = 64;

impl Pass for InlineEqualities {
    fn name(&self) -> &'static str {
        "inline-equalities"
    }

    fn about(&self) -> &'static str {
        "puts what a constant is equal to in its place"
    }

    fn phase(&self) -> Phase {
        Phase::Structure
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<Change>> {
        let found = found(script);
        let single = found.iter().take(MOST).map(|&rule| {
            let equation = term_text(script.arena(), rule.assertion);
            rewrite_script_with_key((equation, rule.name.index()), move |script| {
                rewritten(script, &mut { rule })
            })
        });
        let single = single.collect();
        let all = if found.len() > 1 { vec![rewrite_script(without_all)] } else { Vec::new() };
        vec![all, single]
    }
}

/// What can be put in the place of what, by the equations of a script.
fn found(script: &Script) -> Vec<SubstituteConstant> {
    let own = OwnNames::of(script);
    if has_levels(script) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for assertion in script.commands.iter().filter_map(asserted) {
        for ((name, constant), value) in equations(script.arena(), assertion) {
            if own.contain(name) && !occurs(script.arena(), constant, value) {
                found.push(SubstituteConstant { assertion, constant, name, value });
            }
        }
    }
    found
}

/// The script without any constant that an equation says to be equal to something, as long as it gets shorter.
fn without_all(script: &Script) -> Option<Script> {
    let mut best = script.clone();
    let mut bytes = script.to_string().len();
    let mut skipped = 0;
    for _ in 0..MOST {
        let Some(&rule) = found(&best).get(skipped) else { break };
        let after = rewritten(&best, &mut { rule }).filter(|after| after.to_string().len() < bytes);
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

/// The constants that an equation is about, each with the other side.
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

fn occurs(arena: &Arena, part: Term, whole: Term) -> bool {
    arena.reachable([whole]).any(|term| term == part)
}

/// Puts a value in the place of a constant, and leaves an assertion out.
#[derive(Clone, Copy)]
pub struct SubstituteConstant {
    /// The assertion.
    pub assertion: Term,
    /// The constant,
    pub constant: Term,
    /// and its name.
    pub name: Symbol,
    /// What comes in its place.
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
    fn a_constant_gives_way_to_its_value() {
        let y = "(declare-fun p (Int) Bool)(declare-const y Int)";
        check(
            &InlineEqualities,
            &format!("{y}(declare-const x Int)(assert (= x (+ y 1)))(assert (p x))"),
            &format!("{y}(assert (p (+ y 1)))"),
        );
        check_nothing(&InlineEqualities, &format!("{y}(assert (= y (+ y 1)))(assert (p y))"));
    }

    #[test]
    fn all_constants_that_make_it_longer_give_way_at_once() {
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
