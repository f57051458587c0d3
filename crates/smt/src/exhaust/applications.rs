//! The nodes of applications: calls of the script's functions, and operators of the theories.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::bounded_words::{self, word_domain};
use super::compile::{CompileTask, Compiler, OpenOperator, int_domain};
use super::domains::{self, PointDomain};
use super::native::{BINARY_WORD_OPERATORS, INT_COMPARISONS, INT_OPERATORS, UNARY_WORD_OPERATORS, WordShape};
use super::program::{Code, EvaluatedTerm, FreeFunction, NodeId, Program};
use super::words::WordKind;
use crate::eval::{Undecided, subsets};
use crate::heap::is_heap_operator;
use crate::model::Meaning;
use crate::signature::Associativity;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Head, Term};
use crate::value::Value;

/// How a function that the script only declares is compiled.
enum UnknownFunction {
    /// As a function whose points are enumerated.
    Free(u32),
    /// A constant, as one of some terms.
    Solved(Arc<[Term]>),
}

impl Compiler<'_, '_> {
    pub(super) fn build_call(&mut self, term: Term, home: u32, base: usize, function: u32) -> Option<NodeId> {
        let entry = self.model.entry(function);
        let count = self.nodes.len() - base;
        if count < entry.parameters.len() {
            let built = self.build_partial_call(term, home, base, function);
            return built.unwrap_or_else(|| {
                Some(self.unclear_term(term, "a function that gets some of its arguments"))
            });
        }
        if count > entry.parameters.len() {
            return self.build_call_of_result(term, home, base, function);
        }
        match &entry.meaning {
            Meaning::Missing => {
                let operands = self.coerced_operands(base, &entry.parameters.clone());
                let free = match self.declared_function(term, function) {
                    UnknownFunction::Free(free) => free,
                    UnknownFunction::Solved(terms) => {
                        self.visit_solution(term, function, &terms, base);
                        return None;
                    }
                };
                let kind = self.program.functions[free as usize].kind;
                let node = self.program.add(Code::Point(free), WordShape::default(), kind, &operands);
                Some(self.as_sort(node, entry.result, self.arena.sort_of(term)))
            }
            Meaning::Defined { parameters, body } => {
                let facts = self.definition_facts(function);
                if facts.is_recursive {
                    return Some(match facts.is_free {
                        true => self.unclear_term(term, "a recursive function that depends on others"),
                        false => self.evaluated_node(term, base, None),
                    });
                }
                let names: Vec<Symbol> = parameters.iter().map(|parameter| parameter.name).collect();
                let body = *body;
                let operands = self.coerced_operands(base, &entry.parameters.clone());
                self.nodes.truncate(base);
                let inner = self.open_scope(0, names, operands);
                self.tasks.push(CompileTask::Keep(term, home));
                self.tasks.push(CompileTask::Visit(body, inner));
                None
            }
            Meaning::Named(named) => {
                let named = *named;
                self.tasks.push(CompileTask::Keep(term, home));
                self.tasks.push(CompileTask::Visit(named, 0));
                None
            }
            Meaning::Selector => {
                let open = self.open_function(entry.name, Vec::new(), term, base);
                Some(self.evaluated_node(term, base, Some(open)))
            }
            Meaning::Constructor | Meaning::Tester(_) => Some(self.evaluated_node(term, base, None)),
            Meaning::Element | Meaning::Unreadable(_) => {
                Some(self.unclear_term(term, "an element of a sort"))
            }
        }
    }

    /// The operands above `base`, with integers as reals where the parameters are reals.
    pub(super) fn coerced_operands(&mut self, base: usize, parameters: &[Sort]) -> Vec<NodeId> {
        let operands: Vec<NodeId> = self.nodes[base..].to_vec();
        let pairs = operands.into_iter().zip(parameters);
        pairs.map(|(node, &sort)| if sort == Sort::REAL { self.as_real(node) } else { node }).collect()
    }

    pub(super) fn as_real(&mut self, node: NodeId) -> NodeId {
        match self.program.nodes[node as usize].kind {
            WordKind::Int => {
                self.program.add(Code::ToReal, WordShape::default(), WordKind::Numbered, &[node])
            }
            _ => node,
        }
    }

    fn as_sort(&mut self, node: NodeId, from: Sort, to: Sort) -> NodeId {
        if from == Sort::INT && to == Sort::REAL { self.as_real(node) } else { node }
    }

