//! System calls without a safe wrapper: `clone` + `execve`, `fork`, limits, signals; [`watch`] has those that watch processes,
//! [`mod@confine`] those that confine them.
//!
//! All `unsafe` code that starts and ends processes is in this file. Linux only.
//!
//! [`spawn`] works like `posix_spawn`: the child shares the memory of its parent until it calls `execve`
//! (`CLONE_VM | CLONE_VFORK`), so nothing is copied however large the parent is. `posix_spawn` itself cannot set limits nor
//! make the child die with its parent.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, RawFd};

use gainsay_coverage::tracer;

mod confine;
mod descriptors;
mod watch;

pub use confine::*;
pub use descriptors::*;
pub use watch::*;

/// Limits and descriptors that a child sets before it runs the solver.
#[derive(Debug, Clone, Copy)]
pub struct ChildSetup {
    /// Its standard input, output and error.
    pub stdio: [RawFd; 3],
    /// Address space in bytes; `None` for the inherited limit.
    pub memory: Option<u64>,
    /// CPU seconds, rounded up by the caller.
    pub cpu_seconds: Option<u64>,
    /// Bytes that it may write to any one file.
    pub output: Option<u64>,
}

/// A program to execute, prepared once: absolute path, arguments, environment.
#[derive(Debug)]
pub struct Executable {
    path: CString,
    arguments: Vec<CString>,
    environment: Vec<CString>,
    /// A copy of the program to execute in its place, whose traps this process handles.
    traced: Option<TracedCopy>,
    /// The child's stack between `clone` and `execve`; reused, because allocating it costs more than the rest.
    stack: Vec<u8>,
}

/// A child process.
#[derive(Debug)]
pub struct Child {
    /// Its process id, and the id of its process group.
    pub pid: i32,
}

impl Executable {
    /// A program by path, with its arguments (the first is its own name) and environment (`NAME=value`).
    pub fn new(path: &[u8], arguments: &[Vec<u8>], environment: &[Vec<u8>]) -> io::Result<Self> {
        let strings =
            |all: &[Vec<u8>]| all.iter().map(|s| CString::new(s.as_slice())).collect::<Result<_, _>>();
        Ok(Executable {
            path: CString::new(path)?,
            arguments: strings(arguments)?,
            environment: strings(environment)?,
            traced: None,
            stack: vec![0; 64 * 1024],
        })
    }
}

impl Executable {
    /// Executes this copy of the program from now on, traced by this process. The solver itself may not trace if it is confined.
    pub fn run_traced(&mut self, copy: RawFd, denied: Option<Vec<libc::sock_filter>>) {
        self.traced = Some(TracedCopy { copy, denied });
    }
}

/// A copy of a program, open for execution, and the filter that takes the right to trace from it.
#[derive(Debug)]
struct TracedCopy {
    copy: RawFd,
    denied: Option<Vec<libc::sock_filter>>,
}

/// The arguments for the child of [`spawn`], on the stack of the suspended parent.
struct SpawnArguments {
    path: *const libc::c_char,
    arguments: Vec<*const libc::c_char>,
    environment: Vec<*const libc::c_char>,
    setup: ChildSetup,
    traced: Option<(RawFd, Option<libc::sock_fprog>)>,
    parent: i32,
    failure: i32,
}

/// Starts a program with limits in a process group of its own; it is killed when this process ends.
pub fn spawn(program: &mut Executable, setup: &ChildSetup) -> io::Result<Child> {
    let pointers = |all: &[CString]| all.iter().map(|s| s.as_ptr()).chain([std::ptr::null()]).collect();
    let mut plan = SpawnArguments {
        path: program.path.as_ptr(),
        arguments: pointers(&program.arguments),
        environment: pointers(&program.environment),
        setup: *setup,
        traced: program.traced.as_ref().map(|traced| {
            let filter = traced.denied.as_ref().map(|denied| libc::sock_fprog {
                len: denied.len() as u16,
                filter: denied.as_ptr().cast_mut(),
            });
            (traced.copy, filter)
        }),
        // SAFETY: getpid cannot fail.
        parent: unsafe { libc::getpid() },
        failure: 0,
    };
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the child runs `execute` on its own stack while this thread is suspended (CLONE_VFORK); `plan` and
    // the stack outlive it; this process has one thread and no signal handlers that touch shared state.
    let pid = unsafe {
        let top = program.stack.as_mut_ptr().add(program.stack.len()).map_addr(|address| address & !15);
        libc::clone(execute, top.cast(), flags, (&raw mut plan).cast())
    };
    if pid < 0 {
        return Err(io::Error::last_os_error());
    }
    let child = Child { pid };
    if plan.failure == 0 {
        return Ok(child);
    }
    wait(child.pid, Blocking::Yes)?;
    Err(io::Error::from_raw_os_error(plan.failure))
}

