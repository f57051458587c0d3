//! `gainsay typefuzz|opfuzz|yinyang "SOLVER;SOLVER" SEED…`: `gainsay fuzz` with the arguments of yinyang's programs.
//!
//! ```text
//! gainsay opfuzz "z3 model_validate=true;cvc5 -q" seeds/
//! ```
//!
//! As there, solvers are command lines separated by semicolons, each seed is visited once for `-i` mutations, and each bug
//! becomes a file in `./bugs`. The records of the campaign go to the log folder; list, report, triage and replay work on it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use gainsay_engine::finding::FindingKind;
use gainsay_engine::seeds;
use gainsay_engine::solver::name::{Origin, SolverName, split_words};
use gainsay_engine::solver::profile::Profile;
use gainsay_engine::solver::profiles::Profiles;
use gainsay_engine::store::folder::CASE_FILE;

use super::fuzz::plan::unused_folder_in;
use super::{fuzz, native};
use crate::campaign_run::{DisplayMode, FinishedCampaign};
use crate::console;
use crate::display::summary;
use crate::display::view::FindingView;
use crate::environment::{Environment, SandboxArgs};
use crate::exit::{NoOutput, UsageError};

const FUZZER_EXAMPLES: &str = "Examples:
  gainsay opfuzz \"z3 model_validate=true;cvc5 --check-models\" seeds/
  gainsay typefuzz -i 100 -t 4 \"./build/z3;cvc5\" a.smt2 b.smt2
  gainsay yinyang -o sat \"z3;cvc5\" sat-seeds/

The exit codes are those of yinyang and of `gainsay fuzz`: 0 no bugs, 10 bugs, 2 usage, 3 a bug in gainsay, 4 a solver cannot
run, 5 the disk is full; 6 if no case was run. docs/migration.md compares the programs flag by flag.";

/// Iterations for each seed if none are given: opfuzz and typefuzz.
const MUTATION_ITERATIONS: u64 = 300;
/// Iterations for each seed if none are given: yinyang.
const FUSION_ITERATIONS: u64 = 30;

/// The arguments that all programs of yinyang share.
#[derive(Debug, Args)]
pub struct FuzzerArgs {
    /// Command lines of solvers, separated by semicolons.
    #[arg(value_name = "SOLVERS")]
    solvers: String,
    /// Seeds: files, and folders of files.
    #[arg(value_name = "SEED", required = true)]
    seeds: Vec<PathBuf>,
    /// Timeout per solver run: 8, 500ms.
    #[arg(long, short, default_value = "8", value_name = "TIME")]
    timeout: String,
    /// The folder for scripts that show bugs.
    #[arg(long, short, default_value = "bugs", value_name = "DIR")]
    bugsfolder: PathBuf,
    /// The folder for the records of campaigns.
    #[arg(long, short, default_value = "logs", value_name = "DIR")]
    logfolder: PathBuf,
    /// Accepted and ignored: gainsay keeps scripts in memory.
    #[arg(long, short, value_name = "DIR", hide = true)]
    scratchfolder: Option<PathBuf>,
    /// Accepted and ignored: a campaign always keeps its records.
    #[arg(long, short, hide = true)]
    no_log: bool,
    /// Skip seeds with more bytes than this.
    #[arg(long, short = 'L', default_value_t = 100_000, value_name = "BYTES")]
    file_size_limit: u64,
    /// Number of cases to run in parallel.
    #[arg(long, short, default_value_t = 1, value_name = "N")]
    jobs: usize,
    /// The random seed [default: drawn and printed].
    #[arg(long = "seed", value_name = "N")]
    rng_seed: Option<u64>,
    #[command(flatten)]
    sandbox: SandboxArgs,
}

