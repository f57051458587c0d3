//! Reduces slow scripts while they keep most of their margin, and measures them again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gainsay_engine::perf::KeptScript;
use gainsay_engine::perf::panel::PerfPanel;
use gainsay_engine::perf::question::KeepsMargin;
use gainsay_engine::perf::score::Score;
use gainsay_engine::reduce::{self, ReductionSettings};

use super::comparison;
use crate::console;
use crate::stop::StopRequest;

/// The share of its margin that a script must keep.
const MIN_MARGIN_KEPT: f64 = 0.7;

/// A reduced slow script.
pub struct ReducedScript {
    /// Its text.
    pub text: String,
    /// Its score.
    pub score: Score,
}

/// Reduces each of the best scripts within `time`; skips the rest after a request to stop.
pub fn all(
    best: &[KeptScript],
    panel: &mut PerfPanel<'_>,
    time: Duration,
    stop: &StopRequest,
) -> anyhow::Result<Vec<Option<ReducedScript>>> {
    let each = |(number, kept): (usize, &KeptScript)| {
        if stop.is_requested() {
            return Ok(None);
        }
        let (number, count) = (number + 1, best.len());
        console::err(format_args!(
            "reducing script {number} of {count}, in at most {:.0} s",
            time.as_secs_f64()
        ));
        one(kept, panel, time, stop)
    };
    best.iter().enumerate().map(each).collect()
}

fn one(
    kept: &KeptScript,
    panel: &mut PerfPanel<'_>,
    time: Duration,
    stop: &StopRequest,
) -> anyhow::Result<Option<ReducedScript>> {
    let question = KeepsMargin::new(panel, kept.margin * MIN_MARGIN_KEPT);
    let over = AtomicBool::new(false);
    let begin = Instant::now();
    let settings = ReductionSettings { jobs: 1, first_test: None, max_timeout: Duration::from_secs(3600) };
    let reduced = reduce::run(&kept.script, &question, settings, &over, &mut |_| {
        over.store(begin.elapsed() > time || stop.is_requested(), Ordering::Relaxed);
    });
    let score = panel.score(&reduced.script).map_err(comparison::solver_gone)?;
    Ok(Some(ReducedScript { text: reduced.text, score }))
}
