//! The helper process: starts, limits and watches solver processes for gainsay, and cleans up after them.
//!
//! Every driver has one. It is a process and not a thread for three reasons:
//!
//! - It outlives gainsay. However gainsay ends, SIGKILL included, the socket between them closes; the helper sees that,
//!   kills its solver and exits. No cleanup in gainsay's own process survives SIGKILL.
//! - It adopts orphans: they become its children (`PR_SET_CHILD_SUBREAPER`), so after each run one `wait4` that reports
//!   "no children" proves that nothing is left, not even a grandchild that left its process group.
//! - It is small and has one thread, so it may fork (the fork server) and may use vfork without locks.
//!
//! If the helper itself is killed, its [`guard`] cleans up, and gainsay starts another helper.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use gainsay_coverage::channel::CoverageFiles;
use gainsay_coverage::tracer::{TracedState, Tracer};
use rustix::event::{PollFd, PollFlags, poll};

use super::guard;
use super::native;
pub use super::native::fork_server::{ForkServer, PreloadedSolver};
use super::protocol::{HelperReport, HelperRequest, ProcessEnd, StopReason, receive_request, send_report};
use super::run::Limits;
use super::run_clock::RunClock;
use super::sandbox::Confinement;
use super::shortage::{SHORTAGE_MARK, is_shortage};
use super::sys::{self, Blocking, Child, ChildExits, ChildSetup, Executable, Tracing, WaitResult};

/// A solver that can be started repeatedly: a program, or a library that was loaded once.
pub trait Startable {
    /// Starts it in a child process.
    fn start(&mut self, setup: &ChildSetup) -> io::Result<Child>;

    /// Handles what traced processes of a started child wait for. `None` if it is not traced.
    fn handle_traps(&mut self, child: &Child) -> Option<TracedState> {
        let _ = child;
        None
    }

    /// Waits until a child that has ended or was killed can be reaped.
    fn finish(&mut self, child: &Child) {
        let _ = child;
    }
}

impl Startable for Executable {
    fn start(&mut self, setup: &ChildSetup) -> io::Result<Child> {
        sys::spawn(self, setup)
    }
}

/// A program that runs with traps, which this process handles.
struct TracedExecutable {
    executable: Executable,
    tracer: Tracer,
}

impl Startable for TracedExecutable {
    fn start(&mut self, setup: &ChildSetup) -> io::Result<Child> {
        let child = sys::spawn(&mut self.executable, setup)?;
        self.tracer.attach(child.pid)?;
        Ok(child)
    }

    fn handle_traps(&mut self, child: &Child) -> Option<TracedState> {
        Some(self.tracer.handle(child.pid))
    }

    fn finish(&mut self, child: &Child) {
        self.tracer.finish(child.pid);
    }
}

/// Runs the helper's command line, after the arguments of [`HelperProgram`](super::process::HelperProgram):
///
/// ```text
/// [CONFINEMENT] [covered] keep -- PROGRAM ARGUMENTS…         a process per script, or a session
/// [CONFINEMENT] [covered] fork cvc5 FOLDER ARGUMENTS…        a library loaded once, a fork per script
/// [CONFINEMENT] [covered] fork z3 LIBRARY ARGUMENTS…         the same for z3
/// session cvc5 END FOLDER ARGUMENTS…               not a helper, but a solver that runs many scripts
/// cvc5 FOLDER ARGUMENTS…                           not a helper, but a command line for a solver without one
/// ```
///
/// [`Confinement`] reads `CONFINEMENT`: the private folder, and the files that solvers may access. With `covered`, the first packet
/// has the descriptors of a [`CoverageFiles`].
///
/// `environment` is the environment of this process and of its solvers.
pub fn main(arguments: &[OsString], environment: &[(OsString, OsString)]) -> ExitCode {
    let done = match begin(arguments) {
        Ok((words, context)) => dispatch(words, environment, context),
        Err(error) => Err(error),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => complain(&error),
    }
}

/// The first step of a helper: splits off its guard and confines itself, as its command line says. Returns the rest of the
/// command line.
pub fn begin(arguments: &[OsString]) -> io::Result<(&[OsString], HelperContext)> {
    let (confinement, words) = Confinement::read(arguments);
    let (words, coverage) = match words {
        [covered, words @ ..] if covered == COVERAGE_WORD => (words, Some(receive_coverage()?)),
        _ => (words, None),
    };
    if words.first().is_some_and(|first| first == "keep" || first == "fork") {
        sys::restore_descriptor_limit();
        guard::split(confinement.folder.as_deref())?;
        confinement.confine(if coverage.is_some() { Tracing::Allowed } else { Tracing::Denied })?;
    }
    let is_confined = confinement.access.is_some();
    Ok((words, HelperContext { work_folder: WorkFolder(confinement.work_folder()), coverage, is_confined }))
}

/// The word that says that the first packet has the descriptors of a channel.
pub const COVERAGE_WORD: &str = "covered";

