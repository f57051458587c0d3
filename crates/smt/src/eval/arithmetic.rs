//! Integers and reals. `div` and `mod` are Euclidean; division by zero is unspecified.

use std::cmp::Ordering;

use dashu_int::ops::DivRemEuclid as _;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use super::{Answer, Operator, Use};
use crate::sort::Sort;
use crate::value::Value;
use crate::value::algebraic;

/// The operators of Ints, Reals and Reals_Ints, and what solvers add to them.
pub(super) const OPERATORS: &[(&str, Operator)] = &[
    ("+", |use_, arguments| two(use_, arguments, |a, b| Some(a + b), |a, b| Some(a + b), algebraic::sum)),
    ("-", minus),
    ("~", minus),
    ("*", |use_, arguments| match too_long(use_, arguments) {
        true => Err(use_.too_large()),
        false => two(use_, arguments, |a, b| Some(a * b), |a, b| Some(a * b), algebraic::product),
    }),
    ("/", divide),
    ("/_total", |use_, arguments| total(divide(use_, arguments), &Value::Real(RBig::ZERO))),
    ("div", |use_, arguments| integers(use_, arguments, |a, b| Some(a.clone().div_rem_euclid(b).0))),
    ("mod", |use_, arguments| integers(use_, arguments, |a, b| Some(a.clone().div_rem_euclid(b).1.into()))),
    ("rem", |use_, arguments| {
        integers(use_, arguments, |a, b| {
            let rest: IBig = a.clone().div_rem_euclid(b).1.into();
            Some(if *b < IBig::ZERO { -rest } else { rest })
        })
    }),
    ("div_total", |use_, arguments| {
        total(integers(use_, arguments, |a, b| Some(a.clone().div_rem_euclid(b).0)), &Value::int(0))
    }),
    ("mod_total", |use_, arguments| match arguments {
        [a, Value::Int(b)] if b.is_zero() => Ok(a.clone()),
        _ => integers(use_, arguments, |a, b| Some(a.clone().div_rem_euclid(b).1.into())),
    }),
    ("abs", |use_, arguments| match arguments {
        [Value::Int(number)] => Ok(Value::Int(super::core::abs(number))),
        [number] => match sign(number) {
            Some(Ordering::Less) => minus(use_, arguments),
            Some(_) => Ok(number.clone()),
            None => Err(use_.unexpected()),
        },
        _ => Err(use_.unexpected()),
    }),
    ("<", |use_, arguments| compare(use_, arguments, Ordering::is_lt)),
    ("<=", |use_, arguments| compare(use_, arguments, Ordering::is_le)),
    (">", |use_, arguments| compare(use_, arguments, Ordering::is_gt)),
    (">=", |use_, arguments| compare(use_, arguments, Ordering::is_ge)),
    ("divisible", |use_, arguments| match arguments {
        [Value::Int(number)] => {
            let divisor = IBig::from(use_.index(0));
            Ok(Value::Bool((number % divisor).is_zero()))
        }
        _ => Err(use_.unexpected()),
    }),
    ("to_real", |use_, arguments| match arguments {
        [Value::Int(number)] => Ok(Value::Real(RBig::from(number.clone()))),
        [number @ (Value::Real(_) | Value::Algebraic(_))] => Ok(number.clone()),
        _ => Err(use_.unexpected()),
    }),
    ("to_int", |use_, arguments| match arguments {
        [Value::Real(number)] => Ok(Value::Int(number.floor())),
        [Value::Int(number)] => Ok(Value::Int(number.clone())),
        [Value::Algebraic(number)] => {
            algebraic::floor(number).map(Value::Int).ok_or_else(|| use_.too_large())
        }
        _ => Err(use_.unexpected()),
    }),
    ("is_int", |use_, arguments| match arguments {
        [Value::Real(number)] => Ok(Value::Bool(number.is_int())),
        [Value::Int(_)] => Ok(Value::Bool(true)),
        [Value::Algebraic(_)] => match super::arithmetic::floor(arguments) {
            Some(floor) => match arguments[0].equal(&Value::Int(floor)) {
                Some(same) => Ok(Value::Bool(same)),
                None => Err(use_.unexpected()),
            },
            None => Err(use_.too_large()),
        },
        _ => Err(use_.unexpected()),
    }),
    ("^", power),
    ("**", power),
    ("int.pow2", |use_, arguments| match arguments {
        [Value::Int(number)] if *number < IBig::ZERO => Ok(Value::int(0)),
        [Value::Int(number)] => raise(use_, &RBig::from(2u8), number),
        _ => Err(use_.unexpected()),
    }),
    ("int.log2", |use_, arguments| match arguments {
        [Value::Int(number)] if *number <= IBig::ZERO => Ok(Value::int(0)),
        [Value::Int(number)] => {
            use dashu_int::ops::BitTest as _;
            Ok(Value::int(number.bit_len() - 1))
        }
        _ => Err(use_.unexpected()),
    }),
    ("iand", |use_, arguments| match arguments {
        [Value::Int(a), Value::Int(b)] => Ok(and_modulo(a, b, use_.index(0))),
        _ => Err(use_.unexpected()),
    }),
    ("piand", |use_, arguments| match arguments {
        [Value::Int(k), Value::Int(..), Value::Int(..)] if *k <= IBig::ZERO => Ok(Value::int(0)),
        [Value::Int(k), Value::Int(a), Value::Int(b)] => match u32::try_from(k) {
            Ok(bits) if u64::from(bits) < use_.bytes => Ok(and_modulo(a, b, bits)),
            _ => Err(use_.too_large()),
        },
        _ => Err(use_.unexpected()),
    }),
];

