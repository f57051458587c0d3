//! Makes, prepares, runs and judges one case.

use std::time::Duration;

use gainsay_smt::Script;
use gainsay_smt::logic::Features;

use super::asking::WorkerAccess;
use super::confirmation::FindingSource;
use super::mutant_outcome::{TrackBehaviour, exhausted, mutant_outcome};
use super::seed_probe::SeedProbe;
use super::worker::{CampaignContext, Worker, WorkerReport};
use crate::campaign::ask_once::Halted;
use crate::campaign::scripts::chain::{self, Chain, JoinedSeed, MadeScript, Step};
use crate::campaign::scripts::intended_model::intended_model;
use crate::event::{CaseNumber, Event, RunReport};
use crate::feedback::chain_end::{ChainDecision, ChainLimits, ChainProgress, MutantOutcome};
use crate::known_answers::KnownAnswers;
use crate::prepare::Prepared;
use crate::seeds::Seed;
use crate::session::panel::{PanelSolver, RunMode};
use crate::session::{ModelPolicy, SolverRun, TrialSession};
use crate::solver::run::{Answer, Ask};
use crate::strategy::generate::theory::GeneratorTheory;
use crate::trial::evidence::{Belief, promise_of_fusion};
use crate::trial::{ModelEvidence, Promise};

/// Why a chain without solvers ends.
const NO_SOLVER_LEFT: &str = "no solver is left for the rest of the chain";

/// A chain being run.
pub(super) struct RunningChain<'a> {
    pub chain: Chain<'a>,
    /// Descriptions of the steps that made a script.
    pub steps: Vec<String>,
    /// Whether the last of them is no part of the next script.
    pub is_after_side_step: bool,
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
        if std::mem::take(&mut self.is_after_side_step) {
            self.steps.pop();
        }
        if let chain::StepOutcome::Made(made) = &step.outcome {
            self.steps.push(made.description(step.strategy));
            self.is_after_side_step = made.is_side_step;
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
    pub script: &'a Script,
    pub text: &'a str,
    pub promise: Promise,
    /// Answers to sets of assertions, which its checks may ask.
    pub known: KnownAnswers,
    /// The probes of the seeds that it comes from; empty for a seed itself.
    pub probes: &'a [&'a SeedProbe],
    /// The seeds that were joined with the first one.
    pub joined: &'a [JoinedSeed],
    /// It may take this many times the CPU time of its seed.
    pub patience: u32,
    /// Which models are checked.
    pub models: ModelPolicy,
    /// Whether traces or statistics of the solvers are collected.
    pub track_behaviour: TrackBehaviour,
}

