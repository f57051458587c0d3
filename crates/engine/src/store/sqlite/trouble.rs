//! Translates SQLite's errors: damage, a full or read-only disk, or another process at work.

use std::fmt;
use std::path::{Path, PathBuf};

use rusqlite::{Error, ErrorCode};

use crate::store::StoreError;

/// The location of a store, for errors.
#[derive(Debug, Clone)]
pub struct StoreLocation {
    /// The folder of the campaign.
    pub folder: PathBuf,
}

impl StoreLocation {
    /// The store in this folder.
    pub fn new(folder: &Path) -> Self {
        StoreLocation { folder: folder.to_owned() }
    }

    /// Translates an error of SQLite.
    pub fn told(&self, error: &Error) -> StoreError {
        use ErrorCode::{
            DatabaseBusy, DatabaseCorrupt, DatabaseLocked, DiskFull, NotADatabase, TooBig, Unknown,
        };
        match error.sqlite_error_code() {
            Some(DiskFull) => self.disk("the disk is full"),
            Some(DatabaseBusy | DatabaseLocked) => StoreError::Busy(self.folder.clone()),
            Some(NotADatabase) => self.damaged("it is not a database"),
            Some(DatabaseCorrupt | TooBig | Unknown) | None => self.damaged(&error.to_string()),
            // A folder or a socket is no store; no permission changes that.
            Some(_) if self.is_no_file() => self.damaged("it is not a file"),
            Some(_) => self.disk(error),
        }
    }

    /// The disk is full, or writing is not permitted.
    pub fn disk(&self, why: impl fmt::Display) -> StoreError {
        StoreError::Disk { folder: self.folder.clone(), why: why.to_string() }
    }

    /// The store is damaged.
    pub fn damaged(&self, why: &str) -> StoreError {
        // SQLite reports some damage in several lines.
        let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
        StoreError::Damaged { folder: self.folder.clone(), why }
    }

    /// Returns true if something else has the name of the store.
    fn is_no_file(&self) -> bool {
        self.folder.join(super::STORE_FILE).metadata().is_ok_and(|metadata| !metadata.is_file())
    }
}

/// The error of opening a store, before anything was written to it.
pub fn unopened(error: StoreError) -> StoreError {
    match error {
        StoreError::Disk { folder, why } => StoreError::Open { folder, why },
        error => error,
    }
}

/// Whether the trouble is that nothing can be written beside the store.
pub fn is_closed(error: &Error) -> bool {
    use ErrorCode::{CannotOpen, PermissionDenied, ReadOnly, SystemIoFailure};
    matches!(error.sqlite_error_code(), Some(CannotOpen | PermissionDenied | ReadOnly | SystemIoFailure))
}

/// A value that we cannot have written.
pub fn unreadable(what: &str, error: impl std::error::Error + Send + Sync + 'static) -> Error {
    let text = format!("{what} cannot be read: {error}");
    Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, text.into())
}
