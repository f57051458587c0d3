//! Bit-vectors of any width. Division by zero is specified: the quotient is all ones, the remainder is the dividend.

use dashu_int::ops::DivRem as _;
use dashu_int::{IBig, UBig};

use super::{EvalResult, Operator, OperatorCall};
use crate::value::{BitVec, Value};

/// The operators of FixedSizeBitVectors, and the solvers' extensions.
pub(super) const BIT_VECTOR_OPERATORS: &[(&str, Operator)] = &[
    // concatenation, extraction, extension, rotation
    ("concat", |call, arguments| match arguments {
        [one] => Ok(one.clone()),
        [Value::BitVec(a), Value::BitVec(b)] => {
            let bits = (a.unsigned() << b.width() as usize) | b.unsigned();
            Ok(Value::BitVec(BitVec::new(a.width() + b.width(), bits)))
        }
        _ => Err(call.unexpected()),
    }),
    ("extract", |call, arguments| {
        let (high, low) = (call.index(0), call.index(1));
        one(call, arguments, |a| BitVec::new(high - low + 1, a.unsigned() >> low as usize))
    }),
    ("repeat", |call, arguments| {
        let count = call.index(0);
        match arguments {
            [Value::BitVec(a)] if u64::from(a.width()) * u64::from(count) / 8 < call.bytes => {
                let (width, mut bits) = (a.width(), UBig::ZERO);
                for _ in 0..count {
                    bits = (bits << width as usize) | a.unsigned();
                }
                Ok(Value::BitVec(BitVec::new(width * count, bits)))
            }
            _ => Err(call.too_large()),
        }
    }),
    ("zero_extend", |call, arguments| {
        let more = call.index(0);
        one(call, arguments, |a| BitVec::new(a.width() + more, a.unsigned().clone()))
    }),
    ("sign_extend", |call, arguments| {
        let more = call.index(0);
        one(call, arguments, |a| BitVec::from_int(a.width() + more, &a.signed()))
    }),
    ("rotate_left", |call, arguments| {
        let by = call.index(0);
        one(call, arguments, |a| rotate(a, by % a.width()))
    }),
    ("rotate_right", |call, arguments| {
        let by = call.index(0);
        one(call, arguments, |a| rotate(a, a.width() - by % a.width()))
    }),
    ("ext_rotate_left", |call, arguments| two(call, arguments, |a, b| rotate(a, amount(b, a.width())))),
    ("ext_rotate_right", |call, arguments| {
        two(call, arguments, |a, b| rotate(a, a.width() - amount(b, a.width())))
    }),
    // bitwise operations
    ("bvnot", |call, arguments| one(call, arguments, not)),
    ("bvand", |call, arguments| bits(call, arguments, |a, b| a & b)),
    ("bvor", |call, arguments| bits(call, arguments, |a, b| a | b)),
    ("bvxor", |call, arguments| bits(call, arguments, |a, b| a ^ b)),
    ("bvxnor", |call, arguments| inverted(bits(call, arguments, |a, b| a ^ b), arguments)),
    ("bvnand", |call, arguments| inverted(bits(call, arguments, |a, b| a & b), arguments)),
    ("bvnor", |call, arguments| inverted(bits(call, arguments, |a, b| a | b), arguments)),
    ("bvcomp", |call, arguments| two(call, arguments, |a, b| bit(a == b))),
    ("bvredor", |call, arguments| one(call, arguments, |a| bit(*a.unsigned() != UBig::ZERO))),
    ("bvredand", |call, arguments| one(call, arguments, |a| bit(*not(a).unsigned() == UBig::ZERO))),
    ("bit0", |_, _| Ok(Value::BitVec(bit(false)))),
    ("bit1", |_, _| Ok(Value::BitVec(bit(true)))),
    ("bit2bool", |call, arguments| match arguments {
        [Value::BitVec(a)] => {
            use dashu_int::ops::BitTest as _;
            Ok(Value::Bool(a.unsigned().bit(call.index(0) as usize)))
        }
        _ => Err(call.unexpected()),
    }),
    ("bvite", |call, arguments| match arguments {
        [Value::BitVec(condition), then, otherwise] => {
            Ok(if *condition.unsigned() == UBig::ONE { then } else { otherwise }.clone())
        }
        _ => Err(call.unexpected()),
    }),
    // shifts
    ("bvshl", |call, arguments| {
        two(call, arguments, |a, b| match places(b, a.width()) {
            Some(places) => BitVec::new(a.width(), a.unsigned() << places),
            None => BitVec::new(a.width(), UBig::ZERO),
        })
    }),
    ("bvlshr", |call, arguments| {
        two(call, arguments, |a, b| match places(b, a.width()) {
            Some(places) => BitVec::new(a.width(), a.unsigned() >> places),
            None => BitVec::new(a.width(), UBig::ZERO),
        })
    }),
    ("bvashr", |call, arguments| {
        two(call, arguments, |a, b| {
            let places = places(b, a.width()).unwrap_or(a.width() as usize);
            BitVec::from_int(a.width(), &(a.signed() >> places))
        })
    }),
    // arithmetic
    ("bvneg", |call, arguments| one(call, arguments, |a| BitVec::from_int(a.width(), &-a.signed()))),
    ("bvadd", |call, arguments| bits(call, arguments, |a, b| a + b)),
    ("bvsub", |call, arguments| signed(call, arguments, |a, b| a - b)),
    ("bvmul", |call, arguments| bits(call, arguments, |a, b| a * b)),
    ("bvudiv", |call, arguments| two(call, arguments, |a, b| divide(a, b).0)),
    ("bvurem", |call, arguments| two(call, arguments, |a, b| divide(a, b).1)),
    ("bvsdiv", |call, arguments| two(call, arguments, |a, b| divide_signed(a, b).0)),
    ("bvsrem", |call, arguments| two(call, arguments, |a, b| divide_signed(a, b).1)),
    ("bvsmod", |call, arguments| two(call, arguments, modulo)),
    ("bvudiv_i", |call, arguments| nonzero(call, arguments, |a, b| divide(a, b).0)),
    ("bvurem_i", |call, arguments| nonzero(call, arguments, |a, b| divide(a, b).1)),
    ("bvsdiv_i", |call, arguments| nonzero(call, arguments, |a, b| divide_signed(a, b).0)),
    ("bvsrem_i", |call, arguments| nonzero(call, arguments, |a, b| divide_signed(a, b).1)),
    ("bvsmod_i", |call, arguments| nonzero(call, arguments, modulo)),
    // comparison
    ("bvult", |call, arguments| holds(call, arguments, |a, b| a.unsigned() < b.unsigned())),
    ("bvule", |call, arguments| holds(call, arguments, |a, b| a.unsigned() <= b.unsigned())),
    ("bvugt", |call, arguments| holds(call, arguments, |a, b| a.unsigned() > b.unsigned())),
    ("bvuge", |call, arguments| holds(call, arguments, |a, b| a.unsigned() >= b.unsigned())),
    ("bvslt", |call, arguments| holds(call, arguments, |a, b| a.signed() < b.signed())),
    ("bvsle", |call, arguments| holds(call, arguments, |a, b| a.signed() <= b.signed())),
    ("bvsgt", |call, arguments| holds(call, arguments, |a, b| a.signed() > b.signed())),
    ("bvsge", |call, arguments| holds(call, arguments, |a, b| a.signed() >= b.signed())),
    ("bvultbv", |call, arguments| two(call, arguments, |a, b| bit(a.unsigned() < b.unsigned()))),
    ("bvsltbv", |call, arguments| two(call, arguments, |a, b| bit(a.signed() < b.signed()))),
    // overflow
    ("bvnego", |call, arguments| match arguments {
        [Value::BitVec(a)] => Ok(Value::Bool(!fits_signed(&-a.signed(), a.width()))),
        _ => Err(call.unexpected()),
    }),
    ("bvuaddo", |call, arguments| {
        holds(call, arguments, |a, b| !fits(&(a.unsigned() + b.unsigned()), a.width()))
    }),
    ("bvsaddo", |call, arguments| {
        holds(call, arguments, |a, b| !fits_signed(&(a.signed() + b.signed()), a.width()))
    }),
    ("bvumulo", |call, arguments| {
        holds(call, arguments, |a, b| !fits(&(a.unsigned() * b.unsigned()), a.width()))
    }),
    ("bvsmulo", |call, arguments| {
        holds(call, arguments, |a, b| !fits_signed(&(a.signed() * b.signed()), a.width()))
    }),
    ("bvusubo", |call, arguments| holds(call, arguments, |a, b| a.unsigned() < b.unsigned())),
    ("bvssubo", |call, arguments| {
        holds(call, arguments, |a, b| !fits_signed(&(a.signed() - b.signed()), a.width()))
    }),
    ("bvsdivo", |call, arguments| {
        holds(call, arguments, |a, b| !fits_signed(&-a.signed(), a.width()) && b.signed() == IBig::from(-1))
    }),
    ("bvumul_noovfl", |call, arguments| {
        holds(call, arguments, |a, b| fits(&(a.unsigned() * b.unsigned()), a.width()))
    }),
    ("bvsmul_noovfl", |call, arguments| {
        holds(call, arguments, |a, b| {
            let product = a.signed() * b.signed();
            fits_signed(&product, a.width()) || product < IBig::ZERO
        })
    }),
    ("bvsmul_noudfl", |call, arguments| {
        holds(call, arguments, |a, b| {
            let product = a.signed() * b.signed();
            fits_signed(&product, a.width()) || product > IBig::ZERO
        })
    }),
    // conversions to and from integers
    ("ubv_to_int", natural),
    ("sbv_to_int", |call, arguments| match arguments {
        [Value::BitVec(a)] => Ok(Value::Int(a.signed())),
        _ => Err(call.unexpected()),
    }),
    ("int_to_bv", from_int),
];

