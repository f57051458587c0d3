//! Floating point: the names of the theory, and the functions of [`crate::float`] that they mean.
//!
//! `fp.min` and `fp.max` of two zeros, conversions out of range and the bits of NaN are unspecified.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use super::domain::format_of;
use super::{Answer, Operator, Use};
use crate::float::{Fields, Float, Format, Real, RoundingMode, Sign};
use crate::value::{BitVec, Value};

/// The operators of FloatingPoint, and what solvers add to them.
pub(super) const OPERATORS: &[(&str, Operator)] = &[
    // rounding modes
    ("roundNearestTiesToEven", mode),
    ("roundNearestTiesToAway", mode),
    ("roundTowardPositive", mode),
    ("roundTowardNegative", mode),
    ("roundTowardZero", mode),
    ("RNE", mode),
    ("RNA", mode),
    ("RTP", mode),
    ("RTN", mode),
    ("RTZ", mode),
    // literals
    ("fp", |use_, arguments| match arguments {
        [Value::BitVec(sign), Value::BitVec(exponent), Value::BitVec(significand)] => {
            let format = Format::new(exponent.width().into(), u64::from(significand.width()) + 1);
            let format = format.ok_or_else(|| use_.too_large())?;
            Ok(Value::Float(Float::from_fields(format, &fields(sign, exponent, significand))))
        }
        _ => Err(use_.unexpected()),
    }),
    ("+oo", |use_, _| special(use_, |format| Float::infinity(format, Sign::Positive))),
    ("-oo", |use_, _| special(use_, |format| Float::infinity(format, Sign::Negative))),
    ("+zero", |use_, _| special(use_, |format| Float::zero(format, Sign::Positive))),
    ("-zero", |use_, _| special(use_, |format| Float::zero(format, Sign::Negative))),
    ("NaN", |use_, _| special(use_, Float::nan)),
    // arithmetic
    ("fp.abs", |use_, arguments| one(use_, arguments, Float::abs)),
    ("fp.neg", |use_, arguments| one(use_, arguments, Float::neg)),
    ("fp.add", |use_, arguments| rounded(use_, arguments, Float::add)),
    ("fp.sub", |use_, arguments| rounded(use_, arguments, Float::sub)),
    ("fp.mul", |use_, arguments| rounded(use_, arguments, Float::mul)),
    ("fp.div", |use_, arguments| rounded(use_, arguments, Float::div)),
    ("fp.fma", |use_, arguments| match arguments {
        [Value::RoundingMode(mode), Value::Float(x), Value::Float(y), Value::Float(z)] => {
            Ok(Value::Float(x.fma(*mode, y, z)))
        }
        _ => Err(use_.unexpected()),
    }),
    ("fp.sqrt", |use_, arguments| match arguments {
        [Value::RoundingMode(mode), Value::Float(x)] => Ok(Value::Float(x.sqrt(*mode))),
        _ => Err(use_.unexpected()),
    }),
    ("fp.rem", |use_, arguments| match arguments {
        [Value::Float(x), Value::Float(y)] => Ok(Value::Float(x.rem(y))),
        _ => Err(use_.unexpected()),
    }),
    ("fp.roundToIntegral", |use_, arguments| match arguments {
        [Value::RoundingMode(mode), Value::Float(x)] => {
            x.round_to_integral(*mode).map(Value::Float).ok_or_else(|| use_.too_large())
        }
        _ => Err(use_.unexpected()),
    }),
    ("fp.min", |use_, arguments| least(use_, arguments, Float::min)),
    ("fp.max", |use_, arguments| least(use_, arguments, Float::max)),
    ("fp.min_i", |use_, arguments| least(use_, arguments, Float::min)),
    ("fp.max_i", |use_, arguments| least(use_, arguments, Float::max)),
    // comparison
    ("fp.leq", |use_, arguments| holds(use_, arguments, Float::leq)),
    ("fp.lt", |use_, arguments| holds(use_, arguments, Float::lt)),
    ("fp.geq", |use_, arguments| holds(use_, arguments, Float::geq)),
    ("fp.gt", |use_, arguments| holds(use_, arguments, Float::gt)),
    ("fp.eq", |use_, arguments| holds(use_, arguments, Float::equals)),
    // classes
    ("fp.isNormal", |use_, arguments| is(use_, arguments, Float::is_normal)),
    ("fp.isSubnormal", |use_, arguments| is(use_, arguments, Float::is_subnormal)),
    ("fp.isZero", |use_, arguments| is(use_, arguments, Float::is_zero)),
    ("fp.isInfinite", |use_, arguments| is(use_, arguments, Float::is_infinite)),
    ("fp.isNaN", |use_, arguments| is(use_, arguments, Float::is_nan)),
    ("fp.isNegative", |use_, arguments| is(use_, arguments, Float::is_negative)),
    ("fp.isPositive", |use_, arguments| is(use_, arguments, Float::is_positive)),
    // into floating point
    ("to_fp", to_fp),
    ("to_fp_bv", to_fp),
    ("to_fp_fp", to_fp),
    ("to_fp_real", to_fp),
    ("to_fp_signed", to_fp),
    ("to_fp_unsigned", |use_, arguments| match (arguments, own_format(use_)) {
        ([Value::RoundingMode(mode), Value::BitVec(bits)], Some(format)) => {
            Ok(Value::Float(Float::from_integer(format, *mode, &IBig::from(bits.unsigned().clone()))))
        }
        _ => Err(use_.unexpected()),
    }),
    // out of floating point
    ("fp.to_ubv", |use_, arguments| {
        to_bits(use_, arguments, |x, mode, width| x.to_ubv(mode, width).map(IBig::from))
    }),
    ("fp.to_sbv", |use_, arguments| to_bits(use_, arguments, Float::to_sbv)),
    ("fp.to_ubv_I", |use_, arguments| {
        to_bits(use_, arguments, |x, mode, width| x.to_ubv(mode, width).map(IBig::from))
    }),
    ("fp.to_sbv_I", |use_, arguments| to_bits(use_, arguments, Float::to_sbv)),
    ("fp.to_real", to_real),
    ("fp.to_real_I", to_real),
    ("fp.to_ieee_bv", to_ieee),
    ("fp.to_ieee_bv_I", to_ieee),
    ("to_ieee_bv", to_ieee),
];

