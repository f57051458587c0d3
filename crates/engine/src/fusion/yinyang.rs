//! yinyang's notation.

use super::{FileError, Function};

/// Whether a text is in yinyang's notation.
pub fn is_yinyang(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with("#begin"))
}

/// The functions of a file of yinyang's.
pub fn read(_text: &str) -> Result<Vec<Function>, FileError> {
    Ok(Vec::new())
}
