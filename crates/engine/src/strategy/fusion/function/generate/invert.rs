//! From a tree of rows to a function: what it computes, and what gives back each parameter.
//!
//! A parameter has one leaf, so that one path leads to it from the root. Along it the result is taken apart: if `z` is
//! `(+ A B)` and the path goes into `A`, then `A` is `(- z B)`, and so on with that for `z`. Where the inverse of a row holds
//! under a condition only, the condition is kept, over what its children compute.

use std::collections::HashMap;
use std::sync::Arc;

use super::{ALTERNATIVES, Node, Totality, WORDS, Wish};
use crate::random::Rng;
use crate::strategy::fusion::function::bind::Bindings;
use crate::strategy::fusion::function::draw::Domain;
use crate::strategy::fusion::function::expression::Expression;
use crate::strategy::fusion::function::{Constant, Function, Inverse, Parameter, RESULT};

/// A function with its variables replaced by what they stand for.
pub fn ground(function: &Function, bindings: &Bindings) -> Option<Function> {
    if function.variables.is_empty() {
        return Some(function.clone());
    }
    let mut ground = Function { variables: Vec::new(), condition: None, ..function.clone() };
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

/// The function that a tree is; nothing if it has no inverses as they are wished.
pub fn function(wish: &Wish, tree: Node, rng: &mut Rng) -> Option<Function> {
    let names: Vec<Arc<str>> = match wish.parameters.len() {
        1..=2 => ["x", "y"].map(Arc::from)[..wish.parameters.len()].to_vec(),
        count => (1..=count).map(|number| format!("x{number}").into()).collect(),
    };
    let mut made = Made { names: &names, constants: Vec::new(), own: Vec::new(), defined: Vec::new() };
    let tree = made.tree(tree);
    let mut inverses = Vec::new();
    for number in 0..names.len() {
        let mut all: Vec<Inverse> = Vec::new();
        for _ in 0..ALTERNATIVES {
            let inverse = tree.inverse(number, wish.totality, rng)?;
            if !all.iter().any(|known| known.term == inverse.term) {
                all.push(inverse);
            }
        }
        inverses.push(all);
    }
    let sorts = names.iter().zip(&wish.parameters);
    let mut function = Function {
        name: wish.name.as_str().into(),
        variables: Vec::new(),
        condition: None,
        parameters: sorts
            .map(|(name, sort)| Parameter { name: Arc::clone(name), sort: sort.clone() })
            .collect(),
        constants: made.constants,
        result: tree.sort.clone(),
        body: tree.body.clone(),
        inverses,
        own: made.own,
        line: 0,
        defined: Expression::all(made.defined),
    };
    function.narrow();
    Some(function)
}

/// A node with what it computes.
struct Tree {
    body: Expression,
    sort: Expression,
    /// The parameters below it.
    parameters: Vec<usize>,
    /// The row, and its children.
    row: Option<(Arc<Function>, Vec<Tree>)>,
}

/// What is named while a tree is made.
struct Made<'a> {
    names: &'a [Arc<str>],
    constants: Vec<Constant>,
    own: Vec<(Arc<str>, Expression)>,
    /// When all nodes compute what the standard says.
    defined: Vec<Expression>,
}

impl Made<'_> {
    fn tree(&mut self, node: Node) -> Tree {
        match node {
            Node::Parameter(number) => Tree {
                body: Expression::word(&self.names[number]),
                sort: Expression::word(""),
                parameters: vec![number],
                row: None,
            },
            Node::Constant(sort, domain) => self.constant(sort, domain),
            Node::Row(row, children) => {
                let children: Vec<Tree> = children.into_iter().map(|child| self.tree(child)).collect();
                for own in &row.own {
                    if !self.own.contains(own) {
                        self.own.push(own.clone());
                    }
                }
                if let Some(condition) = &row.defined {
                    self.defined.push(substitute(condition, &row, &children, None));
                }
                Tree {
                    body: substitute(&row.body, &row, &children, None),
                    sort: row.result.clone(),
                    parameters: children.iter().flat_map(|child| child.parameters.clone()).collect(),
                    row: Some((row, children)),
                }
            }
        }
    }

    fn constant(&mut self, sort: Expression, domain: Domain) -> Tree {
        let name: Arc<str> = format!("c{}", self.constants.len()).into();
        self.constants.push(Constant { name: Arc::clone(&name), sort: sort.clone(), domain });
        Tree { body: Expression::word(&name), sort, parameters: Vec::new(), row: None }
    }
}

impl Tree {
    /// What gives back a parameter: the result is taken apart along the path to it.
    fn inverse(&self, number: usize, totality: Totality, rng: &mut Rng) -> Option<Inverse> {
        let (mut here, mut out, mut conditions) = (self, Expression::word(RESULT), Vec::new());
        let mut is_evaluated = false;
        while let Some((row, children)) = &here.row {
            let place = children.iter().position(|child| child.parameters.contains(&number))?;
            let mut choices: Vec<&Inverse> = row.inverses.get(place)?.iter().collect();
            // Conditions add up along a path, and a function of many is one that can seldom be used.
            let is_total = |inverse: &&Inverse| inverse.condition.is_none();
            let prefer = rng.chance(3, 4) && choices.iter().any(is_total);
            if prefer || totality == Totality::Total {
                choices.retain(is_total);
            }
            // A term that has grown is not to be doubled at every further step.
            if out.size().words > WORDS / 50 {
                let fewest = choices.iter().map(|inverse| uses(&inverse.term)).min()?;
                choices.retain(|inverse| uses(&inverse.term) == fewest);
            }
            let &inverse = rng.choose(&choices)?;
            is_evaluated |= inverse.is_evaluated;
            if let Some(condition) = &inverse.condition {
                conditions.push(substitute(condition, row, children, None));
            }
            out = substitute(&inverse.term, row, children, Some(&out));
            (out.size().words <= WORDS).then_some(())?;
            here = &children[place];
        }
        Some(Inverse { term: out, condition: Expression::all(conditions), is_evaluated, line: 0 })
    }
}

/// A term of a row with its names replaced by what its children compute, and `z` by what gives back its result.
fn substitute(term: &Expression, row: &Function, children: &[Tree], out: Option<&Expression>) -> Expression {
    let names = row.parameters.iter().map(|p| &*p.name).chain(row.constants.iter().map(|c| &*c.name));
    let mut known: HashMap<&str, &Expression> = names.zip(children.iter().map(|child| &child.body)).collect();
    known.extend(out.map(|out| (RESULT, out)));
    term.replace(&mut |word| known.get(word).map(|&expression| expression.clone()))
}

/// How often a term of a row mentions the result.
fn uses(term: &Expression) -> usize {
    let mut open = vec![term];
    let mut count = 0;
    while let Some(next) = open.pop() {
        count += usize::from(next.as_word() == Some(RESULT));
        open.extend(next.items());
    }
    count
}
