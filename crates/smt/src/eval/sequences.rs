//! Sequences over any sort, and strings, which are sequences of characters: the functions are those of
//! [`crate::sequence`]. Reading past the end is unspecified; positions that are out of range give nothing.

use dashu_int::IBig;

use super::{Answer, Operator, Undecided, Use};
use crate::sequence;
use crate::text::Text;
use crate::value::Value;

/// The operators of sequences, by the names of z3 and of cvc5; those of strings that are the same.
pub(super) const OPERATORS: &[(&str, Operator)] = &[
    ("seq.empty", |_, _| Ok(Value::sequence(Vec::new()))),
    ("seq.unit", |use_, arguments| match arguments {
        [Value::Character(code)] => text(use_, vec![*code]),
        [element] => Ok(Value::sequence(vec![element.clone()])),
        _ => Err(use_.unexpected()),
    }),
    ("seq.++", concat),
    ("str.++", concat),
    ("seq.len", length),
    ("str.len", length),
    ("seq.at", at),
    ("str.at", at),
    ("seq.nth", nth),
    ("seq.nth_i", nth),
    ("seq.extract", extract),
    ("str.substr", extract),
    ("seq.contains", contains),
    ("str.contains", contains),
    ("seq.indexof", index_of),
    ("str.indexof", index_of),
    ("seq.last_indexof", last_index_of),
    ("seq.replace", replace),
    ("str.replace", replace),
    ("seq.replace_all", replace_all),
    ("str.replace_all", replace_all),
    ("str.replaceall", replace_all),
    ("seq.prefixof", prefix_of),
    ("str.prefixof", prefix_of),
    ("seq.suffixof", suffix_of),
    ("str.suffixof", suffix_of),
    ("seq.update", update),
    ("str.update", update),
    ("seq.rev", reverse),
    ("str.rev", reverse),
    ("seq.power", power),
    ("str.power", power),
];

