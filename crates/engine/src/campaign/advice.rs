//! Advice: values that a solver gives for the constants of seeds.
//!
//! A seed is asked about once, by whoever comes to it first, and what came of it is recorded with its text: cases follow
//! from the record, not from what a solver would say another time.

use std::sync::OnceLock;

use gainsay_smt::Script;

use crate::random::Stream;
use crate::solver::runner::Setting;
use crate::value::domains::{self, Domain};
use crate::value::helper::Adviser;
use crate::value::{Fillings, Way};

/// Who is asked for values, and how.
#[derive(Debug, Clone)]
pub struct Counsel {
    /// The solver.
    pub adviser: Adviser,
    /// Questions about a seed, at most.
    pub asks: u32,
    /// The properties that are coerced beside Boolean terms.
    pub domains: Vec<Domain>,
    /// Where choices come from.
    pub stream: Stream,
}

impl Counsel {
    /// By the way in which constants are chosen.
    pub fn new(adviser: Adviser, asks: u32, way: Way, rng_seed: u64) -> Counsel {
        let domains = if way == Way::Domains { domains::standard() } else { Vec::new() };
        Counsel { adviser, asks, domains, stream: Stream::new(rng_seed) }
    }

    /// Values for the constants of a seed.
    pub fn ask(&self, number: usize, script: &Script, setting: &Setting) -> Fillings {
        let mut rng = self.stream.child("values", number as u64).rng();
        Fillings::ask(script, &self.domains, (&self.adviser, setting), self.asks, &mut rng)
    }
}

/// What is known of the seeds of a campaign.
#[derive(Debug)]
pub struct Advice<'a> {
    counsel: Option<&'a Counsel>,
    known: Vec<OnceLock<Fillings>>,
}

impl<'a> Advice<'a> {
    /// For so many seeds, of which nothing is known yet.
    pub fn new(counsel: Option<&'a Counsel>, seeds: usize) -> Advice<'a> {
        let known = if counsel.is_some() { seeds } else { 0 };
        Advice { counsel, known: (0..known).map(|_| OnceLock::new()).collect() }
    }

    /// Takes over what was recorded of a seed; what cannot be read is asked again.
    pub fn recall(&self, number: usize, record: &str) {
        if let (Some(place), Ok(fillings)) = (self.known.get(number), serde_json::from_str(record)) {
            let _ = place.set(fillings);
        }
    }

    /// The values for a seed, asked for if nobody did; nothing if nobody wants any.
    pub fn get(&self, number: usize, script: &Script, setting: &Setting) -> Option<&Fillings> {
        let counsel = self.counsel?;
        Some(self.known[number].get_or_init(|| counsel.ask(number, script, setting)))
    }
}

/// Values as they are recorded.
pub fn record(fillings: Option<&Fillings>) -> String {
    fillings.map(|fillings| serde_json::to_string(fillings).expect("values are text")).unwrap_or_default()
}
