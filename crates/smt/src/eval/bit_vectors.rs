//! Bit-vectors of any width. Division by zero has a value here: all ones, and the dividend as the rest.

use dashu_int::ops::DivRem as _;
use dashu_int::{IBig, UBig};

use super::{Answer, Operator, Use};
use crate::value::{BitVec, Value};

/// The operators of FixedSizeBitVectors, and what solvers add to them.
pub(super) const OPERATORS: &[(&str, Operator)] = &[
    // building and cutting
    ("concat", |use_, arguments| match arguments {
        [one] => Ok(one.clone()),
        [Value::BitVec(a), Value::BitVec(b)] => {
            let bits = (a.unsigned() << b.width() as usize) | b.unsigned();
            Ok(Value::BitVec(BitVec::new(a.width() + b.width(), bits)))
        }
        _ => Err(use_.unexpected()),
    }),
    ("extract", |use_, arguments| {
        let (high, low) = (use_.index(0), use_.index(1));
        one(use_, arguments, |a| BitVec::new(high - low + 1, a.unsigned() >> low as usize))
    }),
    ("repeat", |use_, arguments| {
        let count = use_.index(0);
        match arguments {
            [Value::BitVec(a)] if u64::from(a.width()) * u64::from(count) / 8 < use_.bytes => {
                let (width, mut bits) = (a.width(), UBig::ZERO);
                for _ in 0..count {
                    bits = (bits << width as usize) | a.unsigned();
                }
                Ok(Value::BitVec(BitVec::new(width * count, bits)))
            }
            _ => Err(use_.too_large()),
        }
    }),
    ("zero_extend", |use_, arguments| {
        let more = use_.index(0);
        one(use_, arguments, |a| BitVec::new(a.width() + more, a.unsigned().clone()))
    }),
    ("sign_extend", |use_, arguments| {
        let more = use_.index(0);
        one(use_, arguments, |a| BitVec::from_int(a.width() + more, &a.signed()))
    }),
    ("rotate_left", |use_, arguments| {
        let by = use_.index(0);
        one(use_, arguments, |a| rotate(a, by % a.width()))
    }),
    ("rotate_right", |use_, arguments| {
        let by = use_.index(0);
        one(use_, arguments, |a| rotate(a, a.width() - by % a.width()))
    }),
    ("ext_rotate_left", |use_, arguments| two(use_, arguments, |a, b| rotate(a, amount(b, a.width())))),
    ("ext_rotate_right", |use_, arguments| {
        two(use_, arguments, |a, b| rotate(a, a.width() - amount(b, a.width())))
    }),
    // bit by bit
    ("bvnot", |use_, arguments| one(use_, arguments, not)),
    ("bvand", |use_, arguments| bits(use_, arguments, |a, b| a & b)),
    ("bvor", |use_, arguments| bits(use_, arguments, |a, b| a | b)),
    ("bvxor", |use_, arguments| bits(use_, arguments, |a, b| a ^ b)),
    ("bvxnor", |use_, arguments| inverted(bits(use_, arguments, |a, b| a ^ b), arguments)),
    ("bvnand", |use_, arguments| inverted(bits(use_, arguments, |a, b| a & b), arguments)),
    ("bvnor", |use_, arguments| inverted(bits(use_, arguments, |a, b| a | b), arguments)),
    ("bvcomp", |use_, arguments| two(use_, arguments, |a, b| bit(a == b))),
    ("bvredor", |use_, arguments| one(use_, arguments, |a| bit(*a.unsigned() != UBig::ZERO))),
    ("bvredand", |use_, arguments| one(use_, arguments, |a| bit(*not(a).unsigned() == UBig::ZERO))),
    ("bit0", |_, _| Ok(Value::BitVec(bit(false)))),
    ("bit1", |_, _| Ok(Value::BitVec(bit(true)))),
    ("bit2bool", |use_, arguments| match arguments {
        [Value::BitVec(a)] => {
            use dashu_int::ops::BitTest as _;
            Ok(Value::Bool(a.unsigned().bit(use_.index(0) as usize)))
        }
        _ => Err(use_.unexpected()),
    }),
    ("bvite", |use_, arguments| match arguments {
        [Value::BitVec(condition), then, otherwise] => {
            Ok(if *condition.unsigned() == UBig::ONE { then } else { otherwise }.clone())
        }
        _ => Err(use_.unexpected()),
    }),
    // shifts
    ("bvshl", |use_, arguments| {
        two(use_, arguments, |a, b| match places(b, a.width()) {
            Some(places) => BitVec::new(a.width(), a.unsigned() << places),
            None => BitVec::new(a.width(), UBig::ZERO),
        })
    }),
    ("bvlshr", |use_, arguments| {
        two(use_, arguments, |a, b| match places(b, a.width()) {
            Some(places) => BitVec::new(a.width(), a.unsigned() >> places),
            None => BitVec::new(a.width(), UBig::ZERO),
        })
    }),
    ("bvashr", |use_, arguments| {
        two(use_, arguments, |a, b| {
            let places = places(b, a.width()).unwrap_or(a.width() as usize);
            BitVec::from_int(a.width(), &(a.signed() >> places))
        })
    }),
    // arithmetic
    ("bvneg", |use_, arguments| one(use_, arguments, |a| BitVec::from_int(a.width(), &-a.signed()))),
    ("bvadd", |use_, arguments| bits(use_, arguments, |a, b| a + b)),
    ("bvsub", |use_, arguments| signed(use_, arguments, |a, b| a - b)),
    ("bvmul", |use_, arguments| bits(use_, arguments, |a, b| a * b)),
    ("bvudiv", |use_, arguments| two(use_, arguments, |a, b| divide(a, b).0)),
    ("bvurem", |use_, arguments| two(use_, arguments, |a, b| divide(a, b).1)),
    ("bvsdiv", |use_, arguments| two(use_, arguments, |a, b| divide_signed(a, b).0)),
    ("bvsrem", |use_, arguments| two(use_, arguments, |a, b| divide_signed(a, b).1)),
    ("bvsmod", |use_, arguments| two(use_, arguments, modulo)),
    ("bvudiv_i", |use_, arguments| nonzero(use_, arguments, |a, b| divide(a, b).0)),
    ("bvurem_i", |use_, arguments| nonzero(use_, arguments, |a, b| divide(a, b).1)),
    ("bvsdiv_i", |use_, arguments| nonzero(use_, arguments, |a, b| divide_signed(a, b).0)),
    ("bvsrem_i", |use_, arguments| nonzero(use_, arguments, |a, b| divide_signed(a, b).1)),
    ("bvsmod_i", |use_, arguments| nonzero(use_, arguments, modulo)),
    // comparison
    ("bvult", |use_, arguments| holds(use_, arguments, |a, b| a.unsigned() < b.unsigned())),
    ("bvule", |use_, arguments| holds(use_, arguments, |a, b| a.unsigned() <= b.unsigned())),
    ("bvugt", |use_, arguments| holds(use_, arguments, |a, b| a.unsigned() > b.unsigned())),
    ("bvuge", |use_, arguments| holds(use_, arguments, |a, b| a.unsigned() >= b.unsigned())),
    ("bvslt", |use_, arguments| holds(use_, arguments, |a, b| a.signed() < b.signed())),
    ("bvsle", |use_, arguments| holds(use_, arguments, |a, b| a.signed() <= b.signed())),
    ("bvsgt", |use_, arguments| holds(use_, arguments, |a, b| a.signed() > b.signed())),
    ("bvsge", |use_, arguments| holds(use_, arguments, |a, b| a.signed() >= b.signed())),
    ("bvultbv", |use_, arguments| two(use_, arguments, |a, b| bit(a.unsigned() < b.unsigned()))),
    ("bvsltbv", |use_, arguments| two(use_, arguments, |a, b| bit(a.signed() < b.signed()))),
    // overflow
    ("bvnego", |use_, arguments| match arguments {
        [Value::BitVec(a)] => Ok(Value::Bool(!fits_signed(&-a.signed(), a.width()))),
        _ => Err(use_.unexpected()),
    }),
    ("bvuaddo", |use_, arguments| {
        holds(use_, arguments, |a, b| !fits(&(a.unsigned() + b.unsigned()), a.width()))
    }),
    ("bvsaddo", |use_, arguments| {
        holds(use_, arguments, |a, b| !fits_signed(&(a.signed() + b.signed()), a.width()))
    }),
    ("bvumulo", |use_, arguments| {
        holds(use_, arguments, |a, b| !fits(&(a.unsigned() * b.unsigned()), a.width()))
    }),
    ("bvsmulo", |use_, arguments| {
        holds(use_, arguments, |a, b| !fits_signed(&(a.signed() * b.signed()), a.width()))
    }),
    ("bvusubo", |use_, arguments| holds(use_, arguments, |a, b| a.unsigned() < b.unsigned())),
    ("bvssubo", |use_, arguments| {
        holds(use_, arguments, |a, b| !fits_signed(&(a.signed() - b.signed()), a.width()))
    }),
    ("bvsdivo", |use_, arguments| {
        holds(use_, arguments, |a, b| !fits_signed(&-a.signed(), a.width()) && b.signed() == IBig::from(-1))
    }),
    ("bvumul_noovfl", |use_, arguments| {
        holds(use_, arguments, |a, b| fits(&(a.unsigned() * b.unsigned()), a.width()))
    }),
    ("bvsmul_noovfl", |use_, arguments| {
        holds(use_, arguments, |a, b| {
            let product = a.signed() * b.signed();
            fits_signed(&product, a.width()) || product < IBig::ZERO
        })
    }),
    ("bvsmul_noudfl", |use_, arguments| {
        holds(use_, arguments, |a, b| {
            let product = a.signed() * b.signed();
            fits_signed(&product, a.width()) || product > IBig::ZERO
        })
    }),
    // to and from the integers
    ("ubv_to_int", natural),
    ("bv2nat", natural),
    ("bv2int", natural),
    ("sbv_to_int", |use_, arguments| match arguments {
        [Value::BitVec(a)] => Ok(Value::Int(a.signed())),
        _ => Err(use_.unexpected()),
    }),
    ("int_to_bv", from_int),
    ("int2bv", from_int),
];

