//! S-expressions as trees, for the small tables of this project in SMT-LIB's notation.
//!
//! Scripts are not read through these trees, which are meant for tables of some hundred lines.

use crate::error::{Fallible, Fault};
use crate::lex::{Lexer, TokenKind};

/// The maximal nesting of a table; its readers recurse on it.
const MAX_NESTING: usize = 64;

/// An expression of a table, with its place.
#[derive(Clone, Debug)]
pub(crate) enum Sexpr<'a> {
    Atom(&'a str, usize),
    List(Vec<Sexpr<'a>>, usize),
}

impl<'a> Sexpr<'a> {
    /// All expressions of a text.
    pub fn read_all(text: &'a str) -> Fallible<Vec<Sexpr<'a>>> {
        let mut lexer = Lexer::new(text);
        let mut open: Vec<(Vec<Sexpr>, usize)> = Vec::new();
        let mut read = Vec::new();
        loop {
            let token = lexer.next()?;
            match token.kind {
                TokenKind::Open if open.len() == MAX_NESTING => {
                    return Fault::syntax(token.start(), format!("nested more than {MAX_NESTING} deep"));
                }
                TokenKind::Open => open.push((std::mem::take(&mut read), token.start())),
                TokenKind::Close => {
                    let Some((outer, start)) = open.pop() else {
                        return Fault::syntax(token.start(), "a closing parenthesis too many");
                    };
                    let list = Sexpr::List(std::mem::replace(&mut read, outer), start);
                    read.push(list);
                }
                TokenKind::End => match open.pop() {
                    Some((_, start)) => return Fault::syntax(start, "this parenthesis is not closed"),
                    None => return Ok(read),
                },
                _ => read.push(Sexpr::Atom(lexer.text_of(token), token.start())),
            }
        }
    }

    /// The offset of the expression.
    pub fn offset(&self) -> usize {
        match *self {
            Sexpr::Atom(_, offset) | Sexpr::List(_, offset) => offset,
        }
    }

    /// The text of an atom.
    pub fn atom(&self) -> Fallible<&'a str> {
        match self {
            Sexpr::Atom(text, _) => Ok(text),
            Sexpr::List(_, offset) => Fault::syntax(*offset, "expected a word, not a list"),
        }
    }

    /// The items of a list.
    pub fn list(&self) -> Fallible<&[Sexpr<'a>]> {
        match self {
            Sexpr::List(items, _) => Ok(items),
            Sexpr::Atom(_, offset) => Fault::syntax(*offset, "expected a list"),
        }
    }

    /// The items of a list that begins with `word`.
    pub fn form(&self, word: &str) -> Option<&[Sexpr<'a>]> {
        match self {
            Sexpr::List(items, _) if matches!(items.first(), Some(Sexpr::Atom(text, _)) if *text == word) => {
                Some(&items[1..])
            }
            _ => None,
        }
    }
}
