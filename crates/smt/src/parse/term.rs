//! Terms, with an explicit stack.
//!
//! A [`Frame`] is an expression of which some parts are read; the parts themselves (terms and where they
//! began, variables, indices, attributes) lie on stacks of their own, above where the frame began. A
//! closing parenthesis turns the top frame into a term, which becomes a part of the frame below.

use super::{Parser, is_reserved};
use crate::check::Place;
use crate::context::Role;
use crate::error::{Fallible, Fault};
use crate::lex::{Kind, Token};
use crate::sort::{Index, Sort};
use crate::symbol::Symbol;
use crate::term::{Attribute, AttributeValue, Binder, CaseRecord, Head, Literal, Term, Variable};

/// An expression that is being read.
pub(super) struct Frame {
    form: Form,
    /// Where its opening parenthesis is.
    at: u32,
    /// How many terms were on the stack when it began.
    first: u32,
}

enum Form {
    /// A bare name applied to arguments.
    Plain(Symbol),
    /// A name with indices (from this one on the stack) or a sort, applied to arguments.
    Headed { symbol: Symbol, indices: u32, qualifier: Option<Sort> },
    /// A function-valued term applied to arguments.
    Apply,
    /// The values of a `let`; its names are on the stack from here.
    LetValues { variables: u32 },
    /// The body of a `let`.
    LetBody { variables: u32, bound: u32 },
    /// The body of a binder.
    Bind { binder: Binder, variables: u32, bound: u32 },
    /// The term that a `match` looks at.
    MatchOn { cases: u32 },
    /// A body of a `match`.
    MatchBody { cases: u32, bound: u32 },
    /// The term of an annotation, and the attributes after it.
    Annotated { attributes: u32 },
    /// The terms of an attribute, inside its own parentheses.
    Pattern { attributes: u32, terms: u32 },
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

    /// Reads a token: the whole term that it is or ends, if it does.
    ///
    /// Parentheses and names that were seen before are nearly all of a script; the lexer is asked for the rest.
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
            Kind::Open => Ok(self.open(at)?.map(|term| (term, at))),
            Kind::Close => self.close(at),
            Kind::Keyword => self.attribute(token).map(|()| None),
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

    /// Says no if `term` is not of sort `wanted`, or an integer where a real is wanted.
    pub(super) fn expect_sort(&self, term: Term, wanted: Sort, what: &str, at: usize) -> Fallible<()> {
        match crate::check::is_coercible(self.context.arena.sort_of(term), wanted) {
            true => Ok(()),
            false => self.expect_exact_sort(term, wanted, what, at),
        }
    }

    /// Says no if `term` is not of sort `wanted`.
    pub(super) fn expect_exact_sort(&self, term: Term, wanted: Sort, what: &str, at: usize) -> Fallible<()> {
        let sort = self.context.arena.sort_of(term);
        if sort == wanted || sort == Sort::UNKNOWN {
            return Ok(());
        }
        let (sort, wanted) = (self.context.show_sort(sort), self.context.show_sort(wanted));
        Fault::sort(at, format!("{what} is of sort {sort}, expected {wanted}"))
    }

