//! What a solver gave for the constants of a seed: a value that is kept with the seed, so that cases can be made again without
//! the solver.

use serde::{Deserialize, Serialize};

use crate::random::Rng;

/// How constants are chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConstantSource {
    /// By chance, from special and ordinary values of the sort.
    #[serde(rename = "random")]
    Random,
    /// By coercing Boolean terms of the script.
    #[serde(rename = "bec")]
    Coercion,
    /// By coercing Boolean terms of the script and properties of others.
    #[default]
    #[serde(rename = "bec+domains")]
    Domains,
}

impl ConstantSource {
    /// All of them.
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

    /// The one of that name; the error names all.
    pub fn read(name: &str) -> Result<ConstantSource, String> {
        let found = ConstantSource::ALL.into_iter().find(|way| way.name() == name);
        found.ok_or_else(|| format!("there are {}", ConstantSource::ALL.map(ConstantSource::name).join(", ")))
    }

    /// Whether a solver is asked for values.
    pub fn asks(self) -> bool {
        self != ConstantSource::Random
    }
}

/// One literal for each hole of a skeleton; nothing where the constant stays.
pub type Filling = Vec<Option<Box<str>>>;

/// What a solver gave for the constants of a seed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fillings {
    /// In the order in which they were found; no two are equal, and none leaves all constants as they are.
    pub list: Vec<Filling>,
    /// How they were found.
    pub account: CoercionCounts,
    /// Why there are none, if so.
    pub why: Option<NoValuesReason>,
}

/// Why there are no values for the constants of a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoValuesReason {
    /// It has no constants.
    NoConstants,
    /// Its constants are of sorts that cannot be named, or cannot be told apart.
    Unnamed,
    /// No Boolean term depends on them.
    NothingDepends,
    /// The script declares a name twice, and the helper sees all declarations at once.
    DeclaredTwice,
    /// The helper lacks a theory, or an operator.
    Lacking,
    /// The helper refuses the script.
    Refused,
    /// The helper died.
    Died,
    /// What the helper gives is no model that can be read.
    Unreadable,
    /// The helper runs out of time.
    TimedOut,
    /// The helper does not know.
    Unknown,
    /// The helper says that nothing can be coerced.
    Impossible,
    /// The helper gives the values that are there.
    Repeated,
}

impl NoValuesReason {
    /// The reason in words.
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

/// What became of the questions that were asked about a seed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CoercionCounts {
    /// Constants that became holes.
    pub holes: u32,
    /// Boolean terms and properties that can be coerced.
    pub monitors: u32,
    /// Boolean terms that cannot be coerced: their variables are bound where nobody can look.
    pub unmonitored: u32,
    /// Questions to the helper.
    pub asked: u32,
    /// Of these, answered by a model.
    pub sat: u32,
    /// Shown to be impossible.
    pub unsat: u32,
    /// Answered by `unknown`.
    pub unknown: u32,
    /// Not answered in time.
    pub timeouts: u32,
    /// Refused, answered by what cannot be read, or not at all.
    pub failed: u32,
    /// Models that said nothing new, even when asked for other values.
    pub repeated: u32,
    /// CPU time of the helper, in microseconds.
    pub micros: u64,
}

impl Fillings {
    /// One of them by its number; beyond the last, two that are mixed by chance, which may be one that leaves all as it is.
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
    /// Adds another.
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
