//! A cache of the statements of releases: a second bisection takes no time.
//!
//! An installed release does not change, so its answer to a text under given limits can be kept for good. A program of the
//! user may be rebuilt at any time, so it is always run. Each statement is a small file that is written by one rename; if one
//! cannot be read or written, the release is run again.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::release_statement::{ReleaseQuery, ask};
use crate::solver::name::Origin;
use crate::solver::process::RunError;
use crate::solver::resolve::Solver;
use crate::solver::runner::Launcher;
use crate::trial::SolverIdentity;
use crate::trial::Statement;

/// The format of the files.
const CACHE_FORMAT: u32 = 3;

/// A folder of statements; `None` if nothing is cached.
#[derive(Debug, Clone)]
pub struct StatementCache {
    folder: Option<PathBuf>,
}

#[derive(Serialize, Deserialize)]
struct CachedStatement {
    format: u32,
    statement: Statement,
}

impl StatementCache {
    /// A cache in the subfolder `answers` of a folder, which need not exist.
    pub fn within(folder: &Path) -> Self {
        StatementCache { folder: Some(folder.join("answers")) }
    }

    /// A cache that keeps nothing.
    pub fn none() -> Self {
        StatementCache { folder: None }
    }

    /// Runs a solver, unless its statement is cached.
    pub fn ask(
        &self,
        query: &ReleaseQuery<'_>,
        solver: &Solver,
        identity: &SolverIdentity,
        launcher: &Launcher,
    ) -> Result<Statement, RunError> {
        let place = self.place(query, solver);
        if let Some(statement) = place.as_deref().and_then(recall) {
            return Ok(statement);
        }
        let statement = ask(query, solver, identity, launcher)?;
        if let Some(place) = place {
            // A statement that cannot be written is asked for again.
            let _ = keep(&place, &statement);
        }
        Ok(statement)
    }

    /// The file of a release's statement; `None` for a program that may change.
    fn place(&self, query: &ReleaseQuery<'_>, solver: &Solver) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        let managed = matches!(solver.name.origin, Origin::Managed(_) | Origin::Latest);
        let version = solver.version.as_ref().filter(|_| managed)?;
        let limits = query.limits;
        let key = [
            env!("CARGO_PKG_VERSION").to_owned(),
            solver.profile.name.clone(),
            version.to_string(),
            solver.name.options.join("\u{1f}"),
            format!("{:?} {:?} {:?} {}", limits.wall, limits.cpu, limits.memory, limits.output),
            query.checkers.iter().map(|checker| checker.name.to_string()).collect::<Vec<_>>().join("\u{1f}"),
            query.text.to_owned(),
        ];
        let hash = Sha256::digest(key.join("\u{1e}"));
        let hash: String = hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        Some(folder.join(&hash[..2]).join(format!("{hash}.json")))
    }
}

fn recall(place: &Path) -> Option<Statement> {
    let note: CachedStatement = serde_json::from_slice(&fs::read(place).ok()?).ok()?;
    (note.format == CACHE_FORMAT).then_some(note.statement)
}

fn keep(place: &Path, statement: &Statement) -> std::io::Result<()> {
    let note = CachedStatement { format: CACHE_FORMAT, statement: statement.clone() };
    fs::create_dir_all(place.parent().unwrap_or(place))?;
    // Two threads may keep one answer at a time: each has a draft of its own.
    let draft = place.with_extension(format!("new-{}-{:?}", std::process::id(), std::thread::current().id()));
    fs::write(&draft, serde_json::to_vec(&note)?)?;
    fs::rename(draft, place)
}
