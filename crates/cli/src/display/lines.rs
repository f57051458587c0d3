//! A campaign as plain lines: one per new finding, and a progress line every ten seconds.

use std::io::Write;

use gainsay_engine::coverage::target::Level;
use gainsay_engine::event::Event;
use gainsay_engine::tally::{CoverageTally, Tally};

use super::view::{CampaignView, stop_reason};
use super::{CampaignDisplay, format};
use crate::console::{LineColour, harmless};

/// Seconds between two progress lines.
const PROGRESS_PERIOD_SECONDS: f64 = 10.0;

/// Writes plain lines.
pub struct PlainLines<W> {
    view: CampaignView,
    out: W,
    /// When the next progress line is due, in seconds of the campaign.
    due: Option<f64>,
    /// Whether the classification of seeds was announced.
    classifying_announced: bool,
}

impl<W: Write> PlainLines<W> {
    /// Displays a campaign that starts with this view.
    pub fn new(view: CampaignView, out: W) -> Self {
        PlainLines { view, out, due: None, classifying_announced: false }
    }

    fn print(&mut self, line: &str) {
        self.write(&harmless(line));
    }

    fn write(&mut self, harmless_line: &str) {
        // The campaign continues if the reader is gone.
        let _ = writeln!(self.out, "{harmless_line}").and_then(|()| self.out.flush());
    }
}

impl<W: Write> CampaignDisplay for PlainLines<W> {
    fn event(&mut self, event: &Event, tally: &Tally) {
        self.view.record_event(event, tally.seconds);
        if let Some(line) = event_line(event) {
            let line = format!("[{}] {line}", format::clock(tally.seconds));
            let is_new = matches!(event, Event::Found { .. });
            self.write(&if is_new {
                LineColour::Red.paint(&harmless(&line))
            } else {
                harmless(&line).into()
            });
        }
        if matches!(event, Event::Classifying { .. }) && !self.classifying_announced {
            self.classifying_announced = true;
            let seeds = format::plural(self.view.unclaimed, "seed");
            let line = format!("determining the status of {seeds} with the solvers, as needed");
            self.print(&format!("[{}] {line}", format::clock(tally.seconds)));
        }
        if tally.seconds - self.view.tally.seconds >= 1.0 || matches!(event, Event::Opened { .. }) {
            self.view.update_tally(tally);
        }
        let due = *self.due.get_or_insert(tally.seconds + PROGRESS_PERIOD_SECONDS);
        if tally.seconds >= due && !matches!(event, Event::Closed { .. }) {
            self.due = Some(tally.seconds + PROGRESS_PERIOD_SECONDS);
            let line = progress_line(&self.view);
            self.print(&line);
        }
    }
}

/// Returns a progress line.
pub fn progress_line(view: &CampaignView) -> String {
    let tally = &view.tally;
    let budget = view.budget.seconds.map(|all| format!("/{}", format::clock(all))).unwrap_or_default();
    let pace = view.recent_rate().map(|pace| format!(" ({}/s)", format::rate(pace))).unwrap_or_default();
    let own = tally
        .own_share()
        .map(|own| format!(", {} of CPU in gainsay", format::percent(own)))
        .unwrap_or_default();
    let groups = view
        .grouped
        .map(|(triggers, groups)| {
            format!(", {} from {}", format::plural(groups, "group"), format::plural(triggers, "trigger"))
        })
        .unwrap_or_default();
    let covered: String = tally.coverage.iter().map(|(solver, known)| covered(solver, known)).collect();
    let classifying = match view.is_classifying {
        true => format!(", {}", classification_progress(view)),
        false => String::new(),
    };
    format!(
        "[{}{budget}] {}{pace}{classifying}, {} skipped, {} (seen {}){groups}{covered}{own}",
        format::clock(tally.seconds),
        format::plural(tally.cases, "case"),
        format::thousands(tally.skipped_in_all()),
        format::plural(view.new_findings().count() as u64, "finding"),
        format::plural(tally.sightings, "time"),
    )
}

/// Describes how much of a solver was reached, as `, 5,310 functions of z3 5.4.0`.
fn covered(solver: &str, known: &CoverageTally) -> String {
    let count = match known.level {
        Level::Lines => known.summary.lines_reached,
        Level::Functions | Level::Blocks => known.summary.sites_reached,
    };
    format!(", {} {} of {solver}", format::thousands(count as u64), known.level)
}

/// Describes how many statuses of seeds are known.
pub fn classification_progress(view: &CampaignView) -> String {
    let tally = &view.tally;
    format!(
        "determining the status of seeds: {} of {} done, {} known",
        format::thousands(tally.classified),
        format::thousands(view.unclaimed),
        format::thousands(tally.found_status),
    )
}

/// Describes an event that gets its own line.
pub fn event_line(event: &Event) -> Option<String> {
    let case = |case: &Option<u64>| case.map_or_else(|| "a seed".to_owned(), |case| format!("case {case}"));
    match event {
        Event::Opened { seeds, refused, next, .. } => {
            let start = match next {
                0 => "starting".to_owned(),
                done => format!("resuming after {}", format::plural(*done, "case")),
            };
            Some(format!("{start} with {}{}", format::plural(*seeds as u64, "seed"), skipped_files(refused)))
        }
        Event::Found { case: number, finding, count: 1, known: false, .. } => {
            Some(format!("FOUND in {}: {finding}", case(number)))
        }
        Event::Flaky { case: number, finding } => Some(format!("flaky, in {}: {finding}", case(number))),
        Event::Grouped { triggers, groups } => {
            let (triggers, groups) = (format::plural(*triggers, "trigger"), format::plural(*groups, "group"));
            Some(format!("triage: {groups} from {triggers}"))
        }
        Event::OurBug { case, message } => Some(format!("a bug in gainsay, case {case}: {message}")),
        Event::NotCovered { solver, why } => Some(format!("no coverage of {solver}: {why}")),
        Event::Targeted { solver, since, functions, .. } => {
            let functions = format::plural(*functions as u64, "function");
            Some(format!("{functions} of {solver} changed since {since}: these are the targets"))
        }
        Event::SolverLost { solver, why } => Some(format!("{solver} failed: {why}")),
        Event::Shortage { solver, why } => Some(format!("{solver} could not run for a moment: {why}")),
        Event::Closed { why } => Some(format!("ended: {}", stop_reason(why))),
        _ => None,
    }
}

/// Lists the files that cannot be seeds, as ` (skipped 3 files: too large, 1 file: not .smt2)`; empty without any.
fn skipped_files(refused: &[(String, u64)]) -> String {
    let part = |(reason, count): &(String, u64)| format!("{}: {reason}", format::plural(*count, "file"));
    let parts: Vec<String> = refused.iter().map(part).collect();
    if parts.is_empty() { String::new() } else { format!(" (skipped {})", parts.join(", ")) }
}
