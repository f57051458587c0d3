//! The helper process of the drivers, for tests of crates that have no `gainsay` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let environment: Vec<_> = std::env::vars_os().collect();
    gainsay_engine::solver::helper::main(&arguments, &environment)
}
