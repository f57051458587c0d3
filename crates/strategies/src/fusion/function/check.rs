//! Checks fusion functions: they must be well-sorted, and their inverses must compute the parameters.
//!
//! A function whose sorts have variables is checked in some of its instances. Each instance is a script that the parser
//! sort-checks and the evaluator runs on random inputs, half of them special values:
//!
//! ```text
//! (define-fun f ((x Int) (y Int)) Int (* x y))
//! (define-fun inverse.x.1 ((z Int) (x Int) (y Int)) Int (div z y))
//! (assert (=> (distinct 0 0) (= 7 (inverse.x.1 (f 7 0) 7 0))))
//! ```
//!
//! An inverse whose value the standard leaves unspecified, such as `(div 0 0)`, counts as wrong. The queries for a
//! solver are in `prove.rs`.

mod prove;

use std::sync::Arc;

use gainsay_smt::eval::{EvalBudget, Evaluator, TruthValue, Undecided};
use gainsay_smt::{Model, Script, Signature, sat_queries};

use super::draw::{self, DrawableDatatypes};
use super::generate::ground;
use super::s_expression::SExpression;
use super::sort_bindings::{SortBindings, is_number};
use super::{FunctionInverse, FusionFunction};
use crate::random::Rng;

pub use prove::{InverseQuery, inverse_queries};

/// Inputs evaluated in one script.
const INPUTS_PER_BATCH: usize = 100;

/// Evaluation steps per batch.
const MAX_EVALUATION_STEPS: u64 = 100_000_000;

/// Inputs to find inverses whose condition never holds.
const IDLE_TEST_INPUTS: usize = 200;

/// The result of evaluating a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EvaluationResult {
    /// No inverse was wrong.
    Right {
        /// For each inverse, the number of inputs for which its condition held and it computed its parameter.
        inputs: Vec<u64>,
    },
    /// An inverse was wrong.
    Refuted(Counterexample),
    /// It is not well-sorted.
    IllSorted {
        /// The line of its file.
        line: usize,
        /// The reason.
        message: String,
    },
    /// Nothing could be evaluated, and why.
    Undecided(String),
}

/// Inputs for which an inverse is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counterexample {
    /// The parameter.
    pub parameter: Arc<str>,
    /// Its inverse.
    pub inverse: SExpression,
    /// The line of its file.
    pub line: usize,
    /// The values of parameters and constants, by name.
    pub values: Vec<(Arc<str>, SExpression)>,
    /// The reason.
    pub what: String,
}

impl std::fmt::Display for Counterexample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let values: Vec<String> =
            self.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        write!(
            f,
            "line {}: {} is not {} for {}: {}",
            self.line,
            self.parameter,
            self.inverse,
            values.join(", "),
            self.what
        )
    }
}

/// Sort-checks a function and evaluates its inverses on about `inputs` inputs.
pub fn evaluate(
    function: &FusionFunction,
    inputs: usize,
    signature: &Arc<Signature>,
    rng: &mut Rng,
) -> EvaluationResult {
    let place =
        EvaluationContext { declarations: String::new(), datatypes: DrawableDatatypes::default(), signature };
    place.evaluate(function, inputs, rng)
}

/// The function without inverses whose condition no input meets; `None` if a parameter would have no inverse left.
pub fn without_idle(
    function: &FusionFunction,
    signature: &Arc<Signature>,
    rng: &mut Rng,
) -> Option<FusionFunction> {
    let is_partial = |inverse: &FunctionInverse| inverse.condition.is_some();
    if !function.inverses.iter().flatten().any(is_partial) {
        return Some(function.clone());
    }
    let EvaluationResult::Right { inputs } = evaluate(function, IDLE_TEST_INPUTS, signature, rng) else {
        return Some(function.clone());
    };
    let mut inputs = inputs.into_iter();
    let mut kept = function.clone();
    for inverses in &mut kept.inverses {
        inverses.retain(|_| inputs.next().is_some_and(|count| count > 0));
    }
    kept.inverses.iter().all(|inverses| !inverses.is_empty()).then_some(kept)
}

/// The context for evaluating functions.
pub(super) struct EvaluationContext<'a> {
    /// The declarations of datatypes, on one line.
    pub(super) declarations: String,
    pub(super) datatypes: DrawableDatatypes,
    pub(super) signature: &'a Arc<Signature>,
}

