//! Helpers shared by the tests of this crate.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use std::fs;
use std::path::{Path, PathBuf};

/// The `.smt2` files of a folder below `tests/`, sorted, with their texts.
pub fn scripts(folder: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "smt2"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no scripts in {}", folder.display());
    files.into_iter().map(|path| (path.clone(), fs::read_to_string(&path).unwrap())).collect()
}
