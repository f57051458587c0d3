//! `gainsay fusion …`: fusion functions, made and checked.

pub mod check;
pub mod generate;

use std::process::ExitCode;

use clap::{Args, Subcommand};

/// Arguments of `gainsay fusion`.
#[derive(Debug, Args)]
pub struct FusionArgs {
    #[command(subcommand)]
    command: FusionCommand,
}

#[derive(Debug, Subcommand)]
enum FusionCommand {
    /// Make fusion functions, with the inverses of their parameters.
    Generate(generate::GenerateArgs),
    /// Check the functions of a file: sorts, inverses on random inputs, proofs by solvers.
    Check(check::CheckArgs),
}

/// Runs the command.
pub fn run(args: &FusionArgs) -> anyhow::Result<ExitCode> {
    match &args.command {
        FusionCommand::Generate(args) => generate::run(args),
        FusionCommand::Check(args) => check::run(args),
    }
}
