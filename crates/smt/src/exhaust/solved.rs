//! Constants that equations fix: those with a list of values, and those that equal one of some terms.
//!
//! ```text
//! (assert (or (= l nil) (= l (cons x nil))))        l is (ite (= choice 0) nil (cons x nil))
//! ```
//!
//! A constant whose sort has too many values is compiled as a choice among the terms of such a list, the number of which is
//! enumerated. The search must know its value in the end, because a model needs one. A term must not depend on the constant
//! itself, not even by way of other constants that are compiled in this way.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::cases::Cases;
use super::compile::{CompileTask, Compiler};
use super::domains::PointDomain;
use super::native::WordShape;
use super::program::{Code, NodeId, SolvedConstant};
use super::words::WordKind;
use crate::model::Meaning;
use crate::sort::{Index, Sort};
use crate::symbol::Symbol;
use crate::term::{Term, TermView};
use crate::value::Value;

/// A sort with more values is worse than a term.
const MAX_PREFERRED_VALUES: u128 = 1 << 12;
/// The steps that the value of a case costs.
const STEPS_PER_CASE: u64 = 32;
/// The most terms that a constant is one of.
const MAX_CHOICES: usize = 16;
/// Functions that are looked at to see what a term depends on.
const MAX_DEPENDENCIES: usize = 1_000;

impl Compiler<'_, '_> {
    /// All values of a constant or a variable, if the lists of its cases say what they are.
    pub(super) fn listed_domain(&mut self, cases: &Cases, term: Term, sort: Sort) -> Option<PointDomain> {
        let kind = WordKind::of(self.arena, sort);
        cases.lists(term).iter().find_map(|list| {
            let mut words = Vec::new();
            for &case in list {
                self.program.steps += STEPS_PER_CASE;
                let value = self.is_closed(case).then(|| self.program.evaluator.value(case))?.ok()?;
                let value = match (sort, value) {
                    (Sort::REAL, Value::Int(number)) => Value::Real(number.into()),
                    (_, value) => value,
                };
                let word = self.program.words.word(kind, &value)?;
                if !words.contains(&word) {
                    words.push(word);
                }
            }
            Some(PointDomain::list(words))
        })
    }

    /// The terms of which a constant is compiled as one, if it has such.
    pub(super) fn solution(&mut self, constant: Term, function: u32) -> Option<Arc<[Term]>> {
        if let Some(known) = self.solutions.get(&function) {
            return known.clone();
        }
        let sort = self.arena.canonical(self.arena.sort_of(constant));
        // A function is applied, not only compared; two regular expressions are not compared.
        let is_compared = sort != Sort::REGLAN && self.arena.view_sort(sort).head != Symbol::ARROW;
        let lists = self.cases.lists(constant).to_vec();
        let mut is_usable = |term: &Term| {
            self.arena.canonical(self.arena.sort_of(*term)) == sort
                && self.free.of(self.arena, *term).is_empty()
                && !self.depends_on(*term, function)
        };
        let solution = lists
            .into_iter()
            .filter(|list| is_compared && list.len() <= MAX_CHOICES)
            .find(|list| list.iter().all(&mut is_usable))
            .map(Arc::from);
        self.solutions.insert(function, solution.clone());
        solution
    }

    /// Plans to compile the terms of which a constant is one.
    pub(super) fn visit_solution(&mut self, constant: Term, function: u32, terms: &[Term], base: usize) {
        self.tasks.push(CompileTask::Solve(constant, function, base));
        self.tasks.extend(terms.iter().rev().map(|&term| CompileTask::Visit(term, 0)));
    }

    /// Makes the node of a constant that is one of the nodes above `base`.
    pub(super) fn solve(&mut self, constant: Term, function: u32, base: usize) {
        let nodes = self.nodes.split_off(base);
        let kind = self.program.nodes[nodes[0] as usize].kind;
        let shape = WordShape::default();
        let mut node = nodes[0];
        if nodes.len() > 1 {
            let domain = PointDomain::range(0, nodes.len() as u64 - 1);
            let choice = self.add_function(Symbol::EMPTY, Vec::new(), Sort::INT, domain);
            self.program.functions[choice as usize].is_choice = true;
            let choice = self.program.add(Code::Point(choice), shape, WordKind::Int, &[]);
            for (number, &other) in nodes.iter().enumerate().skip(1) {
                let number = self.program.constant(WordKind::Int, number as u64);
                let is_it = self.program.add(Code::Equal, shape, WordKind::Bool, &[choice, number]);
                node = self.program.add(Code::Ite, shape, kind, &[is_it, other, node]);
            }
        }
        self.nodes.push(node);
        self.known.insert((constant, 0), node);
        if !self.program.solved.iter().any(|solved| solved.function == function) {
            let entry = self.model.entry(function);
            self.program.solved.push(SolvedConstant { function, name: entry.name, sort: entry.result, node });
        }
    }

    /// Whether the domain of a constant is so large that a term is better.
    pub(super) fn is_large(domain: &PointDomain) -> bool {
        domain.gap.is_some() || domain.count() > MAX_PREFERRED_VALUES
    }

    /// Returns true if the value of a term may depend on a constant, by way of definitions and solutions as well, or if the steps do
    /// not suffice to tell.
    fn depends_on(&mut self, term: Term, constant: u32) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = vec![term];
        while let Some(next) = open.pop() {
            for part in self.arena.reachable([next]) {
                self.program.steps += 1;
                let TermView::Application(head, children) = self.arena.view(part) else { continue };
                let called = self.program.evaluator.resolved(head, children, self.arena.sort_of(part));
                let passed = head.indices.iter().flat_map(|index| match index {
                    Index::Symbol(name) => self.model.functions_named(*name),
                    Index::Numeral(_) => &[],
                });
                for function in called.into_iter().chain(passed.copied()) {
                    if function == constant || seen.len() > MAX_DEPENDENCIES || self.program.is_spent() {
                        return true;
                    }
                    if seen.insert(function) {
                        open.extend(self.meanings_of(function));
                    }
                }
            }
        }
        false
    }

    /// The terms by which a function is defined or solved.
    fn meanings_of(&self, function: u32) -> Vec<Term> {
        match self.model.entry(function).meaning {
            Meaning::Defined { body, .. } => vec![body],
            Meaning::Named(term) => vec![term],
            _ => {
                self.solutions.get(&function).into_iter().flatten().flat_map(|terms| terms.to_vec()).collect()
            }
        }
    }

    /// The assertions that the values of solved constants are known.
    pub(super) fn known_solutions(&mut self) -> Vec<NodeId> {
        let nodes: Vec<NodeId> = self.program.solved.iter().map(|solved| solved.node).collect();
        let shape = WordShape::default();
        nodes
            .into_iter()
            .map(|node| self.program.add(Code::Equal, shape, WordKind::Bool, &[node, node]))
            .collect()
    }
}
