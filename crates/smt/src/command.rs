//! Commands, the elements of a script.
//!
//! A command keeps what gainsay works with (sorts, terms, names) as values, and everything else as text.
//! An unknown command is a [`Command::Opaque`] and printed as it was written.

use std::sync::Arc;

use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Term, Variable};

/// One command of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `(set-logic L)`
    SetLogic(Symbol),
    /// `(declare-sort S arity)`
    DeclareSort(Symbol, u32),
    /// `(define-sort S (parameters…) sort)`
    DefineSort(Symbol, Arc<[Sort]>, Sort),
    /// `(declare-sort-parameter T)`, or z3's `declare-type-var`.
    DeclareSortParameter(Word, Symbol),
    /// `(declare-fun f (sorts…) sort)`, `(declare-const f sort)`, `(declare-rel f (sorts…))`, `(declare-var f sort)`
    Declare(Word, Symbol, Arc<[Sort]>, Sort),
    /// `(define-fun f ((x S)…) sort body)`, its recursive form, and `(define-const f sort body)`
    Define(Word, Arc<Definition>),
    /// `(define-funs-rec (declarations…) (bodies…))`
    DefineFunsRec(Arc<[Definition]>),
    /// `(declare-datatypes ((D arity)…) (constructors…))` and its older and single forms
    DeclareDatatypes(DatatypesForm, Arc<[DatatypeDeclaration]>),
    /// A command with one term: `(assert t)`, and `rule`, `minimize`, `simplify` … with the text after the term.
    Term(Word, Term, Option<Symbol>),
    /// A command with a list of terms: `(check-sat-assuming (t…))`, `(get-value (t…))`.
    Terms(Word, Arc<[Term]>),
    /// `(push n)`; `None` if the number is left out.
    Push(Option<u32>),
    /// `(pop n)`
    Pop(Option<u32>),
    /// `(reset)`
    Reset,
    /// `(reset-assertions)`
    ResetAssertions,
    /// `(check-sat)`
    CheckSat,
    /// `(exit)`
    Exit,
    /// A command without sorts and terms: its name and the text after it.
    Plain(Symbol, Symbol),
    /// An unknown command, verbatim.
    Opaque(Symbol),
    /// The text after `(exit)`, verbatim: no solver reads it.
    Unreached(Symbol),
}

impl Command {
    /// The terms in this command.
    pub fn terms(&self) -> Vec<Term> {
        match self {
            Command::Term(_, term, _) => vec![*term],
            Command::Terms(_, terms) => terms.to_vec(),
            Command::Define(_, definition) => vec![definition.body],
            Command::DefineFunsRec(definitions) => definitions.iter().map(|d| d.body).collect(),
            _ => Vec::new(),
        }
    }

    /// The number of terms in this command.
    pub fn term_count(&self) -> usize {
        match self {
            Command::Term(..) | Command::Define(..) => 1,
            Command::Terms(_, terms) => terms.len(),
            Command::DefineFunsRec(definitions) => definitions.len(),
            _ => 0,
        }
    }

    /// Term number `position` of this command.
    pub fn term(&self, position: usize) -> Term {
        match self {
            Command::Term(_, term, _) => *term,
            Command::Terms(_, terms) => terms[position],
            Command::Define(_, definition) => definition.body,
            Command::DefineFunsRec(definitions) => definitions[position].body,
            _ => unreachable!("a command without terms has no term number {position}"),
        }
    }

    /// Replaces term number `position` by `term`.
    pub fn set_term(&mut self, position: usize, term: Term) {
        match self {
            Command::Term(_, old, _) => *old = term,
            Command::Terms(_, terms) => Arc::make_mut(terms)[position] = term,
            Command::Define(_, definition) => Arc::make_mut(definition).body = term,
            Command::DefineFunsRec(definitions) => Arc::make_mut(definitions)[position].body = term,
            _ => unreachable!("a command without terms has no term to replace"),
        }
    }

    /// Returns true if this command declares or defines names. `:named` terms in it do not count.
    pub fn is_declaration(&self) -> bool {
        matches!(
            self,
            Command::DeclareSort(..)
                | Command::DefineSort(..)
                | Command::DeclareSortParameter(..)
                | Command::Declare(..)
                | Command::Define(..)
                | Command::DefineFunsRec(_)
                | Command::DeclareDatatypes(..)
        )
    }

