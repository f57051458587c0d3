//! Terms as the theories see them: a function of the script is never taken for an operator.
//!
//! ```text
//! (declare-fun set.card (Int) Int)      (set.card 1) is no size of a set, and may be negative
//! ```
//!
//! Scripts may declare functions, selectors and constructors by the name of an operator, over other sorts than those of the
//! operator. Code that draws conclusions from the names of operators reads terms through this view. It shows an application
//! by a name that the script declares without its name, so that it matches no operator, whatever names the code looks for. An
//! operator that is overloaded in this way is not recognized either, from which no code may conclude anything.

use rustc_hash::FxHashSet;

use crate::arena::Arena;
use crate::sort::{Sort, SortView};
use crate::symbol::Symbol;
use crate::term::{Head, Term, TermView};

/// The terms of an arena without the functions of a script.
pub(crate) struct TheoryView<'a> {
    arena: &'a Arena,
    declared: FxHashSet<Symbol>,
}

impl<'a> TheoryView<'a> {
    /// The terms of an arena in which these names are declared.
    pub fn new(arena: &'a Arena, declared: impl IntoIterator<Item = Symbol>) -> TheoryView<'a> {
        TheoryView { arena, declared: declared.into_iter().collect() }
    }

    /// The structure of a term. The head of an application by a name that the script declares is the empty symbol.
    #[inline]
    pub fn view(&self, term: Term) -> TermView<'a> {
        match self.arena.view(term) {
            TermView::Application(head, children) if self.declared.contains(&head.symbol) => {
                TermView::Application(Head { symbol: Symbol::EMPTY, ..head }, children)
            }
            view => view,
        }
    }

    /// The sort of a term.
    pub fn sort_of(&self, term: Term) -> Sort {
        self.arena.sort_of(term)
    }

    /// The head, indices and arguments of a sort.
    pub fn view_sort(&self, sort: Sort) -> SortView<'a> {
        self.arena.view_sort(sort)
    }

    /// The text of a symbol.
    pub fn text(&self, symbol: Symbol) -> &'a str {
        self.arena.text(symbol)
    }
}
