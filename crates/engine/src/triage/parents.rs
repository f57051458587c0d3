//! Reduces a fused script through its parents, where the finding rests on a promised answer.
//!
//! ```text
//! a (sat) ─┐                               a' (sat) ─┐
//!          ├─▶ fused: must be sat    ⇒               ├─▶ fused': must be sat, and the suspect says unsat
//! b (sat) ─┘                               b' (sat) ─┘
//! ```
//!
//! A smaller script need not have the answer that the whole was made to have, but a fusion of smaller parents has theirs. So
//! the reducer works on one parent at a time, and its test fuses the parents: does the suspect contradict the promise of the
//! fused script, and does the parent still have its answer? Other solvers check the latter (`status_checkers.rs`).
//!
//! If models of the parents combine to a model of the fused script, no promise is needed: the reducer works on the fused
//! script itself, and our evaluator checks that the model still satisfies it.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;

use gainsay_smt::Script;

use super::record::{ConfirmedFinding, ReducedParent, TriageRecord};
use super::shrink::{ReductionResult, ReductionTask, shows, told};
use super::status_checkers::{ChosenCheckers, StatusCheckers};
use super::triager::{Triager, parse};
use crate::event::CaseNumber;
use crate::finding::{Evidence, FindingKind};
use crate::prepare::Preparation;
use crate::reduce::{Candidate, InterestingnessTest, Reduced, TestOutcome};
use crate::session::TrialSession;
use crate::session::panel::{PanelSolver, SolverPool};
use crate::session::status_panel::StatusPanel;
use crate::solver::outline::outline;
use crate::solver::run::Answer;
use crate::strategy::fusion::{DecomposedFusion, ModelJoin};
use crate::trial::ModelEvidence;
use crate::trial::evidence::Belief;

/// Rounds in which each parent is reduced once.
const MAX_PARENT_ROUNDS: usize = 3;
/// The note for a finding that is not a fusion.
const NOT_REDUCED_NOTE: &str =
    "not reduced: with fewer steps it is no fusion, and rests on the answer of the fusion that it was";

/// A case of two parents.
#[derive(Debug, Clone)]
pub struct FusedParents {
    /// The decomposition of the case.
    pub apart: DecomposedFusion,
    /// The seeds that each parent comes from.
    pub names: [String; 2],
}

/// Tests that a parent, fused with the other, shows the finding, and still has its answer.
struct FusionPersists<'q> {
    apart: &'q DecomposedFusion,
    side: usize,
    other: &'q Script,
    question: &'q dyn InterestingnessTest,
    checkers: &'q StatusCheckers<'q>,
}

impl InterestingnessTest for FusionPersists<'_> {
    fn test(&self, candidate: &Candidate<'_>) -> TestOutcome {
        let parents =
            if self.side == 0 { [candidate.script, self.other] } else { [self.other, candidate.script] };
        let Some((script, _)) = fused(self.apart, parents) else { return TestOutcome::Uninteresting };
        let text = script.to_string();
        match self.question.test(&Candidate { script: &script, text: &text, ..*candidate }) {
            TestOutcome::Interesting if candidate.stop.load(Ordering::Relaxed) => TestOutcome::Uninteresting,
            TestOutcome::Interesting
                if self.checkers.confirm(&DecomposedFusion::unmarked(candidate.script)) =>
            {
                TestOutcome::Interesting
            }
            TestOutcome::Interesting => TestOutcome::Uninteresting,
            other => other,
        }
    }
}

/// Tests that a script shows the finding, and that a model satisfies it.
struct ModelHoldsToo<'q> {
    question: &'q dyn InterestingnessTest,
    model: &'q str,
}

impl InterestingnessTest for ModelHoldsToo<'_> {
    fn test(&self, candidate: &Candidate<'_>) -> TestOutcome {
        match ModelEvidence::checked(self.model.to_owned(), candidate.script).holds() {
            true => self.question.test(candidate),
            false => TestOutcome::Uninteresting,
        }
    }
}

