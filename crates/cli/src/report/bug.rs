//! Writes bug reports that are ready to file, and regression tests in the format of the solver's own test suite.
//!
//! A report contains what maintainers ask for: title, release, script, exact command, expected and actual answer, and the
//! evidence. Scripts and models are untrusted text and are fenced.

use std::fmt::Write;

use gainsay_engine::finding::{Evidence, FindingKind};
use gainsay_engine::solver::name::SolverName;
use gainsay_engine::solver::profile::Profile;
use gainsay_engine::solver::version::Version;
use gainsay_engine::triage::bisect::{Bisection, ReleaseResult};
use gainsay_engine::triage::queue::Bug;
use gainsay_engine::triage::record::{ConfirmedFinding, TriageRecord};
use gainsay_engine::triage::shape::Shape;

use super::markdown::{cell, fence};

/// The name of the script beside a report.
pub const SCRIPT_FILE: &str = "bug.smt2";

/// Facts for a report besides the bug itself.
pub struct ReportFacts<'a> {
    /// The profile of the suspect.
    pub profile: &'a Profile,
    /// The suspect.
    pub suspect: &'a SolverName,
    /// The release that is reported.
    pub release: Option<&'a Version>,
    /// The release's version line, which may contain a commit.
    pub version_line: Option<String>,
    /// The shape of the script.
    pub shape: &'a Shape,
    /// The script in the dialect of that release: some need a logic, or other names.
    pub script: &'a str,
}

/// The report as Markdown.
pub fn render(bug: &Bug<'_>, found: &ConfirmedFinding, facts: &ReportFacts<'_>) -> String {
    let mut page = format!("# {}\n\n", cell(&title(found, facts)));
    let version = facts.release.map_or_else(|| "(version unknown)".to_owned(), ToString::to_string);
    line(&mut page, "Solver", &format!("{} {version}", facts.profile.title));
    if let Some(told) = &facts.version_line {
        line(&mut page, "Version output", told);
    }
    line(&mut page, "Options", &tier(facts));
    page.push_str("\n## Script\n\n");
    fence(&mut page, "smt2", &script(found, facts));
    page.push_str("\n## Command\n\n");
    fence(&mut page, "sh", &command(found, facts));
    page.push_str("\n## Expected and actual result\n\n");
    answers(&mut page, bug, found);
    promised(&mut page, bug.lead);
    page.push_str("\n## Releases\n\n");
    match &bug.lead.bisection {
        Some(bisection) => releases(&mut page, bisection),
        None => writeln!(page, "{}", cell(&bug.lead.note)).expect(STRING_WRITE),
    }
    if bug.lead.bisection.is_some() && !bug.lead.note.is_empty() {
        line(&mut page, "Note", &bug.lead.note);
    }
    page.push_str("\n## How it was found\n\n");
    let seen = match bug.others.len() {
        0 => "1 trigger".to_owned(),
        more => format!("{} triggers grouped as one bug", more + 1),
    };
    writeln!(page, "gainsay {}: {}; {seen}.", env!("CARGO_PKG_VERSION"), cell(&bug.lead.origin))
        .expect(STRING_WRITE);
    page
}

/// The script that reproduces the bug, with a `(get-model)` if the model is wrong.
pub fn script(found: &ConfirmedFinding, facts: &ReportFacts<'_>) -> String {
    let script = facts.script.trim_end();
    match &facts.profile.models {
        Some(models) if found.needs_model => {
            let lines = [&models.head, script, &models.ask].into_iter();
            lines.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
        }
        _ => script.to_owned(),
    }
}

const STRING_WRITE: &str = "writing to a string does not fail";

