//! A cache of the short names read last.
//!
//! Two thirds of the tokens of a script are names of a few bytes that occur again and again. They fit a
//! machine word, so a single comparison tells whether the text continues with a cached name: the parser looks
//! neither at single bytes nor into the hash table of all names.

use crate::lex::{Token, TokenKind, is_in_symbol};
use crate::symbol::Symbol;

const CACHE_SLOTS: usize = 512;

/// The bytes of a short name as a number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct NameKey(u64);

impl NameKey {
    #[inline]
    fn place(self) -> usize {
        (self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 55) as usize % CACHE_SLOTS
    }
}

/// The key of a token, if it is a simple symbol of at most eight bytes.
#[inline]
pub(super) fn key(text: &[u8], token: Token) -> Option<NameKey> {
    let (start, length) = (token.start(), token.end() - token.start());
    if length > 8 || token.kind != TokenKind::Symbol {
        return None;
    }
    Some(NameKey(word_at(text, start)? & first_bytes(length)))
}

#[inline]
fn word_at(text: &[u8], start: usize) -> Option<u64> {
    let word = text.get(start..start + 8)?;
    Some(u64::from_le_bytes(word.try_into().expect("a slice of eight bytes")))
}

/// A mask for the first `length` bytes of a word, one to eight.
#[inline]
fn first_bytes(length: usize) -> u64 {
    u64::MAX >> (64 - 8 * length)
}

/// A direct-mapped cache of names.
pub(super) struct RecentNames {
    entries: Box<[(NameKey, Symbol); CACHE_SLOTS]>,
}

impl RecentNames {
    pub fn new() -> RecentNames {
        // No key is zero: a symbol contains no zero byte.
        RecentNames { entries: Box::new([(NameKey(0), Symbol::UNKNOWN); CACHE_SLOTS]) }
    }

    /// The name at `start` and its end, if it is in the cache.
    #[inline]
    pub fn find(&self, text: &[u8], start: usize) -> Option<(Symbol, usize)> {
        const BYTES_OF_ONE: u64 = u64::MAX / 255;
        let word = word_at(text, start)?;
        // The lowest byte below `*`: blanks, parentheses and few others, but almost no symbol character.
        let below = word.wrapping_sub(BYTES_OF_ONE * u64::from(b'*')) & !word & (BYTES_OF_ONE << 7);
        let length = below.trailing_zeros() as usize / 8;
        if length == 0 || length == 8 || is_in_symbol(text[start + length]) {
            return None;
        }
        let key = NameKey(word & first_bytes(length));
        let (last, symbol) = self.entries[key.place()];
        (last == key).then_some((symbol, start + length))
    }

    /// The symbol of a name, from `intern` if it is not in the cache.
    #[inline]
    pub fn get(&mut self, key: NameKey, intern: impl FnOnce() -> Symbol) -> Symbol {
        let entry = &mut self.entries[key.place()];
        if entry.0 != key {
            *entry = (key, intern());
        }
        entry.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lex::Lexer;

    #[test]
    fn a_short_name_is_found_again_and_no_other() {
        let text = "ab a abcdefgh abcdefghi ab |ab| 12 b        ";
        let mut lexer = Lexer::new(text);
        let mut recent = RecentNames::new();
        let mut asked = Vec::new();
        while let Ok(token) = lexer.next() {
            if token.kind == TokenKind::End {
                break;
            }
            if let Some(key) = key(text.as_bytes(), token) {
                recent.get(key, || {
                    asked.push(lexer.text_of(token));
                    Symbol::UNKNOWN
                });
            }
        }
        assert_eq!(asked, ["ab", "a", "abcdefgh", "b"]);
    }

    #[test]
    fn the_text_goes_on_with_a_known_name_only_if_it_ends_there() {
        let mut recent = RecentNames::new();
        let known = "abc         ";
        let token = Lexer::new(known).next().unwrap();
        recent.get(key(known.as_bytes(), token).unwrap(), || Symbol::AND);
        let find = |text: &str| recent.find(text.as_bytes(), 1);
        assert_eq!(find("(abc (f x) y)"), Some((Symbol::AND, 4)));
        assert_eq!(find("(abc)abcdef)"), Some((Symbol::AND, 4)));
        for other in ["(abcd (f x))", "(ab (f x) y)", "(abc!1 (f x))", "(abc;d (f x))", "(abc"] {
            assert_eq!(find(other), None, "{other}");
        }
    }
}
