//! Writes bug reports that maintainers can file as they are: the body of an issue in Markdown, and its title.
//!
//! A report contains what maintainers ask for: the script, one command that shows the bug and what it printed, the expected
//! result and why it is known, the affected releases and the environment. Scripts, models and output are untrusted text and are
//! fenced; other words of solvers stand in code spans.

use std::collections::BTreeSet;
use std::fmt::Write;

use gainsay_engine::finding::{Evidence, FindingKind};
use gainsay_engine::question;
use gainsay_engine::solver::name::{Origin, SolverName};
use gainsay_engine::solver::profile::Profile;
use gainsay_engine::solver::run::Answer;
use gainsay_engine::solver::version::Version;
use gainsay_engine::store::origin::shell;
use gainsay_engine::triage::bisect::{Bisection, ReleaseResult};
use gainsay_engine::triage::queue::{Bug, BuildPlace};
use gainsay_engine::triage::record::{ConfirmedFinding, TriageRecord};
use gainsay_engine::triage::release_range::{fixed, introduced};
use gainsay_engine::triage::reproduction::SCRIPT_FILE;
use gainsay_engine::triage::shape::Shape;
use gainsay_engine::trial::exhaustion::EXHAUSTION_SUPPORTER;
use gainsay_smt::{Script, Signature};

use super::format::visible;
use super::markdown::{code, fence};

/// Facts for a report besides the bug itself.
pub struct ReportFacts<'a> {
    /// The profile of the suspect.
    pub profile: &'a Profile,
    /// The suspect.
    pub suspect: &'a SolverName,
    /// The release that is reported, or the version that a local build tells.
    pub version: Option<&'a Version>,
    /// The solver's version line, which may contain a commit.
    pub version_line: Option<String>,
    /// The shape of the script.
    pub shape: &'a Shape,
    /// The operating system, the architecture and the date, one line each.
    pub system: &'a [(&'static str, String)],
}

/// Bytes of a script, a model or an output in a report. GitHub takes 65,536 characters in the body of an issue; a report has at
/// most six such parts.
const MAX_PART_BYTES: usize = 10_000;

/// Fences a text, at most so much of it that the report fits into an issue.
fn bounded_fence(page: &mut String, language: &str, text: &str, file: &str) {
    if text.len() <= MAX_PART_BYTES {
        fence(page, language, text);
        return;
    }
    fence(page, language, &text[..text.floor_char_boundary(MAX_PART_BYTES)]);
    let more = text.len() - text.floor_char_boundary(MAX_PART_BYTES);
    writeln!(page, "\n{more} more bytes are in {file}, which is to be attached.").expect(STRING_WRITE);
}

const STRING_WRITE: &str = "writing to a string does not fail";

/// The report as Markdown, without its title.
pub fn render(bug: &Bug<'_>, found: &ConfirmedFinding, facts: &ReportFacts<'_>) -> String {
    let mut page =
        format!("{}\n\n### Steps to reproduce\n\n`{SCRIPT_FILE}`:\n\n", opening(bug, found, facts));
    bounded_fence(&mut page, "smt2", script(bug).trim_end(), "`bug.smt2`");
    if let Some(run) = &bug.lead.reproduction {
        page.push('\n');
        fence(&mut page, "sh", &shell_words(&run.command));
    }
    page.push_str("\n### Actual result\n\n");
    actual(&mut page, bug, found);
    if let Some(backtrace) = bug.lead.reproduction.as_ref().and_then(|run| run.backtrace.as_ref()) {
        page.push_str("\nBacktrace:\n\n");
        bounded_fence(&mut page, "text", &without_folders(backtrace.trim_end()), "the stack");
    }
    page.push_str("\n### Expected result\n\n");
    expected(&mut page, bug, found);
    promised(&mut page, bug.lead);
    page.push_str("\n### Versions\n\n");
    releases(&mut page, bug);
    page.push_str("\n### Environment\n\n");
    environment(&mut page, facts);
    // A folder of scripts that was triaged for several sets of solvers has a trigger for each set.
    let scripts: BTreeSet<&str> =
        bug.others.iter().chain([&bug.lead]).map(|record| record.script.as_str()).collect();
    let seen = match scripts.len() {
        1 => String::new(),
        more => format!("; {more} scripts show it"),
    };
    let found_by = match bug.lead.steps.is_empty() && bug.lead.seen_as.is_none() {
        true => "Reduced and checked by".to_owned(),
        false => format!("Found ({}) and reduced by", code(&bug.lead.origin)),
    };
    let gainsay = env!("CARGO_PKG_VERSION");
    write!(page, "\n{found_by} gainsay {gainsay}{seen}.\n").expect(STRING_WRITE);
    page
}

