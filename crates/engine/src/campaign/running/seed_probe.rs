//! Seed probes: the result of each solver on a seed itself, in a few bytes.
//!
//! A mutant usually takes as long as its seed or for ever. So the time of a solver on the seed limits its time on a mutant;
//! otherwise a campaign would spend most of its time waiting for timeouts. CPU time is used, so that a loaded machine changes
//! nothing.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::campaign::ask_once::{Halted, OnceAsked};
use crate::solver::run::Run;
use crate::solver::trouble::TroubleKind;
use crate::trial::evidence::Belief;

/// The probes of a campaign's seeds.
#[derive(Debug)]
pub struct SeedProbes {
    seeds: Vec<OnceAsked<SeedProbe>>,
    /// Seeds whose probe an earlier session has recorded already.
    recorded: Vec<bool>,
    /// The number of seeds that no solver can handle.
    hopeless: AtomicUsize,
}

/// The result of each solver on one seed: no trouble, or the trouble that keeps it from the mutants.
#[derive(Debug, Clone)]
pub struct SeedProbe {
    troubles: Box<[u8]>,
    /// CPU time in microseconds.
    costs: Box<[u32]>,
    /// The believed answer of the seed.
    belief: Belief,
    /// Whether nothing speaks against the answers that the seed claims.
    upholds_claims: bool,
}

/// The least CPU time that a mutant gets.
const MIN_ALLOWANCE: Duration = Duration::from_millis(100);

const NO_TROUBLE: u8 = 0;
const NOT_ASKED: u8 = u8::MAX;

impl SeedProbes {
    /// For seeds of which some were probed in an earlier session.
    pub fn new(recorded: Vec<bool>) -> Self {
        let seeds = recorded.iter().map(|_| OnceAsked::default()).collect();
        SeedProbes { seeds, recorded, hopeless: AtomicUsize::new(0) }
    }

    /// The probe of a seed, if it was made in this session.
    pub fn known(&self, seed: usize) -> Option<&SeedProbe> {
        self.seeds[seed].get()
    }

    /// The probe of a seed; the first caller makes it, others wait.
    pub fn get(
        &self,
        seed: usize,
        find_out: impl FnOnce() -> Result<SeedProbe, Halted>,
    ) -> Result<&SeedProbe, Halted> {
        self.seeds[seed].get_or_ask(|| {
            let probe = find_out()?;
            if probe.is_hopeless() {
                self.hopeless.fetch_add(1, Ordering::Relaxed);
            }
            Ok(probe)
        })
    }

    /// Returns true if an earlier session has recorded the probe.
    pub fn is_recorded(&self, seed: usize) -> bool {
        self.recorded[seed]
    }

    /// Returns true if no solver can handle any of the seeds.
    pub fn all_hopeless(&self) -> bool {
        self.hopeless.load(Ordering::Relaxed) == self.seeds.len()
    }
}

impl SeedProbe {
    /// A probe from the run of each solver; `None` for those that were not asked.
    pub fn new(runs: &[Option<&Run>]) -> Self {
        let cost = |run: &Run| u32::try_from(run.cpu.as_micros()).unwrap_or(u32::MAX);
        SeedProbe {
            troubles: runs.iter().map(|run| run.map_or(NOT_ASKED, code)).collect(),
            costs: runs.iter().map(|run| run.map_or(0, cost)).collect(),
            belief: Belief::default(),
            upholds_claims: true,
        }
    }

    /// Adds the believed answer.
    #[must_use]
    pub fn believing(self, belief: Belief) -> Self {
        SeedProbe { belief, ..self }
    }

    /// Adds whether the solvers contradict none of the answers that the seed claims.
    #[must_use]
    pub fn upholding_claims(self, upholds_claims: bool) -> Self {
        SeedProbe { upholds_claims, ..self }
    }

    /// Returns true if nothing speaks against the answers that the seed claims.
    pub fn upholds_claims(&self) -> bool {
        self.upholds_claims
    }

