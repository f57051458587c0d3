//! Models of Horn clauses, checked clause by clause.
//!
//! A model of a system of Horn clauses says what its predicates are, and every clause must hold for all values of its
//! variables. No evaluator can try them all; a solver can look for values where one does not hold:
//!
//! ```text
//! (assert (forall ((x Int)) (=> (inv x) (inv (+ x 1)))))   with   inv x ⇔ x < 10   fails at   x = 9
//! ```
//!
//! Our own evaluator checks such a point, so any solver may find it, even the one that gave the model. If the solver does not
//! decide, gainsay tries a few points itself. If a solver finds no point, we have only its word, and record it as such.
//!
//! A point is a proof only if it does not depend on the choices that the standard leaves to a model: the value of division by
//! zero, the number of elements of a declared sort. The same goes for derivations of `false`.

use gainsay_smt::eval::{self, EvalBudget, TruthValue};
use gainsay_smt::horn::{ModelValidation, System};
use gainsay_smt::print::{sort_text, symbol_text, term_text};
use gainsay_smt::{Arena, Command, Model, SatQuery, Script, Sort, Symbol, sat_queries};
use serde::{Deserialize, Serialize};

use super::ModelFailure;
use super::model_evidence::{MODEL_BUDGET, shortened};
use crate::solver::outline::up_to_check;
use crate::solver::run::{Answer, Ask, Run};

/// Steps of derivations that are tried, one after the other.
const DERIVATION_STEPS: [usize; 5] = [1, 2, 4, 7, 11];

/// Points of each clause that are tried where no solver decides.
const POINTS_TRIED_PER_CLAUSE: usize = 24;

/// Steps of evaluation for all such points together: a system may have hundreds of clauses, and a model may be long.
const MAX_POINT_STEPS: u64 = MODEL_BUDGET.steps;

/// The result of checking a model clause by clause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClauseCheck {
    /// A solver says that a clause fails at a point.
    Violated {
        /// The clause, from 0.
        clause: usize,
        /// The point as the solver printed it.
        point: String,
    },
    /// A solver of this code base says that every clause holds.
    Upheld(String),
}

/// A derivation of `false`, as a model of the clauses unrolled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Derivation {
    /// How far they are unrolled.
    pub steps: usize,
    /// The model that a solver gave.
    pub model: String,
}

/// Runs a text on a solver, and asks for more than answers if wanted.
pub type RunText<'a> = dyn FnMut(&str, Ask) -> Option<Run> + 'a;

/// Looks for a point where a clause fails under a model; nothing is asked if the script is no system of Horn clauses, or
/// nothing can be asked of its model.
pub fn check(script: &Script, model: &str, family: &str, ask: &mut RunText<'_>) -> Option<ClauseCheck> {
    let challenge = System::read(script).ok()?.model_validation(model).ok()?;
    let text = challenge.script.to_string();
    let run = ask(&text, Ask::ANSWERS_ONLY)?;
    if run.answers.len() == challenge.points.len()
        && run.answers.iter().all(|answer| *answer == Answer::Unsat)
    {
        return Some(ClauseCheck::Upheld(family.to_owned()));
    }
    let violated = run.answers.iter().enumerate().filter(|(_, answer)| **answer == Answer::Sat);
    let told = violated.map(|(clause, _)| clause).find_map(|clause| {
        let run = ask(up_to_check(&text, clause)?, Ask::WITH_MODEL)?;
        let is_sat = run.answers.len() == clause + 1 && run.answers[clause] == Answer::Sat;
        let point = run.model.filter(|_| is_sat)?;
        failure(script, model, clause, &point).is_some().then_some(ClauseCheck::Violated { clause, point })
    });
    told.or_else(|| sampled(&challenge.script, MAX_POINT_STEPS))
}

/// A point where a clause fails among a few that are tried without a solver, with that many steps for all of them.
fn sampled(challenge: &Script, mut steps: u64) -> Option<ClauseCheck> {
    let arena = challenge.arena();
    let checks = sat_queries(challenge);
    let (mut constants, mut clause) = (Vec::new(), 0);
    for command in &challenge.commands {
        match command {
            Command::Declare(_, name, _, sort) => constants.push((*name, *sort)),
            Command::CheckSat => {
                let found = (0..POINTS_TRIED_PER_CLAUSE).find_map(|sample| {
                    let value = |(place, &(name, sort)): (usize, &(Symbol, Sort))| {
                        let value = sample_of(arena, sort, sample * 7 + place * (sample + 3))?;
                        Some(format!(
                            "(define-fun {} () {} {value})",
                            symbol_text(arena, name),
                            sort_text(arena, sort)
                        ))
                    };
                    let values = constants.iter().enumerate().map(value).collect::<Option<Vec<String>>>()?;
                    let point = format!("({})", values.join(" "));
                    // Reading a point copies all terms.
                    steps = steps.saturating_sub(arena.term_count() as u64);
                    let (holds, taken) = holds_within(challenge, checks.get(clause)?, &point, steps);
                    steps = steps.saturating_sub(taken);
                    holds.then_some(ClauseCheck::Violated { clause, point })
                });
                if found.is_some() || steps == 0 {
                    return found;
                }
                constants.clear();
                clause += 1;
            }
            _ => {}
        }
    }
    None
}

