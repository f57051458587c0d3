//! Domains: the values that a point can have.
//!
//! A domain is complete if it holds every value that can matter: all values of a finite sort, or all integers within the
//! bounds that the assertions impose. Otherwise it holds a few values, one of which may satisfy the script, and a *gap*: the
//! reason why the search proves nothing if none does.

use std::sync::Arc;

use super::native::ones;
use super::words::{WordKind, Words};
use crate::arena::Arena;
use crate::eval::{Evaluator, Undecided};
use crate::print::sort_text;
use crate::sort::Sort;
use crate::value::Value;

/// The values of a co-datatype that are tried.
const MAX_TREES: usize = 160;

/// The values that a point can have.
#[derive(Clone, Debug)]
pub(super) struct PointDomain {
    values: DomainValues,
    /// Why there are values outside of it, if so.
    pub gap: Option<Undecided>,
}

#[derive(Clone, Debug)]
enum DomainValues {
    /// All words from the first to the last, wrapping.
    Range(u64, u64),
    List(Arc<[u64]>),
    /// The arguments of the point: the result is one of them.
    Arguments,
}

/// A position in a domain.
#[derive(Debug)]
pub(super) struct DomainCursor {
    next: CursorPlace,
}

#[derive(Debug)]
enum CursorPlace {
    Range(Option<u64>, u64),
    List(Arc<[u64]>, usize),
}

impl PointDomain {
    /// All integers between two bounds, or all bit-vectors.
    pub fn range(first: u64, last: u64) -> PointDomain {
        PointDomain { values: DomainValues::Range(first, last), gap: None }
    }

    /// These values, and no others.
    pub fn list(values: Vec<u64>) -> PointDomain {
        PointDomain { values: DomainValues::List(values.into()), gap: None }
    }

    /// The arguments of the point itself.
    pub fn arguments() -> PointDomain {
        PointDomain { values: DomainValues::Arguments, gap: None }
    }

    /// A few values of many.
    pub fn sample(values: Vec<u64>, gap: Undecided) -> PointDomain {
        PointDomain { values: DomainValues::List(values.into()), gap: Some(gap) }
    }

    /// The number of values, as far as it can be counted.
    pub fn count(&self) -> u128 {
        match &self.values {
            DomainValues::Range(first, last) => u128::from(last.wrapping_sub(*first)) + 1,
            DomainValues::List(values) => values.len() as u128,
            DomainValues::Arguments => 2,
        }
    }

    /// The domain in words: `0 to 15`, `5 values`.
    pub fn text(&self, kind: WordKind) -> String {
        match (&self.values, kind) {
            (DomainValues::Range(first, last), WordKind::Int) => {
                format!("{} to {}", *first as i64, *last as i64)
            }
            (DomainValues::Range(first, last), _) => format!("{first} to {last}"),
            (DomainValues::List(values), _) => format!("{} values", values.len()),
            (DomainValues::Arguments, _) => "its arguments".to_owned(),
        }
    }

    /// A cursor before the first value at a point.
    pub fn cursor(&self, arguments: &[u64]) -> DomainCursor {
        let next = match &self.values {
            DomainValues::Range(first, last) => CursorPlace::Range(Some(*first), *last),
            DomainValues::List(values) => CursorPlace::List(Arc::clone(values), 0),
            DomainValues::Arguments => CursorPlace::List(arguments.into(), 0),
        };
        DomainCursor { next }
    }
}

impl DomainCursor {
    /// The next value, and a move past it.
    #[inline]
    pub fn next(&mut self) -> Option<u64> {
        match &mut self.next {
            CursorPlace::Range(place, last) => {
                let word = (*place)?;
                *place = (word != *last).then(|| word.wrapping_add(1));
                Some(word)
            }
            CursorPlace::List(values, place) => {
                let word = values.get(*place).copied();
                *place += 1;
                word
            }
        }
    }
}

/// All values of a sort, if there are few enough to list or they are bit-vectors.
pub(super) fn complete_domain(
    arena: &Arena,
    evaluator: &mut Evaluator<'_>,
    words: &mut Words,
    sort: Sort,
) -> Option<PointDomain> {
    let kind = WordKind::of(arena, sort);
    if let Some(width) = kind.width() {
        return Some(PointDomain::range(0, ones(width)));
    }
    let values = evaluator.all_values(sort)?;
    let words: Option<Vec<u64>> = values.iter().map(|value| words.word(kind, value)).collect();
    Some(PointDomain::list(words?))
}

/// A domain for a sort: complete if possible, else a few values, `hints` among them.
pub(super) fn sort_domain(
    arena: &Arena,
    evaluator: &mut Evaluator<'_>,
    words: &mut Words,
    sort: Sort,
    hints: &[Value],
) -> PointDomain {
    if let Some(domain) = complete_domain(arena, evaluator, words, sort) {
        return domain;
    }
    let kind = WordKind::of(arena, sort);
    let mut few: Vec<Value> = match sort {
        Sort::INT => [0, 1, -1, 2].map(Value::int).to_vec(),
        Sort::REAL => [0, 1, -1, 2].map(|number| Value::Real(number.into())).to_vec(),
        _ => match evaluator.small_trees(sort, MAX_TREES) {
            trees if trees.is_empty() => evaluator.any_value(sort).into_iter().collect(),
            trees => trees,
        },
    };
    few.extend(hints.iter().cloned());
    let mut sample = Vec::new();
    for value in few {
        if let Some(word) = words.word(kind, &value).filter(|word| !sample.contains(word)) {
            sample.push(word);
        }
    }
    let reason = format!("the values of sort {} are too many to enumerate", sort_text(arena, sort));
    PointDomain::sample(sample, Undecided::Infinite(reason.into()))
}
