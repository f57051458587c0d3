//! Sequences over any sort. Reading past the end is unspecified; positions that are out of range give nothing.

use dashu_int::IBig;

use super::{Answer, Operator, Use};
use crate::value::Value;

/// The operators of sequences, by the names of z3 and of cvc5.
pub(super) const OPERATORS: &[(&str, Operator)] = &[
    ("seq.empty", |_, _| Ok(Value::sequence(Vec::new()))),
    ("seq.unit", |use_, arguments| match arguments {
        [element] => Ok(Value::sequence(vec![element.clone()])),
        _ => Err(use_.unexpected()),
    }),
    ("seq.++", concat),
    ("seq.len", length),
    ("seq.at", at),
    ("seq.nth", |use_, arguments| match arguments {
        [Value::Sequence(sequence), Value::Int(place)] => {
            let element = usize::try_from(place).ok().and_then(|place| sequence.elements.get(place));
            element.cloned().ok_or_else(|| use_.unspecified("out of range"))
        }
        _ => Err(use_.unexpected()),
    }),
    ("seq.extract", extract),
    ("seq.contains", contains),
    ("seq.indexof", index_of),
    ("seq.last_indexof", last_index_of),
    ("seq.replace", replace),
    ("seq.replace_all", replace_all),
    ("seq.prefixof", prefix_of),
    ("seq.suffixof", suffix_of),
    ("seq.update", update),
    ("seq.rev", reverse),
];

/// A sequence's elements.
fn elements<'a>(use_: &Use<'_>, value: &'a Value) -> Result<&'a [Value], super::Undecided> {
    match value {
        Value::Sequence(sequence) if !value.is_opaque() => Ok(&sequence.elements),
        _ => Err(use_.unexpected()),
    }
}

fn position(number: &IBig, length: usize) -> Option<usize> {
    usize::try_from(number).ok().filter(|&place| place <= length)
}

pub(super) fn concat(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let mut all = Vec::new();
    for part in arguments {
        all.extend_from_slice(elements(use_, part)?);
    }
    Ok(Value::sequence(all))
}

pub(super) fn length(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    match arguments {
        [sequence] => Ok(Value::int(elements(use_, sequence)?.len())),
        _ => Err(use_.unexpected()),
    }
}

pub(super) fn at(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    match arguments {
        [sequence, place] => extract(use_, &[sequence.clone(), place.clone(), Value::int(1)]),
        _ => Err(use_.unexpected()),
    }
}

pub(super) fn extract(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let [sequence, Value::Int(start), Value::Int(count)] = arguments else { return Err(use_.unexpected()) };
    let all = elements(use_, sequence)?;
    let start = match position(start, all.len()) {
        Some(start) if start < all.len() && *count > IBig::ZERO => start,
        _ => return Ok(Value::sequence(Vec::new())),
    };
    let count = usize::try_from(count).unwrap_or(usize::MAX).min(all.len() - start);
    Ok(Value::sequence(all[start..start + count].to_vec()))
}

/// Where `part` first begins in `all`, from a position on.
fn find(all: &[Value], part: &[Value], from: usize) -> Option<usize> {
    (from..=all.len()).find(|&start| all[start..].starts_with(part))
}

pub(super) fn contains(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let [all, part] = arguments else { return Err(use_.unexpected()) };
    Ok(Value::Bool(find(elements(use_, all)?, elements(use_, part)?, 0).is_some()))
}

pub(super) fn index_of(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let (all, part, from) = match arguments {
        [all, part] => (all, part, IBig::ZERO),
        [all, part, Value::Int(from)] => (all, part, from.clone()),
        _ => return Err(use_.unexpected()),
    };
    let (all, part) = (elements(use_, all)?, elements(use_, part)?);
    let found = position(&from, all.len()).and_then(|from| find(all, part, from));
    Ok(found.map_or_else(|| Value::int(-1), Value::int))
}

fn last_index_of(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let [all, part] = arguments else { return Err(use_.unexpected()) };
    let (all, part) = (elements(use_, all)?, elements(use_, part)?);
    let found = (0..=all.len()).rev().find(|&start| all[start..].starts_with(part));
    Ok(found.map_or_else(|| Value::int(-1), Value::int))
}

pub(super) fn replace(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let [all, part, by] = arguments else { return Err(use_.unexpected()) };
    let (all, part, by) = (elements(use_, all)?, elements(use_, part)?, elements(use_, by)?);
    Ok(Value::sequence(match find(all, part, 0) {
        Some(place) => [&all[..place], by, &all[place + part.len()..]].concat(),
        None => all.to_vec(),
    }))
}

pub(super) fn replace_all(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let [all, part, by] = arguments else { return Err(use_.unexpected()) };
    let (all, part, by) = (elements(use_, all)?, elements(use_, part)?, elements(use_, by)?);
    if part.is_empty() {
        return Ok(Value::sequence(all.to_vec()));
    }
    let (mut result, mut from) = (Vec::new(), 0);
    while let Some(place) = find(all, part, from) {
        result.extend_from_slice(&all[from..place]);
        result.extend_from_slice(by);
        from = place + part.len();
        if result.len() as u64 > use_.bytes / 24 {
            return Err(use_.too_large());
        }
    }
    result.extend_from_slice(&all[from..]);
    Ok(Value::sequence(result))
}

pub(super) fn prefix_of(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let [part, all] = arguments else { return Err(use_.unexpected()) };
    Ok(Value::Bool(elements(use_, all)?.starts_with(elements(use_, part)?)))
}

pub(super) fn suffix_of(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let [part, all] = arguments else { return Err(use_.unexpected()) };
    Ok(Value::Bool(elements(use_, all)?.ends_with(elements(use_, part)?)))
}

/// The sequence with another written over it from a position on; what would be past the end is dropped.
pub(super) fn update(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let [all, Value::Int(start), by] = arguments else { return Err(use_.unexpected()) };
    let (mut all, by) = (elements(use_, all)?.to_vec(), elements(use_, by)?);
    if let Some(start) = position(start, all.len()) {
        let count = by.len().min(all.len() - start);
        all[start..start + count].clone_from_slice(&by[..count]);
    }
    Ok(Value::sequence(all))
}

pub(super) fn reverse(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let [sequence] = arguments else { return Err(use_.unexpected()) };
    let mut all = elements(use_, sequence)?.to_vec();
    all.reverse();
    Ok(Value::sequence(all))
}
