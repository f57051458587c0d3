//! Witnesses: models that solvers gave for their `sat`, weighed by our own evaluator.
//!
//! A model that makes every assertion true proves the script satisfiable, whoever gave it. One that makes an assertion
//! false proves that its solver is wrong, unless it leaves out a function that mattered: a solver may mean any value by
//! that, and we do not know which. Everything that cannot be evaluated exactly proves nothing.

pub mod clauses;

use gainsay_smt::eval::{self, EvalBudget, Evaluation, TruthValue};
use gainsay_smt::print::symbol_text;
use gainsay_smt::{IgnoreReason, Model, Script, View, sat_queries};

use super::crash::Crashed;
use crate::solver::profile::Profile;
use crate::solver::run::{Answer, Run};
use crate::solver::version::Version;

pub use clauses::{Clauses, Derivation};

/// What evaluating one model may cost: far less than a solver takes to find one.
const BUDGET: EvalBudget = EvalBudget { steps: 2_000_000, bytes: 32 << 20 };

/// What it may cost where every clause was found to hold already: enough to prove that of a system without numbers, which is all that
/// an evaluator can do about quantifiers.
const AFTER_CLAUSES: EvalBudget = EvalBudget { steps: 20_000, bytes: 1 << 20 };

/// Letters of an explanation that are shown.
const LETTERS: usize = 300;

/// What a solver gave when it was asked for a model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Witness {
    /// The `(check-sat)` that it belongs to, from 0.
    pub check: usize,
    /// The model as printed; none if it gave none.
    pub model: Option<String>,
    /// Why it must not be held against the solver, if so: a quirk of its profile.
    pub excuse: Option<String>,
    /// What came of checking it clause by clause, where that was done.
    pub clauses: Option<Clauses>,
    /// The crash that came instead, if one did.
    pub crash: Option<Crashed>,
}

/// What a witness is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Weight {
    /// Every assertion is true under it.
    Holds,
    /// An assertion is false under it.
    Fails(Failure),
    /// Neither is known, and why.
    Unclear(String),
}

/// How a model fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The operator of the smallest false part.
    pub operator: String,
    /// The smallest false part and the values of its own parts.
    pub why: String,
}

impl Witness {
    /// What a version of a solver gave at a check of a script, in the spelling of the standard, with what must not be held
    /// against it.
    pub fn given(
        profile: &Profile,
        version: Option<&Version>,
        script: &str,
        check: usize,
        model: Option<String>,
    ) -> Witness {
        let model = model.map(|model| profile.standard_model(model, version));
        let excuse = model.as_deref().and_then(|model| profile.model_excuse(script, model, version));
        Witness { check, model, excuse, ..Witness::default() }
    }

    /// What a version of a solver gave in a run that was asked for the model at a check of a script.
    pub fn asked(
        profile: &Profile,
        version: Option<&Version>,
        script: &str,
        check: usize,
        run: Option<Run>,
    ) -> Witness {
        let crash = run.as_ref().and_then(Crashed::of);
        let run = run.filter(|run| run.answers.len() == check + 1 && run.answers[check] == Answer::Sat);
        Witness { crash, ..Witness::given(profile, version, script, check, run.and_then(|run| run.model)) }
    }

    /// A model for the first check that nobody excuses.
    pub fn plain(model: String) -> Witness {
        Witness { model: Some(model), ..Witness::default() }
    }

    /// Evaluates what is asserted at its check.
    pub fn weigh(&self, script: &Script) -> Weight {
        if let Some(excuse) = &self.excuse {
            return Weight::Unclear(excuse.clone());
        }
        let Some(text) = &self.model else { return Weight::Unclear("there is no model".to_owned()) };
        if let Some(Clauses::Violated { clause, point }) = &self.clauses
            && let Some(failure) = clauses::failure(script, text, *clause, point)
        {
            return Weight::Fails(failure);
        }
        let checks = sat_queries(script);
        let Some(check) = checks.get(self.check) else {
            return Weight::Unclear("the script has no such check".to_owned());
        };
        let model = match Model::read(text, script, check) {
            Ok(model) => model,
            Err(error) => {
                return Weight::Unclear(format!(
                    "the model cannot be read: {}",
                    shortened(&error.to_string())
                ));
            }
        };
        let is_upheld = matches!(self.clauses, Some(Clauses::Upheld(_)));
        let evaluation = eval::evaluate(&model, check, if is_upheld { AFTER_CLAUSES } else { BUDGET });
        match evaluation.outcome() {
            TruthValue::True => Weight::Holds,
            TruthValue::Undecided(why) => Weight::Unclear(shortened(&why.to_string())),
            TruthValue::False => failure(&model, check, &evaluation),
        }
    }
}

