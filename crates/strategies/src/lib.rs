//! Strategies: each makes a case from its parents and a random stream.
//!
//! A strategy is pure: the same parents, settings and stream give the same script. It never runs a solver and does not know
//! the results of earlier cases. It skips parents that it cannot use, and the campaign counts the skips.

pub mod construct;
mod contradiction;
mod datatype;
pub mod enumerate;
pub mod equivalence;
pub mod fusion;
pub mod generate;
mod generative;
pub mod horn;
mod incremental;
pub mod known_answers;
pub mod mutation_weights;
mod operator;
pub mod operators;
mod plain_script;
pub mod promise;
pub mod random;
mod reassemble;
mod replacement;
pub mod script_state;
mod skeleton;
mod subspace;
mod subterm;
mod survey;
pub mod value;

use std::sync::Arc;

use gainsay_smt::{Edit, Script, Signature};

use crate::known_answers::KnownAnswers;
use crate::mutation_weights::MutationWeights;
use crate::promise::Promise;
use crate::random::Rng;
use gainsay_solvers::profile::Profile;
use gainsay_solvers::run::Answer;
use gainsay_solvers::version::Version;

use enumerate::EnumerationPages;
use fusion::function::FusionFunctions;
use fusion::{DecomposedFusion, ModelJoin};
use generate::FloatFormats;
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
    &datatype::DatatypeStrategy,
    &generate::GenerateStrategy,
    &incremental::IncrementalStrategy,
    &equivalence::EquivalenceStrategy,
    &subspace::SubspaceStrategy,
    &contradiction::ContradictionStrategy,
    &reassemble::ReassembleStrategy,
    &skeleton::SkeletonStrategy,
    &enumerate::EnumerateStrategy,
];

/// Makes cases.
pub trait Strategy: Sync {
    /// Its name, as in records and on the command line.
    fn name(&self) -> &'static str;
    /// Its transformation, in one line.
    fn about(&self) -> &'static str;
    /// The number of its parents.
    fn parents(&self) -> usize {
        1
    }
    /// Whether it fills in values that a helper solver found for the constants of the seed.
    fn varies_seed(&self) -> bool {
        false
    }
    /// Whether it always starts from the seed of the chain, not from the previous step.
    fn takes_seed(&self) -> bool {
        self.varies_seed()
    }
    /// Whether the next step of a chain starts from its case, if the campaign has other strategies. It does not if mutants of the case would
    /// cost several times as much as those of the seed, or have nothing in common with the seed.
    fn leads_on(&self) -> bool {
        true
    }
    /// Whether it can use scripts like this one; it would skip others.
    fn suits(&self, _script: &Script) -> bool {
        true
    }
    /// Whether a campaign uses it if none is named.
    fn is_default(&self) -> bool {
        true
    }
    /// How often a campaign that names no strategies uses it, relative to the others: by the bugs that it finds in a CPU second.
    fn default_weight(&self) -> u32 {
        1
    }
    /// Whether it promises more if it knows the answer of its parent.
    fn uses_status(&self) -> bool {
        self.parents() == 2
    }
    /// Whether its cases have the same answer as their parent (satisfiability-preserving).
    fn keeps_answer(&self) -> bool {
        false
    }
    /// Whether a chain may have the same case of it twice: the options of solvers vary, too, in cases of a strategy that preserves the answer.
    fn may_repeat(&self) -> bool {
        self.keeps_answer()
    }
    /// Makes a case, or says why it cannot.
    fn propose(
        &self,
        parents: &[Parent<'_>],
        settings: &StrategySettings,
        rng: &mut Rng,
    ) -> Result<Proposal, Skip>;
    /// The case that it makes from two parents, decomposed so that it can be rebuilt from smaller parents.
    fn decompose(
        &self,
        _parents: &[Parent<'_>],
        _kit: &StrategySettings,
        _rng: &mut Rng,
    ) -> Option<DecomposedFusion> {
        None
    }
}

impl std::fmt::Debug for dyn Strategy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A script to make a case from.
#[derive(Debug, Clone, Copy)]
pub struct Parent<'a> {
    /// The script.
    pub script: &'a Script,
    /// Its answer, if known.
    pub status: Option<Answer>,
    /// The answers to its checks, in order, if it has several and some are known.
    pub answers: &'a [Option<Answer>],
    /// Values for its constants, if it is a seed and a helper solver was asked.
    pub values: Option<SeedValues<'a>>,
    /// A solver's advice about the clauses of its seed, if there is any.
    pub horn_advice: Option<&'a HornAdvice>,
    /// The weights of Horn mutations; `None` if all mutations are equally likely.
    pub weights: Option<&'a MutationWeights>,
    /// The number of the case that is made.
    pub case: u64,
}

impl<'a> Parent<'a> {
    /// A script with its answer, and nothing else known about it.
    pub fn new(script: &'a Script, status: Option<Answer>) -> Parent<'a> {
        Parent { script, status, answers: &[], values: None, horn_advice: None, weights: None, case: 0 }
    }
}

/// Values that a helper solver found for the constants of a seed.
#[derive(Debug, Clone, Copy)]
pub struct SeedValues<'a> {
    /// The values.
    pub fillings: &'a Fillings,
    /// The number of cases made from this seed before.
    pub turn: u64,
}

/// A case that a strategy made.
#[derive(Debug, Clone)]
pub struct Proposal {
    /// The script.
    pub script: Script,
    /// The answer that the strategy guarantees.
    pub promise: Promise,
    /// The step of the strategy.
    pub step: StepRecord,
    /// The edit, if the script differs from the first parent in one place only.
    pub edit: Option<Edit>,
    /// How to build a model from models of the parents, for a script with two parents.
    pub join: Option<ModelJoin>,
    /// The answers that the strategy guarantees for some checks of a script that goes on.
    pub known: KnownAnswers,
}

impl Proposal {
    /// A script with its promise and the words of its step, which differs from its parents in more than one place.
    pub fn new(script: Script, promise: Promise, step: String) -> Proposal {
        let known = KnownAnswers::default();
        Proposal { script, promise, step: step.into(), edit: None, join: None, known }
    }
}

/// A step of a strategy. It prints as records hold it: the name of the mutation, if there is one, then the description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepRecord {
    /// The name of the Horn mutation, for steps of the strategy `horn`.
    pub mutation: Option<&'static str>,
    /// The change, in a few words of SMT-LIB.
    pub description: Box<str>,
}

