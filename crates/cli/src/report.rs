//! The report on a campaign, read from its folder; all formats show the same contents.
//!
//! The formats (`report/markdown.rs`, `report/html.rs`) only decide how it looks. Scripts, names and solver output are
//! untrusted text: each format escapes all of it.

use std::path::Path;
use std::time::SystemTime;

use gainsay_engine::bounded as bounded_file;
use gainsay_engine::campaign::plan::CampaignPlan;
use gainsay_engine::campaign::steering;
use gainsay_engine::event::ArmReport;
use gainsay_engine::store::folder::{FindingFolder, read_finding};
use gainsay_engine::store::sqlite::Sqlite;
use gainsay_engine::store::{FindingRecord, Sample, Store, StoreError};
use gainsay_engine::tally::Tally;
use gainsay_engine::triage::record::TRIAGE_FOLDER;
use gainsay_engine::triage::reproduction::SCRIPT_FILE;

pub mod bug;
pub mod chart;
pub mod copy_script;
pub mod duplicates;
pub mod findings;
pub mod format;
pub mod html;
pub mod markdown;
pub mod perf_page;
pub mod plot;
pub mod regression;
pub mod reproducer;

use crate::json::campaigns::{BugGroup, TriageSummary};
use crate::triage::output;
use crate::{console, help, system};
use format::{number, percent, time, truncate};

/// Findings that are shown in full; the others are only listed.
const MAX_FINDINGS_IN_FULL: usize = 100;
/// Bytes of a script or of solver output that are shown.
const MAX_TEXT_BYTES_SHOWN: usize = 20_000;
/// Bandit arms that are shown.
const MAX_ARMS_SHOWN: usize = 10;
/// Cases that are listed per finding.
const MAX_CASES_NAMED: usize = 12;

/// The contents of a report.
pub struct CampaignReport {
    /// The folder of the campaign.
    pub folder: String,
    /// The headline figures.
    pub figures: Vec<Figure>,
    /// New findings, the most severe first.
    pub findings: Vec<ReportedFinding>,
    /// Findings that are known bugs.
    pub known: Vec<ReportedFinding>,
    /// The counts.
    pub tally: Tally,
    /// The counts over time.
    pub samples: Vec<Sample>,
    /// The bandit's arms, the most promising first; empty without a bandit.
    pub arms: Vec<ArmReport>,
    /// The plan, TOML.
    pub plan: String,
    /// The result of triage; `None` before triage.
    pub triage: Option<TriageSummary>,
    /// The groups of triage with the contents of their folders, in the order of the queue.
    pub groups: Vec<ReportedGroup>,
    /// The machine, the date and the versions: names and values.
    pub facts: Vec<(String, String)>,
}

/// Reads the folder of a finding at this place of its list; `None` if the report only lists the finding.
pub type OpenFinding<'a> = dyn Fn(usize, &FindingRecord) -> Option<Result<FindingFolder, StoreError>> + 'a;

/// A group of triage and the contents of its folder.
pub struct ReportedGroup {
    /// The group.
    pub group: BugGroup,
    /// The reduced script.
    pub script: String,
    /// The report to file.
    pub report: String,
}

/// A figure with its name.
pub struct Figure {
    /// The figure.
    pub value: String,
    /// Its name.
    pub name: &'static str,
}

/// A finding and the contents of its folder.
pub struct ReportedFinding {
    /// Its record in the store.
    pub record: FindingRecord,
    /// The name of its folder.
    pub id: String,
    /// The contents of its folder, or why it cannot be read; `None` beyond [`MAX_FINDINGS_IN_FULL`].
    pub folder: Option<Result<FindingFolder, String>>,
    /// Some of the cases that showed it.
    pub cases: String,
}

impl CampaignReport {
    /// Reads a campaign, finished or running.
    pub fn read(folder: &Path) -> Result<Self, StoreError> {
        let store = Sqlite::read(folder)?;
        let findings = store.findings()?;
        let open = |place: usize, record: &FindingRecord| {
            (place < MAX_FINDINGS_IN_FULL).then(|| read_finding(folder, &record.path))
        };
        CampaignReport::of_store(&store, folder, findings, &open)
    }

    /// Reads a campaign from its store: these findings, whose folders `open` reads.
    pub fn of_store(
        store: &dyn Store,
        folder: &Path,
        findings: Vec<FindingRecord>,
        open: &OpenFinding<'_>,
    ) -> Result<Self, StoreError> {
        let tally = store.standing()?.tally;
        let (known, new): (Vec<_>, Vec<_>) = by_severity(findings).into_iter().partition(|one| one.known);
        let figures = figures(&tally, new.len(), known.len());
        let show = |records: Vec<FindingRecord>| -> Result<Vec<ReportedFinding>, StoreError> {
            records
                .into_iter()
                .enumerate()
                .map(|(place, record)| ReportedFinding::read(store, open, record, place))
                .collect()
        };
        let (findings, known) = (show(new)?, show(known)?);
        let (samples, plan) = (store.samples()?, store.plan()?);
        let agent = CampaignPlan::read("campaign.toml", &plan).ok().and_then(|plan| plan.schedule.agent());
        let mut arms = steering::recorded(agent, &store.lessons()?);
        arms.truncate(MAX_ARMS_SHOWN);
        let triage = output::read(folder);
        let all = triage.iter().flat_map(|triage| triage.groups.clone());
        let groups = all.map(|group| ReportedGroup::read(folder, group)).collect();
        let facts = facts(&tally, SystemTime::now());
        let folder = folder.display().to_string();
        Ok(CampaignReport {
            folder,
            figures,
            findings,
            known,
            tally,
            samples,
            arms,
            plan,
            triage,
            groups,
            facts,
        })
    }
}

