//! Rounding to integral values, and conversions to bit-vectors.

use dashu_int::ops::BitTest;
use dashu_int::{IBig, UBig};

use super::{Float, FloatKind, RoundingMode};

impl Float {
    /// `fp.roundToIntegral`; `None` (open) if the integer is beyond the format, which cannot happen in the
    /// formats of IEEE 754.
    ///
    /// A zero result has the sign of the argument.
    pub fn round_to_integral(&self, mode: RoundingMode) -> Option<Float> {
        let FloatKind::Finite(number) = &self.kind else { return Some(self.clone()) };
        if number.exponent >= IBig::ZERO {
            return Some(self.clone());
        }
        let whole = number.in_units(mode, &IBig::ZERO);
        if whole.is_zero() {
            return Some(Float::zero(self.format, number.sign));
        }
        // The result has no more digits than the number, so only its exponent can be too great.
        let whole = Float::from_integer(self.format, RoundingMode::RNE, &number.sign.apply(whole));
        (!whole.is_infinite()).then_some(whole)
    }

    /// `(_ fp.to_ubv width)`; `None` (open) if the rounded number is out of range.
    pub fn to_ubv(&self, mode: RoundingMode, width: u32) -> Option<UBig> {
        let whole = UBig::try_from(self.to_integer(mode, width)?).ok()?;
        (whole.bit_len() <= width as usize).then_some(whole)
    }

    /// `(_ fp.to_sbv width)` as a signed number; `None` (open) if it is out of range.
    pub fn to_sbv(&self, mode: RoundingMode, width: u32) -> Option<IBig> {
        let whole = self.to_integer(mode, width)?;
        // -2^(width-1) is in range, too.
        let magnitude = if whole < IBig::ZERO { -(&whole + IBig::ONE) } else { whole.clone() };
        (magnitude.bit_len() < width as usize).then_some(whole)
    }

    /// The nearest integer, unless it certainly needs more than `width` bits.
    fn to_integer(&self, mode: RoundingMode, width: u32) -> Option<IBig> {
        match &self.kind {
            FloatKind::NaN | FloatKind::Infinite(_) => None,
            FloatKind::Zero(_) => Some(IBig::ZERO),
            FloatKind::Finite(number) if number.top() > IBig::from(width) + IBig::ONE => None,
            FloatKind::Finite(number) => Some(number.sign.apply(number.in_units(mode, &IBig::ZERO))),
        }
    }
}
