//! Finite sets and bags: those of cvc5, and z3's sort `FiniteSet`. Operators that take a function are in `function_loops.rs`.
//!
//! cvc5 chooses the universe: it need not hold all values of a sort, even of a finite one. So the universe and complements are open.

use std::collections::{BTreeMap, BTreeSet};

use dashu_int::IBig;

use super::{EvalResult, Evaluator, Operator, OperatorCall, Undecided};
use crate::sort::Sort;
use crate::term::{Term, TermView};
use crate::value::{Bag, Value};

/// The largest range of integers that is listed.
const MAX_RANGE_ELEMENTS: u32 = 1 << 16;

/// The operators of sets.
pub(super) const SET_OPERATORS: &[(&str, Operator)] = &[
    ("set.empty", |call, _| made(call, BTreeSet::new())),
    ("set.singleton", |call, arguments| made(call, arguments.iter().cloned().collect())),
    ("set.insert", |call, arguments| match arguments {
        [elements @ .., Value::Set(set)] => {
            made(call, set.elements().iter().chain(elements).cloned().collect())
        }
        _ => Err(call.unexpected()),
    }),
    ("set.union", |call, arguments| combined(call, arguments, |a, b| a || b)),
    ("set.inter", |call, arguments| combined(call, arguments, |a, b| a && b)),
    ("set.intersect", |call, arguments| combined(call, arguments, |a, b| a && b)),
    ("set.minus", |call, arguments| combined(call, arguments, |a, b| a && !b)),
    ("set.difference", |call, arguments| combined(call, arguments, |a, b| a && !b)),
    ("set.universe", |call, _| Err(call.unexpected())),
    ("set.complement", |call, _| Err(call.unspecified("of a set"))),
    ("set.member", member),
    ("set.in", member),
    ("set.subset", |call, arguments| match arguments {
        [Value::Set(a), Value::Set(b)] => Ok(Value::Bool(a.elements().is_subset(b.elements()))),
        _ => Err(call.unexpected()),
    }),
    ("set.card", size),
    ("set.size", size),
    ("set.is_empty", |call, arguments| match arguments {
        [Value::Set(set)] => Ok(Value::Bool(set.elements().is_empty())),
        _ => Err(call.unexpected()),
    }),
    ("set.is_singleton", |call, arguments| match arguments {
        [Value::Set(set)] => Ok(Value::Bool(set.elements().len() == 1)),
        _ => Err(call.unexpected()),
    }),
    ("set.choose", |call, arguments| match arguments {
        [Value::Set(set)] => chosen(call, set.elements().iter()),
        _ => Err(call.unexpected()),
    }),
    ("set.range", |call, arguments| match arguments {
        [Value::Int(first), Value::Int(last)] => {
            let count = last - first;
            if count > IBig::from(MAX_RANGE_ELEMENTS) {
                return Err(call.too_large());
            }
            let mut elements = BTreeSet::new();
            let mut next = first.clone();
            while next <= *last {
                elements.insert(Value::Int(next.clone()));
                next += IBig::ONE;
            }
            made(call, elements)
        }
        _ => Err(call.unexpected()),
    }),
];

/// The operators of bags.
pub(super) const BAG_OPERATORS: &[(&str, Operator)] = &[
    ("bag.empty", |call, _| counted(call, BTreeMap::new())),
    ("bag", |call, arguments| match arguments {
        [element, Value::Int(count)] => counted(call, [(element.clone(), count.clone())].into()),
        _ => Err(call.unexpected()),
    }),
    ("bag.union_max", |call, arguments| merged(call, arguments, Ord::max)),
    ("bag.union_disjoint", |call, arguments| merged(call, arguments, |a, b| a + b)),
    ("bag.inter_min", |call, arguments| merged(call, arguments, Ord::min)),
    ("bag.difference_subtract", |call, arguments| merged(call, arguments, |a, b| a - b)),
    ("bag.difference_remove", |call, arguments| {
        merged(call, arguments, |a, b| if b > IBig::ZERO { IBig::ZERO } else { a })
    }),
    ("bag.subbag", |call, arguments| match arguments {
        [Value::Bag(a), Value::Bag(b)] => {
            Ok(Value::Bool(a.counts().iter().all(|(element, count)| *count <= b.count(element))))
        }
        _ => Err(call.unexpected()),
    }),
    ("bag.count", |call, arguments| match arguments {
        [element, Value::Bag(bag)] if !element.is_opaque() => {
            Ok(Value::Int(bag.count(&sought(element, bag.counts().keys()))))
        }
        _ => Err(call.unexpected()),
    }),
    ("bag.member", |call, arguments| match arguments {
        [element, Value::Bag(bag)] if !element.is_opaque() => {
            Ok(Value::Bool(bag.counts().contains_key(&sought(element, bag.counts().keys()))))
        }
        _ => Err(call.unexpected()),
    }),
    ("bag.setof", |call, arguments| match arguments {
        [Value::Bag(bag)] => {
            counted(call, bag.counts().keys().map(|element| (element.clone(), IBig::ONE)).collect())
        }
        _ => Err(call.unexpected()),
    }),
    ("bag.card", |call, arguments| match arguments {
        [Value::Bag(bag)] => Ok(Value::Int(bag.counts().values().fold(IBig::ZERO, |sum, count| sum + count))),
        _ => Err(call.unexpected()),
    }),
    ("bag.choose", |call, arguments| match arguments {
        [Value::Bag(bag)] => chosen(call, bag.counts().keys()),
        _ => Err(call.unexpected()),
    }),
];

