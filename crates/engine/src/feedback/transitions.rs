//! The transitions between solver states, and how rare those of one seed are (HornFuzz, section 4.3).
//!
//! The probability of a transition is its share of all transitions from its first state. Its weight is the inverse of
//! that, and the priority of a seed is the weighted sum of its transition counts: `k = Σ w·t`.

use std::collections::BTreeMap;

use crate::solver::trace::{Alphabet, Trace, TraceState};

/// A transition and its count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transition {
    /// The state before.
    pub from: TraceState,
    /// The state after.
    pub to: TraceState,
    /// The count.
    pub times: u64,
}

/// The transitions of one seed, in the states of the [`TransitionMatrix`] that learned them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TransitionCounts(pub Vec<Transition>);

/// The transitions of all seeds: a sparse matrix.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TransitionMatrix {
    alphabet: Alphabet,
    counts: BTreeMap<(TraceState, TraceState), u64>,
    /// The number of transitions from each state.
    left: BTreeMap<TraceState, u64>,
}

impl TransitionMatrix {
    /// Adds the trace of a seed, and returns its transitions.
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

    /// The probability of a transition; 0 if it never happened.
    fn probability(&self, from: TraceState, to: TraceState) -> f64 {
        let count = self.counts.get(&(from, to)).copied().unwrap_or_default();
        if count == 0 { 0.0 } else { count as f64 / self.left[&from] as f64 }
    }

    /// The inverse of the probability; 0 if that is 0.
    fn weight(&self, from: TraceState, to: TraceState) -> f64 {
        let probability = self.probability(from, to);
        if probability > 0.0 { 1.0 / probability } else { 0.0 }
    }

    /// The priority of a seed with these transitions: higher if they are rare.
    pub fn priority(&self, steps: &TransitionCounts) -> f64 {
        steps.0.iter().map(|step| self.weight(step.from, step.to) * step.times as f64).sum()
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

    /// `a` goes to `b` three times out of four, and to `c` once; `b` always goes to `a`.
    fn learned() -> (TransitionMatrix, TransitionCounts, TransitionCounts) {
        let mut transitions = TransitionMatrix::default();
        let (often, seldom) = (transitions.learn(&trace("a b a b")), transitions.learn(&trace("a b a c")));
        (transitions, often, seldom)
    }

    #[test]
    fn the_priority_is_the_sum_of_inverse_probabilities() {
        let (transitions, often, seldom) = learned();
        let state = |name: &str| transitions.alphabet.clone().state(name);
        let (a, b, c) = (state("a"), state("b"), state("c"));
        assert_eq!((transitions.probability(a, b), transitions.probability(a, c)), (0.75, 0.25));
        assert_eq!((transitions.weight(b, a), transitions.weight(b, c)), (1.0, 0.0));
        let k = |steps| (transitions.priority(steps) * 3.0).round();
        assert_eq!((k(&often), k(&seldom)), (2.0 * 4.0 + 3.0, 4.0 + 3.0 + 12.0));
    }

    #[test]
    fn a_trace_of_one_state_has_no_transition() {
        let mut transitions = TransitionMatrix::default();
        assert_eq!(transitions.learn(&trace("a")), TransitionCounts::default());
        assert!(transitions.counts.is_empty() && transitions.priority(&TransitionCounts::default()) == 0.0);
    }
}
