//! Making fusion functions: a tree of operators over parameters and constants, inverted along its paths.
//!
//! ```text
//! (- (+ x c0) y)      x is (- (+ z y) c0)      y is (- (+ x c0) z)
//! ```
//!
//! As in "Validating SMT Solvers via Automatic Generation of Fusion Functions" (2022): a tree of arities is drawn first
//! (`shape.rs`, Algorithm 3), then operators are chosen for its nodes (here, Algorithm 4), and what gives back a parameter is
//! built along the only path that leads to it (`invert.rs`, Algorithm 1). Each parameter has one leaf; the others are symbolic
//! constants. Unlike there a tree may hold several sorts: nodes above a parameter are chosen from the leaves up, so that
//! sorts meet where branches do, and nodes above constants alone from the root down, since they must have the sort that is
//! wanted.

mod invert;
mod shape;
mod theory;

use std::sync::Arc;

use super::bind::Bindings;
use super::draw::{self, Datatypes, Domain};
use super::expression::{DEPTH, Expression};
use super::{Constant, Function, Functions, Parameter};
use crate::random::Rng;

use shape::Shape;

pub(super) use invert::ground;
pub use theory::Theory;

/// How often a tree is drawn before a wish counts as one that cannot be met.
const TRIES: usize = 400;

/// Words that an inverse may have.
const WORDS: u64 = 4000;

/// How deep a sort may nest.
const NESTING: usize = 3;

/// Inverses that a parameter gets at most.
const ALTERNATIVES: usize = 2;

/// What function is wanted.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// What it shall be called.
    pub name: String,
    /// The sorts of its parameters.
    pub parameters: Vec<Expression>,
    /// The sort of its result, if it matters.
    pub result: Option<Expression>,
    /// How many operators, constants and parameters it is made of, at most.
    pub size: usize,
    /// The theories whose operators may be used; those of the parameters and the result, if there are none.
    pub theories: Vec<Theory>,
    /// Whether every inverse must be right for all values.
    pub totality: Totality,
}

/// Whether inverses may have conditions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Totality {
    /// They may.
    #[default]
    Partial,
    /// They must be right for all values.
    Total,
}

/// A function as it is wished, if the draws find one.
pub fn generate(functions: &Functions, wish: &Wish, rng: &mut Rng) -> Option<Function> {
    (wish.size > 1).then_some(())?;
    let rows = rows(functions, wish);
    let mut arities: Vec<usize> = rows.iter().map(|row| slots(row)).collect();
    arities.sort_unstable();
    arities.dedup();
    (0..TRIES).find_map(|_| {
        let shape = Shape::draw(wish.size, &arities, wish.parameters.len(), rng)?;
        let tree = Chooser { rows: &rows, wish, datatypes: &functions.datatypes }.tree(&shape, rng)?;
        let function = invert::function(wish, tree, rng)?;
        let fits = |expression: &Expression| {
            let size = expression.size();
            size.words <= WORDS && size.depth < DEPTH / 2
        };
        let inverses = function.inverses.iter().flatten();
        let conditions = inverses.clone().filter_map(|inverse| inverse.condition.as_ref());
        let fits = inverses.map(|inverse| &inverse.term).chain(conditions).all(fits);
        fits.then_some(function)
    })
}

/// The rows that may be used.
fn rows<'a>(functions: &'a Functions, wish: &Wish) -> Vec<&'a Function> {
    let mut allowed = wish.theories.clone();
    if allowed.is_empty() {
        let sorts = wish.parameters.iter().chain(&wish.result);
        allowed.extend(sorts.flat_map(|sort| Theory::of(sort, &[])));
    }
    allowed.push(Theory::Bool);
    let usable = |row: &&Function| {
        let parameters = row.parameters.iter().map(|parameter| &parameter.sort);
        let constants = row.constants.iter().map(|constant| &constant.sort);
        let mut sorts = parameters.chain(constants).chain([&row.result]);
        let total =
            |inverses: &Vec<super::Inverse>| inverses.iter().any(|inverse| inverse.condition.is_none());
        sorts.all(|sort| Theory::of(sort, &row.variables).iter().all(|theory| allowed.contains(theory)))
            && (wish.totality == Totality::Partial || row.defined.is_none() && row.inverses.iter().all(total))
    };
    functions.list().iter().filter(usable).collect()
}

