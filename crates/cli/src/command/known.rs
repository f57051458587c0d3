//! `gainsay known add|list|remove`: edits the file of known bugs, which `gainsay fuzz --known` reads.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use gainsay_engine::campaign::known_bugs::lines;

use crate::exit::{NoOutput, UsageError};
use crate::json::campaigns::KnownList;
use crate::report::format::visible;
use crate::{console, json, known_bugs};

const KNOWN_EXAMPLES: &str = "Examples:
  gainsay known add nightly/triage/bugs/refutation-z3-1f3a9c02 --note https://github.com/Z3Prover/z3/issues/1
  gainsay known add 'refutation z3 QF_S {=(str.replace)}'
  gainsay known list --json
  gainsay known remove 'refutation z3 QF_S {=(str.replace)}'
  gainsay fuzz --resume --out nightly --known known.txt

A finding is a known bug if its kind and code base are the same and its script has all features in braces. Take the fingerprint
of a bug after triage, which reduces the script: that of an unreduced case has more features, and so matches less.";

/// Arguments of `gainsay known`.
#[derive(Debug, Args)]
#[command(after_help = KNOWN_EXAMPLES)]
pub struct KnownArgs {
    #[command(subcommand)]
    action: KnownAction,
    /// The file of known bugs; it need not exist.
    #[arg(long, global = true, default_value = "known.txt", value_name = "FILE")]
    known: PathBuf,
    /// Print one JSON object as the last line.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum KnownAction {
    /// Add bugs: fingerprints, or folders of DIR/findings or DIR/triage/bugs.
    Add {
        /// Fingerprints or folders.
        #[arg(required = true, value_name = "BUG")]
        bugs: Vec<String>,
        /// A comment above them, such as the address of an issue.
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
    /// List the known bugs.
    List,
    /// Remove bugs: fingerprints or folders, as for add.
    Remove {
        /// Fingerprints or folders.
        #[arg(required = true, value_name = "BUG")]
        bugs: Vec<String>,
    },
}

/// Runs the command.
pub fn run(args: &KnownArgs) -> anyhow::Result<ExitCode> {
    let text = known_bugs::read(&args.known)?;
    let text = match &args.action {
        KnownAction::List => text,
        KnownAction::Add { bugs, note } => write(args, add(&text, &fingerprints(bugs)?, note.as_deref()))?,
        KnownAction::Remove { bugs } => write(args, remove(&text, &fingerprints(bugs)?)?)?,
    };
    let known: Vec<&str> = lines(&text).collect();
    if args.json {
        let known = known.into_iter().map(str::to_owned).collect();
        json::print(&KnownList { file: args.known.clone(), known });
    } else {
        known.iter().for_each(|line| console::out(visible(line)));
    }
    Ok(ExitCode::SUCCESS)
}

fn fingerprints(bugs: &[String]) -> anyhow::Result<Vec<String>> {
    bugs.iter().map(|bug| known_bugs::fingerprint(bug)).collect()
}

fn write(args: &KnownArgs, text: String) -> anyhow::Result<String> {
    std::fs::write(&args.known, &text).map_err(|source| NoOutput { path: args.known.clone(), source })?;
    Ok(text)
}

/// The list with more fingerprints, each once.
fn add(text: &str, fingerprints: &[String], note: Option<&str>) -> String {
    let known: Vec<&str> = lines(text).collect();
    let mut fresh: Vec<&str> = Vec::new();
    for fingerprint in fingerprints {
        if !known.contains(&fingerprint.as_str()) && !fresh.contains(&fingerprint.as_str()) {
            fresh.push(fingerprint);
        }
    }
    let note =
        note.filter(|_| !fresh.is_empty()).map(|note| format!("# {}", note.replace(['\n', '\r'], " ")));
    let old = text.lines().map(str::to_owned);
    let all = old.chain(note).chain(fresh.into_iter().map(str::to_owned));
    all.map(|line| format!("{line}\n")).collect()
}

/// The list without some fingerprints.
fn remove(text: &str, fingerprints: &[String]) -> Result<String, UsageError> {
    let known: Vec<&str> = lines(text).collect();
    if let Some(missing) = fingerprints.iter().find(|one| !known.contains(&one.as_str())) {
        return Err(UsageError(format!("`{missing}` is not among the known bugs")));
    }
    let kept = text.lines().filter(|line| !fingerprints.iter().any(|one| one == line.trim()));
    Ok(kept.map(|line| format!("{line}\n")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_are_added_once_and_comments_stay() {
        let some = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let text =
            add("# a\ncrash z3 x\n", &some(&["crash z3 x", "crash z3 y", "crash z3 y"]), Some("issue 1"));
        assert_eq!(text, "# a\ncrash z3 x\n# issue 1\ncrash z3 y\n");
        assert_eq!(remove(&text, &some(&["crash z3 x"])).unwrap(), "# a\n# issue 1\ncrash z3 y\n");
        assert!(remove(&text, &some(&["crash z3 z"])).is_err());
    }
}
