//! Sequences over any sort, and strings, which are sequences of characters, by the functions of
//! [`crate::sequence`]. Reading past the end is unspecified; out-of-range positions select nothing.

use dashu_int::IBig;

use super::{EvalResult, Operator, OperatorCall, Undecided};
use crate::sequence;
use crate::text::Text;
use crate::value::Value;

/// The operators of sequences, by the names of z3 and cvc5, and the operators of strings that compute the same.
pub(super) const SEQUENCE_OPERATORS: &[(&str, Operator)] = &[
    ("seq.empty", |_, _| Ok(Value::sequence(Vec::new()))),
    ("seq.unit", |call, arguments| match arguments {
        [Value::Character(code)] => text(call, vec![*code]),
        [element] => Ok(Value::sequence(vec![element.clone()])),
        _ => Err(call.unexpected()),
    }),
    ("str.++", concat),
    ("str.len", length),
    ("str.at", at),
    ("seq.nth", nth),
    ("str.substr", extract),
    ("str.contains", contains),
    ("str.indexof", index_of),
    ("seq.last_indexof", last_index_of),
    ("str.replace", replace),
    ("str.replace_all", replace_all),
    ("str.prefixof", prefix_of),
    ("str.suffixof", suffix_of),
    ("seq.update", update),
    ("seq.rev", reverse),
    ("seq.power", power),
];

