//! A survey of releases: which installed releases show the finding of a trigger on a script.

use std::sync::atomic::AtomicBool;

use gainsay_smt::Script;

use super::bisect::{BisectRequest, Bisection, Release, ReleaseList, ReleaseScope, bisect};
use super::record::TriageRecord;
use super::release_statement::ReleaseQuery;
use super::releases;
use super::statement_cache::StatementCache;
use super::triager::{Triager, read};
use crate::finding::FindingKind;
use crate::question;
use crate::seeds;
use crate::solver::name::SolverName;
use crate::solver::process::RunError;
use crate::solver::resolve::Solver;
use crate::solver::run::{Answer, Limits};
use crate::trial::exhaustion::CAMPAIGN_STEPS;
use crate::trial::{ExhaustionEvidence, SolverIdentity, Statement};

/// What to ask which releases.
pub struct ReleaseSurvey<'a> {
    /// The script.
    pub script: &'a Script,
    /// Its text.
    pub text: &'a str,
    /// The suspect.
    pub name: &'a SolverName,
    /// The kind of finding to look for; if `None`, the most severe one that shows.
    pub kind: Option<FindingKind>,
    /// The releases to ask, oldest first.
    pub releases: &'a [Release],
    /// Which releases these are.
    pub listed: ReleaseList,
    /// Which of them are asked.
    pub scope: ReleaseScope,
    /// The promised answers to the questions of the script, in order; none if nothing was promised.
    pub expected: &'a [Option<Answer>],
    /// The limits of each run.
    pub limits: Limits,
    /// Cached statements.
    pub memory: &'a StatementCache,
}

/// How the right answer is determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferencePolicy {
    /// By other code bases and the newest release of the suspect.
    Asked,
    /// By the kind of the finding, if the script has one question: it is known to be answered wrong.
    Implied,
}

impl Triager<'_> {
    /// Bisects a script of a trigger over the installed releases.
    pub(super) fn releases_of(
        &self,
        (record, text): (&TriageRecord, &str),
        name: &SolverName,
        kind: FindingKind,
        stop: &AtomicBool,
    ) -> Result<Bisection, String> {
        let known = releases::installed(&self.places, name).map_err(|error| error.to_string())?;
        self.releases_among((record, text), name, kind, (&known, ReleaseScope::Installed), stop)
    }

    /// Bisects a script of a trigger over some releases; all that can be had, if more than installed ones are asked.
    pub(super) fn releases_among(
        &self,
        (record, text): (&TriageRecord, &str),
        name: &SolverName,
        kind: FindingKind,
        (releases, scope): (&[Release], ReleaseScope),
        stop: &AtomicBool,
    ) -> Result<Bisection, String> {
        let script = &read(text)?;
        let is_promised =
            kind == FindingKind::Promise || record.model.is_some() || !record.parents.is_empty();
        let promises = if is_promised { record.promises_of(script) } else { Vec::new() };
        let expected = &promises[..];
        // A disagreement or a promise does not say which answer is wrong; the releases do.
        let kind =
            Some(kind).filter(|kind| !matches!(kind, FindingKind::Disagreement | FindingKind::Promise));
        let (limits, memory) = (self.limits, &self.memory);
        let listed = ReleaseList::from(scope != ReleaseScope::Installed);
        let survey =
            ReleaseSurvey { script, text, name, kind, releases, listed, scope, expected, limits, memory };
        self.survey(&survey, ReferencePolicy::Asked, stop)
    }

    /// Runs releases.
    pub fn survey(
        &self,
        survey: &ReleaseSurvey<'_>,
        references_policy: ReferencePolicy,
        stop: &AtomicBool,
    ) -> Result<Bisection, String> {
        let ReleaseSurvey { script, name, memory, .. } = survey;
        let profile = self.places.profiles.get(&name.profile).map_err(|error| error.to_string())?;
        let family = profile.family.clone();
        let others = releases::others(&self.places, &family);
        let checkers = if script.is_horn() || question::is_asked(script) { &others[..] } else { &[] };
        let query = ReleaseQuery { script, text: survey.text, limits: survey.limits, checkers };
        let questions = seeds::questions(script);
        let implied =
            implied(survey.kind, questions).filter(|_| references_policy == ReferencePolicy::Implied);
        let implied = implied.map(Some);
        let expected = if survey.expected.is_empty() { implied.as_slice() } else { survey.expected };
        let is_told = expected.iter().any(Option::is_some)
            || matches!(survey.kind, Some(FindingKind::Model | FindingKind::Reply | FindingKind::Crash));
        let heard = match references_policy {
            ReferencePolicy::Implied if is_told => Vec::new(),
            _ => self.references(&query, name, &family, memory)?,
        };
        let references: Vec<&Statement> = heard.iter().collect();
        let exact = ExhaustionEvidence::of_script(script, CAMPAIGN_STEPS);
        let request = BisectRequest {
            suspect: &SolverIdentity { name: name.profile.clone(), family, version: None },
            releases: survey.releases,
            listed: survey.listed,
            scope: survey.scope,
            references: &references,
            questions,
            expected,
            exact: &exact,
            kind: survey.kind,
        };
        let mut ask = |release: &Release| -> Result<Statement, RunError> {
            let solver = match self.release(name, release) {
                Ok(solver) => solver,
                Err(why) => {
                    let name = format!("{}@{}", name.profile, release.version);
                    let identity = SolverIdentity { name, ..SolverIdentity::default() };
                    return Ok(Statement::silent(identity, why));
                }
            };
            let identity = releases::identity(&solver, self.launcher)?;
            memory.ask(&query, &solver, &identity, self.launcher)
        };
        bisect(&request, &mut ask, &mut |_, _| {}, stop).map_err(|error| error.to_string())
    }

    /// A release, installed first if it is not and may be.
    fn release(&self, name: &SolverName, release: &Release) -> Result<Solver, String> {
        if let Some(index) = self.index.filter(|_| !release.installed) {
            (index.install)(name, &release.version)?;
        }
        releases::release(&self.places, name, &release.version).map_err(|error| error.to_string())
    }

    /// The statements of other code bases, and of the newest release of the suspect.
    fn references(
        &self,
        query: &ReleaseQuery<'_>,
        name: &SolverName,
        family: &str,
        memory: &StatementCache,
    ) -> Result<Vec<Statement>, String> {
        let ask = |solver: Solver| {
            let identity = releases::identity(&solver, self.launcher)?;
            memory.ask(query, &solver, &identity, self.launcher)
        };
        let newest = releases::newest(&self.places, name);
        let solvers = releases::others(&self.places, family).into_iter().chain(newest);
        solvers.map(ask).collect::<Result<_, _>>().map_err(|error| error.to_string())
    }
}

/// The right answer to the only question of a script that is known to be answered wrong.
fn implied(kind: Option<FindingKind>, questions: usize) -> Option<Answer> {
    match kind? {
        FindingKind::Refutation if questions == 1 => Some(Answer::Sat),
        FindingKind::Solution if questions == 1 => Some(Answer::Unsat),
        _ => None,
    }
}
