//! Quantifiers.
//!
//! A quantifier over a finite domain is evaluated for each value, as long as that is affordable. For another domain, the body is
//! evaluated once with a variable of unknown value: a result that comes out nevertheless holds for all values. If none does, the
//! body is evaluated for some [sample points](super::sample_points): one witness proves `exists`, one counterexample refutes
//! `forall`.

use super::Undecided;
use super::evaluator::{Evaluator, FrameState, FrameStep, unknown};
use super::finite_domains::{FiniteDomain, SortSize};
use super::{EvalResult, TruthValue};
use crate::print::sort_text;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Binder, Term, Variable};
use crate::value::Value;

/// The maximal number of instances for which a quantifier is evaluated.
const MAX_QUANTIFIER_INSTANCES: usize = 1 << 20;
/// The maximal number of instances at sample points.
const MAX_SAMPLED_INSTANCES: usize = 64;
/// A quantifier may take one step in so many of the budget, so that it does not use up that of other assertions.
const BUDGET_DIVISOR: u64 = 2;

/// The instances of a quantifier.
pub(super) struct QuantifierInstances {
    /// The value of the body that decides the quantifier.
    decisive: bool,
    variables: Vec<QuantifiedVariable>,
    body: Term,
    next: usize,
    count: usize,
    undecided: Option<Undecided>,
    is_sampling: bool,
    /// The steps of the evaluator at which the quantifier gives up.
    last_step: u64,
}

struct QuantifiedVariable {
    name: Symbol,
    sort: Sort,
    range: VariableRange,
}

/// The values that a variable takes.
enum VariableRange {
    /// All of its sort.
    All(FiniteDomain),
    /// One that is not known, for this reason.
    Unknown(Undecided),
    /// Some of its sort.
    Points(Vec<Value>),
}

impl VariableRange {
    fn len(&self) -> usize {
        match self {
            VariableRange::All(domain) => domain.len(),
            VariableRange::Unknown(_) => 1,
            VariableRange::Points(points) => points.len(),
        }
    }

    fn value(&self, number: usize) -> EvalResult {
        match self {
            VariableRange::All(domain) => Ok(domain.value(number)),
            VariableRange::Unknown(reason) => Err(reason.clone()),
            VariableRange::Points(points) => Ok(points[number].clone()),
        }
    }
}

impl QuantifierInstances {
    /// The values of the variables in the next instance.
    fn next_instance(&mut self) -> Vec<(Symbol, EvalResult)> {
        let mut rest = self.next;
        self.next += 1;
        let bind = |variable: &QuantifiedVariable| {
            let size = variable.range.len();
            let value = variable.range.value(rest % size);
            rest /= size;
            (variable.name, value)
        };
        self.variables.iter().map(bind).collect()
    }

    /// Takes note of the truth value of the body in an instance; returns that of the quantifier if this decides it.
    fn note(&mut self, outcome: TruthValue) -> Option<bool> {
        let value = match outcome {
            TruthValue::True => true,
            TruthValue::False => false,
            TruthValue::Undecided(reason) => {
                self.undecided.get_or_insert(reason);
                return None;
            }
        };
        (value == self.decisive).then_some(value)
    }
}

