//! Instances of ranks: operators with chosen indices and sorts.
//!
//! ```text
//! ((_ extract i j) (_ BitVec m) …)   becomes   ((_ extract 3 1) (_ BitVec 8) (_ BitVec 3))
//! ```

use super::Rank;
use super::pattern::{Bindings, Condition, IndexPattern, MAX_RANK_VARIABLES, SortPattern};
use crate::arena::Arena;
use crate::sort::{Index, Sort};

/// A well-sorted instance of a rank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The operator's indices.
    pub indices: Vec<Index>,
    /// The sorts of its parameters.
    pub parameters: Vec<Sort>,
    /// The sort of its result.
    pub result: Sort,
    /// Whether the result must be given by `as`, because the arguments do not determine it.
    pub needs_qualifier: bool,
}

/// The values tried for index variables: small ones, and those of the usual formats.
const INDEX_VALUES: [i64; 13] = [0, 1, 2, 3, 4, 5, 8, 11, 16, 24, 32, 53, 64];

/// The number of draws after which a condition is considered unsatisfiable.
const MAX_INSTANCE_DRAWS: usize = 200;

impl Rank {
    /// An instance with sort variables drawn from `sorts` and index variables drawn at random.
    ///
    /// `below(n)` draws a number below `n`. Returns `None` if no drawn numbers satisfy the rank's condition, or if an
    /// index cannot be drawn.
    pub fn instance(
        &self,
        arena: &mut Arena,
        sorts: &[Sort],
        below: &mut dyn FnMut(usize) -> usize,
    ) -> Option<Instance> {
        let mut bindings = Bindings::default();
        for sort in &mut bindings.sorts {
            *sort = Some(sorts[below(sorts.len())]);
        }
        (0..MAX_INSTANCE_DRAWS).find_map(|_| {
            for index in &mut bindings.indices {
                *index = Some(INDEX_VALUES[below(INDEX_VALUES.len())]);
            }
            self.condition.as_ref().is_none_or(|condition| condition.holds(&bindings)).then_some(())?;
            self.filled(&bindings, arena)
        })
    }

    fn filled(&self, bindings: &Bindings, arena: &mut Arena) -> Option<Instance> {
        let number = |index: &IndexPattern| match index {
            IndexPattern::Number(expression) => {
                Some(Index::Numeral(u32::try_from(expression.value(bindings)?).ok()?))
            }
            IndexPattern::Hexadecimal => None,
        };
        let indices: Option<Vec<Index>> = self.indices.iter().map(number).collect();
        let mut sort =
            |pattern: &SortPattern| well_formed(pattern.instance(bindings, &mut arena.sorts)?, arena);
        let parameters: Option<Vec<Sort>> = self.parameters.iter().map(&mut sort).collect();
        let result = sort(&self.result)?;
        let needs_qualifier = self.needs_qualifier();
        Some(Instance { indices: indices?, parameters: parameters?, result, needs_qualifier })
    }

    /// Returns true if the result must be given by `as`, because the arguments do not determine it.
    pub(super) fn needs_qualifier(&self) -> bool {
        let mut told = [false; MAX_RANK_VARIABLES];
        self.parameters.iter().for_each(|parameter| mark(parameter, &mut told));
        let mut needed = [false; MAX_RANK_VARIABLES];
        mark(&self.result, &mut needed);
        needed.iter().zip(told).any(|(&needed, told)| needed && !told)
    }
}

/// The sort, if its own theory allows its indices.
fn well_formed(sort: Sort, arena: &Arena) -> Option<Sort> {
    let view = arena.view_sort(sort);
    let Some(rule) = arena.signature().sort_rule(view.head) else { return Some(sort) };
    let mut bindings = Bindings::default();
    let bound = rule.indices.iter().zip(view.indices).all(|(p, &a)| p.bind(a, |_| "", &mut bindings));
    let holds = |condition: &Condition| condition.holds(&bindings);
    (bound && rule.condition.as_ref().is_none_or(holds)).then_some(sort)
}

/// Marks the sort variables of a pattern.
fn mark(pattern: &SortPattern, seen: &mut [bool; MAX_RANK_VARIABLES]) {
    match pattern {
        SortPattern::Sort(_) => {}
        SortPattern::Variable(variable) => seen[*variable] = true,
        SortPattern::Built { arguments, .. } => arguments.iter().for_each(|argument| mark(argument, seen)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::{head_text, sort_text};
    use crate::term::Head;
    use crate::{Script, Signature};

    /// A reproducible sequence of draws.
    fn draws(mut state: u64) -> impl FnMut(usize) -> usize {
        move |bound| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound
        }
    }

    /// Every rank of every table, applied as its instances are, must be parsed with the sort of the instance.
    #[test]
    fn the_checker_takes_every_instance_of_every_rank() {
        let signature = Signature::standard();
        let mut below = draws(7);
        let (mut without, mut otherwise) = (Vec::new(), Vec::new());
        for rank in signature.ranks() {
            let mut arena = Arena::new(&signature);
            let sorts = [Sort::INT, Sort::BOOL, Sort::REAL, arena.bit_vector(4)];
            let mut found = 0;
            for _ in 0..20 {
                let Some(instance) = rank.instance(&mut arena, &sorts, &mut below) else { continue };
                found += 1;
                if !check(rank, &instance, &arena, &signature) {
                    otherwise.push(signature.text(rank.name));
                }
            }
            if found == 0 {
                without.push(signature.text(rank.name));
            }
        }
        assert_eq!(without, ["char"], "only an index that is a character cannot be drawn");
        otherwise.sort_unstable();
        otherwise.dedup();
        assert_eq!(otherwise, [""; 0]);
    }

    /// Returns true if an instance has its declared sort; it must have one.
    fn check(rank: &Rank, instance: &Instance, arena: &Arena, signature: &std::sync::Arc<Signature>) -> bool {
        let result = sort_text(arena, instance.result);
        let qualifier = instance.needs_qualifier.then_some(instance.result);
        let head = head_text(arena, Head { symbol: rank.name, indices: &instance.indices, qualifier });
        let mut text = String::from("(set-logic ALL)");
        let mut arguments = String::new();
        for (position, &parameter) in instance.parameters.iter().enumerate() {
            text += &format!("(declare-const a{position} {})", sort_text(arena, parameter));
            arguments += &format!(" a{position}");
        }
        let term = if arguments.is_empty() { head } else { format!("({head}{arguments})") };
        let read = |command: String| Script::parse(&format!("{text}{command}"), signature).map(|_| ());
        if let Err(error) = read(format!("(assert (= {term} {term}))")) {
            panic!("{error}\n{text} {term}");
        }
        read(format!("(define-fun t () {result} {term})")).is_ok()
    }
}
