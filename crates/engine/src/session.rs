//! A session runs solvers on a script, collects their runs in a trial, and lets the oracles judge the trial.
//!
//! An oracle may request more: the vote of a solver that did not run yet, a model, a derivation of `false`. The callers
//! (campaign, `check`, `replay`, `reduce`, `bisect`, `triage`, `perf`, `localize`) give a session access to solvers, and so
//! choose the solvers, their limits and their processes. They share everything else.
//!
//! * `panel.rs`: the solvers that take part, and how they run.
//! * `replies.rs`, `claim_checker.rs`: replies to other questions than check-sat, found in the output and checked.
//! * `status_panel.rs`: runs them for the answer of a seed or a parent.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use gainsay_smt::{Script, logic};

use crate::event::{Opinion, RunReport};
use crate::finding::Finding;
use crate::oracle::{self, OracleRequest, Verdict};
use crate::solver::outline::up_to_check;
use crate::solver::run::{Answer, Ask, Limits, Query, Run};
use crate::trial::clauses;
use crate::trial::exhaustion::{CAMPAIGN_STEPS, ExhaustionEvidence};
use crate::trial::reply::{Reply, ReplyCheck};
use crate::trial::{
    ClauseCheck, Derivation, DerivationSearch, ModelCheck, ModelEvidence, Promise, SolverIdentity, Statement,
    Trial,
};

mod claim_checker;
pub mod coverage;
pub mod panel;
mod replies;
pub mod status_panel;

use claim_checker::ClaimChecker;
use panel::{PanelSolver, RunMode, SolverPool};

/// Rounds in which an oracle may ask for more.
const MAX_REQUEST_ROUNDS: usize = 3;

/// One run of a solver on a script.
#[derive(Debug, Clone)]
pub struct SolverRun {
    /// Which solver of the panel.
    pub solver: usize,
    /// Options that were drawn for it.
    pub options: Vec<String>,
    /// The text that it got.
    pub text: Arc<str>,
    /// Why its answers must not be compared, if so: a quirk of its profile, or an option that changes the meaning
    /// of the script.
    pub excuse: Option<String>,
    /// Whether it was asked for a model after its last answer.
    pub asked_model: bool,
    /// The result.
    pub run: Run,
}

impl SolverRun {
    /// Returns true if the run ended in a crash.
    pub fn crashed(&self) -> bool {
        self.run.trouble.as_ref().is_some_and(|trouble| trouble.kind.is_crash())
    }

    /// Returns true if it has something to say in a second judgement: an answer, a reply, or a crash.
    pub fn is_telling(&self) -> bool {
        let has_replied = self.run.trouble.is_none() && !self.run.output.trim_ascii().is_empty();
        self.crashed() || !self.run.answers.is_empty() || has_replied
    }

    /// In short, for an event.
    pub fn report(&self, panel: &[PanelSolver]) -> RunReport {
        let trouble = self.run.trouble.as_ref();
        RunReport {
            solver: panel[self.solver].identity.name.clone(),
            options: self.options.clone(),
            answers: self.run.answers.clone(),
            trouble: trouble.map(|trouble| trouble.kind),
            said: trouble.map(|trouble| trouble.said.clone()).unwrap_or_default(),
            removed: self.run.removed.iter().map(|removed| removed.command.clone()).collect(),
            cpu: self.run.cpu,
            side_cpu: Duration::ZERO,
            behaviour: None,
            new_code: self.run.reached.len(),
            changed: self.run.changed,
        }
    }
}

/// Which models are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelPolicy {
    /// The model of every `sat`.
    All,
    /// Models that settle a contradiction.
    IfContradicted,
}

/// A text that a solver is asked about beside the script itself.
#[derive(Debug, Clone, Copy)]
pub struct SideQuery<'a> {
    /// Which solver of the panel.
    pub solver: usize,
    /// Options that were drawn for it.
    pub options: &'a [String],
    /// The text.
    pub text: &'a str,
    /// What the solver is asked to print besides answers.
    pub ask: Ask,
    /// Its purpose.
    pub purpose: SidePurpose,
}

/// The purpose of a side query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SidePurpose {
    /// The model at a question of the script.
    Model,
    /// A point where a clause fails, or a derivation of `false`.
    Clauses,
    /// What a reply claims.
    Claim,
}

/// Access to solvers on behalf of the oracles.
pub trait SolverAccess {
    /// The run of a solver that was not asked about the script yet; `None` if it cannot be asked.
    fn vote(&mut self, solver: usize) -> Option<SolverRun> {
        let _ = solver;
        None
    }

