//! The queue: groups of triggers in the order in which to report them to maintainers.
//!
//! Wrong unsats come before wrong sats, then invalid models, then the rest; bugs of the newest release come before fixed ones;
//! proved ones before others. A mere disagreement, or a bug that the newest release is not known to have, is never due: it is at
//! the end of the list, for people to look at.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use gainsay_smt::{Script, Signature};

use super::bisect::Bisection;
use super::groups::{Trigger, group};
use super::record::{Stage, TriageRecord};
use super::shape::Shape;
use crate::finding::{Evidence, FindingKind};
use crate::solver::backtrace;
use crate::solver::version::Version;

/// A group of triggers that show the same bug.
#[derive(Debug, Clone)]
pub struct Bug<'a> {
    /// A short name: kind, code base and the look of the script.
    pub name: String,
    /// The one to show.
    pub lead: &'a TriageRecord,
    /// The others.
    pub others: Vec<&'a TriageRecord>,
    /// The week in which to file it, from 1; `None` if it should not be filed.
    pub week: Option<usize>,
}

/// Why a bug is not due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HoldReason {
    /// It is not known which solver is wrong.
    Unsure,
    /// A later release than the last affected one does not have it.
    Fixed,
    /// The newest release does not decide the script, or could not be asked.
    NewestUndecided,
    /// The command of the report does not show it.
    NotReproduced,
}

impl HoldReason {
    /// The reason, for people.
    pub fn words(self) -> &'static str {
        match self {
            HoldReason::Unsure => "it is not known which solver is wrong",
            HoldReason::Fixed => "a later release does not have it",
            HoldReason::NewestUndecided => "it is not known whether the newest release has it",
            HoldReason::NotReproduced => "the command of the report does not show it",
        }
    }
}

/// The place of a local build among the releases that were asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuildPlace<'a> {
    /// After the newest one, or a build of it.
    Newest,
    /// Before the newest one: a build of this version.
    Older(&'a Version),
    /// It does not tell its version.
    Unknown,
}

impl Bug<'_> {
    /// The place of the suspect among the releases; `None` if it is a release itself.
    pub fn build_place(&self) -> Option<BuildPlace<'_>> {
        self.lead.found.as_ref().filter(|found| found.is_local_build())?;
        let newest = self.lead.bisection.as_ref().and_then(Bisection::newest);
        Some(match (&self.lead.build_version, newest) {
            (None, _) => BuildPlace::Unknown,
            (Some(build), Some((newest, _))) if build < newest => BuildPlace::Older(build),
            (Some(_), _) => BuildPlace::Newest,
        })
    }

    /// Whether the newest release that was asked still has it, if known. A local build that is not older counts as the newest one.
    pub fn is_still_there(&self) -> Option<bool> {
        match self.build_place() {
            Some(BuildPlace::Newest | BuildPlace::Unknown) => Some(true),
            Some(BuildPlace::Older(_)) | None => self.lead.bisection.as_ref()?.newest()?.1,
        }
    }

    /// Why it should not be reported to the maintainers; `None` if it should.
    pub fn hold_reason(&self) -> Option<HoldReason> {
        let found = self.lead.found.as_ref();
        let is_sure = found.is_some_and(|found| found.evidence > Evidence::Disagreement);
        let bisection = self.lead.bisection.as_ref();
        let fixed_in = match self.build_place() {
            Some(BuildPlace::Older(build)) => bisection.and_then(|bisection| bisection.fixed_after(build)),
            _ => bisection.and_then(Bisection::fixed_in),
        };
        let is_fixed = fixed_in.is_some();
        match self.is_still_there() {
            _ if !is_sure => Some(HoldReason::Unsure),
            Some(false) => Some(HoldReason::Fixed),
            None if is_fixed => Some(HoldReason::Fixed),
            None => Some(HoldReason::NewestUndecided),
            Some(true) if self.lead.reproduction.as_ref().is_some_and(|run| !run.shows) => {
                Some(HoldReason::NotReproduced)
            }
            Some(true) => None,
        }
    }
}

