//! Parses terms with an explicit stack.
//!
//! An [`OpenTerm`] is an expression of which some parts are read; the parts themselves (terms and their
//! offsets, variables, indices, attributes) are on stacks of their own, above the frame's start. A
//! closing parenthesis turns the top frame into a term, which becomes a part of the frame below.

use super::{Parser, is_reserved};
use crate::context::{Role, SortMeaning};
use crate::error::{Fallible, Fault};
use crate::lex::{Token, TokenKind};
use crate::sort::{Index, Sort};
use crate::sort_check::ApplicationOffsets;
use crate::symbol::Symbol;
use crate::term::{Attribute, AttributeValue, Binder, Head, Literal, Term};

/// An expression that is being read.
pub(super) struct OpenTerm {
    pub form: OpenForm,
    /// The offset of its opening parenthesis.
    pub at: u32,
    /// The number of terms on the stack when it began.
    pub first: u32,
}

pub(super) enum OpenForm {
    /// A bare name applied to arguments.
    Plain(Symbol),
    /// An indexed name (indices from this one on the stack) or qualified name, applied to arguments.
    Headed { symbol: Symbol, indices: u32, qualifier: Option<Sort> },
    /// A function-valued term applied to arguments.
    Apply,
    /// The values of a `let`; its variables are on the stack from this one on.
    LetValues { variables: u32 },
    /// The body of a `let`.
    LetBody { variables: u32, bound: u32 },
    /// The body of a binder.
    Bind { binder: Binder, variables: u32, bound: u32 },
    /// The matched term of a `match`.
    MatchOn { cases: u32 },
    /// A body of a `match`.
    MatchBody { cases: u32, bound: u32 },
    /// The term of an annotation, and the attributes after it.
    Annotated { attributes: u32 },
    /// The terms of an attribute, inside its own parentheses.
    Pattern { attributes: u32, terms: u32 },
    /// The term after `:no-pattern`.
    NoPattern { attributes: u32 },
}

