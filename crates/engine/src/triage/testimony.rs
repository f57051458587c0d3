//! What one release of a solver does with a script, as much of it as a judgement needs, fit to be remembered.
//!
//! A release is asked as its users ask it: a process of its own, the script in its spelling. Where it says sat, the model is
//! asked for as well and weighed by our own evaluator. What it refuses, or does not do, is a silence with a reason, never an
//! answer.

use gainsay_smt::Script;
use serde::{Deserialize, Serialize};

use crate::oracle::witness::{Clauses, Weight, clauses};
use crate::oracle::{Observation, Oracle, Sight, Subject, Verdict, crash};
use crate::prepare::{Preparation, Prepared};
use crate::seeds;
use crate::solver::outline::up_to_check;
use crate::solver::process::RunError;
use crate::solver::resolve::Solver;
use crate::solver::run::{Answer, Ask, Limits, Query, Run};
use crate::solver::runner::{self, Runner, Setting};
use crate::solver::trouble::TroubleKind;

/// Checks of a script whose models are asked for, the last ones.
const CHECKS: usize = 3;
/// Bytes of a model that are kept to be shown.
const LONGEST: usize = 64 << 10;

/// A script to ask about, and what each run may use.
#[derive(Debug, Clone, Copy)]
pub struct Matter<'a> {
    /// The script.
    pub script: &'a Script,
    /// Its text.
    pub text: &'a str,
    /// What a run may use.
    pub limits: Limits,
    /// Other solvers, which check models of Horn clauses.
    pub checkers: &'a [Solver],
}

/// What a release did with a script.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Testimony {
    /// Its answers, in order.
    pub answers: Vec<Answer>,
    /// The fingerprint of its crash, if it crashed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crash: Option<String>,
    /// The line in which it said what was wrong, if anything was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// Why its answers count for nothing, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silence: Option<String>,
    /// The models behind its sats.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<Exhibited>,
}

/// A model, and what it is worth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exhibited {
    /// The check that it belongs to, from 0.
    pub check: usize,
    /// What our evaluator says of it.
    pub worth: Worth,
    /// Why, where it does not hold: the part that is false, or what cannot be evaluated.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The operator of the smallest false part, where it fails.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub operator: String,
    /// The code base by which every clause holds under it, if it is a model of Horn clauses and one was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upheld: Option<String>,
    /// The model as printed, unless it is very long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What a model is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Worth {
    /// Every assertion is true under it.
    Holds,
    /// An assertion is false under it.
    Fails,
    /// Neither is known.
    Unclear,
}

impl Testimony {
    /// Nothing that counts, and why.
    pub fn silent(why: impl Into<String>) -> Self {
        Testimony { silence: Some(why.into()), ..Testimony::default() }
    }

    /// Its answer to one check, if that counts.
    pub fn answer(&self, check: usize) -> Option<Answer> {
        if self.silence.is_some() { None } else { self.answers.get(check).copied() }
    }

    /// Whether a model of its proves that the script is satisfiable at a check.
    pub fn proves_sat(&self, check: usize) -> bool {
        self.silence.is_none()
            && self.models.iter().any(|model| model.check == check && model.worth == Worth::Holds)
    }

    /// A code base other than this one by which every clause holds under its model at a check.
    pub fn upheld(&self, check: usize, family: &str) -> Option<&str> {
        let mut models = self.models.iter().filter(|model| self.silence.is_none() && model.check == check);
        models.find_map(|model| model.upheld.as_deref().filter(|by| *by != family))
    }

    /// The model that is not one, if there is one.
    pub fn failing_model(&self) -> Option<&Exhibited> {
        self.models.iter().find(|model| self.silence.is_none() && model.worth == Worth::Fails)
    }

    /// In a word or two: `unsat`, `crash`, `unknown`, `-`.
    pub fn word(&self) -> String {
        match (&self.crash, &self.silence) {
            (Some(_), _) => "crash".to_owned(),
            (None, Some(_)) => "-".to_owned(),
            (None, None) if self.answers.is_empty() => "-".to_owned(),
            (None, None) => self.answers.iter().map(|answer| answer.name()).collect::<Vec<_>>().join(" "),
        }
    }
}

