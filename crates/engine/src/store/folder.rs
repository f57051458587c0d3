//! The folder of a campaign, apart from its store: the plan, and a folder for each finding.
//!
//! ```text
//! campaign.toml
//! findings/refutation-z3-1f3a9c02/case.smt2
//!                                 origin.toml
//!                                 runs/z3@4.8.10.txt    its output
//!                                 runs/z3@4.8.10.smt2   its script, if that is not case.smt2
//! ```
//!
//! A finding's folder is written under another name, and renamed after all of it is on disk, so that it is never incomplete.
//! Writing a finding again changes nothing, unless the new sighting has a lower case number: as in the store, the lowest is
//! kept, whichever worker was first.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::origin::{FindingOrigin, plain, slug};
use super::transcript::transcript;
use super::{FindingDetails, StoreError};

/// The effective plan of the campaign.
pub const PLAN_FILE: &str = "campaign.toml";
/// The folder of all findings.
pub const FINDINGS_FOLDER: &str = "findings";
/// The script of a finding.
pub const CASE_FILE: &str = "case.smt2";
/// The model that the script was made to have, if any.
pub const MODEL_FILE: &str = "model.smt2";
/// The origin of a finding.
pub const ORIGIN_FILE: &str = "origin.toml";
/// The runs of the solvers.
pub const RUNS_FOLDER: &str = "runs";

/// The prefix of the names of unfinished folders.
const DRAFT_PREFIX: &str = ".new-";
/// The most bytes of a file that are read back.
const MAX_ORIGIN_BYTES: u64 = 64 << 20;

/// The contents of a finding's folder.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingFolder {
    /// Its origin.
    pub origin: FindingOrigin,
    /// The script.
    pub case: String,
    /// The transcript of each solver: file name without suffix, and text; in order of name.
    pub runs: Vec<(String, String)>,
}

/// Writes a finding below the folder of the campaign, and returns its path relative to that folder.
///
/// Only the thread that holds the store may call it.
pub fn write_finding(campaign: &Path, details: &FindingDetails) -> Result<PathBuf, StoreError> {
    let disk = |error| disk(campaign, error);
    let findings = campaign.join(FINDINGS_FOLDER);
    fs::create_dir_all(&findings).map_err(disk)?;
    let (name, there) = free_name(&findings, &details.finding.fingerprint.to_string());
    let path = Path::new(FINDINGS_FOLDER).join(&name);
    let place = findings.join(&name);
    let origin = FindingOrigin::new(details, campaign, &place);
    if there.as_ref().is_some_and(|there| there.rank() <= origin.rank() || is_used(&place)) {
        return Ok(path);
    }
    let draft = findings.join(format!("{DRAFT_PREFIX}{name}"));
    remove(&draft).map_err(disk)?;
    write_files(&draft, &finding_files(&origin, details)).map_err(disk)?;
    let put = if there.is_some() { exchange(&draft, &place) } else { fs::rename(&draft, &place) };
    put.and_then(|()| sync(&findings)).map_err(disk)?;
    Ok(path)
}

/// Copies a finding from the folder of another campaign to `campaign`, which will be renamed to `named`. Files that a user added stay behind. Returns
/// its path relative to the folder of the campaign.
pub fn copy_finding(source: &Path, (campaign, named): (&Path, &Path)) -> Result<PathBuf, StoreError> {
    let (there, here) = (|error| disk(source, error), |error| disk(campaign, error));
    let origin = FindingOrigin::read(&text(&source.join(ORIGIN_FILE)).map_err(there)?).map_err(|why| {
        StoreError::Damaged { folder: source.to_owned(), why: format!("{ORIGIN_FILE}: {why}") }
    })?;
    let findings = campaign.join(FINDINGS_FOLDER);
    fs::create_dir_all(&findings).map_err(here)?;
    let (name, _) = free_name(&findings, &origin.fingerprint);
    let path = Path::new(FINDINGS_FOLDER).join(&name);
    let (draft, place) = (findings.join(format!("{DRAFT_PREFIX}{name}")), findings.join(&name));
    remove(&draft).map_err(here)?;
    fs::create_dir_all(draft.join(RUNS_FOLDER)).map_err(here)?;
    write(&draft.join(ORIGIN_FILE), &origin.moved(named, &named.join(&path)).to_toml()).map_err(here)?;
    for entry in fs::read_dir(source.join(RUNS_FOLDER)).map_err(there)? {
        let entry = entry.map_err(there)?;
        copy(&entry.path(), &draft.join(RUNS_FOLDER).join(entry.file_name())).map_err(there)?;
    }
    copy(&source.join(CASE_FILE), &draft.join(CASE_FILE)).map_err(there)?;
    if source.join(MODEL_FILE).exists() {
        copy(&source.join(MODEL_FILE), &draft.join(MODEL_FILE)).map_err(there)?;
    }
    fs::rename(&draft, &place).and_then(|()| sync(&findings)).map_err(here)?;
    Ok(path)
}

