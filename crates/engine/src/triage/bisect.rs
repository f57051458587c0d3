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

/// A bisection to do.
#[derive(Debug, Clone)]
pub struct BisectRequest<'a> {
    /// The solver, as oracles know it, without a version.
    pub suspect: &'a SolverIdentity,
    /// Its releases, oldest first.
    pub releases: &'a [Release],
    /// Whether these are all releases that can be had, not only those that are installed.
    pub lists_all: bool,
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
    /// Whether `versions` has all releases that can be had, not only those that are installed.
    #[serde(default)]
    pub lists_all: bool,
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

    /// Whether the newest release has it; `None` if it gave no usable answer.
    pub fn newest(&self) -> Option<(&Version, Option<bool>)> {
        self.versions.last().map(|entry| (&entry.version, entry.affected))
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
    Bisection { kind, evidence, versions, lists_all: request.lists_all, truth, witness, stopped }
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
mod tests {
    use super::*;
    use crate::trial::tests::statement;

    /// `0=sat 1=unsat! …`: a release a word, `*` before those that are not installed.
    fn run(
        words: &str,
        references: &str,
        scope: ReleaseScope,
        kind: Option<FindingKind>,
    ) -> (String, usize, Bisection) {
        let words: Vec<&str> = words.split_whitespace().collect();
        let release = |word: &&str| Release {
            version: word.trim_start_matches('*').split('=').next().unwrap().parse().unwrap(),
            installed: !word.starts_with('*'),
        };
        let releases: Vec<Release> = words.iter().map(release).collect();
        let says = |at: usize| {
            let said = words[at].split_once('=').unwrap().1;
            statement(&format!("z3={said}"))
        };
        let references: Vec<Statement> = references.split_whitespace().map(statement).collect();
        let references: Vec<&Statement> = references.iter().collect();
        let suspect = SolverIdentity { name: "z3".into(), family: "z3".into(), version: None };
        let request = BisectRequest {
            suspect: &suspect,
            releases: &releases,
            lists_all: true,
            scope,
            references: &references,
            questions: 1,
            expected: &[],
            exact: &[],
            kind,
        };
        let mut count = 0;
        let mut ask = |release: &Release| {
            count += 1;
            Ok::<_, ()>(says(releases.iter().position(|one| one == release).unwrap()))
        };
        let bisection = bisect(&request, &mut ask, &mut |_, _| {}, &AtomicBool::new(false)).unwrap();
        let letter = |entry: &ReleaseResult| match (entry.affected, entry.said.is_empty()) {
            (Some(true), _) => 'X',
            (Some(false), _) => '.',
            (None, false) => '-',
            (None, true) => '?',
        };
        (bisection.versions.iter().map(letter).collect(), count, bisection)
    }

    #[test]
    fn installed_releases_are_all_asked_and_others_left_open() {
        let words = "1=sat 2=unsat *3=unsat 4=unsat 5=sat";
        let (vector, count, bisection) = run(words, "cvc5=sat yices=sat", ReleaseScope::Installed, None);
        assert_eq!((vector.as_str(), count), (".X?X.", 4));
        assert_eq!(
            (bisection.kind, bisection.evidence),
            (Some(FindingKind::Refutation), Some(Evidence::Corroborated))
        );
        assert_eq!(bisection.first_bad().unwrap().to_string(), "2");
        assert_eq!(bisection.last_good().unwrap().to_string(), "1");
        assert_eq!(bisection.fixed_in().unwrap().to_string(), "5");
        assert_eq!(bisection.newest().unwrap().1, Some(false));
    }

    #[test]
    fn the_newest_release_is_asked_beside_installed_ones_and_an_unknown_is_no_fix() {
        let words = "*1=sat! 2=unsat *3=unsat *4=unknown";
        let (vector, count, bisection) = run(words, "cvc5=sat! ", ReleaseScope::Newest, None);
        assert_eq!((vector.as_str(), count), ("?X?-", 2));
        assert_eq!((bisection.fixed_in(), bisection.newest().unwrap().1), (None, None));
        let crash = Some(FindingKind::Crash);
        let (vector, ..) = run("1=crash 2=unknown", "", ReleaseScope::Installed, crash);
        assert_eq!(vector, "X.", "a solver that gives up has not crashed");
    }

    #[test]
    fn gaps_are_halved_until_it_is_settled_where_the_bug_comes_and_goes() {
        let words: Vec<String> = (1..=40)
            .map(|n| format!("*{n}={}", if (9..23).contains(&n) { "unsat" } else { "sat!" }))
            .collect();
        let (vector, count, bisection) = run(&words.join(" "), "", ReleaseScope::Settling, None);
        assert_eq!(bisection.kind, None, "with both ends good nothing is known to be bad: {vector}");
        assert_eq!(count, 2);
        let words = words.join(" ").replace("*15=", "15=");
        let (vector, count, bisection) = run(&words, "", ReleaseScope::Settling, None);
        assert_eq!(
            (bisection.first_bad().unwrap().to_string(), bisection.last_good().unwrap().to_string()),
            ("9".to_owned(), "8".to_owned()),
            "{vector}"
        );
        assert_eq!(
            (bisection.last_bad().unwrap().to_string(), bisection.fixed_in().unwrap().to_string()),
            ("22".to_owned(), "23".to_owned())
        );
        assert!(count < 16, "{count} releases were asked: {vector}");
        assert!(vector.contains('?'));
        let (vector, count, _) = run(&words, "", ReleaseScope::All, None);
        assert_eq!((vector.matches('X').count(), count), (14, 40));
    }

    #[test]
    fn where_the_script_is_not_understood_the_bug_is_neither_there_nor_not() {
        let words = "*1=- *2=- *3=- *4=unsat *5=unsat 6=unsat 7=sat!";
        let (vector, _, bisection) = run(words, "", ReleaseScope::Settling, None);
        assert_eq!(vector, "-?-X?X.");
        assert_eq!(bisection.first_bad().unwrap().to_string(), "4");
        assert_eq!(bisection.last_good(), None);
    }

    #[test]
    fn a_crash_is_no_answer_and_another_wrongness_is_not_this_one() {
        let words = "1=crash 2=sat? 3=unsat";
        let (vector, _, bisection) = run(words, "cvc5=unsat yices=unsat", ReleaseScope::Installed, None);
        assert_eq!((vector.as_str(), bisection.kind), ("-X.", Some(FindingKind::Solution)));
        let (vector, ..) =
            run(words, "cvc5=unsat yices=unsat", ReleaseScope::Installed, Some(FindingKind::Crash));
        assert_eq!(vector, "X..");
        let (vector, ..) = run("1=sat? 2=sat 3=sat!", "", ReleaseScope::Installed, Some(FindingKind::Model));
        assert_eq!(vector, "X-.");
    }

    #[test]
    fn what_is_right_everywhere_has_no_bug() {
        let (vector, _, bisection) = run("1=sat 2=sat 3=unknown", "cvc5=sat", ReleaseScope::Installed, None);
        assert_eq!((vector.as_str(), bisection.kind), ("..-", None));
        assert_eq!((bisection.first_bad(), bisection.fixed_in()), (None, None));
    }
}
