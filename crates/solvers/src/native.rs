//! Solvers that are libraries: command lines and fork servers for them.
//!
//! Each runs in a process of its own (a hidden command of the gainsay binary): a library that crashes, exits or loops
//! must not affect gainsay, and one process cannot load several versions of one library. These processes act as solvers, so
//! they print.

pub mod cvc5;
mod cvc5_api;
mod cvc5_options;
pub mod fork_server;
mod resident;
mod seeding;
pub mod z3;
mod z3_api;
