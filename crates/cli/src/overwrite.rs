//! Keeps `--out` from overwriting files silently: an existing file, or a folder with files in it, needs `--force`.

use std::path::Path;

use crate::exit::UsageError;

/// The flag of every command that writes to `--out`.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct ForceArgs {
    /// Overwrite the files in --out if they exist.
    #[arg(long)]
    force: bool,
}

impl ForceArgs {
    /// Fails if `path` is an existing file or a folder; a device, such as `/dev/stdout`, is fine.
    pub fn check_file(self, path: &Path) -> Result<(), UsageError> {
        let shown = path.display();
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty() && !parent.is_dir());
        if let Some(parent) = parent {
            return Err(UsageError(format!("the folder {} does not exist", parent.display())));
        }
        match () {
            () if path.is_dir() => Err(UsageError(format!("--out {shown} is a folder; name a file"))),
            () if path.is_file() && !self.force => {
                Err(UsageError(format!("{shown} exists; name another --out, or overwrite it with --force")))
            }
            () => Ok(()),
        }
    }

    /// Fails if `path` is a folder with files in it or cannot be a folder.
    pub fn check_folder(self, path: &Path) -> Result<(), UsageError> {
        let shown = path.display();
        let has_files = || std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
        match () {
            () if path.exists() && !path.is_dir() => {
                Err(UsageError(format!("--out {shown} is a file; name a folder")))
            }
            () if !self.force && has_files() => Err(UsageError(format!(
                "the folder {shown} is not empty; name another --out, or overwrite files in it with --force"
            ))),
            () => Ok(()),
        }
    }
}
