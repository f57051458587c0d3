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
    ValueTally,
};

/// Microseconds of a second.
const MICROSECONDS_PER_SECOND: f64 = 1e6;

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
        add_each(&mut self.theories, &other.theories, OracleTally::add);
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

    /// The counts since an earlier moment of the same session: adding them to those of that moment gives these. Wall-clock seconds and sites that were reached
    /// stay as they are, since adding joins them.
    #[must_use]
    pub fn since(&self, earlier: &Tally) -> Tally {
        Tally {
            cases: self.cases.saturating_sub(earlier.cases),
            bytes: self.bytes.saturating_sub(earlier.bytes),
            skipped: counts_since(&self.skipped, &earlier.skipped),
            classified: self.classified.saturating_sub(earlier.classified),
            found_status: self.found_status.saturating_sub(earlier.found_status),
            probed: self.probed.saturating_sub(earlier.probed),
            values: ValueTally {
                seeds: self.values.seeds.saturating_sub(earlier.values.seeds),
                found: self.values.found.saturating_sub(earlier.values.found),
                without_values: counts_since(&self.values.without_values, &earlier.values.without_values),
                account: self.values.account.since(&earlier.values.account),
            },
            phrases_cpu: seconds_since(self.phrases_cpu, earlier.phrases_cpu),
            traces: self.traces.since(&earlier.traces),
            strategies: each_since(&self.strategies, &earlier.strategies, StrategyTally::since),
            questions: each_since(&self.questions, &earlier.questions, OracleTally::since),
            solvers: each_since(&self.solvers, &earlier.solvers, SolverTally::since),
            oracles: each_since(&self.oracles, &earlier.oracles, OracleTally::since),
            theories: each_since(&self.theories, &earlier.theories, OracleTally::since),
            coverage: self.coverage.clone(),
            changed: self.changed.clone(),
            sightings: self.sightings.saturating_sub(earlier.sightings),
            flaky: self.flaky.saturating_sub(earlier.flaky),
            our_bugs: self.our_bugs.saturating_sub(earlier.our_bugs),
            seconds: self.seconds,
            own_cpu: seconds_since(self.own_cpu, earlier.own_cpu),
        }
    }

    /// Joins the sites that were reached, after all other counts were added.
    pub fn add_coverage(&mut self, other: &BTreeMap<String, CoverageTally>) {
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
    ((one * MICROSECONDS_PER_SECOND).round() + (other * MICROSECONDS_PER_SECOND).round())
        / MICROSECONDS_PER_SECOND
}

fn add_counts(sums: &mut BTreeMap<String, u64>, more: &BTreeMap<String, u64>) {
    more.iter().for_each(|(name, count)| *sums.entry(name.clone()).or_default() += count);
}

fn add_each<T: Default>(sums: &mut BTreeMap<String, T>, more: &BTreeMap<String, T>, add: fn(&mut T, &T)) {
    more.iter().for_each(|(name, counts)| add(sums.entry(name.clone()).or_default(), counts));
}

fn seconds_since(now: f64, earlier: f64) -> f64 {
    ((now * MICROSECONDS_PER_SECOND).round() - (earlier * MICROSECONDS_PER_SECOND).round()).max(0.0)
        / MICROSECONDS_PER_SECOND
}

fn counts_since(now: &BTreeMap<String, u64>, earlier: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
    let since = |(name, count): (&String, &u64)| {
        let count = count.saturating_sub(earlier.get(name).copied().unwrap_or(0));
        (count > 0).then(|| (name.clone(), count))
    };
    now.iter().filter_map(since).collect()
}

fn each_since<T: Default>(
    now: &BTreeMap<String, T>,
    earlier: &BTreeMap<String, T>,
    since: fn(&T, &T) -> T,
) -> BTreeMap<String, T> {
    let nothing = T::default();
    let since = |(name, counts)| (String::clone(name), since(counts, earlier.get(name).unwrap_or(&nothing)));
    now.iter().map(since).collect()
}

impl TraceTally {
    fn since(&self, earlier: &TraceTally) -> TraceTally {
        TraceTally {
            runs: self.runs.saturating_sub(earlier.runs),
            unique: self.unique.saturating_sub(earlier.unique),
            unreadable: self.unreadable.saturating_sub(earlier.unreadable),
            by: counts_since(&self.by, &earlier.by),
        }
    }

    fn add(&mut self, other: &TraceTally) {
        self.runs += other.runs;
        self.unique += other.unique;
        self.unreadable += other.unreadable;
        add_counts(&mut self.by, &other.by);
    }
}

impl StrategyTally {
    fn since(&self, earlier: &StrategyTally) -> StrategyTally {
        StrategyTally {
            cases: self.cases.saturating_sub(earlier.cases),
            skipped: self.skipped.saturating_sub(earlier.skipped),
            sightings: self.sightings.saturating_sub(earlier.sightings),
        }
    }

    fn add(&mut self, other: &StrategyTally) {
        self.cases += other.cases;
        self.skipped += other.skipped;
        self.sightings += other.sightings;
    }
}

impl OracleTally {
    fn since(&self, earlier: &OracleTally) -> OracleTally {
        OracleTally {
            fine: self.fine.saturating_sub(earlier.fine),
            undecided: self.undecided.saturating_sub(earlier.undecided),
            bug: self.bug.saturating_sub(earlier.bug),
        }
    }

    fn add(&mut self, other: &OracleTally) {
        self.fine += other.fine;
        self.undecided += other.undecided;
        self.bug += other.bug;
    }
}

impl SolverTally {
    fn since(&self, earlier: &SolverTally) -> SolverTally {
        SolverTally {
            runs: self.runs.saturating_sub(earlier.runs),
            sat: self.sat.saturating_sub(earlier.sat),
            unsat: self.unsat.saturating_sub(earlier.unsat),
            unknown: self.unknown.saturating_sub(earlier.unknown),
            troubles: counts_since(&self.troubles, &earlier.troubles),
            reasons: counts_since(&self.reasons, &earlier.reasons),
            spared: counts_since(&self.spared, &earlier.spared),
            removed: counts_since(&self.removed, &earlier.removed),
            cpu: seconds_since(self.cpu, earlier.cpu),
        }
    }

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
    pub fn add(&mut self, other: &CoverageTally) {
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

    #[test]
    fn counts_since_a_moment_add_up_to_those_of_now() {
        let earlier = part(3, 0.1, &[1]);
        let now = sum(&earlier, &part(4, 0.2, &[2, 3]));
        let since = now.since(&earlier);
        assert_eq!((since.cases, since.solvers["z3"].runs), (4, 4));
        assert_eq!(sum(&earlier, &since), now);
        assert_eq!(earlier.since(&earlier).cases, 0);
        assert!(earlier.since(&earlier).skipped.is_empty());
    }
}
