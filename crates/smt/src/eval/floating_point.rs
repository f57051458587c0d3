//! Floating point: maps the names of the theory to the functions of [`crate::float`].
//!
//! `fp.min` and `fp.max` of zeros with different signs, conversions out of range and the bits of NaN are unspecified.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use super::finite_domains::format_of;
use super::{EvalResult, Operator, OperatorCall};
use crate::float::{Fields, Float, Format, RealConversion, RoundingMode, Sign};
use crate::value::{BitVec, Value};

/// The operators of FloatingPoint, and the solvers' extensions.
pub(super) const FLOATING_POINT_OPERATORS: &[(&str, Operator)] = &[
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
    ("fp", |call, arguments| match arguments {
        [Value::BitVec(sign), Value::BitVec(exponent), Value::BitVec(significand)] => {
            let format = Format::new(exponent.width().into(), u64::from(significand.width()) + 1);
            let format = format.ok_or_else(|| call.too_large())?;
            Ok(Value::Float(Float::from_fields(format, &fields(sign, exponent, significand))))
        }
        _ => Err(call.unexpected()),
    }),
    ("+oo", |call, _| special(call, |format| Float::infinity(format, Sign::Positive))),
    ("-oo", |call, _| special(call, |format| Float::infinity(format, Sign::Negative))),
    ("+zero", |call, _| special(call, |format| Float::zero(format, Sign::Positive))),
    ("-zero", |call, _| special(call, |format| Float::zero(format, Sign::Negative))),
    ("NaN", |call, _| special(call, Float::nan)),
    // arithmetic
    ("fp.abs", |call, arguments| one(call, arguments, Float::abs)),
    ("fp.neg", |call, arguments| one(call, arguments, Float::neg)),
    ("fp.add", |call, arguments| rounded(call, arguments, Float::add)),
    ("fp.sub", |call, arguments| rounded(call, arguments, Float::sub)),
    ("fp.mul", |call, arguments| rounded(call, arguments, Float::mul)),
    ("fp.div", |call, arguments| rounded(call, arguments, Float::div)),
    ("fp.fma", |call, arguments| match arguments {
        [Value::RoundingMode(mode), Value::Float(x), Value::Float(y), Value::Float(z)] => {
            Ok(Value::Float(x.fma(*mode, y, z)))
        }
        _ => Err(call.unexpected()),
    }),
    ("fp.sqrt", |call, arguments| match arguments {
        [Value::RoundingMode(mode), Value::Float(x)] => Ok(Value::Float(x.sqrt(*mode))),
        _ => Err(call.unexpected()),
    }),
    ("fp.rem", |call, arguments| match arguments {
        [Value::Float(x), Value::Float(y)] => Ok(Value::Float(x.rem(y))),
        _ => Err(call.unexpected()),
    }),
    ("fp.roundToIntegral", |call, arguments| match arguments {
        [Value::RoundingMode(mode), Value::Float(x)] => {
            x.round_to_integral(*mode).map(Value::Float).ok_or_else(|| call.too_large())
        }
        _ => Err(call.unexpected()),
    }),
    ("fp.min", |call, arguments| least(call, arguments, Float::min)),
    ("fp.max", |call, arguments| least(call, arguments, Float::max)),
    // comparison
    ("fp.leq", |call, arguments| holds(call, arguments, Float::leq)),
    ("fp.lt", |call, arguments| holds(call, arguments, Float::lt)),
    ("fp.geq", |call, arguments| holds(call, arguments, Float::geq)),
    ("fp.gt", |call, arguments| holds(call, arguments, Float::gt)),
    ("fp.eq", |call, arguments| holds(call, arguments, Float::equals)),
    // classification
    ("fp.isNormal", |call, arguments| is(call, arguments, Float::is_normal)),
    ("fp.isSubnormal", |call, arguments| is(call, arguments, Float::is_subnormal)),
    ("fp.isZero", |call, arguments| is(call, arguments, Float::is_zero)),
    ("fp.isInfinite", |call, arguments| is(call, arguments, Float::is_infinite)),
    ("fp.isNaN", |call, arguments| is(call, arguments, Float::is_nan)),
    ("fp.isNegative", |call, arguments| is(call, arguments, Float::is_negative)),
    ("fp.isPositive", |call, arguments| is(call, arguments, Float::is_positive)),
    // conversions to floating point
    ("to_fp", to_fp),
    ("to_fp_unsigned", |call, arguments| match (arguments, own_format(call)) {
        ([Value::RoundingMode(mode), Value::BitVec(bits)], Some(format)) => {
            Ok(Value::Float(Float::from_integer(format, *mode, &IBig::from(bits.unsigned().clone()))))
        }
        _ => Err(call.unexpected()),
    }),
    // conversions from floating point
    ("fp.to_ubv", |call, arguments| {
        to_bits(call, arguments, |x, mode, width| x.to_ubv(mode, width).map(IBig::from))
    }),
    ("fp.to_sbv", |call, arguments| to_bits(call, arguments, Float::to_sbv)),
    ("fp.to_real", to_real),
    ("fp.to_ieee_bv", to_ieee),
];