fn mode(use_: &mut Use<'_>, _: &[Value]) -> Answer {
    RoundingMode::from_name(use_.arena.text(use_.name))
        .map(Value::RoundingMode)
        .ok_or_else(|| use_.unexpected())
}

fn fields(sign: &BitVec, exponent: &BitVec, significand: &BitVec) -> Fields {
    let sign = if sign.unsigned().is_one() { Sign::Negative } else { Sign::Positive };
    Fields { sign, exponent: exponent.unsigned().clone(), significand: significand.unsigned().clone() }
}

/// The format of the application's sort.
fn own_format(use_: &Use<'_>) -> Option<Format> {
    format_of(use_.arena.view_sort(use_.sort))
}

fn special(use_: &mut Use<'_>, make: impl Fn(Format) -> Float) -> Answer {
    own_format(use_).map(|format| Value::Float(make(format))).ok_or_else(|| use_.too_large())
}

fn one(use_: &mut Use<'_>, arguments: &[Value], operation: fn(&Float) -> Float) -> Answer {
    match arguments {
        [Value::Float(x)] => Ok(Value::Float(operation(x))),
        _ => Err(use_.unexpected()),
    }
}

fn rounded(
    use_: &mut Use<'_>,
    arguments: &[Value],
    operation: fn(&Float, RoundingMode, &Float) -> Float,
) -> Answer {
    match arguments {
        [Value::RoundingMode(mode), Value::Float(x), Value::Float(y)] => {
            Ok(Value::Float(operation(x, *mode, y)))
        }
        _ => Err(use_.unexpected()),
    }
}

fn least(use_: &mut Use<'_>, arguments: &[Value], operation: fn(&Float, &Float) -> Option<Float>) -> Answer {
    match arguments {
        [Value::Float(x), Value::Float(y)] => {
            operation(x, y).map(Value::Float).ok_or_else(|| use_.unspecified("of zeros of different signs"))
        }
        _ => Err(use_.unexpected()),
    }
}

fn holds(use_: &mut Use<'_>, arguments: &[Value], operation: fn(&Float, &Float) -> bool) -> Answer {
    match arguments {
        [Value::Float(x), Value::Float(y)] => Ok(Value::Bool(operation(x, y))),
        _ => Err(use_.unexpected()),
    }
}

fn is(use_: &mut Use<'_>, arguments: &[Value], operation: fn(&Float) -> bool) -> Answer {
    match arguments {
        [Value::Float(x)] => Ok(Value::Bool(operation(x))),
        _ => Err(use_.unexpected()),
    }
}

/// `to_fp` in all its ranks, told apart by the values.
fn to_fp(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let format = own_format(use_).ok_or_else(|| use_.too_large())?;
    let scaled = |mode: &RoundingMode, number: &RBig, exponent: &IBig| {
        Float::from_scaled(format, *mode, number, exponent)
    };
    let float = match arguments {
        [Value::BitVec(bits)] => Float::from_bits(format, bits.unsigned()),
        [Value::BitVec(sign), Value::BitVec(exponent), Value::BitVec(significand)] => {
            Float::from_fields(format, &fields(sign, exponent, significand))
        }
        [Value::RoundingMode(mode), Value::Float(x)] => x.to_format(format, *mode),
        [Value::RoundingMode(mode), Value::Real(number)] => Float::from_rational(format, *mode, number),
        [Value::RoundingMode(mode), Value::Int(number)] => Float::from_integer(format, *mode, number),
        [Value::RoundingMode(mode), Value::BitVec(bits)] => {
            Float::from_integer(format, *mode, &bits.signed())
        }
        [Value::RoundingMode(mode), Value::Real(number), Value::Int(exponent)]
        | [Value::RoundingMode(mode), Value::Int(exponent), Value::Real(number)] => {
            scaled(mode, number, exponent)
        }
        _ => return Err(use_.unexpected()),
    };
    Ok(Value::Float(float))
}

fn to_bits(
    use_: &mut Use<'_>,
    arguments: &[Value],
    operation: fn(&Float, RoundingMode, u32) -> Option<IBig>,
) -> Answer {
    let width = use_.index(0);
    match arguments {
        [Value::RoundingMode(mode), Value::Float(x)] if u64::from(width) / 8 < use_.bytes => {
            match operation(x, *mode, width) {
                Some(number) => Ok(Value::BitVec(BitVec::from_int(width, &number))),
                None => Err(use_.unspecified("out of range")),
            }
        }
        _ => Err(use_.unexpected()),
    }
}

fn to_real(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    match arguments {
        [Value::Float(x)] => match x.to_real() {
            Real::Number(number) => Ok(Value::Real(number)),
            Real::Open => Err(use_.unspecified("of what is no real number")),
            Real::TooLong => Err(use_.too_large()),
        },
        _ => Err(use_.unexpected()),
    }
}

fn to_ieee(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    match arguments {
        [Value::Float(x)] => {
            let bits: Option<UBig> = x.to_bits();
            let bits = bits.ok_or_else(|| use_.unspecified("of NaN"))?;
            Ok(Value::BitVec(BitVec::new(x.format().width(), bits)))
        }
        _ => Err(use_.unexpected()),
    }
}
