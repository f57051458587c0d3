//! Strings as SMT-LIB's theory Strings defines them: words over the code points 0 to 0x2FFFF.
//!
//! A code point need not be a Unicode character (surrogates are included), so these are not Rust's strings.
//! `sequence.rs` has the functions on any sequence; this file has those on characters: literals
//! (`text/literal.rs`), codes, digits, numbers and case.

mod literal;

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use dashu_int::{IBig, UBig};

/// The greatest code point.
pub const MAX_CODE_POINT: u32 = 0x2FFFF;

/// A string. The order is the lexicographic one of `str.<` and `str.<=`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(Arc<[u32]>);

impl Text {
    /// The string of these code points, if all of them are valid.
    pub fn new(codes: impl Into<Arc<[u32]>>) -> Option<Text> {
        let codes = codes.into();
        codes.iter().all(|code| *code <= MAX_CODE_POINT).then_some(Text(codes))
    }

    /// `str.is_digit`: true for a single decimal digit.
    pub fn is_digit(&self) -> bool {
        matches!(*self.0, [code] if digit(code).is_some())
    }

    /// `str.to_code`: the code point of a string of one character; `None` (-1) for other strings.
    pub fn to_code(&self) -> Option<u32> {
        match *self.0 {
            [code] => Some(code),
            _ => None,
        }
    }

    /// `str.from_code`: the string of one character; empty if there is no such character.
    pub fn from_code(code: &IBig) -> Text {
        let code = u32::try_from(code).ok().filter(|code| *code <= MAX_CODE_POINT);
        Text(code.into_iter().collect())
    }

    /// `str.to_int`: the number that the digits denote; `None` (-1) for the empty string and other characters.
    pub fn to_int(&self) -> Option<UBig> {
        if self.0.is_empty() {
            return None;
        }
        let digits: String = self.0.iter().map(|code| digit(*code)).collect::<Option<_>>()?;
        UBig::from_str_radix(&digits, 10).ok()
    }

    /// `str.from_int`: the shortest string that denotes the number; empty if it is negative.
    pub fn from_int(number: &IBig) -> Text {
        if *number < IBig::ZERO { Text(Arc::default()) } else { Text::from_ascii(&number.to_string()) }
    }

    /// z3's `str.from_sbv`: the number with its sign.
    pub fn from_signed(number: &IBig) -> Text {
        Text::from_ascii(&number.to_string())
    }

    /// cvc5's `str.to_lower`, for ASCII letters.
    pub fn to_lower(&self) -> Text {
        self.map(|code| if (0x41..=0x5A).contains(&code) { code + 0x20 } else { code })
    }

    /// cvc5's `str.to_upper`, for ASCII letters.
    pub fn to_upper(&self) -> Text {
        self.map(|code| if (0x61..=0x7A).contains(&code) { code - 0x20 } else { code })
    }

    fn map(&self, change: impl Fn(u32) -> u32) -> Text {
        Text(self.0.iter().map(|code| change(*code)).collect())
    }

    fn from_ascii(text: &str) -> Text {
        Text(text.bytes().map(u32::from).collect())
    }
}

impl Deref for Text {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.0
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.write())
    }
}

/// The digit that a code point encodes.
fn digit(code: u32) -> Option<char> {
    char::from_u32(code).filter(char::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(literal: &str) -> Text {
        Text::read(&format!("\"{literal}\"")).unwrap()
    }

    #[test]
    fn codes_and_strings_of_one_character_are_the_same() {
        for code in [0, 0x41, 0xD800, MAX_CODE_POINT] {
            assert_eq!(Text::from_code(&code.into()).to_code(), Some(code));
        }
        for outside in [IBig::from(-1), IBig::from(MAX_CODE_POINT + 1), IBig::ONE << 99] {
            assert_eq!(Text::from_code(&outside), text(""));
        }
        assert_eq!((text("").to_code(), text("ab").to_code()), (None, None));
        assert_eq!(Text::new([MAX_CODE_POINT + 1]), None);
    }

    #[test]
    fn only_digits_write_numbers() {
        for (written, number) in [("0", 0u32), ("007", 7), ("4294967295", u32::MAX)] {
            assert_eq!(text(written).to_int(), Some(number.into()));
        }
        for other in ["", "-1", "+1", "1 ", "1_0", "0x1", "\\u{661}", "\\u{ff11}"] {
            assert_eq!(text(other).to_int(), None, "{other}");
        }
        let long = "9".repeat(5000);
        assert_eq!(text(&long).to_int().map(|number| Text::from_int(&number.into())), Some(text(&long)));
        assert_eq!(Text::from_int(&0.into()), text("0"));
        assert_eq!(Text::from_int(&(-5).into()), text(""));
        assert_eq!(Text::from_signed(&(-5).into()), text("-5"));
        for (written, is_digit) in
            [("0", true), ("9", true), ("/", false), (":", false), ("10", false), ("", false)]
        {
            assert_eq!(text(written).is_digit(), is_digit);
        }
    }

    #[test]
    fn the_order_is_that_of_dictionaries_by_code() {
        let sorted =
            ["", "A", "AA", "Z", "a", "aardvark", "aardwolf", "b", "\\u{10000}", "\\u{2FFFF}"].map(text);
        assert!(sorted.is_sorted());
    }

    #[test]
    fn case_is_that_of_ascii() {
        assert_eq!(text("aZ@[`{\\u{e9}\\u{c9}").to_upper(), text("AZ@[`{\\u{e9}\\u{c9}"));
        assert_eq!(text("aZ@[`{\\u{e9}\\u{c9}").to_lower(), text("az@[`{\\u{e9}\\u{c9}"));
    }
}
