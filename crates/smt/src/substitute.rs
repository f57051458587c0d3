//! Substitutes terms for variables.
//!
//! ```text
//! (< x (f y))   with   x ⇒ (g z), y ⇒ 0   gives   (< (g z) (f 0))
//! ```
//!
//! If a binder would capture a variable of a value, the substitution fails; it does not rename, since
//! callers have other ways to proceed. Every distinct term is visited once for each set of variables that
//! the binders above it leave to be substituted, and not at all if none of them is free in it.

use rustc_hash::FxHashMap;

use crate::variables::FreeVariables;
use crate::{Arena, Symbol, Term, TermView, replace_children};

/// Substitutes in many terms of one arena; computes the free variables of each term once.
#[derive(Default)]
pub struct Substitution {
    free: FreeVariables,
}

/// Which of the bindings are in force.
type Held = Vec<bool>;

impl Substitution {
    /// `term` with its free variables of these names replaced by values; `None` if a variable would be captured.
    pub fn apply(&mut self, arena: &mut Arena, term: Term, bindings: &[(Symbol, Term)]) -> Option<Term> {
        let mut sets: Vec<Held> = vec![vec![true; bindings.len()]];
        let mut done: FxHashMap<(Term, usize), Term> = FxHashMap::default();
        let mut open = vec![(term, 0)];
        while let Some(&(next, set)) = open.last() {
            if done.contains_key(&(next, set)) {
                open.pop();
                continue;
            }
            if let Some(new) = self.leaf(arena, next, bindings, &sets[set]) {
                done.insert((next, set), new);
                open.pop();
                continue;
            }
            let below = self.below(arena, next, bindings, &mut sets, set)?;
            let before = open.len();
            open.extend(below.iter().filter(|step| !done.contains_key(step)));
            if open.len() == before {
                let children: Vec<Term> = below.iter().map(|step| done[step]).collect();
                let new = replace_children(arena, next, &children);
                done.insert((next, set), new);
                open.pop();
            }
        }
        done.get(&(term, 0)).copied()
    }

    /// Returns true if a variable of this name is free in a term.
    pub fn is_free(&mut self, arena: &Arena, term: Term, name: Symbol) -> bool {
        self.free.of(arena, term).iter().any(|variable| variable.name == name)
    }

    /// The result for a term that need not be entered.
    fn leaf(&mut self, arena: &Arena, term: Term, bindings: &[(Symbol, Term)], held: &Held) -> Option<Term> {
        let value = |name: Symbol| {
            bindings
                .iter()
                .zip(held)
                .find(|((from, _), held)| **held && *from == name)
                .map(|((_, to), _)| *to)
        };
        if let TermView::Variable(name) = arena.view(term) {
            return Some(value(name).unwrap_or(term));
        }
        let touched = self.free.of(arena, term).iter().any(|variable| value(variable.name).is_some());
        (!touched).then_some(term)
    }

    /// The children of a term, each with the bindings in force there; `None` if a variable would be captured.
    fn below(
        &mut self,
        arena: &Arena,
        term: Term,
        bindings: &[(Symbol, Term)],
        sets: &mut Vec<Held>,
        set: usize,
    ) -> Option<Vec<(Term, usize)>> {
        let view = arena.view(term);
        let mut steps = Vec::with_capacity(view.children().len());
        for (position, &child) in view.children().iter().enumerate() {
            let bound = view.bound_in(position);
            if bound.is_empty() {
                steps.push((child, set));
                continue;
            }
            let is_bound = |name: Symbol| bound.iter().any(|variable| variable.name == name);
            let mut held = sets[set].clone();
            for (held, (name, value)) in held.iter_mut().zip(bindings) {
                *held &= !is_bound(*name);
                let used = *held && self.is_free(arena, child, *name);
                if used && self.free.of(arena, *value).iter().any(|variable| is_bound(variable.name)) {
                    return None;
                }
            }
            let number = sets.iter().position(|known| *known == held).unwrap_or(sets.len());
            if number == sets.len() {
                sets.push(held);
            }
            steps.push((child, number));
        }
        Some(steps)
    }
}

/// `term` with some subterms replaced by others of the same sorts; the replaced ones must contain no bound variables.
pub fn replace(arena: &mut Arena, term: Term, with: &FxHashMap<Term, Term>) -> Term {
    let mut done = with.clone();
    let mut open = vec![term];
    while let Some(&next) = open.last() {
        if done.contains_key(&next) {
            open.pop();
            continue;
        }
        let children = arena.children(next).to_vec();
        let before = open.len();
        open.extend(children.iter().filter(|child| !done.contains_key(child)));
        if open.len() == before {
            let children: Vec<Term> = children.iter().map(|child| done[child]).collect();
            let new = replace_children(arena, next, &children);
            done.insert(next, new);
            open.pop();
        }
    }
    done[&term]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::term_text;
    use crate::{Script, Signature};

    /// Substitutes `value` for `x` in `body`.
    fn check(body: &str, value: &str, after: Option<&str>) {
        let text = format!(
            "(declare-fun p (Int Int) Bool)(define-fun v ((y Int)) Int {value})\
             (define-fun f ((x Int) (y Int)) Bool {body})"
        );
        let mut script = Script::parse(&text, &Signature::standard()).unwrap();
        let (value, body) = (script.commands[1].term(0), script.commands[2].term(0));
        let arena = script.arena_mut();
        let x = arena.symbol("x");
        let new = Substitution::default().apply(arena, body, &[(x, value)]);
        assert_eq!(new.map(|term| term_text(arena, term)).as_deref(), after);
    }

    #[test]
    fn free_occurrences_are_replaced_and_bound_ones_are_not() {
        check("(p x (+ x y))", "(+ y 1)", Some("(p (+ y 1) (+ (+ y 1) y))"));
        check(
            "(and (p x y) (exists ((x Int)) (p x y)))",
            "5",
            Some("(and (p 5 y) (exists ((x Int)) (p x y)))"),
        );
        check("(let ((x (+ x 1))) (p x x))", "5", Some("(let ((x (+ 5 1))) (p x x))"));
    }

    #[test]
    fn a_value_that_would_be_captured_is_not_put_in() {
        check("(forall ((y Int)) (p x y))", "(+ y 1)", None);
        check("(forall ((y Int)) (p x y))", "7", Some("(forall ((y Int)) (p 7 y))"));
        check("(forall ((y Int)) (p y y))", "y", Some("(forall ((y Int)) (p y y))"));
    }
}
