//! The commands, one file each.

pub mod check;
pub mod driver;
pub mod eval;
pub mod parse;
pub mod selftest;
pub mod solvers;
