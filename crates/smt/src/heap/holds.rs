//! The truth of a formula over a heap: `sep` tries all splits of the heap, `wand` all heaps beside it.
//!
//! A heap has finitely many splits. The heaps beside it are infinitely many if there are infinitely many locations or data; then
//! `wand` is decided only if its premise says which heaps matter, as `(pto x y)` does.

use std::sync::Arc;

use super::{HeapCells, HeapFormula, HeapNode, HeapState};
use crate::eval::Undecided;
use crate::value::Value;

/// Cells of a heap that is split.
const MAX_SPLIT_CELLS: usize = 16;

/// All locations and all data, where they are few enough to list.
#[derive(Clone, Default)]
pub(crate) struct HeapUniverse {
    pub locations: Option<Arc<[Value]>>,
    pub data: Option<Arc<[Value]>>,
}

/// The steps that are left: one for each formula over each heap.
pub(crate) struct HeapBudget(pub u64);

impl HeapFormula {
    /// Whether the formula holds over the heap of a state, if its leaves have these values.
    pub fn holds(
        &self,
        state: &HeapState,
        universe: &HeapUniverse,
        values: &[Value],
        budget: &mut HeapBudget,
    ) -> Result<bool, Undecided> {
        if values.iter().chain([&state.nil]).any(Value::is_opaque) {
            return Err(Undecided::Unknown(
                "a formula about the heap over values without a canonical form".into(),
            ));
        }
        let mut check = HeapCheck { formula: self, nil: &state.nil, universe, values, budget };
        check.holds(self.nodes.len() - 1, &state.cells)
    }
}

/// The evaluation of one formula.
struct HeapCheck<'a> {
    formula: &'a HeapFormula,
    nil: &'a Value,
    universe: &'a HeapUniverse,
    values: &'a [Value],
    budget: &'a mut HeapBudget,
}

