//! Grows orders and transitive closures of z3.
//!
//! ```text
//! Bool    ((_ partial-order 0) A A)   ((_ linear-order 1) A A)   ((_ transitive-closure r1) A A)
//! ```

use gainsay_smt::{Head, Index, Sort, Term};

use super::growth::TermGrowth;
use crate::survey::DeclaredFunction;

/// The orders, by name. Those of trees have results on which documentation and solver differ, so scripts have few of them.
const ORDER_NAMES: [&str; 7] = [
    "partial-order",
    "partial-order",
    "linear-order",
    "linear-order",
    "piecewise-linear-order",
    "piecewise-linear-order",
    "tree-order",
];
/// Orders of one kind over one sort.
const MAX_ORDERS: usize = 2;
/// Percentage of closures among special relations.
const CLOSURE_PERCENT: usize = 35;

impl TermGrowth<'_> {
    /// An order or a closure of two terms.
    pub(super) fn special_relation(&mut self, depth: usize) -> Option<Term> {
        let is_relation = |function: &DeclaredFunction| {
            function.is_declared() && matches!(function.parameters[..], [a, b] if a == b)
        };
        let relations = self.functions(Sort::BOOL, is_relation);
        let (name, index, sort) = match self.rng.choose(&relations) {
            Some(relation) if self.rng.chance(CLOSURE_PERCENT, 100) => {
                ("transitive-closure", Index::Symbol(relation.name), relation.parameters[0])
            }
            _ => {
                let is_built_of_values = |sort: &&Sort| **sort != Sort::BOOL;
                let sorts: Vec<Sort> =
                    self.vocabulary.comparable.iter().filter(is_built_of_values).copied().collect();
                let sort = self.rng.choose(&sorts).copied().unwrap_or(Sort::BOOL);
                let name = ORDER_NAMES[self.rng.below(ORDER_NAMES.len())];
                (name, Index::Numeral(self.rng.below(MAX_ORDERS) as u32), sort)
            }
        };
        let grow = |_| self.term(sort, depth.saturating_sub(1));
        let arguments: Vec<Term> = (0..2).map(grow).collect::<Option<_>>()?;
        let symbol = self.arena.symbol(name);
        let head = Head { symbol, indices: &[index], qualifier: None };
        Some(self.arena.application(head, &arguments, Sort::BOOL))
    }
}
