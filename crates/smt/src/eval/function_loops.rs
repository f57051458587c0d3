//! Operators that call a function for each element: `seq.map`, `seq.foldl`, `set.map`, `set.filter`, `bag.map`, `nullable.lift`, `(_ map f)`.
//!
//! ```text
//! (seq.foldl f x (seq.++ (seq.unit a) (seq.unit b)))      (f (f x a) b)
//! ((_ map f) a b)                                         the array with (f (select a i) (select b i)) at each index i
//! ```
//!
//! Folds over sets and bags are known if there is at most one element, because their order is open. A function over a small sort becomes an array in the same way: the loop calls it for every value of the sort.

mod started_loop;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use dashu_int::IBig;

use super::evaluator::{Evaluator, FrameState, FrameStep, unknown};
use super::{EvalResult, Undecided};
use crate::orders;
use crate::sort::{Index, Sort};
use crate::sort_check::mapped_operator;
use crate::symbol::Symbol;
use crate::term::Head;
use crate::value::{Array, FunctionCode, Indices, Value};
use started_loop::{lifted_loop, started_loop};

pub(super) use started_loop::LOOP_OPERATORS;

/// The most values of a sort that a function is turned into an array over.
pub(crate) const MAX_TABLE_POINTS: usize = 256;

/// The most values of a sort that a transitive closure is computed over.
pub(crate) const MAX_CLOSED_VALUES: usize = 16;

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
    /// Whether a path leads from one value to another; the results are those of all pairs of values.
    Closure {
        count: usize,
        from: usize,
        to: usize,
    },
    /// The array with these results at the indices; the first result is everywhere else.
    Array(Vec<Value>, Indices, Sort),
    /// The array over all these indices, of arrays over the next ones, or the function itself if a result is undecided.
    Table(Vec<Arc<[Value]>>, Value),
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
        if let ("transitive-closure", [Index::Symbol(function)]) = (name, head.indices) {
            return Some(self.transitive_closure(*function, base));
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
            return unknown("a map of a term that is not an array");
        };
        let keys: BTreeSet<Value> =
            arrays.iter().flat_map(|array| array.stores()).map(|(index, _)| index.clone()).collect();
        let keys: Vec<Value> = keys.into_iter().collect();
        let at = |index: &Value| arrays.iter().map(|array| array.get(index).clone()).collect();
        let mut calls: Vec<Vec<Value>> = vec![arrays.iter().map(|array| array.default().clone()).collect()];
        calls.extend(keys.iter().map(at));
        let Some(function) = self.mapped_function(function, self.element_of(sort)) else {
            return unknown("a map of an unknown function");
        };
        let product = LoopProduct::Array(keys, arrays[0].indices().clone(), self.element_of(sort));
        self.begin_loop(FunctionLoop::of(function, calls, product))
    }

    /// `((_ transitive-closure f) a b)`: calls `f` for all pairs of values.
    fn transitive_closure(&mut self, function: Symbol, base: usize) -> FrameStep {
        let ends = self.take_values(base);
        let number = self.model.only_function(function);
        let sort = number.and_then(|number| self.model.entry(number).parameters.first().copied());
        let values = sort.and_then(|sort| self.all_values(sort));
        let (Some(number), Some(values)) = (number, values.filter(|all| all.len() <= MAX_CLOSED_VALUES))
        else {
            return unknown("a transitive closure over too many values");
        };
        let place = |end: &Value| values.iter().position(|value| value == end);
        let &[Some(from), Some(to)] = ends.iter().map(place).collect::<Vec<_>>().as_slice() else {
            return unknown("a transitive closure of other values than those of its sort");
        };
        let pairs = values.iter().flat_map(|a| values.iter().map(|b| vec![a.clone(), b.clone()]));
        let function = Value::function(FunctionCode::Named(number), Vec::new(), Vec::new());
        let product = LoopProduct::Closure { count: values.len(), from, to };
        self.begin_loop(FunctionLoop::of(CalledFunction::Value(function), pairs.collect(), product))
    }

    fn mapped_function(&self, index: Symbol, result: Sort) -> Option<CalledFunction> {
        let operator = match mapped_operator(self.arena.text(index)) {
            Some(name) => self.arena.find_symbol(name)?,
            None => match self.model.only_function(index) {
                // Which of both it is depends on the sorts of the arrays.
                Some(number) if self.model.is_overloaded(number) => return None,
                Some(number) => {
                    let code = FunctionCode::Named(number);
                    return Some(CalledFunction::Value(Value::function(code, Vec::new(), Vec::new())));
                }
                None => index,
            },
        };
        Some(CalledFunction::Operator(operator, result))
    }

    /// Makes the frame's result a function as an array over its first argument of arrays over the next ones, or the function itself
    /// if its arguments have too many values.
    pub(super) fn nested_table(&mut self, function: Value, parameters: &[Sort]) -> FrameStep {
        let mut domains: Vec<Arc<[Value]>> = Vec::new();
        let mut count: usize = 1;
        for &parameter in parameters {
            let Some(values) = self.domain(parameter) else { return FrameStep::Done(Ok(function)) };
            count = count.saturating_mul(values.len());
            domains.push(values);
        }
        match (1..=MAX_TABLE_POINTS).contains(&count) {
            true => self.begin_full_table(function, domains),
            false => FrameStep::Done(Ok(function)),
        }
    }

    /// Makes the frame's result the array of a function over all these indices, for each of its arguments.
    pub(super) fn begin_full_table(&mut self, function: Value, domains: Vec<Arc<[Value]>>) -> FrameStep {
        let mut calls: Vec<Vec<Value>> = vec![Vec::new()];
        for indices in &domains {
            let longer = |start: Vec<Value>| {
                indices.iter().map(move |index| start.iter().chain([index]).cloned().collect::<Vec<_>>())
            };
            calls = calls.into_iter().flat_map(longer).collect();
        }
        let product = LoopProduct::Table(domains, function.clone());
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
                None => Err(Undecided::Unknown("a condition that is not a Boolean".into())),
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
            LoopProduct::Closure { count, from, to } => {
                let mut reaches: Vec<Vec<bool>> = truths()?.chunks(count).map(<[bool]>::to_vec).collect();
                orders::close(&mut reaches);
                if from == to && !reaches[from][to] {
                    return Err(Undecided::Unspecified("whether a transitive closure is reflexive".into()));
                }
                Some(Value::Bool(reaches[from][to]))
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
            LoopProduct::Table(domains, _) => nested_arrays(&domains, results),
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

/// The results of all calls as an array over the first domain of arrays over the next ones.
fn nested_arrays(domains: &[Arc<[Value]>], results: Vec<Value>) -> Option<Value> {
    let mut level = results;
    for indices in domains.iter().rev() {
        let array = |elements: &[Value]| {
            let all = Indices::Few(Arc::clone(indices));
            let stores = indices.iter().cloned().zip(elements.iter().cloned());
            Array::constant(elements[0].clone(), all).with(stores).into_value()
        };
        level = level.chunks(indices.len()).map(array).collect();
    }
    level.into_iter().next()
}
