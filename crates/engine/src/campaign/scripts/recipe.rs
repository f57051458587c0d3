//! Recipes: what decides the scripts of a campaign, but for its seeds.
//!
//! Which chain a case is in, which seed that begins with, which strategy a step is made by: all drawn from streams that have the
//! number of the case or the chain, and so the same whenever they are asked for. `chain.rs` makes the scripts.

use gainsay_smt::Script;

use crate::event::CaseNumber;
use crate::random::{RandomStream, Rng};
use crate::schedule::{Agent, Schedule};
use crate::solver::run::Answer;
use crate::strategy::{Kit, Strategy};

use super::partners::{PartnerDraw, PartnerLibrary};

/// What decides the scripts of a campaign, but for its seeds.
#[derive(Debug)]
pub struct Recipe {
    stream: RandomStream,
    length: u64,
    strategies: Vec<&'static dyn Strategy>,
    schedule: Schedule,
    /// What strategies draw on.
    pub kit: Kit,
}

impl Recipe {
    /// A recipe with chains of `length` cases, at least one, and at least one strategy.
    pub fn new(rng_seed: u64, length: u64, strategies: Vec<&'static dyn Strategy>, kit: Kit) -> Recipe {
        assert!(length > 0 && !strategies.is_empty(), "a plan was checked");
        Recipe { stream: RandomStream::new(rng_seed), length, strategies, schedule: Schedule::default(), kit }
    }

    /// The same, led by an agent if the schedule has one.
    #[must_use]
    pub fn scheduled(self, schedule: Schedule) -> Recipe {
        Recipe { schedule, ..self }
    }

    /// The agent that leads, if there is one.
    pub fn agent(&self) -> Option<&'static dyn Agent> {
        self.schedule.agent()
    }

    /// The strategies.
    pub fn strategies(&self) -> &[&'static dyn Strategy] {
        &self.strategies
    }

    /// The strategy of that name, if it is one of them.
    pub fn find(&self, name: &str) -> Option<&'static dyn Strategy> {
        self.strategies.iter().copied().find(|strategy| strategy.name() == name)
    }

    /// The stream that all others are children of.
    pub fn stream(&self) -> RandomStream {
        self.stream
    }

    /// Whether a strategy takes values for the constants of seeds.
    pub fn takes_values(&self) -> bool {
        self.kit.values.asks() && self.strategies.iter().any(|strategy| strategy.varies_seed())
    }

    /// Whether a strategy takes two parents.
    pub fn joins(&self) -> bool {
        self.strategies.iter().any(|strategy| strategy.parents() == 2)
    }

    /// Whether a strategy needs to know the statuses of seeds: it takes two parents, or keeps the answer.
    pub fn needs_statuses(&self) -> bool {
        self.joins() || self.keeps_answers()
    }

    /// Whether a strategy keeps the answer.
    pub fn keeps_answers(&self) -> bool {
        self.strategies.iter().any(|strategy| strategy.keeps_answer())
    }

    /// Whether the strategy of that name keeps the answer.
    pub fn keeps_answer(&self, name: &str) -> bool {
        self.strategies.iter().any(|strategy| strategy.name() == name && strategy.keeps_answer())
    }

    /// Whether what runs showed decides how chains are begun: every strategy keeps the answer, so that all that is done is to say the
    /// seeds in other words until a solver does something new. Where an agent leads, it alone decides.
    pub fn is_guided(&self) -> bool {
        self.agent().is_none() && self.strategies.iter().all(|strategy| strategy.keeps_answer())
    }

    /// Whether what a chain is begun with is recorded, and does not follow from its number.
    pub fn records_starts(&self) -> bool {
        self.agent().is_some() || self.is_guided()
    }

    /// The chain of a case, and which of its steps the case is.
    pub fn place_of(&self, case: CaseNumber) -> (u64, u64) {
        (case / self.length, case % self.length)
    }

    /// The cases of a chain.
    pub fn cases_of(&self, chain: u64) -> std::ops::Range<CaseNumber> {
        chain * self.length..(chain + 1) * self.length
    }

    /// The steps of its chain that come to a case, itself the last.
    pub fn steps_to(&self, case: CaseNumber) -> Vec<CaseNumber> {
        (self.cases_of(self.place_of(case).0).start..=case).collect()
    }

    /// Cases of a chain.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The random stream of a case.
    pub fn stream_of(&self, case: CaseNumber) -> RandomStream {
        self.stream.child("case", case)
    }

    /// The strategy of a case, if those of its chain were chosen.
    pub fn chosen(&self, case: CaseNumber, strategies: &[String]) -> Option<&'static dyn Strategy> {
        let (_, step) = self.place_of(case);
        self.find(strategies.get(step as usize)?)
    }

    /// The seed that a case gets as its second parent, if its strategy takes two: the one that was chosen for it, or a drawn one.
    pub fn partner_of(
        &self,
        case: CaseNumber,
        chosen: Option<&'static dyn Strategy>,
        (seed, status): (usize, Answer),
        library: &PartnerLibrary<'_>,
    ) -> PartnerDraw {
        let mut rng = self.stream_of(case).rng();
        if self.strategy(chosen, &mut rng).parents() != 2 {
            return PartnerDraw::Nobody;
        }
        library.draw(seed, status, &mut self.stream_of(case).child("partner", 0).rng())
    }

    /// The strategy of a step: the one that was chosen for it, or a drawn one.
    pub(super) fn strategy(
        &self,
        chosen: Option<&'static dyn Strategy>,
        rng: &mut Rng,
    ) -> &'static dyn Strategy {
        chosen.unwrap_or_else(|| self.strategies[rng.below(self.strategies.len())])
    }

    /// The strategy that was drawn, or another of one parent that is made for scripts like this one.
    pub(super) fn suited(
        &self,
        drawn: &'static dyn Strategy,
        script: &Script,
        rng: &mut Rng,
    ) -> &'static dyn Strategy {
        if drawn.suits(script) {
            return drawn;
        }
        let others =
            self.strategies.iter().filter(|strategy| strategy.parents() == 1 && strategy.suits(script));
        rng.choose(&others.collect::<Vec<_>>()).map_or(drawn, |other| **other)
    }

    /// The order in which so many seeds are visited.
    pub fn visits(&self, seeds: usize) -> Visits {
        Visits { stream: self.stream, order: (0..seeds).collect(), round: None }
    }
}

/// The order in which seeds are visited; each worker has its own.
#[derive(Debug, Clone)]
pub struct Visits {
    stream: RandomStream,
    /// The order of the round that was asked for last.
    order: Vec<usize>,
    round: Option<u64>,
}

impl Visits {
    /// The seed that a chain begins with.
    pub fn seed_of(&mut self, chain: u64) -> usize {
        let seeds = self.order.len() as u64;
        let round = chain / seeds;
        if self.round != Some(round) {
            self.order = (0..self.order.len()).collect();
            self.stream.child("round", round).rng().shuffle(&mut self.order);
            self.round = Some(round);
        }
        self.order[(chain % seeds) as usize]
    }
}
