//! Fork servers: load a library and make a context once, then fork for every script.
//!
//! A script runs in a copy of the process after its start-up, where it can crash, leak and set options without affecting
//! others. The helper's loop ([`crate::helper::serve`]) limits and watches it like a program.

use std::io;

use gainsay_coverage::handler;

use crate::helper::Startable;
use crate::sys::{self, Child, ChildSetup, ForkSide};

/// A loaded library that is ready to run one script.
pub trait PreloadedSolver {
    /// Runs the script, prints to standard output and error like a program, and returns the exit code.
    fn run(&mut self, script: &[u8]) -> i32;
}

/// A fork server for a loaded library.
pub struct ForkServer<T: PreloadedSolver>(pub T);

impl<T: PreloadedSolver> Startable for ForkServer<T> {
    fn start(&mut self, setup: &ChildSetup) -> io::Result<Child> {
        // Code that an earlier child reached needs no trap any more.
        handler::remove_reached();
        match sys::fork(setup)? {
            ForkSide::Parent(child) => Ok(child),
            ForkSide::Child => {
                // The child must end here, even after a panic: the helper's loop belongs to the parent.
                let code = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    sys::read_all(0).map_or(1, |script| self.0.run(&script))
                }));
                sys::leave(code.unwrap_or(101))
            }
        }
    }
}
