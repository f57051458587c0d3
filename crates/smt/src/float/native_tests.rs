//! Compares the formats of the processor with the processor, and tests other formats by properties that hold
//! without computation.

use dashu_int::{IBig, UBig};

use super::{Dyadic, Float, FloatKind, Format, RealConversion, RoundingMode, Sign};

const NEAREST_EVEN: RoundingMode = RoundingMode::RNE;

fn double(x: f64) -> Float {
    Float::from_bits(Format::new(11, 53).unwrap(), &x.to_bits().into())
}

fn single(x: f32) -> Float {
    Float::from_bits(Format::new(8, 24).unwrap(), &x.to_bits().into())
}

/// Numbers of all magnitudes: fields at and near their bounds, and others from a fixed sequence.
fn doubles() -> Vec<f64> {
    let exponents = [0u64, 1, 2, 50, 970, 1021, 1022, 1023, 1024, 1025, 1074, 1076, 1086, 2045, 2046, 2047];
    let significands = [0u64, 1, 2, (1 << 51) - 1, 1 << 51, (1 << 51) + 1, (1 << 52) - 1, 0x5555_5555_5555];
    let mut state = 1u64;
    let mut all = Vec::new();
    for exponent in exponents {
        for significand in significands {
            all.push(f64::from_bits(exponent << 52 | significand));
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            all.push(f64::from_bits(exponent << 52 | state >> 12));
            all.push(-f64::from_bits((exponent ^ (state & 7)) << 52 | significand));
        }
    }
    all
}

#[test]
fn doubles_compute_as_the_processor_does() {
    let all = doubles();
    for a in &all {
        let x = double(*a);
        assert_eq!(x.sqrt(NEAREST_EVEN), double(a.sqrt()), "sqrt {a:e}");
        for (mode, whole) in [
            (NEAREST_EVEN, a.round_ties_even()),
            (RoundingMode::RNA, a.round()),
            (RoundingMode::RTP, a.ceil()),
            (RoundingMode::RTN, a.floor()),
            (RoundingMode::RTZ, a.trunc()),
        ] {
            assert_eq!(x.round_to_integral(mode), Some(double(whole)), "{a:e} {mode:?}");
        }
        for (index, b) in all.iter().enumerate() {
            let y = double(*b);
            assert_eq!(x.add(NEAREST_EVEN, &y), double(a + b), "{a:e} + {b:e}");
            assert_eq!(x.sub(NEAREST_EVEN, &y), double(a - b), "{a:e} - {b:e}");
            assert_eq!(x.mul(NEAREST_EVEN, &y), double(a * b), "{a:e} * {b:e}");
            assert_eq!(x.div(NEAREST_EVEN, &y), double(a / b), "{a:e} / {b:e}");
            assert_eq!(x.compare(&y), a.partial_cmp(b));
            let c = all[(index * 7 + 5) % all.len()];
            assert_eq!(
                x.fma(NEAREST_EVEN, &y, &double(c)),
                double(a.mul_add(*b, c)),
                "{a:e} * {b:e} + {c:e}"
            );
            let near = -(a * b);
            assert_eq!(
                x.fma(NEAREST_EVEN, &y, &double(near)),
                double(a.mul_add(*b, near)),
                "{a:e} * {b:e} - itself"
            );
        }
    }
}

#[test]
fn formats_and_integers_convert_as_the_processor_does() {
    let format = Format::new(8, 24).unwrap();
    for a in doubles() {
        let narrow = single(a as f32);
        assert_eq!(double(a).to_format(format, NEAREST_EVEN), narrow, "{a:e}");
        assert_eq!(narrow.to_format(Format::new(11, 53).unwrap(), NEAREST_EVEN), double(f64::from(a as f32)));
        let whole = double(a).to_sbv(RoundingMode::RTZ, 64);
        let inside = (-(2f64.powi(63))..2f64.powi(63)).contains(&a);
        assert_eq!(whole, inside.then(|| IBig::from(a as i64)), "{a:e}");
        let bits = a.to_bits();
        assert_eq!(Float::from_integer(format, NEAREST_EVEN, &bits.into()), single(bits as f32));
        assert_eq!(
            Float::from_integer(format, NEAREST_EVEN, &(bits as i64).into()),
            single(bits as i64 as f32)
        );
    }
}

