//! Reads and writes string literals.
//!
//! Two quotes are one (the script language). Then `\ud₃d₂d₁d₀` and `\u{d…}` with one to five hexadecimal
//! digits, the first of five at most 2, are a character each (the theory); nothing else is an escape, so
//! `"\n"` has two characters and `"\u{30000}"` nine.

use std::fmt::Write;

use super::Text;

impl Text {
    /// The string of a literal with its quotes; `None` if it is not ASCII: z3 reads bytes, cvc5 rejects it.
    pub fn read(literal: &str) -> Option<Text> {
        let inner = literal.strip_prefix('"')?.strip_suffix('"')?;
        if !inner.is_ascii() {
            return None;
        }
        let inner = inner.replace("\"\"", "\"");
        let mut rest = inner.as_bytes();
        let mut codes = Vec::with_capacity(rest.len());
        while let Some((first, after)) = rest.split_first() {
            let (code, after) = escape(rest).unwrap_or((u32::from(*first), after));
            codes.push(code);
            rest = after;
        }
        Text::new(codes)
    }

    /// The literal of the string, with its quotes, valid in any standard-conforming script.
    pub fn write(&self) -> String {
        let mut out = String::with_capacity(self.len() + 2);
        out.push('"');
        for code in self.iter() {
            match char::from_u32(*code) {
                Some('"') => out.push_str("\"\""),
                // A backslash could begin an escape with the characters after it.
                Some(plain @ (' '..='[' | ']'..='~')) => out.push(plain),
                _ => write!(out, "\\u{{{code:x}}}").expect("strings can be written to"),
            }
        }
        out.push('"');
        out
    }
}

/// The character of the escape at the start of the text, if there is one, and the rest.
fn escape(text: &[u8]) -> Option<(u32, &[u8])> {
    let rest = text.strip_prefix(b"\\u")?;
    if let Some(rest) = rest.strip_prefix(b"{") {
        let length = rest.iter().take(6).position(|byte| *byte == b'}')?;
        let digits = &rest[..length];
        if digits.len() == 5 && !(b'0'..=b'2').contains(&digits[0]) {
            return None;
        }
        Some((hexadecimal(digits)?, &rest[length + 1..]))
    } else {
        let (digits, rest) = rest.split_at_checked(4)?;
        Some((hexadecimal(digits)?, rest))
    }
}

fn hexadecimal(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0, |number, digit| Some(number * 16 + char::from(*digit).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_the_standard_and_no_others() {
        for (literal, codes) in [
            (r#""""#, vec![]),
            (r#""a""b""#, vec![0x61, 0x22, 0x62]),
            (r#""\u003A""#, vec![0x3A]),
            (r#""\u{3a}\u{2FFFF}\u{00041}""#, vec![0x3A, 0x2FFFF, 0x41]),
            (r#""a\u02C1b""#, vec![0x61, 0x2C1, 0x62]),
            (r#""\u{2C}1a""#, vec![0x2C, 0x31, 0x61]),
            (r#""\u12345""#, vec![0x1234, 0x35]),
        ] {
            assert_eq!(Text::read(literal).map(|text| text.to_vec()), Some(codes), "{literal}");
        }
        for plain in [
            r"\u2CA",
            r"\u2CXA",
            r"\u{ACG}A",
            r"\u{}",
            r"\u{30000}",
            r"\u{000041}",
            r"\u{41",
            r"\u",
            r"\U0041",
            r"\x41",
            r"\n",
            r"\\",
            r"\u+041",
            r"\u{+1}",
        ] {
            let expected = plain.bytes().map(u32::from).collect::<Vec<_>>();
            assert_eq!(
                Text::read(&format!("\"{plain}\"")).map(|text| text.to_vec()),
                Some(expected),
                "{plain}"
            );
        }
        assert_eq!(Text::read(r#""\\u{41}""#).map(|text| text.to_vec()), Some(vec![0x5C, 0x41]));
    }

    #[test]
    fn literals_read_back_as_written() {
        for codes in [vec![], (0..0x200).collect(), vec![0x5C, 0x75, 0x7B, 0x34, 0x31, 0x7D], vec![0x22; 3]] {
            let text = Text::new(codes).unwrap();
            let written = text.write();
            assert!(written.bytes().all(|byte| (0x20..0x7F).contains(&byte)));
            assert_eq!(Text::read(&written), Some(text));
        }
    }

    #[test]
    fn malformed_literals_are_rejected() {
        for other in ["", "\"", "abc", "\"abc", "\"\u{e9}\""] {
            assert_eq!(Text::read(other), None, "{other}");
        }
    }
}
