//! A campaign as plain lines: one for each new finding, one of progress every ten seconds, none that says nothing.

use std::io::Write;

use gainsay_engine::event::Event;
use gainsay_engine::tally::Tally;

use super::board::{Board, stop_words};
use super::{Show, words};

/// Seconds between two lines of progress.
const PERIOD: f64 = 10.0;

/// Writes lines.
pub struct Lines<W> {
    board: Board,
    out: W,
    /// When the next line of progress is due, in seconds of the campaign.
    due: Option<f64>,
    /// Whether it was said that solvers are asked about seeds.
    said_classifying: bool,
}

impl<W: Write> Lines<W> {
    /// Of a campaign that stands like this board.
    pub fn new(board: Board, out: W) -> Self {
        Lines { board, out, due: None, said_classifying: false }
    }

    fn say(&mut self, line: &str) {
        // Whoever does not want to read any more does not stop the campaign.
        let _ = writeln!(self.out, "{line}").and_then(|()| self.out.flush());
    }
}

impl<W: Write> Show for Lines<W> {
    fn event(&mut self, event: &Event, tally: &Tally) {
        self.board.note(event, tally.seconds);
        if let Some(line) = words(event) {
            self.say(&format!("[{}] {line}", words::clock(tally.seconds)));
        }
        if matches!(event, Event::Classifying { .. }) && !self.said_classifying {
            self.said_classifying = true;
            let seeds = words::some(self.board.unclaimed, "seed");
            let line = format!("asking solvers about seeds as they are needed: {seeds} without a status");
            self.say(&format!("[{}] {line}", words::clock(tally.seconds)));
        }
        if tally.seconds - self.board.tally.seconds >= 1.0 || matches!(event, Event::Opened { .. }) {
            self.board.count(tally);
        }
        let due = *self.due.get_or_insert(tally.seconds + PERIOD);
        if tally.seconds >= due && !matches!(event, Event::Closed { .. }) {
            self.due = Some(tally.seconds + PERIOD);
            let line = progress(&self.board);
            self.say(&line);
        }
    }
}

/// A line of progress.
pub fn progress(board: &Board) -> String {
    let tally = &board.tally;
    let budget = board.budget.seconds.map(|all| format!("/{}", words::clock(all))).unwrap_or_default();
    let pace = board.pace().map(|pace| format!(" ({}/s)", words::rate(pace))).unwrap_or_default();
    let own =
        tally.own_share().map(|own| format!(", {} of CPU ours", words::percent(own))).unwrap_or_default();
    let groups = board
        .grouped
        .map(|(triggers, groups)| {
            format!(", {} of {}", words::some(groups, "group"), words::some(triggers, "trigger"))
        })
        .unwrap_or_default();
    let classifying = match board.is_classifying {
        true => format!(", {}", classifying(board)),
        false => String::new(),
    };
    format!(
        "[{}{budget}] {}{pace}{classifying}, {} skipped, {} (seen {}){groups}{own}",
        words::clock(tally.seconds),
        words::some(tally.cases, "case"),
        words::count(tally.skipped_in_all()),
        words::some(board.fresh().count() as u64, "finding"),
        words::some(tally.sightings, "time"),
    )
}

/// How far the statuses of seeds are known.
pub fn classifying(board: &Board) -> String {
    let tally = &board.tally;
    format!(
        "asking solvers about seeds: {} of {} asked, {} with a status",
        words::count(tally.classified),
        words::count(board.unclaimed),
        words::count(tally.found_status),
    )
}

/// An event that deserves a line, in words.
pub fn words(event: &Event) -> Option<String> {
    let case = |case: &Option<u64>| case.map_or_else(|| "a seed".to_owned(), |case| format!("case {case}"));
    match event {
        Event::Opened { seeds, refused, next, .. } => {
            let on = if *next > 0 {
                format!("goes on after {}", words::some(*next, "case"))
            } else {
                "begins".to_owned()
            };
            let refused: Vec<String> =
                refused.iter().map(|(why, count)| format!("{} {why}", words::count(*count))).collect();
            let without =
                if refused.is_empty() { String::new() } else { format!(", without {}", refused.join(", ")) };
            Some(format!("{on} with {}{without}", words::some(*seeds as u64, "seed")))
        }
        Event::Found { case: number, finding, count: 1, known: false, .. } => {
            Some(format!("FOUND in {}: {finding}", case(number)))
        }
        Event::Flaky { case: number, finding } => {
            Some(format!("did not happen again, {}: {finding}", case(number)))
        }
        Event::Grouped { triggers, groups } => {
            let (triggers, groups) = (words::some(*triggers, "trigger"), words::some(*groups, "group"));
            Some(format!("triage: {groups} of {triggers}"))
        }
        Event::OurBug { case, message } => Some(format!("a bug of gainsay itself in case {case}: {message}")),
        Event::SolverLost { solver, why } => Some(format!("{solver} cannot be run any more: {why}")),
        Event::Closed { why } => Some(format!("ended: {}", stop_words(why))),
        _ => None,
    }
}
