//! The seed of a chain, which some steps start from again.

use gainsay_smt::Script;

use crate::campaign::scripts::advice::SeedAdvice;
use crate::campaign::scripts::partners::PartnerLibrary;
use crate::campaign::scripts::small_seed::SmallSeed;
use crate::known_answers::KnownAnswers;
use crate::solver::run::Answer;
use crate::strategy::mutation_weights::MutationWeights;

/// The seed that a chain starts with, and its status.
#[derive(Debug)]
pub(super) struct ChainSeed<'a> {
    pub script: Script,
    /// The seed with few values that the chain starts from, if it is in small scope.
    pub small: Option<SmallSeed>,
    /// The script under the logic that was drawn for the chain.
    pub under_logic: Option<Script>,
    pub status: Option<Answer>,
    /// The answers that it claims for its checks, if it has several.
    pub known: KnownAnswers,
    /// Its number among the seeds, and the library of partners.
    pub partners: Option<(usize, &'a PartnerLibrary<'a>)>,
    /// The advice about it, and the number of cases made from it before this chain.
    pub advice: Option<(&'a SeedAdvice, u64)>,
    /// The weights that mutations are drawn with.
    pub weights: Option<MutationWeights>,
    /// The strategies of the steps, if a bandit chose them.
    pub strategies: Vec<String>,
}

impl ChainSeed<'_> {
    /// The script that the chain starts from, with its answer, where known.
    pub fn start(&self) -> (&Script, Option<Answer>) {
        match &self.small {
            Some(small) => (&small.script, None),
            None => (self.under_logic.as_ref().unwrap_or(&self.script), self.status),
        }
    }
}