/// Writes a finding from a shared store, given as its files, to the folder `campaign`, which will be renamed to `named`. Returns its path relative to
/// the folder of the campaign.
pub fn import_finding(
    mut files: Vec<(String, String)>,
    (campaign, named): (&Path, &Path),
) -> Result<PathBuf, StoreError> {
    let here = |error| disk(campaign, error);
    let damaged = |why: &str| StoreError::Damaged {
        folder: named.to_owned(),
        why: format!("a finding of the shared store: {ORIGIN_FILE}: {why}"),
    };
    let text =
        files.iter_mut().find(|(name, _)| name == ORIGIN_FILE).ok_or_else(|| damaged("it is missing"))?;
    let origin = FindingOrigin::read(&text.1).map_err(|why| damaged(&why))?;
    let findings = campaign.join(FINDINGS_FOLDER);
    fs::create_dir_all(&findings).map_err(here)?;
    let (name, _) = free_name(&findings, &origin.fingerprint);
    let path = Path::new(FINDINGS_FOLDER).join(&name);
    let (draft, place) = (findings.join(format!("{DRAFT_PREFIX}{name}")), findings.join(&name));
    text.1 = origin.moved(named, &named.join(&path)).to_toml();
    remove(&draft).map_err(here)?;
    write_files(&draft, &files).map_err(here)?;
    fs::rename(&draft, &place).and_then(|()| sync(&findings)).map_err(here)?;
    Ok(path)
}

/// Reads a finding; `path` is relative to the folder of the campaign, as in the store.
pub fn read_finding(campaign: &Path, path: &Path) -> Result<FindingFolder, StoreError> {
    let folder = campaign.join(path);
    let disk = |error| disk(&folder, error);
    let origin = FindingOrigin::read(&text(&folder.join(ORIGIN_FILE)).map_err(disk)?).map_err(|why| {
        StoreError::Damaged { folder: folder.clone(), why: format!("{ORIGIN_FILE}: {why}") }
    })?;
    let case = text(&folder.join(CASE_FILE)).map_err(disk)?;
    let mut runs = Vec::new();
    for entry in fs::read_dir(folder.join(RUNS_FOLDER)).map_err(disk)? {
        let path = entry.map_err(disk)?.path();
        if path.extension().is_none_or(|ending| ending != "txt") {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        runs.push((name, text(&path).map_err(disk)?));
    }
    runs.sort();
    Ok(FindingFolder { origin, case, runs })
}

/// The contents of a finding's folder, given as its files; the error is a reason.
pub fn finding_of_files(files: Vec<(String, String)>) -> Result<FindingFolder, String> {
    let (mut origin, mut case, mut runs) = (None, String::new(), Vec::new());
    for (name, text) in files {
        let run = name.strip_prefix("runs/").and_then(|name| name.strip_suffix(".txt"));
        match (name.as_str(), run) {
            (_, Some(run)) => runs.push((run.to_owned(), text)),
            (ORIGIN_FILE, _) => origin = Some(FindingOrigin::read(&text)?),
            (CASE_FILE, _) => case = text,
            _ => {}
        }
    }
    runs.sort();
    let origin = origin.ok_or_else(|| format!("{ORIGIN_FILE} is missing"))?;
    Ok(FindingFolder { origin, case, runs })
}

/// Writes the effective plan, unless there is one.
pub fn write_plan(campaign: &Path, plan: &str) -> Result<(), StoreError> {
    let disk = |error| disk(campaign, error);
    let path = campaign.join(PLAN_FILE);
    if path.symlink_metadata().is_ok() {
        return Ok(());
    }
    let draft = campaign.join(format!("{DRAFT_PREFIX}{PLAN_FILE}"));
    remove(&draft).map_err(disk)?;
    write(&draft, plan).and_then(|()| fs::rename(&draft, path)).and_then(|()| sync(campaign)).map_err(disk)
}

/// Removes unfinished folders of a killed process.
pub fn sweep(campaign: &Path) -> Result<(), StoreError> {
    let disk = |error| disk(campaign, error);
    let entries = match fs::read_dir(campaign.join(FINDINGS_FOLDER)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(disk)?,
    };
    for entry in entries {
        let path = entry.map_err(disk)?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(DRAFT_PREFIX)) {
            remove(&path).map_err(disk)?;
        }
    }
    Ok(())
}

