//! The heap of separation logic: one point, whose values are the heaps with nil.
//!
//! A formula about the heap is a node that the evaluator computes from the heap and from the values of its leaves. If locations or data
//! are infinitely many, small heaps of a few of them are tried, which can prove `sat` alone.

use super::compile::Compiler;
use super::domains::PointDomain;
use super::native::WordShape;
use super::program::{Code, NodeId};
use super::words::WordKind;
use crate::eval::Undecided;
use crate::heap::{HeapCells, HeapState};
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::Term;
use crate::value::Value;

/// States of the heap in a domain.
const MAX_HEAP_STATES: usize = 1 << 13;
/// Cells of the heaps that are tried if there are too many heaps.
const MAX_SAMPLED_CELLS: usize = 2;
/// Locations and data that are tried if there are too many.
const MAX_SAMPLED_VALUES: usize = 6;

impl Compiler<'_, '_> {
    /// The terms whose nodes a formula about the heap needs; none if it is not followed.
    pub(super) fn heap_leaves(&mut self, term: Term) -> Vec<Term> {
        let formula = self.program.evaluator.heap_formula(term);
        formula.map(|formula| formula.leaves.clone()).unwrap_or_default()
    }

    /// A formula about the heap, whose leaves have the nodes above `base`.
    pub(super) fn build_heap_formula(&mut self, term: Term, base: usize) -> NodeId {
        if let Err(reason) = self.program.evaluator.heap_formula(term) {
            return self.program.unclear(WordKind::Bool, reason);
        }
        match self.heap_state() {
            Ok(state) => {
                let operands: Vec<NodeId> =
                    std::iter::once(state).chain(self.nodes[base..].iter().copied()).collect();
                self.evaluated_on(term, &operands, None)
            }
            Err(reason) => self.program.unclear(WordKind::Bool, reason),
        }
    }

    /// `(as sep.nil S)`: a part of the state.
    pub(super) fn build_nil(&mut self, term: Term) -> NodeId {
        let sort = self.arena.sort_of(term);
        let kind = WordKind::of(self.arena, sort);
        if self.model.heap_sorts().map(|sorts| sorts.0) != Ok(sort) {
            return self.unclear_term(term, "nil of another sort than that of locations");
        }
        match self.heap_state() {
            Ok(state) => {
                self.program.add(Code::Field(Symbol::EMPTY, 0), WordShape::default(), kind, &[state])
            }
            Err(reason) => self.program.unclear(kind, reason),
        }
    }

    /// The node of the state of the heap.
    fn heap_state(&mut self) -> Result<NodeId, Undecided> {
        let function = match self.program.heap {
            Some(function) => function,
            None => {
                let sorts = self.model.heap_sorts()?;
                let domain = self.heap_domain(sorts)?;
                let function = self.add_function(Symbol::EMPTY_HEAP, Vec::new(), Sort::UNKNOWN, domain);
                self.program.heap = Some(function);
                function
            }
        };
        let kind = self.program.functions[function as usize].kind;
        Ok(self.program.add(Code::Point(function), WordShape::default(), kind, &[]))
    }

    fn heap_domain(&mut self, (location, data): (Sort, Sort)) -> Result<PointDomain, Undecided> {
        let all_locations = self.program.evaluator.all_values(location);
        let all_data = self.program.evaluator.all_values(data);
        if let (Some(locations), Some(data)) = (&all_locations, &all_data)
            && let Some(states) = heap_states(locations, data, usize::MAX)
        {
            return Ok(PointDomain::list(self.state_words(states)?));
        }
        let locations = self.few_values(location)?;
        let data = self.few_values(data)?;
        let states = heap_states(&locations, &data, MAX_SAMPLED_CELLS).unwrap_or_default();
        let reason = Undecided::TooLarge("the heaps are too many to enumerate".into());
        Ok(PointDomain::sample(self.state_words(states)?, reason))
    }

    fn state_words(&mut self, states: Vec<HeapState>) -> Result<Vec<u64>, Undecided> {
        let word = |state: HeapState| self.program.words.word(WordKind::Numbered, &state.into_value()?);
        let words: Option<Vec<u64>> = states.into_iter().map(word).collect();
        words.ok_or_else(|| Undecided::TooLarge("heaps of values that exhaustion cannot number".into()))
    }

    /// A few values of a sort.
    fn few_values(&mut self, sort: Sort) -> Result<Vec<Value>, Undecided> {
        let mut few: Vec<Value> = match sort {
            Sort::INT => [0, 1, 2].map(Value::int).to_vec(),
            Sort::REAL => [0, 1, 2].map(|number| Value::Real(number.into())).to_vec(),
            _ if self.model.is_uninterpreted(sort) => {
                return Err(Undecided::Infinite("a heap over a declared sort".into()));
            }
            _ => match self.program.evaluator.all_values(sort) {
                Some(values) => values.to_vec(),
                None => vec![self.program.evaluator.any_value(sort)?],
            },
        };
        let hints = self.hints.get(&sort).map_or(&[][..], Vec::as_slice);
        few.truncate(MAX_SAMPLED_VALUES / 2);
        few.extend(hints.iter().filter(|hint| !few.contains(hint)).cloned().collect::<Vec<_>>());
        few.truncate(MAX_SAMPLED_VALUES);
        Ok(few)
    }
}

/// All heaps of at most so many cells, each with every location that can be nil; `None` if they are too many.
fn heap_states(locations: &[Value], data: &[Value], max_cells: usize) -> Option<Vec<HeapState>> {
    let mut heaps = vec![HeapCells::new()];
    for location in locations {
        for place in 0..heaps.len() {
            if heaps[place].len() == max_cells {
                continue;
            }
            for data in data {
                let mut longer = heaps[place].clone();
                longer.insert(location.clone(), data.clone());
                heaps.push(longer);
            }
            if heaps.len() > MAX_HEAP_STATES {
                return None;
            }
        }
    }
    let with_nil = |cells: HeapCells| {
        let free: Vec<&Value> = locations.iter().filter(|nil| !cells.contains_key(nil)).collect();
        free.into_iter().map(|nil| HeapState { nil: nil.clone(), cells: cells.clone() }).collect::<Vec<_>>()
    };
    let states: Vec<HeapState> = heaps.into_iter().flat_map(with_nil).collect();
    (states.len() <= MAX_HEAP_STATES).then_some(states)
}
