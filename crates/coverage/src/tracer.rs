//! Handles the traps of programs by ptrace: the helper process, their parent, records a hit, removes the trap from the image that
//! the program runs from, and lets the program repeat the instruction.
//!
//! Threads, forks and other programs that it starts are traced as well; signals of its own are delivered to it. All `unsafe` code
//! for ptrace is in this file.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};

use crate::channel::{CoverageFiles, TrapImage};

/// Traces the programs of one helper.
#[derive(Debug)]
pub struct Tracer {
    files: CoverageFiles,
    /// The offset of the addresses in the running program.
    bias: u64,
    /// Processes and threads that have started.
    known: Vec<i32>,
}

/// What [`Tracer::handle`] left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TracedState {
    /// The main process runs.
    Running,
    /// It has ended; its status can be waited for.
    Ended,
}

impl Tracer {
    /// A tracer for programs that run from an image; `None` if the channel is that of a library.
    pub fn new(files: CoverageFiles) -> Result<Self, CoverageFiles> {
        if files.image.is_none() {
            return Err(files);
        }
        Ok(Tracer { files, bias: 0, known: Vec::new() })
    }

    /// The program with traps, to execute.
    pub fn program(&self) -> RawFd {
        self.image().as_fd().as_raw_fd()
    }

    fn image(&self) -> &TrapImage {
        self.files.image.as_ref().expect("checked when it was made")
    }
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod requests {
    //! ptrace itself, on x86-64.
    use super::{CoverageFiles, TracedState, Tracer, io};

    /// Where `struct user` has the register RIP.
    const RIP_OFFSET: usize = 128;
    /// What the kernel reports as stops of their own: new threads, forks and programs; and the end of a tracer kills.
    const TRACE_OPTIONS: i32 = libc::PTRACE_O_TRACECLONE
        | libc::PTRACE_O_TRACEFORK
        | libc::PTRACE_O_TRACEVFORK
        | libc::PTRACE_O_TRACEEXEC
        | libc::PTRACE_O_EXITKILL;
    /// The entry of the auxiliary vector with the entry address.
    const AT_ENTRY: u64 = 9;

    /// Makes the parent trace the calling process from its next `execve` on. Only a system call, so it is safe after `clone`.
    pub fn trace_me() -> Result<(), i32> {
        // SAFETY: takes no pointers.
        match unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) } {
            0 => Ok(()),
            // SAFETY: reads the error of this thread.
            _ => Err(unsafe { *libc::__errno_location() }),
        }
    }

    /// Why the kernel does not let this process trace its children; `None` if it does.
    pub fn forbidden() -> Option<String> {
        // SAFETY: the child of the fork only makes system calls and exits.
        let child = unsafe {
            match libc::fork() {
                0 => libc::_exit(trace_me().err().unwrap_or(0)),
                child => child,
            }
        };
        let mut status = 0;
        // SAFETY: waits for the child, which exits at once.
        let waited = child > 0 && unsafe { libc::waitpid(child, &raw mut status, libc::__WALL) } == child;
        match (waited, libc::WIFEXITED(status), libc::WEXITSTATUS(status)) {
            (true, true, 0) => None,
            (true, true, error) => Some(io::Error::from_raw_os_error(error).to_string()),
            _ => Some("a test process did not end".to_owned()),
        }
    }

    impl Tracer {
        /// Waits until a started program has replaced the helper's code, and lets it run.
        pub fn attach(&mut self, main: i32) -> io::Result<()> {
            let mut status = 0;
            // SAFETY: writes to the value given to it.
            let found = unsafe { libc::waitpid(main, &raw mut status, libc::__WALL) };
            if found != main || !libc::WIFSTOPPED(status) {
                return Err(io::Error::from_raw_os_error(libc::ESRCH));
            }
            self.known = vec![main];
            self.bias = match self.files.table.relocated_entry() {
                Some(entry) => actual_entry(main)?.wrapping_sub(entry),
                None => 0,
            };
            request(libc::PTRACE_SETOPTIONS, main, TRACE_OPTIONS as usize)?;
            request(libc::PTRACE_CONT, main, 0)
        }

        /// Handles everything that traced processes wait for. Call it whenever SIGCHLD arrives.
        pub fn handle(&mut self, main: i32) -> TracedState {
            loop {
                let Some((pid, ended)) = waiting(libc::WNOHANG) else { return TracedState::Running };
                if ended && pid == main {
                    return TracedState::Ended;
                }
                let mut status = 0;
                // SAFETY: writes to the value given to it.
                let found = unsafe { libc::waitpid(pid, &raw mut status, libc::__WALL | libc::WNOHANG) };
                if found == pid && libc::WIFSTOPPED(status) {
                    // A process that was killed meanwhile cannot be resumed, and need not be.
                    let _ = self.resume(pid, status);
                } else {
                    self.known.retain(|&known| known != pid);
                }
            }
        }

        /// Waits for the end of a process that was killed. Its threads are traced, so they must be waited for before it.
        pub fn finish(&mut self, main: i32) {
            while self.handle(main) == TracedState::Running && waiting(0).is_some() {}
        }

        fn resume(&mut self, pid: i32, status: i32) -> io::Result<()> {
            let signal = libc::WSTOPSIG(status);
            let is_event = status >> 16 != 0;
            let is_new = !self.known.contains(&pid);
            if is_new {
                self.known.push(pid);
            }
            let delivered = match signal {
                _ if is_event => 0,
                libc::SIGSTOP if is_new => 0,
                libc::SIGTRAP if self.hit(pid)? => 0,
                signal => signal,
            };
            request(libc::PTRACE_CONT, pid, delivered as usize)
        }

        /// Records a hit and moves the process back before the trap; `false` if it stopped for another reason.
        fn hit(&mut self, pid: i32) -> io::Result<bool> {
            let CoverageFiles { table, log, .. } = &self.files;
            // SAFETY: reads a register of a stopped process that this one traces.
            let after = unsafe { libc::ptrace(libc::PTRACE_PEEKUSER, pid, RIP_OFFSET, 0) }.cast_unsigned();
            let at = after.wrapping_sub(1);
            let Some(site) = table.find(0, at.wrapping_sub(self.bias)) else { return Ok(false) };
            let row = table.row(site);
            if !self.image().disarm(&row) {
                // Another process removed it at this moment, or this process wrote to that page and has a copy of its own.
                restore(pid, at, row.original)?;
            }
            log.record(site);
            // SAFETY: writes a register of a stopped process that this one traces.
            match unsafe { libc::ptrace(libc::PTRACE_POKEUSER, pid, RIP_OFFSET, at) } {
                0 => Ok(true),
                _ => Err(io::Error::last_os_error()),
            }
        }
    }

    /// Writes one byte of the code of a process.
    fn restore(pid: i32, at: u64, original: u8) -> io::Result<()> {
        // SAFETY: reads and writes the memory of a stopped process that this one traces.
        unsafe {
            let word = libc::ptrace(libc::PTRACE_PEEKTEXT, pid, at, 0).cast_unsigned();
            let word = word & !0xff | u64::from(original);
            match libc::ptrace(libc::PTRACE_POKETEXT, pid, at, word) {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            }
        }
    }

    /// The next process that has something to report, and whether it has ended; waits for one without `WNOHANG`.
    fn waiting(patience: i32) -> Option<(i32, bool)> {
        // SAFETY: a zeroed siginfo is a valid one, and waitid fills it; `WNOWAIT` leaves the process for `waitpid`.
        let (found, info) = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let flags = libc::WEXITED | libc::WSTOPPED | libc::WNOWAIT | libc::__WALL | patience;
            (libc::waitid(libc::P_ALL, 0, &raw mut info, flags), info)
        };
        // SAFETY: waitid has filled it.
        let pid = unsafe { info.si_pid() };
        let ended = matches!(info.si_code, libc::CLD_EXITED | libc::CLD_KILLED | libc::CLD_DUMPED);
        (found == 0 && pid != 0).then_some((pid, ended))
    }

    /// Where the first instruction of a program lies, by the auxiliary vector that the kernel gave it.
    fn actual_entry(pid: i32) -> io::Result<u64> {
        let vector = std::fs::read(format!("/proc/{pid}/auxv"))?;
        let number = |bytes: &[u8]| {
            let mut eight = [0; 8];
            eight.copy_from_slice(bytes);
            u64::from_ne_bytes(eight)
        };
        let mut entries = vector.chunks_exact(16).map(|entry| (number(&entry[..8]), number(&entry[8..])));
        entries
            .find_map(|(kind, value)| (kind == AT_ENTRY).then_some(value))
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn request(request: libc::c_uint, pid: i32, data: usize) -> io::Result<()> {
        // SAFETY: these requests take numbers, no pointers.
        match unsafe { libc::ptrace(request, pid, 0, data) } {
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub use requests::{forbidden, trace_me};

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod elsewhere {
    //! Machines without support: [`crate::unsupported`] tells, and nothing gets here.
    use super::{TracedState, Tracer};

    /// Fails.
    pub fn trace_me() -> Result<(), i32> {
        Err(libc::ENOSYS)
    }

    /// Says that it is forbidden.
    pub fn forbidden() -> Option<String> {
        Some("not this machine".to_owned())
    }

    impl Tracer {
        /// Fails.
        pub fn attach(&mut self, _main: i32) -> std::io::Result<()> {
            Err(std::io::ErrorKind::Unsupported.into())
        }

        /// Does nothing.
        pub fn finish(&mut self, _main: i32) {}

        /// Does nothing.
        pub fn handle(&mut self, _main: i32) -> TracedState {
            TracedState::Running
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
pub use elsewhere::{forbidden, trace_me};
