//! Special relations of z3: orders, and transitive closures of functions.
//!
//! ```text
//! ((_ partial-order 0) x y)          a point of a function that is an order: `Code::Ordered` checks its points
//! ((_ transitive-closure f) x y)     a path of pairs for which f holds, over all values of a small sort
//! ```
//!
//! A closure has a node for each pair of values: a conjunction and disjunction of the points of `f`, so that a known path makes
//! it true, and a known cut makes it false, before all points are assigned.

use super::compile::{CompileTask, Compiler};
use super::domains::PointDomain;
use super::native::WordShape;
use super::program::{Code, FreeOrder, NodeId};
use super::words::WordKind;
use crate::eval::MAX_CLOSED_VALUES;
use crate::model::Meaning;
use crate::orders::{ClosureKind, OrderKind};
use crate::sort::{Index, Sort};
use crate::symbol::Symbol;
use crate::term::{Head, Term};

/// The most values of a sort over which a model lists an order as a whole.
const MAX_LISTED_VALUES: u128 = 16;

impl Compiler<'_, '_> {
    /// An order or a closure; `None` for any other operator, `Some(None)` if more tasks make the node.
    pub(super) fn build_special_relation(
        &mut self,
        term: Term,
        home: u32,
        base: usize,
        head: Head<'_>,
    ) -> Option<Option<NodeId>> {
        let name = self.arena.text(head.symbol);
        if name == "transitive-closure" {
            let built = self.build_closure(term, home, base, head);
            return Some(built.unwrap_or_else(|| Some(self.unclear_term(term, "a transitive closure"))));
        }
        let kind = OrderKind::of_operator(name)?;
        let built = self.order_point(term, base, head, kind);
        Some(Some(built.unwrap_or_else(|| self.unclear_term(term, "an order of these arguments"))))
    }

    /// The sort of both arguments of a relation, if it has values that are equal only if their words are.
    fn related_sort(&self, term: Term) -> Option<Sort> {
        let &[a, b] = self.arena.children(term) else { return None };
        let sort = self.arena.sort_of(a);
        (sort == self.arena.sort_of(b) && sort != Sort::REGLAN).then_some(sort)
    }

    fn order_point(&mut self, term: Term, base: usize, head: Head<'_>, kind: OrderKind) -> Option<NodeId> {
        let sort = self.related_sort(term)?;
        let &[Index::Numeral(index)] = head.indices else { return None };
        let operands = self.nodes[base..].to_vec();
        let function = self.order(head.symbol, index, sort, kind);
        Some(self.program.add(Code::Point(function), WordShape::default(), WordKind::Bool, &operands))
    }

    /// The function that an order is.
    fn order(&mut self, name: Symbol, index: u32, sort: Sort, kind: OrderKind) -> u32 {
        let is_it = |order: &FreeOrder| order.index == index;
        let known = self.program.functions.iter().position(|function| {
            function.name == name
                && function.parameters[..] == [sort, sort]
                && function.order.as_ref().is_some_and(is_it)
        });
        if let Some(known) = known {
            return known as u32;
        }
        let kind = if kind == OrderKind::Tree { self.reading.trees } else { kind };
        let all = self.domain_of(sort);
        let is_small = all.gap.is_none() && all.count() <= MAX_LISTED_VALUES;
        let mut cursor = all.cursor(&[]);
        let values = if is_small { std::iter::from_fn(|| cursor.next()).collect() } else { Vec::new() };
        let function = self.add_function(name, vec![sort, sort], Sort::BOOL, PointDomain::range(0, 1));
        self.program.functions[function as usize].order = Some(FreeOrder { kind, index, values });
        function
    }

    fn build_closure(
        &mut self,
        term: Term,
        home: u32,
        base: usize,
        head: Head<'_>,
    ) -> Option<Option<NodeId>> {
        let sort = self.related_sort(term)?;
        let [Index::Symbol(name)] = head.indices else { return None };
        let &[function] = self.model.functions_named(*name) else { return None };
        if self.model.is_overloaded(function) {
            return None;
        }
        if let Some(closure) = self.closures.get(&function).cloned() {
            return Some(Some(self.reached(term, base, &closure)));
        }
        let entry = self.model.entry(function);
        let table = self.table(sort)?;
        let count = self.program.tables[table as usize].len();
        if entry.parameters[..] != [sort, sort] || entry.result != Sort::BOOL || count > MAX_CLOSED_VALUES {
            return None;
        }
        let values = self.indices(table, sort)?;
        let pairs = || values.iter().flat_map(|&a| values.iter().map(move |&b| [a, b]));
        self.tasks.push(CompileTask::Close(term, home, base, function));
        match &entry.meaning {
            Meaning::Missing => {
                let call = self.declared_call(function);
                for pair in pairs() {
                    let node =
                        self.program.add(Code::Point(call), WordShape::default(), WordKind::Bool, &pair);
                    self.nodes.push(node);
                }
                Some(None)
            }
            Meaning::Defined { parameters, body } if !self.definition_facts(function).is_recursive => {
                let names: Vec<Symbol> = parameters.iter().map(|parameter| parameter.name).collect();
                let pairs: Vec<[NodeId; 2]> = pairs().collect();
                for pair in pairs.into_iter().rev() {
                    let inner = self.open_scope(0, names.clone(), pair.to_vec());
                    self.tasks.push(CompileTask::Visit(*body, inner));
                }
                Some(None)
            }
            _ => {
                self.tasks.pop();
                None
            }
        }
    }

    /// Makes the closure of a function from a node for each pair of values, and the node of a term that applies it.
    pub(super) fn close(&mut self, term: Term, home: u32, base: usize, function: u32) {
        let mut closure = self.nodes.split_off(base + 2);
        let count = closure.len().isqrt();
        for middle in 0..count {
            for from in 0..count {
                for to in 0..count {
                    let (first, second) = (closure[from * count + middle], closure[middle * count + to]);
                    let path = self.connective(Code::And, &[first, second]);
                    closure[from * count + to] =
                        self.connective(Code::Or, &[closure[from * count + to], path]);
                }
            }
        }
        if self.reading.closures == ClosureKind::Reflexive {
            let holds = self.program.constant(WordKind::Bool, 1);
            (0..count).for_each(|value| closure[value * count + value] = holds);
        }
        let node = self.reached(term, base, &closure);
        self.closures.insert(function, closure);
        self.nodes.truncate(base);
        self.nodes.push(node);
        self.known.insert((term, home), node);
    }

    /// Whether a closure holds for the two values above `base`.
    fn reached(&mut self, term: Term, base: usize, closure: &[NodeId]) -> NodeId {
        let (from, to) = (self.nodes[base], self.nodes[base + 1]);
        let indices = self.related_sort(term).and_then(|sort| {
            let table = self.table(sort)?;
            self.indices(table, sort)
        });
        let Some(values) = indices else { return self.unclear_term(term, "a transitive closure") };
        let mut cases = Vec::new();
        for (row, &a) in values.iter().enumerate() {
            let is_from = self.is_equal(from, a);
            for (column, &b) in values.iter().enumerate() {
                let is_to = self.is_equal(to, b);
                let holds = closure[row * values.len() + column];
                cases.push(self.connective(Code::And, &[is_from, is_to, holds]));
            }
        }
        self.connective(Code::Or, &cases)
    }

    fn is_equal(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.program.add(Code::Equal, WordShape::default(), WordKind::Bool, &[a, b])
    }

    fn connective(&mut self, code: Code, operands: &[NodeId]) -> NodeId {
        self.program.steps += 1;
        self.program.add(code, WordShape::default(), WordKind::Bool, operands)
    }
}
