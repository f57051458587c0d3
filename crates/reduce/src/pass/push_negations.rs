//! Moves a negation into the quantifier below it.
//!
//! ```text
//! (not (exists ((x Int)) (p x)))   becomes   (forall ((x Int)) (p x))   and   (forall ((x Int)) (not (p x)))
//! ```
//!
//! The second is no shorter, but other passes reach its inner negation: they drop it, or simplify it with what it negates.

use gainsay_smt::{Arena, Binder, Head, Script, Sort, Symbol, Term, TermView};

use super::{Pass, Phase};
use crate::change::{ScriptChange, replacement_batches};
use crate::script_view::ScriptView;

/// Moves negations into quantifiers.
pub struct PushNegations;

impl Pass for PushNegations {
    fn name(&self) -> &'static str {
        "push-negations"
    }

    fn about(&self) -> &'static str {
        "moves negations into quantifiers"
    }

    fn phase(&self) -> Phase {
        Phase::Structure
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        replacement_batches(script, pushed)
    }
}

/// The other quantifier over the body, and over its negation; empty for other terms.
fn pushed(arena: &mut Arena, term: Term) -> Vec<Term> {
    let TermView::Application(head, &[inner]) = arena.view(term) else { return Vec::new() };
    let TermView::Bind(binder, variables, &[body]) = arena.view(inner) else { return Vec::new() };
    let dual = match binder {
        Binder::Forall => Binder::Exists,
        Binder::Exists => Binder::Forall,
        _ => return Vec::new(),
    };
    // The patterns of a body are not those of its negation.
    if head.symbol != Symbol::NOT || matches!(arena.view(body), TermView::Annotated(..)) {
        return Vec::new();
    }
    let variables = variables.to_vec();
    let negated = arena.application(Head::plain(Symbol::NOT), &[body], Sort::BOOL);
    [body, negated].map(|body| arena.bind(dual, &variables, &[body], Sort::BOOL)).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};

    #[test]
    fn a_negated_quantifier_becomes_the_other_one() {
        let script = |term: &str| format!("(declare-fun p (Int) Bool)(assert {term})");
        let before = script("(not (exists ((x Int)) (p x)))");
        check(&PushNegations, &before, &script("(forall ((x Int)) (p x))"));
        check(&PushNegations, &before, &script("(forall ((x Int)) (not (p x)))"));
        let inside = script("(=> (p 1) (not (forall ((x Int) (y Int)) (= (p x) (p y)))))");
        check(
            &PushNegations,
            &inside,
            &script("(=> (p 1) (exists ((x Int) (y Int)) (not (= (p x) (p y)))))"),
        );
    }

    #[test]
    fn other_negations_and_quantifiers_with_patterns_stay() {
        let script = |term: &str| format!("(declare-fun p (Int) Bool)(assert {term})");
        check_nothing(&PushNegations, &script("(not (p 1))"));
        check_nothing(&PushNegations, &script("(exists ((x Int)) (not (p x)))"));
        check_nothing(&PushNegations, &script("(not (forall ((x Int)) (! (p x) :pattern ((p x)))))"));
    }
}
