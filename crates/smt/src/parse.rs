//! The parser: from text to a sort-checked [`Script`] in one pass.
//!
//! Terms are built bottom-up with an explicit stack ([`term`]), each sorted when its parenthesis closes, so
//! there is no syntax tree in between and nothing recurses: depth costs heap, not stack. Unknown parts are
//! kept as text; known parts that are wrong are errors with their places.

mod annotation;
mod binder;
mod command;
mod datatype;
mod identifier;
pub(crate) mod model;
mod recent_names;
pub mod reread;
mod sort;
mod term;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::arena::Arena;
use crate::command::Command;
use crate::context::Context;
use crate::error::{Error, ErrorKind, Fallible, Fault};
use crate::lex::{Lexer, Token, TokenKind};
use crate::script::{Script, ScriptPrefix};
use crate::signature::Signature;
use crate::sort::{Index, Sort};
use crate::symbol::Symbol;
use crate::term::{Attribute, CaseRecord, Term, Variable};
use crate::variables::FreeVariables;

/// Reads and sort-checks a script.
pub fn parse(text: &str, signature: &Arc<Signature>) -> Result<Script, Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if u32::try_from(text.len()).is_err() {
        let message = "a script of 4 GiB or more cannot be read";
        return Err(Fault::new(ErrorKind::Syntax, 0, message).locate(text));
    }
    let mut parser = Parser::new(text, signature);
    match parser.script() {
        Ok(()) => Ok(Script::new(parser.context.arena, parser.commands)),
        Err(fault) => Err(parser.whole_text_error(*fault).locate(text)),
    }
}

/// Reads and sort-checks the commands before the first error; `None` if there is no error or the text is too long.
pub fn parse_before_error(text: &str, signature: &Arc<Signature>) -> Option<ScriptPrefix> {
    let stripped = text.strip_prefix('\u{feff}').unwrap_or(text);
    u32::try_from(stripped.len()).ok()?;
    let mut parser = Parser::new(stripped, signature);
    let fault = parser.script().err()?;
    // The stack of the failed command does not matter any more: the commands before it are complete.
    let length = text.len() - stripped.len() + parser.command_start;
    let error = fault.locate(stripped);
    Some(ScriptPrefix { script: Script::new(parser.context.arena, parser.commands), length, error })
}

