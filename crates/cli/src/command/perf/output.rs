//! What `gainsay perf` leaves behind: scripts with what each solver took, pictures, the ranking, a page, the last words.

use std::fs;
use std::path::{Path, PathBuf};

use gainsay_engine::perf::panel::Unit;
use gainsay_engine::perf::score::{Effort, Score};
use gainsay_engine::perf::{Crash, Kept, Search};
use serde_json::{Value, json};

use super::arena::Arena;
use super::pictures;
use super::small::Small;
use crate::exit::NoOutput;
use crate::report::slow::{self, Crashed, Page, Ranked, Slow, Version};
use crate::report::{Figure, words};
use crate::say;
use crate::show::summary::quoted;

/// Where things are written; nowhere if no folder was named.
pub struct Output {
    folder: Option<PathBuf>,
    unit: Unit,
}

/// What there is to tell at the end.
pub struct Conclusion<'a> {
    /// The solvers and what can be put into scripts.
    pub arena: &'a Arena,
    /// The search.
    pub search: &'a Search<'a>,
    /// The best scripts made small, where that was done.
    pub small: &'a [Option<Small>],
    /// Why the search ended, if that is worth saying.
    pub remark: Option<&'a str>,
    /// What solvers may take.
    pub limit: f64,
    /// What a margin must be to count.
    pub least: f64,
}

impl Output {
    /// Makes the folder.
    pub fn create(folder: Option<&Path>, unit: Unit) -> anyhow::Result<Output> {
        if let Some(folder) = folder {
            fs::create_dir_all(folder).map_err(|source| NoOutput { path: folder.to_owned(), source })?;
        }
        Ok(Output { folder: folder.map(Path::to_owned), unit })
    }

    /// Writes the best scripts and those that a solver crashed on.
    pub fn scripts(&self, search: &Search<'_>) -> anyhow::Result<()> {
        for (number, kept) in search.best.iter().enumerate() {
            self.put(&format!("{}.smt2", name(number)), &kept.script.to_string())?;
        }
        for (number, crash) in search.crashes.iter().enumerate() {
            self.put(&crash_name(number), &crash.script.to_string())?;
        }
        Ok(())
    }

    /// Writes the rest, and says what came of it.
    pub fn conclude(&self, end: &Conclusion<'_>, json: bool) -> anyhow::Result<()> {
        self.scripts(end.search)?;
        for (number, small) in end.small.iter().enumerate() {
            if let Some(small) = small {
                self.put(&format!("{}.reduced.smt2", name(number)), &small.text)?;
            }
        }
        let object = self.object(end);
        self.put("perf.json", &format!("{object}\n"))?;
        let pictures = pictures::all(end.arena, end.search, end.limit, self.word());
        for picture in &pictures {
            self.put(picture.file, &picture.svg)?;
        }
        let plots = pictures.into_iter().map(|picture| (picture.caption, picture.svg)).collect();
        self.put("report.html", &slow::render(&self.page(end, plots)))?;
        if json {
            say::out(object);
        } else {
            self.tell(end);
        }
        Ok(())
    }

    fn object(&self, end: &Conclusion<'_>) -> Value {
        let (arena, search) = (end.arena, end.search);
        let path = |name: String| self.path(&name).map(|path| path.display().to_string());
        let best = |(number, kept): (usize, &Kept)| {
            let small = end.small.get(number).and_then(Option::as_ref);
            json!({
                "path": path(format!("{}.smt2", name(number))), "margin": kept.margin, "query": kept.query,
                "efforts": efforts(arena, &kept.score),
                "reduced": small.and_then(|_| path(format!("{}.reduced.smt2", name(number)))),
                "reduced_margin": small.map(|small| small.score.margin),
                "reduced_efforts": small.map(|small| efforts(arena, &small.score)),
            })
        };
        let crash = |(number, crash): (usize, &Crash)| {
            json!({
                "path": path(crash_name(number)), "query": crash.query, "seen": crash.seen, "finding": crash.finding,
            })
        };
        json!({
            "queries": search.queries(), "best": search.best.iter().enumerate().map(best).collect::<Vec<_>>(),
            "ranking": arena.ranking(search.record()), "lost": search.lost.0, "comparable": search.comparable, "limit": end.limit,
            "crashes": search.crashes.iter().enumerate().map(crash).collect::<Vec<_>>(), "remark": end.remark,
        })
    }

    fn tell(&self, end: &Conclusion<'_>) {
        let (unit, search) = (self.word(), end.search);
        end.arena.tell_solvers();
        say::out(format_args!(
            "{} queries, {} of them solved by all references, {} without a score",
            search.queries(),
            search.comparable,
            search.lost.0
        ));
        if search.lost.0 > 0 {
            say::out(format_args!("  the last because {}", search.lost.1));
        }
        for (number, kept) in search.best.iter().enumerate() {
            let small = end.small.get(number).and_then(Option::as_ref);
            let ending = if small.is_some() { "reduced.smt2" } else { "smt2" };
            let file = self.path(&format!("{}.{ending}", name(number)));
            let file = file.map(|file| format!("  {}", file.display())).unwrap_or_default();
            say::out(format_args!("margin {:.2} {unit} in query {}{file}", kept.margin, kept.query));
            let score = small.map_or(&kept.score, |small| &small.score);
            say::out(format_args!("  {}", took(end.arena, score).join(", ")));
        }
        for (number, crash) in search.crashes.iter().enumerate() {
            let file = self.path(&crash_name(number));
            let file = file.map(|file| format!("  {}", file.display())).unwrap_or_default();
            say::out(format_args!("crash, seen {} times: {}{file}", crash.seen, crash.finding.explanation));
        }
        if search.best.is_empty() {
            say::out(format_args!(
                "no script made the target slower than the references by more than {:.2} {unit}: allow more --queries, larger scripts (--depth, --assertions), a smaller --least, or choose another theory",
                end.least
            ));
        }
        end.arena.tell_ranking(search.record(), "makes a script slower for the target");
        end.remark.iter().for_each(say::out);
        if let Some(page) = self.path("report.html") {
            say::out(format_args!("report: {}", page.display()));
        }
    }