impl Evaluator<'_> {
    pub(super) fn begin_quantifier(
        &mut self,
        binder: Binder,
        variables: &[Variable],
        body: Term,
    ) -> FrameStep {
        let variables = self.quantified(variables);
        let count = variables.iter().map(|variable| variable.range.len()).product();
        let instances = QuantifierInstances {
            decisive: binder == Binder::Exists,
            variables,
            body,
            next: 0,
            count,
            undecided: None,
            is_sampling: false,
            last_step: self.steps() + self.budget.steps / BUDGET_DIVISOR,
        };
        self.frames.last_mut().expect("the frame of the quantifier").state =
            FrameState::Instances(Box::new(instances));
        self.advance_instances()
    }

    /// The variables with their ranges; the smallest domains are enumerated, as many as fit.
    fn quantified(&mut self, variables: &[Variable]) -> Vec<QuantifiedVariable> {
        let mut domains: Vec<(Sort, Option<FiniteDomain>)> = Vec::new();
        for variable in variables {
            let sort = self.arena.canonical(variable.sort);
            domains.push((sort, self.quantified_domain(sort)));
        }
        let size = |place: &usize| domains[*place].1.as_ref().map_or(usize::MAX, FiniteDomain::len);
        let mut smallest_first: Vec<usize> = (0..variables.len()).collect();
        smallest_first.sort_by_key(size);
        let mut count = 1usize;
        let mut fits = vec![false; variables.len()];
        for place in smallest_first {
            let product = count.checked_mul(size(&place)).filter(|&all| all <= MAX_QUANTIFIER_INSTANCES);
            fits[place] = product.is_some();
            count = product.unwrap_or(count);
        }
        let mut quantified = Vec::new();
        for ((variable, (sort, domain)), fits) in variables.iter().zip(domains).zip(fits) {
            let range = match domain.filter(|_| fits) {
                Some(domain) => VariableRange::All(domain),
                None => VariableRange::Unknown(self.why_not_enumerated(sort)),
            };
            quantified.push(QuantifiedVariable { name: variable.name, sort, range });
        }
        quantified
    }

    /// Why a quantifier over a sort is not evaluated for each value.
    fn why_not_enumerated(&mut self, sort: Sort) -> Undecided {
        let shown = sort_text(self.arena, sort);
        match self.size_of(sort) {
            SortSize::Infinite => Undecided::Infinite(
                format!("a quantifier over infinitely many values of sort {shown}").into(),
            ),
            SortSize::Finite => {
                Undecided::TooLarge(format!("a quantifier over too many values of sort {shown}").into())
            }
            SortSize::Unlisted => Undecided::Model(
                format!("a quantifier over sort {shown}, whose elements the model does not list").into(),
            ),
        }
    }

    pub(super) fn advance_instances(&mut self) -> FrameStep {
        let frame = self.frames.last().expect("the frame of the quantifier");
        let scopes = frame.scopes;
        let outcome = (self.answers.len() > frame.base).then(|| self.answers.pop()).flatten();
        let steps = self.steps();
        let FrameState::Instances(instances) = &mut self.frames.last_mut().expect("it is there").state else {
            return unknown("a quantifier");
        };
        if let Some(value) = outcome.and_then(|outcome| instances.note(truth_value(outcome))) {
            return FrameStep::Done(Ok(Value::Bool(value)));
        }
        if steps > instances.last_step && instances.next < instances.count {
            let reason = "a quantifier over so many values that it takes too many steps";
            return FrameStep::Done(Err(Undecided::TooLarge(reason.into())));
        }
        if instances.next == instances.count {
            let Some(undecided) = instances.undecided.take() else {
                return FrameStep::Done(Ok(Value::Bool(!instances.decisive)));
            };
            if !self.begin_sampling(&undecided) {
                return FrameStep::Done(Err(undecided));
            }
        }
        let FrameState::Instances(instances) = &mut self.frames.last_mut().expect("it is there").state else {
            return unknown("a quantifier");
        };
        let (bound, body) = (instances.next_instance(), instances.body);
        self.close_scopes_to(scopes);
        self.open(bound.into_iter());
        FrameStep::Evaluate(body)
    }

    /// Begins with the instances at sample points; returns false if that was done or there are none.
    fn begin_sampling(&mut self, undecided: &Undecided) -> bool {
        let frame = self.frames.last().expect("the frame of the quantifier");
        let FrameState::Instances(instances) = &frame.state else { return false };
        let is_unknown = |variable: &QuantifiedVariable| matches!(variable.range, VariableRange::Unknown(_));
        let unknown = instances.variables.iter().filter(|variable| is_unknown(variable)).count();
        if instances.is_sampling || unknown == 0 {
            return false;
        }
        let body = instances.body;
        let sorts: Vec<Sort> = instances.variables.iter().map(|variable| variable.sort).collect();
        let most = points_per_variable(unknown);
        let points: Vec<Vec<Value>> =
            sorts.iter().map(|&sort| self.sample_points(body, sort, most)).collect();
        let FrameState::Instances(instances) = &mut self.frames.last_mut().expect("it is there").state else {
            return false;
        };
        for (variable, points) in instances.variables.iter_mut().zip(points) {
            if matches!(variable.range, VariableRange::Unknown(_)) && !points.is_empty() {
                variable.range = VariableRange::Points(points);
            }
        }
        let sizes = instances.variables.iter().map(|variable| variable.range.len());
        let count = sizes.fold(1, usize::saturating_mul).min(MAX_SAMPLED_INSTANCES);
        (instances.next, instances.count, instances.is_sampling) = (0, count, true);
        // No number of instances decides what is undecided for all values.
        instances.undecided = Some(undecided.clone());
        true
    }
}

fn truth_value(answer: EvalResult) -> TruthValue {
    match answer {
        Ok(Value::Bool(true)) => TruthValue::True,
        Ok(Value::Bool(false)) => TruthValue::False,
        Ok(_) => TruthValue::Undecided(Undecided::Unknown("not a Boolean".into())),
        Err(undecided) => TruthValue::Undecided(undecided),
    }
}

/// How many points each of some variables gets.
fn points_per_variable(variables: usize) -> usize {
    let product = |points: usize| (0..variables).fold(1usize, |all, _| all.saturating_mul(points));
    (2..=MAX_SAMPLED_INSTANCES).rev().find(|&points| product(points) <= MAX_SAMPLED_INSTANCES).unwrap_or(2)
}