/// What a helper has before it serves.
pub struct HelperContext {
    /// The folder that solvers may write to.
    pub work_folder: WorkFolder,
    /// Its end of the channel, if coverage is measured.
    pub coverage: Option<CoverageFiles>,
    is_confined: bool,
}

fn receive_coverage() -> io::Result<CoverageFiles> {
    let packet = receive_request(io::stdin().as_fd())?.ok_or(io::ErrorKind::UnexpectedEof)?;
    CoverageFiles::open(packet.1)
}

/// The folder that solvers may write to, if they are confined.
pub struct WorkFolder(Option<PathBuf>);

impl WorkFolder {
    /// Removes the files that a solver left there.
    fn empty(&self) {
        let Some(entries) = self.0.as_ref().and_then(|folder| std::fs::read_dir(folder).ok()) else { return };
        for entry in entries.filter_map(Result::ok) {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            // The rest is removed with the folder.
            let _ = if is_folder {
                std::fs::remove_dir_all(entry.path())
            } else {
                std::fs::remove_file(entry.path())
            };
        }
    }
}

/// Runs the command that a helper's command line names.
fn dispatch(
    words: &[OsString],
    environment: &[(OsString, OsString)],
    context: HelperContext,
) -> io::Result<()> {
    match words {
        [keep, dashes, command @ ..] if keep == "keep" && dashes == "--" => {
            serve_program(command, environment, context)
        }
        [fork, cvc5, folder, arguments @ ..] if fork == "fork" && cvc5 == "cvc5" => {
            native::cvc5::serve_forks(folder.as_ref(), arguments, context)
        }
        [fork, z3, library, arguments @ ..] if fork == "fork" && z3 == "z3" => {
            native::z3::serve_forks(library.as_ref(), arguments, context)
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

/// Writes to standard error, a file that gainsay quotes when a helper ends unexpectedly.
fn complain(error: &io::Error) -> ExitCode {
    let mark = if is_shortage(error) { SHORTAGE_MARK } else { "" };
    let _ = writeln!(io::stderr(), "{mark}{error}");
    ExitCode::FAILURE
}

/// Serves one driver with a program: `PROGRAM ARGUMENTS…`.
fn serve_program(
    command: &[OsString],
    environment: &[(OsString, OsString)],
    context: HelperContext,
) -> io::Result<()> {
    let path = command.first().ok_or(io::ErrorKind::InvalidInput)?.as_bytes();
    let arguments: Vec<Vec<u8>> = command.iter().map(|argument| argument.as_bytes().to_vec()).collect();
    let environment: Vec<Vec<u8>> =
        environment.iter().map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat()).collect();
    let mut executable = Executable::new(path, &arguments, &environment)?;
    let HelperContext { work_folder, coverage, is_confined } = context;
    let Some(tracer) = coverage.and_then(|files| Tracer::new(files).ok()) else {
        return serve(&mut executable, &work_folder);
    };
    executable.run_traced(tracer.program(), if is_confined { sys::tracing_filter() } else { None });
    serve(&mut TracedExecutable { executable, tracer }, &work_folder)
}

/// Serves one driver: requests come on standard input, which is a socket. Returns when gainsay has ended.
pub fn serve(solver: &mut dyn Startable, work_folder: &WorkFolder) -> io::Result<()> {
    sys::rename("solver-keeper");
    sys::adopt_orphans()?;
    let control = io::stdin().as_fd().try_clone_to_owned()?;
    let mut server = HelperServer { control, deaths: ChildExits::new()?, stdio: Vec::new(), solver };
    while let Some((request, stdio)) = receive_request(&server.control)? {
        if !stdio.is_empty() {
            server.stdio = stdio;
        }
        match request {
            HelperRequest::Run(limits) => server.run(&limits, TimeKeeper::Helper)?,
            HelperRequest::Start(limits) => server.run(&limits, TimeKeeper::Gainsay)?,
            // The solver has ended by itself meanwhile.
            HelperRequest::Stop(_) => {}
        }
        work_folder.empty();
    }
    Ok(())
}

/// The process that enforces time limits: the helper, or gainsay in a session.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TimeKeeper {
    Helper,
    Gainsay,
}

struct HelperServer<'a> {
    control: OwnedFd,
    deaths: ChildExits,
    stdio: Vec<OwnedFd>,
    solver: &'a mut dyn Startable,
}

