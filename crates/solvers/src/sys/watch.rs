//! System calls that watch processes: SIGCHLD as a descriptor, `wait4` with its rusage, CPU clocks.
//!
//! All `unsafe` code that watches processes is in this file.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use std::time::Duration;

use rustix::event::Timespec;

use super::Child;

/// A descriptor that becomes readable when a child has ended. There is one for all children: a descriptor per child (`pidfd`)
/// would cost more than everything else that a helper does for a script.
#[derive(Debug)]
pub struct ChildExits(OwnedFd);

impl ChildExits {
    /// Redirects SIGCHLD to a new descriptor. Children do not inherit that.
    pub fn new() -> io::Result<Self> {
        // SAFETY: a zeroed set is a valid one; the calls read it, and the kernel returns a new descriptor.
        unsafe {
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            libc::sigaddset(&raw mut set, libc::SIGCHLD);
            libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
            match libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) {
                -1 => Err(io::Error::last_os_error()),
                fd => Ok(ChildExits(OwnedFd::from_raw_fd(fd))),
            }
        }
    }

    /// Consumes the signal that made the descriptor readable. Call it before asking what happened.
    pub fn consume(&self) {
        let mut news = [0_u8; size_of::<libc::signalfd_siginfo>()];
        let _ = rustix::io::read(&self.0, &mut news);
    }

    /// Returns true if this child has ended. Call it when the descriptor is readable, which another child may have caused.
    pub fn include(&self, child: &Child) -> bool {
        // SAFETY: a zeroed siginfo is a valid one, and waitid fills it; `WNOWAIT` leaves the child for `wait`.
        unsafe {
            let mut ended: libc::siginfo_t = std::mem::zeroed();
            let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            let asked = libc::waitid(libc::P_PID, child.pid.cast_unsigned(), &raw mut ended, flags);
            asked != 0 || ended.si_pid() == child.pid
        }
    }
}

impl AsFd for ChildExits {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// A child that has ended.
#[derive(Debug, Clone, Copy)]
pub struct EndedChild {
    /// The status of `wait`.
    pub status: i32,
    /// User and system time of it and of the children that it waited for.
    pub cpu: Duration,
    /// Its largest resident set, in bytes.
    pub peak_memory: u64,
}

/// The result of `wait4`.
#[derive(Debug, Clone, Copy)]
pub enum WaitResult {
    /// This child has ended and was reaped.
    Ended(EndedChild),
    /// All children still run.
    Running,
    /// There are no children.
    None,
}

/// Whether to wait for a running child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocking {
    /// Wait.
    Yes,
    /// Return at once.
    No,
}

/// Processes of one command that are looked at: one with more forks without end.
const MAX_TREE_PROCESSES: usize = 256;

/// Reaps an ended child (any, if `pid` is -1).
pub fn wait(pid: i32, block: Blocking) -> io::Result<WaitResult> {
    let mut status = 0;
    let flags = if block == Blocking::Yes { 0 } else { libc::WNOHANG };
    // SAFETY: both pointers are to live values of the right type; a zeroed rusage is a valid one.
    let (found, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (libc::wait4(pid, &raw mut status, flags | libc::__WALL, &raw mut usage), usage)
    };
    match found {
        0 => Ok(WaitResult::Running),
        // A traced process that stopped: it is killed by whoever waits for its end.
        _ if libc::WIFSTOPPED(status) && block == Blocking::Yes => wait(pid, block),
        _ if libc::WIFSTOPPED(status) => Ok(WaitResult::Running),
        -1 => match io::Error::last_os_error() {
            error if error.raw_os_error() == Some(libc::ECHILD) => Ok(WaitResult::None),
            error if error.kind() == io::ErrorKind::Interrupted => wait(pid, block),
            error => Err(error),
        },
        _ => Ok(WaitResult::Ended(EndedChild {
            status,
            cpu: duration(usage.ru_utime) + duration(usage.ru_stime),
            peak_memory: usage.ru_maxrss.unsigned_abs() * 1024,
        })),
    }
}

fn duration(time: libc::timeval) -> Duration {
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_usec.unsigned_abs() as u32 * 1000)
}

/// The CPU time that this process has used so far.
pub fn own_cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes to the value given to it.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// The CPU time that a process has used so far, all threads; `None` if it has ended.
pub fn cpu_time(pid: i32) -> Option<Duration> {
    let mut clock = 0;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: both calls write to the values given to them.
    let ok = unsafe {
        libc::clock_getcpuclockid(pid, &raw mut clock) == 0 && libc::clock_gettime(clock, &raw mut time) == 0
    };
    ok.then(|| Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32))
}

/// How long the main thread of a process has waited for a processor so far; `None` if it has ended, or if the kernel does not
/// tell.
pub fn waited_time(pid: i32) -> Option<Duration> {
    let record = std::fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?;
    record.split_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

/// The CPU time of a process and of all that descend from it, those that it waited for included, if one of its living
/// descendants has a processor or waits for one, or for a disk; `None` if all of them sleep, or if the kernel does not tell.
pub fn cpu_time_of_busy_tree(pid: i32) -> Option<Duration> {
    let (mut cpu, mut is_busy) = (Duration::ZERO, false);
    let mut open = vec![pid];
    let mut seen = 0;
    while let Some(next) = open.pop() {
        seen += 1;
        // A process that ended meanwhile is in the times of its parent, sooner or later.
        let Some((state, waited_for)) = state_and_children_time(next) else { continue };
        cpu += cpu_time(next).unwrap_or_default() + waited_for;
        is_busy |= next != pid && matches!(state, 'R' | 'D');
        if seen < MAX_TREE_PROCESSES {
            let children = std::fs::read_to_string(format!("/proc/{next}/task/{next}/children"));
            open.extend(
                children.unwrap_or_default().split_whitespace().filter_map(|pid| pid.parse::<i32>().ok()),
            );
        }
    }
    is_busy.then_some(cpu)
}

/// The state of a process, and the CPU time of the children that it waited for.
fn state_and_children_time(pid: i32) -> Option<(char, Duration)> {
    let record = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program may contain blanks and parentheses.
    let mut words = record.rsplit_once(')')?.1.split_whitespace();
    let state = words.next()?.chars().next()?;
    let ticks: u64 = words.skip(12).take(2).map(|word| word.parse().unwrap_or(0)).sum();
    // SAFETY: asks for a constant of the system.
    let per_second =
        u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).ok().filter(|&ticks| ticks > 0)?;
    Some((state, Duration::from_millis(ticks * 1000 / per_second)))
}

/// A duration for `poll`.
pub fn timespec(duration: Duration) -> Timespec {
    Timespec { tv_sec: duration.as_secs().cast_signed(), tv_nsec: duration.subsec_nanos().into() }
}
