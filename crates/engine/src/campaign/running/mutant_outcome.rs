//! What runs of a case mean for the rest of its chain: who cannot go on, and, for strategies that keep the answer, whether a
//! solver took a way that it had not taken before, which is what a mutant can show beside a bug.

use super::worker::CampaignContext;
use crate::campaign::choosing::guide::is_new;
use crate::event::RunReport;
use crate::feedback::chain_end::MutantOutcome;
use crate::solver::run::{Answer, Run};
use crate::solver::trouble::TroubleKind;
use crate::trial::session::SolverRun;

/// Whether the ways of solvers are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TrackBehaviour {
    /// They are.
    Yes,
    /// They are not.
    No,
}

impl CampaignContext<'_> {
    /// Whether the ways of solvers are looked at in cases of this strategy.
    pub(super) fn track_behaviour(&self, strategy: &str) -> TrackBehaviour {
        if self.recipe.keeps_answer(strategy) { TrackBehaviour::Yes } else { TrackBehaviour::No }
    }

    /// A run for an event, with its way if that is looked at.
    pub(super) fn report(&self, run: &SolverRun, track_behaviour: TrackBehaviour) -> RunReport {
        let behaviour = (track_behaviour == TrackBehaviour::Yes).then(|| self.guide.note(&run.run));
        RunReport { behaviour, ..run.report(self.panel) }
    }
}

/// What came of a case that shows no bug.
pub(super) fn mutant_outcome(solver_runs: &[SolverRun], runs: &[RunReport]) -> MutantOutcome {
    let is_decided =
        |run: &SolverRun| run.run.answers.last().is_some_and(|answer| *answer != Answer::Unknown);
    match solver_runs.iter().any(is_decided) {
        true if is_new(runs) => MutantOutcome::NewTrace,
        true => MutantOutcome::KnownTrace,
        false => MutantOutcome::NoAnswer,
    }
}

/// Why a solver is out for the rest of a chain after this run, if so.
pub(super) fn exhausted(run: &Run) -> Option<String> {
    let what = match run.trouble.as_ref()?.kind {
        TroubleKind::TimeOut => "ran out of time",
        TroubleKind::MemoryOut => "ran out of memory",
        TroubleKind::Flood => "printed too much",
        // The mutants of what it does not do are mostly the same to it.
        TroubleKind::Unsupported => "could not do a case",
        _ => return None,
    };
    Some(format!("{what} earlier in this chain"))
}