/// Groups all triggers that are done, and orders the groups, `quota` a week.
pub fn queue(records: &[TriageRecord], quota: usize) -> Vec<Bug<'_>> {
    let done: Vec<(&TriageRecord, Trigger)> = records
        .iter()
        .filter(|record| record.stage == Stage::Bisected)
        .filter_map(|record| Some((record, trigger(record)?)))
        .collect();
    let triggers: Vec<Trigger> = done.iter().map(|(_, trigger)| trigger.clone()).collect();
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    let mut bugs: Vec<Bug<'_>> = Vec::new();
    for group in group(&triggers) {
        let mut members = group.members.iter().map(|&at| done[at].0);
        let Some(lead) = members.next() else { continue };
        let name = unique(&triggers[group.members[0]], &mut taken);
        bugs.push(Bug { name, lead, others: members.collect(), week: None });
    }
    bugs.sort_by_key(rank);
    let due = bugs.iter_mut().filter(|bug| bug.hold_reason().is_none());
    due.enumerate().for_each(|(place, bug)| bug.week = Some(place / quota.max(1) + 1));
    bugs
}

/// The features of a record that tell which bug it shows; `None` if its script cannot be parsed.
fn trigger(record: &TriageRecord) -> Option<Trigger> {
    let found = record.found.as_ref()?;
    let script = Script::parse(record.best(), &Signature::standard()).ok()?;
    let name = found.first_suspect();
    let is_crash = found.fingerprint.kind() == FindingKind::Crash;
    // If releases of a solver disagree among themselves, the disagreement becomes a finding of that kind, with weaker evidence.
    let told = record.bisection.as_ref().and_then(|bisection| bisection.kind);
    let (kind, family) = match (found.kind, told, &name) {
        (FindingKind::Disagreement | FindingKind::Promise, Some(kind), Some(name))
            if found.family.split('/').any(|family| family == name.profile) =>
        {
            (kind, name.profile.clone())
        }
        _ => (found.kind, found.family.clone()),
    };
    Some(Trigger {
        name: record.name.clone(),
        family,
        kind,
        evidence: found.evidence,
        crash: is_crash.then(|| found.fingerprint.clone()),
        crash_site: crash_site(record),
        options: name.map(|name| name.options).unwrap_or_default(),
        bytes: record.best().len(),
        shape: Shape::of(&script),
        versions: record.telling().map(|bisection| bisection.versions.clone()).unwrap_or_default(),
    })
}

/// The innermost functions on the stack of a crash, which is known if the command of its report ran under a debugger.
fn crash_site(record: &TriageRecord) -> Vec<String> {
    let stack = record.reproduction.as_ref().and_then(|run| run.backtrace.as_deref());
    stack.map(backtrace::crash_site).unwrap_or_default().into_iter().map(str::to_owned).collect()
}

fn unique(trigger: &Trigger, taken: &mut BTreeMap<String, usize>) -> String {
    let family = trigger.family.replace('/', "-");
    let name = format!("{}-{family}-{}", trigger.kind.name(), &trigger.shape.mark[..8]);
    let count = taken.entry(name.clone()).or_default();
    *count += 1;
    if *count == 1 { name } else { format!("{name}-{count}") }
}

type FilingRank = (bool, usize, Reverse<Evidence>, usize, String);

