//! Construct insertion in campaigns: draws a construct for the script and inserts it.
//!
//! It draws a sort of the script, then an operator with that result sort or, in a quarter of the draws, a kind of its
//! literals. So predicates are as likely as operators of any other sort, however many there are of each.

use gainsay_smt::Script;

use super::{Construct, ConstructInserter, ConstructKind};
use crate::generate::ROUNDING_MODES;
use crate::generate::growth::MAX_TERM_DEPTH;
use crate::generate::literal::LiteralKind;
use crate::generate::vocabulary::{GrowthSettings, TermVocabulary};
use crate::promise::Promise;
use crate::random::Rng;
use crate::survey::ScriptSurvey;
use crate::{Parent, Proposal, Skip, Strategy, StrategySettings};

/// Constructs drawn before a script counts as one that can contain none.
const MAX_CONSTRUCT_DRAWS: usize = 5;

/// Bytes that an insertion may add.
const MAX_INSERTED_BYTES: u64 = 1000;

/// Construct insertion (BanditFuzz).
#[derive(Debug)]
pub struct ConstructStrategy;

impl Strategy for ConstructStrategy {
    fn name(&self) -> &'static str {
        "construct"
    }

    fn about(&self) -> &'static str {
        "inserts a random construct and keeps arguments that fit (BanditFuzz)"
    }

    fn propose(
        &self,
        parents: &[Parent<'_>],
        settings: &StrategySettings,
        rng: &mut Rng,
    ) -> Result<Proposal, Skip> {
        let script = parents[0].script;
        let survey = ScriptSurvey::of(script, &settings.operators);
        if survey.places() == 0 {
            return Err(Skip::NothingToDo);
        }
        if survey.total_bytes().saturating_add(MAX_INSERTED_BYTES) > settings.bounds.bytes as u64 {
            return Err(Skip::TooLarge);
        }
        let usual = GrowthSettings::default();
        let depth = (survey.deepest() + 1).max(usual.depth).min(MAX_TERM_DEPTH).min(settings.bounds.depth);
        let habits = GrowthSettings { depth, ..usual };
        let vocabulary = TermVocabulary::of(script, survey.sorts(), &settings.operators, &habits);
        let inserter = ConstructInserter { operators: &settings.operators, habits: &habits };
        let made = (0..MAX_CONSTRUCT_DRAWS).find_map(|_| {
            let construct = draw(script, &vocabulary, rng)?;
            let made = inserter.put(&survey, &vocabulary, &construct, rng)?;
            Some((construct, made))
        });
        let (construct, script) = made.ok_or(Skip::NothingToDo)?;
        let step = format!("{} put in", construct.name);
        Ok(Proposal::new(script, Promise::Nothing, step))
    }
}

/// Draws a construct for the sorts of a script.
fn draw(script: &Script, vocabulary: &TermVocabulary<'_>, rng: &mut Rng) -> Option<Construct> {
    let arena = script.arena();
    let sort = *rng.choose(&vocabulary.sorts)?;
    let kinds: Vec<String> = LiteralKind::of(arena, sort).map(LiteralKind::full_name).collect();
    if rng.chance(1, 4)
        && let Some(name) = rng.choose(&kinds)
    {
        return Some(Construct { kind: ConstructKind::Literal, name: name.clone() });
    }
    let operators = vocabulary.operators;
    let rank = |number: usize| operators.get(arena, sort, vocabulary.kinds, number);
    let ranks: Vec<_> = (0..operators.count(arena, sort)).filter_map(rank).collect();
    let name = operators.name(rng.choose(&ranks)?).to_owned();
    let is_mode = ROUNDING_MODES.contains(&name.as_str());
    Some(Construct {
        kind: if is_mode { ConstructKind::RoundingMode } else { ConstructKind::Operator },
        name,
    })
}
