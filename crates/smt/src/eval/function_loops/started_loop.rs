//! The calls that an operator makes: one row for each operator that takes a function.

use dashu_int::IBig;

use super::{CalledFunction, FunctionLoop, LoopProduct};
use crate::sort::Sort;
use crate::value::Value;

/// The operators that take a function and elements.
pub const LOOP_OPERATORS: &[&str] = &[
    "seq.map",
    "seq.mapi",
    "seq.foldl",
    "seq.fold_left",
    "seq.foldli",
    "seq.fold_lefti",
    "set.map",
    "set.filter",
    "set.all",
    "set.some",
    "set.fold",
    "bag.map",
    "bag.filter",
    "bag.all",
    "bag.some",
    "bag.fold",
    "nullable.lift",
];

/// The most calls of `bag.fold`.
const MAX_FOLDED_COPIES: usize = 256;

/// The calls of an operator; `element` is the sort of the elements of its result.
pub(super) fn started_loop(name: &str, arguments: &[Value], element: Sort) -> Option<FunctionLoop> {
    let function = CalledFunction::Value(arguments.first()?.clone());
    let single = |elements: &[Value]| elements.iter().map(|element| vec![element.clone()]).collect();
    Some(match (name, &arguments[1..]) {
        ("nullable.lift", values) => lifted_loop(function, values)?,
        ("seq.map", [list]) => {
            FunctionLoop::of(function, single(elements(list)?), LoopProduct::Sequence(element))
        }
        ("seq.mapi", [Value::Int(first), list]) => {
            let numbered = elements(list)?.iter().enumerate();
            let calls =
                numbered.map(|(place, item)| vec![Value::Int(first + IBig::from(place)), item.clone()]);
            FunctionLoop::of(function, calls.collect(), LoopProduct::Sequence(element))
        }
        ("seq.foldl" | "seq.fold_left", [start, list]) => {
            let calls = elements(list)?.iter().map(|item| vec![start.clone(), item.clone()]);
            folded(FunctionLoop::of(function, calls.collect(), LoopProduct::Last), 0, start)
        }
        ("seq.foldli" | "seq.fold_lefti", [Value::Int(first), start, list]) => {
            let numbered = elements(list)?.iter().enumerate();
            let calls = numbered.map(|(place, item)| {
                vec![Value::Int(first + IBig::from(place)), start.clone(), item.clone()]
            });
            folded(FunctionLoop::of(function, calls.collect(), LoopProduct::Last), 1, start)
        }
        // With several elements, the order is open, and so is the result.
        ("set.fold", [start, Value::Set(set)]) if set.elements().len() <= 1 => {
            let calls = set.elements().iter().map(|item| vec![item.clone(), start.clone()]);
            folded(FunctionLoop::of(function, calls.collect(), LoopProduct::Last), 1, start)
        }
        ("bag.fold", [start, Value::Bag(bag)]) if bag.counts().len() <= 1 => {
            let mut calls = Vec::new();
            for (item, count) in bag.counts() {
                let count = usize::try_from(count).ok().filter(|count| *count <= MAX_FOLDED_COPIES)?;
                calls.extend(vec![vec![item.clone(), start.clone()]; count]);
            }
            folded(FunctionLoop::of(function, calls, LoopProduct::Last), 1, start)
        }
        (_, [Value::Set(set)]) => {
            let elements: Vec<Value> = set.elements().iter().cloned().collect();
            let calls = single(&elements);
            let product = match name {
                "set.map" => LoopProduct::Set,
                "set.filter" => LoopProduct::FilteredSet(elements),
                "set.all" => LoopProduct::All,
                "set.some" => LoopProduct::Some,
                _ => return None,
            };
            FunctionLoop::of(function, calls, product)
        }
        (_, [Value::Bag(bag)]) => {
            let calls = bag.counts().keys().map(|element| vec![element.clone()]).collect();
            let product = match name {
                "bag.map" => LoopProduct::Bag(bag.counts().values().cloned().collect()),
                "bag.filter" => {
                    let counted = bag.counts().iter();
                    LoopProduct::FilteredBag(
                        counted.map(|(item, count)| (item.clone(), count.clone())).collect(),
                    )
                }
                "bag.all" => LoopProduct::All,
                "bag.some" => LoopProduct::Some,
                _ => return None,
            };
            FunctionLoop::of(function, calls, product)
        }
        _ => return None,
    })
}

/// One call with the values of nullables, or none if one of them is missing.
pub(super) fn lifted_loop(function: CalledFunction, nullables: &[Value]) -> Option<FunctionLoop> {
    let mut arguments = Vec::new();
    for nullable in nullables {
        let Value::Datatype(made) = nullable else { return None };
        arguments.extend(made.fields.first().cloned());
    }
    let calls = if arguments.len() == nullables.len() { vec![arguments] } else { Vec::new() };
    Some(FunctionLoop::of(function, calls, LoopProduct::Nullable))
}

/// The loop with each result as an argument of the next call; without calls, the start is the result.
fn folded(mut started: FunctionLoop, place: usize, start: &Value) -> FunctionLoop {
    started.fold = Some(place);
    started.results.push(start.clone());
    started
}

/// The elements of a sequence. Those of strings are characters, of which functions make nothing that can be checked here.
fn elements(list: &Value) -> Option<&[Value]> {
    match list {
        Value::Sequence(sequence) => Some(&sequence.elements),
        _ => None,
    }
}
