//! Trials: a script, the promised answers to its questions, and the answers of each solver.
//!
//! ```text
//! script       (declare-const x Int) (assert (> x 3)) (check-sat)
//! promise      sat
//! z3@4.8.10    unsat
//! cvc5@1.4.2   sat, with a model; our evaluator finds that it satisfies the script
//! ```
//!
//! Oracles, the status of seeds, bisection and triage all judge such a value. A trial can be serialised, and conclusions
//! from it depend on nothing else. A trial is filled by a session (`crates/engine/src/session.rs`), which runs the solvers.
//!
//! * `statement.rs`: the answers and troubles of one solver.
//! * `model_evidence.rs`, `clauses.rs`: the results of checking a model with our own evaluator.
//! * `reply.rs`, `claim.rs`: replies to other questions than check-sat, and what follows from them.
//! * `exhaustion.rs`: the answer that gainsay computes by itself.
//! * `evidence.rs`: the rules of evidence: which solver is wrong, and how strong the evidence is.

use gainsay_smt::Script;
use serde::{Deserialize, Serialize};

pub use crate::known_answers::claimed_statuses;
use crate::known_answers::{KnownAnswers, is_question};
use crate::solver::outline::outline;
use crate::solver::run::Answer;
use crate::solver::version::Version;

pub mod claim;
pub mod clauses;
pub mod crash_place;
pub mod evidence;
pub mod exhaustion;
pub mod model_evidence;
pub mod reply;
pub mod statement;

pub use crate::promise::Promise;
pub use clauses::{ClauseCheck, Derivation};
pub use exhaustion::ExhaustionEvidence;
pub use model_evidence::{ModelCheck, ModelEvidence, ModelFailure};
pub use statement::{CrashReport, Silence, Statement, Vote};

/// A script, the promised answers to its questions, and the statements of solvers.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Trial {
    /// The text of the script.
    pub text: String,
    /// The script; `None` if gainsay cannot read it.
    #[serde(skip)]
    pub script: Option<Script>,
    /// Its questions, in order.
    pub questions: Vec<CheckQuestion>,
    /// One statement for each solver.
    pub statements: Vec<Statement>,
    /// The model that the script was made to have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intended_model: Option<ModelEvidence>,
    /// The derivation of `false`, if the script is a system of Horn clauses and one was found.
    #[serde(default)]
    pub derivation: DerivationSearch,
    /// What exhaustion says of each question, in order; empty if it was not tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exhaustion: Vec<ExhaustionEvidence>,
}

/// A question of a script.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckQuestion {
    /// Its kind.
    pub kind: QuestionKind,
    /// The promised answer.
    pub promise: Promise,
}

/// The kinds of questions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuestionKind {
    /// Whether the assertions in force are satisfiable: `check-sat` and its relatives, `query`.
    #[default]
    Satisfiability,
    /// The answer to a check in a script that goes on, which must be that of the check alone.
    Sequence,
    /// Named assertions, or assumptions, that are unsatisfiable by themselves.
    UnsatCore,
    /// The values of terms in a model.
    Values,
    /// The best values of objectives.
    Objective,
    /// A simpler term that is equal.
    Simplify,
    /// What a tactic makes of the assertions.
    Tactic,
    /// A formula without quantifiers.
    Elimination,
    /// A proof of unsat.
    Proof,
    /// The truth values of named formulas.
    Assignment,
    /// A formula between assertions and a conjecture.
    Interpolant,
    /// A formula that implies a conjecture.
    Abduct,
    /// The next model, after others were blocked.
    Models,
    /// What preprocessing learns, and answers under other passes than usual.
    Preprocess,
    /// A function that satisfies constraints.
    Synthesis,
    /// Formulas between parts of the assertions.
    Partition,
}

/// A solver as oracles know it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SolverIdentity {
    /// Its name with version and options.
    pub name: String,
    /// Its code base.
    pub family: String,
    /// Its version, where known.
    pub version: Option<Version>,
}

/// The result of looking for a derivation of `false`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DerivationSearch {
    /// No solver was asked for one.
    #[default]
    NotAsked,
    /// The solvers that were asked found none.
    NotFound,
    /// A solver found this one.
    Found(Derivation),
}

/// The number of satisfiability queries in a script.
pub fn question_count(script: &Script) -> usize {
    script.commands.iter().filter(|command| is_question(script, command)).count()
}

