//! `gainsay completions SHELL`: prints the script by which a shell completes commands, flags and their values.

use std::process::ExitCode;

use clap::Args;
use clap_complete::Shell;

use crate::{console, help};

const COMPLETIONS_EXAMPLES: &str = "Examples:
  gainsay completions bash > ~/.local/share/bash-completion/completions/gainsay
  gainsay completions zsh > ~/.zfunc/_gainsay
  gainsay completions fish > ~/.config/fish/completions/gainsay.fish";

/// Arguments of `gainsay completions`.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

/// Runs the command.
pub fn run(args: &CompletionsArgs) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut help::grouped(), "gainsay", &mut script);
    console::out(String::from_utf8_lossy(&script).trim_end());
    Ok(ExitCode::SUCCESS)
}
