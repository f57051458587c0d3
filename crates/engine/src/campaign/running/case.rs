//! Makes, prepares, runs and judges one case; runs a seed itself before its first mutant.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use gainsay_smt::Script;

use super::mutant_outcome::{TrackBehaviour, exhausted, mutant_outcome};
use super::seed_probe::SeedProbe;
use super::worker::{CampaignContext, Worker, WorkerReport};
use crate::campaign::ask_once::Halted;
use crate::campaign::scripts::chain::{self, Chain, JoinedSeed, MadeScript, Step};
use crate::campaign::scripts::intended_model::intended_model;
use crate::event::{CaseNumber, Event, RunReport};
use crate::feedback::chain_end::{ChainDecision, ChainLimits, ChainProgress, MutantOutcome};
use crate::finding::{Evidence, Finding};
use crate::prepare::{Preparation, Prepared};
use crate::seeds::Seed;
use crate::session::panel::{PanelSolver, RunMode, SolverFailure, confirmation_limits, run_limits};
use crate::session::{ModelPolicy, SidePurpose, SideQuery, SolverAccess, SolverRun, TrialSession};
use crate::solver::run::{Answer, Ask, Query, Run};
use crate::store::{FindingDetails, FindingRun, SeedRecord};
use crate::trial::evidence::{Belief, promise_of_fusion, promise_of_seed};
use crate::trial::{ModelEvidence, Promise};

/// The strategy name of findings in a seed itself.
pub const SEED_STRATEGY: &str = "seed";

/// How often a worker waits for a lacking resource, about four seconds each time, before its solver is lost.
const MAX_SHORTAGE_ROUNDS: u32 = 150;

/// The time between two events about lacking resources.
const SHORTAGE_TELL_INTERVAL: Duration = Duration::from_secs(10);

/// A chain being run.
pub(super) struct RunningChain<'a> {
    pub chain: Chain<'a>,
    /// Descriptions of the steps that made a script.
    pub steps: Vec<String>,
    pub seed: &'a Seed,
    pub probe: &'a SeedProbe,
    /// For each solver, why it is left out until the chain ends or restarts from its seed.
    pub out: Vec<Option<String>>,
    /// Decides when the chain shows nothing new any more; `None` if all its steps are run.
    pub progress: Option<ChainProgress>,
}

impl RunningChain<'_> {
    /// Takes the next step of the chain.
    pub fn step(&mut self) -> Step {
        let step = self.chain.next().expect("a chain has as many steps as the plan says");
        if let chain::StepOutcome::Made(made) = &step.outcome {
            self.steps.push(made.description(step.strategy));
        }
        step
    }

    /// Returns true if the chain continues after a case with this outcome.
    fn goes_on(&mut self, outcome: MutantOutcome, limits: &ChainLimits) -> bool {
        match &mut self.progress {
            None => outcome != MutantOutcome::Bug,
            Some(progress) => progress.record(outcome, limits) == ChainDecision::Continue,
        }
    }
}

/// What became of a case.
pub(super) enum CaseOutcome {
    /// It is done.
    Done(WorkerReport),
    /// It is done, and the chain ends, for this reason.
    Last(WorkerReport, &'static str),
    /// No solver is left to run it: it is not done.
    Void,
    /// The campaign was stopped before the case could be made; it is done when the campaign resumes.
    Halted,
}

/// A script to run, with its promise and origin.
pub(super) struct CaseUnderTest<'a> {
    script: &'a Script,
    pub text: &'a str,
    pub promise: Promise,
    /// The probes of the seeds that it comes from; empty for a seed itself.
    probes: &'a [&'a SeedProbe],
    /// The seeds that were joined with the first one.
    pub joined: &'a [JoinedSeed],
    /// It may take this many times the CPU time of its seed.
    patience: u32,
    /// Which models are checked.
    models: ModelPolicy,
    /// Whether traces or statistics of the solvers are collected.
    track_behaviour: TrackBehaviour,
}

