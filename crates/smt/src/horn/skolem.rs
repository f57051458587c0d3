//! Skolem constants for existential variables: an equisatisfiable term that is easier to evaluate.
//!
//! ```text
//! (and (p x) (exists ((y Int)) (< x y)))   becomes   (and (p x) (< x c))
//! ```
//!
//! Only quantifiers directly below connectives are replaced, so that constants are enough. Models of Horn clauses are full of
//! such quantifiers: they remain from predicates that the solver eliminated.

use super::FreshConstants;
use crate::arena::Arena;
use crate::command::Command;
use crate::sort::Sort;
use crate::substitute::Substitution;
use crate::symbol::Symbol;
use crate::term::{Binder, Head, Term, TermView, Variable};

/// The maximal number of subterms visited.
const MAX_SKOLEM_VISITS: usize = 20_000;

/// The next step.
enum SkolemTask {
    /// Visit a subterm, in positive or negative polarity.
    Visit(Term, bool),
    /// Rebuild a connective from so many results.
    Rebuild(Symbol, usize),
}

/// A term with fresh constants, declared by commands, in place of its existential variables.
pub fn skolemise(
    arena: &mut Arena,
    term: Term,
    fresh: &mut FreshConstants,
    commands: &mut Vec<Command>,
) -> Term {
    let (mut open, mut results, mut visits) = (vec![SkolemTask::Visit(term, true)], Vec::new(), 0);
    while let Some(work) = open.pop() {
        visits += 1;
        match work {
            SkolemTask::Rebuild(symbol, count) => {
                let arguments: Vec<Term> = results.drain(results.len() - count..).collect();
                results.push(arena.application(Head::plain(symbol), &arguments, Sort::BOOL));
            }
            SkolemTask::Visit(term, _) if visits > MAX_SKOLEM_VISITS => results.push(term),
            SkolemTask::Visit(term, is_so) => match arena.view(term) {
                TermView::Annotated(_, children) => open.push(SkolemTask::Visit(children[0], is_so)),
                TermView::Application(head, arguments) if !arguments.is_empty() => {
                    match polarities(head.symbol, arguments.len(), is_so) {
                        None => results.push(term),
                        Some(senses) => {
                            open.push(SkolemTask::Rebuild(head.symbol, arguments.len()));
                            open.extend(
                                arguments
                                    .iter()
                                    .zip(senses)
                                    .rev()
                                    .map(|(&a, sense)| SkolemTask::Visit(a, sense)),
                            );
                        }
                    }
                }
                TermView::Bind(binder, variables, bodies)
                    if (binder, is_so) == (Binder::Exists, true)
                        || (binder, is_so) == (Binder::Forall, false) =>
                {
                    let (variables, body) = (variables.to_vec(), bodies[0]);
                    let body = with_constants(arena, &variables, body, fresh, commands);
                    open.push(SkolemTask::Visit(body, is_so));
                }
                TermView::Let(variables, children) => {
                    let names = variables.iter().map(|variable| variable.name);
                    let bindings: Vec<(Symbol, Term)> = names.zip(children.iter().copied()).collect();
                    let body = children[children.len() - 1];
                    match Substitution::default().apply(arena, body, &bindings) {
                        Some(body) => open.push(SkolemTask::Visit(body, is_so)),
                        None => results.push(term),
                    }
                }
                _ => results.push(term),
            },
        }
    }
    results.pop().expect("a term has a result")
}

/// The polarity of each argument of a connective; `None` for any other symbol.
fn polarities(symbol: Symbol, count: usize, is_so: bool) -> Option<Vec<bool>> {
    let mut senses = vec![is_so; count];
    match symbol {
        Symbol::AND | Symbol::OR => {}
        Symbol::NOT => senses[0] = !is_so,
        Symbol::IMPLIES => senses[..count - 1].fill(!is_so),
        _ => return None,
    }
    Some(senses)
}

fn with_constants(
    arena: &mut Arena,
    variables: &[Variable],
    body: Term,
    fresh: &mut FreshConstants,
    commands: &mut Vec<Command>,
) -> Term {
    let constant = |variable: &Variable| (variable.name, fresh.constant(arena, variable.sort, commands));
    let bindings: Vec<(Symbol, Term)> = variables.iter().map(constant).collect();
    Substitution::default().apply(arena, body, &bindings).expect("constants are captured by nothing")
}
