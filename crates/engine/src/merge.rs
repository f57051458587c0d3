//! Joins campaigns that are parts of one: shards, whole or killed, and campaigns that were joined before.
//!
//! The result is a campaign without a shard, as if one process had made all the cases: `list`, `report`, `replay` and `triage` work on it, and `--resume` makes
//! the cases that no part has made, those of a shard that died included. Parts are only read. The joined campaign is built in a folder beside its place and gets
//! its name by one rename, so that it is never incomplete.
//!
//! Joining is associative: joining the join of a and b with c gives the records of joining a with the join of b and c. Where parts know different things of the same seed
//! (its status, values for its constants), those of the first part count.
//!
//! `parts.rs` opens the parts and compares them, `joined.rs` computes the records, `samples.rs` the curves.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::store::StoreError;
use crate::store::sqlite::Sqlite;

mod joined;
mod parts;
mod samples;

use joined::JoinedRecords;
pub use parts::{CampaignPart, plan_differences};
use parts::{check_disjoint, check_rosters, whole_plan};

/// Why campaigns cannot be joined.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No part holds a campaign.
    #[error("none of the folders holds a campaign")]
    Nothing,
    /// A recorded plan cannot be read.
    #[error("the plan of {folder} cannot be read: {why}", folder = .folder.display())]
    Plan {
        /// The folder of the campaign.
        folder: PathBuf,
        /// The reason.
        why: String,
    },
    /// The parts have different plans.
    #[error(
        "{one} and {other} are parts of different campaigns, and cannot be joined: {differences}",
        one = .one.display(), other = .other.display()
    )]
    Plans {
        /// A part.
        one: PathBuf,
        /// Another part.
        other: PathBuf,
        /// Their differences.
        differences: String,
    },
    /// The parts have the same cases.
    #[error(
        "{one} and {other} both made the cases of chain {chain}, which would count twice: name each shard once",
        one = .one.display(), other = .other.display()
    )]
    Twice {
        /// A part.
        one: PathBuf,
        /// Another part.
        other: PathBuf,
        /// The first chain that both have made.
        chain: u64,
    },
    /// The place of the result is taken.
    #[error("{0} already exists: name a folder that does not exist")]
    Exists(PathBuf),
    /// Another process joins campaigns into the same folder.
    #[error("another gainsay process is joining campaigns into {0}")]
    Busy(PathBuf),
    /// The result cannot be written.
    #[error("cannot write {path}: {why}", path = .path.display())]
    Disk {
        /// The path.
        path: PathBuf,
        /// The error of the system.
        why: std::io::Error,
    },
}

/// What was joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeSummary {
    /// Parts with a campaign.
    pub parts: usize,
    /// Cases of the budget that no part has made; `None` if the plan has no budget of cases.
    pub missing_cases: Option<u64>,
}

/// Joins the parts, in this order, into the new campaign `out`.
pub fn merge(parts: &[CampaignPart], out: &Path) -> Result<MergeSummary, MergeError> {
    let plan = whole_plan(parts)?;
    check_rosters(parts)?;
    check_disjoint(parts)?;
    let staging = Staging::begin(out)?;
    let records = JoinedRecords::read(parts)?;
    let missing_cases = plan.budget.cases.map(|all| all.saturating_sub(records.made_cases()));
    let mut store = Sqlite::create(&staging.folder, &plan.to_toml())?;
    records.write(parts, &mut store, (&staging.folder, out))?;
    // The last connection writes everything to the main file when it is closed.
    drop(store);
    staging.publish(out)?;
    Ok(MergeSummary { parts: parts.len(), missing_cases })
}

/// The folder in which the result is built; its lock ends with the process.
struct Staging {
    folder: PathBuf,
    _lock: File,
}

impl Staging {
    /// Creates the folder, or empties the one that a killed process left.
    fn begin(out: &Path) -> Result<Staging, MergeError> {
        let disk = |path: &Path| {
            let path = path.to_owned();
            |why| MergeError::Disk { path, why }
        };
        let is_empty_folder = || fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_none());
        if out.symlink_metadata().is_ok() && !is_empty_folder() {
            return Err(MergeError::Exists(out.to_owned()));
        }
        let name = out.file_name().ok_or_else(|| MergeError::Exists(out.to_owned()))?;
        let folder = out.with_file_name(format!(".{}.merging", name.to_string_lossy()));
        fs::create_dir_all(&folder).map_err(disk(&folder))?;
        let lock = File::open(&folder).map_err(disk(&folder))?;
        let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
        let ours = lock.metadata().map(identity).map_err(disk(&folder))?;
        // Another process may have finished, and renamed the folder, just before we got the lock.
        if lock.try_lock().is_err() || fs::metadata(&folder).map(identity).ok() != Some(ours) {
            return Err(MergeError::Busy(out.to_owned()));
        }
        for entry in fs::read_dir(&folder).map_err(disk(&folder))? {
            let path = entry.map_err(disk(&folder))?.path();
            let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.map_err(disk(&path))?;
        }
        Ok(Staging { folder, _lock: lock })
    }

    /// Gives the result its name.
    fn publish(self, out: &Path) -> Result<(), MergeError> {
        // Renaming replaces an empty folder, and nothing else.
        fs::rename(&self.folder, out).map_err(|why| match out.symlink_metadata() {
            Ok(_) => MergeError::Exists(out.to_owned()),
            Err(_) => MergeError::Disk { path: out.to_owned(), why },
        })
    }
}
