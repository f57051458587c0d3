//! ValFuzz: other constants in the script of a seed.
//!
//! ```text
//! (assert (< (str.to_int b) 11))     becomes     (assert (< (str.to_int b) 0))
//! ```
//!
//! It starts from the seed of the chain each time: this is what a solver was asked about, and takes one filling after the
//! other. By chance it does the same without a solver.

pub mod coerce;
pub mod domains;
mod fillings;
pub mod model_literals;
pub mod monitor;
pub mod random;
pub mod skeleton;

use gainsay_smt::Script;

use super::{Kit, Parent, Proposal, Skip, Strategy};
use crate::random::Rng;
use crate::trial::Promise;

use skeleton::Skeleton;

pub use fillings::{CoercionCounts, ConstantSource, Filling, Fillings, NoValuesReason};

/// Literals that are named in the words for a step.
const MAX_LITERALS_NAMED: usize = 5;

/// The strategy.
pub struct ValueStrategy;

impl Strategy for ValueStrategy {
    fn name(&self) -> &'static str {
        "value"
    }

    fn about(&self) -> &'static str {
        "other constants, chosen by making Boolean terms true or false (ValFuzz)"
    }

    fn varies_seed(&self) -> bool {
        true
    }

    fn propose(&self, parents: &[Parent<'_>], kit: &Kit, rng: &mut Rng) -> Result<Proposal, Skip> {
        let parent = &parents[0];
        let skeleton = Skeleton::of(parent.script).map_err(|why| Skip::Unfit(why.words()))?;
        let filling = match (kit.values.asks(), parent.values) {
            (false, _) => random::filling(&skeleton, rng),
            (true, None) => return Err(Skip::Unfit("no solver was asked for values")),
            (true, Some(values)) => {
                if let Some(why) = values.fillings.why {
                    return Err(Skip::Unfit(why.words()));
                }
                values.fillings.get(values.turn, rng)
            }
        };
        let changes =
            |filling: &Filling| filling.len() == skeleton.holes.len() && filling.iter().any(Option::is_some);
        let filling = filling.filter(changes).ok_or(Skip::NothingToDo)?;
        let text = skeleton.fill(&filling);
        if text.len() > kit.bounds.bytes {
            return Err(Skip::TooLarge);
        }
        let script = Script::parse(&text, parent.script.arena().signature());
        // A literal that does not fit its place would be a mistake of ours: the chain reads the text again and says so.
        let script = script.unwrap_or_else(|error| panic!("{error}: {}", error.excerpt));
        let step = words(&skeleton, &filling).into();
        Ok(Proposal { script, promise: Promise::Nothing, step, edit: None, join: None })
    }
}

/// What was put where.
fn words(skeleton: &Skeleton, filling: &Filling) -> String {
    let changed: Vec<String> = skeleton
        .holes
        .iter()
        .zip(filling)
        .filter_map(|(hole, value)| Some(format!("{} ⇒ {}", hole.constant, value.as_deref()?)))
        .collect();
    let more = changed.len().saturating_sub(MAX_LITERALS_NAMED);
    let named = changed[..changed.len() - more].join(", ");
    if more > 0 { format!("{named} and {more} more") } else { named }
}
