//! Advice: what a solver says about seeds: values for their constants, their clauses in other words.
//!
//! A seed is asked about once, by whoever comes to it first, and what came of it is recorded with its text: cases follow
//! from the record, not from what a solver would say another time.

mod get_value;
mod horn;
mod values;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gainsay_smt::Script;
use serde::{Deserialize, Serialize};

use crate::campaign::ask_once::{Halted, OnceAsked};
use crate::random::RandomStream;
use crate::solver::run::{Limits, Query};
use crate::solver::runner::{self, Runner, Setting};
use crate::strategy::horn::advice::HornAdvice;
use crate::strategy::value::domains::{self, TermProperty};
use crate::strategy::value::{ConstantSource, Fillings};

pub use horn::{QueryRunner, ask as ask_about_clauses};
pub use values::{AdviceSolver, ask as ask_for_values};

/// What each question about clauses may take; there are four about a seed.
const HORN_ADVICE_LIMITS: Limits = Limits { wall: Duration::from_secs(3), ..Limits::DEFAULT };

/// Who is asked about seeds, and how.
#[derive(Debug, Clone)]
pub struct AdviceSource {
    /// The solver.
    pub adviser: AdviceSolver,
    /// Questions about a seed, at most.
    pub asks: u32,
    /// The properties that are coerced beside Boolean terms.
    pub domains: Vec<TermProperty>,
    /// What is wanted.
    pub wanted: WantedAdvice,
    /// Where choices come from.
    pub stream: RandomStream,
}

/// What a solver is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WantedAdvice {
    /// Values for constants.
    pub values: bool,
    /// Clauses in other words.
    pub phrases: bool,
}

/// What a solver said about a seed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeedAdvice {
    /// Values for its constants.
    #[serde(flatten)]
    pub values: Fillings,
    /// Its clauses in other words.
    #[serde(default)]
    pub phrases: HornAdvice,
}

impl AdviceSource {
    /// By the way in which constants are chosen.
    pub fn new(
        adviser: AdviceSolver,
        asks: u32,
        way: ConstantSource,
        wanted: WantedAdvice,
        rng_seed: u64,
    ) -> AdviceSource {
        let domains = if way == ConstantSource::Domains { domains::standard() } else { Vec::new() };
        AdviceSource { adviser, asks, domains, wanted, stream: RandomStream::new(rng_seed) }
    }

    /// What it says about a seed, and the CPU time that it took for phrases; that for values is in their account.
    pub fn ask(
        &self,
        number: usize,
        script: &Script,
        setting: &Setting,
        halt: &AtomicBool,
    ) -> Result<(SeedAdvice, Duration), Halted> {
        let stream = |what: &str| self.stream.child(what, number as u64).rng();
        let is_halted = || halt.load(Ordering::Relaxed);
        let (mut advised, mut cpu) = (SeedAdvice::default(), Duration::ZERO);
        if is_halted() {
            return Err(Halted);
        }
        if self.wanted.values {
            let asks = self.asks;
            let rng = &mut stream("values");
            advised.values = values::ask(script, &self.domains, &self.adviser, setting, asks, rng);
        }
        // Whoever cannot be run says nothing.
        if self.wanted.phrases
            && let Ok(mut runner) = Runner::open(&self.adviser.solver, runner::plain(), setting)
        {
            let mut run = |query: &Query<'_>| {
                let run = if is_halted() { None } else { runner.run(query).ok() };
                cpu += run.as_ref().map_or(Duration::ZERO, |run| run.cpu);
                run
            };
            advised.phrases = horn::ask(script, &mut run, HORN_ADVICE_LIMITS, &mut stream("phrases"));
        }
        // It may have been cut short, and who goes on later is to know all of it.
        if is_halted() { Err(Halted) } else { Ok((advised, cpu)) }
    }
}

/// What is known of the seeds of a campaign.
#[derive(Debug)]
pub struct Advice<'a> {
    advice_source: Option<&'a AdviceSource>,
    known: Vec<OnceAsked<SeedAdvice>>,
}

/// Hears of advice that is new, with the CPU time that phrases took.
pub type AdviceListener<'a> = dyn FnMut(&SeedAdvice, Duration) + 'a;

impl<'a> Advice<'a> {
    /// For so many seeds, of which nothing is known yet.
    pub fn new(advice_source: Option<&'a AdviceSource>, seeds: usize) -> Advice<'a> {
        let known = if advice_source.is_some() { seeds } else { 0 };
        Advice { advice_source, known: (0..known).map(|_| OnceAsked::default()).collect() }
    }

    /// Takes over what was recorded of a seed; what cannot be read is asked again.
    pub fn recall(&self, number: usize, record: &str) {
        if let (Some(place), Ok(advised)) = (self.known.get(number), serde_json::from_str(record)) {
            place.recall(advised);
        }
    }

    /// What is said about a seed; `None` if nobody wants any advice. If nobody asked before, the helper is asked now, and `listener`
    /// hears of it before anybody else can use it. Asking ends early if `halt` is set.
    pub fn get(
        &self,
        number: usize,
        script: &Script,
        setting: &Setting,
        halt: &AtomicBool,
        listener: &mut AdviceListener<'_>,
    ) -> Result<Option<&SeedAdvice>, Halted> {
        let Some(advice_source) = self.advice_source else { return Ok(None) };
        let ask = || {
            let (advised, cpu) = advice_source.ask(number, script, setting, halt)?;
            listener(&advised, cpu);
            Ok(advised)
        };
        self.known[number].get_or_ask(ask).map(Some)
    }
}

/// What was said, as it is recorded.
pub fn record(advised: &SeedAdvice) -> String {
    serde_json::to_string(advised).expect("what is said is text")
}
