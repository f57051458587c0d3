//! Orders of z3: `(_ partial-order 0)`, `(_ linear-order 1)`, `(_ piecewise-linear-order 0)` and `(_ tree-order 0)`.
//!
//! An order is a relation that a solver chooses, one for each kind, index and sort. All kinds are reflexive, antisymmetric and
//! transitive. In a linear order any two values are comparable; in a piecewise linear one, any two that have a common value
//! above or below. z3's documentation calls a tree order branching in one direction, and its answers are those of the other.
//! Every piecewise linear order is a tree order in both readings, and every tree order is a partial one: what holds for both of
//! these kinds is known of tree orders.
//!
//! A transitive closure is not reflexive by its name, and reflexive by z3's guide since 2026 (z3 issue 10218); z3 5.4.0 uses both readings.
//! What holds in both is known.
//!
//! Whether a relation of some kind agrees with the points that are known is a question about a finite graph, even over an infinite
//! sort: other values may be comparable to nothing but themselves, and every finite linear order can be extended.

use rustc_hash::FxHashMap;

/// The kind of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrderKind {
    Partial,
    Linear,
    PiecewiseLinear,
    Tree,
}

/// Whether a transitive closure relates every value to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClosureKind {
    Transitive,
    Reflexive,
}

/// How a search reads the relations whose meaning z3 and its documentation leave unclear.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RelationReading {
    /// The orders that tree orders are taken for.
    pub trees: OrderKind,
    pub closures: ClosureKind,
}

/// The operators of orders, by name.
const ORDER_OPERATORS: [(&str, OrderKind); 4] = [
    ("partial-order", OrderKind::Partial),
    ("linear-order", OrderKind::Linear),
    ("piecewise-linear-order", OrderKind::PiecewiseLinear),
    ("tree-order", OrderKind::Tree),
];

impl OrderKind {
    /// The kind of order that an operator is.
    pub fn of_operator(name: &str) -> Option<OrderKind> {
        ORDER_OPERATORS.iter().find(|row| row.0 == name).map(|row| row.1)
    }
}

/// The name of an order in a model.
pub(crate) fn model_name(operator: &str, index: u32) -> String {
    format!("{operator}!{index}")
}

/// A graph over the values that known points mention: an edge leads from a value to a greater one.
struct OrderGraph {
    values: Vec<u64>,
    /// The points, by the places of their values.
    points: Vec<(usize, usize, bool)>,
    /// Whether a path leads from one place to another; a row for each place.
    reaches: Vec<Vec<bool>>,
    /// The part of the graph that a place is in: all values of a linear order are in one part.
    parts: Vec<usize>,
}

impl OrderGraph {
    fn of(kind: OrderKind, known: &FxHashMap<Box<[u64]>, u64>, others: &[u64]) -> OrderGraph {
        let mut values: Vec<u64> = known.keys().flat_map(|pair| pair.iter().copied()).collect();
        values.extend_from_slice(others);
        values.sort_unstable();
        values.dedup();
        let place = |word: u64| values.binary_search(&word).unwrap_or_default();
        let points: Vec<(usize, usize, bool)> =
            known.iter().map(|(pair, &word)| (place(pair[0]), place(pair[1]), word != 0)).collect();
        let count = values.len();
        let mut graph =
            OrderGraph { values, points, reaches: vec![vec![false; count]; count], parts: Vec::new() };
        graph.parts = match kind {
            OrderKind::Linear => vec![0; count],
            OrderKind::PiecewiseLinear => graph.connected(),
            OrderKind::Partial | OrderKind::Tree => (0..count).collect(),
        };
        for &(from, to, holds) in &graph.points {
            if holds {
                graph.reaches[from][to] = true;
            } else if graph.parts[from] == graph.parts[to] {
                // Comparable, and not in this direction.
                graph.reaches[to][from] = true;
            }
        }
        close(&mut graph.reaches);
        graph
    }

    /// The parts that points which hold connect.
    fn connected(&self) -> Vec<usize> {
        let mut parts: Vec<usize> = (0..self.values.len()).collect();
        for &(from, to, holds) in &self.points {
            let (kept, joined) = (parts[from], parts[to]);
            if holds && kept != joined {
                parts.iter_mut().filter(|part| **part == joined).for_each(|part| *part = kept);
            }
        }
        parts
    }

    fn has_order(&self) -> bool {
        let count = self.values.len();
        let has_cycle = (0..count).any(|a| (0..a).any(|b| self.reaches[a][b] && self.reaches[b][a]));
        let is_refuted =
            |&(from, to, holds): &(usize, usize, bool)| !holds && (from == to || self.reaches[from][to]);
        !has_cycle && !self.points.iter().any(is_refuted)
    }
}

