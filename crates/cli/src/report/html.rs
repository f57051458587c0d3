//! The report as one self-contained HTML page; its content security policy forbids network access and foreign scripts.

use std::collections::BTreeMap;

use askama::Template;
use gainsay_engine::event::ArmReport;
use gainsay_engine::store::Sample;
use gainsay_engine::store::postgres::overview::FindingMark;
use gainsay_engine::tally::{CoverageTally, SolverTally, Tally};
use serde::Serialize;

use super::copy_script::{COPY_SCRIPT, PAGE_POLICY};
use super::format::{percent, time, visible};
use super::plot::{self, BarPart, PlotAxis, PlotLine};
use super::{CampaignReport, format};
use crate::{display, help};

/// The values of the template, which escapes all of them except plots and the style sheet.
#[derive(Template)]
#[template(path = "report.html")]
struct ReportTemplate<'a> {
    report: &'a CampaignReport,
    style: &'static str,
    policy: &'static str,
    copy_script: &'static str,
    version: &'static str,
    plots: Vec<(String, String)>,
    solvers: Vec<SolverRow<'a>>,
    strategies: Vec<(String, String)>,
    cpu: String,
    own: String,
    solver_cpu: String,
    own_cpu: String,
    /// The live part above the report, if the page is served.
    live: Option<LivePart>,
}

/// The part of a served page that changes while the campaign runs.
pub struct LivePart {
    /// The script that updates it.
    pub script: &'static str,
    /// The figures.
    pub figures: Vec<LiveFigure>,
    /// The rows of the table of workers: name, state, cases, chains, silence.
    pub workers: Vec<Vec<String>>,
    /// What users say about findings, by fingerprint.
    pub marks: BTreeMap<String, FindingMark>,
    /// Whether the reader may mark findings.
    pub may_write: bool,
}

/// A figure that changes while the campaign runs.
#[derive(Debug, Clone, Serialize)]
pub struct LiveFigure {
    /// The id of its place in the page, after `live-`.
    pub id: &'static str,
    /// Its name.
    #[serde(skip)]
    pub name: &'static str,
    /// Its value.
    pub value: String,
}

impl LivePart {
    /// The mark of a finding.
    fn mark(&self, fingerprint: &str) -> Option<&FindingMark> {
        self.marks.get(fingerprint)
    }
}

/// The formatters of the template, which passes all arguments by reference.
impl ReportTemplate<'_> {
    fn number(&self, number: &u64) -> String {
        format::number(*number)
    }

    /// Returns true if the live part shows this figure.
    fn is_live(&self, name: &str) -> bool {
        let mut figures = self.live.iter().flat_map(|live| &live.figures);
        figures.any(|figure| figure.name == name)
    }

    fn total(&self, counts: &BTreeMap<String, u64>) -> String {
        format::number(counts.values().sum())
    }

    fn share(&self, count: &u64, all: &u64) -> String {
        format::share(*count, *all)
    }

    fn time(&self, seconds: &f64) -> String {
        format::time(*seconds)
    }

    fn arm(&self, arm: &ArmReport) -> String {
        format::visible(&display::format::arm(&arm.strategy, arm.theory.as_deref()))
    }

    fn percent(&self, part: &f64) -> String {
        percent(*part)
    }

    fn visible(&self, text: &str) -> String {
        format::visible(text)
    }

    fn told(&self, text: &Option<String>) -> String {
        text.as_deref().map_or_else(|| "–".to_owned(), format::visible)
    }

    fn lines(&self, text: &str) -> String {
        format::visible_lines(text)
    }
}

/// A solver's counts and its bar.
struct SolverRow<'a> {
    name: &'a str,
    tally: &'a SolverTally,
    silent: u64,
    spared: u64,
    bar: String,
}

/// Renders the report as HTML.
pub fn render(report: &CampaignReport) -> String {
    render_page(report, None, PAGE_POLICY)
}

/// Renders the report as a page that is served, with a live part.
pub fn render_live(report: &CampaignReport, live: LivePart, policy: &'static str) -> String {
    render_page(report, Some(live), policy)
}

