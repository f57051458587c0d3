//! The list of findings: the gravest kind first, new ones before old ones.

use gainsay_engine::oracle::{Evidence, FindingKind};
use ratatui::style::Color;
use ratatui::text::{Line, Span};

use super::{bold, coloured, dim, titled};
use crate::show::board::{Board, Found};
use crate::show::words;

/// Columns of the parts of a row before the explanation.
const KIND: usize = 13;
const EVIDENCE: usize = 13;
const COUNT: usize = 7;
const AGE: usize = 9;

/// From this width on an explanation fits beside the rest.
const WIDE: usize = 110;

/// Where the explanation of a finding goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Explanation {
    Beside,
    Below,
}

/// Lines that the whole list would take.
pub fn wanted(board: &Board) -> usize {
    2 + board.fresh().count().max(1)
}

/// The list in at most `height` lines.
pub fn list(board: &Board, width: usize, height: usize) -> Vec<Line<'static>> {
    if height == 0 {
        return Vec::new();
    }
    let mut lines = vec![titled(&title(board), width)];
    let mut found: Vec<&Found> = board.fresh().collect();
    found.sort_by(|a, b| a.kind.severity().cmp(&b.kind.severity()).then(b.seconds.total_cmp(&a.seconds)));
    if found.is_empty() {
        lines.push(Line::from(dim(" none yet")));
    }
    let room = height - 1;
    let shown = if found.len() > room { room.saturating_sub(1) } else { found.len() };
    let below = width < WIDE && 2 * found.len() <= room;
    for found in found.iter().take(shown) {
        lines.push(row(board, found, width, if below { Explanation::Below } else { Explanation::Beside }));
        if below {
            lines.push(Line::from(words::cut(&format!("   {}", found.explanation), width - 1)));
        }
    }
    if found.len() > shown {
        let hidden = (found.len() - shown) as u64;
        lines.push(Line::from(dim(format!(" … and {} more: gainsay list DIR", words::count(hidden)))));
    }
    lines.truncate(height);
    lines
}

fn title(board: &Board) -> String {
    let fresh = board.fresh().count();
    let known = board.findings.len() - fresh;
    let limit = board.budget.findings.map(|all| format!(" of {}", words::count(all))).unwrap_or_default();
    let mut title = format!("{}{limit}", words::some(fresh as u64, "finding"));
    if board.tally.sightings > 0 {
        title += &format!(", seen {}", words::some(board.tally.sightings, "time"));
    }
    if known > 0 {
        title += &format!(", {} known", words::count(known as u64));
    }
    if let Some((triggers, groups)) = board.grouped {
        let (groups, triggers) = (words::some(groups, "group"), words::some(triggers, "trigger"));
        title += &format!(", {groups} of {triggers}");
    }
    title
}

fn row(board: &Board, found: &Found, width: usize, explanation: Explanation) -> Line<'static> {
    let suspect = (width / 5).clamp(12, 32);
    let mut spans = vec![
        Span::raw(" "),
        coloured(words::left(found.kind.name(), KIND), kind_colour(found.kind)),
        bold(words::left(&found.suspect, suspect.min(width.saturating_sub(KIND + 1)))),
    ];
    let age = words::clock(board.tally.seconds - found.seconds) + " ago";
    let parts = [
        (words::right(&format!("×{}", words::short(found.count)), COUNT), Color::Reset),
        (words::right(&age, AGE + 2), Color::DarkGray),
        (format!("  {}", words::left(found.evidence.name(), EVIDENCE)), evidence_colour(found.evidence)),
    ];
    let mut used: usize = spans.iter().map(Span::width).sum();
    for (text, colour) in parts {
        used += words::columns(&text);
        if used >= width {
            return Line::from(spans);
        }
        spans.push(coloured(text, colour));
    }
    if explanation == Explanation::Beside && width - used > 10 {
        spans.push(Span::raw(words::cut(&found.explanation, width - used - 1)));
    }
    Line::from(spans)
}

fn kind_colour(kind: FindingKind) -> Color {
    match kind {
        FindingKind::Refutation | FindingKind::Solution | FindingKind::Model | FindingKind::Promise => {
            Color::Red
        }
        FindingKind::Crash => Color::Magenta,
        FindingKind::Disagreement | FindingKind::Performance => Color::Yellow,
    }
}

fn evidence_colour(evidence: Evidence) -> Color {
    match evidence {
        Evidence::Proved => Color::Green,
        Evidence::Corroborated => Color::Cyan,
        Evidence::Disagreement => Color::Yellow,
    }
}
