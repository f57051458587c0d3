//! The model format of yices: equations and function tables.
//!
//! ```text
//! (= x 5)  (= a @fun_7)
//! (function @fun_7 (type (Array Int Int)) (= (@fun_7 3) 5) (default 4))
//! ```
//!
//! A table becomes a definition as other solvers print it: `(ite (= x!0 3) 5 4)`.

use super::{IgnoreReason, Meaning, Model, is_interpreted};
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Binder, Head, Term, TermView, Variable};

/// `(= name value)`; if the value is the name of a table, the definition waits for the table.
pub(super) fn equation(model: &mut Model, name: Symbol, arguments: &[Term], value: Term) {
    let Some(function) = model.declared(name) else {
        ignore_operator(model, name);
        return;
    };
    if let Some(reason) = model.fixed_by(function) {
        model.ignore(name, reason);
        return;
    }
    match table_name(model, value) {
        Some(table) => {
            // The table comes later and looks up the functions that wait for it.
            let parameters = [].into();
            model.set_meaning(function, Meaning::Defined { parameters, body: value });
            model.await_table(table, function);
        }
        None if arguments.is_empty() => {
            model.set_meaning(function, Meaning::Defined { parameters: [].into(), body: value });
        }
        None => {}
    }
}

/// The table of a function or an array.
pub(super) fn function(model: &mut Model, name: Symbol, points: &[(Vec<Term>, Term)], default: Option<Term>) {
    let waiting = model.functions_awaiting(name);
    let named =
        model.declared(name).into_iter().filter(|&f| matches!(model.entry(f).meaning, Meaning::Missing));
    let functions: Vec<u32> = waiting.into_iter().chain(named).collect();
    if functions.is_empty() {
        ignore_operator(model, name);
    }
    for function in functions {
        let entry = model.entry(function);
        let view = model.arena().view_sort(entry.result);
        let is_array = entry.parameters.is_empty() && view.head == Symbol::ARRAY;
        let (sorts, result) = match (is_array, view.arguments.split_last()) {
            (true, Some((element, indices))) => (indices.to_vec(), *element),
            _ => (entry.parameters.clone(), entry.result),
        };
        let (whole, parameters) = (entry.result, model.table_parameters(&sorts));
        let Some(body) = table(model, &parameters, result, points, default) else {
            let reason = "a table of the model without a default".into();
            model.set_meaning(function, Meaning::Unreadable(reason));
            continue;
        };
        let meaning = match is_array {
            true => {
                let lambda = model.arena_mut().bind(Binder::Lambda, &parameters, &[body], whole);
                Meaning::Defined { parameters: [].into(), body: lambda }
            }
            false => Meaning::Defined { parameters: parameters.into(), body },
        };
        model.set_meaning(function, meaning);
    }
}

/// Records that a line about an operator of a theory has no effect.
fn ignore_operator(model: &mut Model, name: Symbol) {
    if model.declared(name).is_none() && is_interpreted(model.arena(), name) {
        model.ignore(name, IgnoreReason::TheoryOperator);
    }
}

/// `(ite (and (= x!0 a) (= x!1 b)) v …)`
fn table(
    model: &mut Model,
    parameters: &[Variable],
    result: Sort,
    points: &[(Vec<Term>, Term)],
    default: Option<Term>,
) -> Option<Term> {
    let arena = model.arena_mut();
    let variables: Vec<Term> = parameters.iter().map(|&parameter| arena.variable(parameter)).collect();
    let mut body = default.or_else(|| points.last().map(|(_, value)| *value))?;
    for (arguments, value) in points.iter().rev() {
        if arguments.len() != variables.len() {
            return None;
        }
        let pairs: Vec<Term> = (variables.iter().zip(arguments))
            .map(|(&variable, &argument)| {
                arena.application(Head::plain(Symbol::EQUAL), &[variable, argument], Sort::BOOL)
            })
            .collect();
        let condition = arena.application(Head::plain(Symbol::AND), &pairs, Sort::BOOL);
        body = arena.application(Head::plain(Symbol::ITE), &[condition, *value, body], result);
    }
    Some(body)
}

/// The name of a table, if the term is just that.
fn table_name(model: &Model, term: Term) -> Option<Symbol> {
    match model.arena().view(term) {
        TermView::Application(head, []) if model.arena().text(head.symbol).starts_with("@fun") => {
            Some(head.symbol)
        }
        _ => None,
    }
}
