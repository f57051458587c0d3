//! The guide orders seeds and weighs mutations by the traces of earlier runs (HornFuzz, section 4).
//!
//! Workers report every run with a trace, and learn at once whether its behaviour was new: a chain without new behaviour ends
//! early. The events that the coordinator counts change the weights of mutations. The seed and the weights of a chain depend on
//! all of that, so they are recorded as the start of the chain, before its first case: a case is a function of its number and the
//! start of its chain.
//!
//! A shard learns alone, and visits all seeds in rounds of its own. Processes that share a store learn from each other's runs; the place of a chain in its round
//! decides its seed, so that no two of them choose the same one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gainsay_smt::Script;
use gainsay_smt::horn::System;

use crate::campaign::choosing::steering::kept::QueuedScript;
use crate::campaign::plan::HornPlan;
use crate::campaign::scripts::recipe::Recipe;
use crate::campaign::shard::Shard;
use crate::event::{BehaviourReport, Event, RunReport};
use crate::feedback::behaviour::{RunBehaviour, SeenBehaviours};
use crate::feedback::order::{SeedFacts, SeedOrder};
use crate::feedback::transitions::TransitionMatrix;
use crate::solver::run::Run;
use crate::store::{Lessons, SharedLessons, StartRecord};
use crate::strategy::horn;
use crate::strategy::mutation_weights::{MutationWeights, TraceNovelty};

/// What runs have shown, and the choices that follow.
#[derive(Debug)]
pub struct Guide {
    state: Mutex<GuideState>,
    order: SeedOrder,
    shard: Shard,
    /// Whether it chooses the starts of chains.
    leads: bool,
}

#[derive(Debug)]
struct GuideState {
    seen: SeenBehaviours,
    weights: MutationWeights,
    /// The weights by the runs of this process alone, if others work on the campaign, too.
    own_weights: Option<MutationWeights>,
    /// Facts about each seed.
    facts: Vec<SeedFacts>,
    transitions: TransitionMatrix,
    /// Seeds from this one on were not probed yet.
    next_unprobed_seed: usize,
    /// The starts of chains that an earlier session has not finished, by their places in the shard.
    begun: BTreeMap<u64, StartRecord>,
    /// The seeds of chains of this round and of the one before it, by the places of the chains.
    taken: BTreeMap<u64, usize>,
    /// The order of seeds in a round.
    round: Option<(u64, Vec<usize>)>,
}

/// The start of a chain.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainStart {
    /// The record.
    pub record: StartRecord,
    /// Whether it is in the store already.
    pub is_recorded: bool,
    /// The script that the chain starts from, if not from its seed.
    pub kept: Option<QueuedScript>,
}

impl Guide {
    /// Resumes from the lessons of earlier sessions, which have ended all chains below a number. It leads if every strategy
    /// preserves the answer.
    pub fn new(plan: &HornPlan, recipe: &Recipe, seeds: usize, (lessons, ended): (Lessons, u64)) -> Guide {
        let (leads, shard) = (recipe.is_guided(), recipe.shard());
        let mut seen = SeenBehaviours::default();
        lessons.seen.into_iter().for_each(|identity| seen.recall(identity));
        let weights = serde_json::from_str(&lessons.weights).ok();
        let state = GuideState {
            seen,
            own_weights: None,
            weights: weights.unwrap_or_else(|| horn::weights(plan.weights)),
            facts: vec![SeedFacts::default(); seeds],
            transitions: TransitionMatrix::default(),
            next_unprobed_seed: if leads && plan.order != SeedOrder::default() { 0 } else { seeds },
            taken: lessons.starts.iter().map(|start| (shard.place_of(start.chain), start.seed)).collect(),
            begun: lessons
                .starts
                .into_iter()
                .map(|start| (shard.place_of(start.chain), start))
                .filter(|(place, _)| *place >= ended)
                .collect(),
            round: None,
        };
        Guide { state: Mutex::new(state), order: plan.order, shard, leads }
    }

    /// Guides one of several processes that work on the campaign.
    #[must_use]
    pub fn leased(self, others: &SharedLessons) -> Self {
        {
            let mut state = self.lock();
            state.own_weights = Some(state.weights.without_runs());
        }
        self.learn_from(others);
        self
    }

    /// Learns what other processes have learnt until now.
    pub fn learn_from(&self, others: &SharedLessons) {
        let mut state = self.lock();
        others.seen.iter().for_each(|identity| state.seen.recall(*identity));
        let Some(own) = state.own_weights.clone() else { return };
        let read = others.weights.iter().filter_map(|text| serde_json::from_str(text).ok());
        let parts: Vec<MutationWeights> = std::iter::once(own).chain(read).collect();
        state.weights = MutationWeights::joined(&parts).unwrap_or_else(|| state.weights.clone());
    }

