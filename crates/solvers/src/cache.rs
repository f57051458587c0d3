//! The folder where installed solvers are kept: `solvers/NAME/VERSION/` with `installed.toml` and the files.
//!
//! A solver appears and disappears by one rename, so no process ever sees an incomplete one. A process that installs or
//! removes a version holds its lock file, so that two processes at once do the work once. The kernel releases the lock
//! (`flock`) however the process ends.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::install::pip::Variables;
use super::version::Version;

/// The record that makes a folder an installed solver.
const RECORD_FILE: &str = "installed.toml";
/// The format of that record; folders with another format are ignored.
const RECORD_FORMAT: u32 = 1;

/// The folder of installed solvers.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
}

/// The record of an installed solver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstallRecord {
    /// The format of this record.
    pub format: u32,
    /// The name of the profile.
    pub solver: String,
    /// The version in its short form.
    pub version: Version,
    /// The wheel that it came from.
    pub wheel: String,
    /// Its address, without any password.
    pub address: String,
    /// The SHA-256 of that wheel.
    pub sha256: String,
    /// The files taken from it.
    pub files: Vec<String>,
}

/// An installed solver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// Where it is.
    pub folder: PathBuf,
    /// Its record.
    pub record: InstallRecord,
}

/// A file or folder of the cache cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}", disk_message(path, reason))]
pub struct DiskError {
    /// The file or folder.
    pub path: PathBuf,
    /// The error of the system.
    pub reason: io::Error,
}

/// Held while a process installs or removes one version.
#[derive(Debug)]
pub struct VersionLock {
    _file: File,
}

/// A temporary folder to build an installed solver in; dropped with it unless published.
#[derive(Debug)]
pub struct StagingFolder {
    folder: PathBuf,
}

/// Why there is no folder to install solvers in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoCacheFolder {
    /// No variable names one.
    #[error("there is no folder to install solvers in; set HOME or GAINSAY_CACHE")]
    Unset,
    /// A variable holds a relative path.
    #[error(
        "{name}={value} is a relative path; set {name} to an absolute one, since solvers are installed below it"
    )]
    Relative {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
    },
}

