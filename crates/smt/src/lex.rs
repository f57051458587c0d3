//! The lexer: tokens of SMT-LIB 2.7, and the solvers' extensions.
//!
//! A token is a kind and a range of the text; nothing is copied. One lookup in a table of byte classes
//! decides which token begins, another where it ends, so that reading is bounded by memory, not by branches.

use crate::error::{Fallible, Fault};

/// The kinds of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    Open,
    Close,
    Symbol,
    /// `|a b|`
    Quoted,
    /// `:key`
    Keyword,
    Numeral,
    Decimal,
    Hexadecimal,
    Binary,
    /// `"a""b"`
    String,
    /// `#f3m7`
    Field,
    End,
}

/// A token: its kind and its place. It is small enough to be returned in registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub kind: TokenKind,
    start: u32,
    end: u32,
}

impl Token {
    #[inline]
    fn new(kind: TokenKind, start: usize, end: usize) -> Token {
        Token { kind, start: start as u32, end: end as u32 }
    }

    /// The offset of its first byte.
    #[inline]
    pub fn start(self) -> usize {
        self.start as usize
    }

    /// The offset after its last byte.
    #[inline]
    pub fn end(self) -> usize {
        self.end as usize
    }
}

/// The classes of bytes at the beginning of a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteClass {
    Bad,
    Space,
    Symbol,
    Digit,
    Open,
    Close,
    /// `;`, `#`, `:`, `|` and `"`, which need a closer look.
    Mark,
}

const BYTE_CLASSES: [ByteClass; 256] = {
    let mut classes = [ByteClass::Bad; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b' ' | b'\t' | b'\n' | b'\r' => ByteClass::Space,
            b'0'..=b'9' => ByteClass::Digit,
            b'a'..=b'z' | b'A'..=b'Z' => ByteClass::Symbol,
            b'~' | b'!' | b'@' | b'$' | b'%' | b'^' | b'&' | b'*' | b'_' | b'-' | b'+' | b'=' | b'<'
            | b'>' | b'.' | b'?' | b'/' => ByteClass::Symbol,
            b'(' => ByteClass::Open,
            b')' => ByteClass::Close,
            b';' | b'#' | b':' | b'|' | b'"' => ByteClass::Mark,
            _ => ByteClass::Bad,
        };
        byte += 1;
    }
    classes
};

/// The bytes that may occur in a simple symbol.
const IS_SYMBOL_BYTE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = matches!(BYTE_CLASSES[byte], ByteClass::Symbol | ByteClass::Digit);
        byte += 1;
    }
    table
};

/// Returns true if a byte may occur in a simple symbol.
#[inline]
pub(crate) fn is_in_symbol(byte: u8) -> bool {
    IS_SYMBOL_BYTE[byte as usize]
}

/// Returns true if `text` can be written without bars (and is not a number).
pub(crate) fn is_simple_symbol(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(|&b| BYTE_CLASSES[b as usize] == ByteClass::Symbol)
        && bytes.iter().all(|&b| IS_SYMBOL_BYTE[b as usize])
}

