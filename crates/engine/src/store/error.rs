//! What can go wrong with a store, in one sentence each.

use std::path::PathBuf;

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder holds a campaign already.
    #[error("{0} already holds a campaign: continue it with --resume, or choose another --out")]
    Exists(PathBuf),
    /// The folder holds no campaign.
    #[error("{0} holds no campaign: `gainsay fuzz --out` makes one")]
    Missing(PathBuf),
    /// The store is damaged.
    #[error(
        "the store of {folder} is damaged ({why}); it was left as it is, and so was what is in {folder}/findings: \
         put a copy of it back, or begin anew with `gainsay fuzz {folder}/campaign.toml --out OTHER`"
    )]
    Damaged {
        /// The folder of the campaign.
        folder: PathBuf,
        /// The damage.
        why: String,
    },
    /// Another version of gainsay wrote it, in a format that this one does not know.
    #[error(
        "{} gainsay wrote the store of {folder} (format {found}; this one reads format {known}): use that release for it, or begin \
         anew with `gainsay fuzz {folder}/campaign.toml --out OTHER`",
        if found < known { "an older" } else { "a newer" }
    )]
    Format {
        /// The folder of the campaign.
        folder: PathBuf,
        /// The format found.
        found: u32,
        /// The format known.
        known: u32,
    },
    /// Another gainsay works in the folder.
    #[error("another gainsay process is using {0}")]
    Busy(PathBuf),
    /// The records cannot be created or read: no permission, not a folder, no space.
    #[error("cannot open the records of a campaign in {folder}: {why}")]
    Open {
        /// The folder of the campaign.
        folder: PathBuf,
        /// The error of the system.
        why: String,
    },
    /// A shared store cannot be used, and trying again does not mend that.
    #[error("the store {store} cannot be used: {why}")]
    Server {
        /// Its address, without a password.
        store: String,
        /// The reason.
        why: String,
    },
    /// The disk of the server is full.
    #[error(
        "the store {store} takes no more records: {why}; what was recorded until then is intact, and `gainsay work` goes on from \
         there when there is space"
    )]
    ServerDisk {
        /// Its address, without a password.
        store: String,
        /// The message of the server.
        why: String,
    },
    /// The server of a shared store cannot be reached at the moment.
    #[error("the store {store} cannot be reached: {why}")]
    Connection {
        /// Its address, without a password.
        store: String,
        /// The reason.
        why: String,
    },
    /// Another worker has taken over chains of this one, so that its last cases do not count.
    #[error("another worker of {0} has taken over chains of this one: its last cases are made again")]
    LeaseLost(String),
    /// The disk is full, or writing is not permitted.
    #[error(
        "cannot keep the records of the campaign in {folder}: {why}; what was recorded until then is intact, \
         and --resume continues from there"
    )]
    Disk {
        /// The folder of the campaign.
        folder: PathBuf,
        /// The error of the system.
        why: String,
    },
}

impl StoreError {
    /// Returns true if a worker can go on after it has opened the store anew.
    pub fn is_passing(&self) -> bool {
        matches!(self, StoreError::Connection { .. } | StoreError::LeaseLost(_))
    }
}
