//! A snapshot of a campaign for display: the tally, the findings, and the last event.
//!
//! Events update it and time is a parameter, so that tests can draw any campaign.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

use gainsay_engine::campaign::plan::CampaignPlan;
use gainsay_engine::campaign::shard::Shard;
use gainsay_engine::event::{ArmReport, Event, RunReport, Stop};
use gainsay_engine::finding::{Evidence, FindingKind};
use gainsay_engine::store::FindingRecord;
use gainsay_engine::store::folder::CASE_FILE;
use gainsay_engine::tally::Tally;

use super::lines;
use crate::report::findings::DocumentedFinding;

/// Seconds over which the current rate is measured.
const RATE_WINDOW_SECONDS: f64 = 10.0;

/// A snapshot of a campaign.
#[derive(Debug, Clone, Default)]
pub struct CampaignView {
    /// The folder of the campaign.
    pub folder: PathBuf,
    /// The solvers, in the user's order.
    pub solvers: Vec<String>,
    /// Seeds in use.
    pub seeds: usize,
    /// Skipped seed files.
    pub refused: u64,
    /// Seeds without a status, if a strategy needs one.
    pub unclaimed: u64,
    /// Whether solvers are determining the status of a seed: they were asked, and no case followed since.
    pub is_classifying: bool,
    /// Seeds whose runs were aborted at the end of the campaign.
    pub abandoned: u64,
    /// The part of the campaign that is run, if it is not the whole.
    pub shard: Option<Shard>,
    /// When to stop.
    pub budget: Budget,
    /// The counts.
    pub tally: Tally,
    /// The findings, in order of discovery.
    pub findings: Vec<FindingView>,
    /// A line about the last event.
    pub last: String,
    /// Solvers that failed during the campaign, and why.
    pub lost: Vec<(String, String)>,
    /// The phase of the campaign.
    pub state: CampaignPhase,
    /// Number of triaged triggers and of their groups, if there is triage.
    pub grouped: Option<(u64, u64)>,
    /// The bandit's arms, the most promising first; empty without a bandit or before the end.
    pub arms: Vec<ArmReport>,
    /// The index of each fingerprint in `findings`.
    numbers: BTreeMap<String, usize>,
    /// Seconds and cases within the rate window.
    pace: VecDeque<(f64, u64)>,
    /// What earlier sessions counted.
    before: EarlierSessions,
}

/// When a campaign stops.
#[derive(Debug, Clone, Copy, Default)]
pub struct Budget {
    /// Seconds.
    pub seconds: Option<f64>,
    /// Cases of this shard.
    pub cases: Option<u64>,
    /// Findings.
    pub findings: Option<u64>,
}

/// The phase of a campaign.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CampaignPhase {
    /// Starting solvers and reading seeds.
    #[default]
    Starting,
    /// Running cases.
    Running,
    /// Finishing the running cases.
    Stopping,
    /// Ended.
    Ended,
}

/// A finding for display.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingView {
    /// The kind of bug.
    pub kind: FindingKind,
    /// The strength of the evidence.
    pub evidence: Evidence,
    /// The solver at fault.
    pub suspect: String,
    /// The explanation, one line.
    pub explanation: String,
    /// Equal for all sightings of one bug.
    pub fingerprint: String,
    /// How often it was seen.
    pub count: u64,
    /// Seconds into the campaign when it was first seen.
    pub seconds: f64,
    /// Whether the user's file of known bugs lists it.
    pub known: bool,
    /// Its folder.
    pub path: PathBuf,
    /// The first case that showed it, for `replay`.
    pub case: Option<u64>,
}

impl FindingView {
    /// The finding as documents for other programs show it.
    pub fn reported(&self, folder: &Path) -> DocumentedFinding {
        DocumentedFinding {
            kind: self.kind,
            evidence: self.evidence,
            suspect: self.suspect.clone(),
            fingerprint: self.fingerprint.clone(),
            explanation: self.explanation.clone(),
            script: folder.join(&self.path).join(CASE_FILE),
            count: self.count,
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct EarlierSessions {
    cases: u64,
    seconds: f64,
}

impl CampaignView {
    /// A campaign with this plan and the findings of earlier sessions.
    pub fn new(plan: &CampaignPlan, findings: &[FindingRecord]) -> Self {
        let own = |cases| plan.shard.unwrap_or_default().share_of(cases, plan.chain);
        let budget = Budget {
            seconds: plan.budget.seconds,
            cases: plan.budget.cases.map(own),
            findings: plan.budget.findings,
        };
        let (shard, solvers) = (plan.shard, plan.panel());
        let mut view = CampaignView { shard, budget, solvers, ..CampaignView::default() };
        findings.iter().for_each(|record| view.add(FindingView::from(record)));
        view
    }

    /// Updates the view with an event, except for the tally: see [`CampaignView::update_tally`].
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

    /// Updates the counts.
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

    /// Cases per second within the rate window; `None` until there are two samples.
    pub fn recent_rate(&self) -> Option<f64> {
        let ((then, few), (now, many)) = (self.pace.front()?, self.pace.back()?);
        (now - then > 0.5).then(|| many.saturating_sub(*few) as f64 / (now - then))
    }

    /// Cases per second since this session began.
    pub fn mean_rate(&self) -> Option<f64> {
        let seconds = self.tally.seconds - self.before.seconds;
        (seconds > 0.5).then(|| self.tally.cases.saturating_sub(self.before.cases) as f64 / seconds)
    }

    /// The used share of the budget, from 0 to 1: the largest of its parts.
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

    /// The findings that are not known bugs.
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

/// Describes a case, for the screen only.
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

/// Describes the classification of a seed, for the screen only.
fn seed_line(event: &Event) -> Option<String> {
    let short = |seed: &str| seed.rsplit('/').next().unwrap_or_default().to_owned();
    match event {
        Event::Classifying { seed } => Some(format!("determining the status of seed {}", short(seed))),
        Event::Classified { seed, status } => {
            Some(format!("seed {}: {}", short(seed), status.unwrap_or("unknown status")))
        }
        _ => None,
    }
}

/// Describes why a campaign ended.
pub fn stop_reason(why: &Stop) -> String {
    match why {
        Stop::Cases => "reached the case limit".to_owned(),
        Stop::Time => "reached the time limit".to_owned(),
        Stop::Findings => "reached the finding limit".to_owned(),
        Stop::Interrupted => "stopped on request".to_owned(),
        Stop::NoSolver => "all solvers failed".to_owned(),
        Stop::NoSeed => "no solver can solve any seed".to_owned(),
        Stop::Memory(why) => format!("too little memory: {why}"),
        Stop::Store(why) => format!("cannot write: {why}"),
        Stop::Session(why) => why.clone(),
    }
}
