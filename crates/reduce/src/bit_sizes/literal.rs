//! Literals of bit vectors and floats with fewer bits.

/// The bits of `#b…` or `#x…`, most significant first.
pub(super) fn bits_of(spelling: &str) -> Option<String> {
    if let Some(bits) = spelling.strip_prefix("#b") {
        return Some(bits.to_string());
    }
    let digits = spelling.strip_prefix("#x")?;
    digits.chars().map(|digit| digit.to_digit(16).map(|value| format!("{value:04b}"))).collect()
}

/// The lowest bits of a literal, in hexadecimal if it was and the width allows.
pub(super) fn truncated(spelling: &str, width: u32) -> Option<String> {
    let bits = bits_of(spelling)?;
    let bits = &bits[bits.len().checked_sub(width as usize)?..];
    if spelling.starts_with("#x") && width.is_multiple_of(4) {
        return Some(format!("#x{}", &spelling[spelling.len() - width as usize / 4..]));
    }
    Some(format!("#b{bits}"))
}

/// A decimal number modulo 2^`width`, as a decimal.
pub(super) fn modulo(decimal: &str, width: u32) -> Option<String> {
    if let Ok(number) = decimal.parse::<u128>() {
        return Some(if width < 128 { number & ((1 << width) - 1) } else { number }.to_string());
    }
    // Numbers beyond 128 bits are rare, and any value of the width will do.
    (width <= 128 && decimal.bytes().all(|byte| byte.is_ascii_digit())).then(|| "0".to_string())
}

/// The exponent and significand bits of a float in another format: the same value, or the nearest in range with its
/// significand truncated.
pub(super) fn reformatted(exponent: &str, significand: &str, eb: u32, sb: u32) -> Option<(String, String)> {
    let (old_eb, eb, digits) = (exponent.len(), eb as usize, sb as usize - 1);
    if old_eb > 60 {
        return None;
    }
    let mut fraction: String = significand.chars().chain(std::iter::repeat('0')).take(digits).collect();
    let biased = i64::from_str_radix(exponent, 2).ok()?;
    let (old_bias, bias) = ((1i64 << (old_eb - 1)) - 1, (1i64 << (eb - 1)) - 1);
    let new = if biased == 0 {
        0
    } else if biased == 2 * old_bias + 1 {
        // NaN must not become infinity.
        if significand.contains('1') && !fraction.contains('1') {
            fraction = "1".repeat(digits);
        }
        2 * bias + 1
    } else {
        (biased - old_bias + bias).clamp(1, 2 * bias)
    };
    Some((format!("{new:0eb$b}"), fraction))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_keep_their_lowest_bits() {
        assert_eq!(truncated("#xAbcd", 8).as_deref(), Some("#xcd"));
        assert_eq!(truncated("#xabcd", 5).as_deref(), Some("#b01101"));
        assert_eq!(truncated("#b1101", 4).as_deref(), Some("#b1101"));
        assert_eq!(truncated("#b1101", 5), None);
        assert_eq!(modulo("259", 8).as_deref(), Some("3"));
        assert_eq!(modulo(&"9".repeat(50), 8).as_deref(), Some("0"));
    }

    #[test]
    fn floats_keep_their_class() {
        let check = |exponent, significand, after: (&str, &str)| {
            let new = reformatted(exponent, significand, 3, 3).unwrap();
            assert_eq!((new.0.as_str(), new.1.as_str()), after);
        };
        check("00000", "0000000000", ("000", "00"));
        check("11111", "0000000000", ("111", "00"));
        check("11111", "0000000001", ("111", "11"));
        check("01111", "1000000000", ("011", "10"));
        check("11110", "1100000000", ("110", "11"));
    }
}
