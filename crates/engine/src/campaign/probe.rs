//! Probes: what each solver did with a seed itself, remembered in a byte each.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::solver::run::Run;
use crate::solver::trouble::TroubleKind;

/// What is known of the seeds of a campaign.
#[derive(Debug)]
pub struct Probes {
    seeds: Vec<OnceLock<Probe>>,
    /// Seeds whose probe an earlier session has recorded already.
    recorded: Vec<bool>,
    /// Seeds that no solver can do.
    hopeless: AtomicUsize,
}

/// What each solver did with one seed: nothing that would keep it from its mutants, or the trouble it had.
#[derive(Debug, Clone)]
pub struct Probe(Box<[u8]>);

const FINE: u8 = 0;
const NOT_ASKED: u8 = u8::MAX;

impl Probes {
    /// For seeds of which some were probed before.
    pub fn new(recorded: Vec<bool>) -> Self {
        let seeds = recorded.iter().map(|_| OnceLock::new()).collect();
        Probes { seeds, recorded, hopeless: AtomicUsize::new(0) }
    }

    /// What is known of a seed; found out by whoever asks first, while others wait.
    pub fn get(&self, seed: usize, find_out: impl FnOnce() -> Probe) -> &Probe {
        self.seeds[seed].get_or_init(|| {
            let probe = find_out();
            if probe.is_hopeless() {
                self.hopeless.fetch_add(1, Ordering::Relaxed);
            }
            probe
        })
    }

    /// Whether an earlier session has recorded what happened.
    pub fn is_recorded(&self, seed: usize) -> bool {
        self.recorded[seed]
    }

    /// Whether no solver can do any of the seeds.
    pub fn all_hopeless(&self) -> bool {
        self.hopeless.load(Ordering::Relaxed) == self.seeds.len()
    }
}

impl Probe {
    /// Of runs by member; nothing for those that were not asked.
    pub fn new(runs: &[Option<&Run>]) -> Self {
        Probe(runs.iter().map(|run| run.map_or(NOT_ASKED, code)).collect())
    }

    /// Why a solver is spared the mutants of this seed, if so.
    pub fn spares(&self, member: usize) -> Option<String> {
        match self.0[member] {
            FINE | NOT_ASKED => None,
            code => {
                let kind = TroubleKind::ALL[usize::from(code) - 1];
                let what = if kind.is_limit() { "runs into a limit on" } else { "cannot do" };
                Some(format!("{what} the seed ({kind})"))
            }
        }
    }

    fn is_hopeless(&self) -> bool {
        self.0.iter().all(|&code| code != FINE)
    }
}

/// What a run says of the mutants of its script. Who crashes on the seed would do so on all of them.
fn code(run: &Run) -> u8 {
    let kind = run.trouble.as_ref().map(|trouble| trouble.kind);
    let kind = kind.filter(|kind| {
        kind.is_rejection() || kind.is_limit() || kind.is_crash() || *kind == TroubleKind::Garbage
    });
    let at = kind.and_then(|kind| TroubleKind::ALL.iter().position(|known| *known == kind));
    at.map_or(FINE, |at| u8::try_from(at + 1).unwrap_or(FINE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::tests::{run, troubled};
    use crate::solver::run::Answer;
    use crate::solver::trouble::Trouble;

    #[test]
    fn a_solver_is_spared_the_mutants_of_what_it_cannot_do() {
        let fine = run(&[Answer::Sat]);
        let slow = troubled(&[], Trouble::new(TroubleKind::TimeOut, "x"), "");
        let lost = troubled(&[], Trouble::new(TroubleKind::ParseError, "x"), "");
        let probe = Probe::new(&[Some(&fine), Some(&slow), Some(&lost), None]);
        assert_eq!(probe.spares(0), None);
        assert_eq!(probe.spares(1).unwrap(), "runs into a limit on the seed (time-out)");
        assert_eq!(probe.spares(2).unwrap(), "cannot do the seed (parse-error)");
        assert_eq!(probe.spares(3), None);
    }

    #[test]
    fn seeds_that_nobody_can_do_are_counted() {
        let lost = troubled(&[], Trouble::new(TroubleKind::ParseError, "x"), "");
        let probes = Probes::new(vec![false, true]);
        probes.get(0, || Probe::new(&[Some(&lost), None]));
        assert!(!probes.all_hopeless());
        probes.get(0, || unreachable!("it is known"));
        probes.get(1, || Probe::new(&[Some(&lost), None]));
        assert!(probes.all_hopeless());
    }
}
