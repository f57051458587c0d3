//! Bounded refutations: is `false` derivable within so many steps?
//!
//! ```text
//! (=> (= x 0) (inv x))   (=> (inv x) (inv (+ x 3)))   (=> (and (inv x) (> x 4)) false)      in two steps asks for
//! inv at x0 with x0 > 4,   and   x0 = 0   or   x0 = x1 + 3, inv at x1,   and   x1 = 0   or   …
//! ```
//!
//! A model of this script is a derivation of `false`, and proves that the system has no model. An unsatisfiable script proves
//! nothing: derivations may be longer, and each level has only one instance of a predicate per call in a clause.

use rustc_hash::FxHashMap;

use super::write::conjunction;
use super::{Clause, FreshConstants, System};
use crate::arena::Arena;
use crate::command::{Command, Word};
use crate::script::Script;
use crate::sort::Sort;
use crate::substitute::Substitution;
use crate::symbol::Symbol;
use crate::term::{Head, Term};

/// The maximal number of clause uses in one script.
const MAX_CLAUSE_USES: usize = 4000;

/// An instance of a predicate.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct PredicateInstance {
    predicate: usize,
    level: usize,
    /// The number of the call of this predicate in a clause.
    call: usize,
}

impl System {
    /// A script that is satisfiable only if `false` is derivable within `steps` levels; `None` if it would be too
    /// large.
    pub fn unroll(&self, steps: usize) -> Option<Script> {
        let mut unrolling = Unrolling::new(self, steps);
        let queries = self.clauses.iter().filter(|clause| clause.head.is_none());
        let starts: Vec<Term> = queries.map(|clause| unrolling.used(clause, None, 0)).collect();
        let start = disjunction(&mut unrolling.arena, &starts);
        unrolling.assert(start);
        while let Some(instance) = unrolling.open.pop() {
            unrolling.derive(instance);
            if unrolling.uses > MAX_CLAUSE_USES {
                return None;
            }
        }
        let Unrolling { arena, mut commands, assertions, .. } = unrolling;
        commands.extend(assertions);
        commands.push(Command::CheckSat);
        Some(Script::new(arena, commands))
    }
}

struct Unrolling<'a> {
    system: &'a System,
    steps: usize,
    arena: Arena,
    commands: Vec<Command>,
    assertions: Vec<Command>,
    fresh: FreshConstants,
    substitution: Substitution,
    /// For each instance, the Boolean that says whether it is derived, and its arguments.
    known: FxHashMap<PredicateInstance, (Term, Vec<Term>)>,
    open: Vec<PredicateInstance>,
    uses: usize,
}

impl<'a> Unrolling<'a> {
    fn new(system: &'a System, steps: usize) -> Unrolling<'a> {
        let mut arena = system.arena().clone();
        let commands = system.preamble(&mut arena);
        Unrolling {
            system,
            steps,
            arena,
            commands,
            assertions: Vec::new(),
            fresh: FreshConstants::new("step", system.names.clone()),
            substitution: Substitution::default(),
            known: FxHashMap::default(),
            open: Vec::new(),
            uses: 0,
        }
    }

    fn assert(&mut self, term: Term) {
        self.assertions.push(Command::Term(Word::Assert, term, None));
    }

    /// Asserts that one of the clauses of its predicate derives an instance.
    fn derive(&mut self, instance: PredicateInstance) {
        let (derived, arguments) = self.known[&instance].clone();
        let PredicateInstance { predicate, level, .. } = instance;
        let system = self.system;
        let of_predicate = |clause: &&Clause| {
            clause.head.and_then(|head| system.call(head)).is_some_and(|(of, _)| of == predicate)
        };
        let mut ways = vec![self.arena.application(Head::plain(Symbol::NOT), &[derived], Sort::BOOL)];
        for clause in system.clauses.iter().filter(of_predicate) {
            if level < self.steps || system.calls(clause).is_empty() {
                ways.push(self.used(clause, Some(&arguments), level));
            }
        }
        let ways = disjunction(&mut self.arena, &ways);
        self.assert(ways);
    }

    /// The formula that uses a clause at a level to derive its head with these arguments.
    fn used(&mut self, clause: &Clause, arguments: Option<&[Term]>, level: usize) -> Term {
        self.uses += 1;
        let mut bindings = Vec::new();
        for variable in &clause.variables {
            let constant = self.fresh.constant(&mut self.arena, variable.sort, &mut self.commands);
            bindings.push((variable.name, constant));
        }
        let system = self.system;
        let (mut terms, mut made) = (Vec::new(), FxHashMap::default());
        for &condition in &clause.body {
            match system.call(condition) {
                None => terms.push(self.with(condition, &bindings)),
                Some((predicate, given)) => {
                    let call: &mut usize = made.entry(predicate).or_default();
                    let instance = PredicateInstance { predicate, level: level + 1, call: *call };
                    let (derived, own) = self.instance(instance);
                    *call += 1;
                    terms.push(derived);
                    terms.extend(self.equal(&own, given, &bindings));
                }
            }
        }
        if let (Some(arguments), Some((_, given))) =
            (arguments, clause.head.and_then(|head| system.call(head)))
        {
            terms.extend(self.equal(arguments, given, &bindings));
        }
        conjunction(&mut self.arena, &terms)
    }

    /// The equations between constants and the arguments of a call.
    fn equal(&mut self, own: &[Term], given: &[Term], bindings: &[(Symbol, Term)]) -> Vec<Term> {
        let mut terms = Vec::new();
        for (&own, &given) in own.iter().zip(given) {
            let given = self.with(given, bindings);
            terms.push(self.arena.application(Head::plain(Symbol::EQUAL), &[own, given], Sort::BOOL));
        }
        terms
    }

    fn with(&mut self, term: Term, bindings: &[(Symbol, Term)]) -> Term {
        let term = self.substitution.apply(&mut self.arena, term, bindings);
        term.expect("constants are captured by nothing")
    }

    /// The Boolean that says whether an instance is derived, and its arguments.
    fn instance(&mut self, instance: PredicateInstance) -> (Term, Vec<Term>) {
        if let Some(known) = self.known.get(&instance) {
            return known.clone();
        }
        let derived = self.fresh.constant(&mut self.arena, Sort::BOOL, &mut self.commands);
        let sorts = &self.system.predicates[instance.predicate].sorts;
        let arguments =
            sorts.iter().map(|&sort| self.fresh.constant(&mut self.arena, sort, &mut self.commands));
        let arguments: Vec<Term> = arguments.collect();
        self.known.insert(instance, (derived, arguments.clone()));
        self.open.push(instance);
        (derived, arguments)
    }
}

fn disjunction(arena: &mut Arena, terms: &[Term]) -> Term {
    match terms {
        [] => arena.application(Head::plain(Symbol::FALSE), &[], Sort::BOOL),
        [only] => *only,
        many => arena.application(Head::plain(Symbol::OR), many, Sort::BOOL),
    }
}
