//! Lists the files at and below the paths that a user names, in order of their names.
//!
//! Links to folders are followed, but no folder is read twice, so cycles end.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::{RefusedFile, SeedsError};
use crate::store::sqlite::STORE_FILE;
use crate::store::triage_folder::is_triage_folder;

/// The file name suffixes of seeds.
const SCRIPT_SUFFIXES: [&str; 4] = [".smt2", ".smt2.gz", ".smt", ".smt.gz"];

/// The files that may be seeds, sorted, without duplicates. Unreadable files below a folder are refused; an unreadable path of
/// the user is an error.
pub fn files(
    paths: &[PathBuf],
    refuse: &mut dyn FnMut(&Path, RefusedFile),
) -> Result<Vec<PathBuf>, SeedsError> {
    let mut files = Vec::new();
    for path in paths {
        let unreadable = |error: std::io::Error| {
            let is_dash = path.file_name().is_some_and(|name| name == "-");
            let hint = if is_dash { "; standard input cannot be a seed, so name a file" } else { "" };
            SeedsError::Unreadable { path: path.clone(), why: format!("{error}{hint}") }
        };
        if !fs::metadata(path).map_err(unreadable)?.is_dir() {
            files.push(path.clone());
            continue;
        }
        fs::read_dir(path).map_err(unreadable)?;
        let before = files.len();
        below(path, &mut files, refuse);
        if files.len() == before {
            return Err(SeedsError::Empty { path: path.clone() });
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

fn below(root: &Path, files: &mut Vec<PathBuf>, refuse: &mut dyn FnMut(&Path, RefusedFile)) {
    let mut seen = HashSet::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        let real = fs::canonicalize(&folder).unwrap_or_else(|_| folder.clone());
        if !seen.insert(real) {
            refuse(&folder, RefusedFile::new("link to a folder that was read already", "a link"));
            continue;
        }
        let unreadable = |error: &std::io::Error| RefusedFile::new("unreadable", error.to_string());
        let mut entries: Vec<PathBuf> = match fs::read_dir(&folder) {
            Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
            Err(error) => {
                refuse(&folder, unreadable(&error));
                continue;
            }
        };
        entries.sort();
        for path in entries {
            match fs::metadata(&path) {
                // The findings of a campaign below the user's folder would become seeds when it is resumed.
                Ok(metadata) if metadata.is_dir() && path.join(STORE_FILE).exists() => {
                    refuse(&path, RefusedFile::new("folder of a campaign", "a campaign's records"));
                }
                // So would the reports of triage, which lie beside the scripts that it was given.
                Ok(metadata) if metadata.is_dir() && is_triage_folder(&path) => {
                    refuse(&path, RefusedFile::new("folder of triage", "records and reports of triage"));
                }
                Ok(metadata) if metadata.is_dir() => open.push(path),
                _ if is_named_like_a_seed(&path) => files.push(path),
                Ok(_) => {
                    refuse(&path, RefusedFile::new("not .smt2", "not .smt2, .smt2.gz or .smt"));
                }
                Err(error) => refuse(&path, unreadable(&error)),
            }
        }
    }
}

fn is_named_like_a_seed(path: &Path) -> bool {
    script_stem(path).is_some()
}

/// The file name of a script without its suffix; `None` if the name is not that of a script.
pub fn script_stem(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy();
    SCRIPT_SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix)).map(str::to_owned)
}
