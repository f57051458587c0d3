//! Coverage in a campaign: what is covered of each solver, and what all runs together have reached.
//!
//! Whatever cannot be covered is left out with one sentence; the campaign goes on. Coverage changes no case, unless a bandit leads:
//! then new code is what it learns from, in place of new behaviour.
//!
//! A campaign that is led by a change covers the changed functions of one solver and nothing else. Every run reports all of them that it
//! reaches, not only new ones: that tells which seeds and strategies reach the change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gainsay_coverage::change::ChangedReach;
use gainsay_coverage::name;
use gainsay_coverage::reached::{ReachedRecord, ReachedSites};
use gainsay_coverage::target::{CoverageTarget, Level, SiteChoice};

use crate::event::Event;
use crate::solver::coverage;
use crate::solver::driver::CoverageRequest;
use crate::solver::resolve::Solver;
use crate::solver::run::Run;
use crate::tally::{CoverageTally, Tally};

/// Changed functions that are named in events and reports, at most; all are counted.
const MAX_CHANGED_NAMES: usize = 2_000;

/// What is measured in a campaign.
#[derive(Debug, Clone, Copy)]
pub enum MeasuredCode<'a> {
    /// Nothing.
    Nothing,
    /// All code of all solvers, at this level.
    All(Level),
    /// The changed functions of one solver.
    Changed(&'a ChangedCode),
}

/// The code of a solver that changed.
#[derive(Debug, Clone)]
pub struct ChangedCode {
    /// The number of the solver in the panel.
    pub solver: usize,
    /// What it is compared with: an older build, or revisions of its sources.
    pub since: String,
    /// The base symbols of the changed functions, or why they cannot be told.
    pub symbols: Result<BTreeSet<String>, String>,
}

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
    /// Whether only changed functions are covered.
    is_change: bool,
    reached: Mutex<SharedReach>,
}

#[derive(Debug)]
struct SharedReach {
    sites: ReachedSites,
    /// The number of sites that was told last.
    told: Option<usize>,
    /// Sites that were reached since then, if changed functions are covered.
    untold: Vec<u32>,
    /// The number of runs that reached each site, if changed functions are covered.
    runs: Vec<u32>,
}

impl PanelCoverage {
    /// Finds the sites of all solvers, and what earlier sessions reached; returns events about targets, and about solvers that cannot be
    /// covered.
    pub fn prepare(
        solvers: &[(String, &Solver)],
        measured: MeasuredCode<'_>,
        tally: &Tally,
    ) -> (Self, Vec<Event>) {
        let mut events = Vec::new();
        let mut prepare = |(number, (name, solver)): (usize, &(String, &Solver))| {
            let found = match measured {
                MeasuredCode::Nothing => return None,
                MeasuredCode::Changed(changed) if changed.solver != number => return None,
                MeasuredCode::Changed(changed) => changed.target(solver),
                MeasuredCode::All(level) => target(solver, level.into()),
            };
            match (found, measured) {
                (Ok(target), MeasuredCode::Changed(changed)) => {
                    events.push(targeted(name, &target, &changed.since));
                    Some(SolverCoverage::new(name, target, tally).counting_runs())
                }
                (Ok(target), _) => Some(SolverCoverage::new(name, target, tally)),
                (Err(why), _) => {
                    events.push(Event::NotCovered { solver: name.clone(), why });
                    None
                }
            }
        };
        let solvers = solvers.iter().enumerate().map(&mut prepare).collect();
        (PanelCoverage { solvers }, events)
    }

    /// How to start a solver so that its coverage is measured; `None` if it is not.
    pub fn request(&self, solver: usize) -> Option<CoverageRequest> {
        self.of(solver).map(|covered| match covered.is_change {
            true => coverage::every_run(&covered.target),
            false => coverage::first_hits(&covered.target),
        })
    }

    /// Keeps the sites of a run that no run of the campaign has reached before, and tells how much changed code it reached.
    pub fn assess(&self, solver: usize, run: &mut Run) {
        let Some(covered) = self.of(solver) else { return };
        let mut reached = covered.lock();
        if covered.is_change {
            run.changed = Some(reached.count(&run.reached));
        }
        run.reached.retain(|site| reached.sites.insert(*site));
        if covered.is_change {
            reached.untold.extend(&run.reached);
        }
    }

