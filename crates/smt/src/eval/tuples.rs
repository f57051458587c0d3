//! Tuples, relations and tables (sets and bags of tuples), and values that may be missing: cvc5's built-in datatypes.
//!
//! A tuple is a value of a datatype with the constructor `tuple`; the constructors of nullables have their names, too.

use std::collections::{BTreeMap, BTreeSet};

use dashu_int::IBig;

use super::{EvalResult, Operator, OperatorCall, Undecided};
use crate::symbol::Symbol;
use crate::value::Value;

/// The operators of tuples, relations and tables.
pub(super) const TUPLE_OPERATORS: &[(&str, Operator)] = &[
    ("tuple", |_, fields| Ok(tuple(fields.to_vec()))),
    ("tuple.unit", |_, _| Ok(tuple(Vec::new()))),
    ("tuple.select", |call, arguments| match (fields(arguments.first()), arguments) {
        (Some(fields), [_]) => fields.get(call.index(0) as usize).cloned().ok_or_else(|| call.unexpected()),
        _ => Err(call.unexpected()),
    }),
    ("tuple.update", |call, arguments| {
        let place = call.index(0) as usize;
        match (fields(arguments.first()), arguments) {
            (Some(fields), [_, value]) if place < fields.len() => {
                let mut fields = fields.to_vec();
                fields[place] = value.clone();
                Ok(tuple(fields))
            }
            _ => Err(call.unexpected()),
        }
    }),
    ("tuple.project", |call, arguments| match arguments {
        [one] => projected(call, one).ok_or_else(|| call.unexpected()),
        _ => Err(call.unexpected()),
    }),
    ("rel.transpose", |call, arguments| {
        each_row(call, arguments, |row| Some(tuple(row.iter().rev().cloned().collect())))
    }),
    ("rel.iden", |call, arguments| each_row(call, arguments, |row| Some(tuple([row, row].concat())))),
    ("rel.project", |call, arguments| {
        let places: Vec<usize> = (0..call.indices.len()).map(|place| call.index(place) as usize).collect();
        each_row(call, arguments, |row| {
            places.iter().map(|&place| row.get(place).cloned()).collect::<Option<_>>().map(tuple)
        })
    }),
    ("rel.product", |call, arguments| joined(call, arguments, 0)),
    ("rel.join", |call, arguments| joined(call, arguments, 1)),
    ("rel.table_join", |call, arguments| match arguments {
        [Value::Set(a), Value::Set(b)] => {
            let pairs =
                a.elements().iter().flat_map(|left| b.elements().iter().map(move |right| (left, right)));
            let rows: Result<BTreeSet<Value>, Undecided> =
                pairs.filter_map(|(left, right)| matched(call, left, right).transpose()).collect();
            Value::set(rows?).ok_or_else(|| call.unexpected())
        }
        _ => Err(call.unexpected()),
    }),
    ("rel.group", |call, arguments| match arguments {
        [Value::Set(set)] => {
            let mut groups: BTreeMap<Value, BTreeSet<Value>> = BTreeMap::new();
            for row in set.elements() {
                let key = projected(call, row).ok_or_else(|| call.unexpected())?;
                groups.entry(key).or_default().insert(row.clone());
            }
            // The only group of the empty relation is empty, as cvc5 has it.
            let groups =
                if groups.is_empty() { vec![BTreeSet::new()] } else { groups.into_values().collect() };
            let groups: Option<BTreeSet<Value>> = groups.into_iter().map(Value::set).collect();
            groups.and_then(Value::set).ok_or_else(|| call.unexpected())
        }
        _ => Err(call.unexpected()),
    }),
    ("rel.tclosure", |call, arguments| match arguments {
        [Value::Set(set)] => closure(set.elements()).and_then(Value::set).ok_or_else(|| call.unexpected()),
        _ => Err(call.unexpected()),
    }),
    ("rel.join_image", |call, arguments| match arguments {
        [Value::Set(set), Value::Int(least)] => {
            image(set.elements(), least).and_then(Value::set).ok_or_else(|| call.unexpected())
        }
        _ => Err(call.unexpected()),
    }),
    ("table.product", |call, arguments| match arguments {
        [Value::Bag(a), Value::Bag(b)] => {
            let mut counts = BTreeMap::new();
            for (left, count) in a.counts() {
                for (right, other) in b.counts() {
                    let row = [fields(Some(left)), fields(Some(right))];
                    let [Some(left), Some(right)] = row else { return Err(call.unexpected()) };
                    counts.insert(tuple([left, right].concat()), count * other);
                }
            }
            Value::bag(counts).ok_or_else(|| call.unexpected())
        }
        _ => Err(call.unexpected()),
    }),
    ("table.join", |call, arguments| match arguments {
        [Value::Bag(a), Value::Bag(b)] => {
            let mut counts = BTreeMap::new();
            for (left, count) in a.counts() {
                for (right, other) in b.counts() {
                    if let Some(row) = matched(call, left, right)? {
                        counts.insert(row, count * other);
                    }
                }
            }
            Value::bag(counts).ok_or_else(|| call.unexpected())
        }
        _ => Err(call.unexpected()),
    }),
    ("table.group", |call, arguments| match arguments {
        [Value::Bag(bag)] => {
            let mut groups: BTreeMap<Value, BTreeMap<Value, IBig>> = BTreeMap::new();
            for (row, count) in bag.counts() {
                let key = projected(call, row).ok_or_else(|| call.unexpected())?;
                groups.entry(key).or_default().insert(row.clone(), count.clone());
            }
            let groups =
                if groups.is_empty() { vec![BTreeMap::new()] } else { groups.into_values().collect() };
            let groups: Option<BTreeMap<Value, IBig>> =
                groups.into_iter().map(|group| Some((Value::bag(group)?, IBig::ONE))).collect();
            groups.and_then(Value::bag).ok_or_else(|| call.unexpected())
        }
        _ => Err(call.unexpected()),
    }),
    ("table.project", |call, arguments| match arguments {
        [Value::Bag(bag)] => {
            let mut counts: BTreeMap<Value, IBig> = BTreeMap::new();
            for (row, count) in bag.counts() {
                let row = projected(call, row).ok_or_else(|| call.unexpected())?;
                *counts.entry(row).or_default() += count;
            }
            Value::bag(counts).ok_or_else(|| call.unexpected())
        }
        _ => Err(call.unexpected()),
    }),
    ("nullable.null", |_, _| Ok(Value::datatype(Symbol::NULL, Vec::new()))),
    ("nullable.some", |_, fields| Ok(Value::datatype(Symbol::SOME, fields.to_vec()))),
    ("nullable.is_null", |call, arguments| is_made(call, arguments, Symbol::NULL)),
    ("nullable.is_some", |call, arguments| is_made(call, arguments, Symbol::SOME)),
    // The value of a missing one is open, and no model names that function.
    ("nullable.val", |call, arguments| match arguments {
        [Value::Datatype(made)] if made.constructor == Symbol::SOME => {
            made.fields.first().cloned().ok_or_else(|| call.unexpected())
        }
        _ => Err(call.unexpected()),
    }),
];

