//! The statement of one solver about a script: its votes on the questions, and whether they count.

use serde::{Deserialize, Serialize};

use super::crash_place::CrashPlace;
use super::reply::Reply;
use super::{ModelEvidence, SolverIdentity};
use crate::finding::{Evidence, Finding, FindingKind, Fingerprint};
use crate::solver::outline::{ScriptCommand, outline};
use crate::solver::run::{Answer, Run, signal_words};
use crate::solver::sanitizer::SanitizerReport;
use crate::solver::trouble::{Trouble, TroubleKind};

/// Lines after the telling one that say where and what: z3 prints file, line and condition below its headline.
const CRASH_CONTEXT_LINES: usize = 4;

/// The statement of one solver about a script.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// The solver.
    pub solver: SolverIdentity,
    /// Its votes on the questions, in order, as far as it got.
    pub votes: Vec<Vote>,
    /// Its replies to other questions, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replies: Vec<Reply>,
    /// How it crashed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crash: Option<CrashReport>,
    /// The trouble of its run, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<Trouble>,
    /// Why its votes do not count, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silence: Option<Silence>,
}

/// A vote on one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vote {
    /// The answer.
    pub answer: Answer,
    /// The model behind a `sat`, if the solver was asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelEvidence>,
}

/// Why the votes of a solver do not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Silence {
    /// It refused the script or a part of it before it answered, so its answers may be about another script.
    Refused(Trouble),
    /// It was stopped before it answered, or by somebody else.
    Stopped(Trouble),
    /// Its answers must not be compared with those of others: a quirk of its profile, or a number of answers that does not
    /// fit the questions.
    Excused(String),
    /// It was not asked.
    NotAsked(String),
}

impl Silence {
    /// The reason, in one line.
    pub fn why(&self) -> String {
        match self {
            Silence::Refused(trouble) | Silence::Stopped(trouble) => trouble.to_string(),
            Silence::Excused(why) | Silence::NotAsked(why) => why.clone(),
        }
    }

    /// Why the answers of a run to so many questions do not count, if so.
    fn of(run: &Run, questions: usize, excuse: Option<String>) -> Option<Silence> {
        let trouble = run.trouble.as_ref();
        let refused = |kind: TroubleKind| {
            kind.is_rejection() && run.counted_answers().is_empty() || kind == TroubleKind::Garbage
        };
        let stopped =
            |kind: TroubleKind| kind == TroubleKind::Killed || kind.is_limit() && run.answers.is_empty();
        match trouble {
            Some(trouble) if refused(trouble.kind) => Some(Silence::Refused(trouble.clone())),
            Some(trouble) if stopped(trouble.kind) => Some(Silence::Stopped(trouble.clone())),
            _ => excuse.or_else(|| run.mismatch(questions)).map(Silence::Excused),
        }
    }
}

impl Statement {
    /// The statement of a run. `excuse` is why its answers must not be compared, if so.
    pub fn of(solver: SolverIdentity, run: &Run, questions: usize, excuse: Option<String>) -> Self {
        Statement {
            solver,
            votes: run.counted_answers().iter().map(|&answer| Vote { answer, model: None }).collect(),
            replies: Vec::new(),
            crash: CrashReport::of(run),
            trouble: run.trouble.clone(),
            silence: Silence::of(run, questions, excuse),
        }
    }

