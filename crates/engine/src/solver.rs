//! Solvers: what is known of each (profiles), how they are named, installed and run, and what their output means.

pub mod cache;
pub mod classify;
pub mod install;
pub mod name;
pub mod profile;
pub mod profiles;
pub mod resolve;
pub mod run;
pub mod suggest;
pub mod trouble;
pub mod version;
