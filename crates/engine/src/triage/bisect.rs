//! Bisection: which releases of a solver have a bug.
//!
//! ```text
//! 4.8.6 4.8.7 4.8.8 4.8.9 4.8.10 … 4.8.14 … 5.4.0
//!   ✓     ✗     ✗     ✗     ✗    ?   ✓    ?   ✓        first bad 4.8.7, last good 4.8.6, fixed in 4.8.14
//! ```
//!
//! Bugs appear, disappear and come back, so nothing is concluded about a release that was not run. To save downloads, installed
//! releases are run first, then the two ends, then the middle of every gap between a release with the bug and one without it,
//! until no such gap is left.

use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::truth::{Mistake, Truth};
use crate::finding::{Evidence, FindingKind};
use crate::solver::run::Answer;
use crate::solver::version::Version;
use crate::trial::reply::ReplyCheck;
use crate::trial::{ExhaustionEvidence, ModelCheck, ModelEvidence, SolverIdentity, Statement};

/// A release that can be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// Its version.
    pub version: Version,
    /// Whether it can be run without a download.
    pub installed: bool,
}

/// Which releases are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReleaseScope {
    /// Installed ones.
    Installed,
    /// Installed ones and the newest.
    Newest,
    /// Installed ones, and those that are needed to see where the bug appears and disappears.
    Settling,
    /// All.
    All,
}

/// Which releases a bisection knows of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "bool", into = "bool")]
pub enum ReleaseList {
    /// Those that are installed: others may lie between any two of them.
    #[default]
    Installed,
    /// All that can be had.
    All,
    /// All that can be had in a range that the user asked for. Records, which have a truth value in this place, never hold it.
    Range,
}

impl From<bool> for ReleaseList {
    fn from(lists_all: bool) -> Self {
        if lists_all { ReleaseList::All } else { ReleaseList::Installed }
    }
}

impl From<ReleaseList> for bool {
    fn from(listed: ReleaseList) -> bool {
        listed == ReleaseList::All
    }
}

impl ReleaseList {
    /// Returns true if no other release lies between two neighbours of the list.
    pub fn has_no_gaps(self) -> bool {
        self != ReleaseList::Installed
    }

    /// What the last release of the list is: `the newest release`.
    pub fn newest_words(self) -> &'static str {
        match self {
            ReleaseList::All => "the newest release",
            ReleaseList::Installed => "the newest release that was tested",
            ReleaseList::Range => "the newest release of those asked",
        }
    }

    /// What the first release of the list is.
    pub fn oldest_words(self) -> &'static str {
        match self {
            ReleaseList::All => "the oldest release that can be installed",
            ReleaseList::Installed => "the oldest release that was tested",
            ReleaseList::Range => "the oldest release of those asked",
        }
    }
}

/// A bisection to do.
#[derive(Debug, Clone)]
pub struct BisectRequest<'a> {
    /// The solver, as oracles know it, without a version.
    pub suspect: &'a SolverIdentity,
    /// Its releases, oldest first.
    pub releases: &'a [Release],
    /// Which releases these are.
    pub listed: ReleaseList,
    /// Which of them are run.
    pub scope: ReleaseScope,
    /// Statements of trusted solvers.
    pub references: &'a [&'a Statement],
    /// The number of questions of the script.
    pub questions: usize,
    /// The known answers to the questions, in order; those that are left out are not known.
    pub expected: &'a [Option<Answer>],
    /// What exhaustion says of each question.
    pub exact: &'a [ExhaustionEvidence],
    /// The kind of finding to look for; if `None`, the most severe one that shows.
    pub kind: Option<FindingKind>,
}

/// One release and whether it has the bug.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub struct ReleaseResult {
    /// The release.
    #[schemars(with = "String")]
    pub version: Version,
    /// Whether it has the bug; `None` if it was not run or gave no usable answer.
    pub affected: Option<bool>,
    /// Its answer: `unsat`, `crash`; empty if it was not run.
    pub said: String,
    /// Details: why it is wrong, or why it does not count.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

