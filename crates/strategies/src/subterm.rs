//! Subterm mutation: replaces a subterm by another of the same sort that is in scope.
//!
//! ```text
//! (and (< x 0) (< 1 y))   becomes   (and (< x 0) (< 1 x))
//! ```
//!
//! The mutator of FuzzChick, as "Generative Type-Aware Mutation for Testing SMT Solvers" (section 3.2) adapts it.

use super::replacement::{Replacement, ReplacementSearch};
use super::survey::ScriptSurvey;
use super::{Parent, Proposal, Skip, Strategy, StrategySettings};
use crate::random::Rng;

/// Subterm mutation (FuzzChick).
#[derive(Debug)]
pub struct SubtermStrategy;

impl Strategy for SubtermStrategy {
    fn name(&self) -> &'static str {
        "subterm"
    }

    fn about(&self) -> &'static str {
        "replaces a subterm by another of its sort in scope (FuzzChick)"
    }

    fn default_weight(&self) -> u32 {
        4
    }

    fn propose(
        &self,
        parents: &[Parent<'_>],
        settings: &StrategySettings,
        rng: &mut Rng,
    ) -> Result<Proposal, Skip> {
        let survey = ScriptSurvey::of(parents[0].script, &settings.operators);
        let work = ReplacementSearch::new(&survey, settings.bounds);
        work.attempt(rng, |place, scope, rng| survey.draw(place.sort, scope, rng).map(Replacement::Term))
    }
}
