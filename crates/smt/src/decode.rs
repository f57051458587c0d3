//! Decodes the bytes of a file into text.
//!
//! Real files contain names of people and places in whatever encoding their authors used. In comments,
//! quoted symbols, `set-info` and `echo` the encoding does not matter, so a byte that is not UTF-8 is read as
//! Latin-1 there. In a string literal it would be a character that two solvers may read differently, and
//! anywhere else it is not part of the language: both are errors.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind, Fault};
use crate::lex::{Lexer, TokenKind};

/// The text of a file, without a byte-order mark.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(_) => repair(bytes).map(Cow::Owned),
    }
}

/// The text with every byte that is not UTF-8 read as Latin-1, if all of these bytes are where it does not matter.
fn repair(bytes: &[u8]) -> Result<String, Error> {
    let mut text = String::with_capacity(bytes.len() + 16);
    let mut repaired: Vec<usize> = Vec::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for &byte in chunk.invalid() {
            repaired.push(text.len());
            text.push(char::from(byte));
        }
    }
    match first_outside(&text, &repaired) {
        None => Ok(text),
        Some(offset) => {
            let message = "this byte is not UTF-8; only comments, quoted symbols, set-info and echo may contain such bytes";
            Err(Fault::new(ErrorKind::Syntax, offset, message).locate(&text))
        }
    }
}

/// The first of the offsets that is neither in a comment nor in a command whose text has no meaning.
fn first_outside(text: &str, offsets: &[usize]) -> Option<usize> {
    let mut lexer = Lexer::new(text);
    let mut offsets = offsets.iter().copied().peekable();
    let (mut depth, mut is_harmless) = (0usize, false);
    loop {
        // If the text is malformed, too, the parser reports that; it also reports a byte outside of all tokens.
        let token = lexer.next().ok()?;
        while let Some(&offset) = offsets.peek()
            && offset < token.end()
        {
            if offset >= token.start() && !is_harmless && token.kind != TokenKind::Quoted {
                return Some(offset);
            }
            offsets.next();
        }
        match token.kind {
            TokenKind::Open => {
                depth += 1;
                if depth == 1 {
                    let mut ahead = lexer.clone();
                    let name = ahead.next().ok()?;
                    is_harmless = matches!(ahead.text_of(name), "set-info" | "echo");
                }
            }
            TokenKind::Close => depth = depth.saturating_sub(1),
            TokenKind::End => return None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_text() {
        assert_eq!(decode(b"\xef\xbb\xbf(exit)").unwrap(), "(exit)");
    }

    #[test]
    fn latin_1_in_comments_and_infos_is_read() {
        let bytes = b"; caf\xe9\n(set-info :source |Z\xe4hl|)\n(echo \"\xfc\")(check-sat) ; \xff";
        let text = decode(bytes).unwrap();
        assert_eq!(text, "; café\n(set-info :source |Zähl|)\n(echo \"ü\")(check-sat) ; ÿ");
    }

    #[test]
    fn latin_1_in_a_quoted_symbol_is_read() {
        assert_eq!(decode(b"(declare-const |\xe4| Int)").unwrap(), "(declare-const |ä| Int)");
    }

    #[test]
    fn latin_1_in_a_string_is_an_error_with_its_place() {
        let error = decode(b"(echo \"\xe4\")\n(assert (= \"abcd\xe4\" s))").unwrap_err();
        assert_eq!((error.line, error.column), (2, 17), "{error}");
    }
}
