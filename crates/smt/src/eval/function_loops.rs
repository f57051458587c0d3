//! Operators that call a function for each element: `seq.map`, `seq.foldl`, `set.map`, `set.filter`, `bag.map`, `nullable.lift`, `(_ map f)`.
//!
//! ```text
//! (seq.foldl f x (seq.++ (seq.unit a) (seq.unit b)))      (f (f x a) b)
//! ((_ map f) a b)                                         the array with (f (select a i) (select b i)) at each index i
//! ```
//!
//! Folds over sets and bags are known if there is at most one element, because their order is open. A function over a small sort becomes an array in the same way: the loop calls it for every value of the sort.

use std::collections::{BTreeMap, BTreeSet};

use dashu_int::IBig;

use super::evaluator::{Evaluator, FrameState, FrameStep, unknown};
use super::{EvalResult, Undecided};
use crate::sort::{Index, Sort};
use crate::sort_check::mapped_operator;
use crate::symbol::Symbol;
use crate::term::Head;
use crate::value::{Array, FunctionCode, Indices, Value};

/// The most values of a sort that a function is turned into an array over.
pub(crate) const MAX_TABLE_POINTS: usize = 256;

/// Calls of one function, one after another.
pub(super) struct FunctionLoop {
    function: CalledFunction,
    /// The arguments of the calls that are left, the last first.
    calls: Vec<Vec<Value>>,
    /// Where the result of the last call goes among the arguments of the next one.
    fold: Option<usize>,
    results: Vec<Value>,
    product: LoopProduct,
    /// The call in progress, to be memoized.
    call: Option<(u32, Vec<Value>)>,
}

/// What the calls are of.
enum CalledFunction {
    Value(Value),
    /// An operator of the theories, with the sort of its results.
    Operator(Symbol, Sort),
}

/// What the results make up.
enum LoopProduct {
    Sequence(Sort),
    Set,
    /// The elements for which the function returns true.
    FilteredSet(Vec<Value>),
    Bag(Vec<IBig>),
    FilteredBag(Vec<(Value, IBig)>),
    /// The last result.
    Last,
    All,
    Some,
    /// The result of the only call as a value that is not missing; without a call, it is missing.
    Nullable,
    /// The array with these results at the indices; the first result is everywhere else.
    Array(Vec<Value>, Indices, Sort),
    /// The array over all these indices, or the function itself if a result is undecided.
    Table(Vec<Value>, Value),
}

