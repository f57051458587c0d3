//! Turns a tree of rows into a function with its inverses.
//!
//! A parameter is one leaf, so one path leads to it from the root. The inverse undoes the operators along this path: if
//! `z` is `(+ A B)` and the path goes into `A`, then `A` is `(- z B)`, and so on with that term for `z`. The condition
//! of a row's inverse is kept, over the terms of the row's children.

use std::collections::HashMap;
use std::sync::Arc;

use super::{FunctionNode, FunctionRequest, MAX_INVERSE_WORDS, MAX_INVERSES_PER_PARAMETER, Totality};
use crate::fusion::function::draw::ConstantDomain;
use crate::fusion::function::s_expression::SExpression;
use crate::fusion::function::sort_bindings::SortBindings;
use crate::fusion::function::{
    FunctionInverse, FunctionParameter, FusionFunction, RESULT_NAME, SymbolicConstant,
};
use crate::random::Rng;

/// A function with its sort variables bound.
pub fn ground(function: &FusionFunction, bindings: &SortBindings) -> Option<FusionFunction> {
    if function.variables.is_empty() {
        return Some(function.clone());
    }
    let mut ground = FusionFunction { variables: Vec::new(), condition: None, ..function.clone() };
    for parameter in &mut ground.parameters {
        parameter.sort = bindings.ground(&parameter.sort)?;
    }
    for constant in &mut ground.constants {
        constant.sort = bindings.ground(&constant.sort)?;
    }
    ground.result = bindings.ground(&function.result)?;
    ground.body = bindings.ground(&function.body)?;
    ground.defined = match &function.defined {
        Some(condition) => Some(bindings.ground(condition)?),
        None => None,
    };
    for inverse in ground.inverses.iter_mut().flatten() {
        inverse.term = bindings.ground(&inverse.term)?;
        inverse.condition = match &inverse.condition {
            Some(condition) => Some(bindings.ground(condition)?),
            None => None,
        };
    }
    Some(ground)
}

/// The function of a tree; `None` if it has no inverses as requested.
pub fn function(request: &FunctionRequest, tree: FunctionNode, rng: &mut Rng) -> Option<FusionFunction> {
    let names: Vec<Arc<str>> = match request.parameters.len() {
        1..=2 => ["x", "y"].map(Arc::from)[..request.parameters.len()].to_vec(),
        count => (1..=count).map(|number| format!("x{number}").into()).collect(),
    };
    let mut made =
        FunctionParts { names: &names, constants: Vec::new(), own: Vec::new(), defined: Vec::new() };
    let tree = made.tree(tree);
    let mut inverses = Vec::new();
    for number in 0..names.len() {
        let mut all: Vec<FunctionInverse> = Vec::new();
        for _ in 0..MAX_INVERSES_PER_PARAMETER {
            let inverse = tree.inverse(number, request.totality, rng)?;
            if !all.iter().any(|known| known.term == inverse.term) {
                all.push(inverse);
            }
        }
        inverses.push(all);
    }
    let sorts = names.iter().zip(&request.parameters);
    let mut function = FusionFunction {
        name: request.name.as_str().into(),
        variables: Vec::new(),
        condition: None,
        parameters: sorts
            .map(|(name, sort)| FunctionParameter { name: Arc::clone(name), sort: sort.clone() })
            .collect(),
        constants: made.constants,
        result: tree.sort.clone(),
        body: tree.body.clone(),
        inverses,
        own: made.own,
        line: 0,
        defined: SExpression::all(made.defined),
    };
    function.narrow();
    Some(function)
}

/// A node with its term.
struct InvertibleTree {
    body: SExpression,
    sort: SExpression,
    /// The parameters below it.
    parameters: Vec<usize>,
    /// The row, and its children.
    row: Option<(Arc<FusionFunction>, Vec<InvertibleTree>)>,
}

/// The names and conditions collected while building a function.
struct FunctionParts<'a> {
    names: &'a [Arc<str>],
    constants: Vec<SymbolicConstant>,
    own: Vec<(Arc<str>, SExpression)>,
    /// The conditions under which the standard defines all nodes.
    defined: Vec<SExpression>,
}