/// The script that reproduces the bug, in the dialect of the reported release.
pub fn script<'a>(bug: &Bug<'a>) -> &'a str {
    bug.lead.reproduction.as_ref().map_or(bug.lead.best(), |run| run.script.as_str())
}

/// The name of the solver in sentences: `Z3 4.8.10`, `a local build of Z3 (5.5.0)`.
fn subject(facts: &ReportFacts<'_>) -> String {
    let (title, version) = (&facts.profile.title, facts.version);
    match (&facts.suspect.origin, version) {
        (Origin::Command(_) | Origin::Path, Some(version)) => format!("a local build of {title} ({version})"),
        (Origin::Command(_) | Origin::Path, None) => format!("a local build of {title}"),
        (_, Some(version)) => format!("{title} {version}"),
        (_, None) => title.clone(),
    }
}

/// The first sentence: what is wrong.
fn opening(bug: &Bug<'_>, found: &ConfirmedFinding, facts: &ReportFacts<'_>) -> String {
    let mut subject = subject(facts);
    if let Some(first) = subject.get(..1).map(str::to_uppercase).filter(|_| subject.starts_with("a ")) {
        subject.replace_range(..1, &first);
    }
    let options = match facts.suspect.options.is_empty() {
        true => String::new(),
        false => format!(" with {}", code(&facts.suspect.options.join(" "))),
    };
    let does = match found.kind {
        FindingKind::Refutation => "answers `unsat` to the script below, which is satisfiable".to_owned(),
        FindingKind::Solution => "answers `sat` to the script below, which is unsatisfiable".to_owned(),
        FindingKind::Model => {
            "answers `sat` to the script below and prints a model that does not satisfy it".to_owned()
        }
        FindingKind::Reply => {
            format!("gives a wrong reply ({}) to the script below", code(question_of(found)))
        }
        FindingKind::Crash => {
            let exit = bug.lead.reproduction.as_ref().map(|run| run.exit.as_str());
            let exit = exit.filter(|exit| exit.starts_with("SIG")).map(|exit| format!(" with {exit}"));
            format!("crashes{} on the script below", exit.unwrap_or_default())
        }
        FindingKind::Disagreement if found.evidence == Evidence::Proved => {
            "contradicts itself on the script below".to_owned()
        }
        FindingKind::Disagreement => "and other solvers contradict each other on the script below".to_owned(),
        FindingKind::Promise => "contradicts the answer that the script below has by construction".to_owned(),
        FindingKind::Performance => "is much slower than other solvers on the script below".to_owned(),
    };
    format!("{subject}{options} {does}.")
}

