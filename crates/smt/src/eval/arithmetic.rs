//! Integers and reals. `div` and `mod` are Euclidean; division by zero is unspecified.

use std::cmp::Ordering;

use dashu_int::ops::DivRemEuclid as _;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use super::{EvalResult, Operator, OperatorCall};
use crate::sort::Sort;
use crate::value::{Enclosure, Value, algebraic, enclosure};

/// The operators of Ints, Reals and Reals_Ints, and the solvers' extensions.
pub(super) const ARITHMETIC_OPERATORS: &[(&str, Operator)] = &[
    ("+", |call, arguments| two(call, arguments, |a, b| Some(a + b), |a, b| Some(a + b), algebraic::sum)),
    ("-", minus),
    ("*", |call, arguments| match too_long(call, arguments) {
        true => Err(call.too_large()),
        false => two(call, arguments, |a, b| Some(a * b), |a, b| Some(a * b), algebraic::product),
    }),
    ("/", divide),
    ("/_total", |call, arguments| total(divide(call, arguments), &Value::Real(RBig::ZERO))),
    ("div", |call, arguments| integers(call, arguments, |a, b| Some(a.clone().div_rem_euclid(b).0))),
    ("mod", |call, arguments| integers(call, arguments, |a, b| Some(a.clone().div_rem_euclid(b).1.into()))),
    ("rem", |call, arguments| {
        integers(call, arguments, |a, b| {
            let rest: IBig = a.clone().div_rem_euclid(b).1.into();
            Some(if *b < IBig::ZERO { -rest } else { rest })
        })
    }),
    ("div_total", |call, arguments| {
        total(integers(call, arguments, |a, b| Some(a.clone().div_rem_euclid(b).0)), &Value::int(0))
    }),
    ("mod_total", |call, arguments| match arguments {
        [a, Value::Int(b)] if b.is_zero() => Ok(a.clone()),
        _ => integers(call, arguments, |a, b| Some(a.clone().div_rem_euclid(b).1.into())),
    }),
    ("abs", |call, arguments| match arguments {
        [Value::Int(number)] => Ok(Value::Int(super::core::abs(number))),
        [number] => match sign(number) {
            Some(Ordering::Less) => minus(call, arguments),
            Some(_) => Ok(number.clone()),
            None => Err(call.unexpected()),
        },
        _ => Err(call.unexpected()),
    }),
    ("<", |call, arguments| compare(call, arguments, Ordering::is_lt)),
    ("<=", |call, arguments| compare(call, arguments, Ordering::is_le)),
    (">", |call, arguments| compare(call, arguments, Ordering::is_gt)),
    (">=", |call, arguments| compare(call, arguments, Ordering::is_ge)),
    ("divisible", |call, arguments| match arguments {
        [Value::Int(number)] => {
            let divisor = IBig::from(call.index(0));
            Ok(Value::Bool((number % divisor).is_zero()))
        }
        _ => Err(call.unexpected()),
    }),
    ("to_real", |call, arguments| match arguments {
        [Value::Int(number)] => Ok(Value::Real(RBig::from(number.clone()))),
        [number @ (Value::Real(_) | Value::Algebraic(_))] => Ok(number.clone()),
        _ => Err(call.unexpected()),
    }),
    ("to_int", |call, arguments| match arguments {
        [Value::Real(number)] => Ok(Value::Int(number.floor())),
        [Value::Int(number)] => Ok(Value::Int(number.clone())),
        [Value::Algebraic(number)] => {
            algebraic::floor(number).map(Value::Int).ok_or_else(|| call.too_large())
        }
        _ => Err(call.unexpected()),
    }),
    ("is_int", |call, arguments| match arguments {
        [Value::Real(number)] => Ok(Value::Bool(number.is_int())),
        [Value::Int(_)] => Ok(Value::Bool(true)),
        [Value::Algebraic(_)] => match super::arithmetic::floor(arguments) {
            Some(floor) => match arguments[0].equal(&Value::Int(floor)) {
                Some(same) => Ok(Value::Bool(same)),
                None => Err(call.unexpected()),
            },
            None => Err(call.too_large()),
        },
        _ => Err(call.unexpected()),
    }),
    ("^", power),
    ("int.pow2", |call, arguments| match arguments {
        [Value::Int(number)] if *number < IBig::ZERO => Ok(Value::int(0)),
        [Value::Int(number)] => raise(call, &RBig::from(2u8), number),
        _ => Err(call.unexpected()),
    }),
    ("int.log2", |call, arguments| match arguments {
        [Value::Int(number)] if *number <= IBig::ZERO => Ok(Value::int(0)),
        [Value::Int(number)] => {
            use dashu_int::ops::BitTest as _;
            Ok(Value::int(number.bit_len() - 1))
        }
        _ => Err(call.unexpected()),
    }),
    ("iand", |call, arguments| match arguments {
        [Value::Int(a), Value::Int(b)] => Ok(and_modulo(a, b, call.index(0))),
        _ => Err(call.unexpected()),
    }),
    ("piand", |call, arguments| match arguments {
        [Value::Int(k), Value::Int(..), Value::Int(..)] if *k <= IBig::ZERO => Ok(Value::int(0)),
        [Value::Int(k), Value::Int(a), Value::Int(b)] => match u32::try_from(k) {
            Ok(bits) if u64::from(bits) < call.bytes => Ok(and_modulo(a, b, bits)),
            _ => Err(call.too_large()),
        },
        _ => Err(call.unexpected()),
    }),
];

