//! The CPU time of gainsay itself: this process, and the helper processes that start and watch solvers.

use std::fs;
use std::time::Duration;

use rustix::param::clock_ticks_per_second;
use rustix::time::{ClockId, clock_gettime};

/// The CPU time since counting started.
#[derive(Debug, Clone)]
pub struct OwnCpuUsage {
    start: Duration,
    most: Duration,
}

impl OwnCpuUsage {
    /// Starts to count.
    pub fn start() -> Self {
        OwnCpuUsage { start: this_process(), most: Duration::ZERO }
    }

    /// The CPU time of this process and of its live helpers. It never decreases, though a helper may end.
    pub fn since_start(&mut self) -> Duration {
        self.most = self.most.max((this_process() + helpers()).saturating_sub(self.start));
        self.most
    }
}

fn this_process() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The CPU time of our helpers, without that of solvers; zero if the system does not tell.
fn helpers() -> Duration {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let children = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let children: Vec<String> = children.collect();
    children.iter().flat_map(|list| list.split_whitespace()).filter_map(cpu_of).sum()
}

fn cpu_of(process: &str) -> Option<Duration> {
    let line = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program may hold anything, so count from after its closing parenthesis.
    let mut fields = line.rsplit_once(')')?.1.split_whitespace().skip(11);
    let ticks = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 1000 / clock_ticks_per_second()))
}
