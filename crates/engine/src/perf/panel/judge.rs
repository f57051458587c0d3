//! Judges a script with the oracles, like `gainsay check`: crashes, contradictions, invalid models.

use gainsay_smt::Script;

use super::PerfPanel;
use crate::perf::localize::OracleJudgement;
use crate::session::panel::RunMode;
use crate::session::{ModelPolicy, PoolAccess, SolverRun, TrialSession};
use crate::solver::run::Answer;
use crate::trial::{Promise, Statement};

impl PerfPanel<'_> {
    /// Judges a script with the oracles. A finding must show in fresh processes, too.
    pub fn judge(&mut self, script: &Script) -> Result<OracleJudgement, String> {
        match self.judged(script, RunMode::Fast)? {
            OracleJudgement::Wrong(_) | OracleJudgement::Aside(_) => self.judged(script, RunMode::Fresh),
            seen => Ok(seen),
        }
    }

    fn judged(&mut self, script: &Script, mode: RunMode) -> Result<OracleJudgement, String> {
        let text = script.to_string();
        let mut session =
            TrialSession::new(self.panel, Some(script.clone()), text, Promise::Nothing, ModelPolicy::All);
        let mut why = None;
        for run in self.runs(script, mode)? {
            match run {
                Ok(run) => session.add(run),
                Err(spared) => why = Some(spared),
            }
        }
        let limits = self.limits();
        let mut access = PoolAccess { pool: &mut self.pool, mode, limits: &|_| limits };
        let judgement = session.judge(&mut Vec::new(), &mut access);
        let target = &self.panel[0].identity.name;
        let (findings, aside): (Vec<_>, Vec<_>) =
            judgement.findings.into_iter().partition(|finding| finding.suspects.contains(target));
        if !findings.is_empty() {
            return Ok(OracleJudgement::Wrong(findings));
        }
        if !aside.is_empty() {
            return Ok(OracleJudgement::Aside(aside));
        }
        // A script counts as fine only if the target and a reference decided it.
        let is_decided = |(run, statement): &(&SolverRun, &Statement)| {
            let last = statement.votes.last().filter(|_| statement.counts());
            run.run.trouble.is_none() && last.is_some_and(|vote| vote.answer != Answer::Unknown)
        };
        let decided = session.runs.iter().zip(&session.trial.statements).filter(is_decided);
        let (on_target, on_others): (Vec<usize>, Vec<usize>) =
            decided.map(|(run, _)| run.solver).partition(|&solver| solver == 0);
        let (on_target, on_others) = (!on_target.is_empty(), !on_others.is_empty());
        Ok(if on_target && on_others {
            OracleJudgement::Fine
        } else {
            OracleJudgement::Undecided(
                why.unwrap_or_else(|| format!("{target} or all references did not decide")),
            )
        })
    }
}
