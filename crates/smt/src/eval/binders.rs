//! Binders: `let`, `match`, `lambda`. Quantifiers have a file of their own.

use rustc_hash::FxHashSet;

use super::evaluator::{Evaluator, FrameStep, unknown};
use super::function_loops::MAX_TABLE_POINTS;
use super::{EvalResult, Undecided};
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Binder, MatchCases, Term, Variable};
use crate::value::{FunctionCode, Value};
use crate::variables;

impl Evaluator<'_> {
    pub(super) fn advance_let(
        &mut self,
        base: usize,
        variables: &[Variable],
        children: &[Term],
    ) -> FrameStep {
        let done = self.answers.len() - base;
        if done < variables.len() {
            return FrameStep::Evaluate(children[done]);
        }
        // An undecided value does no harm where it is not used.
        let answers: Vec<EvalResult> = self.answers.drain(base..).collect();
        self.open(variables.iter().map(|variable| variable.name).zip(answers));
        self.tail(children[variables.len()])
    }

    pub(super) fn advance_match(
        &mut self,
        base: usize,
        cases: MatchCases<'_>,
        children: &[Term],
    ) -> FrameStep {
        if let Some(next) = self.next_strict(base, &children[..1]) {
            return next;
        }
        let matched = self.take_values(base).pop();
        let Some((whole, (constructor, count))) =
            matched.and_then(|value| Some((value.clone(), value.constructor()?)))
        else {
            return unknown("a match on a term that is not a value of a datatype");
        };
        for (place, case) in cases.iter().enumerate() {
            let bound: Vec<(Symbol, EvalResult)> = match case.constructor {
                None => case.variables.iter().map(|variable| (variable.name, Ok(whole.clone()))).collect(),
                Some(own) if own == constructor => {
                    let fields = (0..count).filter_map(|place| whole.field(place).map(Ok));
                    case.variables.iter().map(|variable| variable.name).zip(fields).collect()
                }
                Some(_) => continue,
            };
            self.open(bound.into_iter());
            return self.tail(children[place + 1]);
        }
        unknown("a match without a case for the value")
    }

    pub(super) fn begin_binder(
        &mut self,
        term: Term,
        binder: Binder,
        variables: &[Variable],
        children: &[Term],
    ) -> FrameStep {
        match binder {
            Binder::Forall | Binder::Exists => self.begin_quantifier(binder, variables, children[0]),
            Binder::Lambda => self.lambda(term, variables, children[0]),
            Binder::Choice | Binder::Comprehension => unknown(format!("the binder {}", binder.name())),
        }
    }

    /// A lambda with the values of its free variables; a lambda of one variable becomes a table if possible.
    fn lambda(&mut self, term: Term, variables: &[Variable], body: Term) -> FrameStep {
        let mut captured = Vec::new();
        let mut seen = FxHashSet::default();
        for variable in variables::free(self.arena, term) {
            match self.bindings.get(&variable.name).and_then(|stack| stack.last()) {
                Some(Ok(value)) if seen.insert(variable.name) => captured.push((variable, value.clone())),
                Some(Err(reason)) => return FrameStep::Done(Err(reason.clone())),
                _ => {}
            }
        }
        let function = Value::function(FunctionCode::Lambda(variables.to_vec(), body), captured, Vec::new());
        match variables {
            [index] => self.tabled(function, self.arena.canonical(index.sort)),
            _ if self.arena.view_sort(self.arena.sort_of(term)).head == Symbol::ARROW => {
                let sorts: Vec<Sort> =
                    variables.iter().map(|variable| self.arena.canonical(variable.sort)).collect();
                self.nested_table(function, &sorts)
            }
            _ => FrameStep::Done(Ok(function)),
        }
    }

    /// A function of one argument as an array, if possible: by all its values, or by the points that it compares with.
    fn tabled(&mut self, function: Value, index: Sort) -> FrameStep {
        let few = |values: &std::sync::Arc<[Value]>| values.len() <= MAX_TABLE_POINTS;
        match self.domain(index).filter(few) {
            Some(values) if !values.is_empty() => self.begin_full_table(function, vec![values]),
            _ => self.begin_table(function, index),
        }
    }

    /// Opaque text. The evaluator understands some forms that occur in models.
    pub(super) fn opaque(&mut self, text: Symbol) -> FrameStep {
        let text = self.arena.text(text);
        if let Some(name) = text.strip_prefix("(_ as-array ").and_then(|rest| rest.strip_suffix(')')) {
            return self.as_array(name.trim());
        }
        match crate::model::algebraic(text) {
            Some(value) => FrameStep::Done(Ok(value)),
            None => {
                let shown: String = text.chars().take(60).collect();
                unknown(format!("the text {shown}"))
            }
        }
    }

    /// `(_ as-array f)`: the function as an array.
    pub(super) fn as_array(&mut self, name: &str) -> FrameStep {
        let name = name.strip_prefix('|').and_then(|name| name.strip_suffix('|')).unwrap_or(name);
        let function = self.arena.find_symbol(name).and_then(|symbol| self.model.only_function(symbol));
        let Some(number) = function else {
            return FrameStep::Done(Err(Undecided::Model(
                format!("the model does not define {name}").into(),
            )));
        };
        let value = Value::function(FunctionCode::Named(number), Vec::new(), Vec::new());
        match self.model.entry(number).parameters.as_slice() {
            [index] => self.tabled(value, *index),
            _ => FrameStep::Done(Ok(value)),
        }
    }
}

/// The reason for a sort whose values cannot be enumerated.
pub(super) fn no_default(shown: &str) -> Undecided {
    Undecided::Unknown(format!("a default value of sort {shown}").into())
}
