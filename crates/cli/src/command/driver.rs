//! `gainsay driver …`: the helper process of the drivers, for gainsay itself.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Args;

/// Arguments of the helper, not looked at here.
#[derive(Debug, Args)]
pub struct DriverArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Runs the helper.
pub fn run(args: &DriverArgs) -> ExitCode {
    let environment: Vec<_> = std::env::vars_os().collect();
    gainsay_engine::solver::helper::main(&args.arguments, &environment)
}
