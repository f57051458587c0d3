//! The command line of gainsay: flags, screen, files, exit codes. All decisions about solvers and scripts are in the engine.
//!
//! Each command is a file in `command/`. `exit.rs` maps errors to exit codes, and only `environment.rs` reads the environment.
//! `solver_lookup.rs` finds or installs the solvers of every command, `campaign_run.rs` runs a campaign and displays it
//! (`display/`), `report/` writes reports, and `triage/` runs triage and writes its reports.

#![warn(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "they panic on a closed pipe; use console::out and console::err"
)]

mod campaign_run;
mod campaign_setup;
mod case_files;
mod changed_code;
mod command;
mod console;
mod coverage_run;
mod date;
mod display;
mod environment;
mod exit;
#[cfg(test)]
mod flag_rules;
mod help;
mod job_limit;
mod json;
mod known_bugs;
mod operator_files;
mod output_file;
mod overwrite;
mod progress;
mod releases;
mod report;
mod script;
mod serve;
mod shared_store;
mod solver_lookup;
mod stop;
mod system;
mod triage;

use std::process::ExitCode;

use clap::{FromArgMatches, Parser, Subcommand};

/// Tests SMT and CHC solvers and reports every answer that can be shown wrong.
#[derive(Debug, Parser)]
#[command(version = help::GAINSAY_VERSION)]
struct Gainsay {
    #[command(flatten)]
    output: console::OutputArgs,
    #[command(subcommand)]
    command: CliCommand,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    /// Find scripts that are slow on one solver only, and the constructs that make them slow.
    Perf(command::perf::PerfArgs),
    /// Find the constructs that correlate with wrong answers of a solver.
    Localize(command::localize::LocalizeArgs),
    /// Find the releases of a solver that a bug affects.
    Bisect(command::bisect::BisectArgs),
    /// Print the script by which a shell completes gainsay's commands and flags.
    Completions(command::completions::CompletionsArgs),
    /// Reduce a script with the arguments of ddSMT.
    Ddsmt(command::ddsmt::DdsmtArgs),
    /// Fuzz with the arguments of typefuzz: the strategy generative.
    Typefuzz(command::yinyang::MutationFuzzerArgs),
    /// Fuzz with the arguments of opfuzz: the strategy operator.
    Opfuzz(command::yinyang::MutationFuzzerArgs),
    /// Fuzz with the arguments of yinyang: the strategy fusion.
    Yinyang(command::yinyang::FusionFuzzerArgs),
    /// Print the JSON Schema of what --json prints.
    Schema(command::schema::SchemaArgs),
    /// Print or write manual pages.
    Man(command::man::ManArgs),
    /// Run solvers on one script and check their answers and models.
    Check(command::check::CheckArgs),
    /// Measure which functions, blocks or lines of a solver scripts reach, without an instrumented build.
    Coverage(command::coverage::CoverageArgs),
    /// Choose the smallest set of scripts that reaches the same code of a solver.
    Distill(command::distill::DistillArgs),
    /// Read the line counts of an instrumented build through gcov or llvm-cov.
    ImportCoverage(command::import_coverage::ImportCoverageArgs),
    /// Decide a script by trying every assignment, without any solver.
    Decide(command::decide::DecideArgs),
    /// Enumerate all small scripts over a theory.
    Enumerate(command::enumerate::EnumerateArgs),
    /// Fuzz solvers: mutate seeds, run solvers on the mutants, and record every answer that can be shown wrong.
    Fuzz(command::fuzz::FuzzArgs),
    /// Generate random scripts over chosen theories.
    Generate(command::generate::GenerateArgs),
    /// Mutate seeds without running solvers.
    Mutate(command::mutate::MutateArgs),
    /// Work on the campaign in a shared store, with workers on other machines.
    Work(command::work::WorkArgs),
    /// Serve a web page that shows a campaign while it runs.
    Serve(command::serve::ServeArgs),
    /// Join the shards of a campaign into one campaign, or copy one from a shared store.
    Merge(command::merge::MergeArgs),
    /// Write the jobs that run the shards of a campaign under Slurm or Kubernetes.
    Fleet(command::fleet::FleetArgs),
    /// List the findings of a campaign.
    List(command::list::ListArgs),
    /// Generate and check fusion functions, and fuse scripts with them.
    Fusion(command::fusion::FusionArgs),
    /// Evaluate the assertions of a script under a model.
    Eval(command::eval::EvalArgs),
    /// Read and sort-check scripts.
    Parse(command::parse::ParseArgs),
    /// Find real bugs of an old z3 in about a minute.
    Quickstart(command::quickstart::QuickstartArgs),
    /// Reduce a script that shows a bug.
    Reduce(command::reduce::ReduceArgs),
    /// Reproduce a case of a campaign.
    Replay(command::replay::ReplayArgs),
    /// Write a report on a campaign.
    Report(command::report::ReportArgs),
    /// Install, list, check and remove solvers.
    Solvers(command::solvers::SolversArgs),
    /// Add, list and remove known bugs, which campaigns count apart.
    Known(command::known::KnownArgs),
    /// Deduplicate findings into reports that are ready to file: confirm, reduce, bisect, group.
    Triage(command::triage::TriageArgs),
}