    /// Runs another text; `None` if that cannot be done.
    fn side_query(&mut self, query: &SideQuery<'_>) -> Option<Run>;
}

/// Access to the solvers of a pool, all in one mode.
pub struct PoolAccess<'b, 'a> {
    /// The solvers.
    pub pool: &'b mut SolverPool<'a>,
    /// How they are run.
    pub mode: RunMode,
    /// The limits of each run.
    pub limits: &'b dyn Fn(usize) -> Limits,
}

impl SolverAccess for PoolAccess<'_, '_> {
    fn side_query(&mut self, query: &SideQuery<'_>) -> Option<Run> {
        let SideQuery { solver, options, text, ask, .. } = *query;
        let query = Query { script: text, limits: (self.limits)(solver), ask };
        self.pool.run_with(solver, self.mode, options, &query).ok()
    }
}

/// The verdicts of the oracles.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judgement {
    /// The verdict of each oracle.
    pub verdicts: Vec<(&'static str, Verdict)>,
    /// The findings of all oracles, the most severe first, with fingerprints in the smallest logic that holds the script.
    pub findings: Vec<Finding>,
}

impl Judgement {
    /// Each oracle's opinion, for an event.
    pub fn opinions(&self) -> Vec<(&'static str, Opinion)> {
        let opinion = |(name, verdict): &(&'static str, Verdict)| {
            let opinion = match verdict {
                Verdict::Fine => Opinion::Fine,
                Verdict::Undecided(_) | Verdict::Ask(_) => Opinion::Undecided,
                Verdict::Bug(_) => Opinion::Bug,
            };
            (*name, opinion)
        };
        self.verdicts.iter().map(opinion).collect()
    }
}

/// A trial in progress, with the runs behind its statements.
#[derive(Debug, Clone)]
pub struct TrialSession<'p> {
    panel: &'p [PanelSolver],
    models: ModelPolicy,
    /// The steps that exhaustion may take for each question.
    exhaustion_steps: u64,
    /// The trial so far.
    pub trial: Trial,
    /// The runs behind the statements, in the same order.
    pub runs: Vec<SolverRun>,
    /// Statements whose solver ran into a limit when it was asked for a model: it would again at a later question.
    without_models: BTreeSet<usize>,
}

impl<'p> TrialSession<'p> {
    /// A session for a script, before any solver ran.
    pub fn new(
        panel: &'p [PanelSolver],
        script: Option<Script>,
        text: impl Into<String>,
        promise: Promise,
        models: ModelPolicy,
    ) -> Self {
        let trial = Trial::new(script, text, promise);
        TrialSession {
            panel,
            models,
            exhaustion_steps: CAMPAIGN_STEPS,
            trial,
            runs: Vec::new(),
            without_models: BTreeSet::new(),
        }
    }

    /// The same with another number of steps for exhaustion; 0 turns it off.
    #[must_use]
    pub fn with_exhaustion_steps(self, steps: u64) -> Self {
        TrialSession { exhaustion_steps: steps, ..self }
    }

    /// Decides the questions by exhaustion, if a solver answered one and it was not done yet.
    pub fn exhaust(&mut self) {
        let is_answered = self.trial.statements.iter().any(|statement| !statement.votes.is_empty());
        let is_wanted = is_answered && self.trial.exhaustion.is_empty() && self.exhaustion_steps > 0;
        if let Some(script) = self.trial.script.as_ref().filter(|_| is_wanted) {
            self.trial.exhaustion = ExhaustionEvidence::of_script(script, self.exhaustion_steps);
        }
    }

    /// Adds the run of a solver, with the model that came with its last answer.
    pub fn add(&mut self, run: SolverRun) {
        let questions = self.trial.questions.len();
        let member = &self.panel[run.solver];
        let identity = member.identity_with(&run.options);
        let sent = member.solver.profile.filter.filter(&run.text).text;
        let excuse = run.excuse.clone().or_else(|| member.excuse_with(&run.options, &run.text));
        let mut statement = Statement::of(identity, &run.run, questions, excuse).about_assertions(&sent);
        if run.asked_model
            && statement.votes.len() == questions
            && let Some(vote) = statement.votes.last_mut().filter(|vote| vote.answer == Answer::Sat)
        {
            vote.model = Some(member.model_given(&run.text, run.run.model.clone()));
        }
        if let Some(script) = self.trial.script.as_ref().filter(|_| statement.counts()) {
            statement.replies = replies::read(script, &sent, &run.run);
            let (profile, version) = (&member.solver.profile, member.identity.version.as_ref());
            for reply in &mut statement.replies {
                // Replies have the values of models, and so their spelling and their quirks.
                reply.text = profile.standard_model(std::mem::take(&mut reply.text), version);
                if let Some(why) = profile.model_excuse(&run.text, &reply.text, version) {
                    reply.judgement = ReplyCheck::Unclear(why);
                }
            }
        }
        self.trial.statements.push(statement);
        self.runs.push(run);
    }

