//! Writes the results of triage: a folder with a report for each bug, the queue, and the groups as JSON.
//!
//! ```text
//! triage/queue.md                                   what to file, and when
//! triage/groups.json                                the same as JSON, for `gainsay list` and `gainsay report`
//! triage/bugs/refutation-z3-1f3a9c02/report.md      ready to file
//!                                    bug.smt2
//!                                    parent-1.smt2, parent-2.smt2    the parents, if they prove the answer
//!                                    model.smt2     the model, if it proves the answer
//!                                    regression/    a test in the format of the solver's test suite
//! ```
//!
//! The folder of bugs is rewritten each time and replaced by a rename.

use std::fs;
use std::path::Path;

use gainsay_engine::finding::Evidence;
use gainsay_engine::prepare::{Preparation, Prepared};
use gainsay_engine::solver::name::{Origin, SolverName};
use gainsay_engine::solver::resolve::Solver;
use gainsay_engine::solver::run::Limits;
use gainsay_engine::solver::runner::{self, Launcher};
use gainsay_engine::solver::version::Version;
use gainsay_engine::triage::queue::Bug;
use gainsay_engine::triage::record::{ConfirmedFinding, Stage, TriageRecord, replace};
use gainsay_engine::triage::releases;
use gainsay_engine::triage::shape::Shape;
use gainsay_smt::{Script, Signature};
use serde_json::{Value, json};

use crate::display::format::plural;
use crate::environment::Environment;
use crate::exit::NoOutput;
use crate::report::bug::{self, ReportFacts, SCRIPT_FILE};
use crate::report::markdown::cell;

/// The format of `groups.json`.
const GROUPS_FORMAT: u32 = 1;
/// The groups as JSON.
pub const GROUPS_FILE: &str = "groups.json";
const BUGS_FOLDER: &str = "bugs";

