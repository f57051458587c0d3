//! Prime fields of cvc5 and z3, of an order that fits 32 bits.

use super::{EvalResult, Operator, OperatorCall};
use crate::value::Value;

/// The operators of finite fields.
pub(super) const FIELD_OPERATORS: &[(&str, Operator)] = &[
    ("ff.add", |call, arguments| combine(call, arguments, |a, b| a + b)),
    ("ff.mul", |call, arguments| combine(call, arguments, |a, b| a * b)),
    ("ff.neg", |call, arguments| match arguments {
        [Value::Field(order, number)] => Ok(element(*order, u64::from(order - number))),
        _ => Err(call.unexpected()),
    }),
    // x1 + 2 x2 + 4 x3 + …
    ("ff.bitsum", |call, arguments| {
        let mut sum = None;
        for argument in arguments.iter().rev() {
            sum = Some(match (sum, argument) {
                (None, Value::Field(..)) => argument.clone(),
                (Some(Value::Field(known, rest)), Value::Field(order, number)) if known == *order => {
                    element(*order, u64::from(rest) * 2 + u64::from(*number))
                }
                _ => return Err(call.unexpected()),
            });
        }
        sum.ok_or_else(|| call.unexpected())
    }),
];

fn combine(call: &OperatorCall<'_>, arguments: &[Value], operation: fn(u64, u64) -> u64) -> EvalResult {
    match arguments {
        [one @ Value::Field(..)] => Ok(one.clone()),
        [Value::Field(order, a), Value::Field(other, b)] if order == other => {
            Ok(element(*order, operation(u64::from(*a), u64::from(*b))))
        }
        _ => Err(call.unexpected()),
    }
}

/// The element of a field that a number stands for.
pub(super) fn element(order: u32, number: u64) -> Value {
    Value::Field(order, (number % u64::from(order)) as u32)
}

/// The value of `#f3m7`.
pub(super) fn literal(text: &str) -> Option<Value> {
    let (number, order) = text.strip_prefix("#f")?.split_once('m')?;
    let order: u32 = order.parse().ok().filter(|&order| order > 0)?;
    reduced(number, order)
}

/// The element that `ff3` or `ff-3` names.
pub(super) fn named(text: &str, order: u32) -> Option<Value> {
    (order > 0).then(|| reduced(text.strip_prefix("ff")?, order))?
}

fn reduced(number: &str, order: u32) -> Option<Value> {
    let number: i128 = number.parse().ok()?;
    Some(Value::Field(order, number.rem_euclid(i128::from(order)) as u32))
}
