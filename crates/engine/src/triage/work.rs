//! The work on one trigger, a step at a time: confirm, reduce, bisect.
//!
//! Confirming asks more solvers than the campaign did, the newest of every code base that is installed, so that what was a
//! mere disagreement may find its culprit. What does not repeat is called flaky, what never shows is gone, and neither is
//! worked on any further.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use gainsay_smt::{Script, Signature};

use super::bisect::{Bisection, Inquest, Scope, bisect};
use super::memory::Memory;
use super::question::{Court, Spelling};
use super::record::{Found, Record, Stage};
use super::releases;
use super::testimony::{Matter, Testimony};
use super::truth::Voice;
use crate::campaign::team::Member;
use crate::oracle::{Finding, Kind, Subject};
use crate::reduce::{self, End, Settings};
use crate::seeds;
use crate::solver::name::{Origin, SolverName};
use crate::solver::process::RunError;
use crate::solver::resolve::{Places, Solver};
use crate::solver::run::Limits;
use crate::solver::runner::Setting;

/// How often a trigger must show the same to be no fluke.
const TIMES: usize = 2;

/// What the work needs.
pub struct Workshop<'a> {
    /// Where solvers are.
    pub places: Places<'a>,
    /// How they are started.
    pub setting: &'a Setting,
    /// What releases have said.
    pub memory: Memory,
    /// What each run may use.
    pub limits: Limits,
    /// How long one reduction may take; what is smallest by then is taken.
    pub patience: Duration,
    /// Solvers that were asked whether they work.
    pub invited: Mutex<BTreeMap<String, Member>>,
}

