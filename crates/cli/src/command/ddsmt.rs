//! `gainsay ddsmt INFILE OUTFILE COMMAND…`: `gainsay reduce` with the arguments of ddSMT 2.
//!
//! Scripts and muscle memory of ddSMT's users keep working: same order of arguments, same flags for comparing runs. What
//! has no counterpart is an error that names it, so that no reduction means something else than its user thinks.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::{native, reduce};
use crate::command::check::seconds;
use crate::environment::SandboxArgs;
use crate::exit::UsageError;

const DDSMT_EXAMPLES: &str = "Examples:
  gainsay ddsmt bug.smt2 small.smt2 ./build/z3
  gainsay ddsmt --match-err \"ASSERTION VIOLATION\" -j 4 bug.smt2 small.smt2 ./build/z3 model_validate=true

The native command is `gainsay reduce INFILE --out OUTFILE -- COMMAND…`. The exit codes are those of `gainsay reduce`.";

/// Arguments of `gainsay ddsmt`.
#[derive(Debug, Args)]
#[command(after_help = DDSMT_EXAMPLES)]
pub struct DdsmtArgs {
    /// The script.
    infile: PathBuf,
    /// The file for the result.
    outfile: PathBuf,
    /// The command; gainsay appends the path of the script.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
    /// Number of scripts to test in parallel [default: one per core].
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Timeout per run: 2, 500ms, 1m [default: 10s].
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Memory limit per run, in megabytes; 0 stands for the default of `gainsay reduce`, 4096.
    #[arg(long, default_value_t = 0, value_name = "MB", value_parser = clap::value_parser!(u64).range(..1 << 40))]
    memout: u64,
    /// Ignore the output of the command; compare only its exit code.
    #[arg(long)]
    ignore_output: bool,
    /// Ignore the standard output of the command.
    #[arg(long)]
    ignore_out: bool,
    /// Ignore the standard error of the command.
    #[arg(long)]
    ignore_err: bool,
    /// Text that the standard output of the command must contain.
    #[arg(long, value_name = "TEXT")]
    match_out: Option<String>,
    /// Text that the standard error of the command must contain.
    #[arg(long, value_name = "TEXT")]
    match_err: Option<String>,
    /// Not supported: put both commands into a script.
    #[arg(long, short, value_name = "COMMAND", hide = true)]
    cross_check: Option<String>,
    /// Accepted and ignored: gainsay has one strategy.
    #[arg(long, value_name = "NAME", hide = true)]
    strategy: Option<String>,
    #[command(flatten)]
    sandbox: SandboxArgs,
}

/// Runs the command.
pub fn run(args: &DdsmtArgs) -> anyhow::Result<ExitCode> {
    if args.cross_check.is_some() {
        let line = "--cross-check has no counterpart: write a script that runs both commands and compares them, \
                    and pass that script as the command";
        return Err(UsageError(line.to_owned()).into());
    }
    let words = native_words(args);
    native::announce(&words);
    reduce::run(&native::read(&words)?)
}

/// The same command in gainsay's own words.
fn native_words(args: &DdsmtArgs) -> Vec<String> {
    let path = |path: &PathBuf| path.display().to_string();
    // ddSMT overwrites its output file.
    let mut words = vec!["reduce".to_owned(), path(&args.infile), path(&args.outfile), "--force".to_owned()];
    let values = [
        ("--jobs", args.jobs.map(|jobs| jobs.to_string())),
        ("--timeout", args.timeout.map(|timeout| timeout.as_secs_f64().to_string())),
        ("--memory", (args.memout > 0).then(|| args.memout.to_string())),
        ("--match-out", args.match_out.clone()),
        ("--match-err", args.match_err.clone()),
    ];
    for (flag, value) in values {
        words.extend(value.into_iter().flat_map(|value| [flag.to_owned(), value]));
    }
    let flags = [
        ("--ignore-output", args.ignore_output),
        ("--ignore-out", args.ignore_out),
        ("--ignore-err", args.ignore_err),
        ("--no-sandbox", args.sandbox.is_off()),
        ("--sandbox", args.sandbox.is_everywhere()),
    ];
    words.extend(flags.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag.to_owned()));
    words.push("--".to_owned());
    words.extend(args.command.iter().cloned());
    words
}
