//! Reading files of the user's that may be anything: `/dev/zero`, a terabyte of log, a pipe without an end.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes that a file of settings may have: campaigns, lists of known findings, operators, fusion functions.
pub const MAX_SETTINGS_BYTES: u64 = 64 << 20;
/// Bytes that a script or a model may have.
pub const MAX_SCRIPT_BYTES: u64 = 2 << 30;

/// The bytes of a file that has no more than `limit`.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if read as u64 > limit {
        let what = format!("it has more than {} MB", limit >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
    }
    Ok(bytes)
}

/// The text of a file that has no more than `limit` bytes.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    String::from_utf8(read(path, limit)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not text in UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_an_end_is_refused_at_the_limit() {
        let error = read(Path::new("/dev/zero"), 1 << 20).unwrap_err();
        assert_eq!(error.to_string(), "it has more than 1 MB");
        assert_eq!(read(Path::new("/dev/null"), 0).unwrap(), b"");
    }
}