/// One of a few values of a sort; nothing for a sort that none is known of.
fn sample_of(arena: &Arena, sort: Sort, number: usize) -> Option<String> {
    let sort = arena.canonical(sort);
    let view = arena.view_sort(sort);
    let width = view.indices.first().and_then(|index| index.numeral());
    let choices: &[&str] = match (sort, view.head, width) {
        (Sort::INT, ..) => &["0", "1", "(- 1)", "2", "3", "5", "7", "10", "(- 7)", "100"],
        (Sort::REAL, ..) => &["0.0", "1.0", "0.5", "(- 1.0)", "2.0", "10.0", "(- 0.5)"],
        (Sort::BOOL, ..) => &["false", "true"],
        (_, Symbol::BITVEC, Some(width)) => {
            return Some(format!("(_ bv{} {width})", number & ((1 << width.min(4)) - 1)));
        }
        _ => return None,
    };
    Some(choices[number % choices.len()].to_owned())
}

/// How a clause fails at a point under a model, if our own evaluator finds that it does.
pub(super) fn failure(script: &Script, model: &str, clause: usize, point: &str) -> Option<ModelFailure> {
    let ModelValidation { script: challenge, points } =
        System::read(script).ok()?.model_validation(model).ok()?;
    if !holds_at(&challenge, clause, point) {
        return None;
    }
    let check = sat_queries(&challenge).into_iter().nth(clause)?;
    let said = check.assertions.iter().map(|&term| term_text(challenge.arena(), term));
    let said = said.collect::<Vec<_>>().join(" and ");
    let values = point.split_whitespace().collect::<Vec<_>>().join(" ");
    let at = if points.get(clause)?.is_empty() { String::new() } else { format!(" at {values}") };
    let why = shortened(&format!("clause {} fails{at}, where {said}", clause + 1));
    Some(ModelFailure { operator: "clause".to_owned(), why })
}

/// Looks for a derivation of `false`, with more and more steps.
pub fn derive(script: &Script, ask: &mut RunText<'_>) -> Option<Derivation> {
    let system = System::read(script).ok()?;
    DERIVATION_STEPS.into_iter().find_map(|steps| {
        let text = system.unroll(steps)?.to_string();
        let run = ask(&text, Ask::WITH_MODEL)?;
        let model = run.model.filter(|_| run.answers == [Answer::Sat])?;
        Some(Derivation { steps, model }).filter(|derivation| derivation.holds(script))
    })
}

impl Derivation {
    /// Whether our own evaluator finds that it derives `false` from the clauses of a script.
    pub fn holds(&self, script: &Script) -> bool {
        let unrolled = System::read(script).ok().and_then(|system| system.unroll(self.steps));
        unrolled.is_some_and(|unrolled| holds_at(&unrolled, 0, &self.model))
    }
}

/// Returns true if the assertions hold at a point, for every meaning of the operations that the standard leaves open.
fn holds_at(script: &Script, check: usize, point: &str) -> bool {
    sat_queries(script)
        .get(check)
        .is_some_and(|check| holds_within(script, check, point, MODEL_BUDGET.steps).0)
}

