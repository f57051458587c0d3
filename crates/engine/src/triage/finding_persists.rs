//! The interestingness test of a finding: a script shows the same kind, suspect and fingerprint, with evidence that is not weaker.
//!
//! The test runs only the solvers that the finding needs, the suspect first: if it does not misbehave, the others need not run.
//! They run through their fastest drivers. A candidate that passes is run again in fresh processes, so that users of the solvers
//! can reproduce every step of a reduction. Finally other releases of the suspect are run: one that is right about the first
//! script must be right about the candidate, or the candidate shows another bug.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gainsay_smt::Script;
use gainsay_smt::horn::System;

use crate::finding::{Finding, FindingKind};
use crate::known_answers::KnownAnswers;
use crate::prepare::{Preparation, Prepared};
use crate::reduce::{Candidate, InterestingnessTest, TestOutcome};
use crate::session::panel::{PanelSolver, RunMode, SolverPool, confirmation_limits};
use crate::session::{ModelPolicy, PoolAccess, SolverRun, TrialSession};
use crate::solver::run::{Answer, Ask, Exit, Limits, Query};
use crate::solver::runner::Launcher;
use crate::trial::Promise;

/// The solvers that judge candidates, and how they get scripts.
pub struct SolverPanel<'a> {
    solvers: &'a [PanelSolver],
    launcher: &'a Launcher,
    limits: Limits,
    promise: Promise,
    /// Answers to sets of assertions, which the checks of a script may ask.
    known: KnownAnswers,
    /// `None` if solvers get scripts unchanged.
    preparation: Option<Preparation>,
    pools: Mutex<Vec<SolverPool<'a>>>,
    /// The run of each solver on the first script.
    first_runs: Mutex<Vec<Option<FirstRun>>>,
}

/// The time of a solver on the first script.
#[derive(Debug, Clone, Copy)]
struct FirstRun {
    took: Duration,
    /// Whether it timed out without any output.
    hung: bool,
}

/// A run may take this many times the time of the first script,
const TIME_FACTOR: u32 = 2;
/// plus this.
const EXTRA_TIME: Duration = Duration::from_millis(300);

/// How scripts are spelled for solvers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptSpelling {
    /// Unchanged.
    AsItIs,
    /// In the spelling of each solver, with a logic that contains the script, as in a campaign.
    Prepared,
}

/// A script to run, with a time limit.
#[derive(Clone, Copy)]
struct ScriptUnderTest<'s> {
    script: &'s Script,
    text: &'s str,
    mode: RunMode,
    time: Option<Duration>,
}

impl<'a> SolverPanel<'a> {
    /// A panel of these solvers.
    pub fn new(
        solvers: &'a [PanelSolver],
        launcher: &'a Launcher,
        limits: Limits,
        spelling: ScriptSpelling,
        script: &Script,
    ) -> Self {
        let preparation = (spelling == ScriptSpelling::Prepared)
            .then(|| PanelSolver::preparation(solvers, script.arena().signature()));
        // Output after the timeout is not read.
        let limits = Limits { grace: Duration::ZERO, ..limits };
        let first_runs = Mutex::new(vec![None; solvers.len()]);
        SolverPanel {
            solvers,
            launcher,
            limits,
            promise: Promise::Nothing,
            known: KnownAnswers::default(),
            preparation,
            pools: Mutex::default(),
            first_runs,
        }
    }