    /// The believed answer of the seed.
    pub fn belief(&self) -> &Belief {
        &self.belief
    }

    /// The CPU time that a solver gets for a mutant: `patience` times that of the seed; `None` if unlimited.
    pub fn allowance(&self, solver: usize, patience: u32) -> Option<Duration> {
        let cost = Duration::from_micros(u64::from(self.costs[solver]));
        (patience > 0).then(|| cost.saturating_mul(patience).max(MIN_ALLOWANCE))
    }

    /// Why a solver does not get the mutants of this seed, if so.
    pub fn spares(&self, solver: usize) -> Option<String> {
        match self.troubles[solver] {
            NO_TROUBLE | NOT_ASKED => None,
            code => {
                let kind = TroubleKind::ALL[usize::from(code) - 1];
                let what = if kind.is_limit() { "runs into a limit on" } else { "rejects" };
                Some(format!("{what} the seed ({kind})"))
            }
        }
    }

    fn is_hopeless(&self) -> bool {
        self.troubles.iter().all(|&code| code != NO_TROUBLE)
    }
}

/// The prediction of a run for mutants of its script. A solver that crashes on the seed would crash on most of them.
fn code(run: &Run) -> u8 {
    let kind = run.trouble.as_ref().map(|trouble| trouble.kind);
    let kind = kind.filter(|kind| {
        kind.is_rejection() && !run.is_harmlessly_rejected()
            || kind.is_limit()
            || kind.is_crash()
            || *kind == TroubleKind::Garbage
    });
    let at = kind.and_then(|kind| TroubleKind::ALL.iter().position(|known| *known == kind));
    at.map_or(NO_TROUBLE, |at| u8::try_from(at + 1).unwrap_or(NO_TROUBLE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::run::Answer;
    use crate::solver::trouble::Trouble;
    use crate::trial::tests::{run, troubled};

    #[test]
    fn a_solver_is_spared_the_mutants_of_what_it_cannot_do() {
        let fine = run(&[Answer::Sat]);
        let slow = troubled(&[], Trouble::new(TroubleKind::TimeOut, "x"), "");
        let lost = troubled(&[], Trouble::new(TroubleKind::ParseError, "x"), "");
        let probe = SeedProbe::new(&[Some(&fine), Some(&slow), Some(&lost), None]);
        assert_eq!(probe.spares(0), None);
        assert_eq!(probe.spares(1).unwrap(), "runs into a limit on the seed (time-out)");
        assert_eq!(probe.spares(2).unwrap(), "rejects the seed (parse-error)");
        assert_eq!(probe.spares(3), None);
    }

    #[test]
    fn a_mutant_gets_a_multiple_of_what_its_seed_took() {
        let slow = Run { cpu: Duration::from_millis(50), ..run(&[Answer::Sat]) };
        let probe = SeedProbe::new(&[Some(&slow), Some(&run(&[Answer::Sat])), None]);
        assert_eq!(probe.allowance(0, 20), Some(Duration::from_secs(1)));
        assert_eq!(probe.allowance(1, 20), Some(MIN_ALLOWANCE));
        assert_eq!(probe.allowance(0, 0), None);
    }

    #[test]
    fn seeds_that_no_solver_can_run_are_counted() {
        let lost = troubled(&[], Trouble::new(TroubleKind::ParseError, "x"), "");
        let probes = SeedProbes::new(vec![false, true]);
        let hopeless = || Ok(SeedProbe::new(&[Some(&lost), None]));
        probes.get(0, hopeless).unwrap();
        assert!(!probes.all_hopeless());
        probes.get(0, || unreachable!("it is known")).unwrap();
        assert!(probes.get(1, || Err(Halted)).is_err());
        assert!(!probes.all_hopeless());
        probes.get(1, hopeless).unwrap();
        assert!(probes.all_hopeless());
    }
}
