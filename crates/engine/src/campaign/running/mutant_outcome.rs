//! The consequences of the runs of a case for the rest of its chain: which solvers are left out, and, for strategies that preserve the
//! answer, whether a solver showed new behaviour.

use super::worker::CampaignContext;
use crate::campaign::choosing::guide::is_new;
use crate::event::RunReport;
use crate::feedback::chain_end::MutantOutcome;
use crate::session::SolverRun;
use crate::solver::run::{Answer, Run};
use crate::solver::trouble::TroubleKind;

/// Whether traces or statistics of the solvers are collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TrackBehaviour {
    /// They are collected.
    Yes,
    /// They are not collected.
    No,
}

impl CampaignContext<'_> {
    /// Whether behaviour is tracked in cases of this strategy.
    pub(super) fn track_behaviour(&self, strategy: &str) -> TrackBehaviour {
        if self.recipe.keeps_answer(strategy) { TrackBehaviour::Yes } else { TrackBehaviour::No }
    }

    /// Describes a run for an event, with its behaviour if that is tracked.
    pub(super) fn report(&self, run: &SolverRun, track_behaviour: TrackBehaviour) -> RunReport {
        let behaviour = (track_behaviour == TrackBehaviour::Yes).then(|| self.guide.note(&run.run));
        RunReport { behaviour, ..run.report(self.panel) }
    }
}

/// The outcome of a case without a finding.
pub(super) fn mutant_outcome(solver_runs: &[SolverRun], runs: &[RunReport]) -> MutantOutcome {
    let is_decided =
        |run: &SolverRun| run.run.answers.last().is_some_and(|answer| *answer != Answer::Unknown);
    match solver_runs.iter().any(is_decided) {
        true if is_new(runs) => MutantOutcome::NewTrace,
        true => MutantOutcome::KnownTrace,
        false => MutantOutcome::NoAnswer,
    }
}

/// Why a solver is left out for the rest of a chain after this run, if so.
pub(super) fn exhausted(run: &Run) -> Option<String> {
    let what = match run.trouble.as_ref()?.kind {
        TroubleKind::TimeOut => "ran out of time",
        TroubleKind::MemoryOut => "ran out of memory",
        TroubleKind::Flood => "printed too much",
        // It will mostly reject the mutants of this script as well.
        TroubleKind::Unsupported if !run.is_harmlessly_rejected() => "did not support a case",
        _ => return None,
    };
    Some(format!("{what} earlier in this chain"))
}
