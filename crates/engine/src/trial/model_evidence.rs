//! Models as evidence: our own evaluator checks the models that solvers print after `sat`.
//!
//! A model that makes every assertion true proves the script satisfiable, whichever solver gave it. One that makes an assertion
//! false is invalid, unless it leaves out a function that mattered: a solver may mean any value by that, and we do not know
//! which. A model that cannot be evaluated exactly proves nothing. Each model is evaluated once, when it arrives.

use gainsay_smt::eval::{self, EvalBudget, Evaluation, TruthValue};
use gainsay_smt::print::symbol_text;
use gainsay_smt::{IgnoreReason, Model, Script, TermView, sat_queries};
use serde::{Deserialize, Serialize};

use super::clauses::{self, ClauseCheck};
use super::statement::CrashReport;
use crate::solver::profile::Profile;
use crate::solver::run::{Answer, Run};
use crate::solver::version::Version;

/// The budget for evaluating one model: far less than a solver takes to find one.
pub(super) const MODEL_BUDGET: EvalBudget = EvalBudget { steps: 2_000_000, bytes: 32 << 20 };

/// The budget after a solver found every clause to hold: enough to prove that of a system without numbers, which is all that
/// an evaluator can do about quantifiers.
const BUDGET_AFTER_CLAUSE_CHECK: EvalBudget = EvalBudget { steps: 20_000, bytes: 1 << 20 };

/// Letters of an explanation that are shown.
const MAX_EXPLANATION_LETTERS: usize = 300;

/// Bytes of a model that are worth keeping in a record.
const MAX_RECORDED_MODEL_BYTES: usize = 64 << 10;

/// The model that a solver printed on request, and the result of evaluating it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelEvidence {
    /// The model as printed; `None` if the solver gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Why the model must not be held against the solver, if so: a quirk of its profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excuse: Option<String>,
    /// The result of checking it clause by clause, if the script is a system of Horn clauses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clauses: Option<ClauseCheck>,
    /// The crash at the request for a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crash: Option<CrashReport>,
    /// The result of our evaluator.
    #[serde(default)]
    pub check: ModelCheck,
}

/// The result of evaluating a model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelCheck {
    /// It was not evaluated yet.
    #[default]
    Pending,
    /// Every assertion is true under it.
    Holds,
    /// An assertion is false under it.
    Fails(ModelFailure),
    /// It proves nothing, and why.
    Unclear(String),
}

/// How a model fails.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelFailure {
    /// The operator of the smallest false part.
    pub operator: String,
    /// The smallest false part and the values of its own parts.
    pub why: String,
}

impl ModelEvidence {
    /// A model that a version of a solver printed for a script, in the spelling of the standard, with the excuse of the
    /// solver's profile, if any.
    pub fn given(profile: &Profile, version: Option<&Version>, script: &str, model: Option<String>) -> Self {
        let text = model.map(|model| profile.standard_model(model, version));
        let excuse = text.as_deref().and_then(|model| profile.model_excuse(script, model, version));
        ModelEvidence { text, excuse, ..ModelEvidence::default() }
    }

    /// The model of a run that asked for it at one question of a script, the last of `script`.
    pub fn asked(
        profile: &Profile,
        version: Option<&Version>,
        script: &str,
        question: usize,
        run: Option<Run>,
    ) -> Self {
        let crash = run.as_ref().and_then(CrashReport::of);
        let is_sat = |run: &Run| run.answers.len() == question + 1 && run.answers[question] == Answer::Sat;
        let model = run.filter(is_sat).and_then(|run| run.model);
        ModelEvidence { crash, ..ModelEvidence::given(profile, version, script, model) }
    }

    /// A model that nothing excuses, checked at the first question of a script.
    pub fn checked(model: String, script: &Script) -> Self {
        let mut evidence = ModelEvidence { text: Some(model), ..ModelEvidence::default() };
        evidence.check(script, 0);
        evidence
    }

    /// Returns true if it makes every assertion true.
    pub fn holds(&self) -> bool {
        self.check == ModelCheck::Holds
    }

    /// Returns true if it makes an assertion false.
    pub fn is_invalid(&self) -> bool {
        matches!(self.check, ModelCheck::Fails(_))
    }

    /// The code base by which every clause holds under it, if the script is a system of Horn clauses.
    pub fn upheld_by(&self) -> Option<&str> {
        match &self.clauses {
            Some(ClauseCheck::Upheld(family)) => Some(family),
            _ => None,
        }
    }

    /// Evaluates the assertions at a question, unless that was done.
    pub fn check(&mut self, script: &Script, question: usize) {
        if self.check == ModelCheck::Pending {
            self.check = self.evaluate(script, question);
        }
    }

    /// The same without models that are too long to record.
    #[must_use]
    pub fn for_record(mut self) -> Self {
        self.text = self.text.filter(|text| text.len() <= MAX_RECORDED_MODEL_BYTES);
        self
    }

