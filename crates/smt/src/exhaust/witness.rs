//! The assignment that satisfies a script, written as a model, so that the evaluator can check it.

use std::fmt::Write as _;

use super::program::{FreeFunction, FreeOrder, Program, SolvedConstant};
use super::words::WordKind;
use crate::arena::Arena;
use crate::heap::HeapState;
use crate::model::Model;
use crate::orders;
use crate::print::{sort_text, symbol_text};
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::value::{Value, value_text};

/// The assigned points as definitions. Results that the standard leaves open have the names that models give them.
/// The text begins with that of the universe.
pub(super) fn model_text(model: &Model, program: &Program<'_>, universe: &str) -> String {
    let (arena, sorts) = (model.arena(), model.heap_sorts().ok());
    let mut text = format!("(\n{universe}");
    for function in
        program.functions.iter().filter(|function| !function.is_choice && function.name != Symbol::EMPTY_HEAP)
    {
        if let Some(order) = &function.order {
            text += &order_definition(arena, program, function, order);
            continue;
        }
        let name = match function.is_open {
            false => symbol_text(arena, function.name),
            true => {
                let operator = arena.text(function.name);
                match arena.signature().unspecified.functions_for(operator).first() {
                    Some(name) => (*name).to_owned(),
                    None => continue,
                }
            }
        };
        if let Some(definition) = definition(arena, program, function, &name) {
            text += &definition;
        }
    }
    text.extend(program.solved.iter().filter_map(|solved| solution_definition(arena, program, solved)));
    text + ")\n" + &heap_text(arena, program, sorts).unwrap_or_default()
}

/// The heap, as cvc5 prints it after a model.
fn heap_text(arena: &Arena, program: &Program<'_>, sorts: Option<(Sort, Sort)>) -> Option<String> {
    let ((location, data), function) = (sorts?, &program.functions[program.heap? as usize]);
    let state = HeapState::of_value(&program.words.value(function.kind, function.constant?))?;
    let cell = |(at, held): (&Value, &Value)| {
        format!("(pto {} {})", value_text(arena, location, at), value_text(arena, data, held))
    };
    let cells: Vec<String> = state.cells.iter().map(cell).collect();
    let formula = match cells.as_slice() {
        [] => "sep.emp".to_owned(),
        [only] => only.clone(),
        _ => format!("(sep {})", cells.join(" ")),
    };
    let nil = value_text(arena, location, &state.nil);
    Some(format!("(heap\n{formula}\n(= (as sep.nil {}) {nil})\n)\n", sort_text(arena, location)))
}

/// The names of the operators of which the assignment fixes open results.
pub(super) fn open_results(arena: &Arena, program: &Program<'_>) -> Vec<String> {
    let used = |function: &&FreeFunction| function.is_open && !function.points.is_empty();
    program.functions.iter().filter(used).map(|function| symbol_text(arena, function.name)).collect()
}

/// An order: pairs of equal values, and the pairs that are listed.
fn order_definition(
    arena: &Arena,
    program: &Program<'_>,
    function: &FreeFunction,
    order: &FreeOrder,
) -> String {
    let sort = function.parameters[0];
    let kind = WordKind::of(arena, sort);
    let shown = |word: u64| value_text(arena, sort, &program.words.value(kind, word));
    let name = orders::model_name(arena.text(function.name), order.index);
    let sort = sort_text(arena, sort);
    let mut text = format!("(define-fun {name} ((x!0 {sort}) (x!1 {sort})) Bool (or (= x!0 x!1)");
    for (smaller, greater) in orders::ordered_pairs(order.kind, &function.points, &order.values) {
        let _ = write!(text, " (and (= x!0 {}) (= x!1 {}))", shown(smaller), shown(greater));
    }
    text + "))\n"
}

/// The definition of a solved constant by its value.
fn solution_definition(arena: &Arena, program: &Program<'_>, solved: &SolvedConstant) -> Option<String> {
    let kind = program.nodes[solved.node as usize].kind;
    let value = value_text(arena, solved.sort, &program.words.value(kind, program.word(solved.node)?));
    let (name, sort) = (symbol_text(arena, solved.name), sort_text(arena, solved.sort));
    Some(format!("(define-fun {name} () {sort} {value})\n"))
}

fn definition(arena: &Arena, program: &Program<'_>, function: &FreeFunction, name: &str) -> Option<String> {
    let shown =
        |kind: WordKind, sort: Sort, word: u64| value_text(arena, sort, &program.words.value(kind, word));
    let result = sort_text(arena, function.result);
    if let Some(word) = function.constant {
        let value = shown(function.kind, function.result, word);
        return Some(format!("(define-fun {name} () {result} {value})\n"));
    }
    let mut points: Vec<(&[u64], u64)> = function.points.iter().map(|(at, &word)| (&**at, word)).collect();
    points.sort_unstable();
    let default = shown(function.kind, function.result, points.first()?.1);
    let mut text = format!("(define-fun {name} (");
    for (place, sort) in function.parameters.iter().enumerate() {
        let _ = write!(text, "(x!{place} {})", sort_text(arena, *sort));
    }
    let _ = write!(text, ") {result} ");
    for (arguments, word) in &points[1..] {
        text += "(ite (and";
        for (place, (&argument, &sort)) in arguments.iter().zip(&function.parameters).enumerate() {
            let _ = write!(text, " (= x!{place} {})", shown(WordKind::of(arena, sort), sort, argument));
        }
        let _ = write!(text, ") {} ", shown(function.kind, function.result, *word));
    }
    let _ = writeln!(text, "{default}{})", ")".repeat(points.len() - 1));
    Some(text)
}
