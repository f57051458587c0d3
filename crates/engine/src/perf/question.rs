//! The question of a slow script: is the target still so far behind?
//!
//! Most candidates of a reducer are easy for everybody or hard for everybody, so what can be told without waiting for the target
//! is: references are asked first. Who runs into the limit while they do not is slow beyond noise and is asked once; any
//! other margin must be seen twice.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use super::panel::{Keeps, Panel};
use crate::reduce::{Candidate, Question, Reply};

/// Whether a script keeps a margin. One is asked about at a time, since others would take its time.
pub struct KeepsMargin<'p, 'a> {
    panel: Mutex<&'p mut Panel<'a>>,
    least: f64,
}

impl<'p, 'a> KeepsMargin<'p, 'a> {
    /// At least this margin, in two measurements.
    pub fn new(panel: &'p mut Panel<'a>, least: f64) -> Self {
        KeepsMargin { panel: Mutex::new(panel), least }
    }
}

impl Question for KeepsMargin<'_, '_> {
    fn ask(&self, candidate: &Candidate<'_>) -> Reply {
        let mut panel = self.panel.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..2 {
            if candidate.stop.load(Ordering::Relaxed) {
                return Reply::Differs;
            }
            match panel.keeps(candidate.script, self.least) {
                Err(why) => return Reply::Broken(why),
                Ok(Keeps::No) => return Reply::Differs,
                Ok(Keeps::Beyond) => return Reply::Shows,
                Ok(Keeps::Yes) => {}
            }
        }
        Reply::Shows
    }
}
