//! Compares every operation on every number of tiny formats with its definition over the rationals.
//!
//! The tests round a rational by searching all numbers of the format in order, which is slow and obviously
//! right; they use nothing of the code under test but the bits of numbers.

use std::cmp::Ordering;

use dashu_int::ops::{BitTest, UnsignedAbs};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use super::{Fields, Float, Format, RealConversion, RoundingMode, Sign};

const TESTED_FORMATS: [(u64, u64); 6] = [(2, 2), (2, 3), (3, 2), (3, 3), (2, 5), (4, 3)];

/// A tiny format with all of its numbers.
struct SmallFormat {
    format: Format,
    all: Vec<Float>,
    /// The magnitudes of the finite numbers, from zero on, with their value and whether their last bit is 0,
    /// and after them the one that would come next.
    magnitudes: Vec<(RBig, bool, Float)>,
}

fn power(exponent: i64) -> RBig {
    let power = UBig::ONE << exponent.unsigned_abs() as usize;
    if exponent < 0 { RBig::from_parts(IBig::ONE, power) } else { RBig::from(power) }
}

/// The value of bits by the formula of IEEE 754, section 3.4.
fn value_of(format: Format, exponent: u64, significand: u64) -> RBig {
    let bias = (1i64 << (format.exponent_bits() - 1)) - 1;
    let fraction = RBig::from(significand) * power(1 - i64::from(format.significand_bits()));
    if exponent == 0 {
        fraction * power(1 - bias)
    } else {
        (RBig::ONE + fraction) * power(exponent as i64 - bias)
    }
}

impl SmallFormat {
    fn new((eb, sb): (u64, u64)) -> SmallFormat {
        let format = Format::new(eb, sb).unwrap();
        let all = (0u64..1 << (eb + sb)).map(|bits| Float::from_bits(format, &bits.into())).collect();
        let below_infinity = ((1u64 << eb) - 1) << (sb - 1);
        let magnitudes = (0..=below_infinity).map(|bits| {
            let value = value_of(format, bits >> (sb - 1), bits & ((1 << (sb - 1)) - 1));
            (value, bits & 1 == 0, Float::from_bits(format, &bits.into()))
        });
        SmallFormat { format, all, magnitudes: magnitudes.collect() }
    }

    fn each() -> impl Iterator<Item = SmallFormat> {
        TESTED_FORMATS.into_iter().map(SmallFormat::new)
    }

    /// The value of a finite number.
    fn value(&self, float: &Float) -> Option<RBig> {
        let magnitude = if float.is_negative() { float.neg() } else { float.clone() };
        let finite = &self.magnitudes[..self.magnitudes.len() - 1];
        let (value, _, _) = finite.iter().find(|(_, _, number)| *number == magnitude)?;
        Some(if float.is_negative() { -value.clone() } else { value.clone() })
    }

    /// Rounding by its definition; `zero` is the sign of an exact zero.
    fn round(&self, mode: RoundingMode, value: &RBig, zero: Sign) -> Float {
        if value.is_zero() {
            return Float::zero(self.format, zero);
        }
        let sign = if *value < RBig::ZERO { Sign::Negative } else { Sign::Positive };
        let magnitude = if sign == Sign::Negative { -value.clone() } else { value.clone() };
        let above = self.magnitudes.iter().position(|(number, _, _)| *number >= magnitude);
        let last = self.magnitudes.len() - 1;
        let (low, high) = match above {
            Some(above) if above < last && self.magnitudes[above].0 == magnitude => (above, above),
            Some(above) => (above - 1, above),
            // More than the number after the greatest: nearer to it than to the greatest.
            None => (last - 1, last),
        };
        let to_high = match mode {
            RoundingMode::RTZ => false,
            RoundingMode::RTP => sign == Sign::Positive,
            RoundingMode::RTN => sign == Sign::Negative,
            RoundingMode::RNE | RoundingMode::RNA => {
                let (below, above) =
                    (&magnitude - &self.magnitudes[low].0, &self.magnitudes[high].0 - &magnitude);
                match below.cmp(&above) {
                    Ordering::Less => false,
                    Ordering::Greater => true,
                    Ordering::Equal => mode == RoundingMode::RNA || self.magnitudes[high].1,
                }
            }
        };
        let number = self.magnitudes[if to_high { high } else { low }].2.clone();
        if sign == Sign::Negative { number.neg() } else { number }
    }
}

