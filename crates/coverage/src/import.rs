//! Lines that instrumented builds have counted, read through the programs that people have: gcov for `.gcda` files, llvm-profdata and
//! llvm-cov for `.profraw` and `.profdata` files.
//!
//! The formats differ between releases of the compilers, and only the program of the same release reads them; so they are not parsed here.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde::Deserialize;

use crate::lcov;

/// Lines by file and number, and whether they were reached.
pub type CountedLines = BTreeMap<(String, u64), bool>;

/// The programs that read counts.
#[derive(Debug, Clone)]
pub struct ImportPrograms {
    /// `gcov`, of the release of gcc that compiled the program.
    pub gcov: PathBuf,
    /// `llvm-profdata`, of the release of clang that compiled it.
    pub llvm_profdata: PathBuf,
    /// `llvm-cov`, of the same release.
    pub llvm_cov: PathBuf,
    /// A folder for temporary files, for one import at a time.
    pub scratch: PathBuf,
}

/// Why counts cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A program is not installed.
    #[error(
        "{files} files are read by {program}, which cannot be run ({source}): install it, or name it with --{program}"
    )]
    Missing {
        /// The kind of files.
        files: &'static str,
        /// The program.
        program: &'static str,
        /// Why.
        source: io::Error,
    },
    /// A program does not read the files.
    #[error("{program} does not read {file} (is it of the release of the compiler?): {said}")]
    Failed {
        /// The program.
        program: &'static str,
        /// The file, or the first of several.
        file: String,
        /// The first line that it printed.
        said: String,
    },
    /// `.profraw` files need the program.
    #[error("{0} counts the lines of a program: name it with --program")]
    NoProgram(String),
    /// There are no counts.
    #[error("there are no .gcda, .profraw or .profdata files: run the instrumented program first")]
    Nothing,
    /// A file cannot be read or written.
    #[error("cannot import coverage: {0}")]
    Disk(#[from] io::Error),
}

/// Reads all files of counts; those of llvm need the program that they are about.
pub fn import(
    files: &[PathBuf],
    program: Option<&Path>,
    programs: &ImportPrograms,
) -> Result<CountedLines, ImportError> {
    let of_kind = |kinds: &[&str]| -> Vec<&PathBuf> {
        let is_kind =
            |file: &&PathBuf| file.extension().is_some_and(|own| kinds.iter().any(|kind| own == *kind));
        files.iter().filter(is_kind).collect()
    };
    let (gcda, profiles) = (of_kind(&["gcda"]), of_kind(&["profraw", "profdata"]));
    let mut lines = CountedLines::new();
    for file in &gcda {
        join(&mut lines, read_gcda(file, programs)?);
    }
    if let Some(first) = profiles.first() {
        let program = program.ok_or_else(|| ImportError::NoProgram(first.display().to_string()))?;
        join(&mut lines, read_profiles(&profiles, program, programs)?);
    }
    if gcda.is_empty() && profiles.is_empty() { Err(ImportError::Nothing) } else { Ok(lines) }
}

fn join(lines: &mut CountedLines, more: CountedLines) {
    for (line, is_reached) in more {
        *lines.entry(line).or_insert(false) |= is_reached;
    }
}

/// What `gcov --json-format` prints, as far as it is used.
#[derive(Deserialize)]
struct GcovReport {
    current_working_directory: String,
    files: Vec<GcovFile>,
}

#[derive(Deserialize)]
struct GcovFile {
    file: String,
    lines: Vec<GcovLine>,
}

#[derive(Deserialize)]
struct GcovLine {
    line_number: u64,
    count: u64,
}

fn read_gcda(file: &Path, programs: &ImportPrograms) -> Result<CountedLines, ImportError> {
    let mut command = Command::new(&programs.gcov);
    command.args(["--json-format", "--stdout"]).arg(std::path::absolute(file)?);
    let output = run(command, ("gcov", ".gcda"), file)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = CountedLines::new();
    for row in text.lines().filter(|row| !row.is_empty()) {
        let report: GcovReport = serde_json::from_str(row).map_err(|error| ImportError::Failed {
            program: "gcov",
            file: file.display().to_string(),
            said: error.to_string(),
        })?;
        for GcovFile { file, lines: counted } in report.files {
            let path = Path::new(&report.current_working_directory).join(file).display().to_string();
            for line in counted {
                *lines.entry((path.clone(), line.line_number)).or_insert(false) |= line.count > 0;
            }
        }
    }
    Ok(lines)
}

fn read_profiles(
    files: &[&PathBuf],
    program: &Path,
    programs: &ImportPrograms,
) -> Result<CountedLines, ImportError> {
    let merged = programs.scratch.join(format!("gainsay-{}.profdata", std::process::id()));
    let mut merge = Command::new(&programs.llvm_profdata);
    merge.args(["merge", "--sparse", "--output"]).arg(&merged).args(files);
    let done = run(merge, ("llvm-profdata", ".profraw"), files[0]).and_then(|_| {
        let mut export = Command::new(&programs.llvm_cov);
        export.args(["export", "--format=lcov", "--instr-profile"]).arg(&merged).arg(program);
        run(export, ("llvm-cov", ".profdata"), program)
    });
    let _ = std::fs::remove_file(&merged);
    Ok(lcov::read(&String::from_utf8_lossy(&done?.stdout)))
}

/// Runs a program of a compiler.
fn run(
    mut command: Command,
    (program, files): (&'static str, &'static str),
    file: &Path,
) -> Result<Output, ImportError> {
    let output = command.output().map_err(|source| ImportError::Missing { files, program, source })?;
    if output.status.success() && !(output.stdout.is_empty() && program == "gcov") {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().next().unwrap_or("it printed nothing").to_owned();
    Err(ImportError::Failed { program, file: file.display().to_string(), said })
}
