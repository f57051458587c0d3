//! The command line of gainsay.

mod command;

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
    /// Read and sort-check scripts.
    Parse(command::parse::ParseArgs),
}

fn main() -> ExitCode {
    let result = match Gainsay::parse().command {
        Command::Parse(args) => command::parse::run(&args),
    };
    result.unwrap_or_else(|error| {
        eprintln!("gainsay: {error:#}");
        ExitCode::from(3)
    })
}
