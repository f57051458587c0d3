//! Operator mutation: replaces an operator by another with the same arguments and the same sort.
//!
//! ```text
//! (< (+ x y) z)   becomes   (>= (+ x y) z)
//! ```
//!
//! Type-aware operator mutation of OpFuzz (OOPSLA 2020), with ranks from the theory tables instead of a list of
//! classes. It also swaps `forall` and `exists`, and may change the indices of an indexed operator.

use gainsay_smt::signature::Materials;
use gainsay_smt::{Arena, Binder, Head, Index, Sort, Term, TermView};

use super::replacement::{MAX_OPERATORS_PER_PLACE, Replacement, ReplacementSearch};
use super::survey::{ScriptSurvey, TermPlace};
use super::{Parent, Proposal, Skip, Strategy, StrategySettings};
use crate::random::Rng;

/// Type-aware operator mutation (OpFuzz).
#[derive(Debug)]
pub struct OperatorStrategy;

impl Strategy for OperatorStrategy {
    fn name(&self) -> &'static str {
        "operator"
    }

    fn about(&self) -> &'static str {
        "replaces an operator by another that takes the same arguments (OpFuzz)"
    }

    fn default_weight(&self) -> u32 {
        24
    }

    fn propose(
        &self,
        parents: &[Parent<'_>],
        settings: &StrategySettings,
        rng: &mut Rng,
    ) -> Result<Proposal, Skip> {
        let survey = ScriptSurvey::of(parents[0].script, &settings.operators);
        let arena = survey.script.arena();
        let swap = OperatorSwap {
            numbers: super::replacement::numbers(arena, survey.sorts()),
            kinds: settings.operators.kinds_of(arena, survey.sorts()),
            survey: &survey,
            settings,
        };
        let work = ReplacementSearch::new(&survey, settings.bounds);
        work.attempt(rng, |place, _, rng| swap.other(place, rng))
    }
}

struct OperatorSwap<'a> {
    survey: &'a ScriptSurvey<'a>,
    settings: &'a StrategySettings,
    numbers: Vec<u32>,
    /// The kinds of sorts of the script's terms, as bits.
    kinds: u64,
}

impl OperatorSwap<'_> {
    /// Draws another operator for a place; `None` if the draws fail.
    fn other(&self, place: &TermPlace, rng: &mut Rng) -> Option<Replacement> {
        let arena = self.survey.script.arena();
        match arena.view(place.term) {
            TermView::Application(head, arguments) if self.is_operator(head, arguments) => {
                let sorts: Vec<Sort> = arguments.iter().map(|&argument| arena.sort_of(argument)).collect();
                self.application(place, arguments, &sorts, rng)
            }
            TermView::Bind(Binder::Forall, ..) => self.binder(Binder::Forall, Binder::Exists),
            TermView::Bind(Binder::Exists, ..) => self.binder(Binder::Exists, Binder::Forall),
            _ => None,
        }
    }

    fn binder(&self, old: Binder, new: Binder) -> Option<Replacement> {
        self.may_replace(old.name(), new.name(), 1).then_some(Replacement::Binder(new))
    }

    /// Whether the user's classes, if any, allow the replacement with this number of arguments.
    fn may_replace(&self, old: &str, new: &str, count: usize) -> bool {
        self.settings.operators.classes.as_ref().is_none_or(|classes| classes.allow(old, new, count))
    }

    /// Whether a head is an operator rather than a constant of the script.
    fn is_operator(&self, head: Head<'_>, arguments: &[Term]) -> bool {
        head.qualifier.is_none() && (!arguments.is_empty() || self.survey.has_operator(head.symbol))
    }

    fn application(
        &self,
        place: &TermPlace,
        arguments: &[Term],
        sorts: &[Sort],
        rng: &mut Rng,
    ) -> Option<Replacement> {
        let arena = self.survey.script.arena();
        let of_theories = self.settings.operators.count(arena, place.sort);
        let of_script: Vec<_> = self
            .survey
            .functions()
            .iter()
            .filter(|function| {
                function.result == place.sort
                    && function.parameters == sorts
                    && function.span.has(place.command)
                    && self.survey.is_unshadowed(function.tested.unwrap_or(function.name))
            })
            .collect();
        let count = of_theories + of_script.len();
        (0..MAX_OPERATORS_PER_PLACE.min(count * 4)).find_map(|_| {
            let draft = match rng.below(count) {
                number if number < of_theories => self.operator(place, arguments, sorts, number, rng)?,
                number => {
                    let mut index = [Index::Numeral(0)];
                    Replacement::application(
                        of_script[number - of_theories].head(&mut index),
                        arguments.to_vec(),
                    )
                }
            };
            let names = (head_name(arena, place.term), draft.name().map(|name| arena.text(name)));
            let allowed = match names {
                (Some(old), Some(new)) => self.may_replace(old, new, arguments.len()),
                _ => true,
            };
            (allowed && !draft.is(arena, place.term)).then_some(draft)
        })
    }

    fn operator(
        &self,
        place: &TermPlace,
        arguments: &[Term],
        sorts: &[Sort],
        number: usize,
        rng: &mut Rng,
    ) -> Option<Replacement> {
        let arena = self.survey.script.arena();
        let operators = &self.settings.operators;
        let rank = operators.get(arena, place.sort, self.kinds, number)?;
        let takes = operators.takes(rank, sorts.len()) && self.survey.has_operator(rank.name);
        takes.then_some(())?;
        let materials = Materials { sorts: &[], numbers: &self.numbers };
        let instance =
            rank.instance_over(place.sort, sorts, arena, materials, &mut |bound| rng.below(bound))?;
        let head = Head { symbol: rank.name, indices: &instance.indices, qualifier: None };
        let accepted = arguments.iter().all(|&argument| operators.accepts(rank, arena, argument));
        (accepted && !instance.needs_qualifier).then(|| Replacement::application(head, arguments.to_vec()))
    }
}

/// The operator of an application.
fn head_name(arena: &Arena, term: Term) -> Option<&str> {
    match arena.view(term) {
        TermView::Application(head, _) => Some(arena.text(head.symbol)),
        _ => None,
    }
}
