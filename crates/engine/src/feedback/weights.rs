//! Which mutation comes next (HornFuzz, section 4.4): the kinds of mutations have equal chances, and within a kind a mutation has
//! the more the more often it led to a new trace.
//!
//! Every mutation starts with weight 0.1. After every 1000 runs `w = 0.62·w' + 0.38·p`, where `p` is how many of all its
//! applications led to a new trace. A mutation that was never applied keeps its weight.

use serde::{Deserialize, Serialize};

use crate::random::Rng;

/// The weight of a mutation of which nothing is known.
const START: f64 = 0.1;
/// The share of the old weight in the new one.
const OLD: f64 = 0.62;
/// The share of what was seen.
const SEEN: f64 = 0.38;
/// Runs after which weights are reckoned again.
const PERIOD: u64 = 1000;

/// How a mutation is chosen within its kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    /// By weight.
    #[default]
    Weighted,
    /// All alike.
    Uniform,
}

/// What came of the run after a mutation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Came {
    /// A trace that was not seen before.
    New,
    /// Anything else.
    Known,
}

/// A mutation in [`Weights`]: the numbers of its kind and of itself in there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Pick {
    /// The kind.
    pub kind: usize,
    /// The mutation within the kind.
    pub mutation: usize,
}

/// What is known of all mutations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    /// The kinds, in the order in which they were given.
    pub kinds: Vec<Kind>,
    /// How a mutation is chosen.
    pub choice: Choice,
    /// Runs that were told of.
    pub runs: u64,
}

/// A kind of mutations: own ones, rewrites, parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kind {
    /// The word for it.
    pub name: String,
    /// Its mutations.
    pub mutations: Vec<Mutation>,
}

/// A mutation and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mutation {
    /// The word for it.
    pub name: String,
    /// Its weight.
    pub weight: f64,
    /// How often it was applied.
    pub applied: u64,
    /// How often there was a new trace after it.
    pub new: u64,
}

impl Mutation {
    /// How likely a new trace is after it; nothing if it was never applied.
    pub fn probability(&self) -> Option<f64> {
        (self.applied > 0).then(|| self.new as f64 / self.applied as f64)
    }
}

