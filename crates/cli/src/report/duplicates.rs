//! Helps to look for a report of the same bug before filing another: words to search for, and titles that such reports have.
//!
//! The words are those that a person would write into a report: the operators of the reduced script, the file of a failed
//! assertion, what the solver does wrong.

use std::fmt::Write as _;

use gainsay_engine::finding::FindingKind;
use gainsay_engine::store::origin::shell;
use gainsay_engine::triage::queue::Bug;
use gainsay_engine::triage::record::ConfirmedFinding;

use super::bug::ReportFacts;
use super::format::visible;

/// Operators that are searched for.
const MAX_OPERATORS: usize = 3;

/// The contents of `duplicates.txt`.
pub fn render(bug: &Bug<'_>, found: &ConfirmedFinding, facts: &ReportFacts<'_>) -> String {
    let mut text =
        "Before filing, search the issues of the solver, open and closed ones.\n\nSearch for:\n".to_owned();
    let queries = queries(bug, found, facts);
    for query in &queries {
        let _ = writeln!(text, "  {query}");
    }
    text.push_str("\nIn a clone of the solver's repository:\n");
    for query in &queries {
        let _ = writeln!(text, "  gh issue list --state all --search {}", shell(query));
    }
    text.push_str("\nReports of this bug may have titles such as:\n");
    for title in titles(found, facts) {
        let _ = writeln!(text, "  {title}");
    }
    visible_text(&text)
}

/// Words to search for, the most specific first.
fn queries(bug: &Bug<'_>, found: &ConfirmedFinding, facts: &ReportFacts<'_>) -> Vec<String> {
    let mut queries: Vec<String> = crash_place(bug, found).into_iter().collect();
    let operators = operators(facts);
    let does = symptom(found.kind);
    if !operators.is_empty() {
        queries.push(format!("{} {does}", operators.join(" ")));
        queries.extend(operators.iter().map(|operator| format!("{operator} {does}")));
    }
    queries.push(format!("{} {does}", facts.shape.logic));
    let options = facts.suspect.options.iter().filter(|option| option.len() > 2);
    queries
        .extend(options.map(|option| format!("{} {does}", option.trim_start_matches('-').replace('=', " "))));
    queries.dedup();
    queries
}

/// The file and the line of a failed assertion, as the output or the fingerprint names them: `theory_seq.cpp 118`.
fn crash_place(bug: &Bug<'_>, found: &ConfirmedFinding) -> Option<String> {
    let run = bug.lead.reproduction.as_ref();
    let (errors, output) = run.map_or(("", ""), |run| (run.errors.as_str(), run.output.as_str()));
    let all = [errors, output, found.fingerprint.detail()].join("\n");
    let words = || all.split(|letter: char| letter.is_whitespace() || "():,\"'`".contains(letter));
    let is_source =
        |word: &&str| [".cpp", ".cc", ".c", ".h", ".hpp"].iter().any(|ending| word.ends_with(ending));
    let file = words().find(is_source)?.rsplit('/').next()?.to_owned();
    let line = words().skip_while(|word| !word.ends_with(file.as_str())).skip(1);
    let line = line
        .filter(|word| !word.is_empty())
        .take(3)
        .find(|word| word.chars().all(|digit| digit.is_ascii_digit()));
    Some([Some(file.as_str()), line].into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// The operators of the reduced script that tell most: those of theories with a name.
fn operators<'a>(facts: &'a ReportFacts<'_>) -> Vec<&'a str> {
    let named = facts.shape.operators.keys().filter(|name| !name.contains(' ') && name.len() > 2);
    let mut named: Vec<&str> = named.map(String::as_str).collect();
    named.sort_by_key(|name| (!name.contains('.'), std::cmp::Reverse(name.len())));
    named.truncate(MAX_OPERATORS);
    named
}

/// What reports call it.
fn symptom(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Refutation | FindingKind::Solution | FindingKind::Promise => "unsound",
        FindingKind::Model => "invalid model",
        FindingKind::Reply => "wrong",
        FindingKind::Crash => "crash",
        FindingKind::Disagreement => "wrong result",
        FindingKind::Performance => "slow",
    }
}

/// Titles as people write them.
fn titles(found: &ConfirmedFinding, facts: &ReportFacts<'_>) -> Vec<String> {
    let (logic, operators) = (&facts.shape.logic, operators(facts).join(" and "));
    let on = if operators.is_empty() { logic.clone() } else { operators };
    match found.kind {
        FindingKind::Refutation => vec![
            format!("Soundness bug in {logic}"),
            format!("Unsound unsat with {on}"),
            format!("Wrong unsat on a {logic} formula"),
        ],
        FindingKind::Solution => vec![
            format!("Soundness bug in {logic}"),
            format!("Incorrect sat with {on}"),
            format!("Refutation unsoundness: sat instead of unsat in {logic}"),
        ],
        FindingKind::Model => vec![format!("Invalid model in {logic}"), format!("Incorrect model with {on}")],
        FindingKind::Crash => vec![
            format!("Assertion violation in {logic}"),
            format!("Segmentation fault with {on}"),
            format!("Crash on {on}"),
        ],
        FindingKind::Reply => vec![format!("Incorrect {} with {on}", found.fingerprint.detail())],
        FindingKind::Performance => {
            vec![format!("Performance regression with {on}"), format!("Timeout on {logic} formula")]
        }
        FindingKind::Disagreement | FindingKind::Promise => {
            vec![format!("Soundness bug in {logic}"), format!("Incorrect result with {on}")]
        }
    }
}

fn visible_text(text: &str) -> String {
    text.lines().map(|line| visible(line) + "\n").collect()
}
