//! `fp.rem`: x - y·n where n is the integer nearest to x/y, ties to even.
//!
//! The quotient may have 2^60 digits. Only its parity and the remainder matter, and both follow from the remainder
//! modulo 2y, which modular exponentiation computes without the power.

use dashu_int::fast_div::ConstDivisor;
use dashu_int::{IBig, UBig};

use super::{Dyadic, Float, FloatKind, RoundingMode};

impl Float {
    /// `fp.rem`, IEEE 754's remainder: always exact; a zero result has the sign of x.
    pub fn rem(&self, other: &Float) -> Float {
        match (&self.kind, &other.kind) {
            (FloatKind::NaN | FloatKind::Infinite(_), _) | (_, FloatKind::NaN | FloatKind::Zero(_)) => {
                Float::nan(self.format)
            }
            (FloatKind::Zero(_), _) | (_, FloatKind::Infinite(_)) => self.clone(),
            (FloatKind::Finite(x), FloatKind::Finite(y)) => match remainder(x, y) {
                Some(remainder) => Float::round(self.format, RoundingMode::RTZ, &remainder),
                None => Float::zero(self.format, x.sign),
            },
        }
    }
}

/// The remainder; `None` if it is zero.
fn remainder(x: &Dyadic, y: &Dyadic) -> Option<Dyadic> {
    // Less than half of y: the nearest multiple of y is zero.
    if x.top() < y.top() - IBig::ONE {
        return Some(x.clone());
    }
    let exponent = x.exponent.clone().min(y.exponent.clone());
    // x has at least half as many digits as y, so y's exponent is at most a significand above x's.
    let zeros = usize::try_from(&y.exponent - &exponent).expect("y is not much greater than x");
    let divisor = &y.significand << zeros;
    let twice = &divisor << 1;
    let rest = shifted_modulo(&x.significand, &(&x.exponent - &exponent), &twice);
    // The remainder modulo 2y is in [0, 2y): the even multiples of y are 0 and 2y, the odd one is y.
    let (odd, left) = if rest >= divisor { (true, rest - &divisor) } else { (false, rest) };
    let doubled = &left << 1;
    let up = doubled > divisor || (doubled == divisor && odd);
    let (sign, significand) = if up { (x.sign.flipped(), divisor - left) } else { (x.sign, left) };
    (!significand.is_zero()).then_some(Dyadic { sign, significand, exponent })
}

/// number·2^shift modulo `modulus`.
fn shifted_modulo(number: &UBig, shift: &IBig, modulus: &UBig) -> UBig {
    let shift = UBig::try_from(shift.clone()).expect("the exponent is not below the least of two");
    let ring = ConstDivisor::new(modulus.clone());
    (ring.reduce(UBig::from(2u8)).pow(&shift) * ring.reduce(number.clone())).residue()
}
