//! A bug as text that can be filed as it is, and as a regression test in the form that the solver's own tests have.
//!
//! What maintainers ask for comes first: what it is, which release, the exact command, a script of a few lines, what it
//! should say and what it says, and why we believe that. Scripts and models are text of others and go into fences.

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

/// What a report needs beside the bug itself.
pub struct ReportFacts<'a> {
    /// The profile of the suspect.
    pub profile: &'a Profile,
    /// The suspect.
    pub suspect: &'a SolverName,
    /// The release that is reported.
    pub release: Option<&'a Version>,
    /// What that release says of its own version, where it says something: a commit may be in it.
    pub version_line: Option<String>,
    /// The shape of the script.
    pub shape: &'a Shape,
    /// The script as that release is given it: some need a logic, or other names.
    pub script: &'a str,
}

/// The report as Markdown.
pub fn render(bug: &Bug<'_>, found: &ConfirmedFinding, facts: &ReportFacts<'_>) -> String {
    let mut page = format!("# {}\n\n", cell(&title(found, facts)));
    let version = facts.release.map_or_else(|| "as named".to_owned(), ToString::to_string);
    line(&mut page, "Solver", &format!("{} {version}", facts.profile.title));
    if let Some(told) = &facts.version_line {
        line(&mut page, "It says of itself", told);
    }
    line(&mut page, "Options", &tier(facts));
    page.push_str("\n## Script\n\n");
    fence(&mut page, "smt2", &script(found, facts));
    page.push_str("\n## Command\n\n");
    fence(&mut page, "sh", &command(found, facts));
    page.push_str("\n## What it should say, and what it says\n\n");
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
        0 => "one trigger".to_owned(),
        more => format!("{} triggers that are taken for one bug", more + 1),
    };
    writeln!(page, "By gainsay {}: {}; {seen}.", env!("CARGO_PKG_VERSION"), cell(&bug.lead.origin))
        .expect(STRING_WRITE);
    page
}

/// The script as it shows the bug when it is run: with a question for the model, if that is what is wrong.
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

/// The title of a report: who does what to which kind of script.
pub fn title(found: &ConfirmedFinding, facts: &ReportFacts<'_>) -> String {
    let version = facts.release.map(|version| format!(" {version}")).unwrap_or_default();
    let telling = facts.shape.operators.keys().filter(|name| !name.contains(' ') && name.contains('.'));
    let telling: Vec<&str> = telling.map(String::as_str).take(2).collect();
    let with = if telling.is_empty() { String::new() } else { format!(" with {}", telling.join(" and ")) };
    let script = format!("{} script{with}", facts.shape.logic);
    let does = match found.kind {
        FindingKind::Refutation => format!("answers unsat to a satisfiable {script}"),
        FindingKind::Solution => format!("answers sat to an unsatisfiable {script}"),
        FindingKind::Model => format!("gives a model that does not satisfy a {script}"),
        FindingKind::Crash => format!("crashes on a {script}"),
        FindingKind::Disagreement => format!("is contradicted on a {script}"),
        FindingKind::Promise => format!("answers other than promised to a {script}"),
        FindingKind::Performance => format!("is slow on a {script}"),
    };
    format!("{}{version} {does}", facts.profile.title)
}

/// The files that tell what the script should be, where nothing but that tells: names and texts.
pub fn made_of(record: &TriageRecord) -> Vec<(String, &str)> {
    let parents = record.parents.iter().enumerate();
    let parents = parents.map(|(at, parent)| (format!("parent-{}.smt2", at + 1), parent.script.as_str()));
    parents.chain(record.model.as_deref().map(|model| ("model.smt2".to_owned(), model))).collect()
}

/// What was promised of the script, and by what.
fn promised(page: &mut String, record: &TriageRecord) {
    let Some(answer) = record.promise else { return };
    if let Some(model) = &record.model {
        let words =
            "The model that the script was made to have; gainsay evaluated every assertion to true under it:";
        write!(page, "\n{words}\n\n").expect(STRING_WRITE);
        fence(page, "smt2", model.trim());
    }
    if record.parents.is_empty() {
        return;
    }
    page.push_str("\n## What was promised\n\n");
    let answer = answer.name();
    writeln!(
        page,
        "The script is made of two that are {answer}, in a way that keeps that answer (semantic fusion), so it is {answer}."
    )
    .expect(STRING_WRITE);
    for (parent, (file, text)) in record.parents.iter().zip(made_of(record)) {
        write!(page, "\n{file}, from {}:\n\n", cell(&parent.name)).expect(STRING_WRITE);
        fence(page, "smt2", text.trim_end());
    }
}

