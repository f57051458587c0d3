//! Sets of code points: sorted ranges that neither overlap nor touch.

use std::sync::Arc;

use crate::text::MAX_CODE_POINT;

/// A set of code points.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct CharSet(Arc<[(u32, u32)]>);

impl CharSet {
    pub(super) fn empty() -> CharSet {
        CharSet(Arc::default())
    }

    pub(super) fn full() -> CharSet {
        CharSet::range(0, MAX_CODE_POINT)
    }

    /// All code points from the first to the last, inclusive; empty if the last is below the first.
    pub(super) fn range(first: u32, last: u32) -> CharSet {
        if first <= last { CharSet([(first, last)].into()) } else { CharSet::empty() }
    }

    pub(super) fn ranges(&self) -> &[(u32, u32)] {
        &self.0
    }

    pub(super) fn contains(&self, code: u32) -> bool {
        let after = self.0.partition_point(|(first, _)| *first <= code);
        after > 0 && code <= self.0[after - 1].1
    }

    pub(super) fn union(sets: &[CharSet]) -> CharSet {
        let mut ranges: Vec<(u32, u32)> = sets.iter().flat_map(|set| set.0.iter().copied()).collect();
        ranges.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (first, last) in ranges {
            match merged.last_mut() {
                Some(before) if first <= before.1 + 1 => before.1 = before.1.max(last),
                _ => merged.push((first, last)),
            }
        }
        CharSet(merged.into())
    }

    pub(super) fn intersection(&self, other: &CharSet) -> CharSet {
        let (mut a, mut b) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut common = Vec::new();
        while let (Some(&&(first_a, last_a)), Some(&&(first_b, last_b))) = (a.peek(), b.peek()) {
            let (first, last) = (first_a.max(first_b), last_a.min(last_b));
            if first <= last {
                common.push((first, last));
            }
            // The range that ends first meets no other.
            if last_a < last_b {
                a.next()
            } else {
                b.next()
            };
        }
        CharSet(common.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The set of the one bits of a number.
    fn of(bits: u32) -> CharSet {
        let single: Vec<CharSet> =
            (0..6).filter(|code| bits >> code & 1 == 1).map(|code| CharSet::range(code, code)).collect();
        CharSet::union(&single)
    }

    #[test]
    fn operations_on_sets_agree_with_their_members() {
        for a in 0..64 {
            assert!((0..6).all(|code| of(a).contains(code) == (a >> code & 1 == 1)));
            for b in 0..64 {
                assert_eq!(CharSet::union(&[of(a), of(b)]), of(a | b));
                assert_eq!(of(a).intersection(&of(b)), of(a & b));
            }
        }
        assert!(CharSet::full().contains(MAX_CODE_POINT) && !CharSet::full().contains(MAX_CODE_POINT + 1));
        assert_eq!(CharSet::range(2, 1), CharSet::empty());
    }
}
