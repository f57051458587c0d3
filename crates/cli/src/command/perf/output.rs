//! What `gainsay perf` leaves behind: scripts with what each solver took, pictures, the ranking, the last words.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gainsay_engine::perf::panel::{Panel, Unit};
use gainsay_engine::perf::question::KeepsMargin;
use gainsay_engine::perf::score::{Effort, Score};
use gainsay_engine::perf::{Kept, Search};
use gainsay_engine::reduce::{self, Settings};
use serde_json::{Value, json};

use super::arena::Arena;
use crate::exit::NoOutput;
use crate::report::chart::{self, Line, Row};
use crate::say;
use crate::stop::Switch;

/// The part of its margin that a script must keep when it is made small.
const KEPT: f64 = 0.7;

/// Constructs in the picture of the ranking.
const PICTURED: usize = 25;

/// Where things are written; nowhere if no folder was named.
pub struct Output {
    folder: Option<PathBuf>,
    unit: Unit,
}

impl Output {
    /// Makes the folder.
    pub fn create(folder: Option<&Path>, unit: Unit) -> anyhow::Result<Output> {
        if let Some(folder) = folder {
            fs::create_dir_all(folder).map_err(|source| NoOutput { path: folder.to_owned(), source })?;
        }
        Ok(Output { folder: folder.map(Path::to_owned), unit })
    }

    /// Writes the best scripts.
    pub fn best(&self, best: &[Kept]) -> anyhow::Result<()> {
        for (number, kept) in best.iter().enumerate() {
            self.put(&format!("{}.smt2", name(number)), &kept.script.to_string())?;
        }
        Ok(())
    }

    /// Makes one of the best small, and writes that.
    pub fn small(
        &self,
        number: usize,
        kept: &Kept,
        panel: &mut Panel<'_>,
        time: Duration,
        stop: &Switch,
    ) -> anyhow::Result<Option<PathBuf>> {
        if self.folder.is_none() || stop.is_asked() {
            return Ok(None);
        }
        let question = KeepsMargin::new(panel, kept.margin * KEPT);
        let over = AtomicBool::new(false);
        let begin = Instant::now();
        let longest = Duration::from_secs(3600);
        let settings = Settings { jobs: 1, first: None, longest };
        let reduced = reduce::run(&kept.script, &question, settings, &over, &mut |_| {
            over.store(begin.elapsed() > time || stop.is_asked(), Ordering::Relaxed);
        });
        self.put(&format!("{}.reduced.smt2", name(number)), &reduced.text)
    }

    /// Writes the rest, and says what came of it.
    pub fn conclude(
        &self,
        arena: &Arena,
        search: &Search<'_>,
        reduced: &[Option<PathBuf>],
        remark: Option<&str>,
        limit: f64,
        json: bool,
    ) -> anyhow::Result<()> {
        self.best(&search.best)?;
        let entry = |(number, kept): (usize, &Kept)| {
            let path = |ending: &str| self.path(&format!("{}.{ending}", name(number)));
            let small = reduced.get(number).cloned().flatten();
            json!({
                "path": path("smt2").map(|path| path.display().to_string()), "margin": kept.margin, "query": kept.query,
                "reduced": small.map(|path| path.display().to_string()), "efforts": efforts(arena, &kept.score),
            })
        };
        let best: Vec<Value> = search.best.iter().enumerate().map(entry).collect();
        let object = json!({
            "queries": search.queries(), "best": best, "ranking": arena.ranking(search.record()),
            "lost": search.lost.0, "limit": limit, "remark": remark,
        });
        self.put("perf.json", &format!("{object}\n"))?;
        self.pictures(arena, search, limit)?;
        if json {
            say::out(object);
        } else {
            self.tell(arena, search, remark);
        }
        Ok(())
    }

