//! The sorts of operators that no rank can express: rows `(NAME :computed)` of the tables.
//!
//! ```text
//! ((_ map f) a b)          f of A and B gives C, a is (Array I A), b is (Array I B)     (Array I C)
//! ((_ pble 3 1 2) p q)     one coefficient for each argument, after the bound           Bool
//! (seq.foldl f x s)        f is (Array B A B), s is (Seq A)                             B
//! (nullable.lift f a b)    f of A and B gives C, a is (Nullable A), b is (Nullable B)   (Nullable C)
//! (rel.join r s)           r is (Set (Tuple A B)), s is (Set (Tuple B C))               (Set (Tuple A C))
//! ```
//!
//! An application that these rules do not cover has an unknown sort, like text that is carried along: a solver may accept it.

use super::rank::RankUse;
use crate::context::Context;
use crate::signature::Coercion;
use crate::sort::{Index, Sort};
use crate::symbol::Symbol;
use crate::term::{Head, Term};

impl Context {
    /// The sort of an application of an operator whose sorts are computed.
    pub(super) fn computed_sort(&mut self, head: &Head<'_>, arguments: &[Term]) -> Option<Sort> {
        let sorts: Vec<Sort> = arguments.iter().map(|&argument| self.arena.terms.sort(argument)).collect();
        match (self.arena.text(head.symbol), head.indices) {
            ("map", [Index::Symbol(function)]) => self.mapped_sort(*function, &sorts),
            ("as-array", [Index::Symbol(function)]) if sorts.is_empty() => self.tabled_sort(*function),
            ("pbeq" | "pble" | "pbge", indices) => {
                let all = |sort: Sort| sorts.iter().all(|&argument| argument == sort);
                (indices.len() == sorts.len() + 1 && all(Sort::BOOL)).then_some(Sort::BOOL)
            }
            ("fmf.card", [Index::Symbol(sort), Index::Numeral(_)]) if sorts.is_empty() => {
                self.sort_meaning(*sort).map(|_| Sort::BOOL)
            }
            ("transitive-closure", [Index::Symbol(function)]) => {
                let is_relation = sorts.len() == 2 && self.applied_sort(*function, &sorts)? == Sort::BOOL;
                (is_relation && sorts[0] == sorts[1]).then_some(Sort::BOOL)
            }
            ("nullable.lift", [Index::Symbol(function)]) => {
                let values = self.nullable_values(&sorts)?;
                let result = self.applied_sort(*function, &values)?;
                Some(self.nullable_sort(result))
            }
            ("nullable.lift", []) => {
                let (function, nullables) = sorts.split_first()?;
                let (parameters, result) = self.function_sort(*function)?;
                let is_lifted = self.nullable_values(nullables)? == parameters;
                is_lifted.then(|| self.nullable_sort(result))
            }
            ("seq.mapi", []) => {
                let (_, result) = self.function_sort(*sorts.first()?)?;
                let seq = self.arena.sorts.view(*sorts.get(2)?).head;
                Some(self.arena.sort(seq, &[], &[result]))
            }
            ("seq.foldl" | "seq.fold_left", []) => sorts.get(1).copied(),
            ("seq.foldli" | "seq.fold_lefti", []) => sorts.get(2).copied(),
            (_, indices) => {
                let places: Option<Vec<usize>> =
                    indices.iter().map(|index| index.numeral().map(|place| place as usize)).collect();
                let name = self.arena.text(head.symbol).to_owned();
                self.tuple_sort(&name, &places?, &sorts)
            }
        }
    }

    /// `((_ map f) a b)`: an array over the indices of the arguments.
    fn mapped_sort(&mut self, function: Symbol, arrays: &[Sort]) -> Option<Sort> {
        let tables: Option<Vec<(Vec<Sort>, Sort)>> =
            arrays.iter().map(|&array| self.function_sort(array)).collect();
        let tables = tables?;
        let indices = tables.first()?.0.clone();
        if tables.iter().any(|(others, _)| *others != indices) {
            return None;
        }
        let elements: Vec<Sort> = tables.into_iter().map(|(_, element)| element).collect();
        let result = self.applied_sort(function, &elements)?;
        Some(self.array_sort(indices, result))
    }

    /// The sort of a function or operator that is an index, applied to arguments of these sorts.
    fn applied_sort(&mut self, function: Symbol, arguments: &[Sort]) -> Option<Sort> {
        if let Some(name) = mapped_operator(self.arena.text(function)) {
            let name = self.arena.names.get(name)?;
            return self.operator_result(name, arguments);
        }
        let mut functions = self.functions(function);
        let Some(first) = functions.next() else {
            drop(functions);
            return self.operator_result(function, arguments);
        };
        // The name says nothing about which of several functions is meant.
        let is_only = functions.next().is_none() && !first.polymorphic;
        (is_only && self.parameters(first) == arguments).then_some(first.result)
    }

    /// The sorts of the values that may be missing, of at least one.
    fn nullable_values(&self, sorts: &[Sort]) -> Option<Vec<Sort>> {
        let value = |&sort: &Sort| {
            let view = self.arena.sorts.view(sort);
            (view.head == Symbol::NULLABLE_SORT).then(|| view.arguments.first().copied())?
        };
        let values: Option<Vec<Sort>> = sorts.iter().map(value).collect();
        values.filter(|values| !values.is_empty())
    }

    fn nullable_sort(&mut self, value: Sort) -> Sort {
        self.arena.sort(Symbol::NULLABLE_SORT, &[], &[value])
    }

    /// `(_ as-array f)`
    fn tabled_sort(&mut self, function: Symbol) -> Option<Sort> {
        let mut functions = self.functions(function);
        let first = functions.next()?;
        if functions.next().is_some() || first.polymorphic {
            return None;
        }
        let (parameters, result) = (self.parameters(first).to_vec(), first.result);
        drop(functions);
        (!parameters.is_empty()).then(|| self.array_sort(parameters, result))
    }

    fn array_sort(&mut self, mut indices: Vec<Sort>, element: Sort) -> Sort {
        indices.push(element);
        self.arena.sort(Symbol::ARRAY, &[], &indices)
    }

    /// The parameters and the result of an array or a function sort.
    pub(super) fn function_sort(&self, sort: Sort) -> Option<(Vec<Sort>, Sort)> {
        let view = self.arena.sorts.view(sort);
        if view.head == Symbol::ARRAY {
            let (&element, indices) = view.arguments.split_last()?;
            return Some((indices.to_vec(), element));
        }
        let (mut parameters, mut rest) = (Vec::new(), sort);
        while let (Symbol::ARROW, [parameter, result]) =
            (self.arena.sorts.view(rest).head, self.arena.sorts.view(rest).arguments)
        {
            parameters.push(*parameter);
            rest = *result;
        }
        (!parameters.is_empty()).then_some((parameters, rest))
    }

    /// The result of an operator of the theories for arguments of these sorts.
    fn operator_result(&mut self, name: Symbol, arguments: &[Sort]) -> Option<Sort> {
        let arena = &mut self.arena;
        let (names, sorts) = (&arena.names, &mut arena.sorts);
        let head = &Head::plain(name);
        arena.signature.ranks_of(name).iter().find_map(|rank| {
            let rank_use = RankUse { rank, head, count: arguments.len(), coercion: Coercion::No };
            rank_use.result(&|position| arguments[position], names, sorts)
        })
    }
}

/// The operator of `(_ map (bvadd (S S) S))`, of which the index is the text in parentheses; `None` for a plain name.
pub(crate) fn mapped_operator(index: &str) -> Option<&str> {
    index.strip_prefix('(')?.split_once(' ').map(|(name, _)| name)
}