impl ReleaseResult {
    /// Whether it certainly has the bug or not: `None` if it does not decide the script.
    pub fn firm(&self) -> Option<bool> {
        self.affected.filter(|affected| *affected || !self.said.contains("unknown"))
    }
}

/// A model that shows which solver is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownModel {
    /// The solver that returned it.
    pub by: String,
    /// The model.
    pub model: String,
    /// Why it fails; empty if it holds.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// The result of a bisection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bisection {
    /// The kind of finding; `None` if no release that was run is wrong.
    pub kind: Option<FindingKind>,
    /// The strongest evidence of all releases.
    pub evidence: Option<Evidence>,
    /// The right answers.
    pub truth: Truth,
    /// Every release, oldest first.
    pub versions: Vec<ReleaseResult>,
    /// Which releases `versions` has.
    #[serde(default, rename = "lists_all")]
    pub listed: ReleaseList,
    /// The model that shows the bug: a valid one of another solver, or an invalid one of the suspect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<ShownModel>,
    /// Whether it was stopped before its end.
    pub stopped: bool,
}

/// Runs releases until it is known where the bug appears and disappears. `ask` runs a release, and installs it if needed; `tell`
/// is called for each release before it runs.
pub fn bisect<E>(
    request: &BisectRequest<'_>,
    ask: &mut dyn FnMut(&Release) -> Result<Statement, E>,
    tell: &mut dyn FnMut(&Release, &Statement),
    stop: &AtomicBool,
) -> Result<Bisection, E> {
    let mut heard: Vec<Option<Statement>> = vec![None; request.releases.len()];
    loop {
        let stopped = stop.load(Ordering::Relaxed);
        let bisection = judge(request, &heard, stopped);
        let asked: Vec<ReleaseStanding> = heard.iter().zip(&bisection.versions).map(standing).collect();
        match next(request.releases, &asked, request.scope) {
            Some(at) if !stopped => {
                let statement = ask(&request.releases[at])?;
                tell(&request.releases[at], &statement);
                heard[at] = Some(statement);
            }
            Some(_) => return Ok(bisection),
            None => return Ok(Bisection { stopped: false, ..bisection }),
        }
    }
}

impl Bisection {
    /// The oldest release that has the bug.
    pub fn first_bad(&self) -> Option<&Version> {
        self.with(true).next()
    }

    /// The newest release that has it.
    pub fn last_bad(&self) -> Option<&Version> {
        self.with(true).last()
    }

    /// The newest release that is known not to have the bug before all that have it.
    pub fn last_good(&self) -> Option<&Version> {
        let first = self.first_bad()?;
        self.with(false).take_while(|version| *version < first).last()
    }

    /// The oldest release that is known not to have the bug after all that have it.
    pub fn fixed_in(&self) -> Option<&Version> {
        let last = self.last_bad()?;
        self.with(false).find(|version| *version > last)
    }

    /// The oldest release that is known not to have the bug after a build and after all that have it.
    pub fn fixed_after(&self, build: &Version) -> Option<&Version> {
        let last = self.last_bad().map_or(build, |last| last.max(build));
        self.with(false).find(|version| *version > last)
    }

    /// Whether the newest release has it; `None` if it gave no usable answer.
    pub fn newest(&self) -> Option<(&Version, Option<bool>)> {
        self.versions.last().map(|entry| (&entry.version, entry.affected))
    }

    /// Returns true if a release was run.
    pub fn has_asked(&self, version: &Version) -> bool {
        self.versions.iter().any(|entry| entry.version == *version && !entry.said.is_empty())
    }

    fn with(&self, affected: bool) -> impl Iterator<Item = &Version> {
        self.versions.iter().filter(move |entry| entry.firm() == Some(affected)).map(|entry| &entry.version)
    }
}

/// The result of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReleaseStanding {
    NotAsked,
    Silent,
    Fine,
    Affected,
}

