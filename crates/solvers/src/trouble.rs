//! What can be wrong with a run, apart from its answers.
//!
//! One closed list, because everything downstream (oracles, statistics, triage, the screen) asks the same three
//! questions: may this be a bug of the solver, did a limit stop it, or did it refuse the script? The names are what
//! profiles write in `class = "…"` and what `--json` prints, so they are never reused for something else.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The trouble of a run, and the line of output that shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub struct Trouble {
    /// Which of the closed list it is.
    pub kind: TroubleKind,
    /// The line that shows it, as printed; gainsay's own words if the solver printed nothing (`signal 11`).
    pub said: String,
}

/// The closed list of troubles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TroubleKind {
    /// Died of a signal that a fault raises (SEGV, ABRT, FPE, ILL, BUS, TRAP), or a heap check of libc stopped it.
    Crash,
    /// An assertion or check in the solver's own code failed.
    Assertion,
    /// A sanitizer (address, undefined behaviour, memory, thread) reported.
    Sanitizer,
    /// The solver reports that it reached an impossible state: unreachable code, an unhandled case, an exception that leaked.
    InternalError,
    /// The solver's own validator rejects the model that the solver made.
    InvalidModel,
    /// The solver reports that its answer contradicts a `(set-info :status …)` in the script.
    StatusMismatch,
    /// A time limit of gainsay or of the solver stopped it.
    TimeOut,
    /// A memory limit of gainsay or of the solver stopped it.
    MemoryOut,
    /// It exceeded the output limit.
    Flood,
    /// Someone else ended it by SIGKILL, SIGTERM, SIGINT or SIGHUP.
    Killed,
    /// It lacks a theory, command or option.
    Unsupported,
    /// It cannot read the script.
    ParseError,
    /// It reports that the script is ill-sorted or uses an undeclared symbol.
    SortError,
    /// It rejects its command line: an unknown option, a missing file.
    UsageError,
    /// Any other `(error "…")`: answers after it are tainted.
    Error,
    /// Its output is not that of a solver.
    Garbage,
}

impl Trouble {
    /// A trouble with the line that shows it.
    pub fn new(kind: TroubleKind, said: impl Into<String>) -> Self {
        Trouble { kind, said: said.into() }
    }
}

impl TroubleKind {
    /// Every kind, in the order of the list above.
    pub const ALL: [TroubleKind; 16] = [
        TroubleKind::Crash,
        TroubleKind::Assertion,
        TroubleKind::Sanitizer,
        TroubleKind::InternalError,
        TroubleKind::InvalidModel,
        TroubleKind::StatusMismatch,
        TroubleKind::TimeOut,
        TroubleKind::MemoryOut,
        TroubleKind::Flood,
        TroubleKind::Killed,
        TroubleKind::Unsupported,
        TroubleKind::ParseError,
        TroubleKind::SortError,
        TroubleKind::UsageError,
        TroubleKind::Error,
        TroubleKind::Garbage,
    ];

    /// Returns true if the crash oracle considers it a bug of the solver.
    pub fn is_crash(self) -> bool {
        use TroubleKind::{Assertion, Crash, InternalError, Sanitizer};
        matches!(self, Crash | Assertion | Sanitizer | InternalError)
    }

    /// Returns true if a limit stopped the run: the solver is not at fault, and a larger limit may give an answer.
    pub fn is_limit(self) -> bool {
        matches!(self, TroubleKind::TimeOut | TroubleKind::MemoryOut | TroubleKind::Flood)
    }

    /// Returns true if the solver rejected the script or a part of it, so that its answers may concern another script.
    pub fn is_rejection(self) -> bool {
        use TroubleKind::{Error, ParseError, SortError, Unsupported, UsageError};
        matches!(self, Unsupported | ParseError | SortError | UsageError | Error)
    }

    /// The name in profiles and in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            TroubleKind::Crash => "crash",
            TroubleKind::Assertion => "assertion",
            TroubleKind::Sanitizer => "sanitizer",
            TroubleKind::InternalError => "internal-error",
            TroubleKind::InvalidModel => "invalid-model",
            TroubleKind::StatusMismatch => "status-mismatch",
            TroubleKind::TimeOut => "time-out",
            TroubleKind::MemoryOut => "memory-out",
            TroubleKind::Flood => "flood",
            TroubleKind::Killed => "killed",
            TroubleKind::Unsupported => "unsupported",
            TroubleKind::ParseError => "parse-error",
            TroubleKind::SortError => "sort-error",
            TroubleKind::UsageError => "usage-error",
            TroubleKind::Error => "error",
            TroubleKind::Garbage => "garbage",
        }
    }
}

impl fmt::Display for TroubleKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_at_most_one_of_crash_limit_and_rejection() {
        for kind in TroubleKind::ALL {
            let roles = [kind.is_crash(), kind.is_limit(), kind.is_rejection()];
            assert!(roles.iter().filter(|&&role| role).count() <= 1, "{kind}");
        }
    }

    #[test]
    fn the_name_printed_is_the_name_read() {
        #[derive(Deserialize)]
        struct Row {
            class: TroubleKind,
        }
        for kind in TroubleKind::ALL {
            let row: Row = toml::from_str(&format!("class = \"{kind}\"")).unwrap();
            assert_eq!(row.class, kind);
        }
    }
}
