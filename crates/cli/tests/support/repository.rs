//! Where the repository lies, for tests that read its files.

use std::path::{Path, PathBuf};

/// The folder of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("tests run in the repository")
}
