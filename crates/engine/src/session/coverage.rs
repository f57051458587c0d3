//! Coverage in a campaign: what is covered of each solver, and what all runs together have reached.
//!
//! Whatever cannot be covered is left out with one sentence; the campaign goes on. Coverage changes no case, unless a bandit leads:
//! then new code is what it learns from, in place of new behaviour.

use std::sync::{Arc, Mutex, PoisonError};

use gainsay_coverage::reached::{ReachedRecord, ReachedSites};
use gainsay_coverage::target::{CoverageTarget, Level};

use crate::event::Event;
use crate::solver::coverage;
use crate::solver::driver::CoverageRequest;
use crate::solver::resolve::Solver;
use crate::tally::Tally;

/// The coverage of all solvers of a campaign, by their number in the panel.
#[derive(Debug, Default)]
pub struct PanelCoverage {
    solvers: Vec<Option<SolverCoverage>>,
}

/// The coverage of one solver.
#[derive(Debug)]
struct SolverCoverage {
    name: String,
    target: Arc<CoverageTarget>,
    reached: Mutex<SharedReach>,
}

#[derive(Debug)]
struct SharedReach {
    sites: ReachedSites,
    /// The number of sites that was told last.
    told: Option<usize>,
}

impl PanelCoverage {
    /// Finds the sites of all solvers, and what earlier sessions reached; returns events about solvers that cannot be covered.
    pub fn prepare(solvers: &[(String, &Solver)], level: Option<Level>, tally: &Tally) -> (Self, Vec<Event>) {
        let Some(level) = level else { return Default::default() };
        let mut events = Vec::new();
        let mut prepare = |(name, solver): &(String, &Solver)| {
            let name = name.clone();
            match target(solver, level) {
                Ok(target) => {
                    let known = tally.coverage.get(&name).filter(|known| known.level == level);
                    let sites = known.map(|known| known.record.sites().clone()).unwrap_or_default();
                    let reached = Mutex::new(SharedReach { sites, told: None });
                    Some(SolverCoverage { name, target, reached })
                }
                Err(why) => {
                    events.push(Event::NotCovered { solver: name, why });
                    None
                }
            }
        };
        let solvers = solvers.iter().map(&mut prepare).collect();
        (PanelCoverage { solvers }, events)
    }

    /// How to start a solver so that its coverage is measured; `None` if it is not.
    pub fn request(&self, solver: usize) -> Option<CoverageRequest> {
        self.of(solver).map(|covered| coverage::first_hits(&covered.target))
    }

    /// Keeps the sites that no run of the campaign has reached before.
    pub fn keep_new(&self, solver: usize, sites: &mut Vec<u32>) {
        if let Some(covered) = self.of(solver).filter(|_| !sites.is_empty()) {
            let mut reached = covered.reached.lock().unwrap_or_else(PoisonError::into_inner);
            sites.retain(|site| reached.sites.insert(*site));
        }
    }

    /// The growth since the last call, one event for each solver that reached new code.
    pub fn growth(&self) -> Vec<Event> {
        self.solvers.iter().flatten().filter_map(SolverCoverage::growth).collect()
    }

    fn of(&self, solver: usize) -> Option<&SolverCoverage> {
        self.solvers.get(solver)?.as_ref()
    }
}

impl SolverCoverage {
    fn growth(&self) -> Option<Event> {
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        let count = reached.sites.len();
        if reached.told.replace(count) == Some(count) {
            return None;
        }
        let summary = gainsay_coverage::report::summarise(&self.target, &reached.sites);
        Some(Event::Covered {
            solver: self.name.clone(),
            level: self.target.level,
            summary,
            record: ReachedRecord::new(reached.sites.clone()),
        })
    }
}

/// The sites of a solver, or why there are none.
fn target(solver: &Solver, level: Level) -> Result<Arc<CoverageTarget>, String> {
    match gainsay_coverage::unsupported() {
        Some(why) => Err(why),
        None => coverage::target(solver, level).map_err(|error| error.to_string()),
    }
}
