//! Functions as values: of higher-order logic, and arrays that are given by functions.
//!
//! ```text
//! (f a)      f takes two arguments        the array of (f a b), one for each value of b
//! (g a b)    g is of sort (-> U U U)      the element at b of the element at a
//! ```
//!
//! A function is the array over the values of its first argument, of arrays over the values of the next one: two functions are
//! equal if they are equal everywhere. Its elements are nodes, so that the points of declared functions are enumerated like any
//! others.

use super::compile::{CompileTask, Compiler};
use super::native::WordShape;
use super::program::{Code, NodeId};
use super::words::WordKind;
use crate::eval::MAX_TABLE_POINTS;
use crate::model::Meaning;
use crate::sort::{Sort, SortView};
use crate::symbol::Symbol;
use crate::term::{Term, Variable};

impl Compiler<'_, '_> {
    /// The tables of the values of some sorts, if there are few tuples of these.
    fn nested_tables(&mut self, sorts: &[Sort]) -> Option<Vec<u32>> {
        let mut tables = Vec::new();
        let mut count = 1;
        for &sort in sorts {
            let table = self.table(sort)?;
            count *= self.program.tables[table as usize].len();
            tables.push(table);
            if count > MAX_TABLE_POINTS {
                return None;
            }
        }
        Some(tables)
    }

    /// The constants for all tuples of values of some sorts.
    fn tuples(&mut self, sorts: &[Sort], tables: &[u32]) -> Option<Vec<Vec<NodeId>>> {
        let mut tuples = vec![Vec::new()];
        for (&sort, &table) in sorts.iter().zip(tables) {
            let indices = self.indices(table, sort)?;
            let longer = |start: Vec<NodeId>| {
                indices.iter().map(move |&index| [start.as_slice(), &[index]].concat()).collect::<Vec<_>>()
            };
            tuples = tuples.into_iter().flat_map(longer).collect();
        }
        Some(tuples)
    }

    /// An array over the first table of arrays over the next ones, from the nodes of all tuples of indices.
    pub(super) fn tabulate(&mut self, nodes: Vec<NodeId>, tables: &[u32]) -> NodeId {
        let mut level = nodes;
        for &table in tables.iter().rev() {
            let count = self.program.tables[table as usize].len();
            let array = |elements: &[NodeId]| {
                let code = Code::Tabulate(table);
                self.program.add(code, WordShape::default(), WordKind::Numbered, elements)
            };
            level = level.chunks(count).map(array).collect();
        }
        level[0]
    }

    /// Compiles the body of a lambda for all values of its variables.
    pub(super) fn visit_points(
        &mut self,
        term: Term,
        scope: u32,
        base: usize,
        variables: &[Variable],
        body: Term,
    ) {
        let sorts: Vec<Sort> = variables.iter().map(|variable| self.arena.canonical(variable.sort)).collect();
        let tables = self.nested_tables(&sorts);
        let tuples = tables.as_ref().and_then(|tables| self.tuples(&sorts, tables));
        let (Some(tables), Some(tuples)) = (tables, tuples) else {
            self.tasks.push(CompileTask::Build(term, scope, base));
            return;
        };
        let names: Vec<Symbol> = variables.iter().map(|variable| variable.name).collect();
        self.tasks.push(CompileTask::Tabulate(term, scope, base, tables));
        for tuple in tuples.into_iter().rev() {
            let inner = self.open_scope(scope, names.clone(), tuple);
            self.tasks.push(CompileTask::Visit(body, inner));
        }
    }

