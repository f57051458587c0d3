//! Values of co-datatypes: trees that may be infinite, as long as they have finitely many different subtrees.
//!
//! ```text
//! x = (c true x)                 node 0: c true ↑0
//! y = (c false (c true y))       node 0: c false ↑1      node 1: c true ↑0
//! ```
//!
//! Such a tree is a graph whose nodes are constructors. The graph is the smallest one (no two nodes have the same tree), and its nodes are
//! numbered from the root, breadth first. So two trees are equal exactly if their graphs are.
//!
//! cvc5 writes a repeated subtree as `cbv_S_1`: the tree of sort `S` that the second constructor around the name begins. A part of such a term
//! is an *open* value, in which a field refers to a constructor around it; the constructor closes it.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Value, Weight};
use crate::sort::Sort;
use crate::symbol::Symbol;

/// The maximal number of different subtrees.
pub const MAX_CODATA_NODES: usize = 500;

/// A tree with finitely many different subtrees.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Codata {
    /// The root is the first; empty for a name such as `cbv_S_0` alone.
    nodes: Vec<CodataNode>,
    /// What a name alone refers to.
    above: Option<(u32, Sort)>,
    weight: Weight,
    is_open: bool,
}

/// A constructor with its fields.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct CodataNode {
    pub sort: Sort,
    pub constructor: Symbol,
    pub fields: Vec<CodataField>,
}

/// A field of a constructor.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum CodataField {
    /// A value of another kind of sort.
    Value(Value),
    /// The tree that begins at this node.
    Node(u32),
    /// The tree of this sort that a constructor around the root begins: 0 is the innermost one.
    Above(u32, Sort),
}

/// Why a tree cannot be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CodataFault {
    /// It has too many different subtrees.
    TooLarge,
    /// A name such as `cbv_S_0` refers to a constructor of another sort.
    OtherSort,
}

impl Value {
    /// A constructor of a co-datatype applied to values.
    pub(crate) fn codata(sort: Sort, constructor: Symbol, fields: Vec<Value>) -> Result<Value, CodataFault> {
        let mut joined = JoinedTrees::new(sort);
        let fields = fields.into_iter().map(|field| joined.add(field)).collect::<Result<Vec<_>, _>>()?;
        joined.nodes[0] = CodataNode { sort, constructor, fields };
        let JoinedTrees { nodes, is_closing, graphs, .. } = joined;
        let root = match is_closing || graphs.len() > 1 {
            true => return Value::codata_of(&nodes),
            // The nodes of a single graph have different trees, so the new tree is there if its node is.
            false => (1..nodes.len()).find(|&node| nodes[node] == nodes[0]).unwrap_or(0),
        };
        numbered(&nodes, root as u32)
    }

    /// The tree that begins at the first of some nodes.
    pub(crate) fn codata_of(nodes: &[CodataNode]) -> Result<Value, CodataFault> {
        numbered(&merged(nodes), 0)
    }

    /// The tree that constructor number `index` around this value begins, counted from the innermost one.
    pub(crate) fn codata_above(index: u32, sort: Sort) -> Value {
        let weight = Weight { is_opaque: true, ..Weight::LEAF };
        Value::Codata(Arc::new(Codata {
            nodes: Vec::new(),
            above: Some((index, sort)),
            weight,
            is_open: true,
        }))
    }

    /// Returns true if it refers to a constructor around it.
    pub(crate) fn is_open_codata(&self) -> bool {
        matches!(self, Value::Codata(tree) if tree.is_open)
    }

    /// The constructor of a value of a datatype or a co-datatype, and the number of its fields.
    pub(crate) fn constructor(&self) -> Option<(Symbol, usize)> {
        match self {
            Value::Datatype(made) => Some((made.constructor, made.fields.len())),
            Value::Codata(tree) => tree.nodes.first().map(|root| (root.constructor, root.fields.len())),
            _ => None,
        }
    }

    /// A field of a value of a datatype or a co-datatype.
    pub(crate) fn field(&self, place: usize) -> Option<Value> {
        match self {
            Value::Datatype(made) => made.fields.get(place).cloned(),
            Value::Codata(tree) => match tree.nodes.first()?.fields.get(place)? {
                CodataField::Value(value) => Some(value.clone()),
                CodataField::Node(node) => numbered(&tree.nodes, *node).ok(),
                CodataField::Above(..) => None,
            },
            _ => None,
        }
    }
}

