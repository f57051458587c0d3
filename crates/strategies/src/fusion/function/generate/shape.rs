//! The shape of a tree: the number of children of each node.

use crate::random::Rng;

/// The arities of a tree's nodes in preorder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeShape(Vec<usize>);

impl TreeShape {
    /// Draws a tree of `size` nodes with at least `fewest` leaves and inner nodes of these arities; `None` if there is
    /// none.
    ///
    /// This is Algorithm 3: an arity may be drawn if it opens no more places than nodes are left, and if enough leaves
    /// can still follow.
    pub fn draw(size: usize, arities: &[usize], fewest: usize, rng: &mut Rng) -> Option<TreeShape> {
        let most = arities.iter().copied().max()?;
        let (mut tree, mut sum, mut leaves) = (Vec::with_capacity(size), 0, 0);
        while tree.len() < size {
            let rest = size - tree.len() - 1;
            // Open places, not counting this node.
            let waiting = sum - tree.len();
            let fits = |&arity: &usize| {
                let waiting = waiting + arity;
                let enough = arity > 0 || waiting > 0 || rest == 0;
                let leaves = leaves + usize::from(arity == 0);
                enough && waiting <= rest && can_finish(waiting, rest, arities) && {
                    leaves + most_leaves(waiting, rest, most) >= fewest
                }
            };
            let options: Vec<usize> =
                std::iter::once(0).chain(arities.iter().copied().filter(|&a| a > 0)).filter(fits).collect();
            let &arity = rng.choose(&options)?;
            leaves += usize::from(arity == 0);
            sum += arity;
            tree.push(arity);
        }
        (leaves >= fewest).then_some(TreeShape(tree))
    }

    /// The arities in preorder.
    pub fn arities(&self) -> &[usize] {
        &self.0
    }

    /// The number of leaves.
    pub fn leaves(&self) -> usize {
        self.0.iter().filter(|&&arity| arity == 0).count()
    }
}

/// Whether `rest` nodes can fill `waiting` places exactly: the surplus must be a sum of arities.
fn can_finish(waiting: usize, rest: usize, arities: &[usize]) -> bool {
    if waiting == 0 {
        return rest == 0;
    }
    // A node with n children fills one place and opens n, so each inner node accounts for n of the surplus.
    let surplus = rest - waiting;
    let mut reachable = vec![false; surplus + 1];
    reachable[0] = true;
    for total in 1..=surplus {
        reachable[total] =
            arities.iter().any(|&arity| arity > 0 && arity <= total && reachable[total - arity]);
    }
    reachable[surplus]
}

/// The most leaves that `rest` nodes in `waiting` places can have.
fn most_leaves(waiting: usize, rest: usize, most: usize) -> usize {
    // Each inner node of the largest arity turns one leaf into that many.
    waiting + (rest - waiting) / most.max(1) * (most.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;

    /// Whether a list of arities is exactly one tree.
    fn is_tree(arities: &[usize]) -> bool {
        let mut places = 1usize;
        for (position, &arity) in arities.iter().enumerate() {
            if places == 0 {
                panic!("{arities:?} ends at {position}");
            }
            places = places - 1 + arity;
        }
        places == 0
    }

    #[test]
    fn a_shape_is_one_tree_of_its_size_with_leaves_enough() {
        let mut rng = RandomStream::new(3).rng();
        for size in [1, 3, 5, 10, 20, 25, 30, 50] {
            for fewest in [1, 2, 3] {
                for _ in 0..200 {
                    let Some(shape) = TreeShape::draw(size, &[1, 2, 3], fewest, &mut rng) else {
                        assert!(size < 2 * fewest - 1, "{size} {fewest}");
                        continue;
                    };
                    assert!(is_tree(shape.arities()), "{shape:?}");
                    assert_eq!(shape.arities().len(), size);
                    assert!(shape.leaves() >= fewest, "{shape:?} has fewer than {fewest} leaves");
                }
            }
        }
    }

    #[test]
    fn a_size_that_no_tree_has_gives_nothing() {
        let mut rng = RandomStream::new(3).rng();
        assert_eq!(TreeShape::draw(2, &[2], 1, &mut rng), None);
        assert_eq!(TreeShape::draw(4, &[2, 4], 1, &mut rng), None);
        assert!(TreeShape::draw(5, &[2, 4], 4, &mut rng).is_some());
        assert_eq!(TreeShape::draw(0, &[1], 1, &mut rng), None);
    }
}
