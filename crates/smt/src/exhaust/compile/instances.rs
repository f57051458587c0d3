//! Binders: quantifiers become instances, and a `match` becomes a chain of `ite`.

use std::sync::Arc;

use super::{CompileTask, Compiler, QuantifierChoices, int_domain};
use crate::eval::Undecided;
use crate::exhaust::bounds::Bounds;
use crate::exhaust::cases::Cases;
use crate::exhaust::domains::{self, PointDomain};
use crate::exhaust::native::WordShape;
use crate::exhaust::program::{Code, NodeId, Program};
use crate::exhaust::words::WordKind;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Binder, Term, TermView, Variable};

/// Instances of one quantifier.
const MAX_INSTANCES: u128 = 1 << 12;
/// The values of a variable with too many that are tried.
const MAX_SAMPLED_VALUES: usize = 6;

impl Compiler<'_, '_> {
    /// Compiles the body of a quantifier for all values of its variables.
    pub(super) fn visit_instances(
        &mut self,
        term: Term,
        binder: Binder,
        variables: &[Variable],
        scope: u32,
        base: usize,
    ) {
        let body = self.arena.children(term)[0];
        let choices = match self.choices.get(&term) {
            Some(known) => Arc::clone(known),
            None => {
                let made = Arc::new(self.quantifier_choices(binder, variables, body));
                self.choices.insert(term, Arc::clone(&made));
                made
            }
        };
        self.tasks.push(CompileTask::Instances(binder, base));
        let mut instances = vec![Vec::with_capacity(variables.len())];
        for choices in &choices.nodes {
            instances = match choices.as_slice() {
                [only] => {
                    instances.iter_mut().for_each(|instance: &mut Vec<NodeId>| instance.push(*only));
                    instances
                }
                _ => {
                    let longer = |start: &Vec<NodeId>| {
                        let start = start.clone();
                        choices.iter().map(move |&choice| [start.as_slice(), &[choice]].concat())
                    };
                    instances.iter().flat_map(longer).collect()
                }
            };
        }
        for nodes in instances {
            let inner = self.open_scope(scope, Arc::clone(&choices.names), nodes);
            self.tasks.push(CompileTask::Visit(body, inner));
        }
    }

    /// The nodes of the values of a quantifier's variables, if they are few; else one that is never known.
    fn quantifier_choices(
        &mut self,
        binder: Binder,
        variables: &[Variable],
        body: Term,
    ) -> QuantifierChoices {
        let guard = self.guard_bounds(binder, body);
        let cases = Cases::of_signed(&self.theory, &[(body, binder == Binder::Exists)]);
        let mut count = 1;
        let mut nodes = Vec::new();
        for variable in variables {
            let sort = self.arena.canonical(variable.sort);
            let kind = WordKind::of(self.arena, sort);
            let domain = self.variable_domain(*variable, sort, body, &guard, &cases);
            if domain.as_ref().is_some_and(|domain| domain.count() == 0) {
                // No instance matters, however many values the other variables have.
                nodes = vec![Vec::new()];
                break;
            }
            let domain = domain.filter(|domain| count * domain.count() <= MAX_INSTANCES);
            nodes.push(match domain {
                Some(domain) => {
                    count *= domain.count();
                    let mut cursor = domain.cursor(&[]);
                    let words = std::iter::from_fn(|| cursor.next());
                    words.map(|word| self.program.constant(kind, word)).collect()
                }
                None => {
                    let sample = self.sampled(sort, kind, MAX_INSTANCES / count);
                    count *= sample.len() as u128;
                    sample
                }
            });
        }
        QuantifierChoices { names: variables.iter().map(|variable| variable.name).collect(), nodes }
    }

    /// A few values of a sort, which may decide a quantifier, and one that is never known for all others.
    fn sampled(&mut self, sort: Sort, kind: WordKind, most: u128) -> Vec<NodeId> {
        let domain = self.domain_of(sort);
        let mut cursor = domain.cursor(&[]);
        let few = (most as usize).saturating_sub(1).min(MAX_SAMPLED_VALUES);
        let words: Vec<u64> = std::iter::from_fn(|| cursor.next()).take(few).collect();
        let mut nodes: Vec<NodeId> =
            words.into_iter().map(|word| self.program.constant(kind, word)).collect();
        let reason = Undecided::Infinite("a quantifier over too many values".into());
        nodes.push(self.program.unclear(kind, reason));
        nodes
    }

    /// The bounds of variables that the body of a quantifier imposes: outside of them, an instance does not matter.
    fn guard_bounds(&self, binder: Binder, body: Term) -> Bounds {
        Bounds::of_signed(&self.theory, vec![(body, binder == Binder::Exists)])
    }

    fn variable_domain(
        &mut self,
        variable: Variable,
        sort: Sort,
        body: Term,
        guard: &Bounds,
        cases: &Cases,
    ) -> Option<PointDomain> {
        let is_it =
            |term: &Term| matches!(self.arena.view(*term), TermView::Variable(name) if name == variable.name);
        let occurrence = self.arena.reachable([body]).find(is_it);
        let complete = match sort {
            Sort::INT => occurrence.and_then(|term| int_domain(guard, term)),
            _ => {
                let Program { evaluator, words, .. } = &mut *self.program;
                domains::complete_domain(self.arena, evaluator, words, sort)
            }
        };
        let listed = occurrence.and_then(|term| self.listed_domain(cases, term, sort));
        match (complete, listed) {
            (Some(complete), Some(listed)) if listed.count() < complete.count() => Some(listed),
            (complete, listed) => complete.or(listed),
        }
    }

    pub(super) fn visit_cases(&mut self, term: Term, scope: u32) {
        let TermView::Match(cases, children) = self.arena.view(term) else { return };
        let matched = self.nodes.pop().expect("the term that is matched");
        let base = self.nodes.len();
        let mut tests = Vec::new();
        let mut bodies = Vec::new();
        for (place, case) in cases.iter().enumerate() {
            let names: Vec<Symbol> = case.variables.iter().map(|variable| variable.name).collect();
            let (test, nodes) = match case.constructor {
                None => (self.program.constant(WordKind::Bool, 1), vec![matched; names.len()]),
                Some(constructor) => {
                    let test = self.program.add(
                        Code::IsMadeBy(constructor),
                        WordShape::default(),
                        WordKind::Bool,
                        &[matched],
                    );
                    let field = |(place, variable): (usize, &Variable)| {
                        let kind = WordKind::of(self.arena, self.arena.canonical(variable.sort));
                        let code = Code::Field(constructor, place as u32);
                        self.program.add(code, WordShape::default(), kind, &[matched])
                    };
                    (test, case.variables.iter().enumerate().map(field).collect())
                }
            };
            tests.push(test);
            bodies.push((children[place + 1], self.open_scope(scope, names, nodes)));
        }
        self.tasks.push(CompileTask::Join(term, base, tests));
        self.tasks.extend(bodies.into_iter().rev().map(|(body, inner)| CompileTask::Visit(body, inner)));
    }

    pub(super) fn join_cases(&mut self, term: Term, base: usize, tests: &[NodeId]) {
        let bodies = self.nodes.split_off(base);
        let kind = WordKind::of(self.arena, self.arena.sort_of(term));
        let reason = Undecided::Unknown("a match without a case for the value".into());
        let mut node = self.program.unclear(kind, reason);
        for (&test, body) in tests.iter().zip(bodies).rev() {
            node = self.program.add(Code::Ite, WordShape::default(), kind, &[test, body, node]);
        }
        self.nodes.push(node);
    }
}
