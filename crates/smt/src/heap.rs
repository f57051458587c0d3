//! Formulas of separation logic, cut off from the terms that do not depend on the heap.
//!
//! ```text
//! (sep (pto x (+ y 1)) (not (wand (pto z 2) (= x y))))
//! leaves: x, (+ y 1), z, 2, (= x y)
//! ```
//!
//! `sep` and `wand` ask for the truth of a formula over other heaps than that of the model. A value of the evaluator is a value over the
//! model's heap, so these formulas are evaluated here (`holds.rs`), from the values of their *leaves*: the largest parts without an
//! operator on heaps, which have one value over all heaps. As in cvc5, a heap is a finite function from locations to data, nil is a
//! location that no heap has, `pto` holds of heaps with that one cell, and `wand` speaks of all heaps that share no location with the heap.

mod holds;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::arena::Arena;
use crate::eval::Undecided;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Head, Term, TermView};
use crate::value::Value;

pub(crate) use holds::{HeapBudget, HeapUniverse};

/// The maximal nesting of a formula: `holds.rs` recurses on it.
const MAX_FORMULA_DEPTH: u32 = 100;
/// The maximal number of parts of one `sep`, on which `holds.rs` recurses, too.
const MAX_STAR_PARTS: usize = 32;

/// A heap: data by locations.
pub(crate) type HeapCells = BTreeMap<Value, Value>;

/// The heap of a model, and the location that no heap has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeapState {
    pub nil: Value,
    pub cells: HeapCells,
}

impl HeapState {
    /// The state as one value: a tuple of nil and the set of all cells.
    pub fn into_value(self) -> Option<Value> {
        let cell = |(location, data)| Value::index(vec![location, data]);
        let cells = Value::set(self.cells.into_iter().map(cell).collect())?;
        Some(Value::datatype(Symbol::EMPTY, vec![self.nil, cells]))
    }

    /// The state that a value stands for.
    pub fn of_value(value: &Value) -> Option<HeapState> {
        let Value::Datatype(state) = value else { return None };
        let [nil, Value::Set(set)] = state.fields.as_slice() else { return None };
        let mut cells = HeapCells::new();
        for cell in set.elements() {
            let Value::Datatype(cell) = cell else { return None };
            let [location, data] = cell.fields.as_slice() else { return None };
            cells.insert(location.clone(), data.clone());
        }
        Some(HeapState { nil: nil.clone(), cells })
    }
}

/// A formula about the heap: its nodes, each after those that it uses.
#[derive(Debug)]
pub(crate) struct HeapFormula {
    nodes: Vec<HeapNode>,
    /// The terms whose values the formula needs.
    pub leaves: Vec<Term>,
}

/// A part of a formula; numbers are places of nodes, or of leaves where so named.
#[derive(Debug)]
enum HeapNode {
    /// A formula that does not depend on the heap, by its leaf.
    Pure(usize),
    Not(usize),
    And(Vec<usize>),
    Or(Vec<usize>),
    Equal(usize, usize),
    Ite(usize, usize, usize),
    Empty,
    /// The leaves of a location and its data.
    PointsTo(usize, usize),
    Star(Vec<usize>),
    Wand(usize, usize),
}

/// Returns true if the truth of an application of this operator depends on the heap.
pub(crate) fn is_heap_operator(symbol: Symbol) -> bool {
    matches!(symbol, Symbol::EMPTY_HEAP | Symbol::POINTS_TO | Symbol::STAR | Symbol::WAND)
}

/// For each term, whether an operator on heaps occurs in it. Definitions are not looked into.
pub(crate) fn heap_terms(arena: &Arena) -> Vec<bool> {
    let mut depends: Vec<bool> = Vec::with_capacity(arena.term_count());
    for index in 0..arena.term_count() {
        let term = Term(index as u32);
        let own = matches!(arena.view(term), TermView::Application(head, _) if is_heap_operator(head.symbol));
        let any = own || arena.children(term).iter().any(|child| depends[child.index()]);
        depends.push(any);
    }
    depends
}

impl HeapFormula {
    /// The formula of a term. `depends` is [`heap_terms`] of the arena, `sorts` are those of locations and data.
    pub fn of(
        arena: &Arena,
        depends: &[bool],
        sorts: (Sort, Sort),
        term: Term,
    ) -> Result<HeapFormula, Undecided> {
        let mut draft = FormulaDraft {
            arena,
            depends,
            sorts,
            formula: HeapFormula { nodes: Vec::new(), leaves: Vec::new() },
            places: FxHashMap::default(),
            leaves: FxHashMap::default(),
        };
        let mut parts: Vec<Term> = arena.reachable([term]).filter(|part| draft.depends_on(*part)).collect();
        // Children have smaller numbers than the terms that they are in.
        parts.sort_unstable_by_key(|part| part.index());
        for part in parts {
            draft.add(part)?;
        }
        Ok(draft.formula)
    }
}

