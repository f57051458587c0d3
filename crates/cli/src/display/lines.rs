//! A campaign as plain lines: one for each new finding, one of progress every ten seconds, none that says nothing.

use std::io::Write;

use gainsay_engine::event::Event;
use gainsay_engine::tally::Tally;

use super::view::{CampaignView, stop_reason};
use super::{CampaignDisplay, format};

/// Seconds between two lines of progress.
const PROGRESS_PERIOD_SECONDS: f64 = 10.0;

/// Writes lines.
pub struct PlainLines<W> {
    view: CampaignView,
    out: W,
    /// When the next line of progress is due, in seconds of the campaign.
    due: Option<f64>,
    /// Whether it was said that solvers are asked about seeds.
    classifying_announced: bool,
}

impl<W: Write> PlainLines<W> {
    /// Of a campaign that stands like this view.
    pub fn new(view: CampaignView, out: W) -> Self {
        PlainLines { view, out, due: None, classifying_announced: false }
    }

    fn print(&mut self, line: &str) {
        // Whoever does not want to read any more does not stop the campaign.
        let _ = writeln!(self.out, "{line}").and_then(|()| self.out.flush());
    }
}

impl<W: Write> CampaignDisplay for PlainLines<W> {
    fn event(&mut self, event: &Event, tally: &Tally) {
        self.view.record_event(event, tally.seconds);
        if let Some(line) = event_line(event) {
            self.print(&format!("[{}] {line}", format::clock(tally.seconds)));
        }
        if matches!(event, Event::Classifying { .. }) && !self.classifying_announced {
            self.classifying_announced = true;
            let seeds = format::plural(self.view.unclaimed, "seed");
            let line = format!("asking solvers about seeds as they are needed: {seeds} without a status");
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

/// A line of progress.
pub fn progress_line(view: &CampaignView) -> String {
    let tally = &view.tally;
    let budget = view.budget.seconds.map(|all| format!("/{}", format::clock(all))).unwrap_or_default();
    let pace = view.recent_rate().map(|pace| format!(" ({}/s)", format::rate(pace))).unwrap_or_default();
    let own =
        tally.own_share().map(|own| format!(", {} of CPU ours", format::percent(own))).unwrap_or_default();
    let groups = view
        .grouped
        .map(|(triggers, groups)| {
            format!(", {} of {}", format::plural(groups, "group"), format::plural(triggers, "trigger"))
        })
        .unwrap_or_default();
    let classifying = match view.is_classifying {
        true => format!(", {}", classification_progress(view)),
        false => String::new(),
    };
    format!(
        "[{}{budget}] {}{pace}{classifying}, {} skipped, {} (seen {}){groups}{own}",
        format::clock(tally.seconds),
        format::plural(tally.cases, "case"),
        format::thousands(tally.skipped_in_all()),
        format::plural(view.new_findings().count() as u64, "finding"),
        format::plural(tally.sightings, "time"),
    )
}

/// How far the statuses of seeds are known.
pub fn classification_progress(view: &CampaignView) -> String {
    let tally = &view.tally;
    format!(
        "asking solvers about seeds: {} of {} asked, {} with a status",
        format::thousands(tally.classified),
        format::thousands(view.unclaimed),
        format::thousands(tally.found_status),
    )
}

/// An event that deserves a line, in words.
pub fn event_line(event: &Event) -> Option<String> {
    let case = |case: &Option<u64>| case.map_or_else(|| "a seed".to_owned(), |case| format!("case {case}"));
    match event {
        Event::Opened { seeds, refused, next, .. } => {
            let on = if *next > 0 {
                format!("goes on after {}", format::plural(*next, "case"))
            } else {
                "begins".to_owned()
            };
            let refused: Vec<String> =
                refused.iter().map(|(why, count)| format!("{} {why}", format::thousands(*count))).collect();
            let without =
                if refused.is_empty() { String::new() } else { format!(", without {}", refused.join(", ")) };
            Some(format!("{on} with {}{without}", format::plural(*seeds as u64, "seed")))
        }
        Event::Found { case: number, finding, count: 1, known: false, .. } => {
            Some(format!("FOUND in {}: {finding}", case(number)))
        }
        Event::Flaky { case: number, finding } => {
            Some(format!("did not happen again, {}: {finding}", case(number)))
        }
        Event::Grouped { triggers, groups } => {
            let (triggers, groups) = (format::plural(*triggers, "trigger"), format::plural(*groups, "group"));
            Some(format!("triage: {groups} of {triggers}"))
        }
        Event::OurBug { case, message } => Some(format!("a bug of gainsay itself in case {case}: {message}")),
        Event::SolverLost { solver, why } => Some(format!("{solver} cannot be run any more: {why}")),
        Event::Closed { why } => Some(format!("ended: {}", stop_reason(why))),
        _ => None,
    }
}
