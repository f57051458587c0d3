//! Writes the results of triage: a folder with a report for each bug, the queue, and the groups as JSON.
//!
//! ```text
//! triage/queue.md                                   what to file, and when
//! triage/groups.json                                the same as JSON, for `gainsay list` and `gainsay report`
//! triage/bugs/refutation-z3-1f3a9c02/report.md      the body of an issue, ready to file
//!                                    title.txt      its title
//!                                    duplicates.txt     words to look for duplicates with, and likely titles of them
//!                                    reproduce.sh   script and command in one file
//!                                    fingerprint.txt    for `gainsay known add`
//!                                    bug.smt2       the script, beside which the command of the report runs
//!                                    parent-1.smt2, parent-2.smt2    the parents, if they prove the answer
//!                                    model.smt2     the model, if it proves the answer
//!                                    regression/    a test in the format of the solver's test suite, which fails on that release
//! ```
//!
//! The folder of bugs is rewritten each time and replaced by a rename.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use anyhow::Context;
use gainsay_engine::finding::Fingerprint;
use gainsay_engine::solver::name::{Origin, SolverName};
use gainsay_engine::solver::resolve::Solver;
use gainsay_engine::solver::run::Limits;
use gainsay_engine::solver::runner::{self, Launcher};
use gainsay_engine::solver::version::Version;
use gainsay_engine::triage::queue::{Bug, HoldReason};
use gainsay_engine::triage::record::{ConfirmedFinding, Stage, TriageRecord, replace};
use gainsay_engine::triage::release_range::{fixed, introduced};
use gainsay_engine::triage::releases;
use gainsay_engine::triage::reproduction::SCRIPT_FILE;
use gainsay_engine::triage::settle::bisected_name;
use gainsay_engine::triage::shape::{Shape, telling_features};
use gainsay_smt::{Script, Signature};
use serde_json::Value;

use crate::display::format::plural;
use crate::environment::Environment;
use crate::exit::NoOutput;
use crate::json;
use crate::json::campaigns::{BugGroup, TriageSummary};
use crate::known_bugs::FINGERPRINT_FILE;
use crate::report::bug::{self, ReportFacts};
use crate::report::format::visible;
use crate::report::markdown::code;
use crate::report::regression::NoRegressionTest;
use crate::report::{duplicates, regression, reproducer};
use crate::system;

/// The groups as JSON.
pub const GROUPS_FILE: &str = "groups.json";
const BUGS_FOLDER: &str = "bugs";
/// Words to look for duplicates with.
const DUPLICATES_FILE: &str = "duplicates.txt";
/// The reproducer in one file.
const REPRODUCER_FILE: &str = "reproduce.sh";
/// The title of a report.
const TITLE_FILE: &str = "title.txt";

/// Writes all files of triage and returns the groups.
pub fn write(
    folder: &Path,
    bugs: &[Bug<'_>],
    records: &[TriageRecord],
    environment: &Environment,
    launcher: &Launcher,
) -> anyhow::Result<TriageSummary> {
    let draft = folder.join(".new-bugs");
    let place = folder.join(BUGS_FOLDER);
    clear(&draft)?;
    make(&draft)?;
    let mut groups = Vec::new();
    for one in bugs {
        let Some(found) = &one.lead.found else { continue };
        let written = report(&draft.join(&one.name), one, found, environment, launcher)?;
        groups.push(describe(one, found, written, &place.join(&one.name)));
    }
    clear(&place)?;
    fs::rename(&draft, &place).map_err(|source| NoOutput { path: place.clone(), source })?;
    let triage = summary(groups, &records.iter().collect::<Vec<_>>());
    replace(&folder.join("queue.md"), &queue(&triage.groups, records))?;
    replace(&folder.join(GROUPS_FILE), &format!("{}\n", json::pretty(&triage)))?;
    Ok(triage)
}

/// The groups and the counts of triggers.
fn summary(groups: Vec<BugGroup>, records: &[&TriageRecord]) -> TriageSummary {
    let count = |stage: Stage| records.iter().filter(|record| record.stage == stage).count() as u64;
    let is_open = |record: &&&TriageRecord| record.is_open() && record.stage != Stage::Stuck;
    TriageSummary {
        triggers: records.len() as u64,
        groups,
        flaky: count(Stage::Flaky),
        gone: count(Stage::Gone),
        stuck: count(Stage::Stuck),
        open: records.iter().filter(is_open).count() as u64,
        stopped: false,
    }
}

/// The groups that these triggers belong to, without other triggers: a folder of scripts may be triaged for other solvers as
/// well, and each of its scripts is a trigger for each set of them.
pub fn only(triage: TriageSummary, records: &[&TriageRecord]) -> TriageSummary {
    let names: BTreeSet<&str> = records.iter().map(|record| record.name.as_str()).collect();
    let mut kept = triage.groups;
    kept.iter_mut().for_each(|group| group.triggers.retain(|trigger| names.contains(trigger.as_str())));
    kept.retain(|group| !group.triggers.is_empty());
    summary(kept, records)
}

/// Reads the groups in the folder of a campaign; `None` before triage.
pub fn read(campaign: &Path) -> Option<TriageSummary> {
    let path = campaign.join(gainsay_engine::triage::record::TRIAGE_FOLDER).join(GROUPS_FILE);
    let value: Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    if value["format"] != json::JSON_FORMAT {
        return None;
    }
    serde_json::from_value(value).ok()
}

fn make(folder: &Path) -> Result<(), NoOutput> {
    fs::create_dir_all(folder).map_err(|source| NoOutput { path: folder.to_owned(), source })
}

fn clear(folder: &Path) -> Result<(), NoOutput> {
    match fs::remove_dir_all(folder) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(NoOutput { path: folder.to_owned(), source })
        }
        _ => Ok(()),
    }
}

