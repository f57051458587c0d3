//! The flat program that assertions are compiled to: nodes over machine words, each after those that it uses.
//!
//! A node has a word, or none as long as it depends on something that is not assigned. Connectives, `ite` and products are
//! three-valued: `(and false x)` is false before `x` is assigned. The unknowns of a script are the *points* of its functions:
//! a constant has one point, a function one for each tuple of arguments, and an operator whose result the standard leaves
//! open, such as `(div x 0)`, is a function as well. A point is assigned when a node needs it.

mod compute;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::ExhaustionBudget;
use super::domains::PointDomain;
use super::memory::MemoryAccount;
use super::native::{BinaryWord, IntWord, UnaryWord, WordShape};
use super::words::{WordKind, Words};
use crate::eval::{Evaluator, Undecided};
use crate::orders::{self, OrderKind};
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::Term;
use crate::value::Value;

/// The place of a node in the program.
pub(super) type NodeId = u32;

/// The steps that a look at an order costs for each of its points.
const ORDER_STEPS_PER_POINT: u64 = 8;
/// The operands that cost a step more when a node is computed.
const OPERANDS_PER_STEP: u64 = 16;
/// The bytes of a node: itself, its word, its users, its lanes, and the place at which the compiler finds it.
const BYTES_PER_NODE: usize = 384;
/// The bytes of an operand: its number, and the node among its users.
const BYTES_PER_OPERAND: usize = 12;
/// The bytes of a node that depends on a function.
const BYTES_PER_DEPENDENT: usize = 8;

/// The part of the budget that calls of recursive functions may take before the evaluator forgets them.
const CALL_SHARE: u64 = 4;

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
    /// The element of an array at an index.
    Select,
    /// An application that the evaluator computes, by its number.
    Evaluated(u32),
    /// Whether an order has the points of a function that are assigned.
    Ordered(u32),
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
    /// Whether it is a choice among the terms that a constant may equal, and has no name.
    pub is_choice: bool,
    /// The values that its points can have.
    pub domain: PointDomain,
    /// The word of a constant, if it is assigned.
    pub constant: Option<u64>,
    /// The words of the assigned points of a function with parameters.
    pub points: FxHashMap<Box<[u64]>, u64>,
    /// The nodes that can change with a point, in order.
    pub dependents: Arc<[NodeId]>,
    /// The steps that it costs to compute them.
    pub work: u64,
    /// The order that the function is, if the script does not declare it.
    pub order: Option<FreeOrder>,
}

/// A constant that is compiled as a term.
pub(super) struct SolvedConstant {
    pub function: u32,
    pub name: Symbol,
    pub sort: Sort,
    pub node: NodeId,
}

/// An order of z3, whose points are unknown.
pub(super) struct FreeOrder {
    pub kind: OrderKind,
    pub index: u32,
    /// All values of its sort, if they are few.
    pub values: Vec<u64>,
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
    /// The constants that are compiled as terms.
    pub solved: Vec<SolvedConstant>,
    /// The function whose only point is the heap of separation logic.
    pub heap: Option<u32>,
    /// The indices of arrays that are made of their elements.
    pub tables: Vec<Arc<[Value]>>,
    pub reasons: Vec<Undecided>,
    pub steps: u64,
    max_steps: u64,
    remembered: usize,
    /// The bytes that the evaluator may keep for calls of recursive functions.
    call_bytes: u64,
    max_call_bytes: u64,
}

