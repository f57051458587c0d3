//! Runs a seed itself, before its first mutant or as the partner of another seed.

use gainsay_smt::Script;

use super::asking::WorkerAccess;
use super::case::CaseUnderTest;
use super::confirmation::FindingSource;
use super::mutant_outcome::TrackBehaviour;
use super::seed_probe::SeedProbe;
use super::worker::{CampaignContext, Worker, WorkerReport};
use crate::campaign::ask_once::Halted;
use crate::event::{Event, RunReport};
use crate::known_answers::KnownAnswers;
use crate::session::ModelPolicy;
use crate::session::panel::RunMode;
use crate::solver::run::Run;
use crate::store::SeedRecord;
use crate::trial::Promise;
use crate::trial::evidence::{Belief, promise_of_seed};

/// The strategy name of findings in a seed itself.
const SEED_STRATEGY: &str = "seed";

impl<'a> Worker<'a> {
    /// Runs a seed itself on every solver and judges the answers by its status, which is determined if the seed claims none.
    pub fn probe(&mut self, number: usize, script: &Script, text: String) -> Result<SeedProbe, Halted> {
        let context = self.context;
        let seed = &context.seeds[number];
        let prepared = context.preparation.prepare(script, &text);
        let track_behaviour =
            if context.recipe.is_guided() { TrackBehaviour::Yes } else { TrackBehaviour::No };
        let under_test = CaseUnderTest {
            script,
            text: &text,
            promise: Promise::Nothing,
            known: KnownAnswers::default(),
            probes: &[],
            joined: &[],
            patience: 0,
            models: ModelPolicy::All,
            track_behaviour,
        };
        let mut session = self.ask_seed(number, &prepared, &under_test)?;
        let run = |solver| session.runs.iter().find(|run| run.solver == solver).map(|run| &run.run);
        let mut probe = SeedProbe::new(&(0..context.panel.len()).map(run).collect::<Vec<_>>());
        let mut access = WorkerAccess::new(self, &prepared, &under_test, RunMode::Fast);
        session.check_models(&mut access);
        session.exhaust();
        if context.recipe.needs_statuses() {
            let belief = Belief::of(&session.trial, context.statuses.get(number).answer());
            // The status of a seed is the answer to its only question.
            let answer = belief.answer.filter(|_| session.trial.questions.len() == 1);
            self.learn_status(number, answer);
            let status = context.statuses.get(number).answer();
            let is_upheld = status.is_none() || belief.answer == status;
            probe = probe.believing(belief).upholding_claims(is_upheld);
        }
        if session.trial.questions.len() > 1 {
            probe = probe.upholding_claims(session.trial.upholds_claims());
        }
        if context.guide.leads() {
            let runs: Vec<&Run> = session.runs.iter().map(|run| &run.run).collect();
            context.guide.learn(number, script, &runs);
        }
        if context.probes.is_recorded(number) {
            return Ok(probe);
        }
        let promise = promise_of_seed(&session.trial, seed.status);
        session.trial.set_promise(promise);
        let under_test = CaseUnderTest { promise, ..under_test };
        let mut access = WorkerAccess::new(self, &prepared, &under_test, RunMode::Fast);
        let judgement = session.judge(&mut Vec::new(), &mut access);
        let mut runs: Vec<RunReport> =
            session.runs.iter().map(|run| context.report(run, track_behaviour)).collect();
        let source = FindingSource { case: None, strategy: SEED_STRATEGY, seed, steps: &[] };
        let found = self.confirm(&under_test, &session, judgement.findings, &source);
        self.report_side_cpu(&mut runs);
        let mut report = WorkerReport::of(Event::Probed { seed: seed.name.clone(), runs });
        report.events.extend(found.flaky);
        report.sightings = found.sightings;
        let (name, hash) = (seed.name.clone(), seed.hash.clone());
        report.seed = Some(SeedRecord { name, hash, text, values: String::new() });
        // If the coordinator is gone, the report is not needed.
        let _ = self.send(report);
        Ok(probe)
    }

    /// The probe of a seed that is used as a partner; `None` if its file cannot be read any more.
    pub(super) fn partner(&mut self, number: usize) -> Result<Option<&'a SeedProbe>, Halted> {
        let context: &'a CampaignContext<'a> = self.context;
        // A seed that was probed need not be read again.
        if let Some(probe) = context.probes.known(number) {
            return Ok(Some(probe));
        }
        let Ok(text) = context.seeds[number].read() else { return Ok(None) };
        let Ok(script) = Script::parse(&text, context.signature) else { return Ok(None) };
        context.probes.get(number, || self.probe(number, &script, text)).map(Some)
    }
}
