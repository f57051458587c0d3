//! Functions on sequences with any elements; strings use the same functions.
//!
//! Positions and lengths are integers of any size, as in terms. Functions whose result may be larger than their arguments
//! have a limit and return `None` beyond it. Searching takes linear time (Knuth, Morris and Pratt), so that a hostile
//! pattern costs no more than a harmless one.

use dashu_int::IBig;

/// `str.substr`, `seq.extract`: at most `length` elements from `start` on; empty if out of range.
pub fn substr<'a, T>(whole: &'a [T], start: &IBig, length: &IBig) -> &'a [T] {
    let Some(start) = position(whole, start) else { return &[] };
    if *length <= IBig::ZERO {
        return &[];
    }
    let rest = &whole[start..];
    &rest[..usize::try_from(length).unwrap_or(rest.len()).min(rest.len())]
}

/// `str.at`, `seq.at`: the element at a position as a sequence; empty if out of range.
pub fn at<'a, T>(whole: &'a [T], place: &IBig) -> &'a [T] {
    substr(whole, place, &IBig::ONE)
}

/// `seq.nth`; `None` (open) if out of range.
pub fn nth<'a, T>(whole: &'a [T], place: &IBig) -> Option<&'a T> {
    position(whole, place).map(|place| &whole[place])
}

/// `str.prefixof`, `seq.prefixof`: the first begins the second.
pub fn is_prefix<T: PartialEq>(part: &[T], whole: &[T]) -> bool {
    whole.starts_with(part)
}

/// `str.suffixof`, `seq.suffixof`: the first ends the second.
pub fn is_suffix<T: PartialEq>(part: &[T], whole: &[T]) -> bool {
    whole.ends_with(part)
}

/// `str.contains`, `seq.contains`: the first has the second somewhere.
pub fn contains<T: PartialEq>(whole: &[T], part: &[T]) -> bool {
    SearchPattern::new(part).places(whole).next().is_some()
}

/// `str.indexof`, `seq.indexof`: where the part first is at or after a position; nowhere (-1) from outside.
pub fn index_of<T: PartialEq>(whole: &[T], part: &[T], from: &IBig) -> Option<usize> {
    let from = usize::try_from(from).ok().filter(|from| *from <= whole.len())?;
    SearchPattern::new(part).places(&whole[from..]).next().map(|place| from + place)
}

/// z3's `seq.last_indexof`: the last occurrence of the part.
pub fn last_index_of<T: PartialEq>(whole: &[T], part: &[T]) -> Option<usize> {
    SearchPattern::new(part).places(whole).last()
}

/// `str.replace`, `seq.replace`: replaces the first occurrence; the empty part occurs at the start.
pub fn replace<T: PartialEq + Clone>(whole: &[T], part: &[T], by: &[T]) -> Vec<T> {
    match SearchPattern::new(part).places(whole).next() {
        Some(place) => [&whole[..place], by, &whole[place + part.len()..]].concat(),
        None => whole.to_vec(),
    }
}

/// `str.replace_all`, `seq.replace_all`: replaces all occurrences from the left; no change if the part is empty.
pub fn replace_all<T: PartialEq + Clone>(whole: &[T], part: &[T], by: &[T], limit: usize) -> Option<Vec<T>> {
    let mut result = Vec::new();
    let mut done = 0;
    if !part.is_empty() {
        for place in SearchPattern::new(part).places(whole) {
            // An occurrence may overlap with one that was replaced.
            if place >= done {
                extend(&mut result, &whole[done..place], limit)?;
                extend(&mut result, by, limit)?;
                done = place + part.len();
            }
        }
    }
    extend(&mut result, &whole[done..], limit)?;
    Some(result)
}

/// cvc5's `str.update`, `seq.update`: overwrites the elements from a position on, keeping the length.
pub fn update<T: Clone>(whole: &[T], place: &IBig, by: &[T]) -> Vec<T> {
    let mut result = whole.to_vec();
    if let Some(place) = position(whole, place) {
        let count = by.len().min(whole.len() - place);
        result[place..place + count].clone_from_slice(&by[..count]);
    }
    result
}

/// cvc5's `str.rev`, `seq.rev`: the reverse sequence.
pub fn reverse<T: Clone>(whole: &[T]) -> Vec<T> {
    whole.iter().rev().cloned().collect()
}

/// `str.++`, `seq.++`: the concatenation.
pub fn concat<T: Clone>(parts: &[&[T]], limit: usize) -> Option<Vec<T>> {
    let mut result = Vec::new();
    for part in parts {
        extend(&mut result, part, limit)?;
    }
    Some(result)
}

/// z3's `str.power`, `seq.power`: so many copies; empty if the number is negative.
pub fn power<T: Clone>(whole: &[T], count: &IBig, limit: usize) -> Option<Vec<T>> {
    if whole.is_empty() || *count <= IBig::ZERO {
        return Some(Vec::new());
    }
    let count = usize::try_from(count).ok()?;
    count.checked_mul(whole.len()).filter(|length| *length <= limit)?;
    Some(std::iter::repeat_n(whole, count).flatten().cloned().collect())
}

/// The position as an index, if it is in range.
fn position<T>(whole: &[T], place: &IBig) -> Option<usize> {
    usize::try_from(place).ok().filter(|place| *place < whole.len())
}

fn extend<T: Clone>(result: &mut Vec<T>, part: &[T], limit: usize) -> Option<()> {
    (part.len() <= limit.saturating_sub(result.len())).then(|| result.extend_from_slice(part))
}

