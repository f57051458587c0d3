//! Facts about seeds that a worker asks solvers for: runs of the seed itself, its status if it claims none, and advice.
//!
//! The worker that first needs a fact asks for it, and reports it before any case can depend on it. When the campaign stops, no
//! further solver is started.

use gainsay_smt::Script;

use super::case::CaseUnderTest;
use super::worker::{Worker, WorkerReport};
use crate::campaign::ask_once::Halted;
use crate::campaign::scripts::advice::{self, SeedAdvice};
use crate::event::Event;
use crate::prepare::Prepared;
use crate::session::TrialSession;
use crate::solver::run::Answer;
use crate::store::{AdviceRecord, StatusRecord};
use crate::strategy::value::NoValuesReason;

impl<'a> Worker<'a> {
    /// Runs all solvers on a seed, one after the other.
    pub(super) fn ask_seed(
        &mut self,
        number: usize,
        prepared: &[Prepared],
        under_test: &CaseUnderTest<'_>,
    ) -> Result<TrialSession<'a>, Halted> {
        let context = self.context;
        let seed = &context.seeds[number].name;
        if context.statuses.is_open(number) {
            let _ = self.send(WorkerReport::of(Event::Classifying { seed: seed.clone() }));
        }
        let mut session = under_test.session(context);
        for (solver, prepared) in prepared.iter().enumerate() {
            if let Err(halted) = context.go_on() {
                let runs: Vec<_> = session.runs.iter().map(|run| run.report(context.panel)).collect();
                if !runs.is_empty() {
                    let _ = self.send(WorkerReport::of(Event::Abandoned { seed: seed.clone(), runs }));
                }
                return Err(halted);
            }
            if let Some(run) = self.ask(solver, &[], prepared, under_test) {
                session.add(run);
            }
        }
        Ok(session)
    }

    /// Records the status that solvers gave to a seed that claims none, unless it is recorded already.
    pub(super) fn learn_status(&self, number: usize, answer: Option<Answer>) {
        let context = self.context;
        if !context.statuses.is_open(number) {
            return;
        }
        let seed = context.seeds[number].name.clone();
        let event = Event::Classified { seed, status: answer.map(Answer::name) };
        let status = Some(StatusRecord { seed: number, answer });
        // Other workers may use it after `learn`, so the report must be sent first.
        let _ = self.send(WorkerReport { status, ..WorkerReport::of(event) });
        context.statuses.learn(number, answer);
    }

    /// Determines the status of a seed that was drawn as a second parent; a seed that cannot be read any more has none.
    pub(super) fn find_status(&mut self, number: usize) -> Result<(), Halted> {
        self.partner(number)?;
        self.learn_status(number, None);
        Ok(())
    }

    /// The advice about the seed of a chain; `None` if no strategy uses advice.
    pub(super) fn advised(&self, number: usize, script: &Script) -> Result<Option<&'a SeedAdvice>, Halted> {
        let context = self.context;
        let seed = &context.seeds[number];
        let mut record = |advised: &SeedAdvice, cpu| {
            let mut report = WorkerReport::default();
            let SeedAdvice { values, phrases } = advised;
            if context.recipe.takes_values() {
                let (found, why) = (values.list.len(), values.why.map(NoValuesReason::words));
                let account = values.account;
                report.events.push(Event::Coerced { seed: seed.name.clone(), found, why, account });
            }
            if context.recipe.keeps_answers() {
                let found = phrases.rewrites.len() + phrases.lemmas.len();
                report.events.push(Event::Phrased { seed: seed.name.clone(), found, cpu });
            }
            let values = advice::record(advised);
            report.advice = Some(AdviceRecord { hash: seed.hash.clone(), values });
            let _ = self.send(report);
        };
        context.advice.get(number, script, context.launcher, &context.halt, &mut record)
    }
}
