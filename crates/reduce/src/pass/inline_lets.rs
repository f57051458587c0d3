//! Removes bindings of `let`: replaces variables by their values, drops unused variables.
//!
//! ```text
//! (let ((x (f a)) (y 0)) (p x))   becomes   (let ((x (f a))) (p x))   and   (p (f a))
//! ```
//!
//! All at once first. If no name is bound twice in a term this is one walk, since a variable has the same value everywhere.

use gainsay_smt::substitute::Substitution;
use gainsay_smt::{Arena, Printer, Script, Symbol, Term, TermView, replace_children};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Pass, Phase};
use crate::change::{ScriptChange, rewrite_script};
use crate::contents::terms_of;
use crate::rewrite::{reparse, tree_size};
use crate::script_view::ScriptView;

/// Removes bindings of `let`.
pub struct InlineLets;

/// Terms that are expanded one by one.
const MAX_LETS: usize = 64;

/// The factor by which expansion may enlarge a term: later changes make up for some growth.
const MAX_GROWTH_FACTOR: u64 = 4;

impl Pass for InlineLets {
    fn name(&self) -> &'static str {
        "inline-lets"
    }

    fn about(&self) -> &'static str {
        "replaces let variables by their values, binds long terms that are repeated"
    }

    fn phase(&self) -> Phase {
        Phase::Structure
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let is_let = |term: &Term| matches!(script.arena().view(*term), TermView::Let(..));
        let lets: Vec<Term> = terms_of(script).into_iter().filter(is_let).collect();
        let mut substitution = Substitution::default();
        let arena = script.arena_mut();
        let unused = lets.iter().filter_map(|&term| without_unused(arena, term, &mut substitution));
        let unused: Vec<ScriptChange> = unused.collect();
        let single = lets.iter().rev().take(MAX_LETS).filter_map(|&term| {
            let new = inlined(arena, term, &mut substitution)?;
            (tree_size(arena, new) <= tree_size(arena, term))
                .then_some(ScriptChange::ReplaceEverywhere(term, new))
        });
        let single: Vec<ScriptChange> = single.collect();
        let all = if lets.is_empty() { Vec::new() } else { vec![rewrite_script(expand_all_lets)] };
        let share = rewrite_script(|script| {
            Script::parse(&Printer::new().sharing().print(script), script.arena().signature()).ok()
        });
        vec![all, unused, single, vec![share]]
    }
}

/// Drops the variables of a `let` that its body does not use.
fn without_unused(arena: &mut Arena, term: Term, substitution: &mut Substitution) -> Option<ScriptChange> {
    let TermView::Let(variables, children) = arena.view(term) else { return None };
    let (variables, children) = (variables.to_vec(), children.to_vec());
    let (&body, values) = children.split_last()?;
    let used: Vec<usize> =
        (0..variables.len()).filter(|&n| substitution.is_free(arena, body, variables[n].name)).collect();
    if used.len() == variables.len() {
        return None;
    }
    if used.is_empty() {
        return Some(ScriptChange::ReplaceEverywhere(term, body));
    }
    let variables: Vec<_> = used.iter().map(|&number| variables[number]).collect();
    let children: Vec<Term> = used.iter().map(|&number| values[number]).chain([body]).collect();
    let new = arena.let_in(&variables, &children);
    Some(ScriptChange::ReplaceEverywhere(term, new))
}

/// The body of a `let` with its variables replaced by their values.
fn inlined(arena: &mut Arena, term: Term, substitution: &mut Substitution) -> Option<Term> {
    let TermView::Let(variables, children) = arena.view(term) else { return None };
    let (&body, values) = children.split_last()?;
    let bindings: Vec<(Symbol, Term)> =
        variables.iter().map(|v| v.name).zip(values.iter().copied()).collect();
    substitution.apply(arena, body, &bindings)
}

/// The script without any `let`.
pub fn expand_all_lets(script: &Script) -> Option<Script> {
    let mut after = script.clone();
    for command in 0..after.commands.len() {
        for position in 0..after.commands[command].term_count() {
            let term = after.commands[command].term(position);
            let new = expanded(after.arena_mut(), term)?;
            if tree_size(after.arena(), new)
                > MAX_GROWTH_FACTOR.saturating_mul(tree_size(after.arena(), term))
            {
                return None;
            }
            after.commands[command].set_term(position, new);
        }
    }
    reparse(&after)
}

/// A term without any `let`; `None` if it binds a name twice.
fn expanded(arena: &mut Arena, root: Term) -> Option<Term> {
    let mut bound: FxHashSet<Symbol> = FxHashSet::default();
    let mut values: FxHashMap<Symbol, Term> = FxHashMap::default();
    let mut done: FxHashMap<Term, Term> = FxHashMap::default();
    let mut open = vec![(root, 0)];
    while let Some((term, child)) = open.pop() {
        if done.contains_key(&term) {
            continue;
        }
        let view = arena.view(term);
        // The values of a `let` are expanded before its body.
        if let TermView::Let(variables, children) = view
            && child + 1 == children.len()
        {
            for (variable, value) in variables.iter().zip(children) {
                values.insert(variable.name, done[value]);
            }
        }
        if let Some(&next) = view.children().get(child) {
            if !view.bound_in(child).iter().all(|variable| bound.insert(variable.name)) {
                return None;
            }
            open.push((term, child + 1));
            open.push((next, 0));
            continue;
        }
        let new = match view {
            TermView::Let(_, children) => done[children.last()?],
            TermView::Variable(name) => values.get(&name).copied().unwrap_or(term),
            _ => {
                let children: Vec<Term> = view.children().iter().map(|child| done[child]).collect();
                replace_children(arena, term, &children)
            }
        };
        done.insert(term, new);
    }
    Some(done[&root])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::check;

    #[test]
    fn all_lets_are_expanded_at_once() {
        check(
            &InlineLets,
            "(declare-fun p (Int Int) Bool)(assert (let ((x 1)) (let ((y (+ x 1))) (p y 5))))",
            "(declare-fun p (Int Int) Bool)(assert (p (+ 1 1) 5))",
        );
    }

    #[test]
    fn an_unused_variable_is_dropped() {
        check(
            &InlineLets,
            "(declare-fun p (Int) Bool)(assert (let ((x 1) (y 2)) (let ((x 3)) (p x))))",
            "(declare-fun p (Int) Bool)(assert (let ((x 3)) (p x)))",
        );
    }

    #[test]
    fn a_repeated_term_is_bound() {
        let long = "(+ (* 12345 67890) (* 98765 43210))";
        check(
            &InlineLets,
            &format!("(assert (= {long} {long} {long}))"),
            &format!("(assert (let ((s!0 {long})) (= s!0 s!0 s!0)))"),
        );
    }
}
