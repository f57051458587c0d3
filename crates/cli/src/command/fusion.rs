//! `gainsay fusion …`: generates and checks fusion functions, and fuses scripts.

pub mod check;
pub mod fuse;
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
    /// Generate fusion functions with the inverses of their parameters.
    Generate(generate::FusionGenerateArgs),
    /// Check fusion functions: sorts, inverses on random inputs, proofs by solvers.
    Check(check::FusionCheckArgs),
    /// Fuse two scripts with the same answer into scripts with that answer.
    Fuse(fuse::FuseArgs),
}

/// Runs the command.
pub fn run(args: &FusionArgs) -> anyhow::Result<ExitCode> {
    match &args.command {
        FusionCommand::Generate(args) => generate::run(args),
        FusionCommand::Check(args) => check::run(args),
        FusionCommand::Fuse(args) => fuse::run(args),
    }
}
