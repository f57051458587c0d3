//! Horn (HornFuzz): rewrites a system of constrained Horn clauses without changing its answer.
//!
//! ```text
//! (=> (and (inv x) (< x 10)) (inv (+ x 1)))   becomes   (=> (and (< x 10) (inv x) (< x 11)) (inv (+ x 1)))
//! ```
//!
//! Every mutation is satisfiability-preserving, and its result is a system of Horn clauses again. Some replace one
//! place of a clause by an equivalent term (`place.rs`, `inequality.rs`); others change the clauses (`clauses.rs`,
//! `unfold.rs`) or the predicates (`predicates.rs`), add clauses that derive nothing (`rules.rs`), use the advice of a solver
//! about the seed (`advised.rs`), or make clauses weaker or stronger where the answer is known (`monotone.rs`). Each file says why the answer stays. Mutations of one origin are drawn by
//! weight, the origins with equal chances.
//!
//! A predicate whose meaning changes gets a fresh name, so that a lemma about the old predicate is never applied to the
//! new one.

pub mod advice;
mod advised;
mod clauses;
mod inequality;
mod monotone;
mod place;
mod predicates;
mod rules;
mod unfold;

use std::cell::OnceCell;

use gainsay_smt::horn::{HornForm, System};
use gainsay_smt::{Command, Edit, Occurrences, Script, Term, Word};

use super::{Parent, Proposal, Skip, StepRecord, Strategy, StrategySettings};
use crate::known_answers::KnownAnswers;
use crate::mutation_weights::{MutationChoice, MutationWeights};
use crate::promise::Promise;
use crate::random::Rng;
use gainsay_solvers::run::Answer;

use advice::HornAdvice;

/// Every mutation.
pub const ALL: &[&dyn HornMutation] = &[
    &place::SwapAnd,
    &place::DuplicateAnd,
    &place::BreakAnd,
    &place::SwapOr,
    &place::MixVariables,
    &inequality::AddInequality,
    &rules::AddLinearRule,
    &rules::AddNonLinearRule,
    &rules::AddDeadClause,
    &clauses::ReorderClauses,
    &clauses::DuplicateClause,
    &clauses::SplitClause,
    &clauses::JoinClauses,
    &predicates::PermuteArguments,
    &predicates::RenamePredicate,
    &predicates::AddIndirection,
    &unfold::UnfoldCall,
    &unfold::AddResolvent,
    &advised::AddLemma,
    &advised::AddInvariant,
    &advised::RewriteConstraint,
    &monotone::DropClause,
    &monotone::GuardClause,
    &monotone::DropCondition,
    &monotone::FalseHead,
];

/// Places of a script that mutations consider.
const MAX_HORN_PLACES: usize = 100_000;

/// A satisfiability-preserving change of a system.
pub trait HornMutation: Sync {
    /// Its name in records.
    fn name(&self) -> &'static str;
    /// Where it comes from.
    fn kind(&self) -> MutationOrigin {
        MutationOrigin::Own
    }
    /// Makes the change; `None` if there is nothing to change.
    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant>;
}

impl std::fmt::Debug for dyn HornMutation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The origins of mutations, which have equal chances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MutationOrigin {
    /// gainsay's own mutation.
    Own,
    /// A rewrite by z3's simplifier.
    Rewrite,
}

/// The system to mutate.
#[derive(Debug)]
pub struct HornSource<'a> {
    /// As a script.
    pub script: &'a Script,
    /// As clauses.
    pub system: &'a System,
    /// A solver's advice about the clauses of its seed, if there is any.
    pub advice: Option<&'a HornAdvice>,
    /// The answer of the system, where known.
    pub status: Option<Answer>,
    places: OnceCell<Occurrences>,
}

impl<'a> HornSource<'a> {
    fn new(script: &'a Script, system: &'a System) -> HornSource<'a> {
        HornSource { script, system, advice: None, status: None, places: OnceCell::new() }
    }

    /// The places of the script.
    fn places(&self) -> &Occurrences {
        self.places.get_or_init(|| Occurrences::of(self.script, MAX_HORN_PLACES))
    }

    /// Draws a place whose term is wanted.
    fn draw(&self, rng: &mut Rng, is_wanted: impl Fn(Term) -> bool) -> Option<usize> {
        let list = self.places().list();
        let wanted: Vec<usize> = (0..list.len()).filter(|&place| is_wanted(list[place].term)).collect();
        rng.choose(&wanted).copied()
    }

    /// Replaces the term at a place; `script` contains the terms of the source and the new one.
    fn edit(&self, mut script: Script, place: usize, new: Term, words: String) -> HornMutant {
        let list = self.places().list();
        let (command, position) = list[place].root;
        let (mut path, mut at) = (Vec::new(), place);
        while let Some((parent, child)) = list[at].parent {
            path.push((list[parent].term, child));
            at = parent;
        }
        path.reverse();
        let edit = Edit { command, position, path, old: list[place].term, new };
        edit.make(&mut script);
        HornMutant { script, edit: Some(edit), words }
    }
}

/// The result of a mutation.
#[derive(Debug)]
pub struct HornMutant {
    script: Script,
    edit: Option<Edit>,
    words: String,
}