fn rank(bug: &Bug<'_>) -> FilingRank {
    let found = bug.lead.found.as_ref();
    (
        bug.hold_reason().is_some(),
        found.map_or(usize::MAX, |found| found.kind.severity()),
        Reverse(found.map_or(Evidence::Disagreement, |found| found.evidence)),
        bug.lead.best().len(),
        bug.name.clone(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Fingerprint;
    use crate::triage::bisect::{ReleaseList, ReleaseResult};
    use crate::triage::record::ConfirmedFinding;
    use crate::triage::truth::Truth;

    fn record(name: &str, kind: FindingKind, evidence: Evidence, newest: bool) -> TriageRecord {
        let entry = |version: &str, affected| ReleaseResult {
            version: version.parse().unwrap(),
            affected: Some(affected),
            said: "sat".into(),
            why: String::new(),
        };
        let script =
            format!("(declare-const x Int)(assert (< x (abs {}x)))(check-sat)", "(+ x ".repeat(name.len()));
        let script = script.replace("x)))(", &format!("x{})))(", " 1)".repeat(name.len())));
        TriageRecord {
            stage: Stage::Bisected,
            found: Some(ConfirmedFinding {
                kind,
                suspects: "z3@4.8.10".into(),
                needs_model: false,
                family: "z3".into(),
                evidence,
                fingerprint: Fingerprint::new(kind, "z3", ""),
                explanation: String::new(),
            }),
            bisection: Some(Bisection {
                kind: Some(kind),
                evidence: Some(evidence),
                truth: Truth::default(),
                versions: vec![entry("4.8.10", true), entry("5.4.0", newest)],
                listed: ReleaseList::Installed,
                witness: None,
                stopped: false,
            }),
            ..TriageRecord::new(name, script, vec!["z3@4.8.10".into()])
        }
    }

    #[test]
    fn a_disagreement_joins_what_it_is_by_its_releases_and_does_not_lead() {
        let sure = record("a", FindingKind::Solution, Evidence::Corroborated, false);
        let mut unsure = record("b", FindingKind::Disagreement, Evidence::Disagreement, false);
        unsure.bisection.as_mut().unwrap().kind = Some(FindingKind::Solution);
        let records = [unsure, sure];
        let bugs = queue(&records, 3);
        assert_eq!((bugs.len(), bugs[0].lead.name.as_str(), bugs[0].others.len()), (1, "a", 1));
    }

    #[test]
    fn only_what_the_newest_release_has_and_the_command_shows_is_due() {
        let with = |releases: &str| {
            let bisection = Some(crate::triage::release_boundary::tests::bisection(releases));
            TriageRecord { bisection, ..record("a", FindingKind::Refutation, Evidence::Proved, true) }
        };
        let held = |record: TriageRecord| {
            let records = [record];
            queue(&records, 3)[0].hold_reason()
        };
        assert_eq!(held(with(".XX")), None);
        assert_eq!(held(with("XX.")), Some(HoldReason::Fixed));
        assert_eq!(held(with("XX.u")), Some(HoldReason::Fixed), "a later release is right");
        assert_eq!(held(with("XX-")), Some(HoldReason::NewestUndecided));
        let run = |shows| crate::triage::reproduction::Reproduction {
            solver: "z3@3".into(),
            command: vec!["z3".into()],
            script: String::new(),
            output: String::new(),
            errors: String::new(),
            exit: "exit code 0".into(),
            shows,
            backtrace: None,
        };
        let ran = |shows| TriageRecord { reproduction: Some(run(shows)), ..with(".XX") };
        assert_eq!((held(ran(true)), held(ran(false))), (None, Some(HoldReason::NotReproduced)));
        let mut local = with("...");
        local.found.as_mut().unwrap().suspects = "z3=./build/z3".into();
        let build = |version: Option<&str>, releases: &str| {
            let (build_version, bisection) =
                (version.map(|text| text.parse().unwrap()), with(releases).bisection);
            held(TriageRecord { build_version, bisection, ..local.clone() })
        };
        assert_eq!(build(None, "..."), None, "a build without a version cannot be placed");
        assert_eq!(build(Some("4"), "..."), None, "a regression since the newest release");
        assert_eq!(build(Some("3"), "..."), None, "a build that differs from the newest release");
        assert_eq!(build(Some("1"), "..."), Some(HoldReason::Fixed));
        assert_eq!(build(Some("1"), "X.u"), Some(HoldReason::Fixed));
        assert_eq!(build(Some("2"), "X.-"), Some(HoldReason::NewestUndecided));
        assert_eq!(build(Some("2"), "..X"), None, "the newest release has it, too");
    }

    #[test]
    fn the_queue_goes_by_severity_and_holds_back_what_is_mended_or_unsure() {
        use Evidence::{Disagreement, Proved};
        let records = [
            record("a", FindingKind::Crash, Proved, true),
            record("b", FindingKind::Model, Proved, true),
            record("c", FindingKind::Refutation, Proved, false),
            record("d", FindingKind::Refutation, Proved, true),
            record("e", FindingKind::Disagreement, Disagreement, true),
            record("f", FindingKind::Solution, Proved, true),
            TriageRecord { stage: Stage::Flaky, ..record("g", FindingKind::Refutation, Proved, true) },
        ];
        let bugs = queue(&records, 3);
        let told: Vec<(&str, Option<usize>)> =
            bugs.iter().map(|bug| (bug.lead.name.as_str(), bug.week)).collect();
        assert_eq!(
            told,
            [("d", Some(1)), ("f", Some(1)), ("b", Some(1)), ("a", Some(2)), ("c", None), ("e", None)]
        );
    }
}
