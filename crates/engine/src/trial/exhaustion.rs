//! Exhaustion as evidence: the answer that gainsay computes by itself, without any solver.
//!
//! The answer counts only if it rests on nothing that the standard leaves open: solvers may fix such results in different
//! ways. The budget is a number of steps, so that a script has the same evidence whenever and wherever it is tried.

use gainsay_smt::exhaust::{self, ExactAnswer, ExhaustionBudget, exhaustion_words};
use gainsay_smt::{SatQuery, Script, sat_queries};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::evidence::RightAnswer;
use crate::finding::Evidence;
use crate::solver::run::Answer;

/// The steps for one question where nothing else is said, as in a campaign: about a millisecond.
pub const CAMPAIGN_STEPS: u64 = 200_000;
/// The steps for one question where a person waits for one script: some seconds.
pub const SINGLE_SCRIPT_STEPS: u64 = 200_000_000;
/// The name of exhaustion among those that know the right answer.
pub const EXHAUSTION_SUPPORTER: &str = "exhaustion";
/// Questions of one script that are decided.
const MAX_DECIDED_QUESTIONS: usize = 16;

/// What exhaustion says of one question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub struct ExhaustionEvidence {
    /// The answer; `None` if it is undecided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// The assignments that were evaluated, partial ones included.
    pub assignments: u64,
    /// The satisfying assignment as a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Why it proves nothing, if so.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub gap: String,
}

impl ExhaustionEvidence {
    /// Decides every question of a script within a number of steps for each.
    pub fn of_script(script: &Script, steps: u64) -> Vec<ExhaustionEvidence> {
        let queries = sat_queries(script);
        let queries = queries.iter().take(MAX_DECIDED_QUESTIONS);
        queries.map(|query| ExhaustionEvidence::of_query(script, query, steps)).collect()
    }

    fn of_query(script: &Script, query: &SatQuery, steps: u64) -> ExhaustionEvidence {
        let decision = exhaust::decide(script, query, ExhaustionBudget::of_steps(steps));
        let assignments = decision.assignments;
        let undecided =
            |gap: String| ExhaustionEvidence { assignments, gap, ..ExhaustionEvidence::default() };
        match decision.answer {
            ExactAnswer::Undecided(reason) => undecided(reason.to_string()),
            ExactAnswer::Unsat => {
                ExhaustionEvidence { answer: Some(Answer::Unsat), ..undecided(String::new()) }
            }
            ExactAnswer::Sat { model, open } if open.is_empty() => {
                let (answer, model) = (Some(Answer::Sat), Some(model));
                ExhaustionEvidence { answer, model, ..undecided(String::new()) }
            }
            ExactAnswer::Sat { open, .. } => undecided(format!(
                "it is satisfiable only if results that the standard leaves open are chosen so: {}",
                open.join(", ")
            )),
        }
    }

    /// Why the answer is right, in words.
    pub fn reason(&self) -> String {
        match self.answer {
            Some(Answer::Unsat) => exhaustion_words(self.assignments),
            Some(_) => "by exhaustion: this assignment satisfies it".to_owned(),
            None => self.gap.clone(),
        }
    }

    /// The right answer for triage.
    pub fn right_answer(&self) -> Option<RightAnswer> {
        let answer = self.answer?;
        Some(RightAnswer {
            answer,
            evidence: Evidence::Proved,
            supporters: vec![EXHAUSTION_SUPPORTER.to_owned()],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_smt::Signature;

    fn evidence(text: &str) -> Vec<ExhaustionEvidence> {
        let script = Script::parse(text, &Signature::standard()).unwrap();
        ExhaustionEvidence::of_script(&script, CAMPAIGN_STEPS)
    }

    #[test]
    fn every_question_of_a_script_is_decided_by_itself() {
        let text =
            "(declare-const a Bool)(assert a)(check-sat)(push)(assert (not a))(check-sat)(pop)(check-sat)";
        let answers: Vec<_> = evidence(text).iter().map(|one| one.answer).collect();
        assert_eq!(answers, [Some(Answer::Sat), Some(Answer::Unsat), Some(Answer::Sat)]);
    }

    #[test]
    fn an_answer_that_rests_on_open_results_proves_nothing() {
        let one = &evidence("(assert (= (div 1 0) 1))(check-sat)")[0];
        assert_eq!(one.answer, None);
        assert!(one.reason().ends_with("div"), "{}", one.reason());
    }
}
