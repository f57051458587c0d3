//! From an assertion to its clauses.
//!
//! ```text
//! (not (exists ((x Int)) (and (P x) (or (Q x) (< x 0)))))   says   (P x), (Q x) ⇒ false   and   (P x), (< x 0) ⇒ false
//! ```
//!
//! A term is either a premise (given) or a conclusion (to be shown). A conjunction of premises, or a disjunction of
//! conclusions, extends the current clause; the other connectives split it. A term without predicates is a constraint. What
//! remains must be an application of a predicate: as a premise it is a condition, as a conclusion it is the only head.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Clause, UsedNames};
use crate::arena::Arena;
use crate::print::symbol_text;
use crate::sort::Sort;
use crate::substitute::Substitution;
use crate::symbol::Symbol;
use crate::term::{Binder, Head, Term, TermView, Variable};

/// The maximal number of clauses of one assertion.
const MAX_CLAUSES_PER_ASSERTION: usize = 1000;

/// The maximal size of a clause as a tree, without sharing.
const MAX_CLAUSE_NODES: u64 = 1_000_000;

/// Turns assertions into clauses.
pub struct Clausify<'a> {
    pub arena: &'a mut Arena,
    pub predicates: &'a FxHashSet<Symbol>,
    names: &'a mut UsedNames,
    /// Memo: whether a term contains a predicate.
    holds: FxHashMap<Term, bool>,
    sizes: FxHashMap<Term, u64>,
    substitution: Substitution,
}

/// The side of the implication that a term is on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ClauseSide {
    /// It is a premise.
    Premise,
    /// It is a conclusion.
    Conclusion,
}

impl ClauseSide {
    fn other(self) -> ClauseSide {
        if self == ClauseSide::Premise { ClauseSide::Conclusion } else { ClauseSide::Premise }
    }
}

/// A clause with terms that are still to be processed, the next one last.
#[derive(Clone, Default)]
struct PartialClause {
    variables: Vec<Variable>,
    body: Vec<Term>,
    head: Option<Term>,
    open: Vec<(Term, ClauseSide)>,
}

impl PartialClause {
    /// The same clause with these terms to be processed next, in order.
    fn with(mut self, terms: &[(Term, ClauseSide)]) -> PartialClause {
        self.open.extend(terms.iter().rev());
        self
    }
}