    /// The points of a declared function with parameters.
    pub(super) fn declared_call(&mut self, function: u32) -> u32 {
        if let Some(&known) = self.declared.get(&function) {
            return known;
        }
        let entry = self.model.entry(function);
        let (name, parameters, result) = (entry.name, entry.parameters.clone(), entry.result);
        let domain = self.domain_of(result);
        let free = self.add_function(name, parameters, result, domain);
        self.declared.insert(function, free);
        free
    }

    fn declared_function(&mut self, term: Term, function: u32) -> UnknownFunction {
        if let Some(&known) = self.declared.get(&function) {
            return UnknownFunction::Free(known);
        }
        let entry = self.model.entry(function);
        let (name, parameters, result) = (entry.name, entry.parameters.clone(), entry.result);
        let domain = match parameters.as_slice() {
            [] => self.constant_domain(term, result),
            _ => self.domain_of(result),
        };
        if parameters.is_empty()
            && Compiler::is_large(&domain)
            && let Some(solution) = self.solution(term, function)
        {
            return UnknownFunction::Solved(solution);
        }
        let free = self.add_function(name, parameters, result, domain);
        self.declared.insert(function, free);
        UnknownFunction::Free(free)
    }

    /// The values that a constant can have: within its bounds or its cases, whichever are fewer.
    fn constant_domain(&mut self, term: Term, sort: Sort) -> PointDomain {
        let bounded = match sort {
            Sort::INT => int_domain(&self.bounds, term),
            _ => word_domain(&self.theory, &self.bounds, self.program, term, sort)
                .or_else(|| self.bounded_sets(term)),
        };
        let domain = bounded.unwrap_or_else(|| self.domain_of(sort));
        let cases = std::mem::take(&mut self.cases);
        let listed = self.listed_domain(&cases, term, sort);
        self.cases = cases;
        listed.filter(|listed| domain.gap.is_some() || listed.count() < domain.count()).unwrap_or(domain)
    }

    /// All sets or bags that a constant can be, if an assertion says which one it is part of.
    fn bounded_sets(&mut self, constant: Term) -> Option<PointDomain> {
        let wholes: Vec<Term> = self.bounds.wholes(constant).collect();
        let whole = wholes.into_iter().find(|&whole| self.is_closed(whole))?;
        let values = match self.program.evaluator.value(whole).ok()? {
            Value::Set(set) => subsets(&set.elements().iter().cloned().collect::<Vec<_>>())?,
            Value::Bag(bag) => bounded_words::bags_within(&bag)?,
            _ => return None,
        };
        let kind = WordKind::Numbered;
        let words: Option<Vec<u64>> =
            values.iter().map(|value| self.program.words.word(kind, value)).collect();
        Some(PointDomain::list(words?))
    }

    pub(super) fn domain_of(&mut self, sort: Sort) -> PointDomain {
        if self.model.is_uninterpreted(sort) && self.model.universe(sort).is_none() {
            let reason = "a declared sort can have any number of elements";
            return PointDomain::sample(Vec::new(), Undecided::Infinite(reason.into()));
        }
        let hints = self.hints.get(&sort).map_or(&[][..], Vec::as_slice);
        let Program { evaluator, words, .. } = &mut *self.program;
        domains::sort_domain(self.arena, evaluator, words, sort, hints)
    }

    pub(super) fn add_function(
        &mut self,
        name: Symbol,
        parameters: Vec<Sort>,
        result: Sort,
        domain: PointDomain,
    ) -> u32 {
        let kind = WordKind::of(self.arena, result);
        self.program.functions.push(FreeFunction {
            name,
            parameters,
            result,
            kind,
            is_open: false,
            is_choice: false,
            domain,
            constant: None,
            points: FxHashMap::default(),
            dependents: Arc::from([]),
            work: 0,
            order: None,
        });
        self.program.functions.len() as u32 - 1
    }

    /// The function that the open results of an operator are.
    fn open_function(&mut self, name: Symbol, indices: Vec<u32>, term: Term, base: usize) -> u32 {
        let result = self.arena.sort_of(term);
        let children = self.arena.children(term);
        let count = (self.nodes.len() - base).min(children.len()).min(2);
        // Of `(/ 1 x)`, the integer is meant as a real.
        let sort_of = |&child: &Term| match name {
            Symbol::DIVIDE => Sort::REAL,
            _ => self.arena.sort_of(child),
        };
        let parameters: Vec<Sort> = children[..count].iter().map(sort_of).collect();
        let key = OpenOperator { name, indices, parameters: parameters.clone(), result };
        if let Some(&known) = self.open.get(&key) {
            return known;
        }
        let domain = match self.arena.text(name) {
            "fp.min" | "fp.max" | "fp.min_i" | "fp.max_i" => PointDomain::arguments(),
            _ => self.domain_of(result),
        };
        let open = self.add_function(name, parameters, result, domain);
        self.program.functions[open as usize].is_open = true;
        self.open.insert(key, open);
        open
    }