    /// The solvers.
    pub fn solvers(&self) -> &'a [PanelSolver] {
        self.solvers
    }

    /// Adds a promised answer, for all scripts.
    #[must_use]
    pub fn promising(self, promise: Promise) -> Self {
        SolverPanel { promise, ..self }
    }

    /// Adds known answers: each script is promised those that its own checks have.
    #[must_use]
    pub fn knowing(self, known: KnownAnswers) -> Self {
        SolverPanel { known, ..self }
    }

    /// The findings of all solvers on a script, each in a fresh process. The error names a solver that cannot be run.
    pub fn findings(&self, script: &Script, text: &str) -> Result<Vec<Finding>, String> {
        let all: Vec<usize> = (0..self.solvers.len()).collect();
        let under_test = ScriptUnderTest { script, text, mode: RunMode::Fresh, time: None };
        self.with_pool(|pool| self.judge(pool, under_test, &all, None))
    }

    /// The test for a finding that this script shows.
    pub fn question<'c>(
        &'c self,
        script: &Script,
        text: &str,
        target: Finding,
    ) -> Result<FindingPersists<'c, 'a>, String> {
        let is_system = System::read(script).is_ok();
        let models =
            if target.kind == FindingKind::Model { ModelPolicy::All } else { ModelPolicy::IfContradicted };
        let (needed, guards, mode) = (Vec::new(), Vec::new(), RunMode::Fresh);
        let mut shown = FindingPersists { panel: self, target, needed, guards, is_system, mode, models };
        let mut all = shown.suspects_first();
        let suspects = all.iter().filter(|&&solver| shown.is_suspect(solver)).count();
        // A solver without an answer to the first script does not contribute to the finding, and would time out on every candidate.
        let mut number = 0;
        all.retain(|&solver| {
            number += 1;
            number <= suspects || !self.pace(solver).is_some_and(|pace| pace.hung)
        });
        // Try the suspects alone, then with one more solver, then all.
        let mut sets: Vec<Vec<usize>> = vec![all[..suspects].to_vec()];
        sets.extend(all[suspects..].iter().map(|&other| [&all[..suspects], &[other]].concat()));
        sets.push(all);
        if !shown.settle(&sets, script, text)? && shown.target.kind == FindingKind::Crash {
            shown.models = ModelPolicy::All;
            shown.settle(&sets, script, text)?;
        }
        Ok(shown)
    }

    /// Lends a pool of running solvers, reusing an idle one if possible.
    fn with_pool<T>(&self, work: impl FnOnce(&mut SolverPool<'a>) -> T) -> T {
        let lent = self.pools.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut pool = lent.unwrap_or_else(|| SolverPool::new(self.solvers, self.launcher));
        let result = work(&mut pool);
        self.pools.lock().unwrap_or_else(PoisonError::into_inner).push(pool);
        result
    }

    fn pace(&self, solver: usize) -> Option<FirstRun> {
        self.first_runs.lock().unwrap_or_else(PoisonError::into_inner)[solver]
    }

    /// The limits of a solver.
    fn limits(&self, under_test: ScriptUnderTest<'_>, solver: usize) -> Limits {
        let most = self.limits.wall;
        let Some(time) = under_test.time else {
            // The first script gets the full time, once.
            let limits = if under_test.mode == RunMode::Fresh {
                confirmation_limits(self.limits)
            } else {
                self.limits
            };
            return Limits { wall: most, ..limits };
        };
        let usual = self.pace(solver).map_or(most, |pace| pace.took * TIME_FACTOR + EXTRA_TIME);
        // The first run took as long as it did with its waiting, so waiting counts here, too.
        let limits = Limits { wall: time.min(usual).min(most), counts_waiting: true, ..self.limits };
        if under_test.mode == RunMode::Fresh { confirmation_limits(limits) } else { limits }
    }

    /// Runs some solvers in turn, as long as `target` is still possible, and judges their answers.
    fn judge(
        &self,
        pool: &mut SolverPool<'a>,
        under_test: ScriptUnderTest<'_>,
        members: &[usize],
        target: Option<&FindingPersists<'_, '_>>,
    ) -> Result<Vec<Finding>, String> {
        let prepared = self
            .preparation
            .as_ref()
            .map(|preparation| preparation.prepare(under_test.script, under_test.text));
        let models = target.map_or(ModelPolicy::All, |target| target.models);
        let script = Some(under_test.script.clone());
        let mut session = TrialSession::new(self.solvers, script, under_test.text, self.promise, models);
        session.trial.add_known(&self.known);
        for &solver in members {
            let limits = self.limits(under_test, solver);
            let (text, excuse) = match prepared.as_ref().map(|prepared| prepared[solver].clone()) {
                None => (under_test.text.into(), self.solvers[solver].excuse(under_test.text)),
                Some(Prepared::Text { text, excuse }) => (text, excuse),
                Some(Prepared::Spared(_)) => continue,
            };
            let query = Query { script: &text, limits, ask: Ask::ANSWERS_ONLY };
            let run = pool.run(solver, under_test.mode, &query)?;
            if target.is_none() {
                let hung = run.answers.is_empty() && matches!(run.exit, Exit::WallLimit | Exit::CpuLimit);
                self.first_runs.lock().unwrap_or_else(PoisonError::into_inner)[solver] =
                    Some(FirstRun { took: run.wall, hung });
            }
            let (solver, options) = (solver, Vec::new());
            let run = SolverRun { solver, options, text, excuse, asked_model: false, run };
            if target.is_some_and(|target| !target.is_possible(&run)) {
                return Ok(Vec::new());
            }
            session.add(run);
        }
        let limits = |solver: usize| self.limits(under_test, solver);
        let mut access = PoolAccess { pool, mode: under_test.mode, limits: &limits };
        Ok(session.judge(&mut Vec::new(), &mut access).findings)
    }
}

/// Tests whether a script shows a finding.
pub struct FindingPersists<'c, 'a> {
    panel: &'c SolverPanel<'a>,
    /// The finding.
    pub target: Finding,
    /// The solvers to run, in this order.
    needed: Vec<usize>,
    /// Other releases of the suspect, which must not show the finding.
    guards: Vec<usize>,
    /// Whether the first script is a system of Horn clauses; a candidate must be one, too, since solvers treat others differently.
    is_system: bool,
    mode: RunMode,
    /// Whether the finding depends on models: an invalid model, or a crash on request of one.
    models: ModelPolicy,
}

