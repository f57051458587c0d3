//! The guard of a helper process: its parent, which cleans up if the helper is killed.
//!
//! ```text
//! gainsay ─ guard ─ helper ─ solver ─ whatever the solver starts
//! ```
//!
//! A helper cleans up after solvers, but not if it dies of SIGKILL itself: the parent-death signal kills its solver, but not
//! the processes that the solver started. So every helper begins by forking. The parent, its guard, only waits; orphans become its
//! children (`PR_SET_CHILD_SUBREAPER`). When the helper is killed, the guard kills them until none is left and dies of the same
//! signal, so when gainsay sees that death, everything has ended. The guard also removes the helper's private folder, since
//! the helper may be killed and may not write outside of that folder. The guard does the same if gainsay is killed with the
//! helper; processes can survive only if guard and helper are killed at once.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::sys::{self, Blocking, EndedChild, SplitHalf, WaitResult};

/// Continues in a child of this process; this process becomes its guard, which removes `folder` at the end. Must be called first,
/// while there is one thread.
pub fn split(folder: Option<&Path>) -> io::Result<()> {
    sys::adopt_orphans()?;
    match sys::split()? {
        SplitHalf::Helper => Ok(()),
        SplitHalf::Guard(helper) => guard(helper, folder),
    }
}

/// Waits for the helper's end, cleans up, and ends in the same way.
fn guard(helper: i32, folder: Option<&Path>) -> ! {
    sys::rename("solver-guard");
    let status = loop {
        match sys::wait(helper, Blocking::Yes) {
            Ok(WaitResult::Ended(ended)) => break ended.status,
            Ok(WaitResult::Running) => {}
            Ok(WaitResult::None) | Err(_) => sys::leave(1),
        }
    };
    let _ = end_children();
    if let Some(folder) = folder {
        let _ = std::fs::remove_dir_all(folder);
    }
    sys::leave_like(status)
}

/// Children that had to be killed.
#[derive(Debug, Clone, Copy, Default)]
pub struct StrayProcesses {
    /// How many there were.
    pub count: u64,
    /// Their CPU time.
    pub cpu: Duration,
}

/// Kills and reaps every child of this process, adopted ones included, and counts them.
pub fn end_children() -> io::Result<StrayProcesses> {
    let mut strays = StrayProcesses::default();
    let mut count = |ended: EndedChild| {
        strays.count += 1;
        strays.cpu += ended.cpu;
    };
    loop {
        match sys::wait(-1, Blocking::No)? {
            WaitResult::None => return Ok(strays),
            WaitResult::Ended(stray) => count(stray),
            WaitResult::Running => {
                kill_children()?;
                // A killed child ends; if it forked meanwhile, the next round finds the fork.
                if let WaitResult::Ended(stray) = sys::wait(-1, Blocking::Yes)? {
                    count(stray);
                }
            }
        }
    }
}

/// Kills every child of this process, also those that were adopted and those in other groups or sessions.
fn kill_children() -> io::Result<()> {
    let own = std::process::id().to_string();
    for entry in std::fs::read_dir("/proc")? {
        let path = entry?.path();
        let Some(pid) = path.file_name().and_then(|name| name.to_str()?.parse().ok()) else { continue };
        // `pid (name) state parent …`, where the name may contain anything.
        let stat = std::fs::read_to_string(path.join("stat")).unwrap_or_default();
        if stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)) == Some(own.as_str()) {
            sys::signal(pid, libc::SIGKILL);
        }
    }
    Ok(())
}