fn nothing(mode: RoundingMode) -> Sign {
    if mode == RoundingMode::RTN { Sign::Negative } else { Sign::Positive }
}

fn sign(float: &Float) -> Sign {
    float.sign().unwrap()
}

fn product_sign(a: &Float, b: &Float) -> Sign {
    if sign(a) == sign(b) { Sign::Positive } else { Sign::Negative }
}

/// Calls `check` with every mode and every pair of numbers with their values.
fn pairs(small: &SmallFormat, mut check: impl FnMut(RoundingMode, (&Float, RBig), (&Float, RBig))) {
    for a in &small.all {
        for b in &small.all {
            if let (Some(x), Some(y)) = (small.value(a), small.value(b)) {
                for mode in RoundingMode::ALL {
                    check(mode, (a, x.clone()), (b, y.clone()));
                }
            }
        }
    }
}

#[test]
fn bits_follow_ieee_754() {
    for small in SmallFormat::each() {
        for (bits, float) in small.all.iter().enumerate() {
            let back = float.to_bits();
            assert_eq!(back.is_none(), float.is_nan());
            if let Some(back) = back {
                assert_eq!(back, UBig::from(bits));
                let fields = float.fields().unwrap();
                assert_eq!(Float::from_fields(small.format, &fields), *float);
            }
            if let Some(value) = small.value(float) {
                assert_eq!(float.to_real(), RealConversion::Number(value));
            } else {
                assert_eq!(float.to_real(), RealConversion::Open);
            }
            let classes = [
                float.is_nan(),
                float.is_infinite(),
                float.is_zero(),
                float.is_normal(),
                float.is_subnormal(),
            ];
            assert_eq!(classes.into_iter().filter(|class| *class).count(), 1);
            if let Some(Fields { exponent, significand, .. }) = float.fields() {
                assert_eq!(float.is_subnormal(), exponent.is_zero() && !significand.is_zero());
            }
        }
    }
}

#[test]
fn sums_products_and_quotients_are_rounded_once() {
    for small in SmallFormat::each() {
        pairs(&small, |mode, (a, x), (b, y)| {
            let zero = if x.is_zero() && y.is_zero() && sign(a) == sign(b) { sign(a) } else { nothing(mode) };
            assert_eq!(a.add(mode, b), small.round(mode, &(&x + &y), zero), "{a:?} + {b:?} {mode:?}");
            let zero = if x.is_zero() && y.is_zero() && sign(a) != sign(b) { sign(a) } else { nothing(mode) };
            assert_eq!(a.sub(mode, b), small.round(mode, &(&x - &y), zero), "{a:?} - {b:?} {mode:?}");
            let product = small.round(mode, &(&x * &y), product_sign(a, b));
            assert_eq!(a.mul(mode, b), product, "{a:?} * {b:?} {mode:?}");
            if !y.is_zero() {
                let quotient = small.round(mode, &(&x / &y), product_sign(a, b));
                assert_eq!(a.div(mode, b), quotient, "{a:?} / {b:?} {mode:?}");
            }
        });
    }
}

#[test]
fn a_fused_product_and_sum_is_rounded_once() {
    for small in TESTED_FORMATS[..4].iter().map(|format| SmallFormat::new(*format)) {
        let finite: Vec<(&Float, RBig)> =
            small.all.iter().filter_map(|float| Some((float, small.value(float)?))).collect();
        for (a, x) in &finite {
            for (b, y) in &finite {
                for (c, z) in &finite {
                    let product = x * y;
                    let signs = (product_sign(a, b), sign(c));
                    for mode in RoundingMode::ALL {
                        let zeros = product.is_zero() && z.is_zero() && signs.0 == signs.1;
                        let zero = if zeros { signs.1 } else { nothing(mode) };
                        assert_eq!(a.fma(mode, b, c), small.round(mode, &(&product + z), zero));
                    }
                }
            }
        }
    }
}

