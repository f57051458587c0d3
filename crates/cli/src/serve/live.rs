//! The part of the page that changes every second: figures and workers.

use std::time::Instant;

use gainsay_engine::store::postgres::overview::{StoreOverview, WorkerStatus};
use serde::Serialize;

use crate::report::format::{number, visible};
use crate::report::html::LiveFigure;

/// Seconds of silence after which a worker counts as vanished.
const SILENT_SECONDS: f64 = 60.0;
/// Workers that the page lists: those at work first.
const MAX_WORKERS_SHOWN: usize = 200;

/// Returns true if a worker was heard of lately.
pub fn is_alive(worker: &WorkerStatus) -> bool {
    !worker.departed && worker.silence < SILENT_SECONDS
}

/// Measures cases per second between two updates.
#[derive(Default)]
pub struct RateMeter(Option<(Instant, u64)>);

impl RateMeter {
    /// The rate since the last call; `None` at the first call.
    pub fn rate(&mut self, cases: u64) -> Option<f64> {
        let now = Instant::now();
        let (before, counted) = self.0.replace((now, cases))?;
        let seconds = now.duration_since(before).as_secs_f64().max(1e-3);
        Some(cases.saturating_sub(counted) as f64 / seconds)
    }
}

/// The figures that an event carries.
#[derive(Default, Serialize)]
pub struct LiveUpdate {
    /// The figures above the report.
    pub figures: Vec<LiveFigure>,
    /// The rows of the table of workers: name, state, cases, chains, silence.
    pub workers: Vec<Vec<String>>,
    /// The number of findings: a page that shows another number is out of date.
    findings: String,
    /// Why there are no figures.
    trouble: Option<String>,
}

impl LiveUpdate {
    /// The figures of an overview, with the cases of each second, if they are measured.
    pub fn new(overview: &StoreOverview, rate: Option<f64>) -> LiveUpdate {
        let StoreOverview { tally, findings, known, workers } = overview;
        let rate = rate.map_or_else(|| "–".to_owned(), |rate| format!("{rate:.1}"));
        let alive = workers.iter().filter(|worker| is_alive(worker)).count() as u64;
        let figure = |id, name, value| LiveFigure { id, name, value };
        let mut figures = vec![
            figure("cases", "cases", number(tally.cases)),
            figure("rate", "cases per second", rate),
            figure("new", "new findings", number(findings.saturating_sub(*known))),
            figure("known", "known findings", number(*known)),
            figure("skipped", "cases skipped", number(tally.skipped_in_all())),
        ];
        if !workers.is_empty() {
            figures.push(figure("alive", "workers", number(alive)));
        }
        let mut shown: Vec<&WorkerStatus> = workers.iter().collect();
        shown.sort_by_key(|worker| (worker.departed, !is_alive(worker)));
        let workers = shown.into_iter().take(MAX_WORKERS_SHOWN).map(worker_row).collect();
        LiveUpdate { figures, workers, findings: findings.to_string(), trouble: None }
    }

    /// An update that says why there are no figures.
    pub fn of_trouble(why: String) -> LiveUpdate {
        LiveUpdate { trouble: Some(why), ..LiveUpdate::default() }
    }
}

fn worker_row(worker: &WorkerStatus) -> Vec<String> {
    let state = match () {
        () if worker.departed => "left",
        () if is_alive(worker) => "works",
        () => "silent",
    };
    vec![
        visible(&worker.name),
        state.to_owned(),
        number(worker.cases),
        number(worker.leases),
        format!("{} s ago", worker.silence.max(0.0).round()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_at_work_come_before_silent_ones_and_those_that_left() {
        let worker = |name: &str, silence: f64, departed: bool| WorkerStatus {
            name: name.into(),
            silence,
            departed,
            leases: 1,
            cases: 1_000,
        };
        let workers =
            vec![worker("gone", 1.0, true), worker("dead", 99.0, false), worker("busy", 2.4, false)];
        let update = LiveUpdate::new(&StoreOverview { workers, ..StoreOverview::default() }, Some(2.0));
        let states: Vec<(&str, &str)> =
            update.workers.iter().map(|row| (row[0].as_str(), row[1].as_str())).collect();
        assert_eq!(states, [("busy", "works"), ("dead", "silent"), ("gone", "left")]);
        assert_eq!(update.workers[0][2..], ["1\u{202f}000", "1", "2 s ago"]);
        assert_eq!(update.figures.iter().find(|figure| figure.id == "alive").unwrap().value, "1");
    }
}
