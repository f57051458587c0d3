//! Equality of scripts: the same commands over the same names, sorts and terms.
//!
//! Ids of different arenas cannot be compared, so the comparison walks both graphs side by side. It compares
//! each pair of nodes once, so that sharing costs nothing, and does not recurse.

use std::hash::Hash;

use rustc_hash::FxHashSet;

use crate::arena::Arena;
use crate::command::{Command, DatatypeDeclaration, Definition};
use crate::script::Script;
use crate::sort::{Index, Sort};
use crate::symbol::Symbol;
use crate::term::{Attribute, AttributeValue, Term, TermView, Variable};

impl PartialEq for Script {
    fn eq(&self, other: &Script) -> bool {
        Pairs::new(self.arena(), other.arena()).scripts(self, other)
    }
}

impl Script {
    /// Returns true if two scripts are equal but for sorts that their texts do not show: `(set.singleton 1)` is a set of cvc5 or of
    /// z3, and a lambda is a function or an array.
    ///
    /// ```
    /// use gainsay_smt::{Script, Signature};
    ///
    /// let read = |text: &str| Script::parse(text, &Signature::standard()).unwrap();
    /// let script = read("(declare-const x Int)(assert (= x 1))");
    /// assert!(script.seems_like(&script.clone()));
    /// assert!(!script.seems_like(&read("(declare-const x Int)(assert (= x 2))")));
    /// // The same text would follow if `s` were a set of cvc5.
    /// let (finite, other) = ("(declare-const s (FiniteSet Int))", "(declare-const s (Set Int))");
    /// assert!(read(finite).seems_like(&read(other)) && read(finite) != read(other));
    /// let (array, function) = ("(declare-const f (Array Int Bool))", "(declare-const f (-> Int Bool))");
    /// assert!(read(array).seems_like(&read(function)) && read(array) != read(function));
    /// ```
    pub fn seems_like(&self, other: &Script) -> bool {
        Pairs { is_lenient: true, ..Pairs::new(self.arena(), other.arena()) }.scripts(self, other)
    }
}

/// Pairs of sorts of which a text does not say which one a term has.
const UNSHOWN_SORTS: [[&str; 2]; 2] = [["Set", "FiniteSet"], ["->", "Array"]];

/// Pairs of sorts and terms that must be equal for two scripts to be equal.
struct Pairs<'a> {
    a: &'a Arena,
    b: &'a Arena,
    sorts: PairQueue<Sort>,
    terms: PairQueue<Term>,
    /// Whether sorts may differ that a text does not show.
    is_lenient: bool,
}

/// Pairs that are still to be compared, and all pairs seen.
struct PairQueue<T> {
    open: Vec<(T, T)>,
    seen: FxHashSet<(T, T)>,
}

impl<T: Copy + Eq + Hash> PairQueue<T> {
    fn new() -> PairQueue<T> {
        PairQueue { open: Vec::new(), seen: FxHashSet::default() }
    }

    /// Adds a pair. Always returns true: the pair is compared later.
    fn add(&mut self, a: T, b: T) -> bool {
        if self.seen.insert((a, b)) {
            self.open.push((a, b));
        }
        true
    }

    fn add_all(&mut self, a: &[T], b: &[T]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| self.add(a, b))
    }
}

