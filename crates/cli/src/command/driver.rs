//! `gainsay driver …`: the helper process of the drivers, and cvc5's command line; for gainsay itself.
//!
//! Not a command of the parser of the command line: a solver behind it is started for every script, and reading the
//! command line of gainsay would cost each of them half a millisecond.

use std::ffi::OsString;
use std::process::ExitCode;

use gainsay_engine::solver::helper;

/// The word that leads here.
pub const DRIVER_ARGUMENT: &str = "driver";

/// Runs the helper if that is what this process was started for.
pub fn run() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? != DRIVER_ARGUMENT {
        return None;
    }
    let (words, environment): (Vec<OsString>, Vec<_>) = (words.collect(), std::env::vars_os().collect());
    Some(helper::main(&words, &environment))
}
