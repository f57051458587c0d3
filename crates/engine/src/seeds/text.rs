//! Reads the text of a seed from a file, unpacked, within bounds.

use std::fs::{self, File};
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Arc;

use gainsay_smt::{ErrorKind, Script, Signature, decode};

use crate::bounded;

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
        RefusedFile::new("duplicate", "the same text as a seed before it")
    }

    fn unreadable(error: &io::Error) -> Self {
        RefusedFile::new("unreadable", error.to_string())
    }

    fn too_large(most_bytes: u64) -> Self {
        RefusedFile::new("too large", format!("more than {most_bytes} bytes"))
    }
}

/// The text of a file, decompressed if needed.
pub fn read(path: &Path, most_bytes: u64) -> Result<String, RefusedFile> {
    let metadata = fs::metadata(path).map_err(|error| RefusedFile::unreadable(&error))?;
    // Opening a pipe could block for ever.
    if !metadata.is_file() {
        return Err(RefusedFile::new("not a regular file", "a pipe, a socket or a device"));
    }
    if metadata.len() > most_bytes.saturating_add(GZIP_OVERHEAD) {
        return Err(RefusedFile::too_large(most_bytes));
    }
    let file = File::open(path).map_err(|error| RefusedFile::unreadable(&error))?;
    let bytes = bounded::unpacked(file, most_bytes);
    let bytes = bytes
        .map_err(|error| RefusedFile::unreadable(&error))?
        .ok_or_else(|| RefusedFile::too_large(most_bytes))?;
    decode(&bytes).map(String::from).map_err(|error| RefusedFile::new("not SMT-LIB", error.to_string()))
}

/// Parses and sort-checks the text of a seed; a panic in our parser costs only this seed.
pub fn parse(text: &str, signature: &Arc<Signature>) -> Result<Script, RefusedFile> {
    match panic::catch_unwind(AssertUnwindSafe(|| Script::parse(text, signature))) {
        Ok(Ok(script)) => Ok(script),
        Ok(Err(error)) if error.kind == ErrorKind::Sort => {
            Err(RefusedFile::new("ill-sorted", error.to_string()))
        }
        Ok(Err(error)) => Err(RefusedFile::new("not SMT-LIB", error.to_string())),
        Err(_) => Err(RefusedFile::new(
            "make gainsay fail",
            "an internal error of gainsay; please report it with this file",
        )),
    }
}
