//! The arena of a script: its names, sorts and terms, addressed by small ids.
//!
//! The constructors here trust the caller with sorts. The parser sorts every application it reads with
//! [`crate::sort_check`].

use std::sync::Arc;

use crate::signature::Signature;
use crate::sort::{Index, Sort, SortView, Sorts};
use crate::symbol::{Symbol, SymbolTable};
use crate::term::{Attribute, Binder, CaseRecord, Head, Literal, MatchCase, Term, TermView, Terms, Variable};

/// The names, sorts and terms of a script.
///
/// ```
/// use gainsay_smt::print::term_text;
/// use gainsay_smt::{Arena, Head, Literal, Signature, Sort, TermView};
///
/// let mut arena = Arena::new(&Signature::standard());
/// let one = arena.literal(Literal::Numeral, "1", Sort::INT);
/// let plus = arena.symbol("+");
/// let sum = arena.operation(Head::plain(plus), &[one, one]).unwrap();
/// assert_eq!(term_text(&arena, sum), "(+ 1 1)");
/// assert_eq!(arena.sort_of(sum), Sort::INT);
/// assert!(matches!(arena.view(sum), TermView::Application(_, [left, right]) if left == right));
/// ```
#[derive(Clone)]
pub struct Arena {
    pub(crate) names: SymbolTable,
    pub(crate) sorts: Sorts,
    pub(crate) terms: Terms,
    pub(crate) signature: Arc<Signature>,
    /// Whether a numeral is an `Int` everywhere in the script.
    pub(crate) has_int_numerals: bool,
}

impl Arena {
    /// An arena that knows the names and sorts of `signature`, and no terms.
    pub fn new(signature: &Arc<Signature>) -> Arena {
        Arena::for_text(signature, 0)
    }

    /// An arena with the capacity that a text of so many bytes usually needs.
    pub(crate) fn for_text(signature: &Arc<Signature>, bytes: usize) -> Arena {
        Arena {
            names: SymbolTable::continuing(signature.names(), bytes / 64),
            sorts: Sorts::known(),
            terms: Terms::with_capacity(bytes / 24),
            signature: Arc::clone(signature),
            has_int_numerals: true,
        }
    }

    /// Returns true if a numeral is an `Int` everywhere in the script. In a logic of reals alone a numeral is a `Real`, so a literal
    /// of sort `Int` cannot be written, even if the script declares constants of that sort.
    pub fn has_int_numerals(&self) -> bool {
        self.has_int_numerals
    }

    /// The theories of this arena's terms.
    pub fn signature(&self) -> &Arc<Signature> {
        &self.signature
    }

    /// The symbol for `text`.
    pub fn symbol(&mut self, text: &str) -> Symbol {
        self.names.intern(text)
    }

    /// The symbol for `text`, if it is interned.
    pub fn find_symbol(&self, text: &str) -> Option<Symbol> {
        self.names.get(text)
    }

    /// The text of `symbol`, without the bars of a quoted one.
    #[inline]
    pub fn text(&self, symbol: Symbol) -> &str {
        self.names.text(symbol)
    }

    /// The number of symbols, those of the theories included.
    pub fn symbol_count(&self) -> usize {
        self.names.len() as usize
    }

    /// The sort `(head arguments…)`, or `(_ head indices…)`.
    pub fn sort(&mut self, head: Symbol, indices: &[Index], arguments: &[Sort]) -> Sort {
        self.sorts.intern(head, indices, arguments)
    }

    /// The sort `(head arguments…)`, if it is interned.
    pub fn find_sort(&self, head: Symbol, arguments: &[Sort]) -> Option<Sort> {
        self.sorts.find(head, &[], arguments)
    }

    /// `sort` with its sort parameters replaced according to `bindings`, if that sort is interned.
    pub fn find_instance(&self, sort: Sort, bindings: &[(Sort, Sort)]) -> Option<Sort> {
        self.sorts.find_instance(sort, bindings)
    }

    /// The sort `(_ BitVec width)`.
    pub fn bit_vector(&mut self, width: u32) -> Sort {
        self.sorts.intern(Symbol::BITVEC, &[Index::Numeral(width)], &[])
    }