    /// Lets all oracles judge the trial. `spare` are solvers that did not run yet and could.
    pub fn judge(&mut self, spare: &mut Vec<usize>, access: &mut dyn SolverAccess) -> Judgement {
        self.check_models(access);
        self.check_replies(access);
        self.exhaust();
        let mut judgement = Judgement::default();
        for oracle in oracle::ALL {
            if !oracle.applies(&self.trial) {
                continue;
            }
            let verdict = self.ask_oracle(*oracle, spare, access);
            if let Verdict::Bug(findings) = &verdict {
                judgement.findings.extend(findings.iter().cloned());
            }
            judgement.verdicts.push((oracle.name(), verdict));
        }
        // The strongest statement comes first: a wrong answer before the invalid model behind it.
        judgement.findings.sort_by_key(|finding| (finding.kind.severity(), Reverse(finding.evidence)));
        if let Some(script) = self.trial.script.as_ref().filter(|_| !judgement.findings.is_empty()) {
            let logic = logic::smallest(script);
            for finding in &mut judgement.findings {
                finding.fingerprint = finding.fingerprint.clone().in_logic(logic);
            }
        }
        judgement
    }

    /// Asks an oracle, and runs solvers for its requests.
    fn ask_oracle(
        &mut self,
        oracle: &dyn oracle::Oracle,
        spare: &mut Vec<usize>,
        access: &mut dyn SolverAccess,
    ) -> Verdict {
        if oracle.looks_at_models() && self.models == ModelPolicy::IfContradicted {
            return Verdict::Undecided("models are not looked at".to_owned());
        }
        for _ in 0..MAX_REQUEST_ROUNDS {
            match self.verdict(oracle, spare) {
                Verdict::Ask(requests) => self.answer(&requests, spare, access),
                verdict => return verdict,
            }
        }
        match self.verdict(oracle, spare) {
            Verdict::Ask(_) => Verdict::Undecided("it asks for too much".to_owned()),
            verdict => verdict,
        }
    }

    fn verdict(&self, oracle: &dyn oracle::Oracle, spare: &[usize]) -> Verdict {
        let spare: Vec<SolverIdentity> =
            spare.iter().map(|&solver| self.panel[solver].identity.clone()).collect();
        oracle.judge(&self.trial, &spare)
    }

    /// Runs solvers for the requests of an oracle.
    fn answer(&mut self, requests: &[OracleRequest], spare: &mut Vec<usize>, access: &mut dyn SolverAccess) {
        let mut solvers = BTreeSet::new();
        for &request in requests {
            match request {
                OracleRequest::Vote(index) => solvers.extend(spare.get(index).copied()),
                OracleRequest::Model { statement, question } => self.ask_model(statement, question, access),
                OracleRequest::Derivation => self.trial.derivation = self.derive(access),
            }
        }
        // A solver that cannot be asked is not asked again.
        spare.retain(|solver| !solvers.contains(solver));
        for solver in solvers {
            if let Some(run) = access.vote(solver) {
                self.add(run);
            }
        }
        self.check_models(access);
    }

    /// Asks a solver for the model behind its `sat` to a question.
    pub fn ask_model(&mut self, statement: usize, question: usize, access: &mut dyn SolverAccess) {
        let SolverRun { solver, options, text, .. } = &self.runs[statement];
        let text_up_to = up_to_check(text, question).filter(|_| !self.without_models.contains(&statement));
        let run = text_up_to.and_then(|text| {
            let (solver, purpose) = (*solver, SidePurpose::Model);
            access.side_query(&SideQuery { solver, options, text, ask: Ask::WITH_MODEL, purpose })
        });
        if run.as_ref().and_then(|run| run.trouble.as_ref()).is_some_and(|trouble| trouble.kind.is_limit()) {
            self.without_models.insert(statement);
        }
        let model = self.panel[*solver].model_asked(text, question, run);
        if let Some(vote) = self.trial.statements[statement].votes.get_mut(question) {
            vote.model = Some(model);
        }
    }

