//! Merges two constants or functions of the same rank.
//!
//! ```text
//! (declare-const x Int) (declare-const y Int) (assert (< x y))   becomes   (declare-const x Int) (assert (< x x))
//! ```

use gainsay_smt::{Arena, Command, Head, Script, Sort, Symbol, Term, TermView};
use rustc_hash::FxHashMap;

use super::{Pass, Phase};
use crate::change::{ScriptChange, rewrite_script_in_groups};
use crate::contents::{bound_names, declaration_counts, terms_of};
use crate::rewrite::{RewriteRule, rewrite_and_reparse};
use crate::script_view::ScriptView;

/// Merges constants or functions.
pub struct MergeSymbols;

/// Pairs that are tried.
const MAX_PAIRS: usize = 512;

impl Pass for MergeSymbols {
    fn name(&self) -> &'static str {
        "merge-symbols"
    }

    fn about(&self) -> &'static str {
        "merges two constants or functions of the same rank"
    }

    fn phase(&self) -> Phase {
        Phase::Structure
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let ranks = symbols_by_rank(script);
        let (constants, functions): (Vec<_>, Vec<_>) =
            ranks.into_iter().partition(|(rank, _)| rank.len() == 1);
        let arena = script.arena_mut();
        let mut constant = |sort: Sort, name: Symbol| arena.application(Head::plain(name), &[], sort);
        let (mut with_first, mut with_previous) = (Vec::new(), Vec::new());
        for (rank, names) in &constants {
            let terms: Vec<Term> = names.iter().map(|&name| constant(rank[0], name)).collect();
            with_first
                .extend(terms.iter().skip(1).map(|&term| ScriptChange::ReplaceEverywhere(term, terms[0])));
            with_previous.extend(
                terms.windows(2).skip(1).map(|pair| ScriptChange::ReplaceEverywhere(pair[1], pair[0])),
            );
        }
        with_first.truncate(MAX_PAIRS);
        with_previous.truncate(MAX_PAIRS);
        let with_first_function = |(_, names): &(Vec<Sort>, Vec<Symbol>)| {
            let first = names[0];
            names.iter().skip(1).map(|&name| (name, first)).collect::<Vec<_>>()
        };
        let mut pairs: Vec<(Symbol, Symbol)> = functions.iter().flat_map(with_first_function).collect();
        pairs.truncate(MAX_PAIRS);
        let functions = rewrite_script_in_groups(&pairs, |script, pairs| {
            rewrite_and_reparse(script, &mut MergeRule { names: pairs.iter().copied().collect() })
        });
        vec![functions, with_first, with_previous]
    }
}

/// The symbols of each rank (parameters, then the result), in the order of their declarations.
///
/// Only declarations before the first `push` are in force wherever later ones are.
fn symbols_by_rank(script: &Script) -> Vec<(Vec<Sort>, Vec<Symbol>)> {
    let arena = script.arena();
    let mut ranks: Vec<(Vec<Sort>, Vec<Symbol>)> = Vec::new();
    let mut numbers: FxHashMap<Vec<Sort>, usize> = FxHashMap::default();
    let ends =
        |command: &&Command| matches!(command, Command::Push(_) | Command::Reset | Command::ResetAssertions);
    let bound = bound_names(script, &terms_of(script));
    let counts = declaration_counts(script);
    let commands = script.commands.iter().take_while(|command| !ends(command));
    for command in commands {
        let Command::Declare(_, name, parameters, result) = command else { continue };
        // Such a symbol has another meaning in some places.
        if bound.contains(name) || counts[name] > 1 {
            continue;
        }
        let rank: Vec<Sort> = parameters.iter().chain([result]).map(|&sort| arena.canonical(sort)).collect();
        let number = *numbers.entry(rank.clone()).or_insert(ranks.len());
        if number == ranks.len() {
            ranks.push((rank, Vec::new()));
        }
        ranks[number].1.push(*name);
    }
    ranks.retain(|(_, names)| names.len() > 1);
    ranks
}

/// Replaces function symbols by others.
struct MergeRule {
    names: FxHashMap<Symbol, Symbol>,
}

impl RewriteRule for MergeRule {
    fn term(&mut self, arena: &mut Arena, old: Term, children: &[Term]) -> Option<Term> {
        let TermView::Application(head, _) = arena.view(old) else { return None };
        let new = *self.names.get(&head.symbol)?;
        let sort = arena.sort_of(old);
        Some(arena.application(Head::plain(new), children, sort))
    }

    fn command(&mut self, _: &mut Arena, command: &Command) -> Vec<Command> {
        match command {
            Command::Declare(_, name, ..) if self.names.contains_key(name) => Vec::new(),
            other => vec![other.clone()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};

    #[test]
    fn constants_of_one_sort_are_merged() {
        check(
            &MergeSymbols,
            "(declare-const x Int)(declare-const y Int)(assert (< x y))",
            "(declare-const x Int)(declare-const y Int)(assert (< x x))",
        );
        check_nothing(
            &MergeSymbols,
            "(declare-const x Int)(declare-const y Real)(assert (< x 1))(assert (< y 2.0))",
        );
    }

    #[test]
    fn functions_of_one_rank_are_merged() {
        check(
            &MergeSymbols,
            "(declare-fun f (Int) Int)(declare-fun g (Int) Int)(assert (= (f 1) (g 2)))",
            "(declare-fun f (Int) Int)(assert (= (f 1) (f 2)))",
        );
    }

    #[test]
    fn a_constant_of_an_inner_scope_is_not_used_elsewhere() {
        check_nothing(
            &MergeSymbols,
            "(push 1)(declare-const x Int)(assert (= x 0))(pop 1)(declare-const y Int)(assert (= y 1))",
        );
    }
}