    /// The same for a solver that got this text: an `unsat` after a command that blocks models means that no other model exists, and an
    /// `unsat` after the first check of a Pareto front, or of a box, that no other point exists. So it says nothing about the assertions, and counts as
    /// `unknown`.
    #[must_use]
    pub fn about_assertions(mut self, text: &str) -> Self {
        let outline = outline(text).before_exit();
        let is_front = |one: &ScriptCommand<'_>| {
            let is_enumerated =
                ["pareto", "box"].iter().any(|name| one.text.contains(&format!(":opt.priority {name}")));
            one.name == "set-option" && is_enumerated
        };
        let is_front = outline.commands.iter().any(is_front);
        let blocks = |one: &ScriptCommand<'_>| one.name.starts_with("block-model");
        let before = outline.commands.iter().take_while(|one| !blocks(one));
        let free = before.filter(|one| one.is_question()).count();
        let free = if is_front { free.min(1) } else { free };
        if is_front || outline.commands.iter().any(blocks) {
            let blocked = self.votes.iter_mut().skip(free).filter(|vote| vote.answer == Answer::Unsat);
            blocked.for_each(|vote| vote.answer = Answer::Unknown);
        }
        self
    }

    /// The statement of a solver that was not asked.
    pub fn silent(solver: SolverIdentity, why: impl Into<String>) -> Self {
        Statement { solver, silence: Some(Silence::NotAsked(why.into())), ..Statement::default() }
    }

    /// Returns true if its votes count.
    pub fn counts(&self) -> bool {
        self.silence.is_none()
    }

    /// Its vote on a question, if that counts.
    pub fn vote(&self, question: usize) -> Option<&Vote> {
        self.votes.get(question).filter(|_| self.counts())
    }

    /// Its answer to a question, if that counts.
    pub fn answer(&self, question: usize) -> Option<Answer> {
        self.vote(question).map(|vote| vote.answer)
    }

    /// The model behind its `sat` to a question, if that counts and was asked for.
    pub fn model(&self, question: usize) -> Option<&ModelEvidence> {
        self.vote(question)?.model.as_ref()
    }

    /// Its models that count, by question.
    pub fn models(&self) -> impl Iterator<Item = (usize, &ModelEvidence)> {
        let votes = self.votes.iter().filter(|_| self.counts()).enumerate();
        votes.filter_map(|(question, vote)| Some((question, vote.model.as_ref()?)))
    }

    /// Its invalid model, if it gave one.
    pub fn invalid_model(&self) -> Option<&ModelEvidence> {
        self.models().map(|(_, model)| model).find(|model| model.is_invalid())
    }

    /// Returns true if one of its answers is this one, whether it counts or not.
    pub fn says(&self, answer: Answer) -> bool {
        self.votes.iter().any(|vote| vote.answer == answer)
    }

    /// In a word or two: `unsat`, `crash`, `unknown`, `-`.
    pub fn word(&self) -> String {
        match &self.crash {
            Some(_) => "crash".to_owned(),
            None if !self.counts() || self.votes.is_empty() => "-".to_owned(),
            None => self.votes.iter().map(|vote| vote.answer.name()).collect::<Vec<_>>().join(" "),
        }
    }
}

/// A crash, as much of it as tells it from others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrashReport {
    /// The kind of crash, and the line that shows it.
    pub trouble: Trouble,
    /// The telling line of the output and a few after it.
    pub context: String,
}

impl CrashReport {
    /// The crash that a run ended in, if it did.
    pub fn of(run: &Run) -> Option<Self> {
        let trouble = run.trouble.as_ref().filter(|trouble| trouble.kind.is_crash())?;
        Some(CrashReport { trouble: trouble.clone(), context: context(run, trouble) })
    }

    /// The fingerprint of the crash of a code base.
    pub fn fingerprint(&self, family: &str) -> Fingerprint {
        Fingerprint::new(FindingKind::Crash, family, &format!("{}: {}", self.trouble.kind, self.context))
    }

    /// The trouble with the name of the signal, or with the place in the source if only lines below the telling one have it.
    fn words(&self) -> String {
        let Trouble { kind, said } = &self.trouble;
        let signal = said.strip_prefix("signal ").and_then(|number| number.parse().ok());
        if let Some(signal) = signal {
            return format!("{kind}: {}", signal_words(signal));
        }
        let place = CrashPlace::find(&self.context).filter(|_| CrashPlace::find(said).is_none());
        let place = place.map(|place| format!(" ({place})")).unwrap_or_default();
        format!("{}{place}", self.trouble)
    }

    /// The finding that a solver crashed while it ran a script.
    pub fn finding(&self, solver: &SolverIdentity) -> Finding {
        Finding {
            kind: FindingKind::Crash,
            suspects: solver.name.as_str().into(),
            evidence: Evidence::Proved,
            fingerprint: self.fingerprint(&solver.family),
            explanation: format!("{} ends in {}", solver.name, self.words()),
            needs_model: false,
        }
    }

    /// The finding that a solver crashed when it was asked for the model of a script.
    pub fn finding_at_model(&self, solver: &SolverIdentity) -> Finding {
        let finding = self.finding(solver);
        let explanation = format!("{} when it is asked for its model", finding.explanation);
        Finding { explanation, needs_model: true, ..finding }
    }
}

/// The violation and stack of a sanitizer's report; otherwise the telling line and the few after it; the words of the
/// trouble where no output shows it.
fn context(run: &Run, trouble: &Trouble) -> String {
    if trouble.kind == TroubleKind::Sanitizer
        && let Some(report) = SanitizerReport::find(&String::from_utf8_lossy(&run.errors))
    {
        return report.identity();
    }
    let found = [&run.errors, &run.output].into_iter().find_map(|text| {
        let text = String::from_utf8_lossy(text);
        let mut lines = text.lines().skip_while(|line| !line.contains(&trouble.said)).peekable();
        lines.peek()?;
        Some(lines.take(CRASH_CONTEXT_LINES).collect::<Vec<_>>().join(" "))
    });
    found.unwrap_or_else(|| Fingerprint::keep_signal(&trouble.said))
}
