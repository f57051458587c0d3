//! The question of a finding: does a script still show it? Same kind, same suspect, same fingerprint, evidence not weaker.
//!
//! Only the solvers that the finding needs are asked, the suspect first: if it does not misbehave, the others need not be
//! asked. They are asked by their fastest drivers; a yes is asked again of plain processes, so that every step of a reduction is
//! one that a user of the solvers sees. Then other releases of the suspect are asked, too: one that is right about the first
//! script must stay right, or the script would show another bug.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gainsay_smt::Script;
use gainsay_smt::horn::System;

use crate::campaign::judge::{Inquiry, Models, Take, Trial, judge};
use crate::campaign::team::{Bench, Member, Way, generous};
use crate::oracle::{Finding, FindingKind, Promise, Witness};
use crate::prepare::{Preparation, Prepared};
use crate::reduce::{Candidate, InterestingnessTest, TestOutcome};
use crate::seeds;
use crate::solver::outline::up_to_check;
use crate::solver::run::{Answer, Ask, Exit, Limits, Query, Run};
use crate::solver::runner::Setting;

/// Solvers that judge scripts, and how they get them.
pub struct Court<'a> {
    team: &'a [Member],
    setting: &'a Setting,
    limits: Limits,
    promise: Promise,
    /// Nothing if solvers get scripts as they are.
    preparation: Option<Preparation>,
    benches: Mutex<Vec<Bench<'a>>>,
    /// How each member did with the first script.
    paces: Mutex<Vec<Option<Pace>>>,
}

/// How a solver did with the first script.
#[derive(Debug, Clone, Copy)]
struct Pace {
    took: Duration,
    /// It was stopped before it said anything.
    hung: bool,
}

/// What a run may take in terms of what the first script took,
const PATIENCE: u32 = 2;
/// and beside it.
const EXTRA: Duration = Duration::from_millis(300);

/// How solvers get a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// As it stands.
    AsItIs,
    /// In the spelling of each solver, in a logic that holds it, as in a campaign.
    Prepared,
}

/// A script that solvers are asked about, under a limit of time.
#[derive(Clone, Copy)]
struct Matter<'s> {
    script: &'s Script,
    text: &'s str,
    way: Way,
    time: Option<Duration>,
}

impl<'a> Court<'a> {
    /// Of these solvers.
    pub fn new(
        team: &'a [Member],
        setting: &'a Setting,
        limits: Limits,
        spelling: Spelling,
        script: &Script,
    ) -> Self {
        let versioned: Vec<_> =
            team.iter().map(|member| (member.solver.clone(), member.subject.version.clone())).collect();
        let preparation = (spelling == Spelling::Prepared)
            .then(|| Preparation::new(&versioned, script.arena().signature()));
        // Nobody reads what a solver may have to say when its time is over.
        let limits = Limits { grace: Duration::ZERO, ..limits };
        let paces = Mutex::new(vec![None; team.len()]);
        Court {
            team,
            setting,
            limits,
            promise: Promise::Nothing,
            preparation,
            benches: Mutex::default(),
            paces,
        }
    }

