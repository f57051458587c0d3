//! Recipes determine the scripts of a campaign, apart from its seeds.
//!
//! The chain of a case, the seed of a chain, the strategy of a step: all are drawn from streams of the number of the case or
//! chain, and so they never change. `chain.rs` makes the scripts.

use std::collections::BTreeMap;

use gainsay_smt::Script;

use crate::campaign::shard::Shard;
use crate::event::CaseNumber;
use crate::random::{RandomStream, Rng};
use crate::schedule::{Agent, Schedule};
use crate::solver::run::Answer;
use crate::strategy::{ScopeChoice, Strategy, StrategySettings};

use super::drawn_logic::{LogicChoice, with_drawn_logic};
use super::partners::{PartnerDraw, PartnerLibrary};
use super::question_draw::QuestionDraw;
use super::small_seed::{SmallSeed, small_seed};

/// By default one chain in this many is in small scope.
const CHAINS_PER_SMALL_CHAIN: usize = 10;

/// Strategies, streams and chain length of a campaign.
#[derive(Debug)]
pub struct Recipe {
    stream: RandomStream,
    length: u64,
    strategies: Vec<&'static dyn Strategy>,
    /// The strategies by position, each as often as its weight says.
    lots: Vec<usize>,
    schedule: Schedule,
    questions: QuestionDraw,
    logics: LogicChoice,
    shard: Shard,
    /// The operators, functions and bounds for strategies.
    pub settings: StrategySettings,
}

impl Recipe {
    /// A recipe with chains of `length` cases, at least one, and at least one strategy.
    pub fn new(
        rng_seed: u64,
        length: u64,
        strategies: Vec<&'static dyn Strategy>,
        settings: StrategySettings,
    ) -> Recipe {
        assert!(length > 0 && !strategies.is_empty(), "a plan was checked");
        let (stream, schedule) = (RandomStream::new(rng_seed), Schedule::default());
        let (questions, logics, shard) = (QuestionDraw::default(), LogicChoice::default(), Shard::default());
        let lots = (0..strategies.len()).collect();
        Recipe { stream, length, strategies, lots, schedule, questions, logics, shard, settings }
    }

    /// Sets how often each strategy is drawn, by name; others have weight 1.
    #[must_use]
    pub fn weighted(self, weights: &BTreeMap<String, u32>) -> Recipe {
        let weight = |strategy: &dyn Strategy| weights.get(strategy.name()).copied().unwrap_or(1);
        let lots = self.strategies.iter().enumerate();
        let lots = lots.flat_map(|(place, strategy)| (0..weight(*strategy)).map(move |_| place)).collect();
        Recipe { lots, ..self }
    }

    /// Sets the questions that cases ask.
    #[must_use]
    pub fn asking(self, questions: QuestionDraw) -> Recipe {
        Recipe { questions, ..self }
    }

    /// The questions that cases ask.
    pub fn questions(&self) -> &QuestionDraw {
        &self.questions
    }

    /// Sets which logics the scripts name.
    #[must_use]
    pub fn under_logics(self, logics: LogicChoice) -> Recipe {
        Recipe { logics, ..self }
    }

    /// Sets the part of the campaign that is run.
    #[must_use]
    pub fn in_shard(self, shard: Shard) -> Recipe {
        Recipe { shard, ..self }
    }

    /// The part of the campaign that is run.
    pub fn shard(&self) -> Shard {
        self.shard
    }

    /// Sets the schedule, which may have a bandit.
    #[must_use]
    pub fn scheduled(self, schedule: Schedule) -> Recipe {
        Recipe { schedule, ..self }
    }

