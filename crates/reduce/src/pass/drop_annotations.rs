//! Drops annotations.
//!
//! ```text
//! (assert (! (< x 0) :named a))   becomes   (assert (< x 0))
//! ```

use gainsay_smt::{Arena, AttributeValue, Command, Script, Symbol, Term, TermView};
use rustc_hash::FxHashSet;

use super::{Pass, Phase};
use crate::change::ScriptChange;
use crate::contents::terms_of;
use crate::script_view::ScriptView;

/// Drops annotations.
pub struct DropAnnotations;

impl Pass for DropAnnotations {
    fn name(&self) -> &'static str {
        "drop-annotations"
    }

    fn about(&self) -> &'static str {
        "drops annotations such as :named and :pattern"
    }

    fn phase(&self) -> Phase {
        Phase::Structure
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let terms = terms_of(script);
        let used = used_symbols(script, &terms);
        let arena = script.arena_mut();
        let whole = terms.iter().rev().filter_map(|&term| without_annotation(arena, term, &used)).collect();
        let single =
            terms.iter().rev().filter_map(|&term| without_one_attribute(arena, term, &used)).collect();
        vec![whole, single]
    }
}

/// The symbols that terms use.
fn used_symbols(script: &Script, terms: &[Term]) -> FxHashSet<Symbol> {
    let arena = script.arena();
    let opaque = script.commands.iter().any(|command| matches!(command, Command::Opaque(_)));
    let names = terms.iter().filter_map(|&term| match arena.view(term) {
        TermView::Application(head, _) => Some(head.symbol),
        // Commands that were not parsed may use any name.
        TermView::Annotated(attributes, _) if opaque => attributes.iter().find_map(|a| name_of(a.value)),
        _ => None,
    });
    names.collect()
}

fn name_of(value: AttributeValue) -> Option<Symbol> {
    match value {
        AttributeValue::Name(name) => Some(name),
        _ => None,
    }
}

fn without_annotation(arena: &Arena, term: Term, used: &FxHashSet<Symbol>) -> Option<ScriptChange> {
    let TermView::Annotated(attributes, [inner, ..]) = arena.view(term) else { return None };
    let is_used = attributes.iter().filter_map(|a| name_of(a.value)).any(|name| used.contains(&name));
    (!is_used).then_some(ScriptChange::ReplaceEverywhere(term, *inner))
}

/// Drops the first unused attribute of several; later rounds try the others.
fn without_one_attribute(arena: &mut Arena, term: Term, used: &FxHashSet<Symbol>) -> Option<ScriptChange> {
    let TermView::Annotated(attributes, children) = arena.view(term) else { return None };
    let (attributes, children) = (attributes.to_vec(), children.to_vec());
    if attributes.len() < 2 {
        return None;
    }
    let gone = attributes.iter().position(|a| name_of(a.value).is_none_or(|name| !used.contains(&name)))?;
    let start = 1 + attributes[..gone].iter().map(|a| a.value.terms()).sum::<usize>();
    let end = start + attributes[gone].value.terms();
    let rest: Vec<Term> = children[..start].iter().chain(&children[end..]).copied().collect();
    let mut kept = attributes.clone();
    kept.remove(gone);
    Some(ScriptChange::ReplaceEverywhere(term, arena.annotated(&kept, &rest)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};

    #[test]
    fn annotations_go_unless_their_names_are_used() {
        let x = "(declare-const x Bool)";
        check(&DropAnnotations, &format!("{x}(assert (! x :named a))"), &format!("{x}(assert x)"));
        check_nothing(&DropAnnotations, &format!("{x}(assert (! x :named a))(assert (not a))"));
        check(
            &DropAnnotations,
            "(declare-fun p (Int) Bool)(assert (forall ((y Int)) (! (p y) :pattern ((p y)) :qid q)))",
            "(declare-fun p (Int) Bool)(assert (forall ((y Int)) (! (p y) :qid q)))",
        );
    }
}