/// A text and the position from which the next token is read.
#[derive(Clone)]
pub(crate) struct Lexer<'a> {
    pub text: &'a str,
    pub position: usize,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, position: 0 }
    }

    /// The text of `token`; for a quoted symbol, the text between the bars.
    pub fn text_of(&self, token: Token) -> &'a str {
        match token.kind {
            TokenKind::Quoted => &self.text[token.start() + 1..token.end() - 1],
            _ => &self.text[token.start()..token.end()],
        }
    }

    /// The next token.
    #[inline]
    pub fn next(&mut self) -> Fallible<Token> {
        let bytes = self.text.as_bytes();
        loop {
            let start = self.position;
            let Some(&first) = bytes.get(start) else {
                return Ok(Token::new(TokenKind::End, start, start));
            };
            let (kind, end) = match BYTE_CLASSES[first as usize] {
                ByteClass::Space => {
                    self.position += 1;
                    continue;
                }
                ByteClass::Symbol => (TokenKind::Symbol, symbol_end(bytes, start + 1)),
                ByteClass::Open => (TokenKind::Open, start + 1),
                ByteClass::Close => (TokenKind::Close, start + 1),
                ByteClass::Digit => number(bytes, start)?,
                ByteClass::Mark => match self.marked(first, start)? {
                    Some(token) => token,
                    None => continue,
                },
                ByteClass::Bad => return unexpected(self.text, start),
            };
            self.position = end;
            return Ok(Token::new(kind, start, end));
        }
    }

    /// Skips blanks, and returns the position after them.
    #[inline]
    pub fn skip_blanks(&mut self) -> usize {
        let bytes = self.text.as_bytes();
        while bytes.get(self.position).is_some_and(|&b| BYTE_CLASSES[b as usize] == ByteClass::Space) {
            self.position += 1;
        }
        self.position
    }

    /// The token that begins with `;`, `#`, `:`, `|` or `"`; `None` after a comment, which is skipped.
    fn marked(&mut self, first: u8, start: usize) -> Fallible<Option<(TokenKind, usize)>> {
        let bytes = self.text.as_bytes();
        Ok(Some(match first {
            b';' => {
                self.skip_comment();
                return Ok(None);
            }
            b'#' if bytes.get(start + 1) == Some(&b'|') => {
                self.skip_block_comment()?;
                return Ok(None);
            }
            b'#' => hashed(bytes, start)?,
            b':' => (TokenKind::Keyword, keyword_end(bytes, start)?),
            b'|' => (TokenKind::Quoted, quoted_end(bytes, start)?),
            _ => (TokenKind::String, string_end(bytes, start)?),
        }))
    }

    /// The next token, without consuming it.
    pub fn peek(&mut self) -> Fallible<Token> {
        let token = self.next()?;
        self.position = token.start();
        Ok(token)
    }

    /// Skips the rest of an expression with `depth` open parentheses; returns its end.
    pub fn skip_open(&mut self, mut depth: usize) -> Fallible<usize> {
        let start = self.position;
        while depth > 0 {
            match self.next()?.kind {
                TokenKind::Open => depth += 1,
                TokenKind::Close => depth -= 1,
                TokenKind::End => {
                    let message = format!("the text ends with {depth} parentheses open since here");
                    return Fault::syntax(start.saturating_sub(1), message);
                }
                _ => {}
            }
        }
        Ok(self.position)
    }

    fn skip_comment(&mut self) {
        let rest = &self.text.as_bytes()[self.position..];
        self.position += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
    }

    /// `#| … |#`, which z3 reads as a comment.
    fn skip_block_comment(&mut self) -> Fallible<()> {
        match self.text[self.position + 2..].find("|#") {
            Some(length) => self.position += length + 4,
            None => return Fault::syntax(self.position, "this comment is not closed by |#"),
        }
        Ok(())
    }
}

fn symbol_end(bytes: &[u8], mut end: usize) -> usize {
    while bytes.get(end).is_some_and(|&b| IS_SYMBOL_BYTE[b as usize]) {
        end += 1;
    }
    end
}

fn number(bytes: &[u8], start: usize) -> Fallible<(TokenKind, usize)> {
    let digits = |mut end: usize| {
        while bytes.get(end).is_some_and(u8::is_ascii_digit) {
            end += 1;
        }
        end
    };
    let mut end = digits(start);
    let mut kind = TokenKind::Numeral;
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(end + 1);
        kind = TokenKind::Decimal;
    }
    if symbol_end(bytes, end) != end {
        return Fault::syntax(start, "a number with letters in it; a symbol cannot begin with a digit");
    }
    Ok((kind, end))
}

