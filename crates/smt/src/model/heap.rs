//! The heap of a model: what `declare-heap` says of its sorts, and the heap that cvc5 prints after its definitions.
//!
//! ```text
//! (heap
//! (sep (pto #b01 true) (pto #b00 true))
//! (= (as sep.nil (_ BitVec 2)) #b11)
//! )
//! ```
//!
//! A formula about the heap is evaluated where it is written. cvc5 replaces names by their terms first, so a name that stands for such a
//! formula inside of `sep` is about a part of the heap. Such names are an obstacle: these formulas are undecided.

use std::sync::OnceLock;

use super::{Meaning, Model};
use crate::command::Command;
use crate::context::Context;
use crate::eval::Undecided;
use crate::heap::{heap_terms, is_heap_operator};
use crate::parse::model::heap_sorts;
use crate::queries::SatQuery;
use crate::script::Script;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Term, TermView};

/// What is known of the heap.
#[derive(Clone, Default)]
pub(crate) struct ModelHeap {
    /// The sorts of locations and data, canonical; `None` unless the script declares one heap.
    pub sorts: Option<(Sort, Sort)>,
    /// The formula and the equation for nil that the model has.
    pub(super) printed: Option<(Term, Term)>,
    depends: OnceLock<Vec<bool>>,
    obstacle: OnceLock<Option<&'static str>>,
}

/// The terms of a printed heap.
pub(crate) struct PrintedHeap {
    pub nil: Term,
    /// Locations with their data.
    pub cells: Vec<(Term, Term)>,
}

impl ModelHeap {
    /// Reads the `declare-heap` command before a query.
    pub(super) fn declared(script: &Script, check: &SatQuery, context: &mut Context) -> ModelHeap {
        let before = &script.commands[..script.commands.len().min(check.command + 1)];
        let mut heaps = before.iter().filter_map(|command| match command {
            Command::Plain(name, text) if script.arena().text(*name) == "declare-heap" => Some(*text),
            _ => None,
        });
        let sorts = match (heaps.next(), heaps.next()) {
            (Some(text), None) => heap_sorts(script.arena().text(text), context),
            _ => None,
        };
        ModelHeap { sorts, ..ModelHeap::default() }
    }
}

impl Model {
    /// For each term, whether an operator on heaps occurs in it.
    pub(crate) fn heap_terms(&self) -> &[bool] {
        self.heap.depends.get_or_init(|| heap_terms(&self.arena))
    }

    /// The sorts of locations and data, if formulas about the heap can be evaluated.
    pub(crate) fn heap_sorts(&self) -> Result<(Sort, Sort), Undecided> {
        let unknown = |reason: &str| Undecided::Unknown(reason.into());
        let sorts = self.heap.sorts.ok_or_else(|| unknown("the sorts of the heap"))?;
        match self.heap.obstacle.get_or_init(|| self.heap_obstacle()) {
            Some(reason) => Err(unknown(reason)),
            None => Ok(sorts),
        }
    }

    /// The heap that the model gives.
    pub(crate) fn printed_heap(&self) -> Result<PrintedHeap, Undecided> {
        let unusable = |reason: &str| Undecided::Model(reason.into());
        let (formula, equation) = self.heap.printed.ok_or_else(|| unusable("the model has no heap"))?;
        let odd = || unusable("the heap of the model cannot be understood");
        let TermView::Application(head, &[_, nil]) = self.arena.view(equation) else { return Err(odd()) };
        if head.symbol != Symbol::EQUAL
            || self.heap.sorts.map(|sorts| sorts.0) != Some(self.arena.sort_of(nil))
        {
            return Err(odd());
        }
        let mut cells = Vec::new();
        let mut open = vec![formula];
        while let Some(part) = open.pop() {
            let TermView::Application(head, children) = self.arena.view(part) else { return Err(odd()) };
            match (head.symbol, children) {
                (Symbol::EMPTY_HEAP, []) => {}
                (Symbol::STAR, parts) => open.extend(parts),
                (Symbol::POINTS_TO, &[location, data]) => cells.push((location, data)),
                _ => return Err(odd()),
            }
        }
        Ok(PrintedHeap { nil, cells })
    }

    /// Why formulas about the heap are not evaluated, if a name stands for one.
    fn heap_obstacle(&self) -> Option<&'static str> {
        let depends = self.heap_terms();
        let is_about_heap = |term: Term| depends.get(term.index()).copied().unwrap_or(true);
        let mut names = rustc_hash::FxHashSet::default();
        for entry in &self.entries {
            match entry.meaning {
                _ if is_heap_operator(entry.name)
                    || entry.name == Symbol::NIL
                    || entry.is_of_script && self.arena.signature().is_operator(entry.name) =>
                {
                    return Some("a heap in a script that declares an operator");
                }
                Meaning::Defined { body, .. } | Meaning::Named(body) if is_about_heap(body) => {
                    names.insert(entry.name);
                }
                _ => {}
            }
        }
        let stands_for_formula = |index: usize| {
            let term = Term(index as u32);
            match self.arena.view(term) {
                TermView::Let(..) | TermView::Match(..) => depends[index],
                TermView::Application(head, children) => {
                    names.contains(&head.symbol)
                        || self.has_definition(head.symbol)
                            && children.iter().any(|&child| is_about_heap(child))
                }
                _ => false,
            }
        };
        let is_named = (0..self.arena.term_count()).any(stands_for_formula);
        is_named.then_some("a name that stands for a formula about the heap")
    }

    fn has_definition(&self, name: Symbol) -> bool {
        let is_defined = |&number: &u32| matches!(self.entry(number).meaning, Meaning::Defined { .. });
        self.functions_named(name).iter().any(is_defined)
    }
}