    /// Returns true if it chooses the starts of chains.
    pub fn leads(&self) -> bool {
        self.leads
    }

    /// Records the behaviour of a run.
    pub fn note(&self, run: &Run) -> BehaviourReport {
        let behaviour = RunBehaviour::of(run);
        let new = self.lock().seen.insert(&behaviour);
        let RunBehaviour { signal, identity, has_unreadable_trace } = behaviour;
        BehaviourReport { rung: signal, identity, new, unreadable: has_unreadable_trace }
    }

    /// A seed to probe before the first chain starts; `None` if all are probed.
    pub fn next_unprobed_seed(&self) -> Option<usize> {
        let mut state = self.lock();
        let seed = state.next_unprobed_seed;
        (seed < state.facts.len()).then(|| {
            state.next_unprobed_seed += 1;
            seed
        })
    }

    /// Learns the facts about a seed from its script and its runs.
    pub fn learn(&self, seed: usize, script: &Script, runs: &[&Run]) {
        let system = System::read(script).ok();
        let trace = runs.iter().filter_map(|run| run.trace.as_ref()).find(|trace| trace.is_usable());
        let mut state = self.lock();
        let transitions = trace.map(|trace| state.transitions.learn(trace)).unwrap_or_default();
        state.facts[seed] = SeedFacts {
            is_linear: system.as_ref().is_none_or(System::is_linear),
            predicates: system.map_or(0, |system| system.predicates.len()),
            transitions,
        };
    }

    /// The start of a chain; `None` if it follows from the chain's number.
    pub fn start(&self, chain: u64) -> Option<ChainStart> {
        if !self.leads {
            return None;
        }
        let place = self.shard.place_of(chain);
        let mut state = self.lock();
        if let Some(record) = state.begun.get(&place) {
            return Some(ChainStart { record: record.clone(), is_recorded: true, kept: None });
        }
        let seed = match state.own_weights {
            None => state.choose(place, self.order),
            Some(_) => state.ranked(place, self.order),
        };
        let record = StartRecord {
            chain,
            seed,
            weights: state.weights.as_drawn(),
            strategies: Vec::new(),
            visits: place / state.facts.len() as u64,
        };
        state.taken.insert(place, seed);
        Some(ChainStart { record, is_recorded: false, kept: None })
    }

    /// Learns from an event that the coordinator has counted.
    pub fn told(&self, event: &Event) {
        if let Event::Case { mutation: Some(mutation), runs, .. } = event {
            let came = if is_new(runs) { TraceNovelty::New } else { TraceNovelty::Known };
            let mut state = self.lock();
            if let Some(pick) = state.weights.find(mutation) {
                state.weights.record(pick, came);
            }
            if let Some(own) = &mut state.own_weights
                && let Some(pick) = own.find(mutation)
            {
                own.record(pick, came);
            }
        }
    }

    /// The weights of mutations for the store, by the runs of this process alone if others work on the campaign, too; `None` if unused.
    pub fn weights(&self) -> Option<String> {
        let state = self.lock();
        let weights = state.own_weights.as_ref().unwrap_or(&state.weights);
        self.leads.then(|| serde_json::to_string(weights).expect("weights are numbers and names"))
    }

    fn lock(&self) -> MutexGuard<'_, GuideState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GuideState {
    /// The seed of a chain whose neighbours other processes start: the order of seeds follows from their own runs, so that all processes have the same.
    fn ranked(&mut self, place: u64, order: SeedOrder) -> usize {
        let seeds = self.facts.len() as u64;
        self.begin_round(place / seeds, order);
        let rank = (place % seeds) as usize;
        self.round.iter().find_map(|(_, order)| order.get(rank).copied()).unwrap_or(rank)
    }

    fn begin_round(&mut self, round: u64, order: SeedOrder) {
        if self.round.as_ref().is_none_or(|(known, _)| *known != round) {
            self.round = Some((round, order.of(&self.facts, &self.transitions)));
            let seeds = self.facts.len() as u64;
            self.taken = self.taken.split_off(&(round.saturating_sub(1) * seeds));
        }
    }

    /// The first seed of the round that no chain of the round has taken.
    fn choose(&mut self, place: u64, order: SeedOrder) -> usize {
        let seeds = self.facts.len() as u64;
        let round = place / seeds;
        self.begin_round(round, order);
        let places = round * seeds..(round + 1) * seeds;
        let taken: BTreeSet<usize> = self.taken.range(places).map(|(_, seed)| *seed).collect();
        let order = self.round.iter().flat_map(|(_, order)| order);
        order.copied().find(|seed| !taken.contains(seed)).unwrap_or((place % seeds) as usize)
    }
}

/// Returns true if one of these runs showed new behaviour.
pub fn is_new(runs: &[RunReport]) -> bool {
    runs.iter().any(|run| run.behaviour.is_some_and(|behaviour| behaviour.new))
}
