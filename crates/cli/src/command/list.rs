//! `gainsay list DIR`: lists the findings of a finished or running campaign.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use gainsay_engine::store::sqlite::Sqlite;
use gainsay_engine::store::{FindingRecord, Store};

use crate::command::triage;
use crate::display::format;
use crate::json;
use crate::json::campaigns::{ListedFinding, ListedFindings};
use crate::report::format::visible;
use crate::report::{by_severity, first_case, id, print};
use crate::triage::output;

const LIST_EXAMPLES: &str = "Examples:
  gainsay list out
  gainsay list out --json

The most severe come first: refutations (unsat for a satisfiable script), solutions (sat for an unsatisfiable script),
invalid models, crashes, disagreements. Known bugs are listed separately.";

/// Arguments of `gainsay list`.
#[derive(Debug, Args)]
#[command(after_help = LIST_EXAMPLES)]
pub struct ListArgs {
    /// The folder of the campaign.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Print one JSON object as the last line.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &ListArgs) -> anyhow::Result<ExitCode> {
    let store = Sqlite::read(&args.folder)?;
    let cases = store.standing()?.tally.cases;
    let (known, new): (Vec<_>, Vec<_>) =
        by_severity(store.findings()?).into_iter().partition(|one| one.known);
    if args.json {
        let values = |records: &[FindingRecord]| {
            records.iter().map(|one| describe(&args.folder, one)).collect::<Vec<_>>()
        };
        let groups = output::read(&args.folder).map(|triage| triage.groups);
        let listed = ListedFindings { cases, findings: values(&new), known: values(&known), groups };
        print(&format!("{}\n", json::line(&listed)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = match new.is_empty() {
        true => format!("no new findings in {}\n", format::plural(cases, "case")),
        false => table(&args.folder, &new),
    };
    if !known.is_empty() {
        text = format!("{text}\nknown findings:\n{}", table(&args.folder, &known));
    }
    if let Some(groups) = output::read(&args.folder) {
        text = format!("{text}\nafter triage: {}\n", triage::lines(&groups).join("\n"));
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// A finding as in `gainsay check --json`, with its count and folder.
pub fn describe(folder: &Path, record: &FindingRecord) -> ListedFinding {
    ListedFinding {
        id: id(record),
        kind: record.kind,
        suspect: record.suspects.to_string(),
        evidence: record.evidence,
        fingerprint: record.fingerprint.clone(),
        explanation: record.explanation.clone(),
        count: record.count,
        case: record.case,
        strategy: record.strategy.clone(),
        seed: record.seed.clone(),
        seconds: record.seconds,
        known: record.known,
        path: folder.join(&record.path).display().to_string(),
    }
}

/// The columns of the table.
const COLUMNS: usize = 9;

fn table(folder: &Path, findings: &[FindingRecord]) -> String {
    let heads =
        ["KIND", "EVIDENCE", "SUSPECT", "SEEN", "FIRST CASE", "STRATEGY", "SEED", "PATH", "FINGERPRINT"]
            .map(str::to_owned);
    let row = |one: &FindingRecord| {
        [
            one.kind.name().to_owned(),
            one.evidence.name().to_owned(),
            visible(&one.suspects.to_string()),
            one.count.to_string(),
            first_case(one),
            visible(&one.strategy),
            visible(&one.seed),
            visible(&folder.join(&one.path).display().to_string()),
            visible(&one.fingerprint),
        ]
    };
    let rows: Vec<[String; COLUMNS]> = std::iter::once(heads).chain(findings.iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; COLUMNS] = std::array::from_fn(width);
    let line = |row: &[String; COLUMNS]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}