    /// The solvers.
    pub fn team(&self) -> &'a [Member] {
        self.team
    }

    /// The same with something known of the answers, whatever the script.
    #[must_use]
    pub fn promising(self, promise: Promise) -> Self {
        Court { promise, ..self }
    }

    /// What is wrong with a script by all solvers, each in a process of its own. The error says who cannot be run.
    pub fn findings(&self, script: &Script, text: &str) -> Result<Vec<Finding>, String> {
        let all: Vec<usize> = (0..self.team.len()).collect();
        let matter = Matter { script, text, way: Way::Fresh, time: None };
        self.with_bench(|bench| self.judge(bench, matter, &all, None))
    }

    /// The question whether a script shows a finding that this one shows.
    pub fn question<'c>(
        &'c self,
        script: &Script,
        text: &str,
        target: Finding,
    ) -> Result<Shown<'c, 'a>, String> {
        let is_system = System::read(script).is_ok();
        let models = if target.kind == FindingKind::Model { Models::All } else { Models::IfNeeded };
        let (needed, guards, way) = (Vec::new(), Vec::new(), Way::Fresh);
        let mut shown = Shown { court: self, target, needed, guards, is_system, way, models };
        let mut all = shown.suspects_first();
        let suspects = all.iter().filter(|&&member| shown.is_suspect(member)).count();
        // Who said nothing of the first script has no part in the finding, and would be waited for again and again.
        let mut number = 0;
        all.retain(|&member| {
            number += 1;
            number <= suspects || !self.pace(member).is_some_and(|pace| pace.hung)
        });
        // The suspects alone, then with one more, then with all.
        let mut sets: Vec<Vec<usize>> = vec![all[..suspects].to_vec()];
        sets.extend(all[suspects..].iter().map(|&other| [&all[..suspects], &[other]].concat()));
        sets.push(all);
        if !shown.settle(&sets, script, text)? && shown.target.kind == FindingKind::Crash {
            shown.models = Models::All;
            shown.settle(&sets, script, text)?;
        }
        Ok(shown)
    }

    /// Lends solvers that are started already, if there are any that nobody uses.
    fn with_bench<T>(&self, work: impl FnOnce(&mut Bench<'a>) -> T) -> T {
        let lent = self.benches.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut bench = lent.unwrap_or_else(|| Bench::new(self.team, self.setting));
        let result = work(&mut bench);
        self.benches.lock().unwrap_or_else(PoisonError::into_inner).push(bench);
        result
    }

    fn pace(&self, member: usize) -> Option<Pace> {
        self.paces.lock().unwrap_or_else(PoisonError::into_inner)[member]
    }

    /// What a member may use.
    fn limits(&self, matter: Matter<'_>, member: usize) -> Limits {
        let most = self.limits.wall;
        let Some(time) = matter.time else {
            // The first script has all the time there is, once.
            let limits = if matter.way == Way::Fresh { generous(self.limits) } else { self.limits };
            return Limits { wall: most, ..limits };
        };
        let usual = self.pace(member).map_or(most, |pace| pace.took * PATIENCE + EXTRA);
        let limits = Limits { wall: time.min(usual).min(most), ..self.limits };
        if matter.way == Way::Fresh { generous(limits) } else { limits }
    }

    /// Asks some solvers, one after the other, as long as `target` is still possible, and judges what they say.
    fn judge(
        &self,
        bench: &mut Bench<'a>,
        matter: Matter<'_>,
        members: &[usize],
        target: Option<&Shown<'_, '_>>,
    ) -> Result<Vec<Finding>, String> {
        let prepared =
            self.preparation.as_ref().map(|preparation| preparation.prepare(matter.script, matter.text));
        let questions = seeds::questions(matter.script);
        let mut takes = Vec::new();
        for &member in members {
            let limits = self.limits(matter, member);
            let (text, excuse) = match prepared.as_ref().map(|prepared| prepared[member].clone()) {
                None => (matter.text.into(), self.quirk(member, matter.text)),
                Some(Prepared::Text { text, excuse }) => (text, excuse),
                Some(Prepared::Spared(_)) => continue,
            };
            let query = Query { script: &text, limits, ask: Ask::NOTHING };
            let run = bench.run(member, matter.way, &query)?;
            if target.is_none() {
                let hung = run.answers.is_empty() && matches!(run.exit, Exit::WallLimit | Exit::CpuLimit);
                self.paces.lock().unwrap_or_else(PoisonError::into_inner)[member] =
                    Some(Pace { took: run.wall, hung });
            }
            let subject = self.team[member].subject.clone();
            let take =
                Take { member, options: Vec::new(), subject, text, excuse, run, witnesses: Vec::new() };
            let take = take.counted(questions);
            if target.is_some_and(|shown| !shown.is_possible(&take)) {
                return Ok(Vec::new());
            }
            takes.push(take);
        }
        let models = target.map_or(Models::All, |shown| shown.models);
        let (script, promise) = (matter.script, self.promise);
        let trial = Trial { team: self.team, script, promise, made_for: None, models };
        let mut witnesses = Witnesses { court: self, bench, matter };
        Ok(judge(&trial, &mut takes, &mut Vec::new(), &mut witnesses).findings)
    }

    /// What may change a solver's answers to a text without being a bug.
    fn quirk(&self, member: usize, text: &str) -> Option<String> {
        use crate::solver::profile::Excuse;
        let Member { solver, subject } = &self.team[member];
        let mut quirks = solver.profile.quirks(text, subject.version.as_ref());
        quirks.find(|quirk| quirk.excuses == Excuse::Answers).map(|quirk| quirk.what.clone())
    }
}