impl EvaluationContext<'_> {
    pub(super) fn evaluate(
        &self,
        function: &FusionFunction,
        inputs: usize,
        rng: &mut Rng,
    ) -> EvaluationResult {
        let instances = instances(function, rng);
        if instances.is_empty() {
            return EvaluationResult::Undecided("no sorts were found that it can be used with".to_owned());
        }
        let each = inputs.div_ceil(instances.len());
        let mut held = vec![0; function.inverses.iter().flatten().count()];
        for instance in &instances {
            let mut rest = each;
            while rest > 0 {
                let count = rest.min(INPUTS_PER_BATCH);
                rest -= count;
                match batch(instance, count, self, rng) {
                    Ok(now) => held.iter_mut().zip(now).for_each(|(sum, now)| *sum += now),
                    Err(tried) => return tried,
                }
            }
        }
        EvaluationResult::Right { inputs: held }
    }
}

/// Draws some instances of a function, with its variables bound.
pub fn instances(function: &FusionFunction, rng: &mut Rng) -> Vec<FusionFunction> {
    const MAX_INSTANCES: usize = 6;
    const INDEX_VALUES: [&str; 8] = ["1", "2", "3", "4", "5", "8", "11", "16"];
    if function.variables.is_empty() {
        return vec![function.clone()];
    }
    let mut found: Vec<FusionFunction> = Vec::new();
    for _ in 0..MAX_INSTANCES * 5 {
        let mut bindings = SortBindings::default();
        for variable in &function.variables {
            let bound = match is_number(function, variable) {
                true => SExpression::word(INDEX_VALUES[rng.below(INDEX_VALUES.len())]),
                false => some_sort(rng),
            };
            bindings.set(variable, bound);
        }
        if bindings.allowed(function)
            && bindings.is_possible(function)
            && let Some(instance) = ground(function, &bindings)
            && !found.contains(&instance)
        {
            found.push(instance);
        }
        if found.len() == MAX_INSTANCES {
            break;
        }
    }
    found
}

/// Draws a sort for a variable.
fn some_sort(rng: &mut Rng) -> SExpression {
    let bits = |width: &str| SExpression::list(["_", "BitVec", width].map(SExpression::word));
    match rng.below(6) {
        0 => SExpression::word("Bool"),
        1 => SExpression::word("Int"),
        2 => SExpression::word("Real"),
        3 => SExpression::word("String"),
        4 => bits("2"),
        _ => bits("8"),
    }
}

/// Evaluates an instance on some inputs; returns for each inverse the number of inputs that met its condition.
fn batch(
    function: &FusionFunction,
    inputs: usize,
    place: &EvaluationContext<'_>,
    rng: &mut Rng,
) -> Result<Vec<u64>, EvaluationResult> {
    let claims = InverseClaims::of(function, &place.declarations);
    let mut drawn = Vec::with_capacity(inputs);
    let mut text = claims.definitions.clone();
    for _ in 0..inputs {
        let Some(values) = values(function, &place.datatypes, rng) else {
            let what = "it has a sort of which no values can be written".to_owned();
            return Err(EvaluationResult::Undecided(what));
        };
        text.push_str(&claims.asserted(&values));
        drawn.push(values);
    }
    text.push_str("(check-sat)");
    let script =
        Script::parse(&text, place.signature).map_err(|error| claims.ill_sorted(function, &error))?;
    claims.judge(function, &script, &drawn)
}

/// Draws values for the parameters and constants of a function.
fn values(
    function: &FusionFunction,
    datatypes: &DrawableDatatypes,
    rng: &mut Rng,
) -> Option<Vec<SExpression>> {
    let mut values = Vec::new();
    for parameter in &function.parameters {
        values.push(draw::value(&parameter.sort, datatypes, rng)?);
    }
    for constant in &function.constants {
        values.push(draw::constant(&constant.sort, constant.domain, datatypes, rng)?);
    }
    Some(values)
}

/// The definitions of a function and its inverses, and the claims about them.
struct InverseClaims {
    definitions: String,
    /// For each line of the definitions, its line in the rule file.
    lines: Vec<usize>,
    /// For each inverse: its parameter and whether it has a condition.
    inverses: Vec<(usize, bool)>,
}

