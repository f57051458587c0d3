//! The output of `gainsay perf`: scripts with the effort of each solver, charts, ranking, HTML page, summary.

use std::fs;
use std::path::{Path, PathBuf};

use gainsay_engine::perf::panel::EffortUnit;
use gainsay_engine::perf::score::{Score, SolveEffort};
use gainsay_engine::perf::{CrashingScript, KeptScript, SlowScriptSearch};

use super::charts;
use super::comparison::{SolverComparison, queries_in_words};
use super::reduce_slow::ReducedScript;
use crate::console;
use crate::display::format::plural;
use crate::display::summary::shell_quoted;
use crate::exit::NoOutput;
use crate::json;
use crate::json::making::{CrashingScriptEntry, EffortValue, SlowScriptEntry, SlowScripts, SolverEffort};
use crate::report::perf_page::{self, CrashEntry, MeasuredScript, PerfPage, RankedConstruct, SlowScript};
use crate::report::{Figure, format};

/// Writes the files; does nothing without `--out`.
pub struct PerfOutput {
    folder: Option<PathBuf>,
    unit: EffortUnit,
}

/// The results of a search.
pub struct PerfConclusion<'a> {
    /// The solvers and constructs.
    pub comparison: &'a SolverComparison,
    /// The search.
    pub search: &'a SlowScriptSearch<'a>,
    /// The reduced scripts, where there was a reduction.
    pub small: &'a [Option<ReducedScript>],
    /// Why the search ended early, if it did.
    pub remark: Option<&'a str>,
    /// The limit of a solver.
    pub limit: f64,
    /// The minimum margin.
    pub least: f64,
}

impl PerfOutput {
    /// Creates the folder.
    pub fn create(folder: Option<&Path>, unit: EffortUnit) -> anyhow::Result<PerfOutput> {
        if let Some(folder) = folder {
            fs::create_dir_all(folder).map_err(|source| NoOutput { path: folder.to_owned(), source })?;
        }
        Ok(PerfOutput { folder: folder.map(Path::to_owned), unit })
    }

    /// Writes the slowest scripts and those that crashed a solver.
    pub fn scripts(&self, search: &SlowScriptSearch<'_>) -> anyhow::Result<()> {
        for (number, kept) in search.best.iter().enumerate() {
            self.put(&format!("{}.smt2", name(number)), &kept.script.to_string())?;
        }
        for (number, crash) in search.crashes.iter().enumerate() {
            self.put(&crash_name(number), &crash.script.to_string())?;
        }
        Ok(())
    }

    /// Writes the remaining files and prints the summary.
    pub fn conclude(&self, end: &PerfConclusion<'_>, as_json: bool) -> anyhow::Result<()> {
        self.scripts(end.search)?;
        for (number, small) in end.small.iter().enumerate() {
            if let Some(small) = small {
                self.put(&format!("{}.reduced.smt2", name(number)), &small.text)?;
            }
        }
        let object = self.object(end);
        self.put("perf.json", &format!("{}\n", json::line(&object)))?;
        let charts = charts::all(end.comparison, end.search, end.limit, self.word());
        for picture in &charts {
            self.put(picture.file, &picture.svg)?;
        }
        let plots = charts.into_iter().map(|picture| (picture.caption, picture.svg)).collect();
        self.put("report.html", &perf_page::render(&self.page(end, plots)))?;
        if as_json {
            json::print(&object);
        } else {
            self.tell(end);
        }
        Ok(())
    }

    fn object(&self, end: &PerfConclusion<'_>) -> SlowScripts {
        let (comparison, search) = (end.comparison, end.search);
        let path = |name: String| self.path(&name).map(|path| path.display().to_string());
        let best = |(number, kept): (usize, &KeptScript)| {
            let small = end.small.get(number).and_then(Option::as_ref);
            SlowScriptEntry {
                path: path(format!("{}.smt2", name(number))),
                margin: kept.margin,
                query: kept.query,
                efforts: efforts(comparison, &kept.score),
                reduced: small.and_then(|_| path(format!("{}.reduced.smt2", name(number)))),
                reduced_margin: small.and_then(|small| small.score.margin),
                reduced_efforts: small.map(|small| efforts(comparison, &small.score)),
            }
        };
        let crash = |(number, crash): (usize, &CrashingScript)| CrashingScriptEntry {
            path: path(crash_name(number)),
            query: crash.query,
            seen: crash.seen,
            finding: crash.finding.clone(),
        };
        SlowScripts {
            queries: search.queries(),
            best: search.best.iter().enumerate().map(best).collect(),
            ranking: comparison.ranking(search.record()),
            lost: search.lost.0,
            comparable: search.comparable,
            limit: end.limit,
            crashes: search.crashes.iter().enumerate().map(crash).collect(),
            remark: end.remark.map(str::to_owned),
        }
    }

