//! Judging a case: all oracles on what solvers did, with more solvers asked where an oracle wants that.
//!
//! What must not be taken for a bug of a solver: answers after an error (the oracles see to that), answers where the
//! number of them does not fit the number of questions, and a status of a seed that two code bases contradict.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::team::Member;
use crate::event::{Opinion, RunReport};
use crate::oracle::{self, Finding, Kind, Observation, Promise, Sight, Subject, Verdict};
use crate::solver::run::{Answer, Run};
use crate::solver::trouble::TroubleKind;

/// Rounds of asking more solvers.
const ROUNDS: usize = 3;

/// What one solver did with a case.
#[derive(Debug, Clone)]
pub struct Take {
    /// Which of the team.
    pub member: usize,
    /// Options that were drawn for it.
    pub options: Vec<String>,
    /// The solver as oracles know it, drawn options included.
    pub subject: Subject,
    /// The text that it got.
    pub text: Arc<str>,
    /// Why its answers must not be compared, if so.
    pub excuse: Option<String>,
    /// What came back.
    pub run: Run,
}

/// What the oracles say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judgement {
    /// Each oracle's opinion.
    pub opinions: Vec<(&'static str, Opinion)>,
    /// What is wrong, by all of them.
    pub findings: Vec<Finding>,
}

impl Take {
    /// Excuses a run whose answers cannot be matched with the questions: something else printed a word, or one was
    /// passed over.
    #[must_use]
    pub fn counted(mut self, questions: usize) -> Self {
        let answers = self.run.answers.len();
        if answers > questions || answers < questions && self.run.trouble.is_none() {
            self.excuse.get_or_insert_with(|| format!("{answers} answers to {questions} questions"));
        }
        self
    }

    /// In short, for an event.
    pub fn report(&self, team: &[Member]) -> RunReport {
        let trouble = self.run.trouble.as_ref();
        RunReport {
            solver: team[self.member].subject.name.clone(),
            options: self.options.clone(),
            answers: self.run.answers.clone(),
            trouble: trouble.map(|trouble| trouble.kind),
            said: trouble.map(|trouble| trouble.said.clone()).unwrap_or_default(),
            cpu: self.run.cpu,
        }
    }

    /// Whether it has something to say in a second judgement: an answer, or a crash.
    pub fn matters(&self) -> bool {
        self.crashed() || !self.run.answers.is_empty()
    }

    /// Whether it ended in a crash.
    pub fn crashed(&self) -> bool {
        self.run.trouble.as_ref().is_some_and(|trouble| trouble.kind.is_crash())
    }
}

/// Judges what solvers did. `spare` are members that were not asked and could be; `ask` asks one of them.
pub fn judge(
    team: &[Member],
    promise: Promise,
    takes: &mut Vec<Take>,
    spare: &mut Vec<usize>,
    ask: &mut dyn FnMut(usize) -> Option<Take>,
) -> Judgement {
    let mut judgement = Judgement::default();
    for oracle in oracle::ALL {
        let mut rounds = 0;
        let opinion = loop {
            let verdict = observe(team, promise, takes, spare, |case| oracle.judge(case));
            match verdict {
                Verdict::Fine => break Opinion::Fine,
                Verdict::Undecided(_) => break Opinion::Undecided,
                Verdict::Bug(findings) => {
                    judgement.findings.extend(findings);
                    break Opinion::Bug;
                }
                Verdict::Ask(wanted) => {
                    let wanted: BTreeSet<usize> =
                        wanted.iter().filter_map(|&index| spare.get(index).copied()).collect();
                    rounds += 1;
                    spare.retain(|member| !wanted.contains(member) && rounds < ROUNDS);
                    takes.extend(wanted.into_iter().filter_map(&mut *ask));
                }
            }
        };
        judgement.opinions.push((oracle.name(), opinion));
    }
    judgement
}

fn observe(
    team: &[Member],
    promise: Promise,
    takes: &[Take],
    spare: &[usize],
    look: impl FnOnce(&Observation<'_>) -> Verdict,
) -> Verdict {
    let runs: Vec<Sight<'_>> = takes
        .iter()
        .map(|take| Sight { subject: &take.subject, run: &take.run, excuse: take.excuse.as_deref() })
        .collect();
    let spare: Vec<Subject> = spare.iter().map(|&member| team[member].subject.clone()).collect();
    look(&Observation { promise, runs: &runs, spare: &spare })
}

/// The findings with fingerprints that tell wrong answers in one logic from those in another.
pub fn finer(findings: Vec<Finding>, logic: &str) -> Vec<Finding> {
    let finer = |finding: Finding| match finding.kind {
        Kind::Refutation | Kind::Solution | Kind::Disagreement | Kind::Promise => {
            Finding { fingerprint: finding.fingerprint.with(logic), ..finding }
        }
        _ => finding,
    };
    findings.into_iter().map(finer).collect()
}

/// What to believe of a seed's status: nothing if two code bases contradict it and nobody agrees.
pub fn believable(team: &[Member], status: Option<Answer>, takes: &[Take]) -> Promise {
    let Some(status) = status else { return Promise::Nothing };
    let compared = takes.iter().filter(|take| {
        let kind = take.run.trouble.as_ref().map(|trouble| trouble.kind);
        take.excuse.is_none() && !kind.is_some_and(TroubleKind::is_rejection)
    });
    let says = |answer: Answer| -> BTreeSet<&str> {
        let saying = compared.clone().filter(|take| take.run.answers.contains(&answer));
        saying.map(|take| team[take.member].subject.family.as_str()).collect()
    };
    let opposite = if status == Answer::Sat { Answer::Unsat } else { Answer::Sat };
    if says(opposite).len() > 1 && says(status).is_empty() {
        Promise::Nothing
    } else {
        Promise::Known(status)
    }
}