    /// The functions and constants that this command declares or defines, in the order of its text, with the
    /// constructors and selectors of its datatypes.
    pub fn declared_functions(&self) -> Vec<Symbol> {
        match self {
            Command::Declare(_, name, ..) => vec![*name],
            Command::Define(_, definition) => vec![definition.name],
            Command::DefineFunsRec(definitions) => definitions.iter().map(|d| d.name).collect(),
            Command::DeclareDatatypes(_, datatypes) => {
                let constructors = datatypes.iter().flat_map(|datatype| &datatype.constructors);
                let selectors = |constructor: &Constructor| -> Vec<Symbol> {
                    constructor.fields.iter().map(|&(selector, _)| selector).collect()
                };
                constructors.flat_map(|one| [vec![one.name], selectors(one)].concat()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The sorts that this command declares or defines, in the order of its text.
    pub fn declared_sorts(&self) -> Vec<Symbol> {
        match self {
            Command::DeclareSort(name, _)
            | Command::DefineSort(name, ..)
            | Command::DeclareSortParameter(_, name) => vec![*name],
            Command::DeclareDatatypes(_, datatypes) => datatypes.iter().map(|one| one.name).collect(),
            _ => Vec::new(),
        }
    }

    /// The variables in scope in term number `position`: the parameters of a definition.
    pub fn parameters(&self, position: usize) -> &[Variable] {
        match self {
            Command::Define(_, definition) => &definition.parameters,
            Command::DefineFunsRec(definitions) => &definitions[position].parameters,
            _ => &[],
        }
    }
}

macro_rules! words {
    ($($word:ident = $text:literal),+ $(,)?) => {
        /// The name of a command that has the same shape as others.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Word { $(#[doc = concat!("`", $text, "`")] $word),+ }
        impl Word {
            /// The name as it is written.
            pub fn text(self) -> &'static str {
                match self { $(Word::$word => $text),+ }
            }
        }
    };
}

words! {
    Assert = "assert", AssertSoft = "assert-soft", Rule = "rule", Query = "query", Minimize = "minimize",
    Maximize = "maximize", Simplify = "simplify", Eval = "eval",
    GetQe = "get-qe", GetQeDisjunct = "get-qe-disjunct",
    CheckSatAssuming = "check-sat-assuming", GetValue = "get-value",
    GetTimeoutCoreAssuming = "get-timeout-core-assuming", BlockModelValues = "block-model-values",
    DeclareFun = "declare-fun", DeclareConst = "declare-const", DeclareRel = "declare-rel", DeclareVar = "declare-var",
    DefineFun = "define-fun", DefineFunRec = "define-fun-rec", DefineConst = "define-const",
    DeclareSortParameter = "declare-sort-parameter", DeclareTypeVar = "declare-type-var",
}

/// A function definition. Its parameters are free in its body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// The function's name.
    pub name: Symbol,
    /// Its parameters.
    pub parameters: Arc<[Variable]>,
    /// Its result sort.
    pub result: Sort,
    /// Its body.
    pub body: Term,
}

/// The syntactic forms of a datatype declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DatatypesForm {
    /// `(declare-datatype D constructors)`
    Single,
    /// `(declare-datatypes ((D arity)…) (constructors…))`
    Many,
    /// `(declare-codatatype D constructors)`
    SingleCo,
    /// `(declare-codatatypes ((D arity)…) (constructors…))`
    ManyCo,
    /// `(declare-datatypes (parameters…) ((D constructors…)…))`, the form before version 2.6
    Old,
    /// The same with `declare-codatatypes`
    OldCo,
}

impl DatatypesForm {
    /// Returns true if it declares co-datatypes.
    pub fn is_codatatype(self) -> bool {
        matches!(self, DatatypesForm::SingleCo | DatatypesForm::ManyCo | DatatypesForm::OldCo)
    }
}

/// One datatype of a declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DatatypeDeclaration {
    /// The name of its sort.
    pub name: Symbol,
    /// Its sort parameters.
    pub parameters: Vec<Sort>,
    /// Its constructors.
    pub constructors: Vec<Constructor>,
}

/// A constructor and its fields.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constructor {
    /// The constructor's name.
    pub name: Symbol,
    /// The selector and sort of each field.
    pub fields: Vec<(Symbol, Sort)>,
}
