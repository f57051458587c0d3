//! The command line of gainsay.

fn main() {}
