//! The command line of gainsay.

mod command;
mod environment;
mod exit;
mod progress;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Tests SMT and CHC solvers and reports every answer that can be shown wrong.
#[derive(Debug, Parser)]
#[command(version)]
struct Gainsay {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Judge what solvers say of one script.
    Check(command::check::CheckArgs),
    /// Evaluate the assertions of a script under a model.
    Eval(command::eval::EvalArgs),
    /// Read and sort-check scripts.
    Parse(command::parse::ParseArgs),
    /// Install, list, check and remove solvers.
    Solvers(command::solvers::SolversArgs),
}

fn main() -> ExitCode {
    if let Some(code) = command::driver::run() {
        return code;
    }
    let result = match Gainsay::parse().command {
        Command::Check(args) => command::check::run(&args),
        Command::Eval(args) => command::eval::run(&args),
        Command::Parse(args) => command::parse::run(&args),
        Command::Solvers(args) => command::solvers::run(&args),
    };
    result.unwrap_or_else(|error| {
        eprintln!("gainsay: {}", exit::line_of(&error));
        ExitCode::from(exit::code_of(&error))
    })
}