/// The child's part of [`spawn`]: only system calls, no allocation, no return on success.
extern "C" fn execute(plan: *mut libc::c_void) -> libc::c_int {
    // SAFETY: `plan` is the caller's, which is suspended until we exec or exit.
    let plan = unsafe { &mut *plan.cast::<SpawnArguments>() };
    let spared = plan.traced.map(|(copy, _)| copy);
    if let Err(failure) = enter(&plan.setup, plan.parent, spared).and_then(|()| begin_tracing(plan)) {
        plan.failure = failure;
        return 127;
    }
    // SAFETY: null-terminated arrays of C strings that live in the suspended caller.
    unsafe {
        let (arguments, environment) = (plan.arguments.as_ptr(), plan.environment.as_ptr());
        match spared {
            None => libc::execve(plan.path, arguments, environment),
            Some(copy) => {
                let (empty, flags) = (c"".as_ptr(), libc::AT_EMPTY_PATH);
                libc::syscall(libc::SYS_execveat, copy, empty, arguments, environment, flags) as i32
            }
        };
        plan.failure = *libc::__errno_location();
    }
    127
}

/// Makes the parent trace the child, if it shall, and denies the child to trace others. Makes only system calls.
fn begin_tracing(plan: &SpawnArguments) -> Result<(), i32> {
    let Some((_, filter)) = &plan.traced else { return Ok(()) };
    tracer::trace_me()?;
    filter.as_ref().map_or(Ok(()), apply_filter)
}

/// Sets up the calling process: own group, limits, default signals, three descriptors, SIGKILL at the end of `parent`. Makes only
/// system calls, so it is safe between `clone` and `execve`.
///
/// Closes all other descriptors; `spared` is closed by `execve`.
fn enter(setup: &ChildSetup, parent: i32, spared: Option<RawFd>) -> Result<(), i32> {
    // SAFETY: plain system calls on our own process; `dup2` and `close_range` only touch descriptors that this child
    // is about to lose anyway.
    unsafe {
        libc::setpgid(0, 0);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::getppid() != parent {
            return Err(libc::ESRCH);
        }
        for signal in [libc::SIGPIPE, libc::SIGSEGV, libc::SIGBUS, libc::SIGXCPU, libc::SIGXFSZ] {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
        for (target, &source) in setup.stdio.iter().enumerate() {
            if libc::dup2(source, target as i32) < 0 {
                return Err(*libc::__errno_location());
            }
        }
        let flags = if spared.is_some() { libc::CLOSE_RANGE_CLOEXEC } else { 0 };
        libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, flags);
        limit(libc::RLIMIT_CORE, Some(0), 0);
        limit(libc::RLIMIT_AS, setup.memory, 0);
        // The kernel sends SIGXCPU at the soft limit and SIGKILL at the hard one.
        limit(libc::RLIMIT_CPU, setup.cpu_seconds, 2);
        limit(libc::RLIMIT_FSIZE, setup.output, 0);
    }
    Ok(())
}

/// Sets one resource limit, at most the inherited hard limit.
fn limit(resource: libc::__rlimit_resource_t, soft: Option<u64>, more: u64) {
    let Some(soft) = soft else { return };
    let mut old = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: both calls read or write the struct given to them.
    unsafe {
        libc::getrlimit(resource, &raw mut old);
        let hard = soft.saturating_add(more).min(old.rlim_max);
        let new = libc::rlimit { rlim_cur: soft.min(hard), rlim_max: hard };
        libc::setrlimit(resource, &raw const new);
    }
}

/// The two processes after [`fork`].
pub enum ForkSide {
    /// The new process, set up.
    Child,
    /// The old process.
    Parent(Child),
}

/// Forks; the child is set up like one of [`spawn`]. For processes with one thread.
pub fn fork(setup: &ChildSetup) -> io::Result<ForkSide> {
    // SAFETY: this process has one thread, so the child may go on using everything; getpid cannot fail.
    let (parent, pid) = unsafe { (libc::getpid(), libc::fork()) };
    match pid {
        -1 => Err(io::Error::last_os_error()),
        0 => match enter(setup, parent, None) {
            Ok(()) => Ok(ForkSide::Child),
            Err(_) => leave(127),
        },
        pid => {
            // SAFETY: a plain system call. The child does the same: whichever comes first.
            unsafe { libc::setpgid(pid, pid) };
            Ok(ForkSide::Parent(Child { pid }))
        }
    }
}