/// A string or another sequence.
enum SequenceView<'a> {
    Text(&'a [u32]),
    Sequence(&'a [Value]),
}

fn whole<'a>(call: &OperatorCall<'_>, value: &'a Value) -> Result<SequenceView<'a>, Undecided> {
    match value {
        Value::Text(text) => Ok(SequenceView::Text(text)),
        Value::Sequence(sequence) if !value.is_opaque() => Ok(SequenceView::Sequence(&sequence.elements)),
        _ => Err(call.unexpected()),
    }
}

/// A string of these code points.
pub(super) fn text(call: &OperatorCall<'_>, codes: Vec<u32>) -> EvalResult {
    Text::new(codes).map(Value::Text).ok_or_else(|| call.unexpected())
}

/// The position of a match; -1 if there is none.
fn place(found: Option<usize>) -> EvalResult {
    Ok(found.map_or_else(|| Value::int(-1), Value::int))
}

fn concat(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    let limit = call.longest();
    match arguments {
        [one] => Ok(one.clone()),
        [a, b] => match (whole(call, a)?, whole(call, b)?) {
            (SequenceView::Text(a), SequenceView::Text(b)) => {
                let codes = sequence::concat(&[a, b], limit).ok_or_else(|| call.too_large())?;
                text(call, codes)
            }
            (SequenceView::Sequence(a), SequenceView::Sequence(b)) => {
                let all = sequence::concat(&[a, b], limit / 6).ok_or_else(|| call.too_large())?;
                Ok(Value::sequence(all))
            }
            _ => Err(call.unexpected()),
        },
        _ => Err(call.unexpected()),
    }
}

fn length(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    let [one] = arguments else { return Err(call.unexpected()) };
    Ok(Value::int(match whole(call, one)? {
        SequenceView::Text(codes) => codes.len(),
        SequenceView::Sequence(elements) => elements.len(),
    }))
}

fn at(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    match arguments {
        [all, place] => extract(call, &[all.clone(), place.clone(), Value::int(1)]),
        _ => Err(call.unexpected()),
    }
}

fn nth(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    let [all, Value::Int(place)] = arguments else { return Err(call.unexpected()) };
    let element = match whole(call, all)? {
        SequenceView::Text(codes) => sequence::nth(codes, place).map(|&code| Value::Character(code)),
        SequenceView::Sequence(elements) => sequence::nth(elements, place).cloned(),
    };
    element.ok_or_else(|| call.unspecified("out of range"))
}

fn extract(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    let [all, Value::Int(start), Value::Int(count)] = arguments else { return Err(call.unexpected()) };
    match whole(call, all)? {
        SequenceView::Text(codes) => text(call, sequence::substr(codes, start, count).to_vec()),
        SequenceView::Sequence(elements) => {
            Ok(Value::sequence(sequence::substr(elements, start, count).to_vec()))
        }
    }
}

/// A predicate on two sequences of one kind.
fn holds(
    call: &mut OperatorCall<'_>,
    arguments: &[Value],
    texts: fn(&[u32], &[u32]) -> bool,
    sequences: fn(&[Value], &[Value]) -> bool,
) -> EvalResult {
    let [a, b] = arguments else { return Err(call.unexpected()) };
    match (whole(call, a)?, whole(call, b)?) {
        (SequenceView::Text(a), SequenceView::Text(b)) => Ok(Value::Bool(texts(a, b))),
        (SequenceView::Sequence(a), SequenceView::Sequence(b)) => Ok(Value::Bool(sequences(a, b))),
        _ => Err(call.unexpected()),
    }
}

fn contains(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    holds(call, arguments, sequence::contains, sequence::contains)
}

fn prefix_of(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    holds(call, arguments, sequence::is_prefix, sequence::is_prefix)
}

fn suffix_of(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    holds(call, arguments, sequence::is_suffix, sequence::is_suffix)
}

fn index_of(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    let (all, part, from) = match arguments {
        [all, part] => (all, part, IBig::ZERO),
        [all, part, Value::Int(from)] => (all, part, from.clone()),
        _ => return Err(call.unexpected()),
    };
    match (whole(call, all)?, whole(call, part)?) {
        (SequenceView::Text(all), SequenceView::Text(part)) => place(sequence::index_of(all, part, &from)),
        (SequenceView::Sequence(all), SequenceView::Sequence(part)) => {
            place(sequence::index_of(all, part, &from))
        }
        _ => Err(call.unexpected()),
    }
}

fn last_index_of(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    let [all, part] = arguments else { return Err(call.unexpected()) };
    match (whole(call, all)?, whole(call, part)?) {
        (SequenceView::Text(all), SequenceView::Text(part)) => place(sequence::last_index_of(all, part)),
        (SequenceView::Sequence(all), SequenceView::Sequence(part)) => {
            place(sequence::last_index_of(all, part))
        }
        _ => Err(call.unexpected()),
    }
}

fn replace(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    let [all, part, by] = arguments else { return Err(call.unexpected()) };
    match (whole(call, all)?, whole(call, part)?, whole(call, by)?) {
        (SequenceView::Text(all), SequenceView::Text(part), SequenceView::Text(by)) => {
            text(call, sequence::replace(all, part, by))
        }
        (SequenceView::Sequence(all), SequenceView::Sequence(part), SequenceView::Sequence(by)) => {
            Ok(Value::sequence(sequence::replace(all, part, by)))
        }
        _ => Err(call.unexpected()),
    }
}

fn replace_all(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    let [all, part, by] = arguments else { return Err(call.unexpected()) };
    let limit = call.longest();
    match (whole(call, all)?, whole(call, part)?, whole(call, by)?) {
        (SequenceView::Text(all), SequenceView::Text(part), SequenceView::Text(by)) => {
            let codes = sequence::replace_all(all, part, by, limit).ok_or_else(|| call.too_large())?;
            text(call, codes)
        }
        (SequenceView::Sequence(all), SequenceView::Sequence(part), SequenceView::Sequence(by)) => {
            let all = sequence::replace_all(all, part, by, limit / 6).ok_or_else(|| call.too_large())?;
            Ok(Value::sequence(all))
        }
        _ => Err(call.unexpected()),
    }
}

fn update(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    let [all, Value::Int(start), by] = arguments else { return Err(call.unexpected()) };
    match (whole(call, all)?, whole(call, by)?) {
        (SequenceView::Text(all), SequenceView::Text(by)) => text(call, sequence::update(all, start, by)),
        (SequenceView::Sequence(all), SequenceView::Sequence(by)) => {
            Ok(Value::sequence(sequence::update(all, start, by)))
        }
        _ => Err(call.unexpected()),
    }
}

fn reverse(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    let [all] = arguments else { return Err(call.unexpected()) };
    match whole(call, all)? {
        SequenceView::Text(codes) => text(call, sequence::reverse(codes)),
        SequenceView::Sequence(elements) => Ok(Value::sequence(sequence::reverse(elements))),
    }
}

fn power(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    let [all, Value::Int(count)] = arguments else { return Err(call.unexpected()) };
    let limit = call.longest();
    match whole(call, all)? {
        SequenceView::Text(codes) => {
            let codes = sequence::power(codes, count, limit).ok_or_else(|| call.too_large())?;
            text(call, codes)
        }
        SequenceView::Sequence(elements) => {
            let all = sequence::power(elements, count, limit / 6).ok_or_else(|| call.too_large())?;
            Ok(Value::sequence(all))
        }
    }
}
