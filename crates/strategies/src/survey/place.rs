//! Places: an occurrence of a term that may be changed, and the variables bound there.

use gainsay_smt::{AttributeValue, Edit, Sort, Symbol, Term, TermView};

use super::ScriptSurvey;
use super::free::TOO_MANY_VARIABLES;
use crate::random::Rng;

/// One occurrence of a term.
#[derive(Debug, Clone)]
pub struct TermPlace {
    /// The term.
    pub term: Term,
    /// Its sort.
    pub sort: Sort,
    /// The command that it is in.
    pub command: usize,
    /// The position of the term in the command.
    position: usize,
    /// The path from the root: each term, and the child to descend into.
    path: Vec<(Term, usize)>,
}

impl TermPlace {
    /// The number of terms around it.
    pub fn depth(&self) -> usize {
        self.path.len()
    }

    /// The edit that puts another term at this place.
    pub fn edit(&self, new: Term) -> Edit {
        let (command, position, path) = (self.command, self.position, self.path.clone());
        Edit { command, position, path, old: self.term, new }
    }
}

/// The variables bound at a place.
#[derive(Debug)]
pub struct PlaceScope {
    command: usize,
    /// For each symbol, the sort of the innermost variable with that name, if any.
    bound: Vec<Option<Sort>>,
}

impl ScriptSurvey<'_> {
    /// Draws a place uniformly; `None` if there is none.
    pub fn place(&self, rng: &mut Rng) -> Option<TermPlace> {
        if self.places == 0 {
            return None;
        }
        let mut rest = rng.below(usize::try_from(self.places).unwrap_or(usize::MAX)) as u64;
        for &(command, position, root) in &self.roots {
            let below = self.facts[root.index()].places;
            if rest < below {
                return Some(self.descend(command, position, root, rest));
            }
            rest -= below;
        }
        None
    }

    /// Place `rest` of a term.
    fn descend(&self, command: usize, position: usize, root: Term, mut rest: u64) -> TermPlace {
        let arena = self.script.arena();
        let (mut term, mut path) = (root, Vec::new());
        'down: loop {
            let view = arena.view(term);
            let changeable = &view.children()[..self.operators.changeable(&view)];
            for (child, &next) in changeable.iter().enumerate() {
                let below = self.facts[next.index()].places;
                if rest < below {
                    path.push((term, child));
                    term = next;
                    continue 'down;
                }
                rest -= below;
            }
            return TermPlace { term, sort: arena.sort_of(term), command, position, path };
        }
    }

    /// The variables bound at a place.
    pub fn scope(&self, place: &TermPlace) -> PlaceScope {
        let arena = self.script.arena();
        let mut bound: Vec<Option<Sort>> = Vec::new();
        let mut bind = |name: Symbol, sort: Sort| {
            if bound.is_empty() {
                bound.resize(arena.symbol_count(), None);
            }
            bound[name.index()] = Some(arena.canonical(sort));
        };
        // A `:named` term may not use variables bound around it.
        let named = place.path.iter().rposition(|&(term, _)| is_named(&arena.view(term)));
        if named.is_none() {
            let parameters = self.script.commands[place.command].parameters(place.position);
            parameters.iter().for_each(|parameter| bind(parameter.name, parameter.sort));
        }
        for &(term, child) in &place.path[named.unwrap_or(0)..] {
            for variable in arena.view(term).bound_in(child) {
                bind(variable.name, variable.sort);
            }
        }
        PlaceScope { command: place.command, bound }
    }

    /// Whether a term is in scope at a place: all its names are declared there, and its free variables are bound there
    /// with their sorts. This is the local compatibility of type-aware mutation (TypeFuzz, Definition 2).
    pub fn fits(&self, term: Term, scope: &PlaceScope) -> bool {
        let facts = &self.facts[term.index()];
        facts.span.has(scope.command)
            && facts.free != TOO_MANY_VARIABLES
            && self.free.get(facts.free).iter().all(|variable| {
                scope.bound.get(variable.name.index()).copied().flatten() == Some(variable.sort)
            })
    }

    /// Draws a term of a sort that is in scope at a place, uniformly.
    pub fn draw(&self, sort: Sort, scope: &PlaceScope, rng: &mut Rng) -> Option<Term> {
        /// Draws before all terms in scope are listed: for most sorts, most terms are in scope.
        const MAX_POOL_DRAWS: usize = 8;
        let pool = self.pool(sort);
        for _ in 0..MAX_POOL_DRAWS {
            let term = *rng.choose(pool)?;
            if self.fits(term, scope) {
                return Some(term);
            }
        }
        let fitting: Vec<Term> = pool.iter().copied().filter(|&term| self.fits(term, scope)).collect();
        rng.choose(&fitting).copied()
    }
}

/// Whether a term is `(! t :named n)`.
fn is_named(view: &TermView<'_>) -> bool {
    match view {
        TermView::Annotated(attributes, _) => {
            attributes.iter().any(|attribute| matches!(attribute.value, AttributeValue::Name(_)))
        }
        _ => false,
    }
}
