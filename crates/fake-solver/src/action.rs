//! What the fake solver can do wrong: one table, which tests read as well.

use std::io::{Write, stderr, stdout};
use std::process::{Command, Stdio};

/// How it goes on after an action.
pub enum Flow {
    /// As before.
    On,
    /// As before, but the exit code at the end is 1.
    Failed,
}

/// One thing that it can do.
pub struct Action {
    /// The word for it.
    pub name: &'static str,
    /// Does it, with the rest of the line as argument.
    pub run: fn(&str) -> Flow,
}

/// Everything that it can do.
pub const ACTIONS: &[Action] = &[
    Action { name: "print", run: |text| out(&format!("{text}\n")) },
    Action {
        name: "error",
        run: |text| {
            out(&format!("(error \"{text}\")\n"));
            Flow::Failed
        },
    },
    Action {
        name: "complain",
        run: |text| {
            eprintln!("{text}");
            Flow::On
        },
    },
    Action {
        name: "half",
        run: |_| {
            out("unsa");
            die(libc::SIGKILL)
        },
    },
    Action {
        name: "garbage",
        run: |_| {
            let _ = stdout().write_all(&[0xff, 0x00, b'(', b'"', 0xfe, b'\n']);
            Flow::On
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
        name: "spin",
        run: |_| loop {
            std::hint::spin_loop();
        },
    },
    Action { name: "ignore-term", run: |_| ignore_term() },
    Action { name: "flood", run: |_| flood(&mut stdout()) },
    Action { name: "flood-errors", run: |_| flood(&mut stderr()) },
    Action { name: "leak", run: |_| leak() },
    Action { name: "orphan", run: |_| orphan(Leave::Group) },
    Action { name: "orphan-session", run: |_| orphan(Leave::Session) },
    Action { name: "close", run: |_| close_output() },
    Action { name: "count-descriptors", run: |_| count_descriptors() },
    Action { name: "kill-parent", run: |_| kill_parent() },
    Action { name: "write", run: |path| tell("write", std::fs::write(path, "written\n")) },
    Action { name: "read", run: |path| tell("read", std::fs::read(path)) },
    Action { name: "connect", run: |place| tell("connect", std::net::TcpStream::connect(place)) },
    Action { name: "look-around", run: |_| look_around() },
    Action {
        name: "meet",
        run: |path| {
            let _ = std::fs::File::options().write(true).open(path);
            Flow::On
        },
    },
];

fn out(text: &str) -> Flow {
    let _ = stdout().write_all(text.as_bytes()).and_then(|()| stdout().flush());
    Flow::On
}

/// Prints whether something could be done.
fn tell<T>(what: &str, done: std::io::Result<T>) -> Flow {
    match done {
        Ok(_) => out(&format!("{what}: done\n")),
        Err(error) => out(&format!("{what}: {:?}\n", error.kind())),
    }
}

/// Prints the working folder, how much is in it, and the folder for temporary files.
fn look_around() -> Flow {
    let folder = std::env::current_dir().unwrap_or_default();
    let entries = std::fs::read_dir(&folder).map_or(usize::MAX, Iterator::count);
    out(&format!("folder: {}\nentries: {entries}\n", folder.display()));
    out(&format!("temporary: {}\n", std::env::temp_dir().display()))
}

/// Dies of a signal, whatever the Rust runtime would like to do about it.
fn die(signal: i32) -> ! {
    loop {
        // SAFETY: a default action and a signal to ourselves.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
}

fn ignore_term() -> Flow {
    // SAFETY: sets a signal to be ignored.
    unsafe { libc::signal(libc::SIGTERM, libc::SIG_IGN) };
    Flow::On
}

/// Writes for ever.
fn flood(stream: &mut dyn Write) -> ! {
    let block = [b'x'; 65536];
    loop {
        if stream.write_all(&block).is_err() {
            die(libc::SIGPIPE);
        }
    }
}

/// Takes and touches memory until there is none.
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

/// How far an orphan goes from us.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leave {
    Group,
    Session,
}

/// Leaves a process behind that would live for ever and ignores SIGTERM.
fn orphan(leave: Leave) -> Flow {
    let program = std::env::current_exe().expect("this program has a path");
    let mut command = Command::new(program);
    command.args(["--fake", "ignore-term", "--fake", "hang"]).stdin(Stdio::null());
    if leave == Leave::Session {
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
    Flow::On
}

/// Closes standard output, and lives.
fn close_output() -> Flow {
    // SAFETY: closes a descriptor that only `stdout()` uses, which then fails.
    unsafe { libc::close(1) };
    Flow::On
}

/// Prints how many descriptors are open, its own look at them not counted.
fn count_descriptors() -> Flow {
    let open = std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    out(&format!("descriptors: {}\n", open.saturating_sub(1)))
}

/// Kills whoever started us.
fn kill_parent() -> Flow {
    // SAFETY: kill and getppid touch no memory.
    unsafe { libc::kill(libc::getppid(), libc::SIGKILL) };
    loop {
        std::thread::park();
    }
}