    /// An application that the evaluator computes.
    fn evaluated_node(&mut self, term: Term, base: usize, open: Option<u32>) -> NodeId {
        let operands = self.nodes[base..].to_vec();
        self.evaluated_on(term, &operands, open)
    }

    pub(super) fn evaluated_on(&mut self, term: Term, operands: &[NodeId], open: Option<u32>) -> NodeId {
        let kind = WordKind::of(self.arena, self.arena.sort_of(term));
        let number = self.program.evaluated.len() as u32;
        self.program.evaluated.push(EvaluatedTerm { term, open, results: FxHashMap::default() });
        self.program.add(Code::Evaluated(number), WordShape::default(), kind, operands)
    }

    pub(super) fn build_operator(&mut self, term: Term, base: usize, head: Head<'_>) -> NodeId {
        let operands: Vec<NodeId> = self.nodes[base..].to_vec();
        let flat = WordShape::default();
        let kind = WordKind::of(self.arena, self.arena.sort_of(term));
        // A comparison of numbers that exhaustion cannot number, such as `(sin 1.0)`, may still have a value.
        let is_real = |&child: &Term| self.arena.sort_of(child) == Sort::REAL;
        let is_unknown = |&node: &NodeId| self.program.word(node).is_none();
        if kind == WordKind::Bool
            && self.arena.children(term).iter().all(is_real)
            && operands.iter().any(is_unknown)
            && self.is_closed(term)
        {
            return self.build_closed(term);
        }
        match (head.symbol, operands.as_slice()) {
            (Symbol::TRUE, []) => self.program.constant(WordKind::Bool, 1),
            (Symbol::FALSE, []) => self.program.constant(WordKind::Bool, 0),
            (Symbol::NOT, [_]) => self.program.add(Code::Not, flat, kind, &operands),
            (Symbol::AND, _) => self.program.add(Code::And, flat, kind, &operands),
            (Symbol::OR, _) => self.program.add(Code::Or, flat, kind, &operands),
            (Symbol::IMPLIES, [premises @ .., last]) => {
                let mut parts: Vec<NodeId> =
                    premises.iter().map(|&one| self.program.add(Code::Not, flat, kind, &[one])).collect();
                parts.push(*last);
                self.program.add(Code::Or, flat, kind, &parts)
            }
            (Symbol::ITE, [condition, then, otherwise]) => {
                let is_real = self.arena.sort_of(term) == Sort::REAL;
                let mut branch = |node| if is_real { self.as_real(node) } else { node };
                let branches = [*condition, branch(*then), branch(*otherwise)];
                self.program.add(Code::Ite, flat, kind, &branches)
            }
            (symbol, _) if is_heap_operator(symbol) => self.build_heap_formula(term, base),
            (Symbol::NIL, []) => self.build_nil(term),
            (Symbol::EQUAL | Symbol::DISTINCT, [_, _, ..]) => {
                self.build_equality(term, &operands, head.symbol)
            }
            _ => self.build_theory_operator(term, base, head, &operands),
        }
    }

    fn build_equality(&mut self, term: Term, operands: &[NodeId], symbol: Symbol) -> NodeId {
        let children = self.arena.children(term);
        let is_mixed = children.iter().any(|&child| self.arena.sort_of(child) == Sort::REAL);
        let operands: Vec<NodeId> =
            operands.iter().map(|&node| if is_mixed { self.as_real(node) } else { node }).collect();
        let mut parts = Vec::new();
        for first in 0..operands.len() - 1 {
            let last = if symbol == Symbol::DISTINCT { operands.len() - 1 } else { first + 1 };
            for second in first + 1..=last {
                let equal = self.equal(term, children[first], operands[first], operands[second]);
                parts.push(match symbol == Symbol::DISTINCT {
                    true => self.program.add(Code::Not, WordShape::default(), WordKind::Bool, &[equal]),
                    false => equal,
                });
            }
        }
        match parts.as_slice() {
            [one] => *one,
            _ => self.program.add(Code::And, WordShape::default(), WordKind::Bool, &parts),
        }
    }

