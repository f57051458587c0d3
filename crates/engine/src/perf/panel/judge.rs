//! What the oracles say of a script, as `gainsay check` would: crashes, contradictions, models that do not satisfy.

use gainsay_smt::Script;

use super::Panel;
use crate::campaign::judge::{self, Inquiry, Models, Take, Trial};
use crate::campaign::team::{Bench, Way};
use crate::oracle::{Promise, Witness};
use crate::perf::localize::Seen;
use crate::prepare::Preparation;
use crate::solver::run::{Answer, Ask, Limits, Query, Run};

impl Panel<'_> {
    /// What the oracles say of a script. What looks wrong must look so in processes of their own, too.
    pub fn judge(&mut self, script: &Script) -> Result<Seen, String> {
        match self.judged(script, Way::Fast)? {
            Seen::Wrong(_) | Seen::Aside(_) => self.judged(script, Way::Fresh),
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
        let (findings, aside): (Vec<_>, Vec<_>) =
            judgement.findings.into_iter().partition(|finding| blames(&finding.suspect));
        if !findings.is_empty() {
            return Ok(Seen::Wrong(findings));
        }
        if !aside.is_empty() {
            return Ok(Seen::Aside(aside));
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
