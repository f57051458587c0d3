//! Replaces names in a text by other spellings; strings, quoted symbols and comments stay unchanged.

use std::collections::{BTreeMap, BTreeSet};

/// The other spelling of each name; `None` for names that cannot be expressed.
pub type NameSpelling = BTreeMap<String, Option<String>>;

/// The text in another spelling; `None` if it needs no change. The error is the first name that cannot be expressed.
///
/// Names that the script itself declares (`own`) stay unchanged.
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

/// The position after the next `byte`, or the end.
fn after(bytes: &[u8], from: usize, byte: u8) -> usize {
    bytes[from..].iter().position(|&b| b == byte).map_or(bytes.len(), |length| from + length + 1)
}
