//! Reads files of the user within a size limit: a path may be `/dev/zero`, a huge log, an endless pipe.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

/// The first bytes of every gzip file.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The largest settings file, in bytes: campaigns, lists of known bugs, operators, fusion functions.
pub const MAX_SETTINGS_BYTES: u64 = 64 << 20;
/// The largest script or model, in bytes.
pub const MAX_SCRIPT_BYTES: u64 = 2 << 30;

/// Reads a file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if read as u64 > limit {
        let what = format!("it has more than {} MB", limit >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
    }
    Ok(bytes)
}

/// Reads all bytes, decompressed if they are gzip; returns `None` if there are more than `limit`: compressed data can grow a
/// thousandfold.
pub fn unpacked(mut reader: impl Read, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut start = Vec::new();
    reader.by_ref().take(GZIP_MAGIC.len() as u64).read_to_end(&mut start)?;
    let all = start.as_slice().chain(reader);
    if start == GZIP_MAGIC { within(MultiGzDecoder::new(all), limit) } else { within(all, limit) }
}

fn within(reader: impl Read, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

/// Reads a text file of at most `limit` bytes.
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
