//! Oracles: pure judgement of what solvers did with one script.
//!
//! An oracle sees runs and says one of four things. It runs nothing, reads nothing and remembers nothing: what it says
//! of a record today it says of the same record in a year. A solver that refused the script, or that is known to mean
//! something else by it (quirks of its profile), is never held against anybody.
//!
//! An oracle may request more evidence: the answer of another solver, or the model of a run at one check. The caller (a campaign,
//! `gainsay check`) gets it and asks the oracle again.

use std::fmt;

use gainsay_smt::Script;
use serde::{Deserialize, Serialize};

use crate::solver::run::{Answer, Run};
use crate::solver::trouble::TroubleKind;
use crate::solver::version::Version;

pub mod agreement;
pub mod crash;
pub mod fingerprint;
pub mod model;
pub mod witness;

pub use fingerprint::Fingerprint;
pub use witness::{Derivation, Witness};

/// Every oracle.
pub const ALL: &[&dyn Oracle] = &[&crash::Crash, &agreement::Agreement, &model::Model];

/// Judges runs.
pub trait Oracle: Sync {
    /// Its name, as in records.
    fn name(&self) -> &'static str;
    /// What it looks for, in one line.
    fn about(&self) -> &'static str;
    /// Whether it asks for the model of every sat, which costs solvers time.
    fn looks_at_models(&self) -> bool {
        false
    }
    /// Judges what solvers did with one script.
    fn judge(&self, case: &Observation<'_>) -> Verdict;
}

/// What solvers did with one script.
#[derive(Debug, Clone, Copy, Default)]
pub struct Observation<'a> {
    /// The script, if we can read it ourselves.
    pub script: Option<&'a Script>,
    /// What is known of the answers.
    pub promise: Promise,
    /// The model that the script was made to have, where there is one.
    pub made_for: Option<&'a Witness>,
    /// A derivation of `false` from its clauses, if it is a system of Horn clauses.
    pub derivation: Search<'a>,
    /// The runs of this script.
    pub runs: &'a [Sight<'a>],
    /// Solvers that have not been asked and could be.
    pub spare: &'a [Subject],
}

/// What is known of a derivation of `false`.
#[derive(Debug, Clone, Copy, Default)]
pub enum Search<'a> {
    /// Nobody looked for one.
    #[default]
    NotYet,
    /// None was found.
    Nothing,
    /// A solver gave this one.
    Found(&'a Derivation),
}

/// One run, and whose it is.
#[derive(Debug, Clone, Copy)]
pub struct Sight<'a> {
    /// The solver.
    pub subject: &'a Subject,
    /// What came back.
    pub run: &'a Run,
    /// Why its answers to this script must not be compared, if so: a quirk of its profile.
    pub excuse: Option<&'a str>,
    /// The models that it was asked for.
    pub witnesses: &'a [Witness],
}

impl<'a> Sight<'a> {
    /// The model for a check, if it was asked for.
    fn witness(&self, check: usize) -> Option<&'a Witness> {
        self.witnesses.iter().find(|witness| witness.check == check)
    }
}

/// A solver as oracles know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Its name with version and options.
    pub name: String,
    /// Its code base.
    pub family: String,
    /// Its version, where known.
    pub version: Option<Version>,
}

/// What is known of the answer to a script.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Promise {
    /// Nothing.
    #[default]
    Nothing,
    /// Each `(check-sat)` has this answer.
    Known(Answer),
}

/// What an oracle says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Everything that it looks at is as it should be.
    Fine,
    /// It cannot tell, and why.
    Undecided(String),
    /// It could tell more if it knew these.
    Ask(Vec<Request>),
    /// Something is wrong; one finding for each suspect.
    Bug(Vec<Finding>),
}

/// What an oracle asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Request {
    /// What a spare solver says: its index.
    Solver(usize),
    /// The model of a run at one of its checks: their indices.
    Model {
        /// The run.
        run: usize,
        /// The check, from 0.
        check: usize,
    },
    /// A derivation of `false` from the clauses of the script.
    Derivation,
}

/// Something wrong with a solver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What is wrong.
    pub kind: FindingKind,
    /// Who is at fault, or all who contradict each other.
    pub suspect: String,
    /// How sure we are.
    pub evidence: Evidence,
    /// Equal for two sightings of one bug.
    pub fingerprint: Fingerprint,
    /// The reason, in one line.
    pub explanation: String,
}

