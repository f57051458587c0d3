//! The guide: what runs of a campaign showed so far, and what follows from it for the chains to come (HornFuzz, section 4).
//!
//! Workers tell it of every run whose way was looked at, and learn at once whether that way was new: a chain that shows nothing
//! new ends early. What the coordinator has counted moves the weights of mutations. The seed and the weights that a chain is begun with
//! depend on all of that, so they are recorded as its start, before any case of it: a case follows from its number and the start of its chain.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gainsay_smt::Script;
use gainsay_smt::horn::System;

use crate::campaign::plan::HornPlan;
use crate::campaign::scripts::recipe::Recipe;
use crate::event::{BehaviourReport, Event, RunReport};
use crate::feedback::behaviour::{RunBehaviour, SeenBehaviours};
use crate::feedback::order::{SeedFacts, SeedOrder};
use crate::feedback::transitions::TransitionMatrix;
use crate::feedback::weights::{MutationWeights, TraceNovelty};
use crate::solver::run::Run;
use crate::store::{Lessons, StartRecord};
use crate::strategy::horn;

/// What was seen, and what follows from it.
#[derive(Debug)]
pub struct Guide {
    state: Mutex<GuideState>,
    order: SeedOrder,
    /// Whether chains are begun by it, and not in rounds that follow from numbers.
    leads: bool,
}

#[derive(Debug)]
struct GuideState {
    seen: SeenBehaviours,
    weights: MutationWeights,
    /// What is known of each seed.
    facts: Vec<SeedFacts>,
    transitions: TransitionMatrix,
    /// Seeds from this one on were not looked at yet.
    next_unprobed_seed: usize,
    /// What chains were begun with that an earlier session has not ended.
    begun: BTreeMap<u64, StartRecord>,
    /// The seeds of chains of this round and of the one before it.
    taken: BTreeMap<u64, usize>,
    /// The order of seeds in a round.
    round: Option<(u64, Vec<usize>)>,
}

/// What a chain is begun with.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainStart {
    /// As it is recorded.
    pub record: StartRecord,
    /// Whether it was recorded before.
    pub is_recorded: bool,
}

impl Guide {
    /// For so many seeds, with what earlier sessions have learnt, which have ended all chains below a number. It leads if every
    /// strategy keeps the answer.
    pub fn new(plan: &HornPlan, recipe: &Recipe, seeds: usize, (lessons, ended): (Lessons, u64)) -> Guide {
        let leads = recipe.is_guided();
        let mut seen = SeenBehaviours::default();
        lessons.seen.into_iter().for_each(|identity| seen.recall(identity));
        let weights = serde_json::from_str(&lessons.weights).ok();
        let state = GuideState {
            seen,
            weights: weights.unwrap_or_else(|| horn::weights(plan.weights)),
            facts: vec![SeedFacts::default(); seeds],
            transitions: TransitionMatrix::default(),
            next_unprobed_seed: if leads && plan.order != SeedOrder::default() { 0 } else { seeds },
            taken: lessons.starts.iter().map(|start| (start.chain, start.seed)).collect(),
            begun: lessons
                .starts
                .into_iter()
                .filter(|start| start.chain >= ended)
                .map(|start| (start.chain, start))
                .collect(),
            round: None,
        };
        Guide { state: Mutex::new(state), order: plan.order, leads }
    }

    /// Whether chains are begun by it.
    pub fn leads(&self) -> bool {
        self.leads
    }

    /// Takes note of the way of a run.
    pub fn note(&self, run: &Run) -> BehaviourReport {
        let behaviour = RunBehaviour::of(run);
        let new = self.lock().seen.insert(&behaviour);
        let RunBehaviour { signal, identity, has_unreadable_trace } = behaviour;
        BehaviourReport { rung: signal, identity, new, unreadable: has_unreadable_trace }
    }

    /// A seed that has to be looked at before the first chain is begun; nothing if there is none left.
    pub fn next_unprobed_seed(&self) -> Option<usize> {
        let mut state = self.lock();
        let seed = state.next_unprobed_seed;
        (seed < state.facts.len()).then(|| {
            state.next_unprobed_seed += 1;
            seed
        })
    }

    /// Learns what a seed is, and what a solver did with it.
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

    /// What a chain is begun with, if that does not follow from its number.
    pub fn start(&self, chain: u64) -> Option<ChainStart> {
        if !self.leads {
            return None;
        }
        let mut state = self.lock();
        if let Some(record) = state.begun.get(&chain) {
            return Some(ChainStart { record: record.clone(), is_recorded: true });
        }
        let seed = state.choose(chain, self.order);
        let record = StartRecord {
            chain,
            seed,
            weights: state.weights.as_drawn(),
            strategies: Vec::new(),
            visits: chain / state.facts.len() as u64,
        };
        state.taken.insert(chain, seed);
        Some(ChainStart { record, is_recorded: false })
    }

    /// Takes note of what the coordinator has counted.
    pub fn told(&self, event: &Event) {
        if let Event::Case { mutation: Some(mutation), runs, .. } = event {
            let came = if is_new(runs) { TraceNovelty::New } else { TraceNovelty::Known };
            let mut state = self.lock();
            if let Some(pick) = state.weights.find(mutation) {
                state.weights.record(pick, came);
            }
        }
    }

    /// What is known of mutations, as it is recorded; nothing if nobody will ask.
    pub fn weights(&self) -> Option<String> {
        self.leads
            .then(|| serde_json::to_string(&self.lock().weights).expect("weights are numbers and names"))
    }

    fn lock(&self) -> MutexGuard<'_, GuideState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GuideState {
    /// The first seed of the round that no chain of the round has.
    fn choose(&mut self, chain: u64, order: SeedOrder) -> usize {
        let seeds = self.facts.len() as u64;
        let round = chain / seeds;
        if self.round.as_ref().is_none_or(|(known, _)| *known != round) {
            self.round = Some((round, order.of(&self.facts, &self.transitions)));
            self.taken = self.taken.split_off(&(round.saturating_sub(1) * seeds));
        }
        let chains = round * seeds..(round + 1) * seeds;
        let taken: BTreeSet<usize> = self.taken.range(chains).map(|(_, seed)| *seed).collect();
        let order = self.round.iter().flat_map(|(_, order)| order);
        order.copied().find(|seed| !taken.contains(seed)).unwrap_or((chain % seeds) as usize)
    }
}

/// Whether one of these runs took a way that none had taken before.
pub fn is_new(runs: &[RunReport]) -> bool {
    runs.iter().any(|run| run.behaviour.is_some_and(|behaviour| behaviour.new))
}