impl Workshop<'_> {
    /// Does the next step of a trigger; nothing if it was stopped before that was done.
    pub fn step(&self, record: &Record, stop: &AtomicBool) -> Option<Record> {
        let done = match record.stage {
            Stage::New | Stage::Stuck => self.confirm(record),
            Stage::Confirmed => self.reduce(record, stop),
            Stage::Reduced => self.bisect(record, stop),
            Stage::Gone | Stage::Flaky | Stage::Bisected => Ok(Some(record.clone())),
        };
        match done {
            Err(_) | Ok(None) if stop.load(Ordering::Relaxed) => None,
            Err(why) => Some(Record { stage: Stage::Stuck, note: why, ..record.clone() }),
            Ok(done) => done,
        }
    }

    fn confirm(&self, record: &Record) -> Result<Option<Record>, String> {
        let script = parse(&record.script)?;
        let mut record = record.clone();
        let suspects = self.team(&record.solvers)?;
        let team = self.with_referees(suspects);
        let court = Court::new(&team, self.setting, self.limits, Spelling::Prepared, &script);
        let mut seen = Vec::new();
        for _ in 0..TIMES {
            seen.push(pick(court.findings(&script, &record.script)?, &record));
        }
        let same = |one: &Finding, other: &Finding| {
            (one.kind, &one.suspect, &one.fingerprint) == (other.kind, &other.suspect, &other.fingerprint)
        };
        record.note.clear();
        match seen.as_slice() {
            [Some(first), rest @ ..]
                if rest.iter().flatten().filter(|one| same(one, first)).count() == rest.len() =>
            {
                record.found = Some(Found::from(first));
                record.solvers = team.iter().map(|member| member.subject.name.clone()).collect();
                record.stage = Stage::Confirmed;
            }
            seen if seen.iter().all(Option::is_none) => {
                record.stage = Stage::Gone;
                "no solver is wrong about it any more".clone_into(&mut record.note);
            }
            _ => {
                record.stage = Stage::Flaky;
                "it does not show the same each time".clone_into(&mut record.note);
            }
        }
        Ok(Some(record))
    }

    fn reduce(&self, record: &Record, stop: &AtomicBool) -> Result<Option<Record>, String> {
        let found = record.found.as_ref().ok_or("nothing was confirmed")?;
        let script = parse(&record.script)?;
        let text = script.to_string();
        let team = self.team(&record.solvers)?;
        let court = Court::new(&team, self.setting, self.limits, Spelling::Prepared, &script);
        let begin = Instant::now();
        let is_it = |finding: &Finding| {
            finding.suspect == found.suspect && finding.fingerprint.as_str() == found.fingerprint
        };
        let Some(target) = court.findings(&script, &text)?.into_iter().find(is_it) else {
            let note = "it does not show the same each time".to_owned();
            return Ok(Some(Record { stage: Stage::Flaky, note, ..record.clone() }));
        };
        let question = court.question(&script, &text, target)?;
        let settings = Settings { jobs: 1, first: Some(begin.elapsed()), longest: self.limits.wall };
        let (enough, started) = (AtomicBool::new(false), Instant::now());
        let mut watch = |_: reduce::Progress<'_>| {
            let over = started.elapsed() > self.patience || stop.load(Ordering::Relaxed);
            enough.fetch_or(over, Ordering::Relaxed);
        };
        let reduced = reduce::run(&script, &question, settings, &enough, &mut watch);
        let note = match reduced.end {
            End::Stopped if stop.load(Ordering::Relaxed) => return Ok(None),
            End::Stopped => format!("the reduction was ended after {} s", self.patience.as_secs()),
            End::Broken(why) => format!("the reduction ended early: {why}"),
            End::Done => String::new(),
        };
        Ok(Some(Record { stage: Stage::Reduced, reduced: Some(reduced.text), note, ..record.clone() }))
    }

    fn bisect(&self, record: &Record, stop: &AtomicBool) -> Result<Option<Record>, String> {
        let found = record.found.as_ref().ok_or("nothing was confirmed")?;
        let done = Record { stage: Stage::Bisected, ..record.clone() };
        let names = found.suspect.split(" and ").filter_map(|name| name.parse::<SolverName>().ok());
        let mut managed = names.filter(|name| matches!(name.origin, Origin::Managed(_)));
        let Some(name) = managed.next() else {
            let note = format!("{} is no release, so there is nothing to compare", found.suspect);
            return Ok(Some(Record { note, ..done }));
        };
        let bisection = self.releases_of(record.best(), &name, found.kind, stop)?;
        if bisection.stopped {
            return Ok(None);
        }
        let before = self.releases_of(&record.script, &name, found.kind, stop)?;
        if before.stopped {
            return Ok(None);
        }
        let note = slip(&before, &bisection).unwrap_or_else(|| record.note.clone());
        Ok(Some(Record { bisection: Some(bisection), note, ..done }))
    }

    /// Which installed releases are wrong in that way about a script.
    pub fn releases_of(
        &self,
        text: &str,
        name: &SolverName,
        kind: Kind,
        stop: &AtomicBool,
    ) -> Result<Bisection, String> {
        let script = parse(text)?;
        let matter = Matter { script: &script, text, limits: self.limits };
        let known = releases::installed(&self.places, name).map_err(|error| error.to_string())?;
        let family =
            self.places.profiles.get(&name.profile).map_err(|error| error.to_string())?.family.clone();
        let heard = self.references(&matter, name, &family)?;
        let voices: Vec<Voice<'_>> = heard.iter().map(|(subject, testimony)| (subject, testimony)).collect();
        let inquest = Inquest {
            suspect: &Subject { name: name.profile.clone(), family, version: None },
            releases: &known,
            scope: Scope::Installed,
            references: &voices,
            questions: seeds::questions(&script),
            expected: None,
            kind: Some(kind).filter(|kind| !matches!(kind, Kind::Disagreement | Kind::Promise)),
        };
        let mut ask = |release: &super::bisect::Release| -> Result<Testimony, RunError> {
            let Ok(solver) = releases::release(&self.places, name, &release.version) else {
                return Ok(Testimony::silent("it cannot be started"));
            };
            let subject = releases::subject(&solver, self.setting)?;
            self.memory.ask(&matter, &solver, &subject, self.setting)
        };
        bisect(&inquest, &mut ask, &mut |_, _| {}, stop).map_err(|error| error.to_string())
    }

    /// What other code bases say, and the newest release of the suspect.
    fn references(
        &self,
        matter: &Matter<'_>,
        name: &SolverName,
        family: &str,
    ) -> Result<Vec<(Subject, Testimony)>, String> {
        let ask = |solver: Solver| {
            let subject = releases::subject(&solver, self.setting)?;
            let testimony = self.memory.ask(matter, &solver, &subject, self.setting)?;
            Ok::<_, RunError>((subject, testimony))
        };
        let newest = releases::newest(&self.places, name);
        let solvers = releases::others(&self.places, family).into_iter().chain(newest);
        solvers.map(ask).collect::<Result<_, _>>().map_err(|error| error.to_string())
    }

    /// The solvers of these names, each asked once whether it works.
    fn team(&self, names: &[String]) -> Result<Vec<Member>, String> {
        names.iter().map(|name| self.invite(name)).collect()
    }

    fn invite(&self, text: &str) -> Result<Member, String> {
        let known = |invited: &BTreeMap<String, Member>| invited.get(text).cloned();
        if let Some(member) = known(&self.invited.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(member);
        }
        let name: SolverName = text.parse().map_err(|error| format!("{text}: {error}"))?;
        let solver = self.places.resolve(&name).map_err(|error| error.to_string())?;
        let member = Member::invite(&solver, self.setting).map_err(|error| error.to_string())?;
        self.invited.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned(), member.clone());
        Ok(member)
    }

    /// The team with the newest release of every code base that is installed.
    fn with_referees(&self, mut team: Vec<Member>) -> Vec<Member> {
        for solver in releases::others(&self.places, "") {
            let name = solver.name.to_string();
            let is_there = |member: &Member| member.subject.name == name;
            if !team.iter().any(is_there)
                && let Ok(member) = self.invite(&name)
            {
                team.push(member);
            }
        }
        team
    }
}

