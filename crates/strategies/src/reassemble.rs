//! Reassembly: builds formulas from the subformulas of a script whose truth values are known, so that an assignment satisfies them.
//!
//! ```text
//! (assert (and (> x 3) (= (mod x 2) y)))      the script
//! x = 4, y = 1                                an assignment, drawn
//! (> x 3) true, (= (mod x 2) y) false         truth values, by our evaluator
//! (assert (=> (= (mod x 2) y) (> x 3)))       new assertions, each true under the assignment
//! (assert (xor (> x 3) (= (mod x 2) y)))
//! ```
//!
//! STORM has the idea, with a model from a solver. Here the assignment is drawn and evaluated by gainsay, so the promise of sat depends
//! on no solver: every assertion is a Boolean combination of formulas that the exact evaluator decides. Formulas that it leaves open
//! (functions without a value, division by zero) are not used.

use gainsay_smt::eval::{EvalBudget, TruthValue, evaluate};
use gainsay_smt::print::{sort_text, symbol_text};
use gainsay_smt::{Command, Model, Script, sat_queries};

use super::fusion::function::draw::{self, ArrayLiterals, DrawableDatatypes};
use super::fusion::function::sort_bindings;
use super::plain_script::{PlainScript, PlainStrategy, RebuiltScript};
use super::{Parent, Skip};
use crate::promise::Promise;
use crate::random::Rng;
use gainsay_solvers::run::Answer;

/// Reuses subformulas under known truth values (STORM).
#[derive(Debug)]
pub struct ReassembleStrategy;

/// Assignments drawn before a script is given up.
const MAX_ASSIGNMENTS: usize = 4;
/// Assertions of a case.
const MAX_ASSERTIONS: usize = 6;
/// Nesting of connectives in an assertion.
const MAX_DEPTH: usize = 4;
/// Formulas that are evaluated.
const MAX_FORMULAS: usize = 60;
/// The budget of evaluating them.
const TRUTH_BUDGET: EvalBudget = EvalBudget { steps: 500_000, bytes: 16 << 20 };

/// A formula, and whether it is true.
type KnownFormula = (String, bool);

impl PlainStrategy for ReassembleStrategy {
    fn name(&self) -> &'static str {
        "reassemble"
    }

    fn about(&self) -> &'static str {
        "builds a satisfiable script from subformulas with known truth values (STORM)"
    }

    fn rebuild(
        &self,
        plain: &PlainScript<'_>,
        _: &[Parent<'_>],
        rng: &mut Rng,
    ) -> Result<RebuiltScript, Skip> {
        let mut formulas = plain.terms_of("Bool");
        formulas.retain(|formula| !matches!(formula.as_str(), "true" | "false"));
        rng.shuffle(&mut formulas);
        formulas.truncate(MAX_FORMULAS);
        let known = (0..MAX_ASSIGNMENTS).find_map(|_| known(plain, &formulas, rng));
        let known = known.ok_or(Skip::Unfit("no formula of the script is decided"))?;
        let count = 1 + rng.below(MAX_ASSERTIONS);
        let assertions: Vec<String> = (0..count).map(|_| formula(&known, true, MAX_DEPTH, rng)).collect();
        let step = format!("{count} assertions of {} formulas", known.len());
        Ok(RebuiltScript { text: plain.with(&assertions), promise: Promise::Constructed(Answer::Sat), step })
    }
}

/// The formulas that are decided under a drawn assignment; `None` if there are none.
fn known(plain: &PlainScript<'_>, formulas: &[String], rng: &mut Rng) -> Option<Vec<KnownFormula>> {
    let text = plain.with(formulas);
    let script = Script::parse(&text, plain.arena().signature()).ok()?;
    let queries = sat_queries(&script);
    let model = Model::read(&assignment(plain.script, rng)?, &script, &queries[0]).ok()?;
    let evaluation = evaluate(&model, &queries[0], TRUTH_BUDGET);
    // An assertion that occurs twice is one: the outcomes must be those of the formulas.
    if evaluation.assertions.len() != formulas.len() {
        return None;
    }
    let decided =
        formulas.iter().zip(&evaluation.assertions).filter_map(|(formula, outcome)| match outcome {
            TruthValue::True => Some((formula.clone(), true)),
            TruthValue::False => Some((formula.clone(), false)),
            TruthValue::Undecided(_) => None,
        });
    let decided: Vec<KnownFormula> = decided.collect();
    (!decided.is_empty()).then_some(decided)
}

