//! Rebuilds terms with other children.

use crate::arena::Arena;
use crate::symbol::Symbol;
use crate::term::{Head, MatchCase, Term, TermView, Variable};

/// A copy of `term` with other children, of the same sorts as the old ones.
pub fn replace_children(arena: &mut Arena, term: Term, children: &[Term]) -> Term {
    if arena.children(term) == children {
        return term;
    }
    let sort = arena.sort_of(term);
    match arena.view(term) {
        TermView::Literal(..) | TermView::Variable(_) | TermView::Opaque(_) => term,
        TermView::Application(head, _) => {
            let indices = head.indices.to_vec();
            let head = Head { indices: &indices, ..head };
            arena.application(head, children, sort)
        }
        TermView::Apply(_) => arena.apply(children, sort),
        TermView::Let(variables, _) => {
            let variables = variables.to_vec();
            arena.let_in(&variables, children)
        }
        TermView::Bind(binder, variables, _) => {
            let variables = variables.to_vec();
            arena.bind(binder, &variables, children, sort)
        }
        TermView::Match(cases, _) => {
            let owned: Vec<(Option<Symbol>, Vec<Variable>)> =
                cases.iter().map(|case| (case.constructor, case.variables.to_vec())).collect();
            let cases: Vec<MatchCase<'_>> = owned
                .iter()
                .map(|(constructor, variables)| MatchCase { constructor: *constructor, variables })
                .collect();
            arena.match_on(&cases, children, sort)
        }
        TermView::Annotated(attributes, _) => {
            let attributes = attributes.to_vec();
            arena.annotated(&attributes, children)
        }
    }
}
