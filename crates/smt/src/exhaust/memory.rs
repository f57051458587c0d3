//! The memory of a decision: an account of what is kept, in bytes.
//!
//! A decision may keep millions of values, results and nodes, so that the number of steps says little about its size. What is
//! kept is charged when it is made, by a size that depends on nothing but the script, so that equal scripts have equal
//! answers everywhere. Once the account is spent, no further value gets a number, and the search ends.

use crate::eval::Undecided;

/// The bytes that a decision may keep, and those that it keeps.
#[derive(Debug)]
pub(super) struct MemoryAccount {
    used: u64,
    limit: u64,
}

impl MemoryAccount {
    pub fn new(limit: u64) -> MemoryAccount {
        MemoryAccount { used: 0, limit }
    }

    /// Counts bytes that are kept.
    pub fn charge(&mut self, bytes: usize) {
        self.used = self.used.saturating_add(bytes as u64);
    }

    /// Returns true if more is kept than may be.
    pub fn is_spent(&self) -> bool {
        self.used > self.limit
    }

    /// Returns true if less than half of the bytes are used: then results are kept that could be computed again.
    pub fn has_room(&self) -> bool {
        self.used < self.limit / 2
    }

    /// The reason of a decision that ends because the account is spent.
    pub fn reason() -> Undecided {
        Undecided::TooLarge("it takes too much memory".into())
    }
}