    /// A function that gets some of its arguments; `None` if it cannot be a table, `Some(None)` if more tasks make the node.
    pub(super) fn build_partial_call(
        &mut self,
        term: Term,
        home: u32,
        base: usize,
        function: u32,
    ) -> Option<Option<NodeId>> {
        let entry = self.model.entry(function);
        let given = self.nodes.len() - base;
        let missing = entry.parameters[given..].to_vec();
        let tables = self.nested_tables(&missing)?;
        let tuples = self.tuples(&missing, &tables)?;
        let first = self.coerced_operands(base, &entry.parameters[..given]);
        let points = tuples.into_iter().map(|tuple| [first.as_slice(), &tuple].concat());
        match &entry.meaning {
            Meaning::Missing => {
                let call = self.declared_call(function);
                let kind = self.program.functions[call as usize].kind;
                let point = |operands: Vec<NodeId>| {
                    self.program.add(Code::Point(call), WordShape::default(), kind, &operands)
                };
                let nodes = points.map(point).collect();
                Some(Some(self.tabulate(nodes, &tables)))
            }
            Meaning::Defined { parameters, body } if !self.definition_facts(function).is_recursive => {
                let names: Vec<Symbol> = parameters.iter().map(|parameter| parameter.name).collect();
                let points: Vec<Vec<NodeId>> = points.collect();
                self.nodes.truncate(base);
                self.tasks.push(CompileTask::Tabulate(term, home, base, tables));
                for operands in points.into_iter().rev() {
                    let inner = self.open_scope(0, names.clone(), operands);
                    self.tasks.push(CompileTask::Visit(*body, inner));
                }
                Some(None)
            }
            _ => None,
        }
    }

    /// A function that gets more arguments than it has: its result is a function, which gets the others.
    pub(super) fn build_call_of_result(
        &mut self,
        term: Term,
        home: u32,
        base: usize,
        function: u32,
    ) -> Option<NodeId> {
        let entry = self.model.entry(function);
        let rest = self.nodes.split_off(base + entry.parameters.len());
        let operands = self.coerced_operands(base, &entry.parameters.clone());
        self.nodes.truncate(base);
        self.nodes.extend(rest);
        let (body, scope) = match &entry.meaning {
            Meaning::Missing => {
                let call = self.declared_call(function);
                let kind = self.program.functions[call as usize].kind;
                let node = self.program.add(Code::Point(call), WordShape::default(), kind, &operands);
                self.nodes.push(node);
                return Some(self.applied_result(entry.result, term, base));
            }
            Meaning::Defined { parameters, body } if !self.definition_facts(function).is_recursive => {
                let names: Vec<Symbol> = parameters.iter().map(|parameter| parameter.name).collect();
                (*body, self.open_scope(0, names, operands))
            }
            Meaning::Named(named) => (*named, 0),
            _ => return Some(self.unclear_term(term, "a function that gives a function")),
        };
        self.tasks.push(CompileTask::Apply(term, home, base, entry.result));
        self.tasks.push(CompileTask::Visit(body, scope));
        None
    }

    /// The application of the last node, a function of this sort, to the nodes above `base`.
    pub(super) fn applied_result(&mut self, sort: Sort, term: Term, base: usize) -> NodeId {
        let mut nodes = self.nodes.split_off(base);
        let function = nodes.pop().expect("the function that is applied");
        self.selected(function, sort, &nodes)
            .unwrap_or_else(|| self.unclear_term(term, "the application of a value that is a function"))
    }

    /// A function applied to one argument after the other; `None` if it is no function.
    fn selected(&mut self, function: NodeId, sort: Sort, arguments: &[NodeId]) -> Option<NodeId> {
        let (mut node, mut sort) = (function, sort);
        for &argument in arguments {
            let SortView { head: Symbol::ARROW, arguments: &[parameter, result], .. } =
                self.arena.view_sort(sort)
            else {
                return None;
            };
            let argument = if parameter == Sort::REAL { self.as_real(argument) } else { argument };
            let kind = WordKind::of(self.arena, result);
            node = self.program.add(Code::Select, WordShape::default(), kind, &[node, argument]);
            sort = result;
        }
        Some(node)
    }

    /// `(@ g a b)`: the nodes above `base` are the function and its arguments.
    pub(super) fn build_application(&mut self, term: Term, base: usize, function: Term) -> NodeId {
        let nodes = self.nodes[base..].to_vec();
        let sort = self.arena.sort_of(function);
        let is_opaque = self.program.nodes[nodes[0] as usize].kind == WordKind::Opaque;
        let selected = if is_opaque { None } else { self.selected(nodes[0], sort, &nodes[1..]) };
        selected.unwrap_or_else(|| self.evaluated_on(term, &nodes, None))
    }
}