    /// The bandit that leads, if there is one.
    pub fn agent(&self) -> Option<&'static dyn Agent> {
        self.schedule.agent()
    }

    /// The strategies.
    pub fn strategies(&self) -> &[&'static dyn Strategy] {
        &self.strategies
    }

    /// The strategy of that name, if the recipe has it.
    pub fn find(&self, name: &str) -> Option<&'static dyn Strategy> {
        self.strategies.iter().copied().find(|strategy| strategy.name() == name)
    }

    /// The stream that all others are children of.
    pub fn stream(&self) -> RandomStream {
        self.stream
    }

    /// Returns true if a strategy takes values for the constants of seeds.
    pub fn takes_values(&self) -> bool {
        self.settings.values.asks() && self.strategies.iter().any(|strategy| strategy.varies_seed())
    }

    /// Returns true if a strategy takes two parents.
    pub fn joins(&self) -> bool {
        self.strategies.iter().any(|strategy| strategy.parents() == 2)
    }

    /// Returns true if a strategy needs the statuses of seeds: it takes two parents, promises by them, or preserves the answer.
    pub fn needs_statuses(&self) -> bool {
        self.uses_statuses() || self.keeps_answers()
    }

    /// Returns true if a strategy promises more if it knows the statuses of seeds.
    pub fn uses_statuses(&self) -> bool {
        self.strategies.iter().any(|strategy| strategy.uses_status())
    }

    /// Returns true if a strategy preserves the answer.
    pub fn keeps_answers(&self) -> bool {
        self.strategies.iter().any(|strategy| strategy.keeps_answer())
    }

    /// Returns true if the strategy of that name preserves the answer.
    pub fn keeps_answer(&self, name: &str) -> bool {
        self.strategies.iter().any(|strategy| strategy.name() == name && strategy.keeps_answer())
    }

    /// Returns true if traces of earlier runs decide the starts of chains: every strategy preserves the answer, and no bandit leads.
    pub fn is_guided(&self) -> bool {
        self.agent().is_none() && self.strategies.iter().all(|strategy| strategy.keeps_answer())
    }

    /// Returns true if the start of a chain is recorded, since it does not follow from the chain's number.
    pub fn records_starts(&self) -> bool {
        self.agent().is_some() || self.is_guided()
    }

    /// The chain of a case, and its step in the chain.
    pub fn place_of(&self, case: CaseNumber) -> (u64, u64) {
        (case / self.length, case % self.length)
    }

    /// The cases of a chain.
    pub fn cases_of(&self, chain: u64) -> std::ops::Range<CaseNumber> {
        chain * self.length..(chain + 1) * self.length
    }

    /// The steps of its chain up to a case, which is the last.
    pub fn steps_to(&self, case: CaseNumber) -> Vec<CaseNumber> {
        (self.cases_of(self.place_of(case).0).start..=case).collect()
    }

    /// The number of cases of a chain.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The random stream of a case.
    pub fn stream_of(&self, case: CaseNumber) -> RandomStream {
        self.stream.child("case", case)
    }

    /// The seed of a chain under another logic, if one was drawn for the chain.
    pub(super) fn under_drawn_logic(&self, chain: u64, seed: &Script) -> Option<Script> {
        match self.logics {
            LogicChoice::Own => None,
            LogicChoice::Drawn => with_drawn_logic(seed, &mut self.stream.child("logic", chain).rng()),
        }
    }

    /// The seed of a chain with few values, if the chain is in small scope.
    pub(super) fn small_seed(&self, chain: u64, seed: &Script) -> Option<SmallSeed> {
        let StrategySettings { scope, formats, bounds, .. } = &self.settings;
        let is_small = match scope {
            ScopeChoice::Small => true,
            ScopeChoice::Some => {
                self.stream.child("scope-share", chain).rng().chance(1, CHAINS_PER_SMALL_CHAIN)
            }
            ScopeChoice::Mixed | ScopeChoice::Ordinary => false,
        };
        if !is_small {
            return None;
        }
        let small = small_seed(seed, *formats, &mut self.stream.child("scope", chain).rng());
        small.filter(|small| small.script.to_string().len() <= bounds.bytes)
    }

    /// The strategy of a case, if a bandit chose those of its chain.
    pub fn chosen(&self, case: CaseNumber, strategies: &[String]) -> Option<&'static dyn Strategy> {
        let (_, step) = self.place_of(case);
        self.find(strategies.get(step as usize)?)
    }

    /// Draws the second parent of a case, if its strategy (the chosen one, or a drawn one) takes two.
    pub fn partner_of(
        &self,
        case: CaseNumber,
        chosen: Option<&'static dyn Strategy>,
        (seed, status): (usize, Answer),
        library: &PartnerLibrary<'_>,
    ) -> PartnerDraw {
        let mut rng = self.stream_of(case).rng();
        if self.strategy(chosen, &mut rng).parents() != 2 {
            return PartnerDraw::NoPartner;
        }
        library.draw(seed, status, &mut self.stream_of(case).child("partner", 0).rng())
    }

    /// The strategy of a step: the chosen one, or a drawn one.
    pub(super) fn strategy(
        &self,
        chosen: Option<&'static dyn Strategy>,
        rng: &mut Rng,
    ) -> &'static dyn Strategy {
        chosen.unwrap_or_else(|| self.strategies[self.lots[rng.below(self.lots.len())]])
    }

    /// The drawn strategy, or another strategy of one parent, drawn by weight, if the drawn one does not suit the script.
    pub(super) fn suited(
        &self,
        drawn: &'static dyn Strategy,
        script: &Script,
        rng: &mut Rng,
    ) -> &'static dyn Strategy {
        if drawn.suits(script) {
            return drawn;
        }
        let fits = |place: &&usize| {
            let strategy = self.strategies[**place];
            strategy.parents() == 1 && strategy.suits(script)
        };
        let lots: Vec<&usize> = self.lots.iter().filter(fits).collect();
        rng.choose(&lots).map_or(drawn, |place| self.strategies[**place])
    }

    /// Returns true if the step after one of this strategy, which made this script, starts from the script before both: there are strategies
    /// that lead on, or none can use the script.
    pub(super) fn is_side_step(&self, strategy: &dyn Strategy, made: &Script) -> bool {
        let others_lead_on = || self.strategies.iter().any(|other| other.leads_on());
        let none_suits = || !self.strategies.iter().any(|other| other.suits(made));
        !strategy.leads_on() && (others_lead_on() || none_suits())
    }

    /// The order in which seeds are visited.
    pub fn visits(&self, seeds: usize) -> Visits {
        Visits { stream: self.stream, order: (0..seeds).collect(), round: None }
    }
}

/// The order in which seeds are visited; each worker has its own.
#[derive(Debug, Clone)]
pub struct Visits {
    stream: RandomStream,
    /// The order of the last requested round.
    order: Vec<usize>,
    round: Option<u64>,
}

impl Visits {
    /// The seed of a chain.
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
