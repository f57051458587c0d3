//! The assignment that satisfies a script, written as a model, so that the evaluator can check it.

use std::fmt::Write as _;

use super::program::{FreeFunction, Program};
use super::words::WordKind;
use crate::arena::Arena;
use crate::print::{sort_text, symbol_text};
use crate::sort::Sort;
use crate::value::value_text;

/// The assigned points as definitions. Results that the standard leaves open have the names that models give them.
pub(super) fn model_text(arena: &Arena, program: &Program<'_>) -> String {
    let mut text = String::from("(\n");
    for function in &program.functions {
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
    text + ")\n"
}

/// The names of the operators of which the assignment fixes open results.
pub(super) fn open_results(arena: &Arena, program: &Program<'_>) -> Vec<String> {
    let used = |function: &&FreeFunction| function.is_open && !function.points.is_empty();
    program.functions.iter().filter(used).map(|function| symbol_text(arena, function.name)).collect()
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
