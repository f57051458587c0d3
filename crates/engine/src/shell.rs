//! Quotes paths for a shell, so that the commands that gainsay suggests can be copied.

use std::ffi::OsStr;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A path as one word of a shell command. Names with control characters or invalid UTF-8 are written as `$'…'`, which bash, zsh and
/// ksh read; a name that looks like an option gets `./` before it.
pub fn quoted(path: &Path) -> String {
    let is_like_option = path.as_os_str().as_bytes().starts_with(b"-");
    quote(path.as_os_str(), if is_like_option { "./" } else { "" })
}

/// Any word of a shell command, in the same way; an option stays one.
pub fn quoted_word(word: &str) -> String {
    quote(OsStr::new(word), "")
}

fn quote(name: &OsStr, prefix: &str) -> String {
    let bytes = name.as_bytes();
    match name.to_str() {
        Some(text) if is_plain(text) => format!("{prefix}{text}"),
        Some(text) if !text.chars().any(|letter| letter.is_control() || is_hidden(letter)) => {
            format!("'{prefix}{}'", text.replace('\'', "'\\''"))
        }
        _ => {
            let mut word = format!("$'{prefix}");
            for &byte in bytes {
                let _ = match byte {
                    b'\'' | b'\\' => write!(word, "\\{}", char::from(byte)),
                    b' '..=b'~' => write!(word, "{}", char::from(byte)),
                    _ => write!(word, "\\x{byte:02x}"),
                };
            }
            word + "'"
        }
    }
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "/._-+,:@".contains(c))
}

/// Characters that hide or reorder text.
fn is_hidden(letter: char) -> bool {
    matches!(letter, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_every_name_back() {
        let names: [&[u8]; 9] = [
            b"plain/name-1.smt2",
            b"two words",
            b"it's $HOME `x` \\ \"q\"",
            b"-rf",
            b"-r f",
            b"new\nline\ttab",
            b"\x1b[2Jred",
            b"invalid \xff\xfe",
            "zw\u{200b}sp \u{202e}".as_bytes(),
        ];
        for name in names {
            let word = quoted(Path::new(OsStr::from_bytes(name)));
            let script = format!("printf %s {word}");
            let said =
                std::process::Command::new("bash").args(["-c", &script]).output().expect("a shell").stdout;
            let expected = if name.starts_with(b"-") { [b"./", name].concat() } else { name.to_vec() };
            assert_eq!(said, expected, "{word}");
        }
    }

    #[test]
    fn an_option_stays_one_word_and_an_option() {
        assert_eq!(quoted_word("--match-err"), "--match-err");
        assert_eq!(quoted_word("-x y"), "'-x y'");
    }
}