impl FunctionParts<'_> {
    fn tree(&mut self, node: FunctionNode) -> InvertibleTree {
        match node {
            FunctionNode::Parameter(number) => InvertibleTree {
                body: SExpression::word(&self.names[number]),
                sort: SExpression::word(""),
                parameters: vec![number],
                row: None,
            },
            FunctionNode::Constant(sort, domain) => self.constant(sort, domain),
            FunctionNode::Row(row, children) => {
                let children: Vec<InvertibleTree> =
                    children.into_iter().map(|child| self.tree(child)).collect();
                for own in &row.own {
                    if !self.own.contains(own) {
                        self.own.push(own.clone());
                    }
                }
                if let Some(condition) = &row.defined {
                    self.defined.push(substitute(condition, &row, &children, None));
                }
                InvertibleTree {
                    body: substitute(&row.body, &row, &children, None),
                    sort: row.result.clone(),
                    parameters: children.iter().flat_map(|child| child.parameters.clone()).collect(),
                    row: Some((row, children)),
                }
            }
        }
    }

    fn constant(&mut self, sort: SExpression, domain: ConstantDomain) -> InvertibleTree {
        let name: Arc<str> = format!("c{}", self.constants.len()).into();
        self.constants.push(SymbolicConstant { name: Arc::clone(&name), sort: sort.clone(), domain });
        InvertibleTree { body: SExpression::word(&name), sort, parameters: Vec::new(), row: None }
    }
}

impl InvertibleTree {
    /// The inverse for a parameter: undoes the operators along the path to it.
    fn inverse(&self, number: usize, totality: Totality, rng: &mut Rng) -> Option<FunctionInverse> {
        let (mut here, mut out, mut conditions) = (self, SExpression::word(RESULT_NAME), Vec::new());
        let mut is_evaluated = false;
        while let Some((row, children)) = &here.row {
            let place = children.iter().position(|child| child.parameters.contains(&number))?;
            let mut choices: Vec<&FunctionInverse> = row.inverses.get(place)?.iter().collect();
            // Conditions add up along a path, and a function with many can rarely be used.
            let is_total = |inverse: &&FunctionInverse| inverse.condition.is_none();
            let prefer = rng.chance(3, 4) && choices.iter().any(is_total);
            if prefer || totality == Totality::Total {
                choices.retain(is_total);
            }
            // A large term should not double at every further step.
            if out.size().words > MAX_INVERSE_WORDS / 50 {
                let fewest = choices.iter().map(|inverse| uses(&inverse.term)).min()?;
                choices.retain(|inverse| uses(&inverse.term) == fewest);
            }
            let &inverse = rng.choose(&choices)?;
            is_evaluated |= inverse.is_evaluated;
            if let Some(condition) = &inverse.condition {
                conditions.push(substitute(condition, row, children, None));
            }
            out = substitute(&inverse.term, row, children, Some(&out));
            (out.size().words <= MAX_INVERSE_WORDS).then_some(())?;
            here = &children[place];
        }
        Some(FunctionInverse { term: out, condition: SExpression::all(conditions), is_evaluated, line: 0 })
    }
}

/// A term of a row with its names replaced by the terms of the children, and `z` by the inverse so far.
fn substitute(
    term: &SExpression,
    row: &FusionFunction,
    children: &[InvertibleTree],
    out: Option<&SExpression>,
) -> SExpression {
    let names = row.parameters.iter().map(|p| &*p.name).chain(row.constants.iter().map(|c| &*c.name));
    let mut known: HashMap<&str, &SExpression> =
        names.zip(children.iter().map(|child| &child.body)).collect();
    known.extend(out.map(|out| (RESULT_NAME, out)));
    term.replace(&mut |word| known.get(word).map(|&expression| expression.clone()))
}

/// How often a term of a row uses the result.
fn uses(term: &SExpression) -> usize {
    let mut open = vec![term];
    let mut count = 0;
    while let Some(next) = open.pop() {
        count += usize::from(next.as_word() == Some(RESULT_NAME));
        open.extend(next.items());
    }
    count
}
