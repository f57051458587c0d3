//! `gainsay driver …`: the helper process of the drivers, and cvc5's command line; for internal use.
//!
//! It bypasses the command-line parser: gainsay starts it for every script, and parsing would cost half a millisecond each.

use std::ffi::OsString;
use std::process::ExitCode;

use gainsay_engine::solver::helper;

/// The first argument that selects the helper.
pub const DRIVER_ARGUMENT: &str = "driver";

/// Runs the helper if the first argument selects it.
pub fn run() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? != DRIVER_ARGUMENT {
        return None;
    }
    let (words, environment): (Vec<OsString>, Vec<_>) = (words.collect(), std::env::vars_os().collect());
    Some(helper::main(&words, &environment))
}