/// The title of a report: solver, misbehaviour, kind of script.
pub fn title(found: &ConfirmedFinding, facts: &ReportFacts<'_>) -> String {
    let version = facts.release.map(|version| format!(" {version}")).unwrap_or_default();
    let telling = facts.shape.operators.keys().filter(|name| !name.contains(' ') && name.contains('.'));
    let telling: Vec<&str> = telling.map(String::as_str).take(2).collect();
    let with = if telling.is_empty() { String::new() } else { format!(" with {}", telling.join(" and ")) };
    let script = format!("{} script{with}", facts.shape.logic);
    let does = match found.kind {
        FindingKind::Refutation => format!("returns unsat for a satisfiable {script}"),
        FindingKind::Solution => format!("returns sat for an unsatisfiable {script}"),
        FindingKind::Model => format!("returns an invalid model for a {script}"),
        FindingKind::Reply => format!("returns a wrong {} for a {script}", question_of(found)),
        FindingKind::Crash => format!("crashes on a {script}"),
        FindingKind::Disagreement if found.evidence == Evidence::Proved => {
            format!("contradicts itself on a {script}")
        }
        FindingKind::Disagreement => format!("disagrees with other solvers on a {script}"),
        FindingKind::Promise => format!("returns a wrong answer for a {script} with a known status"),
        FindingKind::Performance => format!("is slow on a {script}"),
    };
    format!("{}{version} {does}", facts.profile.title)
}

/// The question whose reply is wrong: `core`, `tactic`.
fn question_of(found: &ConfirmedFinding) -> &str {
    let detail = found.fingerprint.detail();
    detail.split(':').next().unwrap_or(detail)
}

/// The files that prove the expected answer of a fused or constructed script: names and texts.
pub fn made_of(record: &TriageRecord) -> Vec<(String, &str)> {
    let parents = record.parents.iter().enumerate();
    let parents = parents.map(|(at, parent)| (format!("parent-{}.smt2", at + 1), parent.script.as_str()));
    parents.chain(record.model.as_deref().map(|model| ("model.smt2".to_owned(), model))).collect()
}

/// Explains why the expected answer holds by construction.
fn promised(page: &mut String, record: &TriageRecord) {
    let Some(answer) = record.promise else { return };
    if let Some(model) = &record.model {
        let words = "The script was constructed to have this model; gainsay evaluated every assertion to true under it:";
        write!(page, "\n{words}\n\n").expect(STRING_WRITE);
        fence(page, "smt2", model.trim());
    }
    if record.parents.is_empty() {
        return;
    }
    page.push_str("\n## Why the expected answer holds\n\n");
    let answer = answer.name();
    writeln!(
        page,
        "Semantic fusion built the script from two {answer} scripts and preserves satisfiability, so the script is {answer}."
    )
    .expect(STRING_WRITE);
    for (parent, (file, text)) in record.parents.iter().zip(made_of(record)) {
        write!(page, "\n{file}, from {}:\n\n", cell(&parent.name)).expect(STRING_WRITE);
        fence(page, "smt2", text.trim_end());
    }
}

/// The files of a regression test: names and texts; empty if the correct answer is not certain.
pub fn regression(bug: &Bug<'_>, facts: &ReportFacts<'_>) -> Vec<(String, String)> {
    let sure = bug.lead.found.as_ref().is_none_or(|found| found.evidence > Evidence::Disagreement);
    let known = bug.lead.bisection.as_ref().filter(|_| sure).and_then(|bisection| {
        bisection
            .truth
            .checks
            .iter()
            .map(|known| Some(known.as_ref()?.answer.name()))
            .collect::<Option<Vec<_>>>()
    });
    let Some(answers) = known.filter(|answers| !answers.is_empty()) else { return Vec::new() };
    let script = facts.script.trim_end();
    let file = format!("{}.smt2", bug.name);
    if facts.profile.family == "cvc" || facts.profile.name.starts_with("cvc") {
        let options = &facts.suspect.options;
        let options = if options.is_empty() {
            String::new()
        } else {
            format!("; COMMAND-LINE: {}\n", options.join(" "))
        };
        let expected: String = answers.iter().map(|answer| format!("; EXPECT: {answer}\n")).collect();
        return vec![(file, format!("{options}{expected}{script}\n"))];
    }
    let expected: String = answers.iter().map(|answer| format!("{answer}\n")).collect();
    vec![(file, format!("{script}\n")), (format!("{}.expected.out", bug.name), expected)]
}

fn line(page: &mut String, name: &str, value: &str) {
    writeln!(page, "- {name}: {}", cell(value)).expect(STRING_WRITE);
}

