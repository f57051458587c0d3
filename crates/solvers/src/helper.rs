//! The helper process: it starts solver processes for gainsay, limits and watches them, and leaves nothing behind.
//!
//! Every driver has one. It is a process and not a thread for three reasons:
//!
//! - It outlives gainsay. However gainsay ends, SIGKILL included, the socket between them closes; the helper sees that,
//!   kills what runs, and goes. Nothing that gainsay could do in its own process survives SIGKILL.
//! - It adopts. Orphans below it become its children (`PR_SET_CHILD_SUBREAPER`), so after each run one `wait4` that
//!   says "no children" proves that nothing is left, not even a grandchild that left its process group.
//! - It is small and has one thread, so it may fork (the fork server) and may use the vfork trick without locks.
//!
//! If the helper itself is killed, its [`guard`] cleans up, and gainsay starts another helper.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};

use super::guard;
use super::native;
pub use super::native::fork::{Server as ForkServer, Warm};
use super::protocol::{End, Report, Request, Stop, hear, tell};
use super::run::Limits;
use super::sandbox::Confinement;
use super::sys::{self, Block, Child, Deaths, Program, Setup, Waited};

/// Something that can be run again and again: a program, or a library that was loaded once.
pub trait Subject {
    /// Starts it in a child process.
    fn start(&mut self, setup: &Setup) -> io::Result<Child>;
}

impl Subject for Program {
    fn start(&mut self, setup: &Setup) -> io::Result<Child> {
        sys::spawn(self, setup)
    }
}

/// The helper's own command line, after the words that lead to it:
///
/// ```text
/// [CONFINEMENT] keep -- PROGRAM ARGUMENTS…         a process per script, or a session
/// [CONFINEMENT] fork cvc5 FOLDER ARGUMENTS…        a library loaded once, a fork per script
/// [CONFINEMENT] fork z3 LIBRARY ARGUMENTS…         the same for z3
/// session cvc5 END FOLDER ARGUMENTS…           no helper, but a solver that runs many scripts
/// cvc5 FOLDER ARGUMENTS…                       no helper, but the command line of a solver that has none
/// ```
///
/// `CONFINEMENT` is what [`Confinement`] reads: the private folder, and what may be reached.
///
/// `environment` is what this process was started with, and what solvers are started with.
pub fn main(arguments: &[OsString], environment: &[(OsString, OsString)]) -> ExitCode {
    let done = match begin(arguments) {
        Ok((words, work_folder)) => dispatch(words, environment, &work_folder),
        Err(error) => Err(error),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => complain(&error),
    }
}

/// The first thing that a helper does: it splits off its guard and confines itself, as its command line says. Gives the rest
/// of the command line.
pub fn begin(arguments: &[OsString]) -> io::Result<(&[OsString], WorkFolder)> {
    let (confinement, words) = Confinement::read(arguments);
    if words.first().is_some_and(|first| first == "keep" || first == "fork") {
        guard::split(confinement.folder.as_deref())?;
        confinement.confine()?;
    }
    Ok((words, WorkFolder(confinement.work_folder())))
}

/// The folder that solvers may write to, if they are confined.
pub struct WorkFolder(Option<PathBuf>);

impl WorkFolder {
    /// Removes what a solver left there, so that the next one finds it empty.
    fn empty(&self) {
        let Some(entries) = self.0.as_ref().and_then(|folder| std::fs::read_dir(folder).ok()) else { return };
        for entry in entries.filter_map(Result::ok) {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            // What cannot be removed now is removed with the folder.
            let _ = if is_folder {
                std::fs::remove_dir_all(entry.path())
            } else {
                std::fs::remove_file(entry.path())
            };
        }
    }
}

