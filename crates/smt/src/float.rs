//! Exact IEEE 754 binary floating point of any format, as SMT-LIB's theory FloatingPoint defines it.
//!
//! A finite number is ±m·2^e with integers m and e of any size; every operation computes its result exactly, or
//! precisely enough for rounding, and rounds once (`float/rounding.rs`). Exponents are never expanded
//! into digits, so that a format with 60 exponent bits costs no more than one with 8. There is one NaN. Results that
//! the theory leaves open are `None`.
//!
//! ```
//! use gainsay_smt::float::{Float, Format, RoundingMode};
//!
//! let format = Format::new(8, 24).unwrap();
//! let float = |x: f32| Float::from_bits(format, &x.to_bits().into());
//! assert_eq!(float(1.0).div(RoundingMode::RNE, &float(3.0)), float(1.0 / 3.0));
//! ```

mod arithmetic;
mod bits;
mod compare;
mod convert;
mod integral;
#[cfg(test)]
mod native_tests;
mod remainder;
mod rounding;
#[cfg(test)]
mod small_format_tests;

use dashu_int::ops::BitTest;
use dashu_int::{IBig, UBig};

pub use bits::Fields;
pub use convert::RealConversion;
pub use rounding::RoundingMode;

/// The widths of the exponent and the significand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Format {
    exponent_bits: u32,
    significand_bits: u32,
}

impl Format {
    /// More exponent bits than any solver accepts (z3's limit is 63).
    pub const MAX_EXPONENT_BITS: u32 = 256;
    /// Enough significand bits for every script, few enough that no operation takes long.
    pub const MAX_SIGNIFICAND_BITS: u32 = 1 << 16;

    /// The format of `(_ FloatingPoint eb sb)`, if it is valid and within bounds; `sb` counts the hidden bit.
    pub fn new(eb: u64, sb: u64) -> Option<Format> {
        let exponent_bits = u32::try_from(eb).ok().filter(|eb| (2..=Self::MAX_EXPONENT_BITS).contains(eb))?;
        let significand_bits =
            u32::try_from(sb).ok().filter(|sb| (2..=Self::MAX_SIGNIFICAND_BITS).contains(sb))?;
        Some(Format { exponent_bits, significand_bits })
    }

    /// The bits of the exponent.
    pub fn exponent_bits(self) -> u32 {
        self.exponent_bits
    }

    /// The bits of the significand, with the hidden bit.
    pub fn significand_bits(self) -> u32 {
        self.significand_bits
    }

    /// The bits of the whole encoding.
    pub fn width(self) -> u32 {
        self.exponent_bits + self.significand_bits
    }

    /// The significand bits as a shift.
    fn digits(self) -> usize {
        self.significand_bits as usize
    }

    /// The bias of the stored exponent, which is also the greatest exponent of a number 1.f·2^e.
    fn bias(self) -> IBig {
        (IBig::ONE << (self.exponent_bits as usize - 1)) - IBig::ONE
    }

    /// The exponent of the last digit of a subnormal number, the least of the format.
    fn least_exponent(self) -> IBig {
        IBig::from(2) - self.bias() - IBig::from(self.significand_bits)
    }

    /// The exponent of the last digit of the greatest numbers.
    fn greatest_exponent(self) -> IBig {
        self.bias() + IBig::ONE - IBig::from(self.significand_bits)
    }
}

/// A value of a sort `(_ FloatingPoint eb sb)`. Equality is SMT-LIB's `=`; the order is not the numeric one but one for
/// use in ordered tables.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Float {
    format: Format,
    kind: FloatKind,
}

/// The class and the data of a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum FloatKind {
    NaN,
    Infinite(Sign),
    Zero(Sign),
    /// Neither zero nor infinite. The significand has at most the digits of the format, and exactly as many
    /// unless the exponent is the finest, so that every number has one representation.
    Finite(Dyadic),
}

/// The sign of a number, zero and infinity included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sign {
    /// Positive.
    Positive,
    /// Negative.
    Negative,
}

