//! Error messages for ill-sorted applications.

use super::{ApplicationOffsets, is_coercible};
use crate::context::Context;
use crate::error::{Fallible, Fault};
use crate::signature::{Bindings, Coercion, Rank, SortPattern};
use crate::sort::{Sort, Sorts};
use crate::suggest;
use crate::symbol::Symbol;
use crate::term::{Head, Term};

impl Context {
    /// The operator of the tables whose name is nearest to an unknown one.
    pub fn nearest_operator(&self, name: Symbol) -> Option<&str> {
        let signature = &self.arena.signature;
        let text = self.arena.text(name);
        suggest::nearest(
            text,
            signature.ranks().iter().map(|rank| signature.text(rank.name)),
            suggest::max_edits(text),
        )
    }

    /// The known function whose name is nearest to an unknown one.
    pub fn nearest(&self, name: Symbol) -> Option<&str> {
        let known =
            self.arena.names.iter().filter(|&name| self.knows(name)).map(|name| self.arena.text(name));
        let text = self.arena.text(name);
        suggest::nearest(text, known, suggest::max_edits(text))
    }

    /// The error for an ill-sorted application.
    pub(super) fn explain(
        &self,
        head: Head<'_>,
        arguments: &[Term],
        place: ApplicationOffsets<'_>,
    ) -> Fallible<Term> {
        let shown = self.show_head(head);
        if !self.knows(head.symbol) {
            let hint =
                self.nearest(head.symbol).map_or(String::new(), |name| format!("; did you mean {name}?"));
            return Fault::sort(place.head, format!("unknown function or constant {shown}{hint}"));
        }
        let candidates = self.candidates(head);
        let arities: Vec<&CandidateRank> = candidates.iter().filter(|c| c.takes(arguments.len())).collect();
        if arities.is_empty() && !candidates.is_empty() {
            return self.explain_arity(&shown, &candidates, arguments.len(), place);
        }
        let sorts: Vec<Sort> = arguments.iter().map(|&argument| self.arena.terms.sort(argument)).collect();
        // The rank that accepts the most arguments from the left is the one that was meant.
        let fitting = |candidate: &&&CandidateRank| candidate.fitting(&sorts, &self.arena.sorts).0;
        if let Some(candidate) = arities.iter().rev().max_by_key(fitting)
            && let (wrong, bindings) = candidate.fitting(&sorts, &self.arena.sorts)
            && wrong < sorts.len()
        {
            let (got, wanted) = (self.show_sort(sorts[wrong]), candidate.wanted(wrong, &bindings, self));
            let message = match self.arena.sorts.has_unknown(sorts[wrong]) {
                true => format!("the sort {got} of this argument is not decided; say (as NAME SORT)"),
                false => format!("argument {} of {shown} is of sort {got}, expected {wanted}", wrong + 1),
            };
            return Fault::sort(place.arguments[wrong] as usize, message);
        }
        let shown_sorts: Vec<String> = sorts.iter().take(20).map(|&sort| self.show_sort(sort)).collect();
        let message = match (&sorts[..], head.qualifier) {
            ([], None) => format!(
                "{shown} is ambiguous or incomplete here; say (as {shown} SORT), or check its indices"
            ),
            ([], Some(_)) => format!("nothing known is {shown}"),
            _ => format!("{shown} cannot be applied to {}", shown_sorts.join(" ")),
        };
        Fault::sort(place.head, message)
    }

    fn explain_arity(
        &self,
        shown: &str,
        candidates: &[CandidateRank],
        count: usize,
        place: ApplicationOffsets<'_>,
    ) -> Fallible<Term> {
        let mut takes: Vec<usize> = candidates.iter().map(|candidate| candidate.parameters.len()).collect();
        takes.sort_unstable();
        takes.dedup();
        let takes: Vec<String> = takes.iter().map(usize::to_string).collect();
        let plural = if takes == ["1"] { "argument" } else { "arguments" };
        Fault::sort(place.head, format!("{shown} takes {} {plural}, not {count}", takes.join(" or ")))
    }

    fn candidates(&self, head: Head<'_>) -> Vec<CandidateRank> {
        let functions =
            self.functions(head.symbol).filter(|_| head.indices.is_empty()).map(|function| CandidateRank {
                parameters: self.parameters(function).iter().map(|&sort| ExpectedSort::Sort(sort)).collect(),
                rank: None,
            });
        let ranks = self.arena.signature.ranks_of(head.symbol).iter();
        let ranks = ranks.filter(|rank| rank.indices.len() == head.indices.len()).map(|rank| CandidateRank {
            parameters: rank
                .parameters
                .iter()
                .map(|pattern| ExpectedSort::Pattern(pattern.clone()))
                .collect(),
            rank: Some(rank.clone()),
        });
        functions.chain(ranks).collect()
    }
}

/// A rank that may have been meant.
struct CandidateRank {
    parameters: Vec<ExpectedSort>,
    rank: Option<Rank>,
}

enum ExpectedSort {
    Sort(Sort),
    Pattern(SortPattern),
}

impl CandidateRank {
    fn takes(&self, count: usize) -> bool {
        match &self.rank {
            Some(rank) => rank.takes(count),
            None => self.parameters.len() == count,
        }
    }

    fn parameter(&self, position: usize) -> &ExpectedSort {
        &self.parameters[position.min(self.parameters.len() - 1)]
    }

    /// The number of arguments that fit from the left, and their bindings.
    fn fitting(&self, arguments: &[Sort], sorts: &Sorts) -> (usize, Bindings) {
        let mut bindings = Bindings::default();
        let mut parameters = Vec::new();
        let misfit =
            arguments.iter().enumerate().position(|(position, &sort)| match self.parameter(position) {
                ExpectedSort::Sort(wanted) => {
                    !sorts.unify(*wanted, sort, &mut parameters) && !is_coercible(sort, *wanted)
                }
                ExpectedSort::Pattern(pattern) => {
                    !pattern.bind(sort, Coercion::IntToReal, sorts, &mut bindings)
                }
            });
        (misfit.unwrap_or(arguments.len()), bindings)
    }

    fn wanted(&self, position: usize, bindings: &Bindings, context: &Context) -> String {
        match self.parameter(position) {
            ExpectedSort::Sort(sort) => context.show_sort(*sort),
            ExpectedSort::Pattern(SortPattern::Variable(variable)) if bindings.sorts[*variable].is_some() => {
                bindings.sorts[*variable].map_or_else(String::new, |sort| context.show_sort(sort))
            }
            ExpectedSort::Pattern(pattern) => pattern.show(bindings, &|symbol| context.show(symbol)),
        }
    }
}
