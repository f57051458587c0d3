//! The values of co-datatypes: how many there are, and small ones.
//!
//! A co-datatype that contains itself has infinitely many values, unless it has a single one: if there are two, a context that leads from the
//! sort to itself can be put around one of them any number of times. It has a single value if it and all co-datatypes within have one
//! constructor, whose other fields have one value each.

use std::collections::BTreeSet;
use std::slice;

use super::evaluator::{Evaluator, FrameState};
use super::{EvalResult, Undecided};
use crate::model::Meaning;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Term, TermView};
use crate::value::Value;
use crate::value::codata::{CodataField, CodataNode};

/// The graphs that are tried to find small values.
const MAX_GRAPHS: usize = 4000;
/// The nodes of such a graph.
const MAX_GRAPH_NODES: usize = 4;
/// The values of a field of another sort that are tried.
const MAX_FIELD_VALUES: usize = 4;

/// How many values a co-datatype has.
pub(super) enum CodatatypeSize {
    /// One, which is this.
    One(Value),
    Infinite,
    /// As many as its fields give it: it does not contain itself.
    Plain,
    /// Its values cannot be counted: a sort in it has unknown values, or it contains itself through a sort that is not a co-datatype.
    Unknown,
}

/// Co-datatypes that contain each other, the first of which is asked for.
struct SortGroup {
    sorts: Vec<Sort>,
    constructors: Vec<Vec<(Symbol, Vec<GroupField>)>>,
}

/// The sort of a field.
#[derive(Clone, Copy)]
enum GroupField {
    /// A co-datatype of the group, by its number.
    Within(usize),
    Other(Sort),
}