impl From<String> for StepRecord {
    fn from(description: String) -> StepRecord {
        StepRecord { mutation: None, description: description.into() }
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

/// Why a strategy made no case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Skip {
    /// The parents have nothing that the strategy could change.
    NothingToDo,
    /// The case would be larger or deeper than allowed.
    TooLarge,
    /// The chain had the same case before, or it is the seed.
    Repeated,
    /// The strategy cannot use these parents, and why.
    Unfit(&'static str),
}

impl Skip {
    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Skip::NothingToDo => "nothing to do",
            Skip::TooLarge => "too large",
            Skip::Repeated => "the chain had it before",
            Skip::Unfit(why) => why,
        }
    }
}

/// The settings of all strategies, the same for every case of a campaign.
#[derive(Debug)]
pub struct StrategySettings {
    /// The largest case allowed.
    pub bounds: CaseBounds,
    /// The operators allowed.
    pub operators: Operators,
    /// The functions to fuse variables with.
    pub fusion: FusionSettings,
    /// Where constants come from.
    pub values: ConstantSource,
    /// Which scripts are in small scope.
    pub scope: ScopeChoice,
    /// The floating-point formats of scripts in small scope.
    pub formats: FloatFormats,
    /// Scripts of the strategy `enumerate` that were made already.
    pub enumerations: EnumerationPages,
}

/// Which scripts are in small scope, so that exhaustion can decide most of them: scripts of `generate`, and chains that start from a
/// seed with smaller sorts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScopeChoice {
    /// A third of the generated scripts, and one chain in ten.
    #[default]
    Some,
    /// A third of the generated scripts, and no chains: the default of earlier releases.
    Mixed,
    /// All generated scripts and all chains.
    Small,
    /// None of them.
    Ordinary,
}

/// The functions to fuse variables with.
#[derive(Debug, Clone)]
pub struct FusionSettings {
    /// The functions; larger ones are composed from them.
    pub functions: Arc<FusionFunctions>,
    /// Sizes of composed functions, in operators, constants and variables; one is drawn per function, and 1 means a
    /// function as it is.
    pub sizes: Vec<usize>,
}

impl FusionSettings {
    /// The built-in functions that use only operators known to all these solvers.
    pub fn known_to(signature: &Signature, solvers: &[(&Profile, Option<&Version>)]) -> FusionSettings {
        let settings = FusionSettings::default();
        let knows = |name: &str| Operators::is_known_to(signature, name, solvers);
        FusionSettings { functions: Arc::new(settings.functions.within(signature, knows)), ..settings }
    }
}

impl Default for FusionSettings {
    fn default() -> Self {
        FusionSettings { functions: Arc::new(FusionFunctions::standard()), sizes: vec![1, 1, 5, 10] }
    }
}

/// The largest case allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CaseBounds {
    /// Bytes of its text.
    pub bytes: usize,
    /// Nesting depth of its terms.
    pub depth: usize,
}

/// The strategy with this name.
pub fn find(name: &str) -> Option<&'static dyn Strategy> {
    ALL.iter().copied().find(|strategy| strategy.name() == name)
}

#[cfg(test)]
mod tests;
