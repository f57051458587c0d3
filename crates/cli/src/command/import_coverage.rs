//! `gainsay import-coverage PATH…`: lines that an instrumented build has counted, through gcov or llvm-cov.
//!
//! For people who have an instrumented build already: the same table by folder and the same lcov file as `gainsay coverage` makes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use gainsay_engine::coverage::import::{CountedLines, ImportPrograms, import};
use gainsay_engine::coverage::lcov;
use gainsay_engine::coverage::report::ScopeRow;

use crate::exit::{CannotCover, NoInput, NoOutput};
use crate::json::making::ImportedCoverage;
use crate::{console, json};

const IMPORT_EXAMPLES: &str = "Examples:
  gainsay import-coverage build/                                         all .gcda files of a build with --coverage (gcc)
  gainsay import-coverage default.profraw --program build/z3             a build with -fprofile-instr-generate -fcoverage-mapping (clang)
  gainsay import-coverage build/ --lcov counted.info --gcov gcov-14      by the gcov of that release

gcov reads .gcda files, llvm-profdata and llvm-cov read .profraw and .profdata files; each only those of its own release. They must
be installed. `gainsay coverage` needs neither them nor an instrumented build.";

/// Arguments of `gainsay import-coverage`.
#[derive(Debug, Args)]
#[command(after_help = IMPORT_EXAMPLES)]
pub struct ImportCoverageArgs {
    /// Files .gcda, .profraw or .profdata, and folders with such files.
    #[arg(required = true, value_name = "PATH")]
    counts: Vec<PathBuf>,
    /// The instrumented program; .profraw and .profdata files need it.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Write the lines to this file, in the format of lcov, which genhtml and editors read.
    #[arg(long, value_name = "FILE")]
    lcov: Option<PathBuf>,
    /// Show at most this many namespaces, classes or folders, those with the most unreached first.
    #[arg(long, default_value_t = 15, value_name = "N")]
    scopes: usize,
    /// The program gcov.
    #[arg(long, default_value = "gcov", value_name = "COMMAND")]
    gcov: PathBuf,
    /// The program llvm-profdata.
    #[arg(long, default_value = "llvm-profdata", value_name = "COMMAND")]
    llvm_profdata: PathBuf,
    /// The program llvm-cov.
    #[arg(long, default_value = "llvm-cov", value_name = "COMMAND")]
    llvm_cov: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &ImportCoverageArgs) -> anyhow::Result<ExitCode> {
    let programs = ImportPrograms {
        gcov: args.gcov.clone(),
        llvm_profdata: args.llvm_profdata.clone(),
        llvm_cov: args.llvm_cov.clone(),
        scratch: std::env::temp_dir(),
    };
    let files = count_files(&args.counts)?;
    let lines =
        import(&files, args.program.as_deref(), &programs).map_err(|error| CannotCover(error.to_string()))?;
    if let Some(path) = &args.lcov {
        let text =
            lcov::write_lines(lines.iter().map(|((file, line), reached)| (file.as_str(), *line, *reached)));
        std::fs::write(path, text).map_err(|source| NoOutput { path: path.clone(), source })?;
    }
    let reached = lines.values().filter(|reached| **reached).count();
    let scopes = by_folder(&lines);
    if args.json {
        json::print(&ImportedCoverage {
            files: files.len(),
            lines_reached: reached,
            lines: lines.len(),
            scopes,
        });
        return Ok(ExitCode::SUCCESS);
    }
    let percent = 100.0 * reached as f64 / lines.len().max(1) as f64;
    console::out(format_args!("{reached:>8} of {:>7} lines {percent:>5.1} %", lines.len()));
    console::out("\nfolders with the most unreached lines");
    for row in scopes.iter().take(args.scopes) {
        console::out(format_args!("{:>8} of {:>7}  {}", row.reached, row.all, row.scope));
    }
    Ok(ExitCode::SUCCESS)
}

/// The files that are named, and those with counts in folders, sorted.
fn count_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, NoInput> {
    let mut files = Vec::new();
    let mut open: Vec<PathBuf> = paths.to_vec();
    while let Some(path) = open.pop() {
        let failed = |source| NoInput { path: path.clone(), source };
        if !std::fs::metadata(&path).map_err(failed)?.is_dir() {
            files.push(path);
            continue;
        }
        for entry in std::fs::read_dir(&path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let is_folder = entry.file_type().map_err(failed)?.is_dir();
            if is_folder || has_counts(&entry.path()) {
                open.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

fn has_counts(path: &Path) -> bool {
    path.extension().is_some_and(|kind| ["gcda", "profraw", "profdata"].iter().any(|known| kind == *known))
}

/// Lines by folder, those with the most unreached first.
fn by_folder(lines: &CountedLines) -> Vec<ScopeRow> {
    let mut rows: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for ((file, _), is_reached) in lines {
        let row = rows.entry(file.rsplit_once('/').map_or(".", |(folder, _)| folder)).or_default();
        *row = (row.0 + usize::from(*is_reached), row.1 + 1);
    }
    let row =
        |(scope, (reached, all)): (&str, (usize, usize))| ScopeRow { scope: scope.to_owned(), reached, all };
    let mut rows: Vec<ScopeRow> = rows.into_iter().map(row).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.all - row.reached));
    rows
}
