//! The tables of `docs/found.md` are those of the files in `bugs/`. `BLESS=1` writes them again.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/repository.rs"]
mod repository;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use repository::repository;

/// Where the book says that the repository is.
const BUGS_ADDRESS: &str = "https://github.com/OWNER/gainsay/blob/main/bugs";
/// The kinds of bugs, as columns, with the words of the page.
const KIND_COLUMNS: [(&str, &str); 5] = [
    ("refutation", "wrong unsat"),
    ("solution", "wrong sat"),
    ("model", "invalid model"),
    ("reply", "wrong reply"),
    ("crash", "crash"),
];
/// What a feature is to the maintainers of the solver, as columns.
const STANDINGS: [&str; 4] = ["standard", "extension", "option", "experimental"];
const SOLVERS: [&str; 3] = ["z3", "cvc5", "yices"];

/// The head of a file in `bugs/`, and its name.
struct BugHead {
    name: String,
    rows: BTreeMap<String, String>,
}

impl BugHead {
    fn solver(&self) -> &str {
        self.rows["solver"].split('@').next().unwrap()
    }

    /// The bug without the name of the solver, which the heading says.
    fn title(&self) -> &str {
        let title = self.rows["title"].as_str();
        title.strip_prefix(self.solver()).unwrap_or(title).trim()
    }

    /// The issue that is about the bug.
    fn issue(&self) -> &str {
        let issue = self.rows["tracker"].split(['(', ':', ';']).next().unwrap().trim();
        if issue == "none found" { "" } else { issue }
    }

    /// The oldest release that is known to be affected.
    fn since(&self) -> &str {
        self.rows["affected"].split_whitespace().next().unwrap()
    }
}

fn bug_heads() -> Vec<BugHead> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(repository().join("bugs")).unwrap().map(|one| one.unwrap().path()).collect();
    paths.sort();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "smt2"));
    let head = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        let lines = text.lines().map_while(|line| line.strip_prefix(';')?.split_once(':'));
        let rows = lines.map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned())).collect();
        BugHead { name: path.file_stem().unwrap().to_str().unwrap().to_owned(), rows }
    };
    paths.iter().map(head).collect()
}

/// A table of counts: a row for each value of one key, a column for each value of another.
fn count_table(bugs: &[BugHead], row: &str, rows: &[&str], column: &str, columns: &[(&str, &str)]) -> String {
    let names: Vec<&str> = columns.iter().map(|(_, shown)| *shown).collect();
    let mut text =
        format!("| {row} | {} | all |\n|---|{}---|\n", names.join(" | "), "---|".repeat(names.len()));
    let value = |bug: &BugHead, key: &str| match key {
        "solver" => bug.solver().to_owned(),
        _ => bug.rows[key].clone(),
    };
    let count = |keeps: &dyn Fn(&BugHead) -> bool| bugs.iter().filter(|bug| keeps(bug)).count();
    for name in rows.iter().copied().chain(["all"]) {
        let is_row = |bug: &BugHead| name == "all" || value(bug, row) == name;
        let _ = write!(text, "| {name} |");
        for (kind, _) in columns {
            let _ = write!(text, " {} |", count(&|bug| is_row(bug) && value(bug, column) == *kind));
        }
        let _ = writeln!(text, " {} |", count(&is_row));
    }
    text
}

/// The bugs of one solver, wrong answers first.
fn bug_table(bugs: &[BugHead], solver: &str) -> String {
    let mut text =
        "| bug | kind | question | standing | since | known as |\n|---|---|---|---|---|---|\n".to_owned();
    for (kind, shown) in KIND_COLUMNS {
        for bug in bugs.iter().filter(|bug| bug.solver() == solver && bug.rows["kind"] == kind) {
            let (title, name) = (bug.title(), &bug.name);
            let (question, standing, since) = (&bug.rows["question"], &bug.rows["standing"], bug.since());
            let issue = bug.issue();
            let _ = writeln!(
                text,
                "| [{title}]({BUGS_ADDRESS}/{name}.smt2) | {shown} | {question} | {standing} | {since} | {issue} |"
            );
        }
    }
    text
}

fn tables() -> Vec<(&'static str, String)> {
    let bugs = bug_heads();
    let mut questions: Vec<&str> = bugs.iter().map(|bug| bug.rows["question"].as_str()).collect();
    questions.sort_unstable();
    questions.dedup();
    let standings = STANDINGS.map(|name| (name, name));
    let mut tables = vec![
        ("solvers", count_table(&bugs, "solver", &SOLVERS, "kind", &KIND_COLUMNS)),
        ("questions", count_table(&bugs, "question", &questions, "kind", &KIND_COLUMNS)),
        ("standings", count_table(&bugs, "solver", &SOLVERS, "standing", &standings)),
    ];
    tables.extend(SOLVERS.map(|solver| (solver, bug_table(&bugs, solver))));
    tables
}

#[test]
fn the_page_of_bugs_has_the_tables_of_the_files() {
    let path = repository().join("docs/found.md");
    let page = fs::read_to_string(&path).unwrap();
    let mut expected = page.clone();
    for (name, table) in tables() {
        let (begin, end) = (format!("<!-- table {name} -->\n"), "<!-- end of table -->");
        let (before, rest) = expected.split_once(&begin).unwrap_or_else(|| panic!("no table {name}"));
        let (_, after) = rest.split_once(end).unwrap();
        expected = format!("{before}{begin}{table}{end}{after}");
    }
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &expected).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), expected, "BLESS=1 writes docs/found.md again");
}

#[test]
fn every_bug_says_which_question_and_what_standing_it_has() {
    for bug in bug_heads() {
        let (question, standing) = (bug.rows["question"].as_str(), bug.rows["standing"].as_str());
        assert!(
            question == "check-sat" || gainsay_engine::question::find(question).is_some(),
            "{}",
            bug.name
        );
        assert!(STANDINGS.contains(&standing), "{}: {standing}", bug.name);
        assert!(KIND_COLUMNS.iter().any(|(kind, _)| bug.rows["kind"] == *kind), "{}", bug.name);
        assert!(SOLVERS.contains(&bug.solver()), "{}", bug.name);
        let tracker = bug.rows["tracker"].as_str();
        let is_told = tracker.starts_with("none found") || tracker.contains(" issue");
        assert!(is_told, "{}: {tracker}", bug.name);
    }
}