fn standing((heard, entry): (&Option<Statement>, &ReleaseResult)) -> ReleaseStanding {
    match (heard, entry.affected) {
        (None, _) => ReleaseStanding::NotAsked,
        (Some(_), None) => ReleaseStanding::Silent,
        (Some(_), Some(false)) => ReleaseStanding::Fine,
        (Some(_), Some(true)) => ReleaseStanding::Affected,
    }
}

/// The release to run next: installed ones from the newest on, then those of the scope.
fn next(releases: &[Release], asked: &[ReleaseStanding], scope: ReleaseScope) -> Option<usize> {
    let is_open = |at: &usize| asked[*at] == ReleaseStanding::NotAsked;
    let installed = (0..releases.len()).rev().filter(|&at| releases[at].installed).find(is_open);
    match scope {
        ReleaseScope::Installed => installed,
        ReleaseScope::Newest => installed.or_else(|| releases.len().checked_sub(1).filter(is_open)),
        ReleaseScope::All => installed.or_else(|| (0..releases.len()).rev().find(is_open)),
        ReleaseScope::Settling => {
            let ends = releases.len().checked_sub(1).into_iter().chain([0]);
            let ends = ends.filter(|&at| at < releases.len()).find(is_open);
            installed.or(ends).or_else(|| middle(asked))
        }
    }
}

/// The middle of a gap between two releases that stand otherwise, with nothing but silence between them. Silence beyond the
/// last that spoke is such a side, too: the bug may begin where the script begins to be understood.
fn middle(asked: &[ReleaseStanding]) -> Option<usize> {
    let known: Vec<usize> = (0..asked.len())
        .filter(|&at| matches!(asked[at], ReleaseStanding::Fine | ReleaseStanding::Affected))
        .collect();
    let (first, last) = (*known.first()?, *known.last()?);
    let silent = |at: &usize| asked[*at] == ReleaseStanding::Silent;
    let mut gaps: Vec<(usize, usize)> = known.windows(2).map(|pair| (pair[0], pair[1])).collect();
    gaps.retain(|&(low, high)| asked[low] != asked[high]);
    if asked[first] == ReleaseStanding::Affected {
        gaps.extend((0..first).rev().find(silent).map(|low| (low, first)));
    }
    if asked[last] == ReleaseStanding::Affected {
        gaps.extend((last + 1..asked.len()).find(silent).map(|high| (last, high)));
    }
    gaps.into_iter().find_map(|(low, high)| {
        let open: Vec<usize> = (low + 1..high).filter(|&at| asked[at] == ReleaseStanding::NotAsked).collect();
        open.get(open.len() / 2).copied()
    })
}

/// The conclusion from the statements so far.
fn judge(request: &BisectRequest<'_>, heard: &[Option<Statement>], stopped: bool) -> Bisection {
    let spoken: Vec<Statement> = request
        .releases
        .iter()
        .zip(heard)
        .filter_map(|(release, statement)| {
            let solver = release_of(request.suspect, release);
            Some(Statement { solver, ..statement.clone()? })
        })
        .collect();
    let releases: Vec<&Statement> = spoken.iter().collect();
    let BisectRequest { suspect, references, questions, expected, exact, .. } = request;
    let truth = Truth::find(*questions, &suspect.family, references, &releases, expected, exact);
    let wrongs = |statement: &Option<Statement>| -> Vec<Mistake> {
        statement.as_ref().map(|statement| truth.mistakes(statement)).unwrap_or_default()
    };
    let wrongs: Vec<Vec<Mistake>> = heard.iter().map(wrongs).collect();
    let all = || wrongs.iter().flatten();
    let severe = || all().map(|wrong| wrong.kind).min_by_key(|kind| kind.severity());
    let seen = |kind: &FindingKind| all().any(|wrong| wrong.kind == *kind);
    let kind = request.kind.map_or_else(severe, |kind| Some(kind).filter(seen));
    let evidence = all().filter(|wrong| Some(wrong.kind) == kind).map(|wrong| wrong.evidence).max();
    let versions = request.releases.iter().zip(heard).zip(&wrongs);
    let versions = versions.map(|((release, statement), wrongs)| match statement {
        None => ReleaseResult {
            version: release.version.clone(),
            affected: None,
            said: String::new(),
            why: String::new(),
        },
        Some(statement) => entry(release, statement, wrongs, kind),
    });
    let versions = versions.collect();
    let witness = telling_model(request.kind.or(kind), references, &releases);
    Bisection { kind, evidence, versions, listed: request.listed, truth, witness, stopped }
}

