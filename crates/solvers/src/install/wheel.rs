//! Wheels: reads their names, chooses those for this machine, and unpacks the files that a solver needs.
//!
//! A wheel is a zip archive (PEP 427) that contains the solver as a program or shared library. Only files that the profile
//! names are unpacked, each to the path that the profile gives, so that no name inside an archive decides where
//! something is written.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::index::{OfferedFile, normalise};
use super::platform::Platform;
use crate::version::Version;

/// The most bytes of all unpacked files together; libcvc5 has 34 MB. An archive of a few kilobytes can hold terabytes of zeros.
const MAX_UNPACKED_BYTES: u64 = 2 << 30;

/// The parts of a wheel's name: `z3_solver-4.8.10.0-py2.py3-none-manylinux1_x86_64.whl`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WheelName<'a> {
    /// The package, normalised.
    pub package: String,
    /// Its version.
    pub version: Version,
    /// Its platform tags; one suitable tag suffices.
    pub platforms: Vec<&'a str>,
}

impl<'a> WheelName<'a> {
    /// Reads the name; `None` if it is not that of a wheel.
    pub fn read(file: &'a str) -> Option<Self> {
        let parts: Vec<&str> = file.strip_suffix(".whl")?.split('-').collect();
        let ([package, version, _python, _abi, platforms] | [package, version, _, _python, _abi, platforms]) =
            parts[..]
        else {
            return None;
        };
        let version = version.parse().ok()?;
        Some(WheelName { package: normalise(package), version, platforms: platforms.split('.').collect() })
    }
}

/// A version and the wheel to install for it.
#[derive(Debug, Clone)]
pub struct UsableWheel {
    /// The version in its short form.
    pub version: Version,
    /// The file.
    pub offer: OfferedFile,
}

/// The wheels of `package` that this machine can use: one for each version, oldest first.
///
/// Of several wheels for one version, takes the newest post release, then the newest suitable C library, then the first
/// name, so that the choice does not depend on the order of the index.
pub fn usable(offers: &[OfferedFile], package: &str, platform: &Platform) -> Vec<UsableWheel> {
    let mut best: BTreeMap<Version, (WheelRank, &OfferedFile)> = BTreeMap::new();
    for offer in offers {
        let Some(name) = WheelName::read(&offer.file).filter(|name| name.package == normalise(package))
        else {
            continue;
        };
        let Some(fit) = name.platforms.iter().filter_map(|tag| platform.fit(tag)).max() else { continue };
        let rank = (name.version.clone(), fit, Reverse(offer.file.as_str()));
        let short = name.version.short();
        if best.get(&short).is_none_or(|(other, _)| rank > *other) {
            best.insert(short, (rank, offer));
        }
    }
    best.into_iter().map(|(version, (_, offer))| UsableWheel { version, offer: offer.clone() }).collect()
}

/// Post release, C library, name of the file: the greatest wins.
type WheelRank<'a> = (Version, (u32, u32), Reverse<&'a str>);

/// Why a wheel could not be unpacked.
#[derive(Debug, thiserror::Error)]
pub enum WheelError {
    /// It is not an archive, or a broken one.
    #[error("it is not a readable zip archive ({0})")]
    Broken(String),
    /// Files that the profile needs are not in it.
    #[error("it holds no {0}")]
    Missing(String),
    /// Writing failed.
    #[error(transparent)]
    Disk(#[from] io::Error),
}

/// Takes the files that match a pattern of `keep` out of the wheel, to the place under `folder` that it names.
///
/// A place that ends in `/` is a folder, and the file keeps its name. Returns the places, sorted.
pub fn unpack(
    wheel: &Path,
    keep: &BTreeMap<String, String>,
    folder: &Path,
) -> Result<Vec<String>, WheelError> {
    let broken = |error: zip::result::ZipError| match error {
        // A disk that is full or failing is not the archive's fault.
        zip::result::ZipError::Io(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
            WheelError::Disk(error)
        }
        other => WheelError::Broken(other.to_string()),
    };
    let mut archive = zip::ZipArchive::new(File::open(wheel)?).map_err(broken)?;
    let (mut places, mut unpacked) = (Vec::new(), 0);
    for number in 0..archive.len() {
        let mut entry = archive.by_index(number).map_err(broken)?;
        let name = entry.name().map_err(broken)?.into_owned();
        let Some(place) = place_of(&name, keep).filter(|_| entry.is_file()) else { continue };
        let target = folder.join(&place);
        std::fs::create_dir_all(target.parent().unwrap_or(folder))?;
        copy(&mut entry, &target, &mut unpacked)?;
        places.push(place);
    }
    places.sort();
    Ok(places)
}

/// Where an entry of the archive goes, if it is kept.
fn place_of(name: &str, keep: &BTreeMap<String, String>) -> Option<String> {
    let (_, place) = keep.iter().find(|(pattern, _)| matches(pattern, name))?;
    let file = name.rsplit('/').next().filter(|file| !file.is_empty() && *file != "..")?;
    Some(if place.ends_with('/') { format!("{place}{file}") } else { place.clone() })
}

/// Returns true if a name matches a pattern in which `*` stands for any letters.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else { return pattern == name };
    name.strip_prefix(head).is_some_and(|rest| {
        let ends = (0..=rest.len()).filter(|&at| rest.is_char_boundary(at));
        ends.into_iter().any(|at| matches(tail, &rest[at..]))
    })
}