/// A free name for a finding, or the name that it already has, with its origin.
fn free_name(findings: &Path, fingerprint: &str) -> (String, Option<FindingOrigin>) {
    let slug = slug(fingerprint);
    let mut names = std::iter::once(slug.clone()).chain((2..).map(|number: u64| format!("{slug}-{number}")));
    loop {
        let name = names.next().expect("numbers do not end");
        let folder = findings.join(&name);
        if folder.symlink_metadata().is_err() {
            return (name, None);
        }
        // A folder that we cannot read is not ours, and is left alone.
        let origin = text(&folder.join(ORIGIN_FILE)).ok().and_then(|text| FindingOrigin::read(&text).ok());
        if let Some(origin) = origin.filter(|origin| origin.fingerprint == fingerprint) {
            return (name, Some(origin));
        }
    }
}

/// Returns true if the user has added files to a finding's folder.
fn is_used(folder: &Path) -> bool {
    let ours = |name: std::ffi::OsString| {
        [CASE_FILE, ORIGIN_FILE, RUNS_FOLDER, MODEL_FILE].iter().any(|known| name == *known)
    };
    let entries = fs::read_dir(folder).map(|entries| entries.flatten().any(|entry| !ours(entry.file_name())));
    entries.unwrap_or(true)
}

/// The files of a finding: path in its folder, and text.
pub fn finding_files(origin: &FindingOrigin, details: &FindingDetails) -> Vec<(String, String)> {
    let runs = &details.runs;
    let mut files =
        vec![(CASE_FILE.to_owned(), details.script.clone()), (ORIGIN_FILE.to_owned(), origin.to_toml())];
    files.extend(details.model.iter().map(|model| (MODEL_FILE.to_owned(), model.clone())));
    for (index, run) in runs.iter().enumerate() {
        let name = plain(&run.solver);
        let twins = runs[..index].iter().filter(|earlier| plain(&earlier.solver) == name).count();
        let name = if twins == 0 { name } else { format!("{name}-{}", twins + 1) };
        files.push((format!("{RUNS_FOLDER}/{name}.txt"), transcript(run)));
        if run.script != details.script {
            files.push((format!("{RUNS_FOLDER}/{name}.smt2"), run.script.clone()));
        }
    }
    files
}

/// Writes the files of a finding to a new folder.
pub fn write_files(folder: &Path, files: &[(String, String)]) -> io::Result<()> {
    fs::create_dir_all(folder.join(RUNS_FOLDER))?;
    files.iter().try_for_each(|(name, text)| write(&folder.join(name), text))?;
    sync(&folder.join(RUNS_FOLDER))?;
    sync(folder)
}

/// Replaces a folder by another.
fn exchange(draft: &Path, place: &Path) -> io::Result<()> {
    renameat_with(CWD, draft, CWD, place, RenameFlags::EXCHANGE)?;
    fs::remove_dir_all(draft)
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    File::open(to)?.sync_all()
}

fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

