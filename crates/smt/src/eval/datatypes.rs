//! Datatypes: testers, selectors and updates. Selecting a field of another constructor is unspecified.

use super::evaluator::{Evaluator, FrameStep};
use super::{EvalResult, Undecided};
use crate::sort::{Index, Sort};
use crate::symbol::Symbol;
use crate::term::Head;
use crate::value::Value;

/// Whether a value was made by a constructor.
pub(super) fn is_made_by(constructor: Symbol, arguments: &[Value]) -> EvalResult {
    match arguments {
        [Value::Datatype(construct)] => Ok(Value::Bool(construct.constructor == constructor)),
        _ => Err(Undecided::Unknown("a tester of something that is no value of a datatype".into())),
    }
}

impl Evaluator<'_> {
    /// `((_ is C) x)` and `((_ update s) x y)`, once all arguments have values.
    pub(super) fn datatype_operation(&mut self, base: usize, head: Head<'_>) -> Option<FrameStep> {
        match (head.symbol, head.indices) {
            (Symbol::IS, [Index::Symbol(constructor)]) => {
                Some(FrameStep::Done(is_made_by(*constructor, &self.take_values(base))))
            }
            (Symbol::UPDATE | Symbol::UPDATE_FIELD, [Index::Symbol(selector)]) => {
                let arguments = self.take_values(base);
                Some(FrameStep::Done(self.update(*selector, &arguments)))
            }
            _ => None,
        }
    }

    /// A value with the selected field replaced; updating a field that the constructor lacks changes nothing.
    fn update(&self, selector: Symbol, arguments: &[Value]) -> EvalResult {
        let [Value::Datatype(construct), value] = arguments else {
            return Err(Undecided::Unknown("an update of something that is no value of a datatype".into()));
        };
        let Some((place, sort)) = self.model.field(construct.constructor, selector, construct.fields.len())
        else {
            return Ok(arguments[0].clone());
        };
        let mut fields = construct.fields.clone();
        fields[place] = self.coerced(Ok(value.clone()), sort)?;
        Ok(Value::datatype(construct.constructor, fields))
    }

    pub(super) fn select_field(&mut self, function: u32, arguments: &[Value]) -> FrameStep {
        let selector = self.model.entry(function).name;
        let [Value::Datatype(construct)] = arguments else {
            return super::evaluator::unknown("a selector of something that is no value of a datatype");
        };
        if let Some((place, _)) = self.model.field(construct.constructor, selector, construct.fields.len()) {
            return FrameStep::Done(Ok(construct.fields[place].clone()));
        }
        let shown = self.arena.text(selector);
        FrameStep::Done(Err(Undecided::Unspecified(
            format!("{shown} of a value of another constructor").into(),
        )))
    }

    /// Arguments as fields, with integers converted to reals where the constructor takes reals.
    pub(super) fn as_fields(&self, arguments: Vec<Value>, function: u32) -> Vec<Value> {
        let parameters = &self.model.entry(function).parameters;
        let field = |(value, &sort): (Value, &Sort)| match (value, sort) {
            (Value::Int(number), Sort::REAL) => Value::Real(number.into()),
            (value, _) => value,
        };
        arguments.into_iter().zip(parameters).map(field).collect()
    }
}