/// The same within so many steps, and how many it took.
fn holds_within(script: &Script, check: &SatQuery, point: &str, steps: u64) -> (bool, u64) {
    if steps == 0 || script.commands.iter().any(|command| matches!(command, Command::DeclareSort(..))) {
        return (false, 0);
    }
    let Ok(model) = Model::read(point, script, check) else { return (false, 0) };
    let evaluation = eval::evaluate(&model.without_open(), check, EvalBudget { steps, ..MODEL_BUDGET });
    (evaluation.outcome() == TruthValue::True, evaluation.steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{ModelCheck, ModelEvidence};
    use gainsay_smt::Signature;

    const HORN_SCRIPT: &str = "(set-logic HORN)(declare-fun inv (Int) Bool)(assert (inv 0))\
        (assert (forall ((x Int)) (=> (inv x) (inv (+ x 1)))))(assert (forall ((x Int)) (=> (inv x) (< x 2))))(check-sat)";

    fn script() -> Script {
        Script::parse(HORN_SCRIPT, &Signature::standard()).unwrap()
    }

    #[test]
    fn a_point_where_a_clause_fails_is_evaluated_by_us() {
        let model = "((define-fun inv ((a Int)) Bool (< a 10)))";
        let at =
            |point: &str| failure(&script(), model, 1, &format!("((define-fun point~0 () Int {point}))"));
        let why = at("9").unwrap().why;
        assert!(why.starts_with("clause 2 fails at ((define-fun point~0 () Int 9))"), "{why}");
        assert!(why.ends_with("(inv point~0) and (not (inv (+ point~0 1)))"), "{why}");
        assert_eq!(at("8"), None, "the clause holds there, against the solver's word");
    }

    #[test]
    fn points_are_tried_without_a_solver() {
        let model = "((define-fun inv ((a Int)) Bool (< a 1)))";
        let mut silent = |_: &str, _: Ask| Some(crate::trial::tests::run(&[Answer::Unknown; 3]));
        let found = check(&script(), model, "z3", &mut silent);
        assert_eq!(
            found,
            Some(ClauseCheck::Violated { clause: 1, point: "((define-fun point~0 () Int 0))".to_owned() })
        );
        let valid = "((define-fun inv ((a Int)) Bool (>= a 0)))";
        let system = HORN_SCRIPT.replace("(< x 2)", "(>= x 0)");
        let system = Script::parse(&system, &Signature::standard()).unwrap();
        assert_eq!(check(&system, valid, "z3", &mut silent), None);
    }

    #[test]
    fn all_points_together_take_no_more_steps_than_they_may() {
        let model = "((define-fun inv ((a Int)) Bool (< a 1)))";
        let challenge = System::read(&script()).unwrap().model_validation(model).unwrap().script;
        let found = sampled(&challenge, MAX_POINT_STEPS);
        assert!(matches!(found, Some(ClauseCheck::Violated { clause: 1, .. })), "{found:?}");
        // The points of the first clause use up the budget: one copy of the terms and one evaluation.
        let least = challenge.arena().term_count() as u64 + 5;
        assert_eq!(sampled(&challenge, least), None);
    }

    #[test]
    fn a_witness_with_such_a_point_fails() {
        let fails = |script: &Script, body: &str, x: u32| {
            let point = format!("((define-fun point~0 () Int {x}))");
            let text = Some(format!("((define-fun inv ((a Int)) Bool {body}))"));
            let clauses = Some(ClauseCheck::Violated { clause: 1, point });
            let mut evidence = ModelEvidence { text, clauses, ..ModelEvidence::default() };
            evidence.check(script, 0);
            matches!(evidence.check, ModelCheck::Fails(_))
        };
        assert!(fails(&script(), "(< a 10)", 9));
        let system = HORN_SCRIPT.replace("(< x 2)", "(>= x 0)");
        let system = Script::parse(&system, &Signature::standard()).unwrap();
        assert!(!fails(&system, "(>= a 0)", 3), "a point that proves nothing");
    }

    #[test]
    fn a_derivation_is_evaluated_by_us() {
        let unrolled = System::read(&script()).unwrap().unroll(4).unwrap().to_string();
        // The query at 2, which is 1 + 1, which is 0 + 1: constants in the order of their declarations.
        assert!(unrolled.contains("(declare-const step~0 Int)"), "{unrolled}");
        let wrong = Derivation { steps: 1, model: "((define-fun step~0 () Int 7))".to_owned() };
        assert!(!wrong.holds(&script()));
    }

    #[test]
    fn a_derivation_does_not_choose_what_is_open() {
        let holds = |script: &str, model: &str| {
            let script = Script::parse(script, &Signature::standard()).unwrap();
            Derivation { steps: 1, model: model.to_owned() }.holds(&script)
        };
        let query = |term: &str| format!("(set-logic HORN)(assert (not {term}))(check-sat)");
        assert!(holds(&query("(> (/ 1.0 2.0) 0.0)"), "()"));
        // It is satisfiable: another model may say something else of division by zero.
        let says = "((define-fun /0 ((x Real) (y Real)) Real 7.0))";
        assert!(!holds(&query("(> (/ 1.0 0.0) 0.0)"), says));
        // And so is this: one where the sort has one element.
        let of_sort = |sort: &str| {
            format!("{sort}(assert (forall ((x S) (y S)) (=> (distinct x y) false)))(check-sat)")
        };
        let two = "((define-fun step~0 () S a)(define-fun step~1 () S b))";
        assert!(holds(&of_sort("(declare-datatypes ((S 0)) (((a) (b))))"), two));
        let values = two.replace(" a)", " (as @S_0 S))").replace(" b)", " (as @S_1 S))");
        assert!(!holds(&of_sort("(declare-sort S 0)"), &values));
    }

    #[test]
    fn a_point_does_not_choose_what_is_open() {
        let system = "(set-logic HORN)(declare-fun inv (Real) Bool)\
            (assert (forall ((x Real)) (=> (inv x) (< (/ x 0.0) 2.0))))(check-sat)";
        let system = Script::parse(system, &Signature::standard()).unwrap();
        let model = "((define-fun inv ((a Real)) Bool true))";
        let point = "((define-fun point~0 () Real 1.0)(define-fun /0 ((x Real) (y Real)) Real 5.0))";
        assert_eq!(failure(&system, model, 0, point), None, "the model may mean that it is 0");
    }
}