/// How many children a node of a row has.
fn slots(row: &Function) -> usize {
    row.parameters.len() + row.constants.len()
}

/// A node of a tree.
#[derive(Debug)]
enum Node {
    /// A parameter, by its number.
    Parameter(usize),
    /// A symbolic constant.
    Constant(Expression, Domain),
    /// A row over children: its parameters first, then its constants.
    Row(Arc<Function>, Vec<Node>),
}

/// A tree that is being made: what is above a parameter has a sort, what is above constants alone gets one later.
enum Branch {
    Sorted(Node, Expression),
    Unsorted(Unsorted),
}

/// Constants alone, of any sort: how many children each node has.
struct Unsorted {
    children: Vec<Unsorted>,
}

struct Chooser<'a> {
    rows: &'a [&'a Function],
    wish: &'a Wish,
    datatypes: &'a Datatypes,
}

impl Chooser<'_> {
    /// Operators, parameters and constants for a shape.
    fn tree(&self, shape: &Shape, rng: &mut Rng) -> Option<Node> {
        let count = self.wish.parameters.len();
        let mut leaves: Vec<Option<usize>> = (0..shape.leaves()).map(|n| (n < count).then_some(n)).collect();
        rng.shuffle(&mut leaves);
        let mut branches: Vec<Branch> = Vec::new();
        for (position, &arity) in shape.arities().iter().enumerate().rev() {
            let branch = if arity == 0 {
                match leaves.pop().flatten() {
                    Some(number) => {
                        Branch::Sorted(Node::Parameter(number), self.wish.parameters[number].clone())
                    }
                    None => Branch::Unsorted(Unsorted { children: Vec::new() }),
                }
            } else {
                let mut children: Vec<Branch> = branches.split_off(branches.len() - arity);
                rng.shuffle(&mut children);
                let wanted = self.wish.result.as_ref().filter(|_| position == 0);
                self.node(children, wanted, rng)?
            };
            branches.push(branch);
        }
        match branches.pop()? {
            Branch::Sorted(node, _) => Some(node),
            Branch::Unsorted(_) => None,
        }
    }

    /// A row over children.
    fn node(&self, children: Vec<Branch>, wanted: Option<&Expression>, rng: &mut Rng) -> Option<Branch> {
        let (mut sorted, mut unsorted) = (Vec::new(), Vec::new());
        for child in children {
            match child {
                Branch::Sorted(node, sort) => sorted.push((node, sort)),
                Branch::Unsorted(child) => unsorted.push(child),
            }
        }
        if sorted.is_empty() {
            return Some(Branch::Unsorted(Unsorted { children: unsorted }));
        }
        let (row, bindings, places) = self.choose(&sorted, unsorted.len(), wanted, rng)?;
        let mut nodes: Vec<Option<Node>> = (0..slots(&row)).map(|_| None).collect();
        for ((node, _), place) in sorted.into_iter().zip(places) {
            nodes[place] = Some(node);
        }
        // Constants of a domain are leaves, so that small branches go there first.
        unsorted.sort_by_key(|branch| std::cmp::Reverse(branch.children.len()));
        for place in (0..nodes.len()).rev().filter(|&place| nodes[place].is_none()).collect::<Vec<_>>() {
            let (sort, domain) = slot(&row, place);
            let branch = unsorted.pop()?;
            nodes[place] = Some(self.constants(&branch, &bindings.ground(sort)?, domain, rng)?);
        }
        let sort = bindings.ground(&row.result)?;
        let row = Arc::new(invert::ground(&row, &bindings)?);
        Some(Branch::Sorted(Node::Row(row, nodes.into_iter().flatten().collect()), sort))
    }

    /// A row that takes children of these sorts and so many constants, and which of its slots the children take.
    fn choose(
        &self,
        sorted: &[(Node, Expression)],
        constants: usize,
        wanted: Option<&Expression>,
        rng: &mut Rng,
    ) -> Option<(Function, Bindings, Vec<usize>)> {
        let arity = sorted.len() + constants;
        let mut rows: Vec<&Function> = self.rows.iter().copied().filter(|row| slots(row) == arity).collect();
        rng.shuffle(&mut rows);
        // What can be done with every sort would otherwise be done most of the time.
        rows.sort_by_cached_key(|row| is_general(row) && rng.chance(2, 3));
        rows.into_iter().find_map(|row| {
            let mut places: Vec<usize> = (0..row.parameters.len()).collect();
            rng.shuffle(&mut places);
            (places.len() >= sorted.len()).then(|| places.truncate(sorted.len()))?;
            let mut bindings = Bindings::default();
            for ((_, sort), &place) in sorted.iter().zip(&places) {
                bindings.fit(&row.parameters[place].sort, sort, &row.variables).then_some(())?;
            }
            if let Some(wanted) = wanted {
                row.results_in(wanted, &mut bindings).then_some(())?;
            }
            let shallow = |sort: &Expression| Some(bindings.ground(sort)?.size().depth <= NESTING);
            shallow(&row.result).is_none_or(|shallow| shallow).then_some(())?;
            (bindings.allowed(row) && bindings.complete(row, &self.wish.parameters, rng))
                .then(|| (row.clone(), bindings, places))
        })
    }

    /// A tree of constants that has a sort; a leaf where no row fits, and nothing if there are no values of the sort.
    fn constants(&self, branch: &Unsorted, sort: &Expression, domain: Domain, rng: &mut Rng) -> Option<Node> {
        if !branch.children.is_empty() && domain == Domain::Any {
            let mut rows: Vec<&Function> =
                self.rows.iter().copied().filter(|row| slots(row) == branch.children.len()).collect();
            // A constant that the standard leaves open would be one of which nobody knows the value.
            rows.retain(|row| row.defined.is_none());
            rng.shuffle(&mut rows);
            rows.sort_by_cached_key(|row| is_general(row));
            let made = rows.into_iter().find_map(|row| self.constant_row(row, branch, sort, rng));
            if made.is_some() {
                return made;
            }
        }
        draw::constant(sort, domain, self.datatypes, rng)?;
        Some(Node::Constant(sort.clone(), domain))
    }

    /// A row over constants alone that results in a sort.
    fn constant_row(
        &self,
        row: &Function,
        branch: &Unsorted,
        sort: &Expression,
        rng: &mut Rng,
    ) -> Option<Node> {
        let mut bindings = Bindings::default();
        let fits = row.results_in(sort, &mut bindings) && bindings.complete(row, &self.wish.parameters, rng);
        fits.then_some(())?;
        let row = invert::ground(row, &bindings)?;
        let mut nodes = Vec::new();
        for (place, child) in branch.children.iter().enumerate() {
            let (sort, domain) = slot(&row, place);
            nodes.push(self.constants(child, sort, domain, rng)?);
        }
        Some(Node::Row(Arc::new(row), nodes))
    }
}

/// The sort and domain of what goes into a slot of a row.
fn slot(row: &Function, place: usize) -> (&Expression, Domain) {
    match row.parameters.get(place) {
        Some(Parameter { sort, .. }) => (sort, Domain::Any),
        None => {
            let Constant { sort, domain, .. } = &row.constants[place - row.parameters.len()];
            (sort, *domain)
        }
    }
}

/// Whether a row is for every sort.
fn is_general(row: &Function) -> bool {
    let is_variable = |sort: &Expression| row.variables.iter().any(|v| Some(&**v) == sort.as_word());
    row.parameters.iter().any(|parameter| is_variable(&parameter.sort))
}
