//! Calls of functions: those of the script, those of the model, and function values.
//!
//! Calls are memoized. A call that depends on its own result is undecided: a circular definition defines nothing.

use rustc_hash::FxHashMap;

use super::evaluator::{EvalFrame, Evaluator, FrameState, FrameStep};
use super::{EvalResult, Undecided};
use crate::model::{Meaning, ModelFunction};
use crate::orders::{self, OrderKind};
use crate::sort::{Index, Sort};
use crate::symbol::Symbol;
use crate::term::{Head, Term};
use crate::value::{FunctionCode, FunctionValue, Value};

/// The results of calls; `None` while a call is in progress.
#[derive(Default)]
pub(super) struct CallCache {
    known: FxHashMap<(u32, Vec<Value>), Option<EvalResult>>,
}

impl CallCache {
    pub fn remember(&mut self, function: u32, arguments: Vec<Value>, answer: &EvalResult) {
        self.known.insert((function, arguments), Some(answer.clone()));
    }

    /// Drops the calls that will not finish.
    pub fn abort(&mut self) {
        self.known.retain(|_, answer| answer.is_some());
    }
}

impl Evaluator<'_> {
    /// Calls a function of the script or the model.
    pub(super) fn call(&mut self, function: u32, arguments: Vec<Value>, sort: Sort) -> FrameStep {
        let entry = self.model.entry(function);
        if arguments.len() < entry.parameters.len() {
            return FrameStep::Done(Ok(Value::function(
                FunctionCode::Named(function),
                Vec::new(),
                arguments,
            )));
        }
        let mut arguments = arguments;
        let rest = arguments.split_off(entry.parameters.len());
        if !rest.is_empty() {
            return super::evaluator::unknown("a function that gives a function");
        }
        match &entry.meaning {
            Meaning::Constructor => FrameStep::Done(self.constructed(function, arguments)),
            Meaning::Selector => self.select_field(function, &arguments),
            Meaning::Tester(constructor) => {
                FrameStep::Done(super::datatypes::is_made_by(*constructor, &arguments))
            }
            Meaning::Element if self.model.may_have_element(entry.result, entry.name) => {
                FrameStep::Done(Ok(Value::Abstract(entry.name)))
            }
            Meaning::Element => {
                let name = self.arena.text(entry.name);
                FrameStep::Done(Err(Undecided::Model(format!("{name}, which is not in its universe").into())))
            }
            Meaning::Named(term) => self.tail(*term),
            Meaning::Missing => {
                self.omitted.insert(entry.name);
                let result = if entry.result == Sort::UNKNOWN { sort } else { entry.result };
                FrameStep::Done(self.omitted_value(entry.name, result))
            }
            Meaning::Unreadable(reason) => FrameStep::Done(Err(Undecided::Model(reason.clone()))),
            Meaning::Defined { .. } => self.call_defined(function, arguments),
        }
    }

    /// The value of a function that the model omits.
    fn omitted_value(&mut self, name: Symbol, sort: Sort) -> EvalResult {
        if self.uses_defaults {
            return self.default_value(sort);
        }
        let shown = crate::print::symbol_text(self.arena, name);
        Err(Undecided::Model(
            format!("{shown} is not in the model, and its default value proves nothing").into(),
        ))
    }

    fn call_defined(&mut self, function: u32, arguments: Vec<Value>) -> FrameStep {
        let entry = self.model.entry(function);
        let Meaning::Defined { parameters, body } = &entry.meaning else {
            return super::evaluator::unknown("a function");
        };
        let arguments: Vec<Value> = (arguments.into_iter().zip(parameters.iter()))
            .map(|(value, parameter)| match (value, self.arena.canonical(parameter.sort)) {
                (Value::Int(number), Sort::REAL) => Value::Real(number.into()),
                (value, _) => value,
            })
            .collect();
        let state = if arguments.iter().any(Value::is_opaque) {
            FrameState::Tail
        } else {
            let key = (function, arguments.clone());
            match self.calls.known.get(&key) {
                Some(Some(answer)) => return FrameStep::Done(answer.clone()),
                Some(None) => {
                    let name = self.arena.text(entry.name);
                    let reason = format!("{name} is defined by its own value");
                    return FrameStep::Done(Err(Undecided::Model(reason.into())));
                }
                None => self.calls.known.insert(key, None),
            };
            FrameState::Call(function, arguments.clone())
        };
        self.frames.last_mut().expect("the frame of the call").state = state;
        self.open_scope_in(0, parameters.iter().map(|p| p.name).zip(arguments.into_iter().map(Ok)));
        FrameStep::Evaluate(*body)
    }

    /// The result of a call, if it has the result sort of the function; a model can define anything.
    pub(super) fn checked_result(&self, function: u32, answer: EvalResult) -> EvalResult {
        let entry = self.model.entry(function);
        let answer = self.coerced(answer, entry.result)?;
        match self.is_of_sort(&answer, entry.result) {
            true => Ok(answer),
            false => {
                let shown = crate::print::symbol_text(self.arena, entry.name);
                let sort = crate::print::sort_text(self.arena, entry.result);
                let reason = match &answer {
                    Value::Abstract(name) if self.model.is_uninterpreted(entry.result) => {
                        let element = self.arena.text(*name);
                        format!("{shown} is {element}, which is not in the model's universe of {sort}")
                    }
                    answer => format!("{shown} is {}, which is not a value of sort {sort}", kind_of(answer)),
                };
                Err(Undecided::Model(reason.into()))
            }
        }
    }

    /// Returns true if a value can have a sort, judging by its form.
    fn is_of_sort(&self, value: &Value, sort: Sort) -> bool {
        let view = self.arena.view_sort(sort);
        let number = |place: usize| view.indices.get(place).and_then(|index| index.numeral());
        match value {
            Value::Bool(_) => sort == Sort::BOOL,
            Value::Int(_) => sort == Sort::INT,
            Value::Real(_) | Value::Algebraic(_) | Value::Enclosure(_) => sort == Sort::REAL,
            Value::BitVec(bits) => view.head == Symbol::BITVEC && number(0) == Some(bits.width()),
            Value::Float(float) => {
                let format = float.format();
                number(0) == Some(format.exponent_bits()) && number(1) == Some(format.significand_bits())
            }
            Value::RoundingMode(_) => sort == Sort::ROUNDING_MODE,
            Value::Text(_) => sort == Sort::STRING,
            Value::RegLan(_) => sort == Sort::REGLAN,
            Value::Array(_) => matches!(view.head, Symbol::ARRAY | Symbol::ARROW),
            Value::Abstract(name) => {
                self.model.is_uninterpreted(sort) && self.model.may_have_element(sort, *name)
            }
            Value::Datatype(construct) => match (construct.constructor, view.head) {
                (Symbol::TUPLE, Symbol::TUPLE_SORT) => construct.fields.len() == view.arguments.len(),
                (Symbol::TUPLE, Symbol::UNIT_TUPLE) => construct.fields.is_empty(),
                (Symbol::NULL | Symbol::SOME, Symbol::NULLABLE_SORT) => true,
                (constructor, datatype) => self.model.constructs(constructor, datatype),
            },
            Value::Codata(tree) => tree.sort() == sort,
            Value::Sequence(_) => self.arena.text(view.head) == "Seq",
            Value::Set(_) => matches!(view.head, Symbol::SET | Symbol::FINITE_SET),
            Value::Bag(_) => self.arena.text(view.head) == "Bag",
            Value::Field(order, _) => view.head == Symbol::FINITE_FIELD && number(0) == Some(*order),
            Value::Character(_) | Value::Function(_) | Value::Elsewhere(_) => true,
        }
    }

    /// Applies a function value, or an array as a function. A function of several arguments that is an array gives an array for
    /// the first one.
    pub(super) fn apply(&mut self, function: Value, arguments: Vec<Value>) -> FrameStep {
        let (mut function, mut rest) = (function, arguments.into_iter());
        loop {
            match function {
                Value::Array(array) if rest.len() > 1 && array.has_single_indices() => {
                    let first = rest.next().expect("there is more than one");
                    match self.read(&array, &first) {
                        Ok(next) => function = next,
                        undecided => return FrameStep::Done(undecided),
                    }
                }
                Value::Array(array) => {
                    return FrameStep::Done(self.read(&array, &Value::index(rest.collect())));
                }
                Value::Function(function) => return self.apply_function(&function, rest.collect()),
                _ => return super::evaluator::unknown("an applied term that is not a function"),
            }
        }
    }

    /// Calls a function with some of its arguments, which gives a function, or with more than it has.
    pub(super) fn call_in_part(&mut self, term: Term, function: u32, mut arguments: Vec<Value>) -> FrameStep {
        let parameters = &self.model.entry(function).parameters;
        let sort = self.arena.sort_of(term);
        if arguments.len() < parameters.len() {
            let missing = parameters[arguments.len()..].to_vec();
            let value = Value::function(FunctionCode::Named(function), Vec::new(), arguments);
            return self.nested_table(value, &missing);
        }
        let rest = arguments.split_off(parameters.len());
        if rest.is_empty() {
            return self.call(function, arguments, sort);
        }
        let result = self.model.entry(function).result;
        let (base, scopes) = (self.answers.len(), self.scopes.len());
        self.frames.last_mut().expect("the frame of the call").state = FrameState::Rest(rest);
        self.frames.push(EvalFrame { term, base, scopes, state: FrameState::Parts, is_helper: true });
        self.call(function, arguments, result)
    }

    fn apply_function(&mut self, function: &FunctionValue, arguments: Vec<Value>) -> FrameStep {
        let mut all = function.arguments.clone();
        all.extend(arguments);
        match &function.code {
            FunctionCode::Named(number) => self.call(*number, all, Sort::UNKNOWN),
            FunctionCode::Lambda(variables, _) if all.len() < variables.len() => {
                FrameStep::Done(Ok(Value::function(function.code.clone(), function.captured.clone(), all)))
            }
            FunctionCode::Lambda(variables, _) if all.len() > variables.len() => {
                super::evaluator::unknown("a function that gives a function")
            }
            FunctionCode::Lambda(variables, body) => {
                self.frames.last_mut().expect("the frame of the application").state = FrameState::Tail;
                let captured =
                    function.captured.iter().map(|(variable, value)| (variable.name, Ok(value.clone())));
                let given = variables.iter().zip(all).map(|(variable, value)| {
                    let sort = self.arena.canonical(variable.sort);
                    (variable.name, self.coerced(Ok(value), sort))
                });
                let bound: Vec<(Symbol, EvalResult)> = captured.chain(given).collect();
                self.open_scope_in(0, bound.into_iter());
                FrameStep::Evaluate(*body)
            }
        }
    }

    /// The model's definition of an open result: `(/ x 0.0)` is its `(/0 x 0.0)`. Only a definition that takes such arguments
    /// and returns values of `sort` applies.
    pub(super) fn model_result(
        &mut self,
        operator: Head<'_>,
        mut arguments: Vec<Value>,
        sort: Sort,
        undecided: Undecided,
    ) -> FrameStep {
        let fits = |entry: &ModelFunction| {
            entry.result == sort
                && entry.parameters.iter().zip(&arguments).all(|(&p, a)| self.can_be_argument(a, p))
        };
        let text = self.arena.text(operator.symbol);
        let listed = self.arena.signature().unspecified.functions_for(text);
        let mut names: Vec<String> = listed.into_iter().map(str::to_owned).collect();
        if let (Some(_), [Index::Numeral(index)]) = (OrderKind::of_operator(text), operator.indices) {
            names.push(orders::model_name(text, *index));
        }
        let Some(function) = names.iter().find_map(|name| {
            let symbol = self.arena.find_symbol(name)?;
            self.model.interpretation(symbol, arguments.len(), fits)
        }) else {
            return FrameStep::Done(Err(undecided));
        };
        arguments.truncate(self.model.entry(function).parameters.len());
        self.call(function, arguments, sort)
    }

    /// Returns true if a value can be the argument for a parameter of this sort.
    fn can_be_argument(&self, value: &Value, parameter: Sort) -> bool {
        self.is_of_sort(value, parameter) || matches!((value, parameter), (Value::Int(_), Sort::REAL))
    }
}