/// What the folder of a bug has.
struct WrittenReport {
    title: String,
    /// Why it has no regression test; `None` if it has one.
    no_regression_test: Option<NoRegressionTest>,
}

/// Writes the folder of one bug.
fn report(
    folder: &Path,
    one: &Bug<'_>,
    found: &ConfirmedFinding,
    environment: &Environment,
    launcher: &Launcher,
) -> anyhow::Result<WrittenReport> {
    let suspect = bisected_name(found).with_context(|| format!("cannot read the name {}", found.suspects))?;
    let profile = environment.profiles.get(&suspect.profile)?;
    let solver = affected_solver(one, &suspect, environment);
    let identity = solver.as_ref().and_then(|solver| releases::identity(solver, launcher).ok());
    let version_line =
        solver.as_ref().and_then(|solver| runner::version_line(solver, launcher, Limits::default()));
    // The report shows the script in the dialect of the release, which may set a logic.
    let parse = |text: &str| Script::parse(text, &Signature::standard());
    let script = parse(bug::script(one)).or_else(|_| parse(one.lead.best()))?;
    let facts = ReportFacts {
        profile,
        suspect: &suspect,
        version: identity.as_ref().and_then(|identity| identity.version.as_ref()),
        version_line,
        shape: &Shape::of(&script),
        system: &system::describe(SystemTime::now()),
    };
    make(folder)?;
    let title = bug::title(found, &facts);
    put(&folder.join(TITLE_FILE), &format!("{title}\n"))?;
    put(&folder.join("report.md"), &bug::render(one, found, &facts))?;
    put(&folder.join(DUPLICATES_FILE), &duplicates::render(one, found, &facts))?;
    if let Some(text) = reproducer::render(one, &title) {
        put(&folder.join(REPRODUCER_FILE), &text)?;
    }
    put(&folder.join(FINGERPRINT_FILE), &format!("{}\n", fingerprint(one, found)))?;
    put(&folder.join(SCRIPT_FILE), &format!("{}\n", bug::script(one).trim_end()))?;
    for (name, text) in bug::made_of(one.lead) {
        put(&folder.join(name), &format!("{}\n", text.trim_end()))?;
    }
    let no_regression_test = match &solver {
        Some(solver) => regression_files(folder, one, found, solver, environment, launcher)?.err(),
        None => Some(NoRegressionTest::NoSolver),
    };
    Ok(WrittenReport { title, no_regression_test })
}

/// The fingerprint of a bug, with the features of the reduced script.
fn fingerprint(one: &Bug<'_>, found: &ConfirmedFinding) -> Fingerprint {
    let Ok(script) = Script::parse(one.lead.best(), &Signature::standard()) else {
        return found.fingerprint.clone();
    };
    let fingerprint = found.fingerprint.clone().in_logic(gainsay_smt::logic::smallest(&script));
    fingerprint.with_features(telling_features(&script))
}

/// The solver that a report is about: the newest affected release, or the local build.
fn affected_solver(one: &Bug<'_>, suspect: &SolverName, environment: &Environment) -> Option<Solver> {
    let is_local = matches!(suspect.origin, Origin::Command(_) | Origin::Path);
    let release = one.lead.bisection.as_ref().and_then(|bisection| bisection.last_bad());
    match release.filter(|_| !is_local) {
        Some(version) => releases::release(&environment.places(), suspect, version).ok(),
        None => environment.places().resolve(suspect).ok(),
    }
}