/// The files of a regression test: names and texts; none where the right answer is not known for sure.
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

/// The command as its users would type it.
fn command(found: &ConfirmedFinding, facts: &ReportFacts<'_>) -> String {
    let mut words = facts.profile.command.clone();
    let models = facts.profile.models.iter().filter(|_| found.needs_model);
    words.extend(models.flat_map(|models| models.arguments.iter().cloned()));
    words.extend(facts.suspect.options.iter().cloned());
    words.push(SCRIPT_FILE.to_owned());
    words.join(" ")
}

/// How welcome a bug under these options is.
fn tier(facts: &ReportFacts<'_>) -> String {
    if facts.suspect.options.is_empty() {
        return "the default ones".to_owned();
    }
    let one = |option: &String| {
        let rows = &facts.profile.option;
        let tier = rows.iter().find(|row| row.words().contains(option)).map(|row| row.tier.name());
        format!("{option} ({})", tier.unwrap_or("not in the tables of gainsay"))
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
        (Some(words), Evidence::Disagreement) => format!("{words}, if those named below are right"),
        (Some(words), _) => words,
        (None, _) => match bug.lead.promise.filter(|_| found.kind == FindingKind::Promise) {
            Some(answer) => format!("{}, as was promised", answer.name()),
            None => "not known".to_owned(),
        },
    };
    line(page, "Expected", &expected);
    line(page, "Actual", actual.as_deref().unwrap_or(&found.explanation));
    line(page, "Evidence", evidence(found.evidence));
    line(page, "Why", &found.explanation);
    let voices = bisection.iter().flat_map(|bisection| bisection.truth.checks.iter().flatten());
    let voices: Vec<&str> = voices.flat_map(|known| known.voices.iter().map(String::as_str)).collect();
    if !voices.is_empty() {
        line(page, "The right answer by", &voices.join(", "));
    }
    if let Some(shown) = bisection.and_then(|bisection| bisection.witness.as_ref()) {
        match shown.why.is_empty() {
            true => writeln!(
                page,
                "\nA model, by {}; gainsay evaluated every assertion to true under it:\n",
                cell(&shown.by)
            ),
            false => {
                writeln!(page, "\nThe model of {}, under which {}:\n", cell(&shown.by), cell(&shown.why))
            }
        }
        .expect(STRING_WRITE);
        fence(page, "smt2", shown.model.trim());
    }
}

fn evidence(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Proved => "proved: checked by gainsay itself, or a crash",
        Evidence::Corroborated => {
            "corroborated: two solvers of different code bases contradict it (a newer release of its own may be one), or one and what the script was made to have"
        }
        Evidence::Disagreement => "a disagreement: nothing tells who is wrong",
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
    let name = |version: Option<&Version>| {
        version.map_or_else(|| "none that was asked".to_owned(), ToString::to_string)
    };
    line(page, "First bad", &name(bisection.first_bad()));
    line(page, "Last good before it", &name(bisection.last_good()));
    line(page, "Fixed in", &name(bisection.fixed_in()));
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

    /// A bug of the given kind in releases 2 and 3 of 1 to 4, and the files that are made of it.
    fn files(kind: FindingKind, suspect: &str) -> String {
        let entry = |version: &str, affected: Option<bool>, said: &str, why: &str| ReleaseResult {
            version: version.parse().unwrap(),
            affected,
            said: said.into(),
            why: why.into(),
        };
        let known =
            RightAnswer { answer: Answer::Sat, evidence: Evidence::Proved, voices: vec!["z3@4".into()] };
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
        assert_eq!(seen, kept, "{} is another; BLESS=1 writes it anew", file.display());
    }

    #[test]
    fn reports_are_as_they_were_looked_at() {
        golden("refutation-z3.md", &files(FindingKind::Refutation, "z3@3.0.0 smt.mbqi=false"));
        golden("crash-cvc5.md", &files(FindingKind::Crash, "cvc5@3.0.0 --strings-exp"));
    }
}
