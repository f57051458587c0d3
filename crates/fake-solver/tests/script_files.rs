//! Solvers that read their script from a file only: every solver gets its own script, however many drivers start and end.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use std::path::Path;
use std::sync::Arc;

use fake_solver::fixture::{host, limits, solver};
use gainsay_engine::solver::install::pip::Variables;
use gainsay_engine::solver::process::HelperProgram;
use gainsay_engine::solver::resolve::Solver;
use gainsay_engine::solver::run::{Answer, Ask, Limits, Query};
use gainsay_engine::solver::runner::{self, Launcher, Runner};

const FAKE_SOLVER: &str = env!("CARGO_BIN_EXE_fake-solver");

/// Threads that open and close drivers at the same time.
const THREADS: usize = 8;

/// Drivers that each thread opens, one after the other.
const DRIVERS_PER_THREAD: usize = 40;

/// Scripts that each driver runs.
const SCRIPTS_PER_DRIVER: usize = 3;

/// A fake solver that takes no standard input.
fn file_solver(mark: &str) -> Solver {
    let mut solver = solver(Path::new(FAKE_SOLVER), mark);
    Arc::make_mut(&mut solver.profile).input.stdin = None;
    solver
}

/// Starts helpers with their private folders below `scratch`.
fn launcher(scratch: &Path) -> Launcher {
    let host = HelperProgram { scratch: scratch.to_owned(), ..host(Path::new(FAKE_SOLVER)) };
    Launcher { host, variables: Variables::default() }
}

/// Runs a script whose output says which one it is.
fn output_of(runner: &mut Runner, name: &str) -> String {
    let script = format!("; fake: print {name}\n(check-sat)\n");
    let limits = Limits { wall: std::time::Duration::from_secs(60), ..limits() };
    let run = runner.run(&Query { script: &script, limits, ask: Ask::ANSWERS_ONLY }).unwrap();
    assert_eq!(run.answers, [Answer::Sat], "{}", String::from_utf8_lossy(&run.output));
    String::from_utf8_lossy(&run.output).lines().next().unwrap_or_default().to_owned()
}

#[test]
fn no_driver_loses_or_swaps_its_script_while_others_start_and_end() {
    let scratch = tempfile::tempdir().unwrap();
    let (solver, launcher) = (file_solver("files"), launcher(scratch.path()));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (solver, launcher) = (&solver, &launcher);
            scope.spawn(move || {
                for driver in 0..DRIVERS_PER_THREAD {
                    let mut runner = Runner::open(solver, runner::plain(), launcher).unwrap();
                    for script in 0..SCRIPTS_PER_DRIVER {
                        let name = format!("script-{thread}-{driver}-{script}");
                        assert_eq!(output_of(&mut runner, &name), name);
                    }
                }
            });
        }
    });
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0, "every driver removes its folder");
}

#[test]
fn a_driver_whose_folder_was_removed_starts_another_helper() {
    let scratch = tempfile::tempdir().unwrap();
    let mut runner =
        Runner::open(&file_solver("removed"), runner::plain(), &launcher(scratch.path())).unwrap();
    assert_eq!(output_of(&mut runner, "first"), "first");
    // As a service that cleans up temporary folders would do.
    for entry in std::fs::read_dir(scratch.path()).unwrap() {
        std::fs::remove_dir_all(entry.unwrap().path()).unwrap();
    }
    assert_eq!(output_of(&mut runner, "second"), "second");
}
