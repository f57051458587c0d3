//! Subspaces: a script is split into cases that cover it, and the answers must fit together.
//!
//! ```text
//! (assert F) (check-sat)       becomes       (assert (or (and F (<= x 4)) (and F (not (<= x 4))))) (check-sat)
//!                              or            (assert F) (check-sat)
//!                                            (push 1) (assert (<= x 4)) (check-sat)
//!                                            (push 1) (assert p) (check-sat) (pop 1)
//!                                            (push 1) (assert (not p)) (check-sat) (pop 1) (pop 1)
//!                                            (push 1) (assert (not (<= x 4))) (check-sat) (pop 1)
//! ```
//!
//! Canary has the idea: cubes of formulas, and domains of terms. A model of F satisfies a formula or its negation, so F is satisfiable
//! if and only if one of the two halves is; the first form therefore has the answer of its parent, which is promised if it is known. Of
//! the second form, unsat is promised for every check if the parent is unsatisfiable, since all of them have its assertions; the oracle
//! `consistency` compares the answers of each solver with each other.

use gainsay_smt::print::sort_text;

use super::plain_script::{PlainScript, PlainStrategy, RebuiltScript, conjunction, disjunction};
use super::{Parent, Skip};
use crate::promise::Promise;
use crate::random::Rng;
use gainsay_solvers::run::Answer;

/// Splits scripts into subspaces (Canary).
#[derive(Debug)]
pub struct SubspaceStrategy;

/// Splits on the way to a subspace.
const MAX_SPLITS: usize = 3;

impl PlainStrategy for SubspaceStrategy {
    fn name(&self) -> &'static str {
        "subspace"
    }

    fn about(&self) -> &'static str {
        "splits a script into cases that cover it (Canary)"
    }

    fn uses_status(&self) -> bool {
        true
    }

    fn rebuild(
        &self,
        plain: &PlainScript<'_>,
        parents: &[Parent<'_>],
        rng: &mut Rng,
    ) -> Result<RebuiltScript, Skip> {
        let splits = splits(plain);
        let count = 1 + rng.below(MAX_SPLITS);
        let chosen: Vec<String> = (0..count).filter_map(|_| rng.choose(&splits).cloned()).collect();
        if chosen.is_empty() {
            return Err(Skip::NothingToDo);
        }
        let status = parents[0].status;
        let (text, promise) = match rng.chance(1, 2) {
            true => (joined(plain, &chosen, rng), Promise::of_status(status)),
            false => {
                let is_unsat = status == Some(Answer::Unsat);
                let promise = if is_unsat { Promise::Known(Answer::Unsat) } else { Promise::Nothing };
                (sequence(plain, &chosen), promise)
            }
        };
        Ok(RebuiltScript { text, promise, step: format!("{count} splits") })
    }
}

/// Formulas to split by: those of the script, and comparisons of its terms.
fn splits(plain: &PlainScript<'_>) -> Vec<String> {
    let arena = plain.arena();
    let closed = plain.closed_terms();
    let mut splits = plain.terms_of("Bool");
    for (text, sort) in &closed {
        let compare = match sort_text(arena, *sort).as_str() {
            "Int" | "Real" => "<=",
            sort if sort.starts_with("(_ BitVec") => "bvule",
            sort if sort.starts_with("(_ FloatingPoint") || sort.starts_with("Float") => "fp.leq",
            "String" => "str.<=",
            _ => continue,
        };
        let mut others = closed.iter().filter(|(other, one)| one == sort && other != text);
        splits.extend(others.next().map(|(other, _)| format!("({compare} {text} {other})")));
    }
    splits
}

/// The disjunction of the two halves of each split, some of them with the assertions inside.
fn joined(plain: &PlainScript<'_>, splits: &[String], rng: &mut Rng) -> String {
    let mut formula = conjunction(&plain.asserted());
    for split in splits {
        let halves = [format!("(and {formula} {split})"), format!("(and {formula} (not {split}))")];
        formula = match rng.below(3) {
            0 => disjunction(&[&halves[1], &halves[0]]),
            1 => format!("(ite {split} {formula} {formula})"),
            _ => disjunction(&halves),
        };
        // Every split doubles the formula.
        if formula.len() > 4000 {
            break;
        }
    }
    plain.with(&[formula])
}

/// The script, then each half of the first split, in which the next split has both halves.
fn sequence(plain: &PlainScript<'_>, splits: &[String]) -> String {
    let mut text = plain.with(&plain.asserted());
    for split in splits {
        for half in [format!("(not {split})"), split.clone()] {
            text.push_str(&format!("(push 1)\n(assert {half})\n(check-sat)\n"));
            if half != *split {
                text.push_str("(pop 1)\n");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Strategy;
    use crate::random::RandomStream;
    use crate::tests::settings;
    use gainsay_smt::exhaust::{self, ExactAnswer, ExhaustionBudget};
    use gainsay_smt::{Script, Signature, sat_queries};

    #[test]
    fn exhaustion_finds_that_the_answers_of_subspaces_fit_together() {
        let signature = Signature::standard();
        for (text, status) in [
            (
                "(declare-const x (_ BitVec 2))(declare-const p Bool)(assert (= (bvmul x x) #b01))(assert (or p (bvult x #b10)))(check-sat)",
                Answer::Sat,
            ),
            (
                "(declare-const x (_ BitVec 2))(declare-const p Bool)(assert (= (bvmul x x) #b10))(assert (or p (bvult x #b10)))(check-sat)",
                Answer::Unsat,
            ),
        ] {
            let script = Script::parse(text, &signature).unwrap();
            for number in 0..200 {
                let mut rng = RandomStream::new(number).rng();
                let parents = [Parent::new(&script, Some(status))];
                let made = SubspaceStrategy.propose(&parents, &settings(&signature), &mut rng).unwrap();
                let queries = sat_queries(&made.script);
                let budget = ExhaustionBudget::of_steps(1_000_000);
                let sat: Vec<bool> = queries
                    .iter()
                    .map(|query| {
                        matches!(exhaust::decide(&made.script, query, budget).answer, ExactAnswer::Sat { .. })
                    })
                    .collect();
                assert_eq!(sat[0], status == Answer::Sat, "{}", made.script);
                if let Promise::Known(answer) = made.promise {
                    assert!(sat.iter().all(|&sat| sat == (answer == Answer::Sat)), "{}", made.script);
                }
                // Each pair of checks covers the check before it.
                for first in (1..sat.len()).step_by(2) {
                    let whole = if first == 1 { sat[0] } else { sat[first - 1] };
                    assert_eq!(whole, sat[first] || sat[first + 1], "{}", made.script);
                }
            }
        }
    }
}
