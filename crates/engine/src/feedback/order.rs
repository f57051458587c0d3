//! The order of seeds (HornFuzz, section 4.3).
//!
//! | heuristic | order |
//! |---|---|
//! | `default` | as given |
//! | `rare` | rare transitions first: by [`TransitionMatrix::priority`], descending |
//! | `complex` | non-linear before linear, then more predicates first |
//! | `simple` | the reverse of `complex` |
//!
//! Two may be combined: `complex+rare` groups by the first and orders each group by the second. Ties keep the given order.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::transitions::{TransitionCounts, TransitionMatrix};

/// Facts about a seed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeedFacts {
    /// Whether no clause has more than one predicate in its body.
    pub is_linear: bool,
    /// The number of uninterpreted predicates.
    pub predicates: usize,
    /// The transitions of the solver's trace; empty without a trace.
    pub transitions: TransitionCounts,
}

/// A heuristic for the order of seeds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OrderHeuristic {
    /// As given.
    #[default]
    Default,
    /// Rare transitions first.
    Rare,
    /// Hard seeds first.
    Complex,
    /// Easy seeds first.
    Simple,
}

impl OrderHeuristic {
    /// All heuristics.
    pub const ALL: [OrderHeuristic; 4] =
        [OrderHeuristic::Default, OrderHeuristic::Rare, OrderHeuristic::Complex, OrderHeuristic::Simple];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            OrderHeuristic::Default => "default",
            OrderHeuristic::Rare => "rare",
            OrderHeuristic::Complex => "complex",
            OrderHeuristic::Simple => "simple",
        }
    }
}

/// A heuristic, or two: groups by the first, each ordered by the second.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SeedOrder {
    /// The heuristic for groups; `None` means one group.
    pub groups: Option<OrderHeuristic>,
    /// The order within a group.
    pub within: OrderHeuristic,
}

impl SeedOrder {
    /// The indices of the seeds, in order.
    pub fn of(self, seeds: &[SeedFacts], transitions: &TransitionMatrix) -> Vec<usize> {
        let keys: Vec<SeedKey> = seeds.iter().map(|facts| SeedKey::new(facts, transitions)).collect();
        let mut order: Vec<usize> = (0..seeds.len()).collect();
        order.sort_by(|&one, &two| {
            let (one, two) = (&keys[one], &keys[two]);
            let groups = self.groups.map_or(Ordering::Equal, |groups| one.group(groups, two));
            groups.then_with(|| one.compare(self.within, two))
        });
        order
    }
}

/// The keys for comparing seeds.
struct SeedKey {
    is_linear: bool,
    predicates: usize,
    rarity: f64,
}

impl SeedKey {
    fn new(facts: &SeedFacts, transitions: &TransitionMatrix) -> Self {
        let rarity = transitions.priority(&facts.transitions);
        SeedKey { is_linear: facts.is_linear, predicates: facts.predicates, rarity }
    }

    fn compare(&self, heuristic: OrderHeuristic, other: &SeedKey) -> Ordering {
        let complex = |key: &SeedKey| (!key.is_linear, key.predicates);
        match heuristic {
            OrderHeuristic::Default => Ordering::Equal,
            OrderHeuristic::Rare => other.rarity.total_cmp(&self.rarity),
            OrderHeuristic::Complex => complex(other).cmp(&complex(self)),
            OrderHeuristic::Simple => complex(self).cmp(&complex(other)),
        }
    }

    /// Compares groups, which are coarse: linear or not, and the power of two of the rarity.
    fn group(&self, heuristic: OrderHeuristic, other: &SeedKey) -> Ordering {
        let power = |key: &SeedKey| if key.rarity < 1.0 { 0 } else { (key.rarity as u64).ilog2() + 1 };
        match heuristic {
            OrderHeuristic::Default => Ordering::Equal,
            OrderHeuristic::Rare => power(other).cmp(&power(self)),
            OrderHeuristic::Complex => self.is_linear.cmp(&other.is_linear),
            OrderHeuristic::Simple => other.is_linear.cmp(&self.is_linear),
        }
    }
}

impl fmt::Display for SeedOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(groups) = self.groups {
            write!(f, "{}+", groups.name())?;
        }
        f.write_str(self.within.name())
    }
}

/// A text that names no order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not an order: expected default, rare, complex or simple, or two of them, such as complex+rare"
)]
pub struct UnknownSeedOrder(String);

impl FromStr for SeedOrder {
    type Err = UnknownSeedOrder;

    fn from_str(text: &str) -> Result<Self, UnknownSeedOrder> {
        let known = |word: &str| OrderHeuristic::ALL.into_iter().find(|heuristic| heuristic.name() == word);
        let order = match text.split_once('+') {
            Some((groups, within)) => known(groups)
                .zip(known(within))
                .map(|(groups, within)| SeedOrder { groups: Some(groups), within }),
            None => known(text).map(|within| SeedOrder { groups: None, within }),
        };
        order.ok_or_else(|| UnknownSeedOrder(text.to_owned()))
    }
}

impl TryFrom<String> for SeedOrder {
    type Error = UnknownSeedOrder;

    fn try_from(text: String) -> Result<Self, UnknownSeedOrder> {
        text.parse()
    }
}

impl From<SeedOrder> for String {
    fn from(order: SeedOrder) -> String {
        order.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::trace::{Trace, TracePart};

    /// Seeds as `l2 a b a`: linear, two predicates, and the states of the trace.
    fn check(order: &str, seeds: &[&str], expected: &[usize]) {
        let mut transitions = TransitionMatrix::default();
        let facts: Vec<SeedFacts> = seeds
            .iter()
            .map(|seed| {
                let mut trace = Trace::default();
                seed.split(' ').skip(1).for_each(|state| trace.push(state, TracePart::Core));
                SeedFacts {
                    is_linear: seed.starts_with('l'),
                    predicates: seed[1..2].parse().unwrap(),
                    transitions: transitions.learn(&trace),
                }
            })
            .collect();
        let order: SeedOrder = order.parse().unwrap();
        assert_eq!(order.of(&facts, &transitions), expected, "{order}");
    }

    #[test]
    fn seeds_come_by_rarity_or_by_size() {
        let seeds = ["l2 a b a b", "n1 a b", "l3 a c", "n4 a b"];
        check("default", &seeds, &[0, 1, 2, 3]);
        check("complex", &seeds, &[3, 1, 2, 0]);
        check("simple", &seeds, &[0, 2, 1, 3]);
        check("rare", &seeds, &[2, 0, 1, 3]);
    }

    #[test]
    fn groups_come_by_one_and_are_ordered_by_the_other() {
        let seeds = ["l2 a b a b", "n1 a b", "l3 a c", "n4 a b"];
        check("complex+rare", &seeds, &[1, 3, 2, 0]);
        check("simple+rare", &seeds, &[2, 0, 1, 3]);
        check("rare+complex", &seeds, &[2, 0, 3, 1]);
    }

    #[test]
    fn an_order_is_read_as_it_is_written() {
        for text in ["rare", "complex+rare", "default"] {
            assert_eq!(text.parse::<SeedOrder>().unwrap().to_string(), text);
        }
        assert!("rare+".parse::<SeedOrder>().is_err() && "rarest".parse::<SeedOrder>().is_err());
    }
}
