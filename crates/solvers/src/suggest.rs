//! "Did you mean …": suggests the known word nearest to an unknown one.

use gainsay_smt::suggest;

/// ` (did you mean …?)`; empty if no known word is near.
pub fn hint<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    // Allow one slip in words as short as `z4`.
    suggest::nearest(word, known, suggest::max_edits(word).max(1))
        .map(|found| format!(" (did you mean `{found}`?)"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_hand_is_understood_and_a_strange_word_is_not() {
        let known = ["z3", "cvc4", "cvc5", "bitwuzla", "yices"];
        let pairs =
            [("Z4", Some("z3")), ("cvc6", Some("cvc5")), ("bitwulza", Some("bitwuzla")), ("prover9", None)];
        for (word, found) in pairs {
            let expected = found.map(|found| format!(" (did you mean `{found}`?)")).unwrap_or_default();
            assert_eq!(hint(word, known), expected, "{word}");
        }
    }
}
