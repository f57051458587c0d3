//! Terms: a hash-consed graph.
//!
//! Two terms of one script with the same text and sort are one node, so equality is
//! equality of ids, and a script with shared parts stays small. Bound variables are named, not numbered: a
//! [`TermView::Variable`] is a name with a sort and refers to the innermost binder of that name, while constants
//! and functions of the script are [`TermView::Application`]s. A term can therefore be moved to any place
//! where its free variables are bound with the same sorts, which is all that a mutation has to check.
//!
//! `let` is a node of its own, never expanded by the parser: a chain of a thousand doublings is a thousand
//! nodes, and solvers get the script as it was written.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::intern::SliceInterner;
use crate::sort::{Index, Sort};
use crate::symbol::{Symbol, spread};

/// A term of a script.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Term(pub(crate) u32);

impl Term {
    /// The term's position, for tables with one row per term. Children come before their parents.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kinds of literals; a literal keeps its spelling.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Literal {
    /// `42`, of sort `Int`, or `Real` in logics without integers.
    Numeral,
    /// `4.20`
    Decimal,
    /// `#xFf`
    Hexadecimal,
    /// `#b01`
    Binary,
    /// `"a""b"`, spelled with its quotes.
    String,
    /// `#f3m7`, cvc5's finite-field values.
    Field,
}

/// The binders of variables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binder {
    /// `forall`
    Forall,
    /// `exists`
    Exists,
    /// `lambda`
    Lambda,
    /// `choice`, some value that satisfies its body.
    Choice,
    /// cvc5's `set.comprehension`, with a condition and an element.
    Comprehension,
}

impl Binder {
    /// All binders.
    pub const ALL: [Binder; 5] =
        [Binder::Forall, Binder::Exists, Binder::Lambda, Binder::Choice, Binder::Comprehension];

    /// The keyword of this binder.
    pub fn name(self) -> &'static str {
        match self {
            Binder::Forall => "forall",
            Binder::Exists => "exists",
            Binder::Lambda => "lambda",
            Binder::Choice => "choice",
            Binder::Comprehension => "set.comprehension",
        }
    }
}

/// A bound variable: a name and a sort.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Variable {
    /// Its name.
    pub name: Symbol,
    /// Its sort, as written at its binder; [canonical](crate::Arena::canonical) at its occurrences.
    pub sort: Sort,
}

/// The pattern of one case of a `match`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MatchCase<'a> {
    /// The constructor; `None` for a catch-all case, which is a lone variable.
    pub constructor: Option<Symbol>,
    /// The variables that the case binds.
    pub variables: &'a [Variable],
}

/// One attribute of an annotated term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Attribute {
    /// The keyword, with its colon.
    pub keyword: Symbol,
    /// Its value.
    pub value: AttributeValue,
}

/// The value of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AttributeValue {
    /// No value.
    None,
    /// The name in `:named name`.
    Name(Symbol),
    /// One term, as in `:no-pattern t`: the next of the node's children.
    Term,
    /// So many terms in parentheses, as in `:pattern (t u)`: the next of the node's children.
    Terms(u32),
    /// Anything else, verbatim.
    Text(Symbol),
}

impl AttributeValue {
    /// The number of the node's children that belong to the attribute.
    pub fn terms(self) -> usize {
        match self {
            AttributeValue::Term => 1,
            AttributeValue::Terms(count) => count as usize,
            AttributeValue::None | AttributeValue::Name(_) | AttributeValue::Text(_) => 0,
        }
    }
}

/// The head of an application: a name, possibly with indices, possibly qualified by `as`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Head<'a> {
    /// The name.
    pub symbol: Symbol,
    /// The indices in `(_ name indices…)`.
    pub indices: &'a [Index],
    /// The sort in `(as name sort)`, as written.
    pub qualifier: Option<Sort>,
}

impl Head<'_> {
    /// A bare name.
    pub fn plain(symbol: Symbol) -> Head<'static> {
        Head { symbol, indices: &[], qualifier: None }
    }
}

/// The structure of a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TermView<'a> {
    /// A literal and its spelling.
    Literal(Literal, Symbol),
    /// A bound variable.
    Variable(Symbol),
    /// A constant, or a function applied to arguments.
    Application(Head<'a>, &'a [Term]),
    /// A function-valued term (the first) applied to arguments (the rest).
    Apply(&'a [Term]),
    /// `(let ((x t) …) body)`: the variables, and their values followed by the body.
    Let(&'a [Variable], &'a [Term]),
    /// A quantifier or another binder, its variables, and its body (or bodies).
    Bind(Binder, &'a [Variable], &'a [Term]),
    /// `(match t (case …))`: the cases, and the matched term followed by a body per case.
    Match(MatchCases<'a>, &'a [Term]),
    /// `(! t attributes…)`: the term followed by the terms in the attributes.
    Annotated(&'a [Attribute], &'a [Term]),
    /// Text that this crate does not understand.
    Opaque(Symbol),
}

