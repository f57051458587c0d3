//! The flat program that assertions are compiled to: nodes over machine words, each after those that it uses.
//!
//! A node has a word, or none as long as it depends on something that is not assigned. Connectives, `ite` and products are
//! three-valued: `(and false x)` is false before `x` is assigned. The unknowns of a script are the *points* of its functions:
//! a constant has one point, a function one for each tuple of arguments, and an operator whose result the standard leaves
//! open, such as `(div x 0)`, is a function as well. A point is assigned when a node needs it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::domains::PointDomain;
use super::native::{BinaryWord, IntWord, UnaryWord, WordShape};
use super::words::{WordKind, Words};
use crate::eval::{Evaluator, Undecided};
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::Term;
use crate::value::{Array, Indices, Value};

/// The place of a node in the program.
pub(super) type NodeId = u32;

/// The steps that one application by the evaluator costs.
const EVALUATOR_STEPS: u64 = 32;
/// Results of the evaluator that are remembered.
const MAX_REMEMBERED_RESULTS: usize = 1 << 21;

/// What a node computes from its operands.
#[derive(Clone, Copy)]
pub(super) enum Code {
    /// A word that never changes.
    Constant(u64),
    /// Nothing that can be known; the reason by its number.
    Unclear(u32),
    /// The value of a function at the point that the operands make up.
    Point(u32),
    Not,
    And,
    Or,
    Ite,
    Equal,
    /// An integer as a real.
    ToReal,
    Unary(UnaryWord),
    Binary(BinaryWord),
    /// A product: zero if one factor is.
    Product(BinaryWord),
    Int(IntWord),
    IntProduct,
    /// Whether a value of a datatype was made by this constructor.
    IsMadeBy(Symbol),
    /// A field of a value that this constructor made.
    Field(Symbol, u32),
    /// The array that has the operands at the indices of a table.
    Tabulate(u32),
    /// The element of an array at an index of a table, by its place.
    Element(u32, u32),
    /// An application that the evaluator computes, by its number.
    Evaluated(u32),
}

/// A node and its operands.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub code: Code,
    pub shape: WordShape,
    pub kind: WordKind,
    /// The first two operands again: most nodes have no more.
    inputs: [NodeId; 2],
    /// The operands: a range of [`Program::operands`].
    first: u32,
    pub count: u32,
}

/// The word of a node, as far as it is known.
#[derive(Clone, Copy, Default)]
struct Cell {
    word: u64,
    is_known: bool,
}

/// An application that the evaluator computes.
pub(super) struct EvaluatedTerm {
    pub term: Term,
    /// The function whose points are its open results.
    pub open: Option<u32>,
    pub results: FxHashMap<Box<[u64]>, EvaluatedResult>,
}

/// A result of the evaluator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EvaluatedResult {
    Word(u64),
    /// The standard leaves it open.
    Open,
    /// Undecided; the reason by its number.
    Unclear(u32),
}

/// A function whose points are unknown: one that the script declares, or the open results of an operator.
pub(super) struct FreeFunction {
    /// Its name in a model.
    pub name: Symbol,
    pub parameters: Vec<Sort>,
    pub result: Sort,
    pub kind: WordKind,
    /// Whether the standard leaves these results open; the script does not declare it.
    pub is_open: bool,
    /// The values that its points can have.
    pub domain: PointDomain,
    /// The word of a constant, if it is assigned.
    pub constant: Option<u64>,
    /// The words of the assigned points of a function with parameters.
    pub points: FxHashMap<Box<[u64]>, u64>,
    /// The nodes that can change with a point, in order.
    pub dependents: Arc<[NodeId]>,
}

/// The program and the words of its nodes.
pub(super) struct Program<'m> {
    pub evaluator: Evaluator<'m>,
    pub words: Words,
    pub nodes: Vec<Node>,
    pub operands: Vec<NodeId>,
    cells: Vec<Cell>,
    pub evaluated: Vec<EvaluatedTerm>,
    pub functions: Vec<FreeFunction>,
    /// The indices of arrays that are made of their elements.
    pub tables: Vec<Arc<[Value]>>,
    pub reasons: Vec<Undecided>,
    pub steps: u64,
    remembered: usize,
}