/// Arguments of `gainsay typefuzz` and `gainsay opfuzz`.
#[derive(Debug, Args)]
#[command(after_help = FUZZER_EXAMPLES)]
pub struct MutationFuzzerArgs {
    #[command(flatten)]
    common: FuzzerArgs,
    /// Mutations of each seed.
    #[arg(long, short, default_value_t = MUTATION_ITERATIONS, value_name = "N")]
    iterations: u64,
    /// Accepted and ignored: gainsay runs solvers on every mutant.
    #[arg(long, short, value_name = "N", hide = true)]
    modulo: Option<u64>,
    /// A file of operators in yinyang's format: signatures for typefuzz, classes for opfuzz.
    #[arg(long, short, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Arguments of `gainsay yinyang`.
#[derive(Debug, Args)]
#[command(after_help = FUZZER_EXAMPLES)]
pub struct FusionFuzzerArgs {
    #[command(flatten)]
    common: FuzzerArgs,
    /// The status of the seeds; gainsay reads or computes the status of each seed, and does not rely on this.
    #[arg(long, short, value_name = "STATUS")]
    oracle: Option<SeedOracle>,
    /// Fusions of each seed.
    #[arg(long, short, default_value_t = FUSION_ITERATIONS, value_name = "N")]
    iterations: u64,
    /// A file of fusion functions in yinyang's format.
    #[arg(long, short, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// The status that a user claims for all seeds.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum SeedOracle {
    /// All seeds are satisfiable.
    Sat,
    /// All seeds are unsatisfiable.
    Unsat,
}

/// Runs `gainsay typefuzz`.
pub fn run_typefuzz(args: &MutationFuzzerArgs) -> anyhow::Result<ExitCode> {
    let config: Vec<_> = args.config.iter().map(|file| ("--signatures", file)).collect();
    run(&args.common, "generative", args.iterations, &config)
}

/// Runs `gainsay opfuzz`.
pub fn run_opfuzz(args: &MutationFuzzerArgs) -> anyhow::Result<ExitCode> {
    let config: Vec<_> = args.config.iter().map(|file| ("--classes", file)).collect();
    run(&args.common, "operator", args.iterations, &config)
}

/// Runs `gainsay yinyang`.
pub fn run_yinyang(args: &FusionFuzzerArgs) -> anyhow::Result<ExitCode> {
    if args.oracle.is_some() {
        console::err(
            "gainsay: -o is not needed: gainsay fuses seeds of equal status, and determines each status itself",
        );
    }
    let config: Vec<_> = args.config.iter().map(|file| ("--functions", file)).collect();
    run(&args.common, "fusion", args.iterations, &config)
}

fn run(
    args: &FuzzerArgs,
    strategy: &str,
    iterations: u64,
    files: &[(&str, &PathBuf)],
) -> anyhow::Result<ExitCode> {
    let environment = Environment::read()?.with_sandbox(args.sandbox);
    let seeds = seeds::files(&args.seeds, &mut |_, _| {})?.len() as u64;
    let records = unused_folder_in(&args.logfolder, "gainsay");
    let mut words: Vec<String> =
        ["fuzz", "--strategy", strategy, "--scope", "mixed"].map(str::to_owned).to_vec();
    let mut add = |flag: &str, value: String| words.extend([flag.to_owned(), value]);
    for solver in solver_names(&args.solvers, &environment.profiles)? {
        add("--solver", solver);
    }
    add("--timeout", args.timeout.clone());
    add("--chain", iterations.to_string());
    add("--cases", iterations.saturating_mul(seeds).to_string());
    add("--jobs", args.jobs.to_string());
    add("--seed-bytes", args.file_size_limit.to_string());
    add("--out", records.display().to_string());
    args.rng_seed.iter().for_each(|seed| add("--rng-seed", seed.to_string()));
    files.iter().for_each(|(flag, file)| add(flag, file.display().to_string()));
    words.extend(args.sandbox.is_off().then(|| "--no-sandbox".to_owned()));
    words.extend(args.sandbox.is_everywhere().then(|| "--sandbox".to_owned()));
    words.push("--seeds".to_owned());
    words.extend(args.seeds.iter().map(|seed| seed.display().to_string()));
    native::announce(&words);
    let campaign = fuzz::plan::fresh(&native::read(&words)?, &environment)?;
    let show = if console::is_quiet() { DisplayMode::Silent } else { DisplayMode::Lines };
    let finished = campaign.run(&environment, show)?;
    if !console::is_quiet() {
        summary::lines(&finished.view).iter().for_each(console::out);
    }
    copy_bugs(&finished, &args.bugsfolder)?;
    Ok(finished.exit())
}

/// The solvers in gainsay's notation: `z3 model_validate=true` stays, `./build/z3` becomes `z3=./build/z3`.
fn solver_names(text: &str, profiles: &Profiles) -> Result<Vec<String>, UsageError> {
    let commands = text.split(';').map(str::trim).filter(|command| !command.is_empty());
    commands.map(|command| solver_name(command, profiles)).collect()
}

fn solver_name(command: &str, profiles: &Profiles) -> Result<String, UsageError> {
    let open = || UsageError(format!("`{command}` has a quote that is not closed"));
    let mut words = split_words(command).ok_or_else(open)?.into_iter();
    let program = words.next().unwrap_or_default();
    // gainsay's own notation is accepted, too.
    if program.contains(['@', '=']) {
        return Ok(command.to_owned());
    }
    let file = Path::new(&program).file_name().unwrap_or_default().to_string_lossy().into_owned();
    // Spacer, for example, is a mode of z3's program.
    let runs_file =
        |profile: &&Arc<Profile>| profile.command.first() == Some(&file) && profile.installed_as.is_none();
    let (profile, origin) = match profiles.all().find(runs_file) {
        Some(profile) if file == program => (profile.name.clone(), Origin::Path),
        Some(profile) => (profile.name.clone(), Origin::Command(program)),
        None => ("generic".to_owned(), Origin::Command(program)),
    };
    Ok(SolverName { profile, origin, options: words.collect() }.to_string())
}

/// Copies the script of each new finding, named as yinyang names them: `KIND-SOLVER-SEED-NUMBER.smt2`.
fn copy_bugs(finished: &FinishedCampaign, folder: &Path) -> anyhow::Result<()> {
    for found in finished.view.new_findings() {
        let path = folder.join(bug_file(found));
        let failed = |source| NoOutput { path: path.clone(), source };
        std::fs::create_dir_all(folder).map_err(failed)?;
        std::fs::copy(finished.view.folder.join(&found.path).join(CASE_FILE), &path).map_err(failed)?;
        console::out(format_args!(
            "bug: {} ({}): {}",
            path.display(),
            found.evidence.name(),
            found.explanation
        ));
    }
    Ok(())
}

fn bug_file(found: &FindingView) -> PathBuf {
    let kind = match found.kind {
        FindingKind::Crash => "crash",
        FindingKind::Model => "invalid_model",
        _ => "incorrect",
    };
    let plain = |text: &str| -> String {
        text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '_' }).collect()
    };
    let number = found.case.map_or_else(|| "seed".to_owned(), |case| case.to_string());
    PathBuf::from(format!("{kind}-{}-{number}.smt2", plain(&found.suspect)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_become_names_of_solvers() {
        let profiles = Profiles::built_in();
        let named = |text: &str| solver_names(text, &profiles).unwrap();
        assert_eq!(named("z3 model_validate=true; cvc5 -q"), ["z3 model_validate=true", "cvc5 -q"]);
        assert_eq!(named("./build/z3;/opt/yices-smt2"), ["z3=./build/z3", "yices=/opt/yices-smt2"]);
        assert_eq!(named("./my-solver --fast;z3@4.8.10;"), ["generic=./my-solver --fast", "z3@4.8.10"]);
        assert!(solver_names("z3 'a", &profiles).is_err());
    }
}
