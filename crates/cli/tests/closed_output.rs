//! A campaign whose output is closed (pipe, full disk, terminal) ends in order with complete records.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/real_solvers.rs"]
mod solvers;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use solvers::REAL_SOLVERS;
use tempfile::TempDir;

const ARITHMETIC_SEED: &str =
    "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (< x (+ x 1)))\n(check-sat)\n";

/// A campaign of 400 cases, and the folder that it is in.
fn campaign(flags: &[&str]) -> (TempDir, Command) {
    solvers::solver(REAL_SOLVERS[0]);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("seed.smt2"), ARITHMETIC_SEED).unwrap();
    let mut command = gainsay(&folder, &["fuzz", "--seeds", "seed.smt2", "--out", "out", "--cases", "400"]);
    command.args(["--solver", REAL_SOLVERS[0], "--rng-seed", "1"]).args(flags);
    (folder, command)
}

fn gainsay(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gainsay"));
    command.args(arguments).current_dir(folder.path()).stdin(Stdio::null());
    command
}

/// Reads what a campaign prints up to the first line with some text, and closes the pipe; returns the exit code of the campaign,
/// and its errors.
fn read_until_line(mut command: Command, text: &str) -> (Option<i32>, String) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.find(|line| line.as_ref().unwrap().contains(text)).unwrap().unwrap();
    drop(lines);
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_closed_pipe_ends_no_campaign_in_a_panic() {
    let (folder, command) = campaign(&["--plain"]);
    assert_eq!(read_until_line(command, "fuzzing "), (Some(0), String::new()));
    let listed = gainsay(&folder, &["list", "out"]).output().unwrap();
    assert_eq!(String::from_utf8(listed.stdout).unwrap().lines().count(), 1);
}

#[test]
fn events_without_a_reader_end_a_campaign_in_order() {
    let (folder, command) = campaign(&["--json"]);
    // Before its first case it would have tested nothing, which is another exit code.
    let (code, errors) = read_until_line(command, "\"event\":\"case\"");
    assert_eq!(code, Some(0), "{errors}");
    assert!(!errors.contains("stopped immediately"), "{errors}");
    assert!(gainsay(&folder, &["list", "out"]).status().unwrap().success());
}

#[test]
fn output_to_a_full_disk_is_told_with_the_code_of_a_full_disk() {
    let (folder, mut command) = campaign(&["--json"]);
    let full = || File::options().write(true).open("/dev/full").unwrap();
    assert_eq!(command.stdout(full()).status().unwrap().code(), Some(5));
    for arguments in [&["list", "out"][..], &["report", "out"]] {
        let status = gainsay(&folder, arguments).stdout(full()).status().unwrap();
        assert_eq!(status.code(), Some(5), "{arguments:?}");
    }
}

/// A terminal: the screen for a person, and the three ends for a program.
fn terminal() -> (File, [OwnedFd; 3]) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&master, size).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let end = || rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    (File::from(master), [end(), end(), end()])
}

/// Starts a program as the one that a terminal belongs to.
fn start(command: &Command, term: &str, [stdin, stdout, stderr]: [OwnedFd; 3]) -> Child {
    let mut owner = Command::new("setsid");
    owner.arg("--ctty").arg(command.get_program()).args(command.get_args());
    owner.current_dir(command.get_current_dir().unwrap());
    owner.env("TERM", term).stdin(stdin).stdout(stdout).stderr(stderr).spawn().unwrap()
}

/// Reads until some text was seen.
fn read_until(screen: &mut File, text: &str) -> String {
    let mut seen = Vec::new();
    while !seen.windows(text.len()).any(|bytes| bytes == text.as_bytes()) {
        let mut bytes = [0; 1024];
        let length = screen.read(&mut bytes).unwrap();
        seen.extend_from_slice(&bytes[..length]);
    }
    String::from_utf8_lossy(&seen).into_owned()
}

#[test]
fn a_terminal_that_is_shut_does_not_keep_a_campaign_from_ending() {
    let (folder, command) = campaign(&[]);
    let (mut screen, ends) = terminal();
    let mut child = start(&command, "xterm", ends);
    // The screen is drawn after the queries that a terminal gets at the start.
    read_until(&mut screen, "Ctrl-C stops");
    drop(screen);
    child.wait().unwrap();
    assert!(gainsay(&folder, &["list", "out"]).status().unwrap().success());
}

#[test]
fn a_terminal_that_cannot_draw_gets_lines() {
    let (_folder, command) = campaign(&[]);
    let (mut screen, ends) = terminal();
    let mut child = start(&command, "dumb", ends);
    let seen = read_until(&mut screen, "next steps");
    assert!(!seen.contains("\x1b[?1049h"), "{seen}");
    drop(screen);
    child.wait().unwrap();
}