impl<'m> Program<'m> {
    pub fn new(evaluator: Evaluator<'m>, budget: ExhaustionBudget) -> Program<'m> {
        Program {
            evaluator,
            words: Words::new(MemoryAccount::new(budget.bytes)),
            nodes: Vec::new(),
            operands: Vec::new(),
            cells: Vec::new(),
            evaluated: Vec::new(),
            functions: Vec::new(),
            solved: Vec::new(),
            heap: None,
            tables: Vec::new(),
            reasons: Vec::new(),
            steps: 0,
            max_steps: budget.steps,
            remembered: 0,
            call_bytes: 0,
            max_call_bytes: budget.bytes / CALL_SHARE,
        }
    }

    /// Counts bytes that are kept.
    pub fn charge(&mut self, bytes: usize) {
        self.words.memory.charge(bytes);
    }

    /// Returns true if the steps or the bytes are spent.
    #[inline]
    pub fn is_spent(&self) -> bool {
        self.steps > self.max_steps || self.words.memory.is_spent()
    }

    /// The reason of a decision that ends because the bytes are spent, or else the steps, of which others know more.
    pub fn spent_reason(&self, of_steps: impl FnOnce() -> Undecided) -> Undecided {
        if self.words.memory.is_spent() { MemoryAccount::reason() } else { of_steps() }
    }

    /// Adds a node. One that is known before any point is assigned is a constant.
    pub fn add(&mut self, code: Code, shape: WordShape, kind: WordKind, operands: &[NodeId]) -> NodeId {
        if let Some(reason) = self.opaque_operand(code, kind, operands) {
            return self.unclear(kind, reason);
        }
        let id = self.nodes.len() as NodeId;
        let first = self.operands.len() as u32;
        self.operands.extend_from_slice(operands);
        self.charge(BYTES_PER_NODE + BYTES_PER_OPERAND * operands.len());
        let input = |place: usize| operands.get(place).copied().unwrap_or_default();
        let inputs = [input(0), input(1)];
        self.nodes.push(Node { code, shape, kind, inputs, first, count: operands.len() as u32 });
        self.cells.push(Cell::default());
        self.compute(id);
        // More points can refute an order.
        if !matches!(code, Code::Ordered(_))
            && let Some(word) = self.word(id)
        {
            self.nodes[id as usize].code = Code::Constant(word);
        }
        id
    }

    /// Why a node has no words if an operand has a value that only the evaluator can use. Two such values may be equal, so they make up no
    /// point of a function and no element of a value.
    fn opaque_operand(&self, code: Code, kind: WordKind, operands: &[NodeId]) -> Option<Undecided> {
        let kind_of = |&node: &NodeId| self.nodes[node as usize].kind;
        let is_passed_on = match code {
            Code::Evaluated(number) => self.evaluated[number as usize].open.is_none(),
            Code::Ite => kind == WordKind::Opaque && operands[1..].iter().all(|node| kind_of(node) == kind),
            _ => false,
        };
        let opaque = operands.iter().any(|node| kind_of(node) == WordKind::Opaque);
        let reason =
            "a function over too many values, or a regular expression where it would have to be compared";
        (opaque && !is_passed_on).then(|| Undecided::Infinite(reason.into()))
    }

    /// The nodes that say whether the points of the orders are those of orders.
    pub fn add_orders(&mut self) -> Vec<NodeId> {
        let functions = 0..self.functions.len();
        let orders: Vec<usize> =
            functions.filter(|&function| self.functions[function].order.is_some()).collect();
        let node = |function: usize| {
            self.add(Code::Ordered(function as u32), WordShape::default(), WordKind::Bool, &[])
        };
        orders.into_iter().map(node).collect()
    }

    fn has_order(&mut self, function: u32) -> bool {
        let free = &self.functions[function as usize];
        self.steps += free.points.len() as u64 * ORDER_STEPS_PER_POINT;
        free.order.as_ref().is_none_or(|order| orders::has_order(order.kind, &free.points))
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

    /// Finds the dependents of every function, once all nodes are there. The error says that the budget is spent.
    pub fn connect(&mut self) -> Result<(), Undecided> {
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
                Code::Point(function) | Code::Ordered(function) => sources[function as usize].push(id),
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
            self.charge(BYTES_PER_DEPENDENT * found.len());
            self.functions[function].work = found.iter().map(|&node| self.work_of(node)).sum();
            self.functions[function].dependents = found.into();
            if self.is_spent() {
                let too_large = || Undecided::TooLarge("the script is too large for the budget".into());
                return Err(self.spent_reason(too_large));
            }
        }
        Ok(())
    }

    /// The steps that a node costs when it is computed.
    fn work_of(&self, node: NodeId) -> u64 {
        1 + u64::from(self.nodes[node as usize].count) / OPERANDS_PER_STEP
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
        self.steps += free.work;
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
