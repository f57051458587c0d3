//! Coverage of solvers as they come: which functions, blocks or lines of a program or library scripts reach, without an
//! instrumented build.
//!
//! A one-byte trap (`int3`) goes on every site: the entry of a function, the start of a block, the start of a line. The first
//! process that runs into a trap reports the site and removes the trap, so that only new code costs time.
//!
//! * What to trap: [`binary`] reads symbols and segments of ELF files, `block` finds basic blocks, `line` reads line tables,
//!   [`target`] makes the list of sites from them.
//! * How to trap: [`channel`] has the memory that processes share; [`tracer`] handles the traps of programs by ptrace, [`handler`]
//!   those of libraries in their own process by SIGTRAP.
//! * What it means: [`reached`] has sets of sites, [`report`] sums them up by function and scope, [`lcov`] writes lines, [`import`] reads those of instrumented builds, [`distill`]
//!   chooses few scripts that reach everything, [`change`] compares two builds, [`diff`] reads changes of sources.
//!
//! x86-64 Linux only; [`unsupported`] says why not elsewhere.

pub mod binary;
mod block;
pub mod change;
pub mod channel;
pub mod diff;
pub mod distill;
pub mod handler;
pub mod import;
pub mod lcov;
mod line;
mod memory;
pub mod name;
pub mod reached;
pub mod report;
pub mod target;
pub mod tracer;

/// Why this machine cannot measure coverage; `None` if it can.
pub fn unsupported() -> Option<String> {
    if cfg!(not(all(target_arch = "x86_64", target_os = "linux"))) {
        return Some("coverage needs x86-64 Linux: it sets traps in machine code".to_owned());
    }
    tracer::forbidden().map(|why| format!("coverage needs ptrace, which this machine forbids ({why})"))
}
