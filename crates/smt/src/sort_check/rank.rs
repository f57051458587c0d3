//! Applies a rank to arguments and computes the result sort.

use crate::signature::{Associativity, Bindings, Coercion, Rank, SortPattern};
use crate::sort::{Index, Sort, Sorts};
use crate::symbol::SymbolTable;
use crate::term::Head;

impl Rank {
    /// The sort of all parameters, and of the result, if they contain no variables.
    #[inline]
    pub(super) fn all_of_one_sort(&self) -> Option<(Sort, Sort)> {
        match (self.parameters.first(), &self.result) {
            (Some(SortPattern::Sort(sort)), SortPattern::Sort(result)) if self.uniform => {
                Some((*sort, *result))
            }
            _ => None,
        }
    }

    /// The number of parameters; an associative operator accepts other numbers of arguments, too.
    pub fn arity(&self) -> usize {
        self.parameters.len()
    }

    /// Returns true if the operator accepts so many arguments.
    pub fn takes(&self, count: usize) -> bool {
        if self.associativity.is_some() || self.variadic {
            count >= self.fewest
        } else {
            count == self.parameters.len()
        }
    }
}

/// An application of a rank.
pub(super) struct RankUse<'a> {
    pub rank: &'a Rank,
    pub head: &'a Head<'a>,
    pub count: usize,
    pub coercion: Coercion,
}

impl RankUse<'_> {
    /// The sort of the application, if the rank allows it.
    pub fn result(
        &self,
        sort_of: &dyn Fn(usize) -> Sort,
        names: &SymbolTable,
        sorts: &mut Sorts,
    ) -> Option<Sort> {
        let rank = self.rank;
        if !rank.takes(self.count) || rank.indices.len() != self.head.indices.len() {
            return None;
        }
        if self.count < 2 && rank.parameters.len() == 2 && self.coercion == Coercion::IntToReal {
            return None;
        }
        let mut bindings = Bindings::default();
        for (pattern, &actual) in rank.indices.iter().zip(self.head.indices) {
            // Solvers reject an index of more than 32 bits.
            let is_large =
                matches!(actual, Index::Symbol(s) if names.text(s).starts_with(|c: char| c.is_ascii_digit()));
            if is_large || !pattern.bind(actual, |symbol| names.text(symbol), &mut bindings) {
                return None;
            }
        }
        if let Some(wanted) = self.head.qualifier
            && !rank.result.bind(sorts.canonical(wanted), Coercion::No, sorts, &mut bindings)
        {
            return None;
        }
        let left = matches!(rank.associativity, Some(Associativity::Left)) && !rank.uniform;
        let fits = if left {
            return self.folded(sort_of, bindings, sorts);
        } else {
            (0..self.count).all(|position| {
                let parameter = &rank.parameters[position.min(rank.parameters.len() - 1)];
                parameter.bind(sort_of(position), self.coercion, sorts, &mut bindings)
            })
        };
        if !fits || rank.condition.as_ref().is_some_and(|condition| !condition.holds(&bindings)) {
            return None;
        }
        if rank.returns_first && self.count > 0 && self.coercion == Coercion::No {
            return Some(sort_of(0));
        }
        self.instance(&bindings, sort_of, sorts)
    }

    /// `(f a b c)` as `(f (f a b) c)`, each with its own sorts, as in `concat`.
    fn folded(&self, sort_of: &dyn Fn(usize) -> Sort, bindings: Bindings, sorts: &mut Sorts) -> Option<Sort> {
        let mut total = sort_of(0);
        for position in 1..self.count {
            let mut bindings = bindings;
            let [left, right] = &self.rank.parameters[..] else { return None };
            let fits = left.bind(total, self.coercion, sorts, &mut bindings)
                && right.bind(sort_of(position), self.coercion, sorts, &mut bindings);
            if !fits {
                return None;
            }
            total = self.instance(&bindings, sort_of, sorts)?;
        }
        Some(total)
    }

    /// The result sort; unknown if it depends on an argument of unknown sort.
    fn instance(
        &self,
        bindings: &Bindings,
        sort_of: &dyn Fn(usize) -> Sort,
        sorts: &mut Sorts,
    ) -> Option<Sort> {
        self.rank.result.instance(bindings, sorts).or_else(|| {
            (0..self.count).any(|position| sort_of(position) == Sort::UNKNOWN).then_some(Sort::UNKNOWN)
        })
    }
}
