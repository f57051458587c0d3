//! Reduces slow scripts while they keep most of their margin, and measures them again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use gainsay_engine::perf::KeptScript;
use gainsay_engine::perf::panel::PerfPanel;
use gainsay_engine::perf::question::KeepsMargin;
use gainsay_engine::perf::score::Score;
use gainsay_engine::reduce::{self, ReductionSettings};

use super::comparison::{self, SearchProgress};
use crate::console;
use crate::stop::StopRequest;

/// The share of its margin that a script must keep.
const MIN_MARGIN_KEPT: f64 = 0.7;

/// The part of its time that is left to measure a reduced script: a fourth.
const MEASURE_DIVISOR: u32 = 4;

/// Time between two looks at the clock and at requests to stop.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A reduced slow script.
pub struct ReducedScript {
    /// Its text.
    pub text: String,
    /// Its score.
    pub score: Score,
}

/// Reduces each of the best scripts within `most`, and all of them within the time of the command; skips the rest after a
/// request to stop.
pub fn all(
    best: &[KeptScript],
    panel: &mut PerfPanel<'_>,
    most: Duration,
    progress: &SearchProgress,
    stop: &StopRequest,
) -> anyhow::Result<Vec<Option<ReducedScript>>> {
    panel.set_deadline(progress.deadline());
    let each = |(number, kept): (usize, &KeptScript)| {
        let waiting = u32::try_from(best.len() - number).unwrap_or(u32::MAX);
        let time = progress.remaining().map_or(most, |remaining| most.min(remaining / waiting));
        if stop.is_requested() || time.is_zero() {
            return Ok(None);
        }
        let (number, count) = (number + 1, best.len());
        console::progress(format_args!(
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
    let settings = ReductionSettings { jobs: 1, first_test: None, max_timeout: Duration::from_secs(3600) };
    let reduced = until(time - time / MEASURE_DIVISOR, &over, stop, || {
        reduce::run(&kept.script, &question, settings, &over, &mut |_| {})
    });
    let score = panel.score(&reduced.script).map_err(comparison::solver_gone)?;
    Ok(score.margin.is_some().then_some(ReducedScript { text: reduced.text, score }))
}

/// Does some work, and sets `over` when the time is over or the user asks to stop: a test of the reducer may take long.
fn until<T>(time: Duration, over: &AtomicBool, stop: &StopRequest, work: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    std::thread::scope(|scope| {
        let (done, is_done) = mpsc::channel::<()>();
        scope.spawn(move || {
            while is_done.recv_timeout(STOP_POLL_INTERVAL) == Err(mpsc::RecvTimeoutError::Timeout) {
                over.store(begin.elapsed() > time || stop.is_requested(), Ordering::Relaxed);
            }
        });
        let result = work();
        drop(done);
        result
    })
}