impl CaseUnderTest<'_> {
    /// What solvers shall print besides the answers to the script's own queries.
    fn ask(&self) -> Ask {
        if self.models == ModelPolicy::All { Ask::MODEL } else { Ask::NOTHING }
    }

    /// The same for one solver, which may be able to report its behaviour.
    fn ask_of(&self, solver: &PanelSolver) -> Ask {
        Ask { behaviour: self.track_behaviour == TrackBehaviour::Yes && solver.tells(), ..self.ask() }
    }

    /// A session of it, before any solver was run.
    pub(super) fn session<'p>(&self, context: &CampaignContext<'p>) -> TrialSession<'p> {
        let script = Some(self.script.clone());
        TrialSession::new(context.panel, script, self.text, self.promise, self.models)
            .with_exhaustion_steps(context.limits.exhaustion)
    }

    /// The CPU time that a solver gets for it, if limited.
    fn allowance(&self, solver: usize) -> Option<Duration> {
        let allowances: Option<Duration> =
            self.probes.iter().map(|probe| probe.allowance(solver, self.patience)).sum();
        allowances.filter(|_| !self.probes.is_empty())
    }

    /// The model that the script was made to have, if one of these runs answers unsat.
    fn intended_model(&self, runs: &[SolverRun]) -> Option<ModelEvidence> {
        let is_denied = runs.iter().any(|run| run.run.answers.contains(&Answer::Unsat));
        let is_wanted = is_denied && self.promise == Promise::Known(Answer::Sat) && !self.joined.is_empty();
        let beliefs: Vec<&Belief> = self.probes.iter().map(|probe| probe.belief()).collect();
        is_wanted.then(|| intended_model(self.script, self.joined, &beliefs)).flatten()
    }

    /// Why a solver is not run on it, if so.
    fn spares(&self, solver: usize) -> Option<String> {
        self.probes.iter().find_map(|probe| probe.spares(solver))
    }
}

/// The strategy, mutation and question that made a case.
#[derive(Clone, Copy)]
struct Provenance {
    strategy: &'static str,
    mutation: Option<&'static str>,
    question: Option<&'static str>,
}

/// Where a script came from, for the folder of its finding.
struct FindingSource<'a> {
    case: Option<CaseNumber>,
    strategy: &'static str,
    seed: &'a Seed,
    steps: &'a [String],
}

/// Findings after the confirmation run.
struct Confirmed {
    flaky: Vec<Event>,
    sightings: Vec<FindingDetails>,
}

/// Access to solvers on behalf of the oracles.
struct WorkerAccess<'w, 'a, 'm> {
    worker: &'w mut Worker<'a>,
    /// The text for each solver; empty if no further solver may be asked.
    prepared: &'m [Prepared],
    under_test: &'m CaseUnderTest<'m>,
    mode: RunMode,
}

impl SolverAccess for WorkerAccess<'_, '_, '_> {
    fn vote(&mut self, solver: usize) -> Option<SolverRun> {
        self.worker.ask(solver, &[], self.prepared.get(solver)?, self.under_test)
    }

    fn side_query(&mut self, query: &SideQuery<'_>) -> Option<Run> {
        let limits = run_limits(self.worker.context.limits, None);
        let limits = match query.purpose {
            SidePurpose::Model => confirmation_limits(limits),
            SidePurpose::Clauses | SidePurpose::Claim => limits,
        };
        let SideQuery { solver, options, text, ask, .. } = *query;
        self.worker.run(solver, self.mode, options, &Query { script: text, limits, ask })
    }
}

impl<'a> Worker<'a> {
    /// Makes, runs and judges the next case of a chain.
    pub fn case(&mut self, running: &mut RunningChain<'_>, case: CaseNumber) -> CaseOutcome {
        self.try_case(running, case).unwrap_or(CaseOutcome::Halted)
    }

    fn try_case(&mut self, running: &mut RunningChain<'_>, case: CaseNumber) -> Result<CaseOutcome, Halted> {
        while let Some(seed) = running.chain.unasked() {
            self.find_status(seed)?;
        }
        let Step { strategy, partner, outcome, .. } = running.step();
        // Even if the step fails, remaking it needs the text of both parents, which the probe records.
        if let Some(partner) = partner {
            self.partner(partner)?;
        }
        Ok(match outcome {
            chain::StepOutcome::Skipped(why) => {
                let (strategy, why) = (Some(strategy), why.name().to_owned());
                CaseOutcome::Done(WorkerReport::of(Event::Skipped { case, count: 1, strategy, why }))
            }
            chain::StepOutcome::OurBug(message) => {
                CaseOutcome::Done(WorkerReport::of(Event::OurBug { case, message }))
            }
            chain::StepOutcome::Made(MadeScript {
                script,
                text,
                promise,
                step,
                joined,
                is_anew,
                question,
            }) => {
                if is_anew {
                    // The script starts from the seed again, without the mutations that were too hard.
                    running.out.fill(None);
                }
                let mut probes = vec![running.probe];
                for joined in &joined {
                    probes.extend(self.partner(joined.seed)?);
                }
                let under_test = CaseUnderTest {
                    script: &script,
                    text: &text,
                    promise: promise_of_fusion(promise, probes.iter().map(|probe| probe.belief())),
                    probes: &probes,
                    joined: &joined,
                    patience: self.context.limits.patience,
                    models: self.context.models(case, strategy),
                    track_behaviour: self.context.track_behaviour(strategy),
                };
                let provenance = Provenance { strategy, mutation: step.mutation, question };
                self.run_case(running, case, provenance, &under_test)
            }
        })
    }