impl HornMutant {
    /// A changed system.
    fn system(system: &System, words: impl Into<String>) -> HornMutant {
        HornMutant { script: system.script(HornForm::Horn), edit: None, words: words.into() }
    }
}

/// Satisfiability-preserving mutations of Horn clauses (HornFuzz).
pub struct HornStrategy;

impl Strategy for HornStrategy {
    fn name(&self) -> &'static str {
        "horn"
    }

    fn about(&self) -> &'static str {
        "rewrites constrained Horn clauses without changing their answer (HornFuzz)"
    }

    fn suits(&self, script: &Script) -> bool {
        let is_rule = |command: &Command| matches!(command, Command::Term(Word::Rule, ..));
        script.is_horn() || script.logic().is_none() && script.commands.iter().any(is_rule)
    }

    fn keeps_answer(&self) -> bool {
        true
    }

    fn propose(
        &self,
        parents: &[Parent<'_>],
        settings: &StrategySettings,
        rng: &mut Rng,
    ) -> Result<Proposal, Skip> {
        let [parent] = parents else { return Err(Skip::Unfit("horn takes one parent")) };
        let made = mutant(parent, rng)?;
        if made.script.to_string().len() > settings.bounds.bytes { Err(Skip::TooLarge) } else { Ok(made) }
    }
}

/// Draws a mutation and applies it.
fn mutant(parent: &Parent<'_>, rng: &mut Rng) -> Result<Proposal, Skip> {
    let Parent { script, status, horn_advice, weights, .. } = parent;
    let system = System::read(script).map_err(|_| Skip::Unfit("no system of Horn clauses"))?;
    if system.form == HornForm::Fixedpoint {
        // Deriving the query and having a model are opposite answers.
        let draft = HornMutant::system(&system, "to-horn: written as assertions");
        return Ok(proposal(None, draft, status.map(opposite)));
    }
    let source = HornSource { advice: *horn_advice, status: *status, ..HornSource::new(script, &system) };
    if let Some(weights) = weights {
        return by_weight(&source, weights, *status, rng).ok_or(Skip::NothingToDo);
    }
    let kind = if rng.chance(1, 2) { MutationOrigin::Own } else { MutationOrigin::Rewrite };
    let (first, mut left): (Vec<&dyn HornMutation>, Vec<&dyn HornMutation>) =
        ALL.iter().partition(|mutation| mutation.kind() == kind);
    left.retain(|mutation| mutation.kind() == MutationOrigin::Own);
    if let Some(made) = attempt(&source, first, *status, rng) {
        return Ok(made);
    }
    attempt(&source, left, *status, rng).ok_or(Skip::NothingToDo)
}

/// Applies the first of these mutations, in random order, that has something to change.
fn attempt(
    source: &HornSource<'_>,
    mut left: Vec<&dyn HornMutation>,
    status: Option<Answer>,
    rng: &mut Rng,
) -> Option<Proposal> {
    while !left.is_empty() {
        let mutation = left.swap_remove(rng.below(left.len()));
        if let Some(draft) = mutation.apply(source, rng) {
            return Some(proposal(Some(mutation.name()), draft, status));
        }
    }
    None
}

/// Like `attempt`, drawn by weight.
fn by_weight(
    source: &HornSource<'_>,
    weights: &MutationWeights,
    status: Option<Answer>,
    rng: &mut Rng,
) -> Option<Proposal> {
    let mut left: Vec<&dyn HornMutation> = ALL.to_vec();
    while !left.is_empty() {
        let place = |name: &str| left.iter().position(|mutation| mutation.name() == name);
        let pick = weights.draw(rng, |row| place(&row.name).is_some())?;
        let mutation = left.swap_remove(place(&weights.get(pick).name)?);
        if let Some(draft) = mutation.apply(source, rng) {
            return Some(proposal(Some(mutation.name()), draft, status));
        }
    }
    None
}

/// The initial weights of all mutations, by origin.
pub fn weights(choice: MutationChoice) -> MutationWeights {
    let of_kind = |kind: MutationOrigin| {
        ALL.iter()
            .filter(|mutation| mutation.kind() == kind)
            .map(|mutation| mutation.name().to_owned())
            .collect()
    };
    MutationWeights::new(
        [("own", of_kind(MutationOrigin::Own)), ("rewrite", of_kind(MutationOrigin::Rewrite))],
        choice,
    )
}

fn proposal(mutation: Option<&'static str>, draft: HornMutant, status: Option<Answer>) -> Proposal {
    let known = status.filter(|&answer| answer != Answer::Unknown);
    Proposal {
        promise: known.map_or(Promise::Nothing, Promise::Known),
        step: StepRecord { mutation, description: draft.words.into() },
        script: draft.script,
        edit: draft.edit,
        join: None,
        known: KnownAnswers::default(),
    }
}

fn opposite(answer: Answer) -> Answer {
    match answer {
        Answer::Sat => Answer::Unsat,
        Answer::Unsat => Answer::Sat,
        Answer::Unknown => Answer::Unknown,
    }
}

#[cfg(test)]
mod tests;
