//! Drops an assertion that compares a constant with a term, and puts the term in the place of the constant in another assertion.
//!
//! ```text
//! (assert (< y x)) (assert (< x 0)) (assert (p x))   becomes   (assert (< y 0)) (assert (p x))
//! ```
//!
//! Of a chain such as `y < x < 0` a bug often needs only the two ends, but the link cannot be dropped alone, nor can the
//! constant be replaced by a value everywhere.

use gainsay_smt::print::term_text;
use gainsay_smt::substitute::replace;
use gainsay_smt::{Command, Script, Symbol, Term, TermView, Word};
use rustc_hash::FxHashMap;

use super::{Pass, Phase};
use crate::change::{ScriptChange, rewrite_script_with_key};
use crate::contents::{UnambiguousSymbols, asserted_term, constants, has_scopes};
use crate::rewrite::reparse;
use crate::script_view::ScriptView;

/// Moves the bound of a constant into another assertion.
pub struct PropagateBound;

/// Changes that are tried: a script with more is not small yet.
const MAX_PROPAGATIONS: usize = 12;

impl Pass for PropagateBound {
    fn name(&self) -> &'static str {
        "propagate-bound"
    }

    fn about(&self) -> &'static str {
        "drops a comparison with a constant, and uses its other side in one other assertion"
    }

    fn phase(&self) -> Phase {
        Phase::Fine
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let change = |propagation: BoundPropagation| {
            let key = [propagation.comparison, propagation.constant, propagation.target]
                .map(|term| term_text(script.arena(), term));
            rewrite_script_with_key(key, move |script| reparse(&propagation.apply(script)))
        };
        vec![propagations(script).into_iter().take(MAX_PROPAGATIONS).map(change).collect()]
    }
}

/// A bound of a constant that can replace the constant in another assertion.
#[derive(Clone, Copy)]
struct BoundPropagation {
    /// The comparison, which is dropped.
    comparison: Term,
    /// The constant that it compares.
    constant: Term,
    /// Its other side.
    value: Term,
    /// The assertion in which that replaces the constant.
    target: Term,
}

impl BoundPropagation {
    fn apply(self, script: &Script) -> Script {
        let mut after = script.clone();
        let with = FxHashMap::from_iter([(self.constant, self.value)]);
        let target = replace(after.arena_mut(), self.target, &with);
        after.commands.retain(|command| asserted_term(command) != Some(self.comparison));
        for command in &mut after.commands {
            if asserted_term(command) == Some(self.target) {
                *command = Command::Term(Word::Assert, target, None);
            }
        }
        after
    }
}

/// All bounds, each with all assertions that it can be used in.
fn propagations(script: &Script) -> Vec<BoundPropagation> {
    if has_scopes(script) {
        return Vec::new();
    }
    let symbols = UnambiguousSymbols::of(script);
    let assertions: Vec<Term> = script.commands.iter().filter_map(asserted_term).collect();
    let inside: Vec<Vec<(Term, Symbol)>> = assertions.iter().map(|&term| constants(script, term)).collect();
    let mut found = Vec::new();
    for &assertion in &assertions {
        for (constant, value) in compared_constants(script, assertion, &symbols) {
            let others = assertions.iter().zip(&inside);
            let holds = |names: &[(Term, Symbol)]| names.iter().any(|&(term, _)| term == constant);
            let others = others.filter(|&(&target, names)| target != assertion && holds(names));
            found.extend(others.map(|(&target, _)| BoundPropagation {
                comparison: assertion,
                constant,
                value,
                target,
            }));
        }
    }
    found
}

/// The constants that an assertion compares, each with the other side, which does not contain it.
fn compared_constants(script: &Script, assertion: Term, symbols: &UnambiguousSymbols) -> Vec<(Term, Term)> {
    let arena = script.arena();
    let TermView::Application(_, &[left, right]) = arena.view(assertion) else { return Vec::new() };
    if arena.canonical(arena.sort_of(left)) != arena.canonical(arena.sort_of(right)) {
        return Vec::new();
    }
    let sides = [(left, right), (right, left)].into_iter();
    let fits = |&(constant, value): &(Term, Term)| {
        let is_constant = constants(script, constant)
            .first()
            .is_some_and(|&(term, name)| term == constant && symbols.contains(name));
        let may_move = |&(term, name): &(Term, Symbol)| term != constant && !symbols.is_bound(name);
        is_constant && constants(script, value).iter().all(may_move)
    };
    sides.filter(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};

    const TEST_DECLARATIONS: &str = "(declare-fun p (Int) Bool)(declare-const x Int)(declare-const y Int)";

    #[test]
    fn the_middle_of_a_chain_is_dropped() {
        let before = format!("{TEST_DECLARATIONS}(assert (< y x))(assert (< x 0))(assert (p x))");
        check(&PropagateBound, &before, &format!("{TEST_DECLARATIONS}(assert (< y 0))(assert (p x))"));
        check(&PropagateBound, &before, &format!("{TEST_DECLARATIONS}(assert (< y x))(assert (p 0))"));
    }

    #[test]
    fn a_constant_that_is_compared_with_itself_or_used_nowhere_else_is_left_alone() {
        check_nothing(&PropagateBound, &format!("{TEST_DECLARATIONS}(assert (< x (+ x 1)))(assert (p x))"));
        check_nothing(&PropagateBound, &format!("{TEST_DECLARATIONS}(assert (< x 1))(assert (p y))"));
    }
}