/// What a value is, in a few words.
fn kind_of(value: &Value) -> String {
    match value {
        Value::Bool(_) => "a Boolean".to_owned(),
        Value::Int(_) => "an integer".to_owned(),
        Value::Real(_) | Value::Algebraic(_) | Value::Enclosure(_) => "a real number".to_owned(),
        Value::BitVec(bits) => format!("a bit-vector of {} bits", bits.width()),
        Value::Float(float) => {
            let format = float.format();
            format!(
                "a floating-point number of {} and {} bits",
                format.exponent_bits(),
                format.significand_bits()
            )
        }
        Value::RoundingMode(_) => "a rounding mode".to_owned(),
        Value::Text(_) => "a string".to_owned(),
        Value::Character(_) => "a character".to_owned(),
        Value::RegLan(_) => "a regular expression".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        Value::Datatype(_) | Value::Codata(_) => "a value of another datatype".to_owned(),
        Value::Abstract(_) => "an element of an uninterpreted sort".to_owned(),
        Value::Sequence(_) => "a sequence".to_owned(),
        Value::Set(_) => "a set".to_owned(),
        Value::Bag(_) => "a bag".to_owned(),
        Value::Field(order, _) => format!("an element of the field of order {order}"),
        Value::Function(_) => "a function".to_owned(),
        Value::Elsewhere(_) => "an unknown value".to_owned(),
    }
}
