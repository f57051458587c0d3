//! The order by size. Every accepted candidate is smaller than the one before, so a reduction ends.

use std::collections::BTreeSet;

/// Whether a text is smaller than another: shorter; of the same length with fewer distinct words; else first in
/// lexicographic order, where `0` comes before `1` and `#b0` before `#b1`.
pub fn is_smaller(text: &str, than: &str) -> bool {
    match text.len().cmp(&than.len()) {
        std::cmp::Ordering::Equal => (distinct_words(text), text) < (distinct_words(than), than),
        order => order.is_lt(),
    }
}

/// How many distinct words a text has.
fn distinct_words(text: &str) -> usize {
    let words = text.split(|c: char| c.is_whitespace() || c == '(' || c == ')');
    words.collect::<BTreeSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_counts_first_then_distinct_words_then_lexicographic_order() {
        let check = |a: &str, b: &str| assert!(is_smaller(a, b) && !is_smaller(b, a), "{a} {b}");
        check("(assert q)", "(assert pp)");
        check("(< x x)", "(< x y)");
        check("(= x #b00)", "(= x #b01)");
    }

    #[test]
    fn no_text_is_smaller_than_itself() {
        assert!(!is_smaller("(assert q)", "(assert q)"));
    }
}
