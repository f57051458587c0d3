//! How small a script is. Every step makes it smaller, so that a reduction ends.

use std::cmp::Ordering;
use std::collections::BTreeSet;

/// The size of a script: bytes first; of two with as many, fewer different words; of those, the first of a dictionary, where
/// `0` comes before `1` and `#b0` before `#b1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measure {
    bytes: usize,
    words: usize,
    text: std::sync::Arc<str>,
}

impl Measure {
    /// Of the text of a script.
    pub fn of(text: &str) -> Measure {
        let is_word = |word: &&str| !word.is_empty();
        let words = text.split(|c: char| c.is_whitespace() || c == '(' || c == ')').filter(is_word);
        let words = words.collect::<BTreeSet<_>>().len();
        Measure { bytes: text.len(), words, text: text.into() }
    }
}

impl Ord for Measure {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |measure: &Measure| (measure.bytes, measure.words);
        key(self).cmp(&key(other)).then_with(|| self.text.cmp(&other.text))
    }
}

impl PartialOrd for Measure {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_count_first_then_words_then_the_dictionary() {
        let smaller = |a: &str, b: &str| assert!(Measure::of(a) < Measure::of(b), "{a} {b}");
        smaller("(assert q)", "(assert pp)");
        smaller("(< x x)", "(< x y)");
        smaller("(= x #b00)", "(= x #b01)");
    }
}
