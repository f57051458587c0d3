//! The page of `gainsay perf`: one file that needs nothing else, as the report of a campaign.

use askama::Template;

use super::{Figure, format};

/// What the page shows; its template escapes all of it but for plots and the style sheet, which are ours.
#[derive(Template)]
#[template(path = "perf.html")]
struct PerfTemplate<'a> {
    page: &'a PerfPage,
    style: &'static str,
    version: &'static str,
}

/// A search for slow scripts, in words.
pub struct PerfPage {
    /// The target and the references.
    pub title: String,
    /// The figures to begin with.
    pub figures: Vec<Figure>,
    /// What margins are in.
    pub unit: &'static str,
    /// Why the search ended, if that is worth saying.
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
}

/// A slow script.
pub struct SlowScript {
    /// The query that it was.
    pub query: u64,
    /// As it was found.
    pub found: MeasuredScript,
    /// Made small, where that was done.
    pub small: Option<MeasuredScript>,
}

/// A script with what solvers took for it.
pub struct MeasuredScript {
    /// Its file.
    pub file: String,
    /// What each solver took.
    pub took: Vec<String>,
    /// The margin.
    pub margin: String,
    /// The command that shows it again.
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
    /// Equal for two sightings of one bug.
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
    /// How likely it makes a script slower.
    pub mean: String,
    /// The interval in which that is with 95 percent.
    pub interval: String,
    /// How often it was tried.
    pub tried: String,
}

/// What the template puts things into words with.
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

/// The page as text.
pub fn render(page: &PerfPage) -> String {
    let sheet = PerfTemplate { page, style: include_str!("style.css"), version: env!("CARGO_PKG_VERSION") };
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
        });
        assert!(!page.contains("<script") && !page.contains('\u{1b}'), "{page}");
        assert!(page.contains("default-src 'none'") && page.contains("<svg></svg>"));
    }
}
