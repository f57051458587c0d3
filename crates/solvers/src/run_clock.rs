//! The clock of one run: which of its time limits has passed, and how soon the next one can.
//!
//! Time for which the machine gave the main thread of the solver no processor does not count against its wall-clock limit, so
//! that a busy machine does not turn answers into timeouts. A solver that sleeps has a processor whenever it wants one: its time
//! counts. A solver whose threads wait for each other is stopped when they have used its limit in CPU time. The kernel records
//! a wait when it ends, so a solver that got no processor since its limit passed is stopped all the same.
//!
//! A command that is a shell script sleeps while its children work. While one of them has a processor or waits for one, only the CPU
//! time of the command and its children counts.

use std::time::{Duration, Instant};

use crate::protocol::StopReason;
use crate::run::Limits;
use crate::sys;

/// The longest that a run may take by the wall clock, as a multiple of its limit, however long it waited for a processor. A campaign at
/// the lowest priority beside a build gets about a hundredth of a processor.
const MAX_STRETCH: u32 = 100;

/// Shortest time between two looks at a limit.
const MIN_POLL_INTERVAL: Duration = Duration::from_millis(1);

/// The clock of one run.
#[derive(Debug, Clone, Copy)]
pub struct RunClock {
    pid: i32,
    started: Instant,
    cpu_before: Duration,
    waited_before: Duration,
}

impl RunClock {
    /// The clock of a process that was started for this run.
    pub fn of_process(pid: i32, started: Instant) -> Self {
        RunClock { pid, started, cpu_before: Duration::ZERO, waited_before: Duration::ZERO }
    }

    /// The clock of a script that a running process gets now, after it has used this much CPU time and waited this long.
    pub fn of_script(pid: i32, cpu_before: Duration, waited_before: Duration) -> Self {
        RunClock { pid, started: Instant::now(), cpu_before, waited_before }
    }

    /// When the run began.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// The time until a limit can have passed, or the limit that has.
    pub fn time_left(&self, limits: &Limits) -> Result<Duration, StopReason> {
        let wall = self.started.elapsed();
        let left = self.wall_left(wall, limits).ok_or(StopReason::Wall)?;
        let Some(limit) = limits.cpu else { return Ok(left) };
        // One thread cannot use more CPU time than wall time, so short runs never read the CPU clock.
        let used = if wall < limit {
            wall
        } else {
            sys::cpu_time(self.pid).unwrap_or_default().saturating_sub(self.cpu_before)
        };
        if used >= limit {
            return Err(StopReason::Cpu);
        }
        Ok(left.min((limit - used).max(MIN_POLL_INTERVAL)))
    }

    fn wall_left(&self, wall: Duration, limits: &Limits) -> Option<Duration> {
        let plain = limits.wall.saturating_sub(wall);
        if !plain.is_zero() || limits.counts_waiting {
            return Some(plain).filter(|left| !left.is_zero());
        }
        let waited = sys::waited_time(self.pid)?.saturating_sub(self.waited_before);
        let used = sys::cpu_time(self.pid).unwrap_or_default().saturating_sub(self.cpu_before);
        let used_by_tree = sys::cpu_time_of_busy_tree(self.pid);
        stretched_limit(limits.wall, wall, &CountedTimes { waited, used, used_by_tree })
    }
}

/// What counts of the time of a run.
struct CountedTimes {
    /// How long its main thread waited for a processor.
    waited: Duration,
    /// The CPU time of its process.
    used: Duration,
    /// The CPU time of its process and of all that descend from it, if one of these is busy.
    used_by_tree: Option<Duration>,
}

/// The time that a run has left after its limit has passed by the wall clock.
fn stretched_limit(limit: Duration, wall: Duration, times: &CountedTimes) -> Option<Duration> {
    let most = limit.saturating_mul(MAX_STRETCH).saturating_sub(wall);
    let counted = wall.saturating_sub(times.waited).max(times.used);
    let counted = times.used_by_tree.map_or(counted, |used| used.min(counted));
    let left = limit.saturating_sub(counted);
    (!left.is_zero() && !most.is_zero()).then(|| left.max(MIN_POLL_INTERVAL).min(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_stretches_the_limit_and_neither_sleep_nor_other_threads_do() {
        let left = |wall, waited, used| {
            let [limit, wall, waited, used] = [1000, wall, waited, used].map(Duration::from_millis);
            let times = CountedTimes { waited, used, used_by_tree: None };
            stretched_limit(limit, wall, &times).map(|left| left.as_millis())
        };
        assert_eq!(left(1500, 1200, 300), Some(700), "it had a processor for 300 ms");
        assert_eq!(left(1500, 0, 300), None, "it slept");
        assert_eq!(left(1500, 1200, 1000), None, "its threads waited for each other");
        assert_eq!(left(99_990, 99_900, 90), Some(10), "a hundred times the limit is the end");
        assert_eq!(left(100_000, 99_990, 10), None);
    }

    #[test]
    fn only_cpu_time_counts_while_a_child_is_busy() {
        let left = |wall, used, used_by_tree: Option<u64>| {
            let [limit, wall, used] = [1000, wall, used].map(Duration::from_millis);
            let used_by_tree = used_by_tree.map(Duration::from_millis);
            let times = CountedTimes { waited: Duration::ZERO, used, used_by_tree };
            stretched_limit(limit, wall, &times).map(|left| left.as_millis())
        };
        assert_eq!(left(5000, 0, Some(400)), Some(600), "a shell that waits for a busy child");
        assert_eq!(left(5000, 0, Some(1000)), None, "the child used all of the limit");
        assert_eq!(left(5000, 0, None), None, "all sleep");
        assert_eq!(left(100_000, 0, Some(400)), None, "a hundred times the limit is the end");
    }
}
