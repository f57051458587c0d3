//! The nearest known name to one that is not known.

/// How many edits may separate a slip from what was meant: a third of the letters, three at most.
///
/// One letter is near to every other, so there are no slips in very short words.
pub fn slips(word: &str) -> usize {
    (word.len() / 3).min(3)
}

/// The candidate that is the fewest edits away from `word`, if that is at most `limit`.
pub fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    limit: usize,
) -> Option<&'a str> {
    candidates
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(word.len()) <= limit && candidate.len() < 64)
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|&(distance, _)| distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours, whatever the case of the letters.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.to_ascii_lowercase().into_bytes(), b.to_ascii_lowercase().into_bytes());
    let mut rows = [vec![0; b.len() + 1], vec![0; b.len() + 1], (0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        rows.rotate_left(1);
        rows[2][0] = i;
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
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
    fn a_slip_is_mended_and_a_stranger_is_not() {
        let mended = |word: &str| nearest(word, ["bvadd", "bvand", "str.len", "*"], slips(word));
        assert_eq!(mended("bvaddd"), Some("bvadd"));
        assert_eq!(mended("strlen"), Some("str.len"));
        assert_eq!(mended("BVADD"), Some("bvadd"));
        assert_eq!(mended("str.lne"), Some("str.len"), "two neighbours swapped are one edit");
        assert_eq!(mended("foo"), None);
        assert_eq!(mended("x"), None);
    }

    #[test]
    fn every_edit_counts_once() {
        for (a, b, edits) in [("", "abc", 3), ("abc", "abc", 0), ("ab", "ba", 1), ("kitten", "sitting", 3)] {
            assert_eq!(distance(a, b), edits, "{a} {b}");
        }
    }
}
