//! Lanes: the last constant of an assignment gets all its values at once.
//!
//! As soon as everything else that some nodes depend on is known, the values of one constant decide these nodes. The search
//! then computes each node for sixteen values in a row, which compilers turn into vector instructions, instead of one value
//! after the other through all nodes. Values that make an assertion false are left out; the rest is searched as before.

use std::sync::Arc;

use super::domains::PointDomain;
use super::program::{Code, NodeId, Program};

/// The values that are tried at once.
const LANE_COUNT: usize = 16;
/// Fewer values are faster one by one.
const MIN_LANE_VALUES: u128 = 4;
/// More values are not tried before one of them is assigned.
const MAX_LANE_VALUES: u128 = 256;

/// Nodes times values that are computed before the search looks at its budget again.
const MAX_LANE_STEPS: u128 = 1 << 20;

/// The words of a node under several assignments.
pub(super) type Lanes = [u64; LANE_COUNT];

/// How the nodes that depend on a constant are computed in lanes.
pub(super) struct LanePlan {
    /// The nodes that can change with the constant, in order.
    dependents: Arc<[NodeId]>,
    /// Their operands that do not change with it.
    inputs: Vec<NodeId>,
    /// The assertions among the dependents.
    roots: Vec<NodeId>,
}

/// The lanes of all nodes, and the plans of all functions.
pub(super) struct LaneTable {
    /// For each function, its plan if lanes can compute its dependents.
    plans: Vec<Option<LanePlan>>,
    lanes: Vec<Lanes>,
}

impl LaneTable {
    /// Plans the lanes of every constant of a program with these assertions.
    pub fn new(program: &Program<'_>, roots: &[NodeId]) -> LaneTable {
        let plans: Vec<Option<LanePlan>> =
            (0..program.functions.len() as u32).map(|function| plan(program, roots, function)).collect();
        let lanes = if plans.iter().any(Option::is_some) { program.nodes.len() } else { 0 };
        LaneTable { plans, lanes: vec![[0; LANE_COUNT]; lanes] }
    }

    /// The values of a constant that make no assertion false, or `None` if lanes cannot tell.
    pub fn surviving(&mut self, program: &mut Program<'_>, function: u32) -> Option<Vec<u64>> {
        let LaneTable { plans, lanes } = self;
        let plan = plans[function as usize].as_ref()?;
        for &input in &plan.inputs {
            lanes[input as usize] = [program.word(input)?; LANE_COUNT];
        }
        let mut surviving = Vec::new();
        let mut cursor = program.functions[function as usize].domain.cursor(&[]);
        loop {
            let mut values = [0; LANE_COUNT];
            let mut count = 0;
            while let Some(word) = (count < LANE_COUNT).then(|| cursor.next()).flatten() {
                values[count] = word;
                count += 1;
            }
            if count == 0 {
                return Some(surviving);
            }
            for &node in &*plan.dependents {
                compute_lanes(program, lanes, node, &values);
            }
            program.steps += (count * plan.dependents.len()) as u64;
            let is_false = |lane: usize| plan.roots.iter().any(|&root| lanes[root as usize][lane] == 0);
            surviving.extend((0..count).filter(|&lane| !is_false(lane)).map(|lane| values[lane]));
        }
    }
}

/// The plan of a function: a constant with a few values, whose dependents are operators on words.
fn plan(program: &Program<'_>, roots: &[NodeId], function: u32) -> Option<LanePlan> {
    let free = &program.functions[function as usize];
    let is_constant = free.parameters.is_empty() && !free.is_open;
    if !is_constant || !has_lanes(&free.domain) {
        return None;
    }
    let dependents = Arc::clone(&free.dependents);
    if free.domain.count() * dependents.len() as u128 > MAX_LANE_STEPS {
        return None;
    }
    let mut inputs = Vec::new();
    for &id in &*dependents {
        let node = program.nodes[id as usize];
        let has_lanes = match node.code {
            Code::Point(used) => used == function,
            Code::Not | Code::And | Code::Or | Code::Ite | Code::Equal => true,
            Code::Unary(_) | Code::Binary(_) | Code::Product(_) => true,
            _ => false,
        };
        if !has_lanes {
            return None;
        }
        let operands = program.operands_of(node).iter();
        inputs.extend(operands.filter(|operand| dependents.binary_search(operand).is_err()));
    }
    inputs.sort_unstable();
    inputs.dedup();
    let roots: Vec<NodeId> =
        roots.iter().copied().filter(|root| dependents.binary_search(root).is_ok()).collect();
    (!roots.is_empty()).then_some(LanePlan { dependents, inputs, roots })
}

fn has_lanes(domain: &PointDomain) -> bool {
    domain.gap.is_none() && (MIN_LANE_VALUES..=MAX_LANE_VALUES).contains(&domain.count())
}