impl CaseUnderTest<'_> {
    /// What solvers shall print besides the answers to the script's own queries.
    pub fn ask(&self) -> Ask {
        if self.models == ModelPolicy::All { Ask::WITH_MODEL } else { Ask::ANSWERS_ONLY }
    }

    /// The same for one solver, which may be able to report its behaviour.
    pub fn ask_of(&self, solver: &PanelSolver) -> Ask {
        Ask { behaviour: self.track_behaviour == TrackBehaviour::Yes && solver.tells(), ..self.ask() }
    }

    /// A session of it, before any solver was run.
    pub fn session<'p>(&self, context: &CampaignContext<'p>) -> TrialSession<'p> {
        let script = Some(self.script.clone());
        let mut session = TrialSession::new(context.panel, script, self.text, self.promise, self.models)
            .with_exhaustion_steps(context.limits.exhaustion);
        session.trial.add_known(&self.known);
        session
    }

    /// The CPU time that a solver gets for it, if limited.
    pub fn allowance(&self, solver: usize) -> Option<Duration> {
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

impl Worker<'_> {
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
            chain::StepOutcome::Made(made) => self.made_case(running, case, strategy, made)?,
        })
    }

    fn made_case(
        &mut self,
        running: &mut RunningChain<'_>,
        case: CaseNumber,
        strategy: &'static str,
        made: MadeScript,
    ) -> Result<CaseOutcome, Halted> {
        let out_before = running.out.clone();
        if made.is_anew {
            // The script starts from the seed again, without the mutations that were too hard.
            running.out.fill(None);
        }
        let mut probes = vec![running.probe];
        for joined in &made.joined {
            probes.extend(self.partner(joined.seed)?);
        }
        let is_trusted = probes.iter().all(|probe| probe.upholds_claims());
        let under_test = CaseUnderTest {
            script: &made.script,
            text: &made.text,
            known: if is_trusted { made.known } else { KnownAnswers::default() },
            promise: promise_of_fusion(made.promise, probes.iter().map(|probe| probe.belief())),
            probes: &probes,
            joined: &made.joined,
            patience: self.context.limits.patience,
            models: self.context.models(case, strategy),
            track_behaviour: self.context.track_behaviour(strategy),
        };
        let provenance = Provenance { strategy, mutation: made.step.mutation, question: made.question };
        let outcome = self.run_case(running, case, provenance, &under_test);
        if made.is_side_step {
            // The next step does not start from this script.
            running.out = out_before;
        }
        Ok(outcome)
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
        let SolverRoles { asked, references, mut spare } =
            self.solver_roles(running, case, (&prepared, under_test), &mut report);
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
        if session.runs.is_empty() && !self.gave_up {
            return CaseOutcome::Void;
        }
        let mut access = WorkerAccess::new(self, &prepared, under_test, RunMode::Fast);
        spare.extend(access.ask_references(&mut session, references, &drawn));
        if self.gave_up {
            return CaseOutcome::Halted;
        }
        // A solver that failed with the options of this case may handle the next one without them.
        let plain = session.runs.iter().filter(|run| run.options.is_empty());
        plain.for_each(|run| running.out[run.solver] = exhausted(&run.run));
        session.trial.intended_model = under_test.intended_model(&session.runs);
        let mut access = WorkerAccess::new(self, &prepared, under_test, RunMode::Fast);
        let judgement = session.judge(&mut spare, &mut access);
        let mut reports: Vec<RunReport> =
            session.runs.iter().map(|run| context.report(run, under_test.track_behaviour)).collect();
        let outcome = mutant_outcome(&session.runs, &reports);
        report.kept = context.keep(case, under_test, &reports).filter(|_| question.is_none());
        let (seed, bytes) = (running.seed.name.clone(), under_test.text.len());
        let oracles = judgement.opinions();
        let source = FindingSource { case: Some(case), strategy, seed: running.seed, steps: &running.steps };
        let found = self.confirm(under_test, &session, judgement.findings, &source);
        self.report_side_cpu(&mut reports);
        let runs = reports;
        let theories = theories_of(under_test.script);
        report.events.push(Event::Case {
            case,
            strategy,
            mutation,
            question,
            seed,
            bytes,
            theories,
            runs,
            oracles,
        });
        report.events.extend(found.flaky);
        report.sightings = found.sightings;
        let outcome = if report.sightings.is_empty() { outcome } else { MutantOutcome::Bug };
        match (running.goes_on(outcome, &context.chain_limits()), outcome) {
            (true, _) => CaseOutcome::Done(report),
            (false, MutantOutcome::Bug) => CaseOutcome::Last(report, "chain ended with a finding"),
            (false, _) => CaseOutcome::Last(report, "chain ended: it shows nothing new any more"),
        }
    }

    /// Tells which solvers get a case; reports why others do not.
    fn solver_roles(
        &self,
        running: &RunningChain<'_>,
        case: CaseNumber,
        (prepared, under_test): (&[Prepared], &CaseUnderTest<'_>),
        report: &mut WorkerReport,
    ) -> SolverRoles {
        let mut roles = SolverRoles::default();
        for (solver, prepared) in prepared.iter().enumerate().filter(|(solver, _)| !self.is_lost(*solver)) {
            let why = match (under_test.spares(solver), prepared, &running.out[solver]) {
                (Some(why), ..) => why,
                (None, Prepared::Spared(why), _) => why.clone(),
                (None, Prepared::Text { .. }, Some(why)) => {
                    roles.spare.push(solver);
                    why.clone()
                }
                (None, Prepared::Text { .. }, None) if self.context.is_reference(solver) => {
                    roles.references.push(solver);
                    continue;
                }
                (None, Prepared::Text { .. }, None) => {
                    roles.asked.push(solver);
                    continue;
                }
            };
            let solver = self.context.panel[solver].identity.name.clone();
            report.events.push(Event::Spared { case, solver, why });
        }
        roles
    }

    /// No solver can be asked: for this case, or for the rest of the chain.
    fn no_solver_to_ask(&self, running: &RunningChain<'_>, case: CaseNumber) -> CaseOutcome {
        // A strategy of two parents may restart from the seed, with another partner.
        let is_in = |solver: usize| running.out[solver].is_none() || self.context.recipe.joins();
        let can_go_on = |solver: &usize| is_in(*solver) && running.probe.spares(*solver).is_none();
        let solvers = 0..self.context.panel.len();
        let solvers = solvers.filter(|solver| !self.is_lost(*solver) && !self.context.is_reference(*solver));
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
}

/// What each solver does for a case, by number.
#[derive(Default)]
struct SolverRoles {
    /// Solvers under test that get the case.
    asked: Vec<usize>,
    /// References that get it only if nothing else tells which answer is right.
    references: Vec<usize>,
    /// Solvers that could get it, but failed earlier in the chain.
    spare: Vec<usize>,
}

/// The names of the theories of a script.
fn theories_of(script: &Script) -> Vec<&'static str> {
    let theories = GeneratorTheory::of_script(script, &Features::of_script(script));
    theories.into_iter().map(GeneratorTheory::name).collect()
}
