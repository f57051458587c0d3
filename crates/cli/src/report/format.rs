//! Formats numbers and times for reports, and escapes control characters of untrusted text.

use crate::console::is_harmful;

/// A number with its thousands separated by narrow no-break spaces: `12 345`.
pub fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A share from 0 to 1 as percent.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// `count` of `all` as percent; `–` if `all` is 0.
pub fn share(count: u64, all: u64) -> String {
    if all == 0 { "–".to_owned() } else { percent(count as f64 / all as f64) }
}

/// A duration in its two largest units: `1 h 20 min`.
pub fn time(seconds: f64) -> String {
    let whole = seconds.max(0.0) as u64;
    let (days, hours, minutes) = (whole / 86_400, whole / 3_600 % 24, whole / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) if seconds > 0.0 && seconds < 10.0 => format!("{seconds:.1} s"),
        (0, 0, 0) => format!("{whole} s"),
        (0, 0, _) => format!("{minutes} min {} s", whole % 60),
        (0, _, _) => format!("{hours} h {minutes} min"),
        _ => format!("{days} d {hours} h"),
    }
}

/// Truncates a text to about `bytes` and notes how much is missing.
pub fn truncate(mut text: String, bytes: usize) -> String {
    if text.len() > bytes {
        let more = text.len() - bytes;
        text.truncate(text.floor_char_boundary(bytes));
        text.push_str(&format!("\n; … {} more bytes are in the file", number(more as u64)));
    }
    text
}

/// Escapes control characters and characters that hide or reorder text.
pub fn visible(text: &str) -> String {
    let show = |letter: char| -> Vec<char> {
        let is_hidden = letter.is_control() || is_harmful(letter);
        if is_hidden { letter.escape_default().collect() } else { vec![letter] }
    };
    text.chars().flat_map(show).collect()
}

/// The same for several lines.
pub fn visible_lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| visible(&line.replace('\t', "    "))).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_read_well() {
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(number),
            ["0", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]
        );
        let times = [0.0, 9.94, 59.9, 61.0, 4800.0, 90_000.0].map(time);
        assert_eq!(times, ["0 s", "9.9 s", "59 s", "1 min 1 s", "1 h 20 min", "1 d 1 h"]);
        assert_eq!((share(1, 3).as_str(), share(0, 0).as_str()), ("33.3 %", "–"));
    }

    #[test]
    fn a_terminal_gets_no_orders_from_a_file_name() {
        assert_eq!(visible("a\x1b[2Jb\r\n\u{202e}é中"), "a\\u{1b}[2Jb\\r\\n\\u{202e}é中");
        assert_eq!(visible_lines("a\tb\n\x07c"), "a    b\n\\u{7}c");
    }

    #[test]
    fn a_long_text_is_cut_between_letters() {
        assert_eq!(truncate("short".into(), 10), "short");
        assert!(truncate("ééé".into(), 3).starts_with("é\n; … 3 more bytes"));
    }
}