impl<'a> FindingPersists<'_, 'a> {
    /// The names of the solvers to run.
    pub fn solvers(&self) -> Vec<&str> {
        self.all().iter().map(|&solver| self.panel.solvers[solver].identity.name.as_str()).collect()
    }

    /// Returns true if a script shows the finding in fresh processes.
    pub fn confirms(&self, script: &Script, text: &str) -> Result<bool, String> {
        let under_test = ScriptUnderTest { script, text, mode: RunMode::Fresh, time: None };
        self.panel.with_pool(|pool| self.shows(pool, under_test, &self.all()))
    }

    /// Finds the first of these sets of solvers that shows the finding on the first script, and how to run it. Returns false if none does.
    fn settle(&mut self, sets: &[Vec<usize>], script: &Script, text: &str) -> Result<bool, String> {
        for set in sets {
            for mode in [RunMode::Fast, RunMode::Fresh] {
                self.needed.clone_from(set);
                self.mode = mode;
                let under_test = ScriptUnderTest { script, text, mode, time: None };
                if self.panel.with_pool(|pool| self.shows(pool, under_test, set))? {
                    self.add_guard_releases(script, text)?;
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn shows(
        &self,
        pool: &mut SolverPool<'a>,
        under_test: ScriptUnderTest<'_>,
        members: &[usize],
    ) -> Result<bool, String> {
        let findings = self.panel.judge(pool, under_test, members, Some(self))?;
        let is_guard = |finding: &Finding| {
            let mut guards = self.guards.iter().map(|&guard| &self.panel.solvers[guard].identity.name);
            guards.any(|guard| finding.suspects.contains(guard))
        };
        let alike = |finding: &Finding| finding.kind == self.target.kind && !self.is_target(finding);
        Ok(findings.iter().any(|finding| self.is_target(finding))
            && !findings.iter().any(|finding| alike(finding) && is_guard(finding)))
    }

    /// The solvers that are needed, and the guards.
    fn all(&self) -> Vec<usize> {
        let guards = self.guards.iter().filter(|guard| !self.needed.contains(guard));
        self.needed.iter().chain(guards).copied().collect()
    }

    /// Makes guards of those releases of the suspect that are right about this script.
    fn add_guard_releases(&mut self, script: &Script, text: &str) -> Result<(), String> {
        let panel = self.panel;
        let family = |solver: usize| &panel.solvers[solver].identity.family;
        let suspects: Vec<usize> =
            (0..panel.solvers.len()).filter(|&solver| self.is_suspect(solver)).collect();
        for solver in 0..panel.solvers.len() {
            let is_kin = suspects.iter().any(|&suspect| family(suspect) == family(solver));
            let hung = panel.pace(solver).is_some_and(|pace| pace.hung);
            if !is_kin || hung || suspects.contains(&solver) {
                continue;
            }
            self.guards.push(solver);
            if !self.confirms(script, text)? {
                self.guards.pop();
            }
        }
        Ok(())
    }

    fn is_target(&self, finding: &Finding) -> bool {
        finding.is_same_or_simpler(&self.target) && finding.evidence >= self.target.evidence
    }

    fn is_suspect(&self, solver: usize) -> bool {
        self.target.suspects.contains(&self.panel.solvers[solver].identity.name)
    }

    fn suspects_first(&self) -> Vec<usize> {
        let (mut first, others): (Vec<usize>, Vec<usize>) =
            (0..self.panel.solvers.len()).partition(|&solver| self.is_suspect(solver));
        first.extend(others);
        first
    }

    /// Returns true if the finding is still possible after the run of one solver.
    fn is_possible(&self, run: &SolverRun) -> bool {
        let says = |answer: Answer| run.run.answers.contains(&answer);
        match self.target.kind {
            _ if !self.is_suspect(run.solver) => true,
            FindingKind::Crash if self.models == ModelPolicy::All => run.crashed() || says(Answer::Sat),
            FindingKind::Crash => run.crashed(),
            FindingKind::Refutation => says(Answer::Unsat),
            FindingKind::Solution | FindingKind::Model => says(Answer::Sat),
            FindingKind::Disagreement | FindingKind::Promise => says(Answer::Sat) || says(Answer::Unsat),
            FindingKind::Reply | FindingKind::Performance => true,
        }
    }
}

impl InterestingnessTest for FindingPersists<'_, '_> {
    fn test(&self, candidate: &Candidate<'_>) -> TestOutcome {
        let under_test = ScriptUnderTest {
            script: candidate.script,
            text: candidate.text,
            mode: self.mode,
            time: candidate.timeout,
        };
        if self.is_system && System::read(candidate.script).is_err() {
            return TestOutcome::Uninteresting;
        }
        let unwanted = || candidate.stop.load(Ordering::Relaxed);
        let shown = self.panel.with_pool(|pool| {
            if unwanted() || !self.shows(pool, under_test, &self.needed)? || unwanted() {
                return Ok(false);
            }
            let all = self.all();
            if self.mode == RunMode::Fresh && all == self.needed {
                return Ok(true);
            }
            self.shows(pool, ScriptUnderTest { mode: RunMode::Fresh, ..under_test }, &all)
        });
        match shown {
            Ok(true) => TestOutcome::Interesting,
            Ok(false) => TestOutcome::Uninteresting,
            Err(why) => TestOutcome::Failed(why),
        }
    }
}
