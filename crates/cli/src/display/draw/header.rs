//! The upper part of the screen: the campaign, its time and speed, and statistics of cases and CPU time.

use std::collections::BTreeMap;

use gainsay_engine::tally::OracleTally;
use ratatui::style::Color;
use ratatui::text::{Line, Span};

use super::{bold, coloured, dim, phase_word};
use crate::display::view::{CampaignPhase, CampaignView};
use crate::display::{format, lines};

/// Width of the labels.
const LABEL_COLUMNS: usize = 11;

/// The first line: the campaign on the left, the time on the right.
pub fn title(view: &CampaignView, width: usize) -> Line<'static> {
    let limit = view.budget.seconds.map(|all| format!(" of {}", format::clock(all))).unwrap_or_default();
    let time = format!("{}{limit} ", format::clock(view.tally.seconds));
    let colour = match view.state {
        CampaignPhase::Running => Color::Green,
        CampaignPhase::Starting | CampaignPhase::Stopping => Color::Yellow,
        CampaignPhase::Ended => Color::Cyan,
    };
    let right = [coloured(phase_word(view.state), colour), Span::raw(" "), bold(time)];
    let right_width: usize = right.iter().map(Span::width).sum();
    let room = width.saturating_sub(right_width + 1);
    let mut left = vec![bold(format::truncate(" gainsay", room))];
    let room = room.saturating_sub(8);
    if room > 12 {
        left.push(dim(format::truncate(&format!("  {}", view.folder.display()), room)));
    }
    let used: usize = left.iter().map(Span::width).sum();
    let gap = width.saturating_sub(right_width + used);
    left.push(Span::raw(" ".repeat(gap)));
    left.extend(right);
    Line::from(left)
}

/// The second line: a progress bar for the budget.
pub fn rule(view: &CampaignView, width: usize) -> Line<'static> {
    let room = width.saturating_sub(2);
    let full = (view.progress().unwrap_or(0.0) * room as f64).round() as usize;
    Line::from(vec![
        Span::raw(" "),
        coloured("━".repeat(full.min(room)), Color::Green),
        dim("─".repeat(room - full.min(room))),
    ])
}

/// The counts, the most important first.
pub fn summary(view: &CampaignView, width: usize) -> Vec<Line<'static>> {
    let room = width.saturating_sub(LABEL_COLUMNS + 2);
    let mut rows = vec![
        ("cases", cases(view)),
        ("CPU", cpu(view)),
        ("skipped", skipped(view)),
        ("strategies", strategies(view)),
        ("oracles", oracles(view)),
    ];
    let questions = judged(&view.tally.questions);
    if !questions.is_empty() {
        rows.push(("questions", questions));
    }
    let trouble = trouble(view);
    let is_trouble = !trouble.is_empty();
    if is_trouble {
        rows.insert(2, ("trouble", trouble));
    }
    if view.is_classifying {
        rows.insert(1, ("seeds", lines::classification_progress(view)));
    }
    let line = |(label, text): (&str, String)| {
        let text = format::truncate(&text, room);
        let value = if label == "trouble" { coloured(text, Color::Yellow) } else { Span::raw(text) };
        Line::from(vec![dim(format!(" {label:<LABEL_COLUMNS$}")), value])
    };
    rows.into_iter().map(line).collect()
}

fn cases(view: &CampaignView) -> String {
    let limit = view.budget.cases.map(|all| format!(" of {}", format::thousands(all))).unwrap_or_default();
    let mut parts = vec![format!("{}{limit}", format::thousands(view.tally.cases))];
    parts.extend(view.recent_rate().map(|pace| format!("{}/s now", format::rate(pace))));
    parts.extend(view.mean_rate().map(|pace| format!("{}/s on average", format::rate(pace))));
    let refused = if view.refused > 0 {
        format!(" ({} files skipped)", format::thousands(view.refused))
    } else {
        String::new()
    };
    parts.push(format!("{}{refused}", format::plural(view.seeds as u64, "seed")));
    parts.join(" · ")
}

fn skipped(view: &CampaignView) -> String {
    let tally = &view.tally;
    match tally.skipped_in_all() {
        0 => "none".to_owned(),
        all => format!("{}: {}", format::thousands(all), format::most_frequent(&tally.skipped, 3)),
    }
}

fn strategies(view: &CampaignView) -> String {
    let all = view.tally.cases.max(1) as f64;
    let parts = view.tally.strategies.iter().map(|(name, strategy)| {
        let seen = match strategy.sightings {
            0 => String::new(),
            seen => format!(" ({} seen)", format::compact(seen)),
        };
        format!("{name} {}{seen}", format::percent(strategy.cases as f64 / all))
    });
    or_dash(parts.collect::<Vec<_>>().join(" · "))
}

fn oracles(view: &CampaignView) -> String {
    or_dash(judged(&view.tally.oracles))
}

/// The counts of each oracle: judged and undecided.
fn judged(counts: &BTreeMap<String, OracleTally>) -> String {
    let parts = counts.iter().map(|(name, oracle)| {
        let judged = oracle.fine + oracle.bug;
        let undecided = match oracle.undecided {
            0 => String::new(),
            undecided => format!(", {} undecided", format::compact(undecided)),
        };
        format!("{name} {}{undecided}", format::compact(judged))
    });
    parts.collect::<Vec<_>>().join(" · ")
}

fn cpu(view: &CampaignView) -> String {
    let tally = &view.tally;
    match tally.own_share() {
        None => "-".to_owned(),
        Some(own) => format!(
            "solvers {} ({}) · gainsay {} ({})",
            format::percent(1.0 - own),
            format::clock(tally.solver_cpu()),
            format::percent(own),
            format::clock(tally.own_cpu),
        ),
    }
}

/// Describes failures that are not findings; empty without any.
fn trouble(view: &CampaignView) -> String {
    let tally = &view.tally;
    let mut parts: Vec<String> =
        view.lost.iter().map(|(solver, why)| format!("{solver} failed ({why})")).collect();
    parts.extend(
        (tally.our_bugs > 0)
            .then(|| format!("{} in gainsay, see `gainsay list`", format::plural(tally.our_bugs, "bug"))),
    );
    parts.extend((tally.flaky > 0).then(|| format!("{} flaky", format::thousands(tally.flaky))));
    parts.join(" · ")
}

fn or_dash(text: String) -> String {
    if text.is_empty() { "-".to_owned() } else { text }
}
