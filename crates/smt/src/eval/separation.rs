//! Separation logic: formulas about the heap, from the values of their leaves (`crate::heap`).

use std::sync::Arc;

use super::evaluator::{Evaluator, FrameStep};
use super::{EvalResult, Undecided};
use crate::heap::{HeapBudget, HeapCells, HeapFormula, HeapState, HeapUniverse};
use crate::sort::Sort;
use crate::term::Term;
use crate::value::Value;

/// The operators that are evaluated here.
pub(super) const HEAP_OPERATORS: &[&str] = &["sep.emp", "sep.nil", "pto", "sep", "wand"];

/// Steps of one formula: one for each of its parts over each heap.
const MAX_HEAP_STEPS: u64 = 100_000;

/// A formula about the heap and the terms whose values it needs: the leaves, then nil, then locations and data in turn.
pub(super) struct ModelFormula {
    formula: Arc<HeapFormula>,
    children: Vec<Term>,
}

impl Evaluator<'_> {
    /// The formula of a term.
    pub(crate) fn heap_formula(&mut self, term: Term) -> Result<Arc<HeapFormula>, Undecided> {
        if let Some(known) = self.heap_formulas.get(&term) {
            return known.clone();
        }
        let model = self.model;
        let formula = model
            .heap_sorts()
            .and_then(|sorts| HeapFormula::of(self.arena, model.heap_terms(), sorts, term).map(Arc::new));
        self.heap_formulas.insert(term, formula.clone());
        formula
    }

    fn model_formula(&mut self, term: Term) -> Result<Arc<ModelFormula>, Undecided> {
        if let Some(known) = self.model_formulas.get(&term) {
            return known.clone();
        }
        let made = self.heap_formula(term).and_then(|formula| {
            let heap = self.model.printed_heap()?;
            let cells = heap.cells.iter().flat_map(|&(location, data)| [location, data]);
            let children = formula.leaves.iter().copied().chain([heap.nil]).chain(cells).collect();
            Ok(Arc::new(ModelFormula { formula, children }))
        });
        self.model_formulas.insert(term, made.clone());
        made
    }

    /// A formula over the heap of the model.
    pub(super) fn advance_heap_formula(&mut self, term: Term, base: usize) -> FrameStep {
        let made = match self.model_formula(term) {
            Ok(made) => made,
            Err(undecided) => return FrameStep::Done(Err(undecided)),
        };
        if let Some(next) = self.next_strict(base, &made.children) {
            return next;
        }
        let mut values = self.take_values(base);
        let mut heap = values.split_off(made.formula.leaves.len()).into_iter();
        let nil = heap.next().expect("nil comes after the leaves");
        let mut cells = HeapCells::new();
        while let (Some(location), Some(data)) = (heap.next(), heap.next()) {
            if location == nil || cells.insert(location, data).is_some() {
                let reason = "a cell of the model's heap is at nil, or occurs twice";
                return FrameStep::Done(Err(Undecided::Model(reason.into())));
            }
        }
        FrameStep::Done(self.heap_truth(&made.formula, &HeapState { nil, cells }, &values))
    }

    /// `(as sep.nil S)`: what the model says.
    pub(super) fn heap_nil(&mut self, sort: Sort) -> FrameStep {
        let nil = self.model.heap_sorts().and_then(|(location, _)| match location == sort {
            true => self.model.printed_heap().map(|heap| heap.nil),
            false => Err(Undecided::Unknown("nil of another sort than that of locations".into())),
        });
        match nil {
            Ok(nil) => self.tail(nil),
            Err(undecided) => FrameStep::Done(Err(undecided)),
        }
    }

    /// A formula, if the first value is a state of the heap and the others are those of its leaves.
    pub(super) fn heap_formula_on(&mut self, term: Term, values: &[Value]) -> EvalResult {
        let formula = self.heap_formula(term)?;
        let unexpected = || Undecided::Unknown("a heap in an unknown form".into());
        let (state, values) = values.split_first().ok_or_else(unexpected)?;
        let state = HeapState::of_value(state).ok_or_else(unexpected)?;
        self.heap_truth(&formula, &state, values)
    }

    fn heap_truth(&mut self, formula: &HeapFormula, state: &HeapState, values: &[Value]) -> EvalResult {
        let (location, data) = self.model.heap_sorts()?;
        let universe = HeapUniverse { locations: self.domain(location), data: self.domain(data) };
        let mut budget = HeapBudget(MAX_HEAP_STEPS);
        let truth = formula.holds(state, &universe, values, &mut budget);
        self.charge((MAX_HEAP_STEPS - budget.0) as usize);
        truth.map(Value::Bool)
    }
}