impl Cache {
    /// The cache in this folder, which need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Cache { folder: folder.into() }
    }

    /// The cache of the user whose environment this is: `GAINSAY_CACHE`, else `gainsay` in the folder for caches.
    ///
    /// A relative path is refused: each working folder would get a cache of its own.
    pub fn of_user(variables: &Variables) -> Result<Self, NoCacheFolder> {
        let path = |name: &'static str| {
            let value = variables.get(name).filter(|value| !value.is_empty())?;
            let folder = PathBuf::from(value);
            let relative = || NoCacheFolder::Relative { name, value: value.clone() };
            Some(if folder.is_absolute() { Ok(folder) } else { Err(relative()) })
        };
        if let Some(folder) = path("GAINSAY_CACHE") {
            return Ok(Cache::new(folder?));
        }
        // The XDG specification says to ignore relative paths.
        let shared = match path("XDG_CACHE_HOME") {
            Some(Ok(folder)) => folder,
            _ => path("HOME").ok_or(NoCacheFolder::Unset)??.join(".cache"),
        };
        Ok(Cache::new(shared.join("gainsay")))
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder of a version, installed or not.
    pub fn place(&self, solver: &str, version: &Version) -> PathBuf {
        self.solvers().join(solver).join(version.to_string())
    }

    /// The installed solver of that name and version.
    pub fn find(&self, solver: &str, version: &Version) -> Option<Installed> {
        read(&self.place(solver, version))
    }

    /// All installed solvers, by name and version.
    pub fn list(&self) -> Vec<Installed> {
        let mut found: Vec<Installed> = children(&self.solvers())
            .flat_map(|solver| children(&solver))
            .filter_map(|folder| read(&folder))
            .collect();
        found.sort_by(|a, b| {
            (&a.record.solver, &a.record.version).cmp(&(&b.record.solver, &b.record.version))
        });
        found
    }

    /// Locks a version for installing or removing it; calls `waiting` if another process holds the lock.
    pub fn lock(
        &self,
        solver: &str,
        version: &Version,
        waiting: &mut dyn FnMut(),
    ) -> Result<VersionLock, DiskError> {
        let path = self.solvers().join(".locks").join(format!("{solver}-{version}.lock"));
        let wrong = |reason| DiskError { path: path.clone(), reason };
        fs::create_dir_all(path.parent().unwrap_or(&self.folder)).map_err(wrong)?;
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(wrong)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => {
                waiting();
                file.lock().map_err(wrong)?;
            }
            Err(fs::TryLockError::Error(source)) => return Err(wrong(source)),
        }
        Ok(VersionLock { _file: file })
    }

    /// An empty folder to build a version in. Since the caller holds the lock, leftovers there belong to no running process.
    pub fn stage(
        &self,
        solver: &str,
        version: &Version,
        _held: &VersionLock,
    ) -> Result<StagingFolder, DiskError> {
        let folder = self.solvers().join(".staging").join(format!("{solver}-{version}"));
        let made = clear(&folder).and_then(|()| fs::create_dir_all(&folder));
        made.map_err(|reason| DiskError { path: folder.clone(), reason })?;
        Ok(StagingFolder { folder })
    }

    /// Moves the staging folder into place, with its record.
    pub fn publish(&self, stage: &StagingFolder, record: InstallRecord) -> Result<Installed, DiskError> {
        let place = self.place(&record.solver, &record.version);
        let text = toml::to_string(&record).expect("a record has nothing that TOML cannot say");
        let wrong = |reason| DiskError { path: place.clone(), reason };
        write_synced(&stage.folder.join(RECORD_FILE), text.as_bytes()).map_err(wrong)?;
        // The folder there has no valid record; otherwise nothing would be installed now.
        let parent = place.parent().unwrap_or(&self.folder);
        let put = fs::create_dir_all(parent)
            .and_then(|()| clear(&place))
            .and_then(|()| fs::rename(&stage.folder, &place));
        put.and_then(|()| File::open(parent)?.sync_all()).map_err(wrong)?;
        Ok(Installed { folder: place, record })
    }

    /// Removes an installed version.
    pub fn remove(&self, installed: &Installed) -> Result<(), DiskError> {
        let InstallRecord { solver, version, .. } = &installed.record;
        let lock = self.lock(solver, version, &mut || {})?;
        let stage = self.stage(solver, version, &lock)?;
        let moved = fs::rename(&installed.folder, stage.folder.join("removed"));
        moved.map_err(|reason| DiskError { path: installed.folder.clone(), reason })
    }

    fn solvers(&self) -> PathBuf {
        self.folder.join("solvers")
    }
}

impl StagingFolder {
    /// Where to build.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for StagingFolder {
    fn drop(&mut self) {
        // After a rename the folder does not exist; otherwise the next holder of the lock would clear it, too.
        let _ = clear(&self.folder);
    }
}

impl Installed {
    /// `z3@4.8.10`
    pub fn name(&self) -> String {
        format!("{}@{}", self.record.solver, self.record.version)
    }

    /// Bytes that its files take.
    pub fn size(&self) -> u64 {
        let length =
            |file: &String| fs::metadata(self.folder.join(file)).map_or(0, |metadata| metadata.len());
        self.record.files.iter().map(length).sum()
    }
}

fn read(folder: &Path) -> Option<Installed> {
    let record: InstallRecord = toml::from_str(&fs::read_to_string(folder.join(RECORD_FILE)).ok()?).ok()?;
    (record.format == RECORD_FORMAT).then(|| Installed { folder: folder.to_owned(), record })
}

impl InstallRecord {
    /// A record of the current format.
    pub fn new(solver: &str, version: &Version, wheel: &str, address: &str) -> Self {
        InstallRecord {
            format: RECORD_FORMAT,
            solver: solver.to_owned(),
            version: version.clone(),
            wheel: wheel.to_owned(),
            address: address.to_owned(),
            sha256: String::new(),
            files: Vec::new(),
        }
    }
}

