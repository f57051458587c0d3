//! The right answers to the questions of a script, and the mistakes in a solver's statement.

use serde::{Deserialize, Serialize};

use crate::finding::{Evidence, FindingKind};
use crate::solver::run::Answer;
use crate::trial::evidence::{RightAnswer, right_answer, with_expected};
use crate::trial::{ExhaustionEvidence, ModelCheck, Statement};

/// The right answers to the questions of a script.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truth {
    /// In order; `None` where it is not known.
    pub checks: Vec<Option<RightAnswer>>,
}

/// Something that a statement gets wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mistake {
    /// The kind of bug.
    pub kind: FindingKind,
    /// How sure that is.
    pub evidence: Evidence,
    /// In a few words.
    pub what: String,
}

impl Truth {
    /// The right answers by exhaustion, else by the votes of solvers: see [`right_answer`]. The expected answer to a question counts as one
    /// more vote.
    pub fn find(
        questions: usize,
        suspect: &str,
        references: &[&Statement],
        releases: &[&Statement],
        expected: &[Option<Answer>],
        exact: &[ExhaustionEvidence],
    ) -> Truth {
        let right = |question: usize| {
            let exact = exact.get(question).and_then(ExhaustionEvidence::right_answer);
            let right = exact.or_else(|| right_answer(question, suspect, references, releases));
            with_expected(right, expected.get(question).copied().flatten())
        };
        Truth { checks: (0..questions).map(right).collect() }
    }

    /// The mistakes in a statement, the most severe first.
    pub fn mistakes(&self, statement: &Statement) -> Vec<Mistake> {
        let mut mistakes = Vec::new();
        for (question, right) in self.checks.iter().enumerate() {
            mistakes
                .extend(right.as_ref().and_then(|right| wrong_answer(right, statement.answer(question)?)));
        }
        if let Some(ModelCheck::Fails(failure)) = statement.invalid_model().map(|model| &model.check) {
            mistakes.push(Mistake {
                kind: FindingKind::Model,
                evidence: Evidence::Proved,
                what: format!("sat, and under its model {}", failure.why),
            });
        }
        mistakes.extend(statement.wrong_replies().map(|(_, failure)| Mistake {
            kind: FindingKind::Reply,
            evidence: failure.evidence,
            what: failure.why.clone(),
        }));
        mistakes.extend(statement.crash.as_ref().map(|crash| Mistake {
            kind: FindingKind::Crash,
            evidence: Evidence::Proved,
            what: crash.fingerprint(&statement.solver.family).to_string(),
        }));
        mistakes.sort_by_key(|mistake| mistake.kind.severity());
        mistakes
    }

    /// The right answers in words: `sat`, `sat ? unsat`.
    pub fn words(&self) -> String {
        let word = |right: &Option<RightAnswer>| right.as_ref().map_or("?", |right| right.answer.name());
        self.checks.iter().map(word).collect::<Vec<_>>().join(" ")
    }
}

fn wrong_answer(right: &RightAnswer, answer: Answer) -> Option<Mistake> {
    let kind = match (right.answer, answer) {
        (Answer::Sat, Answer::Unsat) => FindingKind::Refutation,
        (Answer::Unsat, Answer::Sat) => FindingKind::Solution,
        _ => return None,
    };
    let what = format!("{} instead of {}", answer.name(), right.answer.name());
    Some(Mistake { kind, evidence: right.evidence, what })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::tests::statement;

    #[test]
    fn mistakes_are_told_the_most_severe_first() {
        let (wrong, right) = (statement("z3=sat?"), statement("cvc5=unsat"));
        let truth = Truth::find(1, "z3", &[&right], &[], &[], &[]);
        let kinds: Vec<FindingKind> = truth.mistakes(&wrong).into_iter().map(|one| one.kind).collect();
        assert_eq!(kinds, [FindingKind::Solution, FindingKind::Model]);
        assert!(truth.mistakes(&right).is_empty());
    }

    #[test]
    fn an_expected_answer_counts_for_its_question_only() {
        let expected = [None, Some(Answer::Unsat)];
        let truth = Truth::find(2, "z3", &[], &[], &expected, &[]);
        assert_eq!(truth.words(), "? unsat");
        assert!(truth.mistakes(&statement("z3=sat,unsat")).is_empty());
        assert_eq!(truth.mistakes(&statement("z3=unsat,sat"))[0].kind, FindingKind::Solution);
    }
}
