//! The parser: from text to a checked [`Script`] in one pass.
//!
//! Terms are built bottom-up with an explicit stack ([`term`]), each sorted when its parenthesis closes, so
//! there is no syntax tree in between and nothing recurses: depth costs heap, not stack. What is not
//! understood is kept as text; what is understood and wrong is an error with its place.

mod command;
mod datatype;
mod sort;
mod term;

use std::sync::Arc;

use crate::arena::Arena;
use crate::command::Command;
use crate::context::Context;
use crate::error::{Error, ErrorKind, Fallible, Fault};
use crate::lex::{Kind, Lexer, Token};
use crate::script::Script;
use crate::signature::Signature;
use crate::sort::Index;
use crate::symbol::Symbol;
use crate::term::{Attribute, CaseRecord, Term, Variable};

/// Reads and sort-checks a script.
pub fn parse(text: &str, signature: &Arc<Signature>) -> Result<Script, Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if u32::try_from(text.len()).is_err() {
        let fault = Fault::syntax::<()>(0, "a script of 4 GiB or more cannot be read").unwrap_err();
        return Err(fault.locate(text));
    }
    let mut parser = Parser::new(text, signature);
    match parser.script() {
        Ok(()) => Ok(Script::new(parser.context.arena, parser.commands)),
        Err(fault) => Err(parser.whole_text_error(*fault).locate(text)),
    }
}

/// A parser over a text, with what it has read so far.
struct Parser<'a> {
    lexer: Lexer<'a>,
    context: Context,
    commands: Vec<Command>,
    // The stacks of the term parser; see `term`. They live here to be allocated once.
    frames: Vec<term::Frame>,
    terms: Vec<Term>,
    offsets: Vec<u32>,
    variables: Vec<Variable>,
    indices: Vec<Index>,
    attributes: Vec<Attribute>,
    cases: Vec<CaseRecord>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, signature: &Arc<Signature>) -> Parser<'a> {
        Parser {
            lexer: Lexer::new(text),
            context: Context::new(Arena::new(signature)),
            commands: Vec::new(),
            frames: Vec::new(),
            terms: Vec::new(),
            offsets: Vec::new(),
            variables: Vec::new(),
            indices: Vec::new(),
            attributes: Vec::new(),
            cases: Vec::new(),
        }
    }

    fn script(&mut self) -> Fallible<()> {
        loop {
            let token = self.lexer.next()?;
            match token.kind {
                Kind::Open => {
                    let command = self.command(token.start)?;
                    self.commands.push(command);
                }
                Kind::End => return Ok(()),
                Kind::Close => return Fault::syntax(token.start, "a closing parenthesis too many"),
                _ => return Fault::syntax(token.start, "expected a command in parentheses"),
            }
        }
    }

    /// A wrong sort in a text that cannot even be read to its end is the smaller trouble.
    fn whole_text_error(&self, fault: Fault) -> Fault {
        if fault.kind == ErrorKind::Syntax {
            return fault;
        }
        let mut lexer = Lexer::new(self.lexer.text);
        loop {
            match lexer.next() {
                Ok(Token { kind: Kind::End, .. }) => return fault,
                Ok(Token { kind: Kind::Open, .. }) => match lexer.skip_open(1) {
                    Ok(_) => {}
                    Err(syntax) => return *syntax,
                },
                Ok(Token { kind: Kind::Close, start, .. }) => {
                    let message = "a closing parenthesis too many".into();
                    return Fault { kind: ErrorKind::Syntax, offset: start, message };
                }
                Ok(_) => {}
                Err(syntax) => return *syntax,
            }
        }
    }

    fn expect_open(&mut self, what: &str) -> Fallible<usize> {
        let token = self.lexer.next()?;
        match token.kind {
            Kind::Open => Ok(token.start),
            _ => self.unexpected(token, &format!("( to begin {what}")),
        }
    }

    fn expect_close(&mut self, what: &str) -> Fallible<()> {
        let token = self.lexer.next()?;
        match token.kind {
            Kind::Close => Ok(()),
            _ => self.unexpected(token, &format!(") to end {what}")),
        }
    }

    /// Consumes a closing parenthesis if it is next.
    fn at_close(&mut self) -> Fallible<bool> {
        let token = self.lexer.peek()?;
        if token.kind == Kind::Close {
            self.lexer.position = token.end;
        }
        Ok(token.kind == Kind::Close)
    }

    fn symbol(&mut self, what: &str) -> Fallible<(Symbol, usize)> {
        let token = self.lexer.next()?;
        match token.kind {
            Kind::Symbol if is_reserved(self.lexer.text_of(token)) => {
                let text = self.lexer.text_of(token);
                Fault::syntax(token.start, format!("{text} is a reserved word, expected {what}"))
            }
            Kind::Symbol | Kind::Quoted => Ok((self.intern(token), token.start)),
            _ => self.unexpected(token, what),
        }
    }

    fn numeral(&mut self, what: &str) -> Fallible<u32> {
        let token = self.lexer.next()?;
        match token.kind {
            Kind::Numeral => match self.lexer.text_of(token).parse() {
                Ok(number) => Ok(number),
                Err(_) => Fault::syntax(token.start, "this number is too large"),
            },
            _ => self.unexpected(token, what),
        }
    }

    #[inline]
    fn intern(&mut self, token: Token) -> Symbol {
        self.context.arena.names.intern(self.lexer.text_of(token))
    }

    /// Interns the text from `start` to the lexer's position.
    fn intern_from(&mut self, start: usize) -> Symbol {
        let text = &self.lexer.text[start..self.lexer.position];
        self.context.arena.names.intern(text)
    }

    /// Skips one expression of any shape and interns its text.
    fn verbatim(&mut self) -> Fallible<Symbol> {
        let token = self.lexer.next()?;
        match token.kind {
            Kind::Open => {
                self.lexer.skip_open(1)?;
            }
            Kind::Close | Kind::End => return self.unexpected(token, "an expression"),
            _ => {}
        }
        Ok(self.intern_from(token.start))
    }

    fn unexpected<T>(&self, token: Token, expected: &str) -> Fallible<T> {
        let found = match token.kind {
            Kind::End => "the end of the text".into(),
            _ => {
                let text = &self.lexer.text[token.start..token.end];
                if text.len() > 40 { "something long".into() } else { text.to_string() }
            }
        };
        Fault::syntax(token.start, format!("expected {expected}, found {found}"))
    }
}

/// The words that cannot be names.
fn is_reserved(text: &str) -> bool {
    matches!(text, "!" | "_" | "as" | "exists" | "forall" | "let" | "match" | "par")
}