    fn equal(&mut self, term: Term, child: Term, a: NodeId, b: NodeId) -> NodeId {
        if a == b {
            return self.program.constant(WordKind::Bool, 1);
        }
        // Two regular expressions can be equal without being the same value.
        if self.arena.sort_of(child) == Sort::REGLAN {
            return self.unclear_term(term, "whether two regular expressions are equal");
        }
        self.program.add(Code::Equal, WordShape::default(), WordKind::Bool, &[a, b])
    }

    /// An operator of a theory; one that takes more than two arguments is applied to two at a time.
    fn build_theory_operator(
        &mut self,
        term: Term,
        base: usize,
        head: Head<'_>,
        operands: &[NodeId],
    ) -> NodeId {
        let operands: Vec<NodeId> = match head.symbol {
            Symbol::DIVIDE => operands.iter().map(|&node| self.as_real(node)).collect(),
            _ => operands.to_vec(),
        };
        let operands = operands.as_slice();
        let associativity = self.program.evaluator.associativity(head.symbol).filter(|_| operands.len() > 2);
        let open = self.arena.signature().is_open(self.arena.text(head.symbol)).then(|| {
            let indices = head.indices.iter().filter_map(|index| index.numeral()).collect();
            self.open_function(head.symbol, indices, term, base)
        });
        match associativity {
            None => self.apply(term, head, operands, open),
            Some(Associativity::Left) => {
                let (first, rest) = operands.split_first().expect("there are three or more");
                rest.iter().fold(*first, |total, &next| self.apply(term, head, &[total, next], open))
            }
            Some(Associativity::Right) => {
                let (last, rest) = operands.split_last().expect("there are three or more");
                rest.iter().rev().fold(*last, |total, &next| self.apply(term, head, &[next, total], open))
            }
            Some(Associativity::Chainable | Associativity::Pairwise) => {
                let pairs: Vec<NodeId> =
                    operands.windows(2).map(|pair| self.apply(term, head, pair, open)).collect();
                self.program.add(Code::And, WordShape::default(), WordKind::Bool, &pairs)
            }
        }
    }

    /// An application to one or two words, if it is one; else one by the evaluator.
    fn apply(&mut self, term: Term, head: Head<'_>, operands: &[NodeId], open: Option<u32>) -> NodeId {
        match self.word_code(term, head, operands) {
            Some((code, shape, kind)) => self.program.add(code, shape, kind, operands),
            None => self.evaluated_on(term, operands, open),
        }
    }

    fn word_code(
        &self,
        term: Term,
        head: Head<'_>,
        operands: &[NodeId],
    ) -> Option<(Code, WordShape, WordKind)> {
        let name = self.arena.text(head.symbol);
        let kinds: Vec<WordKind> =
            operands.iter().map(|&node| self.program.nodes[node as usize].kind).collect();
        let kind = WordKind::of(self.arena, self.arena.sort_of(term));
        if kinds.iter().all(|kind| *kind == WordKind::Int) {
            return int_code(name, operands.len(), kind).map(|code| (code, WordShape::default(), kind));
        }
        let widths: Option<Vec<u32>> = kinds.iter().map(|kind| kind.width()).collect();
        let (widths, result) = (widths?, kind.width()?);
        let numeral = |place: usize| head.indices.get(place).and_then(|index| index.numeral()).unwrap_or(0);
        let shape = WordShape {
            width: widths[0],
            second: widths.get(1).copied().unwrap_or(0),
            indices: [numeral(0), numeral(1)],
        };
        let code = match operands.len() {
            1 => Code::Unary(UNARY_WORD_OPERATORS.iter().find(|row| row.0 == name)?.1),
            2 => {
                let operator = BINARY_WORD_OPERATORS.iter().find(|row| row.0 == name)?.1;
                if matches!(name, "bvmul" | "bvand") {
                    Code::Product(operator)
                } else {
                    Code::Binary(operator)
                }
            }
            _ => return None,
        };
        let kind = match kind {
            // Of `(concat a b c)`, the first two make up less than the whole.
            WordKind::Bits(_) if name == "concat" => WordKind::Bits((widths[0] + shape.second).min(result)),
            kind => kind,
        };
        Some((code, shape, kind))
    }
}

fn int_code(name: &str, count: usize, kind: WordKind) -> Option<Code> {
    if count == 0 {
        return None;
    }
    if kind == WordKind::Bool {
        let row = INT_COMPARISONS.iter().find(|row| row.0 == name && count == 2)?;
        return Some(Code::Int(row.1));
    }
    let row = INT_OPERATORS.iter().find(|row| row.0 == name && row.1 == count && kind == WordKind::Int)?;
    Some(if name == "*" { Code::IntProduct } else { Code::Int(row.2) })
}
