//! Which seeds come first (HornFuzz, section 4.3).
//!
//! | heuristic | first comes |
//! |---|---|
//! | `default` | what was given first |
//! | `rare` | what made the rarest transitions: the largest `k` of [`Transitions::priority`] |
//! | `complex` | non-linear before linear, then the one with more predicates |
//! | `simple` | the inverse of `complex` |
//!
//! Two may be combined, `complex+rare`: groups by the first, each ordered by the second. What has equal rights keeps the order in which it was
//! given.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::transitions::{Steps, Transitions};

/// What is known of a seed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Whether no clause has more than one predicate in its body.
    pub is_linear: bool,
    /// How many uninterpreted predicates there are.
    pub predicates: usize,
    /// The transitions that the solver made; none where there is no trace.
    pub transitions: Steps,
}

/// A way to prefer seeds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Heuristic {
    /// As they were given.
    #[default]
    Default,
    /// Those with rare transitions.
    Rare,
    /// Those that are hard.
    Complex,
    /// Those that are quick.
    Simple,
}

impl Heuristic {
    /// All of them.
    pub const ALL: [Heuristic; 4] =
        [Heuristic::Default, Heuristic::Rare, Heuristic::Complex, Heuristic::Simple];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Heuristic::Default => "default",
            Heuristic::Rare => "rare",
            Heuristic::Complex => "complex",
            Heuristic::Simple => "simple",
        }
    }
}

/// A heuristic, or two: groups by the first, each ordered by the second.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Order {
    /// What makes groups; all seeds are one group without it.
    pub groups: Option<Heuristic>,
    /// The order within a group.
    pub within: Heuristic,
}

impl Order {
    /// The numbers of the seeds, the first to come first.
    pub fn of(self, seeds: &[Facts], transitions: &Transitions) -> Vec<usize> {
        let keys: Vec<Key> = seeds.iter().map(|facts| Key::new(facts, transitions)).collect();
        let mut order: Vec<usize> = (0..seeds.len()).collect();
        order.sort_by(|&one, &two| {
            let (one, two) = (&keys[one], &keys[two]);
            let groups = self.groups.map_or(Ordering::Equal, |groups| one.group(groups, two));
            groups.then_with(|| one.compare(self.within, two))
        });
        order
    }
}

/// What seeds are compared by.
struct Key {
    is_linear: bool,
    predicates: usize,
    rarity: f64,
}

impl Key {
    fn new(facts: &Facts, transitions: &Transitions) -> Self {
        let rarity = transitions.priority(&facts.transitions);
        Key { is_linear: facts.is_linear, predicates: facts.predicates, rarity }
    }

    fn compare(&self, heuristic: Heuristic, other: &Key) -> Ordering {
        let complex = |key: &Key| (!key.is_linear, key.predicates);
        match heuristic {
            Heuristic::Default => Ordering::Equal,
            Heuristic::Rare => other.rarity.total_cmp(&self.rarity),
            Heuristic::Complex => complex(other).cmp(&complex(self)),
            Heuristic::Simple => complex(self).cmp(&complex(other)),
        }
    }

    /// The same for groups, which need not be small: linear or not, and the power of two of how rare.
    fn group(&self, heuristic: Heuristic, other: &Key) -> Ordering {
        let power = |key: &Key| if key.rarity < 1.0 { 0 } else { (key.rarity as u64).ilog2() + 1 };
        match heuristic {
            Heuristic::Default => Ordering::Equal,
            Heuristic::Rare => power(other).cmp(&power(self)),
            Heuristic::Complex => self.is_linear.cmp(&other.is_linear),
            Heuristic::Simple => other.is_linear.cmp(&self.is_linear),
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(groups) = self.groups {
            write!(f, "{}+", groups.name())?;
        }
        f.write_str(self.within.name())
    }
}

/// A text that is no order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no order; there are default, rare, complex and simple, and two of them, as in complex+rare"
)]
pub struct UnknownOrder(String);

impl FromStr for Order {
    type Err = UnknownOrder;

    fn from_str(text: &str) -> Result<Self, UnknownOrder> {
        let known = |word: &str| Heuristic::ALL.into_iter().find(|heuristic| heuristic.name() == word);
        let order = match text.split_once('+') {
            Some((groups, within)) => known(groups)
                .zip(known(within))
                .map(|(groups, within)| Order { groups: Some(groups), within }),
            None => known(text).map(|within| Order { groups: None, within }),
        };
        order.ok_or_else(|| UnknownOrder(text.to_owned()))
    }
}

impl TryFrom<String> for Order {
    type Error = UnknownOrder;

    fn try_from(text: String) -> Result<Self, UnknownOrder> {
        text.parse()
    }
}

impl From<Order> for String {
    fn from(order: Order) -> String {
        order.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::trace::{Part, Trace};

    /// Seeds as `l2 a b a`: linear, two predicates, and the states of the trace.
    fn check(order: &str, seeds: &[&str], expected: &[usize]) {
        let mut transitions = Transitions::default();
        let facts: Vec<Facts> = seeds
            .iter()
            .map(|seed| {
                let mut trace = Trace::default();
                seed.split(' ').skip(1).for_each(|state| trace.push(state, Part::Core));
                Facts {
                    is_linear: seed.starts_with('l'),
                    predicates: seed[1..2].parse().unwrap(),
                    transitions: transitions.learn(&trace),
                }
            })
            .collect();
        let order: Order = order.parse().unwrap();
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
            assert_eq!(text.parse::<Order>().unwrap().to_string(), text);
        }
        assert!("rare+".parse::<Order>().is_err() && "rarest".parse::<Order>().is_err());
    }
}