fn one(
    call: &mut OperatorCall<'_>,
    arguments: &[Value],
    operation: impl Fn(&BitVec) -> BitVec,
) -> EvalResult {
    let fits = call.width().is_none_or(|width| u64::from(width) / 8 < call.bytes);
    match arguments {
        [Value::BitVec(a)] if fits => Ok(Value::BitVec(operation(a))),
        [Value::BitVec(_)] => Err(call.too_large()),
        _ => Err(call.unexpected()),
    }
}

fn two(
    call: &mut OperatorCall<'_>,
    arguments: &[Value],
    operation: impl Fn(&BitVec, &BitVec) -> BitVec,
) -> EvalResult {
    match arguments {
        [one] => Ok(one.clone()),
        [Value::BitVec(a), Value::BitVec(b)] => Ok(Value::BitVec(operation(a, b))),
        _ => Err(call.unexpected()),
    }
}

/// An operation on the unsigned values, modulo the width.
fn bits(call: &mut OperatorCall<'_>, arguments: &[Value], operation: fn(&UBig, &UBig) -> UBig) -> EvalResult {
    two(call, arguments, |a, b| BitVec::new(a.width(), operation(a.unsigned(), b.unsigned())))
}

/// An operation on the signed values, modulo the width.
fn signed(call: &mut OperatorCall<'_>, arguments: &[Value], operation: fn(IBig, IBig) -> IBig) -> EvalResult {
    two(call, arguments, |a, b| BitVec::from_int(a.width(), &operation(a.signed(), b.signed())))
}