#[test]
fn roots_are_on_the_right_side_of_every_number() {
    for small in SmallFormat::each() {
        for a in &small.all {
            let Some(x) = small.value(a).filter(|x| *x > RBig::ZERO) else { continue };
            // The root compares with a rational as the number with its square, so that rounding the root is
            // choosing between the two neighbours whose squares enclose the number.
            let squares = |value: &RBig| value * value;
            let high = small.magnitudes.iter().position(|(value, _, _)| squares(value) >= x).unwrap();
            let exact = squares(&small.magnitudes[high].0) == x;
            let low = if exact { high } else { high - 1 };
            let middle = (&small.magnitudes[low].0 + &small.magnitudes[high].0) * power(-1);
            for mode in RoundingMode::ALL {
                let up = match mode {
                    RoundingMode::RTP => true,
                    RoundingMode::RTN | RoundingMode::RTZ => false,
                    // The root of a number of n digits is never a number of n + 1.
                    RoundingMode::RNE | RoundingMode::RNA => squares(&middle) < x,
                };
                assert!(exact || squares(&middle) != x);
                let chosen = if up { high } else { low };
                assert_eq!(a.sqrt(mode), small.magnitudes[chosen].2, "{a:?} {mode:?}");
            }
        }
    }
}

/// The integer nearest to a rational, by definition.
fn whole(mode: RoundingMode, value: &RBig) -> IBig {
    let floor = value.clone().floor();
    let above = RBig::from(floor.clone()) + RBig::ONE - value;
    let below = value - RBig::from(floor.clone());
    if below.is_zero() {
        return floor;
    }
    let up = match mode {
        RoundingMode::RTP => true,
        RoundingMode::RTN => false,
        RoundingMode::RTZ => *value < RBig::ZERO,
        RoundingMode::RNE | RoundingMode::RNA => match below.cmp(&above) {
            Ordering::Less => false,
            Ordering::Greater => true,
            Ordering::Equal if mode == RoundingMode::RNE => floor.bit(0),
            Ordering::Equal => *value > RBig::ZERO,
        },
    };
    if up { floor + IBig::ONE } else { floor }
}

#[test]
fn remainders_are_exact_and_nearest() {
    for small in SmallFormat::each() {
        pairs(&small, |_, (a, x), (b, y)| {
            if !y.is_zero() {
                let n = whole(RoundingMode::RNE, &(&x / &y));
                let remainder = &x - &y * RBig::from(n);
                let rounded = small.round(RoundingMode::RTZ, &remainder, sign(a));
                assert_eq!(a.rem(b), rounded, "{a:?} rem {b:?}");
                assert_eq!(small.value(&rounded), Some(remainder), "remainders are representable");
            }
        });
    }
}

#[test]
fn whole_numbers_are_the_nearest_of_the_mode() {
    for small in SmallFormat::each() {
        for a in &small.all {
            for mode in RoundingMode::ALL {
                let Some(x) = small.value(a) else {
                    assert_eq!(a.round_to_integral(mode), Some(a.clone()));
                    assert_eq!((a.to_ubv(mode, 99), a.to_sbv(mode, 99)), (None, None));
                    continue;
                };
                let n = whole(mode, &x);
                let expected = small.round(RoundingMode::RNE, &RBig::from(n.clone()), sign(a));
                assert_eq!(a.round_to_integral(mode), (!expected.is_infinite()).then_some(expected));
                for width in 1..6 {
                    let unsigned = UBig::try_from(n.clone()).ok().filter(|n| *n < UBig::ONE << width);
                    assert_eq!(a.to_ubv(mode, width as u32), unsigned);
                    let half = IBig::ONE << (width - 1);
                    let signed = Some(n.clone()).filter(|n| -&half <= *n && *n < half);
                    assert_eq!(a.to_sbv(mode, width as u32), signed);
                }
            }
        }
    }
}

#[test]
fn comparison_is_that_of_the_values() {
    for small in SmallFormat::each() {
        let key = |float: &Float| {
            let infinite = |sign| if sign == Sign::Negative { -power(99) } else { power(99) };
            small.value(float).or_else(|| float.is_infinite().then(|| infinite(sign(float))))
        };
        for a in &small.all {
            for b in &small.all {
                let order = key(a).and_then(|x| Some(x.cmp(&key(b)?)));
                assert_eq!(a.compare(b), order);
                assert_eq!(a.lt(b), order == Some(Ordering::Less));
                assert_eq!(a.geq(b), matches!(order, Some(Ordering::Equal | Ordering::Greater)));
                assert_eq!(a.leq(b), b.geq(a));
                assert_eq!(a.gt(b), b.lt(a));
                assert_eq!(a.equals(b), order == Some(Ordering::Equal));
                let least = match order {
                    None => Some(if a.is_nan() { b } else { a }),
                    Some(Ordering::Equal) => (a == b).then_some(a),
                    Some(Ordering::Less) => Some(a),
                    Some(Ordering::Greater) => Some(b),
                };
                assert_eq!(a.min(b).as_ref(), least);
                let negated = |float: Option<Float>| float.map(|float| float.neg());
                assert_eq!(a.max(b), negated(Float::min(&a.neg(), &b.neg())));
            }
        }
    }
}