impl HelperServer<'_> {
    /// Starts the solver, watches it until it ends, and reports.
    fn run(&mut self, limits: &Limits, time_keeper: TimeKeeper) -> io::Result<()> {
        let [input, output, errors] = self.stdio.as_slice() else {
            return Ok(send_report(&self.control, HelperReport::Failed(libc::EBADF))?);
        };
        let setup = ChildSetup {
            stdio: [input, output, errors].map(|fd| sys::raw(fd.as_fd())),
            memory: limits.memory,
            cpu_seconds: limits
                .cpu
                .filter(|_| time_keeper == TimeKeeper::Helper)
                .map(|cpu| cpu.as_secs() + 1),
            output: (limits.output > 0).then_some(limits.output),
        };
        let (started, cpu_before) = (Instant::now(), sys::own_cpu_time());
        let child = match self.solver.start(&setup) {
            Ok(child) => child,
            Err(error) => {
                return Ok(send_report(
                    &self.control,
                    HelperReport::Failed(error.raw_os_error().unwrap_or(0)),
                )?);
            }
        };
        // The solver's CPU time includes making its process: for a fork server, most of the start.
        let start_cpu = sys::own_cpu_time() - cpu_before;
        if time_keeper == TimeKeeper::Gainsay {
            // These descriptors would keep the session's pipes open after its end.
            self.stdio.clear();
            send_report(&self.control, HelperReport::Started(child.pid))?;
        }
        let mut watch = LimitWatch::new(&child, limits, started, time_keeper);
        let gainsay_lives = watch.until_end(&self.control, &self.deaths, self.solver)?;
        let wall = started.elapsed();
        self.solver.finish(&child);
        let (ended, strays) = clean_up(&child)?;
        if !gainsay_lives {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        let end = ProcessEnd {
            status: ended.status,
            stopped: watch.stopped,
            cpu: ended.cpu + start_cpu,
            wall,
            peak_memory: ended.peak_memory,
            strays,
        };
        Ok(send_report(&self.control, HelperReport::Ended(end))?)
    }
}

/// Enforces the limits of one child.
struct LimitWatch<'a> {
    child: &'a Child,
    limits: &'a Limits,
    clock: RunClock,
    time_keeper: TimeKeeper,
    stopped: Option<StopReason>,
    kill_at: Option<Instant>,
}

impl<'a> LimitWatch<'a> {
    fn new(child: &'a Child, limits: &'a Limits, started: Instant, time_keeper: TimeKeeper) -> Self {
        let clock = RunClock::of_process(child.pid, started);
        LimitWatch { child, limits, clock, time_keeper, stopped: None, kill_at: None }
    }

    /// Waits until the child has ended; `false` if gainsay ended first, and the child was killed.
    fn until_end(
        &mut self,
        control: &OwnedFd,
        deaths: &ChildExits,
        solver: &mut dyn Startable,
    ) -> io::Result<bool> {
        loop {
            let timeout = self.enforce();
            let mut fds =
                [PollFd::new(deaths, PollFlags::IN), PollFd::new(control, PollFlags::IN | PollFlags::HUP)];
            match poll(&mut fds, timeout.map(sys::timespec).as_ref()) {
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            if !fds[0].revents().is_empty() {
                deaths.consume();
                let has_ended = match solver.handle_traps(self.child) {
                    Some(state) => state == TracedState::Ended,
                    None => deaths.include(self.child),
                };
                if has_ended {
                    return Ok(true);
                }
            }
            if !fds[1].revents().is_empty() {
                match receive_request(control)? {
                    Some((HelperRequest::Stop(grace), _)) => self.stop(StopReason::Asked, grace),
                    _ => {
                        sys::signal(-self.child.pid, libc::SIGKILL);
                        return Ok(false);
                    }
                }
            }
        }
    }

    /// Enforces the limits that have passed, and returns the time until the next one.
    fn enforce(&mut self) -> Option<Duration> {
        let now = Instant::now();
        if let Some(kill_at) = self.kill_at {
            if now < kill_at {
                return Some(kill_at - now);
            }
            sys::signal(-self.child.pid, libc::SIGKILL);
            return None;
        }
        if self.time_keeper == TimeKeeper::Gainsay || self.stopped.is_some() {
            return None;
        }
        match self.clock.time_left(self.limits) {
            Ok(left) => Some(left),
            Err(limit) => {
                self.stop(limit, self.limits.grace);
                self.enforce()
            }
        }
    }

    /// Sends SIGTERM to the child; [`Self::enforce`] kills it when the grace period ends.
    fn stop(&mut self, why: StopReason, grace: Duration) {
        if self.stopped.is_none() {
            self.stopped = Some(why);
            self.kill_at = Some(Instant::now() + grace);
            if !grace.is_zero() {
                sys::signal(-self.child.pid, libc::SIGTERM);
            }
        }
    }
}

/// Reaps the child, ends every orphan that it leaves, and counts them.
///
/// Surviving processes of its group descend from it, so they are children of the helper now: without children, none is left.
fn clean_up(child: &Child) -> io::Result<(sys::EndedChild, u64)> {
    let WaitResult::Ended(mut ended) = sys::wait(child.pid, Blocking::Yes)? else {
        return Err(io::ErrorKind::NotFound.into());
    };
    let strays = guard::end_children()?;
    ended.cpu += strays.cpu;
    Ok((ended, strays.count))
}
