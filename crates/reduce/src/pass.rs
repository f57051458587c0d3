//! Passes: each knows one kind of simplification.

use gainsay_smt::Script;

use crate::change::ScriptChange;
use crate::script_view::ScriptView;

mod abstract_terms;
mod connected_assertions;
mod drop_annotations;
mod drop_arguments;
mod drop_commands;
mod drop_linked_assertion;
mod drop_parameters;
mod flatten_applications;
mod flatten_scopes;
mod inline_definitions;
mod inline_equalities;
pub(crate) mod inline_lets;
mod large_term_to_value;
mod merge_assertions;
mod merge_symbols;
mod narrow_bit_vectors;
mod narrow_floats;
mod propagate_bound;
mod push_negations;
mod replace_by_subterm;
mod restyle;
mod shorter_in_scope;
mod shorter_names;
pub(crate) mod shorter_spelling;
mod shorter_text_names;
mod shrink_datatypes;
mod shrink_text;
mod simplify_literals;
mod simplify_operators;
mod simplify_quantifiers;
mod simplify_sorts;
mod single_assertion;
mod smaller_indices;
mod smaller_logic;
mod term_to_value;

/// Every pass, in the order in which they run: those that remove most with the fewest tests first.
pub const ALL: &[&dyn Pass] = &[
    &connected_assertions::ConnectedAssertions,
    &drop_commands::DropCommands,
    &flatten_scopes::FlattenScopes,
    // Solvers are faster on fewer bits, so all later tests are cheaper.
    &narrow_bit_vectors::NarrowBitVectors,
    &narrow_floats::NarrowFloats,
    &drop_arguments::DropArguments,
    &replace_by_subterm::ReplaceBySubterm,
    &large_term_to_value::LargeTermToValue,
    &shrink_text::ShrinkText,
    &inline_lets::InlineLets,
    &inline_definitions::InlineDefinitions,
    &push_negations::PushNegations,
    &simplify_quantifiers::SimplifyQuantifiers,
    &drop_annotations::DropAnnotations,
    &drop_parameters::DropParameters,
    &flatten_applications::FlattenApplications,
    &inline_equalities::InlineEqualities,
    &merge_symbols::MergeSymbols,
    &shrink_datatypes::ShrinkDatatypes,
    &simplify_sorts::SimplifySorts,
    &term_to_value::TermToValue,
    &simplify_operators::SimplifyOperators,
    &smaller_indices::SmallerIndices,
    &shorter_in_scope::ShorterInScope,
    &abstract_terms::AbstractTerms,
    &single_assertion::SingleAssertion,
    &drop_linked_assertion::DropLinkedAssertion,
    &propagate_bound::PropagateBound,
    &simplify_literals::SimplifyLiterals,
    &restyle::Restyle,
    &merge_assertions::MergeAssertions,
    &shorter_spelling::ShorterSpelling,
    &smaller_logic::SmallerLogic,
    &shorter_names::ShorterNames,
    &shorter_text_names::ShorterTextNames,
];

/// When a pass runs. Phases follow each other in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Drops whole commands.
    Commands,
    /// Removes large parts of a script. This phase and the one before are repeated until they find nothing, then others run.
    Coarse,
    /// Simplifies binders, declarations and sorts.
    Structure,
    /// Makes many small changes.
    Fine,
    /// Writes the same script in a shorter way. This enables no other pass, so it runs once, at the end.
    Restyle,
}

/// One kind of simplification.
pub trait Pass: Sync {
    /// Its name, as reports show it.
    fn name(&self) -> &'static str;
    /// Its simplification, in one line.
    fn about(&self) -> &'static str;
    /// When it runs.
    fn phase(&self) -> Phase;
    /// The simplifications that it knows for a script, in batches.
    ///
    /// Any changes of a batch can be made together; those that remove most come first. Batches are tried one after the other.
    /// A pass may add terms and symbols to the script, but must not change its commands.
    fn changes(&self, script: &mut Script, view: &ScriptView) -> Vec<Vec<ScriptChange>>;
    /// Whether all changes, not only the later ones, are tried again after one that rewrote the whole script succeeded.
    fn starts_over(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_follow_each_other() {
        assert!(ALL.is_sorted_by_key(|pass| pass.phase()));
    }

    #[test]
    fn names_of_passes_are_unique() {
        let names: std::collections::BTreeSet<&str> = ALL.iter().map(|pass| pass.name()).collect();
        assert_eq!(names.len(), ALL.len());
    }
}