fn one(use_: &mut Use<'_>, arguments: &[Value], operation: impl Fn(&BitVec) -> BitVec) -> Answer {
    let fits = use_.width().is_none_or(|width| u64::from(width) / 8 < use_.bytes);
    match arguments {
        [Value::BitVec(a)] if fits => Ok(Value::BitVec(operation(a))),
        [Value::BitVec(_)] => Err(use_.too_large()),
        _ => Err(use_.unexpected()),
    }
}

fn two(use_: &mut Use<'_>, arguments: &[Value], operation: impl Fn(&BitVec, &BitVec) -> BitVec) -> Answer {
    match arguments {
        [one] => Ok(one.clone()),
        [Value::BitVec(a), Value::BitVec(b)] => Ok(Value::BitVec(operation(a, b))),
        _ => Err(use_.unexpected()),
    }
}

/// An operation on the bits as numbers, modulo the width.
fn bits(use_: &mut Use<'_>, arguments: &[Value], operation: fn(&UBig, &UBig) -> UBig) -> Answer {
    two(use_, arguments, |a, b| BitVec::new(a.width(), operation(a.unsigned(), b.unsigned())))
}

/// An operation on the bits as signed numbers, modulo the width.
fn signed(use_: &mut Use<'_>, arguments: &[Value], operation: fn(IBig, IBig) -> IBig) -> Answer {
    two(use_, arguments, |a, b| BitVec::from_int(a.width(), &operation(a.signed(), b.signed())))
}