/// The title of a report, as plain text: solver, misbehaviour, kind of script.
pub fn title(found: &ConfirmedFinding, facts: &ReportFacts<'_>) -> String {
    let telling = facts.shape.operators.keys().filter(|name| !name.contains(' ') && name.contains('.'));
    let telling: Vec<&str> = telling.map(String::as_str).take(2).collect();
    let with = if telling.is_empty() { String::new() } else { format!(" with {}", telling.join(" and ")) };
    // ALL says nothing of a script.
    let logic = Some(facts.shape.logic.as_str()).filter(|logic| *logic != "ALL");
    let script = format!("{}script{with}", logic.map(|logic| format!("{logic} ")).unwrap_or_default());
    let article = if logic.is_some_and(|logic| logic.starts_with(['A', 'E', 'I', 'O'])) { "an" } else { "a" };
    let does = match found.kind {
        FindingKind::Refutation => format!("returns unsat for a satisfiable {script}"),
        FindingKind::Solution => format!("returns sat for an unsatisfiable {script}"),
        FindingKind::Model => format!("returns an invalid model for {article} {script}"),
        FindingKind::Reply => format!("returns a wrong {} for {article} {script}", question_of(found)),
        FindingKind::Crash => format!("crashes on {article} {script}"),
        FindingKind::Disagreement if found.evidence == Evidence::Proved => {
            format!("contradicts itself on {article} {script}")
        }
        FindingKind::Disagreement => format!("disagrees with other solvers on {article} {script}"),
        FindingKind::Promise => format!("returns a wrong answer for {article} {script} with a known status"),
        FindingKind::Performance => format!("is slow on {article} {script}"),
    };
    visible(&format!("{} {does}", subject(facts).replacen("a local build", "Local build", 1)))
}

/// The question whose reply is wrong: `core`, `tactic`.
fn question_of(found: &ConfirmedFinding) -> &str {
    let detail = found.fingerprint.detail();
    detail.split(':').next().unwrap_or(detail)
}

/// The rule that a right reply keeps.
fn right_reply(found: &ConfirmedFinding) -> String {
    match question::find(question_of(found)) {
        Some(question) => format!("A right reply: {}.", question.about()),
        None => "A reply that follows from the script.".to_owned(),
    }
}

/// The files that prove the expected answer of a fused or constructed script: names and texts.
pub fn made_of(record: &TriageRecord) -> Vec<(String, &str)> {
    let parents = record.parents.iter().enumerate();
    let parents = parents.map(|(at, parent)| (format!("parent-{}.smt2", at + 1), parent.script.as_str()));
    parents.chain(record.model.as_deref().map(|model| ("model.smt2".to_owned(), model))).collect()
}

/// A stack without the folders of libraries, which are those of this machine: `from /a/libcvc5.so` becomes `from libcvc5.so`.
fn without_folders(backtrace: &str) -> String {
    let shorter = |line: &str| match line.rsplit_once(" from /") {
        Some((frame, path)) => format!("{frame} from {}", path.rsplit('/').next().unwrap_or(path)),
        None => line.to_owned(),
    };
    backtrace.lines().map(shorter).collect::<Vec<_>>().join("\n")
}

/// What the command printed and how it ended; without a run, what triage saw.
fn actual(page: &mut String, bug: &Bug<'_>, found: &ConfirmedFinding) {
    let Some(run) = &bug.lead.reproduction else {
        writeln!(page, "{}", code(&found.explanation)).expect(STRING_WRITE);
        return;
    };
    let parts = [run.output.trim_end(), run.errors.trim_end()].into_iter().filter(|text| !text.is_empty());
    let printed = parts.collect::<Vec<_>>().join("\n");
    if printed.is_empty() {
        writeln!(page, "It printed nothing and ended with {}.", run.exit).expect(STRING_WRITE);
    } else {
        bounded_fence(page, "text", &printed, "the output");
        writeln!(page, "\nIt ended with {}.", run.exit).expect(STRING_WRITE);
    }
    if !run.shows {
        let words =
            "This run did not show the bug. gainsay saw it when it ran the same script on standard input:";
        writeln!(page, "\n{words} {}.", code(&found.explanation)).expect(STRING_WRITE);
    }
}