    fn run_case(
        &mut self,
        running: &mut RunningChain<'_>,
        case: CaseNumber,
        Provenance { strategy, mutation, question }: Provenance,
        under_test: &CaseUnderTest<'_>,
    ) -> CaseOutcome {
        let prepared = self.context.preparation.prepare(under_test.script, under_test.text);
        let mut report = WorkerReport::default();
        let (mut asked, mut spare) = (Vec::new(), Vec::new());
        for (solver, prepared) in prepared.iter().enumerate().filter(|(solver, _)| !self.is_lost(*solver)) {
            let why = match (under_test.spares(solver), prepared, &running.out[solver]) {
                (Some(why), ..) => why,
                (None, Prepared::Spared(why), _) => why.clone(),
                (None, Prepared::Text { .. }, Some(why)) => {
                    spare.push(solver);
                    why.clone()
                }
                (None, Prepared::Text { .. }, None) => {
                    asked.push(solver);
                    continue;
                }
            };
            let solver = self.context.panel[solver].identity.name.clone();
            report.events.push(Event::Spared { case, solver, why });
        }
        if asked.is_empty() {
            return self.no_solver_to_ask(running, case);
        }
        let drawn = |solver: usize| self.context.draw(case, strategy, solver);
        let drawn: Vec<Vec<String>> = (0..self.context.panel.len()).map(drawn).collect();
        let context = self.context;
        let mut session = under_test.session(context);
        for &solver in &asked {
            if let Some(run) = self.ask(solver, &drawn[solver], &prepared[solver], under_test) {
                session.add(run);
            }
        }
        if self.gave_up {
            return CaseOutcome::Halted;
        }
        if session.runs.is_empty() {
            return CaseOutcome::Void;
        }
        // A solver that failed with the options of this case may handle the next one without them.
        let plain = session.runs.iter().filter(|run| run.options.is_empty());
        plain.for_each(|run| running.out[run.solver] = exhausted(&run.run));
        session.trial.intended_model = under_test.intended_model(&session.runs);
        let mut access = WorkerAccess { worker: self, prepared: &prepared, under_test, mode: RunMode::Fast };
        let judgement = session.judge(&mut spare, &mut access);
        let reports: Vec<RunReport> =
            session.runs.iter().map(|run| context.report(run, under_test.track_behaviour)).collect();
        let outcome = mutant_outcome(&session.runs, &reports);
        report.kept = context.keep(case, under_test, &reports).filter(|_| question.is_none());
        let (seed, bytes) = (running.seed.name.clone(), under_test.text.len());
        let oracles = judgement.opinions();
        let runs = reports;
        report.events.push(Event::Case { case, strategy, mutation, question, seed, bytes, runs, oracles });
        let source = FindingSource { case: Some(case), strategy, seed: running.seed, steps: &running.steps };
        let found = self.confirm(under_test, &session, judgement.findings, &source);
        report.events.extend(found.flaky);
        report.sightings = found.sightings;
        let outcome = if report.sightings.is_empty() { outcome } else { MutantOutcome::Bug };
        match (running.goes_on(outcome, &context.chain_limits()), outcome) {
            (true, _) => CaseOutcome::Done(report),
            (false, MutantOutcome::Bug) => CaseOutcome::Last(report, "chain ended with a finding"),
            (false, _) => CaseOutcome::Last(report, "chain ended: it shows nothing new any more"),
        }
    }

