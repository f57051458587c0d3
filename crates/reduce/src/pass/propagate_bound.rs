//! An assertion that compares a constant with a term left out, with the term in the place of the constant in one other assertion.
//!
//! ```text
//! (assert (< y x)) (assert (< x 0)) (assert (p x))   becomes   (assert (< y 0)) (assert (p x))
//! ```
//!
//! What is less than a bound that is less than zero is less than zero: of such a chain a bug often needs the two ends alone, while neither the link
//! can go by itself nor can the constant give way to a value everywhere.

use gainsay_smt::print::term_text;
use gainsay_smt::substitute::replace;
use gainsay_smt::{Command, Script, Symbol, Term, View as TermView, Word};
use rustc_hash::FxHashMap;

use super::{Pass, Phase};
use crate::change::Change;
use crate::change::rewrite_script_with_key;
use crate::contents::{OwnNames, asserted, constants, has_levels};
use crate::rewrite::reread;
use crate::script_view::ScriptView;

/// The pass.
pub struct PropagateBound;

/// Changes that are tried: a script with more is not small yet.
const MOST: usize = 12;

impl Pass for PropagateBound {
    fn name(&self) -> &'static str {
        "propagate-bound"
    }

    fn about(&self) -> &'static str {
        "leaves out what a constant is compared with, and puts it in one place of the constant"
    }

    fn phase(&self) -> Phase {
        Phase::Fine
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<Change>> {
        let change = |moved: Moved| {
            let key = [moved.bound, moved.constant, moved.into].map(|term| term_text(script.arena(), term));
            rewrite_script_with_key(key, move |script| reread(&moved.made(script)))
        };
        vec![found(script).into_iter().take(MOST).map(change).collect()]
    }
}

/// A bound of a constant that can be moved into another assertion.
#[derive(Clone, Copy)]
struct Moved {
    /// The assertion that compares,
    bound: Term,
    /// the constant in it,
    constant: Term,
    /// what that is compared with,
    value: Term,
    /// and the assertion in which that takes the place of the constant.
    into: Term,
}

impl Moved {
    fn made(self, script: &Script) -> Script {
        let mut after = script.clone();
        let with = FxHashMap::from_iter([(self.constant, self.value)]);
        let into = replace(after.arena_mut(), self.into, &with);
        after.commands.retain(|command| asserted(command) != Some(self.bound));
        for command in &mut after.commands {
            if asserted(command) == Some(self.into) {
                *command = Command::Term(Word::Assert, into, None);
            }
        }
        after
    }
}

/// All bounds with all assertions that they can be moved into.
fn found(script: &Script) -> Vec<Moved> {
    if has_levels(script) {
        return Vec::new();
    }
    let own = OwnNames::of(script);
    let assertions: Vec<Term> = script.commands.iter().filter_map(asserted).collect();
    let inside: Vec<Vec<(Term, Symbol)>> = assertions.iter().map(|&term| constants(script, term)).collect();
    let mut moved = Vec::new();
    for &assertion in &assertions {
        for (constant, value) in compared(script, assertion, &own) {
            let others = assertions.iter().zip(&inside);
            let holds = |names: &[(Term, Symbol)]| names.iter().any(|&(term, _)| term == constant);
            let others = others.filter(|&(&into, names)| into != assertion && holds(names));
            moved.extend(others.map(|(&into, _)| Moved { bound: assertion, constant, value, into }));
        }
    }
    moved
}

/// The constants that an assertion compares, each with the other side, which knows nothing of it.
fn compared(script: &Script, assertion: Term, own: &OwnNames) -> Vec<(Term, Term)> {
    let arena = script.arena();
    let TermView::Application(_, &[left, right]) = arena.view(assertion) else { return Vec::new() };
    if arena.canonical(arena.sort_of(left)) != arena.canonical(arena.sort_of(right)) {
        return Vec::new();
    }
    let sides = [(left, right), (right, left)].into_iter();
    let fits = |&(constant, value): &(Term, Term)| {
        let is_constant = constants(script, constant)
            .first()
            .is_some_and(|&(term, name)| term == constant && own.contain(name));
        let may_move = |&(term, name): &(Term, Symbol)| term != constant && !own.is_bound(name);
        is_constant && constants(script, value).iter().all(may_move)
    };
    sides.filter(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};

    const START: &str = "(declare-fun p (Int) Bool)(declare-const x Int)(declare-const y Int)";

    #[test]
    fn the_middle_of_a_chain_goes() {
        let before = format!("{START}(assert (< y x))(assert (< x 0))(assert (p x))");
        check(&PropagateBound, &before, &format!("{START}(assert (< y 0))(assert (p x))"));
        check(&PropagateBound, &before, &format!("{START}(assert (< y x))(assert (p 0))"));
    }

    #[test]
    fn a_constant_that_is_compared_with_itself_or_is_nowhere_else_has_no_bound() {
        check_nothing(&PropagateBound, &format!("{START}(assert (< x (+ x 1)))(assert (p x))"));
        check_nothing(&PropagateBound, &format!("{START}(assert (< x 1))(assert (p y))"));
    }
}
