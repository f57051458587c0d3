//! Strategies: each makes a case from its parents and a random stream.
//!
//! A strategy is pure: the same parents, kit and stream give the same script. It never runs a solver and never looks at
//! what came of earlier cases. What it cannot do with these parents it skips, and skips are counted.

pub mod construct;
pub mod fusion;
pub mod generate;
mod generative;
pub mod horn;
mod operator;
pub mod operators;
mod replacement;
mod subterm;
mod survey;
pub mod value;

use std::sync::Arc;

use gainsay_smt::{Edit, Script, Signature};

use crate::feedback::weights::MutationWeights;
use crate::random::Rng;
use crate::solver::profile::Profile;
use crate::solver::run::Answer;
use crate::solver::version::Version;
use crate::trial::Promise;

use fusion::function::FusionFunctions;
use fusion::{DecomposedFusion, ModelJoin};
use horn::advice::HornAdvice;
use operators::Operators;
use value::{ConstantSource, Fillings};

/// Bytes of a term shown in the record of a step.
const MAX_TERM_BYTES_SHOWN: usize = 60;

/// Every strategy.
pub const ALL: &[&dyn Strategy] = &[
    &generative::GenerativeStrategy,
    &operator::OperatorStrategy,
    &subterm::SubtermStrategy,
    &fusion::FusionStrategy,
    &value::ValueStrategy,
    &horn::HornStrategy,
    &construct::ConstructStrategy,
    &generate::GenerateStrategy,
];

/// Makes cases.
pub trait Strategy: Sync {
    /// Its name, as in records and on the command line.
    fn name(&self) -> &'static str;
    /// What it does, in one line.
    fn about(&self) -> &'static str;
    /// How many parents it takes.
    fn parents(&self) -> usize {
        1
    }
    /// Whether it takes values for the constants of the seed, where somebody asked for them.
    fn varies_seed(&self) -> bool {
        false
    }
    /// Whether it takes the seed of the chain, and not what the step before it made.
    fn takes_seed(&self) -> bool {
        self.varies_seed()
    }
    /// Whether it is made for scripts like this one; others would be skipped.
    fn suits(&self, _script: &Script) -> bool {
        true
    }
    /// Whether what it makes has the answer of its parent, so that it is worth knowing.
    fn keeps_answer(&self) -> bool {
        false
    }
    /// Makes a case, or says why not.
    fn propose(&self, parents: &[Parent<'_>], kit: &Kit, rng: &mut Rng) -> Result<Proposal, Skip>;
    /// The case that it makes of two parents, taken apart so that it can be made again of smaller ones.
    fn decompose(&self, _parents: &[Parent<'_>], _kit: &Kit, _rng: &mut Rng) -> Option<DecomposedFusion> {
        None
    }
}

impl std::fmt::Debug for dyn Strategy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A script to make another from.
#[derive(Debug, Clone, Copy)]
pub struct Parent<'a> {
    /// The script.
    pub script: &'a Script,
    /// Its answer, where known.
    pub status: Option<Answer>,
    /// Values for its constants, if it is a seed and somebody asked for them.
    pub values: Option<SeedValues<'a>>,
    /// What a solver said about the clauses of the seed that it comes from, if somebody asked.
    pub horn_advice: Option<&'a HornAdvice>,
    /// What is known of mutations, where they are drawn by that.
    pub weights: Option<&'a MutationWeights>,
}

impl<'a> Parent<'a> {
    /// A script with its answer, and no values.
    pub fn new(script: &'a Script, status: Option<Answer>) -> Parent<'a> {
        Parent { script, status, values: None, horn_advice: None, weights: None }
    }
}

/// Values that a solver gave for the constants of a seed.
#[derive(Debug, Clone, Copy)]
pub struct SeedValues<'a> {
    /// The values.
    pub fillings: &'a Fillings,
    /// How many cases were made of this seed before.
    pub turn: u64,
}

/// What a strategy made.
#[derive(Debug, Clone)]
pub struct Proposal {
    /// The script.
    pub script: Script,
    /// What is known of its answer.
    pub promise: Promise,
    /// What the strategy did.
    pub step: StepRecord,
    /// The one place that is another than in the first parent, if all others are the same.
    pub edit: Option<Edit>,
    /// What a model of it is made of, for a script of two parents.
    pub join: Option<ModelJoin>,
}

/// What a strategy did. Printed, as records hold it, it is the description after the name of the mutation, if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepRecord {
    /// The name of the Horn mutation, for steps of the strategy `horn`.
    pub mutation: Option<&'static str>,
    /// The change, in a few words of SMT-LIB.
    pub description: String,
}

impl From<String> for StepRecord {
    fn from(description: String) -> StepRecord {
        StepRecord { mutation: None, description }
    }
}

impl std::fmt::Display for StepRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(mutation) = self.mutation {
            write!(f, "{mutation}: ")?;
        }
        f.write_str(&self.description)
    }
}

/// Why a strategy made nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Skip {
    /// There is nothing in the parents that it could change.
    NothingToDo,
    /// What it made would be larger or deeper than allowed.
    TooLarge,
    /// The parents do not fit it or each other, and why.
    Unfit(&'static str),
}

impl Skip {
    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Skip::NothingToDo => "nothing to do",
            Skip::TooLarge => "too large",
            Skip::Unfit(why) => why,
        }
    }
}

/// What strategies draw on, the same for every case of a campaign.
#[derive(Debug)]
pub struct Kit {
    /// How large a case may be.
    pub bounds: CaseBounds,
    /// Operators that may be used.
    pub operators: Operators,
    /// What variables are fused through.
    pub fusion: FusionKit,
    /// How constants are chosen.
    pub values: ConstantSource,
}

/// What variables are fused through.
#[derive(Debug, Clone)]
pub struct FusionKit {
    /// The functions, and the operators that larger ones are made of.
    pub functions: Arc<FusionFunctions>,
    /// Of how many operators, constants and variables a function is made; one is drawn, and 1 is a function as it is.
    pub sizes: Vec<usize>,
}

impl FusionKit {
    /// The functions that gainsay comes with, of operators that all these solvers know.
    pub fn known_to(signature: &Signature, solvers: &[(&Profile, Option<&Version>)]) -> FusionKit {
        let kit = FusionKit::default();
        let knows = |name: &str| Operators::is_known_to(signature, name, solvers);
        FusionKit { functions: Arc::new(kit.functions.within(signature, knows)), ..kit }
    }
}

impl Default for FusionKit {
    fn default() -> Self {
        FusionKit { functions: Arc::new(FusionFunctions::standard()), sizes: vec![1, 1, 5, 10] }
    }
}

/// How large a case may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CaseBounds {
    /// Bytes of its text.
    pub bytes: usize,
    /// Levels of its deepest term.
    pub depth: usize,
}

/// The strategy of that name.
pub fn find(name: &str) -> Option<&'static dyn Strategy> {
    ALL.iter().copied().find(|strategy| strategy.name() == name)
}

#[cfg(test)]
mod tests;