/// The bitwise negation of a result; a single argument is returned unchanged.
fn inverted(answer: EvalResult, arguments: &[Value]) -> EvalResult {
    match answer? {
        Value::BitVec(bits) if arguments.len() > 1 => Ok(Value::BitVec(not(&bits))),
        value => Ok(value),
    }
}

fn nonzero(
    call: &mut OperatorCall<'_>,
    arguments: &[Value],
    operation: fn(&BitVec, &BitVec) -> BitVec,
) -> EvalResult {
    match arguments {
        [_, Value::BitVec(b)] if *b.unsigned() == UBig::ZERO => Err(call.unspecified("by zero")),
        _ => two(call, arguments, operation),
    }
}

fn holds(
    call: &mut OperatorCall<'_>,
    arguments: &[Value],
    operation: fn(&BitVec, &BitVec) -> bool,
) -> EvalResult {
    match arguments {
        [Value::BitVec(a), Value::BitVec(b)] => Ok(Value::Bool(operation(a, b))),
        _ => Err(call.unexpected()),
    }
}

fn natural(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    match arguments {
        [Value::BitVec(a)] => Ok(Value::int(a.unsigned().clone())),
        _ => Err(call.unexpected()),
    }
}

fn from_int(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    match arguments {
        [Value::Int(number)] if u64::from(call.index(0)) / 8 < call.bytes => {
            Ok(Value::BitVec(BitVec::from_int(call.index(0), number)))
        }
        _ => Err(call.too_large()),
    }
}

