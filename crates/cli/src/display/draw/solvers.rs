//! The table of solvers: their answers, and the troubles of their runs.

use gainsay_engine::solver::trouble::TroubleKind;
use gainsay_engine::tally::SolverTally;
use ratatui::style::Color;
use ratatui::text::{Line, Span};

use super::{bold, coloured, dim};
use crate::display::format;
use crate::display::view::CampaignView;

/// A column; those with the highest `drop_order` are dropped first on a narrow screen.
struct TableColumn {
    title: &'static str,
    width: usize,
    drop_order: u8,
    value: fn(&SolverTally) -> String,
}

const TABLE_COLUMNS: [TableColumn; 8] = [
    TableColumn { title: "runs", width: 7, drop_order: 3, value: |solver| format::compact(solver.runs) },
    TableColumn { title: "sat", width: 7, drop_order: 0, value: |solver| format::compact(solver.sat) },
    TableColumn { title: "unsat", width: 7, drop_order: 0, value: |solver| format::compact(solver.unsat) },
    TableColumn {
        title: "unknown",
        width: 8,
        drop_order: 4,
        value: |solver| format::compact(solver.unknown),
    },
    TableColumn {
        title: "timeout",
        width: 8,
        drop_order: 1,
        value: |solver| format::compact(troubles(solver, is_timeout)),
    },
    TableColumn {
        title: "error",
        width: 7,
        drop_order: 1,
        value: |solver| format::compact(troubles(solver, is_error)),
    },
    TableColumn {
        title: "crash",
        width: 6,
        drop_order: 2,
        value: |solver| format::compact(troubles(solver, is_crash)),
    },
    TableColumn { title: "CPU", width: 8, drop_order: 5, value: |solver| format::clock(solver.cpu) },
];

/// Bounds on the width of the name.
const MIN_NAME_COLUMNS: usize = 12;
const MAX_NAME_COLUMNS: usize = 48;

/// Draws the table in at most `height` lines, with reasons if all of them fit.
pub fn table(view: &CampaignView, width: usize, height: usize) -> Vec<Line<'static>> {
    if height < 3.min(1 + view.solvers.len()) || view.solvers.is_empty() {
        return Vec::new();
    }
    let columns = columns(width);
    let name = (width - 1 - columns.iter().map(|column| column.width).sum::<usize>()).min(MAX_NAME_COLUMNS);
    let mut header = vec![bold(format!(" {}", format::align_left("solver", name)))];
    header.extend(columns.iter().map(|column| bold(format::align_right(column.title, column.width))));
    let reasons: Vec<String> = view.solvers.iter().map(|solver| reasons(view, solver)).collect();
    let with_reasons =
        1 + view.solvers.len() + reasons.iter().filter(|text| !text.is_empty()).count() <= height;
    let mut lines = vec![Line::from(header)];
    for (solver, reasons) in view.solvers.iter().zip(reasons) {
        lines.push(row(view, solver, name, &columns));
        if with_reasons && !reasons.is_empty() {
            lines.push(Line::from(dim(format::truncate(&format!("   {reasons}"), width.saturating_sub(1)))));
        }
    }
    if lines.len() > height {
        let hidden = lines.len() - height + 1;
        lines.truncate(height - 1);
        lines.push(Line::from(dim(format!(" … and {}", format::plural(hidden as u64, "more solver")))));
    }
    lines
}

fn row(view: &CampaignView, solver: &str, name: usize, columns: &[&TableColumn]) -> Line<'static> {
    let nothing = SolverTally::default();
    let tally = view.tally.solvers.get(solver).unwrap_or(&nothing);
    let lost = view.lost.iter().any(|(lost, _)| lost == solver);
    let title = format::align_left(solver, name.saturating_sub(1)) + " ";
    let mut spans = vec![Span::raw(" "), if lost { coloured(title, Color::Red) } else { Span::raw(title) }];
    for column in columns {
        let value = format::align_right(&(column.value)(tally), column.width);
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
fn columns(width: usize) -> Vec<&'static TableColumn> {
    let mut columns: Vec<&TableColumn> = TABLE_COLUMNS.iter().collect();
    while columns.iter().map(|column| column.width).sum::<usize>() + MIN_NAME_COLUMNS + 1 > width
        && columns.len() > 1
    {
        let most = columns.iter().map(|column| column.drop_order).max();
        let Some(first) = columns.iter().rposition(|column| Some(column.drop_order) == most) else { break };
        columns.remove(first);
    }
    columns
}

/// The solver's most frequent error messages, and why it was not run.
fn reasons(view: &CampaignView, solver: &str) -> String {
    let Some(tally) = view.tally.solvers.get(solver) else { return String::new() };
    let mut parts = Vec::new();
    if !tally.reasons.is_empty() {
        parts.push(format::most_frequent(&tally.reasons, 2));
    }
    if !tally.spared.is_empty() {
        let all: u64 = tally.spared.values().sum();
        parts.push(format!("not run {}: {}", format::compact(all), format::most_frequent(&tally.spared, 2)));
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
