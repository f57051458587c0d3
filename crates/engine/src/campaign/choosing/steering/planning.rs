//! Plans the start of a chain: its seed or kept script, and the arms of its steps.

use super::leased::ChainPlaces;
use super::{PlannedChain, SteeringState};

impl SteeringState {
    /// Plans a chain, unless it was planned before, or made by another shard.
    pub(super) fn plan(&mut self, chain: u64) {
        if self.record.planned.contains_key(&chain) || self.record.ended.contains(&chain) {
            return;
        }
        if let Some(kept) = self.plan_kept(chain) {
            self.record.planned.insert(chain, kept);
            return;
        }
        let mut first = self.choose(chain);
        let mut theory = self.record.arms[first].arm.theory.clone();
        let drawn = self.record.promising.draw(&mut self.stream.child("promising", chain).rng());
        let (seed, visits) = match drawn {
            Some(drawn) => {
                first = self.choose_for(drawn.0, chain).unwrap_or(first);
                theory = self.record.arms[first].arm.theory.clone();
                drawn
            }
            None => self.turn(&theory),
        };
        let fit: Vec<usize> =
            self.fit(seed).filter(|&arm| self.record.arms[arm].arm.theory == theory).collect();
        let mut rng = self.stream.child("steps", chain).rng();
        let mut arms: Vec<usize> =
            (0..self.length).map(|_| self.scheduler.choose_of(&fit, &mut rng)).collect();
        if fit.contains(&first) {
            arms[0] = first;
        }
        self.record.planned.insert(chain, PlannedChain { arms, seed, visits, kept: None });
    }

    /// Plans a chain that starts from a kept script, if it is drawn. Strategies of two parents need the status of a seed, and are left out.
    fn plan_kept(&mut self, chain: u64) -> Option<PlannedChain> {
        let kept = self.record.kept.draw(&mut self.stream.child("kept", chain).rng())?;
        if matches!(self.places, ChainPlaces::AsStarted(_)) {
            self.queue_uses.push(kept.case);
        }
        let fit: Vec<usize> = self.fit(kept.seed).filter(|&arm| !self.joins[arm]).collect();
        let mut rng = self.stream.child("steps", chain).rng();
        let arms = (0..self.length).map(|_| self.scheduler.choose_of(&fit, &mut rng));
        (!fit.is_empty()).then(|| PlannedChain {
            arms: arms.collect(),
            seed: kept.seed,
            visits: kept.chains,
            kept: Some(kept),
        })
    }

    /// The arms that take a seed.
    fn fit(&self, seed: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.record.arms.len()).filter(move |&arm| self.seeds[arm].binary_search(&seed).is_ok())
    }

    /// The arm for a chain of this seed, as the bandit chooses; `None` if no arm takes it.
    fn choose_for(&self, seed: usize, chain: u64) -> Option<usize> {
        let fit: Vec<usize> = self.fit(seed).collect();
        let mut rng = self.stream.child("promising-arm", chain).rng();
        (!fit.is_empty()).then(|| self.scheduler.choose_of(&fit, &mut rng))
    }

    /// The next seed of a theory, or of all theories, and how often it was visited: in rounds, each in its own random order.
    fn turn(&mut self, theory: &Option<String>) -> (usize, u64) {
        let mut order = self.circles[theory].clone();
        let name = theory.as_deref().unwrap_or("all");
        let turns = self.record.turns.entry(name.to_owned()).or_default();
        let (round, place) = (*turns / order.len() as u64, *turns % order.len() as u64);
        *turns += 1;
        self.stream.child(name, 0).child("round", round).rng().shuffle(&mut order);
        (order[place as usize], round)
    }

    /// Each arm once, in any order, then as the bandit chooses.
    fn choose(&self, chain: u64) -> usize {
        let arms = self.record.arms.len();
        if chain < arms as u64 {
            let mut order: Vec<usize> = (0..arms).collect();
            self.stream.child("first", 0).rng().shuffle(&mut order);
            return order[chain as usize];
        }
        self.scheduler.choose(&mut self.stream.child("choice", chain).rng())
    }
}
