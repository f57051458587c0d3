//! Adds the tallies of parts of a campaign that ran side by side.
//!
//! Counts are added, also those of seeds: a seed that several parts used was run in each of them. Wall-clock seconds are those of the longest part.
//! The sum is associative to the last bit: CPU times are added in whole microseconds, and no list is cut. Of coverage, the sites are joined; its growth over
//! time cannot be told from the growth of the parts, and is one point.

use std::collections::BTreeMap;

use gainsay_coverage::reached::{ReachedRecord, ReachedSites};
use gainsay_coverage::target::Level;

use super::{
    ChangedTally, CoverageTally, GrowthPoint, OracleTally, SolverTally, StrategyTally, Tally, TraceTally,
};

/// Microseconds of a second.
const MICROSECONDS: f64 = 1e6;

impl Tally {
    /// Adds the counts of another part of the campaign.
    pub fn add(&mut self, other: &Tally) {
        self.cases += other.cases;
        self.bytes += other.bytes;
        add_counts(&mut self.skipped, &other.skipped);
        self.classified += other.classified;
        self.found_status += other.found_status;
        self.probed += other.probed;
        self.values.seeds += other.values.seeds;
        self.values.found += other.values.found;
        add_counts(&mut self.values.without_values, &other.values.without_values);
        self.values.account.add(&other.values.account);
        self.phrases_cpu = add_seconds(self.phrases_cpu, other.phrases_cpu);
        self.traces.add(&other.traces);
        add_each(&mut self.strategies, &other.strategies, StrategyTally::add);
        add_each(&mut self.questions, &other.questions, OracleTally::add);
        add_each(&mut self.solvers, &other.solvers, SolverTally::add);
        add_each(&mut self.oracles, &other.oracles, OracleTally::add);
        self.sightings += other.sightings;
        self.flaky += other.flaky;
        self.our_bugs += other.our_bugs;
        self.seconds = add_seconds(self.seconds.max(other.seconds), 0.0);
        self.own_cpu = add_seconds(self.own_cpu, other.own_cpu);
        self.add_coverage(&other.coverage);
        match (&mut self.changed, &other.changed) {
            (Some(known), Some(more)) => known.reach(&more.reached),
            (known @ None, more) => known.clone_from(more),
            (Some(_), None) => {}
        }
    }

    /// Joins the sites that were reached, after all other counts were added.
    fn add_coverage(&mut self, other: &BTreeMap<String, CoverageTally>) {
        let end = GrowthPoint {
            cases: self.cases,
            solver_cpu: self.solver_cpu(),
            seconds: self.seconds,
            reached: 0,
        };
        for (solver, more) in other {
            match self.coverage.get_mut(solver).filter(|known| known.level == more.level) {
                Some(known) => known.add(more),
                None => drop(self.coverage.insert(solver.clone(), more.clone())),
            }
        }
        for known in self.coverage.values_mut() {
            known.growth = vec![GrowthPoint { reached: known.summary.sites_reached, ..end }];
        }
    }
}

/// Adds two times, to the microsecond.
pub fn add_seconds(one: f64, other: f64) -> f64 {
    ((one * MICROSECONDS).round() + (other * MICROSECONDS).round()) / MICROSECONDS
}

fn add_counts(sums: &mut BTreeMap<String, u64>, more: &BTreeMap<String, u64>) {
    more.iter().for_each(|(name, count)| *sums.entry(name.clone()).or_default() += count);
}

fn add_each<T: Default>(sums: &mut BTreeMap<String, T>, more: &BTreeMap<String, T>, add: fn(&mut T, &T)) {
    more.iter().for_each(|(name, counts)| add(sums.entry(name.clone()).or_default(), counts));
}

impl TraceTally {
    fn add(&mut self, other: &TraceTally) {
        self.runs += other.runs;
        self.unique += other.unique;
        self.unreadable += other.unreadable;
        add_counts(&mut self.by, &other.by);
    }
}

impl StrategyTally {
    fn add(&mut self, other: &StrategyTally) {
        self.cases += other.cases;
        self.skipped += other.skipped;
        self.sightings += other.sightings;
    }
}