/// Makes a relation transitive.
pub(crate) fn close(reaches: &mut [Vec<bool>]) {
    for middle in 0..reaches.len() {
        let onward = reaches[middle].clone();
        for row in reaches.iter_mut().filter(|row| row[middle]) {
            row.iter_mut().zip(&onward).for_each(|(here, &there)| *here |= there);
        }
    }
}

/// Returns true if an order of this kind has these points; each is a pair of words and whether the pair is in the order.
pub(crate) fn has_order(kind: OrderKind, points: &FxHashMap<Box<[u64]>, u64>) -> bool {
    OrderGraph::of(kind, points, &[]).has_order()
}

/// The pairs of two different values in an order that has these points, over the values of the points and some others.
pub(crate) fn ordered_pairs(
    kind: OrderKind,
    points: &FxHashMap<Box<[u64]>, u64>,
    others: &[u64],
) -> Vec<(u64, u64)> {
    let mut graph = OrderGraph::of(kind, points, others);
    let count = graph.values.len();
    // What is comparable and not yet ordered is ordered in favour of the smaller word.
    for a in 0..count {
        for b in a + 1..count {
            if graph.parts[a] == graph.parts[b] && !graph.reaches[a][b] && !graph.reaches[b][a] {
                graph.reaches[a][b] = true;
                close(&mut graph.reaches);
            }
        }
    }
    let pairs = (0..count).flat_map(|a| (0..count).map(move |b| (a, b)));
    let ordered = pairs.filter(|&(a, b)| a != b && graph.reaches[a][b]);
    ordered.map(|(a, b)| (graph.values[a], graph.values[b])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All relations over three values that are orders of a kind, by the definition of the kind.
    fn orders(kind: OrderKind) -> Vec<[[bool; 3]; 3]> {
        let relation = |number: u32| {
            let mut all = [[false; 3]; 3];
            (0..9).for_each(|bit| all[bit / 3][bit % 3] = number >> bit & 1 == 1);
            all
        };
        let triples = || (0..27).map(|n| (n / 9, n / 3 % 3, n % 3));
        let is_order = |r: &[[bool; 3]; 3]| {
            let comparable = |a: usize, b: usize| r[a][b] || r[b][a];
            (0..3).all(|a| r[a][a])
                && triples().all(|(a, b, c)| !(r[a][b] && r[b][c]) || r[a][c])
                && triples().all(|(a, b, _)| a == b || !(r[a][b] && r[b][a]))
                && match kind {
                    OrderKind::Linear => triples().all(|(a, b, _)| comparable(a, b)),
                    OrderKind::PiecewiseLinear => triples().all(|(a, b, c)| {
                        (!(r[a][b] && r[a][c]) || comparable(b, c))
                            && (!(r[b][a] && r[c][a]) || comparable(b, c))
                    }),
                    OrderKind::Partial | OrderKind::Tree => true,
                }
        };
        (0..512).map(relation).filter(is_order).collect()
    }

    /// Each of the nine points is unknown, false or true: all 19,683 cases.
    #[test]
    fn points_have_an_order_exactly_if_one_of_all_orders_has_them() {
        for (kind, count) in
            [(OrderKind::Partial, 19), (OrderKind::Linear, 6), (OrderKind::PiecewiseLinear, 13)]
        {
            let all = orders(kind);
            assert_eq!(all.len(), count, "{kind:?}");
            for case in 0..3u32.pow(9) {
                let digit = |place: usize| case / 3u32.pow(place as u32) % 3;
                let points: FxHashMap<Box<[u64]>, u64> = (0..9)
                    .filter(|&place| digit(place) != 2)
                    .map(|place| ([place as u64 / 3, place as u64 % 3].into(), u64::from(digit(place))))
                    .collect();
                let fits = |order: &&[[bool; 3]; 3]| {
                    points.iter().all(|(at, &word)| order[at[0] as usize][at[1] as usize] == (word == 1))
                };
                let is_possible = all.iter().any(|order| fits(&order));
                assert_eq!(has_order(kind, &points), is_possible, "{kind:?} {points:?}");
                if is_possible {
                    let pairs = ordered_pairs(kind, &points, &[0, 1, 2]);
                    let made: [[bool; 3]; 3] = std::array::from_fn(|a| {
                        std::array::from_fn(|b| a == b || pairs.contains(&(a as u64, b as u64)))
                    });
                    assert!(all.contains(&made) && fits(&&made), "{kind:?} {points:?} {pairs:?}");
                }
            }
        }
    }
}