impl Evaluator<'_> {
    /// A result that refers to a constructor around it, as cvc5 writes infinite values, is only of use to that constructor.
    pub(super) fn closed_or_consumed(&self, answer: EvalResult) -> EvalResult {
        match &answer {
            Ok(value) if value.is_open_codata() && !self.constructs_codata() => {
                Err(Undecided::Model("a name of a repeated tree outside of that tree".into()))
            }
            _ => answer,
        }
    }

    /// Returns true if the innermost frame waits for the fields of a value of a co-datatype.
    fn constructs_codata(&self) -> bool {
        let Some(frame) = self.frames.last().filter(|frame| matches!(frame.state, FrameState::Parts)) else {
            return false;
        };
        self.is_codata_constructor(frame.term)
    }

    fn is_codata_constructor(&self, term: Term) -> bool {
        let TermView::Application(head, children) = self.arena.view(term) else { return false };
        let function = self.resolved(head, children, self.arena.sort_of(term));
        function.is_some_and(|function| {
            let entry = self.model.entry(function);
            matches!(entry.meaning, Meaning::Constructor) && self.model.is_codatatype(entry.result)
        })
    }

    /// How many values a co-datatype has.
    pub(super) fn codatatype_size(&mut self, sort: Sort, depth: u32) -> CodatatypeSize {
        let Some(group) = self.group(sort) else { return CodatatypeSize::Unknown };
        let fields = || group.constructors.iter().flatten().flat_map(|(_, fields)| fields);
        let others: Vec<Sort> = fields()
            .filter_map(|field| match field {
                GroupField::Within(_) => None,
                GroupField::Other(sort) => Some(*sort),
            })
            .collect();
        if others.iter().any(|&other| !self.is_apart(other)) {
            return CodatatypeSize::Unknown;
        }
        if group.constructors.iter().all(|constructors| constructors.len() == 1)
            && let Some(value) = self.only_value(&group, depth)
        {
            return CodatatypeSize::One(value);
        }
        match group.reaches_itself() {
            true => CodatatypeSize::Infinite,
            false => CodatatypeSize::Plain,
        }
    }

    /// The only value of the first sort of a group whose sorts have one constructor each.
    fn only_value(&mut self, group: &SortGroup, depth: u32) -> Option<Value> {
        let mut nodes = Vec::new();
        for (place, constructors) in group.constructors.iter().enumerate() {
            let (constructor, fields) = &constructors[0];
            let mut made = Vec::new();
            for field in fields {
                made.push(match *field {
                    GroupField::Within(sort) => CodataField::Node(sort as u32),
                    GroupField::Other(sort) => match self.list(sort, depth.checked_sub(1)?)?.as_slice() {
                        [only] => CodataField::Value(only.clone()),
                        _ => return None,
                    },
                });
            }
            nodes.push(CodataNode { sort: group.sorts[place], constructor: *constructor, fields: made });
        }
        Value::codata_of(&nodes).ok()
    }

    /// The co-datatypes that a co-datatype contains, itself first; `None` if one is parametric.
    fn group(&self, sort: Sort) -> Option<SortGroup> {
        let mut group = SortGroup { sorts: vec![sort], constructors: Vec::new() };
        while let Some(&sort) = group.sorts.get(group.constructors.len()) {
            if !self.arena.view_sort(sort).arguments.is_empty() {
                return None;
            }
            let mut constructors = Vec::new();
            for (name, fields) in self.model.constructors_of(sort)? {
                let mut field = |field: Sort| {
                    if !self.model.is_codatatype(field) {
                        return GroupField::Other(field);
                    }
                    let known = group.sorts.iter().position(|&known| known == field);
                    GroupField::Within(known.unwrap_or_else(|| {
                        group.sorts.push(field);
                        group.sorts.len() - 1
                    }))
                };
                constructors.push((name, fields.into_iter().map(&mut field).collect()));
            }
            group.constructors.push(constructors);
        }
        Some(group)
    }

    /// Returns true if the number of values of a sort is known without that of any co-datatype or declared sort.
    fn is_apart(&self, sort: Sort) -> bool {
        self.sorts_within(sort).into_iter().all(|part| {
            let is_unlisted = self.model.is_uninterpreted(part) && self.model.universe(part).is_none();
            !is_unlisted && !self.model.is_codatatype(part)
        })
    }

    /// A sort, and all sorts that values of it can have as parts.
    pub(super) fn sorts_within(&self, sort: Sort) -> BTreeSet<Sort> {
        let (mut seen, mut open) = (BTreeSet::from([sort]), vec![sort]);
        while let Some(sort) = open.pop() {
            let constructors = self.model.constructors_of(sort).unwrap_or_default();
            let fields = constructors.into_iter().flat_map(|(_, fields)| fields);
            let parts = fields.chain(self.arena.view_sort(sort).arguments.iter().copied());
            open.extend(parts.filter(|&part| seen.insert(part)));
        }
        seen
    }

    /// Small values of a co-datatype, up to a number of them: those of graphs of few nodes, the smallest first.
    pub(crate) fn small_trees(&mut self, sort: Sort, most: usize) -> Vec<Value> {
        let Some(group) = self.group(sort).filter(|_| self.model.is_codatatype(sort)) else {
            return Vec::new();
        };
        let mut choices: Vec<(Sort, Vec<Value>)> = Vec::new();
        for field in group.constructors.iter().flatten().flat_map(|(_, fields)| fields) {
            if let GroupField::Other(sort) = *field
                && choices.iter().all(|(known, _)| *known != sort)
            {
                choices.push((sort, self.few_values(sort)));
            }
        }
        let (mut found, mut seen, mut graphs) = (Vec::new(), BTreeSet::new(), 0);
        for count in 1..=MAX_GRAPH_NODES {
            let mut enumeration = GraphEnumeration::new(&group, &choices, count);
            while let Some(nodes) = enumeration.next_graph() {
                graphs += 1;
                if graphs > MAX_GRAPHS || found.len() >= most {
                    return found;
                }
                if let Ok(value) = Value::codata_of(&nodes)
                    && seen.insert(value.clone())
                {
                    found.push(value);
                }
            }
        }
        found
    }

    /// A few values of a sort; none of one that contains a co-datatype, which would not end.
    fn few_values(&mut self, sort: Sort) -> Vec<Value> {
        if self.sorts_within(sort).into_iter().any(|part| self.model.is_codatatype(part)) {
            return Vec::new();
        }
        match self.domain(sort).filter(|values| values.len() <= MAX_FIELD_VALUES) {
            Some(values) => values.to_vec(),
            None if sort == Sort::INT => [0, 1].map(Value::int).to_vec(),
            None => self.default_value(sort).into_iter().collect(),
        }
    }
}

