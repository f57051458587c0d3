//! Judging a case: all oracles on what solvers did, with more solvers asked where an oracle wants that.
//!
//! What must not be taken for a bug of a solver: answers after an error (the oracles see to that), answers where the
//! number of them does not fit the number of questions, and a status of a seed that two code bases contradict.

use std::collections::BTreeSet;
use std::sync::Arc;

use gainsay_smt::Script;

use super::team::Member;
use crate::event::{Opinion, RunReport};
use crate::oracle::witness::clauses::{self, Clauses};
use crate::oracle::{
    self, Derivation, Finding, FindingKind, Observation, Promise, Request, Search, Sight, Subject, Verdict,
    Witness,
};
use crate::prepare::Preparation;
use crate::solver::outline::up_to_check;
use crate::solver::run::{Answer, Ask, Limits, Query, Run};
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
    /// The models that it gave.
    pub witnesses: Vec<Witness>,
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
        self.excuse = self.excuse.or_else(|| self.run.mismatch(questions));
        self
    }

    /// As oracles see it.
    fn sight(&self) -> Sight<'_> {
        let excuse = self.excuse.as_deref();
        Sight { subject: &self.subject, run: &self.run, excuse, witnesses: &self.witnesses }
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
            removed: self.run.removed.iter().map(|removed| removed.command.clone()).collect(),
            cpu: self.run.cpu,
            behaviour: None,
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

/// What is judged.
#[derive(Clone, Copy)]
pub struct Trial<'a> {
    /// The solvers.
    pub team: &'a [Member],
    /// The script.
    pub script: &'a Script,
    /// What is known of its answers.
    pub promise: Promise,
    /// The model that it was made to have, where there is one.
    pub made_for: Option<&'a Witness>,
    /// Whether every model is looked at, or only those that settle a contradiction.
    pub models: Models,
}

/// Which models are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Models {
    /// All of them.
    All,
    /// Those that settle a contradiction.
    IfNeeded,
}

/// Asks solvers for what an oracle wants to know.
pub trait Inquiry {
    /// What one of the team does with the case.
    fn solver(&mut self, member: usize) -> Option<Take>;
    /// The model that a solver gives at a check of the text that it got.
    fn model(&mut self, take: &Take, check: usize) -> Witness;
    /// What one of the team does with another text, which is no case.
    fn aside(&mut self, member: usize, text: &str, ask: Ask) -> Option<Run>;
}

/// Judges what solvers did. `spare` are members that were not asked and could be.
pub fn judge(
    trial: &Trial<'_>,
    takes: &mut Vec<Take>,
    spare: &mut Vec<usize>,
    inquiry: &mut dyn Inquiry,
) -> Judgement {
    let mut judgement = Judgement::default();
    let mut sought = None;
    // Models that came with the answers are looked at as those that are asked for.
    for take in takes.iter_mut() {
        let look = |witness| clauses(trial, take, witness, inquiry);
        let found: Vec<Option<Clauses>> = take.witnesses.iter().map(look).collect();
        take.witnesses.iter_mut().zip(found).for_each(|(witness, found)| witness.clauses = found);
    }
    for oracle in oracle::ALL {
        let mut rounds = 0;
        let opinion = loop {
            if oracle.looks_at_models() && trial.models == Models::IfNeeded {
                break Opinion::Undecided;
            }
            match observe(trial, (takes, spare), sought.as_ref(), |case| oracle.judge(case)) {
                Verdict::Fine => break Opinion::Fine,
                Verdict::Undecided(_) => break Opinion::Undecided,
                Verdict::Bug(findings) => {
                    judgement.findings.extend(findings);
                    break Opinion::Bug;
                }
                Verdict::Ask(_) if rounds == ROUNDS => break Opinion::Undecided,
                Verdict::Ask(requests) => {
                    rounds += 1;
                    if requests.contains(&Request::Derivation) {
                        sought = Some(derivation(trial, inquiry));
                    }
                    answer(trial, &requests, (takes, spare), inquiry);
                }
            }
        };
        judgement.opinions.push((oracle.name(), opinion));
    }
    judgement
}

/// Asks for what an oracle wants to know. What was asked for once is not there to be asked for again.
fn answer(
    trial: &Trial<'_>,
    requests: &[Request],
    (takes, spare): (&mut Vec<Take>, &mut Vec<usize>),
    inquiry: &mut dyn Inquiry,
) {
    let mut members = BTreeSet::new();
    for &request in requests {
        match request {
            Request::Solver(index) => members.extend(spare.get(index).copied()),
            Request::Model { run, check } => {
                let mut witness = inquiry.model(&takes[run], check);
                witness.clauses = clauses(trial, &takes[run], &witness, inquiry);
                takes[run].witnesses.push(witness);
            }
            Request::Derivation => {}
        }
    }
    spare.retain(|member| !members.contains(member));
    takes.extend(members.into_iter().filter_map(|member| inquiry.solver(member)));
}

/// A derivation of `false` that one of the team finds.
fn derivation(trial: &Trial<'_>, inquiry: &mut dyn Inquiry) -> Option<Derivation> {
    (0..trial.team.len())
        .find_map(|member| clauses::derive(trial.script, &mut |text, ask| inquiry.aside(member, text, ask)))
}

/// What comes of checking a model clause by clause, if it is one of Horn clauses: by another code base, or by who gave it.
fn clauses(trial: &Trial<'_>, take: &Take, witness: &Witness, inquiry: &mut dyn Inquiry) -> Option<Clauses> {
    let model = witness.model.as_deref().filter(|_| trial.script.is_horn())?;
    let family = |member: usize| trial.team[member].subject.family.as_str();
    let others = (0..trial.team.len()).find(|&member| family(member) != family(take.member));
    others.into_iter().chain([take.member]).find_map(|member| {
        clauses::check(trial.script, model, family(member), &mut |text, ask| inquiry.aside(member, text, ask))
    })
}

fn observe(
    trial: &Trial<'_>,
    (takes, spare): (&[Take], &[usize]),
    sought: Option<&Option<Derivation>>,
    look: impl FnOnce(&Observation<'_>) -> Verdict,
) -> Verdict {
    let runs: Vec<Sight<'_>> = takes.iter().map(Take::sight).collect();
    let spare: Vec<Subject> = spare.iter().map(|&member| trial.team[member].subject.clone()).collect();
    let Trial { promise, made_for, .. } = *trial;
    let derivation = match sought {
        None => Search::NotYet,
        Some(None) => Search::Nothing,
        Some(Some(found)) => Search::Found(found),
    };
    look(&Observation {
        script: Some(trial.script),
        promise,
        made_for,
        derivation,
        runs: &runs,
        spare: &spare,
    })
}

/// The model that a solver gives at a check of the text that it got; `run` runs it.
pub fn witness(
    preparation: &Preparation,
    take: &Take,
    check: usize,
    limits: Limits,
    run: impl FnOnce(&Query<'_>) -> Option<Run>,
) -> Witness {
    let run =
        up_to_check(&take.text, check).and_then(|script| run(&Query { script, limits, ask: Ask::MODEL }));
    preparation.asked(take.member, &take.text, check, run)
}

/// The findings with fingerprints that tell wrong answers in one logic from those in another.
pub fn finer(findings: Vec<Finding>, logic: &str) -> Vec<Finding> {
    let finer = |finding: Finding| match finding.kind {
        FindingKind::Refutation
        | FindingKind::Solution
        | FindingKind::Disagreement
        | FindingKind::Promise
        | FindingKind::Model => Finding { fingerprint: finding.fingerprint.with(logic), ..finding },
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
