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
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct PromisingSeeds {
    seeds: BTreeMap<usize, PromisingSeed>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
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

    /// Draws the seed of a chain by worth, and tells how often it was drawn before; `None` if all seeds have their turn.
    pub fn draw(&mut self, rng: &mut Rng) -> Option<(usize, u64)> {
        if self.seeds.is_empty() || !rng.chance(PROMISING_QUARTERS, 4) {
            return None;
        }
        let weight = |seed: &PromisingSeed| (seed.worth * WEIGHT_OF_RARE_CODE).ceil().max(1.0) as usize;
        let mut drawn = rng.below(self.seeds.values().map(weight).sum());
        let (number, seed) = self.seeds.iter_mut().find(|(_, seed)| {
            let is_drawn = drawn < weight(seed);
            drawn = drawn.saturating_sub(weight(seed));
            is_drawn
        })?;
        seed.chains += 1;
        Some((*number, seed.chains - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;

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
