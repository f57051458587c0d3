//! Asks a debugger where a solver crashed, so that a report shows its stack.
//!
//! gdb starts the solver on the script, as the reader of a report would, and prints the stack of the thread that crashed.
//! It runs confined as the solver does, but may trace its child. Stock releases have function names and no lines; a build
//! with debug information has both.

use std::path::Path;

use super::driver::LaunchSpec;
use super::process::RunError;
use super::resolve::Solver;
use super::run::{Ask, Limits, Query};
use super::runner::{Launcher, plain, start};

/// The debugger, as it is called on PATH.
pub const DEBUGGER_PROGRAM: &str = "gdb";

/// The frames that are printed at most: deep recursion repeats itself.
const MAX_FRAMES: usize = 30;

/// The frames of the solver that tell one crash from another.
const SITE_FRAMES: usize = 3;

/// Libraries whose functions tell nothing of the bug of a solver.
const C_LIBRARY_FILES: [&str; 5] = ["libc.", "libc-", "libpthread", "libstdc++", "ld-linux"];

/// Their functions in programs that contain the library.
const C_LIBRARY_FUNCTIONS: [&str; 8] = [
    "raise",
    "gsignal",
    "abort",
    "__assert_fail",
    "__assert_fail_base",
    "__pthread_kill_implementation",
    "pthread_kill",
    "__GI_raise",
];

/// What the debugger does: no questions, no downloads of debug information, run, print the stack.
const DEBUGGER_ARGUMENTS: [&str; 11] = [
    "-nx",
    "-q",
    "-batch",
    "-iex",
    "set debuginfod enabled off",
    "-ex",
    "set print frame-arguments none",
    "-ex",
    "run",
    "-ex",
    "backtrace",
];

/// The stack of a solver that crashes on a script; `None` if it does not crash under the debugger, or if nothing is known of
/// its stack.
pub fn backtrace(
    debugger: &Path,
    solver: &Solver,
    launcher: &Launcher,
    query: (&str, Limits),
) -> Result<Option<String>, RunError> {
    let options = [&solver.profile.command[1..], &solver.name.options, &solver.profile.input.file].concat();
    let mut launch =
        start(solver, [options, vec![LaunchSpec::SCRIPT_PLACEHOLDER.to_owned()]].concat(), launcher);
    let program = launch.program.display().to_string();
    let words = DEBUGGER_ARGUMENTS.map(str::to_owned).into_iter().chain(["--args".to_owned(), program]);
    launch.arguments = words.chain(launch.arguments).collect();
    launch.program = debugger.to_owned();
    if let Some(access) = &mut launch.access {
        access.may_trace = true;
    }
    let (script, limits) = query;
    let run =
        (plain().open)(&launcher.host, &launch)?.run(&Query { script, limits, ask: Ask::ANSWERS_ONLY })?;
    Ok(frames(&String::from_utf8_lossy(&run.output)))
}

/// The frames in the output of the debugger, the first [`MAX_FRAMES`] of them.
fn frames(output: &str) -> Option<String> {
    let is_frame = |line: &&str| {
        let number = line.strip_prefix('#').and_then(|rest| rest.split_whitespace().next());
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    let frames: Vec<&str> = output.lines().filter(is_frame).collect();
    let is_known = frames.iter().any(|frame| !frame.contains(" ?? ("));
    let left_out = frames.len().saturating_sub(MAX_FRAMES);
    let mut shown = frames.into_iter().take(MAX_FRAMES).map(str::to_owned).collect::<Vec<_>>();
    if left_out > 0 {
        let frames = if left_out == 1 { "frame" } else { "frames" };
        shown.push(format!("({left_out} more {frames})"));
    }
    is_known.then(|| shown.join("\n"))
}

/// The functions of a solver in which it crashed, innermost first; empty if the stack does not name them.
///
/// Frames of the C library are skipped: crashes of different causes share `raise` and `abort`.
pub fn crash_site(backtrace: &str) -> Vec<&str> {
    let functions = backtrace.lines().filter_map(function_name);
    functions.filter(|name| !C_LIBRARY_FUNCTIONS.contains(name)).take(SITE_FRAMES).collect()
}

/// The function of a frame; `None` if the frame is of the C library, or if the debugger does not know its name.
fn function_name(frame: &str) -> Option<&str> {
    let (_, frame) = frame.strip_prefix('#')?.split_once(' ')?;
    let frame = match frame.trim_start().split_once(" in ") {
        Some((address, rest)) if address.starts_with("0x") => rest,
        _ => frame.trim_start(),
    };
    let (frame, place) = frame.split_once(" from ").unwrap_or((frame, ""));
    let file = place.rsplit('/').next().unwrap_or_default();
    let frame = frame.split_once(") at ").map_or(frame, |(frame, _)| frame);
    let name = frame.rfind(" (").map(|end| frame[..end].trim())?;
    let is_known = !name.is_empty() && name != "??";
    (is_known && !C_LIBRARY_FILES.iter().any(|library| file.starts_with(library))).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_has_the_innermost_functions_of_the_solver() {
        let stack = "#0  0x00007f11 in ?? () from /lib/x86_64-linux-gnu/libc.so.6\n\
                     #1  0x00007f12 in raise () from /lib/x86_64-linux-gnu/libc.so.6\n\
                     #2  0x00404142 in abort ()\n\
                     #3  0x00007f13 in std::map<int, smt::f(int)>::operator()(int) const () from /opt/in at/libcvc5.so.1\n\
                     #4  <signal handler called>\n\
                     #5  smt::g(bool) (...) at g (old).cpp:3\n\
                     #6  0x00007f14 in main ()\n\
                     #7  0x00007f15 in start ()\n(4 more frames)";
        let expected = ["std::map<int, smt::f(int)>::operator()(int) const", "smt::g(bool)", "main"];
        assert_eq!(crash_site(stack), expected);
        assert!(crash_site("#0  0x1 in ?? ()\n#1  0x2 in ?? ()").is_empty());
        assert!(crash_site("").is_empty());
    }

    #[test]
    fn frames_are_told_from_what_the_solver_prints() {
        let output = "sat\n#b101\n#x0f\n\nProgram received signal SIGSEGV, Segmentation fault.\n\
                      0x1 in f ()\n#0  0x1 in smt::f(int) ()\n#1  0x2 in ?? ()\n#12 main () at main.cpp:3\n";
        assert_eq!(
            frames(output).as_deref(),
            Some("#0  0x1 in smt::f(int) ()\n#1  0x2 in ?? ()\n#12 main () at main.cpp:3")
        );
        assert_eq!(frames("#0  0x1 in ?? ()\n#1  0x2 in ?? ()\n"), None);
        assert_eq!(frames("No stack.\n"), None);
        let deep = |count: usize| (0..count).map(|at| format!("#{at}  0x1 in f ()\n")).collect::<String>();
        let shown = frames(&deep(1000)).unwrap();
        assert_eq!(shown.lines().count(), MAX_FRAMES + 1);
        assert!(shown.ends_with("(970 more frames)"), "{shown}");
        assert!(frames(&deep(MAX_FRAMES + 1)).unwrap().ends_with("\n(1 more frame)"));
    }
}
