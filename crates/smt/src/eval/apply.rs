//! One application at a time: the value of an operator or a function for given arguments, whatever the model says of the
//! arguments themselves. Exhaustion ([`crate::exhaust`]) evaluates with it what it has no machine code for.

use std::sync::Arc;

use super::evaluator::{EvalFrame, Evaluator, FrameState, FrameStep};
use super::{EvalResult, Undecided};
use crate::heap::is_heap_operator;
use crate::signature::Associativity;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Head, Term, TermView};
use crate::value::Value;

/// The points at which a function is evaluated to see whether it has values.
const MAX_POINTS: usize = 256;

impl Evaluator<'_> {
    /// The value of an application if its arguments have these values. An associative operator gets two at a time.
    ///
    /// The budget counts anew for each call.
    pub(crate) fn apply_to(&mut self, term: Term, values: Vec<Value>) -> EvalResult {
        self.restart_budget();
        let (base, scopes) = (self.answers.len(), self.scopes.len());
        self.frames.push(EvalFrame { term, base, scopes, state: FrameState::Parts, is_helper: true });
        self.answers.extend(values.into_iter().map(Ok));
        let step = self.applied(term, base);
        self.run_frames(step, scopes)
    }

    /// Returns true if an application has a value for all values of its arguments, and these are few.
    pub(crate) fn has_all_values(&mut self, term: Term) -> bool {
        let sorts: Vec<Sort> =
            self.arena.children(term).iter().map(|&child| self.arena.sort_of(child)).collect();
        let mut points = vec![Vec::new()];
        for sort in sorts {
            let Some(values) = self.all_values(sort).filter(|all| all.len() * points.len() <= MAX_POINTS)
            else {
                return false;
            };
            let longer = |point: Vec<Value>| {
                values
                    .iter()
                    .map(move |value| [point.as_slice(), std::slice::from_ref(value)].concat())
                    .collect::<Vec<_>>()
            };
            points = points.into_iter().flat_map(longer).collect();
        }
        points.into_iter().all(|point| self.apply_to(term, point).is_ok())
    }

    fn applied(&mut self, term: Term, base: usize) -> FrameStep {
        if let TermView::Apply(children) = self.arena.view(term) {
            return self.apply_taken(base, children[0]);
        }
        let TermView::Application(head, children) = self.arena.view(term) else {
            return super::evaluator::unknown("a term that is not an application");
        };
        let sort = self.arena.sort_of(term);
        if let Some(function) = self.resolved(head, children, sort) {
            let arguments = self.take_values(base);
            return self.call(function, arguments, sort);
        }
        match head.symbol {
            Symbol::SELECT => self.apply_taken(base, children[0]),
            symbol if is_heap_operator(symbol) => {
                let values = self.take_values(base);
                FrameStep::Done(self.heap_formula_on(term, &values))
            }
            Symbol::EQUAL => FrameStep::Done(self.same(base, base + 1).map(Value::Bool)),
            _ => self.operate(term, base, head),
        }
    }

    /// The function of the script or the model that an application refers to; `None` for an operator of a theory.
    pub(crate) fn resolved(&self, head: Head<'_>, children: &[Term], sort: Sort) -> Option<u32> {
        let function =
            self.model.has_functions(head.symbol).then(|| self.model.function(head, children, sort))??;
        let is_of_script = self.model.entry(function).is_of_script;
        (is_of_script || !self.operators.contains_key(&head.symbol)).then_some(function)
    }

    /// How an operator takes more than two arguments.
    pub(crate) fn associativity(&self, operator: Symbol) -> Option<Associativity> {
        self.operators.get(&operator).and_then(|(_, associativity)| *associativity)
    }

    /// All values of a sort, if it is small.
    pub(crate) fn all_values(&mut self, sort: Sort) -> Option<Arc<[Value]>> {
        self.domain(sort)
    }

    /// Some value of a sort.
    pub(crate) fn any_value(&mut self, sort: Sort) -> Result<Value, Undecided> {
        self.default_value(sort)
    }
}
