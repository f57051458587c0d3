//! Lines for people and programs that may have gone: a closed pipe or terminal is no reason to fail.
//!
//! `println!` and `eprintln!` panic there. A disk that is full under standard output is told, since what was asked for is
//! then lost.

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
        std::process::exit(exit::DISK.into());
    }
}

/// Prints a line on standard error.
pub fn err(line: impl Display) {
    // There is no other place to say that it cannot be said.
    let _ = writeln!(std::io::stderr(), "{line}");
}
