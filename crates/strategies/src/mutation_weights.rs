//! Weights of mutations (HornFuzz, section 4.4): all classes of mutations are equally likely, and within a class the
//! probability of a mutation grows with the share of its applications that led to a new trace.
//!
//! Every mutation starts with weight 0.1. After every 1000 runs `w = 0.62·w' + 0.38·p`, where `p` is that share. A
//! mutation that was never applied keeps its weight.

use serde::{Deserialize, Serialize};

use crate::random::Rng;

/// The weight of a mutation before its first update.
const INITIAL_WEIGHT: f64 = 0.1;
/// The share of the old weight in the new one.
const OLD_WEIGHT_SHARE: f64 = 0.62;
/// The share of the observed rate in the new weight.
const OBSERVED_SHARE: f64 = 0.38;
/// Runs between two updates of the weights.
const RUNS_PER_UPDATE: u64 = 1000;

/// How to choose a mutation within its class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MutationChoice {
    /// By weight.
    #[default]
    Weighted,
    /// Uniformly.
    Uniform,
}

/// Whether the run after a mutation had a new trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceNovelty {
    /// A trace that was not seen before.
    New,
    /// Anything else.
    Known,
}

/// A mutation in [`MutationWeights`]: the index of its class, and its index in the class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MutationPick {
    /// The class.
    pub kind: usize,
    /// The mutation within the class.
    pub mutation: usize,
}

/// The weights of all mutations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MutationWeights {
    /// The classes, in the given order.
    pub kinds: Vec<MutationClass>,
    /// How to choose a mutation.
    pub choice: MutationChoice,
    /// Runs recorded.
    pub runs: u64,
}

/// A class of mutations: gainsay's own, rewrites by z3.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MutationClass {
    /// Its name.
    pub name: String,
    /// Its mutations.
    pub mutations: Vec<MutationWeight>,
}

/// A mutation with its weight and its counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MutationWeight {
    /// Its name.
    pub name: String,
    /// Its weight.
    pub weight: f64,
    /// Times it was applied.
    pub applied: u64,
    /// Times that a new trace followed.
    pub new: u64,
}

impl MutationWeight {
    /// The share of applications that led to a new trace; `None` if it was never applied.
    pub fn probability(&self) -> Option<f64> {
        (self.applied > 0).then(|| self.new as f64 / self.applied as f64)
    }
}