/// A parser over a text, with the commands read so far.
struct Parser<'a> {
    lexer: Lexer<'a>,
    context: Context,
    commands: Vec<Command>,
    /// The offset of the command that is being read.
    command_start: usize,
    recent: recent_names::RecentNames,
    // The stacks of the term parser (see `term`), here to be allocated once.
    frames: Vec<term::OpenTerm>,
    terms: Vec<Term>,
    offsets: Vec<u32>,
    variables: Vec<Variable>,
    indices: Vec<Index>,
    attributes: Vec<Attribute>,
    cases: Vec<CaseRecord>,
    /// Whether the term that is being read is the body of a function with parameters.
    in_definition: bool,
    /// The number of quantifiers and match cases around the current term.
    binders: usize,
    free: FreeVariables,
    /// The unknown names seen, and whether each is a near miss of a known name.
    near_misses: FxHashMap<Symbol, bool>,
    /// Whether abstract values of solvers may occur without a declaration, as in models.
    lenient: bool,
    /// Elements of uninterpreted sorts that a model uses without a declaration.
    elements: Vec<(Symbol, Sort)>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, signature: &Arc<Signature>) -> Parser<'a> {
        Parser::with_context(text, Context::new(Arena::for_text(signature, text.len())))
    }

    fn with_context(text: &'a str, context: Context) -> Parser<'a> {
        Parser {
            lexer: Lexer::new(text),
            context,
            commands: Vec::new(),
            command_start: 0,
            recent: recent_names::RecentNames::new(),
            frames: Vec::new(),
            terms: Vec::new(),
            offsets: Vec::new(),
            variables: Vec::new(),
            indices: Vec::new(),
            attributes: Vec::new(),
            cases: Vec::new(),
            in_definition: false,
            binders: 0,
            free: FreeVariables::default(),
            near_misses: FxHashMap::default(),
            lenient: false,
            elements: Vec::new(),
        }
    }

    fn script(&mut self) -> Fallible<()> {
        loop {
            self.command_start = self.lexer.position;
            let token = self.lexer.next()?;
            match token.kind {
                TokenKind::Open => {
                    let command = self.command(token.start())?;
                    self.commands.push(command);
                }
                TokenKind::End => return Ok(()),
                TokenKind::Close => return Fault::syntax(token.start(), "a closing parenthesis too many"),
                _ => return Fault::syntax(token.start(), "expected a command in parentheses"),
            }
        }
    }

    /// Prefers a syntax error anywhere in the text over this sort error.
    fn whole_text_error(&self, fault: Fault) -> Fault {
        if fault.kind == ErrorKind::Syntax {
            return fault;
        }
        let mut lexer = Lexer::new(self.lexer.text);
        loop {
            match lexer.next() {
                Ok(Token { kind: TokenKind::End, .. }) => return fault,
                Ok(Token { kind: TokenKind::Open, .. }) => match lexer.skip_open(1) {
                    Ok(_) => {}
                    Err(syntax) => return *syntax,
                },
                Ok(token @ Token { kind: TokenKind::Close, .. }) => {
                    return Fault::new(ErrorKind::Syntax, token.start(), "a closing parenthesis too many");
                }
                Ok(_) => {}
                Err(syntax) => return *syntax,
            }
        }
    }

    /// Consumes a parenthesis if it is next; the lexer handles a comment before it.
    #[inline]
    fn accept(&mut self, parenthesis: u8) -> bool {
        let position = self.lexer.skip_blanks();
        let is_next = self.lexer.text.as_bytes().get(position) == Some(&parenthesis);
        self.lexer.position += usize::from(is_next);
        is_next
    }

    #[inline]
    fn expect_open(&mut self, what: &str) -> Fallible<usize> {
        if self.accept(b'(') {
            return Ok(self.lexer.position - 1);
        }
        let token = self.lexer.next()?;
        match token.kind {
            TokenKind::Open => Ok(token.start()),
            _ => self.unexpected(token, &format!("( to begin {what}")),
        }
    }

    #[inline]
    fn expect_close(&mut self, what: &str) -> Fallible<()> {
        if self.accept(b')') {
            return Ok(());
        }
        let token = self.lexer.next()?;
        match token.kind {
            TokenKind::Close => Ok(()),
            _ => self.unexpected(token, &format!(") to end {what}")),
        }
    }

    /// Consumes a closing parenthesis if it is next.
    #[inline]
    fn at_close(&mut self) -> Fallible<bool> {
        if self.accept(b')') {
            return Ok(true);
        }
        let token = self.lexer.peek()?;
        if token.kind == TokenKind::Close {
            self.lexer.position = token.end();
        }
        Ok(token.kind == TokenKind::Close)
    }

    /// The next token and its offset, if it is a recently seen name.
    #[inline]
    fn recent_name(&mut self) -> Option<(Symbol, usize)> {
        let start = self.lexer.skip_blanks();
        let (name, end) = self.recent.find(self.lexer.text.as_bytes(), start)?;
        self.lexer.position = end;
        Some((name, start))
    }

    #[inline]
    fn symbol(&mut self, what: &str) -> Fallible<(Symbol, usize)> {
        if let Some((name, start)) = self.recent_name()
            && !self.cannot_be_name(name)
        {
            return Ok((name, start));
        }
        let token = self.lexer.next()?;
        match token.kind {
            TokenKind::Symbol => match self.intern(token) {
                name if self.cannot_be_name(name) => self.unexpected(token, what),
                name => Ok((name, token.start())),
            },
            TokenKind::Quoted => Ok((self.intern(token), token.start())),
            _ => self.unexpected(token, what),
        }
    }

    /// Returns true if an unquoted symbol cannot be a name: it is reserved, or solvers read it as a number.
    ///
    /// Solvers accept `let`, `forall` and `exists` as names where they are unambiguous.
    #[inline]
    fn cannot_be_name(&self, symbol: Symbol) -> bool {
        let text = self.context.arena.text(symbol);
        match text.as_bytes()[0] {
            b'-' => text[1..].starts_with(|c: char| c.is_ascii_digit()),
            b'!' | b'_' | b'a' | b'p' => is_reserved(text),
            _ => false,
        }
    }

    fn numeral(&mut self, what: &str) -> Fallible<u32> {
        let token = self.lexer.next()?;
        match token.kind {
            TokenKind::Numeral => match self.lexer.text_of(token).parse() {
                Ok(number) => Ok(number),
                Err(_) => Fault::syntax(token.start(), "this number is too large"),
            },
            _ => self.unexpected(token, what),
        }
    }

    #[inline]
    fn intern(&mut self, token: Token) -> Symbol {
        let names = &mut self.context.arena.names;
        match recent_names::key(self.lexer.text.as_bytes(), token) {
            Some(key) => self.recent.get(key, || names.intern(self.lexer.text_of(token))),
            None => names.intern(self.lexer.text_of(token)),
        }
    }

    /// Interns the text from `start` to the lexer's position.
    fn intern_from(&mut self, start: usize) -> Symbol {
        let text = &self.lexer.text[start..self.lexer.position];
        self.context.arena.names.intern(text)
    }

    /// Skips one expression and interns its text.
    fn verbatim(&mut self) -> Fallible<Symbol> {
        let token = self.lexer.next()?;
        match token.kind {
            TokenKind::Open => {
                self.lexer.skip_open(1)?;
            }
            TokenKind::Close | TokenKind::End => return self.unexpected(token, "an expression"),
            _ => {}
        }
        Ok(self.intern_from(token.start()))
    }

    fn unexpected<T>(&self, token: Token, expected: &str) -> Fallible<T> {
        let found = match token.kind {
            TokenKind::End => "the end of the text".into(),
            _ => {
                let text = &self.lexer.text[token.start()..token.end()];
                if text.len() > 40 { "something long".into() } else { text.to_string() }
            }
        };
        Fault::syntax(token.start(), format!("expected {expected}, found {found}"))
    }
}

/// The reserved words.
fn is_reserved(text: &str) -> bool {
    matches!(text, "!" | "_" | "as" | "par")
}
