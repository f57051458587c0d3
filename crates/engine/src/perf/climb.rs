//! Algorithm 1: one script, changed again and again by constructs that a bandit chooses.
//!
//! ```text
//! (fp.lt x (fp.add RNE x y))   0.1 s against 0.1 s
//! (fp.lt x (fp.rem x y))       1.4 s against 0.1 s     fp.rem is rewarded, and this script is changed next
//! ```
//!
//! Differences from the paper:
//!
//! * A climb begins with a script that all references solve. Where they do not there is no margin to be gained, and most of
//!   the time would be spent on waiting for everybody.
//! * A better score must be seen twice, and by more than the least difference, so that noise earns nothing.
//! * A change that is neither better nor worse earns nothing and is kept nevertheless. Most changes of an easy script make
//!   no difference that can be measured, and two of them together may. (The paper compares times as they are, so that
//!   noise does the same there, with rewards.)
//! * A climb that leads nowhere any more, or that is at the bound, begins anew from another script. One that has gained
//!   nothing yet is given up sooner, and much sooner if its script was not slow to begin with: few scripts are near to a slow
//!   one, and another draw is more likely to be than a change of one that is not. Nor does a script that is slow
//!   from the beginning tell which construct makes it so.

use gainsay_smt::Script;

use super::score::{Score, SolveEffort};
use super::{Peak, ScriptMeasure, SearchStep, SlowScriptSearch};
use crate::random::Rng;
use crate::schedule::Reward;

/// Divides the patience with a climb that has gained nothing and whose first script was not slow.
const GIVE_UP_DIVISOR: u64 = 10;

/// The same if its first script was slow.
const SLOW_GIVE_UP_DIVISOR: u64 = 3;

/// A script that is changed again and again.
#[derive(Debug, Clone)]
pub struct Climb {
    /// The script that is changed next.
    script: Script,
    /// The best score so far.
    score: Score,
    /// Its margin.
    margin: f64,
    /// Queries since it was reached.
    stale: u64,
    /// Changes for the better.
    gains: u64,
}

/// How a change compares with the best of its climb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarginChange {
    Better,
    Level,
    Worse,
}

impl SlowScriptSearch<'_> {
    /// Makes a query of a climb: its first script, or a change of it.
    pub(super) fn climb(
        &mut self,
        rng: &mut Rng,
        measure: &mut ScriptMeasure<'_>,
    ) -> Result<SearchStep, String> {
        let Some(climb) = self.climb.take() else {
            return self.begin(rng, measure);
        };
        let arm = self.scheduler.choose(rng);
        let Some(script) = self.changed(&climb.script, &self.constructs[arm], rng) else {
            // The construct does not fit into this script; it may fit into a new one.
            self.peaks.push(climb.score);
            return Ok(SearchStep::More);
        };
        let (score, change) = self.compared(&script, climb.margin, measure)?;
        self.note(&script, &score, Peak::No);
        let reward = match (score.margin, change) {
            (None, _) => Reward::Nothing,
            (_, MarginChange::Better) => Reward::Success,
            (_, MarginChange::Level | MarginChange::Worse) => Reward::Failure,
        };
        self.scheduler.learn(arm, reward);
        if !self.constructs[arm].is_in(&climb.script) {
            self.record.learn(arm, reward);
        }
        let next = self.next(&score);
        let over = next == SearchStep::Bound || score.is_at_bound(self.plan.limit);
        let climb = climb.after(script, score, change);
        if over || climb.stale >= self.patience(&climb) {
            self.peaks.push(climb.score);
        } else {
            self.climb = Some(climb);
        }
        Ok(next)
    }

    /// Measures a new script, and starts a climb from it if the margin can grow.
    fn begin(&mut self, rng: &mut Rng, measure: &mut ScriptMeasure<'_>) -> Result<SearchStep, String> {
        let script = self.fresh(rng);
        let score = measure(&script)?;
        self.begun = self.queries() + 1;
        self.note(&script, &score, Peak::No);
        let next = self.next(&score);
        if score.is_at_bound(self.plan.limit) {
            self.peaks.push(score);
        } else if let Some(margin) =
            score.margin.filter(|_| score.references.iter().all(SolveEffort::is_solved))
        {
            self.climb = Some(Climb { script, score, margin, stale: 0, gains: 0 });
        }
        Ok(next)
    }

    /// The number of changes without gain after which a climb is given up.
    fn patience(&self, climb: &Climb) -> u64 {
        let part = match climb.gains {
            0 if climb.margin > self.plan.least => SLOW_GIVE_UP_DIVISOR,
            0 => GIVE_UP_DIVISOR,
            _ => 1,
        };
        (self.plan.patience / part).max(1)
    }

    /// The score of a script, and its comparison with a margin; a better score is measured twice.
    fn compared(
        &self,
        script: &Script,
        margin: f64,
        measure: &mut ScriptMeasure<'_>,
    ) -> Result<(Score, MarginChange), String> {
        let change = |score: &Score| match score.margin {
            Some(new) if new > margin + self.plan.least => MarginChange::Better,
            Some(new)
                if new >= margin - self.plan.least && score.references.iter().all(SolveEffort::is_solved) =>
            {
                MarginChange::Level
            }
            _ => MarginChange::Worse,
        };
        let score = measure(script)?;
        if change(&score) != MarginChange::Better {
            let change = change(&score);
            return Ok((score, change));
        }
        let score = score.least(measure(script)?);
        let change = change(&score);
        Ok((score, change))
    }
}

impl Climb {
    /// The climb after a change. A level change replaces the script but not the score, so that margins do not erode.
    fn after(self, script: Script, score: Score, change: MarginChange) -> Climb {
        match (change, score.margin) {
            (MarginChange::Better, Some(margin)) => {
                Climb { script, score, margin, stale: 0, gains: self.gains + 1 }
            }
            (MarginChange::Level, _) => Climb { script, stale: self.stale + 1, ..self },
            _ => Climb { stale: self.stale + 1, ..self },
        }
    }
}
