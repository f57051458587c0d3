//! Value mutation (ValFuzz): replaces constants of a seed, chosen by Boolean expression coercion.
//!
//! ```text
//! (assert (< (str.to_int b) 11))       the seed
//! (assert (< (str.to_int b) hole!0))   its skeleton: constants are holes
//! (< (str.to_int b) hole!0)            a monitor, which a solver makes true or false
//! hole!0 = 0                           the value of the hole in the solver's model
//! (assert (< (str.to_int b) 0))        the case
//! ```
//!
//! Random constants are mostly far from any boundary. Values from models in which a Boolean part of the script is true, or
//! false, lie where solvers must decide. Besides the Boolean terms of the script, properties of its other terms are coerced
//! (rows of `rules/domains.smt2`): a term is zero, empty, not a number.
//!
//! * [`skeleton`] makes holes and fills them; [`monitor`] lists what can be coerced, [`domains`] reads the table.
//! * [`coerce`] decides what to coerce next and learns from the answers, from any [`coerce::ModelFinder`]; the one that asks a
//!   solver is in `campaign/scripts/advice/values.rs`. [`model_literals`] turns its models into literals.
//!
//! The strategy starts from the seed of the chain each time, and takes one filling of [`Fillings`] after the other. They are
//! recorded with the seed, so that cases can be remade without a solver. With random constants, no solver is needed.

pub mod coerce;
pub mod domains;
mod fillings;
pub mod model_literals;
pub mod monitor;
pub mod random;
pub mod skeleton;

use gainsay_smt::Script;

use super::{Parent, Proposal, Skip, Strategy, StrategySettings};
use crate::promise::Promise;
use crate::random::Rng;

use skeleton::Skeleton;

pub use fillings::{CoercionCounts, ConstantSource, Filling, Fillings, NoValuesReason};

/// Literals named in the description of a step.
const MAX_LITERALS_NAMED: usize = 5;

/// Value mutation (ValFuzz).
pub struct ValueStrategy;

impl Strategy for ValueStrategy {
    fn name(&self) -> &'static str {
        "value"
    }

    fn about(&self) -> &'static str {
        "replaces constants, with values that make Boolean terms true or false (ValFuzz)"
    }

    fn varies_seed(&self) -> bool {
        true
    }

    fn default_weight(&self) -> u32 {
        8
    }

    fn propose(
        &self,
        parents: &[Parent<'_>],
        settings: &StrategySettings,
        rng: &mut Rng,
    ) -> Result<Proposal, Skip> {
        let parent = &parents[0];
        let skeleton = Skeleton::of(parent.script).map_err(|why| Skip::Unfit(why.words()))?;
        let filling = match (settings.values.asks(), parent.values) {
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
        if text.len() > settings.bounds.bytes {
            return Err(Skip::TooLarge);
        }
        let script = Script::parse(&text, parent.script.arena().signature());
        // A literal that does not fit its place is a bug of gainsay's; the chain catches the panic and reports it.
        let script = script.unwrap_or_else(|error| panic!("{error}: {}", error.excerpt));
        let step = words(&skeleton, &filling);
        Ok(Proposal::new(script, Promise::Nothing, step))
    }
}

/// Describes the replaced constants.
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
