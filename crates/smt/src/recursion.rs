//! Recursive definitions that have a solution.
//!
//! ```text
//! (define-fun-rec length ((l List)) Int (ite ((_ is nil) l) 0 (+ 1 (length (tail l)))))      has one: the list gets shorter
//! (define-fun-rec b () Bool (not b))                                                         has none
//! ```
//!
//! A recursive definition is an axiom. If each call is about a smaller argument, and no argument becomes smaller for ever, exactly one
//! function satisfies the axiom, so the definition restricts nothing else. That is shown here by the text of the definition: one
//! parameter is a value of a datatype and each call gets a part of it, or it is an integer and each call moves it towards a bound.
//! A call matters only where the conditions around it hold; a selector yields a part only of a value that its constructor made.

use crate::arena::Arena;
use crate::command::{Constructor, DatatypeDeclaration, Definition};
use crate::sort::{Index, Sort};
use crate::symbol::Symbol;
use crate::term::{Literal, Term, TermView};

/// Terms that are visited for one parameter; a term counts once for each way that leads to it.
const MAX_DESCENT_STEPS: usize = 20_000;

/// Returns true if these definitions, which may call each other, have a solution whatever else is declared.
pub(crate) fn is_well_founded(
    arena: &Arena,
    datatypes: &[&DatatypeDeclaration],
    definitions: &[Definition],
) -> bool {
    let calls = CallingTerms::of(arena, definitions);
    if definitions.iter().all(|definition| !calls.contains(definition.body)) {
        return true;
    }
    let places = definitions.iter().map(|definition| definition.parameters.len()).min().unwrap_or(0);
    let measures = [Measure::Structure, Measure::AboveBound, Measure::BelowBound];
    (0..places).any(|place| {
        measures.iter().any(|&measure| {
            let mut descent = Descent {
                arena,
                datatypes,
                definitions,
                calls: &calls,
                place,
                measure,
                contexts: Vec::new(),
            };
            descent.holds()
        })
    })
}

/// What becomes smaller from call to call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Measure {
    /// A value of a datatype, of which a call gets a part.
    Structure,
    /// An integer that is decreased as long as it is above a bound.
    AboveBound,
    /// An integer that is increased as long as it is below a bound.
    BelowBound,
}

/// The terms with a call of one of the definitions, or with its name as an index.
struct CallingTerms<'d> {
    definitions: &'d [Definition],
    /// One for each term up to the largest body.
    is_calling: Vec<bool>,
}

impl<'d> CallingTerms<'d> {
    fn of(arena: &Arena, definitions: &'d [Definition]) -> CallingTerms<'d> {
        let bodies = || definitions.iter().map(|definition| definition.body);
        let count = bodies().map(|body| body.index() + 1).max().unwrap_or(0);
        let mut calls = CallingTerms { definitions, is_calling: vec![false; count] };
        let mut terms: Vec<Term> = arena.reachable(bodies()).collect();
        // Children come before their parents.
        terms.sort_unstable();
        for term in terms {
            let is_call = match arena.view(term) {
                TermView::Application(head, _) => {
                    calls.called(head.symbol).is_some()
                        || head.indices.iter().any(|index| match index {
                            Index::Symbol(name) => calls.called(*name).is_some(),
                            Index::Numeral(_) => false,
                        })
                }
                TermView::Opaque(_) => true,
                _ => false,
            };
            let is_calling = is_call || arena.children(term).iter().any(|&child| calls.contains(child));
            calls.is_calling[term.index()] = is_calling;
        }
        calls
    }

    fn contains(&self, term: Term) -> bool {
        self.is_calling[term.index()]
    }

    fn called(&self, name: Symbol) -> Option<&'d Definition> {
        self.definitions.iter().find(|definition| definition.name == name)
    }
}

/// Something that is known at a place of a body, and what is known around it.
struct DescentContext {
    parent: usize,
    fact: DescentFact,
}

#[derive(Clone, Copy)]
enum DescentFact {
    /// The body of this definition.
    Body(usize),
    /// A condition is true or false.
    Holds(Term, bool),
    /// A `let` binds the name to a term.
    Let(Symbol, Term),
    /// A value was made by the constructor, and the name is a field of it.
    Field(Symbol, Term),
    /// A value was made by the constructor.
    MadeBy(Symbol, Term),
    /// A name that is bound to anything.
    Bound(Symbol),
}

