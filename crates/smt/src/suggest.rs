//! The nearest known name to one that is not known.

/// The candidate that is the fewest edits away from `name`, if that is few enough to be a slip.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // One letter is near to every other.
    let limit = (name.len() / 3).min(3);
    candidates
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= limit && candidate.len() < 64)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|&(distance, _)| distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Levenshtein's distance.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_mended_and_a_stranger_is_not() {
        let names = ["bvadd", "bvand", "str.len"];
        assert_eq!(nearest("bvaddd", names.into_iter()), Some("bvadd"));
        assert_eq!(nearest("strlen", names.into_iter()), Some("str.len"));
        assert_eq!(nearest("foo", names.into_iter()), None);
        assert_eq!(nearest("x", ["*"].into_iter()), None);
    }
}
