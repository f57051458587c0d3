//! Names kept apart: after this, no two things of the two seeds have one name, and nothing that is bound has the name of
//! anything that is declared.
//!
//! ```text
//! (declare-const x Int)          and    (declare-fun x (Int) Bool)
//! (assert (< 0 x))                      (assert (forall ((y Int)) (x y)))
//!                               become
//! (declare-const x Int)          and    (declare-fun x_2 (Int) Bool)
//! ```
//!
//! So a term of one seed may stand anywhere in the other: what it means cannot be hidden by a binder there.

use gainsay_smt::import::Renaming;
use gainsay_smt::{Arena, Symbol};
use rustc_hash::FxHashSet;

use super::part::Part;

/// The names of a fused script.
pub struct Names<'a> {
    arenas: [&'a Arena; 2],
    new: FxHashSet<String>,
}

impl<'a> Names<'a> {
    /// No new ones yet.
    pub fn new(first: &Part<'a>, second: &Part<'a>) -> Names<'a> {
        Names { arenas: [first.script.arena(), second.script.arena()], new: FxHashSet::default() }
    }

    /// What to call the things of the first seed: only bound variables may have to change.
    pub fn first(&mut self, part: &Part<'_>) -> Renaming {
        let mut renaming = Renaming::default();
        self.rename_bound(part, &mut renaming);
        renaming
    }

    /// What to call the things of the second seed.
    pub fn second(&mut self, part: &Part<'_>) -> Renaming {
        let mut renaming = Renaming::default();
        let arena = part.script.arena();
        for &name in &part.declared {
            if self.arenas[0].find_symbol(arena.text(name)).is_some() && !renaming.declared.contains_key(&name) {
                renaming.declared.insert(name, self.fresh(arena.text(name)));
            }
        }
        // `is-C` is no declaration of its own.
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

    /// A name that is nowhere used yet, made of another.
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

    /// Bound variables that have the name of something declared, in either seed, or of an operator.
    fn rename_bound(&mut self, part: &Part<'_>, renaming: &mut Renaming) {
        let arena = part.script.arena();
        let own: FxHashSet<Symbol> = part.declared.iter().copied().collect();
        for &name in &part.bound {
            let text = arena.text(name);
            let elsewhere = self.arenas.iter().any(|other| {
                !std::ptr::eq(*other, arena) && other.find_symbol(text).is_some()
            });
            if own.contains(&name) || elsewhere || arena.signature().is_operator(name) {
                renaming.bound.insert(name, self.fresh(text));
            }
        }
    }
}