/// The part to search for, with its failure function.
struct SearchPattern<'a, T> {
    part: &'a [T],
    /// For each prefix of the part, the length of its longest proper border.
    borders: Vec<usize>,
}

impl<'a, T: PartialEq> SearchPattern<'a, T> {
    fn new(part: &'a [T]) -> SearchPattern<'a, T> {
        let mut pattern = SearchPattern { part, borders: vec![0; part.len() + 1] };
        let mut border = 0;
        for (end, element) in part.iter().enumerate().skip(1) {
            border = pattern.advance(border, element);
            pattern.borders[end + 1] = border;
        }
        pattern
    }

    /// The length of the match after one more element, given its length before.
    fn advance(&self, mut matched: usize, element: &T) -> usize {
        loop {
            if matched < self.part.len() && self.part[matched] == *element {
                return matched + 1;
            }
            if matched == 0 {
                return 0;
            }
            matched = self.borders[matched];
        }
    }

    /// The positions of all occurrences, overlapping ones included.
    fn places(&self, whole: &[T]) -> impl Iterator<Item = usize> {
        let mut matched = 0;
        (0..=whole.len()).filter_map(move |end| {
            if end > 0 {
                matched = self.advance(matched, &whole[end - 1]);
            }
            (matched == self.part.len()).then(|| end - matched)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All sequences of 0 and 1 with at most `length` elements.
    fn sequences(length: usize) -> Vec<Vec<u8>> {
        let mut all = vec![vec![]];
        let mut next = 0;
        while all[next].len() < length {
            for element in [0, 1] {
                all.push([all[next].as_slice(), &[element]].concat());
            }
            next += 1;
        }
        all
    }

    /// Occurrences, by definition.
    fn places(whole: &[u8], part: &[u8]) -> Vec<usize> {
        (0..=whole.len()).filter(|place| whole[*place..].starts_with(part)).collect()
    }

    #[test]
    fn a_part_is_found_wherever_it_is() {
        for whole in sequences(7) {
            for part in sequences(4) {
                let places = places(&whole, &part);
                assert_eq!(contains(&whole, &part), !places.is_empty());
                assert_eq!(last_index_of(&whole, &part), places.last().copied());
                for from in -2i32..10 {
                    let first = places.iter().copied().find(|place| from <= *place as i32);
                    assert_eq!(index_of(&whole, &part, &from.into()), first.filter(|_| from >= 0));
                }
            }
        }
    }

    /// The recursive definition of the standard.
    fn replaced(whole: &[u8], part: &[u8], by: &[u8]) -> Vec<u8> {
        match places(whole, part).first() {
            Some(place) if !part.is_empty() => {
                let rest = replaced(&whole[place + part.len()..], part, by);
                [&whole[..*place], by, &rest].concat()
            }
            _ => whole.to_vec(),
        }
    }

    #[test]
    fn occurrences_are_replaced_from_the_left() {
        for whole in sequences(7) {
            for part in sequences(3) {
                let by = [7, 7];
                assert_eq!(replace_all(&whole, &part, &by, 99), Some(replaced(&whole, &part, &by)));
                let first = places(&whole, &part)
                    .first()
                    .map(|place| [&whole[..*place], by.as_slice(), &whole[place + part.len()..]].concat());
                assert_eq!(replace(&whole, &part, &by), first.unwrap_or_else(|| whole.clone()));
            }
        }
    }

    #[test]
    fn parts_begin_inside_and_end_with_the_whole() {
        let huge = IBig::ONE << 100;
        let whole = [0, 1, 2, 3];
        for (start, length, part) in [
            (0, 2, 0..2),
            (3, 9, 3..4),
            (4, 1, 0..0),
            (-1, 3, 0..0),
            (1, -1, 0..0),
            (1, 0, 0..0),
            (1, 2, 1..3),
        ] {
            assert_eq!(substr(&whole, &start.into(), &length.into()), &whole[part]);
        }
        assert_eq!(substr(&whole, &1.into(), &huge), [1, 2, 3]);
        assert_eq!(substr(&whole, &huge, &huge), []);
        assert_eq!((at(&whole, &3.into()), at(&whole, &4.into())), ([3].as_slice(), [].as_slice()));
        assert_eq!(
            (nth(&whole, &3.into()), nth(&whole, &4.into()), nth(&whole, &(-1).into())),
            (Some(&3), None, None)
        );
        assert_eq!(update(&whole, &2.into(), &[7, 8, 9]), [0, 1, 7, 8]);
        assert_eq!(update(&whole, &(-1).into(), &[7]), whole);
        assert_eq!(update(&whole, &4.into(), &[7]), whole);
        assert_eq!(reverse(&whole), [3, 2, 1, 0]);
    }

    #[test]
    fn nothing_grows_beyond_its_limit() {
        assert_eq!(replace_all(&[0; 10], &[0], &[1; 10], 100).map(|all| all.len()), Some(100));
        assert_eq!(replace_all(&[0; 10], &[0], &[1; 10], 99), None);
        assert_eq!(concat(&[[0, 1].as_slice(), &[2]], 3), Some(vec![0, 1, 2]));
        assert_eq!(concat(&[[0, 1].as_slice(), &[2]], 2), None);
        assert_eq!(power(&[0, 1], &2.into(), 4), Some(vec![0, 1, 0, 1]));
        assert_eq!(power(&[0, 1], &(IBig::ONE << 63), 4), None);
        assert_eq!(power(&[0, 1], &(-1).into(), 4), Some(vec![]));
    }
}
