//! Explains why an assertion is false: the smallest false part, with the values of its children.
//!
//! ```text
//! (assert (and (< x 9) (let ((y (+ x 1))) (= y 3))))    (= y 3) is false: y is 4
//! ```

use super::evaluator::Evaluator;
use super::{EvalBudget, EvalResult};
use crate::model::Model;
use crate::print::term_text;
use crate::symbol::Symbol;
use crate::term::{Term, TermView};
use crate::value::{Value, value_text};

/// A part of a term whose value explains that of the term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// The part.
    pub term: Term,
    /// Its value.
    pub value: bool,
    /// The part as text.
    pub text: String,
    /// Its children as text, each with its value or the reason why it is undecided.
    pub children: Vec<(String, String)>,
}

/// The smallest part of a false term that makes it false; `None` if the term is not false.
pub fn explain(model: &Model, term: Term, budget: EvalBudget) -> Option<Explanation> {
    let mut evaluator = Evaluator::new(model, budget);
    let mut at = term;
    let mut value = evaluator.value(term).ok()?.as_bool().filter(|value| !value)?;
    while let Some((next, next_value)) = evaluator.cause(at, value) {
        (at, value) = (next, next_value);
    }
    let arena = model.arena();
    let view = arena.view(at);
    // A term under a binder has no value by itself.
    let parts = if matches!(view, TermView::Bind(..)) { &[] } else { view.children() };
    let children = parts.iter().map(|&child| {
        let answer = evaluator.value(child);
        (term_text(arena, child), show(model, child, &answer))
    });
    let children = children.collect();
    Some(Explanation { term: at, value, text: term_text(arena, at), children })
}

fn show(model: &Model, term: Term, answer: &EvalResult) -> String {
    match answer {
        Ok(value) => value_text(model.arena(), model.arena().sort_of(term), value),
        Err(undecided) => format!("undecided: {undecided}"),
    }
}

impl Evaluator<'_> {
    /// A child whose value alone determines that of the term, with its value; the scope of a `let` stays open.
    fn cause(&mut self, term: Term, value: bool) -> Option<(Term, bool)> {
        let arena = self.arena;
        match arena.view(term) {
            TermView::Annotated(_, children) => Some((children[0], value)),
            TermView::Let(variables, children) => {
                let answers: Vec<EvalResult> =
                    children[..variables.len()].iter().map(|&t| self.value(t)).collect();
                self.open(variables.iter().map(|variable| variable.name).zip(answers));
                Some((children[variables.len()], value))
            }
            TermView::Application(head, children) => match (head.symbol, children) {
                (Symbol::NOT, [child]) => Some((*child, !value)),
                (Symbol::AND, _) if !value => self.first_with(children, false),
                (Symbol::OR, _) if value => self.first_with(children, true),
                (Symbol::IMPLIES, [.., last]) if !value => Some((*last, false)),
                (Symbol::ITE, [condition, then, otherwise]) => match self.value(*condition) {
                    Ok(Value::Bool(true)) => Some((*then, value)),
                    Ok(Value::Bool(false)) => Some((*otherwise, value)),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    fn first_with(&mut self, children: &[Term], wanted: bool) -> Option<(Term, bool)> {
        let mut found = children.iter().filter(|&&child| self.value(child) == Ok(Value::Bool(wanted)));
        found.next().map(|&child| (child, wanted))
    }
}
