//! The folder that `mutate`, `generate` and `fusion fuse` write to: case 1 is `000001.smt2`, and `000001.json` says how it
//! was made.

use std::fs;
use std::path::{Path, PathBuf};

use crate::exit::NoOutput;
use crate::json;
use crate::json::making::CaseHistory;
use crate::overwrite::ForceArgs;

/// A folder for cases.
pub struct CaseFolder<'a>(&'a Path);

/// How a case was made.
pub struct CaseOrigin<'a> {
    /// The strategy.
    pub strategy: &'a str,
    /// The files that it was made from.
    pub parents: Vec<String>,
    /// A description of the change.
    pub step: String,
    /// The promised answer: `sat`, `unsat`, `parent` (that of its parent) or `none`.
    pub promise: &'a str,
}

impl<'a> CaseFolder<'a> {
    /// Creates the folder; it must be empty unless the user forces it.
    pub fn create(folder: &'a Path, force: ForceArgs) -> anyhow::Result<CaseFolder<'a>> {
        force.check_folder(folder)?;
        fs::create_dir_all(folder).map_err(|source| NoOutput { path: folder.to_owned(), source })?;
        Ok(CaseFolder(folder))
    }

    /// Writes a case and its origin; cases are counted from 0, their files from 1.
    pub fn write(&self, index: u64, text: &str, origin: &CaseOrigin<'_>) -> Result<(), NoOutput> {
        let number = index + 1;
        let file = |ending: &str| self.0.join(format!("{number:06}.{ending}"));
        let CaseOrigin { strategy, parents, step, promise } = origin;
        let history = CaseHistory { case: number, strategy, parents, steps: vec![step], promise };
        put(file("smt2"), text)?;
        put(file("json"), &format!("{}\n", json::line(&history)))
    }
}

fn put(path: PathBuf, text: &str) -> Result<(), NoOutput> {
    fs::write(&path, text).map_err(|source| NoOutput { path, source })
}
