//! How small a script is. Every step makes it smaller, so that a reduction ends.

use std::collections::BTreeSet;

/// Whether a text is smaller than another: bytes count first; of two with as many, fewer different words; of those, the
/// first in a dictionary, where `0` comes before `1` and `#b0` before `#b1`.
pub fn is_smaller(text: &str, than: &str) -> bool {
    match text.len().cmp(&than.len()) {
        std::cmp::Ordering::Equal => (words(text), text) < (words(than), than),
        order => order.is_lt(),
    }
}

/// How many different words a text has.
fn words(text: &str) -> usize {
    let words = text.split(|c: char| c.is_whitespace() || c == '(' || c == ')');
    words.collect::<BTreeSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_count_first_then_words_then_the_dictionary() {
        let check = |a: &str, b: &str| assert!(is_smaller(a, b) && !is_smaller(b, a), "{a} {b}");
        check("(assert q)", "(assert pp)");
        check("(< x x)", "(< x y)");
        check("(= x #b00)", "(= x #b01)");
    }

    #[test]
    fn nothing_is_smaller_than_itself() {
        assert!(!is_smaller("(assert q)", "(assert q)"));
    }
}
