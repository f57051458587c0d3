//! Prints lines to standard output and standard error. A closed pipe or terminal is not an error.
//!
//! `println!` and `eprintln!` would panic then. A full disk under standard output ends the program with an error: the output
//! is lost.

use std::fmt::Display;
use std::io::{ErrorKind, Write};

use crate::exit;

/// Prints a line on standard output; ends the program if that is a file on a full disk.
pub fn out(line: impl Display) {
    let mut out = std::io::stdout().lock();
    let printed = writeln!(out, "{line}").and_then(|()| out.flush());
    if let Err(error) = printed
        && error.kind() == ErrorKind::StorageFull
    {
        err(format_args!("gainsay: cannot write to standard output: {error}"));
        std::process::exit(exit::EXIT_DISK.into());
    }
}

/// Prints a line on standard error.
pub fn err(line: impl Display) {
    // A failure here cannot be reported anywhere.
    let _ = writeln!(std::io::stderr(), "{line}");
}