/// Runs the command that the arguments of the process name.
pub fn main() -> ExitCode {
    if let Some(code) = command::driver::run() {
        return code;
    }
    // A job needs more descriptors than the soft limit grants on a machine with many cores.
    gainsay_engine::solver::raise_descriptor_limit();
    gainsay_engine::solver::survive_file_size_limit();
    let matches = help::grouped().color(help::early_color(std::env::args_os())).get_matches();
    console::set_up(help::output_args(&matches));
    let gainsay = Gainsay::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let result = match gainsay.command {
        CliCommand::Bisect(args) => command::bisect::run(&args),
        CliCommand::Work(args) => command::work::run(&args),
        CliCommand::Serve(args) => command::serve::run(&args),
        CliCommand::Merge(args) => command::merge::run(&args),
        CliCommand::Fleet(args) => command::fleet::run(&args),
        CliCommand::Check(args) => command::check::run(&args),
        CliCommand::Completions(args) => command::completions::run(&args),
        CliCommand::Man(args) => command::man::run(&args),
        CliCommand::Schema(args) => command::schema::run(&args),
        CliCommand::Ddsmt(args) => command::ddsmt::run(&args),
        CliCommand::Typefuzz(args) => command::yinyang::run_typefuzz(&args),
        CliCommand::Opfuzz(args) => command::yinyang::run_opfuzz(&args),
        CliCommand::Yinyang(args) => command::yinyang::run_yinyang(&args),
        CliCommand::Coverage(args) => command::coverage::run(&args),
        CliCommand::Distill(args) => command::distill::run(&args),
        CliCommand::ImportCoverage(args) => command::import_coverage::run(&args),
        CliCommand::Decide(args) => command::decide::run(&args),
        CliCommand::Enumerate(args) => command::enumerate::run(&args),
        CliCommand::Fuzz(args) => command::fuzz::run(&args),
        CliCommand::Generate(args) => command::generate::run(&args),
        CliCommand::Perf(args) => command::perf::run(&args),
        CliCommand::Localize(args) => command::localize::run(&args),
        CliCommand::Mutate(args) => command::mutate::run(&args),
        CliCommand::List(args) => command::list::run(&args),
        CliCommand::Fusion(args) => command::fusion::run(&args),
        CliCommand::Eval(args) => command::eval::run(&args),
        CliCommand::Parse(args) => command::parse::run(&args),
        CliCommand::Quickstart(args) => command::quickstart::run(&args),
        CliCommand::Reduce(args) => command::reduce::run(&args),
        CliCommand::Replay(args) => command::replay::run(&args),
        CliCommand::Report(args) => command::report::run(&args),
        CliCommand::Solvers(args) => command::solvers::run(&args),
        CliCommand::Known(args) => command::known::run(&args),
        CliCommand::Triage(args) => command::triage::run(&args),
    };
    result.unwrap_or_else(|error| {
        console::err(format_args!("gainsay: {}", exit::line_of(&error)));
        ExitCode::from(exit::code_of(&error))
    })
}