/// The operators whose result the solver may choose among some values.
const CHOOSING_OPERATORS: [&str; 2] = ["set.choose", "bag.choose"];

impl Evaluator<'_> {
    /// Keeps the possible choices only for the term that chooses: a term around it has other values.
    pub(super) fn chosen_here(&self, term: Term, answer: EvalResult) -> EvalResult {
        let chooses = || match self.arena.view(term) {
            TermView::Application(head, _) => CHOOSING_OPERATORS.contains(&self.arena.text(head.symbol)),
            _ => false,
        };
        match answer {
            Err(chosen @ Undecided::OneOf(_)) if !chooses() => {
                Err(Undecided::Unknown(chosen.reason().into()))
            }
            answer => answer,
        }
    }
}

/// The chosen element. The solver may choose any of several elements, so the result is undecided, but it differs from every value that is
/// not an element. From an empty collection the solver may choose any value.
fn chosen<'v>(call: &OperatorCall<'_>, elements: impl Iterator<Item = &'v Value>) -> EvalResult {
    match elements.cloned().collect::<Vec<_>>().as_slice() {
        [] => Err(call.unexpected()),
        [one] => Ok(one.clone()),
        several => Err(Undecided::OneOf(several.into())),
    }
}

fn made(call: &OperatorCall<'_>, elements: BTreeSet<Value>) -> EvalResult {
    let elements = match element_sort(call) {
        Sort::REAL => elements.into_iter().map(as_real).collect(),
        _ => elements,
    };
    Value::set(elements).ok_or_else(|| call.unexpected())
}

/// The sort of the elements of the result.
fn element_sort(call: &OperatorCall<'_>) -> Sort {
    call.arena.view_sort(call.sort).arguments.first().copied().unwrap_or(Sort::UNKNOWN)
}

/// An integer as a real: `(set.singleton 1)` may be a set of reals.
fn as_real(value: Value) -> Value {
    match value {
        Value::Int(number) => Value::Real(number.into()),
        value => value,
    }
}

/// A value that is looked for among elements of one sort.
fn sought<'a>(value: &Value, mut elements: impl Iterator<Item = &'a Value>) -> Value {
    match elements.next() {
        Some(Value::Real(_)) => as_real(value.clone()),
        _ => value.clone(),
    }
}

fn counted(call: &OperatorCall<'_>, counts: BTreeMap<Value, IBig>) -> EvalResult {
    let counts = match element_sort(call) {
        Sort::REAL => counts.into_iter().map(|(element, count)| (as_real(element), count)).collect(),
        _ => counts,
    };
    Value::bag(counts).ok_or_else(|| call.unexpected())
}

/// The elements for which an operation on two memberships returns true.
fn combined(call: &OperatorCall<'_>, arguments: &[Value], is_in: fn(bool, bool) -> bool) -> EvalResult {
    match arguments {
        [Value::Set(_)] => Ok(arguments[0].clone()),
        [Value::Set(a), Value::Set(b)] => {
            let (a, b) = (a.elements(), b.elements());
            let both = a.union(b).filter(|element| is_in(a.contains(element), b.contains(element)));
            made(call, both.cloned().collect())
        }
        _ => Err(call.unexpected()),
    }
}

fn member(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    match arguments {
        [element, Value::Set(set)] if !element.is_opaque() => {
            Ok(Value::Bool(set.elements().contains(&sought(element, set.elements().iter()))))
        }
        _ => Err(call.unexpected()),
    }
}

fn size(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    match arguments {
        [Value::Set(set)] => Ok(Value::int(set.elements().len())),
        _ => Err(call.unexpected()),
    }
}

/// The bag of all elements, with an operation on their two numbers of occurrences.
fn merged(call: &OperatorCall<'_>, arguments: &[Value], count: fn(IBig, IBig) -> IBig) -> EvalResult {
    match arguments {
        [Value::Bag(_)] => Ok(arguments[0].clone()),
        [Value::Bag(a), Value::Bag(b)] => {
            let keys = a.counts().keys().chain(b.counts().keys());
            let occurrences = |bag: &Bag, element: &Value| bag.count(element);
            let counts = keys
                .map(|element| (element.clone(), count(occurrences(a, element), occurrences(b, element))));
            counted(call, counts.collect())
        }
        _ => Err(call.unexpected()),
    }
}