fn keyword_end(bytes: &[u8], start: usize) -> Fallible<usize> {
    match symbol_end(bytes, start + 1) {
        end if end == start + 1 => Fault::syntax(start, "a colon without a keyword after it"),
        end => Ok(end),
    }
}

fn quoted_end(bytes: &[u8], start: usize) -> Fallible<usize> {
    match bytes[start + 1..].iter().position(|&b| b == b'|') {
        Some(length) => Ok(start + length + 2),
        None => Fault::syntax(start, "this quoted symbol is not closed by |"),
    }
}

/// The end of a string; `""` inside it is one quotation mark.
fn string_end(bytes: &[u8], start: usize) -> Fallible<usize> {
    let mut end = start + 1;
    loop {
        match bytes[end..].iter().position(|&b| b == b'"') {
            None => return Fault::syntax(start, "this string is not closed by \""),
            Some(length) if bytes.get(end + length + 1) == Some(&b'"') => end += length + 2,
            Some(length) => return Ok(end + length + 1),
        }
    }
}

fn hashed(bytes: &[u8], start: usize) -> Fallible<(TokenKind, usize)> {
    let end = symbol_end(bytes, start + 1);
    let digits = bytes.get(start + 2..end).unwrap_or_default();
    let kind = match bytes.get(start + 1) {
        Some(b'x') if digits.iter().all(u8::is_ascii_hexdigit) => TokenKind::Hexadecimal,
        Some(b'b') if digits.iter().all(|b| matches!(b, b'0' | b'1')) => TokenKind::Binary,
        Some(b'f') if digits.iter().all(|b| matches!(b, b'0'..=b'9' | b'-' | b'm')) => TokenKind::Field,
        _ => return Fault::syntax(start, "a literal that begins with # is #x… or #b… with its digits"),
    };
    if digits.is_empty() {
        return Fault::syntax(start, "this literal has no digits");
    }
    Ok((kind, end))
}

fn unexpected<T>(text: &str, offset: usize) -> Fallible<T> {
    let character = text[offset..].chars().next().expect("the offset is before the end");
    let code = character as u32;
    let shown = if character.is_control() { String::new() } else { format!("'{character}' ") };
    Fault::syntax(offset, format!("unexpected character {shown}(U+{code:04X})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Result<Vec<TokenKind>, String> {
        let mut lexer = Lexer::new(text);
        let mut kinds = Vec::new();
        loop {
            match lexer.next().map_err(|fault| fault.message)?.kind {
                TokenKind::End => return Ok(kinds),
                kind => kinds.push(kind),
            }
        }
    }

    #[test]
    fn every_kind_of_token_is_known() {
        let text = "(a |b c| :k 12 1.50 #xAf #b01 \"s\"\"t\" #f-3m7) ; comment\n#| block |# <=";
        use TokenKind::*;
        let expected = [
            Open,
            Symbol,
            Quoted,
            Keyword,
            Numeral,
            Decimal,
            Hexadecimal,
            Binary,
            String,
            Field,
            Close,
            Symbol,
        ];
        assert_eq!(kinds(text).unwrap(), expected);
    }

    #[test]
    fn a_semicolon_in_a_string_or_quoted_symbol_is_no_comment() {
        assert_eq!(kinds("\";\" |;| a").unwrap(), [TokenKind::String, TokenKind::Quoted, TokenKind::Symbol]);
    }

    #[test]
    fn malformed_tokens_are_errors() {
        for text in ["1a", "#xg", "#b2", "#b", "#q1", "\"a", "|a", ": a", "\0", "{", "'", "é", "#| a"] {
            assert!(kinds(text).is_err(), "{text:?} was read");
        }
    }

    #[test]
    fn a_symbol_that_looks_like_a_number_needs_bars() {
        assert!(is_simple_symbol("a1") && is_simple_symbol("-1"));
        assert!(
            !is_simple_symbol("1a")
                && !is_simple_symbol("é")
                && !is_simple_symbol("a b")
                && !is_simple_symbol("")
        );
    }
}
