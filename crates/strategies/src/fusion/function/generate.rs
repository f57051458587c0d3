//! Generates fusion functions: a tree of operators over parameters and constants, inverted along its paths.
//!
//! ```text
//! (- (+ x c0) y)      x is (- (+ z y) c0)      y is (- (+ x c0) z)
//! ```
//!
//! As in "Validating SMT Solvers via Automatic Generation of Fusion Functions" (2022): a tree of arities is drawn first
//! (`shape.rs`, Algorithm 3), then operators for its nodes (here, Algorithm 4), and the inverse for a parameter is
//! built along the only path that leads to it (`invert.rs`, Algorithm 1). Each parameter is one leaf; the other leaves
//! are symbolic constants. Unlike in the paper, a tree may mix sorts: nodes above a parameter are chosen bottom-up, so
//! that the sorts of their children are known, and nodes above constants alone top-down, since their sort is given.

mod invert;
mod shape;
mod theory;

use std::sync::Arc;

use super::draw::{self, ConstantDomain, DrawableDatatypes};
use super::s_expression::{MAX_EXPRESSION_DEPTH, SExpression};
use super::sort_bindings::SortBindings;
use super::{FunctionParameter, FusionFunction, FusionFunctions, SymbolicConstant};
use crate::random::Rng;

use shape::TreeShape;

pub(super) use invert::ground;
pub use theory::FunctionTheory;

/// Trees drawn before a request counts as impossible.
const MAX_TREE_DRAWS: usize = 400;

/// The most words in an inverse.
const MAX_INVERSE_WORDS: u64 = 4000;

/// The deepest nesting of a sort.
const MAX_SORT_NESTING: usize = 3;

/// Inverses that a parameter gets at most.
const MAX_INVERSES_PER_PARAMETER: usize = 2;

/// The function to generate.
#[derive(Clone, Debug, Default)]
pub struct FunctionRequest {
    /// Its name.
    pub name: String,
    /// The sorts of its parameters.
    pub parameters: Vec<SExpression>,
    /// The sort of its result; `None` for any.
    pub result: Option<SExpression>,
    /// The most operators, constants and parameters.
    pub size: usize,
    /// The theories whose operators may be used; if empty, those of the parameters and the result.
    pub theories: Vec<FunctionTheory>,
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

/// Generates a function as requested; `None` if the draws fail.
pub fn generate(
    functions: &FusionFunctions,
    request: &FunctionRequest,
    rng: &mut Rng,
) -> Option<FusionFunction> {
    (request.size > 1).then_some(())?;
    let rows = rows(functions, request);
    let mut arities: Vec<usize> = rows.iter().map(|row| slots(row)).collect();
    arities.sort_unstable();
    arities.dedup();
    (0..MAX_TREE_DRAWS).find_map(|_| {
        let shape = TreeShape::draw(request.size, &arities, request.parameters.len(), rng)?;
        let tree = RowChooser { rows: &rows, request, datatypes: &functions.datatypes }.tree(&shape, rng)?;
        let function = invert::function(request, tree, rng)?;
        let fits = |expression: &SExpression| {
            let size = expression.size();
            size.words <= MAX_INVERSE_WORDS && size.depth < MAX_EXPRESSION_DEPTH / 2
        };
        let inverses = function.inverses.iter().flatten();
        let conditions = inverses.clone().filter_map(|inverse| inverse.condition.as_ref());
        let fits = inverses.map(|inverse| &inverse.term).chain(conditions).all(fits);
        fits.then_some(function)
    })
}

/// The rows that may be used.
fn rows<'a>(functions: &'a FusionFunctions, request: &FunctionRequest) -> Vec<&'a FusionFunction> {
    let mut allowed = request.theories.clone();
    if allowed.is_empty() {
        let sorts = request.parameters.iter().chain(&request.result);
        allowed.extend(sorts.flat_map(|sort| FunctionTheory::of(sort, &[])));
    }
    allowed.push(FunctionTheory::Bool);
    let usable = |row: &&FusionFunction| {
        let parameters = row.parameters.iter().map(|parameter| &parameter.sort);
        let constants = row.constants.iter().map(|constant| &constant.sort);
        let mut sorts = parameters.chain(constants).chain([&row.result]);
        let total = |inverses: &Vec<super::FunctionInverse>| {
            inverses.iter().any(|inverse| inverse.condition.is_none())
        };
        sorts.all(|sort| {
            FunctionTheory::of(sort, &row.variables).iter().all(|theory| allowed.contains(theory))
        }) && (request.totality == Totality::Partial
            || row.defined.is_none() && row.inverses.iter().all(total))
    };
    functions.list().iter().filter(usable).collect()
}