fn bit(value: bool) -> BitVec {
    BitVec::new(1, UBig::from(u8::from(value)))
}

fn not(a: &BitVec) -> BitVec {
    BitVec::new(a.width(), UBig::ones(a.width() as usize) ^ a.unsigned())
}

fn rotate(a: &BitVec, left: u32) -> BitVec {
    let (width, left) = (a.width() as usize, left as usize);
    BitVec::new(a.width(), (a.unsigned() << left) | (a.unsigned() >> (width - left)))
}

fn amount(b: &BitVec, width: u32) -> u32 {
    u32::try_from(b.unsigned() % UBig::from(width)).unwrap_or_default()
}

/// The shift amount; `None` if it is at least the width.
fn places(b: &BitVec, width: u32) -> Option<usize> {
    usize::try_from(b.unsigned()).ok().filter(|&places| places < width as usize)
}

fn divide(a: &BitVec, b: &BitVec) -> (BitVec, BitVec) {
    if *b.unsigned() == UBig::ZERO {
        return (BitVec::new(a.width(), UBig::ones(a.width() as usize)), a.clone());
    }
    let (quotient, rest) = a.unsigned().div_rem(b.unsigned());
    (BitVec::new(a.width(), quotient), BitVec::new(a.width(), rest))
}

/// The standard's definition by unsigned operations: the quotient is rounded towards zero, the remainder has the
/// sign of the dividend, and the quotient by zero is minus one or one.
fn divide_signed(a: &BitVec, b: &BitVec) -> (BitVec, BitVec) {
    if *b.unsigned() == UBig::ZERO {
        let quotient = if a.is_negative() { IBig::ONE } else { -IBig::ONE };
        return (BitVec::from_int(a.width(), &quotient), a.clone());
    }
    let (quotient, rest) = a.signed().div_rem(b.signed());
    (BitVec::from_int(a.width(), &quotient), BitVec::from_int(a.width(), &rest))
}

/// The remainder with the sign of the divisor.
fn modulo(a: &BitVec, b: &BitVec) -> BitVec {
    if *b.unsigned() == UBig::ZERO {
        return a.clone();
    }
    let (divisor, rest) = (b.signed(), a.signed() % b.signed());
    let differs = !rest.is_zero() && (rest < IBig::ZERO) != (divisor < IBig::ZERO);
    BitVec::from_int(a.width(), &if differs { rest + divisor } else { rest })
}

fn fits(number: &UBig, width: u32) -> bool {
    use dashu_int::ops::BitTest as _;
    number.bit_len() <= width as usize
}

fn fits_signed(number: &IBig, width: u32) -> bool {
    BitVec::from_int(width, number).signed() == *number
}
