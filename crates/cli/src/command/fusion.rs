//! `gainsay fusion …`: fusion functions, and scripts that are fused through them.

pub mod fuse;

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
    /// Fuse two scripts of one answer into scripts of that answer.
    Fuse(fuse::FuseArgs),
}

/// Runs the command.
pub fn run(args: &FusionArgs) -> anyhow::Result<ExitCode> {
    match &args.command {
        FusionCommand::Fuse(args) => fuse::run(args),
    }
}
