//! Advice of a solver about seeds: values for their constants, and rewrites of their Horn clauses.
//!
//! The solver is asked about a seed once, and the advice is recorded with the seed's text: cases depend on the record, not on
//! what the solver would say another time.

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
use crate::solver::runner::{self, Launcher, Runner};
use crate::strategy::horn::advice::HornAdvice;
use crate::strategy::value::domains::{self, TermProperty};
use crate::strategy::value::{ConstantSource, Fillings};

pub use horn::{QueryRunner, ask as ask_about_clauses};
pub use values::{AdviceSolver, ask as ask_for_values};

/// The limits of each query about clauses; there are four per seed.
const HORN_ADVICE_LIMITS: Limits = Limits { wall: Duration::from_secs(3), ..Limits::DEFAULT };

/// The solver to ask about seeds, and how.
#[derive(Debug, Clone)]
pub struct AdviceSource {
    /// The solver.
    pub adviser: AdviceSolver,
    /// The largest number of queries about a seed.
    pub asks: u32,
    /// The properties that are coerced in addition to Boolean terms.
    pub domains: Vec<TermProperty>,
    /// The kinds of advice to ask for.
    pub wanted: WantedAdvice,
    /// The random stream.
    pub stream: RandomStream,
}

/// The kinds of advice to ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WantedAdvice {
    /// Values for constants.
    pub values: bool,
    /// Rewrites of clauses.
    pub phrases: bool,
}

/// Advice about a seed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeedAdvice {
    /// Values for its constants.
    #[serde(flatten)]
    pub values: Fillings,
    /// Rewrites of its clauses.
    #[serde(default)]
    pub phrases: HornAdvice,
}

impl AdviceSource {
    /// A source of advice for this way to choose constants.
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

    /// Asks about a seed. Returns the CPU time for rewrites as well; that for values is in their account.
    pub fn ask(
        &self,
        number: usize,
        script: &Script,
        launcher: &Launcher,
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
            advised.values = values::ask(script, &self.domains, &self.adviser, launcher, asks, rng);
        }
        // A solver that cannot be run gives no advice.
        if self.wanted.phrases
            && let Ok(mut runner) = Runner::open(&self.adviser.solver, runner::plain(), launcher)
        {
            let mut run = |query: &Query<'_>| {
                let run = if is_halted() { None } else { runner.run(query).ok() };
                cpu += run.as_ref().map_or(Duration::ZERO, |run| run.cpu);
                run
            };
            advised.phrases = horn::ask(script, &mut run, HORN_ADVICE_LIMITS, &mut stream("phrases"));
        }
        // The advice may be incomplete; it is asked for again when the campaign resumes.
        if is_halted() { Err(Halted) } else { Ok((advised, cpu)) }
    }
}

/// The advice about a campaign's seeds.
#[derive(Debug)]
pub struct Advice<'a> {
    advice_source: Option<&'a AdviceSource>,
    known: Vec<OnceAsked<SeedAdvice>>,
}

/// Called with new advice, and the CPU time for rewrites.
pub type AdviceListener<'a> = dyn FnMut(&SeedAdvice, Duration) + 'a;

impl<'a> Advice<'a> {
    /// For this number of seeds, without any advice yet.
    pub fn new(advice_source: Option<&'a AdviceSource>, seeds: usize) -> Advice<'a> {
        let known = if advice_source.is_some() { seeds } else { 0 };
        Advice { advice_source, known: (0..known).map(|_| OnceAsked::default()).collect() }
    }

    /// Loads recorded advice about a seed; unreadable advice is asked for again.
    pub fn recall(&self, number: usize, record: &str) {
        if let (Some(place), Ok(advised)) = (self.known.get(number), serde_json::from_str(record)) {
            place.recall(advised);
        }
    }

    /// The advice about a seed; `None` if no strategy uses advice. The first call asks the solver, and passes the advice to `listener`
    /// before others can use it. Asking ends early if `halt` is set.
    pub fn get(
        &self,
        number: usize,
        script: &Script,
        launcher: &Launcher,
        halt: &AtomicBool,
        listener: &mut AdviceListener<'_>,
    ) -> Result<Option<&SeedAdvice>, Halted> {
        let Some(advice_source) = self.advice_source else { return Ok(None) };
        let ask = || {
            let (advised, cpu) = advice_source.ask(number, script, launcher, halt)?;
            listener(&advised, cpu);
            Ok(advised)
        };
        self.known[number].get_or_ask(ask).map(Some)
    }
}

/// Advice, as it is recorded.
pub fn record(advised: &SeedAdvice) -> String {
    serde_json::to_string(advised).expect("advice is serialisable")
}