impl<'a> TermView<'a> {
    /// The direct subterms, in the order in which they are written.
    #[inline]
    pub fn children(&self) -> &'a [Term] {
        match *self {
            TermView::Literal(..) | TermView::Variable(_) | TermView::Opaque(_) => &[],
            TermView::Application(_, children)
            | TermView::Apply(children)
            | TermView::Let(_, children)
            | TermView::Bind(_, _, children)
            | TermView::Match(_, children)
            | TermView::Annotated(_, children) => children,
        }
    }

    /// The variables that this term binds in its child number `child`.
    #[inline]
    pub fn bound_in(&self, child: usize) -> &'a [Variable] {
        match *self {
            TermView::Let(variables, children) if child + 1 == children.len() => variables,
            TermView::Bind(_, variables, _) => variables,
            TermView::Match(cases, _) if child > 0 => cases.get(child - 1).variables,
            _ => &[],
        }
    }
}

/// The cases of a `match`.
#[derive(Clone, Copy, Debug)]
pub struct MatchCases<'a> {
    cases: &'a [CaseRecord],
    variables: &'a SliceInterner<Variable>,
}

impl PartialEq for MatchCases<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for MatchCases<'_> {}

impl<'a> MatchCases<'a> {
    /// The case number `index`.
    pub fn get(self, index: usize) -> MatchCase<'a> {
        let case = self.cases[index];
        MatchCase { constructor: case.constructor, variables: self.variables.get(case.variables) }
    }

    /// All cases.
    pub fn iter(self) -> impl Iterator<Item = MatchCase<'a>> {
        (0..self.cases.len()).map(move |index| self.get(index))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct CaseRecord {
    pub constructor: Option<Symbol>,
    pub variables: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct HeadRecord {
    symbol: Symbol,
    indices: u32,
    qualifier: Option<Sort>,
}

macro_rules! kinds {
    ($($kind:ident),+ $(,)?) => {
        #[derive(Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        enum TermKind { $($kind),+ }
        impl TermKind { const ALL: &[TermKind] = &[$(TermKind::$kind),+]; }
    };
}

kinds! {
    Numeral, Decimal, Hexadecimal, Binary, String, Field, Variable, Plain, Headed, Apply, Let, Forall, Exists,
    Lambda, Choice, Comprehension, Match, Annotated, Opaque,
}

const LITERAL_KINDS: [Literal; 6] = [
    Literal::Numeral,
    Literal::Decimal,
    Literal::Hexadecimal,
    Literal::Binary,
    Literal::String,
    Literal::Field,
];

#[derive(Clone, Copy)]
struct TermNode {
    /// The row of the table for this kind: a symbol, a head, a list of variables …
    row: u32,
    sort: Sort,
    start: u32,
    count: u32,
    kind: TermKind,
    opaque: bool,
}

/// The terms of one script.
#[derive(Clone, Default)]
pub(crate) struct Terms {
    nodes: Vec<TermNode>,
    children: Vec<Term>,
    table: HashTable<HashedTerm>,
    heads: SliceInterner<HeadRecord>,
    indices: SliceInterner<Index>,
    pub variables: SliceInterner<Variable>,
    cases: SliceInterner<CaseRecord>,
    attributes: SliceInterner<Attribute>,
}

impl Terms {
    /// No terms, with capacity for `count`.
    pub fn with_capacity(count: usize) -> Terms {
        Terms {
            nodes: Vec::with_capacity(count),
            children: Vec::with_capacity(count * 2),
            table: HashTable::with_capacity(count),
            ..Terms::default()
        }
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The sort of `term`, canonical.
    #[inline]
    pub fn sort(&self, term: Term) -> Sort {
        self.nodes[term.index()].sort
    }

    /// Returns true if `term` is or contains opaque text.
    #[inline]
    pub fn has_opaque(&self, term: Term) -> bool {
        self.nodes[term.index()].opaque
    }

    /// The direct subterms of `term`.
    pub fn children(&self, term: Term) -> &[Term] {
        let node = &self.nodes[term.index()];
        &self.children[node.start as usize..][..node.count as usize]
    }

    /// The structure of `term`.
    // It is called for every term of every case, from other crates, which would not inline it otherwise.
    #[inline(always)]
    pub fn view(&self, term: Term) -> TermView<'_> {
        let (TermNode { row, kind, .. }, children) = (self.nodes[term.index()], self.children(term));
        let bind = |binder| TermView::Bind(binder, self.variables.get(row), children);
        match kind {
            kind @ (TermKind::Numeral
            | TermKind::Decimal
            | TermKind::Hexadecimal
            | TermKind::Binary
            | TermKind::String
            | TermKind::Field) => TermView::Literal(LITERAL_KINDS[kind as usize], Symbol(row)),
            TermKind::Variable => TermView::Variable(Symbol(row)),
            TermKind::Plain => TermView::Application(Head::plain(Symbol(row)), children),
            TermKind::Headed => {
                let head = self.heads.get(row)[0];
                let indices = self.indices.get(head.indices);
                TermView::Application(
                    Head { symbol: head.symbol, indices, qualifier: head.qualifier },
                    children,
                )
            }
            TermKind::Apply => TermView::Apply(children),
            TermKind::Let => TermView::Let(self.variables.get(row), children),
            TermKind::Forall => bind(Binder::Forall),
            TermKind::Exists => bind(Binder::Exists),
            TermKind::Lambda => bind(Binder::Lambda),
            TermKind::Choice => bind(Binder::Choice),
            TermKind::Comprehension => bind(Binder::Comprehension),
            TermKind::Match => TermView::Match(
                MatchCases { cases: self.cases.get(row), variables: &self.variables },
                children,
            ),
            TermKind::Annotated => TermView::Annotated(self.attributes.get(row), children),
            TermKind::Opaque => TermView::Opaque(Symbol(row)),
        }
    }

    pub fn literal(&mut self, literal: Literal, spelling: Symbol, sort: Sort) -> Term {
        let kind =
            TermKind::ALL[LITERAL_KINDS.iter().position(|&l| l == literal).expect("every literal is listed")];
        self.intern(kind, spelling.0, sort, &[])
    }

    pub fn variable(&mut self, name: Symbol, sort: Sort) -> Term {
        self.intern(TermKind::Variable, name.0, sort, &[])
    }

    pub fn plain(&mut self, symbol: Symbol, arguments: &[Term], sort: Sort) -> Term {
        self.intern(TermKind::Plain, symbol.0, sort, arguments)
    }

    pub fn application(&mut self, head: Head<'_>, arguments: &[Term], sort: Sort) -> Term {
        if head.indices.is_empty() && head.qualifier.is_none() {
            return self.plain(head.symbol, arguments, sort);
        }
        let indices = self.indices.intern(head.indices);
        let record = HeadRecord { symbol: head.symbol, indices, qualifier: head.qualifier };
        let row = self.heads.intern(&[record]);
        self.intern(TermKind::Headed, row, sort, arguments)
    }

    pub fn apply(&mut self, function_and_arguments: &[Term], sort: Sort) -> Term {
        self.intern(TermKind::Apply, 0, sort, function_and_arguments)
    }

    pub fn let_(&mut self, variables: &[Variable], values_and_body: &[Term], sort: Sort) -> Term {
        let row = self.variables.intern(variables);
        self.intern(TermKind::Let, row, sort, values_and_body)
    }

    pub fn bind(&mut self, binder: Binder, variables: &[Variable], bodies: &[Term], sort: Sort) -> Term {
        let kind = match binder {
            Binder::Forall => TermKind::Forall,
            Binder::Exists => TermKind::Exists,
            Binder::Lambda => TermKind::Lambda,
            Binder::Choice => TermKind::Choice,
            Binder::Comprehension => TermKind::Comprehension,
        };
        let row = self.variables.intern(variables);
        self.intern(kind, row, sort, bodies)
    }

    pub fn match_(&mut self, cases: &[CaseRecord], scrutinee_and_bodies: &[Term], sort: Sort) -> Term {
        let row = self.cases.intern(cases);
        self.intern(TermKind::Match, row, sort, scrutinee_and_bodies)
    }

    pub fn annotated(&mut self, attributes: &[Attribute], term_and_patterns: &[Term], sort: Sort) -> Term {
        let row = self.attributes.intern(attributes);
        self.intern(TermKind::Annotated, row, sort, term_and_patterns)
    }

    pub fn opaque(&mut self, text: Symbol) -> Term {
        self.intern(TermKind::Opaque, text.0, Sort::UNKNOWN, &[])
    }

    #[inline]
    fn intern(&mut self, kind: TermKind, row: u32, sort: Sort, children: &[Term]) -> Term {
        let hash = hash(kind, row, sort, children);
        let same = |entry: &HashedTerm| {
            let node = &self.nodes[entry.id as usize];
            entry.hash == hash
                && (node.row, node.kind, node.sort) == (row, kind, sort)
                && self.children(Term(entry.id)) == children
        };
        match self.table.find(spread(hash), same) {
            Some(entry) => Term(entry.id),
            None => self.add(hash, kind, row, sort, children),
        }
    }

    fn add(&mut self, hash: u32, kind: TermKind, row: u32, sort: Sort, children: &[Term]) -> Term {
        let id = self.nodes.len() as u32;
        let opaque = kind == TermKind::Opaque || children.iter().any(|&child| self.has_opaque(child));
        let (start, count) = (self.children.len() as u32, children.len() as u32);
        self.nodes.push(TermNode { row, sort, start, count, kind, opaque });
        self.children.extend_from_slice(children);
        self.table.insert_unique(spread(hash), HashedTerm { id, hash }, |entry| spread(entry.hash));
        Term(id)
    }
}

/// A term's id and hash: growing the table does not read the terms again.
#[derive(Clone, Copy)]
struct HashedTerm {
    id: u32,
    hash: u32,
}

#[inline]
fn hash(kind: TermKind, row: u32, sort: Sort, children: &[Term]) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(u64::from(row) << 32 | u64::from(sort.0));
    hasher.write_u64(kind as u64);
    for child in children {
        hasher.write_u64(u64::from(child.0));
    }
    hasher.finish() as u32
}