/// The two processes after [`split`].
pub enum SplitHalf {
    /// The child, which becomes the helper.
    Helper,
    /// The parent, which becomes the guard, with the id of the child.
    Guard(i32),
}

/// Forks; the parent closes standard input and output, which belong to the child now. For processes with one thread.
pub fn split() -> io::Result<SplitHalf> {
    // SAFETY: this process has one thread, so the child may go on using everything; the parent uses neither stream.
    unsafe {
        match libc::fork() {
            -1 => Err(io::Error::last_os_error()),
            0 => Ok(SplitHalf::Helper),
            child => {
                libc::close(0);
                libc::close(1);
                Ok(SplitHalf::Guard(child))
            }
        }
    }
}

/// Ends this process like another one, by its status: with the same code, or by the same signal.
pub fn leave_like(status: i32) -> ! {
    if libc::WIFSIGNALED(status) {
        // SAFETY: a default action and a signal to ourselves; a core dump of a guard would be useless.
        unsafe {
            limit(libc::RLIMIT_CORE, Some(0), 0);
            libc::signal(libc::WTERMSIG(status), libc::SIG_DFL);
            libc::raise(libc::WTERMSIG(status));
        }
    }
    leave(libc::WEXITSTATUS(status))
}

/// Ends this process at once, without destructors or `atexit` handlers, which a solver may have registered.
pub fn leave(code: i32) -> ! {
    // SAFETY: _exit does not return.
    unsafe { libc::_exit(code) }
}

/// Reads a descriptor to its end.
pub fn read_all(fd: RawFd) -> io::Result<Vec<u8>> {
    use std::io::Read;
    // SAFETY: the descriptor is open; `ManuallyDrop` leaves it open.
    let mut file = std::mem::ManuallyDrop::new(unsafe { std::fs::File::from_raw_fd(fd) });
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Sends a signal to a process, or to a process group if `target` is negative; ignores one that has ended.
pub fn signal(target: i32, signal: i32) {
    // SAFETY: kill touches no memory.
    unsafe { libc::kill(target, signal) };
}

/// Makes every orphaned descendant a child of this process, so that [`wait`] sees it.
pub fn adopt_orphans() -> io::Result<()> {
    // SAFETY: prctl with plain numbers.
    match unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Sets the name of this process in process lists, so that killing `gainsay` by name spares its helpers, which clean up.
pub fn rename(name: &str) {
    if let Ok(name) = CString::new(name) {
        // SAFETY: a C string that outlives the call.
        unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr()) };
    }
}

/// Undoes the signal handling of the Rust runtime, so that a library dies like a program of its own.
pub fn default_signals() {
    for signal in [libc::SIGPIPE, libc::SIGSEGV, libc::SIGBUS, libc::SIGXFSZ] {
        // SAFETY: sets the default action.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Makes a write beyond the limit of file sizes (`ulimit -f`) fail with an error. Otherwise it would kill this process.
/// Solvers start with the default action.
pub fn survive_file_size_limit() {
    // SAFETY: ignores the signal.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Flushes the output buffers of C and C++ libraries.
pub fn flush() {
    // SAFETY: a null stream means all of them.
    unsafe { libc::fflush(std::ptr::null_mut()) };
}

/// Ends this process by SIGABRT after this many milliseconds, with the message of cvc5's program; 0 for never.
pub fn abort_after(milliseconds: u64) {
    extern "C" fn time_is_up(_: libc::c_int) {
        const TIMEOUT_MESSAGE: &[u8] = b"cvc5 interrupted by timeout.\n";
        // SAFETY: write and abort may be called from a signal handler.
        unsafe {
            libc::write(2, TIMEOUT_MESSAGE.as_ptr().cast(), TIMEOUT_MESSAGE.len());
            libc::abort();
        }
    }
    let value = libc::timeval {
        tv_sec: (milliseconds / 1000).cast_signed(),
        tv_usec: (milliseconds % 1000 * 1000).cast_signed(),
    };
    let timer = libc::itimerval { it_interval: libc::timeval { tv_sec: 0, tv_usec: 0 }, it_value: value };
    // SAFETY: installs a handler that only makes calls allowed in handlers, and starts a timer.
    unsafe {
        libc::signal(libc::SIGALRM, time_is_up as *const () as libc::sighandler_t);
        libc::setitimer(libc::ITIMER_REAL, &raw const timer, std::ptr::null_mut());
    }
}

/// A raw descriptor for [`ChildSetup`].
pub fn raw(fd: BorrowedFd<'_>) -> RawFd {
    fd.as_raw_fd()
}