/// What strings and other sequences are to the functions here.
enum Whole<'a> {
    Text(&'a [u32]),
    Sequence(&'a [Value]),
}

fn whole<'a>(use_: &Use<'_>, value: &'a Value) -> Result<Whole<'a>, Undecided> {
    match value {
        Value::Text(text) => Ok(Whole::Text(text)),
        Value::Sequence(sequence) if !value.is_opaque() => Ok(Whole::Sequence(&sequence.elements)),
        _ => Err(use_.unexpected()),
    }
}

/// A string of these code points.
pub(super) fn text(use_: &Use<'_>, codes: Vec<u32>) -> Answer {
    Text::new(codes).map(Value::Text).ok_or_else(|| use_.unexpected())
}

/// Where something was found; nowhere is -1.
fn place(found: Option<usize>) -> Answer {
    Ok(found.map_or_else(|| Value::int(-1), Value::int))
}

fn concat(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let limit = use_.longest();
    match arguments {
        [one] => Ok(one.clone()),
        [a, b] => match (whole(use_, a)?, whole(use_, b)?) {
            (Whole::Text(a), Whole::Text(b)) => {
                let codes = sequence::concat(&[a, b], limit).ok_or_else(|| use_.too_large())?;
                text(use_, codes)
            }
            (Whole::Sequence(a), Whole::Sequence(b)) => {
                let all = sequence::concat(&[a, b], limit / 6).ok_or_else(|| use_.too_large())?;
                Ok(Value::sequence(all))
            }
            _ => Err(use_.unexpected()),
        },
        _ => Err(use_.unexpected()),
    }
}

fn length(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let [one] = arguments else { return Err(use_.unexpected()) };
    Ok(Value::int(match whole(use_, one)? {
        Whole::Text(codes) => codes.len(),
        Whole::Sequence(elements) => elements.len(),
    }))
}

fn at(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    match arguments {
        [all, place] => extract(use_, &[all.clone(), place.clone(), Value::int(1)]),
        _ => Err(use_.unexpected()),
    }
}

fn nth(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let [all, Value::Int(place)] = arguments else { return Err(use_.unexpected()) };
    let element = match whole(use_, all)? {
        Whole::Text(codes) => sequence::nth(codes, place).map(|&code| Value::Character(code)),
        Whole::Sequence(elements) => sequence::nth(elements, place).cloned(),
    };
    element.ok_or_else(|| use_.unspecified("out of range"))
}

fn extract(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let [all, Value::Int(start), Value::Int(count)] = arguments else { return Err(use_.unexpected()) };
    match whole(use_, all)? {
        Whole::Text(codes) => text(use_, sequence::substr(codes, start, count).to_vec()),
        Whole::Sequence(elements) => Ok(Value::sequence(sequence::substr(elements, start, count).to_vec())),
    }
}

/// A question about two of a kind.
fn holds(
    use_: &mut Use<'_>,
    arguments: &[Value],
    texts: fn(&[u32], &[u32]) -> bool,
    sequences: fn(&[Value], &[Value]) -> bool,
) -> Answer {
    let [a, b] = arguments else { return Err(use_.unexpected()) };
    match (whole(use_, a)?, whole(use_, b)?) {
        (Whole::Text(a), Whole::Text(b)) => Ok(Value::Bool(texts(a, b))),
        (Whole::Sequence(a), Whole::Sequence(b)) => Ok(Value::Bool(sequences(a, b))),
        _ => Err(use_.unexpected()),
    }
}

fn contains(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    holds(use_, arguments, sequence::contains, sequence::contains)
}

fn prefix_of(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    holds(use_, arguments, sequence::is_prefix, sequence::is_prefix)
}

fn suffix_of(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    holds(use_, arguments, sequence::is_suffix, sequence::is_suffix)
}

fn index_of(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let (all, part, from) = match arguments {
        [all, part] => (all, part, IBig::ZERO),
        [all, part, Value::Int(from)] => (all, part, from.clone()),
        _ => return Err(use_.unexpected()),
    };
    match (whole(use_, all)?, whole(use_, part)?) {
        (Whole::Text(all), Whole::Text(part)) => place(sequence::index_of(all, part, &from)),
        (Whole::Sequence(all), Whole::Sequence(part)) => place(sequence::index_of(all, part, &from)),
        _ => Err(use_.unexpected()),
    }
}

fn last_index_of(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let [all, part] = arguments else { return Err(use_.unexpected()) };
    match (whole(use_, all)?, whole(use_, part)?) {
        (Whole::Text(all), Whole::Text(part)) => place(sequence::last_index_of(all, part)),
        (Whole::Sequence(all), Whole::Sequence(part)) => place(sequence::last_index_of(all, part)),
        _ => Err(use_.unexpected()),
    }
}

fn replace(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let [all, part, by] = arguments else { return Err(use_.unexpected()) };
    match (whole(use_, all)?, whole(use_, part)?, whole(use_, by)?) {
        (Whole::Text(all), Whole::Text(part), Whole::Text(by)) => {
            text(use_, sequence::replace(all, part, by))
        }
        (Whole::Sequence(all), Whole::Sequence(part), Whole::Sequence(by)) => {
            Ok(Value::sequence(sequence::replace(all, part, by)))
        }
        _ => Err(use_.unexpected()),
    }
}

fn replace_all(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let [all, part, by] = arguments else { return Err(use_.unexpected()) };
    let limit = use_.longest();
    match (whole(use_, all)?, whole(use_, part)?, whole(use_, by)?) {
        (Whole::Text(all), Whole::Text(part), Whole::Text(by)) => {
            let codes = sequence::replace_all(all, part, by, limit).ok_or_else(|| use_.too_large())?;
            text(use_, codes)
        }
        (Whole::Sequence(all), Whole::Sequence(part), Whole::Sequence(by)) => {
            let all = sequence::replace_all(all, part, by, limit / 6).ok_or_else(|| use_.too_large())?;
            Ok(Value::sequence(all))
        }
        _ => Err(use_.unexpected()),
    }
}

fn update(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let [all, Value::Int(start), by] = arguments else { return Err(use_.unexpected()) };
    match (whole(use_, all)?, whole(use_, by)?) {
        (Whole::Text(all), Whole::Text(by)) => text(use_, sequence::update(all, start, by)),
        (Whole::Sequence(all), Whole::Sequence(by)) => Ok(Value::sequence(sequence::update(all, start, by))),
        _ => Err(use_.unexpected()),
    }
}

fn reverse(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let [all] = arguments else { return Err(use_.unexpected()) };
    match whole(use_, all)? {
        Whole::Text(codes) => text(use_, sequence::reverse(codes)),
        Whole::Sequence(elements) => Ok(Value::sequence(sequence::reverse(elements))),
    }
}

fn power(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let [all, Value::Int(count)] = arguments else { return Err(use_.unexpected()) };
    let limit = use_.longest();
    match whole(use_, all)? {
        Whole::Text(codes) => {
            let codes = sequence::power(codes, count, limit).ok_or_else(|| use_.too_large())?;
            text(use_, codes)
        }
        Whole::Sequence(elements) => {
            let all = sequence::power(elements, count, limit / 6).ok_or_else(|| use_.too_large())?;
            Ok(Value::sequence(all))
        }
    }
}
