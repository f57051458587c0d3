//! What is shown of a campaign at one moment: the tally, the findings, and what happened last.
//!
//! A view is a value that grows by events; time is a parameter. So a picture of any campaign can be made in a test.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;

use gainsay_engine::campaign::plan::CampaignPlan;
use gainsay_engine::event::{ArmReport, Event, RunReport, Stop};
use gainsay_engine::finding::{Evidence, FindingKind};
use gainsay_engine::store::FindingRecord;
use gainsay_engine::tally::Tally;

use super::lines;

/// Seconds that the rate of now looks back.
const RATE_WINDOW_SECONDS: f64 = 10.0;

/// What is shown of a campaign at one moment.
#[derive(Debug, Clone, Default)]
pub struct CampaignView {
    /// Where the campaign keeps its records.
    pub folder: PathBuf,
    /// The solvers, in the order in which they were named.
    pub solvers: Vec<String>,
    /// Seeds in use.
    pub seeds: usize,
    /// Seeds that cannot be used.
    pub refused: u64,
    /// Seeds that claim no status and whose status a strategy needs.
    pub unclaimed: u64,
    /// Whether solvers are being asked for the status of a seed: they were, and no case came since.
    pub is_classifying: bool,
    /// Seeds whose runs were given up because the campaign was to end.
    pub abandoned: u64,
    /// When it is to end.
    pub budget: Budget,
    /// The counts.
    pub tally: Tally,
    /// The findings, in the order in which they were first seen.
    pub findings: Vec<FindingView>,
    /// What happened last, in words.
    pub last: String,
    /// Solvers that cannot be run any more, and why.
    pub lost: Vec<(String, String)>,
    /// What the campaign is doing.
    pub state: CampaignPhase,
    /// Triggers that triage is done with, and the groups that it made of them, if there is triage.
    pub grouped: Option<(u64, u64)>,
    /// What an agent has learnt, the most promising arm first; none if no agent leads, or before the end.
    pub arms: Vec<ArmReport>,
    /// The number of each fingerprint in the findings.
    numbers: BTreeMap<String, usize>,
    /// Seconds and cases of the last moments.
    pace: VecDeque<(f64, u64)>,
    /// What the tally of an earlier session had counted.
    before: EarlierSessions,
}

/// When a campaign is to end.
#[derive(Debug, Clone, Copy, Default)]
pub struct Budget {
    /// Seconds.
    pub seconds: Option<f64>,
    /// Cases.
    pub cases: Option<u64>,
    /// Findings.
    pub findings: Option<u64>,
}

/// What a campaign is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CampaignPhase {
    /// It has not begun: solvers are started, seeds are read.
    #[default]
    Starting,
    /// It runs.
    Running,
    /// It finishes the cases in flight.
    Stopping,
    /// It is over.
    Ended,
}

/// A finding as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingView {
    /// What is wrong.
    pub kind: FindingKind,
    /// How sure we are.
    pub evidence: Evidence,
    /// Who is at fault.
    pub suspect: String,
    /// The reason, in one line.
    pub explanation: String,
    /// Equal for two sightings of one bug.
    pub fingerprint: String,
    /// How often it was seen.
    pub count: u64,
    /// Seconds into the campaign when it was first seen.
    pub seconds: f64,
    /// Whether the user has said that this is known.
    pub known: bool,
    /// Its folder.
    pub path: PathBuf,
    /// The case that showed it first, as `replay` names it.
    pub case: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default)]
struct EarlierSessions {
    cases: u64,
    seconds: f64,
}

impl CampaignView {
    /// Of a campaign with this plan, and with what earlier sessions found.
    pub fn new(plan: &CampaignPlan, findings: &[FindingRecord]) -> Self {
        let budget =
            Budget { seconds: plan.budget.seconds, cases: plan.budget.cases, findings: plan.budget.findings };
        let mut view = CampaignView { budget, solvers: plan.solvers.clone(), ..CampaignView::default() };
        findings.iter().for_each(|record| view.add(FindingView::from(record)));
        view
    }

    /// Takes note of an event; the tally is taken over by [`CampaignView::update_tally`].
    pub fn record_event(&mut self, event: &Event, seconds: f64) {
        if let Some(words) =
            lines::event_line(event).or_else(|| case_line(event)).or_else(|| seed_line(event))
        {
            self.last = words;
        }
        match event {
            Event::Opened { folder, seeds, refused, solvers, unclaimed, .. } => {
                self.folder.clone_from(folder);
                self.seeds = *seeds;
                self.unclaimed = *unclaimed as u64;
                self.refused = refused.iter().map(|(_, count)| count).sum();
                self.solvers.clone_from(solvers);
                self.state = CampaignPhase::Running;
            }
            Event::Abandoned { .. } => self.abandoned += 1,
            Event::Classifying { .. } => self.is_classifying = true,
            Event::Case { .. } => self.is_classifying = false,
            Event::Grouped { triggers, groups } => self.grouped = Some((*triggers, *groups)),
            Event::Found { case, finding, count, known, path, .. } => {
                let found = FindingView {
                    kind: finding.kind,
                    evidence: finding.evidence,
                    suspect: finding.suspects.to_string(),
                    explanation: finding.explanation.clone(),
                    fingerprint: finding.fingerprint.to_string(),
                    count: *count,
                    seconds,
                    known: *known,
                    path: path.clone(),
                    case: *case,
                };
                self.add(found);
            }
            Event::Learnt { arms } => self.arms.clone_from(arms),
            Event::SolverLost { solver, why } => self.lost.push((solver.clone(), why.clone())),
            Event::Closed { why } => {
                self.state = CampaignPhase::Ended;
                self.last = format!("ended: {}", stop_reason(why));
            }
            _ => {}
        }
    }

