//! The table of solvers: what they answered, and why the rest of their runs was of no use.

use gainsay_engine::solver::trouble::TroubleKind;
use gainsay_engine::tally::SolverTally;
use ratatui::style::Color;
use ratatui::text::{Line, Span};

use super::{bold, coloured, dim};
use crate::show::board::Board;
use crate::show::words;

/// A column: its title, its width, and when it goes if there is little room (higher first).
struct Column {
    title: &'static str,
    width: usize,
    goes: u8,
    value: fn(&SolverTally) -> String,
}

const COLUMNS: [Column; 8] = [
    Column { title: "runs", width: 7, goes: 3, value: |solver| words::short(solver.runs) },
    Column { title: "sat", width: 7, goes: 0, value: |solver| words::short(solver.sat) },
    Column { title: "unsat", width: 7, goes: 0, value: |solver| words::short(solver.unsat) },
    Column { title: "unknown", width: 8, goes: 4, value: |solver| words::short(solver.unknown) },
    Column {
        title: "timeout",
        width: 8,
        goes: 1,
        value: |solver| words::short(troubles(solver, is_timeout)),
    },
    Column { title: "error", width: 7, goes: 1, value: |solver| words::short(troubles(solver, is_error)) },
    Column { title: "crash", width: 6, goes: 2, value: |solver| words::short(troubles(solver, is_crash)) },
    Column { title: "CPU", width: 8, goes: 5, value: |solver| words::clock(solver.cpu) },
];

/// The least and the most columns for a name.
const NAME: usize = 12;
const LONG_NAME: usize = 48;

/// The table in at most `height` lines; with reasons where there is room for all of them.
pub fn table(board: &Board, width: usize, height: usize) -> Vec<Line<'static>> {
    if height < 3.min(1 + board.solvers.len()) || board.solvers.is_empty() {
        return Vec::new();
    }
    let columns = columns(width);
    let name = (width - 1 - columns.iter().map(|column| column.width).sum::<usize>()).min(LONG_NAME);
    let mut header = vec![bold(format!(" {}", words::left("solver", name)))];
    header.extend(columns.iter().map(|column| bold(words::right(column.title, column.width))));
    let reasons: Vec<String> = board.solvers.iter().map(|solver| reasons(board, solver)).collect();
    let with_reasons =
        1 + board.solvers.len() + reasons.iter().filter(|text| !text.is_empty()).count() <= height;
    let mut lines = vec![Line::from(header)];
    for (solver, reasons) in board.solvers.iter().zip(reasons) {
        lines.push(row(board, solver, name, &columns));
        if with_reasons && !reasons.is_empty() {
            lines.push(Line::from(dim(words::cut(&format!("   {reasons}"), width.saturating_sub(1)))));
        }
    }
    if lines.len() > height {
        let hidden = lines.len() - height + 1;
        lines.truncate(height - 1);
        lines.push(Line::from(dim(format!(" … and {}", words::some(hidden as u64, "more solver")))));
    }
    lines
}

fn row(board: &Board, solver: &str, name: usize, columns: &[&Column]) -> Line<'static> {
    let nothing = SolverTally::default();
    let tally = board.tally.solvers.get(solver).unwrap_or(&nothing);
    let lost = board.lost.iter().any(|(lost, _)| lost == solver);
    let title = words::left(solver, name.saturating_sub(1)) + " ";
    let mut spans = vec![Span::raw(" "), if lost { coloured(title, Color::Red) } else { Span::raw(title) }];
    for column in columns {
        let value = words::right(&(column.value)(tally), column.width);
        let bad = matches!(column.title, "error" | "timeout" | "crash") && value.trim() != "0";
        spans.push(match column.title {
            "crash" if bad => coloured(value, Color::Red),
            _ if bad => coloured(value, Color::Yellow),
            _ => Span::raw(value),
        });
    }
    Line::from(spans)
}

/// The columns that fit.
fn columns(width: usize) -> Vec<&'static Column> {
    let mut columns: Vec<&Column> = COLUMNS.iter().collect();
    while columns.iter().map(|column| column.width).sum::<usize>() + NAME + 1 > width && columns.len() > 1 {
        let most = columns.iter().map(|column| column.goes).max();
        let Some(first) = columns.iter().rposition(|column| Some(column.goes) == most) else { break };
        columns.remove(first);
    }
    columns
}

/// Why runs of a solver were of no use: what it said, and for which cases it was not asked.
fn reasons(board: &Board, solver: &str) -> String {
    let Some(tally) = board.tally.solvers.get(solver) else { return String::new() };
    let mut parts = Vec::new();
    if !tally.reasons.is_empty() {
        parts.push(words::top(&tally.reasons, 2));
    }
    if !tally.spared.is_empty() {
        let all: u64 = tally.spared.values().sum();
        parts.push(format!("not asked {}: {}", words::short(all), words::top(&tally.spared, 2)));
    }
    parts.join("; ")
}

fn troubles(solver: &SolverTally, which: fn(TroubleKind) -> bool) -> u64 {
    let kinds = TroubleKind::ALL.into_iter().filter(|kind| which(*kind));
    kinds.filter_map(|kind| solver.troubles.get(kind.name())).sum()
}

fn is_timeout(kind: TroubleKind) -> bool {
    kind.is_limit()
}

fn is_crash(kind: TroubleKind) -> bool {
    kind.is_crash()
}

fn is_error(kind: TroubleKind) -> bool {
    !kind.is_limit() && !kind.is_crash()
}
