//! The upper part of the screen: what runs, how long, how fast, and where cases and CPU time go.

use ratatui::style::Color;
use ratatui::text::{Line, Span};

use super::{bold, coloured, dim, state_word};
use crate::show::board::{Board, State};
use crate::show::{lines, words};

/// Columns of the labels on the left.
const LABEL: usize = 10;

/// The first line: the campaign on the left, the clock on the right.
pub fn title(board: &Board, width: usize) -> Line<'static> {
    let limit = board.budget.seconds.map(|all| format!(" of {}", words::clock(all))).unwrap_or_default();
    let time = format!("{}{limit} ", words::clock(board.tally.seconds));
    let colour = match board.state {
        State::Running => Color::Green,
        State::Starting | State::Stopping => Color::Yellow,
        State::Ended => Color::Cyan,
    };
    let right = [coloured(state_word(board.state), colour), Span::raw(" "), bold(time)];
    let right_width: usize = right.iter().map(Span::width).sum();
    let room = width.saturating_sub(right_width + 1);
    let mut left = vec![bold(words::cut(" gainsay", room))];
    let room = room.saturating_sub(8);
    if room > 12 {
        left.push(dim(words::cut(&format!("  {}", board.folder.display()), room)));
    }
    let used: usize = left.iter().map(Span::width).sum();
    let gap = width.saturating_sub(right_width + used);
    left.push(Span::raw(" ".repeat(gap)));
    left.extend(right);
    Line::from(left)
}

/// The second line: a rule that fills up as the budget is used.
pub fn rule(board: &Board, width: usize) -> Line<'static> {
    let room = width.saturating_sub(2);
    let full = (board.progress().unwrap_or(0.0) * room as f64).round() as usize;
    Line::from(vec![
        Span::raw(" "),
        coloured("━".repeat(full.min(room)), Color::Green),
        dim("─".repeat(room - full.min(room))),
    ])
}

/// The counts, the most important first.
pub fn summary(board: &Board, width: usize) -> Vec<Line<'static>> {
    let room = width.saturating_sub(LABEL + 2);
    let mut rows = vec![
        ("cases", cases(board)),
        ("CPU", cpu(board)),
        ("skipped", skipped(board)),
        ("made by", strategies(board)),
        ("judged", oracles(board)),
    ];
    let trouble = trouble(board);
    let is_trouble = !trouble.is_empty();
    if is_trouble {
        rows.insert(2, ("trouble", trouble));
    }
    if board.is_classifying {
        rows.insert(1, ("seeds", lines::classifying(board)));
    }
    let line = |(label, text): (&str, String)| {
        let text = words::cut(&text, room);
        let value = if label == "trouble" { coloured(text, Color::Yellow) } else { Span::raw(text) };
        Line::from(vec![dim(format!(" {label:<LABEL$}")), value])
    };
    rows.into_iter().map(line).collect()
}

fn cases(board: &Board) -> String {
    let limit = board.budget.cases.map(|all| format!(" of {}", words::count(all))).unwrap_or_default();
    let mut parts = vec![format!("{}{limit}", words::count(board.tally.cases))];
    parts.extend(board.pace().map(|pace| format!("{}/s now", words::rate(pace))));
    parts.extend(board.mean_pace().map(|pace| format!("{}/s on average", words::rate(pace))));
    let refused =
        if board.refused > 0 { format!(" ({} refused)", words::count(board.refused)) } else { String::new() };
    parts.push(format!("{}{refused}", words::some(board.seeds as u64, "seed")));
    parts.join(" · ")
}

fn skipped(board: &Board) -> String {
    let tally = &board.tally;
    match tally.skipped_in_all() {
        0 => "none".to_owned(),
        all => format!("{}: {}", words::count(all), words::top(&tally.skipped, 3)),
    }
}

fn strategies(board: &Board) -> String {
    let all = board.tally.cases.max(1) as f64;
    let parts = board.tally.strategies.iter().map(|(name, strategy)| {
        let seen = match strategy.sightings {
            0 => String::new(),
            seen => format!(" ({} seen)", words::short(seen)),
        };
        format!("{name} {}{seen}", words::percent(strategy.cases as f64 / all))
    });
    or_dash(parts.collect::<Vec<_>>().join(" · "))
}

fn oracles(board: &Board) -> String {
    let parts = board.tally.oracles.iter().map(|(name, oracle)| {
        let judged = oracle.fine + oracle.bug;
        let undecided = match oracle.undecided {
            0 => String::new(),
            undecided => format!(", {} undecided", words::short(undecided)),
        };
        format!("{name} {}{undecided}", words::short(judged))
    });
    or_dash(parts.collect::<Vec<_>>().join(" · "))
}

fn cpu(board: &Board) -> String {
    let tally = &board.tally;
    match tally.own_share() {
        None => "-".to_owned(),
        Some(own) => format!(
            "solvers {} ({}) · gainsay {} ({})",
            words::percent(1.0 - own),
            words::clock(tally.solver_cpu()),
            words::percent(own),
            words::clock(tally.own_cpu),
        ),
    }
}

/// What went wrong and is no finding; empty if nothing did.
fn trouble(board: &Board) -> String {
    let tally = &board.tally;
    let mut parts: Vec<String> =
        board.lost.iter().map(|(solver, why)| format!("{solver} cannot be run any more ({why})")).collect();
    parts
        .extend((tally.our_bugs > 0).then(|| {
            format!("{} of gainsay itself, see `gainsay list`", words::some(tally.our_bugs, "bug"))
        }));
    parts.extend(
        (tally.flaky > 0).then(|| format!("{} that did not happen again", words::count(tally.flaky))),
    );
    parts.join(" · ")
}

fn or_dash(text: String) -> String {
    if text.is_empty() { "-".to_owned() } else { text }
}
