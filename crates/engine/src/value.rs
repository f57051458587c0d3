//! Value mutation: other constants in a script, chosen by Boolean expression coercion.
//!
//! ```text
//! (assert (< (str.to_int b) 11))       the seed
//! (assert (< (str.to_int b) hole!0))   its skeleton: constants are holes
//! (< (str.to_int b) hole!0)            a monitor, to be made true or false by a solver
//! hole!0 = 0                           what its model says of the holes
//! (assert (< (str.to_int b) 0))        the case
//! ```
//!
//! Constants that are drawn by chance are mostly far from where anything changes. Here they come from models in which a
//! Boolean part of the script is true, or false, so that they lie where solvers must decide. Beside the parts of the script
//! itself, properties of terms are coerced, rows of `rules/domains.smt2`: a term is zero, empty, not a number.
//!
//! * [`skeleton`] makes holes and fills them; [`monitor`] says what can be coerced, [`domains`] reads the table.
//! * [`coerce`] decides what is coerced next and learns from the answers; it knows no solver, only a [`coerce::Helper`].
//! * [`helper`] is one: a solver that is talked to; [`reading`] makes literals of what it says.
//!
//! What solvers gave for a seed is a value ([`Fillings`]) that is kept with it, so that cases can be made again without them.

pub mod coerce;
pub mod domains;
pub mod helper;
pub mod monitor;
pub mod random;
pub mod reading;
pub mod skeleton;

use gainsay_smt::Script;
use serde::{Deserialize, Serialize};

use crate::random::Rng;
use crate::solver::runner::Setting;

use domains::Domain;
use helper::{Adviser, Session};
use skeleton::Skeleton;

/// How constants are chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Way {
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

impl Way {
    /// All of them.
    pub const ALL: [Way; 3] = [Way::Random, Way::Coercion, Way::Domains];

    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Way::Random => "random",
            Way::Coercion => "bec",
            Way::Domains => "bec+domains",
        }
    }

    /// The one of that name; the error names all.
    pub fn read(name: &str) -> Result<Way, String> {
        let found = Way::ALL.into_iter().find(|way| way.name() == name);
        found.ok_or_else(|| format!("there are {}", Way::ALL.map(Way::name).join(", ")))
    }

    /// Whether a solver is asked for values.
    pub fn asks(self) -> bool {
        self != Way::Random
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
    pub account: Account,
    /// Why there are none, if so.
    pub why: Option<Barren>,
}

/// Why there are no values for the constants of a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Barren {
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

impl Barren {
    /// The reason in words.
    pub fn words(self) -> &'static str {
        match self {
            Barren::NoConstants => "there are no constants",
            Barren::Unnamed => "the constants cannot be told apart",
            Barren::NothingDepends => "nothing depends on the constants",
            Barren::DeclaredTwice => "the seed declares a name twice",
            Barren::Lacking => "the helper lacks a theory of the seed",
            Barren::Refused => "the helper refuses the seed",
            Barren::Died => "the helper died on the seed",
            Barren::Unreadable => "the helper gives no model that can be read",
            Barren::TimedOut => "the helper runs out of time",
            Barren::Unknown => "the helper answers unknown",
            Barren::Impossible => "nothing can be coerced",
            Barren::Repeated => "the helper gives no other values",
        }
    }
}

/// What became of the questions that were asked about a seed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Account {
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
    /// What a solver gives for the constants of a script, asked so many times at most.
    pub fn ask(
        script: &Script,
        domains: &[Domain],
        (adviser, setting): (&Adviser, &Setting),
        asks: u32,
        rng: &mut Rng,
    ) -> Fillings {
        let skeleton = match Skeleton::of(script) {
            Ok(skeleton) => skeleton,
            Err(why) => return Fillings { why: Some(why), ..Fillings::default() },
        };
        let monitors = monitor::monitors(&skeleton, domains, rng);
        match Session::open(&skeleton, &monitors, adviser, setting) {
            Ok(mut session) => coerce::coerce(&skeleton, &monitors, &mut session, asks, rng),
            Err(why) => Fillings { why: Some(why), ..Fillings::default() },
        }
    }

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

impl Account {
    /// Adds another.
    pub fn add(&mut self, other: &Account) {
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
