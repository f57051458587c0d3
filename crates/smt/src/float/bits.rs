//! The bits of numbers: sign, stored exponent, significand without its hidden bit.

use dashu_int::ops::BitTest;
use dashu_int::{IBig, UBig};

use super::{Dyadic, Float, FloatKind, Format, Sign};

/// The three bit-vectors of `(fp sign exponent significand)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fields {
    /// The sign bit.
    pub sign: Sign,
    /// The stored exponent.
    pub exponent: UBig,
    /// The significand without its hidden bit.
    pub significand: UBig,
}

impl Float {
    /// The number `(fp sign exponent significand)`. Bits beyond the widths of the format are dropped.
    pub fn from_fields(format: Format, fields: &Fields) -> Float {
        let Fields { sign, mut exponent, mut significand } = fields.clone();
        exponent.clear_high_bits(format.exponent_bits as usize);
        significand.clear_high_bits(format.digits() - 1);
        let kind = if exponent == UBig::ones(format.exponent_bits as usize) {
            if significand.is_zero() { FloatKind::Infinite(sign) } else { FloatKind::NaN }
        } else if !exponent.is_zero() {
            significand.set_bit(format.digits() - 1);
            FloatKind::Finite(Dyadic {
                sign,
                significand,
                exponent: format.least_exponent() + exponent - IBig::ONE,
            })
        } else if significand.is_zero() {
            FloatKind::Zero(sign)
        } else {
            FloatKind::Finite(Dyadic { sign, significand, exponent: format.least_exponent() })
        };
        Float { format, kind }
    }

    /// `(_ to_fp eb sb)` of a bit-vector: the number that IEEE 754 encodes with these bits.
    pub fn from_bits(format: Format, bits: &UBig) -> Float {
        let (significand, rest) = bits.clone().split_bits(format.digits() - 1);
        let (exponent, sign) = rest.split_bits(format.exponent_bits as usize);
        let sign = if sign.bit(0) { Sign::Negative } else { Sign::Positive };
        Float::from_fields(format, &Fields { sign, exponent, significand })
    }

    /// The fields of a number; `None` for NaN, which has many encodings.
    pub fn fields(&self) -> Option<Fields> {
        let format = self.format;
        let (sign, exponent, significand) = match &self.kind {
            FloatKind::NaN => return None,
            FloatKind::Infinite(sign) => (*sign, UBig::ones(format.exponent_bits as usize), UBig::ZERO),
            FloatKind::Zero(sign) => (*sign, UBig::ZERO, UBig::ZERO),
            FloatKind::Finite(number) => {
                let mut significand = number.significand.clone();
                let exponent = if significand.bit_len() == format.digits() {
                    UBig::try_from(&number.exponent - format.least_exponent() + IBig::ONE)
                        .expect("no exponent is finer than the finest")
                } else {
                    UBig::ZERO
                };
                significand.clear_high_bits(format.digits() - 1);
                (number.sign, exponent, significand)
            }
        };
        Some(Fields { sign, exponent, significand })
    }

    /// The bits of a number (z3's `fp.to_ieee_bv`); `None` for NaN, whose bits are open.
    pub fn to_bits(&self) -> Option<UBig> {
        let Fields { sign, exponent, significand } = self.fields()?;
        let digits = self.format.digits() - 1;
        let sign = UBig::from(u8::from(sign == Sign::Negative));
        Some((sign << (digits + self.format.exponent_bits as usize)) + (exponent << digits) + significand)
    }
}