impl ReportedGroup {
    fn read(campaign: &Path, group: BugGroup) -> Self {
        let read = |file: &str| {
            let path = campaign.join(TRIAGE_FOLDER).join("bugs").join(&group.name).join(file);
            let text = bounded_file::read_text(&path, bounded_file::MAX_SETTINGS_BYTES);
            truncate(text.unwrap_or_else(|error| format!("; {error}")), MAX_TEXT_BYTES_SHOWN)
        };
        ReportedGroup { script: read(SCRIPT_FILE), report: read("report.md"), group }
    }
}

impl ReportedFinding {
    fn read(
        store: &dyn Store,
        open: &OpenFinding<'_>,
        record: FindingRecord,
        place: usize,
    ) -> Result<Self, StoreError> {
        let folder = open(place, &record).map(|read| read.map(bounded).map_err(|error| error.to_string()));
        let cases = name_cases(&store.sightings(&record.fingerprint)?, record.count);
        Ok(ReportedFinding { id: id(&record), folder, cases, record })
    }

    /// The first case that showed it.
    pub fn first_case(&self) -> String {
        first_case(&self.record)
    }
}

/// Writes to standard output. A closed pipe (`| head`) is not an error.
pub fn print(text: &str) -> std::io::Result<()> {
    console::data(&console::harmless(text))
}

/// Sorts findings by severity of their kind, then by strength of evidence, then by discovery.
pub fn by_severity(mut findings: Vec<FindingRecord>) -> Vec<FindingRecord> {
    findings.sort_by_key(|one| (one.kind.severity(), std::cmp::Reverse(one.evidence)));
    findings
}

/// The id of a finding: the name of its folder.
pub fn id(record: &FindingRecord) -> String {
    record.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The first case that showed a finding, as text.
pub fn first_case(record: &FindingRecord) -> String {
    record.case.map_or_else(|| "seed".to_owned(), |case| case.to_string())
}

fn bounded(mut folder: FindingFolder) -> FindingFolder {
    folder.case = truncate(folder.case, MAX_TEXT_BYTES_SHOWN);
    folder.runs =
        folder.runs.into_iter().map(|(name, text)| (name, truncate(text, MAX_TEXT_BYTES_SHOWN))).collect();
    folder
}

fn name_cases(cases: &[u64], count: u64) -> String {
    let mut words: Vec<String> = cases.iter().take(MAX_CASES_NAMED).map(u64::to_string).collect();
    let more = count.saturating_sub(words.len() as u64);
    if more > 0 && !words.is_empty() {
        words.push(format!("and {} more", number(more)));
    }
    words.join(", ")
}

/// The machine, the date and the versions.
fn facts(tally: &Tally, now: SystemTime) -> Vec<(String, String)> {
    let solvers: Vec<&str> = tally.solvers.keys().map(String::as_str).collect();
    let mut facts = vec![
        ("gainsay".to_owned(), help::GAINSAY_VERSION.to_owned()),
        ("Solvers".to_owned(), solvers.join(", ")),
    ];
    facts.push(("Host".to_owned(), system::host()));
    facts.extend(system::describe(now).into_iter().map(|(name, value)| (name.to_owned(), value)));
    for (solver, known) in &tally.coverage {
        let summary = &known.summary;
        let (reached, all) = (summary.sites_reached as u64, summary.sites as u64);
        let told = format!(
            "{} of {} {} ({})",
            number(reached),
            number(all),
            known.level,
            format::share(reached, all)
        );
        facts.push((format!("Coverage of {solver}"), told));
    }
    facts
}

fn figures(tally: &Tally, new: usize, known: usize) -> Vec<Figure> {
    let figure = |name, value| Figure { value, name };
    let rate = if tally.seconds > 0.0 { tally.cases as f64 * 60.0 / tally.seconds } else { 0.0 };
    let mut figures = vec![
        figure("new findings", new.to_string()),
        figure("known findings", known.to_string()),
        figure("cases", number(tally.cases)),
        figure("cases per minute", number(rate.round() as u64)),
        figure("time", time(tally.seconds)),
        figure("seeds run", number(tally.probed)),
        figure("cases skipped", number(tally.skipped_in_all())),
        figure("flaky findings", number(tally.flaky)),
        figure("cases lost to bugs in gainsay", number(tally.our_bugs)),
    ];
    if tally.traces.runs > 0 {
        figures.push(figure("unique traces", number(tally.traces.unique)));
        figures.push(figure("runs with an unreadable trace", number(tally.traces.unreadable)));
    }
    figures
        .extend(tally.own_share().map(|share| figure("share of CPU time used by gainsay", percent(share))));
    figures
}
