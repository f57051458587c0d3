//! Generative type-aware mutation: replaces a subterm by a new application of an operator to terms of the script.
//!
//! ```text
//! (> (- (str.to_int (str.++ x x))) 0)   becomes   (> (- (str.to_int (str.++ x (str.from_int 0)))) 0)
//! ```
//!
//! Algorithm 2 of "Generative Type-Aware Mutation for Testing SMT Solvers" (OOPSLA 2021), for every sort: the operator
//! is any operator or declared function whose result has the sort of the place, and each argument is a term of the
//! script that is in scope there. Unlike in the paper's algorithm, the replaced term may be an argument itself, as in
//! the paper's own example.

use gainsay_smt::signature::Materials;
use gainsay_smt::{Head, Index, Sort, Term};

use super::replacement::{MAX_OPERATORS_PER_PLACE, Replacement, ReplacementSearch};
use super::survey::{DeclaredFunction, PlaceScope, ScriptSurvey, TermPlace};
use super::{Parent, Proposal, Skip, Strategy, StrategySettings};
use crate::random::Rng;

/// Generative type-aware mutation (TypeFuzz).
#[derive(Debug)]
pub struct GenerativeStrategy;

/// Bounds for loops of regular expressions.
const LOOP_BOUNDS: [u32; 5] = [0, 1, 2, 3, 5];

impl Strategy for GenerativeStrategy {
    fn name(&self) -> &'static str {
        "generative"
    }

    fn about(&self) -> &'static str {
        "replaces a subterm by a fresh operator application over subterms in scope (TypeFuzz)"
    }

    fn default_weight(&self) -> u32 {
        3
    }

    fn propose(
        &self,
        parents: &[Parent<'_>],
        settings: &StrategySettings,
        rng: &mut Rng,
    ) -> Result<Proposal, Skip> {
        let survey = ScriptSurvey::of(parents[0].script, &settings.operators);
        let menu = ApplicationMenu::new(&survey, settings);
        let work = ReplacementSearch::new(&survey, settings.bounds);
        work.attempt(rng, |place, scope, rng| menu.application(place, scope, rng))
    }
}

/// What can be applied in one script, and to what.
struct ApplicationMenu<'a> {
    survey: &'a ScriptSurvey<'a>,
    settings: &'a StrategySettings,
    /// The kinds of sorts of the script's terms, as bits.
    kinds: u64,
    /// Sorts of the script's terms that parametric operators may use.
    sorts: Vec<Sort>,
    numbers: Vec<u32>,
}

impl<'a> ApplicationMenu<'a> {
    fn new(survey: &'a ScriptSurvey<'a>, settings: &'a StrategySettings) -> ApplicationMenu<'a> {
        let arena = survey.script.arena();
        ApplicationMenu {
            survey,
            settings,
            kinds: settings.operators.kinds_of(arena, survey.sorts()),
            sorts: survey
                .sorts()
                .iter()
                .copied()
                .filter(|&sort| super::operators::is_first_class(sort))
                .collect(),
            numbers: super::replacement::numbers(arena, survey.sorts()),
        }
    }

    /// Draws an application that may stand at a place; `None` if the draws fail.
    fn application(&self, place: &TermPlace, scope: &PlaceScope, rng: &mut Rng) -> Option<Replacement> {
        let arena = self.survey.script.arena();
        let of_theories = self.settings.operators.count(arena, place.sort);
        let of_script: Vec<&DeclaredFunction> = self.functions(place).collect();
        let count = of_theories + of_script.len();
        let all = count + usize::from(self.settings.operators.identity);
        if all == 0 {
            return None;
        }
        (0..MAX_OPERATORS_PER_PLACE).find_map(|_| match rng.below(all) {
            number if number < of_theories => self.operator(place, scope, number, rng),
            number if number < count => self.function(of_script[number - of_theories], scope, rng),
            _ => self.survey.draw(place.sort, scope, rng).map(Replacement::Term),
        })
    }

    /// The functions of the script with the sort of the place that are declared there.
    fn functions(&self, place: &TermPlace) -> impl Iterator<Item = &'a DeclaredFunction> {
        let (sort, command, survey) = (place.sort, place.command, self.survey);
        survey.functions().iter().filter(move |function| {
            function.result == sort
                && function.span.has(command)
                && survey.is_unshadowed(function.tested.unwrap_or(function.name))
        })
    }

    fn operator(
        &self,
        place: &TermPlace,
        scope: &PlaceScope,
        number: usize,
        rng: &mut Rng,
    ) -> Option<Replacement> {
        let arena = self.survey.script.arena();
        let operators = &self.settings.operators;
        let rank = operators.get(arena, place.sort, self.kinds, number)?;
        self.survey.has_operator(rank.name).then_some(())?;
        // A regular expression repeated many times makes every solver time out.
        let numbers = if place.sort == Sort::REGLAN { &LOOP_BOUNDS } else { self.numbers.as_slice() };
        let materials = Materials { sorts: &self.sorts, numbers };
        let instance = rank.instance_for(place.sort, arena, materials, &mut |bound| rng.below(bound))?;
        let arguments = match instance.parameters.last() {
            None => Vec::new(),
            Some(&last) => {
                let extra = operators.arity(rank, rng) - instance.parameters.len();
                let more = std::iter::repeat_n(last, extra);
                self.arguments(instance.parameters.iter().copied().chain(more), scope, rng)?
            }
        };
        arguments.iter().all(|&argument| operators.accepts(rank, arena, argument)).then_some(())?;
        let qualifier = instance.needs_qualifier.then_some(instance.result);
        let head = Head { symbol: rank.name, indices: &instance.indices, qualifier };
        Some(Replacement::application(head, arguments))
    }

    fn function(
        &self,
        function: &DeclaredFunction,
        scope: &PlaceScope,
        rng: &mut Rng,
    ) -> Option<Replacement> {
        let arguments = self.arguments(function.parameters.iter().copied(), scope, rng)?;
        let mut index = [Index::Numeral(0)];
        Some(Replacement::application(function.head(&mut index), arguments))
    }

    fn arguments(
        &self,
        sorts: impl Iterator<Item = Sort>,
        scope: &PlaceScope,
        rng: &mut Rng,
    ) -> Option<Vec<Term>> {
        sorts.map(|sort| self.survey.draw(sort, scope, rng)).collect()
    }
}