impl SortGroup {
    /// Returns true if the first sort contains itself.
    fn reaches_itself(&self) -> bool {
        let (mut seen, mut open) = (BTreeSet::new(), vec![0]);
        while let Some(sort) = open.pop() {
            for field in self.constructors[sort].iter().flat_map(|(_, fields)| fields) {
                match *field {
                    GroupField::Within(0) => return true,
                    GroupField::Within(next) if seen.insert(next) => open.push(next),
                    _ => {}
                }
            }
        }
        false
    }
}

/// All graphs of a number of nodes: each node has a sort, a constructor of it and fields.
struct GraphEnumeration<'g> {
    group: &'g SortGroup,
    choices: &'g [(Sort, Vec<Value>)],
    /// The sort of each node; the first has the first sort.
    sorts: Vec<usize>,
    /// The nodes that each node can be, and which one is next.
    options: Vec<Vec<CodataNode>>,
    next: Vec<usize>,
    is_done: bool,
}

impl<'g> GraphEnumeration<'g> {
    fn new(group: &'g SortGroup, choices: &'g [(Sort, Vec<Value>)], count: usize) -> GraphEnumeration<'g> {
        let mut graphs = GraphEnumeration {
            group,
            choices,
            sorts: vec![0; count],
            options: Vec::new(),
            next: Vec::new(),
            is_done: false,
        };
        graphs.begin_sorts();
        graphs
    }

    /// Lists the nodes for the sorts as they are.
    fn begin_sorts(&mut self) {
        self.options = self.sorts.iter().map(|&sort| self.nodes_of(sort)).collect();
        self.next = vec![0; self.sorts.len()];
    }

    fn nodes_of(&self, sort: usize) -> Vec<CodataNode> {
        let mut nodes = Vec::new();
        for (constructor, fields) in &self.group.constructors[sort] {
            let mut made: Vec<Vec<CodataField>> = vec![Vec::new()];
            for field in fields {
                let choices: Vec<CodataField> = match field {
                    GroupField::Within(sort) => (self.sorts.iter().enumerate())
                        .filter(|(_, of)| *of == sort)
                        .map(|(node, _)| CodataField::Node(node as u32))
                        .collect(),
                    GroupField::Other(sort) => (self.choices.iter().filter(|(known, _)| known == sort))
                        .flat_map(|(_, values)| values.iter().cloned().map(CodataField::Value))
                        .collect(),
                };
                if made.len() * choices.len() > MAX_GRAPHS {
                    return Vec::new();
                }
                let longer = |start: Vec<CodataField>| {
                    let with =
                        move |choice: &CodataField| [start.as_slice(), slice::from_ref(choice)].concat();
                    choices.iter().map(with).collect::<Vec<_>>()
                };
                made = made.into_iter().flat_map(longer).collect();
            }
            let sort = self.group.sorts[sort];
            nodes.extend(made.into_iter().map(|fields| CodataNode {
                sort,
                constructor: *constructor,
                fields,
            }));
        }
        nodes
    }

    fn next_graph(&mut self) -> Option<Vec<CodataNode>> {
        while !self.is_done {
            let graph: Option<Vec<CodataNode>> =
                self.options.iter().zip(&self.next).map(|(nodes, &next)| nodes.get(next).cloned()).collect();
            let wheel = self.options.iter().map(Vec::len).collect::<Vec<_>>();
            if graph.is_none() || !advance(&mut self.next, &wheel) {
                let count = self.group.sorts.len();
                self.is_done = !advance(&mut self.sorts[1..], &vec![count; self.options.len() - 1]);
                self.begin_sorts();
            }
            if graph.is_some() {
                return graph;
            }
        }
        None
    }
}

/// Moves to the next combination, the last place fastest; returns false after the last one.
fn advance(places: &mut [usize], counts: &[usize]) -> bool {
    for (place, &count) in places.iter_mut().zip(counts).rev() {
        *place += 1;
        if *place < count {
            return true;
        }
        *place = 0;
    }
    false
}
