//! Performance fuzzing and localization: BanditFuzz's two loops.
//!
//! Algorithm 1 of "BanditFuzz: Fuzzing SMT Solvers with Reinforcement Learning" (VSTTE 2020): a bandit chooses a construct to
//! insert into a script; if the target falls further behind the references, the construct is rewarded and the search continues
//! from the changed script (`climb.rs`). Random, mutational and evolutionary search are baselines. Undecided runs give no reward.
//!
//! There are two records of rewards. The bandit uses those of the paper, where a second slow operator in an already slow script
//! is a failure. The ranking counts only constructs that the script did not have before, because its question is: how likely
//! does this construct make a script slow?
//!
//! The loop knows no solvers: the caller passes a function that measures a script.

mod climb;
pub mod evolve;
pub mod localize;
pub mod panel;
pub mod question;
pub mod score;

use std::collections::HashSet;

use gainsay_smt::Script;

use crate::finding::Finding;
use crate::random::{RandomStream, Rng};
use crate::schedule::{self, Agent, ArmRecord, Scheduler};
use crate::strategy::construct::{Construct, ConstructInserter};
use crate::strategy::generate::{Generator, with_smallest_logic};
use climb::Climb;
use evolve::Population;
use score::{Score, SolveEffort};

/// How the next script is found.
#[derive(Debug, Clone, Copy)]
pub enum SearchMethod {
    /// A bandit chooses a construct to insert into the best script so far.
    Bandit(&'static dyn Agent),
    /// Every script is generated anew.
    Random,
    /// A random construct is inserted into the best script so far.
    Mutational,
    /// The best few scripts are changed, and new ones are added.
    Evolutionary,
}

impl SearchMethod {
    /// The names of all methods.
    pub const METHOD_NAMES: [&'static str; 6] =
        ["thompson", "ucb", "epsilon", "random", "mutational", "evolutionary"];

    /// The method of that name.
    pub fn find(name: &str) -> Option<SearchMethod> {
        match name {
            "random" => Some(SearchMethod::Random),
            "mutational" => Some(SearchMethod::Mutational),
            "evolutionary" => Some(SearchMethod::Evolutionary),
            name => schedule::find(name).map(SearchMethod::Bandit),
        }
    }

    fn agent(self) -> &'static dyn Agent {
        match self {
            SearchMethod::Bandit(agent) => agent,
            _ => schedule::find("random").expect("it is in the list"),
        }
    }
}

/// The settings of a search.
#[derive(Debug, Clone, Copy)]
pub struct SearchPlan {
    /// How the next script is found.
    pub method: SearchMethod,
    /// The limit of each run, in the unit of scores.
    pub limit: f64,
    /// The smallest improvement of a score that counts.
    pub least: f64,
    /// Queries in a row without improvement after which a climb restarts.
    pub patience: u64,
    /// What happens when a script reaches the bound.
    pub bound: AtBound,
    /// How many scripts are kept.
    pub keep: usize,
    /// The factor by which earlier rewards decay, 1 for no decay.
    pub decay: f64,
    /// The random seed.
    pub rng_seed: u64,
}

/// What happens when a script reaches the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtBound {
    /// The search ends.
    Stop,
    /// It restarts from another script.
    GoOn,
}

/// A script among the best.
#[derive(Debug, Clone)]
pub struct KeptScript {
    /// The script.
    pub script: Script,
    /// Its score.
    pub score: Score,
    /// The number of its query.
    pub query: u64,
    /// Its margin.
    pub margin: f64,
    /// Its climb: only the best script of each climb is kept, since the others are similar.
    climb: u64,
}

/// A script that a solver crashed on.
#[derive(Debug, Clone)]
pub struct CrashingScript {
    /// The script.
    pub script: Script,
    /// The number of its query.
    pub query: u64,
    /// The finding.
    pub finding: Finding,
    /// The number of sightings.
    pub seen: u64,
}

/// One query of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueryPoint {
    /// Its number, from 1.
    pub query: u64,
    /// Its margin, if decided.
    pub margin: Option<f64>,
    /// The best margin so far.
    pub best: f64,
}

/// Measures a script; an error ends the search.
pub type ScriptMeasure<'a> = dyn FnMut(&Script) -> Result<Score, String> + 'a;

/// A search for scripts on which the target is slow.
pub struct SlowScriptSearch<'a> {
    generator: &'a Generator,
    constructs: &'a [Construct],
    plan: SearchPlan,
    stream: RandomStream,
    scheduler: Scheduler,
    /// Rewards of constructs in scripts that did not have them before.
    record: ArmRecord,
    climb: Option<Climb>,
    /// The first query of the climb.
    begun: u64,
    population: Population,
    /// The best scripts, the best first.
    pub best: Vec<KeptScript>,
    /// The last scripts of all climbs, for comparisons.
    pub peaks: Vec<Score>,
    /// The results of all queries.
    pub points: Vec<QueryPoint>,
    /// The number of undecided queries, and the reason of the last one.
    pub lost: (u64, String),
    /// Decided queries in which all references solved the script.
    pub comparable: u64,
    /// Crashes, each with the first script that shows it.
    pub crashes: Vec<CrashingScript>,
}

/// Whether a script represents its search in comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Peak {
    Yes,
    No,
}

/// Whether a search continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchStep {
    /// It continues with the next query.
    More,
    /// It ends: the bound is reached.
    Bound,
}