    fn evaluate(&self, script: &Script, question: usize) -> ModelCheck {
        if let Some(excuse) = &self.excuse {
            return ModelCheck::Unclear(excuse.clone());
        }
        let Some(text) = &self.text else { return ModelCheck::Unclear("there is no model".to_owned()) };
        if let Some(ClauseCheck::Violated { clause, point }) = &self.clauses
            && let Some(failure) = clauses::failure(script, text, *clause, point)
        {
            return ModelCheck::Fails(failure);
        }
        let checks = sat_queries(script);
        let Some(check) = checks.get(question) else {
            return ModelCheck::Unclear("the script has no such check".to_owned());
        };
        let model = match Model::read(text, script, check) {
            Ok(model) => model,
            Err(error) => {
                return ModelCheck::Unclear(format!(
                    "the model cannot be read: {}",
                    shortened(&error.to_string())
                ));
            }
        };
        let budget = if self.upheld_by().is_some() { BUDGET_AFTER_CLAUSE_CHECK } else { MODEL_BUDGET };
        let evaluation = eval::evaluate(&model, check, budget);
        match evaluation.outcome() {
            TruthValue::True => match check.unsolved_definition(script, &model) {
                Some(name) => ModelCheck::Unclear(format!(
                    "{} is defined by its own values, which may have no solution",
                    script.arena().text(name)
                )),
                None => ModelCheck::Holds,
            },
            TruthValue::Undecided(why) => ModelCheck::Unclear(shortened(&why.to_string())),
            TruthValue::False => failure(&model, check, &evaluation),
        }
    }
}

fn failure(model: &Model, check: &gainsay_smt::SatQuery, evaluation: &Evaluation) -> ModelCheck {
    let terms = check.assertions.iter().chain(&check.assumptions);
    let mut outcomes = terms.zip(evaluation.assertions.iter().chain(&evaluation.assumptions));
    let explanation = outcomes
        .find(|(_, outcome)| **outcome == TruthValue::False)
        .and_then(|(&term, _)| eval::explain(model, term, MODEL_BUDGET));
    let Some(explanation) = explanation else {
        return ModelCheck::Unclear("an assertion is false, and it cannot be said why".to_owned());
    };
    let values = explanation.children.iter().map(|(text, value)| format!("{text} is {value}"));
    let values = values.collect::<Vec<_>>().join(", ");
    let truth = if explanation.value { "true" } else { "false" };
    let operator = match model.arena().view(explanation.term) {
        TermView::Application(head, _) => model.arena().text(head.symbol).to_owned(),
        TermView::Bind(binder, ..) => binder.name().to_owned(),
        _ => "a term".to_owned(),
    };
    let separator = if values.is_empty() { "" } else { ": " };
    let why = shortened(&format!("{} is {truth}{separator}{values}", explanation.text));
    ModelCheck::Fails(ModelFailure { operator, why: why + &ignored(model) })
}

/// A remark on definitions of the model that have no effect; empty if there are none. That a model repeats a definition of
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

pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_EXPLANATION_LETTERS) {
        Some((at, _)) => format!("{} …", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_smt::Signature;

    fn check(script: &str, model: &str) -> ModelCheck {
        let script = Script::parse(script, &Signature::standard()).unwrap();
        ModelEvidence::checked(model.to_owned(), &script).check
    }

    const DISJUNCTION_SCRIPT: &str =
        "(declare-const x Int)(declare-const y Int)(assert (or (< x 3) (= y 7)))(check-sat)";

    #[test]
    fn a_model_that_satisfies_holds() {
        assert_eq!(
            check(DISJUNCTION_SCRIPT, "((define-fun x () Int 2) (define-fun y () Int 0))"),
            ModelCheck::Holds
        );
        assert_eq!(
            check(DISJUNCTION_SCRIPT, "((define-fun x () Int 2))"),
            ModelCheck::Holds,
            "y does not matter"
        );
    }

    #[test]
    fn a_recursive_definition_may_have_no_solution_even_if_nothing_uses_it() {
        let unclear = check("(define-fun-rec b () Bool (not b))(check-sat)", "()");
        assert!(
            matches!(&unclear, ModelCheck::Unclear(why) if why.starts_with("b is defined")),
            "{unclear:?}"
        );
        assert_eq!(check("(define-fun-rec b () Bool true)(assert b)(check-sat)", "()"), ModelCheck::Holds);
        let down =
            "(define-fun-rec f ((x Int)) Int (ite (> x 0) (f (- x 1)) x))(assert (= (f 3) 0))(check-sat)";
        assert_eq!(check(down, "()"), ModelCheck::Holds);
    }

    #[test]
    fn a_model_that_does_not_satisfy_fails_and_says_where() {
        let ModelCheck::Fails(failure) =
            check(DISJUNCTION_SCRIPT, "((define-fun x () Int 5) (define-fun y () Int 0))")
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
        let ModelCheck::Fails(failure) = check(script, lie) else { panic!("it must fail") };
        assert_eq!(failure.why, "(< x x) is false: x is 5, x is 5; ignored in the model: <");
        let slander = "((define-fun x () Int 2) (define-fun y () Int 0) (define-fun or ((a Bool) (b Bool)) Bool false))";
        assert_eq!(check(DISJUNCTION_SCRIPT, slander), ModelCheck::Holds);
    }

    #[test]
    fn a_model_that_leaves_out_what_matters_proves_nothing() {
        let checked = check(DISJUNCTION_SCRIPT, "((define-fun x () Int 5))");
        assert_eq!(
            checked,
            ModelCheck::Unclear("y is not in the model, and its default value proves nothing".to_owned())
        );
        assert!(matches!(check(DISJUNCTION_SCRIPT, "((define-fun x () Int"), ModelCheck::Unclear(_)));
        assert!(matches!(check(DISJUNCTION_SCRIPT, "sorry"), ModelCheck::Unclear(_)));
    }
}
