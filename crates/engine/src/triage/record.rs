//! The records of triage: one file per trigger, in the folder of the campaign.
//!
//! ```text
//! triage/triggers/refutation-z3-1f3a9c02.json        new → confirmed → reduced → bisected, or gone, or flaky
//! triage/lock                                        held by the running triage
//! ```
//!
//! A file is rewritten after every step, by one rename: a step is recorded atomically, so that triage may be killed at any
//! instant and resumes with the step that it had not finished.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gainsay_smt::{Script, Signature};
use serde::{Deserialize, Serialize};

use super::bisect::Bisection;
use super::release_boundary::has_slipped;
use super::reproduction::Reproduction;
use crate::event::CaseNumber;
use crate::finding::{Evidence, Finding, FindingKind, Fingerprint, Suspects};
use crate::known_answers::KnownAnswers;
use crate::solver::name::{Origin, SolverName};
use crate::solver::run::Answer;
use crate::solver::version::Version;
pub use crate::store::triage_folder::TRIAGE_FOLDER;
use crate::store::triage_folder::{LOCK_FILE, TRIGGERS_FOLDER};
use crate::trial::question_count;

/// The format of a record.
pub const RECORD_FORMAT: u32 = 2;
/// The prefix of the names of unfinished files.
const DRAFT_PREFIX: &str = ".new-";

/// The record of a trigger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriageRecord {
    /// The format of this record: [`RECORD_FORMAT`].
    pub format: u32,
    /// Its name, as that of its file.
    pub name: String,
    /// Its fingerprint in the campaign, if it comes from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_as: Option<Fingerprint>,
    /// How it was found, in words.
    pub origin: String,
    /// The solvers that show it, with their options.
    pub solvers: Vec<String>,
    /// The script as it was found.
    pub script: String,
    /// The steps of a chain that make it, the last of them the case itself; none if it is no case of a campaign.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<CaseNumber>,
    /// The promised answer, which is needed if nothing else contradicts the suspect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promise: Option<Answer>,
    /// The promised answers of its checks, in order, if they are not the same for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub check_promises: Vec<Option<Answer>>,
    /// Its stage.
    pub stage: Stage,
    /// A note on its stage.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The confirmed finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<ConfirmedFinding>,
    /// The version that the suspect tells, if it is a local build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_version: Option<Version>,
    /// The bisection of the script before it was reduced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Bisection>,
    /// The script after reduction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduced: Option<String>,
    /// The parents of the reduced script, if the finding rests on their answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<ReducedParent>,
    /// The model that the reduced script was made to have, if that proves the suspect wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The bisection of the reduced script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bisection: Option<Bisection>,
    /// The run of the command that its report shows, if it leads a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reproduction: Option<Reproduction>,
    /// The solvers that the user named for a folder of scripts; none for a trigger of a campaign.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<String>,
}

/// The stage of a trigger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Nothing was done.
    New,
    /// A solver that it needs cannot be run, or its script cannot be parsed; it is retried the next time.
    Stuck,
    /// The finding does not show any more.
    Gone,
    /// The finding shows only sometimes.
    Flaky,
    /// The finding shows each time.
    Confirmed,
    /// It was reduced.
    Reduced,
    /// It was bisected; nothing is left to do.
    Bisected,
}

/// A parent of a trigger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReducedParent {
    /// The seeds that it was reduced from.
    pub name: String,
    /// The script.
    pub script: String,
}

/// The finding that a trigger shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfirmedFinding {
    /// The kind of bug.
    pub kind: FindingKind,
    /// The solvers at fault, with version and options.
    #[serde(rename = "suspect")]
    pub suspects: Suspects,
    /// The code base at fault.
    pub family: String,
    /// How sure that is.
    pub evidence: Evidence,
    /// Equal for two sightings of one bug, as far as the output of the solver tells.
    pub fingerprint: Fingerprint,
    /// The reason, in one line.
    pub explanation: String,
    /// Whether it shows only when the solver is asked for a model.
    #[serde(default)]
    pub needs_model: bool,
}

impl ConfirmedFinding {
    /// The first suspect that is a release.
    pub fn suspected_release(&self) -> Option<SolverName> {
        let mut names = self.suspects.iter().filter_map(|name| name.parse::<SolverName>().ok());
        names.find(|name| matches!(name.origin, Origin::Managed(_)))
    }

    /// Returns true if the suspect is a program of the user, not a release.
    pub fn is_local_build(&self) -> bool {
        let name = self.first_suspect().filter(|_| self.suspected_release().is_none());
        name.is_some_and(|name| matches!(name.origin, Origin::Command(_) | Origin::Path))
    }

    /// The first suspect; `None` if its name cannot be read.
    pub fn first_suspect(&self) -> Option<SolverName> {
        self.suspects.first().and_then(|name| name.parse().ok())
    }
}

