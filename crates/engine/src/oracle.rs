//! Oracles: pure functions that judge the statements of solvers about one script.
//!
//! An oracle returns one of four verdicts on a trial. It runs nothing, reads nothing and remembers nothing: the same record
//! always gets the same verdict.

use crate::finding::Finding;
use crate::trial::{SolverIdentity, Trial};

pub mod agreement;
pub mod consistency;
pub mod crash;
pub mod exhaustion;
pub mod model;
pub mod reply;

/// Every oracle.
pub const ALL: &[&dyn Oracle] = &[
    &crash::CrashOracle,
    &agreement::AgreementOracle,
    &model::ModelOracle,
    &consistency::ConsistencyOracle,
    &reply::ReplyOracle,
    &exhaustion::ExhaustionOracle,
];

/// Judges trials.
pub trait Oracle: Sync {
    /// Its name, as in records.
    fn name(&self) -> &'static str;
    /// The kind of bug that it looks for, in one line.
    fn about(&self) -> &'static str;
    /// Whether it asks for the model of every sat, which costs solvers time.
    fn looks_at_models(&self) -> bool {
        false
    }
    /// Returns true if there is something that it looks at; otherwise it is not asked, and not counted.
    fn applies(&self, _trial: &Trial) -> bool {
        true
    }
    /// Judges a trial. `spare` are solvers that have not been asked and could be.
    fn judge(&self, trial: &Trial, spare: &[SolverIdentity]) -> Verdict;
}

/// The verdict of an oracle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Everything that it looks at is as it should be.
    Fine,
    /// It cannot tell, and why.
    Undecided(String),
    /// It could tell more if it knew these.
    Ask(Vec<OracleRequest>),
    /// Something is wrong; one finding for each suspect.
    Bug(Vec<Finding>),
}

/// A request of an oracle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OracleRequest {
    /// The vote of a spare solver: its index.
    Vote(usize),
    /// The model of a solver at one of the questions.
    Model {
        /// The statement of the solver: its index.
        statement: usize,
        /// The question, from 0.
        question: usize,
    },
    /// A derivation of `false` from the clauses of the script.
    Derivation,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::Trial;

    #[test]
    fn every_oracle_has_a_name_of_its_own_and_finds_nothing_in_nothing() {
        let mut names: Vec<&str> = ALL.iter().map(|oracle| oracle.name()).collect();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
        for oracle in ALL {
            assert!(!matches!(oracle.judge(&Trial::default(), &[]), Verdict::Bug(_)), "{}", oracle.name());
        }
    }

    #[test]
    fn every_file_of_an_oracle_is_in_the_list() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/oracle");
        let files = std::fs::read_dir(folder).unwrap();
        let mut files: Vec<String> =
            files.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        let mut names: Vec<String> = ALL.iter().map(|oracle| format!("{}.rs", oracle.name())).collect();
        files.sort();
        names.sort();
        assert_eq!(files, names);
    }
}
