//! Writes values as YAML.
//!
//! Every JSON text is YAML 1.2, so strings are written as JSON strings, whatever they hold: `no`, `1e3`, `a: b` and quotes mean nothing else then. Only mappings and lists are
//! written in YAML's own way, one entry a line, and long harmless texts as block literals, because people read these files.

use serde_json::Value;

/// Several values as the documents of one YAML file.
pub fn documents(values: &[Value]) -> String {
    values.iter().map(|value| format!("---\n{}", block(value, 0))).collect()
}

/// A value as lines, each indented by so many levels.
fn block(value: &Value, level: usize) -> String {
    let indent = "  ".repeat(level);
    match value {
        Value::Object(entries) if !entries.is_empty() => entries
            .iter()
            .map(|(key, value)| format!("{indent}{}:{}", key_text(key), after(value, level)))
            .collect(),
        Value::Array(items) if !items.is_empty() => {
            // The first line of an item stands beside its hyphen.
            let item = |item: &Value| match item {
                Value::Object(entries) if !entries.is_empty() => {
                    format!("{indent}- {}", block(item, level + 1).trim_start())
                }
                _ => format!("{indent}-{}", after(item, level)),
            };
            items.iter().map(item).collect()
        }
        value => format!("{indent}{}\n", scalar(value)),
    }
}

/// A value after a key or a hyphen.
fn after(value: &Value, level: usize) -> String {
    match value {
        Value::Object(entries) if !entries.is_empty() => format!("\n{}", block(value, level + 1)),
        Value::Array(items) if !items.is_empty() => format!("\n{}", block(value, level + 1)),
        Value::String(text) if is_literal(text) => {
            let indent = "  ".repeat(level + 1);
            let line =
                |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("{indent}{line}\n") };
            format!(" |\n{}", text.lines().map(line).collect::<String>())
        }
        value => format!(" {}\n", scalar(value)),
    }
}

/// Returns true if a text can be written as a block literal, which knows no escapes: several lines of visible ASCII, that end with one newline.
fn is_literal(text: &str) -> bool {
    let is_visible = |letter: char| letter == '\n' || (' '..='~').contains(&letter);
    text.ends_with('\n')
        && !text.ends_with("\n\n")
        && !text.starts_with([' ', '\n'])
        && text.lines().count() > 1
        && text.chars().all(is_visible)
}

/// A key; ours are words, but names of files may be anything.
fn key_text(key: &str) -> String {
    let is_plain = !key.is_empty() && key.chars().all(|letter| letter.is_ascii_alphabetic());
    // Words that YAML 1.1 reads as Booleans or null.
    let is_special =
        ["y", "n", "yes", "no", "on", "off", "true", "false", "null"].contains(&&*key.to_lowercase());
    if is_plain && !is_special { key.to_owned() } else { quoted(key) }
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

/// A JSON string; YAML does not allow some letters that JSON does, so they are escaped.
fn quoted(text: &str) -> String {
    let json = Value::String(text.to_owned()).to_string();
    let is_refused = |letter: char| {
        matches!(letter, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
    };
    let escaped = |letter: char| match is_refused(letter) {
        true => format!("\\u{:04x}", u32::from(letter)),
        false => letter.to_string(),
    };
    json.chars().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_written_for_people_and_strings_are_quoted() {
        let value = json!({"kind": "Job", "spec": {"count": 3, "on": false, "list": ["no", {"a": 1, "b": [2]}], "none": {}}});
        let expected = "---\n\"kind\": \"Job\"\n".replace("\"kind\":", "kind:")
            + "spec:\n  count: 3\n  \"on\": false\n  list:\n    - \"no\"\n    - a: 1\n      b:\n        - 2\n  none: {}\n";
        let written = documents(std::slice::from_ref(&value));
        // Keys may be sorted.
        let sorted = |text: &str| {
            let mut lines: Vec<&str> = text.lines().collect();
            lines.sort_unstable();
            lines.join("\n")
        };
        assert_eq!(sorted(&written), sorted(&expected), "{written}");
    }

    #[test]
    fn a_long_text_is_a_literal_unless_it_has_odd_letters() {
        assert_eq!(documents(&[json!({"plan": "a = 1\n\n[b]\n"})]), "---\nplan: |\n  a = 1\n\n  [b]\n");
        for text in [" a\nb\n", "a\nb", "a\tb\nc\n", "a\nb\n\n", "one line\n", "\na\nb\n"] {
            let written = documents(&[json!({ "plan": text })]);
            assert!(written.starts_with("---\nplan: \""), "{written}");
        }
        assert_eq!(documents(&[json!({"a": "\u{7f}\u{2028}"})]), "---\na: \"\\u007f\\u2028\"\n");
    }
}