impl From<&Finding> for ConfirmedFinding {
    fn from(finding: &Finding) -> Self {
        ConfirmedFinding {
            kind: finding.kind,
            suspects: finding.suspects.clone(),
            family: finding.fingerprint.family().to_owned(),
            evidence: finding.evidence,
            fingerprint: finding.fingerprint.clone(),
            explanation: finding.explanation.clone(),
            needs_model: finding.needs_model,
        }
    }
}

impl TriageRecord {
    /// A new trigger.
    pub fn new(name: impl Into<String>, script: impl Into<String>, solvers: Vec<String>) -> Self {
        TriageRecord {
            format: RECORD_FORMAT,
            name: name.into(),
            seen_as: None,
            origin: String::new(),
            solvers,
            script: script.into(),
            steps: Vec::new(),
            promise: None,
            check_promises: Vec::new(),
            stage: Stage::New,
            note: String::new(),
            found: None,
            build_version: None,
            before: None,
            reduced: None,
            parents: Vec::new(),
            model: None,
            bisection: None,
            reproduction: None,
            asked: Vec::new(),
        }
    }

    /// The smallest script that is known to show it.
    pub fn best(&self) -> &str {
        self.reduced.as_deref().unwrap_or(&self.script)
    }

    /// The answers that are promised to what the checks of the script assert.
    pub fn known_answers(&self) -> KnownAnswers {
        let Ok(script) = Script::parse(&self.script, &Signature::standard()) else {
            return KnownAnswers::default();
        };
        let answers = match self.check_promises.is_empty() {
            true => vec![self.promise; question_count(&script)],
            false => self.check_promises.clone(),
        };
        KnownAnswers::of(&script, &answers)
    }

    /// The promised answers of the checks of a script that was reduced from that of the record, in order; none if nothing was promised.
    pub fn promises_of(&self, script: &Script) -> Vec<Option<Answer>> {
        let known = self.known_answers().of_each(script);
        match known.iter().any(Option::is_some) || self.promise.is_none() {
            true => known,
            // The parents of a fused script were reduced: it is another fusion, with the same answer.
            false => vec![self.promise; question_count(script)],
        }
    }

    /// The bisection that identifies the bug: that of the reduced script, unless the reduction slipped to another bug.
    pub fn telling(&self) -> Option<&Bisection> {
        let before = self.before.as_ref().filter(|one| one.last_bad().is_some());
        match (before, &self.bisection) {
            (Some(before), Some(after)) if has_slipped(before, after) => Some(before),
            (_, after) => after.as_ref(),
        }
    }

    /// Returns true if an answer was promised.
    pub fn is_promised(&self) -> bool {
        self.promise.is_some() || self.check_promises.iter().any(Option::is_some)
    }

    /// Returns true if a step is left to do.
    pub fn is_open(&self) -> bool {
        matches!(self.stage, Stage::New | Stage::Stuck | Stage::Confirmed | Stage::Reduced)
    }
}

/// The records of one campaign, with the lock that permits changing them.
#[derive(Debug)]
pub struct TriageRecords {
    folder: PathBuf,
    _lock: File,
}

/// The records cannot be kept or read.
#[derive(Debug, thiserror::Error)]
pub enum TriageRecordsError {
    /// Another process holds the lock.
    #[error("another gainsay process is triaging {0}")]
    Busy(PathBuf),
    /// A record is damaged.
    #[error("{path} cannot be used: {why}; remove it, and triage makes it anew", path = path.display())]
    Damaged {
        /// The record.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The disk.
    #[error("cannot keep the records of triage in {path}: {source}", path = path.display())]
    Disk {
        /// The file or folder.
        path: PathBuf,
        /// The message of the operating system.
        source: io::Error,
    },
}

impl TriageRecords {
    /// Opens the records below the folder of a campaign, and removes unfinished files of a killed process.
    pub fn open(campaign: &Path) -> Result<Self, TriageRecordsError> {
        let folder = campaign.join(TRIAGE_FOLDER);
        let triggers = folder.join(TRIGGERS_FOLDER);
        let disk = |source| TriageRecordsError::Disk { path: triggers.clone(), source };
        fs::create_dir_all(&triggers).map_err(disk)?;
        let lock = File::create(folder.join(LOCK_FILE)).map_err(disk)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => return Err(TriageRecordsError::Busy(campaign.to_owned())),
            Err(fs::TryLockError::Error(source)) => return Err(disk(source)),
        }
        for entry in fs::read_dir(&triggers).map_err(disk)? {
            let path = entry.map_err(disk)?.path();
            if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(DRAFT_PREFIX)) {
                fs::remove_file(&path).map_err(disk)?;
            }
        }
        Ok(TriageRecords { folder, _lock: lock })
    }

    /// The folder of triage.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All records, by name.
    pub fn load(&self) -> Result<Vec<TriageRecord>, TriageRecordsError> {
        load(&self.folder)
    }

    /// Writes a record, replacing the one before.
    pub fn save(&self, record: &TriageRecord) -> Result<(), TriageRecordsError> {
        let text = serde_json::to_string_pretty(record).expect("a record is made of what JSON can write");
        let path = self.folder.join(TRIGGERS_FOLDER).join(format!("{}.json", record.name));
        replace(&path, &text)
    }
}