/// The command as a user types it.
fn command(found: &ConfirmedFinding, facts: &ReportFacts<'_>) -> String {
    let mut words = facts.profile.command.clone();
    let models = facts.profile.models.iter().filter(|_| found.needs_model);
    words.extend(models.flat_map(|models| models.arguments.iter().cloned()));
    words.extend(facts.suspect.options.iter().cloned());
    words.push(SCRIPT_FILE.to_owned());
    words.join(" ")
}

/// The options with their tiers.
fn tier(facts: &ReportFacts<'_>) -> String {
    if facts.suspect.options.is_empty() {
        return "default".to_owned();
    }
    let one = |option: &String| {
        let rows = &facts.profile.option;
        let tier = rows.iter().find(|row| row.words().contains(option)).map(|row| row.tier.name());
        format!("{option} ({})", tier.unwrap_or("not in gainsay's option tables"))
    };
    facts.suspect.options.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn answers(page: &mut String, bug: &Bug<'_>, found: &ConfirmedFinding) {
    let bisection = bug.lead.bisection.as_ref();
    let expected = bisection.map(|bisection| bisection.truth.words()).filter(|words| !words.contains('?'));
    let actual = bisection.and_then(|bisection| {
        let last = bisection.last_bad()?;
        let entry = bisection.versions.iter().find(|entry| entry.version == *last)?;
        Some(if entry.why.is_empty() {
            entry.said.clone()
        } else {
            format!("{} ({})", entry.said, entry.why)
        })
    });
    let expected = match (expected, found.evidence) {
        _ if found.kind == FindingKind::Reply => "a reply that follows from the script".to_owned(),
        (Some(words), Evidence::Disagreement) => format!("{words}, if the solvers below are right"),
        (Some(words), _) => words,
        (None, _) => match bug.lead.promise.filter(|_| found.kind == FindingKind::Promise) {
            Some(answer) => format!("{}, by construction", answer.name()),
            None => "unknown".to_owned(),
        },
    };
    line(page, "Expected", &expected);
    line(page, "Actual", actual.as_deref().unwrap_or(&found.explanation));
    line(page, "Evidence", evidence(found.evidence));
    line(page, "Why", &found.explanation);
    let supporters = bisection.iter().flat_map(|bisection| bisection.truth.checks.iter().flatten());
    let supporters: Vec<&str> =
        supporters.flat_map(|known| known.supporters.iter().map(String::as_str)).collect();
    if !supporters.is_empty() {
        line(page, "Confirmed by", &supporters.join(", "));
    }
    if let Some(shown) = bisection.and_then(|bisection| bisection.witness.as_ref()) {
        match shown.why.is_empty() {
            true => writeln!(
                page,
                "\nModel by {}; gainsay evaluated every assertion to true under it:\n",
                cell(&shown.by)
            ),
            false => {
                writeln!(page, "\nThe model of {}; under it, {}:\n", cell(&shown.by), cell(&shown.why))
            }
        }
        .expect(STRING_WRITE);
        fence(page, "smt2", shown.model.trim());
    }
}

fn evidence(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Proved => "proved: checked by gainsay, or a crash",
        Evidence::Corroborated => {
            "corroborated: two solvers of different code bases contradict it (one may be a newer release of the same solver), or one solver and the script's status by construction"
        }
        Evidence::Disagreement => "disagreement: it is not known which solver is wrong",
    }
}

