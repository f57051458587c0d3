//! Embeds the seeds of `corpus/smt` into the program for `gainsay quickstart`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let variable = |name| {
        env::var_os(name).map(PathBuf::from).ok_or_else(|| io::Error::other("cargo sets this variable"))
    };
    let corpus = variable("CARGO_MANIFEST_DIR")?.join("../../corpus/smt").canonicalize()?;
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
