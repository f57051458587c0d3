//! "Did you mean …": the known word nearest to one that is not known.

/// The word of `known` nearest to `word`, if it is near enough to be a slip of the hand.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let (distance, found) =
        known.into_iter().map(|other| (distance(&lower, &other.to_lowercase()), other)).min()?;
    // A third of the letters may be wrong; `z4` is near `z3` all the same.
    (distance <= (word.chars().count() / 3).max(1)).then_some(found)
}

/// ` (did you mean …?)`, or nothing where no known word is near.
pub fn hint<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map(|found| format!(" (did you mean `{found}`?)")).unwrap_or_default()
}

/// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_hand_is_understood_and_a_strange_word_is_not() {
        let known = ["z3", "cvc5", "bitwuzla", "yices"];
        let pairs =
            [("Z4", Some("z3")), ("cvc6", Some("cvc5")), ("bitwulza", Some("bitwuzla")), ("prover9", None)];
        for (word, found) in pairs {
            assert_eq!(nearest(word, known), found, "{word}");
        }
    }
}