/// Writes a regression test, if there is a form of it that fails on the affected solver; otherwise says why not.
fn regression_files(
    folder: &Path,
    one: &Bug<'_>,
    found: &ConfirmedFinding,
    affected: &Solver,
    environment: &Environment,
    launcher: &Launcher,
) -> anyhow::Result<Result<(), NoRegressionTest>> {
    let bisection = one.lead.bisection.as_ref();
    let good = bisection.and_then(|bisection| bisection.fixed_in().or_else(|| bisection.last_good()));
    let good =
        good.and_then(|version| releases::release(&environment.places(), &affected.name, version).ok());
    let solvers = (affected, good.as_ref());
    let test = match regression::failing(one, found, solvers, (launcher, Limits::default())) {
        Ok(test) => test,
        Err(why) => return Ok(Err(why)),
    };
    let folder = folder.join("regression");
    make(&folder)?;
    for (name, text) in test.files(&one.name, &affected.profile) {
        put(&folder.join(name), &text)?;
    }
    Ok(Ok(()))
}

fn put(path: &Path, text: &str) -> Result<(), NoOutput> {
    fs::write(path, text).map_err(|source| NoOutput { path: path.to_owned(), source })
}

fn describe(one: &Bug<'_>, found: &ConfirmedFinding, written: WrittenReport, path: &Path) -> BugGroup {
    let bisection = one.lead.bisection.as_ref();
    let version = |version: Option<&Version>| version.map(ToString::to_string);
    let others = one.others.iter().map(|record| record.name.clone());
    BugGroup {
        name: one.name.clone(),
        title: written.title,
        kind: found.kind,
        suspect: found.suspects.to_string(),
        evidence: found.evidence,
        fingerprint: fingerprint(one, found).to_string(),
        triggers: std::iter::once(one.lead.name.clone()).chain(others).collect(),
        bytes: one.lead.best().len() as u64,
        first_bad: bisection.and_then(|bisection| version(bisection.first_bad())),
        last_good: bisection.and_then(|bisection| version(bisection.last_good())),
        last_bad: bisection.and_then(|bisection| version(bisection.last_bad())),
        fixed_in: bisection.and_then(|bisection| version(bisection.fixed_in())),
        introduced: bisection.and_then(introduced),
        fixed: bisection.and_then(fixed),
        still_bad: one.is_still_there(),
        week: one.week.map(|week| week as u64),
        held: one.hold_reason().map(|reason| HoldReason::words(reason).to_string()),
        note: one.lead.note.clone(),
        no_regression_test: written.no_regression_test.map(|why| why.words().to_owned()),
        path: path.display().to_string(),
    }
}

/// The queue as Markdown.
fn queue(groups: &[BugGroup], records: &[TriageRecord]) -> String {
    let mut page = "# What to file\n".to_owned();
    let mut heading = String::new();
    for group in groups {
        let text = |text: Option<&String>| text.map_or_else(|| "-".to_owned(), |text| visible(text));
        let under = match group.week {
            Some(week) => format!("Week {week}"),
            None => format!("Do not file: {}", text(group.held.as_ref())),
        };
        if under != heading {
            page.push_str(&format!("\n## {under}\n\n"));
            heading = under;
        }
        let is_shown_by = |record: &&TriageRecord| group.triggers.contains(&record.name);
        let scripts = records.iter().filter(is_shown_by).map(|record| record.script.as_str());
        let scripts = plural(scripts.collect::<BTreeSet<_>>().len() as u64, "script");
        let folder = format!("bugs/{}", group.name);
        let how = match group.week {
            Some(_) => format!(
                "gh issue create --title \"$(cat {folder}/{TITLE_FILE})\" --body-file {folder}/report.md"
            ),
            None => format!("{folder}/report.md"),
        };
        let note = if group.note.is_empty() { String::new() } else { format!("; {}", group.note) };
        let test = group.no_regression_test.as_ref().map(|why| format!("; no regression test: {why}"));
        let test = test.unwrap_or_default();
        page.push_str(&format!(
            "- {}: {}, {}, {scripts}; introduced {}; fixed: {}{note}{test}\n  look for duplicates: `{folder}/{DUPLICATES_FILE}`\n  `{how}`\n",
            code(&visible(&group.title)),
            group.kind.name(),
            group.evidence.name(),
            text(group.introduced.as_ref()),
            text(group.fixed.as_ref()),
        ));
    }
    if groups.is_empty() {
        page.push_str("\nNo bugs.\n");
    }
    let left: Vec<&TriageRecord> = records
        .iter()
        .filter(|record| matches!(record.stage, Stage::Flaky | Stage::Gone | Stage::Stuck))
        .collect();
    if !left.is_empty() {
        page.push_str("\n## Triggers without a bug\n\n");
    }
    for record in left {
        let stage = match record.stage {
            Stage::Flaky => "flaky",
            Stage::Gone => "gone",
            _ => "stuck",
        };
        page.push_str(&format!("- {}: {stage}: {}\n", visible(&record.name), code(&record.note)));
    }
    page
}