/// One attempt to show that all calls get smaller arguments.
struct Descent<'a> {
    arena: &'a Arena,
    datatypes: &'a [&'a DatatypeDeclaration],
    definitions: &'a [Definition],
    calls: &'a CallingTerms<'a>,
    /// The parameter that is measured, in all definitions.
    place: usize,
    measure: Measure,
    contexts: Vec<DescentContext>,
}

impl Descent<'_> {
    fn holds(&mut self) -> bool {
        let mut open = Vec::new();
        for (number, definition) in self.definitions.iter().enumerate() {
            let context = self.add(0, DescentFact::Body(number));
            open.push((definition.body, context));
        }
        let mut steps = 0;
        while let Some((term, context)) = open.pop() {
            steps += 1;
            if steps > MAX_DESCENT_STEPS {
                return false;
            }
            if self.calls.contains(term) && self.visit(term, context, &mut open).is_none() {
                return false;
            }
        }
        true
    }

    fn add(&mut self, parent: usize, fact: DescentFact) -> usize {
        self.contexts.push(DescentContext { parent, fact });
        self.contexts.len() - 1
    }

    /// The facts at a place, the innermost first.
    fn facts(&self, context: usize) -> impl Iterator<Item = DescentFact> {
        let mut next = Some(context);
        std::iter::from_fn(move || {
            let DescentContext { parent, fact } = &self.contexts[next?];
            next = (!matches!(fact, DescentFact::Body(_))).then_some(*parent);
            Some(*fact)
        })
    }

    /// Checks a call, and lists the parts of a term that have calls; `None` if nothing can be shown.
    fn visit(&mut self, term: Term, context: usize, open: &mut Vec<(Term, usize)>) -> Option<()> {
        match self.arena.view(term) {
            TermView::Annotated(_, children) => open.push((children[0], context)),
            TermView::Let(variables, children) => {
                let (values, body) = children.split_at(variables.len());
                open.extend(values.iter().map(|&value| (value, context)));
                let mut inner = context;
                for (variable, &value) in variables.iter().zip(values) {
                    inner = self.bind(inner, variable.name, DescentFact::Let(variable.name, value))?;
                }
                open.push((body[0], inner));
            }
            TermView::Bind(_, variables, children) => {
                let mut inner = context;
                for variable in variables {
                    inner = self.bind(inner, variable.name, DescentFact::Bound(variable.name))?;
                }
                open.extend(children.iter().map(|&child| (child, inner)));
            }
            TermView::Match(cases, children) => {
                open.push((children[0], context));
                for (case, &body) in cases.iter().zip(&children[1..]) {
                    let mut inner = match case.constructor {
                        Some(constructor) => self.add(context, DescentFact::MadeBy(constructor, children[0])),
                        None => context,
                    };
                    for variable in case.variables {
                        let fact = match case.constructor {
                            Some(_) => DescentFact::Field(variable.name, children[0]),
                            None => DescentFact::Let(variable.name, children[0]),
                        };
                        inner = self.bind(inner, variable.name, fact)?;
                    }
                    open.push((body, inner));
                }
            }
            TermView::Application(head, children) => {
                if let Some(called) = self.calls.called(head.symbol) {
                    let is_whole = children.len() == called.parameters.len() && head.indices.is_empty();
                    (is_whole && self.is_smaller(children[self.place], context)).then_some(())?;
                } else if head.indices.iter().any(|index| self.is_called(*index)) {
                    return None;
                }
                self.visit_children(head.symbol, children, context, open);
            }
            TermView::Apply(children) => open.extend(children.iter().map(|&child| (child, context))),
            TermView::Literal(..) | TermView::Variable(_) | TermView::Opaque(_) => return None,
        }
        Some(())
    }

    fn is_called(&self, index: Index) -> bool {
        matches!(index, Index::Symbol(name) if self.calls.called(name).is_some())
    }

    /// Binds a name that nothing around it binds: then a term means the same everywhere below.
    fn bind(&mut self, context: usize, name: Symbol, fact: DescentFact) -> Option<usize> {
        let is_bound = self.facts(context).any(|fact| match fact {
            DescentFact::Body(number) => {
                self.definitions[number].parameters.iter().any(|parameter| parameter.name == name)
            }
            DescentFact::Let(bound, _) | DescentFact::Field(bound, _) | DescentFact::Bound(bound) => {
                bound == name
            }
            DescentFact::Holds(..) | DescentFact::MadeBy(..) => false,
        });
        (!is_bound).then(|| self.add(context, fact))
    }

    /// The operands of a connective matter only if the others do not decide it.
    fn visit_children(
        &mut self,
        operator: Symbol,
        children: &[Term],
        context: usize,
        open: &mut Vec<(Term, usize)>,
    ) {
        for (place, &child) in children.iter().enumerate().filter(|(_, child)| self.calls.contains(**child)) {
            let mut inner = context;
            match (operator, children) {
                (Symbol::ITE, &[condition, _, _]) if place > 0 => {
                    inner = self.add_condition(context, condition, place == 1);
                }
                (Symbol::AND | Symbol::OR, _) => {
                    for &other in children.iter().filter(|other| **other != child) {
                        inner = self.add_condition(inner, other, operator == Symbol::AND);
                    }
                }
                (Symbol::IMPLIES, &[premise, conclusion]) => {
                    inner = match place {
                        0 => self.add_condition(context, conclusion, false),
                        _ => self.add_condition(context, premise, true),
                    };
                }
                _ => {}
            }
            open.push((child, inner));
        }
    }

    /// Adds a condition and what it consists of. One that depends on a call says nothing.
    fn add_condition(&mut self, context: usize, condition: Term, holds: bool) -> usize {
        let mut context = context;
        let mut open = vec![(condition, holds)];
        while let Some((condition, holds)) = open.pop() {
            if self.calls.contains(condition) || self.contexts.len() > MAX_DESCENT_STEPS {
                continue;
            }
            match (self.arena.view(condition), holds) {
                (TermView::Application(head, &[part]), _) if head.symbol == Symbol::NOT => {
                    open.push((part, !holds));
                }
                (TermView::Application(head, parts), true) if head.symbol == Symbol::AND => {
                    open.extend(parts.iter().map(|&part| (part, true)));
                }
                (TermView::Application(head, parts), false) if head.symbol == Symbol::OR => {
                    open.extend(parts.iter().map(|&part| (part, false)));
                }
                _ => context = self.add(context, DescentFact::Holds(condition, holds)),
            }
        }
        context
    }

    fn is_smaller(&self, argument: Term, context: usize) -> bool {
        let argument = self.resolved(argument, context);
        match self.measure {
            Measure::Structure => self.is_part(argument, context),
            Measure::AboveBound | Measure::BelowBound => self.is_nearer(argument, context),
        }
    }

    /// A term without annotations, and what a `let` binds instead of its name.
    fn resolved(&self, mut term: Term, context: usize) -> Term {
        loop {
            term = match self.arena.view(term) {
                TermView::Annotated(_, children) => children[0],
                TermView::Variable(name) => {
                    let value = self.facts(context).find_map(|fact| match fact {
                        DescentFact::Let(bound, value) if bound == name => Some(value),
                        _ => None,
                    });
                    match value {
                        Some(value) => value,
                        None => return term,
                    }
                }
                _ => return term,
            };
        }
    }

    /// Returns true if a term is the measured parameter itself.
    fn is_measured(&self, term: Term, context: usize) -> bool {
        let TermView::Variable(name) = self.arena.view(term) else { return false };
        self.facts(context).any(|fact| match fact {
            DescentFact::Body(number) => self.definitions[number].parameters[self.place].name == name,
            _ => false,
        })
    }

    /// Returns true if a term is a part of the measured parameter, and not all of it.
    fn is_part(&self, mut term: Term, context: usize) -> bool {
        let mut is_less = false;
        while !(is_less && self.is_measured(term, context)) {
            let whole = match self.arena.view(term) {
                TermView::Variable(name) => self.facts(context).find_map(|fact| match fact {
                    DescentFact::Field(bound, whole) if bound == name => Some(whole),
                    _ => None,
                }),
                TermView::Application(head, &[whole]) => {
                    self.is_field(head.symbol, whole, context).then_some(whole)
                }
                _ => None,
            };
            let Some(whole) = whole else { return false };
            is_less = true;
            term = self.resolved(whole, context);
        }
        true
    }

    /// Returns true if a selector is applied to a value that its constructor made.
    fn is_field(&self, selector: Symbol, whole: Term, context: usize) -> bool {
        let Some(datatype) = self.datatype(self.arena.sort_of(whole)) else { return false };
        let has_it = |constructor: &&Constructor| constructor.fields.iter().any(|field| field.0 == selector);
        let Some(constructor) = datatype.constructors.iter().find(has_it) else { return false };
        let whole = self.resolved(whole, context);
        let mut others: Vec<Symbol> = datatype.constructors.iter().map(|one| one.name).collect();
        others.retain(|&name| name != constructor.name);
        let mut is_made = false;
        for fact in self.facts(context) {
            match fact {
                DescentFact::MadeBy(by, value) if self.resolved(value, context) == whole => {
                    is_made |= by == constructor.name;
                }
                DescentFact::Holds(condition, holds) => match self.tested(condition, context) {
                    Some((value, by)) if value == whole && holds => is_made |= by == constructor.name,
                    Some((value, by)) if value == whole => others.retain(|&name| name != by),
                    _ => {}
                },
                _ => {}
            }
        }
        is_made || others.is_empty()
    }

    fn datatype(&self, sort: Sort) -> Option<&DatatypeDeclaration> {
        let name = self.arena.view_sort(self.arena.canonical(sort)).head;
        self.datatypes.iter().copied().find(|datatype| datatype.name == name)
    }

    /// The value and the constructor that a condition tests: `((_ is c) x)`, `(is-c x)`, or `(= x c)` for a constructor without fields.
    fn tested(&self, condition: Term, context: usize) -> Option<(Term, Symbol)> {
        let TermView::Application(head, children) = self.arena.view(condition) else { return None };
        let name = self.arena.text(head.symbol);
        match (head.symbol, head.indices, children) {
            (Symbol::IS, [Index::Symbol(constructor)], &[value]) => {
                Some((self.resolved(value, context), *constructor))
            }
            (Symbol::EQUAL, [], &[a, b]) => {
                let constant = |term: Term| match self.arena.view(self.resolved(term, context)) {
                    TermView::Application(head, []) => {
                        let datatype = self.datatype(self.arena.sort_of(term))?;
                        datatype.constructors.iter().find(|one| one.name == head.symbol).map(|one| one.name)
                    }
                    _ => None,
                };
                match (constant(a), constant(b)) {
                    (None, Some(by)) => Some((self.resolved(a, context), by)),
                    (Some(by), None) => Some((self.resolved(b, context), by)),
                    _ => None,
                }
            }
            (_, [], &[value]) if name.starts_with("is-") => {
                let constructors = self.datatype(self.arena.sort_of(value))?.constructors.iter();
                let mut tested =
                    constructors.filter(|one| Some(self.arena.text(one.name)) == name.strip_prefix("is-"));
                Some((self.resolved(value, context), tested.next()?.name))
            }
            _ => None,
        }
    }

    /// Returns true if an argument is the measured integer moved towards a bound that it has not reached.
    fn is_nearer(&self, argument: Term, context: usize) -> bool {
        let TermView::Application(head, &[first, second]) = self.arena.view(argument) else { return false };
        if self.arena.sort_of(argument) != Sort::INT {
            return false;
        }
        let moved = match (self.arena.text(head.symbol), self.measure) {
            ("-", Measure::AboveBound) if self.is_step(second) => first,
            ("+", Measure::BelowBound) if self.is_step(second) => first,
            ("+", Measure::BelowBound) if self.is_step(first) => second,
            _ => return false,
        };
        let moved = self.resolved(moved, context);
        self.is_measured(moved, context)
            && self.facts(context).any(|fact| match fact {
                DescentFact::Holds(condition, holds) => self.is_bound(condition, holds, moved, context),
                _ => false,
            })
    }

    fn is_step(&self, term: Term) -> bool {
        self.is_number(term)
            && !matches!(self.arena.view(term), TermView::Literal(_, text) if self.arena.text(text).bytes().all(|digit| digit == b'0'))
    }

    fn is_number(&self, term: Term) -> bool {
        matches!(self.arena.view(term), TermView::Literal(Literal::Numeral, _))
    }

    /// Returns true if a condition bounds an integer by a number, on the side that the measure needs.
    fn is_bound(&self, condition: Term, holds: bool, moved: Term, context: usize) -> bool {
        let TermView::Application(head, &[left, right]) = self.arena.view(condition) else { return false };
        let is_number = |term: Term| match self.arena.view(term) {
            TermView::Application(head, &[number]) => {
                self.arena.text(head.symbol) == "-" && self.is_number(number)
            }
            _ => self.is_number(term),
        };
        let is_moved = |term: Term| self.resolved(term, context) == moved;
        let is_left = is_moved(left) && is_number(right);
        let is_right = is_moved(right) && is_number(left);
        if !is_left && !is_right {
            return false;
        }
        let is_above = match head.symbol {
            Symbol::GREATER | Symbol::AT_LEAST => is_left,
            Symbol::LESS | Symbol::AT_MOST => !is_left,
            _ => return false,
        };
        (is_above == holds) == (self.measure == Measure::AboveBound)
    }
}