/// Asks a release. The error is ours or the system's: no process could be started.
pub fn ask(
    matter: &Matter<'_>,
    solver: &Solver,
    subject: &Subject,
    setting: &Setting,
) -> Result<Testimony, RunError> {
    let readers = [(solver.clone(), subject.version.clone())];
    let preparation = Preparation::new(&readers, matter.script.arena().signature());
    let (text, excuse) = match preparation.prepare(matter.script, matter.text).swap_remove(0) {
        Prepared::Spared(why) => return Ok(Testimony::silent(why)),
        Prepared::Text { text, excuse } => (text, excuse),
    };
    let mut runner = Runner::open(solver, runner::plain(), setting)?;
    let query = Query { script: &text, limits: matter.limits, ask: Ask::NOTHING };
    let run = runner.run(&query)?;
    let questions = seeds::questions(matter.script);
    let mut testimony = Testimony {
        answers: run.answers.clone(),
        crash: crash_of(&run, subject),
        said: run.trouble.as_ref().map(|trouble| trouble.said.clone()),
        silence: silence(&run, questions).or(excuse),
        models: Vec::new(),
    };
    if testimony.silence.is_some() {
        return Ok(testimony);
    }
    let satisfied = run.answers.iter().enumerate().filter(|(_, answer)| **answer == Answer::Sat);
    for check in satisfied.map(|(check, _)| check).rev().take(CHECKS) {
        let Some(script) = up_to_check(&text, check) else { continue };
        let run = runner.run(&Query { script, ask: Ask::MODEL, ..query })?;
        let mut witness = preparation.asked(0, &text, check, Some(run));
        if let Some(crash) = &witness.crash {
            testimony.crash.get_or_insert_with(|| crash.finding(subject, "").fingerprint.to_string());
        }
        let model = witness.model.clone();
        if let Some(model) = model.as_deref().filter(|_| matter.script.is_horn()) {
            witness.clauses = clauses(matter, model, (&mut runner, &subject.family), setting)?;
        }
        let weight = witness.weigh(matter.script);
        let upheld = match witness.clauses {
            Some(Clauses::Upheld(family)) => Some(family),
            _ => None,
        };
        testimony.models.push(Exhibited { upheld, ..exhibited(check, weight, model) });
    }
    Ok(testimony)
}

/// What comes of checking a model of Horn clauses: by the first other solver that can tell, or by who gave it.
fn clauses(
    matter: &Matter<'_>,
    model: &str,
    (own, family): (&mut Runner, &str),
    setting: &Setting,
) -> Result<Option<Clauses>, RunError> {
    let limits = matter.limits;
    let check = |runner: &mut Runner, family: &str| {
        let mut ask = |script: &str, ask: Ask| runner.run(&Query { script, limits, ask }).ok();
        clauses::check(matter.script, model, family, &mut ask)
    };
    for checker in matter.checkers {
        let mut runner = Runner::open(checker, runner::plain(), setting)?;
        if let Some(found) = check(&mut runner, &checker.profile.family) {
            return Ok(Some(found));
        }
    }
    Ok(check(own, family))
}

/// What oracles would call its crash, if it crashed.
fn crash_of(run: &Run, subject: &Subject) -> Option<String> {
    let runs = [Sight { subject, run, excuse: None, witnesses: &[] }];
    let case = Observation { runs: &runs, ..Observation::default() };
    match crash::Crash.judge(&case) {
        Verdict::Bug(findings) => findings.first().map(|finding| finding.fingerprint.to_string()),
        _ => None,
    }
}

/// Why the answers of a run count for nothing, if so.
fn silence(run: &Run, questions: usize) -> Option<String> {
    let trouble = run.trouble.as_ref();
    let refusal =
        trouble.filter(|trouble| trouble.kind.is_rejection() || trouble.kind == TroubleKind::Garbage);
    let limit = trouble.filter(|trouble| trouble.kind.is_limit() && run.answers.is_empty());
    let killed = trouble.filter(|trouble| trouble.kind == TroubleKind::Killed);
    if let Some(trouble) = refusal.or(limit).or(killed) {
        return Some(trouble.to_string());
    }
    run.mismatch(questions)
}

fn exhibited(check: usize, weight: Weight, text: Option<String>) -> Exhibited {
    let text = text.filter(|text| text.len() <= LONGEST);
    let (worth, why, operator) = match weight {
        Weight::Holds => (Worth::Holds, String::new(), String::new()),
        Weight::Fails(failure) => (Worth::Fails, failure.why, failure.operator),
        Weight::Unclear(why) => (Worth::Unclear, why, String::new()),
    };
    Exhibited { check, worth, why, operator, upheld: None, text }
}
