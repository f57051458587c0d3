//! Occurrences: every place of a subterm in a script, with its sort and the variables in scope.
//!
//! A term is one node however often it occurs, but a mutation changes one place. [`Occurrences`] lists the
//! places of a script in one pass, in the order of its text, each with its parent, so that a place can be
//! [replaced](Occurrences::replace) without changing other occurrences of the same term.
//!
//! A graph can have exponentially many places (`let` is not expanded, but a program may build terms with any
//! sharing), so the caller limits their number.

use rustc_hash::FxHashMap;

use crate::arena::Arena;
use crate::rebuild::replace_children;
use crate::script::Script;
use crate::sort::Sort;
use crate::term::{Term, Variable};

/// One occurrence of a term in a script.
#[derive(Clone, Copy, Debug)]
pub struct Occurrence {
    /// The term.
    pub term: Term,
    /// Its sort.
    pub sort: Sort,
    /// Its scope, for [`Occurrences::scope`].
    pub scope: usize,
    /// The parent occurrence and the index among its children; `None` for a whole term of a command.
    pub parent: Option<(usize, usize)>,
    /// The index of the command, and of the term within the command.
    pub root: (usize, usize),
}

/// The variables in scope at a place: those of the innermost binder, and the enclosing scope.
#[derive(Clone, Copy, Debug)]
enum BindingScope {
    /// Only the parameters of a definition: the command, and the index of the term.
    Root(usize, usize),
    /// The occurrence of a binder, the index of the child in which it binds, and the scope of the binder itself.
    Binder(usize, usize, usize),
}

/// The occurrences of a script's subterms, parents before children.
#[derive(Debug)]
pub struct Occurrences {
    list: Vec<Occurrence>,
    scopes: Vec<BindingScope>,
    /// Whether the script has more occurrences than the limit.
    pub cut: bool,
}

impl Occurrences {
    /// The first `limit` occurrences of a script, whole terms of its commands included.
    pub fn of(script: &Script, limit: usize) -> Occurrences {
        let mut found = Occurrences { list: Vec::new(), scopes: Vec::new(), cut: false };
        let arena = script.arena();
        for (command, of_command) in script.commands.iter().enumerate() {
            for (position, term) in of_command.terms().into_iter().enumerate() {
                let scope = found.scopes.len();
                found.scopes.push(BindingScope::Root(command, position));
                found.walk(arena, term, (command, position), scope, limit);
            }
        }
        found
    }

    fn walk(&mut self, arena: &Arena, term: Term, root: (usize, usize), scope: usize, limit: usize) {
        let mut open = vec![(term, scope, None)];
        while let Some((term, scope, parent)) = open.pop() {
            if self.list.len() == limit {
                self.cut = true;
                return;
            }
            let here = self.list.len();
            self.list.push(Occurrence { term, sort: arena.sort_of(term), scope, parent, root });
            let view = arena.view(term);
            let below = open.len();
            for (position, &child) in view.children().iter().enumerate() {
                let inner = match view.bound_in(position) {
                    [] => scope,
                    _ => {
                        self.scopes.push(BindingScope::Binder(here, position, scope));
                        self.scopes.len() - 1
                    }
                };
                open.push((child, inner, Some((here, position))));
            }
            open[below..].reverse();
        }
    }

    /// The occurrences, parents before children.
    pub fn list(&self) -> &[Occurrence] {
        &self.list
    }

    /// The variables in a scope, innermost first, which hide later ones of the same name.
    pub fn scope(&self, script: &Script, scope: usize) -> Vec<Variable> {
        let mut bound = Vec::new();
        let mut scope = self.scopes[scope];
        while let BindingScope::Binder(binder, child, outer) = scope {
            bound.extend_from_slice(script.arena().view(self.list[binder].term).bound_in(child));
            scope = self.scopes[outer];
        }
        if let BindingScope::Root(command, position) = scope {
            bound.extend_from_slice(script.commands[command].parameters(position));
        }
        bound
    }

    /// Returns true if every free variable of a term is bound, with its sort, in a scope.
    ///
    /// Such a term may be put there: this is the local compatibility of type-aware mutation.
    pub fn fits(&self, script: &Script, free: &[Variable], scope: usize) -> bool {
        let bound = self.scope(script, scope);
        let arena = script.arena();
        free.iter().all(|variable| {
            let innermost = bound.iter().find(|other| other.name == variable.name);
            innermost.is_some_and(|other| arena.canonical(other.sort) == variable.sort)
        })
    }

    /// Replaces one occurrence by `term`; other occurrences of the same term stay.
    ///
    /// The list is out of date afterwards. The new term must have the sort of the old one and fit its scope.
    pub fn replace(&self, script: &mut Script, occurrence: usize, term: Term) {
        let mut new = term;
        let mut place = occurrence;
        while let Some((parent, child)) = self.list[place].parent {
            let old = self.list[parent].term;
            let mut children = script.arena().children(old).to_vec();
            children[child] = new;
            new = replace_children(script.arena_mut(), old, &children);
            place = parent;
        }
        let (command, position) = self.list[place].root;
        script.commands[command].set_term(position, new);
    }

