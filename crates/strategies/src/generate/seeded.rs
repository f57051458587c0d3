//! Generation in campaigns: makes a script from nothing over the theories of the chain's seed.
//!
//! ```text
//! (declare-const a (_ BitVec 8)) (assert (bvult a #x03)) …      is over 8-bit vectors, and may give
//! (declare-const x1 (_ BitVec 8)) (assert (= (bvnot x1) (bvurem x1 #x01)))
//! ```
//!
//! Taken from the seed: its theories, whether it has quantifiers, whether its arithmetic is linear, and in every other
//! script the widths of its bit vectors. So the solvers that support the seed support the script, and its probe time is
//! a fair estimate. The operators are those of the settings, which all solvers of the campaign know.

use gainsay_smt::logic::Features;
use gainsay_smt::{Command, Index, Script, Symbol};

use super::theory::GeneratorTheory;
use super::vocabulary::GrowthSettings;
use super::{GeneratorSettings, ValueScope, script};
use crate::promise::Promise;
use crate::random::Rng;
use crate::{Parent, Proposal, ScopeChoice, Skip, Strategy, StrategySettings};

/// Percentage of Boolean terms that are quantified, if the seed has quantifiers.
const QUANTIFIED_PERCENT: usize = 20;

/// The widest bit vectors taken from a seed; solvers multiply wider ones too slowly.
const MAX_SEED_WIDTH: u32 = 64;

/// Generation over the theories of the seed (StringFuzz, BanditFuzz).
#[derive(Debug)]
pub struct GenerateStrategy;

impl Strategy for GenerateStrategy {
    fn name(&self) -> &'static str {
        "generate"
    }

    fn about(&self) -> &'static str {
        "makes a script from nothing over the theories of the seed (StringFuzz, BanditFuzz)"
    }

    fn takes_seed(&self) -> bool {
        true
    }

    fn leads_on(&self) -> bool {
        false
    }

    fn propose(
        &self,
        parents: &[Parent<'_>],
        settings: &StrategySettings,
        rng: &mut Rng,
    ) -> Result<Proposal, Skip> {
        let seed = parents[0].script;
        let arena = seed.arena();
        if seed.assertions().next().is_none() || seed.assertions().any(|term| arena.has_opaque(term)) {
            return Err(Skip::NothingToDo);
        }
        let mut generator_settings = generator_settings(seed, rng);
        generator_settings.scope = match settings.scope {
            ScopeChoice::Small => ValueScope::Small,
            ScopeChoice::Some | ScopeChoice::Mixed if rng.chance(1, 3) => ValueScope::Small,
            ScopeChoice::Some | ScopeChoice::Mixed | ScopeChoice::Ordinary => ValueScope::Ordinary,
        };
        if generator_settings.scope == ValueScope::Small {
            generator_settings.sorts.clear();
            generator_settings.formats = settings.formats;
            generator_settings.weigh_small_scope(arena.signature());
        }
        let script = script(arena.signature(), &settings.operators, &generator_settings, rng)
            .ok_or(Skip::NothingToDo)?;
        if script.to_string().len() > settings.bounds.bytes {
            return Err(Skip::TooLarge);
        }
        let names: Vec<&str> = generator_settings.theories.iter().map(|theory| theory.name()).collect();
        let step = format!("{} assertions over {}", generator_settings.assertions, names.join(", "));
        Ok(Proposal::new(script, Promise::Nothing, step))
    }
}

/// The settings of a generator for scripts like a seed.
fn generator_settings(seed: &Script, rng: &mut Rng) -> GeneratorSettings {
    let features = Features::of_script(seed);
    let theories = GeneratorTheory::of_script(seed, &features);
    let linear = theories.iter().flat_map(|theory| theory.words("nonlinear")).filter(|_| !features.nonlinear);
    let weights = linear.map(|name| (name.to_owned(), 0)).collect();
    let quantifiers = if features.quantifiers { QUANTIFIED_PERCENT } else { 0 };
    // A float and its parts need matching widths, so floats take all widths from the table.
    let widths = if !features.floats && rng.chance(1, 2) { widths(seed) } else { Vec::new() };
    GeneratorSettings {
        theories,
        sorts: widths,
        variables: 1 + rng.below(3),
        assertions: 1 + rng.below(4),
        habits: GrowthSettings { depth: 2 + rng.below(4), quantifiers, weights, ..GrowthSettings::default() },
        ..GeneratorSettings::default()
    }
}

/// The bit-vector sorts that a script declares constants of.
fn widths(script: &Script) -> Vec<String> {
    let arena = script.arena();
    let mut widths = Vec::new();
    for command in &script.commands {
        let Command::Declare(_, _, _, sort) = command else { continue };
        let view = arena.view_sort(arena.canonical(*sort));
        if let (Symbol::BITVEC, [Index::Numeral(width)]) = (view.head, view.indices)
            && *width <= MAX_SEED_WIDTH
            && !widths.contains(width)
        {
            widths.push(*width);
        }
    }
    widths.iter().map(|width| format!("(_ BitVec {width})")).collect()
}