/// Writes all files of triage and returns the groups as JSON.
pub fn write(
    folder: &Path,
    bugs: &[Bug<'_>],
    records: &[TriageRecord],
    environment: &Environment,
    launcher: &Launcher,
) -> anyhow::Result<Value> {
    let draft = folder.join(".new-bugs");
    let place = folder.join(BUGS_FOLDER);
    clear(&draft)?;
    make(&draft)?;
    let mut groups = Vec::new();
    for one in bugs {
        let Some(found) = &one.lead.found else { continue };
        let title = report(&draft.join(&one.name), one, found, environment, launcher)?;
        groups.push(describe(one, found, &title, &place.join(&one.name)));
    }
    clear(&place)?;
    fs::rename(&draft, &place).map_err(|source| NoOutput { path: place.clone(), source })?;
    let count = |stage: Stage| records.iter().filter(|record| record.stage == stage).count();
    let value = json!({
        "format": GROUPS_FORMAT,
        "triggers": records.len(),
        "groups": groups,
        "flaky": count(Stage::Flaky),
        "gone": count(Stage::Gone),
        "stuck": count(Stage::Stuck),
        "open": records.iter().filter(|record| record.is_open() && record.stage != Stage::Stuck).count(),
    });
    replace(&folder.join("queue.md"), &queue(&value, records))?;
    replace(&folder.join(GROUPS_FILE), &format!("{value:#}\n"))?;
    Ok(value)
}

/// Reads the groups in the folder of a campaign; `None` before triage.
pub fn read(campaign: &Path) -> Option<Value> {
    let path = campaign.join(gainsay_engine::triage::record::TRIAGE_FOLDER).join(GROUPS_FILE);
    let value: Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    (value["format"] == GROUPS_FORMAT).then_some(value)
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

/// Writes the folder of one bug and returns its title.
fn report(
    folder: &Path,
    one: &Bug<'_>,
    found: &ConfirmedFinding,
    environment: &Environment,
    launcher: &Launcher,
) -> anyhow::Result<String> {
    let suspect: SolverName = found.suspects.first().unwrap_or_default().parse()?;
    let profile = environment.profiles.get(&suspect.profile)?;
    let own = match &suspect.origin {
        Origin::Managed(version) => Some(version),
        _ => None,
    };
    let release = one.lead.bisection.as_ref().and_then(|bisection| bisection.last_bad()).or(own);
    let solver = match release {
        Some(version) => releases::release(&environment.places(), &suspect, version).ok(),
        None => environment.places().resolve(&suspect).ok(),
    };
    let version_line =
        solver.as_ref().and_then(|solver| runner::version_line(solver, launcher, Limits::default()));
    let script = Script::parse(one.lead.best(), &Signature::standard())?;
    let spelt = solver.and_then(|solver| spelt(solver, release, &script, one.lead.best()));
    let shape = &Shape::of(&script);
    let script = spelt.as_deref().unwrap_or(one.lead.best());
    let facts = ReportFacts { profile, suspect: &suspect, release, version_line, shape, script };
    make(folder)?;
    put(&folder.join("report.md"), &bug::render(one, found, &facts))?;
    put(&folder.join(SCRIPT_FILE), &format!("{}\n", bug::script(found, &facts)))?;
    for (name, text) in bug::made_of(one.lead) {
        put(&folder.join(name), &format!("{}\n", text.trim_end()))?;
    }
    let regression = bug::regression(one, &facts);
    if !regression.is_empty() {
        make(&folder.join("regression"))?;
    }
    for (name, text) in regression {
        put(&folder.join("regression").join(name), &text)?;
    }
    Ok(bug::title(found, &facts))
}

/// Returns the script in the dialect of a release; `None` if the release cannot run it.
fn spelt(solver: Solver, release: Option<&Version>, script: &Script, text: &str) -> Option<String> {
    let preparation = Preparation::new(&[(solver, release.cloned())], script.arena().signature());
    match preparation.prepare(script, text).swap_remove(0) {
        Prepared::Text { text, .. } => Some(text.to_string()),
        Prepared::Spared(_) => None,
    }
}

fn put(path: &Path, text: &str) -> Result<(), NoOutput> {
    fs::write(path, text).map_err(|source| NoOutput { path: path.to_owned(), source })
}

fn describe(one: &Bug<'_>, found: &ConfirmedFinding, title: &str, path: &Path) -> Value {
    let bisection = one.lead.bisection.as_ref();
    let version = |version: Option<&Version>| version.map(ToString::to_string);
    let others = one.others.iter().map(|record| record.name.as_str());
    let members: Vec<&str> = std::iter::once(one.lead.name.as_str()).chain(others).collect();
    json!({
        "name": one.name,
        "title": title,
        "kind": found.kind.name(),
        "suspect": found.suspects.to_string(),
        "evidence": found.evidence.name(),
        "triggers": members,
        "bytes": one.lead.best().len(),
        "first_bad": bisection.and_then(|bisection| version(bisection.first_bad())),
        "last_good": bisection.and_then(|bisection| version(bisection.last_good())),
        "last_bad": bisection.and_then(|bisection| version(bisection.last_bad())),
        "fixed_in": bisection.and_then(|bisection| version(bisection.fixed_in())),
        "still_bad": one.is_still_there(),
        "week": one.week,
        "path": path.display().to_string(),
    })
}

/// The queue as Markdown.
fn queue(groups: &Value, records: &[TriageRecord]) -> String {
    let mut page = "# What to file\n".to_owned();
    let all = groups["groups"].as_array().cloned().unwrap_or_default();
    let mut heading = String::new();
    for group in &all {
        let text = |key: &str| cell(group[key].as_str().unwrap_or("-"));
        let under = match (group["week"].as_u64(), group["evidence"].as_str()) {
            (Some(week), _) => format!("Week {week}"),
            (None, Some(evidence)) if evidence == Evidence::Disagreement.name() => {
                "Do not file: it is not known which solver is wrong".to_owned()
            }
            (None, _) => "Do not file: fixed in the newest release".to_owned(),
        };
        if under != heading {
            page.push_str(&format!("\n## {under}\n\n"));
            heading = under;
        }
        let triggers = plural(group["triggers"].as_array().map_or(0, Vec::len) as u64, "trigger");
        page.push_str(&format!(
            "- {}: {}, {}, {triggers}, fixed in {}: `bugs/{}/report.md`\n",
            text("title"),
            text("kind"),
            text("evidence"),
            text("fixed_in"),
            group["name"].as_str().unwrap_or_default(),
        ));
    }
    if all.is_empty() {
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
        page.push_str(&format!("- {}: {stage}: {}\n", cell(&record.name), cell(&record.note)));
    }
    page
}