fn mode(call: &mut OperatorCall<'_>, _: &[Value]) -> EvalResult {
    RoundingMode::from_name(call.arena.text(call.name))
        .map(Value::RoundingMode)
        .ok_or_else(|| call.unexpected())
}

fn fields(sign: &BitVec, exponent: &BitVec, significand: &BitVec) -> Fields {
    let sign = if sign.unsigned().is_one() { Sign::Negative } else { Sign::Positive };
    Fields { sign, exponent: exponent.unsigned().clone(), significand: significand.unsigned().clone() }
}

/// The format of the application's sort.
fn own_format(call: &OperatorCall<'_>) -> Option<Format> {
    format_of(call.arena.view_sort(call.sort))
}

fn special(call: &mut OperatorCall<'_>, make: impl Fn(Format) -> Float) -> EvalResult {
    own_format(call).map(|format| Value::Float(make(format))).ok_or_else(|| call.too_large())
}

fn one(call: &mut OperatorCall<'_>, arguments: &[Value], operation: fn(&Float) -> Float) -> EvalResult {
    match arguments {
        [Value::Float(x)] => Ok(Value::Float(operation(x))),
        _ => Err(call.unexpected()),
    }
}

fn rounded(
    call: &mut OperatorCall<'_>,
    arguments: &[Value],
    operation: fn(&Float, RoundingMode, &Float) -> Float,
) -> EvalResult {
    match arguments {
        [Value::RoundingMode(mode), Value::Float(x), Value::Float(y)] => {
            Ok(Value::Float(operation(x, *mode, y)))
        }
        _ => Err(call.unexpected()),
    }
}

fn least(
    call: &mut OperatorCall<'_>,
    arguments: &[Value],
    operation: fn(&Float, &Float) -> Option<Float>,
) -> EvalResult {
    match arguments {
        [Value::Float(x), Value::Float(y)] => {
            operation(x, y).map(Value::Float).ok_or_else(|| call.unspecified("of zeros of different signs"))
        }
        _ => Err(call.unexpected()),
    }
}

fn holds(
    call: &mut OperatorCall<'_>,
    arguments: &[Value],
    operation: fn(&Float, &Float) -> bool,
) -> EvalResult {
    match arguments {
        [Value::Float(x), Value::Float(y)] => Ok(Value::Bool(operation(x, y))),
        _ => Err(call.unexpected()),
    }
}

fn is(call: &mut OperatorCall<'_>, arguments: &[Value], operation: fn(&Float) -> bool) -> EvalResult {
    match arguments {
        [Value::Float(x)] => Ok(Value::Bool(operation(x))),
        _ => Err(call.unexpected()),
    }
}

/// `to_fp` in all its ranks, distinguished by the values.
fn to_fp(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    let format = own_format(call).ok_or_else(|| call.too_large())?;
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
        _ => return Err(call.unexpected()),
    };
    Ok(Value::Float(float))
}

fn to_bits(
    call: &mut OperatorCall<'_>,
    arguments: &[Value],
    operation: fn(&Float, RoundingMode, u32) -> Option<IBig>,
) -> EvalResult {
    let width = call.index(0);
    match arguments {
        [Value::RoundingMode(mode), Value::Float(x)] if u64::from(width) / 8 < call.bytes => {
            match operation(x, *mode, width) {
                Some(number) => Ok(Value::BitVec(BitVec::from_int(width, &number))),
                None => Err(call.unspecified("out of range")),
            }
        }
        _ => Err(call.unexpected()),
    }
}

fn to_real(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    match arguments {
        [Value::Float(x)] => match x.to_real() {
            RealConversion::Number(number) => Ok(Value::Real(number)),
            RealConversion::Open => Err(call.unspecified("of an infinity or a NaN")),
            RealConversion::TooLong => Err(call.too_large()),
        },
        _ => Err(call.unexpected()),
    }
}

fn to_ieee(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    match arguments {
        [Value::Float(x)] => {
            let bits: Option<UBig> = x.to_bits();
            let bits = bits.ok_or_else(|| call.unspecified("of NaN"))?;
            Ok(Value::BitVec(BitVec::new(x.format().width(), bits)))
        }
        _ => Err(call.unexpected()),
    }
}
