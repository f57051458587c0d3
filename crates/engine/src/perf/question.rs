//! The question of a slow script: is the target still so far behind?

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use super::panel::Panel;
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
            match panel.score(candidate.script) {
                Err(why) => return Reply::Broken(why),
                Ok(score) if score.margin.is_some_and(|margin| margin >= self.least) => {}
                Ok(_) => return Reply::Differs,
            }
        }
        Reply::Shows
    }
}