impl<'a> SlowScriptSearch<'a> {
    /// A search over the scripts of a generator and constructs to insert.
    pub fn new(
        generator: &'a Generator,
        constructs: &'a [Construct],
        plan: SearchPlan,
    ) -> SlowScriptSearch<'a> {
        SlowScriptSearch {
            generator,
            constructs,
            plan,
            stream: RandomStream::new(plan.rng_seed),
            scheduler: Scheduler::new(plan.method.agent(), constructs.len()).with_decay(plan.decay),
            record: ArmRecord::new(constructs.len()).with_decay(plan.decay),
            climb: None,
            begun: 0,
            population: Population::default(),
            best: Vec::new(),
            peaks: Vec::new(),
            points: Vec::new(),
            lost: (0, String::new()),
            comparable: 0,
            crashes: Vec::new(),
        }
    }

    /// The rewards of constructs that were new to their script.
    pub fn record(&self) -> &ArmRecord {
        &self.record
    }

    /// The number of queries.
    pub fn queries(&self) -> u64 {
        self.points.len() as u64
    }

    /// Makes one query.
    pub fn step(&mut self, measure: &mut ScriptMeasure<'_>) -> Result<SearchStep, String> {
        let mut rng = self.stream.child("query", self.queries()).rng();
        match self.plan.method {
            SearchMethod::Random => {
                let script = self.fresh(&mut rng);
                let score = measure(&script)?;
                self.note(&script, &score, Peak::Yes);
                Ok(self.next(&score))
            }
            SearchMethod::Evolutionary => self.evolve(&mut rng, measure),
            _ => self.climb(&mut rng, measure),
        }
    }

    fn evolve(&mut self, rng: &mut Rng, measure: &mut ScriptMeasure<'_>) -> Result<SearchStep, String> {
        let parent = self.population.next_parent();
        let script = match parent.and_then(|parent| self.population.script(parent)) {
            Some(parent) => {
                let construct = rng.choose(self.constructs);
                construct.and_then(|construct| self.changed(parent, construct, rng))
            }
            None => None,
        };
        let script = script.unwrap_or_else(|| self.fresh(rng));
        let score = measure(&script)?;
        self.note(&script, &score, Peak::Yes);
        if let Some(margin) = score.margin {
            self.population.add(script, margin, parent);
        }
        Ok(self.next(&score))
    }

    /// A new script of the generator.
    fn fresh(&self, rng: &mut Rng) -> Script {
        const MAX_START_DRAWS: usize = 1000;
        (0..MAX_START_DRAWS)
            .find_map(|_| self.generator.script(rng))
            .expect("a generator makes nearly every script that it tries")
    }

    /// A script with a construct inserted.
    fn changed(&self, script: &Script, construct: &Construct, rng: &mut Rng) -> Option<Script> {
        let habits = &self.generator.settings().habits;
        let inserter = ConstructInserter { operators: self.generator.operators(), habits };
        inserter.insert(script, construct, rng).map(with_smallest_logic)
    }

    /// Counts a query, and keeps its script if it is among the best or a solver crashed on it.
    fn note(&mut self, script: &Script, score: &Score, peak: Peak) {
        let query = self.queries() + 1;
        if let Some(margin) = score.margin {
            self.comparable += u64::from(score.references.iter().all(SolveEffort::is_solved));
            // A margin below the smallest difference may be noise.
            if margin > self.plan.least {
                let climb = if peak == Peak::Yes { query } else { self.begun };
                let kept = KeptScript { script: script.clone(), score: score.clone(), query, margin, climb };
                self.keep(kept);
            }
            if peak == Peak::Yes {
                self.peaks.push(score.clone());
            }
        } else {
            let why = score.efforts().find_map(|effort| match effort {
                SolveEffort::Lost(why) => Some(why.clone()),
                SolveEffort::Crashed(finding) => Some(finding.explanation.clone()),
                _ => None,
            });
            self.lost = (self.lost.0 + 1, why.unwrap_or_default());
        }
        for effort in score.efforts() {
            if let SolveEffort::Crashed(finding) = effort {
                self.crashed(script, query, finding);
            }
        }
        let best = self.best.first().map_or(0.0, |kept| kept.margin);
        self.points.push(QueryPoint { query, margin: score.margin, best });
    }

    fn keep(&mut self, kept: KeptScript) {
        self.best.push(kept);
        self.best.sort_by(|a, b| b.margin.total_cmp(&a.margin).then(a.query.cmp(&b.query)));
        let mut climbs = HashSet::new();
        self.best.retain(|kept| climbs.insert(kept.climb));
        self.best.truncate(self.plan.keep);
    }

    fn crashed(&mut self, script: &Script, query: u64, finding: &Finding) {
        let known = |crash: &&mut CrashingScript| {
            crash.finding.fingerprint == finding.fingerprint && crash.finding.suspects == finding.suspects
        };
        match self.crashes.iter_mut().find(known) {
            Some(crash) => crash.seen += 1,
            None => {
                let (script, finding) = (script.clone(), finding.clone());
                self.crashes.push(CrashingScript { script, query, finding, seen: 1 });
            }
        }
    }

    fn next(&self, score: &Score) -> SearchStep {
        let reached = self.plan.bound == AtBound::Stop && score.is_at_bound(self.plan.limit);
        if reached { SearchStep::Bound } else { SearchStep::More }
    }
}

#[cfg(test)]
mod tests;
