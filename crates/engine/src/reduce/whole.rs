//! Changes of the whole script at once, many at a time.

use std::hash::Hash;
use std::sync::Arc;

use gainsay_smt::Script;

use super::Change;
use super::marks::hash;

/// Things that are tried one by one; when there are more, the smallest groups of them hold several.
const SINGLES: usize = 64;

/// A change that makes another script, if it can.
pub fn whole(make: impl Fn(&Script) -> Option<Script> + Send + Sync + 'static) -> Change {
    Change::Whole(None, Arc::new(make))
}

/// The same, known by what it does: while that is the same, it is not tried again for each little thing that is another.
pub fn known_by(key: impl Hash, make: impl Fn(&Script) -> Option<Script> + Send + Sync + 'static) -> Change {
    Change::Whole(Some(hash(key)), Arc::new(make))
}

/// The same change for all of many things at once, for each half of them, each quarter, and so on to single ones.
pub fn grouped<T: Clone + Send + Sync + 'static>(
    things: &[T],
    make: impl Fn(&Script, &[T]) -> Option<Script> + Send + Sync + 'static,
) -> Vec<Change> {
    let make = Arc::new(make);
    groups(things.len())
        .into_iter()
        .map(|group| {
            let (make, things) = (Arc::clone(&make), things[group].to_vec());
            whole(move |script| make(script, &things))
        })
        .collect()
}

fn groups(count: usize) -> Vec<std::ops::Range<usize>> {
    let mut groups = Vec::new();
    let mut size = count;
    while size > 0 {
        groups.extend((0..count).step_by(size).map(|start| start..(start + size).min(count)));
        if size == 1 || count.div_ceil(size) >= SINGLES {
            break;
        }
        size = size.div_ceil(2);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_get_smaller_down_to_single_ones() {
        assert!(groups(0).is_empty());
        assert_eq!(groups(3), [0..3, 0..2, 2..3, 0..1, 1..2, 2..3]);
        assert!(groups(100_000).len() < 3 * SINGLES);
    }
}