impl Codata {
    pub(super) fn weight(&self) -> Weight {
        self.weight
    }

    pub(crate) fn nodes(&self) -> &[CodataNode] {
        &self.nodes
    }

    /// The sort of the tree.
    pub(crate) fn sort(&self) -> Sort {
        self.nodes.first().map_or_else(|| self.above.map_or(Sort::UNKNOWN, |above| above.1), |root| root.sort)
    }
}

/// The graphs of the fields of a new node, which is node 0, as one graph.
struct JoinedTrees {
    sort: Sort,
    nodes: Vec<CodataNode>,
    /// The graphs, and where they begin.
    graphs: Vec<(Arc<Codata>, u32)>,
    /// Whether a field refers to the new node.
    is_closing: bool,
}

impl JoinedTrees {
    fn new(sort: Sort) -> JoinedTrees {
        let unfinished = CodataNode { sort, constructor: Symbol::EMPTY, fields: Vec::new() };
        JoinedTrees { sort, nodes: vec![unfinished], graphs: Vec::new(), is_closing: false }
    }

    fn add(&mut self, field: Value) -> Result<CodataField, CodataFault> {
        let tree = match field {
            Value::Codata(tree) => tree,
            value => return Ok(CodataField::Value(value)),
        };
        if let Some((index, sort)) = tree.above {
            return self.lowered(index, sort);
        }
        if let Some((_, start)) = self.graphs.iter().find(|(known, _)| *known == tree) {
            return Ok(CodataField::Node(*start));
        }
        let start = self.nodes.len() as u32;
        for node in &tree.nodes {
            let field = |field: &CodataField| match field {
                CodataField::Value(value) => Ok(CodataField::Value(value.clone())),
                CodataField::Node(node) => Ok(CodataField::Node(start + node)),
                CodataField::Above(index, sort) => self.lowered(*index, *sort),
            };
            let fields = node.fields.iter().map(field).collect::<Result<_, _>>()?;
            self.nodes.push(CodataNode { sort: node.sort, constructor: node.constructor, fields });
        }
        self.graphs.push((tree, start));
        Ok(CodataField::Node(start))
    }

    /// A reference, seen from the new node.
    fn lowered(&mut self, index: u32, sort: Sort) -> Result<CodataField, CodataFault> {
        match index.checked_sub(1) {
            Some(index) => Ok(CodataField::Above(index, sort)),
            None if sort == self.sort => {
                self.is_closing = true;
                Ok(CodataField::Node(0))
            }
            None => Err(CodataFault::OtherSort),
        }
    }
}

/// The smallest graph with the same trees, by partition refinement: nodes are in one class until a field tells them apart. The node of a class
/// is the first of its nodes; the others stay, unused.
fn merged(nodes: &[CodataNode]) -> Vec<CodataNode> {
    let mut classes = vec![0u32; nodes.len()];
    let mut count = 1;
    loop {
        let mut known: FxHashMap<CodataNode, u32> = FxHashMap::default();
        let mut next = Vec::with_capacity(nodes.len());
        for (node, class) in nodes.iter().zip(&classes) {
            let mut signature = with_classes(node, &classes);
            signature.fields.push(CodataField::Node(*class));
            let number = known.len() as u32;
            next.push(*known.entry(signature).or_insert(number));
        }
        let is_stable = known.len() == count;
        (count, classes) = (known.len(), next);
        if is_stable {
            break;
        }
    }
    let mut first = vec![u32::MAX; count];
    for (node, &class) in classes.iter().enumerate().rev() {
        first[class as usize] = node as u32;
    }
    let chosen: Vec<u32> = classes.iter().map(|&class| first[class as usize]).collect();
    nodes.iter().map(|node| with_classes(node, &chosen)).collect()
}

fn with_classes(node: &CodataNode, classes: &[u32]) -> CodataNode {
    let field = |field: &CodataField| match field {
        CodataField::Node(node) => CodataField::Node(classes[*node as usize]),
        other => other.clone(),
    };
    CodataNode {
        sort: node.sort,
        constructor: node.constructor,
        fields: node.fields.iter().map(field).collect(),
    }
}