/// The largest integer not above an algebraic number.
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

/// Which of two numbers is larger.
pub(super) fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        _ => algebraic::compare(a, b),
    }
}

fn sign(number: &Value) -> Option<Ordering> {
    order(number, &Value::int(0))
}

fn compare(use_: &mut Use<'_>, arguments: &[Value], holds: fn(Ordering) -> bool) -> Answer {
    match arguments {
        [_] => Ok(Value::Bool(true)),
        [a, b] => match order(a, b) {
            Some(order) => Ok(Value::Bool(holds(order))),
            None => Err(use_.unexpected()),
        },
        _ => Err(use_.unexpected()),
    }
}

/// An operation on two numbers of one kind; an integer beside a real is a real, one argument is itself.
fn two(
    use_: &mut Use<'_>,
    arguments: &[Value],
    integers: fn(&IBig, &IBig) -> Option<IBig>,
    reals: fn(&RBig, &RBig) -> Option<RBig>,
    algebraics: fn(&Value, &Value) -> Option<Value>,
) -> Answer {
    let value = match arguments {
        [one] => Some(one.clone()),
        [Value::Int(a), Value::Int(b)] => integers(a, b).map(Value::Int),
        [Value::Real(a), Value::Real(b)] => reals(a, b).map(Value::Real),
        [Value::Int(a), Value::Real(b)] => reals(&RBig::from(a.clone()), b).map(Value::Real),
        [Value::Real(a), Value::Int(b)] => reals(a, &RBig::from(b.clone())).map(Value::Real),
        [a, b] => algebraics(a, b),
        _ => None,
    };
    value.ok_or_else(|| use_.unexpected())
}

fn minus(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let value = match arguments {
        [Value::Int(number)] => Some(Value::Int(-number)),
        [Value::Real(number)] => Some(Value::Real(-number)),
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
        _ => return two(use_, arguments, |a, b| Some(a - b), |a, b| Some(a - b), |_, _| None),
    };
    value.ok_or_else(|| use_.unexpected())
}