impl Evaluator<'_> {
    /// An operator that calls a function; `None` for any other operator.
    pub(super) fn function_operation(
        &mut self,
        base: usize,
        head: Head<'_>,
        sort: Sort,
    ) -> Option<FrameStep> {
        if head.symbol == Symbol::MAP {
            return Some(match head.indices {
                [Index::Symbol(function)] => self.map_arrays(*function, base, sort),
                _ => unknown("a map of several functions"),
            });
        }
        if let (Symbol::AS_ARRAY, [Index::Symbol(function)]) = (head.symbol, head.indices) {
            let name = self.arena.text(*function);
            return Some(self.as_array(name));
        }
        let name = self.arena.text(head.symbol);
        if let ("nullable.lift", [Index::Symbol(function)]) = (name, head.indices) {
            let function = self.mapped_function(*function, self.element_of(sort));
            let values = self.take_values(base);
            return Some(match function.and_then(|function| lifted_loop(function, &values)) {
                Some(started) => self.begin_loop(started),
                None => unknown("nullable.lift of these arguments"),
            });
        }
        let is_loop = LOOP_OPERATORS.contains(&name);
        is_loop.then(|| {
            let arguments = self.take_values(base);
            match started_loop(name, &arguments, self.element_of(sort)) {
                Some(started) => self.begin_loop(started),
                None => unknown(format!("{name} of these arguments")),
            }
        })
    }

    fn element_of(&self, sort: Sort) -> Sort {
        self.arena.view_sort(sort).arguments.last().copied().unwrap_or(Sort::UNKNOWN)
    }

    /// `((_ map f) a b)`
    fn map_arrays(&mut self, function: Symbol, base: usize, sort: Sort) -> FrameStep {
        let values = self.take_values(base);
        let arrays: Option<Vec<_>> = values
            .iter()
            .map(|value| match value {
                Value::Array(array) => Some(array.clone()),
                _ => None,
            })
            .collect();
        let Some(arrays) = arrays.filter(|arrays| !arrays.is_empty()) else {
            return unknown("a map of something that is no array");
        };
        let keys: BTreeSet<Value> =
            arrays.iter().flat_map(|array| array.stores()).map(|(index, _)| index.clone()).collect();
        let keys: Vec<Value> = keys.into_iter().collect();
        let at = |index: &Value| arrays.iter().map(|array| array.get(index).clone()).collect();
        let mut calls: Vec<Vec<Value>> = vec![arrays.iter().map(|array| array.default().clone()).collect()];
        calls.extend(keys.iter().map(at));
        let Some(function) = self.mapped_function(function, self.element_of(sort)) else {
            return unknown("a map of a function that is not known");
        };
        let product = LoopProduct::Array(keys, arrays[0].indices().clone(), self.element_of(sort));
        self.begin_loop(FunctionLoop::of(function, calls, product))
    }

    fn mapped_function(&self, index: Symbol, result: Sort) -> Option<CalledFunction> {
        let operator = match mapped_operator(self.arena.text(index)) {
            Some(name) => self.arena.find_symbol(name)?,
            None => match self.model.only_function(index) {
                Some(number) => {
                    let code = FunctionCode::Named(number);
                    return Some(CalledFunction::Value(Value::function(code, Vec::new(), Vec::new())));
                }
                None => index,
            },
        };
        Some(CalledFunction::Operator(operator, result))
    }

    /// Makes the frame's result the array of a function over all these indices.
    pub(super) fn begin_full_table(&mut self, function: Value, indices: &[Value]) -> FrameStep {
        let calls = indices.iter().map(|index| vec![index.clone()]).collect();
        let product = LoopProduct::Table(indices.to_vec(), function.clone());
        self.begin_loop(FunctionLoop::of(CalledFunction::Value(function), calls, product))
    }

    fn begin_loop(&mut self, started: FunctionLoop) -> FrameStep {
        self.frames.last_mut().expect("the frame of the operator").state =
            FrameState::Loop(Box::new(started));
        self.next_call()
    }

    /// Takes the result of a call, and makes the next one.
    pub(super) fn advance_loop(&mut self) -> FrameStep {
        let answer = self.answers.pop().expect("the call has its answer");
        let frame = self.frames.last_mut().expect("the frame of the loop");
        let FrameState::Loop(running) = &mut frame.state else { return unknown("a loop") };
        if let Some((function, arguments)) = running.call.take() {
            self.calls.remember(function, arguments, &answer);
        }
        let frame = self.frames.last_mut().expect("the frame of the loop");
        let FrameState::Loop(running) = &mut frame.state else { return unknown("a loop") };
        match (answer, &running.product) {
            (Ok(value), _) if !value.is_opaque() => running.results.push(value),
            (_, LoopProduct::Table(_, function)) => return FrameStep::Done(Ok(function.clone())),
            (Ok(_), _) => return unknown("a function that returns functions"),
            (Err(undecided), _) => return FrameStep::Done(Err(undecided)),
        }
        self.next_call()
    }

    /// Makes calls until one has to be evaluated, or all are made.
    fn next_call(&mut self) -> FrameStep {
        loop {
            let frame = self.frames.last_mut().expect("the frame of the loop");
            let scopes = frame.scopes;
            let FrameState::Loop(running) = &mut frame.state else { return unknown("a loop") };
            let Some(mut arguments) = running.calls.pop() else { return self.finished_loop() };
            if let Some(place) = running.fold
                && let Some(last) = running.results.pop()
            {
                arguments[place] = last;
            }
            let function = match &running.function {
                CalledFunction::Value(function) => Ok(function.clone()),
                CalledFunction::Operator(operator, result) => Err((*operator, *result)),
            };
            self.charge(1);
            self.close_scopes_to(scopes);
            let state = std::mem::replace(
                &mut self.frames.last_mut().expect("the frame of the loop").state,
                FrameState::Parts,
            );
            let step = match function {
                Ok(function) => self.apply(function, arguments),
                Err((operator, result)) => FrameStep::Done(self.operated(operator, &arguments, result)),
            };
            let frame = self.frames.last_mut().expect("the frame of the loop");
            let begun = std::mem::replace(&mut frame.state, state);
            if let (FrameState::Loop(running), FrameState::Call(function, arguments)) =
                (&mut frame.state, begun)
            {
                running.call = Some((function, arguments));
            }
            match step {
                FrameStep::Done(Ok(value)) if !value.is_opaque() => {
                    let frame = self.frames.last_mut().expect("the frame of the loop");
                    if let FrameState::Loop(running) = &mut frame.state {
                        running.results.push(value);
                    }
                }
                FrameStep::Done(answer) => {
                    self.answers.push(answer);
                    return self.advance_loop();
                }
                evaluate => return evaluate,
            }
        }
    }

    /// An operator of the theories on values.
    fn operated(&mut self, operator: Symbol, arguments: &[Value], result: Sort) -> EvalResult {
        let truth = |value: &Value| value.as_bool();
        let all: Option<Vec<bool>> = arguments.iter().map(truth).collect();
        let same = |a: &Value, b: &Value| {
            a.equal(b).ok_or_else(|| Undecided::Infinite("whether two functions are equal".into()))
        };
        match (operator, arguments, all) {
            (Symbol::AND, _, Some(all)) => Ok(Value::Bool(all.into_iter().all(|value| value))),
            (Symbol::OR, _, Some(all)) => Ok(Value::Bool(all.into_iter().any(|value| value))),
            (Symbol::IMPLIES, _, Some(all)) if all.len() == 2 => Ok(Value::Bool(!all[0] || all[1])),
            (Symbol::ITE, [condition, then, otherwise], _) => match condition.as_bool() {
                Some(true) => Ok(then.clone()),
                Some(false) => Ok(otherwise.clone()),
                None => Err(Undecided::Unknown("a condition that is no Boolean".into())),
            },
            (Symbol::EQUAL, [a, b], _) => same(a, b).map(Value::Bool),
            (Symbol::DISTINCT, [a, b], _) => same(a, b).map(|equal| Value::Bool(!equal)),
            _ => self.operated_on(operator, arguments, result),
        }
    }

    fn finished_loop(&mut self) -> FrameStep {
        let frame = self.frames.last_mut().expect("the frame of the loop");
        let FrameState::Loop(finished) = std::mem::replace(&mut frame.state, FrameState::Tail) else {
            return unknown("a loop");
        };
        FrameStep::Done(self.product(*finished))
    }

    fn product(&mut self, finished: FunctionLoop) -> EvalResult {
        let results = finished.results;
        let odd = || Undecided::Unknown("a function with results of another kind".into());
        let truths = || results.iter().map(Value::as_bool).collect::<Option<Vec<bool>>>().ok_or_else(odd);
        let made = match finished.product {
            LoopProduct::Sequence(element) => {
                let results: Result<Vec<Value>, Undecided> =
                    results.into_iter().map(|value| self.coerced(Ok(value), element)).collect();
                Some(Value::sequence(results?))
            }
            LoopProduct::Set => Value::set(results.into_iter().collect()),
            LoopProduct::FilteredSet(elements) => {
                let kept = elements.into_iter().zip(truths()?).filter(|(_, is_kept)| *is_kept);
                Value::set(kept.map(|(element, _)| element).collect())
            }
            LoopProduct::Bag(counts) => {
                let mut bag: BTreeMap<Value, IBig> = BTreeMap::new();
                for (element, count) in results.into_iter().zip(counts) {
                    *bag.entry(element).or_default() += count;
                }
                Value::bag(bag)
            }
            LoopProduct::FilteredBag(elements) => {
                let kept = elements.into_iter().zip(truths()?).filter(|(_, is_kept)| *is_kept);
                Value::bag(kept.map(|(element, _)| element).collect())
            }
            LoopProduct::Last => results.last().cloned(),
            LoopProduct::Nullable => Some(match results.into_iter().next() {
                Some(value) => Value::datatype(Symbol::SOME, vec![value]),
                None => Value::datatype(Symbol::NULL, Vec::new()),
            }),
            LoopProduct::All => Some(Value::Bool(truths()?.into_iter().all(|value| value))),
            LoopProduct::Some => Some(Value::Bool(truths()?.into_iter().any(|value| value))),
            LoopProduct::Array(keys, indices, element) => {
                let results: Result<Vec<Value>, Undecided> =
                    results.into_iter().map(|value| self.coerced(Ok(value), element)).collect();
                let mut results = results?.into_iter();
                let default = results.next().ok_or_else(odd)?;
                Some(Array::constant(default, indices).with(keys.into_iter().zip(results)).into_value())
            }
            LoopProduct::Table(indices, _) => {
                let default = results.first().cloned().ok_or_else(odd)?;
                let all = Indices::Few(indices.clone().into());
                Some(Array::constant(default, all).with(indices.into_iter().zip(results)).into_value())
            }
        };
        made.ok_or_else(odd)
    }
}

impl FunctionLoop {
    fn of(function: CalledFunction, mut calls: Vec<Vec<Value>>, product: LoopProduct) -> FunctionLoop {
        calls.reverse();
        FunctionLoop { function, calls, fold: None, results: Vec::new(), product, call: None }
    }
}

/// The operators that take a function and elements.
pub(super) const LOOP_OPERATORS: &[&str] = &[
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
fn started_loop(name: &str, arguments: &[Value], element: Sort) -> Option<FunctionLoop> {
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
fn lifted_loop(function: CalledFunction, nullables: &[Value]) -> Option<FunctionLoop> {
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
