//! The report of `gainsay perf`: one self-contained HTML page.

use std::time::SystemTime;

use askama::Template;

use super::copy_script::{COPY_SCRIPT, PAGE_POLICY};
use super::{Figure, format};
use crate::{help, system};

/// The values of the template, which escapes all of them except plots and the style sheet.
#[derive(Template)]
#[template(path = "perf.html")]
struct PerfTemplate<'a> {
    page: &'a PerfPage,
    style: &'static str,
    policy: &'static str,
    copy_script: &'static str,
    facts: Vec<(&'static str, String)>,
    version: &'static str,
}

/// The contents of the page.
pub struct PerfPage {
    /// The target and the references.
    pub title: String,
    /// The headline figures.
    pub figures: Vec<Figure>,
    /// The unit of margins.
    pub unit: &'static str,
    /// Why the search ended early, if it did.
    pub remark: Option<String>,
    /// Why the last query without a score had none.
    pub lost: Option<String>,
    /// Plots with their captions.
    pub plots: Vec<(&'static str, String)>,
    /// The best scripts.
    pub best: Vec<SlowScript>,
    /// Scripts that a solver crashed on.
    pub crashes: Vec<CrashEntry>,
    /// The constructs that were tried.
    pub ranking: Vec<RankedConstruct>,
    /// Whether a construct made a script slower, so that the ranking says something.
    pub has_learnt: bool,
}

/// A slow script.
pub struct SlowScript {
    /// The query that it was.
    pub query: u64,
    /// The original script.
    pub found: MeasuredScript,
    /// The reduced script, if it was reduced.
    pub small: Option<MeasuredScript>,
}

/// A script with the effort of each solver.
pub struct MeasuredScript {
    /// Its file.
    pub file: String,
    /// The effort of each solver.
    pub took: Vec<String>,
    /// The margin.
    pub margin: String,
    /// The command that reproduces it.
    pub check: String,
    /// The script.
    pub text: String,
}

/// A script that a solver crashed on.
pub struct CrashEntry {
    /// Its file.
    pub file: String,
    /// What happened.
    pub why: String,
    /// Equal for all sightings of one bug.
    pub fingerprint: String,
    /// How often it was seen.
    pub seen: u64,
    /// The script.
    pub text: String,
}

/// A construct in the ranking.
pub struct RankedConstruct {
    /// Its name.
    pub name: String,
    /// The probability that it makes a script slower.
    pub mean: String,
    /// Its 95 % interval.
    pub interval: String,
    /// How often it was tried.
    pub tried: String,
}

/// The formatters of the template.
impl PerfTemplate<'_> {
    fn visible(&self, text: &str) -> String {
        format::visible(text)
    }

    fn lines(&self, text: &str) -> String {
        format::visible_lines(&format::truncate(text.to_owned(), MAX_SCRIPT_BYTES_SHOWN))
    }
}

/// Bytes of a script that are shown.
const MAX_SCRIPT_BYTES_SHOWN: usize = 20_000;

/// Renders the page.
pub fn render(page: &PerfPage) -> String {
    let mut facts = vec![("Host", system::host())];
    facts.extend(system::describe(SystemTime::now()));
    let sheet = PerfTemplate {
        page,
        style: include_str!("style.css"),
        policy: PAGE_POLICY,
        copy_script: COPY_SCRIPT,
        facts,
        version: help::GAINSAY_VERSION,
    };
    sheet.render().expect("the template writes to a string") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_solvers_and_scripts_say_is_escaped() {
        let evil = || "<script>alert(1)</script>\u{1b}[2J".to_owned();
        let version = || MeasuredScript {
            file: evil(),
            took: vec![evil()],
            margin: evil(),
            check: evil(),
            text: evil(),
        };
        let page = render(&PerfPage {
            title: evil(),
            figures: vec![Figure { value: evil(), name: "queries" }],
            unit: "CPU seconds",
            remark: Some(evil()),
            lost: Some(evil()),
            plots: vec![("Score", "<svg></svg>".to_owned())],
            best: vec![SlowScript { query: 1, found: version(), small: Some(version()) }],
            crashes: vec![CrashEntry {
                file: evil(),
                why: evil(),
                fingerprint: evil(),
                seen: 2,
                text: evil(),
            }],
            ranking: vec![RankedConstruct { name: evil(), mean: evil(), interval: evil(), tried: evil() }],
            has_learnt: true,
        });
        assert!(
            !page.contains("<script>alert")
                && page.matches("<script").count() == 1
                && !page.contains('\u{1b}'),
            "{page}"
        );
        assert!(page.contains("default-src 'none'") && page.contains("<svg></svg>"));
    }
}