impl<'a> Pairs<'a> {
    fn new(a: &'a Arena, b: &'a Arena) -> Pairs<'a> {
        Pairs { a, b, sorts: PairQueue::new(), terms: PairQueue::new(), is_lenient: false }
    }

    fn scripts(&mut self, a: &Script, b: &Script) -> bool {
        a.commands.len() == b.commands.len()
            && a.commands.iter().zip(&b.commands).all(|(a, b)| self.commands(a, b))
            && self.all_same()
    }

    /// Returns true if all queued pairs, and those that they lead to, are equal.
    fn all_same(&mut self) -> bool {
        while let Some((a, b)) = self.terms.open.pop() {
            if !self.terms(a, b) {
                return false;
            }
        }
        while let Some((a, b)) = self.sorts.open.pop() {
            let (a, b) = (self.a.view_sort(a), self.b.view_sort(b));
            let same = self.sort_names(a.head, b.head)
                && self.indices(a.indices, b.indices)
                && self.sorts.add_all(a.arguments, b.arguments);
            if !same {
                return false;
            }
        }
        true
    }

    fn sort_names(&self, a: Symbol, b: Symbol) -> bool {
        let (a, b) = (self.a.text(a), self.b.text(b));
        a == b || self.is_lenient && UNSHOWN_SORTS.iter().any(|pair| pair.contains(&a) && pair.contains(&b))
    }

    fn symbols(&self, a: Symbol, b: Symbol) -> bool {
        self.a.text(a) == self.b.text(b)
    }

    fn maybe_symbols(&self, a: Option<Symbol>, b: Option<Symbol>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => self.symbols(a, b),
            (a, b) => a == b,
        }
    }

    fn indices(&self, a: &[Index], b: &[Index]) -> bool {
        let same = |(a, b): (&Index, &Index)| match (*a, *b) {
            (Index::Symbol(a), Index::Symbol(b)) => self.symbols(a, b),
            (a, b) => a == b,
        };
        a.len() == b.len() && a.iter().zip(b).all(same)
    }

    fn variables(&mut self, a: &[Variable], b: &[Variable]) -> bool {
        a.len() == b.len()
            && a.iter().zip(b).all(|(a, b)| self.symbols(a.name, b.name) && self.sorts.add(a.sort, b.sort))
    }

    fn attributes(&self, a: &[Attribute], b: &[Attribute]) -> bool {
        let same = |(a, b): (&Attribute, &Attribute)| {
            self.symbols(a.keyword, b.keyword)
                && match (a.value, b.value) {
                    (AttributeValue::Name(a), AttributeValue::Name(b))
                    | (AttributeValue::Text(a), AttributeValue::Text(b)) => self.symbols(a, b),
                    (a, b) => a == b,
                }
        };
        a.len() == b.len() && a.iter().zip(b).all(same)
    }

    fn terms(&mut self, a: Term, b: Term) -> bool {
        let (view_a, view_b) = (self.a.view(a), self.b.view(b));
        self.sorts.add(self.a.sort_of(a), self.b.sort_of(b));
        let same = match (view_a, view_b) {
            (TermView::Literal(kind_a, a), TermView::Literal(kind_b, b)) => {
                kind_a == kind_b && self.symbols(a, b)
            }
            (TermView::Variable(a), TermView::Variable(b)) | (TermView::Opaque(a), TermView::Opaque(b)) => {
                self.symbols(a, b)
            }
            (TermView::Application(a, _), TermView::Application(b, _)) => {
                self.symbols(a.symbol, b.symbol)
                    && self.indices(a.indices, b.indices)
                    && match (a.qualifier, b.qualifier) {
                        (Some(a), Some(b)) => self.sorts.add(a, b),
                        (a, b) => a == b,
                    }
            }
            (TermView::Apply(_), TermView::Apply(_)) => true,
            // A let takes the sorts of its variables from its values.
            (TermView::Let(a, _), TermView::Let(b, _)) => self.variables(a, b),
            (TermView::Bind(binder_a, a, _), TermView::Bind(binder_b, b, _)) => {
                binder_a == binder_b && self.variables(a, b)
            }
            (TermView::Match(a, children_a), TermView::Match(b, children_b)) => {
                children_a.len() == children_b.len()
                    && a.iter().zip(b.iter()).all(|(a, b)| {
                        self.maybe_symbols(a.constructor, b.constructor)
                            && self.variables(a.variables, b.variables)
                    })
            }
            (TermView::Annotated(a, _), TermView::Annotated(b, _)) => self.attributes(a, b),
            _ => false,
        };
        same && self.terms.add_all(view_a.children(), view_b.children())
    }

    fn definitions(&mut self, a: &Definition, b: &Definition) -> bool {
        self.symbols(a.name, b.name)
            && self.variables(&a.parameters, &b.parameters)
            && self.sorts.add(a.result, b.result)
            && self.terms.add(a.body, b.body)
    }

    fn datatypes(&mut self, a: &DatatypeDeclaration, b: &DatatypeDeclaration) -> bool {
        self.symbols(a.name, b.name)
            && self.sorts.add_all(&a.parameters, &b.parameters)
            && a.constructors.len() == b.constructors.len()
            && a.constructors.iter().zip(&b.constructors).all(|(a, b)| {
                self.symbols(a.name, b.name)
                    && a.fields.len() == b.fields.len()
                    && a.fields
                        .iter()
                        .zip(&b.fields)
                        .all(|(a, b)| self.symbols(a.0, b.0) && self.sorts.add(a.1, b.1))
            })
    }

    fn commands(&mut self, a: &Command, b: &Command) -> bool {
        match (a, b) {
            (Command::SetLogic(a), Command::SetLogic(b))
            | (Command::Opaque(a), Command::Opaque(b))
            | (Command::Unreached(a), Command::Unreached(b)) => self.symbols(*a, *b),
            (Command::DeclareSort(a, arity_a), Command::DeclareSort(b, arity_b)) => {
                arity_a == arity_b && self.symbols(*a, *b)
            }
            (Command::DefineSort(a, parameters_a, sort_a), Command::DefineSort(b, parameters_b, sort_b)) => {
                self.symbols(*a, *b)
                    && self.sorts.add_all(parameters_a, parameters_b)
                    && self.sorts.add(*sort_a, *sort_b)
            }
            (Command::DeclareSortParameter(word_a, a), Command::DeclareSortParameter(word_b, b)) => {
                word_a == word_b && self.symbols(*a, *b)
            }
            (Command::Declare(word_a, a, from_a, to_a), Command::Declare(word_b, b, from_b, to_b)) => {
                word_a == word_b
                    && self.symbols(*a, *b)
                    && self.sorts.add_all(from_a, from_b)
                    && self.sorts.add(*to_a, *to_b)
            }
            (Command::Define(word_a, a), Command::Define(word_b, b)) => {
                word_a == word_b && self.definitions(a, b)
            }
            (Command::DefineFunsRec(a), Command::DefineFunsRec(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| self.definitions(a, b))
            }
            (Command::DeclareDatatypes(form_a, a), Command::DeclareDatatypes(form_b, b)) => {
                form_a == form_b
                    && a.len() == b.len()
                    && a.iter().zip(b.iter()).all(|(a, b)| self.datatypes(a, b))
            }
            (Command::Term(word_a, a, options_a), Command::Term(word_b, b, options_b)) => {
                word_a == word_b && self.maybe_symbols(*options_a, *options_b) && self.terms.add(*a, *b)
            }
            (Command::Terms(word_a, a), Command::Terms(word_b, b)) => {
                word_a == word_b && self.terms.add_all(a, b)
            }
            (Command::Plain(name_a, a), Command::Plain(name_b, b)) => {
                self.symbols(*name_a, *name_b) && self.symbols(*a, *b)
            }
            // The remaining commands contain no ids.
            (a, b) => a == b,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Script, Signature};

    #[test]
    fn scripts_are_the_same_if_they_say_the_same_in_any_layout() {
        let signature = Signature::standard();
        let read = |text: &str| Script::parse(text, &signature).unwrap();
        let script = read("(declare-const |x| Int) (assert (let ((y (+ x 1))) (< y (+ x 1))))");
        assert!(script == read("(declare-const x Int)\n(assert ; c\n (let ((y (+ x 1))) (< y (+ x 1))))"));
        for other in [
            "(declare-const x Real) (assert (let ((y (+ x 1))) (< y (+ x 1))))",
            "(declare-const x Int) (assert (let ((y (+ x 1))) (< y (+ x 2))))",
            "(declare-const x Int) (assert (let ((z (+ x 1))) (< z (+ x 1))))",
            "(declare-const x Int) (assert (let ((y (+ x 1))) (<= y (+ x 1))))",
            "(declare-const x Int) (assert (let ((y (+ x 1))) (< y (+ x 1)))) (check-sat)",
            "(declare-const x Int) (assert (! (let ((y (+ x 1))) (< y (+ x 1))) :named a))",
        ] {
            assert!(script != read(other), "{other}");
        }
    }

    #[test]
    fn the_spelling_of_literals_and_sorts_is_part_of_a_script() {
        let signature = Signature::standard();
        let same =
            |a: &str, b: &str| Script::parse(a, &signature).unwrap() == Script::parse(b, &signature).unwrap();
        assert!(!same("(assert (= #xA #xA))", "(assert (= #xa #xa))"));
        assert!(!same("(declare-const x Float16)", "(declare-const x (_ FloatingPoint 5 11))"));
    }
}