impl Triager<'_> {
    /// Why a promise is doubtful, if so: solvers contradict the answer of a parent.
    pub(super) fn doubt(&self, record: &TriageRecord, solvers: &[PanelSolver]) -> Option<String> {
        let FusedParents { apart, names } = (self.parents)(&record.steps)?;
        let preparation = preparation(solvers, &apart.parents[0]);
        let (launcher, limits) = (self.launcher, self.limits);
        let panel = StatusPanel { panel: solvers, launcher, preparation: &preparation, limits };
        let status = apart.status;
        let is_doubted =
            |parent: &Script| Belief::of(&ask(&panel, parent).trial, Some(status)).answer != Some(status);
        let doubted = apart.parents.iter().zip(names).find(|(parent, _)| is_doubted(parent))?;
        Some(format!("solvers contradict that {} is {}, of which it is made", doubted.1, status.name()))
    }

    /// Reduces a finding that rests on a promise.
    pub(super) fn shrink_parents(
        &self,
        task: &ReductionTask<'_>,
        record: &TriageRecord,
        solvers: &[PanelSolver],
    ) -> Result<ReductionResult, String> {
        let unreduced = |why: &str| ReductionResult {
            steps: record.steps.clone(),
            note: why.to_owned(),
            ..ReductionResult::default()
        };
        let make = |steps: &[CaseNumber]| Some(fused_whole(&(self.parents)(steps)?.apart)?.0);
        let (steps, _) = self.fewer_steps(task, &make);
        let Some(fused_parents) = (self.parents)(&steps) else { return Ok(unreduced(NOT_REDUCED_NOTE)) };
        let Some((script, join)) =
            fused_whole(&fused_parents.apart).filter(|(script, _)| shows(task, script))
        else {
            return Ok(unreduced("not reduced: fused anew from its parents, it does not show the bug"));
        };
        let preparation = preparation(solvers, &script);
        let (launcher, limits) = (self.launcher, self.limits);
        let panel = StatusPanel { panel: solvers, launcher, preparation: &preparation, limits };
        let heard = [0, 1].map(|side| ask(&panel, &fused_parents.apart.parents[side]));
        if let Some(model) = joint_model(&fused_parents.apart, &join, &script, &heard) {
            let found = record.found.as_ref().ok_or("nothing was confirmed")?;
            return Ok(ReductionResult { steps, ..self.shrink_satisfied(task, &script, &model, found) });
        }
        let checkers: Vec<Option<ChosenCheckers>> = heard
            .iter()
            .map(|session| ChosenCheckers::choose(solvers, fused_parents.apart.status, session))
            .collect();
        if checkers.iter().all(Option::is_none) {
            return Ok(unreduced(
                "not reduced: it rests on the answers of its parents, and too few solvers can tell those of smaller ones",
            ));
        }
        Ok(ReductionResult { steps, ..self.shrink_both_parents(task, fused_parents, &checkers)? })
    }

    /// Reduces the script as long as the model that it was made to have satisfies it.
    fn shrink_satisfied(
        &self,
        task: &ReductionTask<'_>,
        script: &Script,
        model: &str,
        found: &ConfirmedFinding,
    ) -> ReductionResult {
        let question = &ModelHoldsToo { question: task.question, model };
        let reduced = self.search(&ReductionTask { question, ..*task }, script);
        let suspects = &found.suspects;
        let explanation = format!(
            "{suspects} says unsat; the model that the script was made to have makes every assertion true"
        );
        let kind = FindingKind::Refutation;
        let found = ConfirmedFinding { kind, evidence: Evidence::Proved, explanation, ..found.clone() };
        let note = told(&reduced);
        let model = Some(needed(model, &reduced.script));
        ReductionResult {
            text: Some(reduced.text),
            model,
            found: Some(found),
            note,
            ..ReductionResult::default()
        }
    }

    /// Reduces the parents, and so the case.
    fn shrink_both_parents(
        &self,
        task: &ReductionTask<'_>,
        fused_parents: FusedParents,
        checkers: &[Option<ChosenCheckers>],
    ) -> Result<ReductionResult, String> {
        let FusedParents { apart, names } = fused_parents;
        let mut apart = self.fewer_triplets(task, apart);
        let untold = names.iter().zip(checkers).filter(|(_, checkers)| checkers.is_none());
        let mut notes: BTreeSet<String> =
            untold.map(|(name, _)| format!("{name} is left as it is: too few solvers can tell")).collect();
        let mut checks = 0;
        for _ in 0..MAX_PARENT_ROUNDS {
            let before = texts(&apart);
            for (side, checkers) in checkers.iter().enumerate() {
                let Some(checkers) = checkers else { continue };
                let reduced = self.shrink_parent(&ReductionTask { checks, ..*task }, &apart, side, checkers);
                checks += reduced.checks;
                notes.extend(Some(told(&reduced)).filter(|told| !told.is_empty()));
                apart.parents[side] = reduced.script;
            }
            if texts(&apart) == before || self.is_over(task, checks) {
                break;
            }
            apart = self.fewer_triplets(task, apart);
        }
        let (script, _) = fused_whole(&apart).ok_or("what was fused cannot be fused again")?;
        let ancestor = |(parent, name): (&Script, String)| {
            let script = DecomposedFusion::unmarked(parent);
            ReducedParent { name, script: Preparation::standard(&script, &script.to_string()) }
        };
        let parents = apart.parents.iter().zip(names).map(ancestor).collect();
        let note = notes.into_iter().collect::<Vec<_>>().join("; ");
        Ok(ReductionResult { text: Some(script.to_string()), parents, note, ..ReductionResult::default() })
    }

    /// Reduces one parent.
    fn shrink_parent(
        &self,
        task: &ReductionTask<'_>,
        apart: &DecomposedFusion,
        side: usize,
        checkers: &ChosenCheckers,
    ) -> Reduced {
        let preparation = preparation(checkers.solvers(), &apart.parents[side]);
        let checkers = &StatusCheckers::new(checkers, self.launcher, &preparation, self.limits, apart.status);
        let (other, question) = (&apart.parents[1 - side], task.question);
        let question = &FusionPersists { apart, side, other, question, checkers };
        self.search(&ReductionTask { question, ..*task }, &apart.parents[side])
    }

    /// Drops fusion triplets as long as the fused script shows the finding.
    fn fewer_triplets(&self, task: &ReductionTask<'_>, mut apart: DecomposedFusion) -> DecomposedFusion {
        for triplet in (0..apart.triplets()).rev() {
            let fewer = apart.without(triplet);
            if !self.is_over(task, 0) && fused_whole(&fewer).is_some_and(|(script, _)| shows(task, &script)) {
                apart = fewer;
            }
        }
        apart
    }
}

