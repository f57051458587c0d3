//! Embeds the seeds of `corpus/smt` into the program for `gainsay quickstart`, and the commit for `gainsay --version`.
//!
//! `crates/cli/corpus` is a link to the seeds, which `cargo package` follows: a package has them as files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    embed_commit();
    let variable = |name| {
        env::var_os(name).map(PathBuf::from).ok_or_else(|| io::Error::other("cargo sets this variable"))
    };
    let corpus = variable("CARGO_MANIFEST_DIR")?.join("corpus").canonicalize()?;
    println!("cargo::rerun-if-changed={}", corpus.display());
    let mut files = Vec::new();
    collect(&corpus, &mut files)?;
    files.sort();
    let mut code = "&[\n".to_owned();
    for file in files {
        let name = file.strip_prefix(&corpus).unwrap_or(&file).display().to_string();
        let _ = writeln!(code, "    ({name:?}, include_str!({:?})),", file.display().to_string());
    }
    code.push_str("]\n");
    fs::write(variable("OUT_DIR")?.join("seeds.rs"), code)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            println!("cargo::rerun-if-changed={}", path.display());
            collect(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "smt2") {
            files.push(path);
        }
    }
    Ok(())
}

/// Passes the commit and its date to the program; empty if git or the history is missing, as in a package.
fn embed_commit() {
    // A commit changes the reflog, or at least the current reference.
    for name in ["logs/HEAD", "HEAD"] {
        if let Some(path) = git(&["rev-parse", "--path-format=absolute", "--git-path", name]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    println!("cargo::rerun-if-changed=build.rs");
    let commit = git(&["log", "-1", "--format=%h %cs"]).unwrap_or_default();
    println!("cargo::rustc-env=GAINSAY_COMMIT={commit}");
}

/// The output of a git command, without its line break.
fn git(arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
