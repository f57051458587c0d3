//! The live screen: a pure function from a view and a size to lines.
//!
//! On a small screen the counts and findings take precedence over the solvers, and those over the reasons for failed runs.
//! A number is never cut in the middle.

mod findings;
mod header;
mod solvers;

use ratatui::Frame;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::format;
use super::view::{CampaignPhase, CampaignView};

/// Draws the view over the whole frame.
pub fn draw(frame: &mut Frame<'_>, view: &CampaignView) {
    let area = frame.area();
    let lines = lines(view, usize::from(area.width), usize::from(area.height));
    frame.render_widget(Paragraph::new(lines), area);
}

/// The lines of a screen of this size, at most `height` of them.
pub fn lines(view: &CampaignView, width: usize, height: usize) -> Vec<Line<'static>> {
    if height < 6 || width < 30 {
        return tiny_screen(view, width, height);
    }
    let summary = header::summary(view, width);
    let shown = if height >= 18 { summary.len() } else { summary.len().min((height - 4) / 2) };
    let mut lines = vec![header::title(view, width), header::rule(view, width)];
    lines.extend(summary.into_iter().take(shown));
    let footer = footer(view, width, height);
    let room = height - lines.len() - footer.len();
    let wanted = findings::wanted(view).min(room / 2);
    let table = solvers::table(view, width, room - wanted);
    let airy = room > table.len() + findings::wanted(view) + 2;
    let gap = usize::from(airy && !table.is_empty());
    let left = room - table.len() - 2 * gap;
    let list = findings::list(view, width, left);
    let blank = left - list.len();
    let empty = |count| std::iter::repeat_n(Line::default(), count);
    lines.extend(empty(gap).chain(table).chain(empty(gap)).chain(list).chain(empty(blank)));
    lines.extend(footer);
    lines
}

/// The screen for a very small terminal.
fn tiny_screen(view: &CampaignView, width: usize, height: usize) -> Vec<Line<'static>> {
    let tally = &view.tally;
    let texts = [
        format!("{} {}", phase_word(view.state), format::clock(tally.seconds)),
        format::plural(tally.cases, "case"),
        format::plural(view.new_findings().count() as u64, "finding"),
        view.recent_rate().map(|pace| format!("{}/s", format::rate(pace))).unwrap_or_default(),
        "q stops".to_owned(),
    ];
    let texts = texts.iter().filter(|text| !text.is_empty());
    texts.take(height).map(|text| Line::raw(format::truncate(text, width))).collect()
}

fn footer(view: &CampaignView, width: usize, height: usize) -> Vec<Line<'static>> {
    let keys = match view.state {
        CampaignPhase::Starting | CampaignPhase::Running => "q or Ctrl-C stops",
        CampaignPhase::Stopping => "finishing the running cases; press again to stop immediately",
        CampaignPhase::Ended => "",
    };
    let last =
        Line::from(vec![dim(" last  "), Span::raw(format::truncate(&view.last, width.saturating_sub(8)))]);
    let keys = Line::from(dim(format!(" {}", format::truncate(keys, width - 1))));
    if height >= 12 { vec![last, keys] } else { vec![keys] }
}

/// A rule with a title in it: `── findings ─────`.
fn titled(title: &str, width: usize) -> Line<'static> {
    let title = format::truncate(title, width.saturating_sub(8));
    let rest = width.saturating_sub(format::text_width(&title) + 5);
    Line::from(vec![dim(" ── "), bold(title), dim(format!(" {}", "─".repeat(rest.saturating_sub(1))))])
}

fn phase_word(state: CampaignPhase) -> &'static str {
    match state {
        CampaignPhase::Starting => "starting",
        CampaignPhase::Running => "running",
        CampaignPhase::Stopping => "stopping",
        CampaignPhase::Ended => "ended",
    }
}

fn dim(text: impl Into<String>) -> Span<'static> {
    Span::styled(text.into(), Style::new().fg(Color::DarkGray))
}

fn bold(text: impl Into<String>) -> Span<'static> {
    Span::styled(text.into(), Style::new().add_modifier(Modifier::BOLD))
}

fn coloured(text: impl Into<String>, colour: Color) -> Span<'static> {
    Span::styled(text.into(), Style::new().fg(colour))
}

#[cfg(test)]
mod tests;