    fn page(&self, end: &Conclusion<'_>, plots: Vec<(&'static str, String)>) -> Page {
        let (arena, search, unit) = (end.arena, end.search, self.word());
        let figure = |name, value| Figure { value, name };
        let best = search.best.first().map_or_else(|| "–".to_owned(), |kept| format!("{:.2}", kept.margin));
        let ranked = |rank: gainsay_engine::schedule::Rank| Ranked {
            name: arena.constructs[rank.arm].name.clone(),
            mean: format!("{:.2}", rank.mean),
            interval: format!("{:.2} to {:.2}", rank.low, rank.high),
            tried: format!("{:.0}", rank.pulls),
        };
        let tried = search.record().ranking().into_iter().filter(|rank| rank.pulls > 0.0);
        Page {
            title: format!("{} against {}", arena.name(0), arena.references().join(", ")),
            figures: vec![
                figure("queries", words::number(search.queries())),
                figure("solved by all references", words::number(search.comparable)),
                figure("without a score", words::number(search.lost.0)),
                figure("best margin", best),
                figure("limit", format!("{:.2}", end.limit)),
                figure("crashes", words::number(search.crashes.len() as u64)),
            ],
            unit,
            remark: end.remark.map(str::to_owned),
            lost: (search.lost.0 > 0).then(|| search.lost.1.clone()),
            plots,
            best: search.best.iter().enumerate().map(|(number, kept)| self.slow(end, number, kept)).collect(),
            crashes: search
                .crashes
                .iter()
                .enumerate()
                .map(|(number, crash)| self.crash(number, crash))
                .collect(),
            ranking: tried.map(ranked).collect(),
        }
    }

    fn slow(&self, end: &Conclusion<'_>, number: usize, kept: &Kept) -> Slow {
        let version = |ending: &str, text: String, score: &Score| Version {
            file: format!("{}.{ending}", name(number)),
            took: took(end.arena, score),
            margin: score.margin.map_or_else(|| "–".to_owned(), |margin| format!("{margin:.2}")),
            check: self.check(end, &format!("{}.{ending}", name(number))),
            text,
        };
        let small = end.small.get(number).and_then(Option::as_ref);
        Slow {
            query: kept.query,
            found: version("smt2", kept.script.to_string(), &kept.score),
            small: small.map(|small| version("reduced.smt2", small.text.clone(), &small.score)),
        }
    }

    fn crash(&self, number: usize, crash: &Crash) -> Crashed {
        Crashed {
            file: crash_name(number),
            why: crash.finding.explanation.clone(),
            fingerprint: crash.finding.fingerprint.to_string(),
            seen: crash.seen,
            text: crash.script.to_string(),
        }
    }

    /// The command that shows the times again.
    fn check(&self, end: &Conclusion<'_>, file: &str) -> String {
        let solvers: Vec<String> = std::iter::once(end.arena.name(0).to_owned())
            .chain(end.arena.references())
            .map(|name| format!("--solver {}", quoted(Path::new(&name))))
            .collect();
        // Who does not solve a script within the limit may do so soon after; what is slow shows in ten times that.
        let timeout = match self.unit {
            Unit::Cpu => (end.limit * 10.0).ceil(),
            Unit::Work => 60.0,
        };
        format!("gainsay check {} {} --timeout {timeout}", quoted(Path::new(file)), solvers.join(" "))
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

    fn put(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let Some(path) = self.path(name) else { return Ok(()) };
        Ok(fs::write(&path, text).map_err(|source| NoOutput { path, source })?)
    }
}

/// What each solver took, in words.
fn took(arena: &Arena, score: &Score) -> Vec<String> {
    let word = |(member, effort): (usize, &Effort)| {
        let words = match effort {
            Effort::Solved(effort) => format!("{effort:.2}"),
            Effort::Unsolved => "not solved".to_owned(),
            Effort::Spared => "not asked".to_owned(),
            Effort::Lost(why) => why.clone(),
            Effort::Crashed(finding) => finding.explanation.clone(),
        };
        format!("{} {words}", arena.name(member))
    };
    score.efforts().enumerate().map(word).collect()
}

fn efforts(arena: &Arena, score: &Score) -> Value {
    let told = |effort: &Effort| match effort {
        Effort::Solved(effort) => json!(effort),
        Effort::Unsolved => json!("unsolved"),
        Effort::Spared => json!("not asked"),
        Effort::Lost(why) => json!(why),
        Effort::Crashed(finding) => json!(finding.explanation),
    };
    let entry = |(member, effort)| json!({ "solver": arena.name(member), "effort": told(effort) });
    score.efforts().enumerate().map(entry).collect()
}

fn name(number: usize) -> String {
    format!("best-{:02}", number + 1)
}

fn crash_name(number: usize) -> String {
    format!("crash-{:02}.smt2", number + 1)
}