/// A formula that is being made.
struct FormulaDraft<'a> {
    arena: &'a Arena,
    depends: &'a [bool],
    sorts: (Sort, Sort),
    formula: HeapFormula,
    /// The node of each part and its depth.
    places: FxHashMap<Term, (usize, u32)>,
    leaves: FxHashMap<Term, usize>,
}

impl FormulaDraft<'_> {
    fn depends_on(&self, term: Term) -> bool {
        self.depends.get(term.index()).copied().unwrap_or(true)
    }

    /// Adds a part whose children that depend on the heap were added.
    fn add(&mut self, part: Term) -> Result<(), Undecided> {
        if let TermView::Annotated(_, children) = self.arena.view(part) {
            let place = self.places.get(&children[0]).copied().ok_or_else(|| unknown("an annotation"))?;
            self.places.insert(part, place);
            return Ok(());
        }
        let TermView::Application(head, children) = self.arena.view(part) else {
            return Err(unknown("a binder in a formula about the heap"));
        };
        let node = match (head.symbol, children) {
            (Symbol::EMPTY_HEAP, []) => HeapNode::Empty,
            (Symbol::POINTS_TO, &[location, data]) => {
                if self.depends_on(location) || self.depends_on(data) {
                    return Err(unknown("a location or its data that depends on the heap"));
                }
                if (self.arena.sort_of(location), self.arena.sort_of(data)) != self.sorts {
                    return Err(unknown("a cell of other sorts than those of the heap"));
                }
                HeapNode::PointsTo(self.leaf(location), self.leaf(data))
            }
            _ => self.connective(head, children)?,
        };
        let below = children.iter().filter_map(|child| self.places.get(child)).map(|(_, depth)| *depth);
        let depth = 1 + below.max().unwrap_or(0);
        if depth > MAX_FORMULA_DEPTH {
            return Err(Undecided::TooLarge("a formula about the heap that is nested too deeply".into()));
        }
        let place = self.push(node);
        self.places.insert(part, (place, depth));
        Ok(())
    }

    fn connective(&mut self, head: Head<'_>, children: &[Term]) -> Result<HeapNode, Undecided> {
        let nodes: Vec<usize> = children.iter().map(|&child| self.node(child)).collect();
        Ok(match (head.symbol, nodes.as_slice()) {
            (Symbol::STAR, _) if nodes.len() <= MAX_STAR_PARTS => HeapNode::Star(nodes),
            (Symbol::WAND, &[premise, conclusion]) => HeapNode::Wand(premise, conclusion),
            (Symbol::NOT, &[one]) => HeapNode::Not(one),
            (Symbol::AND, _) => HeapNode::And(nodes),
            (Symbol::OR, _) => HeapNode::Or(nodes),
            (Symbol::IMPLIES, [premises @ .., last]) => {
                let mut parts: Vec<usize> =
                    premises.iter().map(|&one| self.push(HeapNode::Not(one))).collect();
                parts.push(*last);
                HeapNode::Or(parts)
            }
            (Symbol::EQUAL, &[a, b]) => HeapNode::Equal(a, b),
            (Symbol::DISTINCT, &[a, b]) => HeapNode::Not(self.push(HeapNode::Equal(a, b))),
            (Symbol::ITE, &[condition, then, otherwise]) => HeapNode::Ite(condition, then, otherwise),
            (_, &[a, b]) if self.arena.text(head.symbol) == "xor" => {
                HeapNode::Not(self.push(HeapNode::Equal(a, b)))
            }
            _ => return Err(unknown("an operator on a formula about the heap")),
        })
    }

    /// The node of an operand: an earlier one, or a leaf. A wrong operand is found when its value is no Boolean.
    fn node(&mut self, child: Term) -> usize {
        match self.places.get(&child) {
            Some(&(place, _)) => place,
            None => {
                let leaf = self.leaf(child);
                self.push(HeapNode::Pure(leaf))
            }
        }
    }

    fn leaf(&mut self, term: Term) -> usize {
        let next = self.formula.leaves.len();
        let place = *self.leaves.entry(term).or_insert(next);
        if place == next {
            self.formula.leaves.push(term);
        }
        place
    }

    fn push(&mut self, node: HeapNode) -> usize {
        self.formula.nodes.push(node);
        self.formula.nodes.len() - 1
    }
}

fn unknown(what: &str) -> Undecided {
    Undecided::Unknown(what.into())
}
