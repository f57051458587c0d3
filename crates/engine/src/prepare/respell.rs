//! Other spellings for the names in a text, and nothing else changed: strings, quoted symbols and comments stay.

use std::collections::{BTreeMap, BTreeSet};

/// How names are spelled instead; nothing for what cannot be said.
pub type NameSpelling = BTreeMap<String, Option<String>>;

/// The text in another spelling, or nothing if it needs none. The error is the first name that cannot be said.
///
/// Names that the script itself gives to something (`own`) are its own.
pub fn respell(
    text: &str,
    spelling: &NameSpelling,
    own: &BTreeSet<String>,
) -> Result<Option<String>, String> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let (mut at, mut copied) = (0, 0);
    while at < bytes.len() {
        let end = match bytes[at] {
            quote @ (b'"' | b'|') => after(bytes, at + 1, quote),
            b';' => after(bytes, at + 1, b'\n'),
            byte if is_symbol(byte) => {
                at + bytes[at..].iter().position(|&byte| !is_symbol(byte)).unwrap_or(bytes.len() - at)
            }
            _ => at + 1,
        };
        let word = &text[at..end];
        if let Some(spelled) = spelling.get(word).filter(|_| !own.contains(word)) {
            let spelled = spelled.as_ref().ok_or_else(|| word.to_owned())?;
            out.push_str(&text[copied..at]);
            out.push_str(spelled);
            copied = end;
        }
        at = end;
    }
    if copied == 0 {
        return Ok(None);
    }
    out.push_str(&text[copied..]);
    Ok(Some(out))
}

fn is_symbol(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/:".contains(&byte) || !byte.is_ascii()
}

/// The place after the next `byte`, or the end.
fn after(bytes: &[u8], from: usize, byte: u8) -> usize {
    bytes[from..].iter().position(|&b| b == byte).map_or(bytes.len(), |length| from + length + 1)
}