impl Sign {
    /// The opposite sign.
    fn flipped(self) -> Sign {
        match self {
            Sign::Positive => Sign::Negative,
            Sign::Negative => Sign::Positive,
        }
    }

    /// The sign of a product.
    fn times(self, other: Sign) -> Sign {
        if self == other { Sign::Positive } else { Sign::Negative }
    }

    fn of(number: &IBig) -> Sign {
        if *number < IBig::ZERO { Sign::Negative } else { Sign::Positive }
    }

    fn apply(self, magnitude: UBig) -> IBig {
        match self {
            Sign::Positive => IBig::from(magnitude),
            Sign::Negative => -IBig::from(magnitude),
        }
    }
}

/// The nonzero number ±significand·2^exponent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Dyadic {
    sign: Sign,
    significand: UBig,
    exponent: IBig,
}

impl Dyadic {
    /// The least exponent `top` such that the number is less than 2^top in magnitude.
    fn top(&self) -> IBig {
        &self.exponent + IBig::from(self.significand.bit_len())
    }
}

impl Float {
    /// Not a number.
    pub fn nan(format: Format) -> Float {
        Float { format, kind: FloatKind::NaN }
    }

    /// Infinity.
    pub fn infinity(format: Format, sign: Sign) -> Float {
        Float { format, kind: FloatKind::Infinite(sign) }
    }

    /// Zero.
    pub fn zero(format: Format, sign: Sign) -> Float {
        Float { format, kind: FloatKind::Zero(sign) }
    }

    /// One.
    pub fn one(format: Format) -> Float {
        Float::from_integer(format, RoundingMode::RNE, &IBig::ONE)
    }

    /// The finite number of the greatest magnitude.
    pub fn greatest(format: Format, sign: Sign) -> Float {
        let significand = UBig::ones(format.digits());
        Float {
            format,
            kind: FloatKind::Finite(Dyadic { sign, significand, exponent: format.greatest_exponent() }),
        }
    }

    /// The format of the number.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The sign; `None` for NaN.
    pub fn sign(&self) -> Option<Sign> {
        match &self.kind {
            FloatKind::NaN => None,
            FloatKind::Infinite(sign) | FloatKind::Zero(sign) | FloatKind::Finite(Dyadic { sign, .. }) => {
                Some(*sign)
            }
        }
    }

    /// `fp.isNaN`
    pub fn is_nan(&self) -> bool {
        self.kind == FloatKind::NaN
    }

    /// `fp.isInfinite`
    pub fn is_infinite(&self) -> bool {
        matches!(self.kind, FloatKind::Infinite(_))
    }

    /// `fp.isZero`
    pub fn is_zero(&self) -> bool {
        matches!(self.kind, FloatKind::Zero(_))
    }

    /// `fp.isNormal`
    pub fn is_normal(&self) -> bool {
        matches!(&self.kind, FloatKind::Finite(number) if self.has_hidden_bit(number))
    }

    /// `fp.isSubnormal`
    pub fn is_subnormal(&self) -> bool {
        matches!(&self.kind, FloatKind::Finite(number) if !self.has_hidden_bit(number))
    }

    /// `fp.isNegative`: false for NaN, true for -0.
    pub fn is_negative(&self) -> bool {
        self.sign() == Some(Sign::Negative)
    }

    /// `fp.isPositive`: false for NaN, true for +0.
    pub fn is_positive(&self) -> bool {
        self.sign() == Some(Sign::Positive)
    }

    fn has_hidden_bit(&self, number: &Dyadic) -> bool {
        number.significand.bit_len() == self.format.digits()
    }

    /// The same number with this sign.
    fn with_sign(&self, sign: Sign) -> Float {
        let kind = match &self.kind {
            FloatKind::NaN => FloatKind::NaN,
            FloatKind::Infinite(_) => FloatKind::Infinite(sign),
            FloatKind::Zero(_) => FloatKind::Zero(sign),
            FloatKind::Finite(number) => FloatKind::Finite(Dyadic { sign, ..number.clone() }),
        };
        Float { format: self.format, kind }
    }
}
