//! The model that a fused script was made to have: the models of its seeds, and the values of what fusion added.

use gainsay_smt::Script;

use super::chain::JoinedSeed;
use crate::trial::ModelEvidence;
use crate::trial::evidence::Belief;

/// The model that a script was made to have, from the models of the seeds that it was fused from, in order; `None` if one of
/// them has none.
pub fn intended_model(script: &Script, joined: &[JoinedSeed], beliefs: &[&Belief]) -> Option<ModelEvidence> {
    let (first, others) = beliefs.split_first()?;
    let mut text = first.model.as_deref()?.to_owned();
    for (joined, belief) in joined.iter().zip(others) {
        text = joined.join.model(&text, belief.model.as_deref()?, script.arena())?;
    }
    (joined.len() == others.len()).then(|| ModelEvidence::checked(text, script))
}
