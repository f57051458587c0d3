//! Seeds: the scripts that a campaign starts from, read from files and folders.
//!
//! A corpus may have a hundred thousand files, so only the name, path, hash, status and size of a seed are kept. Its text is
//! read again when needed; if it has changed by then, that is an error, never another case. Files that cannot be seeds are
//! counted, with an example for each reason.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gainsay_smt::{Command, Script, Signature};
use sha2::{Digest, Sha256};

use crate::solver::run::Answer;
pub use crate::trial::question_count as questions;

mod text;
mod walk;

pub use text::RefusedFile;
pub use walk::{files, script_stem};

/// The seeds of a campaign, sorted by name, and the files that were refused.
#[derive(Debug, Clone, Default)]
pub struct Seeds {
    list: Vec<Seed>,
    refused: BTreeMap<&'static str, RefusalCount>,
}

/// A script to start from; its text is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seed {
    /// Its path as the user knows it.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// A hash of its text, unpacked.
    pub hash: String,
    /// Its status, if known.
    pub status: Option<Answer>,
    /// The names of the theory sorts of its variables, sorted: `Int Real`.
    pub sorts: String,
    /// Whether its logic is HORN.
    pub is_horn: bool,
    /// Bytes of its text.
    pub bytes: u64,
}

/// The number of files refused for one reason, and an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusalCount {
    /// The number.
    pub count: u64,
    /// The first of them, and the error.
    pub example: String,
}

/// Why there are no seeds.
#[derive(Debug, thiserror::Error)]
pub enum SeedsError {
    /// No files and folders were named.
    #[error("there are no seeds: name files or folders of SMT-LIB scripts with --seeds")]
    None,
    /// A path of the user's cannot be read.
    #[error("cannot read seeds from {path}: {why}", path = path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The message of the operating system.
        why: String,
    },
    /// A folder without any file that could be a seed.
    #[error("{path} holds no file that ends in .smt2, .smt2.gz or .smt", path = path.display())]
    Empty {
        /// The folder.
        path: PathBuf,
    },
    /// All were refused.
    #[error("no file can be a seed; skipped {reasons}")]
    Unusable {
        /// Why, the most frequent reason first, with an example each.
        reasons: String,
    },
}

/// A seed whose file has changed since the campaign started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SeedChanged {
    /// It cannot be read any more.
    #[error("the seed {name} cannot be read any more: {why}")]
    Gone {
        /// Its name.
        name: String,
        /// The reason.
        why: String,
    },
    /// Its text has changed.
    #[error("the seed {0} was changed since the campaign began")]
    Other(String),
}

impl Seeds {
    /// Reads the seeds at and below the paths. Calls `progress` after each file with the number read and the total.
    pub fn load(
        paths: &[PathBuf],
        most_bytes: u64,
        signature: &Arc<Signature>,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Seeds, SeedsError> {
        if paths.is_empty() {
            return Err(SeedsError::None);
        }
        let mut seeds = Seeds::default();
        let files = walk::files(paths, &mut |path, refused| seeds.refuse(path, &refused))?;
        let mut known = HashSet::new();
        for (done, path) in files.iter().enumerate() {
            match examine(path, most_bytes, signature) {
                Ok(seed) if !known.insert(seed.hash.clone()) => seeds.refuse(path, &RefusedFile::duplicate()),
                Ok(seed) => seeds.list.push(seed),
                Err(refused) => seeds.refuse(path, &refused),
            }
            progress(done + 1, files.len());
        }
        if seeds.list.is_empty() { Err(seeds.unusable()) } else { Ok(seeds) }
    }

    /// The seeds, sorted by name.
    pub fn list(&self) -> &[Seed] {
        &self.list
    }

    /// Refused files, by reason.
    pub fn refused(&self) -> impl Iterator<Item = (&'static str, &RefusalCount)> {
        self.refused.iter().map(|(reason, refusal)| (*reason, refusal))
    }

    fn refuse(&mut self, path: &Path, refused: &RefusedFile) {
        let example = || RefusalCount { count: 0, example: format!("{}: {}", path.display(), refused.what) };
        self.refused.entry(refused.reason).or_insert_with(example).count += 1;
    }

    fn unusable(&self) -> SeedsError {
        let mut refused: Vec<_> = self.refused.iter().collect();
        refused.sort_by_key(|(_, refusal)| std::cmp::Reverse(refusal.count));
        let reason = |(reason, refusal): &(&&str, &RefusalCount)| {
            let files = if refusal.count == 1 { "file" } else { "files" };
            format!("{} {files}: {reason} ({})", refusal.count, refusal.example)
        };
        SeedsError::Unusable { reasons: refused.iter().map(reason).collect::<Vec<_>>().join("; ") }
    }
}

impl Seed {
    /// Reads its text again, and checks that it is unchanged.
    pub fn read(&self) -> Result<String, SeedChanged> {
        let gone = |refused: RefusedFile| SeedChanged::Gone { name: self.name.clone(), why: refused.what };
        // The size may differ from that on disk by a byte-order mark.
        let text = text::read(&self.path, self.bytes + 3).map_err(gone)?;
        if hash(&text) == self.hash { Ok(text) } else { Err(SeedChanged::Other(self.name.clone())) }
    }
}

/// The hash that identifies a seed's text.
pub fn hash(text: &str) -> String {
    use std::fmt::Write;
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(text) {
        write!(hex, "{byte:02x}").expect("a string takes all that is written to it");
    }
    hex
}

/// The status of a script, if known: its `:status`, or else the name of its folder.
///
/// Contradicting claims count as none, and so does a claim in a script with several questions.
pub fn status(script: &Script, path: &Path) -> Option<Answer> {
    if questions(script) != 1 {
        return None;
    }
    let decided = |word: &str| Answer::from_word(word.as_bytes()).filter(|&answer| answer != Answer::Unknown);
    let claimed = script.info(":status").and_then(decided);
    let folders = path.parent().into_iter().flat_map(Path::components).rev();
    let filed = folders.filter_map(|folder| folder.as_os_str().to_str()).find_map(decided);
    match (claimed, filed) {
        (Some(claimed), Some(filed)) => (claimed == filed).then_some(claimed),
        (one, other) => one.or(other),
    }
}

/// The names of the theory sorts of a script's variables, sorted and separated by spaces.
pub fn sorts(script: &Script) -> String {
    let arena = script.arena();
    let theory = |command: &Command| match command {
        Command::Declare(_, _, parameters, sort) if parameters.is_empty() => {
            let head = arena.view_sort(arena.canonical(*sort)).head;
            arena.signature().is_sort(head).then(|| arena.text(head))
        }
        _ => None,
    };
    let names: BTreeSet<&str> = script.commands.iter().filter_map(theory).collect();
    names.into_iter().collect::<Vec<_>>().join(" ")
}

fn examine(path: &Path, most_bytes: u64, signature: &Arc<Signature>) -> Result<Seed, RefusedFile> {
    let text = text::read(path, most_bytes)?;
    let script = text::parse(&text, signature)?;
    // A script that only one solver supports cannot be a seed: no other solver can be compared.
    let is_plain = |command: &&Command| matches!(command, Command::Plain(..)) && script.is_check(command);
    if questions(&script) == script.commands.iter().filter(is_plain).count() {
        return Err(RefusedFile::new("without a check", "there is no (check-sat)"));
    }
    Ok(Seed {
        name: path.display().to_string(),
        path: path.to_owned(),
        hash: hash(&text),
        status: status(&script, path),
        sorts: sorts(&script),
        is_horn: script.is_horn(),
        bytes: text.len() as u64,
    })
}

#[cfg(test)]
mod tests;