/// The floor of an algebraic number.
fn floor(arguments: &[Value]) -> Option<IBig> {
    match arguments {
        [Value::Algebraic(number)] => algebraic::floor(number),
        _ => None,
    }
}

fn and_modulo(a: &IBig, b: &IBig, bits: u32) -> Value {
    let (a, b) = (crate::value::BitVec::from_int(bits, a), crate::value::BitVec::from_int(bits, b));
    Value::int(a.unsigned() & b.unsigned())
}

fn is_enclosed(arguments: &[Value]) -> bool {
    arguments.iter().any(|argument| matches!(argument, Value::Enclosure(_)))
}

/// The result of `+`, `-`, `*` or `/` for two numbers, at least one of them an enclosure.
fn enclosed_result(call: &OperatorCall<'_>, a: &Value, b: &Value) -> Option<Value> {
    let (a, b) = (Enclosure::of(a)?, Enclosure::of(b)?);
    match call.arena.text(call.name) {
        "+" => a.plus(&b).into_value(),
        "-" => a.minus(&b).into_value(),
        "*" => a.times(&b).into_value(),
        "/" | "/_total" => a.over(&b)?.into_value(),
        _ => None,
    }
}

/// Compares two numbers.
pub(super) fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Enclosure(_), _) | (_, Value::Enclosure(_)) => enclosure::compare(a, b),
        _ => algebraic::compare(a, b),
    }
}

fn sign(number: &Value) -> Option<Ordering> {
    order(number, &Value::int(0))
}

fn compare(call: &mut OperatorCall<'_>, arguments: &[Value], holds: fn(Ordering) -> bool) -> EvalResult {
    match arguments {
        [_] => Ok(Value::Bool(true)),
        [a, b] => match order(a, b) {
            Some(order) => Ok(Value::Bool(holds(order))),
            None => Err(call.unexpected()),
        },
        _ => Err(call.unexpected()),
    }
}

/// An operation on two numbers of one kind; an integer beside a real becomes a real; a single argument is the result.
fn two(
    call: &mut OperatorCall<'_>,
    arguments: &[Value],
    integers: fn(&IBig, &IBig) -> Option<IBig>,
    reals: fn(&RBig, &RBig) -> Option<RBig>,
    algebraics: fn(&Value, &Value) -> Option<Value>,
) -> EvalResult {
    let value = match arguments {
        [one] => Some(one.clone()),
        [Value::Int(a), Value::Int(b)] => integers(a, b).map(Value::Int),
        [Value::Real(a), Value::Real(b)] => reals(a, b).map(Value::Real),
        [Value::Int(a), Value::Real(b)] => reals(&RBig::from(a.clone()), b).map(Value::Real),
        [Value::Real(a), Value::Int(b)] => reals(a, &RBig::from(b.clone())).map(Value::Real),
        [a, b] if is_enclosed(arguments) => enclosed_result(call, a, b),
        [a, b] => algebraics(a, b),
        _ => None,
    };
    value.ok_or_else(|| call.unexpected())
}

fn minus(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    let value = match arguments {
        [Value::Int(number)] => Some(Value::Int(-number)),
        [Value::Real(number)] => Some(Value::Real(-number)),
        [Value::Enclosure(number)] => number.negated().into_value(),
        [_, _] if is_enclosed(arguments) => enclosed_result(call, &arguments[0], &arguments[1]),
        [number] => algebraic::product(&Value::int(-1), number),
        [a @ (Value::Algebraic(_) | Value::Int(_) | Value::Real(_)), b @ Value::Algebraic(_)]
        | [a @ Value::Algebraic(_), b] => {
            let negative = match b {
                Value::Int(number) => Some(Value::Int(-number)),
                Value::Real(number) => Some(Value::Real(-number)),
                number => algebraic::product(&Value::int(-1), number),
            };
            negative.and_then(|b| algebraic::sum(a, &b))
        }
        _ => return two(call, arguments, |a, b| Some(a - b), |a, b| Some(a - b), |_, _| None),
    };
    value.ok_or_else(|| call.unexpected())
}