fn tuple(fields: Vec<Value>) -> Value {
    Value::datatype(Symbol::TUPLE, fields)
}

/// The fields of a tuple.
fn fields(value: Option<&Value>) -> Option<&[Value]> {
    match value? {
        Value::Datatype(made) if made.constructor == Symbol::TUPLE => Some(&made.fields),
        _ => None,
    }
}

fn is_made(call: &OperatorCall<'_>, arguments: &[Value], constructor: Symbol) -> EvalResult {
    match arguments {
        [Value::Datatype(made)] => Ok(Value::Bool(made.constructor == constructor)),
        _ => Err(call.unexpected()),
    }
}

/// The fields of a tuple at the indices of the operator.
fn projected(call: &OperatorCall<'_>, row: &Value) -> Option<Value> {
    let row = fields(Some(row))?;
    let chosen = (0..call.indices.len()).map(|place| row.get(call.index(place) as usize).cloned());
    chosen.collect::<Option<_>>().map(tuple)
}

/// Two tuples one after the other, if they have the same values in the columns that the indices pair; `None` otherwise.
fn matched(call: &OperatorCall<'_>, left: &Value, right: &Value) -> Result<Option<Value>, Undecided> {
    let (Some(left), Some(right)) = (fields(Some(left)), fields(Some(right))) else {
        return Err(call.unexpected());
    };
    let columns: Vec<usize> = (0..call.indices.len()).map(|place| call.index(place) as usize).collect();
    let is_same = |pair: &[usize]| left.get(pair[0]) == right.get(pair[1]);
    Ok(columns.chunks_exact(2).all(is_same).then(|| tuple([left, right].concat())))
}

/// The relation with a tuple for each tuple of another one.
fn each_row(
    call: &OperatorCall<'_>,
    arguments: &[Value],
    row: impl Fn(&[Value]) -> Option<Value>,
) -> EvalResult {
    let [Value::Set(set)] = arguments else { return Err(call.unexpected()) };
    let rows: Option<BTreeSet<Value>> = set.elements().iter().map(|one| row(fields(Some(one))?)).collect();
    rows.and_then(Value::set).ok_or_else(|| call.unexpected())
}

/// The tuples of two relations one after the other, without the fields that they share: the last of the one and the first of the other.
fn joined(call: &OperatorCall<'_>, arguments: &[Value], shared: usize) -> EvalResult {
    let [Value::Set(a), Value::Set(b)] = arguments else { return Err(call.unexpected()) };
    let mut rows = BTreeSet::new();
    for left in a.elements() {
        for right in b.elements() {
            let (Some(left), Some(right)) = (fields(Some(left)), fields(Some(right))) else {
                return Err(call.unexpected());
            };
            let (start, end) = left.split_at(left.len().saturating_sub(shared));
            let (first, rest) = right.split_at(shared.min(right.len()));
            if end == first {
                rows.insert(tuple([start, rest].concat()));
            }
        }
    }
    Value::set(rows).ok_or_else(|| call.unexpected())
}

/// The smallest transitive relation that contains a relation of pairs.
fn closure(pairs: &BTreeSet<Value>) -> Option<BTreeSet<Value>> {
    let mut all = pairs.clone();
    loop {
        let mut more = Vec::new();
        for left in &all {
            for right in pairs {
                let ([a, b], [c, d]) = (fields(Some(left))?, fields(Some(right))?) else { return None };
                let pair = tuple(vec![a.clone(), d.clone()]);
                if b == c && !all.contains(&pair) {
                    more.push(pair);
                }
            }
        }
        if more.is_empty() {
            return Some(all);
        }
        all.extend(more);
    }
}

/// The first fields that are related to at least so many second fields.
fn image(pairs: &BTreeSet<Value>, least: &IBig) -> Option<BTreeSet<Value>> {
    let mut related: BTreeMap<&Value, usize> = BTreeMap::new();
    for pair in pairs {
        let [first, _] = fields(Some(pair))? else { return None };
        *related.entry(first).or_default() += 1;
    }
    // Every value is related to at least none, so the image is a universe.
    if *least <= IBig::ZERO {
        return None;
    }
    let enough = related.into_iter().filter(|(_, count)| IBig::from(*count) >= *least);
    Some(enough.map(|(first, _)| tuple(vec![first.clone()])).collect())
}