/// What is right, how sure that is, and why.
fn expected(page: &mut String, bug: &Bug<'_>, found: &ConfirmedFinding) {
    writeln!(page, "{}\n", expected_words(bug, found)).expect(STRING_WRITE);
    line(page, "Evidence", evidence(found));
    let witness = bug.lead.bisection.as_ref().and_then(|bisection| bisection.witness.as_ref());
    // The output says it of a crash, and the witness of an invalid model.
    let is_said = found.kind == FindingKind::Crash || found.kind == FindingKind::Model && witness.is_some();
    if !is_said {
        line(page, "Why", &code(&why(bug, found)));
    }
    let supporters = supporters(bug, found);
    // The answers to the checks are right if a reply is wrong.
    if !supporters.is_empty() && found.kind != FindingKind::Reply {
        line(
            page,
            "Right answer by",
            &supporters.iter().map(Supporter::words).collect::<Vec<_>>().join(", "),
        );
    }
    let is_printed =
        |by: &str| bug.lead.reproduction.as_ref().is_some_and(|run| run.shows && run.solver == by);
    if let Some(shown) = witness.filter(|shown| found.kind == FindingKind::Model && is_printed(&shown.by)) {
        write!(page, "\nUnder the printed model, {}.\n", code(&shown.why)).expect(STRING_WRITE);
    } else if let Some(shown) = witness {
        let by = code(&shown.by);
        let words = match shown.why.is_empty() {
            true => format!("The model of {by}; gainsay evaluated every assertion to true under it:"),
            false => format!("The model of {by} is invalid; under it, {}:", code(&shown.why)),
        };
        write!(page, "\n{words}\n\n").expect(STRING_WRITE);
        fence(page, "smt2", shown.model.trim());
    }
}

/// The reason, said of the solver that the report is about: the suspect may be an older release.
fn why(bug: &Bug<'_>, found: &ConfirmedFinding) -> String {
    match (found.first_suspect(), &bug.lead.reproduction) {
        (Some(suspect), Some(run)) if run.shows => {
            found.explanation.replace(&suspect.to_string(), &run.solver)
        }
        _ => found.explanation.clone(),
    }
}

/// The expected result in words that differ from the actual one.
fn expected_words(bug: &Bug<'_>, found: &ConfirmedFinding) -> String {
    let truth = bug.lead.bisection.as_ref().map(|bisection| bisection.truth.words());
    let answer = truth.filter(|words| !words.is_empty() && !words.contains('?'));
    match (found.kind, answer) {
        (FindingKind::Refutation, None) => "`sat`.".to_owned(),
        (FindingKind::Solution, None) => "`unsat`.".to_owned(),
        (FindingKind::Model, Some(answer)) if answer.contains("unsat") => {
            format!("`{answer}`; if the script is satisfiable, a model that satisfies it.")
        }
        (FindingKind::Model, _) => "`sat` and a model that satisfies every assertion.".to_owned(),
        (FindingKind::Reply, _) => right_reply(found),
        (FindingKind::Crash, Some(answer)) => format!("`{answer}`, or another answer without a crash."),
        (FindingKind::Crash, None) => "An answer, or an error message, without a crash.".to_owned(),
        (FindingKind::Promise, _) if bug.lead.promise.is_some() => {
            format!("`{}`, by construction.", bug.lead.promise.map_or("", |answer| answer.name()))
        }
        (FindingKind::Promise, _) if bug.lead.is_promised() => promises_in_words(bug.lead),
        (_, Some(answer)) if found.evidence == Evidence::Disagreement => {
            format!("`{answer}`, if the solvers below are right.")
        }
        (_, Some(answer)) => format!("`{answer}`."),
        (_, None) => "It is not known which answer is right.".to_owned(),
    }
}