fn integers(
    call: &mut OperatorCall<'_>,
    arguments: &[Value],
    operation: fn(&IBig, &IBig) -> Option<IBig>,
) -> EvalResult {
    match arguments {
        [one] => Ok(one.clone()),
        [Value::Int(_), Value::Int(b)] if b.is_zero() => Err(call.unspecified("by zero")),
        [Value::Int(a), Value::Int(b)] => operation(a, b).map(Value::Int).ok_or_else(|| call.unexpected()),
        _ => Err(call.unexpected()),
    }
}

fn divide(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    let real = |value: &Value| match value {
        Value::Int(number) => Value::Real(RBig::from(number.clone())),
        value => value.clone(),
    };
    match arguments {
        [one] => Ok(real(one)),
        [_, b] if sign(b) == Some(Ordering::Equal) => Err(call.unspecified("by zero")),
        [a, b] => match (real(a), real(b)) {
            (Value::Real(a), Value::Real(b)) => Ok(Value::Real(a / b)),
            (a, b) if is_enclosed(arguments) => {
                enclosed_result(call, &a, &b).ok_or_else(|| call.unexpected())
            }
            (a, b) => algebraic::quotient(&a, &b).ok_or_else(|| call.unexpected()),
        },
        _ => Err(call.unexpected()),
    }
}

/// The result of cvc5's total version of a partial operation: `otherwise` where the operation is unspecified.
fn total(answer: EvalResult, otherwise: &Value) -> EvalResult {
    match answer {
        Err(super::Undecided::Unspecified(_)) => Ok(otherwise.clone()),
        answer => answer,
    }
}

/// Returns true if the product of the numbers would be too long.
fn too_long(call: &OperatorCall<'_>, arguments: &[Value]) -> bool {
    let bytes = arguments.iter().fold(0u64, |sum, value| sum.saturating_add(value.weight().bytes));
    bytes > call.bytes / 64
}

/// `(^ base exponent)` for integer exponents; zero to the power of zero, and negative exponents, are unspecified.
fn power(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    let [base, exponent] = arguments else { return Err(call.unexpected()) };
    let whole = match exponent {
        Value::Int(number) => number.clone(),
        Value::Real(number) if number.is_int() => number.floor(),
        _ => return Err(call.unspecified("with an exponent that is not an integer")),
    };
    match base {
        _ if sign(base) == Some(Ordering::Equal) && whole <= IBig::ZERO => Err(call.unspecified("of zero")),
        // z3 computes an inverse for reals; cvc5 returns any number.
        _ if whole < IBig::ZERO => Err(call.unspecified("with a negative exponent")),
        Value::Int(number) => raise(call, &RBig::from(number.clone()), &whole),
        Value::Real(number) => raise(call, number, &whole),
        Value::Algebraic(_) => {
            let count =
                u32::try_from(&whole).ok().filter(|&count| count <= 64).ok_or_else(|| call.too_large())?;
            let one = Value::Real(RBig::ONE);
            (0..count)
                .try_fold(one, |product, _| algebraic::product(&product, base))
                .ok_or_else(|| call.unexpected())
        }
        _ => Err(call.unexpected()),
    }
}

/// A rational to the power of a nonnegative integer.
fn raise(call: &mut OperatorCall<'_>, base: &RBig, exponent: &IBig) -> EvalResult {
    let (_, magnitude) = exponent.clone().into_parts();
    // Every power of zero and of the units is small; other powers must fit.
    let is_small = base.is_int() && super::core::abs(base.numerator()) <= IBig::ONE;
    let magnitude =
        if is_small && magnitude > UBig::from(2u8) { UBig::from(2u8) + magnitude % 2u8 } else { magnitude };
    let size = Value::Real(base.clone()).weight().bytes;
    let fits = |&count: &usize| size.saturating_mul(count as u64) < call.bytes / 64;
    let count = usize::try_from(&magnitude).ok().filter(fits).ok_or_else(|| call.too_large())?;
    let result = RBig::from_parts(base.numerator().pow(count), base.denominator().pow(count));
    Ok(if call.sort == Sort::INT && result.is_int() {
        Value::Int(result.floor())
    } else {
        Value::Real(result)
    })
}
