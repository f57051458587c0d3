//! The pictures of `gainsay perf`: margins over queries, what each solver solved in which time, the ranking.

use gainsay_engine::campaign::team::Member;
use gainsay_engine::perf::Search;
use gainsay_engine::perf::score::{Effort, Score};
use gainsay_engine::schedule::Rank;

use super::arena::Arena;
use crate::report::chart::{self, Line, Row};

/// Constructs in the picture of the ranking.
const PICTURED: usize = 25;

/// A picture, the name of its file, and what it shows.
pub struct Picture {
    /// The file.
    pub file: &'static str,
    /// What it shows, in a few words.
    pub caption: &'static str,
    /// SVG.
    pub svg: String,
}

/// All pictures of a search; `unit` is what scores are in.
pub fn all(arena: &Arena, search: &Search<'_>, limit: f64, unit: &str) -> Vec<Picture> {
    let (scores, cactus) =
        ("Margin of the target over the slowest reference", "Scripts solved, the fastest first");
    let ranking = "How likely a construct makes a script slower for the target";
    vec![
        Picture {
            file: "scores.svg",
            caption: "Score over queries",
            svg: chart::lines(scores, ("queries", unit), &margins(search)),
        },
        Picture {
            file: "cactus.svg",
            caption: "Cactus: who solves how many of the slow scripts in which time",
            svg: chart::lines(cactus, ("scripts", unit), &solved(arena, search, limit)),
        },
        Picture {
            file: "ranking.svg",
            caption: "Ranking of constructs",
            svg: chart::intervals(ranking, &rows(arena, search)),
        },
    ]
}

fn margins(search: &Search<'_>) -> [Line; 2] {
    let best = search.points.iter().map(|point| (point.query as f64, point.best)).collect();
    let each = search.points.iter().filter_map(|point| Some((point.query as f64, point.margin?))).collect();
    [Line { name: "best".to_owned(), points: best }, Line { name: "this query".to_owned(), points: each }]
}

/// For each solver, what it took for the last scripts of all climbs and the best ones, in order.
fn solved(arena: &Arena, search: &Search<'_>, limit: f64) -> Vec<Line> {
    let scores = || search.peaks.iter().chain(search.best.iter().map(|kept| &kept.score));
    let line = |(number, member): (usize, &Member)| {
        let effort = |score: &Score| match score.efforts().nth(number) {
            Some(Effort::Solved(effort)) => Some(effort.min(limit)),
            _ => None,
        };
        let mut solved: Vec<f64> = scores().filter_map(effort).collect();
        solved.sort_by(f64::total_cmp);
        let points =
            solved.into_iter().enumerate().map(|(place, effort)| (place as f64 + 1.0, effort)).collect();
        Line { name: member.subject.name.clone(), points }
    };
    arena.team.iter().enumerate().map(line).collect()
}

fn rows(arena: &Arena, search: &Search<'_>) -> Vec<Row> {
    let row = |rank: Rank| Row {
        name: arena.constructs[rank.arm].name.clone(),
        interval: (rank.low, rank.mean, rank.high),
    };
    let tried = search.record().ranking().into_iter().filter(|rank| rank.pulls > 0.0);
    tried.take(PICTURED).map(row).collect()
}
