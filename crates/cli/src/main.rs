//! The command line of gainsay: flags, screen, files, exit codes. It decides nothing about solvers or scripts.
//!
//! Each command is a file of `command/`. `exit.rs` maps errors to exit codes, and `environment.rs` is the only reader of the
//! environment. `solver_lookup.rs` gets the solvers of every command, `campaign_run.rs` runs a campaign and shows it
//! (`display/`), `report/` writes reports, and `triage/` writes what triage leaves for people.

#![warn(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "they panic when nobody reads; use console::out and console::err"
)]

mod campaign_run;
mod campaign_setup;
mod command;
mod console;
mod date;
mod display;
mod environment;
mod exit;
mod progress;
mod releases;
mod report;
mod script;
mod solver_lookup;
mod stop;
mod triage;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use console as say;
use solver_lookup as supply;

/// Tests SMT and CHC solvers and reports every answer that can be shown wrong.
#[derive(Debug, Parser)]
#[command(version)]
struct Gainsay {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Find scripts that a solver is slow with and others are not, and what makes them so.
    Perf(command::perf::PerfArgs),
    /// Find out which constructs go with wrong answers of a solver.
    Localize(command::localize::LocalizeArgs),
    /// Find the releases of a solver that are wrong about a script.
    Bisect(command::bisect::BisectArgs),
    /// Judge what solvers say of one script.
    Check(command::check::CheckArgs),
    /// Fuzz solvers: mutate seeds, ask solvers about them, keep every answer that can be shown wrong.
    Fuzz(command::fuzz::FuzzArgs),
    /// Make scripts from nothing, over chosen theories.
    Generate(command::generate::GenerateArgs),
    /// Make the cases of a campaign, without solvers.
    Mutate(command::mutate::MutateArgs),
    /// List the findings of a campaign.
    List(command::list::ListArgs),
    /// Make and check fusion functions, and fuse scripts through them.
    Fusion(command::fusion::FusionArgs),
    /// Evaluate the assertions of a script under a model.
    Eval(command::eval::EvalArgs),
    /// Read and sort-check scripts.
    Parse(command::parse::ParseArgs),
    /// See it find real bugs in about a minute.
    Quickstart(command::quickstart::QuickstartArgs),
    /// Make a script that shows a bug as small as it gets.
    Reduce(command::reduce::ReduceArgs),
    /// Make a case of a campaign again.
    Replay(command::replay::ReplayArgs),
    /// Report what a campaign did and found.
    Report(command::report::ReportArgs),
    /// Install, list, check and remove solvers.
    Solvers(command::solvers::SolversArgs),
    /// Make few reports of many findings: confirm, reduce, bisect, group.
    Triage(command::triage::TriageArgs),
}

fn main() -> ExitCode {
    if let Some(code) = command::driver::run() {
        return code;
    }
    let result = match Gainsay::parse().command {
        Command::Bisect(args) => command::bisect::run(&args),
        Command::Check(args) => command::check::run(&args),
        Command::Fuzz(args) => command::fuzz::run(&args),
        Command::Generate(args) => command::generate::run(&args),
        Command::Perf(args) => command::perf::run(&args),
        Command::Localize(args) => command::localize::run(&args),
        Command::Mutate(args) => command::mutate::run(&args),
        Command::List(args) => command::list::run(&args),
        Command::Fusion(args) => command::fusion::run(&args),
        Command::Eval(args) => command::eval::run(&args),
        Command::Parse(args) => command::parse::run(&args),
        Command::Quickstart(args) => command::quickstart::run(&args),
        Command::Reduce(args) => command::reduce::run(&args),
        Command::Replay(args) => command::replay::run(&args),
        Command::Report(args) => command::report::run(&args),
        Command::Solvers(args) => command::solvers::run(&args),
        Command::Triage(args) => command::triage::run(&args),
    };
    result.unwrap_or_else(|error| {
        console::err(format_args!("gainsay: {}", exit::line_of(&error)));
        ExitCode::from(exit::code_of(&error))
    })
}