impl Weights {
    /// Mutations by kind, of which nothing is known.
    pub fn new<'a, K>(kinds: K, choice: Choice) -> Self
    where
        K: IntoIterator<Item = (&'a str, Vec<String>)>,
    {
        let fresh = |name: String| Mutation { name, weight: START, applied: 0, new: 0 };
        let kind = |(name, mutations): (&str, Vec<String>)| Kind {
            name: name.to_owned(),
            mutations: mutations.into_iter().map(fresh).collect(),
        };
        Weights { kinds: kinds.into_iter().map(kind).collect(), choice, runs: 0 }
    }

    /// The mutation of that name.
    pub fn find(&self, name: &str) -> Option<Pick> {
        let of_kind = |(kind, rows): (usize, &Kind)| {
            let mutation = rows.mutations.iter().position(|row| row.name == name)?;
            Some(Pick { kind, mutation })
        };
        self.kinds.iter().enumerate().find_map(of_kind)
    }

    /// What draws follow from, as text: the same between two reckonings, whatever was counted meanwhile.
    pub fn as_drawn(&self) -> String {
        let mut drawn = Weights { runs: 0, ..self.clone() };
        drawn
            .kinds
            .iter_mut()
            .flat_map(|kind| &mut kind.mutations)
            .for_each(|row| (row.applied, row.new) = (0, 0));
        serde_json::to_string(&drawn).expect("weights are numbers and names")
    }

    /// What is known of a mutation.
    pub fn get(&self, pick: Pick) -> &Mutation {
        &self.kinds[pick.kind].mutations[pick.mutation]
    }

    /// Draws one of the mutations that fit; nothing if none does.
    pub fn draw(&self, rng: &mut Rng, fits: impl Fn(&Mutation) -> bool) -> Option<Pick> {
        let of_kind = |kind: usize| -> Vec<Pick> {
            let all = self.kinds[kind].mutations.iter().enumerate();
            all.filter(|(_, row)| fits(row)).map(|(mutation, _)| Pick { kind, mutation }).collect()
        };
        let mut kinds: Vec<Vec<Pick>> = (0..self.kinds.len()).map(of_kind).collect();
        kinds.retain(|picks| !picks.is_empty());
        let picks = rng.choose(&kinds)?;
        match self.choice {
            Choice::Uniform => rng.choose(picks).copied(),
            Choice::Weighted => self.draw_weighted(picks, rng),
        }
    }

    fn draw_weighted(&self, picks: &[Pick], rng: &mut Rng) -> Option<Pick> {
        let total: f64 = picks.iter().map(|pick| self.get(*pick).weight).sum();
        let mut left = rng.below(1 << 53) as f64 / (1u64 << 53) as f64 * total;
        let hit = picks.iter().find(|pick| {
            left -= self.get(**pick).weight;
            left < 0.0
        });
        // Rounding may leave nothing, and so do weights that have all become zero.
        hit.or_else(|| picks.last()).copied()
    }

    /// Takes note of a run after a mutation.
    pub fn told(&mut self, pick: Pick, came: Came) {
        let mutation = &mut self.kinds[pick.kind].mutations[pick.mutation];
        mutation.applied += 1;
        mutation.new += u64::from(came == Came::New);
        self.runs += 1;
        if self.runs.is_multiple_of(PERIOD) {
            self.kinds.iter_mut().flat_map(|kind| &mut kind.mutations).for_each(reckon);
        }
    }
}

fn reckon(mutation: &mut Mutation) {
    if let Some(probability) = mutation.probability() {
        mutation.weight = OLD * mutation.weight + SEEN * probability;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    const OWN: Pick = Pick { kind: 0, mutation: 0 };
    const OTHER: Pick = Pick { kind: 0, mutation: 1 };
    const PARAMETER: Pick = Pick { kind: 1, mutation: 0 };

    fn weights(choice: Choice) -> Weights {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let kinds =
            [("own", words(&["swap", "dup"])), ("parameters", words(&["slice"])), ("rewrites", vec![])];
        Weights::new(kinds, choice)
    }

    /// How often of 8000 each of the three is drawn, in hundreds.
    fn drawn(weights: &Weights) -> [usize; 3] {
        let mut rng = Stream::new(3).rng();
        let picks: Vec<Pick> = (0..8000).map(|_| weights.draw(&mut rng, |_| true).unwrap()).collect();
        [OWN, OTHER, PARAMETER].map(|pick| (picks.iter().filter(|other| **other == pick).count() + 50) / 100)
    }

    #[test]
    fn kinds_have_equal_chances_and_empty_ones_none() {
        let [own, other, parameter] = drawn(&weights(Choice::Weighted));
        assert!(own.abs_diff(20) < 3 && other.abs_diff(20) < 3 && parameter.abs_diff(40) < 3);
    }

    #[test]
    fn weights_move_every_thousand_runs_by_what_was_seen() {
        let mut weights = weights(Choice::Weighted);
        (0..500).for_each(|run| weights.told(OWN, if run < 250 { Came::New } else { Came::Known }));
        (0..499).for_each(|_| weights.told(OTHER, Came::Known));
        assert_eq!((weights.get(OWN).weight, weights.get(OTHER).weight), (START, START));
        weights.told(OTHER, Came::Known);
        assert_eq!(weights.get(OWN).weight, 0.62 * 0.1 + 0.38 * 0.5);
        assert_eq!(weights.get(OTHER).weight, 0.62 * 0.1);
        assert_eq!(weights.get(PARAMETER).weight, START);
        // 0.252 against 0.062.
        let [own, other, _] = drawn(&weights);
        assert!(own.abs_diff(32) < 3 && other.abs_diff(8) < 3, "{own} {other}");
        weights.choice = Choice::Uniform;
        let [own, other, _] = drawn(&weights);
        assert!(own.abs_diff(20) < 3 && other.abs_diff(20) < 3, "{own} {other}");
    }

    #[test]
    fn what_draws_follow_from_is_the_same_until_weights_are_reckoned_again() {
        let mut weights = weights(Choice::Weighted);
        let before = weights.as_drawn();
        (0..999).for_each(|_| weights.told(OWN, Came::New));
        assert_eq!(weights.as_drawn(), before);
        weights.told(OWN, Came::New);
        assert_ne!(weights.as_drawn(), before);
        let drawn: Weights = serde_json::from_str(&weights.as_drawn()).unwrap();
        assert_eq!(drawn.get(OWN).weight, weights.get(OWN).weight);
        assert_eq!((weights.find(&drawn.get(OTHER).name), weights.find("no")), (Some(OTHER), None));
    }

    #[test]
    fn only_what_fits_is_drawn() {
        let weights = weights(Choice::Weighted);
        let mut rng = Stream::new(3).rng();
        assert!((0..50).all(|_| weights.draw(&mut rng, |row| row.name == "dup") == Some(OTHER)));
        assert_eq!(weights.draw(&mut rng, |_| false), None);
    }

    #[test]
    fn weights_that_are_all_zero_still_give_a_mutation() {
        let mut weights = weights(Choice::Weighted);
        weights.kinds[0].mutations.iter_mut().for_each(|row| row.weight = 0.0);
        assert!(weights.draw(&mut Stream::new(3).rng(), |row| row.name != "slice").is_some());
    }

    #[test]
    fn weights_survive_being_written() {
        let mut weights = weights(Choice::Weighted);
        (0..1500).for_each(|run| weights.told(OWN, if run % 3 == 0 { Came::New } else { Came::Known }));
        let again: Weights = serde_json::from_str(&serde_json::to_string(&weights).unwrap()).unwrap();
        assert_eq!(again, weights);
    }
}