/// Asks solvers for models.
struct Witnesses<'b, 'a, 's> {
    court: &'b Court<'a>,
    bench: &'b mut Bench<'a>,
    matter: Matter<'s>,
}

impl Inquiry for Witnesses<'_, '_, '_> {
    fn solver(&mut self, _: usize) -> Option<Take> {
        None
    }

    fn model(&mut self, take: &Take, check: usize) -> Witness {
        let query = up_to_check(&take.text, check).map(|script| Query {
            script,
            limits: self.court.limits(self.matter, take.member),
            ask: Ask::MODEL,
        });
        let run = query.and_then(|query| self.bench.run(take.member, self.matter.way, &query).ok());
        let Member { solver, subject } = &self.court.team[take.member];
        Witness::asked(&solver.profile, subject.version.as_ref(), &take.text, check, run)
    }

    fn aside(&mut self, member: usize, text: &str, ask: Ask) -> Option<Run> {
        let query = Query { script: text, limits: self.court.limits(self.matter, member), ask };
        self.bench.run(member, self.matter.way, &query).ok()
    }
}

/// Whether a script shows a finding.
pub struct Shown<'c, 'a> {
    court: &'c Court<'a>,
    /// The finding.
    pub target: Finding,
    /// The solvers that are asked, in this order.
    needed: Vec<usize>,
    /// Other releases of the suspect, which must not misbehave alike.
    guards: Vec<usize>,
    /// Whether the first script is a system of Horn clauses: what is none is another question to its solvers.
    is_system: bool,
    way: Way,
    /// Whether models are looked at for it: a model that is wrong, or a crash when one is asked for.
    models: Models,
}