/// The promised answers of a script with several checks.
fn promises_in_words(record: &TriageRecord) -> String {
    let promises = match Script::parse(record.best(), &Signature::standard()) {
        Ok(script) => record.promises_of(&script),
        Err(_) => record.check_promises.clone(),
    };
    let words: Vec<&str> = promises.iter().map(|answer| answer.map_or("?", Answer::name)).collect();
    format!("`{}`, by what is known of each check (`?`: nothing).", words.join(" "))
}

/// Who knows the right answer.
struct Supporter {
    name: String,
    /// The right answers to the checks of which it knows them.
    answers: Vec<Answer>,
}

impl Supporter {
    /// In words that a reader without gainsay understands. For a `sat`, exhaustion ends at the first satisfying assignment.
    fn words(&self) -> String {
        if self.name != EXHAUSTION_SUPPORTER {
            return code(&self.name);
        }
        let has = |answer: Answer| self.answers.contains(&answer);
        let did = match (has(Answer::Sat), has(Answer::Unsat)) {
            (true, false) => "found a satisfying assignment",
            (true, true) => "found satisfying assignments or tried every one",
            (false, _) => "tried every assignment",
        };
        format!("gainsay, which {did} (`gainsay decide {SCRIPT_FILE}`)")
    }
}

/// The solvers that give the right answer, each once, and never one that is affected.
fn supporters(bug: &Bug<'_>, found: &ConfirmedFinding) -> Vec<Supporter> {
    let Some(bisection) = &bug.lead.bisection else { return Vec::new() };
    let affected = bisection.versions.iter().filter(|entry| entry.affected == Some(true));
    let profile = found.first_suspect().map(|name| name.profile).unwrap_or_default();
    let affected: Vec<String> = affected.map(|entry| format!("{profile}@{}", entry.version)).collect();
    let is_affected = |supporter: &str| {
        let name = supporter.split(' ').next().unwrap_or_default().trim_end_matches(',');
        let is_accused = found.evidence > Evidence::Disagreement && found.suspects.contains(supporter);
        is_accused || affected.iter().any(|one| one == name)
    };
    let checks = bisection.truth.checks.iter().flatten();
    let named = checks.flat_map(|known| known.supporters.iter().map(|name| (name, known.answer)));
    let mut supporters: Vec<Supporter> = Vec::new();
    for (name, answer) in named.filter(|(name, _)| !is_affected(name)) {
        match supporters.iter_mut().find(|supporter| supporter.name == *name) {
            Some(supporter) => supporter.answers.push(answer),
            None => supporters.push(Supporter { name: name.clone(), answers: vec![answer] }),
        }
    }
    supporters
}

fn evidence(found: &ConfirmedFinding) -> &'static str {
    match (found.evidence, found.kind) {
        (Evidence::Proved, FindingKind::Crash) => "the solver crashed each time it was run",
        (Evidence::Proved, FindingKind::Model) => "gainsay evaluated the assertions under the model, exactly",
        (Evidence::Proved, _) => "proved: gainsay checked it by exact evaluation",
        (Evidence::Corroborated, _) => "corroborated by the solvers below; it is not proved",
        (Evidence::Disagreement, _) => "disagreement: it is not known which solver is wrong",
    }
}

/// Explains why the expected answer holds by construction.
fn promised(page: &mut String, record: &TriageRecord) {
    let Some(answer) = record.promise else { return };
    if let Some(model) = &record.model {
        let words = "The script was constructed to have this model; gainsay evaluated every assertion to true under it:";
        write!(page, "\n{words}\n\n").expect(STRING_WRITE);
        bounded_fence(page, "smt2", model.trim(), "`model.smt2`");
    }
    if record.parents.is_empty() {
        return;
    }
    let answer = answer.name();
    writeln!(
        page,
        "\nSemantic fusion built the script from two {answer} scripts and preserves satisfiability, so the script is {answer}."
    )
    .expect(STRING_WRITE);
    for (parent, (file, text)) in record.parents.iter().zip(made_of(record)) {
        write!(page, "\n`{file}`, from {}:\n\n", code(&parent.name)).expect(STRING_WRITE);
        bounded_fence(page, "smt2", text.trim_end(), &format!("`{file}`"));
    }
}

