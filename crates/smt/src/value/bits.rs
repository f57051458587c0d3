//! Bit-vectors: a width and an unsigned number.

use dashu_int::{IBig, UBig};

/// A bit-vector; bit 0 is the least significant one.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BitVec {
    width: u32,
    bits: UBig,
}

impl BitVec {
    /// The vector of this width with the lowest bits of `bits`.
    pub fn new(width: u32, mut bits: UBig) -> BitVec {
        bits.clear_high_bits(width as usize);
        BitVec { width, bits }
    }

    /// The number modulo two to the width.
    pub fn from_int(width: u32, number: &IBig) -> BitVec {
        let modulus = IBig::from(UBig::ONE << width as usize);
        let rest = number % &modulus;
        let rest = if rest < IBig::ZERO { rest + modulus } else { rest };
        BitVec { width, bits: UBig::try_from(rest).unwrap_or_default() }
    }

    /// The number of bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The unsigned value.
    pub fn unsigned(&self) -> &UBig {
        &self.bits
    }

    /// The value in two's complement.
    pub fn signed(&self) -> IBig {
        let number = IBig::from(self.bits.clone());
        if self.is_negative() { number - IBig::from(UBig::ONE << self.width as usize) } else { number }
    }

    /// Returns true if the highest bit is set.
    pub fn is_negative(&self) -> bool {
        use dashu_int::ops::BitTest as _;
        self.bits.bit(self.width as usize - 1)
    }

    /// The literal: hexadecimal if the width allows it.
    pub fn text(&self) -> String {
        let width = self.width as usize;
        match width.is_multiple_of(4) {
            true => format!("#x{:0>1$}", self.bits.in_radix(16).to_string(), width / 4),
            false => format!("#b{:0>1$}", self.bits.in_radix(2).to_string(), width),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_is_a_number_modulo_its_width() {
        let of = |number: i32| BitVec::from_int(4, &IBig::from(number));
        assert_eq!(
            (of(-1).text(), of(17).text(), of(-16).text()),
            ("#xf".into(), "#x1".into(), "#x0".into())
        );
        assert_eq!((of(-1).signed(), of(7).signed()), (IBig::from(-1), IBig::from(7)));
        assert_eq!(BitVec::new(3, UBig::from(13u8)).text(), "#b101");
    }
}