/// Does what the words of a helper's command line say.
fn dispatch(
    words: &[OsString],
    environment: &[(OsString, OsString)],
    work_folder: &WorkFolder,
) -> io::Result<()> {
    match words {
        [keep, dashes, command @ ..] if keep == "keep" && dashes == "--" => {
            serve_program(command, environment, work_folder)
        }
        [fork, cvc5, folder, arguments @ ..] if fork == "fork" && cvc5 == "cvc5" => {
            native::cvc5::serve_forks(folder.as_ref(), arguments, work_folder)
        }
        [fork, z3, library, arguments @ ..] if fork == "fork" && z3 == "z3" => {
            native::z3::serve_forks(library.as_ref(), arguments, work_folder)
        }
        [session, cvc5, end, folder, arguments @ ..] if session == "session" && cvc5 == "cvc5" => {
            sys::leave(native::cvc5::session(end.as_bytes(), folder.as_ref(), arguments))
        }
        [cvc5, folder, arguments @ ..] if cvc5 == "cvc5" => {
            sys::leave(native::cvc5::main(folder.as_ref(), arguments))
        }
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "this command is for gainsay itself")),
    }
}

/// Standard error is a file that gainsay quotes when a helper ends before its time.
fn complain(error: &io::Error) -> ExitCode {
    let _ = writeln!(io::stderr(), "{error}");
    ExitCode::FAILURE
}

/// Serves one driver with a program: `PROGRAM ARGUMENTS…`.
fn serve_program(
    command: &[OsString],
    environment: &[(OsString, OsString)],
    work_folder: &WorkFolder,
) -> io::Result<()> {
    let path = command.first().ok_or(io::ErrorKind::InvalidInput)?.as_bytes();
    let arguments: Vec<Vec<u8>> = command.iter().map(|argument| argument.as_bytes().to_vec()).collect();
    let environment: Vec<Vec<u8>> =
        environment.iter().map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat()).collect();
    serve(&mut Program::new(path, &arguments, &environment)?, work_folder)
}

/// Serves one driver: requests come on standard input, which is a socket. Returns when gainsay is gone.
pub fn serve(subject: &mut dyn Subject, work_folder: &WorkFolder) -> io::Result<()> {
    sys::rename("solver-keeper");
    sys::adopt_orphans()?;
    let control = io::stdin().as_fd().try_clone_to_owned()?;
    let mut server = Server { control, deaths: Deaths::new()?, stdio: Vec::new(), subject };
    while let Some((request, stdio)) = hear(&server.control)? {
        if !stdio.is_empty() {
            server.stdio = stdio;
        }
        match request {
            Request::Run(limits) => server.run(&limits, Mode::Once)?,
            Request::Start(limits) => server.run(&limits, Mode::Session)?,
            // What was to be stopped has ended by itself meanwhile.
            Request::Stop(_) => {}
        }
        work_folder.empty();
    }
    Ok(())
}

/// Whether the helper keeps the time or the one who talks to the program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Once,
    Session,
}

struct Server<'a> {
    control: OwnedFd,
    deaths: Deaths,
    stdio: Vec<OwnedFd>,
    subject: &'a mut dyn Subject,
}

impl Server<'_> {
    /// Starts the subject, watches it to its end, and reports.
    fn run(&mut self, limits: &Limits, mode: Mode) -> io::Result<()> {
        let [input, output, errors] = self.stdio.as_slice() else {
            return Ok(tell(&self.control, Report::Failed(libc::EBADF))?);
        };
        let setup = Setup {
            stdio: [input, output, errors].map(|fd| sys::raw(fd.as_fd())),
            memory: limits.memory,
            cpu_seconds: limits.cpu.filter(|_| mode == Mode::Once).map(|cpu| cpu.as_secs() + 1),
            output: (limits.output > 0).then_some(limits.output),
        };
        let (started, cpu_before) = (Instant::now(), sys::own_cpu_time());
        let child = match self.subject.start(&setup) {
            Ok(child) => child,
            Err(error) => return Ok(tell(&self.control, Report::Failed(error.raw_os_error().unwrap_or(0)))?),
        };
        // Making the process is part of what the solver costs: for a fork server, most of its start.
        let start_cpu = sys::own_cpu_time() - cpu_before;
        if mode == Mode::Session {
            // Ours would keep the session's pipes open after its death.
            self.stdio.clear();
            tell(&self.control, Report::Started(child.pid))?;
        }
        let mut watch = Watch::new(&child, limits, started, mode);
        let gainsay_lives = watch.until_end(&self.control, &self.deaths)?;
        let wall = started.elapsed();
        let (ended, strays) = clean_up(&child)?;
        if !gainsay_lives {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        let end = End {
            status: ended.status,
            stopped: watch.stopped,
            cpu: ended.cpu + start_cpu,
            wall,
            peak_memory: ended.peak_memory,
            strays,
        };
        Ok(tell(&self.control, Report::Ended(end))?)
    }
}

