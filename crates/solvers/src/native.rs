//! Solvers that come as libraries: command lines of our own for them, and fork servers.
//!
//! Each runs in a process of its own (a hidden command of the gainsay binary): a library that crashes, exits or loops
//! must not take gainsay with it, and several versions of one library cannot live in one process. As these processes
//! are solvers, they print.

pub mod cvc5;
mod cvc5_api;
mod cvc5_options;
pub mod fork_server;
mod resident;
mod seeding;
pub mod z3;
mod z3_api;