/// 2^exponent in the format.
fn power(format: Format, exponent: IBig) -> Float {
    let digits = format.digits();
    let number = Dyadic {
        sign: Sign::Positive,
        significand: UBig::ONE << (digits - 1),
        exponent: exponent - IBig::from(digits - 1),
    };
    Float { format, kind: FloatKind::Finite(number) }
}

#[test]
fn huge_exponents_are_not_written_out() {
    for (eb, sb) in [(60, 5), (60, 200), (256, 24)] {
        let format = Format::new(eb, sb).unwrap();
        let greatest = Float::greatest(format, Sign::Positive);
        let least = Float::from_bits(format, &UBig::ONE);
        let infinity = Float::infinity(format, Sign::Positive);
        assert_eq!(greatest.add(NEAREST_EVEN, &least), greatest);
        assert_eq!(greatest.add(RoundingMode::RTP, &least), infinity);
        assert_ne!(greatest.sub(RoundingMode::RTZ, &least), greatest);
        assert_eq!(greatest.mul(NEAREST_EVEN, &greatest), infinity);
        assert!(least.mul(NEAREST_EVEN, &least).is_zero());
        assert_eq!(least.div(RoundingMode::RTP, &greatest), least);
        assert_eq!(greatest.fma(NEAREST_EVEN, &least, &infinity), infinity);
        assert_eq!(greatest.to_real(), RealConversion::TooLong);
        assert_eq!(greatest.to_sbv(NEAREST_EVEN, 1000), None);
        assert_eq!(least.to_sbv(RoundingMode::RTP, 1000), Some(IBig::ONE));
        assert_eq!(greatest.round_to_integral(NEAREST_EVEN), Some(greatest.clone()));
        assert!(least.round_to_integral(NEAREST_EVEN).unwrap().is_zero());
        let half = format.bias() >> 2;
        assert_eq!(power(format, half.clone() * IBig::from(2)).sqrt(NEAREST_EVEN), power(format, half));
    }
}

#[test]
fn remainders_of_huge_numbers_follow_from_arithmetic_modulo() {
    let format = Format::new(60, 24).unwrap();
    let number = |n: i32| Float::from_integer(format, NEAREST_EVEN, &n.into());
    for exponent in [0u64, 1, 2, 3, 1000, 1001, (1 << 50) + 1, (1 << 58) + 6] {
        let huge = power(format, exponent.into());
        // 2 = -1 modulo 3, so that an even power is 1 and an odd one -1.
        let remainder = if exponent % 2 == 0 { number(1) } else { number(-1) };
        assert_eq!(huge.rem(&number(3)), remainder, "2^{exponent}");
        assert_eq!(huge.neg().rem(&number(-3)), remainder.neg());
        // 2^3 = 1 modulo 7.
        let remainder = [1, 2, -3][(exponent % 3) as usize];
        assert_eq!(huge.rem(&number(7)), number(remainder), "2^{exponent}");
    }
    let half = power(format, IBig::from(-1));
    assert_eq!(half.rem(&number(1)), half, "half way, to the even quotient 0");
    let odd = number(3).mul(NEAREST_EVEN, &half);
    assert_eq!(odd.rem(&number(1)), half.neg(), "half way, to the even quotient 2");
}

#[test]
fn formats_are_those_of_the_standard_within_bounds() {
    for (eb, sb, is_format) in
        [(2, 2, true), (1, 2, false), (2, 1, false), (63, 5, true), (u64::MAX, 5, false), (5, 1 << 40, false)]
    {
        assert_eq!(Format::new(eb, sb).is_some(), is_format, "{eb} {sb}");
    }
    for mode in RoundingMode::ALL {
        assert_eq!(RoundingMode::from_name(mode.name()), Some(mode));
    }
    assert_eq!(RoundingMode::from_name("roundTowardZero"), Some(RoundingMode::RTZ));
    assert_eq!(RoundingMode::from_name("up"), None);
}
