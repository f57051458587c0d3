//! The program `gainsay`. Its code is a library, so that it is compiled while the engine still is.

use std::process::ExitCode;

fn main() -> ExitCode {
    gainsay_cli::main()
}