    /// The head, indices and arguments of `sort`.
    #[inline]
    pub fn view_sort(&self, sort: Sort) -> SortView<'_> {
        self.sorts.view(sort)
    }

    /// `sort` with all synonyms expanded.
    #[inline]
    pub fn canonical(&self, sort: Sort) -> Sort {
        self.sorts.canonical(sort)
    }

    /// Returns true if `sort` is a sort of values: it is fully known and contains neither a sort parameter nor a function sort.
    #[inline]
    pub fn is_sort_of_values(&self, sort: Sort) -> bool {
        !self.sorts.has_unknown(sort)
            && !self.sorts.has_parameter(sort)
            && self.sorts.view(sort).head != Symbol::ARROW
    }

    /// The structure of `term`.
    #[inline]
    pub fn view(&self, term: Term) -> TermView<'_> {
        self.terms.view(term)
    }

    /// The sort of `term`.
    #[inline]
    pub fn sort_of(&self, term: Term) -> Sort {
        self.terms.sort(term)
    }

    /// The direct subterms of `term`, in the order in which they are written.
    #[inline]
    pub fn children(&self, term: Term) -> &[Term] {
        self.terms.children(term)
    }

    /// Returns true if `term` is or contains opaque text. Such a term must not be changed.
    #[inline]
    pub fn has_opaque(&self, term: Term) -> bool {
        self.terms.has_opaque(term)
    }

    /// The number of distinct terms.
    pub fn term_count(&self) -> usize {
        self.terms.len()
    }

    /// All distinct terms, children before their parents.
    pub fn terms(&self) -> impl Iterator<Item = Term> + use<> {
        (0..self.terms.len() as u32).map(Term)
    }

    /// The number of distinct sorts.
    pub fn sort_count(&self) -> usize {
        self.sorts.len()
    }

    /// A literal, printed as `spelling`.
    pub fn literal(&mut self, literal: Literal, spelling: &str, sort: Sort) -> Term {
        let spelling = self.names.intern(spelling);
        self.terms.literal(literal, spelling, sort)
    }

    /// An occurrence of a bound variable.
    pub fn variable(&mut self, variable: Variable) -> Term {
        let sort = self.canonical(variable.sort);
        self.terms.variable(variable.name, sort)
    }

    /// A constant, or a function applied to arguments, of the given sort.
    pub fn application(&mut self, head: Head<'_>, arguments: &[Term], sort: Sort) -> Term {
        self.terms.application(head, arguments, sort)
    }

    /// A function-valued term (the first) applied to arguments (the rest), of the given sort.
    pub fn apply(&mut self, function_and_arguments: &[Term], sort: Sort) -> Term {
        self.terms.apply(function_and_arguments, sort)
    }

    /// `(let ((variable value) …) body)`, with the body after the values.
    pub fn let_in(&mut self, variables: &[Variable], values_and_body: &[Term]) -> Term {
        let body = values_and_body.last().expect("a let has a body");
        self.terms.let_(variables, values_and_body, self.terms.sort(*body))
    }

    /// A binder over `variables`, of the given sort.
    pub fn bind(&mut self, binder: Binder, variables: &[Variable], bodies: &[Term], sort: Sort) -> Term {
        self.terms.bind(binder, variables, bodies, sort)
    }

    /// `(match term (case …))`, with the bodies after the matched term.
    pub fn match_on(&mut self, cases: &[MatchCase<'_>], term_and_bodies: &[Term], sort: Sort) -> Term {
        let records: Vec<CaseRecord> = cases
            .iter()
            .map(|case| CaseRecord {
                constructor: case.constructor,
                variables: self.terms.variables.intern(case.variables),
            })
            .collect();
        self.terms.match_(&records, term_and_bodies, sort)
    }

    /// `(! term attributes…)`, with the terms of the attributes after the term.
    pub fn annotated(&mut self, attributes: &[Attribute], term_and_patterns: &[Term]) -> Term {
        let sort = self.terms.sort(term_and_patterns[0]);
        self.terms.annotated(attributes, term_and_patterns, sort)
    }

    /// Text that this crate does not understand; it is printed unchanged.
    pub fn opaque(&mut self, text: &str) -> Term {
        let text = self.names.intern(text);
        self.terms.opaque(text)
    }
}