fn failure(model: &Model, check: &gainsay_smt::SatQuery, evaluation: &Evaluation) -> Weight {
    let terms = check.assertions.iter().chain(&check.assumptions);
    let mut outcomes = terms.zip(evaluation.assertions.iter().chain(&evaluation.assumptions));
    let explanation = outcomes
        .find(|(_, outcome)| **outcome == TruthValue::False)
        .and_then(|(&term, _)| eval::explain(model, term, BUDGET));
    let Some(explanation) = explanation else {
        return Weight::Unclear("an assertion is false, and it cannot be said why".to_owned());
    };
    let values = explanation.children.iter().map(|(text, value)| format!("{text} is {value}"));
    let values = values.collect::<Vec<_>>().join(", ");
    let truth = if explanation.value { "true" } else { "false" };
    let operator = match model.arena().view(explanation.term) {
        View::Application(head, _) => model.arena().text(head.symbol).to_owned(),
        View::Bind(binder, ..) => binder.name().to_owned(),
        _ => "a term".to_owned(),
    };
    let separator = if values.is_empty() { "" } else { ": " };
    let why = shortened(&format!("{} is {truth}{separator}{values}", explanation.text));
    Weight::Fails(Failure { operator, why: why + &ignored(model) })
}

/// A remark on what the model redefines in vain; empty if there is nothing to say. That a model repeats a definition of
/// the script is common and not worth a remark.
fn ignored(model: &Model) -> String {
    let lines = model.ignored().iter().filter(|line| line.reason != IgnoreReason::AlreadyDefined);
    let mut names: Vec<String> = lines.map(|line| symbol_text(model.arena(), line.name)).collect();
    names.dedup();
    match names.is_empty() {
        true => String::new(),
        false => shortened(&format!("; ignored in the model: {}", names.join(" "))),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LETTERS) {
        Some((at, _)) => format!("{} …", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_smt::Signature;

    fn weigh(script: &str, model: &str) -> Weight {
        let script = Script::parse(script, &Signature::standard()).unwrap();
        Witness::plain(model.to_owned()).weigh(&script)
    }

    const SCRIPT: &str = "(declare-const x Int)(declare-const y Int)(assert (or (< x 3) (= y 7)))(check-sat)";

    #[test]
    fn a_model_that_satisfies_holds() {
        assert_eq!(weigh(SCRIPT, "((define-fun x () Int 2) (define-fun y () Int 0))"), Weight::Holds);
        assert_eq!(weigh(SCRIPT, "((define-fun x () Int 2))"), Weight::Holds, "y does not matter");
    }

    #[test]
    fn a_model_that_does_not_satisfy_fails_and_says_where() {
        let Weight::Fails(failure) = weigh(SCRIPT, "((define-fun x () Int 5) (define-fun y () Int 0))")
        else {
            panic!("it must fail")
        };
        assert_eq!(failure.operator, "or");
        assert!(failure.why.contains("(< x 3) is false"), "{}", failure.why);
    }

    #[test]
    fn a_model_that_redefines_an_operator_proves_nothing_by_that() {
        let script = "(declare-const x Int)(assert (< x x))(check-sat)";
        let lie = "((define-fun x () Int 5) (define-fun < ((a Int) (b Int)) Bool true))";
        let Weight::Fails(failure) = weigh(script, lie) else { panic!("it must fail") };
        assert_eq!(failure.why, "(< x x) is false: x is 5, x is 5; ignored in the model: <");
        let slander = "((define-fun x () Int 2) (define-fun y () Int 0) (define-fun or ((a Bool) (b Bool)) Bool false))";
        assert_eq!(weigh(SCRIPT, slander), Weight::Holds);
    }

    #[test]
    fn a_model_that_leaves_out_what_matters_proves_nothing() {
        let weight = weigh(SCRIPT, "((define-fun x () Int 5))");
        assert_eq!(weight, Weight::Unclear("y, of which the model says nothing".to_owned()));
        assert!(matches!(weigh(SCRIPT, "((define-fun x () Int"), Weight::Unclear(_)));
        assert!(matches!(weigh(SCRIPT, "sorry"), Weight::Unclear(_)));
    }
}