/// The bits of an answer the other way round; one argument alone stays as it is.
fn inverted(answer: Answer, arguments: &[Value]) -> Answer {
    match answer? {
        Value::BitVec(bits) if arguments.len() > 1 => Ok(Value::BitVec(not(&bits))),
        value => Ok(value),
    }
}

fn nonzero(use_: &mut Use<'_>, arguments: &[Value], operation: fn(&BitVec, &BitVec) -> BitVec) -> Answer {
    match arguments {
        [_, Value::BitVec(b)] if *b.unsigned() == UBig::ZERO => Err(use_.unspecified("by zero")),
        _ => two(use_, arguments, operation),
    }
}

fn holds(use_: &mut Use<'_>, arguments: &[Value], operation: fn(&BitVec, &BitVec) -> bool) -> Answer {
    match arguments {
        [Value::BitVec(a), Value::BitVec(b)] => Ok(Value::Bool(operation(a, b))),
        _ => Err(use_.unexpected()),
    }
}

fn natural(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    match arguments {
        [Value::BitVec(a)] => Ok(Value::int(a.unsigned().clone())),
        _ => Err(use_.unexpected()),
    }
}

fn from_int(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    match arguments {
        [Value::Int(number)] if u64::from(use_.index(0)) / 8 < use_.bytes => {
            Ok(Value::BitVec(BitVec::from_int(use_.index(0), number)))
        }
        _ => Err(use_.too_large()),
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

/// How far to shift; nothing if that is past the end.
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

/// The standard's definition by the unsigned operations: the quotient is rounded towards zero, the rest has the
/// sign of the dividend, and zero divides into minus one or one.
fn divide_signed(a: &BitVec, b: &BitVec) -> (BitVec, BitVec) {
    if *b.unsigned() == UBig::ZERO {
        let quotient = if a.is_negative() { IBig::ONE } else { -IBig::ONE };
        return (BitVec::from_int(a.width(), &quotient), a.clone());
    }
    let (quotient, rest) = a.signed().div_rem(b.signed());
    (BitVec::from_int(a.width(), &quotient), BitVec::from_int(a.width(), &rest))
}

/// The rest with the sign of the divisor.
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
