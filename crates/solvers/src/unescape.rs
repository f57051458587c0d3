//! Changes strings of models from the escapes of C, which some solvers print, to those of the standard.
//!
//! ```text
//! (define-fun x () String "\\\x00\n")   is   (define-fun x () String "\u{5c}\u{0}\u{a}")
//! ```

/// Changes the strings of a model to the escapes of the standard.
pub fn unescape(model: &str) -> String {
    let mut out = String::with_capacity(model.len());
    let mut rest = model;
    while let Some(start) = rest.find(['"', '|']) {
        let quote = rest.as_bytes()[start];
        let inside = &rest[start + 1..];
        let end = inside.bytes().position(|byte| byte == quote).unwrap_or(inside.len());
        out.push_str(&rest[..=start]);
        if quote == b'"' {
            letters(&inside[..end], &mut out);
        } else {
            out.push_str(&inside[..end]);
        }
        rest = &inside[end..];
        if let Some(after) = rest.strip_prefix(['"', '|']) {
            out.push(char::from(quote));
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

/// The characters of one literal; two quotes inside a string count as the border of two literals and stay.
fn letters(literal: &str, out: &mut String) {
    let mut rest = literal;
    while let Some(start) = rest.find('\\') {
        out.push_str(&rest[..start]);
        let escape = &rest[start + 1..];
        let (code, length) = code(escape);
        match code {
            Some(code) => out.push_str(&format!("\\u{{{code:x}}}")),
            None => out.push('\\'),
        }
        rest = &escape[length..];
    }
    out.push_str(rest);
}

/// The character of an escape, and the number of bytes after its backslash.
fn code(escape: &str) -> (Option<u32>, usize) {
    let hexadecimal = escape.strip_prefix('x').and_then(|digits| digits.get(..2));
    if let Some(code) = hexadecimal.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
        return (Some(code), 3);
    }
    let named =
        [(b'\\', 0x5c), (b'a', 7), (b'b', 8), (b't', 9), (b'n', 10), (b'v', 11), (b'f', 12), (b'r', 13)];
    let named = named.iter().find(|(letter, _)| escape.as_bytes().first() == Some(letter));
    named.map_or((None, 0), |&(_, code)| (Some(code), 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_that_were_meant() {
        let check = |before: &str, after: &str| assert_eq!(unescape(before), after);
        // As z3 4.8.6 to 4.8.10 print \, 0, 7, line feed, vertical tab, form feed, return, 1b, ff, a quote and A.
        check(
            r#"("\\\x00\x07\n\v\f\r\x1B\xff""A")"#,
            r#"("\u{5c}\u{0}\u{7}\u{a}\u{b}\u{c}\u{d}\u{1b}\u{ff}""A")"#,
        );
        check(r#"("\\u{1f600}" |a\x00"| "\\")"#, r#"("\u{5c}u{1f600}" |a\x00"| "\u{5c}")"#);
    }

    #[test]
    fn what_is_no_escape_stays() {
        for text in ["", "\"", "|", "\"\\", r#""\q" "\x1" "\xzz" "\u{41}""#, "\"é\\é\"", "(x \"\")"] {
            assert_eq!(unescape(text), text);
        }
    }
}