/// The fusion of two parents, parsed again; `None` if they cannot be fused.
fn fused(apart: &DecomposedFusion, parents: [&Script; 2]) -> Option<(Script, ModelJoin)> {
    // A fusion that fails is our bug, and costs a candidate.
    let proposal = catch_unwind(AssertUnwindSafe(|| apart.fuse(parents))).ok()?.ok()?;
    let text = Preparation::standard(&proposal.script, &proposal.script.to_string());
    Some((parse(&text).ok()?, proposal.join?))
}

fn texts(apart: &DecomposedFusion) -> [String; 2] {
    apart.parents.each_ref().map(ToString::to_string)
}

fn fused_whole(apart: &DecomposedFusion) -> Option<(Script, ModelJoin)> {
    fused(apart, apart.parents.each_ref())
}

fn preparation(panel: &[PanelSolver], script: &Script) -> Preparation {
    PanelSolver::preparation(panel, script.arena().signature())
}

/// Asks solvers about a parent without its marks.
fn ask<'a>(panel: &StatusPanel<'a>, parent: &Script) -> TrialSession<'a> {
    let script = DecomposedFusion::unmarked(parent);
    let text = script.to_string();
    panel.ask(&mut SolverPool::new(panel.panel, panel.launcher), &script, &text)
}

/// The model that a satisfiable script was made to have, if the models of the parents make one.
fn joint_model(
    apart: &DecomposedFusion,
    join: &ModelJoin,
    script: &Script,
    heard: &[TrialSession<'_>; 2],
) -> Option<String> {
    if apart.status != Answer::Sat {
        return None;
    }
    let [first, second] = heard.each_ref().map(|session| Belief::of(&session.trial, None).model);
    let model = join.model(&first?, &second?, script.arena())?;
    let evidence = ModelEvidence::checked(model, script);
    if evidence.holds() { evidence.text } else { None }
}

/// The definitions of a model that a script needs, directly or indirectly; all if those do not satisfy it.
fn needed(model: &str, script: &Script) -> String {
    let inner = model.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(model);
    let outline = outline(inner);
    fn words(text: &str) -> impl Iterator<Item = &str> {
        text.split(|c: char| c.is_whitespace() || "()".contains(c)).filter(|word| !word.is_empty())
    }
    let script_text = script.to_string();
    let mut wanted: BTreeSet<&str> = words(&script_text).collect();
    let mut kept = vec![false; outline.commands.len()];
    let mut grows = true;
    while std::mem::take(&mut grows) {
        for (command, kept) in outline.commands.iter().zip(&mut kept) {
            if !*kept && wanted.contains(command.argument()) {
                (*kept, grows) = (true, true);
                wanted.extend(words(command.text));
            }
        }
    }
    let definitions = outline.commands.iter().zip(kept).filter(|(_, kept)| *kept);
    let definitions: String =
        definitions.map(|(command, _)| format!("  {}\n", command.text.trim())).collect();
    let fewer = ModelEvidence::checked(format!("(\n{definitions})\n"), script);
    let is_enough = fewer.holds();
    fewer.text.filter(|_| is_enough).unwrap_or_else(|| model.to_owned())
}
