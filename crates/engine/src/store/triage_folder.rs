//! The folder of triage: its name, and how to recognize it.
//!
//! Triage writes it beside the scripts that it reads, so code that collects scripts below a folder must skip it. `triage/record.rs` states
//! the layout; this module recognises the folder, because both seeds and triage need that.

use std::path::Path;

/// The folder of triage, below that of a campaign or of scripts.
pub const TRIAGE_FOLDER: &str = "triage";
/// The folder of triggers, below that of triage.
pub const TRIGGERS_FOLDER: &str = "triggers";
/// The file that a running triage has locked.
pub const LOCK_FILE: &str = "lock";

/// Returns true if triage keeps its records and reports in a folder.
pub fn is_triage_folder(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == TRIAGE_FOLDER)
        && folder.join(LOCK_FILE).is_file()
        && folder.join(TRIGGERS_FOLDER).is_dir()
}