impl OracleTally {
    fn add(&mut self, other: &OracleTally) {
        self.fine += other.fine;
        self.undecided += other.undecided;
        self.bug += other.bug;
    }
}

impl SolverTally {
    fn add(&mut self, other: &SolverTally) {
        self.runs += other.runs;
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        add_counts(&mut self.troubles, &other.troubles);
        add_counts(&mut self.reasons, &other.reasons);
        add_counts(&mut self.spared, &other.spared);
        add_counts(&mut self.removed, &other.removed);
        self.cpu = add_seconds(self.cpu, other.cpu);
    }
}

impl ChangedTally {
    /// Marks functions as reached, as far as they are named.
    pub(super) fn reach<'a>(&mut self, names: impl IntoIterator<Item = &'a String>) {
        self.reached.extend(names.into_iter().filter_map(|name| self.missed.take(name)));
    }
}

impl CoverageTally {
    /// Joins the sites. Functions and lines that were reached are those of the part with the most, since only the program tells which
    /// of them a site belongs to; a resumed campaign counts them anew.
    fn add(&mut self, other: &CoverageTally) {
        let mut sites: ReachedSites = self.record.sites().clone();
        sites.extend(other.record.sites().iter());
        let (summary, more) = (&mut self.summary, &other.summary);
        summary.sites_reached = sites.len();
        summary.functions_reached = match self.level {
            Level::Functions => sites.len(),
            _ => summary.functions_reached.max(more.functions_reached),
        };
        summary.lines_reached = summary.lines_reached.max(more.lines_reached);
        self.record = ReachedRecord::new(sites);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_coverage::report::CoverageSummary;

    /// A tally with CPU times whose sums depend on the order in floating point.
    fn part(cases: u64, cpu: f64, sites: &[u32]) -> Tally {
        let mut tally = Tally { cases, seconds: cpu * 2.0, own_cpu: cpu, ..Tally::default() };
        tally.solvers.insert("z3".into(), SolverTally { runs: cases, cpu, ..SolverTally::default() });
        tally.skipped.insert("too large".into(), cases);
        let summary = CoverageSummary {
            functions_reached: sites.len(),
            functions: 100,
            sites_reached: sites.len(),
            sites: 100,
            lines_reached: 0,
            lines: 0,
            left_out: 0,
        };
        let record = ReachedRecord::new(sites.iter().copied().collect());
        let known = CoverageTally { level: Level::Functions, summary, growth: Vec::new(), record };
        tally.coverage.insert("z3".into(), known);
        tally
    }

    fn sum(one: &Tally, other: &Tally) -> Tally {
        let mut sum = Tally::default();
        sum.add(one);
        sum.add(other);
        sum
    }

    #[test]
    fn counts_are_added_and_sites_are_joined() {
        let both = sum(&part(3, 0.1, &[1, 2, 70]), &part(4, 0.2, &[2, 3]));
        assert_eq!((both.cases, both.skipped["too large"], both.solvers["z3"].runs), (7, 7, 7));
        assert_eq!(both.solvers["z3"].cpu.to_bits(), 0.3_f64.to_bits());
        assert_eq!(both.seconds.to_bits(), 0.4_f64.to_bits(), "the parts ran side by side");
        let known = &both.coverage["z3"];
        assert_eq!(known.record.sites().iter().collect::<Vec<_>>(), [1, 2, 3, 70]);
        assert_eq!((known.summary.sites_reached, known.summary.functions_reached), (4, 4));
        assert_eq!((known.growth.len(), known.growth[0].cases, known.growth[0].reached), (1, 7, 4));
    }

    #[test]
    fn the_order_in_which_parts_are_joined_does_not_matter() {
        let [a, b, c] = [part(1, 0.1, &[1]), part(2, 0.7, &[9]), part(3, 0.2 + 1e-9, &[5])];
        assert_eq!(sum(&sum(&a, &b), &c), sum(&a, &sum(&b, &c)));
    }
}
