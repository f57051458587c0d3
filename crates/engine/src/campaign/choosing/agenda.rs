//! The agenda hands out chains to workers.
//!
//! If other processes work on the campaign, too, chains are leased from the store, and a worker waits while others hold all that are left: one of them may vanish. Otherwise:
//!
//! Chains that an earlier session has not finished come first, from their next step; then new ones in order of number. The
//! budget of cases is a bound on case numbers, so that the set of cases does not depend on the workers.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::campaign::choosing::steering::kept::QueuedScript;
use crate::campaign::shard::Shard;
use crate::store::{
    ChainBounds, ChainLeases, ChainRecord, LeaseOffer, StartRecord, StoreError, StoredProgress,
};

/// Time between two requests for chains that others hold.
const LEASE_POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Which chain is next.
pub struct Agenda {
    steps: u64,
    /// Cases from this number on are not run.
    limit: u64,
    shard: Shard,
    state: Mutex<AgendaState>,
}

struct AgendaState {
    /// Hands out chains, if other processes work on the campaign, too.
    leases: Option<Box<dyn ChainLeases>>,
    /// Why no chains can be leased any more.
    trouble: Option<StoreError>,
    /// Chains to take in one lease.
    wanted: usize,
    /// The recorded starts of leased chains; `None` if starts follow from the numbers of chains.
    starts: Option<BTreeMap<u64, RecordedStart>>,
    begun: VecDeque<ChainRecord>,
    /// The places of chains that were started, from `fresh` on.
    started: BTreeSet<u64>,
    /// The place of the next chain.
    fresh: u64,
}

/// The recorded start of a chain, and the script that it started from if not from its seed.
pub type RecordedStart = (StartRecord, Option<QueuedScript>);

/// A chain to start or continue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainTask {
    /// Its number.
    pub chain: u64,
    /// The first step to run.
    pub from: u64,
    /// The step after the last one to run.
    pub to: u64,
    /// Solvers that are left out, with the reason.
    pub out: Vec<(String, String)>,
    /// Its recorded start, if another process has begun it.
    pub start: Option<RecordedStart>,
}

impl Agenda {
    /// The remaining chains of a shard of a campaign, whose chains have this many steps.
    pub fn new(steps: u64, cases: Option<u64>, shard: Shard, standing: &StoredProgress) -> Self {
        let mut begun = VecDeque::new();
        let mut started = BTreeSet::new();
        for record in &standing.chains {
            started.insert(record.chain);
            if record.next.is_some() {
                begun.push_back(ChainRecord { chain: shard.chain_at(record.chain), ..record.clone() });
            }
        }
        let fresh = standing.ended_below;
        let state = Mutex::new(AgendaState {
            leases: None,
            trouble: None,
            wanted: 1,
            starts: None,
            begun,
            started,
            fresh,
        });
        Agenda { steps, limit: cases.unwrap_or(u64::MAX), shard, state }
    }

    /// The same agenda, with chains leased from a store that other processes share, if any: one for each of these threads at a time. If a
    /// bandit leads, chains that were begun elsewhere go on from their recorded starts.
    #[must_use]
    pub fn leased(mut self, leases: Option<Box<dyn ChainLeases>>, threads: usize, is_led: bool) -> Self {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if leases.is_some() {
            state.begun.clear();
        }
        (state.leases, state.wanted) = (leases, threads.max(1));
        state.starts = is_led.then(BTreeMap::new);
        self
    }

    /// The next chain; `None` if all are done, if the store fails, or if `halt` is set meanwhile.
    pub fn next(&self, halt: &AtomicBool) -> Option<ChainTask> {
        while !halt.load(Ordering::Relaxed) {
            let mut state = self.lock();
            while let Some(record) = state.begun.pop_front().or_else(|| self.fresh(&mut state)) {
                let start = state.starts.as_mut().and_then(|starts| starts.remove(&record.chain));
                if let Some(task) = self.task(record) {
                    return Some(ChainTask { start, ..task });
                }
            }
            let wanted = state.wanted;
            let bounds = ChainBounds { steps: self.steps, limit: self.limit };
            match state.take(bounds, wanted)? {
                Ok(LeaseOffer::Chains(chains)) => state.begun.extend(chains),
                Ok(LeaseOffer::Done) => return None,
                Ok(LeaseOffer::Wait) => {
                    drop(state);
                    std::thread::sleep(LEASE_POLL_INTERVAL);
                }
                Err(error) => {
                    (state.leases, state.trouble) = (None, Some(error));
                    // Without leases no chain is fresh.
                    state.fresh = u64::MAX;
                    return None;
                }
            }
        }
        None
    }

    /// Takes the error that ended the leases, if any.
    pub fn trouble(&self) -> Option<StoreError> {
        self.lock().trouble.take()
    }

    fn lock(&self) -> MutexGuard<'_, AgendaState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lowest chain that was not started yet; `None` if all were, or if chains are leased.
    fn fresh(&self, state: &mut AgendaState) -> Option<ChainRecord> {
        if state.leases.is_some() || state.fresh == u64::MAX {
            return None;
        }
        let chain = self.shard.chain_at(state.fresh());
        let is_within = chain.checked_mul(self.steps)? < self.limit;
        is_within.then(|| ChainRecord { chain, next: Some(0), out: Vec::new() })
    }