/// Writes a file by one rename.
pub fn replace(path: &Path, text: &str) -> Result<(), TriageRecordsError> {
    let disk = |source| TriageRecordsError::Disk { path: path.to_owned(), source };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let draft = path.with_file_name(format!("{DRAFT_PREFIX}{name}"));
    let mut file = File::create(&draft).map_err(disk)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(disk)?;
    fs::rename(&draft, path).map_err(disk)
}

/// All records below a folder of triage, by name, without the lock.
pub fn load(triage: &Path) -> Result<Vec<TriageRecord>, TriageRecordsError> {
    let folder = triage.join(TRIGGERS_FOLDER);
    let disk = |source| TriageRecordsError::Disk { path: folder.clone(), source };
    let mut records = Vec::new();
    for entry in fs::read_dir(&folder).map_err(disk)? {
        let path = entry.map_err(disk)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.ends_with(".json") || name.starts_with(DRAFT_PREFIX) {
            continue;
        }
        let damaged = |why| TriageRecordsError::Damaged { path: path.clone(), why };
        let text = fs::read_to_string(&path).map_err(disk)?;
        let record: TriageRecord = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        // Format 1 had the names of suspects in one string.
        if !(1..=RECORD_FORMAT).contains(&record.format) {
            return Err(damaged(format!(
                "it has format {}, and this gainsay knows format {RECORD_FORMAT}",
                record.format
            )));
        }
        records.push(record);
    }
    records.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::super::release_boundary::tests::bisection;
    use super::*;

    fn record() -> TriageRecord {
        TriageRecord::new("a", "(check-sat)\n", vec!["z3@4.8.10 a=1".into()])
    }

    #[test]
    fn what_was_saved_is_loaded_and_half_a_file_is_cleared_away() {
        let folder = tempfile::tempdir().unwrap();
        let records = TriageRecords::open(folder.path()).unwrap();
        records.save(&record()).unwrap();
        records.save(&TriageRecord { stage: Stage::Confirmed, ..record() }).unwrap();
        let draft = records.folder().join(TRIGGERS_FOLDER).join(format!("{DRAFT_PREFIX}b.json"));
        fs::write(&draft, "{\"form").unwrap();
        assert_eq!(records.load().unwrap(), [TriageRecord { stage: Stage::Confirmed, ..record() }]);
        assert!(matches!(TriageRecords::open(folder.path()), Err(TriageRecordsError::Busy(_))));
        drop(records);
        assert_eq!(TriageRecords::open(folder.path()).unwrap().load().unwrap().len(), 1);
        assert!(!draft.exists());
    }

    #[test]
    fn a_script_that_slipped_is_known_by_the_releases_of_what_was_found() {
        let told = |before: Option<&str>, after: &str| {
            let (before, bisection) = (before.map(bisection), Some(bisection(after)));
            TriageRecord { before, bisection, ..record() }.telling().unwrap().last_bad().unwrap().to_string()
        };
        assert_eq!(told(Some("XXX.."), "XX..."), "3");
        assert_eq!(told(Some(".XX.."), "?XX.."), "3");
        assert_eq!(told(Some("....."), "XX..."), "2");
        assert_eq!(told(None, "XX..."), "2");
    }

    #[test]
    fn a_reduced_script_has_the_promises_of_the_checks_that_it_keeps() {
        let script = "(declare-const x Int)(assert (> x 1))(check-sat)(push)(assert (< x 0))(check-sat)(pop)(assert (= x 3))(check-sat)";
        let check_promises = vec![None, Some(Answer::Unsat), Some(Answer::Sat)];
        let record = TriageRecord { script: script.to_owned(), check_promises, ..record() };
        let promises = |text: &str| record.promises_of(&Script::parse(text, &Signature::standard()).unwrap());
        assert_eq!(promises(script), [Some(Answer::Sat), Some(Answer::Unsat), Some(Answer::Sat)]);
        assert_eq!(
            promises("(declare-const x Int)(assert (> x 1))(assert (< x 0))(check-sat)"),
            [Some(Answer::Unsat)]
        );
        assert_eq!(promises("(declare-const x Int)(assert (< x 0))(check-sat)"), [None]);
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<TriageRecord>(&text).unwrap(), record);
    }

    #[test]
    fn a_record_that_is_not_ours_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let records = TriageRecords::open(folder.path()).unwrap();
        records.save(&TriageRecord { format: 9, ..record() }).unwrap();
        let error = records.load().unwrap_err().to_string();
        assert!(error.contains("a.json") && error.contains("format 9"), "{error}");
    }
}
