//! `gainsay fusion …`: fusion functions, made and checked, and scripts that are fused through them.

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
    /// Make fusion functions, with the inverses of their parameters.
    Generate(generate::FusionGenerateArgs),
    /// Check the functions of a file: sorts, inverses on random inputs, proofs by solvers.
    Check(check::FusionCheckArgs),
    /// Fuse two scripts of one answer into scripts of that answer.
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