/// The kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingKind {
    /// It crashed, or an assertion of its own failed.
    Crash,
    /// It says unsat of a satisfiable script.
    Refutation,
    /// It says sat of an unsatisfiable script.
    Solution,
    /// Its model does not satisfy the script.
    Model,
    /// Solvers contradict each other.
    Disagreement,
    /// Its answer is not the one that the script was made to have.
    Promise,
    /// It is much slower than others.
    Performance,
}

/// How sure a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// Two contradict each other, and nothing tells who is wrong.
    Disagreement,
    /// Two solvers of different code bases contradict the suspect, or one does and the promise agrees.
    Corroborated,
    /// Checked by ourselves, or a crash.
    Proved,
}

/// Whether the answers of a run are about this script.
fn counts(sight: &Sight<'_>) -> bool {
    let kind = sight.run.trouble.as_ref().map(|trouble| trouble.kind);
    let refused = kind.is_some_and(TroubleKind::is_rejection) || kind == Some(TroubleKind::Garbage);
    !refused && sight.excuse.is_none()
}

impl FindingKind {
    /// Every kind, the one that users of solvers suffer most from first: the order in which maintainers want to hear.
    pub const BY_SEVERITY: [FindingKind; 7] = [
        FindingKind::Refutation,
        FindingKind::Solution,
        FindingKind::Model,
        FindingKind::Crash,
        FindingKind::Disagreement,
        FindingKind::Promise,
        FindingKind::Performance,
    ];

    /// Whether a finding of this kind, explained so, only shows when a model is asked for.
    pub fn needs_model(self, explanation: &str) -> bool {
        self == FindingKind::Model || self == FindingKind::Crash && explanation.ends_with(crash::AT_MODEL)
    }

    /// Its place in that order.
    pub fn severity(self) -> usize {
        FindingKind::BY_SEVERITY.iter().position(|&kind| kind == self).expect("every kind is in the list")
    }

    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::Crash => "crash",
            FindingKind::Refutation => "refutation",
            FindingKind::Solution => "solution",
            FindingKind::Model => "model",
            FindingKind::Disagreement => "disagreement",
            FindingKind::Promise => "promise",
            FindingKind::Performance => "performance",
        }
    }
}

impl Evidence {
    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Evidence::Disagreement => "disagreement",
            Evidence::Corroborated => "corroborated",
            Evidence::Proved => "proved",
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.kind.name(), self.evidence.name(), self.explanation)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::solver::run::Exit;
    use crate::solver::trouble::Trouble;
    use std::time::Duration;

    /// A run with these answers and nothing else.
    pub fn run(answers: &[Answer]) -> Run {
        Run {
            answers: answers.to_vec(),
            output: Vec::new(),
            errors: Vec::new(),
            messages: Vec::new(),
            model: None,
            exit: Exit::Code(0),
            cpu: Duration::ZERO,
            wall: Duration::ZERO,
            peak_memory: 0,
            work: None,
            trace: None,
            statistics: None,
            remarks: Vec::new(),
            removed: Vec::new(),
            trouble: None,
        }
    }

    /// A run that ended in trouble after these answers.
    pub fn troubled(answers: &[Answer], trouble: Trouble, errors: &str) -> Run {
        Run { trouble: Some(trouble), errors: errors.as_bytes().to_vec(), ..run(answers) }
    }

    /// `z3@4.8.10` as a subject, of the family before the `@` (cvc4 and cvc5 are one).
    pub fn subject(name: &str) -> Subject {
        let (profile, version) = name.split_once('@').unwrap_or((name, ""));
        let family = if profile.starts_with("cvc") { "cvc" } else { profile };
        Subject { name: name.to_owned(), family: family.to_owned(), version: version.parse().ok() }
    }

    #[test]
    fn every_oracle_has_a_name_of_its_own_and_finds_nothing_in_nothing() {
        let mut names: Vec<&str> = ALL.iter().map(|oracle| oracle.name()).collect();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
        for oracle in ALL {
            let nothing = Observation {
                script: None,
                promise: Promise::Nothing,
                made_for: None,
                derivation: Search::NotYet,
                runs: &[],
                spare: &[],
            };
            assert!(!matches!(oracle.judge(&nothing), Verdict::Bug(_)), "{}", oracle.name());
        }
    }

    #[test]
    fn every_file_of_an_oracle_is_in_the_list() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/oracle");
        let files =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut files: Vec<String> = files
            .filter(|file| !["fingerprint.rs", "witness.rs", "witness"].contains(&file.as_str()))
            .collect();
        let mut names: Vec<String> = ALL.iter().map(|oracle| format!("{}.rs", oracle.name())).collect();
        files.sort();
        names.sort();
        assert_eq!(files, names);
    }
}
