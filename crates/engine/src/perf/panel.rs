//! The target and the references: what they take for a script, and what is wrong with what they say.

use std::sync::Arc;
use std::time::Duration;

use gainsay_smt::{Script, Signature};

use super::localize::Seen;
use super::score::{Effort, Score};
use crate::campaign::judge::{self, Inquiry, Models, Take, Trial};
use crate::campaign::team::{Bench, Member, Way};
use crate::oracle::{Promise, Witness};
use crate::prepare::{Preparation, Prepared};
use crate::seeds;
use crate::solver::run::{Answer, Ask, Exit, Limits, Query, Run};
use crate::solver::runner::Setting;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// CPU seconds of a process of its own.
    Cpu,
    /// The solver's own count of its work, beside what is usual for it.
    Work,
}

/// Solvers, the target first.
pub struct Panel<'a> {
    team: &'a [Member],
    bench: Bench<'a>,
    preparation: Preparation,
    limits: Limits,
    unit: Unit,
    /// What each solver's work is divided by.
    usual: Vec<f64>,
}

/// Work that counts as the limit, in terms of what is usual.
pub const WORK_LIMIT: f64 = 1000.0;

impl<'a> Panel<'a> {
    /// Of these solvers; each run may take so long.
    pub fn new(
        team: &'a [Member],
        setting: &'a Setting,
        timeout: Duration,
        memory: Option<u64>,
        unit: Unit,
        signature: &Arc<Signature>,
    ) -> Panel<'a> {
        let versioned: Vec<_> =
            team.iter().map(|member| (member.solver.clone(), member.subject.version.clone())).collect();
        let limits = Limits {
            // A busy machine may give less than a processor: it is CPU time that counts.
            wall: timeout * 3,
            cpu: Some(timeout),
            grace: Duration::ZERO,
            memory,
            ..Limits::default()
        };
        let preparation = Preparation::new(&versioned, signature);
        Panel {
            team,
            bench: Bench::new(team, setting),
            preparation,
            limits,
            unit,
            usual: vec![1.0; team.len()],
        }
    }

    /// What counts as the limit, in the unit of scores.
    pub fn limit(&self) -> f64 {
        match self.unit {
            Unit::Cpu => self.limits.cpu.unwrap_or(self.limits.wall).as_secs_f64(),
            Unit::Work => WORK_LIMIT,
        }
    }

    /// Whether a solver tells the work that it does.
    pub fn counts_work(&self) -> Result<(), String> {
        match self.team.iter().find(|member| member.solver.profile.work.is_none()) {
            Some(member) => Err(format!("{} does not count its work", member.subject.name)),
            None => Ok(()),
        }
    }

    /// What each solver takes for a script.
    pub fn efforts(&mut self, script: &Script) -> Result<Vec<Effort>, String> {
        let takes = self.takes(script, Way::Fresh)?;
        Ok(takes.into_iter().enumerate().map(|(member, take)| self.effort(member, take)).collect())
    }

    /// The score of a script.
    pub fn score(&mut self, script: &Script) -> Result<Score, String> {
        let mut efforts = self.efforts(script)?;
        let references = efforts.split_off(1);
        Ok(Score::new(efforts.remove(0), references, self.limit()))
    }

    /// Learns what work is usual from scripts, and says which solvers did not answer to any of them, and why.
    pub fn calibrate(&mut self, scripts: &[Script]) -> Result<Vec<(usize, String)>, String> {
        let mut works: Vec<Vec<f64>> = vec![Vec::new(); self.team.len()];
        let mut refusals: Vec<(usize, String)> = vec![(0, String::new()); self.team.len()];
        for script in scripts {
            for (member, take) in self.takes(script, Way::Fresh)?.into_iter().enumerate() {
                let work = take.as_ref().ok().and_then(|take| take.run.work);
                works[member].extend(work.map(|work| work as f64));
                if let Effort::Lost(why) = self.effort(member, take) {
                    refusals[member] = (refusals[member].0 + 1, why);
                }
            }
        }
        for (usual, mut works) in self.usual.iter_mut().zip(works) {
            works.sort_by(f64::total_cmp);
            *usual = works.get(works.len() / 2).copied().unwrap_or(1.0).max(1.0);
        }
        let deaf = refusals.into_iter().enumerate().filter(|(_, (count, _))| *count == scripts.len());
        Ok(deaf.map(|(member, (_, why))| (member, why)).collect())
    }

    fn effort(&self, member: usize, take: Result<Take, String>) -> Effort {
        let run = match take {
            Err(why) => return Effort::Lost(why),
            Ok(take) => take.run,
        };
        let kind = run.trouble.as_ref().map(|trouble| trouble.kind);
        let limited = matches!(run.exit, Exit::WallLimit | Exit::CpuLimit | Exit::MemoryLimit)
            || kind.is_some_and(crate::solver::trouble::TroubleKind::is_limit);
        match (run.answers.last(), &run.trouble) {
            (_, _) if limited => Effort::Unsolved,
            (_, Some(trouble)) => Effort::Lost(format!("{}: {trouble}", self.team[member].subject.name)),
            (Some(Answer::Unknown), None) => Effort::Unsolved,
            (Some(_), None) => match self.took(member, &run) {
                Some(took) if took >= self.limit() => Effort::Unsolved,
                Some(took) => Effort::Solved(took),
                None => Effort::Lost(format!("{} told no count of its work", self.team[member].subject.name)),
            },
            (None, None) => Effort::Lost(format!("{} did not answer", self.team[member].subject.name)),
        }
    }

    fn took(&self, member: usize, run: &Run) -> Option<f64> {
        match self.unit {
            Unit::Cpu => Some(run.cpu.as_secs_f64()),
            Unit::Work => run.work.map(|work| work as f64 / self.usual[member]),
        }
    }

    /// What each solver does with a script, or why it is not asked.
    fn takes(&mut self, script: &Script, way: Way) -> Result<Vec<Result<Take, String>>, String> {
        let text = script.to_string();
        let prepared = self.preparation.prepare(script, &text);
        let questions = seeds::questions(script);
        let mut takes = Vec::new();
        for (member, prepared) in prepared.into_iter().enumerate() {
            let name = &self.team[member].subject.name;
            takes.push(match prepared {
                Prepared::Spared(why) => Err(format!("{name} {why}")),
                Prepared::Text { text, excuse } => {
                    let ask = if self.unit == Unit::Work { Ask::WORK } else { Ask::NOTHING };
                    let run =
                        self.bench.run(member, way, &Query { script: &text, limits: self.limits, ask })?;
                    let subject = self.team[member].subject.clone();
                    let (options, witnesses) = (Vec::new(), Vec::new());
                    Ok(Take { member, options, subject, text, excuse, run, witnesses }.counted(questions))
                }
            });
        }
        Ok(takes)
    }

    /// What the oracles say of a script. What looks wrong must look so in processes of their own, too.
    pub fn judge(&mut self, script: &Script) -> Result<Seen, String> {
        match self.judged(script, Way::Fast)? {
            Seen::Wrong(_) => self.judged(script, Way::Fresh),
            seen => Ok(seen),
        }
    }

    fn judged(&mut self, script: &Script, way: Way) -> Result<Seen, String> {
        let mut takes = Vec::new();
        let mut why = None;
        for take in self.takes(script, way)? {
            match take {
                Ok(take) => takes.push(take),
                Err(spared) => why = Some(spared),
            }
        }
        let trial =
            Trial { team: self.team, script, promise: Promise::Nothing, made_for: None, models: Models::All };
        let mut witnesses =
            Witnesses { bench: &mut self.bench, preparation: &self.preparation, limits: self.limits, way };
        let judgement = judge::judge(&trial, &mut takes, &mut Vec::new(), &mut witnesses);
        let target = &self.team[0].subject.name;
        let blames = |suspect: &str| suspect.split(" and ").any(|name| name == target);
        let findings: Vec<_> =
            judgement.findings.into_iter().filter(|finding| blames(&finding.suspect)).collect();
        if !findings.is_empty() {
            return Ok(Seen::Wrong(findings));
        }
        // That nobody crashed says nothing: the target and another must have decided.
        let decided = |take: &Take| {
            let last = take.run.answers.last();
            take.excuse.is_none()
                && take.run.trouble.is_none()
                && last.is_some_and(|&answer| answer != Answer::Unknown)
        };
        let on_target = takes.iter().any(|take| take.member == 0 && decided(take));
        let on_others = takes.iter().any(|take| take.member != 0 && decided(take));
        Ok(if on_target && on_others {
            Seen::Fine
        } else {
            Seen::Undecided(why.unwrap_or_else(|| format!("{target} or all references did not decide")))
        })
    }
}

/// Asks solvers for models.
struct Witnesses<'b, 'a> {
    bench: &'b mut Bench<'a>,
    preparation: &'b Preparation,
    limits: Limits,
    way: Way,
}

impl Inquiry for Witnesses<'_, '_> {
    fn solver(&mut self, _: usize) -> Option<Take> {
        None
    }

    fn model(&mut self, take: &Take, check: usize) -> Witness {
        judge::witness(self.preparation, take, check, self.limits, |query| {
            self.bench.run(take.member, self.way, query).ok()
        })
    }

    fn aside(&mut self, member: usize, text: &str, ask: Ask) -> Option<Run> {
        self.bench.run(member, self.way, &Query { script: text, limits: self.limits, ask }).ok()
    }
}