    /// Checks every model that was not checked yet: clause by clause if the script is a system of Horn clauses, then by our
    /// own evaluator.
    pub fn check_models(&mut self, access: &mut dyn SolverAccess) {
        let Trial { script: Some(script), statements, intended_model, .. } = &mut self.trial else { return };
        if let Some(model) = intended_model {
            model.check(script, 0);
        }
        for (statement, run) in statements.iter_mut().zip(&self.runs) {
            for (question, vote) in statement.votes.iter_mut().enumerate() {
                let Some(model) = &mut vote.model else { continue };
                if model.check == ModelCheck::Pending {
                    model.clauses = check_clauses(self.panel, script, model, run.solver, access);
                    model.check(script, question);
                }
            }
        }
    }

    /// Checks the claims of every reply that was not checked yet.
    pub fn check_replies(&mut self, access: &mut dyn SolverAccess) {
        let Some(script) = &self.trial.script else { return };
        let is_pending = |reply: &Reply| reply.judgement == ReplyCheck::Pending;
        if !self.trial.statements.iter().flat_map(|one| &one.replies).any(is_pending) {
            return;
        }
        let mut checker = ClaimChecker::new(self.panel, script, self.exhaustion_steps);
        for index in 0..self.trial.statements.len() {
            for place in 0..self.trial.statements[index].replies.len() {
                if is_pending(&self.trial.statements[index].replies[place]) {
                    let judgement = checker.judge(&self.trial, index, place, access);
                    self.trial.statements[index].replies[place].judgement = judgement;
                }
            }
        }
    }

    /// A derivation of `false` that one of the panel finds.
    fn derive(&self, access: &mut dyn SolverAccess) -> DerivationSearch {
        let Some(script) = &self.trial.script else { return DerivationSearch::NotFound };
        let keeps_meaning = |solver: &usize| self.panel[*solver].excuse("").is_none();
        let found: Option<Derivation> = (0..self.panel.len()).filter(keeps_meaning).find_map(|solver| {
            clauses::derive(script, &mut |text, ask| clause_query(access, solver, text, ask))
        });
        found.map_or(DerivationSearch::NotFound, DerivationSearch::Found)
    }
}

/// Checks a model of Horn clauses clause by clause, by a solver of another code base or by the one that gave it. `None` for
/// other scripts, or if the check decides nothing.
fn check_clauses(
    panel: &[PanelSolver],
    script: &Script,
    model: &ModelEvidence,
    giver: usize,
    access: &mut dyn SolverAccess,
) -> Option<ClauseCheck> {
    let text = model.text.as_deref().filter(|_| script.is_horn())?;
    let family = |solver: usize| panel[solver].identity.family.as_str();
    let keeps_meaning = |solver: &usize| panel[*solver].excuse("").is_none();
    let other = (0..panel.len()).filter(keeps_meaning).find(|&solver| family(solver) != family(giver));
    other.into_iter().chain(Some(giver).filter(keeps_meaning)).find_map(|solver| {
        let mut run = |text: &str, ask: Ask| clause_query(access, solver, text, ask);
        clauses::check(script, text, family(solver), &mut run)
    })
}

fn clause_query(access: &mut dyn SolverAccess, solver: usize, text: &str, ask: Ask) -> Option<Run> {
    access.side_query(&SideQuery { solver, options: &[], text, ask, purpose: SidePurpose::Clauses })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::name::SolverName;
    use crate::solver::profiles::Profiles;
    use crate::solver::resolve::{Program, Solver};
    use crate::trial::Silence;
    use crate::trial::tests::run;

    #[test]
    fn a_run_with_a_drawn_option_that_changes_the_meaning_is_compared_with_nothing() {
        let name: SolverName = "z3@5.4.0".parse().unwrap();
        let profile = Arc::clone(Profiles::built_in().get("z3").unwrap());
        let program = Program::Binary { path: "none".into(), library: None };
        let identity = SolverIdentity { name: name.to_string(), ..SolverIdentity::default() };
        let panel = [PanelSolver { solver: Solver { name, profile, version: None, program }, identity }];
        let text = "(declare-const a Bool)(assert a)(check-sat)";
        let silence = |option: &str| {
            let mut session = TrialSession::new(&panel, None, text, Promise::Nothing, ModelPolicy::All);
            let (options, run) = (vec![option.to_owned()], run(&[Answer::Sat]));
            session.add(SolverRun {
                solver: 0,
                options,
                text: text.into(),
                excuse: None,
                asked_model: false,
                run,
            });
            session.trial.statements[0].silence.clone()
        };
        assert!(matches!(silence("smt.array.extensional=false"), Some(Silence::Excused(_))));
        assert_eq!(silence("smt.mbqi=false"), None);
    }
}
