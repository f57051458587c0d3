//! Fork servers: a library loaded once, a context made once, and a fork of that for every script.
//!
//! A script then starts where a fresh process would be after its start-up, in memory of its own: it can crash, leak and
//! set options as it likes. The helper's loop ([`crate::helper::serve`]) limits and watches it as it does with programs.

use std::io;

use crate::helper::Startable;
use crate::sys::{self, Child, ChildSetup, ForkSide};

/// Something that is ready to run one script, and gives an exit code.
pub trait PreloadedSolver {
    /// Runs the script, printing to standard output and error as a program would.
    fn run(&mut self, script: &[u8]) -> i32;
}

/// A fork server for something warm.
pub struct ForkServer<T: PreloadedSolver>(pub T);

impl<T: PreloadedSolver> Startable for ForkServer<T> {
    fn start(&mut self, setup: &ChildSetup) -> io::Result<Child> {
        match sys::fork(setup)? {
            ForkSide::Parent(child) => Ok(child),
            ForkSide::Child => {
                // Whatever goes wrong here must end this process: the loop above is the parent's.
                let code = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    sys::read_all(0).map_or(1, |script| self.0.run(&script))
                }));
                sys::leave(code.unwrap_or(101))
            }
        }
    }
}
