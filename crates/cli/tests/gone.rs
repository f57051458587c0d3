//! Who watched a campaign is gone: a pipe that was closed, a disk that is full, a terminal that was shut. The campaign ends
//! in order, and its records are whole.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "../../engine/tests/support/mod.rs"]
mod solvers;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use solvers::SOLVERS;
use tempfile::TempDir;

const SEED: &str = "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (< x (+ x 1)))\n(check-sat)\n";

/// A campaign of 40 cases, and the folder that it is in.
fn campaign(flags: &[&str]) -> (TempDir, Command) {
    solvers::solver(SOLVERS[0]);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("seed.smt2"), SEED).unwrap();
    let mut command = gainsay(&folder, &["fuzz", "--seeds", "seed.smt2", "--out", "out", "--cases", "40"]);
    command.args(["--solver", SOLVERS[0], "--rng-seed", "1"]).args(flags);
    (folder, command)
}

fn gainsay(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gainsay"));
    command.args(arguments).current_dir(folder.path()).stdin(Stdio::null());
    command
}

/// Reads one line of what a campaign prints and closes the pipe; its exit code, and what it said as errors.
fn read_one_line(mut command: Command) -> (Option<i32>, String) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_closed_pipe_ends_no_campaign_in_a_panic() {
    let (folder, command) = campaign(&["--plain"]);
    assert_eq!(read_one_line(command), (Some(0), String::new()));
    let listed = gainsay(&folder, &["list", "out"]).output().unwrap();
    assert_eq!(String::from_utf8(listed.stdout).unwrap().lines().count(), 1);
}

#[test]
fn events_that_nobody_reads_end_a_campaign_in_order() {
    let (folder, command) = campaign(&["--json"]);
    let (code, errors) = read_one_line(command);
    assert_eq!(code, Some(0), "{errors}");
    assert!(!errors.contains("stopped at once"), "{errors}");
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

#[test]
fn a_terminal_that_is_shut_does_not_keep_a_campaign_from_ending() {
    let (folder, mut command) = campaign(&[]);
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let slave = || rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    let mut child = command.stdin(slave()).stdout(slave()).stderr(slave()).spawn().unwrap();
    drop(command);
    let mut screen = File::from(master);
    let mut seen = Vec::new();
    // The live screen begins with the alternate screen of the terminal.
    while !seen.windows(8).any(|bytes| bytes == b"\x1b[?1049h") {
        let mut bytes = [0; 1024];
        let length = screen.read(&mut bytes).unwrap();
        seen.extend_from_slice(&bytes[..length]);
    }
    drop(screen);
    child.wait().unwrap();
    let listed = gainsay(&folder, &["list", "out"]).output().unwrap();
    assert!(listed.status.success());
}
