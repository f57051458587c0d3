//! Datatypes and co-datatypes: constructors, testers, selectors and updates. Selecting a field of another constructor is unspecified.

use super::evaluator::{Evaluator, FrameStep};
use super::{EvalResult, Undecided};
use crate::sort::{Index, Sort};
use crate::symbol::Symbol;
use crate::term::Head;
use crate::value::codata::CodataFault;
use crate::value::{MAX_CODATA_NODES, Value};

/// Whether a value was made by a constructor.
pub(super) fn is_made_by(constructor: Symbol, arguments: &[Value]) -> EvalResult {
    match arguments {
        [value] if let Some((own, _)) = value.constructor() => Ok(Value::Bool(own == constructor)),
        _ => Err(Undecided::Unknown("a tester of a term that is not a value of a datatype".into())),
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
        let [whole, value] = arguments else {
            return Err(Undecided::Unknown("an update of these arguments".into()));
        };
        let Some((constructor, count)) = whole.constructor() else {
            return Err(Undecided::Unknown("an update of a term that is not a value of a datatype".into()));
        };
        let Some((place, sort)) = self.model.field(constructor, selector, count) else {
            return Ok(whole.clone());
        };
        let mut fields: Vec<Value> = (0..count).filter_map(|place| whole.field(place)).collect();
        fields[place] = self.coerced(Ok(value.clone()), sort)?;
        match whole {
            Value::Codata(tree) => codata(tree.sort(), constructor, fields),
            _ => Ok(Value::datatype(constructor, fields)),
        }
    }

    /// A constructor applied to values.
    pub(super) fn constructed(&self, function: u32, arguments: Vec<Value>) -> EvalResult {
        let (name, sort) = (self.model.entry(function).name, self.model.entry(function).result);
        let fields = self.as_fields(arguments, function);
        match self.model.is_codatatype(sort) {
            false => Ok(Value::datatype(name, fields)),
            true if self.arena.view_sort(sort).arguments.is_empty() => codata(sort, name, fields),
            true => Err(Undecided::Unknown("a value of a parametric co-datatype".into())),
        }
    }

    pub(super) fn select_field(&mut self, function: u32, arguments: &[Value]) -> FrameStep {
        let selector = self.model.entry(function).name;
        let [whole] = arguments else { return super::evaluator::unknown("a selector of these arguments") };
        let Some((constructor, count)) = whole.constructor() else {
            return super::evaluator::unknown("a selector of a term that is not a value of a datatype");
        };
        if let Some((place, _)) = self.model.field(constructor, selector, count) {
            let field = whole.field(place).ok_or_else(|| Undecided::Unknown("a field".into()));
            return FrameStep::Done(field);
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

/// A constructor of a co-datatype applied to values.
pub(super) fn codata(sort: Sort, constructor: Symbol, fields: Vec<Value>) -> EvalResult {
    Value::codata(sort, constructor, fields).map_err(|fault| match fault {
        CodataFault::TooLarge => {
            Undecided::TooLarge(format!("a tree of more than {MAX_CODATA_NODES} different subtrees").into())
        }
        CodataFault::OtherSort => Undecided::Model("a repeated tree of another sort".into()),
    })
}
