//! Generative type-aware mutation: a subterm is replaced by a fresh application of an operator to terms of the script.
//!
//! ```text
//! (> (- (str.to_int (str.++ x x))) 0)   becomes   (> (- (str.to_int (str.++ x (str.from_int 0)))) 0)
//! ```
//!
//! Algorithm 2 of "Generative Type-Aware Mutation for Testing SMT Solvers" (OOPSLA 2021), for every sort: the operator is
//! any that can result in the sort of the place, of the theories or of the script; each argument is a term of the script
//! that may stand there. Unlike there, the replaced term may be an argument itself, as in the paper's own example.

use gainsay_smt::signature::Materials;
use gainsay_smt::{Head, Index, Sort, Term};

use super::replacement::{MAX_OPERATORS_PER_PLACE, Replacement, ReplacementSearch};
use super::survey::{DeclaredFunction, PlaceScope, ScriptSurvey, TermPlace};
use super::{Kit, Parent, Proposal, Skip, Strategy};
use crate::random::Rng;

/// The strategy.
#[derive(Debug)]
pub struct GenerativeStrategy;

/// Numbers for the loops of regular expressions.
const LOOP_BOUNDS: [u32; 5] = [0, 1, 2, 3, 5];

impl Strategy for GenerativeStrategy {
    fn name(&self) -> &'static str {
        "generative"
    }

    fn about(&self) -> &'static str {
        "replaces a subterm by a fresh operator application over subterms in scope (TypeFuzz)"
    }

    fn propose(&self, parents: &[Parent<'_>], kit: &Kit, rng: &mut Rng) -> Result<Proposal, Skip> {
        let survey = ScriptSurvey::of(parents[0].script, &kit.operators);
        let menu = ApplicationMenu::new(&survey, kit);
        let work = ReplacementSearch::new(&survey, kit.bounds);
        work.attempt(rng, |place, scope, rng| menu.application(place, scope, rng))
    }
}

/// What can be applied to what in one script.
struct ApplicationMenu<'a> {
    survey: &'a ScriptSurvey<'a>,
    kit: &'a Kit,
    /// The kinds of sorts of which there are terms.
    kinds: u64,
    /// The sorts of which there are terms, that parametric operators may be about.
    sorts: Vec<Sort>,
    numbers: Vec<u32>,
}

impl<'a> ApplicationMenu<'a> {
    fn new(survey: &'a ScriptSurvey<'a>, kit: &'a Kit) -> ApplicationMenu<'a> {
        let arena = survey.script.arena();
        ApplicationMenu {
            survey,
            kit,
            kinds: kit.operators.kinds_of(arena, survey.sorts()),
            sorts: survey
                .sorts()
                .iter()
                .copied()
                .filter(|&sort| super::operators::is_first_class(sort))
                .collect(),
            numbers: super::replacement::numbers(arena, survey.sorts()),
        }
    }

    /// An application that may stand at a place, if the draws find one.
    fn application(&self, place: &TermPlace, scope: &PlaceScope, rng: &mut Rng) -> Option<Replacement> {
        let arena = self.survey.script.arena();
        let of_theories = self.kit.operators.count(arena, place.sort);
        let of_script: Vec<&DeclaredFunction> = self.functions(place).collect();
        let count = of_theories + of_script.len();
        let all = count + usize::from(self.kit.operators.identity);
        if all == 0 {
            return None;
        }
        (0..MAX_OPERATORS_PER_PLACE).find_map(|_| match rng.below(all) {
            number if number < of_theories => self.operator(place, scope, number, rng),
            number if number < count => self.function(of_script[number - of_theories], scope, rng),
            _ => self.survey.draw(place.sort, scope, rng).map(Replacement::Term),
        })
    }

    /// The functions of the script that result in the sort of a place and are declared there.
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
        let operators = &self.kit.operators;
        let rank = operators.get(arena, place.sort, self.kinds, number)?;
        self.survey.has_operator(rank.name).then_some(())?;
        // Repeated many times a regular expression keeps every solver busy.
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
