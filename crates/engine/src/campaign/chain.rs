//! Chains: from the number of a case to the case.
//!
//! Case n is step n mod k of chain n div k. A chain begins with a seed, and each step mutates what the step before it
//! gave; a step that makes nothing leaves the script as it was. Everything follows from the campaign's random seed, the
//! list of seeds and the number: what solvers do changes nothing, so a case can be made again by whoever knows these.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use gainsay_smt::{Printer, Script, Signature};

use crate::event::CaseNumber;
use crate::oracle::Promise;
use crate::random::Stream;
use crate::solver::run::Answer;
use crate::strategy::{Kit, Parent, Proposal, Skip, Strategy};

/// What all chains of a campaign have in common.
#[derive(Clone)]
pub struct Course {
    /// The root of all random choices.
    pub stream: Stream,
    /// Steps of a chain.
    pub steps: u64,
    /// The strategies that steps are drawn from.
    pub strategies: Vec<&'static dyn Strategy>,
    /// What strategies draw on.
    pub kit: Arc<Kit>,
    /// The language.
    pub signature: Arc<Signature>,
}

/// The order in which seeds are visited: all of them each round, shuffled anew.
#[derive(Debug, Clone)]
pub struct Rounds {
    stream: Stream,
    round: u64,
    order: Vec<u32>,
}

/// A seed and what has become of it.
#[derive(Debug, Clone)]
pub struct Chain {
    number: u64,
    script: Script,
    status: Option<Answer>,
    next: u64,
    words: Vec<String>,
}

/// What a step of a chain made.
#[derive(Debug, Clone)]
pub enum Step {
    /// A case.
    Made {
        /// Who made it.
        strategy: &'static str,
        /// Its text.
        text: String,
        /// What is known of its answer.
        promise: Promise,
    },
    /// Nothing.
    Skipped {
        /// Who could not.
        strategy: &'static str,
        /// Why.
        why: Skip,
    },
    /// Something that it must not make; the script stays as it was.
    Wrong {
        /// Who made it.
        strategy: &'static str,
        /// What is wrong with it.
        message: String,
    },
}

impl Course {
    /// The chain that a case belongs to, and its step there.
    pub fn place(&self, case: CaseNumber) -> (u64, u64) {
        (case / self.steps, case % self.steps)
    }

    /// The number of a step of a chain.
    pub fn case(&self, chain: u64, step: u64) -> CaseNumber {
        chain * self.steps + step
    }
}

impl Rounds {
    /// For so many seeds, at least one.
    pub fn new(stream: Stream, seeds: usize) -> Self {
        let mut rounds = Rounds { stream, round: 0, order: vec![0; seeds] };
        rounds.shuffle(0);
        rounds
    }

    /// The seed that a chain begins with.
    pub fn seed(&mut self, chain: u64) -> usize {
        let seeds = self.order.len() as u64;
        if chain / seeds != self.round {
            self.shuffle(chain / seeds);
        }
        self.order[(chain % seeds) as usize] as usize
    }

    fn shuffle(&mut self, round: u64) {
        self.round = round;
        self.order.iter_mut().zip(0..).for_each(|(place, seed)| *place = seed);
        self.stream.child("round", round).rng().shuffle(&mut self.order);
    }
}

impl Chain {
    /// A chain that begins with this script.
    pub fn new(number: u64, seed: Script, status: Option<Answer>) -> Self {
        Chain { number, script: seed, status, next: 0, words: Vec::new() }
    }

    /// The script as it is now.
    pub fn script(&self) -> &Script {
        &self.script
    }

    /// What the steps did that made something, in order.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Takes the next step.
    pub fn step(&mut self, course: &Course) -> Step {
        let case = course.case(self.number, self.next);
        self.next += 1;
        let mut rng = course.stream.child("case", case).rng();
        let strategy = *rng.choose(&course.strategies).expect("a campaign has strategies");
        let name = strategy.name();
        let parent = Parent { script: &self.script, status: self.status };
        let proposed =
            panic::catch_unwind(AssertUnwindSafe(|| strategy.propose(&[parent], &course.kit, &mut rng)));
        match proposed {
            Err(payload) => Step::Wrong { strategy: name, message: message(payload.as_ref()) },
            Ok(Err(why)) => Step::Skipped { strategy: name, why },
            Ok(Ok(proposal)) => self.take(name, proposal, &course.signature),
        }
    }

    fn take(&mut self, strategy: &'static str, proposal: Proposal, signature: &Arc<Signature>) -> Step {
        let text = Printer::new().print(&proposal.script);
        let reread = panic::catch_unwind(AssertUnwindSafe(|| reread(&text, &proposal.script, signature)));
        match reread.unwrap_or_else(|payload| Err(message(payload.as_ref()))) {
            Err(message) => Step::Wrong { strategy, message: format!("{message}, after {}", proposal.step) },
            Ok(()) => {
                self.script = proposal.script;
                // The status was the seed's.
                self.status = None;
                self.words.push(format!("{strategy}: {}", proposal.step));
                Step::Made { strategy, text, promise: proposal.promise }
            }
        }
    }
}

/// Whether a text reads back as the script that it was printed from. The error says what a solver would have got.
fn reread(text: &str, script: &Script, signature: &Arc<Signature>) -> Result<(), String> {
    match Script::parse(text, signature) {
        Ok(read) if read == *script => Ok(()),
        Ok(_) => Err("the script reads back as another".to_owned()),
        Err(error) => Err(format!("the script is ill-sorted: {error}")),
    }
}

/// What a panic said.
pub fn message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    format!("a panic: {}", text.unwrap_or("of an unknown kind"))
}
