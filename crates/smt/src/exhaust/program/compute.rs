//! Computes the words of nodes from those of their operands.

use std::sync::Arc;

use super::{Cell, Code, EvaluatedResult, Node, NodeId, Program};
use crate::eval::Undecided;
use crate::exhaust::words::WordKind;
use crate::value::{Array, Indices, Value};

/// The steps that one application by the evaluator costs.
const EVALUATOR_STEPS: u64 = 32;
/// Results of the evaluator that are remembered.
const MAX_REMEMBERED_RESULTS: usize = 1 << 21;
/// The steps of an element of an array that is made of nodes, and of an argument of the evaluator if there are many.
const STEPS_PER_PART: u64 = 16;
/// The arguments of the evaluator that [`EVALUATOR_STEPS`] are for.
const FEW_ARGUMENTS: usize = 4;
/// The bytes of a value for which a look at it costs a step.
const VALUE_BYTES_PER_STEP: u64 = 16;
/// The bytes of a result that is remembered, beside its arguments.
const BYTES_PER_RESULT: usize = 96;
/// The bytes of a call that the evaluator remembers, for each of its steps.
const BYTES_PER_CALL: u64 = 160;

impl Program<'_> {
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
            Code::Select => self.selected(node),
            Code::Evaluated(number) => self.evaluated(node, number),
            Code::Ordered(function) => Some(u64::from(self.has_order(function))),
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
        self.steps += EVALUATOR_STEPS + indices.len() as u64 * STEPS_PER_PART;
        self.number(node.kind, &array)
    }

    /// The word of a value, which costs steps by its size.
    fn number(&mut self, kind: WordKind, value: &Value) -> Option<u64> {
        self.steps += value_steps(value);
        self.words.word(kind, value)
    }

    fn element(&mut self, node: Node, table: u32, place: u32) -> Option<u64> {
        let operand = node.inputs[0];
        let array = self.words.value(self.nodes[operand as usize].kind, self.word(operand)?);
        let Value::Array(array) = array else { return None };
        let element = array.get(&self.tables[table as usize][place as usize]).clone();
        self.number(node.kind, &element)
    }

    fn selected(&mut self, node: Node) -> Option<u64> {
        let [array, index] = node.inputs;
        let value = |program: &Self, node: NodeId| {
            Some(program.words.value(program.nodes[node as usize].kind, program.word(node)?))
        };
        let (Value::Array(array), index) = (value(self, array)?, value(self, index)?) else { return None };
        self.steps += 1 + value_steps(&index);
        self.number(node.kind, array.get(&index))
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
            (Code::IsMadeBy(constructor), value) => Value::Bool(value.constructor()?.0 == constructor),
            (Code::Field(constructor, place), value) if value.constructor()?.0 == constructor => {
                value.field(place as usize)?
            }
            _ => return None,
        };
        self.number(node.kind, &result)
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
        if self.is_spent() {
            let reason = self.spent_reason(|| Undecided::TooLarge("the budget is spent".into()));
            return EvaluatedResult::Unclear(self.reason(reason));
        }
        let kind = |place: usize| self.nodes[self.operands_of(node)[place] as usize].kind;
        let values = arguments.iter().enumerate();
        let values = values.map(|(place, &word)| self.words.value(kind(place), word)).collect();
        let answer = self.evaluator.apply_to(self.evaluated[number as usize].term, values);
        self.steps += EVALUATOR_STEPS + self.evaluator.steps();
        self.steps += arguments.len().saturating_sub(FEW_ARGUMENTS) as u64 * STEPS_PER_PART;
        self.bound_calls();
        let result = match answer {
            Ok(value) => match self.number(node.kind, &value) {
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
        if self.remembered < MAX_REMEMBERED_RESULTS && self.words.memory.has_room() {
            self.remembered += 1;
            self.charge(BYTES_PER_RESULT + 8 * arguments.len());
            self.evaluated[number as usize].results.insert(arguments.into(), result);
        }
        result
    }

    /// Lets the evaluator forget the calls of recursive functions before they take too much memory.
    fn bound_calls(&mut self) {
        self.call_bytes += self.evaluator.bytes() + self.evaluator.steps() * BYTES_PER_CALL;
        if self.call_bytes > self.max_call_bytes {
            self.evaluator.forget_calls();
            self.call_bytes = 0;
        }
    }
}

/// The steps that a look at a value costs.
fn value_steps(value: &Value) -> u64 {
    match value {
        Value::Bool(_) | Value::BitVec(_) | Value::Int(_) => 0,
        value => value.weight().bytes / VALUE_BYTES_PER_STEP,
    }
}
