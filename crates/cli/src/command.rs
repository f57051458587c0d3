//! The commands, one file each.

pub mod bisect;
pub mod check;
pub mod completions;
pub mod coverage;
pub mod ddsmt;
pub mod distill;
pub mod driver;
pub mod eval;
pub mod fusion;
pub mod fuzz;
pub mod generate;
pub mod known;
pub mod list;
pub mod localize;
pub mod man;
pub mod mutate;
mod native;
pub mod parse;
pub mod perf;
pub mod quickstart;
pub mod reduce;
pub mod replay;
pub mod report;
pub mod selftest;
pub mod solvers;
pub mod triage;
pub mod yinyang;
