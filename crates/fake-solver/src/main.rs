//! A solver for tests.

fn main() {}
