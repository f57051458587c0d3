//! Writes files for users: whole or not at all, so that a kill or a full disk leaves the old file as it was.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use crate::exit::NoOutput;

/// Writes a file under another name and renames it. A device or a pipe, such as `/dev/stdout`, is written to directly.
pub fn write(path: &Path, text: &str) -> Result<(), NoOutput> {
    let failed = |source| NoOutput { path: path.to_owned(), source };
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return fs::write(path, text).map_err(failed);
    }
    // A link stays a link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let draft = folder.join(format!(".{name}.{}", std::process::id()));
    let written = File::create(&draft)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&draft, &target));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written.map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_written_stays_as_it_was_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("report.md");
        write(&file, "old").unwrap();
        // A file whose name is that of the draft makes writing fail.
        let draft = folder.path().join(format!(".report.md.{}", std::process::id()));
        fs::create_dir(&draft).unwrap();
        assert!(write(&file, "new").is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "old");
        fs::remove_dir(&draft).unwrap();
        write(&file, "new").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_link_stays_a_link_and_a_device_is_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, "new").unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        write(Path::new("/dev/null"), "x").unwrap();
    }
}
