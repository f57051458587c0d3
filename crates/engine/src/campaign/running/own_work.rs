//! Which case each worker is busy with, and whether gainsay itself or a solver works on it.
//!
//! Solvers have memory limits of their own; gainsay has none, so a case whose script or models need too much would end with the
//! whole process, and again after every `--resume`. The coordinator therefore watches the memory of this process. When there is
//! too much of it, the case that gainsay itself has worked on for the longest time is recorded as skipped, and the campaign stops.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::campaign::choosing::agenda::ChainTask;
use crate::event::CaseNumber;

/// A case that a worker is busy with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseAtWork {
    /// The chain.
    pub task: ChainTask,
    /// The step of the chain.
    pub step: u64,
    /// The number of the case.
    pub case: CaseNumber,
    /// The name of the seed, once it is known.
    pub seed: String,
}

/// The case of each worker, and since when gainsay itself works on it; `None` while a solver does.
#[derive(Debug)]
pub struct OwnWork {
    workers: Vec<Mutex<WorkerCase>>,
}

/// The case of a worker.
type WorkerCase = Option<(CaseAtWork, Option<Instant>)>;

impl OwnWork {
    /// For so many workers, which have nothing to do yet.
    pub fn new(workers: usize) -> Self {
        OwnWork { workers: (0..workers).map(|_| Mutex::new(None)).collect() }
    }

    /// A worker begins with a case.
    pub fn begin(&self, worker: usize, case: CaseAtWork) {
        self.change(worker, |slot| *slot = Some((case, Some(Instant::now()))));
    }

    /// A worker waits for a solver.
    pub fn pause(&self, worker: usize) {
        self.change(worker, |slot| slot.iter_mut().for_each(|(_, since)| *since = None));
    }

    /// A solver has answered.
    pub fn resume(&self, worker: usize) {
        self.change(worker, |slot| slot.iter_mut().for_each(|(_, since)| *since = Some(Instant::now())));
    }

    /// A worker is done with its chain.
    pub fn end(&self, worker: usize) {
        self.change(worker, |slot| *slot = None);
    }

    /// The case that gainsay itself has worked on for the longest time.
    pub fn longest(&self) -> Option<CaseAtWork> {
        let read = |slot: &Mutex<WorkerCase>| {
            let slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
            let (case, since) = slot.as_ref()?;
            Some((since.as_ref().copied()?, case.clone()))
        };
        self.workers.iter().filter_map(read).min_by_key(|(since, _)| *since).map(|(_, case)| case)
    }

    fn change(&self, worker: usize, change: impl FnOnce(&mut Option<(CaseAtWork, Option<Instant>)>)) {
        change(&mut self.workers[worker].lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// The resident memory of this process in bytes; zero if the system does not tell.
pub fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0);
    pages.saturating_mul(rustix::param::page_size() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(number: u64) -> CaseAtWork {
        let task = ChainTask { chain: number, from: 0, to: 10, out: Vec::new(), start: None };
        CaseAtWork { task, step: 0, case: number, seed: String::new() }
    }

    #[test]
    fn the_case_that_gainsay_works_on_longest_is_named() {
        let work = OwnWork::new(3);
        assert_eq!(work.longest(), None);
        (0..3).for_each(|worker| work.begin(worker, case(worker as u64)));
        assert_eq!(work.longest(), Some(case(0)));
        work.pause(0);
        assert_eq!(work.longest(), Some(case(1)));
        work.resume(0);
        work.end(1);
        assert_eq!(work.longest(), Some(case(2)));
    }

    #[test]
    fn a_process_has_memory() {
        assert!(resident_bytes() > 1 << 16);
    }
}
