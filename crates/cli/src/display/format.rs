//! Short formats for numbers, times and texts.

use ratatui::text::Span;

use crate::console::is_harmful;

/// A number with thousands separators: `12,345`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number in at most six characters, usually: `99999`, `123k`, `1.2M`.
pub fn compact(number: u64) -> String {
    const UNIT_PREFIXES: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    if number < 100_000 {
        return number.to_string();
    }
    let (unit, name) =
        UNIT_PREFIXES.into_iter().find(|(unit, _)| number as f64 >= *unit).unwrap_or((1.0, ""));
    let value = number as f64 / unit;
    if value < 9.95 { format!("{value:.1}{name}") } else { format!("{value:.0}{name}") }
}

/// A number and its noun: `1 case`, `2,000 cases`.
pub fn plural(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// A duration: `0:42`, `1:02:03`, `3d 04:05:06`.
pub fn clock(seconds: f64) -> String {
    let all = if seconds.is_finite() { seconds.max(0.0) as u64 } else { 0 };
    let (days, hours, minutes, seconds) = (all / 86_400, all / 3_600 % 24, all / 60 % 60, all % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes}:{seconds:02}"),
        (0, _) => format!("{hours}:{minutes:02}:{seconds:02}"),
        _ => format!("{days}d {hours:02}:{minutes:02}:{seconds:02}"),
    }
}

/// A rate per second: `0.25`, `8.3`, `312`.
pub fn rate(value: f64) -> String {
    match value {
        _ if value < 1.0 => format!("{value:.2}"),
        _ if value < 100.0 => format!("{value:.1}"),
        _ => thousands(value.round() as u64),
    }
}

/// A share as percent: `3.2 %`, `45 %`.
pub fn percent(part: f64) -> String {
    let value = part * 100.0;
    if value < 9.95 && value > 0.0 { format!("{value:.1} %") } else { format!("{value:.0} %") }
}

/// The most frequent reasons, as `312 nothing to do, 4 too large`; the rest as one number.
pub fn most_frequent<'a>(reasons: impl IntoIterator<Item = (&'a String, &'a u64)>, most: usize) -> String {
    let mut reasons: Vec<(&String, &u64)> = reasons.into_iter().filter(|(_, count)| **count > 0).collect();
    reasons.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let mut words: Vec<String> =
        reasons.iter().take(most).map(|(reason, count)| format!("{} {reason}", compact(**count))).collect();
    let rest: u64 = reasons.iter().skip(most).map(|(_, count)| **count).sum();
    words.extend((rest > 0).then(|| format!("{} for other reasons", compact(rest))));
    words.join(", ")
}

/// Truncates a text to `width` columns, with `…` at the end.
pub fn truncate(text: &str, width: usize) -> String {
    // Solver output may contain control characters.
    let clean: String = text.chars().map(|c| if c.is_control() || is_harmful(c) { ' ' } else { c }).collect();
    if text_width(&clean) <= width {
        return clean;
    }
    let (mut kept, mut used) = (String::new(), 0);
    for letter in clean.chars() {
        used += text_width(letter.encode_utf8(&mut [0; 4]));
        if used + 1 > width {
            break;
        }
        kept.push(letter);
    }
    if width > 0 { kept + "…" } else { kept }
}

/// Truncates and pads a text to `width` columns, left-aligned.
pub fn align_left(text: &str, width: usize) -> String {
    let text = truncate(text, width);
    let blanks = width - text_width(&text).min(width);
    text + &" ".repeat(blanks)
}

/// Truncates and pads a text to `width` columns, right-aligned.
pub fn align_right(text: &str, width: usize) -> String {
    let text = truncate(text, width);
    " ".repeat(width - text_width(&text).min(width)) + &text
}

/// The width of a text on a terminal, in columns.
pub fn text_width(text: &str) -> usize {
    Span::raw(text).width()
}

/// The name of a bandit arm: a strategy, and the theory of its seeds.
pub fn arm(strategy: &str, theory: Option<&str>) -> String {
    theory.map_or_else(|| strategy.to_owned(), |theory| format!("{strategy} on {theory}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn numbers_are_short_and_readable() {
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        let compact = [99_999, 123_456, 1_234_567, 12_345_678, u64::MAX].map(compact);
        assert_eq!(compact, ["99999", "123k", "1.2M", "12M", "18446744T"]);
        assert_eq!([plural(1, "case"), plural(0, "case")], ["1 case", "0 cases"]);
    }

    #[test]
    fn times_and_rates_are_as_on_a_clock() {
        let times = [0.0, 42.9, 3723.0, 273_906.0, -1.0, f64::NAN].map(clock);
        assert_eq!(times, ["0:00", "0:42", "1:02:03", "3d 04:05:06", "0:00", "0:00"]);
        assert_eq!([0.25, 8.31, 1312.4].map(rate), ["0.25", "8.3", "1,312"]);
        assert_eq!([0.0, 0.0321, 0.451, 1.0].map(percent), ["0 %", "3.2 %", "45 %", "100 %"]);
    }

    #[test]
    fn a_cut_text_keeps_its_width_and_is_harmless() {
        assert_eq!(truncate("refutation", 6), "refut…");
        assert_eq!(truncate("a\x1b[2Jb\n", 20), "a [2Jb ");
        assert_eq!(align_left("漢字", 6), "漢字  ");
        assert_eq!(align_left("漢字漢字", 4), "漢… ");
        assert_eq!(align_right("7", 3), "  7");
        assert_eq!(truncate("abc", 0), "");
    }

    #[test]
    fn the_most_frequent_reasons_come_first() {
        let reasons = BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), 9), ("c".to_owned(), 2)]);
        assert_eq!(most_frequent(&reasons, 2), "9 b, 2 c, 1 for other reasons");
        assert_eq!(most_frequent(&BTreeMap::new(), 2), "");
    }
}