    fn tell(&self, end: &PerfConclusion<'_>) {
        let (unit, search) = (self.word(), end.search);
        end.comparison.tell_solvers();
        console::out(format_args!(
            "{}, {} of them solved by all references, {} without a score",
            queries_in_words(search.queries()),
            search.comparable,
            search.lost.0
        ));
        if search.lost.0 > 0 {
            console::out(format_args!("  reason for the last: {}", search.lost.1));
        }
        for (number, kept) in search.best.iter().enumerate() {
            let small = end.small.get(number).and_then(Option::as_ref);
            let ending = if small.is_some() { "reduced.smt2" } else { "smt2" };
            let file = self.path(&format!("{}.{ending}", name(number)));
            let file = file.map(|file| format!("  {}", file.display())).unwrap_or_default();
            console::out(format_args!("margin {:.2} {unit} in query {}{file}", kept.margin, kept.query));
            let score = small.map_or(&kept.score, |small| &small.score);
            console::out(format_args!("  {}", took(end.comparison, score).join(", ")));
        }
        for (number, crash) in search.crashes.iter().enumerate() {
            let file = self.path(&crash_name(number));
            let file = file.map(|file| format!("  {}", file.display())).unwrap_or_default();
            console::out(format_args!(
                "crash, {}: {}{file}",
                plural(crash.seen, "sighting"),
                crash.finding.explanation
            ));
        }
        if search.best.is_empty() {
            console::out(format_args!(
                "no script made the target slower than the references by more than {:.2} {unit}: increase --queries or the size of scripts (--depth, --assertions), decrease --least, or choose another theory",
                end.least
            ));
        }
        end.comparison.tell_ranking(search.record(), "makes a script slower for the target");
        end.remark.iter().for_each(console::out);
        if let Some(page) = self.path("report.html") {
            console::out(format_args!("report: {}", page.display()));
        }
    }

    fn page(&self, end: &PerfConclusion<'_>, plots: Vec<(&'static str, String)>) -> PerfPage {
        let (comparison, search, unit) = (end.comparison, end.search, self.word());
        let figure = |name, value| Figure { value, name };
        let best = search.best.first().map_or_else(|| "–".to_owned(), |kept| format!("{:.2}", kept.margin));
        let ranked = |rank: gainsay_engine::schedule::ArmRank| RankedConstruct {
            name: comparison.constructs[rank.arm].name.clone(),
            mean: format!("{:.2}", rank.mean),
            interval: format!("{:.2} to {:.2}", rank.low, rank.high),
            tried: format!("{:.0}", rank.pulls),
        };
        let tried = search.record().ranking().into_iter().filter(|rank| rank.pulls > 0.0);
        PerfPage {
            title: format!("{} against {}", comparison.name(0), comparison.references().join(", ")),
            figures: vec![
                figure("queries", format::number(search.queries())),
                figure("solved by all references", format::number(search.comparable)),
                figure("without a score", format::number(search.lost.0)),
                figure("best margin", best),
                figure("limit", format!("{:.2}", end.limit)),
                figure("crashes", format::number(search.crashes.len() as u64)),
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
            has_learnt: search.record().has_success(),
        }
    }

    fn slow(&self, end: &PerfConclusion<'_>, number: usize, kept: &KeptScript) -> SlowScript {
        let version = |ending: &str, text: String, score: &Score| MeasuredScript {
            file: format!("{}.{ending}", name(number)),
            took: took(end.comparison, score),
            margin: score.margin.map_or_else(|| "–".to_owned(), |margin| format!("{margin:.2}")),
            check: self.check(end, &format!("{}.{ending}", name(number))),
            text,
        };
        let small = end.small.get(number).and_then(Option::as_ref);
        SlowScript {
            query: kept.query,
            found: version("smt2", kept.script.to_string(), &kept.score),
            small: small.map(|small| version("reduced.smt2", small.text.clone(), &small.score)),
        }
    }

    fn crash(&self, number: usize, crash: &CrashingScript) -> CrashEntry {
        CrashEntry {
            file: crash_name(number),
            why: crash.finding.explanation.clone(),
            fingerprint: crash.finding.fingerprint.to_string(),
            seen: crash.seen,
            text: crash.script.to_string(),
        }
    }

    /// The command that reproduces the times.
    fn check(&self, end: &PerfConclusion<'_>, file: &str) -> String {
        let solvers: Vec<String> = std::iter::once(end.comparison.name(0).to_owned())
            .chain(end.comparison.references())
            .map(|name| format!("--solver {}", shell_quoted(Path::new(&name))))
            .collect();
        // Ten times the limit shows whether the target is slow or just above the limit.
        let timeout = match self.unit {
            EffortUnit::Cpu => (end.limit * 10.0).ceil(),
            EffortUnit::Work => 60.0,
        };
        format!("gainsay check {} {} --timeout {timeout}", shell_quoted(Path::new(file)), solvers.join(" "))
    }

    fn word(&self) -> &'static str {
        match self.unit {
            EffortUnit::Cpu => "CPU seconds",
            EffortUnit::Work => "times the usual work",
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

/// Describes the effort of each solver.
fn took(comparison: &SolverComparison, score: &Score) -> Vec<String> {
    let word = |(member, effort): (usize, &SolveEffort)| {
        let words = match effort {
            SolveEffort::Solved(effort) => format!("{effort:.2}"),
            SolveEffort::Unsolved => "not solved".to_owned(),
            SolveEffort::Spared => "not asked".to_owned(),
            SolveEffort::Lost(why) => why.clone(),
            SolveEffort::Crashed(finding) => finding.explanation.clone(),
        };
        format!("{} {words}", comparison.name(member))
    };
    score.efforts().enumerate().map(word).collect()
}

fn efforts(comparison: &SolverComparison, score: &Score) -> Vec<SolverEffort> {
    let told = |effort: &SolveEffort| match effort {
        SolveEffort::Solved(effort) => EffortValue::Number(*effort),
        SolveEffort::Unsolved => EffortValue::Word("unsolved".to_owned()),
        SolveEffort::Spared => EffortValue::Word("not asked".to_owned()),
        SolveEffort::Lost(why) => EffortValue::Word(why.clone()),
        SolveEffort::Crashed(finding) => EffortValue::Word(finding.explanation.clone()),
    };
    let entry =
        |(member, effort)| SolverEffort { solver: comparison.name(member).to_owned(), effort: told(effort) };
    score.efforts().enumerate().map(entry).collect()
}

fn name(number: usize) -> String {
    format!("best-{:02}", number + 1)
}

fn crash_name(number: usize) -> String {
    format!("crash-{:02}.smt2", number + 1)
}