impl Trial {
    /// A trial of a script, with the same promise for every question and no statements yet.
    pub fn new(script: Option<Script>, text: impl Into<String>, promise: Promise) -> Self {
        let text = text.into();
        let questions = match &script {
            Some(script) => question_count(script),
            None => outline(&text).questions(),
        };
        let question = CheckQuestion { kind: QuestionKind::Satisfiability, promise: Promise::Nothing };
        let mut trial = Trial { text, script, questions: vec![question; questions], ..Trial::default() };
        trial.set_promise(promise);
        trial
    }

    /// The promised answer to a question.
    pub fn promise(&self, question: usize) -> Promise {
        self.questions.get(question).map_or(Promise::Nothing, |question| question.promise)
    }

    /// The answer to a question by exhaustion, if it is known.
    pub fn exact_answer(&self, question: usize) -> Option<Answer> {
        self.exhaustion.get(question).and_then(|evidence| evidence.answer)
    }

    /// Sets the promise of all questions; that of [`Promise::Claimed`] for each, as far as nothing known so far disproves the claim.
    pub fn set_promise(&mut self, promise: Promise) {
        let promises: Vec<Promise> = match (promise, &self.script) {
            (Promise::Claimed, Some(script)) => {
                let claims = claimed_statuses(script).into_iter().enumerate();
                claims.map(|(question, status)| self.promise_of_claim(question, status)).collect()
            }
            (Promise::Claimed, None) => Vec::new(),
            _ => vec![promise; self.questions.len()],
        };
        for (place, question) in self.questions.iter_mut().enumerate() {
            question.promise = promises.get(place).copied().unwrap_or_default();
        }
    }

    /// Promises the answer that is known of its assertions to each question that has no promise.
    pub fn add_known(&mut self, known: &KnownAnswers) {
        let Some(script) = self.script.as_ref().filter(|_| !known.is_empty()) else { return };
        for (question, answer) in self.questions.iter_mut().zip(known.of_each(script)) {
            if question.promise == Promise::Nothing {
                question.promise = Promise::of_status(answer);
            }
        }
    }

    /// Returns true if no question has another answer than its `:status` claims, as far as this trial tells.
    pub fn upholds_claims(&self) -> bool {
        let claims = self.script.as_ref().map(claimed_statuses).unwrap_or_default();
        let is_upheld = |(question, status): (usize, Option<Answer>)| {
            status.is_none() || self.promise_of_claim(question, status) != Promise::Nothing
        };
        claims.into_iter().enumerate().all(is_upheld)
    }

    /// The promise of a question whose status is claimed: nothing if gainsay computes another answer, or two code bases give it and
    /// none agrees with the claim.
    fn promise_of_claim(&self, question: usize, status: Option<Answer>) -> Promise {
        let Some(status) = status else { return Promise::Nothing };
        let families = |is_meant: &dyn Fn(Answer) -> bool| {
            let meant = self.statements.iter().filter(|one| one.answer(question).is_some_and(is_meant));
            meant.map(|one| one.solver.family.as_str()).collect::<std::collections::BTreeSet<_>>().len()
        };
        let against = families(&|answer| answer != status && answer != Answer::Unknown);
        let is_outvoted = against > 1 && families(&|answer| answer == status) == 0;
        let is_refuted = self.exact_answer(question).is_some_and(|exact| exact != status);
        match is_outvoted || is_refuted {
            true => Promise::Nothing,
            false => Promise::Known(status),
        }
    }