/// The model that shows the bug, of the newest release that has one.
fn telling_model(
    kind: Option<FindingKind>,
    references: &[&Statement],
    releases: &[&Statement],
) -> Option<ShownModel> {
    let is_refuted = match kind? {
        FindingKind::Refutation => true,
        FindingKind::Solution | FindingKind::Model => false,
        _ => return None,
    };
    let why = |model: &ModelEvidence| match &model.check {
        ModelCheck::Holds if is_refuted => Some(String::new()),
        ModelCheck::Fails(failure) if !is_refuted => Some(failure.why.clone()),
        _ => None,
    };
    let told = |statement: &&Statement| {
        let (model, why) = statement.models().find_map(|(_, model)| Some((model, why(model)?)))?;
        Some(ShownModel { by: statement.solver.name.clone(), model: model.text.clone()?, why })
    };
    let references = references.iter().filter(|_| is_refuted);
    references.chain(releases.iter().rev()).find_map(told)
}

fn release_of(suspect: &SolverIdentity, release: &Release) -> SolverIdentity {
    let name = format!("{}@{}", suspect.name, release.version);
    SolverIdentity { name, family: suspect.family.clone(), version: Some(release.version.clone()) }
}

fn entry(
    release: &Release,
    statement: &Statement,
    wrongs: &[Mistake],
    kind: Option<FindingKind>,
) -> ReleaseResult {
    let wrong = wrongs.iter().find(|wrong| Some(wrong.kind) == kind);
    let other = wrongs.first().map(|other| other.what.clone());
    let (affected, why) = match (wrong, &statement.silence) {
        (Some(wrong), _) => (Some(true), wrong.what.clone()),
        (None, Some(silence)) => (None, other.unwrap_or_else(|| silence.why())),
        // A crash may need no question.
        (None, None) if kind == Some(FindingKind::Crash) && statement.crash.is_none() => {
            (Some(false), other.unwrap_or_default())
        }
        // It never came to what is asked.
        (None, None) if statement.crash.is_some() || is_mute(statement) => {
            let said = || statement.trouble.as_ref().map(|trouble| trouble.said.clone());
            (None, other.or_else(said).unwrap_or_default())
        }
        (None, None) if kind == Some(FindingKind::Model) && is_unclear(statement) => {
            (None, "its model cannot be judged".to_owned())
        }
        (None, None) if kind == Some(FindingKind::Reply) && has_no_right_reply(statement) => {
            (None, "its reply cannot be judged".to_owned())
        }
        (None, None) if statement.says(Answer::Unknown) => {
            (None, other.unwrap_or_else(|| "it does not decide it".to_owned()))
        }
        (None, None) => (Some(false), other.unwrap_or_default()),
    };
    ReleaseResult { version: release.version.clone(), affected, said: statement.word(), why }
}

/// Returns true if it has neither answers nor replies.
fn is_mute(statement: &Statement) -> bool {
    statement.votes.is_empty() && statement.replies.is_empty()
}

/// Returns true if none of its replies is known to be right.
fn has_no_right_reply(statement: &Statement) -> bool {
    !statement.replies.iter().any(|reply| reply.judgement == ReplyCheck::Holds)
}

/// Whether it says sat and nothing is known of its model.
fn is_unclear(statement: &Statement) -> bool {
    let mut sat = statement.votes.iter().filter(|vote| vote.answer == Answer::Sat);
    sat.any(|vote| !vote.model.as_ref().is_some_and(ModelEvidence::holds))
}

#[cfg(test)]
mod tests;
