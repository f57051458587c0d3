//! Reads the text of a seed from a file, unpacked, within bounds.

use std::fs::{self, File};
use std::io::{self, Read};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use gainsay_smt::{ErrorKind, Script, Signature, decode};

/// The first bytes of every gzip file.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The most bytes that gzip adds to an incompressible file.
const GZIP_OVERHEAD: u64 = 1024;

/// Why a file is no seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedFile {
    /// The reason, to complete "12 files …".
    pub reason: &'static str,
    /// The error of this file.
    pub what: String,
}

impl RefusedFile {
    /// For this reason.
    pub fn new(reason: &'static str, what: impl Into<String>) -> Self {
        RefusedFile { reason, what: what.into() }
    }

    /// It has the text of another seed.
    pub fn duplicate() -> Self {
        RefusedFile::new("have the text of another", "the same text as a seed before it")
    }

    fn unreadable(error: &io::Error) -> Self {
        RefusedFile::new("cannot be read", error.to_string())
    }

    fn too_large(most_bytes: u64) -> Self {
        RefusedFile::new("are too large", format!("more than {most_bytes} bytes"))
    }
}

/// The text of a file, decompressed if needed.
pub fn read(path: &Path, most_bytes: u64) -> Result<String, RefusedFile> {
    let metadata = fs::metadata(path).map_err(|error| RefusedFile::unreadable(&error))?;
    // Opening a pipe could block for ever.
    if !metadata.is_file() {
        return Err(RefusedFile::new("are no regular files", "a pipe, a socket or a device"));
    }
    if metadata.len() > most_bytes.saturating_add(GZIP_OVERHEAD) {
        return Err(RefusedFile::too_large(most_bytes));
    }
    let mut file = File::open(path).map_err(|error| RefusedFile::unreadable(&error))?;
    let mut start = Vec::new();
    let bytes = file.by_ref().take(GZIP_MAGIC.len() as u64).read_to_end(&mut start).and_then(|_| {
        let all = start.as_slice().chain(file);
        if start == GZIP_MAGIC {
            within(MultiGzDecoder::new(all), most_bytes)
        } else {
            within(all, most_bytes)
        }
    });
    let bytes = bytes
        .map_err(|error| RefusedFile::unreadable(&error))?
        .ok_or_else(|| RefusedFile::too_large(most_bytes))?;
    decode(&bytes).map(String::from).map_err(|error| RefusedFile::new("are no SMT-LIB", error.to_string()))
}

/// Reads all bytes; returns `None` if there are too many: compressed data can grow a thousandfold.
fn within(reader: impl Read, most_bytes: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader.take(most_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most_bytes).then_some(bytes))
}

/// Parses and sort-checks the text of a seed; a panic in our parser costs only this seed.
pub fn parse(text: &str, signature: &Arc<Signature>) -> Result<Script, RefusedFile> {
    match panic::catch_unwind(AssertUnwindSafe(|| Script::parse(text, signature))) {
        Ok(Ok(script)) => Ok(script),
        Ok(Err(error)) if error.kind == ErrorKind::Sort => {
            Err(RefusedFile::new("are ill-sorted", error.to_string()))
        }
        Ok(Err(error)) => Err(RefusedFile::new("are no SMT-LIB", error.to_string())),
        Err(_) => Err(RefusedFile::new(
            "make gainsay fail",
            "an internal error of gainsay; please report it with this file",
        )),
    }
}
