//! The interestingness test of a slow script: the target is still that far behind.
//!
//! Most candidates are easy for all solvers or hard for all, so the references run first, and the target only if needed. A
//! target that times out while they do not is slow beyond noise and runs once; any other margin must be measured twice.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use super::panel::{MarginTest, PerfPanel};
use crate::reduce::{Candidate, InterestingnessTest, TestOutcome};

/// Tests whether a script keeps a margin; one at a time, since parallel runs would disturb the measurement.
pub struct KeepsMargin<'p, 'a> {
    panel: Mutex<&'p mut PerfPanel<'a>>,
    least: f64,
}

impl<'p, 'a> KeepsMargin<'p, 'a> {
    /// At least this margin, in two measurements.
    pub fn new(panel: &'p mut PerfPanel<'a>, least: f64) -> Self {
        KeepsMargin { panel: Mutex::new(panel), least }
    }
}

impl InterestingnessTest for KeepsMargin<'_, '_> {
    fn test(&self, candidate: &Candidate<'_>) -> TestOutcome {
        let mut panel = self.panel.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..2 {
            if candidate.stop.load(Ordering::Relaxed) {
                return TestOutcome::Uninteresting;
            }
            match panel.keeps(candidate.script, self.least) {
                Err(why) => return TestOutcome::Failed(why),
                Ok(MarginTest::No) => return TestOutcome::Uninteresting,
                Ok(MarginTest::Beyond) => return TestOutcome::Interesting,
                Ok(MarginTest::Yes) => {}
            }
        }
        TestOutcome::Interesting
    }
}
