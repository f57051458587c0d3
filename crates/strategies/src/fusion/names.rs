//! Distinct names: afterwards, no two things in the two seeds have the same name, and no bound variable has the name of
//! a declared symbol.
//!
//! ```text
//! (declare-const x Int)          and    (declare-fun x (Int) Bool)
//! (assert (< 0 x))                      (assert (forall ((y Int)) (x y)))
//!                               become
//! (declare-const x Int)          and    (declare-fun x_2 (Int) Bool)
//! ```
//!
//! So a term of one seed may stand anywhere in the other: no binder there shadows its names.

use std::collections::HashSet;

use gainsay_smt::import::Renaming;
use gainsay_smt::{Arena, Symbol};

use super::seed_parts::SeedParts;

/// The names of a fused script.
pub struct FreshNames<'a> {
    arenas: [&'a Arena; 2],
    /// The names that either seed declares.
    declared: HashSet<&'a str>,
    new: HashSet<String>,
}

impl<'a> FreshNames<'a> {
    /// The names of two seeds, before any is renamed.
    pub fn new(first: &SeedParts<'a>, second: &SeedParts<'a>) -> FreshNames<'a> {
        let names = |part: &SeedParts<'a>| {
            let arena = part.script.arena();
            part.declared.iter().map(|&name| arena.text(name)).collect::<Vec<_>>()
        };
        let declared = names(first).into_iter().chain(names(second)).collect();
        FreshNames { arenas: [first.script.arena(), second.script.arena()], declared, new: HashSet::new() }
    }

    /// New names for the first seed: for declared names that a theory also uses, since the second seed may mean the
    /// theory's, and for bound variables.
    pub fn first(&mut self, part: &SeedParts<'_>) -> Renaming {
        let signature = part.script.arena().signature();
        self.renaming(part, |name| signature.is_operator(name) || signature.is_sort(name))
    }

    /// New names for the second seed.
    pub fn second(&mut self, part: &SeedParts<'_>) -> Renaming {
        let (arena, first) = (part.script.arena(), self.arenas[0]);
        // Every arena knows the names of the theories.
        self.renaming(part, |name| first.find_symbol(arena.text(name)).is_some())
    }

    fn renaming(&mut self, part: &SeedParts<'_>, clashes: impl Fn(Symbol) -> bool) -> Renaming {
        let mut renaming = Renaming::default();
        let arena = part.script.arena();
        for &name in &part.declared {
            if clashes(name) && !renaming.declared.contains_key(&name) {
                renaming.declared.insert(name, self.fresh(arena.text(name)));
            }
        }
        // `is-C` has no declaration of its own.
        for &name in &part.constructors {
            let tester = arena.find_symbol(&format!("is-{}", arena.text(name)));
            if let (Some(tester), Some(new)) = (tester, renaming.declared.get(&name)) {
                let new = format!("is-{new}");
                renaming.declared.insert(tester, new);
            }
        }
        self.rename_bound(part, &mut renaming);
        renaming
    }

    /// A name that is not used yet, derived from `base`.
    pub fn fresh(&mut self, base: &str) -> String {
        let names = std::iter::once(base.to_owned()).chain((2..).map(|number| format!("{base}_{number}")));
        let is_free = |name: &String| !self.is_taken(name) && !self.is_taken(&format!("is-{name}"));
        let name = names.into_iter().find(is_free).expect("there are more numbers than names");
        self.new.insert(name.clone());
        name
    }

    fn is_taken(&self, name: &str) -> bool {
        self.new.contains(name) || self.arenas.iter().any(|arena| arena.find_symbol(name).is_some())
    }

    /// Renames bound variables with the name of an operator or of something that either seed declares.
    fn rename_bound(&mut self, part: &SeedParts<'_>, renaming: &mut Renaming) {
        let arena = part.script.arena();
        for &name in &part.bound {
            let text = arena.text(name);
            if self.declared.contains(text) || arena.signature().is_operator(name) {
                renaming.bound.insert(name, self.fresh(text));
            }
        }
    }
}