    /// Returns true if the code of any solver is measured.
    pub fn is_measured(&self) -> bool {
        self.solvers.iter().any(Option::is_some)
    }

    /// Learns what other processes have reached: it is not new any more. Sites of another build of a solver mean nothing here.
    pub fn learn_from(&self, others: &BTreeMap<String, CoverageTally>) {
        for covered in self.solvers.iter().flatten() {
            let is_same = |other: &&CoverageTally| {
                (other.level, other.summary.sites) == (covered.target.level, covered.target.sites.len())
            };
            if let Some(other) = others.get(&covered.name).filter(is_same) {
                covered.lock().sites.extend(other.record.sites().iter());
            }
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

impl ChangedCode {
    /// The changed functions of a solver as sites, or why there are none.
    fn target(&self, solver: &Solver) -> Result<Arc<CoverageTarget>, String> {
        let symbols = self.symbols.as_ref().map_err(Clone::clone)?;
        let choice = SiteChoice { level: Level::Functions, only: Some(symbols) };
        let target = target(solver, choice)?;
        match target.sites.is_empty() {
            true => Err(format!("none of its functions changed since {}", self.since)),
            false => Ok(target),
        }
    }
}

impl SharedReach {
    /// Counts a run for all sites that it reached.
    fn count(&mut self, sites: &[u32]) -> ChangedReach {
        let mut rarity = 0.0;
        for &site in sites {
            if let Some(runs) = self.runs.get_mut(site as usize) {
                *runs = runs.saturating_add(1);
                rarity += 1.0 / f64::from(*runs);
            }
        }
        ChangedReach { functions: sites.len(), rarity }
    }
}

impl SolverCoverage {
    fn new(name: &str, target: Arc<CoverageTarget>, tally: &Tally) -> Self {
        // A build with another number of sites is another one (`--accept-changed-solvers`): sites of the earlier build mean nothing in it.
        let is_same =
            |known: &&CoverageTally| known.level == target.level && known.summary.sites == target.sites.len();
        let known = tally.coverage.get(name).filter(is_same);
        let sites = known.map(|known| known.record.sites().clone()).unwrap_or_default();
        let reached = SharedReach { sites, told: None, untold: Vec::new(), runs: Vec::new() };
        SolverCoverage { name: name.to_owned(), target, is_change: false, reached: Mutex::new(reached) }
    }

    /// The same, for changed functions.
    fn counting_runs(mut self) -> Self {
        self.is_change = true;
        self.lock().runs = vec![0; self.target.sites.len()];
        self
    }

    fn lock(&self) -> MutexGuard<'_, SharedReach> {
        self.reached.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn growth(&self) -> Option<Event> {
        let mut reached = self.lock();
        let count = reached.sites.len();
        if reached.told.replace(count) == Some(count) {
            return None;
        }
        let untold: ReachedSites = std::mem::take(&mut reached.untold).into_iter().collect();
        Some(Event::Covered {
            solver: self.name.clone(),
            level: self.target.level,
            summary: gainsay_coverage::report::summarise(&self.target, &reached.sites),
            changed: gainsay_coverage::report::names(&self.target, &untold.functions(&self.target)),
            record: ReachedRecord::new(reached.sites.clone()),
        })
    }
}

/// The sites of a solver, or why there are none.
fn target(solver: &Solver, choice: SiteChoice<'_>) -> Result<Arc<CoverageTarget>, String> {
    match gainsay_coverage::unsupported() {
        Some(why) => Err(why),
        None => coverage::target(solver, choice).map_err(|error| error.to_string()),
    }
}

/// Tells the changed functions of a solver, the largest ones by name.
fn targeted(solver: &str, target: &CoverageTarget, since: &str) -> Event {
    let numbers: BTreeSet<u32> = target.sites.iter().map(|site| site.function).collect();
    let mut functions: Vec<_> = numbers.iter().map(|number| &target.functions[*number as usize]).collect();
    functions.sort_by(|one, other| (other.size, &one.symbol).cmp(&(one.size, &other.symbol)));
    let names = functions.iter().take(MAX_CHANGED_NAMES).map(|function| name::demangle(&function.symbol));
    Event::Targeted {
        solver: solver.to_owned(),
        since: since.to_owned(),
        functions: functions.len(),
        names: names.collect(),
    }
}
