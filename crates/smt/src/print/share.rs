//! Binds repeated subterms by `let`.
//!
//! ```text
//! (and (p (f x)) (q (f x)))   becomes   (let ((s!0 (f x))) (and (p s!0) (q s!0)))
//! ```
//!
//! A region is a term without the scopes of its binders. All its subterms have the same variables in scope, so
//! a subterm that occurs twice in a region can be bound at its top; the scope of a binder is a region of its own.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::arena::Arena;
use crate::command::{Command, Definition};
use crate::rebuild::replace_children;
use crate::script::Script;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Term, TermView, Variable};

/// The script with the repeated subterms of each of its terms bound by `let`.
pub(super) fn share_script(script: &Script) -> Script {
    let mut shared = script.clone();
    let mut sharing = Sharing::new(shared.arena_mut());
    let commands = script.commands.iter().map(|command| sharing.command(command)).collect();
    shared.commands = commands;
    shared
}

/// The term with its repeated subterms bound by `let`.
pub fn share(arena: &mut Arena, term: Term) -> Term {
    Sharing::new(arena).root(term)
}

struct Sharing<'a> {
    arena: &'a mut Arena,
    /// Finished regions: their top, and the term that replaces it.
    done: FxHashMap<Term, Term>,
    names: u32,
}

impl Sharing<'_> {
    fn new(arena: &mut Arena) -> Sharing<'_> {
        Sharing { arena, done: FxHashMap::default(), names: 0 }
    }

    fn command(&mut self, command: &Command) -> Command {
        let define = |sharing: &mut Self, definition: &Definition| Definition {
            body: sharing.root(definition.body),
            ..definition.clone()
        };
        match command {
            Command::Term(word, term, options) => Command::Term(*word, self.root(*term), *options),
            Command::Terms(word, terms) => {
                Command::Terms(*word, terms.iter().map(|&term| self.root(term)).collect())
            }
            Command::Define(word, definition) => Command::Define(*word, define(self, definition).into()),
            Command::DefineFunsRec(definitions) => Command::DefineFunsRec(
                definitions.iter().map(|definition| define(self, definition)).collect(),
            ),
            other => other.clone(),
        }
    }

    /// Processes the regions inside out: a region is rebuilt after all regions in it.
    fn root(&mut self, term: Term) -> Term {
        let mut open = vec![term];
        while let Some(&top) = open.last() {
            if self.done.contains_key(&top) {
                open.pop();
                continue;
            }
            let region = Region::of(self.arena, top);
            let before = open.len();
            open.extend(region.inner.iter().filter(|inner| !self.done.contains_key(inner)));
            if open.len() == before {
                let rebuilt = self.rebuild(top, &region);
                self.done.insert(top, rebuilt);
                open.pop();
            }
        }
        self.done[&term]
    }

    /// The top of a region with lets around it for its repeated subterms.
    fn rebuild(&mut self, top: Term, region: &Region) -> Term {
        let mut rebuilt: FxHashMap<Term, Term> = FxHashMap::default();
        let mut lets: Vec<(Variable, Term)> = Vec::new();
        for &term in &region.terms {
            let mut new = self.with_children(term, &rebuilt);
            if region.shared.contains(&term) && term != top && self.is_worth_a_name(term) {
                let variable = Variable { name: self.fresh_name(), sort: self.arena.sort_of(term) };
                lets.push((variable, new));
                new = self.arena.variable(variable);
            }
            rebuilt.insert(term, new);
        }
        lets.into_iter()
            .rev()
            .fold(rebuilt[&top], |body, (variable, value)| self.arena.let_in(&[variable], &[value, body]))
    }

    /// Leaves are shorter than a name; an opaque or named term must stay where it is.
    fn is_worth_a_name(&self, term: Term) -> bool {
        !self.arena.children(term).is_empty()
            && self.arena.sort_of(term) != Sort::UNKNOWN
            && !matches!(self.arena.view(term), TermView::Annotated(..))
    }

    fn fresh_name(&mut self) -> Symbol {
        loop {
            let name = format!("s!{}", self.names);
            self.names += 1;
            if self.arena.find_symbol(&name).is_none() {
                return self.arena.symbol(&name);
            }
        }
    }

    /// `term` with the rebuilt forms of its children.
    fn with_children(&mut self, term: Term, rebuilt: &FxHashMap<Term, Term>) -> Term {
        let view = self.arena.view(term);
        let new: Vec<Term> = view
            .children()
            .iter()
            .enumerate()
            .map(|(position, child)| match () {
                () if is_pattern(&view, position) => *child,
                () if is_inner(&view, position) => self.done[child],
                () => rebuilt[child],
            })
            .collect();
        replace_children(self.arena, term, &new)
    }
}

/// A term without the scopes of its binders.
struct Region {
    /// Its terms, children first.
    terms: Vec<Term>,
    /// Those that occur at least twice.
    shared: FxHashSet<Term>,
    /// The tops of the inner regions.
    inner: Vec<Term>,
}

impl Region {
    fn of(arena: &Arena, top: Term) -> Region {
        let mut seen = FxHashSet::from_iter([top]);
        let mut region = Region { terms: Vec::new(), shared: FxHashSet::default(), inner: Vec::new() };
        let mut open = vec![top];
        while let Some(term) = open.pop() {
            region.terms.push(term);
            let view = arena.view(term);
            for (position, &child) in view.children().iter().enumerate() {
                if is_pattern(&view, position) {
                    continue;
                } else if is_inner(&view, position) {
                    region.inner.push(child);
                } else if seen.insert(child) {
                    open.push(child);
                } else {
                    region.shared.insert(child);
                }
            }
        }
        region.terms.sort_unstable();
        region
    }
}

/// Returns true if child number `position` is a region of its own: the scope of a binder, or an
/// annotated term, whose attributes must stay next to the quantifier or the assertion that they are for.
fn is_inner(view: &TermView<'_>, position: usize) -> bool {
    match view {
        TermView::Let(_, children) => position + 1 == children.len(),
        TermView::Bind(..) => true,
        TermView::Match(..) => position > 0,
        TermView::Annotated(..) => position == 0,
        _ => false,
    }
}

/// Returns true if child number `position` is a pattern, which cannot contain a `let`.
fn is_pattern(view: &TermView<'_>, position: usize) -> bool {
    matches!(view, TermView::Annotated(..)) && position > 0
}
