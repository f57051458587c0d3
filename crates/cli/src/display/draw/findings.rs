//! The list of findings: the most severe kind first, then the newest.

use gainsay_engine::finding::{Evidence, FindingKind};
use ratatui::style::Color;
use ratatui::text::{Line, Span};

use super::{bold, coloured, dim, titled};
use crate::display::format;
use crate::display::view::{CampaignView, FindingView};

/// Widths of the columns before the explanation.
const KIND_COLUMNS: usize = 13;
const EVIDENCE_COLUMNS: usize = 13;
const COUNT_COLUMNS: usize = 7;
const AGE_COLUMNS: usize = 9;

/// From this width on, explanations are on the same line.
const MIN_WIDTH_FOR_EXPLANATION: usize = 110;

/// Where to draw the explanation of a finding.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExplanationPlace {
    Beside,
    Below,
}

/// The number of lines of the whole list.
pub fn wanted(view: &CampaignView) -> usize {
    2 + view.new_findings().count().max(1)
}

/// Draws the list in at most `height` lines.
pub fn list(view: &CampaignView, width: usize, height: usize) -> Vec<Line<'static>> {
    if height == 0 {
        return Vec::new();
    }
    let mut lines = vec![titled(&title(view), width)];
    let mut found: Vec<&FindingView> = view.new_findings().collect();
    found.sort_by(|a, b| a.kind.severity().cmp(&b.kind.severity()).then(b.seconds.total_cmp(&a.seconds)));
    if found.is_empty() {
        lines.push(Line::from(dim(" none yet")));
    }
    let room = height - 1;
    let shown = if found.len() > room { room.saturating_sub(1) } else { found.len() };
    let below = width < MIN_WIDTH_FOR_EXPLANATION && 2 * found.len() <= room;
    for found in found.iter().take(shown) {
        lines.push(row(
            view,
            found,
            width,
            if below { ExplanationPlace::Below } else { ExplanationPlace::Beside },
        ));
        if below {
            lines.push(Line::from(format::truncate(&format!("   {}", found.explanation), width - 1)));
        }
    }
    if found.len() > shown {
        let hidden = (found.len() - shown) as u64;
        lines.push(Line::from(dim(format!(" … and {} more: gainsay list DIR", format::thousands(hidden)))));
    }
    lines.truncate(height);
    lines
}

fn title(view: &CampaignView) -> String {
    let fresh = view.new_findings().count();
    let known = view.findings.len() - fresh;
    let limit = view.budget.findings.map(|all| format!(" of {}", format::thousands(all))).unwrap_or_default();
    let mut title = format!("{}{limit}", format::plural(fresh as u64, "finding"));
    if view.tally.sightings > 0 {
        title += &format!(", seen {}", format::plural(view.tally.sightings, "time"));
    }
    if known > 0 {
        title += &format!(", {} known", format::thousands(known as u64));
    }
    if let Some((triggers, groups)) = view.grouped {
        let (groups, triggers) = (format::plural(groups, "group"), format::plural(triggers, "trigger"));
        title += &format!(", {groups} from {triggers}");
    }
    title
}

fn row(
    view: &CampaignView,
    found: &FindingView,
    width: usize,
    explanation: ExplanationPlace,
) -> Line<'static> {
    let suspect = (width / 5).clamp(12, 32);
    let mut spans = vec![
        Span::raw(" "),
        coloured(format::align_left(found.kind.name(), KIND_COLUMNS), kind_colour(found.kind)),
        bold(format::align_left(&found.suspect, suspect.min(width.saturating_sub(KIND_COLUMNS + 1)))),
    ];
    let age = format::clock(view.tally.seconds - found.seconds) + " ago";
    let parts = [
        (format::align_right(&format!("×{}", format::compact(found.count)), COUNT_COLUMNS), Color::Reset),
        (format::align_right(&age, AGE_COLUMNS + 2), Color::DarkGray),
        (
            format!("  {}", format::align_left(found.evidence.name(), EVIDENCE_COLUMNS)),
            evidence_colour(found.evidence),
        ),
    ];
    let mut used: usize = spans.iter().map(Span::width).sum();
    for (text, colour) in parts {
        used += format::text_width(&text);
        if used >= width {
            return Line::from(spans);
        }
        spans.push(coloured(text, colour));
    }
    if explanation == ExplanationPlace::Beside && width - used > 10 {
        spans.push(Span::raw(format::truncate(&found.explanation, width - used - 1)));
    }
    Line::from(spans)
}

fn kind_colour(kind: FindingKind) -> Color {
    match kind {
        FindingKind::Refutation
        | FindingKind::Solution
        | FindingKind::Model
        | FindingKind::Reply
        | FindingKind::Promise => Color::Red,
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
