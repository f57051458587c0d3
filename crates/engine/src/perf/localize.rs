//! Localization: which constructs correlate with wrong answers, Algorithm 2 of BanditFuzz.
//!
//! A bandit chooses a construct to insert into a new script. If the script shows a finding with the construct and none without
//! it, the construct is rewarded. Findings are those of our oracles, with evidence, never a mere difference; undecided scripts
//! give no reward. The paper runs the script without the construct first; most scripts are fine, so running it second saves
//! most of these queries.
//!
//! The baselines are those of section 5.1: `random` looks at new scripts alone, `mutational` takes any construct. The paper has no
//! evolutionary one here, since a script is wrong or it is not. Ours changes scripts that were wrong again, and
//! so finds many that are wrong in the same way: compare fingerprints, not scripts.

use std::collections::HashSet;

use gainsay_smt::Script;

use super::SearchMethod;
use super::evolve::Population;
use crate::finding::Finding;
use crate::random::{RandomStream, Rng};
use crate::schedule::{ArmRecord, Reward, Scheduler};
use crate::strategy::construct::{Construct, ConstructInserter};
use crate::strategy::generate::{Generator, with_smallest_logic};

/// The judgement of the oracles on a script.
#[derive(Debug, Clone, PartialEq)]
pub enum OracleJudgement {
    /// Findings in the target.
    Wrong(Vec<Finding>),
    /// Findings only in references, which tell nothing about the target.
    Aside(Vec<Finding>),
    /// No finding.
    Fine,
    /// Undecided, for this reason.
    Undecided(String),
}

/// Judges a script; an error ends the search.
pub type ScriptJudge<'a> = dyn FnMut(&Script) -> Result<OracleJudgement, String> + 'a;

/// A script with a finding.
#[derive(Debug, Clone)]
pub struct WrongScript {
    /// The script.
    pub script: Script,
    /// The findings.
    pub findings: Vec<Finding>,
    /// The number of its query.
    pub query: u64,
    /// The construct that was inserted last.
    pub construct: Option<usize>,
}

/// A search for constructs that correlate with wrong answers.
pub struct Localization<'a> {
    generator: &'a Generator,
    constructs: &'a [Construct],
    method: SearchMethod,
    stream: RandomStream,
    scheduler: Scheduler,
    population: Population,
    /// The texts of scripts that were kept.
    texts: HashSet<String>,
    steps: u64,
    /// The script before the last change, if something was wrong after it, and the construct.
    before: Option<(Script, usize)>,
    /// Queries so far.
    pub queries: u64,
    /// Scripts that show something wrong, each once.
    pub triggers: Vec<WrongScript>,
    /// Scripts that show something wrong with a reference only.
    pub aside: Vec<WrongScript>,
    /// Queries that the oracles could not decide, and the reason for the last of them.
    pub undecided: (u64, String),
}

impl<'a> Localization<'a> {
    /// A search over the scripts of a generator and constructs to insert.
    pub fn new(
        generator: &'a Generator,
        constructs: &'a [Construct],
        method: SearchMethod,
        decay: f64,
        rng_seed: u64,
    ) -> Localization<'a> {
        Localization {
            generator,
            constructs,
            method,
            stream: RandomStream::new(rng_seed),
            scheduler: Scheduler::new(method.agent(), constructs.len()).with_decay(decay),
            population: Population::default(),
            texts: HashSet::new(),
            steps: 0,
            before: None,
            queries: 0,
            triggers: Vec::new(),
            aside: Vec::new(),
            undecided: (0, String::new()),
        }
    }

    /// The rewards of the constructs.
    pub fn record(&self) -> &ArmRecord {
        self.scheduler.record()
    }

    /// Makes one query: a new script with a construct, or the last one without it.
    pub fn step(&mut self, judge: &mut ScriptJudge<'_>) -> Result<(), String> {
        let mut rng = self.stream.child("step", self.steps).rng();
        self.steps += 1;
        if matches!(self.method, SearchMethod::Evolutionary) {
            return self.evolve(&mut rng, judge);
        }
        if let Some((before, arm)) = self.before.take() {
            // If the script is wrong without the construct, too, the construct gets no reward.
            if self.judged(&before, None, judge)? == OracleJudgement::Fine {
                self.scheduler.learn(arm, Reward::Success);
            }
            return Ok(());
        }
        let Some(script) = self.generator.script(&mut rng) else { return Ok(()) };
        if matches!(self.method, SearchMethod::Random) {
            return self.judged(&script, None, judge).map(drop);
        }
        let arm = self.scheduler.choose(&mut rng);
        let Some(changed) = self.changed(&script, arm, &mut rng) else { return Ok(()) };
        match self.judged(&changed, Some(arm), judge)? {
            OracleJudgement::Fine => self.scheduler.learn(arm, Reward::Failure),
            OracleJudgement::Wrong(_) => self.before = Some((script, arm)),
            OracleJudgement::Undecided(_) | OracleJudgement::Aside(_) => {}
        }
        Ok(())
    }

    /// A query of the evolutionary baseline, in which wrong answers survive.
    fn evolve(&mut self, rng: &mut Rng, judge: &mut ScriptJudge<'_>) -> Result<(), String> {
        let parent = self.population.next_parent();
        let changed = parent.and_then(|parent| self.population.script(parent)).and_then(|script| {
            let arm = rng.below(self.constructs.len());
            Some((self.changed(script, arm, rng)?, Some(arm)))
        });
        let Some((script, arm)) = changed.or_else(|| Some((self.generator.script(rng)?, None))) else {
            return Ok(());
        };
        let fitness = match self.judged(&script, arm, judge)? {
            OracleJudgement::Wrong(_) => 1.0,
            OracleJudgement::Fine => 0.0,
            OracleJudgement::Undecided(_) | OracleJudgement::Aside(_) => return Ok(()),
        };
        self.population.add(script, fitness, parent);
        Ok(())
    }

    /// A script with a construct inserted.
    fn changed(&self, script: &Script, arm: usize, rng: &mut Rng) -> Option<Script> {
        let habits = &self.generator.settings().habits;
        let inserter = ConstructInserter { operators: self.generator.operators(), habits };
        inserter.insert(script, &self.constructs[arm], rng).map(with_smallest_logic)
    }

    /// Judges a script with an inserted construct, and keeps it if it shows a finding.
    fn judged(
        &mut self,
        script: &Script,
        construct: Option<usize>,
        judge: &mut ScriptJudge<'_>,
    ) -> Result<OracleJudgement, String> {
        self.queries += 1;
        let seen = judge(script)?;
        match &seen {
            OracleJudgement::Undecided(why) => self.undecided = (self.undecided.0 + 1, why.clone()),
            OracleJudgement::Wrong(findings) | OracleJudgement::Aside(findings)
                if self.texts.insert(script.to_string()) =>
            {
                let list = if matches!(seen, OracleJudgement::Wrong(_)) {
                    &mut self.triggers
                } else {
                    &mut self.aside
                };
                let (script, findings) = (script.clone(), findings.clone());
                list.push(WrongScript { script, findings, query: self.queries, construct });
            }
            OracleJudgement::Wrong(_) | OracleJudgement::Aside(_) | OracleJudgement::Fine => {}
        }
        Ok(seen)
    }
}
