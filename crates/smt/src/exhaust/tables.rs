//! Arrays over small sorts that are given by functions: lambdas, `(_ as-array f)` and `((_ map f) a b)`.
//!
//! ```text
//! (lambda ((x (_ BitVec 1))) (bvadd x y))       the array of (bvadd #b0 y) and (bvadd #b1 y)
//! ```
//!
//! An element is a node for each index, so that the free constants and functions in it are enumerated like any others.

use std::sync::Arc;

use super::compile::{CompileTask, Compiler};
use super::native::WordShape;
use super::program::{Code, NodeId};
use super::words::WordKind;
use crate::eval::MAX_TABLE_POINTS;
use crate::model::Meaning;
use crate::sort::{Index, Sort};
use crate::symbol::Symbol;
use crate::term::{Head, Term};

impl Compiler<'_, '_> {
    /// The table of all values of a sort, if they are few.
    pub(super) fn table(&mut self, index: Sort) -> Option<u32> {
        let values = self.program.evaluator.all_values(index)?;
        if values.is_empty() || values.len() > MAX_TABLE_POINTS {
            return None;
        }
        let known = self.program.tables.iter().position(|table| Arc::ptr_eq(table, &values));
        Some(known.unwrap_or_else(|| {
            self.program.tables.push(values);
            self.program.tables.len() - 1
        }) as u32)
    }

    /// A node for each index of a table.
    pub(super) fn indices(&mut self, table: u32, sort: Sort) -> Option<Vec<NodeId>> {
        let kind = WordKind::of(self.arena, sort);
        let values = Arc::clone(&self.program.tables[table as usize]);
        let words: Option<Vec<u64>> =
            values.iter().map(|value| self.program.words.word(kind, value)).collect();
        Some(words?.into_iter().map(|word| self.program.constant(kind, word)).collect())
    }

    /// `(_ as-array f)`, `((_ map f) a b)` and other operators that take the name of a function of the script. `Some(None)` means
    /// that more tasks make the node; `None`, that the evaluator computes the term.
    pub(super) fn build_table(
        &mut self,
        term: Term,
        home: u32,
        base: usize,
        head: Head<'_>,
    ) -> Option<Option<NodeId>> {
        let [Index::Symbol(name)] = head.indices else { return None };
        let &[function] = self.model.functions_named(*name) else {
            let is_overloaded = self.model.has_functions(*name);
            return is_overloaded.then(|| Some(self.unclear_term(term, "a function of several ranks")));
        };
        let takes_part = matches!(head.symbol, Symbol::IS | Symbol::UPDATE | Symbol::UPDATE_FIELD);
        if !takes_part && self.model.is_overloaded(function) {
            return Some(Some(self.unclear_term(term, "a function by the name of an operator")));
        }
        let is_table = matches!(head.symbol, Symbol::MAP | Symbol::AS_ARRAY);
        let built = is_table.then(|| self.build_table_of(term, home, base, head.symbol, function)).flatten();
        let is_free = match self.model.entry(function).meaning {
            Meaning::Defined { .. } => self.definition_facts(function).is_free,
            // `(_ is cons)` and `(_ update first)`
            Meaning::Constructor | Meaning::Selector | Meaning::Tester(_) => false,
            _ => true,
        };
        match built {
            // The evaluator would give a declared function default values.
            None if is_free => Some(Some(self.unclear_term(term, "a term that is given by a function"))),
            built => built,
        }
    }

    fn build_table_of(
        &mut self,
        term: Term,
        home: u32,
        base: usize,
        operator: Symbol,
        function: u32,
    ) -> Option<Option<NodeId>> {
        let &[index, element] = self.arena.view_sort(self.arena.sort_of(term)).arguments else { return None };
        let table = self.table(index)?;
        let points: Vec<Vec<NodeId>> = match operator {
            Symbol::AS_ARRAY => self.indices(table, index)?.into_iter().map(|node| vec![node]).collect(),
            _ => self.elements(term, base, table),
        };
        let entry = self.model.entry(function);
        match &entry.meaning {
            Meaning::Missing => {
                let call = self.declared_call(function);
                let kind = WordKind::of(self.arena, element);
                let nodes: Vec<NodeId> = points
                    .iter()
                    .map(|operands| self.program.add(Code::Point(call), WordShape::default(), kind, operands))
                    .collect();
                let code = Code::Tabulate(table);
                Some(Some(self.program.add(code, WordShape::default(), WordKind::Numbered, &nodes)))
            }
            Meaning::Defined { parameters, body } if !self.definition_facts(function).is_recursive => {
                let names: Vec<Symbol> = parameters.iter().map(|parameter| parameter.name).collect();
                self.nodes.truncate(base);
                self.tasks.push(CompileTask::Tabulate(term, home, base, vec![table]));
                for operands in points.into_iter().rev() {
                    let inner = self.open_scope(0, names.clone(), operands);
                    self.tasks.push(CompileTask::Visit(*body, inner));
                }
                Some(None)
            }
            _ => None,
        }
    }

    /// The elements of the arrays above `base`, for each index of a table.
    fn elements(&mut self, term: Term, base: usize, table: u32) -> Vec<Vec<NodeId>> {
        let arrays: Vec<NodeId> = self.nodes[base..].to_vec();
        let element = |array: Term| {
            let sort = self.arena.view_sort(self.arena.sort_of(array)).arguments.last().copied();
            WordKind::of(self.arena, sort.unwrap_or(Sort::UNKNOWN))
        };
        let kinds: Vec<WordKind> = self.arena.children(term).iter().map(|&child| element(child)).collect();
        let count = self.program.tables[table as usize].len();
        let mut points = Vec::new();
        for place in 0..count as u32 {
            let code = Code::Element(table, place);
            let pairs = arrays.iter().zip(&kinds);
            let point =
                pairs.map(|(&array, &kind)| self.program.add(code, WordShape::default(), kind, &[array]));
            points.push(point.collect());
        }
        points
    }
}
