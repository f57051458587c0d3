//! Functions of one argument as arrays: `(lambda ((x Int)) (ite (= x 5) 7 0))` is 0 everywhere, but 7 at 5.
//!
//! The body is evaluated for an index "elsewhere", which differs from everything that it is compared with. The evaluator
//! records these points: only there can the function have another value, since at any other index every comparison would
//! have the same result. If the body does anything with its argument but compare it (or read an array there), its value
//! elsewhere is undecided, and the function stays a function.

use std::sync::Arc;

use super::evaluator::{Evaluator, FrameState, FrameStep};
use super::{EvalResult, Undecided};
use crate::sort::Sort;
use crate::value::{Array, Value};

/// A function that is being turned into a table.
pub(super) struct FunctionTable {
    function: Value,
    index: Sort,
    id: u32,
    default: Option<Value>,
    points: Vec<Value>,
    values: Vec<Value>,
    /// The call at the current point, to be memoized.
    call: Option<(u32, Vec<Value>)>,
}

impl Evaluator<'_> {
    /// Makes the frame's result the function as an array over `index`, or the function itself.
    pub(super) fn begin_table(&mut self, function: Value, index: Sort) -> FrameStep {
        let id = self.points.len() as u32;
        self.points.insert(id, Vec::new());
        let table = FunctionTable {
            function,
            index,
            id,
            default: None,
            points: Vec::new(),
            values: Vec::new(),
            call: None,
        };
        self.frames.last_mut().expect("the frame of the function").state = FrameState::Table(Box::new(table));
        self.evaluate_at(Value::Elsewhere(id))
    }

    /// Evaluates the function of the top frame at an index, and returns to the table.
    fn evaluate_at(&mut self, index: Value) -> FrameStep {
        let frame = self.frames.last_mut().expect("the frame of the table");
        let (scopes, state) = (frame.scopes, std::mem::replace(&mut frame.state, FrameState::Parts));
        let FrameState::Table(table) = &state else { return super::evaluator::unknown("a table") };
        let function = table.function.clone();
        self.close_scopes_to(scopes);
        let next = self.apply(function, vec![index]);
        let frame = self.frames.last_mut().expect("the frame of the table");
        let begun = std::mem::replace(&mut frame.state, state);
        if let (FrameState::Table(table), FrameState::Call(function, arguments)) = (&mut frame.state, begun) {
            table.call = Some((function, arguments));
        }
        match next {
            FrameStep::Done(answer) => {
                self.answers.push(answer);
                self.advance_table()
            }
            next => next,
        }
    }

    pub(super) fn advance_table(&mut self) -> FrameStep {
        let answer = self.answers.pop().expect("the function has its answer");
        let frame = self.frames.last_mut().expect("the frame of the table");
        let FrameState::Table(table) = &mut frame.state else { return super::evaluator::unknown("a table") };
        if let Some((function, arguments)) = table.call.take() {
            self.calls.remember(function, arguments, &answer);
        }
        let value = match answer {
            Ok(value) if !value.is_opaque() || table.default.is_some() => value,
            _ => return FrameStep::Done(Ok(table.function.clone())),
        };
        if table.default.is_none() {
            table.default = Some(value);
            let mut points = self.points.remove(&table.id).unwrap_or_default();
            // Table ids continue from the number of tables.
            self.points.insert(table.id, Vec::new());
            points.sort_unstable();
            points.dedup();
            table.points = points;
        } else {
            table.values.push(value);
        }
        match table.points.get(table.values.len()) {
            Some(point) => {
                let point = point.clone();
                self.evaluate_at(point)
            }
            None => self.finished_table(),
        }
    }

    fn finished_table(&mut self) -> FrameStep {
        let frame = self.frames.last_mut().expect("the frame of the table");
        let FrameState::Table(table) = &mut frame.state else { return super::evaluator::unknown("a table") };
        let (points, values) = (std::mem::take(&mut table.points), std::mem::take(&mut table.values));
        let (index, default) = (table.index, table.default.take());
        let Some(default) = default else { return super::evaluator::unknown("a table") };
        let array = Array::constant(default, self.indices(index));
        FrameStep::Done(Ok(array.with(points.into_iter().zip(values)).into_value()))
    }

    /// The value of an array at an index.
    pub(super) fn read(&mut self, array: &Arc<Array>, index: &Value) -> EvalResult {
        if let Value::Elsewhere(id) = *index {
            let points = array.stores().map(|(point, _)| point.clone());
            self.points.entry(id).or_default().extend(points);
            return Ok(array.default().clone());
        }
        if index.is_opaque() {
            return Err(Undecided::Infinite("an array at an index that cannot be compared".into()));
        }
        Ok(array.get(index).clone())
    }
}