/// Watches one child against its limits.
struct Watch<'a> {
    child: &'a Child,
    limits: &'a Limits,
    started: Instant,
    mode: Mode,
    stopped: Option<Stop>,
    kill_at: Option<Instant>,
}

impl<'a> Watch<'a> {
    fn new(child: &'a Child, limits: &'a Limits, started: Instant, mode: Mode) -> Self {
        Watch { child, limits, started, mode, stopped: None, kill_at: None }
    }

    /// Waits until the child has ended; `false` if gainsay ended first, in which case the child was killed.
    fn until_end(&mut self, control: &OwnedFd, deaths: &Deaths) -> io::Result<bool> {
        loop {
            let timeout = self.enforce();
            let mut fds =
                [PollFd::new(deaths, PollFlags::IN), PollFd::new(control, PollFlags::IN | PollFlags::HUP)];
            match poll(&mut fds, timeout.map(sys::timespec).as_ref()) {
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            if !fds[0].revents().is_empty() && deaths.include(self.child) {
                return Ok(true);
            }
            if !fds[1].revents().is_empty() {
                match hear(control)? {
                    Some((Request::Stop(grace), _)) => self.stop(Stop::Asked, grace),
                    _ => {
                        sys::signal(-self.child.pid, libc::SIGKILL);
                        return Ok(false);
                    }
                }
            }
        }
    }

    /// Does what is due, and tells how long nothing else will be.
    fn enforce(&mut self) -> Option<Duration> {
        let now = Instant::now();
        if let Some(kill_at) = self.kill_at {
            if now < kill_at {
                return Some(kill_at - now);
            }
            sys::signal(-self.child.pid, libc::SIGKILL);
            return None;
        }
        if self.mode == Mode::Session || self.stopped.is_some() {
            return None;
        }
        let wall = self.started.elapsed();
        if wall >= self.limits.wall {
            self.stop(Stop::Wall, self.limits.grace);
            return self.enforce();
        }
        let left = self.limits.wall - wall;
        let Some(limit) = self.limits.cpu else { return Some(left) };
        // One thread cannot use more CPU time than wall time, so short runs never ask for the clock.
        let used = if wall < limit { wall } else { sys::cpu_time(self.child.pid).unwrap_or(Duration::ZERO) };
        if used >= limit {
            self.stop(Stop::Cpu, self.limits.grace);
            return self.enforce();
        }
        Some(left.min((limit - used).max(Duration::from_millis(1))))
    }

    /// Asks the child to stop; [`Self::enforce`] kills it when the grace is over.
    fn stop(&mut self, why: Stop, grace: Duration) {
        if self.stopped.is_none() {
            self.stopped = Some(why);
            self.kill_at = Some(Instant::now() + grace);
            if !grace.is_zero() {
                sys::signal(-self.child.pid, libc::SIGTERM);
            }
        }
    }
}

/// Takes the child out of the process table, ends every orphan that it leaves, and counts them.
///
/// Whatever is left of its group is below it, so it is our child now: if we have none, nothing is left.
fn clean_up(child: &Child) -> io::Result<(sys::Ended, u64)> {
    let Waited::Ended(mut ended) = sys::wait(child.pid, Block::Yes)? else {
        return Err(io::ErrorKind::NotFound.into());
    };
    let strays = guard::end_children()?;
    ended.cpu += strays.cpu;
    Ok((ended, strays.count))
}