impl<'a> Clausify<'a> {
    pub fn new(
        arena: &'a mut Arena,
        predicates: &'a FxHashSet<Symbol>,
        names: &'a mut UsedNames,
    ) -> Clausify<'a> {
        let (holds, sizes, substitution) = Default::default();
        Clausify { arena, predicates, names, holds, sizes, substitution }
    }

    /// The clauses of an assertion, or why it has none.
    pub fn clauses(&mut self, assertion: Term) -> Result<Vec<Clause>, String> {
        let mut clauses =
            self.split(PartialClause::default().with(&[(assertion, ClauseSide::Conclusion)]))?;
        if let [only] = clauses.as_mut_slice() {
            only.written = Some(assertion);
        }
        Ok(clauses)
    }

    /// The clauses of a query, which must not be derivable.
    pub fn query(&mut self, asked: Term) -> Result<Vec<Clause>, String> {
        self.split(PartialClause::default().with(&[(asked, ClauseSide::Premise)]))
    }

    fn split(&mut self, whole: PartialClause) -> Result<Vec<Clause>, String> {
        let (mut partials, mut done) = (vec![whole], Vec::new());
        while let Some(mut partial) = partials.pop() {
            let Some((term, side)) = partial.open.pop() else {
                done.push(self.finish(partial)?);
                continue;
            };
            partials.extend(self.process_term(partial, term, side)?.into_iter().rev());
            if partials.len() + done.len() > MAX_CLAUSES_PER_ASSERTION {
                return Err(format!("it says more than {MAX_CLAUSES_PER_ASSERTION} clauses"));
            }
        }
        Ok(done)
    }

    fn finish(&mut self, partial: PartialClause) -> Result<Clause, String> {
        let terms = partial.body.iter().chain(&partial.head);
        let size = terms.fold(0_u64, |sum, &term| sum.saturating_add(self.size(term)));
        if size > MAX_CLAUSE_NODES {
            return Err("it is too large once its lets are expanded".to_owned());
        }
        let PartialClause { variables, body, head, .. } = partial;
        Ok(Clause { variables, body, head, written: None })
    }

    /// Adds one term to a clause, which may split it.
    fn process_term(
        &mut self,
        mut partial: PartialClause,
        term: Term,
        side: ClauseSide,
    ) -> Result<Vec<PartialClause>, String> {
        if !self.holds(term) {
            partial.body.extend(self.constraint(term, side));
            return Ok(vec![partial]);
        }
        match self.arena.view(term) {
            TermView::Annotated(_, children) => {
                let inner = children[0];
                Ok(vec![partial.with(&[(inner, side)])])
            }
            TermView::Let(variables, children) => {
                let bindings: Vec<(Symbol, Term)> =
                    variables.iter().map(|variable| variable.name).zip(children.iter().copied()).collect();
                let body = children[children.len() - 1];
                let body = self.substitution.apply(self.arena, body, &bindings);
                let body = body.ok_or("a variable of a let is bound again inside of it")?;
                Ok(vec![partial.with(&[(body, side)])])
            }
            TermView::Bind(binder, variables, bodies) => {
                let (variables, body) = (variables.to_vec(), bodies[0]);
                let fits = matches!(
                    (binder, side),
                    (Binder::Forall, ClauseSide::Conclusion) | (Binder::Exists, ClauseSide::Premise)
                );
                if !fits {
                    return Err(format!("quantifiers alternate: {} holds a predicate", shape(binder, side)));
                }
                let body = self.bind(&mut partial, &variables, body)?;
                Ok(vec![partial.with(&[(body, side)])])
            }
            TermView::Application(head, arguments) if self.predicates.contains(&head.symbol) => {
                if arguments.iter().any(|argument| self.holds.get(argument) == Some(&true)) {
                    let name = symbol_text(self.arena, head.symbol);
                    return Err(format!("an argument of {name} holds a predicate"));
                }
                match (side, partial.head) {
                    (ClauseSide::Premise, _) => partial.body.push(term),
                    (ClauseSide::Conclusion, None) => partial.head = Some(term),
                    (ClauseSide::Conclusion, Some(first)) => return Err(self.two_heads(first, term)),
                }
                Ok(vec![partial])
            }
            TermView::Application(head, arguments) => {
                let (symbol, arguments) = (head.symbol, arguments.to_vec());
                self.connective(&partial, symbol, &arguments, side)
            }
            _ => Err("a predicate stands where it cannot be taken apart".to_owned()),
        }
    }

    /// Adds a connective to a clause, which may split it.
    fn connective(
        &self,
        partial: &PartialClause,
        symbol: Symbol,
        arguments: &[Term],
        side: ClauseSide,
    ) -> Result<Vec<PartialClause>, String> {
        use ClauseSide::{Conclusion, Premise};
        let all = |side: ClauseSide| arguments.iter().map(|&term| (term, side)).collect::<Vec<_>>();
        let one = |terms: &[(Term, ClauseSide)]| vec![partial.clone().with(terms)];
        let each = |side: ClauseSide| -> Vec<PartialClause> {
            all(side).into_iter().map(|term| partial.clone().with(&[term])).collect()
        };
        Ok(match (symbol, arguments, side) {
            (Symbol::NOT, [inner], _) => one(&[(*inner, side.other())]),
            (Symbol::AND, _, Premise) => one(&all(Premise)),
            (Symbol::AND, _, Conclusion) => each(Conclusion),
            (Symbol::OR, _, Conclusion) => one(&all(Conclusion)),
            (Symbol::OR, _, Premise) => each(Premise),
            (Symbol::IMPLIES, [conditions @ .., conclusion], Conclusion) => {
                let mut terms: Vec<(Term, ClauseSide)> =
                    conditions.iter().map(|&term| (term, Premise)).collect();
                terms.push((*conclusion, Conclusion));
                one(&terms)
            }
            (Symbol::IMPLIES, [conditions @ .., conclusion], Premise) => {
                let mut split: Vec<PartialClause> =
                    conditions.iter().map(|&term| partial.clone().with(&[(term, Conclusion)])).collect();
                split.extend(one(&[(*conclusion, Premise)]));
                split
            }
            (Symbol::ITE, [condition, yes, no], _) => {
                let mut split = one(&[(*condition, Premise), (*yes, side)]);
                split.extend(one(&[(*condition, Conclusion), (*no, side)]));
                split
            }
            (Symbol::EQUAL, [left, right], Conclusion) => {
                let mut split = one(&[(*left, Premise), (*right, Conclusion)]);
                split.extend(one(&[(*right, Premise), (*left, Conclusion)]));
                split
            }
            (Symbol::EQUAL, [left, right], Premise) => {
                let mut split = one(&[(*left, Premise), (*right, Premise)]);
                split.extend(one(&[(*left, Conclusion), (*right, Conclusion)]));
                split
            }
            _ => return Err(format!("a predicate stands below {}", symbol_text(self.arena, symbol))),
        })
    }

    /// A term without predicates as a condition; `None` if it is trivial.
    fn constraint(&mut self, term: Term, side: ClauseSide) -> Option<Term> {
        let of_not = match self.arena.view(term) {
            TermView::Application(head, [inner]) if head.symbol == Symbol::NOT => Some(*inner),
            _ => None,
        };
        let is = |arena: &Arena, term: Term, word: Symbol| matches!(arena.view(term), TermView::Application(head, []) if head.symbol == word);
        let condition = match (side, of_not) {
            (ClauseSide::Premise, _) if is(self.arena, term, Symbol::TRUE) => return None,
            (ClauseSide::Premise, _) => term,
            (ClauseSide::Conclusion, _) if is(self.arena, term, Symbol::FALSE) => return None,
            (ClauseSide::Conclusion, Some(inner)) => inner,
            (ClauseSide::Conclusion, None) => {
                self.arena.application(Head::plain(Symbol::NOT), &[term], Sort::BOOL)
            }
        };
        Some(condition)
    }

    /// Adds variables to a clause, renaming those whose names it has already; returns the body with the new names.
    fn bind(
        &mut self,
        partial: &mut PartialClause,
        variables: &[Variable],
        body: Term,
    ) -> Result<Term, String> {
        let mut bindings = Vec::new();
        for &variable in variables {
            let mut own = variable;
            if partial.variables.iter().any(|other| other.name == variable.name) {
                let text = self.arena.text(variable.name).to_owned();
                own.name = self.names.fresh(self.arena, &text);
                bindings.push((variable.name, self.arena.variable(own)));
            }
            partial.variables.push(own);
        }
        if bindings.is_empty() {
            return Ok(body);
        }
        let renamed = self.substitution.apply(self.arena, body, &bindings);
        Ok(renamed.expect("a name that nothing has is captured by nothing"))
    }

    fn two_heads(&self, first: Term, second: Term) -> String {
        let name = |term: Term| match self.arena.view(term) {
            TermView::Application(head, _) => symbol_text(self.arena, head.symbol),
            _ => "?".to_owned(),
        };
        format!("two heads, {} and {}", name(first), name(second))
    }

    /// Returns true if a term is or contains an application of a predicate.
    pub fn holds(&mut self, term: Term) -> bool {
        let mut open = vec![term];
        while let Some(&next) = open.last() {
            let is_call = |view: &TermView<'_>| matches!(view, TermView::Application(head, _) if self.predicates.contains(&head.symbol));
            let view = self.arena.view(next);
            let below = view.children();
            let before = open.len();
            open.extend(below.iter().filter(|child| !self.holds.contains_key(child)));
            if open.len() == before {
                let holds = is_call(&view) || below.iter().any(|child| self.holds[child]);
                self.holds.insert(next, holds);
                open.pop();
            }
        }
        self.holds[&term]
    }

    /// The number of nodes of a term as a tree.
    fn size(&mut self, term: Term) -> u64 {
        let mut open = vec![term];
        while let Some(&next) = open.last() {
            let below = self.arena.children(next);
            let before = open.len();
            open.extend(below.iter().filter(|child| !self.sizes.contains_key(child)));
            if open.len() == before {
                let size = below.iter().fold(1_u64, |sum, child| sum.saturating_add(self.sizes[child]));
                self.sizes.insert(next, size);
                open.pop();
            }
        }
        self.sizes[&term]
    }
}

fn shape(binder: Binder, side: ClauseSide) -> String {
    let place = if side == ClauseSide::Premise { "a condition" } else { "a conclusion" };
    format!("{} in {place}", binder.name())
}
