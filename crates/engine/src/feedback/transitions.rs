//! How often solvers went from one state to another, and how rare the ways of one instance are (HornFuzz, section 4.3).
//!
//! The probability of a transition is how often it was made of all those from its first state. Its weight is the inverse, and the priority of an
//! instance is the sum over its transitions, each as often as it was made there: `k = Σ w·t`, element by element.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::solver::trace::{Alphabet, Trace, TraceState};

/// A transition and how often it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transition {
    /// The state before.
    pub from: TraceState,
    /// The state after.
    pub to: TraceState,
    /// How often.
    pub times: u64,
}

/// The transitions of one instance, in the states of the [`TransitionMatrix`] that learned them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransitionCounts(pub Vec<Transition>);

/// The transitions of all instances: a sparse matrix.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "TransitionMatrixRecord", into = "TransitionMatrixRecord")]
pub struct TransitionMatrix {
    alphabet: Alphabet,
    counts: BTreeMap<(TraceState, TraceState), u64>,
    /// How often each state was left.
    left: BTreeMap<TraceState, u64>,
}

impl TransitionMatrix {
    /// Adds the trace of an instance, and gives its transitions.
    pub fn learn(&mut self, trace: &Trace) -> TransitionCounts {
        let mut own: BTreeMap<(TraceState, TraceState), u64> = BTreeMap::new();
        for (from, to) in trace.transitions() {
            let (from, to) = (self.alphabet.state(from), self.alphabet.state(to));
            *own.entry((from, to)).or_default() += 1;
        }
        let steps: Vec<Transition> =
            own.into_iter().map(|((from, to), times)| Transition { from, to, times }).collect();
        steps.iter().for_each(|step| self.add(*step));
        TransitionCounts(steps)
    }

    fn add(&mut self, step: Transition) {
        *self.counts.entry((step.from, step.to)).or_default() += step.times;
        *self.left.entry(step.from).or_default() += step.times;
    }

    /// The states.
    pub fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// How many different transitions were made.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether none was made.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// How likely a state is followed by another; 0 if it never was.
    pub fn probability(&self, from: TraceState, to: TraceState) -> f64 {
        let count = self.counts.get(&(from, to)).copied().unwrap_or_default();
        if count == 0 { 0.0 } else { count as f64 / self.left[&from] as f64 }
    }

    /// The inverse of the probability; 0 if that is 0.
    pub fn weight(&self, from: TraceState, to: TraceState) -> f64 {
        let probability = self.probability(from, to);
        if probability > 0.0 { 1.0 / probability } else { 0.0 }
    }

    /// How much an instance with these transitions is of what is rare.
    pub fn priority(&self, steps: &TransitionCounts) -> f64 {
        steps.0.iter().map(|step| self.weight(step.from, step.to) * step.times as f64).sum()
    }
}

/// How a matrix is written: its states, and its transitions in order.
#[derive(Serialize, Deserialize)]
struct TransitionMatrixRecord {
    states: Alphabet,
    steps: Vec<Transition>,
}

impl From<TransitionMatrixRecord> for TransitionMatrix {
    fn from(record: TransitionMatrixRecord) -> Self {
        let mut transitions = TransitionMatrix { alphabet: record.states, ..TransitionMatrix::default() };
        record.steps.into_iter().for_each(|step| transitions.add(step));
        transitions
    }
}

impl From<TransitionMatrix> for TransitionMatrixRecord {
    fn from(transitions: TransitionMatrix) -> Self {
        let steps = transitions.counts.into_iter().map(|((from, to), times)| Transition { from, to, times });
        TransitionMatrixRecord { states: transitions.alphabet, steps: steps.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::trace::TracePart;

    fn trace(states: &str) -> Trace {
        let mut trace = Trace::default();
        states.split(' ').for_each(|state| trace.push(state, TracePart::Core));
        trace
    }

    /// `a` goes to `b` three times of four, and to `c` once; `b` goes to `a` always.
    fn learned() -> (TransitionMatrix, TransitionCounts, TransitionCounts) {
        let mut transitions = TransitionMatrix::default();
        let (often, seldom) = (transitions.learn(&trace("a b a b")), transitions.learn(&trace("a b a c")));
        (transitions, often, seldom)
    }

    #[test]
    fn the_priority_is_the_sum_of_inverse_probabilities() {
        let (transitions, often, seldom) = learned();
        let state = |name: &str| transitions.alphabet().clone().state(name);
        let (a, b, c) = (state("a"), state("b"), state("c"));
        assert_eq!((transitions.probability(a, b), transitions.probability(a, c)), (0.75, 0.25));
        assert_eq!((transitions.weight(b, a), transitions.weight(b, c)), (1.0, 0.0));
        let k = |steps| (transitions.priority(steps) * 3.0).round();
        assert_eq!((k(&often), k(&seldom)), (2.0 * 4.0 + 3.0, 4.0 + 3.0 + 12.0));
    }

    #[test]
    fn a_matrix_survives_being_written() {
        let (transitions, _, seldom) = learned();
        let again: TransitionMatrix =
            serde_json::from_str(&serde_json::to_string(&transitions).unwrap()).unwrap();
        assert_eq!(again, transitions);
        assert_eq!(again.priority(&seldom).to_bits(), transitions.priority(&seldom).to_bits());
    }

    #[test]
    fn a_trace_of_one_state_has_no_transition() {
        let mut transitions = TransitionMatrix::default();
        assert_eq!(transitions.learn(&trace("a")), TransitionCounts::default());
        assert!(transitions.is_empty() && transitions.priority(&TransitionCounts::default()) == 0.0);
    }
}
