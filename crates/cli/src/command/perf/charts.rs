//! The charts of `gainsay perf`: margins over queries, a cactus plot of the solvers, the ranking.

use gainsay_engine::perf::SlowScriptSearch;
use gainsay_engine::perf::score::{Score, SolveEffort};
use gainsay_engine::schedule::ArmRank;
use gainsay_engine::session::panel::PanelSolver;

use super::comparison::SolverComparison;
use crate::report::chart::{self, ChartLine, IntervalRow, ProbabilityInterval};

/// Constructs in the chart of the ranking.
const MAX_CONSTRUCTS_CHARTED: usize = 25;

/// A chart, its file and its caption.
pub struct Chart {
    /// The file.
    pub file: &'static str,
    /// The caption.
    pub caption: &'static str,
    /// SVG.
    pub svg: String,
}

/// All charts of a search; `unit` is what scores are in.
pub fn all(
    comparison: &SolverComparison,
    search: &SlowScriptSearch<'_>,
    limit: f64,
    unit: &str,
) -> Vec<Chart> {
    let (scores, cactus) =
        ("Margin of the target over the slowest reference", "Scripts solved, the fastest first");
    let ranking = "Probability that a construct makes a script slower for the target";
    vec![
        Chart {
            file: "scores.svg",
            caption: "Score over queries",
            svg: chart::lines(scores, ("queries", unit), &margins(search)),
        },
        Chart {
            file: "cactus.svg",
            caption: "Cactus plot of the slow scripts",
            svg: chart::lines(cactus, ("scripts", unit), &solved(comparison, search, limit)),
        },
        Chart {
            file: "ranking.svg",
            caption: "Ranking of constructs",
            svg: chart::intervals(ranking, &rows(comparison, search)),
        },
    ]
}

fn margins(search: &SlowScriptSearch<'_>) -> [ChartLine; 2] {
    let best = search.points.iter().map(|point| (point.query as f64, point.best)).collect();
    let each = search.points.iter().filter_map(|point| Some((point.query as f64, point.margin?))).collect();
    [
        ChartLine { name: "best".to_owned(), points: best },
        ChartLine { name: "this query".to_owned(), points: each },
    ]
}

/// For each solver, its sorted efforts for the best scripts and the last script of each climb.
fn solved(comparison: &SolverComparison, search: &SlowScriptSearch<'_>, limit: f64) -> Vec<ChartLine> {
    let scores = || search.peaks.iter().chain(search.best.iter().map(|kept| &kept.score));
    let line = |(number, member): (usize, &PanelSolver)| {
        let effort = |score: &Score| match score.efforts().nth(number) {
            Some(SolveEffort::Solved(effort)) => Some(effort.min(limit)),
            _ => None,
        };
        let mut solved: Vec<f64> = scores().filter_map(effort).collect();
        solved.sort_by(f64::total_cmp);
        let points =
            solved.into_iter().enumerate().map(|(place, effort)| (place as f64 + 1.0, effort)).collect();
        ChartLine { name: member.identity.name.clone(), points }
    };
    comparison.panel.iter().enumerate().map(line).collect()
}

fn rows(comparison: &SolverComparison, search: &SlowScriptSearch<'_>) -> Vec<IntervalRow> {
    let row = |rank: ArmRank| IntervalRow {
        name: comparison.constructs[rank.arm].name.clone(),
        interval: ProbabilityInterval { low: rank.low, mean: rank.mean, high: rank.high },
    };
    let tried = search.record().ranking().into_iter().filter(|rank| rank.pulls > 0.0);
    tried.take(MAX_CONSTRUCTS_CHARTED).map(row).collect()
}