fn integers(use_: &mut Use<'_>, arguments: &[Value], operation: fn(&IBig, &IBig) -> Option<IBig>) -> Answer {
    match arguments {
        [one] => Ok(one.clone()),
        [Value::Int(_), Value::Int(b)] if b.is_zero() => Err(use_.unspecified("by zero")),
        [Value::Int(a), Value::Int(b)] => operation(a, b).map(Value::Int).ok_or_else(|| use_.unexpected()),
        _ => Err(use_.unexpected()),
    }
}

fn divide(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let real = |value: &Value| match value {
        Value::Int(number) => Value::Real(RBig::from(number.clone())),
        value => value.clone(),
    };
    match arguments {
        [one] => Ok(real(one)),
        [_, b] if sign(b) == Some(Ordering::Equal) => Err(use_.unspecified("by zero")),
        [a, b] => match (real(a), real(b)) {
            (Value::Real(a), Value::Real(b)) => Ok(Value::Real(a / b)),
            (a, b) => algebraic::quotient(&a, &b).ok_or_else(|| use_.unexpected()),
        },
        _ => Err(use_.unexpected()),
    }
}

/// What cvc5's total versions of partial operations give where those are unspecified.
fn total(answer: Answer, otherwise: &Value) -> Answer {
    match answer {
        Err(super::Undecided::Unspecified(_)) => Ok(otherwise.clone()),
        answer => answer,
    }
}

/// Whether the product of the numbers would be too long.
fn too_long(use_: &Use<'_>, arguments: &[Value]) -> bool {
    let bytes = arguments.iter().fold(0u64, |sum, value| sum.saturating_add(value.weight().bytes));
    bytes > use_.bytes / 64
}

/// `(^ base exponent)` for whole exponents; zero to the zero and beyond is unspecified.
fn power(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let [base, exponent] = arguments else { return Err(use_.unexpected()) };
    let whole = match exponent {
        Value::Int(number) => number.clone(),
        Value::Real(number) if number.is_int() => number.floor(),
        _ => return Err(use_.unspecified("with an exponent that is no integer")),
    };
    match base {
        _ if sign(base) == Some(Ordering::Equal) && whole <= IBig::ZERO => Err(use_.unspecified("of zero")),
        // z3 has an inverse for reals, cvc5 any number.
        _ if whole < IBig::ZERO => Err(use_.unspecified("with a negative exponent")),
        Value::Int(number) => raise(use_, &RBig::from(number.clone()), &whole),
        Value::Real(number) => raise(use_, number, &whole),
        Value::Algebraic(_) => {
            let count =
                u32::try_from(&whole).ok().filter(|&count| count <= 64).ok_or_else(|| use_.too_large())?;
            let one = Value::Real(RBig::ONE);
            (0..count)
                .try_fold(one, |product, _| algebraic::product(&product, base))
                .ok_or_else(|| use_.unexpected())
        }
        _ => Err(use_.unexpected()),
    }
}

/// A rational to the power of an integer that is not negative.
fn raise(use_: &mut Use<'_>, base: &RBig, exponent: &IBig) -> Answer {
    let (_, magnitude) = exponent.clone().into_parts();
    // Of zero and the units any power can be had, of other numbers only what fits.
    let is_small = base.is_int() && super::core::abs(base.numerator()) <= IBig::ONE;
    let magnitude =
        if is_small && magnitude > UBig::from(2u8) { UBig::from(2u8) + magnitude % 2u8 } else { magnitude };
    let size = Value::Real(base.clone()).weight().bytes;
    let fits = |&count: &usize| size.saturating_mul(count as u64) < use_.bytes / 64;
    let count = usize::try_from(&magnitude).ok().filter(fits).ok_or_else(|| use_.too_large())?;
    let result = RBig::from_parts(base.numerator().pow(count), base.denominator().pow(count));
    Ok(if use_.sort == Sort::INT && result.is_int() {
        Value::Int(result.floor())
    } else {
        Value::Real(result)
    })
}
