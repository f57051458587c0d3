//! Seeds that reach changed code, for campaigns that are led by a change: most chains start with one of them.
//!
//! The worth of a seed is the rarity of what its cases reach: changed functions that many runs reach count little, so that seeds of
//! changed functions that few runs reach come often. The other chains visit all seeds in turn, which tells their worth.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::random::Rng;

/// In how many of 4 chains a promising seed is chosen, if there is one.
const PROMISING_QUARTERS: usize = 3;

/// The weight of a seed whose cases reach a changed function that no other run reaches.
const WEIGHT_OF_RARE_CODE: f64 = 1000.0;

/// The seeds that reach changed code, by number.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PromisingSeeds {
    seeds: BTreeMap<usize, PromisingSeed>,
    /// The worth of seeds to other processes that work on the campaign.
    #[serde(skip)]
    worth_to_others: BTreeMap<usize, f64>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct PromisingSeed {
    /// The mean rarity of the changed code that its cases reach; late cases count more.
    worth: f64,
    /// The number of chains that it was chosen for.
    chains: u64,
}

impl PromisingSeeds {
    /// Learns from the rarity of the changed code that a case of a seed reached.
    pub fn learn(&mut self, seed: usize, rarity: f64) {
        if rarity > 0.0 || self.seeds.contains_key(&seed) {
            let known = self.seeds.entry(seed).or_insert(PromisingSeed { worth: rarity, chains: 0 });
            known.worth = f64::midpoint(known.worth, rarity);
        }
    }

    /// Learns the worth of seeds to other processes, as they know it now.
    pub fn learn_from<'a>(&mut self, others: impl IntoIterator<Item = &'a PromisingSeeds>) {
        self.worth_to_others.clear();
        for (number, seed) in others.into_iter().flat_map(|other| &other.seeds) {
            let worth = self.worth_to_others.entry(*number).or_insert(seed.worth);
            *worth = worth.max(seed.worth);
        }
    }

    /// Joins those of another part of the campaign.
    pub fn join(&mut self, other: PromisingSeeds) {
        for (number, more) in other.seeds {
            let known = self.seeds.entry(number).or_default();
            (known.worth, known.chains) = (known.worth.max(more.worth), known.chains + more.chains);
        }
    }

    /// Draws the seed of a chain by worth, and tells how often it was drawn before; `None` if all seeds have their turn.
    pub fn draw(&mut self, rng: &mut Rng) -> Option<(usize, u64)> {
        let weights = self.weights();
        if weights.is_empty() || !rng.chance(PROMISING_QUARTERS, 4) {
            return None;
        }
        let mut drawn = rng.below(weights.iter().map(|(_, weight)| weight).sum());
        let (number, _) = weights.into_iter().find(|(_, weight)| {
            let is_drawn = drawn < *weight;
            drawn = drawn.saturating_sub(*weight);
            is_drawn
        })?;
        let worth = self.worth_to_others.get(&number).copied().unwrap_or_default();
        let seed = self.seeds.entry(number).or_insert(PromisingSeed { worth, chains: 0 });
        seed.chains += 1;
        Some((number, seed.chains - 1))
    }

    /// The weights of all seeds that are known to be promising, here or to other processes, in the order of their numbers.
    fn weights(&self) -> Vec<(usize, usize)> {
        let mut worth: BTreeMap<usize, f64> = self.worth_to_others.clone();
        for (number, seed) in &self.seeds {
            worth
                .entry(*number)
                .and_modify(|worth| *worth = f64::midpoint(*worth, seed.worth))
                .or_insert(seed.worth);
        }
        let weight = |worth: f64| (worth * WEIGHT_OF_RARE_CODE).ceil().max(1.0) as usize;
        worth.into_iter().map(|(number, worth)| (number, weight(worth))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;

    #[test]
    fn seeds_that_other_processes_found_promising_are_drawn_too() {
        let (mut own, mut other) = (PromisingSeeds::default(), PromisingSeeds::default());
        other.learn(5, 1.0);
        own.learn_from([&other]);
        let mut rng = RandomStream::new(1).rng();
        let drawn: Vec<(usize, u64)> = (0..40).filter_map(|_| own.draw(&mut rng)).collect();
        assert!(drawn.len() > 20 && drawn.iter().all(|(seed, _)| *seed == 5), "{drawn:?}");
        assert_eq!(drawn.last().unwrap().1, drawn.len() as u64 - 1, "visits are counted");
        let mut joined = PromisingSeeds::default();
        joined.learn(5, 0.25);
        joined.join(other);
        assert_eq!((joined.seeds[&5].worth, joined.seeds.len()), (1.0, 1));
    }

    #[test]
    fn seeds_of_rare_code_are_drawn_more_often_and_others_have_their_turn() {
        let mut seeds = PromisingSeeds::default();
        let mut rng = RandomStream::new(1).rng();
        assert_eq!(seeds.draw(&mut rng), None);
        seeds.learn(3, 0.0);
        seeds.learn(4, 0.01);
        seeds.learn(7, 1.0);
        let drawn: Vec<Option<usize>> =
            (0..400).map(|_| seeds.draw(&mut rng).map(|(seed, _)| seed)).collect();
        let count = |seed| drawn.iter().filter(|drawn| **drawn == seed).count();
        assert_eq!(count(Some(3)), 0);
        assert!(count(Some(7)) > 20 * count(Some(4)), "{drawn:?}");
        assert!((50..150).contains(&count(None)), "{drawn:?}");
    }
}