impl Parser<'_> {
    /// Reads a term.
    pub(super) fn term(&mut self) -> Fallible<Term> {
        debug_assert!(self.frames.is_empty() && self.terms.is_empty());
        loop {
            let Some((term, at)) = self.part()? else { continue };
            if self.frames.is_empty() {
                return Ok(term);
            }
            self.terms.push(term);
            self.offsets.push(at as u32);
            self.advance()?;
        }
    }

    /// Reads a token; returns the whole term if the token completes it.
    ///
    /// Nearly all of a script are parentheses and recent names; the lexer reads the rest.
    #[inline]
    fn part(&mut self) -> Fallible<Option<(Term, usize)>> {
        let at = self.lexer.skip_blanks();
        let text = self.lexer.text.as_bytes();
        match text.get(at) {
            Some(b'(') => {
                self.lexer.position = at + 1;
                return Ok(self.open(at)?.map(|term| (term, at)));
            }
            Some(b')') => {
                self.lexer.position = at + 1;
                return self.close(at);
            }
            _ => {}
        }
        if let Some((name, end)) = self.recent.find(text, at) {
            self.lexer.position = end;
            return Ok(Some((self.named(name, at)?, at)));
        }
        let token = self.lexer.next()?;
        let at = token.start();
        match token.kind {
            TokenKind::Open => Ok(self.open(at)?.map(|term| (term, at))),
            TokenKind::Close => self.close(at),
            TokenKind::Keyword => self.attribute(token).map(|()| None),
            _ => Ok(Some((self.atom(token)?, at))),
        }
    }

    /// Reads the term of a command that takes one of sort `Bool`.
    pub(super) fn boolean(&mut self, command: &str) -> Fallible<Term> {
        let at = self.lexer.peek()?.start();
        let term = self.term()?;
        match self.context.arena.sort_of(term) {
            Sort::BOOL => Ok(term),
            _ => self.expect_sort(term, Sort::BOOL, &format!("the term of {command}"), at).map(|()| term),
        }
    }

    /// Fails unless `term` has sort `wanted`, or is an integer where a real is wanted.
    pub(super) fn expect_sort(&self, term: Term, wanted: Sort, what: &str, at: usize) -> Fallible<()> {
        match crate::sort_check::is_coercible(self.context.arena.sort_of(term), wanted) {
            true => Ok(()),
            false => self.expect_exact_sort(term, wanted, what, at),
        }
    }

    /// Fails unless `term` has sort `wanted`, or can have it: `(set.singleton 1)` is one of z3's finite sets, too.
    pub(super) fn expect_exact_sort(&self, term: Term, wanted: Sort, what: &str, at: usize) -> Fallible<()> {
        let sort = self.context.arena.sort_of(term);
        if sort == wanted || sort == Sort::UNKNOWN || self.context.arena.sorts.can_be(sort, wanted) {
            return Ok(());
        }
        let (sort, wanted) = (self.context.show_sort(sort), self.context.show_sort(wanted));
        Fault::sort(at, format!("{what} is of sort {sort}, expected {wanted}"))
    }

    #[inline]
    fn atom(&mut self, token: Token) -> Fallible<Term> {
        let (literal, sort) = match token.kind {
            TokenKind::Symbol => {
                let name = self.intern(token);
                return self.named(name, token.start());
            }
            TokenKind::Quoted => {
                let name = self.intern(token);
                return match self.known_name(name) {
                    Some(term) => Ok(term),
                    None => self.constant(name, token.start()),
                };
            }
            TokenKind::Numeral => (Literal::Numeral, self.context.numeral),
            TokenKind::Decimal => (Literal::Decimal, Sort::REAL),
            TokenKind::Hexadecimal => {
                let width = (token.end() - token.start() - 2) as u32 * 4;
                (Literal::Hexadecimal, self.context.arena.bit_vector(width))
            }
            TokenKind::Binary => {
                let width = (token.end() - token.start() - 2) as u32;
                (Literal::Binary, self.context.arena.bit_vector(width))
            }
            TokenKind::String => (Literal::String, Sort::STRING),
            TokenKind::Field => (Literal::Field, self.field_sort(token)?),
            _ => return self.unexpected(token, "a term"),
        };
        let spelling = self.intern(token);
        Ok(self.context.arena.terms.literal(literal, spelling, sort))
    }

    /// The sort of `#f3m7`.
    fn field_sort(&mut self, token: Token) -> Fallible<Sort> {
        let text = self.lexer.text_of(token);
        let Some((_, order)) = text.split_once('m') else {
            return Fault::syntax(token.start(), "a finite-field literal is #f…m… with its value and order");
        };
        let index = match order.parse() {
            Ok(order) => Index::Numeral(order),
            Err(_) => Index::Symbol(self.context.arena.names.intern(order)),
        };
        Ok(self.context.arena.sort(Symbol::FINITE_FIELD, &[index], &[]))
    }

    /// The term of a variable or of a plain constant of the script.
    #[inline]
    fn known_name(&self, name: Symbol) -> Option<Term> {
        self.context.local(name).or_else(|| self.context.constant(name))
    }

    /// An unquoted name that stands for a term.
    #[inline]
    fn named(&mut self, name: Symbol, at: usize) -> Fallible<Term> {
        match self.known_name(name) {
            Some(term) => Ok(term),
            None if self.context.knows(name) => self.constant(name, at),
            None => self.unknown_name(name, at),
        }
    }

    /// An unknown name: a misplaced word, a negative number, or a constant of some solver.
    fn unknown_name(&mut self, name: Symbol, at: usize) -> Fallible<Term> {
        let text = self.context.arena.text(name).to_string();
        if is_reserved(&text) {
            return Fault::syntax(at, format!("expected a term, found {text}"));
        }
        if let Some(number) = text.strip_prefix('-').filter(|digits| is_number(digits)) {
            return self.negative(number, at);
        }
        if self.context.arena.signature.is_opaque(name) {
            return Ok(self.context.arena.terms.opaque(name));
        }
        if self.lenient && text.starts_with('@') {
            return Ok(self.context.arena.terms.plain(name, &[], Sort::UNKNOWN));
        }
        if self.lenient
            && let Some(sort) = self.sort_of_tree(&text)
        {
            return Ok(self.context.arena.terms.plain(name, &[], sort));
        }
        if self.lenient
            && let Some(sort) = self.sort_of_element(&text)
        {
            self.elements.push((name, sort));
            self.context.add_function(name, Role::Auxiliary, &[], sort);
        }
        self.constant(name, at)
    }

    /// The sort of an element of a universe by its name: `S!val!0` of z3 is of sort `S`, which must be one without values of
    /// its own.
    fn sort_of_element(&mut self, text: &str) -> Option<Sort> {
        let (sort, number) = text.rsplit_once("!val!")?;
        let sort = self.context.arena.find_symbol(sort).filter(|_| is_number(number))?;
        let is_declared = matches!(self.context.sort_meaning(sort), Some(SortMeaning::Constructor(0)));
        let sort = is_declared.then(|| self.context.arena.sort(sort, &[], &[]))?;
        self.context.constructors(sort).is_none().then_some(sort)
    }

    /// The sort of a repeated tree by its name: `cbv_S_0` of cvc5 is of sort `S`, a co-datatype.
    fn sort_of_tree(&mut self, text: &str) -> Option<Sort> {
        let (sort, number) = text.strip_prefix(super::model::CODATA_NAME)?.rsplit_once('_')?;
        let sort = self.context.arena.find_symbol(sort).filter(|_| is_number(number))?;
        let is_declared = matches!(self.context.sort_meaning(sort), Some(SortMeaning::Constructor(0)));
        let sort = is_declared.then(|| self.context.arena.sort(sort, &[], &[]))?;
        self.context.constructors(sort).is_some().then_some(sort)
    }

    pub(super) fn constant(&mut self, name: Symbol, at: usize) -> Fallible<Term> {
        let place = ApplicationOffsets { head: at, arguments: &[] };
        self.context.application(Head::plain(name), &[], place)
    }

    /// `-5`, which solvers read as `(- 5)`.
    fn negative(&mut self, number: &str, at: usize) -> Fallible<Term> {
        let (literal, sort) = match number.contains('.') {
            true => (Literal::Decimal, Sort::REAL),
            false => (Literal::Numeral, self.context.numeral),
        };
        let term = self.context.arena.literal(literal, number, sort);
        let place = ApplicationOffsets { head: at, arguments: &[at as u32] };
        self.context.application(Head::plain(Symbol::MINUS), &[term], place)
    }

    pub(super) fn push(&mut self, form: OpenForm, at: usize) {
        self.frames.push(OpenTerm { form, at: at as u32, first: self.terms.len() as u32 });
    }

    /// Reads the expression that an opening parenthesis begins: pushes a frame, or returns a whole term.
    #[inline]
    fn open(&mut self, at: usize) -> Fallible<Option<Term>> {
        let start = self.lexer.skip_blanks();
        if let Some((name, end)) = self.recent.find(self.lexer.text.as_bytes(), start) {
            self.lexer.position = end;
            return self.open_named(name, start, at);
        }
        let token = self.lexer.next()?;
        match token.kind {
            TokenKind::Symbol => {
                let name = self.intern(token);
                self.open_named(name, token.start(), at)
            }
            TokenKind::Quoted => {
                let name = self.intern(token);
                self.open_application(name, token.start(), at)
            }
            TokenKind::Open => self.open_compound(token, at),
            _ => self.unexpected(token, "a function"),
        }
    }

    /// Reads the expression that begins with a parenthesis at `at` and a name.
    #[inline]
    fn open_named(&mut self, name: Symbol, start: usize, at: usize) -> Fallible<Option<Term>> {
        match name {
            _ if name > Symbol::LAST_TERM_KEYWORD => self.open_application(name, start, at),
            Symbol::LET => self.open_let(at),
            Symbol::FORALL => self.open_binder(Binder::Forall, at),
            Symbol::EXISTS => self.open_binder(Binder::Exists, at),
            Symbol::MATCH => {
                let cases = self.cases.len() as u32;
                self.push(OpenForm::MatchOn { cases }, at);
                Ok(None)
            }
            Symbol::ANNOTATE => {
                let attributes = self.attributes.len() as u32;
                self.push(OpenForm::Annotated { attributes }, at);
                Ok(None)
            }
            Symbol::UNDERSCORE | Symbol::AS => self.whole_identifier(name, at),
            _ if self.context.knows(name) => self.open_application(name, start, at),
            Symbol::LAMBDA => self.open_binder(Binder::Lambda, at),
            Symbol::CHOICE => self.open_binder(Binder::Choice, at),
            Symbol::COMPREHENSION => self.open_binder(Binder::Comprehension, at),
            _ => self.open_application(name, start, at),
        }
    }

    #[inline]
    fn open_application(&mut self, name: Symbol, start: usize, at: usize) -> Fallible<Option<Term>> {
        if let Some(term) = self.context.local(name) {
            self.push(OpenForm::Apply, at);
            self.terms.push(term);
            self.offsets.push(start as u32);
            return Ok(None);
        }
        if !self.context.knows(name) {
            return self.unknown(name, start, at);
        }
        self.push(OpenForm::Plain(name), at);
        Ok(None)
    }

    /// Reads the text between a part of the top frame and the next part.
    #[inline]
    fn advance(&mut self) -> Fallible<()> {
        let frame = self.frames.last().expect("a part belongs to a frame");
        match frame.form {
            OpenForm::LetValues { .. } => {
                self.expect_close("the binding")?;
                let value = *self.terms.last().expect("the value was just read");
                let variable = self.variables.last_mut().expect("its name was read before");
                variable.sort = self.context.arena.sort_of(value);
                self.next_let_value()
            }
            OpenForm::MatchOn { cases } => {
                self.expect_open("the cases of a match")?;
                let bound = self.context.bound() as u32;
                self.frames.last_mut().expect("it is there").form = OpenForm::MatchBody { cases, bound };
                self.binders += 1;
                self.next_case()
            }
            OpenForm::NoPattern { attributes } => {
                self.attributes.push(Attribute { keyword: Symbol::NO_PATTERN, value: AttributeValue::Term });
                self.frames.last_mut().expect("it is there").form = OpenForm::Annotated { attributes };
                Ok(())
            }
            OpenForm::MatchBody { bound, .. } => {
                self.expect_close("the case")?;
                self.context.unbind_to(bound as usize);
                self.next_case()
            }
            _ => Ok(()),
        }
    }

    /// Closes the top frame, or only a part of it.
    #[inline]
    fn close(&mut self, end: usize) -> Fallible<Option<(Term, usize)>> {
        let Some(frame) = self.frames.last() else {
            return Fault::syntax(end, "expected a term, found )");
        };
        let (at, first) = (frame.at as usize, frame.first as usize);
        let place = ApplicationOffsets { head: at, arguments: &self.offsets[first..] };
        let parts = &self.terms[first..];
        if parts.is_empty() && matches!(frame.form, OpenForm::Plain(_) | OpenForm::Headed { .. }) {
            return Fault::sort(
                at,
                "an application without arguments; a constant is written without parentheses",
            );
        }
        let term = match frame.form {
            OpenForm::Plain(symbol) => self.context.application(Head::plain(symbol), parts, place)?,
            OpenForm::Headed { symbol, indices, qualifier } => {
                let head = Head { symbol, indices: &self.indices[indices as usize..], qualifier };
                let term = self.context.application(head, parts, place)?;
                self.indices.truncate(indices as usize);
                term
            }
            OpenForm::Apply => self.context.apply(parts, place)?,
            OpenForm::Pattern { attributes, terms } => {
                let count = self.terms.len() as u32 - terms;
                let value = AttributeValue::Terms(count);
                self.attributes.push(Attribute { keyword: Symbol::PATTERN, value });
                self.frames.last_mut().expect("it is there").form = OpenForm::Annotated { attributes };
                return Ok(None);
            }
            _ => self.close_binder(end)?,
        };
        self.frames.pop();
        self.terms.truncate(first);
        self.offsets.truncate(first);
        Ok(Some((term, at)))
    }
}

/// Returns true if `text` is a numeral or a decimal.
fn is_number(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits(whole) && digits(fraction)
}
