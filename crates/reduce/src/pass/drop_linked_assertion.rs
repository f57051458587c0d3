//! One of two assertions that share a constant left out, with a value in the place of the constant.
//!
//! ```text
//! (declare-const x Int) (assert (< y x)) (assert (p x y))   becomes   (assert (p 0 y))   and   (assert (< y 0))
//! ```
//!
//! An assertion often only says what a constant must be like for another one. It cannot go while the constant is there, and the
//! constant cannot give way to a value while the assertion is; both at once may. A constant that is in more assertions is seldom
//! tied by a single one, so it is left alone.

use gainsay_smt::print::term_text;
use gainsay_smt::{Script, Symbol, Term};

use super::inline_equalities::SubstituteConstant;
use super::{Pass, Phase};
use crate::change::Change;
use crate::change::rewrite_script_with_key;
use crate::contents::{OwnNames, asserted, constants, has_levels};
use crate::rewrite::rewritten;
use crate::script_view::ScriptView;
use crate::simplest_value::SimplestValues;

/// The pass.
pub struct DropLinkedAssertion;

/// Constants that are looked at: a script with more is not small yet.
const MOST: usize = 8;

impl Pass for DropLinkedAssertion {
    fn name(&self) -> &'static str {
        "drop-linked-assertion"
    }

    fn about(&self) -> &'static str {
        "leaves out one of two assertions that share a constant, which becomes a value"
    }

    fn phase(&self) -> Phase {
        Phase::Fine
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<Change>> {
        let own = OwnNames::of(script);
        let simplest = SimplestValues::of(script, own.bound());
        let mut changes = Vec::new();
        for (constant, name, both) in links(script, &own).into_iter().take(MOST) {
            let sort = script.arena().canonical(script.arena().sort_of(constant));
            let Some(value) = simplest.value(script.arena_mut(), sort) else { continue };
            for assertion in both {
                let key = (term_text(script.arena(), assertion), term_text(script.arena(), constant));
                let rule = SubstituteConstant { assertion, constant, name, value };
                changes.push(rewrite_script_with_key(key, move |script| rewritten(script, &mut { rule })));
            }
        }
        vec![changes]
    }
}

/// The declared constants that are in two assertions, and these.
fn links(script: &Script, own: &OwnNames) -> Vec<(Term, Symbol, [Term; 2])> {
    if has_levels(script) {
        return Vec::new();
    }
    let mut links: Vec<(Term, Symbol, Vec<Term>)> = Vec::new();
    for assertion in script.commands.iter().filter_map(asserted) {
        for (constant, name) in constants(script, assertion) {
            if !own.contain(name) {
                continue;
            }
            match links.iter_mut().find(|(other, ..)| *other == constant) {
                Some((_, _, assertions)) => assertions.push(assertion),
                None => links.push((constant, name, vec![assertion])),
            }
        }
    }
    let two = |(constant, name, assertions): (Term, Symbol, Vec<Term>)| {
        <[Term; 2]>::try_from(assertions).ok().map(|both| (constant, name, both))
    };
    links.into_iter().filter_map(two).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};

    #[test]
    fn one_of_two_assertions_goes_with_what_links_them() {
        let y = "(declare-fun p (Int Int) Bool)(declare-const y Int)";
        let before = format!("{y}(declare-const x Int)(assert (< y x))(assert (p x y))(assert (< 2 y))");
        check(&DropLinkedAssertion, &before, &format!("{y}(assert (p 0 y))(assert (< 2 y))"));
        check(&DropLinkedAssertion, &before, &format!("{y}(assert (< y 0))(assert (< 2 y))"));
    }

    #[test]
    fn what_is_in_one_assertion_or_in_three_is_left_alone() {
        let x = "(declare-const x Int)(declare-const y Int)";
        check_nothing(&DropLinkedAssertion, &format!("{x}(assert (< x 1))(assert (< y 1))"));
        check_nothing(&DropLinkedAssertion, &format!("{x}(assert (< x 1))(assert (< x 2))(assert (< x 3))"));
    }

    #[test]
    fn what_is_bound_elsewhere_is_left_alone() {
        let x = "(declare-const x Int)";
        check_nothing(
            &DropLinkedAssertion,
            &format!("{x}(assert (< x 1))(assert (and (< x 2) (exists ((x Int)) (< x 3))))"),
        );
    }
}
