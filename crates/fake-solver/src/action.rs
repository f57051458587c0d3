//! The actions of the fake solver, in one table.

use std::io::{Write, stderr, stdout};
use std::process::{Command, Stdio};
use std::time::Duration;

/// What happens after an action.
pub enum AfterAction {
    /// The script continues.
    Continue,
    /// The script continues, and the exit code is 1.
    Fail,
}

/// An action.
pub struct Action {
    /// Its name.
    pub name: &'static str,
    /// Performs it, with the rest of the line as argument.
    pub run: fn(&str) -> AfterAction,
}

/// All actions.
pub const ALL_ACTIONS: &[Action] = &[
    Action { name: "print", run: |text| print(&format!("{text}\n")) },
    Action {
        name: "error",
        run: |text| {
            print(&format!("(error \"{text}\")\n"));
            AfterAction::Fail
        },
    },
    Action {
        name: "complain",
        run: |text| {
            eprintln!("{text}");
            AfterAction::Continue
        },
    },
    Action {
        name: "half",
        run: |_| {
            print("unsa");
            die(libc::SIGKILL)
        },
    },
    Action {
        name: "garbage",
        run: |_| {
            let _ = stdout().write_all(&[0xff, 0x00, b'(', b'"', 0xfe, b'\n']);
            AfterAction::Continue
        },
    },
    Action { name: "abort", run: |_| die(libc::SIGABRT) },
    Action { name: "segv", run: |_| die(libc::SIGSEGV) },
    Action {
        name: "assertion",
        run: |file| {
            let file = if file.is_empty() { "fake.cpp" } else { file };
            eprintln!("ASSERTION VIOLATION\nFile: {file}\nLine: 7\nm_x > 0");
            std::process::exit(114)
        },
    },
    Action { name: "exit", run: |code| std::process::exit(code.parse().unwrap_or(3)) },
    Action {
        name: "hang",
        run: |_| loop {
            std::thread::park();
        },
    },
    Action {
        // For measurements of fleets on machines with few cores.
        name: "sleep",
        run: |milliseconds| {
            std::thread::sleep(Duration::from_millis(milliseconds.parse().unwrap_or(0)));
            AfterAction::Continue
        },
    },
    Action {
        name: "spin",
        run: |_| loop {
            std::hint::spin_loop();
        },
    },
    Action {
        name: "burn",
        run: |milliseconds| {
            let limit = Duration::from_millis(milliseconds.parse().unwrap_or(0));
            let before = own_cpu_time();
            while own_cpu_time() - before < limit {
                std::hint::spin_loop();
            }
            AfterAction::Continue
        },
    },
    Action {
        name: "burn-in-child",
        run: |milliseconds| {
            let program = std::env::current_exe().expect("this program has a path");
            let burn = format!("burn {milliseconds}");
            let _ = Command::new(program)
                .args(["--fake", &burn, "--fake", "exit 0"])
                .stdin(Stdio::null())
                .status();
            AfterAction::Continue
        },
    },
    Action { name: "ignore-term", run: |_| ignore_term() },
    Action { name: "flood", run: |_| flood(&mut stdout()) },
    Action { name: "flood-errors", run: |_| flood(&mut stderr()) },
    Action { name: "leak", run: |_| leak() },
    Action { name: "orphan", run: |_| orphan(OrphanDetachment::Group) },
    Action { name: "orphan-session", run: |_| orphan(OrphanDetachment::Session) },
    Action { name: "close", run: |_| close_output() },
    Action { name: "count-descriptors", run: |_| count_descriptors() },
    Action { name: "kill-parent", run: |_| kill_parent() },
    Action { name: "write", run: |path| print_result("write", std::fs::write(path, "written\n")) },
    Action { name: "read", run: |path| print_result("read", std::fs::read(path)) },
    Action { name: "connect", run: |place| print_result("connect", std::net::TcpStream::connect(place)) },
    Action { name: "look-around", run: |_| look_around() },
    Action {
        name: "meet",
        run: |path| {
            let _ = std::fs::File::options().write(true).open(path);
            AfterAction::Continue
        },
    },
];

fn own_cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes to the value given to it.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

fn print(text: &str) -> AfterAction {
    let _ = stdout().write_all(text.as_bytes()).and_then(|()| stdout().flush());
    AfterAction::Continue
}

/// Prints whether an operation succeeded.
fn print_result<T>(what: &str, done: std::io::Result<T>) -> AfterAction {
    match done {
        Ok(_) => print(&format!("{what}: done\n")),
        Err(error) => print(&format!("{what}: {:?}\n", error.kind())),
    }
}

/// Prints the working folder, its number of entries, and the folder for temporary files.
fn look_around() -> AfterAction {
    let folder = std::env::current_dir().unwrap_or_default();
    let entries = std::fs::read_dir(&folder).map_or(usize::MAX, Iterator::count);
    print(&format!("folder: {}\nentries: {entries}\n", folder.display()));
    print(&format!("temporary: {}\n", std::env::temp_dir().display()))
}

/// Dies of a signal, without handlers of the Rust runtime.
fn die(signal: i32) -> ! {
    loop {
        // SAFETY: a default action and a signal to ourselves.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
}

fn ignore_term() -> AfterAction {
    // SAFETY: sets a signal to be ignored.
    unsafe { libc::signal(libc::SIGTERM, libc::SIG_IGN) };
    AfterAction::Continue
}

/// Writes forever.
fn flood(stream: &mut dyn Write) -> ! {
    let block = [b'x'; 65536];
    loop {
        if stream.write_all(&block).is_err() {
            die(libc::SIGPIPE);
        }
    }
}

/// Allocates and touches memory until none is left.
fn leak() -> ! {
    let mut kept: Vec<Vec<u8>> = Vec::new();
    loop {
        let mut block = Vec::new();
        if block.try_reserve_exact(1 << 20).is_err() {
            eprintln!("(error \"out of memory\")");
            std::process::exit(101);
        }
        block.resize(1 << 20, 1);
        kept.push(block);
    }
}

/// How an orphan detaches from this process.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OrphanDetachment {
    Group,
    Session,
}

/// Leaves a process behind that runs forever and ignores SIGTERM.
fn orphan(leave: OrphanDetachment) -> AfterAction {
    let program = std::env::current_exe().expect("this program has a path");
    let mut command = Command::new(program);
    command.args(["--fake", "ignore-term", "--fake", "hang"]).stdin(Stdio::null());
    if leave == OrphanDetachment::Session {
        use std::os::unix::process::CommandExt;
        // SAFETY: setsid may be called between fork and exec.
        unsafe {
            command.pre_exec(|| {
                libc::setsid();
                Ok(())
            });
        }
    }
    let _ = command.spawn();
    AfterAction::Continue
}

/// Closes standard output and continues.
fn close_output() -> AfterAction {
    // SAFETY: closes a descriptor that only `stdout()` uses, which then fails.
    unsafe { libc::close(1) };
    AfterAction::Continue
}

/// Prints the number of open descriptors, without the one used to count them.
fn count_descriptors() -> AfterAction {
    let open = std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    print(&format!("descriptors: {}\n", open.saturating_sub(1)))
}

/// Kills the parent process.
fn kill_parent() -> AfterAction {
    // SAFETY: kill and getppid touch no memory.
    unsafe { libc::kill(libc::getppid(), libc::SIGKILL) };
    loop {
        std::thread::park();
    }
}
