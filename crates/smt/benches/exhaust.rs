//! How fast exhaustion evaluates assignments, and how much faster than the evaluator it is.
//!
//! ```text
//! cargo bench -p gainsay-smt --bench exhaust
//! ```
//!
//! The formulas have 20 operators on 4-bit vectors and no solution, so that every assignment of their four constants is
//! evaluated: a leaf is an assignment of all of them. The evaluator evaluates the same formulas under models.

use std::fmt::Write as _;
use std::time::Instant;

use gainsay_smt::eval::{EvalBudget, evaluate};
use gainsay_smt::exhaust::{ExactAnswer, ExhaustionBudget, decide};
use gainsay_smt::{Model, Script, Signature, sat_queries};

const FORMULAS: u32 = 8;
const ROUNDS: u32 = 20;
const EVALUATED_MODELS: u32 = 200;
/// Four constants of four bits.
const LEAVES: f64 = 65_536.0;

/// An unsatisfiable formula of 20 operators: no value equals its negation. Nearly every operator depends on every constant.
fn formula(number: u32) -> String {
    let operators =
        ["bvadd", "bvmul", "bvxor", "bvor", "bvsub", "bvudiv", "bvurem", "bvshl", "bvlshr", "bvashr"];
    let mut text = String::new();
    for name in ["a", "b", "c", "d"] {
        let _ = writeln!(text, "(declare-const {name} (_ BitVec 4))");
    }
    let mut term = "a".to_owned();
    for place in 0..18 {
        let operator = operators[(number as usize + place * 3) % operators.len()];
        let name = ["b", "c", "d"][place % 3];
        term = format!("({operator} {term} {name})");
    }
    let _ = writeln!(text, "(assert (= {term} (bvnot {term})))");
    text
}

fn main() {
    let signature = Signature::standard();
    let scripts: Vec<Script> = (0..FORMULAS)
        .map(|number| Script::parse(&formula(number), &signature).expect("the formulas are well-sorted"))
        .collect();
    let (mut best, mut evaluator, mut steps) = (0.0f64, 0.0f64, 0);
    for _ in 0..ROUNDS {
        for script in &scripts {
            let start = Instant::now();
            let decision = decide(script, &sat_queries(script)[0], ExhaustionBudget::default());
            best = best.max(LEAVES / start.elapsed().as_secs_f64());
            assert_eq!(decision.answer, ExactAnswer::Unsat, "no value equals its negation");
            steps = decision.steps;
        }
        evaluator = evaluator.max(evaluator_rate(&scripts[0]));
    }
    println!("best of {ROUNDS} rounds of {FORMULAS} formulas, {:.1} steps a leaf", steps as f64 / LEAVES);
    println!("exhaustion: {:>8.2} million leaves a second", best / 1e6);
    println!("evaluator:  {:>8.4} million leaves a second", evaluator / 1e6);
    println!("ratio:      {:>8.0}", best / evaluator);
}

/// Models that the evaluator evaluates in a second.
fn evaluator_rate(script: &Script) -> f64 {
    let query = &sat_queries(script)[0];
    let models: Vec<Model> = (0..EVALUATED_MODELS)
        .map(|number| {
            let value = |shift: u32| (number >> shift) % 16;
            let define =
                |name: &str, value: u32| format!("(define-fun {name} () (_ BitVec 4) (_ bv{value} 4))");
            let text =
                [define("a", value(0)), define("b", value(4)), define("c", value(2)), define("d", value(1))];
            Model::read(&format!("({})", text.join("\n")), script, query).expect("the models are well-formed")
        })
        .collect();
    let start = Instant::now();
    for model in &models {
        std::hint::black_box(evaluate(model, query, EvalBudget::default()));
    }
    f64::from(EVALUATED_MODELS) / start.elapsed().as_secs_f64()
}