    /// The questions that at least one solver answered.
    pub fn answered(&self) -> usize {
        self.statements.iter().map(|statement| statement.votes.len()).max().unwrap_or(0)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::solver::run::{Answer, Exit, Run};
    use crate::solver::trouble::{Trouble, TroubleKind};

    /// A run with these answers and nothing else.
    pub fn run(answers: &[Answer]) -> Run {
        Run { answers: answers.to_vec(), ..Run::ended(Exit::Code(0)) }
    }

    /// A run that ended in trouble after these answers.
    pub fn troubled(answers: &[Answer], trouble: Trouble, errors: &str) -> Run {
        Run { trouble: Some(trouble), errors: errors.as_bytes().to_vec(), ..run(answers) }
    }

    /// `z3@4.8.10` as a solver, of the family before the `@` (cvc4 and cvc5 are one).
    pub fn solver(name: &str) -> SolverIdentity {
        let (profile, version) = name.split_once('@').unwrap_or((name, ""));
        let family = if profile.starts_with("cvc") { "cvc" } else { profile };
        SolverIdentity { name: name.to_owned(), family: family.to_owned(), version: version.parse().ok() }
    }

    /// `z3=sat,unsat`; `cvc5=sat!` with a model that satisfies, `z3=sat?` with an invalid one, `z3=sat+` with one that cvc
    /// upholds clause by clause; `z3=crash`; `z3=-` that refused the script.
    pub fn statement(text: &str) -> Statement {
        let (name, said) = text.split_once('=').unwrap();
        let solver = solver(name);
        let refusal = Trouble::new(TroubleKind::ParseError, "refused");
        let crash = Trouble::new(TroubleKind::Assertion, "x");
        match said {
            "-" => Statement::of(solver, &troubled(&[], refusal, ""), 1, None),
            "crash" => Statement::of(solver, &troubled(&[], crash, ""), 1, None),
            _ => {
                let answers: Vec<&str> = said.split(',').filter(|word| !word.is_empty()).collect();
                let word = |word: &&str| word.trim_end_matches(['!', '?', '+']).as_bytes().to_vec();
                let read: Vec<Answer> =
                    answers.iter().map(|text| Answer::from_word(&word(text)).unwrap()).collect();
                let mut statement = Statement::of(solver, &run(&read), read.len(), None);
                for (vote, text) in statement.votes.iter_mut().zip(answers) {
                    vote.model = model(text);
                }
                statement
            }
        }
    }

    fn model(said: &str) -> Option<ModelEvidence> {
        let failure = ModelFailure { operator: "=".to_owned(), why: "(= x 1) is false".to_owned() };
        let evidence = |check, clauses| {
            let text = Some("()".to_owned());
            Some(ModelEvidence { text, check, clauses, ..ModelEvidence::default() })
        };
        match said.chars().last()? {
            '!' => evidence(ModelCheck::Holds, None),
            '?' => evidence(ModelCheck::Fails(failure), None),
            '+' => {
                let upheld = ClauseCheck::Upheld("cvc".to_owned());
                evidence(ModelCheck::Unclear("quantifiers".to_owned()), Some(upheld))
            }
            _ => None,
        }
    }

    /// A trial of a script that we cannot read, with these statements.
    pub fn trial(statements: &str, promise: Promise) -> Trial {
        let statements: Vec<Statement> = statements.split_whitespace().map(statement).collect();
        let most = statements.iter().map(|statement| statement.votes.len()).max().unwrap_or(0).max(1);
        Trial { statements, ..Trial::new(None, "(check-sat)".repeat(most), promise) }
    }

    #[test]
    fn each_check_has_the_status_that_is_claimed_before_it() {
        let text = "(declare-const p Bool)(set-info :status sat)(check-sat)(push)(assert p)(check-sat)(assert (not p))\
            (set-info :status unsat)(check-sat-assuming (p))";
        let script = Script::parse(text, &gainsay_smt::Signature::standard()).unwrap();
        let mut trial = Trial::new(Some(script), text, Promise::Claimed);
        let promises = |trial: &Trial| [0, 1, 2].map(|question| trial.promise(question));
        let (sat, unsat) = (Promise::Known(Answer::Sat), Promise::Known(Answer::Unsat));
        assert_eq!(promises(&trial), [sat, Promise::Nothing, unsat]);
        // Two code bases contradict the last claim, and none agrees; one alone does not outweigh the first.
        trial.statements = vec![statement("z3=unsat,sat,sat"), statement("cvc5=sat,sat,sat")];
        trial.set_promise(Promise::Claimed);
        assert_eq!(promises(&trial), [sat, Promise::Nothing, Promise::Nothing]);
    }

    #[test]
    fn a_trial_is_read_back_as_it_was_written() {
        let trial =
            trial("z3@4.8.10=sat!,unsat cvc5=sat? yices=- bitwuzla=crash", Promise::Known(Answer::Sat));
        let text = serde_json::to_string(&trial).unwrap();
        let read: Trial = serde_json::from_str(&text).unwrap();
        assert_eq!((read.statements, read.questions), (trial.statements, trial.questions));
    }
}