impl<'m> Program<'m> {
    pub fn new(evaluator: Evaluator<'m>) -> Program<'m> {
        Program {
            evaluator,
            words: Words::default(),
            nodes: Vec::new(),
            operands: Vec::new(),
            cells: Vec::new(),
            evaluated: Vec::new(),
            functions: Vec::new(),
            tables: Vec::new(),
            reasons: Vec::new(),
            steps: 0,
            remembered: 0,
        }
    }

    /// Adds a node. One that is known before any point is assigned is a constant.
    pub fn add(&mut self, code: Code, shape: WordShape, kind: WordKind, operands: &[NodeId]) -> NodeId {
        let is_closure = |&node: &NodeId| self.nodes[node as usize].kind == WordKind::Closure;
        if !matches!(code, Code::Evaluated(_)) && operands.iter().any(is_closure) {
            return self.unclear(kind, Undecided::Infinite("a function over too many values".into()));
        }
        let id = self.nodes.len() as NodeId;
        let first = self.operands.len() as u32;
        self.operands.extend_from_slice(operands);
        let input = |place: usize| operands.get(place).copied().unwrap_or_default();
        let inputs = [input(0), input(1)];
        self.nodes.push(Node { code, shape, kind, inputs, first, count: operands.len() as u32 });
        self.cells.push(Cell::default());
        self.compute(id);
        if let Some(word) = self.word(id) {
            self.nodes[id as usize].code = Code::Constant(word);
        }
        id
    }

    pub fn constant(&mut self, kind: WordKind, word: u64) -> NodeId {
        self.add(Code::Constant(word), WordShape::default(), kind, &[])
    }

    pub fn unclear(&mut self, kind: WordKind, reason: Undecided) -> NodeId {
        let reason = self.reason(reason);
        self.add(Code::Unclear(reason), WordShape::default(), kind, &[])
    }

    pub fn reason(&mut self, reason: Undecided) -> u32 {
        match self.reasons.iter().position(|known| *known == reason) {
            Some(place) => place as u32,
            None => {
                self.reasons.push(reason);
                self.reasons.len() as u32 - 1
            }
        }
    }

    pub fn operands_of(&self, node: Node) -> &[NodeId] {
        &self.operands[node.first as usize..][..node.count as usize]
    }

    /// The word of a node, if it is known.
    #[inline]
    pub fn word(&self, node: NodeId) -> Option<u64> {
        let cell = self.cells[node as usize];
        cell.is_known.then_some(cell.word)
    }

    /// Computes the word of a node from those of its operands.
    #[inline]
    pub fn compute(&mut self, id: NodeId) {
        let node = &self.nodes[id as usize];
        let result = match node.code {
            Code::Binary(operator) => {
                let [a, b] = node.inputs.map(|input| self.cells[input as usize]);
                (a.is_known & b.is_known).then(|| (operator.one)(node.shape, a.word, b.word))
            }
            _ => {
                let node = *node;
                self.result(node)
            }
        };
        self.cells[id as usize] = Cell { word: result.unwrap_or_default(), is_known: result.is_some() };
    }

    /// The word of operand 0 or 1.
    #[inline]
    fn operand(&self, node: Node, place: usize) -> Option<u64> {
        self.word(node.inputs[place])
    }

    fn result(&mut self, node: Node) -> Option<u64> {
        match node.code {
            Code::Binary(operator) => {
                Some((operator.one)(node.shape, self.operand(node, 0)?, self.operand(node, 1)?))
            }
            Code::Unary(operator) => Some((operator.one)(node.shape, self.operand(node, 0)?)),
            Code::Equal => Some(u64::from(self.operand(node, 0)? == self.operand(node, 1)?)),
            Code::Not => Some(1 ^ self.operand(node, 0)?),
            Code::And => self.connective(node, 0),
            Code::Or => self.connective(node, 1),
            Code::Ite => self.choice(node),
            Code::Constant(word) => Some(word),
            Code::Unclear(_) => None,
            Code::Product(operator) => match (self.operand(node, 0), self.operand(node, 1)) {
                (Some(0), _) | (_, Some(0)) => Some(0),
                (a, b) => Some((operator.one)(node.shape, a?, b?)),
            },
            Code::IntProduct => match (self.operand(node, 0), self.operand(node, 1)) {
                (Some(0), _) | (_, Some(0)) => Some(0),
                (a, b) => (a? as i64).checked_mul(b? as i64).map(|product| product as u64),
            },
            Code::Int(operator) => {
                let second = if node.count > 1 { self.operand(node, 1)? } else { 0 };
                operator(self.operand(node, 0)? as i64, second as i64).map(|number| number as u64)
            }
            Code::Point(function) => self.point(node, function),
            Code::ToReal | Code::IsMadeBy(_) | Code::Field(..) => self.taken_apart(node),
            Code::Tabulate(table) => self.tabulated(node, table),
            Code::Element(table, place) => self.element(node, table, place),
            Code::Evaluated(number) => self.evaluated(node, number),
        }
    }

    /// The array of the operands, one for each index of a table.
    fn tabulated(&mut self, node: Node, table: u32) -> Option<u64> {
        let elements = self.arguments(node)?;
        let kind = self.nodes[*self.operands_of(node).first()? as usize].kind;
        let elements: Vec<Value> = elements.iter().map(|&word| self.words.value(kind, word)).collect();
        let indices = Arc::clone(&self.tables[table as usize]);
        let array = Array::constant(elements[0].clone(), Indices::Few(Arc::clone(&indices)));
        let array = array.with(indices.iter().cloned().zip(elements)).into_value();
        self.steps += EVALUATOR_STEPS;
        self.words.word(node.kind, &array)
    }

    fn element(&mut self, node: Node, table: u32, place: u32) -> Option<u64> {
        let operand = node.inputs[0];
        let array = self.words.value(self.nodes[operand as usize].kind, self.word(operand)?);
        let Value::Array(array) = array else { return None };
        let element = array.get(&self.tables[table as usize][place as usize]);
        self.words.word(node.kind, element)
    }

    /// `and` and `or`: an operand that decides them is enough.
    fn connective(&self, node: Node, deciding: u64) -> Option<u64> {
        let mut result = Some(1 - deciding);
        for &operand in self.operands_of(node) {
            match self.word(operand) {
                Some(word) if word == deciding => return Some(deciding),
                Some(_) => {}
                None => result = None,
            }
        }
        result
    }

    fn choice(&self, node: Node) -> Option<u64> {
        let otherwise = || self.word(self.operands_of(node)[2]);
        match self.operand(node, 0) {
            Some(1) => self.operand(node, 1),
            Some(_) => otherwise(),
            None => self.operand(node, 1).filter(|word| otherwise() == Some(*word)),
        }
    }

    /// The words of all operands, if they are known.
    pub fn arguments(&self, node: Node) -> Option<Vec<u64>> {
        self.operands_of(node).iter().map(|&operand| self.word(operand)).collect()
    }

    fn point(&self, node: Node, function: u32) -> Option<u64> {
        let function = &self.functions[function as usize];
        match node.count {
            0 => function.constant,
            _ => function.points.get(self.arguments(node)?.as_slice()).copied(),
        }
    }

    /// Operators on one value that the program takes apart itself.
    fn taken_apart(&mut self, node: Node) -> Option<u64> {
        let operand = node.inputs[0];
        let value = self.words.value(self.nodes[operand as usize].kind, self.word(operand)?);
        let result = match (node.code, &value) {
            (Code::ToReal, Value::Int(number)) => Value::Real(number.clone().into()),
            (Code::IsMadeBy(constructor), Value::Datatype(made)) => {
                Value::Bool(made.constructor == constructor)
            }
            (Code::Field(constructor, place), Value::Datatype(made)) if made.constructor == constructor => {
                made.fields.get(place as usize)?.clone()
            }
            _ => return None,
        };
        self.words.word(node.kind, &result)
    }

    fn evaluated(&mut self, node: Node, number: u32) -> Option<u64> {
        let arguments = self.arguments(node)?;
        match self.evaluated_result(node, number, &arguments) {
            EvaluatedResult::Word(word) => Some(word),
            EvaluatedResult::Unclear(_) => None,
            EvaluatedResult::Open => {
                let open = self.evaluated[number as usize].open?;
                self.functions[open as usize].points.get(arguments.as_slice()).copied()
            }
        }
    }

    /// What the evaluator says of an application to these arguments.
    pub fn evaluated_result(&mut self, node: Node, number: u32, arguments: &[u64]) -> EvaluatedResult {
        if let Some(&known) = self.evaluated[number as usize].results.get(arguments) {
            return known;
        }
        let kind = |place: usize| self.nodes[self.operands_of(node)[place] as usize].kind;
        let values = arguments.iter().enumerate();
        let values = values.map(|(place, &word)| self.words.value(kind(place), word)).collect();
        let answer = self.evaluator.apply_to(self.evaluated[number as usize].term, values);
        self.steps += EVALUATOR_STEPS + self.evaluator.steps();
        let result = match answer {
            Ok(value) => match self.words.word(node.kind, &value) {
                Some(word) => EvaluatedResult::Word(word),
                None => {
                    let reason = Undecided::TooLarge("a value that exhaustion cannot number".into());
                    EvaluatedResult::Unclear(self.reason(reason))
                }
            },
            Err(Undecided::Unspecified(_)) if self.evaluated[number as usize].open.is_some() => {
                EvaluatedResult::Open
            }
            Err(reason) => EvaluatedResult::Unclear(self.reason(reason)),
        };
        if self.remembered < MAX_REMEMBERED_RESULTS {
            self.remembered += 1;
            self.evaluated[number as usize].results.insert(arguments.into(), result);
        }
        result
    }

    /// Finds the dependents of every function, once all nodes are there.
    pub fn connect(&mut self) {
        let mut users: Vec<Vec<NodeId>> = vec![Vec::new(); self.nodes.len()];
        let mut sources: Vec<Vec<NodeId>> = vec![Vec::new(); self.functions.len()];
        for (id, &node) in self.nodes.iter().enumerate() {
            let id = id as NodeId;
            if matches!(node.code, Code::Constant(_)) {
                continue;
            }
            for &operand in self.operands_of(node) {
                users[operand as usize].push(id);
            }
            match node.code {
                Code::Point(function) => sources[function as usize].push(id),
                Code::Evaluated(number) => {
                    if let Some(open) = self.evaluated[number as usize].open {
                        sources[open as usize].push(id);
                    }
                }
                _ => {}
            }
        }
        for (function, source) in sources.into_iter().enumerate() {
            let found = reach(source, &users);
            self.steps += found.len() as u64;
            self.functions[function].dependents = found.into();
        }
    }

    /// The operands of conjunctions, as far as they are reached from these nodes through conjunctions alone.
    pub fn conjuncts(&self, roots: &[NodeId]) -> Vec<NodeId> {
        let mut found = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut open: Vec<NodeId> = roots.iter().rev().copied().collect();
        while let Some(id) = open.pop() {
            let node = self.nodes[id as usize];
            match node.code {
                _ if !seen.insert(id) => {}
                Code::And => open.extend(self.operands_of(node).iter().rev()),
                _ => found.push(id),
            }
        }
        found
    }

    /// Assigns a point, or forgets it, and computes what depends on it.
    pub fn assign(&mut self, function: u32, arguments: &[u64], word: Option<u64>) {
        let free = &mut self.functions[function as usize];
        match word {
            _ if arguments.is_empty() => free.constant = word,
            Some(word) => {
                free.points.insert(arguments.into(), word);
            }
            None => {
                free.points.remove(arguments);
            }
        }
        let dependents = Arc::clone(&free.dependents);
        self.steps += dependents.len() as u64;
        for &node in &*dependents {
            self.compute(node);
        }
    }
}

/// The nodes that use some of these, directly or not, and these themselves, in order.
fn reach(mut open: Vec<NodeId>, users: &[Vec<NodeId>]) -> Vec<NodeId> {
    let mut seen: rustc_hash::FxHashSet<NodeId> = open.iter().copied().collect();
    while let Some(node) = open.pop() {
        for &user in &users[node as usize] {
            if seen.insert(user) {
                open.push(user);
            }
        }
    }
    let mut all: Vec<NodeId> = seen.into_iter().collect();
    all.sort_unstable();
    all
}