/// The tree that begins at a node of a smallest graph.
fn numbered(nodes: &[CodataNode], root: u32) -> Result<Value, CodataFault> {
    let mut numbers = vec![u32::MAX; nodes.len()];
    numbers[root as usize] = 0;
    let (mut count, mut open, mut kept) = (1, VecDeque::from([root]), Vec::new());
    let (mut weight, mut is_open) = (Weight::LEAF, false);
    while let Some(place) = open.pop_front() {
        if kept.len() == MAX_CODATA_NODES {
            return Err(CodataFault::TooLarge);
        }
        let node = &nodes[place as usize];
        weight.bytes = weight.bytes.saturating_add(48);
        let mut fields = Vec::with_capacity(node.fields.len());
        for field in &node.fields {
            fields.push(match field {
                CodataField::Node(child) => {
                    let number = &mut numbers[*child as usize];
                    if *number == u32::MAX {
                        *number = count;
                        count += 1;
                        open.push_back(*child);
                    }
                    CodataField::Node(*number)
                }
                CodataField::Value(value) => {
                    weight = weight.with_part(value.weight());
                    CodataField::Value(value.clone())
                }
                CodataField::Above(..) => {
                    is_open = true;
                    field.clone()
                }
            });
            weight.bytes = weight.bytes.saturating_add(48);
        }
        kept.push(CodataNode { sort: node.sort, constructor: node.constructor, fields });
    }
    weight.is_opaque |= is_open;
    Ok(Value::Codata(Arc::new(Codata { nodes: kept, above: None, weight, is_open })))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE_SORT: Sort = Sort::STRING;
    const TREE_CONSTRUCTOR: Symbol = Symbol::AND;

    fn cons(head: bool, tail: Value) -> Value {
        Value::codata(TREE_SORT, TREE_CONSTRUCTOR, vec![Value::Bool(head), tail]).unwrap()
    }

    fn above(index: u32) -> Value {
        Value::codata_above(index, TREE_SORT)
    }

    #[test]
    fn trees_with_the_same_subtrees_are_equal() {
        let ones = cons(true, above(0));
        assert_eq!(ones, cons(true, cons(true, above(1))));
        assert_eq!(ones, cons(true, ones.clone()));
        assert_eq!(ones, cons(true, cons(true, cons(true, above(0)))));
        let two = cons(false, cons(true, above(1)));
        assert_ne!(ones, two);
        assert_eq!(two, cons(false, cons(true, two.clone())));
        assert_eq!(two.field(1).unwrap(), cons(true, cons(false, above(1))));
        assert_eq!(two.field(1).unwrap().field(1).unwrap(), two);
        assert_ne!(cons(false, ones.clone()), ones);
    }

    #[test]
    fn joined_graphs_have_no_node_twice() {
        let pair = |a, b| Value::codata(TREE_SORT, Symbol::OR, vec![a, b]).unwrap();
        let two = cons(false, cons(true, above(1)));
        let shifted = two.field(1).unwrap();
        let Value::Codata(tree) = pair(two.clone(), shifted.clone()) else { panic!() };
        assert_eq!(tree.nodes().len(), 3);
        // a = (a, b), b = (b, a): both are the tree of pairs alone.
        let all = pair(above(0), above(0));
        assert_eq!(pair(above(0), pair(above(0), above(1))), all);
        assert_eq!(pair(all.clone(), pair(all.clone(), all.clone())), all);
    }

    #[test]
    fn a_name_of_another_sort_and_a_large_tree_are_faults() {
        let other = Value::codata_above(0, Sort::INT);
        assert_eq!(Value::codata(TREE_SORT, TREE_CONSTRUCTOR, vec![other]), Err(CodataFault::OtherSort));
        let mut tree = Value::codata(TREE_SORT, Symbol::OR, Vec::new()).unwrap();
        for _ in 1..MAX_CODATA_NODES {
            tree = cons(true, tree);
        }
        assert_eq!(
            Value::codata(TREE_SORT, TREE_CONSTRUCTOR, vec![Value::Bool(true), tree]),
            Err(CodataFault::TooLarge)
        );
    }
}