/// Computes a node in all lanes from its operands, which come before it.
fn compute_lanes(program: &Program<'_>, lanes: &mut [Lanes], id: NodeId, values: &Lanes) {
    let node = &program.nodes[id as usize];
    let operands = program.operands_of(*node);
    let (before, from_here) = lanes.split_at_mut(id as usize);
    let result = &mut from_here[0];
    let operand = |place: usize| &before[operands[place] as usize];
    match node.code {
        Code::Binary(operator) | Code::Product(operator) => {
            (operator.many)(node.shape, operand(0), operand(1), result);
        }
        Code::Unary(operator) => (operator.many)(node.shape, operand(0), result),
        Code::Equal => each_lane(result, |lane| u64::from(operand(0)[lane] == operand(1)[lane])),
        Code::Not => each_lane(result, |lane| 1 ^ operand(0)[lane]),
        Code::And => {
            each_lane(result, |lane| (0..operands.len()).fold(1, |all, place| all & operand(place)[lane]));
        }
        Code::Or => {
            each_lane(result, |lane| (0..operands.len()).fold(0, |any, place| any | operand(place)[lane]));
        }
        Code::Ite => each_lane(result, |lane| operand(if operand(0)[lane] == 1 { 1 } else { 2 })[lane]),
        _ => *result = *values,
    }
}

fn each_lane(result: &mut Lanes, word: impl Fn(usize) -> u64) {
    for (lane, result) in result.iter_mut().enumerate() {
        *result = word(lane);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exhaust::native::{BINARY_WORD_OPERATORS, UNARY_WORD_OPERATORS, WordShape, ones};
    use crate::exhaust::{ExactAnswer, ExhaustionBudget, decide};
    use crate::queries::sat_queries;
    use crate::{Script, Signature};

    #[test]
    fn every_operator_gives_the_same_word_in_each_lane_as_alone() {
        for width in [1u32, 2, 3, 4, 8, 31] {
            let shape = WordShape { width, second: width, indices: [width - 1, 0] };
            let sample: Lanes = std::array::from_fn(|lane| {
                (lane as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32 & ones(width)
            });
            for turn in 0..LANE_COUNT {
                let mut other = sample;
                other.rotate_left(turn);
                let mut results = [0; LANE_COUNT];
                for (name, operator) in UNARY_WORD_OPERATORS {
                    (operator.many)(shape, &other, &mut results);
                    assert_eq!(results, other.map(|word| (operator.one)(shape, word)), "{name} {width}");
                }
                for (name, operator) in BINARY_WORD_OPERATORS {
                    (operator.many)(shape, &sample, &other, &mut results);
                    let alone: Lanes =
                        std::array::from_fn(|lane| (operator.one)(shape, sample[lane], other[lane]));
                    assert_eq!(results, alone, "{name} {width}");
                }
            }
        }
    }

    /// Counts the values of two 3-bit constants that satisfy a formula, with the assertion that fixes them before and after it.
    fn check_formula(formula: &str, expected: usize) {
        let constants = "(declare-const x (_ BitVec 3))(declare-const y (_ BitVec 3))(declare-const p Bool)";
        let mut count = 0;
        for value in 0..64 {
            let fixed = format!("(assert (= (concat x y) (_ bv{value} 6)))");
            let found = [
                format!("{constants}(assert {formula}){fixed}"),
                format!("{constants}{fixed}(assert {formula})"),
            ]
            .map(|text| {
                let script = Script::parse(&text, &Signature::standard()).unwrap();
                decide(&script, &sat_queries(&script)[0], ExhaustionBudget::default()).answer
                    != ExactAnswer::Unsat
            });
            assert_eq!(found[0], found[1], "{formula} {value}");
            count += usize::from(found[0]);
        }
        assert_eq!(count, expected, "{formula}");
    }

    #[test]
    fn connectives_are_decided_in_lanes_as_one_by_one() {
        check_formula("(= x y)", 8);
        check_formula("(not (= x y))", 56);
        check_formula("(and (bvult x #b011) (bvult y #b010) (= x x))", 6);
        check_formula("(or (bvult x #b001) (bvult y #b001))", 15);
        check_formula("(= (ite (bvult x y) x y) #b000)", 15);
        check_formula("(and p (bvult x y))", 28);
        check_formula("(= (bvmul x y) (bvnot (bvmul x y)))", 0);
        check_formula("(= (bvmul x y) #b000)", 20);
    }

    /// Seventeen values need two rounds of lanes.
    #[test]
    fn all_values_are_tried_however_many_lanes_there_are() {
        let decided = |text: &str| {
            let script = Script::parse(text, &Signature::standard()).unwrap();
            decide(&script, &sat_queries(&script)[0], ExhaustionBudget::default())
        };
        let last = decided("(declare-const x (_ BitVec 5))(assert (= (bvadd x #b00001) #b00000))");
        assert!(matches!(last.answer, ExactAnswer::Sat { model, .. } if model.contains("11111")));
        let none = decided("(declare-const x (_ BitVec 5))(assert (= (bvadd x #b00001) x))");
        assert_eq!((none.answer, none.assignments), (ExactAnswer::Unsat, 32));
    }
}
