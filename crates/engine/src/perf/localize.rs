//! Localization: which constructs go with wrong answers, Algorithm 2 of BanditFuzz.
//!
//! A new script that shows something wrong is kept, and teaches nothing of constructs. One that does not gets a construct
//! that an agent chooses; if it shows something wrong then, the construct is rewarded. What is wrong is what our oracles say,
//! by evidence, and never a mere difference; scripts of which they cannot tell teach nothing.

use gainsay_smt::Script;

use crate::oracle::Finding;
use crate::random::Stream;
use crate::schedule::{Agent, Record, Reward, Scheduler};
use crate::strategy::construct::{Construct, Inserter};
use crate::strategy::generate::{Generator, with_smallest_logic};

/// What the oracles say of a script.
#[derive(Debug, Clone, PartialEq)]
pub enum Seen {
    /// Something is wrong with the target.
    Wrong(Vec<Finding>),
    /// Everything is as it should be.
    Fine,
    /// They cannot tell, and why.
    Undecided(String),
}

/// Judges a script; the error says why nothing can be judged any more.
pub type Judge<'a> = dyn FnMut(&Script) -> Result<Seen, String> + 'a;

/// A script that shows something wrong.
#[derive(Debug, Clone)]
pub struct Trigger {
    /// The script.
    pub script: Script,
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// The query that it was.
    pub query: u64,
    /// The construct without which nothing was wrong, if that is known.
    pub construct: Option<usize>,
}

/// A search for constructs that go with wrong answers.
pub struct Localization<'a> {
    generator: &'a Generator,
    constructs: &'a [Construct],
    stream: Stream,
    scheduler: Scheduler,
    rounds: u64,
    /// Queries so far.
    pub queries: u64,
    /// Scripts that show something wrong.
    pub triggers: Vec<Trigger>,
    /// Queries of which the oracles could not tell, and what was said of the last of them.
    pub undecided: (u64, String),
}

impl<'a> Localization<'a> {
    /// Over the scripts of a generator and constructs that can be put into them.
    pub fn new(
        generator: &'a Generator,
        constructs: &'a [Construct],
        agent: &'static dyn Agent,
        decay: f64,
        rng_seed: u64,
    ) -> Localization<'a> {
        Localization {
            generator,
            constructs,
            stream: Stream::new(rng_seed),
            scheduler: Scheduler::new(agent, constructs.len()).with_decay(decay),
            rounds: 0,
            queries: 0,
            triggers: Vec::new(),
            undecided: (0, String::new()),
        }
    }

    /// What was learnt of the constructs.
    pub fn record(&self) -> &Record {
        self.scheduler.record()
    }

    /// Makes one or two queries: a new script, and what becomes of it with a construct.
    pub fn step(&mut self, judge: &mut Judge<'_>) -> Result<(), String> {
        let mut rng = self.stream.child("round", self.rounds).rng();
        self.rounds += 1;
        let Some(script) = self.generator.script(&mut rng) else { return Ok(()) };
        match self.judged(&script, judge)? {
            Seen::Fine => {}
            Seen::Wrong(findings) => {
                self.keep(script, findings, None);
                return Ok(());
            }
            Seen::Undecided(_) => return Ok(()),
        }
        let arm = self.scheduler.choose(&mut rng);
        let habits = &self.generator.settings().habits;
        let inserter = Inserter { operators: self.generator.operators(), habits };
        let Some(script) = inserter.insert(&script, &self.constructs[arm], &mut rng) else { return Ok(()) };
        let script = with_smallest_logic(script);
        let reward = match self.judged(&script, judge)? {
            Seen::Fine => Reward::Failure,
            Seen::Undecided(_) => Reward::Nothing,
            Seen::Wrong(findings) => {
                self.keep(script, findings, Some(arm));
                Reward::Success
            }
        };
        self.scheduler.learn(arm, reward);
        Ok(())
    }

    fn judged(&mut self, script: &Script, judge: &mut Judge<'_>) -> Result<Seen, String> {
        self.queries += 1;
        let seen = judge(script)?;
        if let Seen::Undecided(why) = &seen {
            self.undecided = (self.undecided.0 + 1, why.clone());
        }
        Ok(seen)
    }

    fn keep(&mut self, script: Script, findings: Vec<Finding>, construct: Option<usize>) {
        self.triggers.push(Trigger { script, findings, query: self.queries, construct });
    }
}