/// Copies an entry to a file, and adds its length to the bytes that are unpacked.
fn copy(entry: &mut impl Read, target: &Path, unpacked: &mut u64) -> Result<(), WheelError> {
    let mut file = File::create(target)?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        // Reading and writing fail for different reasons: a bad archive, a full disk.
        let count = entry.read(&mut buffer).map_err(|error| WheelError::Broken(error.to_string()))?;
        if count == 0 {
            break;
        }
        *unpacked += count as u64;
        if *unpacked > MAX_UNPACKED_BYTES {
            return Err(WheelError::Broken(format!("its files are longer than {MAX_UNPACKED_BYTES} bytes")));
        }
        io::Write::write_all(&mut file, &buffer[..count])?;
    }
    make_executable(&file)?;
    file.sync_all()?;
    Ok(())
}

#[cfg(unix)]
fn make_executable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(file: &str) -> OfferedFile {
        OfferedFile { file: file.to_owned(), address: String::new(), sha256: None, yanked: false }
    }

    #[test]
    fn the_name_of_a_wheel_is_read() {
        let name =
            WheelName::read("z3_solver-4.13.1.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl")
                .unwrap();
        assert_eq!((name.package.as_str(), name.version.to_string().as_str()), ("z3-solver", "4.13.1.0"));
        assert_eq!(name.platforms, ["manylinux_2_17_x86_64", "manylinux2014_x86_64"]);
        assert!(WheelName::read("x-1-2-py3-none-any.whl").is_some(), "a build number is allowed");
        for file in ["z3_solver-4.13.1.0.tar.gz", "z3.whl", "a-b-c-d-e.whl", ""] {
            assert_eq!(WheelName::read(file), None, "{file}");
        }
    }

    #[test]
    fn one_wheel_a_version_is_usable_and_it_is_the_best_one() {
        let platform = Platform::linux("x86_64", (2, 36));
        let offers: Vec<OfferedFile> = [
            "p-1.0-cp39-cp39-manylinux2014_x86_64.whl",
            "p-1.0-cp310-cp310-manylinux2014_x86_64.whl",
            "p-1.0-cp310-cp310-manylinux_2_28_x86_64.whl",
            "p-1.0-cp310-cp310-manylinux_2_40_x86_64.whl",
            "p-1.0-cp310-cp310-macosx_11_0_arm64.whl",
            "p-2.6.5.post23-py3-none-manylinux1_x86_64.whl",
            "p-2.6.5.post24-py3-none-manylinux1_x86_64.whl",
            "p-3.0-py3-none-win_amd64.whl",
            "p-3.0.tar.gz",
            "q-9.0-py3-none-manylinux1_x86_64.whl",
        ]
        .map(offer)
        .to_vec();
        let expected = [
            ("1.0".to_owned(), "p-1.0-cp310-cp310-manylinux_2_28_x86_64.whl".to_owned()),
            ("2.6.5".to_owned(), "p-2.6.5.post24-py3-none-manylinux1_x86_64.whl".to_owned()),
        ];
        let mut backwards = offers.clone();
        backwards.reverse();
        for offers in [offers, backwards] {
            let chosen = usable(&offers, "P", &platform);
            let chosen: Vec<_> =
                chosen.into_iter().map(|choice| (choice.version.to_string(), choice.offer.file)).collect();
            assert_eq!(chosen, expected);
        }
    }

    #[test]
    fn patterns_decide_what_is_kept_and_where_it_goes() {
        let keep = BTreeMap::from([
            ("*.data/data/bin/z3".to_owned(), "bin/z3".to_owned()),
            ("cvc5.libs/*".to_owned(), "lib/".to_owned()),
        ]);
        let cases = [
            ("z3_solver-4.8.5.0.data/data/bin/z3", Some("bin/z3")),
            ("cvc5.libs/libcvc5-2fb4.so.1", Some("lib/libcvc5-2fb4.so.1")),
            ("cvc5.libs/../../evil", Some("lib/evil")),
            ("cvc5.libs/", None),
            ("cvc5.libs/..", None),
            ("z3/z3.py", None),
        ];
        for (name, place) in cases {
            assert_eq!(place_of(name, &keep).as_deref(), place, "{name}");
        }
    }

    #[test]
    fn what_is_no_archive_is_called_so() {
        let folder = tempfile::tempdir().unwrap();
        let wheel = folder.path().join("x.whl");
        std::fs::write(&wheel, "not a zip").unwrap();
        let error = unpack(&wheel, &BTreeMap::new(), folder.path()).unwrap_err();
        assert!(matches!(error, WheelError::Broken(_)), "{error:?}");
    }
}
