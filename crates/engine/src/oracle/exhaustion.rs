//! The exhaustion oracle: says in how many cases gainsay knows the right answer by itself.
//!
//! It accuses no solver: a solver that contradicts an exact answer is a finding of the agreement oracle, whose rules of evidence
//! (`trial/evidence.rs`) put exact answers first. This oracle is fine with a case if every answered question has an exact
//! answer, so that its counts are the share of cases that were decided exactly.

use super::{Oracle, Verdict};
use crate::trial::{SolverIdentity, Trial};

/// Looks at the answers by exhaustion.
pub struct ExhaustionOracle;

impl Oracle for ExhaustionOracle {
    fn name(&self) -> &'static str {
        "exhaustion"
    }

    fn about(&self) -> &'static str {
        "answers that gainsay computes itself by trying every assignment"
    }

    fn judge(&self, trial: &Trial, _: &[SolverIdentity]) -> Verdict {
        let answered = trial.answered();
        if answered == 0 {
            return Verdict::Undecided("no solver answered".to_owned());
        }
        match (0..answered).find(|&question| trial.exact_answer(question).is_none()) {
            None => Verdict::Fine,
            Some(question) => {
                let why = trial.exhaustion.get(question).map(|evidence| evidence.gap.clone());
                Verdict::Undecided(why.unwrap_or_else(|| "it was not tried".to_owned()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::run::Answer;
    use crate::trial::tests::trial;
    use crate::trial::{ExhaustionEvidence, Promise};

    #[test]
    fn a_trial_is_fine_if_every_answered_question_has_an_exact_answer() {
        let mut trial = trial("z3=sat,unsat", Promise::Nothing);
        let exact =
            |answer| ExhaustionEvidence { answer, gap: "why".to_owned(), ..ExhaustionEvidence::default() };
        trial.exhaustion = vec![exact(Some(Answer::Sat)), exact(None)];
        assert_eq!(ExhaustionOracle.judge(&trial, &[]), Verdict::Undecided("why".to_owned()));
        trial.exhaustion[1].answer = Some(Answer::Sat);
        assert_eq!(ExhaustionOracle.judge(&trial, &[]), Verdict::Fine);
    }
}
