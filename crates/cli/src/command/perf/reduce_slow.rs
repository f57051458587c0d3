//! Slow scripts are made small while they keep most of their margin, and measured once more.

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

/// The part of its margin that a script must keep.
const MIN_MARGIN_KEPT: f64 = 0.7;

/// A slow script that was made small.
pub struct ReducedScript {
    /// Its text.
    pub text: String,
    /// What it takes.
    pub score: Score,
}

/// Makes each of the best scripts small, in at most so much time; none, if somebody wishes to stop.
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
            "making script {number} of {count} small, in {:.0} s at most",
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
