//! Repeats findings in fresh processes and collects the details of those that show again.

use super::asking::WorkerAccess;
use super::case::CaseUnderTest;
use super::worker::Worker;
use crate::event::{CaseNumber, Event};
use crate::finding::{Evidence, Finding};
use crate::prepare::Preparation;
use crate::seeds::Seed;
use crate::session::panel::{RunMode, SolverFailure, confirmation_limits, run_limits};
use crate::session::{SolverRun, TrialSession};
use crate::solver::run::Query;
use crate::store::{FindingDetails, FindingRun};

/// Where a script came from, for the folder of its finding.
pub(super) struct FindingSource<'a> {
    pub case: Option<CaseNumber>,
    pub strategy: &'static str,
    pub seed: &'a Seed,
    pub steps: &'a [String],
}

/// Findings after the confirmation run.
pub(super) struct Confirmed {
    pub flaky: Vec<Event>,
    pub sightings: Vec<FindingDetails>,
}

impl Worker<'_> {
    /// Returns false if the solver itself is broken: a program that was damaged or half replaced crashes on everything.
    fn is_sound(&self, run: &SolverRun) -> bool {
        if run.crashed()
            && !self.is_lost(run.solver)
            && let Err(SolverFailure { why, is_shortage: false }) = self.pool.works(run.solver)
        {
            self.lose(run.solver, why);
        }
        !self.is_lost(run.solver)
    }

    /// Runs the solvers again, each in a fresh process. Findings that show again are confirmed, the others are flaky.
    pub(super) fn confirm(
        &mut self,
        under_test: &CaseUnderTest<'_>,
        session: &TrialSession<'_>,
        findings: Vec<Finding>,
        source: &FindingSource<'_>,
    ) -> Confirmed {
        let mut confirmed = Confirmed { flaky: Vec::new(), sightings: Vec::new() };
        if findings.is_empty() {
            return confirmed;
        }
        let context = self.context;
        let limits = confirmation_limits(run_limits(context.limits, None));
        let mut fresh = under_test.session(context);
        fresh.trial.intended_model.clone_from(&session.trial.intended_model);
        for first in session.runs.iter().filter(|run| run.is_telling()) {
            if !self.is_sound(first) {
                continue;
            }
            let query = Query { script: &first.text, limits, ask: under_test.ask() };
            if let Some(run) = self.run_beside(first.solver, RunMode::Fresh, &first.options, &query) {
                let excuse = context.panel[first.solver].excuse(&first.text);
                fresh.add(SolverRun { excuse, asked_model: query.ask.model, run, ..first.clone() });
            }
        }
        let mut access = WorkerAccess::new(self, &[], under_test, RunMode::Fresh);
        let again = fresh.judge(&mut Vec::new(), &mut access).findings;
        for finding in findings {
            let same = |other: &&Finding| {
                other.fingerprint == finding.fingerprint && other.suspects == finding.suspects
            };
            match again.iter().find(same) {
                Some(seen) => {
                    confirmed.sightings.push(self.details(under_test, &fresh, seen.clone(), source));
                }
                // If a solver was lost, the finding could not be checked: it is neither confirmed nor flaky.
                None if session.runs.iter().any(|run| self.is_lost(run.solver)) => {}
                None => confirmed.flaky.push(Event::Flaky { case: source.case, finding }),
            }
        }
        confirmed
    }

    fn details(
        &self,
        under_test: &CaseUnderTest<'_>,
        fresh: &TrialSession<'_>,
        finding: Finding,
        source: &FindingSource<'_>,
    ) -> FindingDetails {
        let run = |run: &SolverRun| {
            let solver = &self.context.panel[run.solver];
            FindingRun {
                solver: solver.identity_with(&run.options).name,
                version: solver.identity.version.clone(),
                command: solver.command(&run.options, &run.text, self.context.launcher),
                script: run.text.to_string(),
                run: run.run.clone(),
            }
        };
        let proves = fresh.trial.intended_model.as_ref().filter(|_| finding.evidence == Evidence::Proved);
        let model = proves.and_then(|model| model.text.clone());
        FindingDetails {
            family: finding.fingerprint.family().to_owned(),
            finding,
            case: source.case,
            strategy: source.strategy,
            seed: name(source.seed),
            partners: under_test.joined.iter().map(|joined| name(&self.context.seeds[joined.seed])).collect(),
            model,
            rng_seed: self.context.plan.rng_seed,
            steps: source.steps.to_vec(),
            limits: self.context.limits,
            script: Preparation::standard(under_test.script, under_test.text),
            runs: fresh.runs.iter().map(run).collect(),
        }
    }
}

/// The name and the hash of a seed.
fn name(seed: &Seed) -> (String, String) {
    (seed.name.clone(), seed.hash.clone())
}
