//! The live screen: a pure function from a board and a size to lines.
//!
//! What matters most is kept when there is little room: first the counts and the findings, then the solvers, then
//! why solvers were of no use. Nothing is drawn that would be cut in the middle of a number.

mod findings;
mod head;
mod solvers;

use ratatui::Frame;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::board::{Board, State};
use super::words;

/// Draws the board over the whole frame.
pub fn draw(frame: &mut Frame<'_>, board: &Board) {
    let area = frame.area();
    let lines = lines(board, usize::from(area.width), usize::from(area.height));
    frame.render_widget(Paragraph::new(lines), area);
}

/// The lines of a screen of this size, at most `height` of them.
pub fn lines(board: &Board, width: usize, height: usize) -> Vec<Line<'static>> {
    if height < 6 || width < 30 {
        return tiny(board, width, height);
    }
    let summary = head::summary(board, width);
    let shown = if height >= 18 { summary.len() } else { summary.len().min((height - 4) / 2) };
    let mut lines = vec![head::title(board, width), head::rule(board, width)];
    lines.extend(summary.into_iter().take(shown));
    let footer = footer(board, width, height);
    let room = height - lines.len() - footer.len();
    let wanted = findings::wanted(board).min(room / 2);
    let table = solvers::table(board, width, room - wanted);
    let airy = room > table.len() + findings::wanted(board) + 2;
    let gap = usize::from(airy && !table.is_empty());
    let left = room - table.len() - 2 * gap;
    let list = findings::list(board, width, left);
    let blank = left - list.len();
    let empty = |count| std::iter::repeat_n(Line::default(), count);
    lines.extend(empty(gap).chain(table).chain(empty(gap)).chain(list).chain(empty(blank)));
    lines.extend(footer);
    lines
}

/// What fits when almost nothing does.
fn tiny(board: &Board, width: usize, height: usize) -> Vec<Line<'static>> {
    let tally = &board.tally;
    let texts = [
        format!("{} {}", state_word(board.state), words::clock(tally.seconds)),
        words::some(tally.cases, "case"),
        words::some(board.fresh().count() as u64, "finding"),
        board.pace().map(|pace| format!("{}/s", words::rate(pace))).unwrap_or_default(),
        "q stops".to_owned(),
    ];
    let texts = texts.iter().filter(|text| !text.is_empty());
    texts.take(height).map(|text| Line::raw(words::cut(text, width))).collect()
}

fn footer(board: &Board, width: usize, height: usize) -> Vec<Line<'static>> {
    let keys = match board.state {
        State::Starting | State::Running => "q or Ctrl-C stops",
        State::Stopping => "finishing the cases in flight; again to stop at once",
        State::Ended => "",
    };
    let last = Line::from(vec![dim(" last  "), Span::raw(words::cut(&board.last, width.saturating_sub(8)))]);
    let keys = Line::from(dim(format!(" {}", words::cut(keys, width - 1))));
    if height >= 12 { vec![last, keys] } else { vec![keys] }
}

/// A rule with a title in it: `── findings ─────`.
fn titled(title: &str, width: usize) -> Line<'static> {
    let title = words::cut(title, width.saturating_sub(8));
    let rest = width.saturating_sub(words::columns(&title) + 5);
    Line::from(vec![dim(" ── "), bold(title), dim(format!(" {}", "─".repeat(rest.saturating_sub(1))))])
}

fn state_word(state: State) -> &'static str {
    match state {
        State::Starting => "starting",
        State::Running => "running",
        State::Stopping => "stopping",
        State::Ended => "ended",
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