    /// Replaces many occurrences at once, none of them inside of another.
    ///
    /// As with [`replace`](Self::replace), the list is out of date afterwards and each term must fit its place.
    pub fn replace_all(&self, script: &mut Script, terms: &FxHashMap<usize, Term>) {
        let mut new = terms.clone();
        // Children come after their parents, so all children of a term are done before it.
        let mut children: FxHashMap<usize, Vec<(usize, Term)>> = FxHashMap::default();
        for (place, occurrence) in self.list.iter().enumerate().rev() {
            if let Some(changed) = children.remove(&place) {
                let mut all = script.arena().children(occurrence.term).to_vec();
                changed.into_iter().for_each(|(child, term)| all[child] = term);
                new.insert(place, replace_children(script.arena_mut(), occurrence.term, &all));
            }
            let Some(&term) = new.get(&place) else { continue };
            match occurrence.parent {
                Some((parent, child)) => children.entry(parent).or_default().push((child, term)),
                None => script.commands[occurrence.root.0].set_term(occurrence.root.1, term),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Signature;
    use crate::print::term_text;
    use crate::variables;

    fn script(text: &str) -> Script {
        Script::parse(text, &Signature::standard()).unwrap()
    }

    /// The occurrences of a script as text, each with the names in scope.
    fn places(text: &str) -> Vec<String> {
        let script = script(text);
        let found = Occurrences::of(&script, 100);
        let place = |occurrence: &Occurrence| {
            let scope = found.scope(&script, occurrence.scope);
            let names: Vec<&str> = scope.iter().map(|variable| script.arena().text(variable.name)).collect();
            format!("{} [{}]", term_text(script.arena(), occurrence.term), names.join(" "))
        };
        found.list().iter().map(place).collect()
    }

    #[test]
    fn every_place_is_listed_with_its_scope() {
        assert_eq!(
            places("(assert (forall ((x Int)) (exists ((y Int)) (< x y))))"),
            [
                "(forall ((x Int)) (exists ((y Int)) (< x y))) []",
                "(exists ((y Int)) (< x y)) [x]",
                "(< x y) [y x]",
                "x [y x]",
                "y [y x]",
            ]
        );
    }

    #[test]
    fn let_values_are_outside_of_the_scope_of_the_let() {
        assert_eq!(
            places("(define-fun f ((x Int)) Int (let ((y x)) y))"),
            ["(let ((y x)) y) [x]", "x [x]", "y [y x]"]
        );
    }

    #[test]
    fn a_replacement_changes_one_place_of_a_shared_term() {
        let mut script = script("(declare-const p Bool)(declare-const q Bool)(assert (and p (or p q)))");
        let found = Occurrences::of(&script, 100);
        let q = script.arena().find_symbol("q").unwrap();
        let is = |occurrence: &Occurrence, text: &str| term_text(script.arena(), occurrence.term) == text;
        let inner_p = found.list().iter().rposition(|occurrence| is(occurrence, "p")).unwrap();
        let new = found.list().iter().find(|occurrence| is(occurrence, "q")).unwrap().term;
        found.replace(&mut script, inner_p, new);
        assert_eq!(script.arena().find_symbol("q"), Some(q));
        assert!(script.to_string().ends_with("(assert (and p (or q q)))\n"), "{script}");
    }

    #[test]
    fn many_places_are_replaced_at_once() {
        let mut script =
            script("(declare-const x Int)(assert (< (+ x 1) 1))(assert (let ((y 1)) (= y 1 x)))");
        let found = Occurrences::of(&script, 100);
        let is_one = |occurrence: &Occurrence| term_text(script.arena(), occurrence.term) == "1";
        let ones: Vec<usize> =
            (0..found.list().len()).filter(|&place| is_one(&found.list()[place])).collect();
        let mut new = FxHashMap::default();
        for (number, &place) in ones.iter().enumerate() {
            let text = (number + 5).to_string();
            new.insert(place, script.arena_mut().literal(crate::Literal::Numeral, &text, Sort::INT));
        }
        found.replace_all(&mut script, &new);
        assert!(
            script.to_string().ends_with("(assert (< (+ x 5) 6))\n(assert (let ((y 7)) (= y 8 x)))\n"),
            "{script}"
        );
    }

    #[test]
    fn a_term_fits_where_its_variables_are_bound_with_their_sorts() {
        let script = script(
            "(assert (forall ((x Int)) (and (< x 0) (forall ((x Real)) (< x 0.5)) (exists ((y Int)) (< y 1)))))",
        );
        let found = Occurrences::of(&script, 100);
        let of = |text: &str| {
            found.list().iter().find(|occurrence| term_text(script.arena(), occurrence.term) == text).unwrap()
        };
        let fits = |term: &str, place: &str| {
            let free = variables::free(script.arena(), of(term).term);
            found.fits(&script, &free, of(place).scope)
        };
        assert!(fits("(< x 0)", "(< y 1)"), "x of sort Int is bound around");
        assert!(!fits("(< x 0)", "(< x 0.5)"), "x is of sort Real there");
        assert!(!fits("(< y 1)", "(< x 0)"), "y is not bound there");
        assert!(fits("0", "(< x 0.5)"), "a literal fits everywhere");
    }

    #[test]
    fn places_beyond_the_limit_are_counted_as_cut() {
        let script = script("(declare-const p Bool)(assert (and p p p p))");
        assert!(Occurrences::of(&script, 3).cut);
        assert!(!Occurrences::of(&script, 5).cut);
    }
}
