//! Errors in a text, with their places.

use std::fmt;

/// Whether a text is malformed or ill-sorted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// The text is not a sequence of well-formed commands: parentheses, literals, bytes.
    Syntax,
    /// A name, sort, arity or index is wrong.
    Sort,
}

/// An error with its place in the text, ready to be shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// The kind of error.
    pub kind: ErrorKind,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// The message.
    pub message: String,
    /// The part of the line around the error.
    pub excerpt: String,
    /// The number of characters of the excerpt before the error.
    pub caret: usize,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Error {}

impl Error {
    /// The line of the text, and a caret under the error.
    pub fn snippet(&self) -> String {
        format!("{}\n{}^", self.excerpt, " ".repeat(self.caret))
    }
}

/// Messages may quote text of any length; they are cut off here.
const MAX_MESSAGE_BYTES: usize = 600;

/// An error at an offset of the text that is being read.
#[derive(Debug)]
pub(crate) struct Fault {
    pub kind: ErrorKind,
    pub offset: usize,
    pub message: String,
}

pub(crate) type Fallible<T> = Result<T, Box<Fault>>;

impl Fault {
    pub fn new(kind: ErrorKind, offset: usize, message: impl Into<String>) -> Fault {
        Fault { kind, offset, message: message.into() }
    }

    pub fn syntax<T>(offset: usize, message: impl Into<String>) -> Fallible<T> {
        Err(Box::new(Fault::new(ErrorKind::Syntax, offset, message)))
    }

    pub fn sort<T>(offset: usize, message: impl Into<String>) -> Fallible<T> {
        Err(Box::new(Fault::new(ErrorKind::Sort, offset, message)))
    }

    /// The error with its line and column.
    pub fn locate(self, text: &str) -> Error {
        let offset = floor(text, self.offset.min(text.len()));
        let (line, column) = position(text, offset);
        let line_start = text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[offset..].find('\n').map_or(text.len(), |length| offset + length);
        let start = floor(text, line_start.max(offset.saturating_sub(60)));
        let end = floor(text, line_end.min(offset + 40));
        // A tab or carriage return would move the caret away from its character.
        let excerpt = text[start..end].replace(|c: char| c.is_control(), " ");
        let caret = text[start..offset].chars().count();
        let mut message = self.message;
        if message.len() > MAX_MESSAGE_BYTES {
            message.truncate(floor(&message, MAX_MESSAGE_BYTES));
            message.push('…');
        }
        Error { kind: self.kind, line, column, message, excerpt, caret }
    }
}

/// The line and column of an offset, both from 1.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..offset];
    let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (line, before[line_start..].chars().count() + 1)
}

/// The largest character boundary at or before `offset`.
fn floor(text: &str, mut offset: usize) -> usize {
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_located_by_line_and_character() {
        let text = "(a)\n\t(bé x)";
        let offset = text.find('x').unwrap();
        let error = Fault::new(ErrorKind::Syntax, offset, "bad").locate(text);
        assert_eq!((error.line, error.column), (2, 6));
        assert_eq!(error.snippet(), " (bé x)\n     ^");
    }

    #[test]
    fn an_offset_past_the_end_is_the_end() {
        let error = Fault::new(ErrorKind::Syntax, 99, "bad").locate("(");
        assert_eq!((error.line, error.column), (1, 2));
    }
}