fn render_page(report: &CampaignReport, live: Option<LivePart>, policy: &'static str) -> String {
    let tally = &report.tally;
    let page = ReportTemplate {
        report,
        style: include_str!("style.css"),
        policy,
        live,
        copy_script: COPY_SCRIPT,
        version: help::GAINSAY_VERSION,
        plots: plots(&report.samples, &report.tally),
        solvers: tally.solvers.iter().map(|(name, solver)| solver_row(name, solver)).collect(),
        strategies: tally
            .strategies
            .iter()
            .map(|(name, one)| (name.clone(), strategy_bar(name, one.cases, tally)))
            .collect(),
        cpu: cpu_bar(tally),
        own: tally.own_share().map_or_else(|| "–".to_owned(), percent),
        solver_cpu: time(tally.solver_cpu()),
        own_cpu: time(tally.own_cpu),
    };
    page.render().expect("the template writes to a string") + "\n"
}

fn plots(samples: &[Sample], tally: &Tally) -> Vec<(String, String)> {
    let line = |class, value: fn(&Sample) -> f64| PlotLine {
        class,
        points: samples.iter().map(|sample| (sample.seconds, value(sample))).collect(),
    };
    if samples.len() < 2 {
        return Vec::new();
    }
    let mut plots = vec![
        (
            "Cases".to_owned(),
            plot::lines("Cases over time", "cases", &[line("cases", |sample| sample.cases as f64)]),
        ),
        (
            "Findings".to_owned(),
            plot::lines(
                "Findings over time",
                "findings",
                &[stairs(line("found", |sample| sample.findings as f64))],
            ),
        ),
        (
            "CPU seconds of solvers and of gainsay".to_owned(),
            plot::lines(
                "CPU time over time, of solvers and of gainsay",
                "CPU seconds",
                &[line("solvers", |sample| sample.solver_cpu), line("ours", |sample| sample.own_cpu)],
            ),
        ),
    ];
    let growth = |known: &CoverageTally| PlotLine {
        class: "cases",
        points: known.growth.iter().map(|point| (point.solver_cpu, point.reached as f64)).collect(),
    };
    for (solver, known) in tally.coverage.iter().filter(|(_, known)| known.growth.len() > 1) {
        let title = format!("{} of {} reached over CPU time of solvers", known.level, visible(solver));
        let plot = plot::lines(&title, known.level.name(), &[growth(known)]);
        plots.push((title, plot));
        let by_cases = PlotLine {
            class: "cases",
            points: known.growth.iter().map(|point| (point.cases as f64, point.reached as f64)).collect(),
        };
        let title = format!("{} of {} reached over cases", known.level, visible(solver));
        let plot = plot::lines_over(PlotAxis::Cases, &title, known.level.name(), &[by_cases]);
        plots.push((title, plot));
    }
    plots
}

/// Draws a count as steps, not as slopes.
fn stairs(line: PlotLine<'_>) -> PlotLine<'_> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for point in line.points {
        if let Some(last) = points.last().copied().filter(|last| last.1 < point.1) {
            points.push((point.0, last.1));
        }
        points.push(point);
    }
    PlotLine { class: line.class, points }
}

fn solver_row<'a>(name: &'a str, tally: &'a SolverTally) -> SolverRow<'a> {
    let silent = tally.runs.saturating_sub(tally.sat + tally.unsat + tally.unknown);
    let part = |class, name, count: u64| BarPart { class, name, count: count as f64 };
    let parts = [
        part("sat", "sat", tally.sat),
        part("unsat", "unsat", tally.unsat),
        part("unknown", "unknown", tally.unknown),
        part("silent", "no answer", silent),
    ];
    let bar = plot::bar(&format!("Answers of {}", visible(name)), &parts);
    SolverRow { name, tally, silent, spared: tally.spared.values().sum(), bar }
}

fn strategy_bar(name: &str, cases: u64, tally: &Tally) -> String {
    let rest = tally.cases.saturating_sub(cases);
    let parts = [
        BarPart { class: "cases", name: "its cases", count: cases as f64 },
        BarPart { class: "rest", name: "others", count: rest as f64 },
    ];
    plot::bar(&format!("Share of {}", visible(name)), &parts)
}

fn cpu_bar(tally: &Tally) -> String {
    let parts = [
        BarPart { class: "solvers", name: "solvers", count: tally.solver_cpu() },
        BarPart { class: "ours", name: "gainsay", count: tally.own_cpu },
    ];
    plot::bar("CPU time of solvers and of gainsay", &parts)
}