/// Which versions have the bug, as far as they were tested.
fn releases(page: &mut String, bug: &Bug<'_>) {
    let Some(bisection) = &bug.lead.bisection else {
        let words = "No releases were tested.";
        writeln!(page, "{}", if bug.lead.note.is_empty() { words } else { &bug.lead.note })
            .expect(STRING_WRITE);
        return;
    };
    let list = |affected: Option<bool>| {
        let asked = bisection.versions.iter().filter(|entry: &&ReleaseResult| !entry.said.is_empty());
        let with = asked.filter(|entry| entry.firm() == affected);
        with.map(|entry| entry.version.to_string()).collect::<Vec<_>>().join(", ")
    };
    for (name, affected) in [("Affected", Some(true)), ("Not affected", Some(false)), ("Undecided", None)] {
        let list = list(affected);
        if !list.is_empty() {
            line(page, name, &list);
        } else if affected.is_some() {
            line(page, name, "none of the releases that were tested");
        }
    }
    if let Some(place) = bug.build_place() {
        line(page, "This build", &build_words(bisection, &place));
    }
    for (name, words) in [("Introduced", introduced(bisection)), ("Fixed", fixed(bisection))] {
        if let Some(words) = words {
            line(page, name, &words);
        }
    }
}

/// What the releases say about a bug of a local build. Only a build that is not older can have a regression after the newest one.
fn build_words(bisection: &Bisection, place: &BuildPlace<'_>) -> String {
    let newest = bisection.listed.newest_words();
    match bisection.newest() {
        Some((version, Some(true))) => format!("affected, as is {version}, {newest}"),
        Some((version, Some(false))) => match place {
            BuildPlace::Newest => format!(
                "affected, and {version}, {newest}, is not: a regression between {version} and this build"
            ),
            BuildPlace::Older(build) => {
                format!("affected; it is older ({build}) than {version}, {newest}, which is not affected")
            }
            BuildPlace::Unknown => format!(
                "affected, and {version}, {newest}, is not; this build does not tell its version, so it may be older or newer"
            ),
        },
        Some((version, None)) => format!("affected; {version}, {newest}, does not decide the script"),
        None => "affected; no release was tested".to_owned(),
    }
}

fn environment(page: &mut String, facts: &ReportFacts<'_>) {
    let version = facts.version.map_or_else(|| "version unknown".to_owned(), ToString::to_string);
    let title = &facts.profile.title;
    let from = match (&facts.suspect.origin, &facts.profile.install) {
        (Origin::Command(program), _) => format!(", {}", code(program)),
        (Origin::Path, _) => ", from PATH".to_owned(),
        (_, Some(install)) => format!(", from the Python package {}", code(&install.package)),
        (_, None) => String::new(),
    };
    line(page, "Solver", &format!("{title} {version}{from}"));
    if let Some(told) = &facts.version_line {
        line(page, "Version output", &code(told));
    }
    line(page, "Options", &tier(facts));
    for (name, value) in facts.system {
        line(page, name, value);
    }
}

fn line(page: &mut String, name: &str, value: &str) {
    writeln!(page, "- {name}: {value}").expect(STRING_WRITE);
}

/// The options with their tiers.
fn tier(facts: &ReportFacts<'_>) -> String {
    if facts.suspect.options.is_empty() {
        return "default".to_owned();
    }
    let one = |option: &String| {
        let rows = &facts.profile.option;
        let tier = rows.iter().find(|row| row.words().contains(option)).map(|row| row.tier.name());
        format!("{} ({})", code(option), tier.unwrap_or("not in gainsay's option tables"))
    };
    facts.suspect.options.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A command as a shell reads it.
pub fn shell_words(words: &[String]) -> String {
    words.iter().map(|word| shell(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