/// A model with a value for every constant, and a function without cases for every function.
fn assignment(script: &Script, rng: &mut Rng) -> Option<String> {
    let arena = script.arena();
    let datatypes = DrawableDatatypes::of(script).with(ArrayLiterals::Written);
    let mut text = String::from("(");
    for command in &script.commands {
        let Command::Declare(_, name, parameters, sort) = command else { continue };
        let value = draw::value(&sort_bindings::sort(arena, *sort)?, &datatypes, rng)?;
        let parameters: Vec<String> = parameters
            .iter()
            .enumerate()
            .map(|(place, one)| format!("(argument_{place} {})", sort_text(arena, *one)))
            .collect();
        text.push_str(&format!(
            "(define-fun {} ({}) {} {value})",
            symbol_text(arena, *name),
            parameters.join(" "),
            sort_text(arena, *sort)
        ));
    }
    Some(text + ")")
}

/// A formula with a truth value, made of known ones.
fn formula(known: &[KnownFormula], truth: bool, depth: usize, rng: &mut Rng) -> String {
    if depth == 0 || rng.chance(1, 4) {
        return literal(known, truth, rng);
    }
    let part = |truth: bool, rng: &mut Rng| formula(known, truth, depth - 1, rng);
    let any = rng.chance(1, 2);
    match rng.below(6) {
        0 => format!("(not {})", part(!truth, rng)),
        1 => {
            // A conjunction is true if both parts are, and false if one of them is.
            let (first, second) = if truth { (true, true) } else { (any, false) };
            format!("(and {} {})", part(first, rng), part(second, rng))
        }
        2 => {
            let (first, second) = if truth { (any, true) } else { (false, false) };
            format!("(or {} {})", part(second, rng), part(first, rng))
        }
        3 => {
            let (first, second) = if truth { (any, true) } else { (true, false) };
            format!("(=> {} {})", part(first, rng), part(second, rng))
        }
        4 => format!("(xor {} {})", part(any, rng), part(any != truth, rng)),
        _ => {
            let (then, other) = if any { (truth, rng.chance(1, 2)) } else { (rng.chance(1, 2), truth) };
            format!("(ite {} {} {})", part(any, rng), part(then, rng), part(other, rng))
        }
    }
}

/// A known formula, negated if need be.
fn literal(known: &[KnownFormula], truth: bool, rng: &mut Rng) -> String {
    match rng.choose(known) {
        Some((formula, value)) if *value == truth => formula.clone(),
        Some((formula, _)) => format!("(not {formula})"),
        None => truth.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Strategy;
    use crate::random::RandomStream;
    use crate::tests::settings;
    use gainsay_smt::Signature;
    use gainsay_smt::exhaust::{self, ExactAnswer, ExhaustionBudget};

    #[test]
    fn exhaustion_finds_every_reassembled_script_satisfiable() {
        let signature = Signature::standard();
        let text = "(declare-const x (_ BitVec 3))(declare-const y (_ BitVec 3))(declare-const p Bool)\
            (assert (and p (bvult x y)))(assert (or (= (bvmul x y) #b110) (not p)))(assert (bvslt y (bvudiv x y)))(check-sat)";
        let script = Script::parse(text, &signature).unwrap();
        let settings = settings(&signature);
        for number in 0..300 {
            let mut rng = RandomStream::new(number).rng();
            let made =
                ReassembleStrategy.propose(&[Parent::new(&script, None)], &settings, &mut rng).unwrap();
            let queries = sat_queries(&made.script);
            let decision = exhaust::decide(&made.script, &queries[0], ExhaustionBudget::of_steps(1_000_000));
            assert!(matches!(decision.answer, ExactAnswer::Sat { .. }), "{}", made.script);
            assert_eq!(made.promise, Promise::Constructed(Answer::Sat));
        }
    }

    #[test]
    fn scripts_that_the_evaluator_cannot_decide_are_left_alone() {
        let signature = Signature::standard();
        let script =
            Script::parse("(declare-const x Int)(assert (= (div x 0) 3))(check-sat)", &signature).unwrap();
        let mut rng = RandomStream::new(1).rng();
        let made = ReassembleStrategy.propose(&[Parent::new(&script, None)], &settings(&signature), &mut rng);
        assert!(matches!(made, Err(Skip::Unfit(_))));
    }
}
