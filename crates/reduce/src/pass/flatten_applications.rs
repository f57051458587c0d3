//! Flattens nested applications of an associative operator.
//!
//! ```text
//! (and a (and b c))   becomes   (and a b c)
//! ```

use gainsay_smt::signature::Associativity;
use gainsay_smt::{Arena, Head, Script, Symbol, Term, TermView};
use rustc_hash::FxHashSet;

use super::{Pass, Phase};
use crate::change::ScriptChange;
use crate::contents::terms_of;
use crate::script_view::ScriptView;

/// Flattens nested applications.
pub struct FlattenApplications;

impl Pass for FlattenApplications {
    fn name(&self) -> &'static str {
        "flatten-applications"
    }

    fn about(&self) -> &'static str {
        "flattens nested applications of one operator"
    }

    fn phase(&self) -> Phase {
        Phase::Structure
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let associative = associative_operators(script.arena());
        let terms = terms_of(script);
        let arena = script.arena_mut();
        vec![terms.iter().rev().filter_map(|&term| flattened(arena, term, &associative)).collect()]
    }
}

/// The operators all of whose ranks are associative.
fn associative_operators(arena: &Arena) -> FxHashSet<Symbol> {
    let ranks = arena.signature().ranks();
    let mut names: FxHashSet<Symbol> = FxHashSet::default();
    let is_associative = |associativity| matches!(associativity, Some(Associativity::Left));
    names.extend(ranks.iter().filter(|rank| is_associative(rank.associativity)).map(|rank| rank.name));
    for rank in ranks.iter().filter(|rank| !is_associative(rank.associativity)) {
        names.remove(&rank.name);
    }
    names
}

fn flattened(arena: &mut Arena, term: Term, associative: &FxHashSet<Symbol>) -> Option<ScriptChange> {
    let TermView::Application(head, arguments) = arena.view(term) else { return None };
    let symbol = head.symbol;
    if !associative.contains(&symbol) || !head.indices.is_empty() {
        return None;
    }
    let mut flat: Vec<Term> = Vec::new();
    for &argument in arguments {
        match arena.view(argument) {
            TermView::Application(inner, parts) if inner.symbol == symbol && parts.len() > 1 => {
                flat.extend(parts);
            }
            _ => flat.push(argument),
        }
    }
    if flat.len() == arguments.len() {
        return None;
    }
    let sort = arena.sort_of(term);
    Some(ScriptChange::ReplaceEverywhere(term, arena.application(Head::plain(symbol), &flat, sort)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};

    #[test]
    fn nested_applications_are_flattened() {
        let script = |term: &str| format!("(declare-const a Bool)(assert {term})");
        check(&FlattenApplications, &script("(and a (and a a) a)"), &script("(and a a a a)"));
        check_nothing(&FlattenApplications, &script("(and a (or a a))"));
        check_nothing(&FlattenApplications, "(assert (= 1 (- 1 (- 2 3))))");
    }
}
