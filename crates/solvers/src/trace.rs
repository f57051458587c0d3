//! Traces: the steps of a solver as a sequence of states; a transition is a state and the next one.
//!
//! ```text
//! expand: inv (1, 0) FAR  w(0) 239. F 0.00      expand:FAR  out:F
//! Entering level 2                              level
//! expand: query!0 (2, 0) FAR  w(0) 1.           expand:FAR
//!     create_child: inv (1, 2) FAR 239 U 0.00   child:FAR  out:U
//! ```
//!
//! Numbers, names and times are dropped, so that two runs have equal traces if the solver took the same steps (HornFuzz, section
//! 4.2: a trace in too much detail is new after every edit). The identity of a trace is a hash of the names of its states, which
//! is the same in every process and never changes. The identity of the core leaves out preprocessing: an option that switches a
//! preprocessing step on or off changes the trace of every script, but the core of few.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

mod identity;
mod reader;

pub use identity::Identity;
pub use reader::{TraceReading, read_trace};

/// A state, as its number in an alphabet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TraceState(pub u32);

/// States by number and by name, numbered in the order in which they were first seen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<String>", into = "Vec<String>")]
pub struct Alphabet {
    names: Vec<String>,
    numbers: FxHashMap<String, TraceState>,
}

impl Alphabet {
    /// The state of a name; a new one if there was none.
    pub fn state(&mut self, name: &str) -> TraceState {
        if let Some(state) = self.numbers.get(name) {
            return *state;
        }
        let state =
            TraceState(u32::try_from(self.names.len()).expect("no solver has four billion kinds of records"));
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), state);
        state
    }

    /// The name of a state of this alphabet.
    pub fn name(&self, state: TraceState) -> &str {
        &self.names[state.0 as usize]
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

impl From<Vec<String>> for Alphabet {
    fn from(names: Vec<String>) -> Self {
        let mut alphabet = Alphabet::default();
        for name in names {
            alphabet.state(&name);
        }
        alphabet
    }
}

impl From<Alphabet> for Vec<String> {
    fn from(alphabet: Alphabet) -> Self {
        alphabet.names
    }
}

/// The part of a run that a state belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TracePart {
    /// Preprocessing.
    Prelude,
    /// The search.
    Core,
}

/// The steps of one run. It has its own alphabet, so that it needs no shared state.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trace {
    alphabet: Alphabet,
    states: Vec<TraceState>,
    core: Vec<TraceState>,
    unread: usize,
}

/// A trace with more than one unread line for this many records is not usable: the profile does not describe this output.
const RECORDS_PER_UNREAD: usize = 10;

impl Trace {
    /// Adds a state.
    pub fn push(&mut self, name: &str, part: TracePart) {
        let state = self.alphabet.state(name);
        self.states.push(state);
        if part == TracePart::Core {
            self.core.push(state);
        }
    }

    /// Counts a line that is not a known record.
    pub fn push_unread(&mut self) {
        self.unread += 1;
    }

    /// The states in order.
    pub fn states(&self) -> impl Iterator<Item = &str> {
        self.states.iter().map(|state| self.alphabet.name(*state))
    }

    /// The transitions in order.
    pub fn transitions(&self) -> impl Iterator<Item = (&str, &str)> {
        let name = |state: &TraceState| self.alphabet.name(*state);
        self.states.iter().zip(self.states.iter().skip(1)).map(move |(from, to)| (name(from), name(to)))
    }

    /// How many states there are, with repetitions.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns true if there is no state.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// How many lines are not known records.
    pub fn unread(&self) -> usize {
        self.unread
    }

    /// Returns true if it has known records and hardly any unread lines.
    pub fn is_usable(&self) -> bool {
        !self.is_empty() && self.unread <= self.len() / RECORDS_PER_UNREAD
    }

    /// Returns true if there are unread lines and the trace is not usable: the profile does not know this version or engine of
    /// the solver.
    pub fn is_foreign(&self) -> bool {
        self.unread > 0 && !self.is_usable()
    }

    /// The identity of the whole.
    pub fn identity(&self) -> Identity {
        Identity::of(self.states())
    }

    /// The identity of the search alone.
    pub fn core(&self) -> Identity {
        Identity::of(self.core.iter().map(|state| self.alphabet.name(*state)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(states: &[&str], unread: usize) -> Trace {
        let mut trace = Trace::default();
        states.iter().for_each(|state| {
            trace.push(state, if state.starts_with("xform") { TracePart::Prelude } else { TracePart::Core });
        });
        (0..unread).for_each(|_| trace.push_unread());
        trace
    }

    #[test]
    fn a_trace_is_known_by_its_states_in_order() {
        let identity = |states: &[&str]| trace(states, 0).identity();
        assert_eq!(identity(&["a", "b", "a"]), identity(&["a", "b", "a"]));
        assert_ne!(identity(&["a", "b", "a"]), identity(&["a", "a", "b"]));
        assert_ne!(identity(&["ab"]), identity(&["a", "b"]));
        assert_eq!(trace(&["a"], 0).identity(), trace(&["a"], 3).identity());
    }

    #[test]
    fn preparations_are_no_part_of_the_core() {
        let (one, two) = (trace(&["xform:a", "level", "out:F"], 0), trace(&["level", "xform:b", "out:F"], 0));
        assert_ne!(one.identity(), two.identity());
        assert_eq!(one.core(), two.core());
    }

    #[test]
    fn a_transition_is_a_state_and_the_next_one() {
        let trace = trace(&["a", "b", "b"], 0);
        assert_eq!(trace.transitions().collect::<Vec<_>>(), [("a", "b"), ("b", "b")]);
    }

    #[test]
    fn a_trace_without_records_or_with_many_unknown_ones_is_not_usable() {
        let usable = |records: usize, unread| trace(&vec!["a"; records], unread).is_usable();
        assert!(usable(1, 0) && usable(10, 1) && usable(100, 10));
        assert!(!usable(0, 0) && !usable(9, 1) && !usable(100, 11));
        assert!(trace(&[], 1).is_foreign() && !trace(&[], 0).is_foreign() && !trace(&["a"], 0).is_foreign());
    }
}
