//! Solvers: what is known of each (profiles), how they are named, installed and run, and what their output means.

pub mod trouble;