fn text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_ORIGIN_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn remove(path: &Path) -> io::Result<()> {
    let removed = match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    removed.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

#[expect(clippy::needless_pass_by_value, reason = "it is what map_err hands over")]
fn disk(folder: &Path, error: io::Error) -> StoreError {
    StoreError::Disk { folder: folder.to_owned(), why: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::CaseNumber;
    use crate::store::origin::tests::details;

    /// Writes a finding whose script is `text`.
    fn put(campaign: &Path, case: Option<CaseNumber>, text: &str) -> PathBuf {
        write_finding(campaign, &FindingDetails { script: text.to_owned(), ..details("QF_LIA", case) })
            .unwrap()
    }

    fn name() -> String {
        slug("refutation z3 QF_LIA")
    }

    #[test]
    fn a_finding_that_was_written_is_read_back() {
        let campaign = tempfile::tempdir().unwrap();
        let path = put(campaign.path(), Some(7), "(check-sat)\n");
        assert_eq!(path, Path::new(FINDINGS_FOLDER).join(name()));
        let finding = read_finding(campaign.path(), &path).unwrap();
        assert_eq!((finding.origin.case, finding.case.as_str()), (Some(7), "(check-sat)\n"));
        let names: Vec<&str> = finding.runs.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["cvc5", "z3@4.8.10-a-b-1", "z3@4.8.10-a-b-1-2"]);
        assert!(finding.runs[0].1.starts_with("solver: cvc5\n"));
    }

    #[test]
    fn a_script_that_a_solver_got_in_another_spelling_is_kept_beside_its_run() {
        let campaign = tempfile::tempdir().unwrap();
        let path = put(campaign.path(), Some(7), "(check-sat) ; standard\n");
        let other = campaign.path().join(path).join("runs/cvc5.smt2");
        assert_eq!(fs::read_to_string(other).unwrap(), "(check-sat)\n");
    }

    #[test]
    fn of_two_sightings_the_lower_number_stays_in_either_order() {
        for order in [[3, 9], [9, 3]] {
            let campaign = tempfile::tempdir().unwrap();
            let paths = order.map(|case| put(campaign.path(), Some(case), &case.to_string()));
            assert_eq!(paths[0], paths[1]);
            assert_eq!(read_finding(campaign.path(), &paths[0]).unwrap().case, "3");
            assert_eq!(fs::read_dir(campaign.path().join(FINDINGS_FOLDER)).unwrap().count(), 1);
        }
    }

    #[test]
    fn a_finding_that_somebody_worked_on_is_left_alone() {
        let campaign = tempfile::tempdir().unwrap();
        let path = put(campaign.path(), Some(9), "nine");
        fs::write(campaign.path().join(&path).join("reduced.smt2"), "small").unwrap();
        assert_eq!(put(campaign.path(), Some(3), "three"), path);
        assert_eq!(read_finding(campaign.path(), &path).unwrap().case, "nine");
    }

    #[test]
    fn leftovers_of_a_killed_process_block_nothing() {
        let campaign = tempfile::tempdir().unwrap();
        let draft = campaign.path().join(FINDINGS_FOLDER).join(format!("{DRAFT_PREFIX}{}", name()));
        fs::create_dir_all(&draft).unwrap();
        fs::write(draft.join(CASE_FILE), "half").unwrap();
        let path = put(campaign.path(), None, "whole");
        assert_eq!(read_finding(campaign.path(), &path).unwrap().case, "whole");
        fs::create_dir_all(&draft).unwrap();
        sweep(campaign.path()).unwrap();
        assert!(!draft.exists() && campaign.path().join(path).exists());
    }

    #[test]
    fn two_findings_never_share_a_folder() {
        let campaign = tempfile::tempdir().unwrap();
        let other = campaign.path().join(FINDINGS_FOLDER).join(name());
        fs::create_dir_all(&other).unwrap();
        let origin = FindingOrigin::new(&details("another", None), campaign.path(), &other);
        fs::write(other.join(ORIGIN_FILE), origin.to_toml()).unwrap();
        let path = put(campaign.path(), None, "ours");
        assert_eq!(path, Path::new(FINDINGS_FOLDER).join(format!("{}-2", name())));
        assert_eq!(put(campaign.path(), None, "ours"), path);
    }

    #[test]
    fn what_is_not_there_or_not_ours_is_an_error() {
        let campaign = tempfile::tempdir().unwrap();
        let path = put(campaign.path(), None, "ours");
        let nowhere = read_finding(campaign.path(), Path::new("findings/x"));
        assert!(matches!(nowhere, Err(StoreError::Disk { .. })));
        fs::write(campaign.path().join(&path).join(ORIGIN_FILE), "format = 1\n").unwrap();
        assert!(matches!(read_finding(campaign.path(), &path), Err(StoreError::Damaged { .. })));
    }
}