fn releases(page: &mut String, bisection: &Bisection) {
    let list = |affected: Option<bool>| {
        let asked = bisection.versions.iter().filter(|entry| !entry.said.is_empty());
        let with: Vec<String> = asked
            .filter(|entry: &&ReleaseResult| entry.affected == affected)
            .map(|entry| entry.version.to_string())
            .collect();
        if with.is_empty() { "none".to_owned() } else { with.join(", ") }
    };
    line(page, "Affected", &list(Some(true)));
    line(page, "Not affected", &list(Some(false)));
    let undecided = list(None);
    if undecided != "none" {
        line(page, "Undecided", &undecided);
    }
    let name = |version: Option<&Version>, otherwise: &str| {
        version.map_or_else(|| otherwise.to_owned(), ToString::to_string)
    };
    line(page, "First bad", &name(bisection.first_bad(), "none of the tested releases"));
    let unknown = match bisection.first_bad() {
        Some(_) => "unknown (the oldest tested release is already bad)",
        None => "unknown",
    };
    line(page, "Last good", &name(bisection.last_good(), unknown));
    line(page, "Fixed in", &name(bisection.fixed_in(), "none of the tested releases"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_engine::finding::Fingerprint;
    use gainsay_engine::solver::profiles::Profiles;
    use gainsay_engine::solver::run::Answer;
    use gainsay_engine::triage::bisect::ShownModel;
    use gainsay_engine::triage::truth::Truth;
    use gainsay_engine::trial::evidence::RightAnswer;
    use gainsay_smt::{Script, Signature};

    const REPLACE_SCRIPT: &str =
        "(declare-const x String)\n(assert (= (str.replace x \"B\" \"A\") \"A`\"))\n(check-sat)\n";

    /// The files for a bug of the given kind in releases 2 and 3 of 1 to 4.
    fn files(kind: FindingKind, suspect: &str) -> String {
        let entry = |version: &str, affected: Option<bool>, said: &str, why: &str| ReleaseResult {
            version: version.parse().unwrap(),
            affected,
            said: said.into(),
            why: why.into(),
        };
        let known =
            RightAnswer { answer: Answer::Sat, evidence: Evidence::Proved, supporters: vec!["z3@4".into()] };
        let bisection = Bisection {
            kind: Some(kind),
            evidence: Some(Evidence::Proved),
            truth: Truth { checks: vec![Some(known)] },
            versions: vec![
                entry("1.0.0", None, "-", "it cannot be read"),
                entry("2.0.0", Some(true), "unsat", "unsat instead of sat"),
                entry("3.0.0", Some(true), "unsat", "unsat instead of sat"),
                entry("4.0.0", Some(false), "sat", ""),
            ],
            witness: (kind == FindingKind::Refutation).then(|| ShownModel {
                by: "z3@4".into(),
                model: "((define-fun x () String \"B`\"))".into(),
                why: String::new(),
            }),
            stopped: false,
        };
        let found = ConfirmedFinding {
            kind,
            suspects: suspect.into(),
            needs_model: kind == FindingKind::Model,
            family: "z3".into(),
            evidence: Evidence::Proved,
            fingerprint: Fingerprint::new(kind, "z3", ""),
            explanation: format!(
                "{suspect} says unsat; the model that z3@4 gives makes every assertion true"
            ),
        };
        let record = TriageRecord::new("trigger", REPLACE_SCRIPT, vec![suspect.into()]);
        let lead = TriageRecord {
            bisection: Some(bisection),
            origin: "case 71, made by generative from corpus/a|b.smt2".into(),
            ..record
        };
        let bug = Bug { name: "some-bug".into(), lead: &lead, others: vec![&lead], week: Some(1) };
        let suspect: SolverName = suspect.parse().unwrap();
        let profiles = Profiles::built_in();
        let release = "3.0.0".parse().unwrap();
        let facts = ReportFacts {
            profile: profiles.get(&suspect.profile).unwrap(),
            suspect: &suspect,
            release: Some(&release),
            version_line: Some("Z3 version 3.0.0 - 64 bit - build hashcode abc".into()),
            shape: &Shape::of(&Script::parse(REPLACE_SCRIPT, &Signature::standard()).unwrap()),
            script: REPLACE_SCRIPT,
        };
        let mut all = render(&bug, &found, &facts);
        for (name, text) in regression(&bug, &facts) {
            all.push_str(&format!("\n---- {name}\n{text}"));
        }
        all
    }

    fn golden(name: &str, seen: &str) {
        let file = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/reports").join(name);
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&file, seen).unwrap();
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(seen, kept, "{} differs from the report; BLESS=1 rewrites it", file.display());
    }

    #[test]
    fn reports_are_as_they_were_looked_at() {
        golden("refutation-z3.md", &files(FindingKind::Refutation, "z3@3.0.0 smt.mbqi=false"));
        golden("crash-cvc5.md", &files(FindingKind::Crash, "cvc5@3.0.0 --strings-exp"));
    }
}
