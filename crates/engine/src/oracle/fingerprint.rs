//! Fingerprints: equal for two sightings of one bug, as far as that can be told from what a solver printed.
//!
//! A fingerprint is text that people can read: `crash z3 assertion: ast.cpp m_ref_count == #`. What differs from run to
//! run (addresses, process ids) and from version to version (line numbers, folders of the build) is left out.

use std::fmt;

use serde::Serialize;

/// Equal for two sightings of one bug.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

/// Letters of what a solver said that count.
const MAX: usize = 200;

impl Fingerprint {
    /// Made of a kind, a code base, and what was said.
    pub fn new(kind: &str, family: &str, said: &str) -> Self {
        Fingerprint(format!("{kind} {family} {}", normalise(said)).trim_end().to_owned())
    }

    /// The same with another word at its end, that tells it from more of its like.
    #[must_use]
    pub fn with(&self, word: &str) -> Self {
        Fingerprint(format!("{} {word}", self.0))
    }

    /// The code base that it is about, or those: its second word.
    pub fn family(&self) -> &str {
        self.0.split(' ').nth(1).unwrap_or_default()
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Leaves out of a message what differs between sightings.
pub(crate) fn normalise(said: &str) -> String {
    let words = said.split_whitespace().map(|word| numbers_out(base_name(word)));
    words.collect::<Vec<_>>().join(" ").chars().take(MAX).collect()
}

/// `../src/ast/ast.cpp:431` as `ast.cpp:431`; a word that is no path stays.
fn base_name(word: &str) -> &str {
    let is_path = word.len() > 1 && word.contains('/') && word.contains('.');
    if is_path { word.rsplit('/').next().unwrap_or(word) } else { word }
}

/// Numbers as `#`, addresses too; a digit inside a name (`cvc5`, `Float32`) stays.
fn numbers_out(word: &str) -> String {
    let mut out = String::new();
    let mut letters = word.chars().peekable();
    let mut last = ' ';
    while let Some(letter) = letters.next() {
        if letter.is_ascii_digit() && !last.is_alphanumeric() && last != '_' {
            let hex = letter == '0' && letters.peek() == Some(&'x');
            while letters
                .next_if(|next| next.is_ascii_digit() || (hex && next.is_ascii_alphanumeric()))
                .is_some()
            {}
            out.push('#');
            last = '#';
        } else {
            out.push(letter);
            last = letter;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(said: &str, normal: &str) {
        assert_eq!(normalise(said), normal, "{said}");
    }

    #[test]
    fn what_differs_between_sightings_is_left_out() {
        check("File: ../src/ast/ast.cpp\nLine: 431", "File: ast.cpp Line: #");
        check("File: /build/z3/src/ast/ast.cpp\nLine: 512", "File: ast.cpp Line: #");
        check("cvc5 at src/theory/x.cpp:55, address 0x7ffe12ab", "cvc5 at x.cpp:#, address #");
        check("==4711==ERROR: AddressSanitizer", "==#==ERROR: AddressSanitizer");
    }

    #[test]
    fn what_tells_bugs_apart_stays() {
        check("get_num_bits(a) == m_util.Float32", "get_num_bits(a) == m_util.Float32");
        check("signal 11", "signal #");
    }

    #[test]
    fn a_flood_of_words_is_cut() {
        assert_eq!(normalise(&"word ".repeat(1000)).len(), MAX);
    }
}
