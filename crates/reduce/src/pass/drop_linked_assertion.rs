//! Drops one of two assertions that share a constant, and replaces the constant by a value.
//!
//! ```text
//! (declare-const x Int) (assert (< y x)) (assert (p x y))   becomes   (assert (p 0 y))   and   (assert (< y 0))
//! ```
//!
//! An assertion often only constrains a constant of another one. It cannot be dropped while the constant is there, and the
//! constant cannot be replaced by a value while the assertion is; both at once may succeed. A constant in more than two
//! assertions is seldom constrained by a single one, so it is left alone.

use gainsay_smt::print::term_text;
use gainsay_smt::{Script, Symbol, Term};

use super::inline_equalities::SubstituteConstant;
use super::{Pass, Phase};
use crate::change::{ScriptChange, rewrite_script_with_key};
use crate::contents::{UnambiguousSymbols, asserted_term, constants, has_scopes};
use crate::rewrite::rewrite_and_reparse;
use crate::script_view::ScriptView;
use crate::simplest_value::SimplestValues;

/// Drops one of two assertions that share a constant.
pub struct DropLinkedAssertion;

/// Constants that are tried: a script with more is not small yet.
const MAX_SHARED_CONSTANTS: usize = 8;

impl Pass for DropLinkedAssertion {
    fn name(&self) -> &'static str {
        "drop-linked-assertion"
    }

    fn about(&self) -> &'static str {
        "drops one of two assertions that share a constant, and replaces the constant by a value"
    }

    fn phase(&self) -> Phase {
        Phase::Fine
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let symbols = UnambiguousSymbols::of(script);
        let simplest = SimplestValues::of(script, symbols.bound());
        let mut changes = Vec::new();
        for SharedConstant { constant, name, assertions } in
            shared_constants(script, &symbols).into_iter().take(MAX_SHARED_CONSTANTS)
        {
            let sort = script.arena().canonical(script.arena().sort_of(constant));
            let Some(value) = simplest.value(script.arena_mut(), sort) else { continue };
            for assertion in assertions {
                let key = (term_text(script.arena(), assertion), term_text(script.arena(), constant));
                let rule = SubstituteConstant { assertion, constant, name, value };
                changes.push(rewrite_script_with_key(key, move |script| {
                    rewrite_and_reparse(script, &mut { rule })
                }));
            }
        }
        vec![changes]
    }
}

/// A constant that occurs in exactly two assertions.
struct SharedConstant {
    constant: Term,
    name: Symbol,
    assertions: [Term; 2],
}

/// The declared constants that occur in exactly two assertions.
fn shared_constants(script: &Script, symbols: &UnambiguousSymbols) -> Vec<SharedConstant> {
    if has_scopes(script) {
        return Vec::new();
    }
    let mut users: Vec<(Term, Symbol, Vec<Term>)> = Vec::new();
    for assertion in script.commands.iter().filter_map(asserted_term) {
        for (constant, name) in constants(script, assertion) {
            if !symbols.contains(name) {
                continue;
            }
            match users.iter_mut().find(|(other, ..)| *other == constant) {
                Some((_, _, assertions)) => assertions.push(assertion),
                None => users.push((constant, name, vec![assertion])),
            }
        }
    }
    let two = |(constant, name, assertions): (Term, Symbol, Vec<Term>)| {
        let assertions = <[Term; 2]>::try_from(assertions).ok()?;
        Some(SharedConstant { constant, name, assertions })
    };
    users.into_iter().filter_map(two).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};

    #[test]
    fn one_of_two_assertions_goes_with_their_shared_constant() {
        let y = "(declare-fun p (Int Int) Bool)(declare-const y Int)";
        let before = format!("{y}(declare-const x Int)(assert (< y x))(assert (p x y))(assert (< 2 y))");
        check(&DropLinkedAssertion, &before, &format!("{y}(assert (p 0 y))(assert (< 2 y))"));
        check(&DropLinkedAssertion, &before, &format!("{y}(assert (< y 0))(assert (< 2 y))"));
    }

    #[test]
    fn a_constant_in_one_or_three_assertions_is_left_alone() {
        let x = "(declare-const x Int)(declare-const y Int)";
        check_nothing(&DropLinkedAssertion, &format!("{x}(assert (< x 1))(assert (< y 1))"));
        check_nothing(&DropLinkedAssertion, &format!("{x}(assert (< x 1))(assert (< x 2))(assert (< x 3))"));
    }

    #[test]
    fn a_constant_that_is_bound_elsewhere_is_left_alone() {
        let x = "(declare-const x Int)";
        check_nothing(
            &DropLinkedAssertion,
            &format!("{x}(assert (< x 1))(assert (and (< x 2) (exists ((x Int)) (< x 3))))"),
        );
    }
}
