//! The question of a slow script: is the target still so far behind?
//!
//! Most candidates of a reducer are easy for everybody or hard for everybody, so what can be told without waiting for the target
//! is: references are asked first. Who runs into the limit while they do not is slow beyond noise and is asked once; any
//! other margin must be seen twice.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use super::panel::{MarginTest, PerfPanel};
use crate::reduce::{Candidate, InterestingnessTest, TestOutcome};

/// Whether a script keeps a margin. One is asked about at a time, since others would take its time.
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