    /// Takes over the counts.
    pub fn update_tally(&mut self, tally: &Tally) {
        if self.pace.is_empty() {
            self.before = EarlierSessions { cases: tally.cases, seconds: tally.seconds };
        }
        self.tally.clone_from(tally);
        self.pace.push_back((tally.seconds, tally.cases));
        while self.pace.front().is_some_and(|(then, _)| tally.seconds - then > RATE_WINDOW_SECONDS) {
            self.pace.pop_front();
        }
    }

    /// Cases a second in the last moments; nothing before there are two of them.
    pub fn recent_rate(&self) -> Option<f64> {
        let ((then, few), (now, many)) = (self.pace.front()?, self.pace.back()?);
        (now - then > 0.5).then(|| many.saturating_sub(*few) as f64 / (now - then))
    }

    /// Cases a second since this session began.
    pub fn mean_rate(&self) -> Option<f64> {
        let seconds = self.tally.seconds - self.before.seconds;
        (seconds > 0.5).then(|| self.tally.cases.saturating_sub(self.before.cases) as f64 / seconds)
    }

    /// How much of the budget is used, from 0 to 1: of the part that ends first.
    pub fn progress(&self) -> Option<f64> {
        let done = self.tally.cases + self.tally.skipped_in_all();
        let part = |used: f64, all: f64| if all > 0.0 { (used / all).clamp(0.0, 1.0) } else { 0.0 };
        let parts = [
            self.budget.seconds.map(|all| part(self.tally.seconds, all)),
            self.budget.cases.map(|all| part(done as f64, all as f64)),
            self.budget.findings.map(|all| part(self.new_findings().count() as f64, all as f64)),
        ];
        parts.into_iter().flatten().reduce(f64::max)
    }

    /// The findings that the user has not said to be known.
    pub fn new_findings(&self) -> impl Iterator<Item = &FindingView> {
        self.findings.iter().filter(|found| !found.known)
    }

    fn add(&mut self, found: FindingView) {
        match self.numbers.get(&found.fingerprint) {
            Some(&number) => self.findings[number].count = found.count,
            None => {
                self.numbers.insert(found.fingerprint.clone(), self.findings.len());
                self.findings.push(found);
            }
        }
    }
}

impl From<&FindingRecord> for FindingView {
    fn from(record: &FindingRecord) -> Self {
        FindingView {
            kind: record.kind,
            evidence: record.evidence,
            suspect: record.suspects.to_string(),
            explanation: record.explanation.clone(),
            fingerprint: record.fingerprint.clone(),
            count: record.count,
            seconds: record.seconds as f64,
            known: record.known,
            path: record.path.clone(),
            case: record.case,
        }
    }
}

/// A case in words, too frequent for a line of its own.
fn case_line(event: &Event) -> Option<String> {
    let Event::Case { case, strategy, seed, runs, .. } = event else { return None };
    let seed = seed.rsplit('/').next().unwrap_or_default();
    let said = |run: &RunReport| match (run.trouble, run.answers.last()) {
        (Some(trouble), _) => trouble.name(),
        (None, Some(answer)) => answer.name(),
        (None, None) => "no answer",
    };
    let runs: Vec<String> = runs.iter().map(|run| format!("{} {}", run.solver, said(run))).collect();
    Some(format!("case {case}, {strategy} from {seed}: {}", runs.join(", ")))
}

/// What is done with a seed itself, in words; too frequent for a line of its own.
fn seed_line(event: &Event) -> Option<String> {
    let short = |seed: &str| seed.rsplit('/').next().unwrap_or_default().to_owned();
    match event {
        Event::Classifying { seed } => {
            Some(format!("asking solvers about the seed {}, which claims no status", short(seed)))
        }
        Event::Classified { seed, status } => {
            Some(format!("the seed {}: {}", short(seed), status.unwrap_or("status not known")))
        }
        _ => None,
    }
}

/// Why a campaign ended, in words.
pub fn stop_reason(why: &Stop) -> String {
    match why {
        Stop::Cases => "all cases are done".to_owned(),
        Stop::Time => "the time is over".to_owned(),
        Stop::Findings => "enough was found".to_owned(),
        Stop::Interrupted => "stopped on request".to_owned(),
        Stop::NoSolver => "no solver can be run any more".to_owned(),
        Stop::NoSeed => "no solver can do any of the seeds".to_owned(),
        Stop::Store(why) => format!("cannot write: {why}"),
    }
}
