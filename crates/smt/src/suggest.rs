//! Suggests the nearest known name for an unknown one.

/// The maximal edit distance of a misspelling: a third of the letters, at most three.
///
/// Any letter is near any other, so very short words have no misspellings.
pub fn max_edits(word: &str) -> usize {
    (word.len() / 3).min(3)
}

/// The candidate with the least edit distance to `word`, if that is at most `limit`.
pub fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    limit: usize,
) -> Option<&'a str> {
    candidates
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(word.len()) <= limit && candidate.len() < 64)
        .map(|candidate| (distance(word, candidate), digit_gap(word, candidate), candidate))
        .filter(|&(distance, ..)| distance <= limit)
        .min()
        .map(|(.., candidate)| candidate)
}

/// The sum of the differences of digits at equal places, which orders candidates at the same distance: `cvc6` is nearer to `cvc5` than
/// to `cvc4`.
fn digit_gap(a: &str, b: &str) -> u32 {
    let digit = |letter: u8| char::from(letter).to_digit(10);
    let pairs = a.bytes().zip(b.bytes()).filter_map(|(a, b)| digit(a).zip(digit(b)));
    pairs.map(|(a, b)| a.abs_diff(b)).sum()
}

/// The edit distance: insertions, deletions, replacements and swaps of neighbours, ignoring case. To replace a letter or digit by
/// another sign, or the reverse, counts twice: `foo` is not a misspelling of `+oo`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.to_ascii_lowercase().into_bytes(), b.to_ascii_lowercase().into_bytes());
    let mut rows = [vec![0; b.len() + 1], vec![0; b.len() + 1], (0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        rows.rotate_left(1);
        rows[2][0] = i;
        for j in 1..=b.len() {
            let is_same_class = a[i - 1].is_ascii_alphanumeric() == b[j - 1].is_ascii_alphanumeric();
            let change = if a[i - 1] == b[j - 1] { 0 } else { 2 - usize::from(is_same_class) };
            let mut best = (rows[1][j] + 1).min(rows[2][j - 1] + 1).min(rows[1][j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[0][j - 2] + 1);
            }
            rows[2][j] = best;
        }
    }
    rows[2][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelling_gets_a_suggestion_and_an_unrelated_word_none() {
        let suggestion = |word: &str| nearest(word, ["bvadd", "bvand", "str.len", "*"], max_edits(word));
        assert_eq!(suggestion("bvaddd"), Some("bvadd"));
        assert_eq!(suggestion("strlen"), Some("str.len"));
        assert_eq!(suggestion("BVADD"), Some("bvadd"));
        assert_eq!(suggestion("str.lne"), Some("str.len"), "two neighbours swapped are one edit");
        assert_eq!(suggestion("foo"), None);
        assert_eq!(suggestion("x"), None);
    }

    #[test]
    fn the_nearest_number_is_suggested_and_no_sign_for_a_letter() {
        assert_eq!(nearest("cvc6", ["cvc4", "cvc5"], 1), Some("cvc5"));
        assert_eq!(nearest("cvc3", ["cvc4", "cvc5"], 1), Some("cvc4"));
        assert_eq!(nearest("foo", ["+oo", "-oo"], max_edits("foo")), None);
        assert_eq!(nearest("oo", ["+oo"], 1), Some("+oo"));
    }

    #[test]
    fn every_edit_counts_once_and_a_sign_for_a_letter_twice() {
        let pairs =
            [("", "abc", 3), ("abc", "abc", 0), ("ab", "ba", 1), ("kitten", "sitting", 3), ("foo", "+oo", 2)];
        for (a, b, edits) in pairs {
            assert_eq!(distance(a, b), edits, "{a} {b}");
        }
    }
}
