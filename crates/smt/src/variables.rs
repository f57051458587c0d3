//! The free and bound variables of a term.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::arena::Arena;
use crate::term::{Term, TermView, Variable};

/// The free variables of a term, sorted.
pub fn free(arena: &Arena, term: Term) -> Vec<Variable> {
    let mut known = FreeVariables::default();
    known.of(arena, term).to_vec()
}

/// All variables that are bound somewhere in a term, sorted.
pub fn bound(arena: &Arena, term: Term) -> Vec<Variable> {
    let mut found = FxHashSet::default();
    for part in arena.reachable([term]) {
        let view = arena.view(part);
        for position in 0..view.children().len() {
            found.extend(view.bound_in(position));
        }
    }
    let mut found: Vec<Variable> = found.into_iter().collect();
    found.sort_unstable();
    found
}

/// The free variables of many terms of one arena, each computed once.
///
/// Sets are interned, so that the thousand subterms with the same free variables
/// cost a number each.
#[derive(Default)]
pub struct FreeVariables {
    sets: Vec<Vec<Variable>>,
    ids: FxHashMap<Vec<Variable>, u32>,
    of_term: FxHashMap<Term, u32>,
}

impl FreeVariables {
    /// The free variables of a term, sorted.
    pub fn of(&mut self, arena: &Arena, term: Term) -> &[Variable] {
        let mut open = vec![term];
        while let Some(&next) = open.last() {
            if self.of_term.contains_key(&next) {
                open.pop();
                continue;
            }
            let before = open.len();
            open.extend(arena.children(next).iter().filter(|child| !self.of_term.contains_key(child)));
            if open.len() == before {
                let set = self.combine(arena, next);
                self.of_term.insert(next, set);
                open.pop();
            }
        }
        &self.sets[self.of_term[&term] as usize]
    }

    /// The set of a term, given those of its children.
    fn combine(&mut self, arena: &Arena, term: Term) -> u32 {
        let view = arena.view(term);
        if let TermView::Variable(name) = view {
            return self.intern(vec![Variable { name, sort: arena.sort_of(term) }]);
        }
        let children = view.children();
        let set_of = |child: &Term| self.of_term[child];
        if let Some((first, rest)) = children.split_first()
            && children.iter().enumerate().all(|(position, _)| view.bound_in(position).is_empty())
            && rest.iter().all(|child| set_of(child) == set_of(first))
        {
            return set_of(first);
        }
        let mut all: FxHashSet<Variable> = FxHashSet::default();
        for (position, child) in children.iter().enumerate() {
            let bound = view.bound_in(position);
            let is_bound = |variable: &Variable| bound.iter().any(|b| b.name == variable.name);
            all.extend(self.sets[set_of(child) as usize].iter().filter(|variable| !is_bound(variable)));
        }
        let mut all: Vec<Variable> = all.into_iter().collect();
        all.sort_unstable();
        self.intern(all)
    }

    fn intern(&mut self, set: Vec<Variable>) -> u32 {
        if let Some(&id) = self.ids.get(&set) {
            return id;
        }
        let id = self.sets.len() as u32;
        self.sets.push(set.clone());
        self.ids.insert(set, id);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Script, Signature};

    /// The names of the free and the bound variables of the body of a definition.
    fn check(definition: &str, free_names: &[&str], bound_names: &[&str]) {
        let text = format!("(declare-fun p (Int) Bool)(declare-const c Int){definition}");
        let script = Script::parse(&text, &Signature::standard()).unwrap();
        let arena = script.arena();
        let body = script.commands.last().unwrap().terms()[0];
        let names = |variables: Vec<Variable>| {
            let mut names: Vec<String> = variables.iter().map(|v| arena.text(v.name).to_string()).collect();
            names.sort();
            names
        };
        assert_eq!(names(free(arena, body)), free_names, "free in {definition}");
        assert_eq!(names(bound(arena, body)), bound_names, "bound in {definition}");
    }

    #[test]
    fn constants_are_no_variables() {
        check("(define-fun f ((x Int)) Bool (< x c))", &["x"], &[]);
    }

    #[test]
    fn a_binder_binds_in_its_body() {
        check("(define-fun f ((x Int) (y Int)) Bool (and (p y) (forall ((x Int)) (< x y))))", &["y"], &["x"]);
        check("(define-fun f ((x Int)) Bool (and (p x) (forall ((x Int)) (p x))))", &["x"], &["x"]);
    }

    #[test]
    fn a_let_binds_in_its_body_and_not_in_its_values() {
        check("(define-fun f ((x Int)) Bool (let ((x (+ x 1)) (z 2)) (< x z)))", &["x"], &["x", "z"]);
    }

    #[test]
    fn a_case_binds_in_its_own_body() {
        let list = "(declare-datatype L ((nil) (cons (h Int) (t L))))";
        check(
            &format!("{list}(define-fun f ((l L) (h Int)) Int (match l ((nil h) ((cons a b) (+ a h)))))"),
            &["h", "l"],
            &["a", "b"],
        );
    }
}