    fn tell(&self, arena: &Arena, search: &Search<'_>, remark: Option<&str>) {
        let unit = self.word();
        say::out(format_args!("{} queries, {} of them without a score", search.queries(), search.lost.0));
        if search.lost.0 > 0 {
            say::out(format_args!("  the last because {}", search.lost.1));
        }
        for (number, kept) in search.best.iter().enumerate() {
            let file = self.path(&format!("{}.smt2", name(number)));
            let file = file.map(|file| format!("  {}", file.display())).unwrap_or_default();
            say::out(format_args!("margin {:.2} {unit} in query {}{file}", kept.margin, kept.query));
        }
        if search.best.is_empty() {
            say::out(
                "no script made the target slower than the references: allow more --queries, larger scripts (--depth, --assertions), or choose another theory",
            );
        }
        arena.tell_ranking(search.record(), "makes a script slower for the target");
        remark.iter().for_each(say::out);
    }

    fn pictures(&self, arena: &Arena, search: &Search<'_>, limit: f64) -> anyhow::Result<()> {
        let best = search.points.iter().map(|point| (point.query as f64, point.best)).collect();
        let each =
            search.points.iter().filter_map(|point| Some((point.query as f64, point.margin?))).collect();
        let lines = [
            Line { name: "best".to_owned(), points: best },
            Line { name: "this query".to_owned(), points: each },
        ];
        let title = "Margin of the target over the slowest reference";
        self.put("scores.svg", &chart::lines(title, ("queries", self.word()), &lines))?;
        self.put(
            "cactus.svg",
            &chart::lines(
                "Scripts solved, the fastest first",
                ("scripts", self.word()),
                &cactus(arena, search, limit),
            ),
        )?;
        let ranking = search.record().ranking().into_iter().filter(|rank| rank.pulls > 0.0).take(PICTURED);
        let row = |rank: gainsay_engine::schedule::Rank| Row {
            name: arena.constructs[rank.arm].name.clone(),
            interval: (rank.low, rank.mean, rank.high),
        };
        let rows: Vec<Row> = ranking.map(row).collect();
        self.put(
            "ranking.svg",
            &chart::intervals("How likely a construct makes a script slower for the target", &rows),
        )?;
        Ok(())
    }

    fn word(&self) -> &'static str {
        match self.unit {
            Unit::Cpu => "CPU seconds",
            Unit::Work => "times the usual work",
        }
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(name))
    }

    fn put(&self, name: &str, text: &str) -> anyhow::Result<Option<PathBuf>> {
        let Some(path) = self.path(name) else { return Ok(None) };
        fs::write(&path, text).map_err(|source| NoOutput { path: path.clone(), source })?;
        Ok(Some(path))
    }
}

/// For each solver, what it took for the last scripts of all climbs and the best ones, in order.
fn cactus(arena: &Arena, search: &Search<'_>, limit: f64) -> Vec<Line> {
    let scores = || search.peaks.iter().chain(search.best.iter().map(|kept| &kept.score));
    let line = |(number, member): (usize, &gainsay_engine::campaign::team::Member)| {
        let effort = |score: &Score| match number {
            0 => score.target.clone(),
            number => score.references[number - 1].clone(),
        };
        let mut solved: Vec<f64> = scores()
            .filter_map(|score| match effort(score) {
                Effort::Solved(effort) => Some(effort.min(limit)),
                _ => None,
            })
            .collect();
        solved.sort_by(f64::total_cmp);
        let points =
            solved.into_iter().enumerate().map(|(place, effort)| (place as f64 + 1.0, effort)).collect();
        Line { name: member.subject.name.clone(), points }
    };
    arena.team.iter().enumerate().map(line).collect()
}

fn efforts(arena: &Arena, score: &Score) -> Value {
    let names = arena.team.iter().map(|member| &member.subject.name);
    let all = std::iter::once(&score.target).chain(&score.references);
    let told = |effort: &Effort| match effort {
        Effort::Solved(effort) => json!(effort),
        Effort::Unsolved => json!("unsolved"),
        Effort::Lost(why) => json!(why),
    };
    names.zip(all).map(|(name, effort)| json!({ "solver": name, "effort": told(effort) })).collect()
}

fn name(number: usize) -> String {
    format!("best-{:02}", number + 1)
}
