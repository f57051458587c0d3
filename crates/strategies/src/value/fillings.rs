//! Values that a solver found for the constants of a seed. They are recorded with the seed, so that cases can be remade
//! without the solver.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::random::Rng;

/// Where constants come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConstantSource {
    /// Random special and ordinary values of the sort.
    #[default]
    #[serde(rename = "random")]
    Random,
    /// Coercion of Boolean terms of the script.
    #[serde(rename = "bec")]
    Coercion,
    /// Coercion of Boolean terms of the script and of properties of other terms.
    #[serde(rename = "bec+domains")]
    Domains,
}

impl ConstantSource {
    /// All sources.
    pub const ALL: [ConstantSource; 3] =
        [ConstantSource::Random, ConstantSource::Coercion, ConstantSource::Domains];

    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            ConstantSource::Random => "random",
            ConstantSource::Coercion => "bec",
            ConstantSource::Domains => "bec+domains",
        }
    }

    /// The source with this name; the error lists all names.
    pub fn read(name: &str) -> Result<ConstantSource, String> {
        let found = ConstantSource::ALL.into_iter().find(|way| way.name() == name);
        found.ok_or_else(|| {
            format!("expected one of {}", ConstantSource::ALL.map(ConstantSource::name).join(", "))
        })
    }

    /// Whether a solver is asked for values.
    pub fn asks(self) -> bool {
        self != ConstantSource::Random
    }
}

/// A literal for each hole of a skeleton; `None` where the constant stays.
pub type Filling = Vec<Option<Box<str>>>;

/// Values that a solver found for the constants of a seed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fillings {
    /// In the order in which they were found. All differ, and each changes at least one constant.
    pub list: Vec<Filling>,
    /// Counts of the queries.
    pub account: CoercionCounts,
    /// Why there are none, if so.
    pub why: Option<NoValuesReason>,
}

/// Why a seed has no values for its constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoValuesReason {
    /// It has no constants.
    NoConstants,
    /// The sort of a constant cannot be written, or its hole cannot be found in the text.
    Unnamed,
    /// No Boolean term depends on them.
    NothingDepends,
    /// The script declares a name twice; the preamble contains all declarations at once.
    DeclaredTwice,
    /// The helper lacks a theory or an operator.
    Lacking,
    /// The helper rejects the script.
    Refused,
    /// The helper died.
    Died,
    /// The helper's model cannot be read.
    Unreadable,
    /// The helper times out.
    TimedOut,
    /// The helper answers unknown.
    Unknown,
    /// The helper says that no monitor can be coerced.
    Impossible,
    /// The helper's models repeat the constants of the seed.
    Repeated,
}

impl NoValuesReason {
    /// A description for messages.
    pub fn words(self) -> &'static str {
        match self {
            NoValuesReason::NoConstants => "there are no constants",
            NoValuesReason::Unnamed => "the constants cannot be told apart",
            NoValuesReason::NothingDepends => "nothing depends on the constants",
            NoValuesReason::DeclaredTwice => "the seed declares a name twice",
            NoValuesReason::Lacking => "the helper lacks a theory of the seed",
            NoValuesReason::Refused => "the helper refuses the seed",
            NoValuesReason::Died => "the helper died on the seed",
            NoValuesReason::Unreadable => "the helper gives no model that can be read",
            NoValuesReason::TimedOut => "the helper runs out of time",
            NoValuesReason::Unknown => "the helper answers unknown",
            NoValuesReason::Impossible => "nothing can be coerced",
            NoValuesReason::Repeated => "the helper gives no other values",
        }
    }
}

/// Counts of the queries about a seed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
#[serde(default)]
pub struct CoercionCounts {
    /// Constants that became holes.
    pub holes: u32,
    /// Boolean terms and properties that can be coerced.
    pub monitors: u32,
    /// Boolean terms that cannot be coerced, because their variables cannot be bound in a query.
    pub unmonitored: u32,
    /// Queries to the helper.
    pub asked: u32,
    /// Queries answered by a model.
    pub sat: u32,
    /// Queries answered unsat.
    pub unsat: u32,
    /// Queries answered unknown.
    pub unknown: u32,
    /// Queries that timed out.
    pub timeouts: u32,
    /// Queries that were rejected, got no answer, or an unreadable one.
    pub failed: u32,
    /// Models without new values, even when other values were asked for.
    pub repeated: u32,
    /// CPU time of the helper, in microseconds.
    pub micros: u64,
}

impl Fillings {
    /// Filling `number`; beyond the last, a random mix of two, which may leave all constants as they are.
    pub fn get(&self, number: u64, rng: &mut Rng) -> Option<Filling> {
        let exact = usize::try_from(number).ok().and_then(|number| self.list.get(number));
        if let Some(filling) = exact {
            return Some(filling.clone());
        }
        let (first, second) = (rng.choose(&self.list)?, rng.choose(&self.list)?);
        let mixed = first.iter().zip(second).map(|(first, second)| match rng.below(4) {
            0 => None,
            1 => first.clone(),
            _ => second.clone(),
        });
        Some(mixed.collect())
    }
}

impl CoercionCounts {
    /// The counts since an earlier moment.
    #[must_use]
    pub fn since(&self, earlier: &CoercionCounts) -> CoercionCounts {
        CoercionCounts {
            holes: self.holes.saturating_sub(earlier.holes),
            monitors: self.monitors.saturating_sub(earlier.monitors),
            unmonitored: self.unmonitored.saturating_sub(earlier.unmonitored),
            asked: self.asked.saturating_sub(earlier.asked),
            sat: self.sat.saturating_sub(earlier.sat),
            unsat: self.unsat.saturating_sub(earlier.unsat),
            unknown: self.unknown.saturating_sub(earlier.unknown),
            timeouts: self.timeouts.saturating_sub(earlier.timeouts),
            failed: self.failed.saturating_sub(earlier.failed),
            repeated: self.repeated.saturating_sub(earlier.repeated),
            micros: self.micros.saturating_sub(earlier.micros),
        }
    }

    /// Adds the counts of another seed.
    pub fn add(&mut self, other: &CoercionCounts) {
        self.holes += other.holes;
        self.monitors += other.monitors;
        self.unmonitored += other.unmonitored;
        self.asked += other.asked;
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        self.timeouts += other.timeouts;
        self.failed += other.failed;
        self.repeated += other.repeated;
        self.micros += other.micros;
    }
}
