//! Helps to look for a report of the same bug before filing another: words to search for, and titles that such reports have.
//!
//! The words are those that a person would write into a report: the operators of the reduced script, the file of a failed
//! assertion, what the solver does wrong.

use std::fmt::Write as _;

use gainsay_engine::finding::FindingKind;
use gainsay_engine::store::origin::shell;
use gainsay_engine::triage::queue::Bug;
use gainsay_engine::triage::record::ConfirmedFinding;
use gainsay_engine::trial::crash_place::CrashPlace;
use gainsay_smt::operator_facts;

use super::bug::ReportFacts;
use super::format::visible;
use super::markdown::code;

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
    let place = CrashPlace::find(&all)?;
    Some([Some(place.file), place.line].into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// The operators of the reduced script that tell most: those of theories with a name, and none that most scripts have or that
/// the script itself declares (`function/2`).
fn operators<'a>(facts: &'a ReportFacts<'_>) -> Vec<&'a str> {
    let common = operator_facts::names("common");
    let named = facts.shape.operators.keys().map(String::as_str);
    let named = named.filter(|name| !name.contains([' ', '/']) && name.len() > 2 && !common.contains(name));
    let mut named: Vec<&str> = named.collect();
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
    let operators = operators(facts).into_iter().map(code).collect::<Vec<_>>().join(", ");
    let logic = &facts.shape.logic;
    let on = if operators.is_empty() { logic.clone() } else { operators };
    match found.kind {
        FindingKind::Refutation => vec![
            format!("Soundness bug in {logic}"),
            format!("Unsound unsat with {on}"),
            format!("Refutation unsoundness: unsat instead of sat in {logic}"),
        ],
        FindingKind::Solution => vec![
            format!("Soundness bug in {logic}"),
            format!("Incorrect sat with {on}"),
            format!("Solution unsoundness: sat instead of unsat in {logic}"),
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

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_engine::finding::{Evidence, Fingerprint};
    use gainsay_engine::solver::profiles::Profiles;
    use gainsay_engine::triage::record::TriageRecord;
    use gainsay_engine::triage::shape::Shape;
    use gainsay_smt::{Script, Signature};

    /// The file for a finding of this kind in z3.
    fn rendered(kind: FindingKind, script: &str) -> String {
        let profiles = Profiles::built_in();
        let suspect = "z3@4.8.10".parse().unwrap();
        let facts = ReportFacts {
            profile: profiles.get("z3").unwrap(),
            suspect: &suspect,
            version: None,
            version_line: None,
            shape: &Shape::of(&Script::parse(script, &Signature::standard()).unwrap()),
            system: &[],
        };
        let found = ConfirmedFinding {
            kind,
            suspects: "z3@4.8.10".into(),
            needs_model: false,
            family: "z3".into(),
            evidence: Evidence::Proved,
            fingerprint: Fingerprint::new(kind, "z3", ""),
            explanation: String::new(),
        };
        let lead = TriageRecord::new("a", script, Vec::new());
        render(&Bug { name: "a".into(), lead: &lead, others: Vec::new(), week: None }, &found, &facts)
    }

    fn check(kind: FindingKind, script: &str, titles: &[&str]) {
        let text = rendered(kind, script);
        let (_, told) = text.split_once("titles such as:\n").unwrap();
        assert_eq!(told.lines().map(str::trim).collect::<Vec<_>>(), titles, "{text}");
    }

    #[test]
    fn titles_use_the_words_of_the_glossary() {
        let quantified = "(declare-const p Bool)(assert (forall ((x Int)) (and p (not (distinct x 1 2)) (exists ((y Int)) (< (abs y) x)))))(check-sat)";
        check(
            FindingKind::Solution,
            quantified,
            &[
                "Soundness bug in LIA",
                "Incorrect sat with `exists`, `forall`, `abs`",
                "Solution unsoundness: sat instead of unsat in LIA",
            ],
        );
        check(
            FindingKind::Refutation,
            "(declare-const x Real)(assert (= (* x x) 3))(check-sat)",
            &[
                "Soundness bug in QF_NRA",
                "Unsound unsat with QF_NRA",
                "Refutation unsoundness: unsat instead of sat in QF_NRA",
            ],
        );
    }

    #[test]
    fn what_most_scripts_have_and_names_of_the_script_are_not_searched_for() {
        let script = "(declare-sort U 0)(declare-fun f (U U) Bool)(declare-const u U)(assert (and (f u u) (not (distinct u u))))(check-sat)";
        let text = rendered(FindingKind::Crash, script);
        for word in ["and", "not", "distinct", "function"] {
            assert!(
                !text.contains(&format!("{word} crash")) && !text.contains(&format!("`{word}")),
                "{text}"
            );
        }
        assert!(text.contains("\n  Crash on QF_UF\n"), "{text}");
    }
}