impl InverseClaims {
    fn of(function: &FusionFunction, declarations: &str) -> InverseClaims {
        let names = function.parameters.iter().map(|p| (&p.name, &p.sort));
        let names = names.chain(function.constants.iter().map(|c| (&c.name, &c.sort)));
        let formal: String = names.map(|(name, sort)| format!("({name} {sort})")).collect();
        let mut claims = InverseClaims {
            definitions: format!("(set-logic ALL){declarations}\n"),
            lines: vec![function.line],
            inverses: Vec::new(),
        };
        claims.define(&format!("f ({formal}) {} {}", function.result, function.body), function.line);
        for (place, inverses) in function.inverses.iter().enumerate() {
            for inverse in inverses {
                let number = claims.inverses.len();
                let sort = &function.parameters[place].sort;
                let result = &function.result;
                claims.define(
                    &format!("g{number} ((z {result}) {formal}) {sort} {}", inverse.term),
                    inverse.line,
                );
                if let Some(condition) = &inverse.condition {
                    claims.define(&format!("k{number} ({formal}) Bool {condition}"), inverse.line);
                }
                claims.inverses.push((place, inverse.condition.is_some()));
            }
        }
        claims
    }

    fn define(&mut self, definition: &str, line: usize) {
        // One definition per line, so that the line of an error identifies the definition.
        let definition = definition.replace('\n', " ");
        self.definitions.push_str(&format!("(define-fun {definition})\n"));
        self.lines.push(line);
    }

    /// For each inverse, the assertions that it computes its parameter and that its condition holds.
    fn asserted(&self, values: &[SExpression]) -> String {
        let actual: String = values.iter().map(|value| format!(" {value}")).collect();
        let mut text = String::new();
        for (number, (place, is_partial)) in self.inverses.iter().enumerate() {
            let same = format!("(= {} (g{number} (f{actual}){actual}))", values[*place]);
            text += &match is_partial {
                true => format!("(assert (=> (k{number}{actual}) {same}))\n(assert (k{number}{actual}))\n"),
                false => format!("(assert {same})\n(assert true)\n"),
            };
        }
        text
    }

    fn ill_sorted(&self, function: &FusionFunction, error: &gainsay_smt::Error) -> EvaluationResult {
        let line = self.lines.get(error.line - 1).copied().unwrap_or(function.line);
        EvaluationResult::IllSorted { line, message: error.message.clone() }
    }

    fn judge(
        &self,
        function: &FusionFunction,
        script: &Script,
        drawn: &[Vec<SExpression>],
    ) -> Result<Vec<u64>, EvaluationResult> {
        let check = sat_queries(script).pop().expect("the script ends with a check");
        let model = Model::empty(script, &check);
        let mut evaluator =
            Evaluator::new(&model, EvalBudget { steps: MAX_EVALUATION_STEPS, ..EvalBudget::default() });
        let mut held = vec![0; self.inverses.len()];
        for (values, claims) in drawn.iter().zip(check.assertions.chunks(2 * self.inverses.len())) {
            for (number, claim) in claims.chunks(2).enumerate() {
                let what = match evaluator.outcome(claim[0]) {
                    TruthValue::True => {
                        held[number] += u64::from(evaluator.outcome(claim[1]) == TruthValue::True);
                        continue;
                    }
                    TruthValue::False => "it gives back another value".to_owned(),
                    TruthValue::Undecided(why @ Undecided::Unspecified(_)) => {
                        format!("{why} may be any value")
                    }
                    TruthValue::Undecided(_) => continue,
                };
                return Err(EvaluationResult::Refuted(counterexample(function, number, values, what)));
            }
        }
        Ok(held)
    }
}

/// The inputs for which inverse `number` is wrong.
fn counterexample(
    function: &FusionFunction,
    number: usize,
    values: &[SExpression],
    what: String,
) -> Counterexample {
    let inverses = function.parameters.iter().zip(&function.inverses);
    let all =
        inverses.flat_map(|(parameter, inverses)| inverses.iter().map(move |inverse| (parameter, inverse)));
    let (parameter, inverse) = all.clone().nth(number).expect("there are as many claims as inverses");
    let names = function.parameters.iter().map(|p| &p.name).chain(function.constants.iter().map(|c| &c.name));
    Counterexample {
        parameter: Arc::clone(&parameter.name),
        inverse: inverse.term.clone(),
        line: inverse.line,
        values: names.cloned().zip(values.iter().cloned()).collect(),
        what,
    }
}
