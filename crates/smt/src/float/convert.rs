//! Conversions from integers, rationals and other formats, and to rationals.

use dashu_int::ops::UnsignedAbs;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use super::arithmetic::quotient;
use super::{Dyadic, Float, FloatKind, Format, RoundingMode, Sign};

/// The result of `fp.to_real`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RealConversion {
    /// The number.
    Number(RBig),
    /// Open: NaN and the infinities have no real value.
    Open,
    /// A number with too many digits.
    TooLong,
}

/// The maximal number of digits before or after the point.
const MAX_REAL_DIGITS: u32 = 1 << 20;

impl Float {
    /// `(_ to_fp eb sb)` of the integer that a bit-vector represents, signed or unsigned.
    pub fn from_integer(format: Format, mode: RoundingMode, integer: &IBig) -> Float {
        if integer.is_zero() {
            return Float::zero(format, Sign::Positive);
        }
        let significand = integer.unsigned_abs();
        Float::round(format, mode, &Dyadic { sign: Sign::of(integer), significand, exponent: IBig::ZERO })
    }

    /// `(_ to_fp eb sb)` of a real.
    pub fn from_rational(format: Format, mode: RoundingMode, rational: &RBig) -> Float {
        Float::from_scaled(format, mode, rational, &IBig::ZERO)
    }

    /// `(_ to_fp eb sb)` of a real and an exponent of two, an extension of z3.
    pub fn from_scaled(format: Format, mode: RoundingMode, rational: &RBig, exponent: &IBig) -> Float {
        if rational.is_zero() {
            return Float::zero(format, Sign::Positive);
        }
        let (sign, numerator) = (Sign::of(rational.numerator()), rational.numerator().unsigned_abs());
        let number = quotient(sign, &numerator, rational.denominator(), exponent.clone(), format.digits());
        Float::round(format, mode, &number)
    }

    /// `(_ to_fp eb sb)` of a number of another format.
    pub fn to_format(&self, format: Format, mode: RoundingMode) -> Float {
        match &self.kind {
            FloatKind::Finite(number) => Float::round(format, mode, number),
            other => Float { format, kind: other.clone() },
        }
    }

    /// `fp.to_real`
    pub fn to_real(&self) -> RealConversion {
        match &self.kind {
            FloatKind::NaN | FloatKind::Infinite(_) => RealConversion::Open,
            FloatKind::Zero(_) => RealConversion::Number(RBig::ZERO),
            FloatKind::Finite(number) => {
                number.to_rational().map_or(RealConversion::TooLong, RealConversion::Number)
            }
        }
    }
}

impl Dyadic {
    fn to_rational(&self) -> Option<RBig> {
        let shift =
            u32::try_from((&self.exponent).unsigned_abs()).ok().filter(|shift| *shift <= MAX_REAL_DIGITS)?;
        let power = UBig::ONE << shift as usize;
        let (numerator, denominator) = if self.exponent < IBig::ZERO {
            (self.significand.clone(), power)
        } else {
            (&self.significand * power, UBig::ONE)
        };
        Some(RBig::from_parts(self.sign.apply(numerator), denominator))
    }
}