#[test]
fn rationals_and_other_formats_are_rounded() {
    for small in SmallFormat::each() {
        for mode in RoundingMode::ALL {
            for numerator in -200i32..=200 {
                for denominator in [1u32, 2, 3, 5, 7, 16, 64, 640] {
                    let value = RBig::from_parts(numerator.into(), denominator.into());
                    let expected = small.round(mode, &value, Sign::Positive);
                    assert_eq!(Float::from_rational(small.format, mode, &value), expected);
                    let scaled = Float::from_scaled(small.format, mode, &(value * power(70)), &(-70).into());
                    assert_eq!(scaled, expected);
                }
                let expected = small.round(mode, &RBig::from(numerator), Sign::Positive);
                assert_eq!(Float::from_integer(small.format, mode, &numerator.into()), expected);
            }
            for other in SmallFormat::each() {
                for float in &other.all {
                    let converted = float.to_format(small.format, mode);
                    match other.value(float) {
                        Some(value) => assert_eq!(converted, small.round(mode, &value, sign(float))),
                        None => {
                            assert_eq!(
                                (converted.sign(), converted.is_nan()),
                                (float.sign(), float.is_nan())
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn infinities_and_nan_follow_ieee_754() {
    for small in SmallFormat::each() {
        let format = small.format;
        let [nan, plus, minus] = [
            Float::nan(format),
            Float::infinity(format, Sign::Positive),
            Float::infinity(format, Sign::Negative),
        ];
        for mode in RoundingMode::ALL {
            for a in &small.all {
                for result in
                    [a.add(mode, &nan), a.mul(mode, &nan), nan.div(mode, a), nan.rem(a), a.rem(&nan)]
                {
                    assert!(result.is_nan());
                }
                assert_eq!(
                    a.add(mode, &plus),
                    if a.is_nan() || *a == minus { nan.clone() } else { plus.clone() }
                );
                assert_eq!(
                    plus.sub(mode, a),
                    if a.is_nan() || *a == plus { nan.clone() } else { plus.clone() }
                );
                let product = a.mul(mode, &minus);
                assert_eq!(product.is_nan(), a.is_nan() || a.is_zero());
                assert!(
                    product.is_nan() || product == if a.is_negative() { plus.clone() } else { minus.clone() }
                );
                assert_eq!(a.fma(mode, &minus, &nan), nan);
                assert!(a.fma(mode, &minus, &product.neg()).is_nan());
                assert_eq!(a.div(mode, &minus).is_zero(), !a.is_nan() && !a.is_infinite());
                assert_eq!(
                    a.div(mode, &Float::zero(format, Sign::Positive)).is_nan(),
                    a.is_nan() || a.is_zero()
                );
                assert!(a.rem(&Float::zero(format, Sign::Positive)).is_nan());
                assert!(plus.rem(a).is_nan());
                assert_eq!(a.rem(&minus), if a.is_infinite() { nan.clone() } else { a.clone() });
                assert_eq!(a.sqrt(mode).is_nan(), a.is_nan() || (a.is_negative() && !a.is_zero()));
            }
            assert_eq!(plus.sqrt(mode), plus);
        }
    }
}

#[test]
fn a_negative_magnitude_is_its_own_opposite_twice() {
    for small in SmallFormat::each() {
        for a in &small.all {
            assert_eq!(a.neg().neg(), *a);
            assert!(!a.abs().is_negative());
            assert_eq!(a.abs(), a.neg().abs());
            assert_eq!(
                small.value(&a.abs()),
                small.value(a).map(|x| RBig::from_parts(
                    (x.numerator().unsigned_abs()).into(),
                    x.denominator().clone()
                ))
            );
        }
    }
}
