//! The guard of a helper process: its parent, which ends what it leaves behind if it is killed.
//!
//! ```text
//! gainsay ─ guard ─ helper ─ solver ─ whatever the solver starts
//! ```
//!
//! A helper cleans up after solvers, but nothing cleans up after a helper that dies of SIGKILL: its solver dies by the
//! parent-death signal, what the solver started does not. So every helper begins by splitting in two. The upper half
//! does nothing but wait; orphans below it become its children (`PR_SET_CHILD_SUBREAPER`), and when the lower half
//! is killed, it kills them until none is left and dies of the same signal. When gainsay sees that death, everything is
//! gone. The guard removes the helper's private folder, too, because the helper may be killed and may not write outside of
//! that folder. It is the same if gainsay is killed with the helper; only who kills guard and helper at once gets away.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::sys::{self, Block, Ended, Half, Waited};

/// Goes on in a child of this process, with this process as its guard, which removes `folder` at the end. To be called first,
/// with one thread.
pub fn split(folder: Option<&Path>) -> io::Result<()> {
    sys::adopt_orphans()?;
    match sys::split()? {
        Half::Lower => Ok(()),
        Half::Upper(helper) => guard(helper, folder),
    }
}

/// Waits for the helper's end and ends in the same way, after everything that it left.
fn guard(helper: i32, folder: Option<&Path>) -> ! {
    sys::rename("solver-guard");
    let status = loop {
        match sys::wait(helper, Block::Yes) {
            Ok(Waited::Ended(ended)) => break ended.status,
            Ok(Waited::Running) => {}
            Ok(Waited::None) | Err(_) => sys::leave(1),
        }
    };
    let _ = end_children();
    if let Some(folder) = folder {
        let _ = std::fs::remove_dir_all(folder);
    }
    sys::leave_like(status)
}

/// What children used that had to be ended.
#[derive(Debug, Clone, Copy, Default)]
pub struct Strays {
    /// How many there were.
    pub count: u64,
    /// Their CPU time.
    pub cpu: Duration,
}

/// Kills every child of this process, adopted ones included, takes them out of the process table, and counts them.
pub fn end_children() -> io::Result<Strays> {
    let mut strays = Strays::default();
    let mut count = |ended: Ended| {
        strays.count += 1;
        strays.cpu += ended.cpu;
    };
    loop {
        match sys::wait(-1, Block::No)? {
            Waited::None => return Ok(strays),
            Waited::Ended(stray) => count(stray),
            Waited::Running => {
                kill_children()?;
                // One that is killed ends; if it forked meanwhile, the next round finds that one, too.
                if let Waited::Ended(stray) = sys::wait(-1, Block::Yes)? {
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
        // `pid (name) state parent …`, where the name may hold anything.
        let stat = std::fs::read_to_string(path.join("stat")).unwrap_or_default();
        if stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)) == Some(own.as_str()) {
            sys::signal(pid, libc::SIGKILL);
        }
    }
    Ok(())
}