fn children(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn clear(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    io::Write::write_all(&mut file, bytes)?;
    file.sync_all()
}

fn disk_message(path: &Path, source: &io::Error) -> String {
    let path = path.display();
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            format!(
                "no space left to write {path}; free some, or set GAINSAY_CACHE to a folder on another disk"
            )
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            format!("not allowed to write {path}; set GAINSAY_CACHE to a folder that you may write")
        }
        _ => format!("cannot write {path}: {source}; check the disk, or set GAINSAY_CACHE to another folder"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn install(cache: &Cache, solver: &str, version: &str) -> Installed {
        let version: Version = version.parse().unwrap();
        let lock = cache.lock(solver, &version, &mut || {}).unwrap();
        let stage = cache.stage(solver, &version, &lock).unwrap();
        fs::write(stage.folder().join("program"), "x").unwrap();
        let mut record = InstallRecord::new(solver, &version, "w.whl", "file:///w.whl");
        record.files.push("program".to_owned());
        cache.publish(&stage, record).unwrap()
    }

    fn names(cache: &Cache) -> Vec<String> {
        cache.list().iter().map(Installed::name).collect()
    }

    #[test]
    fn what_is_published_is_listed_found_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path());
        assert!(cache.list().is_empty());
        let old = install(&cache, "z3", "4.8.9");
        install(&cache, "z3", "4.8.10");
        assert_eq!(names(&cache), ["z3@4.8.9", "z3@4.8.10"]);
        assert_eq!(cache.find("z3", &"4.8.9".parse().unwrap()), Some(old.clone()));
        assert_eq!(old.size(), 1);
        cache.remove(&old).unwrap();
        assert_eq!(names(&cache), ["z3@4.8.10"]);
    }

    #[test]
    fn the_cache_is_where_the_user_wants_it() {
        let folder = |pairs: &[(&str, &str)]| {
            let variables =
                pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            Cache::of_user(&variables).map(|cache| cache.folder().display().to_string()).ok()
        };
        let all = [("HOME", "/h"), ("XDG_CACHE_HOME", "/x"), ("GAINSAY_CACHE", "/g")];
        assert_eq!(folder(&all[..0]), None);
        assert_eq!(folder(&all[..1]).as_deref(), Some("/h/.cache/gainsay"));
        assert_eq!(folder(&all[..2]).as_deref(), Some("/x/gainsay"));
        assert_eq!(folder(&all).as_deref(), Some("/g"));
        assert_eq!(folder(&[("HOME", "/h"), ("XDG_CACHE_HOME", "x")]).as_deref(), Some("/h/.cache/gainsay"));
        for (name, value) in [("HOME", "h"), ("GAINSAY_CACHE", "./g")] {
            let variables = [(name.to_owned(), value.to_owned())].into_iter().collect();
            let error = Cache::of_user(&variables).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("{name}={value} is a relative path; set {name} to an ")),
                "{error}"
            );
        }
    }

    #[test]
    fn a_folder_without_a_record_is_not_installed_and_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path());
        let version = "1.0".parse().unwrap();
        fs::create_dir_all(cache.place("z3", &version)).unwrap();
        fs::write(cache.place("z3", &version).join("half"), "x").unwrap();
        assert_eq!(cache.find("z3", &version), None);
        let installed = install(&cache, "z3", "1.0");
        assert!(!installed.folder.join("half").exists());
    }

    #[test]
    fn an_abandoned_stage_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path());
        let version = "1.0".parse().unwrap();
        let lock = cache.lock("z3", &version, &mut || {}).unwrap();
        let stage = cache.stage("z3", &version, &lock).unwrap();
        let path = stage.folder().to_owned();
        drop(stage);
        assert!(!path.exists() && cache.list().is_empty());
    }

    #[test]
    fn trouble_with_the_disk_is_one_line_with_a_remedy() {
        let wrong =
            |kind: io::ErrorKind| DiskError { path: PathBuf::from("/c"), reason: kind.into() }.to_string();
        for kind in [io::ErrorKind::StorageFull, io::ErrorKind::PermissionDenied, io::ErrorKind::Other] {
            assert!(wrong(kind).contains("GAINSAY_CACHE") && wrong(kind).lines().count() == 1);
        }
    }

    #[test]
    fn a_cache_under_a_file_is_an_error_that_names_the_path() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = Cache::new(file.path()).lock("z3", &"1".parse().unwrap(), &mut || {}).unwrap_err();
        assert!(error.to_string().contains("z3-1.lock"));
    }
}
