//! `gainsay list` and `gainsay report` on a campaign that is being written: output, escaping, exit codes.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/campaign.rs"]
mod campaign;
mod support;

use std::fs;

use campaign::HOSTILE_TEXT;
use gainsay_engine::store::sqlite::Sqlite;
use support::{CliOutput, CliTest};

/// A campaign whose writer still has it open.
struct OpenCampaign {
    cli: CliTest,
    folder: String,
    _store: Sqlite,
}

impl OpenCampaign {
    fn new() -> Self {
        let cli = CliTest::offline();
        let folder = cli.folder.path().join("out");
        let store = campaign::make(&folder);
        OpenCampaign { cli, folder: folder.display().to_string(), _store: store }
    }

    fn run(&self, command: &str, more: &[&str]) -> CliOutput {
        let outcome = self.cli.run(&[&[command, &self.folder], more].concat());
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{}", outcome.stdout);
        outcome
    }
}

#[test]
fn findings_are_listed_by_severity_and_known_ones_apart() {
    let campaign = OpenCampaign::new();
    let text = campaign.run("list", &[]).stdout;
    let kinds: Vec<&str> = text.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(
        kinds,
        ["KIND", "refutation", "solution", "crash", "disagreement", "", "known", "KIND", "crash"],
        "{text}"
    );
    let line = text.lines().nth(1).unwrap();
    // `gainsay known add` takes what is in the last column.
    assert!(text.lines().next().unwrap().ends_with("  FINGERPRINT"), "{text}");
    assert!(line.contains("  refutation z3 gamma "), "{line}");
    for word in [
        "corroborated",
        "z3@4.8.10",
        " 3 ",
        " 3542 ",
        "generative",
        "division.smt2",
        "/findings/refutation-z3-",
    ] {
        assert!(line.contains(word), "{word}: {line}");
    }
    assert!(text.contains("seed") && !text.contains('\x1b') && !text.contains('\u{202e}'), "{text}");
}

#[test]
fn the_list_as_json_has_the_keys_of_a_finding() {
    let campaign = OpenCampaign::new();
    let json = campaign.cli.json(&["list", &campaign.folder, "--json"]);
    assert_eq!((&json["cases"], json["findings"].as_array().unwrap().len()), (&81_900.into(), 4));
    let finding = &json["findings"][0];
    assert_eq!((&finding["kind"], &finding["evidence"]), (&"refutation".into(), &"corroborated".into()));
    assert_eq!(
        (&finding["count"], &finding["case"], &finding["known"]),
        (&3.into(), &3542.into(), &false.into())
    );
    assert!(fs::exists(format!("{}/case.smt2", finding["path"].as_str().unwrap())).unwrap());
    assert_eq!((&json["known"][0]["known"], &json["findings"][3]["case"]), (&true.into(), &().into()));
}

#[test]
fn a_page_is_whole_and_nothing_in_it_is_hostile() {
    let campaign = OpenCampaign::new();
    let page = campaign.run("report", &["--format", "html"]).stdout;
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    assert_eq!(page.matches("<script").count(), 1, "the one for copying");
    for foreign in ["<script>alert", "http://", "https://", "\x1b", "\u{202e}", "src=", "@import", "url("] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    for ours in [
        "<svg role=\"img\"",
        "<desc>",
        "QF_NRA",
        "gainsay replay",
        "gainsay check",
        "ran out of time",
        "undecided",
    ] {
        assert!(page.to_lowercase().contains(&ours.to_lowercase()), "{ours}");
    }
    for tag in
        ["section", "table", "pre", "code", "details", "article", "svg", "dl", "div", "figure", "ol", "span"]
    {
        let (open, close) =
            (page.matches(&format!("<{tag}")).count(), page.matches(&format!("</{tag}>")).count());
        assert_eq!(open, close, "<{tag}>");
    }
}

#[test]
fn markdown_is_the_default_and_nothing_in_it_is_hostile() {
    let campaign = OpenCampaign::new();
    let text = campaign.run("report", &[]).stdout;
    assert!(text.starts_with("# gainsay: "), "{text}");
    assert!(!text.contains('\x1b') && !text.contains('\u{202e}'));
    let outside: Vec<&str> = text.split("```").step_by(2).collect();
    assert!(outside.iter().all(|part| !part.contains("<script")), "{text}");
    for word in [
        "## Findings",
        "### Known findings",
        "## Solvers",
        "## Oracles",
        "## Strategies",
        "## Plan",
        "| crash |",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn a_report_goes_to_a_file_in_the_format_of_its_name() {
    let campaign = OpenCampaign::new();
    let file = campaign.cli.folder.path().join("r.html").display().to_string();
    let json = campaign.cli.json(&["report", &campaign.folder, "--out", &file, "--json"]);
    assert_eq!((&json["out"], &json["tally"]["cases"]), (&file.as_str().into(), &81_900.into()));
    assert!(fs::read_to_string(&file).unwrap().starts_with("<!DOCTYPE html>"));
    let outcome = campaign.cli.run(&["report", &campaign.folder, "--out", "/dev/full"]);
    assert_eq!((outcome.code, outcome.stderr.lines().count()), (5, 1), "{}", outcome.stderr);
}

#[test]
fn a_finding_whose_folder_is_gone_or_damaged_is_still_reported() {
    let campaign = OpenCampaign::new();
    let json = campaign.cli.json(&["list", &campaign.folder, "--json"]);
    let path = |place: usize| json["findings"][place]["path"].as_str().unwrap().to_owned();
    fs::remove_dir_all(path(0)).unwrap();
    fs::write(format!("{}/origin.toml", path(1)), HOSTILE_TEXT).unwrap();
    for format in ["md", "html"] {
        let text = campaign.run("report", &["--format", format]).stdout;
        assert!(
            text.contains("No such file") && text.contains("damaged") && text.contains("refutation"),
            "{text}"
        );
    }
}

#[test]
fn what_is_no_campaign_or_a_damaged_one_is_one_line_with_its_exit_code() {
    let cli = CliTest::offline();
    let damaged = cli.folder.path().join("damaged");
    fs::create_dir(&damaged).unwrap();
    fs::write(damaged.join("store.sqlite"), "not a database, but long enough to be looked at".repeat(99))
        .unwrap();
    let empty = cli.folder.path().display().to_string();
    let damaged = damaged.display().to_string();
    for command in ["list", "report"] {
        for (folder, code, words) in [
            (empty.as_str(), 2, "holds no campaign"),
            ("/no/such/folder", 2, "holds no campaign"),
            (&damaged, 5, "is damaged (it is not a database); it was left as it is"),
        ] {
            let outcome = cli.run(&[command, folder]);
            assert_eq!((outcome.code, outcome.stderr.lines().count()), (code, 1), "{}", outcome.stderr);
            assert!(outcome.stderr.contains(words), "{}", outcome.stderr);
        }
    }
}