/// The number of children of a node with this row.
fn slots(row: &FusionFunction) -> usize {
    row.parameters.len() + row.constants.len()
}

/// A node of a tree.
#[derive(Debug)]
enum FunctionNode {
    /// A parameter, by its number.
    Parameter(usize),
    /// A symbolic constant.
    Constant(SExpression, ConstantDomain),
    /// A row over children: first its parameters, then its constants.
    Row(Arc<FusionFunction>, Vec<FunctionNode>),
}

/// A tree under construction: above a parameter it has a sort, above constants alone it gets one later.
enum PartialTree {
    Sorted(FunctionNode, SExpression),
    Unsorted(ConstantTree),
}

/// A tree of constants without a sort yet.
struct ConstantTree {
    children: Vec<ConstantTree>,
}

struct RowChooser<'a> {
    rows: &'a [&'a FusionFunction],
    request: &'a FunctionRequest,
    datatypes: &'a DrawableDatatypes,
}

impl RowChooser<'_> {
    /// Draws operators, parameters and constants for a shape.
    fn tree(&self, shape: &TreeShape, rng: &mut Rng) -> Option<FunctionNode> {
        let count = self.request.parameters.len();
        let mut leaves: Vec<Option<usize>> = (0..shape.leaves()).map(|n| (n < count).then_some(n)).collect();
        rng.shuffle(&mut leaves);
        let mut branches: Vec<PartialTree> = Vec::new();
        for (position, &arity) in shape.arities().iter().enumerate().rev() {
            let branch = if arity == 0 {
                match leaves.pop().flatten() {
                    Some(number) => PartialTree::Sorted(
                        FunctionNode::Parameter(number),
                        self.request.parameters[number].clone(),
                    ),
                    None => PartialTree::Unsorted(ConstantTree { children: Vec::new() }),
                }
            } else {
                let mut children: Vec<PartialTree> = branches.split_off(branches.len() - arity);
                rng.shuffle(&mut children);
                let wanted = self.request.result.as_ref().filter(|_| position == 0);
                self.node(children, wanted, rng)?
            };
            branches.push(branch);
        }
        match branches.pop()? {
            PartialTree::Sorted(node, _) => Some(node),
            PartialTree::Unsorted(_) => None,
        }
    }

    /// Draws a row for a node with these children.
    fn node(
        &self,
        children: Vec<PartialTree>,
        wanted: Option<&SExpression>,
        rng: &mut Rng,
    ) -> Option<PartialTree> {
        let (mut sorted, mut unsorted) = (Vec::new(), Vec::new());
        for child in children {
            match child {
                PartialTree::Sorted(node, sort) => sorted.push((node, sort)),
                PartialTree::Unsorted(child) => unsorted.push(child),
            }
        }
        if sorted.is_empty() {
            return Some(PartialTree::Unsorted(ConstantTree { children: unsorted }));
        }
        let (row, bindings, places) = self.choose(&sorted, unsorted.len(), wanted, rng)?;
        let mut nodes: Vec<Option<FunctionNode>> = (0..slots(&row)).map(|_| None).collect();
        for ((node, _), place) in sorted.into_iter().zip(places) {
            nodes[place] = Some(node);
        }
        // A constant with a domain must be a leaf, so the smallest branches go last.
        unsorted.sort_by_key(|branch| std::cmp::Reverse(branch.children.len()));
        for place in (0..nodes.len()).rev().filter(|&place| nodes[place].is_none()).collect::<Vec<_>>() {
            let (sort, domain) = slot(&row, place);
            let branch = unsorted.pop()?;
            nodes[place] = Some(self.constants(&branch, &bindings.ground(sort)?, domain, rng)?);
        }
        let sort = bindings.ground(&row.result)?;
        let row = Arc::new(invert::ground(&row, &bindings)?);
        Some(PartialTree::Sorted(FunctionNode::Row(row, nodes.into_iter().flatten().collect()), sort))
    }

    /// Draws a row for children of these sorts and a number of constants, and the slots that the children take.
    fn choose(
        &self,
        sorted: &[(FunctionNode, SExpression)],
        constants: usize,
        wanted: Option<&SExpression>,
        rng: &mut Rng,
    ) -> Option<(FusionFunction, SortBindings, Vec<usize>)> {
        let arity = sorted.len() + constants;
        let mut rows: Vec<&FusionFunction> =
            self.rows.iter().copied().filter(|row| slots(row) == arity).collect();
        rng.shuffle(&mut rows);
        // Rows for every sort would otherwise dominate.
        rows.sort_by_cached_key(|row| is_general(row) && rng.chance(2, 3));
        rows.into_iter().find_map(|row| {
            let mut places: Vec<usize> = (0..row.parameters.len()).collect();
            rng.shuffle(&mut places);
            (places.len() >= sorted.len()).then(|| places.truncate(sorted.len()))?;
            let mut bindings = SortBindings::default();
            for ((_, sort), &place) in sorted.iter().zip(&places) {
                bindings.fit(&row.parameters[place].sort, sort, &row.variables).then_some(())?;
            }
            if let Some(wanted) = wanted {
                row.results_in(wanted, &mut bindings).then_some(())?;
            }
            let shallow = |sort: &SExpression| Some(bindings.ground(sort)?.size().depth <= MAX_SORT_NESTING);
            shallow(&row.result).is_none_or(|shallow| shallow).then_some(())?;
            (bindings.allowed(row) && bindings.complete(row, &self.request.parameters, rng))
                .then(|| (row.clone(), bindings, places))
        })
    }

    /// Draws a tree of constants with this sort, or a leaf if no row fits; `None` if the sort has no values.
    fn constants(
        &self,
        branch: &ConstantTree,
        sort: &SExpression,
        domain: ConstantDomain,
        rng: &mut Rng,
    ) -> Option<FunctionNode> {
        if !branch.children.is_empty() && domain == ConstantDomain::Any {
            let mut rows: Vec<&FusionFunction> =
                self.rows.iter().copied().filter(|row| slots(row) == branch.children.len()).collect();
            // The value of an unspecified constant would be unknown.
            rows.retain(|row| row.defined.is_none());
            rng.shuffle(&mut rows);
            rows.sort_by_cached_key(|row| is_general(row));
            let made = rows.into_iter().find_map(|row| self.constant_row(row, branch, sort, rng));
            if made.is_some() {
                return made;
            }
        }
        draw::constant(sort, domain, self.datatypes, rng)?;
        Some(FunctionNode::Constant(sort.clone(), domain))
    }

    /// A row over constants alone with this result sort.
    fn constant_row(
        &self,
        row: &FusionFunction,
        branch: &ConstantTree,
        sort: &SExpression,
        rng: &mut Rng,
    ) -> Option<FunctionNode> {
        let mut bindings = SortBindings::default();
        let fits =
            row.results_in(sort, &mut bindings) && bindings.complete(row, &self.request.parameters, rng);
        fits.then_some(())?;
        let row = invert::ground(row, &bindings)?;
        let mut nodes = Vec::new();
        for (place, child) in branch.children.iter().enumerate() {
            let (sort, domain) = slot(&row, place);
            nodes.push(self.constants(child, sort, domain, rng)?);
        }
        Some(FunctionNode::Row(Arc::new(row), nodes))
    }
}

/// The sort and domain of a slot of a row.
fn slot(row: &FusionFunction, place: usize) -> (&SExpression, ConstantDomain) {
    match row.parameters.get(place) {
        Some(FunctionParameter { sort, .. }) => (sort, ConstantDomain::Any),
        None => {
            let SymbolicConstant { sort, domain, .. } = &row.constants[place - row.parameters.len()];
            (sort, *domain)
        }
    }
}

/// Whether a row applies to every sort.
fn is_general(row: &FusionFunction) -> bool {
    let is_variable = |sort: &SExpression| row.variables.iter().any(|v| Some(&**v) == sort.as_word());
    row.parameters.iter().any(|parameter| is_variable(&parameter.sort))
}