impl MutationWeights {
    /// The initial weights of mutations, by class.
    pub fn new<'a, K>(kinds: K, choice: MutationChoice) -> Self
    where
        K: IntoIterator<Item = (&'a str, Vec<String>)>,
    {
        let fresh = |name: String| MutationWeight { name, weight: INITIAL_WEIGHT, applied: 0, new: 0 };
        let kind = |(name, mutations): (&str, Vec<String>)| MutationClass {
            name: name.to_owned(),
            mutations: mutations.into_iter().map(fresh).collect(),
        };
        MutationWeights { kinds: kinds.into_iter().map(kind).collect(), choice, runs: 0 }
    }

    /// The weights after the runs of several processes; `None` if there are none. Counts are added. The order of the runs of different processes is unknown, so
    /// a weight is the one that so many updates with the same share of new traces give: it follows from the sums alone, in whatever order parts are joined.
    pub fn joined(parts: &[MutationWeights]) -> Option<MutationWeights> {
        let (first, rest) = parts.split_first()?;
        let mut sum = first.clone();
        rest.iter().for_each(|part| sum.add_counts(part));
        let updates = i32::try_from(sum.runs / RUNS_PER_UPDATE).unwrap_or(i32::MAX);
        let initial_share = OLD_WEIGHT_SHARE.powi(updates);
        for mutation in sum.kinds.iter_mut().flat_map(|kind| &mut kind.mutations) {
            let learnt = mutation.probability().unwrap_or(INITIAL_WEIGHT);
            mutation.weight = initial_share * INITIAL_WEIGHT + (1.0 - initial_share) * learnt;
        }
        Some(sum)
    }

    /// The same mutations before any run.
    #[must_use]
    pub fn without_runs(&self) -> MutationWeights {
        let mut fresh = MutationWeights { runs: 0, ..self.clone() };
        for mutation in fresh.kinds.iter_mut().flat_map(|kind| &mut kind.mutations) {
            (mutation.weight, mutation.applied, mutation.new) = (INITIAL_WEIGHT, 0, 0);
        }
        fresh
    }

    fn add_counts(&mut self, other: &MutationWeights) {
        self.runs += other.runs;
        for more in &other.kinds {
            let Some(kind) = self.kinds.iter_mut().find(|kind| kind.name == more.name) else {
                self.kinds.push(more.clone());
                continue;
            };
            for row in &more.mutations {
                match kind.mutations.iter_mut().find(|known| known.name == row.name) {
                    Some(known) => {
                        (known.applied, known.new) = (known.applied + row.applied, known.new + row.new);
                    }
                    None => kind.mutations.push(row.clone()),
                }
            }
        }
    }

    /// The mutation with this name.
    pub fn find(&self, name: &str) -> Option<MutationPick> {
        let of_kind = |(kind, rows): (usize, &MutationClass)| {
            let mutation = rows.mutations.iter().position(|row| row.name == name)?;
            Some(MutationPick { kind, mutation })
        };
        self.kinds.iter().enumerate().find_map(of_kind)
    }

    /// What draws depend on, as text: the same between two updates, whatever is counted meanwhile.
    pub fn as_drawn(&self) -> String {
        let mut drawn = MutationWeights { runs: 0, ..self.clone() };
        drawn
            .kinds
            .iter_mut()
            .flat_map(|kind| &mut kind.mutations)
            .for_each(|row| (row.applied, row.new) = (0, 0));
        serde_json::to_string(&drawn).expect("weights are numbers and names")
    }

    /// The weight and counts of a mutation.
    pub fn get(&self, pick: MutationPick) -> &MutationWeight {
        &self.kinds[pick.kind].mutations[pick.mutation]
    }

    /// Draws one of the mutations that fit; `None` if none does.
    pub fn draw(&self, rng: &mut Rng, fits: impl Fn(&MutationWeight) -> bool) -> Option<MutationPick> {
        let of_kind = |kind: usize| -> Vec<MutationPick> {
            let all = self.kinds[kind].mutations.iter().enumerate();
            all.filter(|(_, row)| fits(row)).map(|(mutation, _)| MutationPick { kind, mutation }).collect()
        };
        let mut kinds: Vec<Vec<MutationPick>> = (0..self.kinds.len()).map(of_kind).collect();
        kinds.retain(|picks| !picks.is_empty());
        let picks = rng.choose(&kinds)?;
        match self.choice {
            MutationChoice::Uniform => rng.choose(picks).copied(),
            MutationChoice::Weighted => self.draw_weighted(picks, rng),
        }
    }

    fn draw_weighted(&self, picks: &[MutationPick], rng: &mut Rng) -> Option<MutationPick> {
        let total: f64 = picks.iter().map(|pick| self.get(*pick).weight).sum();
        let mut left = rng.below(1 << 53) as f64 / (1u64 << 53) as f64 * total;
        let hit = picks.iter().find(|pick| {
            left -= self.get(**pick).weight;
            left < 0.0
        });
        // Rounding may leave no hit, and so may weights that are all zero.
        hit.or_else(|| picks.last()).copied()
    }

    /// Records the run after a mutation.
    pub fn record(&mut self, pick: MutationPick, novelty: TraceNovelty) {
        let mutation = &mut self.kinds[pick.kind].mutations[pick.mutation];
        mutation.applied += 1;
        mutation.new += u64::from(novelty == TraceNovelty::New);
        self.runs += 1;
        if self.runs.is_multiple_of(RUNS_PER_UPDATE) {
            self.kinds.iter_mut().flat_map(|kind| &mut kind.mutations).for_each(update_weight);
        }
    }
}

fn update_weight(mutation: &mut MutationWeight) {
    if let Some(probability) = mutation.probability() {
        mutation.weight = OLD_WEIGHT_SHARE * mutation.weight + OBSERVED_SHARE * probability;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;

    const OWN_MUTATION: MutationPick = MutationPick { kind: 0, mutation: 0 };
    const OTHER_MUTATION: MutationPick = MutationPick { kind: 0, mutation: 1 };
    const PARAMETER_MUTATION: MutationPick = MutationPick { kind: 1, mutation: 0 };

    fn weights(choice: MutationChoice) -> MutationWeights {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let kinds =
            [("own", words(&["swap", "dup"])), ("parameters", words(&["slice"])), ("rewrites", vec![])];
        MutationWeights::new(kinds, choice)
    }

    /// How often of 8000 draws each of the three comes up, in hundreds.
    fn drawn(weights: &MutationWeights) -> [usize; 3] {
        let mut rng = RandomStream::new(3).rng();
        let picks: Vec<MutationPick> = (0..8000).map(|_| weights.draw(&mut rng, |_| true).unwrap()).collect();
        [OWN_MUTATION, OTHER_MUTATION, PARAMETER_MUTATION]
            .map(|pick| (picks.iter().filter(|other| **other == pick).count() + 50) / 100)
    }

    #[test]
    fn kinds_have_equal_chances_and_empty_ones_none() {
        let [own, other, parameter] = drawn(&weights(MutationChoice::Weighted));
        assert!(own.abs_diff(20) < 3 && other.abs_diff(20) < 3 && parameter.abs_diff(40) < 3);
    }

    #[test]
    fn weights_move_every_thousand_runs_by_what_was_seen() {
        let mut weights = weights(MutationChoice::Weighted);
        (0..500).for_each(|run| {
            weights.record(OWN_MUTATION, if run < 250 { TraceNovelty::New } else { TraceNovelty::Known });
        });
        (0..499).for_each(|_| weights.record(OTHER_MUTATION, TraceNovelty::Known));
        assert_eq!(
            (weights.get(OWN_MUTATION).weight, weights.get(OTHER_MUTATION).weight),
            (INITIAL_WEIGHT, INITIAL_WEIGHT)
        );
        weights.record(OTHER_MUTATION, TraceNovelty::Known);
        assert_eq!(weights.get(OWN_MUTATION).weight, 0.62 * 0.1 + 0.38 * 0.5);
        assert_eq!(weights.get(OTHER_MUTATION).weight, 0.62 * 0.1);
        assert_eq!(weights.get(PARAMETER_MUTATION).weight, INITIAL_WEIGHT);
        // 0.252 against 0.062.
        let [own, other, _] = drawn(&weights);
        assert!(own.abs_diff(32) < 3 && other.abs_diff(8) < 3, "{own} {other}");
        weights.choice = MutationChoice::Uniform;
        let [own, other, _] = drawn(&weights);
        assert!(own.abs_diff(20) < 3 && other.abs_diff(20) < 3, "{own} {other}");
    }

    #[test]
    fn what_draws_follow_from_is_the_same_until_weights_are_reckoned_again() {
        let mut weights = weights(MutationChoice::Weighted);
        let before = weights.as_drawn();
        (0..999).for_each(|_| weights.record(OWN_MUTATION, TraceNovelty::New));
        assert_eq!(weights.as_drawn(), before);
        weights.record(OWN_MUTATION, TraceNovelty::New);
        assert_ne!(weights.as_drawn(), before);
        let drawn: MutationWeights = serde_json::from_str(&weights.as_drawn()).unwrap();
        assert_eq!(drawn.get(OWN_MUTATION).weight, weights.get(OWN_MUTATION).weight);
        assert_eq!(
            (weights.find(&drawn.get(OTHER_MUTATION).name), weights.find("no")),
            (Some(OTHER_MUTATION), None)
        );
    }

    #[test]
    fn only_what_fits_is_drawn() {
        let weights = weights(MutationChoice::Weighted);
        let mut rng = RandomStream::new(3).rng();
        assert!((0..50).all(|_| weights.draw(&mut rng, |row| row.name == "dup") == Some(OTHER_MUTATION)));
        assert_eq!(weights.draw(&mut rng, |_| false), None);
    }

    #[test]
    fn weights_that_are_all_zero_still_give_a_mutation() {
        let mut weights = weights(MutationChoice::Weighted);
        weights.kinds[0].mutations.iter_mut().for_each(|row| row.weight = 0.0);
        assert!(weights.draw(&mut RandomStream::new(3).rng(), |row| row.name != "slice").is_some());
    }

    #[test]
    fn weights_of_several_processes_follow_from_all_their_runs_in_any_order() {
        let part = |runs: u32, every: u32| {
            let mut weights = weights(MutationChoice::Weighted);
            (0..runs).for_each(|run| {
                let came = if run % every == 0 { TraceNovelty::New } else { TraceNovelty::Known };
                weights.record(if run % 3 == 0 { OTHER_MUTATION } else { OWN_MUTATION }, came);
            });
            weights
        };
        let join = |parts: &[&MutationWeights]| {
            MutationWeights::joined(&parts.iter().copied().cloned().collect::<Vec<_>>()).unwrap()
        };
        let [a, b, c] = [part(700, 2), part(800, 5), part(1600, 7)];
        let all = join(&[&a, &join(&[&b, &c])]);
        assert_eq!(all, join(&[&join(&[&a, &b]), &c]));
        assert_eq!(all, join(&[&c, &b, &a]));
        let (own, applied) = (all.get(OWN_MUTATION), |part: &MutationWeights| part.get(OWN_MUTATION).applied);
        assert_eq!((all.runs, own.applied), (3100, applied(&a) + applied(&b) + applied(&c)));
        assert_eq!(all.get(PARAMETER_MUTATION).weight, INITIAL_WEIGHT, "it was never applied");
        assert!(own.weight > INITIAL_WEIGHT, "three updates");
        // Neither of them alone has made an update.
        assert_eq!(a.get(OWN_MUTATION).weight, INITIAL_WEIGHT);
        assert!(join(&[&a, &b]).get(OWN_MUTATION).weight > INITIAL_WEIGHT);
        assert_eq!(MutationWeights::joined(&[]), None);
    }

    #[test]
    fn weights_survive_being_written() {
        let mut weights = weights(MutationChoice::Weighted);
        (0..1500).for_each(|run| {
            weights.record(OWN_MUTATION, if run % 3 == 0 { TraceNovelty::New } else { TraceNovelty::Known });
        });
        let again: MutationWeights = serde_json::from_str(&serde_json::to_string(&weights).unwrap()).unwrap();
        assert_eq!(again, weights);
    }
}