    /// No solver can be asked: for this case, or for the rest of the chain.
    fn no_solver_to_ask(&self, running: &RunningChain<'_>, case: CaseNumber) -> CaseOutcome {
        // A strategy of two parents may restart from the seed, with another partner.
        let is_in = |solver: usize| running.out[solver].is_none() || self.context.recipe.joins();
        let can_go_on = |solver: &usize| is_in(*solver) && running.probe.spares(*solver).is_none();
        let solvers = (0..self.context.panel.len()).filter(|solver| !self.is_lost(*solver));
        let left: Vec<usize> = solvers.clone().filter(can_go_on).collect();
        let skipped = |why: &str| {
            WorkerReport::of(Event::Skipped { case, count: 1, strategy: None, why: why.to_owned() })
        };
        match (solvers.count(), left.is_empty()) {
            (0, _) => CaseOutcome::Void,
            (_, true) => CaseOutcome::Last(skipped(NO_SOLVER_LEFT), NO_SOLVER_LEFT),
            (_, false) => CaseOutcome::Done(skipped("no solver supports the case")),
        }
    }

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
            probes: &[],
            joined: &[],
            patience: 0,
            models: ModelPolicy::All,
            track_behaviour,
        };
        let mut session = self.ask_seed(number, &prepared, &under_test)?;
        let run = |solver| session.runs.iter().find(|run| run.solver == solver).map(|run| &run.run);
        let mut probe = SeedProbe::new(&(0..context.panel.len()).map(run).collect::<Vec<_>>());
        let mut access =
            WorkerAccess { worker: self, prepared: &prepared, under_test: &under_test, mode: RunMode::Fast };
        session.check_models(&mut access);
        session.exhaust();
        if context.recipe.needs_statuses() {
            let belief = Belief::of(&session.trial, context.statuses.get(number).answer());
            // The status of a seed is the answer to its only question.
            let answer = belief.answer.filter(|_| session.trial.questions.len() == 1);
            probe = probe.believing(belief);
            self.learn_status(number, answer);
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
        let mut access =
            WorkerAccess { worker: self, prepared: &prepared, under_test: &under_test, mode: RunMode::Fast };
        let judgement = session.judge(&mut Vec::new(), &mut access);
        let runs = session.runs.iter().map(|run| context.report(run, track_behaviour)).collect();
        let source = FindingSource { case: None, strategy: SEED_STRATEGY, seed, steps: &[] };
        let found = self.confirm(&under_test, &session, judgement.findings, &source);
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

    fn is_lost(&self, solver: usize) -> bool {
        self.context.lost[solver].load(Ordering::Relaxed)
    }

    /// Runs a solver on a prepared text; `None` if it is spared or lost.
    pub(super) fn ask(
        &mut self,
        solver: usize,
        options: &[String],
        prepared: &Prepared,
        under_test: &CaseUnderTest<'_>,
    ) -> Option<SolverRun> {
        let Prepared::Text { text, excuse } = prepared else { return None };
        let limits = run_limits(self.context.limits, under_test.allowance(solver));
        let ask = under_test.ask_of(&self.context.panel[solver]);
        let run = self.run(solver, RunMode::Fast, options, &Query { script: text, limits, ask })?;
        let (options, text, excuse) = (options.to_vec(), Arc::clone(text), excuse.clone());
        Some(SolverRun { solver, options, text, excuse, asked_model: ask.model, run })
    }

    fn run(&mut self, solver: usize, mode: RunMode, options: &[String], query: &Query<'_>) -> Option<Run> {
        if self.is_lost(solver) {
            return None;
        }
        for _ in 0..MAX_SHORTAGE_ROUNDS {
            self.context.own_work.pause(self.number);
            let run = self.pool.run_with(solver, mode, options, query);
            self.context.own_work.resume(self.number);
            match run {
                Ok(mut run) => {
                    run.shortage.iter().for_each(|why| self.tell_shortage(solver, why));
                    self.context.coverage.assess(solver, &mut run);
                    return Some(run);
                }
                Err(SolverFailure { why, is_shortage: false }) => {
                    self.lose(solver, why);
                    return None;
                }
                Err(SolverFailure { why, is_shortage: true }) => self.tell_shortage(solver, &why),
            }
            if self.context.go_on().is_err() {
                self.gave_up = true;
                return None;
            }
        }
        self.lose(solver, "the machine lacks resources for too long".to_owned());
        None
    }

    /// Tells that a solver had to wait, unless that was told a short time ago.
    fn tell_shortage(&self, solver: usize, why: &str) {
        let mut told = self.context.shortage_told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_some_and(|told| told.elapsed() < SHORTAGE_TELL_INTERVAL) {
            return;
        }
        *told = Some(Instant::now());
        let solver = self.context.panel[solver].identity.name.clone();
        let _ = self.send(WorkerReport::of(Event::Shortage { solver, why: why.to_owned() }));
    }

    fn lose(&self, solver: usize, why: String) {
        if !self.context.lost[solver].swap(true, Ordering::Relaxed) {
            let solver = self.context.panel[solver].identity.name.clone();
            let _ = self.send(WorkerReport::of(Event::SolverLost { solver, why }));
        }
    }

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
    fn confirm(
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
            if let Some(run) = self.run(first.solver, RunMode::Fresh, &first.options, &query) {
                let excuse = context.panel[first.solver].excuse(&first.text);
                fresh.add(SolverRun { excuse, asked_model: query.ask.model, run, ..first.clone() });
            }
        }
        let mut access = WorkerAccess { worker: self, prepared: &[], under_test, mode: RunMode::Fresh };
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
                command: solver.command(&run.options, self.context.launcher),
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

const NO_SOLVER_LEFT: &str = "no solver is left for the rest of the chain";