    /// The steps of a chain within the budget, if any.
    fn task(&self, record: ChainRecord) -> Option<ChainTask> {
        let from = record.next.unwrap_or(0);
        let to = self.steps.min(self.limit.saturating_sub(record.chain.saturating_mul(self.steps)));
        (from < to).then_some(ChainTask { chain: record.chain, from, to, out: record.out, start: None })
    }
}

impl AgendaState {
    /// Takes leases, and reads the starts of chains that were begun elsewhere; `None` if chains are not leased.
    fn take(&mut self, bounds: ChainBounds, wanted: usize) -> Option<Result<LeaseOffer, StoreError>> {
        let leases = self.leases.as_mut()?;
        let offer = leases.take(bounds, wanted);
        if let (Ok(LeaseOffer::Chains(chains)), Some(known)) = (&offer, &mut self.starts) {
            let numbers: Vec<u64> = chains.iter().map(|record| record.chain).collect();
            match recorded_starts(leases.as_mut(), &numbers) {
                Ok(starts) => known.extend(starts),
                Err(error) => return Some(Err(error)),
            }
        }
        Some(offer)
    }

    /// Takes the place of the lowest chain that was not started yet.
    fn fresh(&mut self) -> u64 {
        loop {
            let place = self.fresh;
            self.fresh += 1;
            if !self.started.remove(&place) {
                return place;
            }
        }
    }
}

/// The recorded starts of chains that were taken, by their numbers.
fn recorded_starts(
    leases: &mut dyn ChainLeases,
    chains: &[u64],
) -> Result<Vec<(u64, RecordedStart)>, StoreError> {
    let mut recorded = Vec::new();
    for start in leases.starts(chains)? {
        let script = leases.seed(&QueuedScript::key(start.chain))?;
        let script = script.and_then(|record| QueuedScript::read(record, start.seed));
        recorded.push((start.chain, (start, script)));
    }
    Ok(recorded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks(agenda: &Agenda) -> Vec<(u64, u64, u64)> {
        std::iter::from_fn(|| agenda.next(&AtomicBool::new(false)))
            .map(|task| (task.chain, task.from, task.to))
            .collect()
    }

    fn record(chain: u64, next: Option<u64>) -> ChainRecord {
        ChainRecord { chain, next, out: Vec::new() }
    }

    #[test]
    fn a_budget_of_cases_is_a_bound_on_their_numbers() {
        let of = |cases| tasks(&Agenda::new(10, Some(cases), Shard::default(), &StoredProgress::default()));
        assert_eq!(of(25), [(0, 0, 10), (1, 0, 10), (2, 0, 5)]);
        assert_eq!(of(20), [(0, 0, 10), (1, 0, 10)]);
        assert_eq!(of(0), []);
    }

    #[test]
    fn what_was_begun_goes_on_and_what_has_ended_is_left_alone() {
        let chains = vec![record(3, Some(7)), record(4, None), record(6, Some(2))];
        let standing = StoredProgress { ended_below: 3, chains, ..StoredProgress::default() };
        assert_eq!(
            tasks(&Agenda::new(10, Some(75), Shard::default(), &standing)),
            [(3, 7, 10), (6, 2, 10), (5, 0, 10), (7, 0, 5)]
        );
    }

    #[test]
    fn a_chain_that_the_budget_cut_goes_on_under_a_larger_one() {
        let standing =
            StoredProgress { ended_below: 2, chains: vec![record(2, Some(5))], ..StoredProgress::default() };
        assert_eq!(tasks(&Agenda::new(10, Some(25), Shard::default(), &standing)), []);
        assert_eq!(tasks(&Agenda::new(10, Some(31), Shard::default(), &standing)), [(2, 5, 10), (3, 0, 1)]);
    }

    #[test]
    fn the_shards_of_a_campaign_have_all_its_chains_and_share_none() {
        let of = |shard: &str| {
            tasks(&Agenda::new(10, Some(65), shard.parse().unwrap(), &StoredProgress::default()))
        };
        assert_eq!(of("1/3"), [(0, 0, 10), (3, 0, 10), (6, 0, 5)]);
        assert_eq!(of("2/3"), [(1, 0, 10), (4, 0, 10)]);
        assert_eq!(of("3/3"), [(2, 0, 10), (5, 0, 10)]);
        assert_eq!(of("9/9"), [], "the budget ends before its first chain");
    }

    #[test]
    fn a_shard_goes_on_from_places_among_its_own_chains() {
        let chains = vec![record(2, Some(7)), record(4, None)];
        let standing = StoredProgress { ended_below: 2, chains, ..StoredProgress::default() };
        let agenda = Agenda::new(10, Some(180), "2/3".parse().unwrap(), &standing);
        assert_eq!(tasks(&agenda), [(7, 7, 10), (10, 0, 10), (16, 0, 10)]);
    }
}