impl<'a> Shown<'_, 'a> {
    /// The names of the solvers that are asked.
    pub fn solvers(&self) -> Vec<&str> {
        self.all().iter().map(|&member| self.court.team[member].subject.name.as_str()).collect()
    }

    /// Whether a script shows it, by plain processes.
    pub fn confirms(&self, script: &Script, text: &str) -> Result<bool, String> {
        let matter = Matter { script, text, way: Way::Fresh, time: None };
        self.court.with_bench(|bench| self.shows(bench, matter, &self.all()))
    }

    /// Finds out which of these sets of solvers shows it on the first script, and how they are asked. Whether any does.
    fn settle(&mut self, sets: &[Vec<usize>], script: &Script, text: &str) -> Result<bool, String> {
        for set in sets {
            for way in [Way::Fast, Way::Fresh] {
                self.needed.clone_from(set);
                self.way = way;
                let matter = Matter { script, text, way, time: None };
                if self.court.with_bench(|bench| self.shows(bench, matter, set))? {
                    self.post(script, text)?;
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn shows(&self, bench: &mut Bench<'a>, matter: Matter<'_>, members: &[usize]) -> Result<bool, String> {
        let findings = self.court.judge(bench, matter, members, Some(self))?;
        let is_guard = |finding: &Finding| {
            let mut guards = self.guards.iter().map(|&guard| &self.court.team[guard].subject.name);
            guards.any(|guard| finding.suspect.split(" and ").any(|suspect| suspect == guard))
        };
        let alike = |finding: &Finding| finding.kind == self.target.kind && !self.is_target(finding);
        Ok(findings.iter().any(|finding| self.is_target(finding))
            && !findings.iter().any(|finding| alike(finding) && is_guard(finding)))
    }

    /// Those that are needed, and the guards.
    fn all(&self) -> Vec<usize> {
        let guards = self.guards.iter().filter(|guard| !self.needed.contains(guard));
        self.needed.iter().chain(guards).copied().collect()
    }

    /// Makes those releases of the suspect guards that are not at fault themselves with this script.
    fn post(&mut self, script: &Script, text: &str) -> Result<(), String> {
        let court = self.court;
        let family = |member: usize| &court.team[member].subject.family;
        let suspects: Vec<usize> = (0..court.team.len()).filter(|&member| self.is_suspect(member)).collect();
        for member in 0..court.team.len() {
            let is_kin = suspects.iter().any(|&suspect| family(suspect) == family(member));
            let hung = court.pace(member).is_some_and(|pace| pace.hung);
            if !is_kin || hung || suspects.contains(&member) {
                continue;
            }
            self.guards.push(member);
            if !self.confirms(script, text)? {
                self.guards.pop();
            }
        }
        Ok(())
    }

    fn is_target(&self, finding: &Finding) -> bool {
        finding.kind == self.target.kind
            && finding.suspect == self.target.suspect
            && finding.evidence >= self.target.evidence
            && finding.fingerprint == self.target.fingerprint
    }

    fn is_suspect(&self, member: usize) -> bool {
        let name = &self.court.team[member].subject.name;
        self.target.suspect.split(" and ").any(|suspect| suspect == name)
    }

    fn suspects_first(&self) -> Vec<usize> {
        let (mut first, others): (Vec<usize>, Vec<usize>) =
            (0..self.court.team.len()).partition(|&member| self.is_suspect(member));
        first.extend(others);
        first
    }

    /// Whether the finding can still be made after what one solver did.
    fn is_possible(&self, take: &Take) -> bool {
        let says = |answer: Answer| take.run.answers.contains(&answer);
        match self.target.kind {
            _ if !self.is_suspect(take.member) => true,
            FindingKind::Crash if self.models == Models::All => take.crashed() || says(Answer::Sat),
            FindingKind::Crash => take.crashed(),
            FindingKind::Refutation => says(Answer::Unsat),
            FindingKind::Solution | FindingKind::Model => says(Answer::Sat),
            FindingKind::Disagreement | FindingKind::Promise => says(Answer::Sat) || says(Answer::Unsat),
            FindingKind::Performance => true,
        }
    }
}

impl InterestingnessTest for Shown<'_, '_> {
    fn test(&self, candidate: &Candidate<'_>) -> TestOutcome {
        let matter =
            Matter { script: candidate.script, text: candidate.text, way: self.way, time: candidate.timeout };
        if self.is_system && System::read(candidate.script).is_err() {
            return TestOutcome::Uninteresting;
        }
        let unwanted = || candidate.stop.load(Ordering::Relaxed);
        let shown = self.court.with_bench(|bench| {
            if unwanted() || !self.shows(bench, matter, &self.needed)? || unwanted() {
                return Ok(false);
            }
            let all = self.all();
            if self.way == Way::Fresh && all == self.needed {
                return Ok(true);
            }
            self.shows(bench, Matter { way: Way::Fresh, ..matter }, &all)
        });
        match shown {
            Ok(true) => TestOutcome::Interesting,
            Ok(false) => TestOutcome::Uninteresting,
            Err(why) => TestOutcome::Failed(why),
        }
    }
}