/// The finding that a record is about, among those of a judgement.
fn pick(findings: Vec<Finding>, record: &Record) -> Option<Finding> {
    let suspected = |finding: &Finding| {
        finding.suspect.split(" and ").any(|suspect| record.solvers.iter().any(|solver| solver == suspect))
    };
    let is_it = |finding: &Finding| match &record.seen_as {
        None => true,
        Some(seen) if seen.starts_with("crash ") => finding.fingerprint.as_str() == seen,
        // With more solvers asked a disagreement may become something else of the same code base.
        Some(seen) => {
            let families = seen.split(' ').nth(1).unwrap_or_default();
            finding.kind != Kind::Crash
                && finding
                    .fingerprint
                    .family()
                    .split('/')
                    .any(|one| families.split('/').any(|other| one == other))
        }
    };
    let fitting = findings.into_iter().filter(|finding| suspected(finding) && is_it(finding));
    fitting
        .min_by_key(|finding| (finding.kind.severity(), Reverse(finding.evidence), finding.suspect.clone()))
}

/// The words for it if a reduced script vanishes at another release than the one that was found: a reduction keeps the kind of
/// wrongness, and may slip from one bug to another of that kind.
fn slip(before: &Bisection, after: &Bisection) -> Option<String> {
    let (before, after) = (before.last_bad()?, after.last_bad()?);
    let told = format!("last seen in {after}; what it was reduced from, in {before}: they may be two bugs");
    (before != after).then_some(told)
}

fn parse(text: &str) -> Result<Script, String> {
    let script =
        Script::parse(text, &Signature::standard()).map_err(|error| format!("it cannot be read: {error}"))?;
    if seeds::questions(&script) == 0 { Err("nothing is asked in it".to_owned()) } else { Ok(script) }
}