impl HeapCheck<'_> {
    /// Recurses on the depth of the formula, which is bounded.
    fn holds(&mut self, node: usize, heap: &HeapCells) -> Result<bool, Undecided> {
        self.spend()?;
        let formula = self.formula;
        match &formula.nodes[node] {
            HeapNode::Pure(leaf) => {
                let unknown = || Undecided::Unknown("a formula about the heap of no Boolean".into());
                self.values[*leaf].as_bool().ok_or_else(unknown)
            }
            HeapNode::Not(one) => Ok(!self.holds(*one, heap)?),
            HeapNode::And(parts) => self.connective(parts, heap, false),
            HeapNode::Or(parts) => self.connective(parts, heap, true),
            HeapNode::Equal(a, b) => Ok(self.holds(*a, heap)? == self.holds(*b, heap)?),
            HeapNode::Ite(condition, then, otherwise) => match self.holds(*condition, heap)? {
                true => self.holds(*then, heap),
                false => self.holds(*otherwise, heap),
            },
            HeapNode::Empty => Ok(heap.is_empty()),
            HeapNode::PointsTo(location, data) => {
                Ok(heap.len() == 1 && heap.get(&self.values[*location]) == Some(&self.values[*data]))
            }
            HeapNode::Star(parts) => self.star(parts, heap),
            HeapNode::Wand(premise, conclusion) => self.wand(*premise, *conclusion, heap),
        }
    }

    fn spend(&mut self) -> Result<(), Undecided> {
        let too_large = || Undecided::TooLarge("a formula about the heap takes too many steps".into());
        self.budget.0 = self.budget.0.checked_sub(1).ok_or_else(too_large)?;
        Ok(())
    }

    /// `and` and `or`: a part that decides them is enough.
    fn connective(&mut self, parts: &[usize], heap: &HeapCells, deciding: bool) -> Result<bool, Undecided> {
        let mut result = Ok(!deciding);
        for &part in parts {
            match self.holds(part, heap) {
                Ok(truth) if truth == deciding => return Ok(deciding),
                Ok(_) => {}
                undecided => result = undecided,
            }
        }
        result
    }

    /// Whether the heap can be split among the parts. More than two parts are split off one by one.
    fn star(&mut self, parts: &[usize], heap: &HeapCells) -> Result<bool, Undecided> {
        let [first, rest @ ..] = parts else { return Ok(heap.is_empty()) };
        if rest.is_empty() {
            return self.holds(*first, heap);
        }
        if heap.len() > MAX_SPLIT_CELLS {
            return Err(Undecided::TooLarge("a heap of too many cells".into()));
        }
        let mut result = Ok(false);
        for chosen in 0..1u32 << heap.len() {
            let (mut taken, mut left) = (HeapCells::new(), HeapCells::new());
            for (place, (location, data)) in heap.iter().enumerate() {
                let part = if chosen >> place & 1 == 1 { &mut taken } else { &mut left };
                part.insert(location.clone(), data.clone());
            }
            match self.holds(*first, &taken) {
                Ok(false) => continue,
                Ok(true) => {}
                undecided => {
                    result = undecided;
                    continue;
                }
            }
            match self.star(rest, &left) {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                undecided => result = undecided,
            }
        }
        result
    }

    /// Whether the conclusion holds of the heap with every heap beside it of which the premise holds.
    fn wand(&mut self, premise: usize, conclusion: usize, heap: &HeapCells) -> Result<bool, Undecided> {
        let beside = match self.heaps_of(premise)? {
            Some(few) => few,
            None => self.all_heaps_beside(heap)?,
        };
        let mut result = Ok(true);
        for other in beside {
            if other.contains_key(self.nil) || other.keys().any(|location| heap.contains_key(location)) {
                continue;
            }
            let whole: HeapCells = heap.iter().chain(&other).map(|(l, d)| (l.clone(), d.clone())).collect();
            let truth = match self.holds(premise, &other) {
                Ok(false) => Ok(true),
                Ok(true) => self.holds(conclusion, &whole),
                undecided => undecided,
            };
            match truth {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                undecided => result = undecided,
            }
        }
        result
    }

    /// Heaps among which are all that a formula holds of, if these are few. Recurses on the depth of the formula, which is bounded.
    fn heaps_of(&mut self, node: usize) -> Result<Option<Vec<HeapCells>>, Undecided> {
        self.spend()?;
        let formula = self.formula;
        Ok(match &formula.nodes[node] {
            HeapNode::Empty => Some(vec![HeapCells::new()]),
            HeapNode::PointsTo(location, data) => {
                let cell = (self.values[*location].clone(), self.values[*data].clone());
                Some(vec![HeapCells::from([cell])])
            }
            HeapNode::Pure(leaf) if self.values[*leaf] == Value::Bool(false) => Some(Vec::new()),
            HeapNode::And(parts) => {
                for &part in parts {
                    if let Some(few) = self.heaps_of(part)? {
                        return Ok(Some(few));
                    }
                }
                None
            }
            HeapNode::Star(parts) => {
                let mut joined = vec![HeapCells::new()];
                for &part in parts {
                    let Some(few) = self.heaps_of(part)? else { return Ok(None) };
                    let with =
                        |heap: &HeapCells| few.iter().map(|more| union(heap, more)).collect::<Vec<_>>();
                    joined = joined.iter().flat_map(with).flatten().collect();
                    self.budget.0 = self.budget.0.saturating_sub(joined.len() as u64);
                }
                Some(joined)
            }
            _ => None,
        })
    }

    /// All heaps at the locations that a heap does not have.
    fn all_heaps_beside(&mut self, heap: &HeapCells) -> Result<Vec<HeapCells>, Undecided> {
        let infinite = || Undecided::Infinite("a wand over too many heaps".into());
        let locations = self.universe.locations.clone().ok_or_else(infinite)?;
        let data = self.universe.data.clone().ok_or_else(infinite)?;
        let nil = self.nil;
        let mut heaps = vec![HeapCells::new()];
        for location in locations.iter().filter(|l| *l != nil && !heap.contains_key(l)) {
            let count = heaps.len();
            for place in 0..count {
                for data in data.iter() {
                    self.spend()?;
                    let mut longer = heaps[place].clone();
                    longer.insert(location.clone(), data.clone());
                    heaps.push(longer);
                }
            }
        }
        Ok(heaps)
    }
}

/// Two heaps as one, if they share no location.
fn union(a: &HeapCells, b: &HeapCells) -> Option<HeapCells> {
    if b.keys().any(|location| a.contains_key(location)) {
        return None;
    }
    Some(a.iter().chain(b).map(|(location, data)| (location.clone(), data.clone())).collect())
}
