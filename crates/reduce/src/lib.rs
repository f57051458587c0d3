//! The reducer: makes a script smaller while an interestingness test accepts it.
//!
//! ```text
//! (declare-const x Int)                       (declare-const x Int)
//! (declare-const y Int)                  ⇒    (assert (< x 0))
//! (assert (and (< x 0) (= y (* 2 x))))        (check-sat)
//! (check-sat)
//! ```
//!
//! It knows scripts and an [`InterestingnessTest`], no solver and no oracle. A [`Pass`](pass::Pass) lists its simplifications
//! of a script. The [driver](run) applies them in groups of decreasing size, prints every candidate, parses it again, and tests
//! only those that are well-sorted and smaller. Threads test probable candidates speculatively; which results
//! count, and so the reduced script, does not depend on the number of threads.
//!
//! A text that is no well-sorted script is reduced as a tree of parentheses ([`run_on_text`]).

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gainsay_smt::Script;

mod accepted;
mod apply;
mod bit_sizes;
mod change;
mod change_key;
mod contents;
pub mod pass;
mod preprocess;
mod rewrite;
mod script_view;
mod search;
mod simplest_value;
mod size_order;
mod small_sorts;
mod speculate;
#[cfg(test)]
mod test_support;
mod tree_pass;
mod tree_search;
mod unused_declarations;

pub use change::{ScriptChange, ScriptRewrite};
pub use rewrite::{RewriteRule, rewrite_and_reparse};
pub use script_view::ScriptView;
pub use small_sorts::SmallSorts;
pub use speculate::{
    PassCount, Reduced, ReducedText, ReductionEnd, ReductionProgress, ReductionSettings, first_candidate,
    run, run_on_text,
};

/// Decides whether a script still shows the bug, or other behaviour, that it is reduced for. Several threads call it at once.
pub trait InterestingnessTest: Sync {
    /// Tests one script.
    fn test(&self, candidate: &Candidate<'_>) -> TestOutcome;
}

/// A script to test.
#[derive(Clone, Copy)]
pub struct Candidate<'a> {
    /// The script.
    pub script: &'a Script,
    /// Its text.
    pub text: &'a str,
    /// How long the test may take; `None` before any test was timed.
    pub timeout: Option<Duration>,
    /// Set when the result is no longer needed.
    pub stop: &'a AtomicBool,
}

/// A text to test.
#[derive(Clone, Copy)]
pub struct CandidateText<'a> {
    /// The text.
    pub text: &'a str,
    /// How long the test may take; `None` before any test was timed.
    pub timeout: Option<Duration>,
    /// Set when the result is no longer needed.
    pub stop: &'a AtomicBool,
}

/// The result of an interestingness test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestOutcome {
    /// The script still shows the behaviour that it is reduced for.
    Interesting,
    /// It does not, or less clearly.
    Uninteresting,
    /// The test timed out.
    TimedOut,
    /// The test itself failed, for this reason; it cannot be run on any script any more.
    Failed(String),
}