    #[inline]
    fn atom(&mut self, token: Token) -> Fallible<Term> {
        let (literal, sort) = match token.kind {
            Kind::Symbol => {
                let name = self.intern(token);
                return self.named(name, token.start());
            }
            Kind::Quoted => {
                let name = self.intern(token);
                return match self.known_name(name) {
                    Some(term) => Ok(term),
                    None => self.constant(name, token.start()),
                };
            }
            Kind::Numeral => (Literal::Numeral, self.context.numeral),
            Kind::Decimal => (Literal::Decimal, Sort::REAL),
            Kind::Hexadecimal => {
                let width = (token.end() - token.start() - 2) as u32 * 4;
                (Literal::Hexadecimal, self.context.arena.bit_vector(width))
            }
            Kind::Binary => {
                let width = (token.end() - token.start() - 2) as u32;
                (Literal::Binary, self.context.arena.bit_vector(width))
            }
            Kind::String => (Literal::String, Sort::STRING),
            Kind::Field => (Literal::Field, self.field_sort(token)?),
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

    /// A name that stands for a term and is written without bars.
    #[inline]
    fn named(&mut self, name: Symbol, at: usize) -> Fallible<Term> {
        match self.known_name(name) {
            Some(term) => Ok(term),
            None if self.context.knows(name) => self.constant(name, at),
            None => self.unknown_name(name, at),
        }
    }

    /// A name that nothing is known of: a word out of place, a negative number, or a constant of some solver.
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
        self.constant(name, at)
    }

    fn constant(&mut self, name: Symbol, at: usize) -> Fallible<Term> {
        let place = Place { head: at, arguments: &[] };
        self.context.application(Head::plain(name), &[], place)
    }

    /// `-5`, which solvers take for `(- 5)`.
    fn negative(&mut self, number: &str, at: usize) -> Fallible<Term> {
        let (literal, sort) = match number.contains('.') {
            true => (Literal::Decimal, Sort::REAL),
            false => (Literal::Numeral, self.context.numeral),
        };
        let term = self.context.arena.literal(literal, number, sort);
        let place = Place { head: at, arguments: &[at as u32] };
        self.context.application(Head::plain(Symbol::MINUS), &[term], place)
    }

    fn push(&mut self, form: Form, at: usize) {
        self.frames.push(Frame { form, at: at as u32, first: self.terms.len() as u32 });
    }

    /// What an opening parenthesis begins: a frame, or a whole term at once.
    #[inline]
    fn open(&mut self, at: usize) -> Fallible<Option<Term>> {
        let start = self.lexer.skip_blanks();
        if let Some((name, end)) = self.recent.find(self.lexer.text.as_bytes(), start) {
            self.lexer.position = end;
            return self.open_named(name, start, at);
        }
        let token = self.lexer.next()?;
        match token.kind {
            Kind::Symbol => {
                let name = self.intern(token);
                self.open_named(name, token.start(), at)
            }
            Kind::Quoted => {
                let name = self.intern(token);
                self.open_application(name, token.start(), at)
            }
            Kind::Open => self.open_compound(token, at),
            _ => self.unexpected(token, "a function"),
        }
    }

    /// What a parenthesis at `at` and a name after it begin.
    #[inline]
    fn open_named(&mut self, name: Symbol, start: usize, at: usize) -> Fallible<Option<Term>> {
        match name {
            _ if name > Symbol::LAST_WORD => self.open_application(name, start, at),
            Symbol::LET => self.open_let(at),
            Symbol::FORALL => self.open_binder(Binder::Forall, at),
            Symbol::EXISTS => self.open_binder(Binder::Exists, at),
            Symbol::MATCH => {
                let cases = self.cases.len() as u32;
                self.push(Form::MatchOn { cases }, at);
                Ok(None)
            }
            Symbol::ANNOTATE => {
                let attributes = self.attributes.len() as u32;
                self.push(Form::Annotated { attributes }, at);
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
            self.push(Form::Apply, at);
            self.terms.push(term);
            self.offsets.push(start as u32);
            return Ok(None);
        }
        if !self.context.knows(name) {
            return self.unknown(name, start, at);
        }
        self.push(Form::Plain(name), at);
        Ok(None)
    }

    /// An application of something that is not known: an operator of some solver, or a mistake.
    fn unknown(&mut self, name: Symbol, start: usize, at: usize) -> Fallible<Option<Term>> {
        let text = self.context.arena.text(name);
        let is_foreign = || is_operator_like(text) && self.context.nearest(name).is_none();
        if self.context.arena.signature.is_opaque(name) || is_foreign() {
            return self.opaque(at, 1).map(Some);
        }
        if name == Symbol::APPLY {
            self.push(Form::Apply, at);
            return Ok(None);
        }
        self.constant(name, start).map(Some)
    }

    /// The text from `at` to the end of its expression, of which `depth` parentheses are open.
    fn opaque(&mut self, at: usize, depth: usize) -> Fallible<Term> {
        self.lexer.skip_open(depth)?;
        let text = self.intern_from(at);
        Ok(self.context.arena.terms.opaque(text))
    }

    /// `((_ f 1) …`, `((as f S) …` or `((f x) …`; `inner` is the second parenthesis.
    fn open_compound(&mut self, inner: Token, at: usize) -> Fallible<Option<Term>> {
        let token = self.lexer.next()?;
        let word = if token.kind == Kind::Symbol { self.intern(token) } else { Symbol::UNKNOWN };
        if word == Symbol::UNDERSCORE || word == Symbol::AS {
            let indices = self.indices.len() as u32;
            return match self.identifier(word)? {
                Identifier::Head(symbol, qualifier) => {
                    self.push(Form::Headed { symbol, indices, qualifier }, at);
                    Ok(None)
                }
                Identifier::Function => {
                    self.push(Form::Apply, at);
                    self.lexer.position = inner.start();
                    Ok(None)
                }
                Identifier::Opaque => self.opaque_from(at),
            };
        }
        self.push(Form::Apply, at);
        self.lexer.position = inner.start();
        Ok(None)
    }

    /// The opaque text of the expression that begins at `at`.
    fn opaque_from(&mut self, at: usize) -> Fallible<Option<Term>> {
        self.lexer.position = at + 1;
        self.opaque(at, 1).map(Some)
    }

    /// The rest of `(_ name index…)` or `(as name sort)` where a term stands.
    fn whole_identifier(&mut self, word: Symbol, at: usize) -> Fallible<Option<Term>> {
        let start = self.indices.len();
        let after_word = self.lexer.position;
        match self.identifier(word)? {
            Identifier::Head(symbol, qualifier) => {
                let indices = self.indices.split_off(start);
                let head = Head { symbol, indices: &indices, qualifier };
                let place = Place { head: at, arguments: &[] };
                if !indices.is_empty() && self.is_foreign(symbol) {
                    return self.opaque_from(at);
                }
                self.context.application(head, &[], place).map(Some)
            }
            Identifier::Function => {
                // (_ f x): the application of higher-order logic.
                self.push(Form::Apply, at);
                self.lexer.position = after_word;
                Ok(None)
            }
            Identifier::Opaque => self.opaque_from(at),
        }
    }

    /// Whether an indexed name is an operator of some solver that no table has, rather than a slip.
    ///
    /// A script cannot declare an indexed function, so what is not known is not the script's own.
    fn is_foreign(&self, symbol: Symbol) -> bool {
        !self.context.knows(symbol) && !self.is_special(symbol) && self.context.nearest(symbol).is_none()
    }

    /// Whether an indexed identifier is one that no table lists.
    fn is_special(&self, symbol: Symbol) -> bool {
        matches!(symbol, Symbol::IS | Symbol::UPDATE | Symbol::UPDATE_FIELD)
            || self.context.arena.text(symbol).starts_with("bv")
    }

    /// Reads `name index…)` or `name sort)`; indices are left on their stack.
    fn identifier(&mut self, word: Symbol) -> Fallible<Identifier> {
        if word == Symbol::UNDERSCORE {
            let (symbol, at) = self.symbol("the name of an indexed operator")?;
            return self.indices_of(symbol, at);
        }
        let token = self.lexer.next()?;
        let symbol = match token.kind {
            Kind::Open => {
                // (as (_ f 1) S)
                let word = self.lexer.next()?;
                if self.lexer.text_of(word) != "_" {
                    return self.unexpected(word, "_");
                }
                let (symbol, at) = self.symbol("the name of an indexed operator")?;
                match self.indices_of(symbol, at)? {
                    Identifier::Head(symbol, _) => symbol,
                    other => return Ok(other),
                }
            }
            Kind::Symbol | Kind::Quoted => self.intern(token),
            _ => return self.unexpected(token, "a name"),
        };
        let sort = self.sort()?;
        self.expect_close("the qualified name")?;
        Ok(Identifier::Head(symbol, Some(sort)))
    }

    fn indices_of(&mut self, symbol: Symbol, at: usize) -> Fallible<Identifier> {
        let start = self.indices.len();
        if self.context.local(symbol).is_some() || self.context.function(symbol).is_some() {
            return Ok(Identifier::Function);
        }
        while !self.at_close()? {
            let is_listed = self.context.knows(symbol) || self.is_special(symbol);
            if self.lexer.peek()?.kind == Kind::Open && !is_listed {
                return Ok(Identifier::Opaque);
            }
            let index = self.index()?;
            self.indices.push(index);
        }
        if self.indices.len() == start {
            return Fault::syntax(at, "an indexed name needs an index");
        }
        Ok(match self.context.arena.signature.is_opaque(symbol) {
            true => Identifier::Opaque,
            false => Identifier::Head(symbol, None),
        })
    }

    /// `(let ((x …` up to its first value.
    fn open_let(&mut self, at: usize) -> Fallible<Option<Term>> {
        let variables = self.variables.len() as u32;
        self.push(Form::LetValues { variables }, at);
        self.expect_open("the bindings of a let")?;
        self.next_let_value()?;
        Ok(None)
    }

    /// Goes on to the next value of the innermost `let`, or to its body.
    fn next_let_value(&mut self) -> Fallible<()> {
        let token = self.lexer.next()?;
        match token.kind {
            Kind::Open => {
                let (name, _) = self.symbol("the name of a let variable")?;
                self.variables.push(Variable { name, sort: Sort::UNKNOWN });
                Ok(())
            }
            Kind::Close => {
                // The variables come into scope together: none is visible in a value.
                let frame = self.frames.last_mut().expect("a let is open");
                let Form::LetValues { variables } = frame.form else { unreachable!("the frame is a let's") };
                let bound = self.context.bound() as u32;
                frame.form = Form::LetBody { variables, bound };
                for position in variables as usize..self.variables.len() {
                    let Variable { name, sort } = self.variables[position];
                    self.context.bind(name, sort);
                }
                Ok(())
            }
            _ => self.unexpected(token, "( for a binding or ) after the last one"),
        }
    }

    /// `(forall ((x S) …)` up to its body.
    fn open_binder(&mut self, binder: Binder, at: usize) -> Fallible<Option<Term>> {
        let (variables, bound) = (self.variables.len() as u32, self.context.bound() as u32);
        self.push(Form::Bind { binder, variables, bound }, at);
        self.expect_open("the variables of a binder")?;
        while !self.at_close()? {
            let variable = self.sorted_variable()?;
            self.variables.push(variable);
        }
        if self.variables.len() == variables as usize {
            return Fault::sort(at, format!("{} binds no variable", binder.name()));
        }
        for position in variables as usize..self.variables.len() {
            let Variable { name, sort } = self.variables[position];
            let sort = self.context.arena.canonical(sort);
            self.context.bind(name, sort);
        }
        Ok(None)
    }

    /// `(x S)`
    pub(super) fn sorted_variable(&mut self) -> Fallible<Variable> {
        self.expect_open("a variable with its sort")?;
        let (name, _) = self.symbol("the name of a variable")?;
        let sort = self.sort()?;
        self.expect_close("the variable")?;
        Ok(Variable { name, sort })
    }

    /// After a term became a part of the top frame: the text between it and the next part.
    #[inline]
    fn advance(&mut self) -> Fallible<()> {
        let frame = self.frames.last().expect("a part belongs to a frame");
        match frame.form {
            Form::LetValues { .. } => {
                self.expect_close("the binding")?;
                let value = *self.terms.last().expect("the value was just read");
                let variable = self.variables.last_mut().expect("its name was read before");
                variable.sort = self.context.arena.sort_of(value);
                self.next_let_value()
            }
            Form::MatchOn { cases } => {
                self.expect_open("the cases of a match")?;
                let bound = self.context.bound() as u32;
                self.frames.last_mut().expect("it is there").form = Form::MatchBody { cases, bound };
                self.next_case()
            }
            Form::MatchBody { bound, .. } => {
                self.expect_close("the case")?;
                self.context.unbind_to(bound as usize);
                self.next_case()
            }
            _ => Ok(()),
        }
    }

    /// `(pattern` up to its body, or the parenthesis that ends the cases.
    fn next_case(&mut self) -> Fallible<()> {
        if self.at_close()? {
            return Ok(());
        }
        let first = self.frames.last().expect("a match is open").first as usize;
        let matched = self.context.arena.sort_of(self.terms[first]);
        self.expect_open("a case")?;
        let token = self.lexer.next()?;
        let mut names = Vec::new();
        let (constructor, at) = match token.kind {
            Kind::Open => {
                let (constructor, at) = self.symbol("a constructor")?;
                while !self.at_close()? {
                    names.push(self.symbol("a variable")?.0);
                }
                (constructor, at)
            }
            Kind::Symbol | Kind::Quoted => (self.intern(token), token.start()),
            _ => return self.unexpected(token, "a pattern"),
        };
        let case = self.case(constructor, &names, matched, token.kind == Kind::Open, at)?;
        self.cases.push(case);
        Ok(())
    }

    /// Binds the variables of a case and gives its record.
    fn case(
        &mut self,
        name: Symbol,
        names: &[Symbol],
        matched: Sort,
        applied: bool,
        at: usize,
    ) -> Fallible<CaseRecord> {
        let mut bindings = Vec::new();
        let constructor = self.context.functions(name).find(|function| {
            let sorts = &self.context.arena.sorts;
            function.role == Role::Constructor && sorts.unify(function.result, matched, &mut bindings)
        });
        let fields = constructor.map(|constructor| self.context.parameters(constructor).to_vec());
        let constructor = constructor.map(|_| name);
        let mut variables = Vec::new();
        match fields {
            Some(fields) => {
                if fields.len() != names.len() {
                    let shown = self.context.show(name);
                    let message =
                        format!("{shown} has {} fields, the pattern names {}", fields.len(), names.len());
                    return Fault::sort(at, message);
                }
                for (&name, field) in names.iter().zip(fields) {
                    let sort = self.context.arena.sorts.instantiate(field, &bindings);
                    variables.push(Variable { name, sort });
                }
            }
            None if applied => {
                let (shown, sort) = (self.context.show(name), self.context.show_sort(matched));
                return Fault::sort(at, format!("{shown} is not a constructor of {sort}"));
            }
            None => variables.push(Variable { name, sort: matched }),
        }
        for variable in &variables {
            self.context.bind(variable.name, variable.sort);
        }
        let variables = self.context.arena.terms.variables.intern(&variables);
        Ok(CaseRecord { constructor, variables })
    }

    /// `:keyword value` inside an annotation.
    fn attribute(&mut self, token: Token) -> Fallible<()> {
        let has_term = |frame: &Frame, terms: &[Term]| terms.len() > frame.first as usize;
        match self.frames.last() {
            Some(frame) if matches!(frame.form, Form::Annotated { .. }) && has_term(frame, &self.terms) => {}
            _ => return self.unexpected(token, "a term"),
        }
        let keyword = self.intern(token);
        let next = self.lexer.peek()?;
        let value = match (keyword, next.kind) {
            (Symbol::NAMED, _) => AttributeValue::Name(self.symbol("the name of the term")?.0),
            (_, Kind::Keyword | Kind::Close) => AttributeValue::None,
            (Symbol::PATTERN, Kind::Open) => {
                self.lexer.position = next.end();
                let frame = self.frames.last_mut().expect("an annotation is open");
                let Form::Annotated { attributes } = frame.form else { unreachable!("it was just seen") };
                frame.form = Form::Pattern { attributes, terms: self.terms.len() as u32 };
                return Ok(());
            }
            _ => AttributeValue::Text(self.verbatim()?),
        };
        self.attributes.push(Attribute { keyword, value });
        Ok(())
    }

    /// What a closing parenthesis ends: a term, or only a part of its frame.
    #[inline]
    fn close(&mut self, end: usize) -> Fallible<Option<(Term, usize)>> {
        let Some(frame) = self.frames.last() else {
            return Fault::syntax(end, "expected a term, found )");
        };
        let (at, first) = (frame.at as usize, frame.first as usize);
        let place = Place { head: at, arguments: &self.offsets[first..] };
        let parts = &self.terms[first..];
        if parts.is_empty() && matches!(frame.form, Form::Plain(_) | Form::Headed { .. }) {
            return Fault::sort(
                at,
                "an application without arguments; a constant is written without parentheses",
            );
        }
        let term = match frame.form {
            Form::Plain(symbol) => self.context.application(Head::plain(symbol), parts, place)?,
            Form::Headed { symbol, indices, qualifier } => {
                let head = Head { symbol, indices: &self.indices[indices as usize..], qualifier };
                let term = match qualifier.is_none() && self.is_foreign(symbol) {
                    false => self.context.application(head, parts, place)?,
                    true => {
                        let text = self.intern_from(at);
                        self.context.arena.terms.opaque(text)
                    }
                };
                self.indices.truncate(indices as usize);
                term
            }
            Form::Apply => self.context.apply(parts, place)?,
            Form::Pattern { attributes, terms } => {
                let count = self.terms.len() as u32 - terms;
                let value = AttributeValue::Terms(count);
                self.attributes.push(Attribute { keyword: Symbol::PATTERN, value });
                self.frames.last_mut().expect("it is there").form = Form::Annotated { attributes };
                return Ok(None);
            }
            _ => self.close_binder(end)?,
        };
        self.frames.pop();
        self.terms.truncate(first);
        self.offsets.truncate(first);
        Ok(Some((term, at)))
    }

    /// The end of a `let`, a quantifier, a `match` or an annotation.
    fn close_binder(&mut self, end: usize) -> Fallible<Term> {
        let frame = self.frames.last().expect("a frame is being closed");
        let first = frame.first as usize;
        let parts = &self.terms[first..];
        match frame.form {
            Form::LetBody { variables, bound } => {
                let values = self.variables.len() - variables as usize;
                if parts.len() != values + 1 {
                    return Fault::syntax(end, "a let has one body");
                }
                let term = self.context.arena.let_in(&self.variables[variables as usize..], parts);
                self.variables.truncate(variables as usize);
                self.context.unbind_to(bound as usize);
                Ok(term)
            }
            Form::Bind { binder, variables, bound } => {
                let sort = self.binder_sort(binder, variables as usize, first, end)?;
                let (variables, parts) = (variables as usize, &self.terms[first..]);
                let term = self.context.arena.bind(binder, &self.variables[variables..], parts, sort);
                self.variables.truncate(variables);
                self.context.unbind_to(bound as usize);
                Ok(term)
            }
            Form::MatchBody { cases, .. } => self.close_match(cases as usize, first, end),
            Form::Annotated { attributes } => self.close_annotation(attributes as usize, first, end),
            _ => Fault::syntax(end, "this expression ends too early"),
        }
    }

    fn binder_sort(&mut self, binder: Binder, variables: usize, first: usize, end: usize) -> Fallible<Sort> {
        let (parts, count) = (&self.terms[first..], if binder == Binder::Comprehension { 2 } else { 1 });
        if parts.len() != count {
            return Fault::syntax(end, format!("{} has one body after its variables", binder.name()));
        }
        let (body, at) = (parts[0], self.offsets[first] as usize);
        let last = self.context.arena.sort_of(parts[count - 1]);
        if binder != Binder::Lambda {
            self.expect_sort(body, Sort::BOOL, "the body", at)?;
        }
        let canonical = |variable: &Variable| self.context.arena.canonical(variable.sort);
        match binder {
            Binder::Forall | Binder::Exists => Ok(Sort::BOOL),
            Binder::Lambda => {
                let sorts: Vec<Sort> = self.variables[variables..].iter().map(canonical).collect();
                Ok(self.context.arrow(&sorts, last))
            }
            Binder::Choice => Ok(self.variables[variables..].first().map_or(Sort::UNKNOWN, canonical)),
            Binder::Comprehension => {
                let set = self.context.arena.symbol("Set");
                Ok(self.context.arena.sort(set, &[], &[last]))
            }
        }
    }

    fn close_match(&mut self, cases: usize, first: usize, end: usize) -> Fallible<Term> {
        let parts = &self.terms[first..];
        if parts.len() < 2 || parts.len() != self.cases.len() - cases + 1 {
            return Fault::syntax(end, "a match has a term and one or more cases");
        }
        let sort_of = |term: &Term| self.context.arena.sort_of(*term);
        let mut sort = sort_of(&parts[1]);
        for (body, &at) in parts.iter().zip(&self.offsets[first..]).skip(2) {
            match (sort, sort_of(body)) {
                (Sort::UNKNOWN, other) | (Sort::INT, other @ Sort::REAL) => sort = other,
                _ => self.expect_sort(*body, sort, "this case", at as usize)?,
            }
        }
        self.check_coverage(
            sort_of(&parts[0]),
            cases,
            self.frames.last().map_or(0, |frame| frame.at as usize),
        )?;
        let term = self.context.arena.terms.match_(&self.cases[cases..], parts, sort);
        self.cases.truncate(cases);
        Ok(term)
    }

    /// Every constructor needs a case, or there must be one for all.
    fn check_coverage(&self, matched: Sort, cases: usize, at: usize) -> Fallible<()> {
        let Some(datatype) = self.context.datatype(matched) else {
            let shown = self.context.show_sort(matched);
            return match matched {
                Sort::UNKNOWN => Ok(()),
                _ => Fault::sort(at, format!("match looks at a value of a datatype, not of {shown}")),
            };
        };
        let cases = &self.cases[cases..];
        if cases.iter().any(|case| case.constructor.is_none()) {
            return Ok(());
        }
        match datatype
            .constructors
            .iter()
            .find(|name| cases.iter().all(|case| case.constructor != Some(**name)))
        {
            Some(&missing) => {
                Fault::sort(at, format!("match has no case for {}", self.context.show(missing)))
            }
            None => Ok(()),
        }
    }

    /// Whether the top frame is an annotation of a binder's body, perhaps through other annotations.
    fn is_quantifier_body(&self) -> bool {
        let outside = self.frames.iter().rev().find(|frame| !matches!(frame.form, Form::Annotated { .. }));
        matches!(outside, Some(Frame { form: Form::Bind { .. }, .. }))
    }

    /// Whether a term has free variables that come from more than a `let`.
    fn names_a_bound_part(&self, term: Term) -> bool {
        let in_binder = |frame: &Frame| matches!(frame.form, Form::Bind { .. } | Form::MatchBody { .. });
        let is_inside = self.frames.iter().any(in_binder) || self.in_definition;
        is_inside && !crate::variables::free(&self.context.arena, term).is_empty()
    }

    fn close_annotation(&mut self, attributes: usize, first: usize, end: usize) -> Fallible<Term> {
        let parts = &self.terms[first..];
        let in_patterns: usize = self.attributes[attributes..]
            .iter()
            .map(|attribute| match attribute.value {
                AttributeValue::Terms(count) => count as usize,
                _ => 0,
            })
            .sum();
        if parts.len() != in_patterns + 1 {
            return Fault::syntax(end, "an annotation has one term and its attributes");
        }
        let (sort, parts_first) = (self.context.arena.sort_of(parts[0]), parts[0]);
        let term = self.context.arena.annotated(&self.attributes[attributes..], parts);
        let named = self.attributes[attributes..].iter().filter_map(|attribute| match attribute.value {
            AttributeValue::Name(name) => Some(name),
            _ => None,
        });
        let (named, at) =
            (named.collect::<Vec<Symbol>>(), self.frames.last().map_or(0, |frame| frame.at as usize));
        if !named.is_empty() && self.names_a_bound_part(parts_first) {
            return Fault::sort(at, "a named term cannot hold variables of a binder around it");
        }
        for name in named {
            if self.context.function(name).is_some() || self.is_theory_function(name, &[]) {
                return Fault::sort(at, format!("{} is already declared", self.context.show(name)));
            }
            self.context.add_function(name, Role::Declared, &[], sort);
        }
        if in_patterns > 0 && !self.is_quantifier_body() {
            return Fault::sort(at, "a :pattern belongs to the body of a quantifier");
        }
        self.attributes.truncate(attributes);
        Ok(term)
    }
}

enum Identifier {
    /// A name; its indices are on their stack.
    Head(Symbol, Option<Sort>),
    /// `(_ f …` where `f` is a function: an application, not an identifier.
    Function,
    /// Something whose indices are not understood.
    Opaque,
}

/// Whether a name looks like an operator of some theory rather than a function of the script.
fn is_operator_like(text: &str) -> bool {
    const THEORIES: [&str; 16] = [
        "str", "re", "fp", "seq", "set", "bag", "rel", "table", "tuple", "ff", "int", "real", "bv", "sep",
        "array", "char",
    ];
    text.split_once('.').is_some_and(|(theory, operator)| THEORIES.contains(&theory) && !operator.is_empty())
}

/// Whether `text` is a numeral or a decimal.
fn is_number(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits(whole) && digits(fraction)
}
