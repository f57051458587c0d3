//! Time spans as people write them: `90s`, `10m`, `1h30m`, `2d`, or a plain number of seconds.
//!
//! Campaign files and the command line use the same syntax. In the program a span is a number of seconds.

use std::fmt;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serializer};

/// Units from the largest, in seconds.
const TIME_UNITS: [(&str, f64); 5] =
    [("d", 86_400.0), ("h", 3_600.0), ("m", 60.0), ("s", 1.0), ("ms", 0.001)];

/// A text that is not a time span.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a duration; write 90s, 10m, 1h30m, 2d or a number of seconds")]
pub struct InvalidTimeSpan(pub String);

/// Reads a span, in seconds.
pub fn read(text: &str) -> Result<f64, InvalidTimeSpan> {
    let wrong = || InvalidTimeSpan(text.to_owned());
    let mut rest = text.trim();
    if rest.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && let Ok(seconds) = rest.parse()
    {
        return Ok(seconds);
    }
    let mut sum = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(wrong)?;
        let (number, after) = rest.split_at(digits);
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(letters);
        let (_, seconds) = TIME_UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?;
        sum += number.parse::<f64>().map_err(|_| wrong())? * seconds;
        rest = after.trim_start();
    }
    if text.trim().is_empty() { Err(wrong()) } else { Ok(sum) }
}

/// Writes a span as it is read: `1h30m`, `2.5s`.
pub fn write(seconds: f64) -> String {
    let whole = seconds.is_finite() && seconds >= 60.0 && seconds.fract() == 0.0 && seconds < 1e15;
    if !whole {
        return format!("{seconds}s");
    }
    let (mut text, mut rest) = (String::new(), seconds as u64);
    for (name, unit) in &TIME_UNITS[..4] {
        let unit = *unit as u64;
        if rest >= unit {
            text += &format!("{}{name}", rest / unit);
            rest %= unit;
        }
    }
    text
}

/// For `#[serde(with)]` on a number of seconds.
pub(crate) mod seconds {
    use super::{Deserializer, Serializer, TimeSpanVisitor, write};

    pub fn serialize<S: Serializer>(seconds: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&write(*seconds))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        deserializer.deserialize_any(TimeSpanVisitor)
    }
}

/// For `#[serde(with)]` on a number of seconds that may be left out.
pub(crate) mod optional {
    use super::{Deserialize, Deserializer, Serializer, seconds};

    pub fn serialize<S: Serializer>(span: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        match span {
            Some(span) => seconds::serialize(span, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
        #[derive(Deserialize)]
        #[serde(transparent)]
        struct OptionalSpan(#[serde(with = "seconds")] f64);
        Ok(Some(OptionalSpan::deserialize(deserializer)?.0))
    }
}

/// Reads a time span from a text or a number.
struct TimeSpanVisitor;

impl Visitor<'_> for TimeSpanVisitor {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a duration like \"10m\" or a number of seconds")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<f64, E> {
        read(text).map_err(E::custom)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<f64, E> {
        Ok(number as f64)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<f64, E> {
        Ok(number as f64)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<f64, E> {
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_as_people_write_them() {
        let pairs = [
            ("90", 90.0),
            ("0.5", 0.5),
            ("90s", 90.0),
            ("10m", 600.0),
            ("1h30m", 5400.0),
            ("1h 30m", 5400.0),
        ];
        for (text, seconds) in pairs {
            assert_eq!(read(text), Ok(seconds), "{text}");
        }
        assert_eq!(read("2d"), Ok(172_800.0));
        assert_eq!(read("250ms"), Ok(0.25));
    }

    #[test]
    fn what_is_no_span_is_refused_with_the_spellings_that_are() {
        for text in ["", " ", "m", "10 minutes", "ten", "1x", "-5s", "1.2.3s", "5s5", "nan", "inf"] {
            let error = read(text).map_or_else(|error| error.to_string(), |seconds| seconds.to_string());
            assert!(error.contains("write 90s, 10m, 1h30m"), "{text}: {error}");
        }
    }

    #[test]
    fn a_span_that_was_written_is_read_back() {
        for seconds in [0.05, 1.0, 59.0, 60.0, 90.0, 90.5, 3600.0, 5400.0, 86_400.0, 90_061.0, 1e9] {
            assert_eq!(read(&write(seconds)), Ok(seconds), "{}", write(seconds));
        }
        assert_eq!(write(5400.0), "1h30m");
    }
}
