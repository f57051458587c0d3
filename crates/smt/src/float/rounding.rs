//! Rounding: the only place where an exact number becomes a number of a format.
//!
//! A number of which only the leading digits are known is given as these digits and a sticky 1 for the rest:
//! rounding only has to know on which side of the representable numbers and of the midpoints between them it
//! lies, and those have fewer digits.

use std::cmp::Ordering;

use dashu_int::ops::BitTest;
use dashu_int::{IBig, UBig};

use super::{Dyadic, Float, FloatKind, Format, Sign};

/// The rounding modes of IEEE 754.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RoundingMode {
    /// To the nearest, ties to even.
    RNE,
    /// To the nearest, ties away from zero.
    RNA,
    /// Towards positive infinity.
    RTP,
    /// Towards negative infinity.
    RTN,
    /// Towards zero.
    RTZ,
}

impl RoundingMode {
    /// All rounding modes.
    pub const ALL: [RoundingMode; 5] =
        [RoundingMode::RNE, RoundingMode::RNA, RoundingMode::RTP, RoundingMode::RTN, RoundingMode::RTZ];

    /// The mode with this short or long name.
    pub fn from_name(name: &str) -> Option<RoundingMode> {
        Self::ALL.into_iter().find(|mode| mode.names().contains(&name))
    }

    /// The name that values are printed with.
    pub fn name(self) -> &'static str {
        self.names()[0]
    }

    fn names(self) -> [&'static str; 2] {
        match self {
            RoundingMode::RNE => ["RNE", "roundNearestTiesToEven"],
            RoundingMode::RNA => ["RNA", "roundNearestTiesToAway"],
            RoundingMode::RTP => ["RTP", "roundTowardPositive"],
            RoundingMode::RTN => ["RTN", "roundTowardNegative"],
            RoundingMode::RTZ => ["RTZ", "roundTowardZero"],
        }
    }

    /// Returns true if a magnitude from which `rest` was cut off is rounded up.
    fn grows(self, sign: Sign, kept: &UBig, rest: DiscardedPart) -> bool {
        let DiscardedPart::Part(of_half) = rest else { return false };
        match self {
            RoundingMode::RNE => of_half.is_gt() || (of_half.is_eq() && kept.bit(0)),
            RoundingMode::RNA => of_half.is_ge(),
            RoundingMode::RTP => sign == Sign::Positive,
            RoundingMode::RTN => sign == Sign::Negative,
            RoundingMode::RTZ => false,
        }
    }

    /// The sign of an exact zero sum, unless both summands are zeros of one sign.
    pub(super) fn sign_of_zero_sum(self) -> Sign {
        if self == RoundingMode::RTN { Sign::Negative } else { Sign::Positive }
    }
}

/// The digits that were cut off: none, or less than, equal to or more than half of the last digit kept.
#[derive(Clone, Copy)]
enum DiscardedPart {
    Nothing,
    Part(Ordering),
}

impl Dyadic {
    /// The number whose leading digits are `significand`, with or without nonzero digits after them.
    pub(super) fn with_leading_digits(
        sign: Sign,
        significand: UBig,
        exponent: IBig,
        more: TrailingDigits,
    ) -> Dyadic {
        match more {
            TrailingDigits::Nothing => Dyadic { sign, significand, exponent },
            TrailingDigits::Digits => {
                Dyadic { sign, significand: (significand << 1) + UBig::ONE, exponent: exponent - IBig::ONE }
            }
        }
    }

    /// The magnitude in units of 2^unit, rounded to an integer.
    ///
    /// The unit is not much finer than the number's own last digit, which bounds the memory.
    pub(super) fn in_units(&self, mode: RoundingMode, unit: &IBig) -> UBig {
        let (kept, rest) = cut(&self.significand, &(unit - &self.exponent));
        if mode.grows(self.sign, &kept, rest) { kept + UBig::ONE } else { kept }
    }
}

/// Whether a number has nonzero digits after those given (the sticky bit).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TrailingDigits {
    Nothing,
    Digits,
}

impl TrailingDigits {
    /// Digits if the remainder is not zero.
    pub(super) fn of(left_over: &UBig) -> TrailingDigits {
        if left_over.is_zero() { TrailingDigits::Nothing } else { TrailingDigits::Digits }
    }
}

impl Float {
    /// The number of the format that `number` is rounded to.
    pub(super) fn round(format: Format, mode: RoundingMode, number: &Dyadic) -> Float {
        let mut unit = (number.top() - IBig::from(format.significand_bits())).max(format.least_exponent());
        let mut significand = number.in_units(mode, &unit);
        if significand.bit_len() > format.digits() {
            // All digits were 1 and the last was rounded up: the result is a power of two, whose last digit is 0.
            significand >>= 1;
            unit += IBig::ONE;
        }
        if significand.is_zero() {
            return Float::zero(format, number.sign);
        }
        if unit > format.greatest_exponent() {
            return Float::overflow(format, mode, number.sign);
        }
        Float { format, kind: FloatKind::Finite(Dyadic { sign: number.sign, significand, exponent: unit }) }
    }

    /// The result for a number that is greater in magnitude than all finite ones.
    fn overflow(format: Format, mode: RoundingMode, sign: Sign) -> Float {
        let towards_zero = match mode {
            RoundingMode::RNE | RoundingMode::RNA => false,
            RoundingMode::RTP => sign == Sign::Negative,
            RoundingMode::RTN => sign == Sign::Positive,
            RoundingMode::RTZ => true,
        };
        if towards_zero { Float::greatest(format, sign) } else { Float::infinity(format, sign) }
    }
}

/// The number without its last `digits` digits (with zeros appended if that is negative), and the discarded part.
fn cut(number: &UBig, digits: &IBig) -> (UBig, DiscardedPart) {
    if *digits <= IBig::ZERO {
        let zeros = usize::try_from(-digits).expect("a unit is never much finer than the number");
        return (number << zeros, DiscardedPart::Nothing);
    }
    let Some(digits) = usize::try_from(digits).ok().filter(|digits| *digits <= number.bit_len()) else {
        return (UBig::ZERO, DiscardedPart::Part(Ordering::Less));
    };
    let (low, kept) = number.clone().split_bits(digits);
    let rest = if low.is_zero() {
        DiscardedPart::Nothing
    } else {
        DiscardedPart::Part(low.cmp(&(UBig::ONE << (digits - 1))))
    };
    (kept, rest)
}
