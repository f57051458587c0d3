//! A confined solver can change nothing outside of its private folder, with any driver.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

use fake_solver::fixture;
use gainsay_engine::solver::install::pip::Variables;
use gainsay_engine::solver::process::HelperProgram;
use gainsay_engine::solver::profile::DriverName;
use gainsay_engine::solver::resolve::Solver;
use gainsay_engine::solver::run::{Ask, Limits, Query};
use gainsay_engine::solver::runner::{self, Launcher, Runner};
use gainsay_engine::solver::sandbox::Sandbox;

const FAKE_SOLVER: &str = env!("CARGO_BIN_EXE_fake-solver");

/// A solver that may reach nothing beside its installation.
fn solver() -> Solver {
    let mut solver = fixture::solver(Path::new(FAKE_SOLVER), "sandbox");
    Arc::make_mut(&mut solver.profile).sandbox.writable.clear();
    solver
}

fn open(driver: DriverName, solver: &Solver, sandbox: Sandbox) -> Runner {
    let host = HelperProgram { sandbox, ..fixture::host(Path::new(FAKE_SOLVER)) };
    let launcher = Launcher { host, variables: Variables::default() };
    Runner::open(solver, runner::kind(driver).unwrap(), &launcher).unwrap()
}

/// The output of a solver for these actions, line by line.
fn lines(runner: &mut Runner, actions: &[String]) -> Vec<String> {
    let script: String = actions.iter().map(|action| format!("; fake: {action}\n")).collect();
    let query = Query { script: &script, limits: Limits::default(), ask: Ask::ANSWERS_ONLY };
    let run = runner.run(&query).unwrap();
    String::from_utf8(run.output).unwrap().lines().map(ToOwned::to_owned).collect()
}

/// What every driver has a solver print for these actions.
fn check(solver: &Solver, sandbox: Sandbox, actions: &[String], expected: &[&str]) {
    for driver in DriverName::ALL {
        let found = lines(&mut open(driver, solver, sandbox), actions);
        assert_eq!(found, expected, "{sandbox:?} {}", driver.name());
    }
}

#[test]
fn a_confined_solver_writes_to_its_own_folder_only() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    std::fs::write(&old, "mine").unwrap();
    let actions =
        ["write inside".to_owned(), format!("write {}", old.display()), format!("write {}", new.display())];
    let denied = "write: PermissionDenied";
    check(&solver(), Sandbox::Solvers, &actions, &["write: done", denied, denied]);
    assert_eq!(std::fs::read_to_string(&old).unwrap(), "mine");
    assert!(!new.exists());
    check(&solver(), Sandbox::Off, &actions[1..], &["write: done", "write: done"]);
    assert!(new.exists());
}

#[test]
fn a_confined_solver_reads_its_installation_and_no_file_of_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    std::fs::write(&secret, "mine").unwrap();
    let actions =
        [format!("read {}", secret.display()), format!("read {FAKE_SOLVER}"), "read /etc/passwd".to_owned()];
    check(&solver(), Sandbox::Solvers, &actions, &["read: PermissionDenied", "read: done", "read: done"]);
    check(&solver(), Sandbox::Off, &actions, &["read: done", "read: done", "read: done"]);
}

#[test]
fn a_confined_solver_has_no_network() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let actions = [format!("connect {}", listener.local_addr().unwrap())];
    check(&solver(), Sandbox::Solvers, &actions, &["connect: PermissionDenied"]);
    check(&solver(), Sandbox::Off, &actions, &["connect: done"]);
}

#[test]
fn a_profile_gives_a_solver_more_to_read_and_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    for name in ["data", "logs"] {
        std::fs::create_dir(path(name)).unwrap();
    }
    std::fs::write(path("data/table"), "1").unwrap();
    let mut solver = solver();
    let sandbox = &mut Arc::make_mut(&mut solver.profile).sandbox;
    sandbox.readable.push(path("data"));
    sandbox.writable.push(path("logs"));
    let actions = ["read data/table", "write data/table", "write logs/log", "write log"];
    let actions = actions.map(|action| {
        let (verb, name) = action.split_once(' ').unwrap();
        format!("{verb} {}", path(name))
    });
    let denied = "write: PermissionDenied";
    check(&solver, Sandbox::Solvers, &actions, &["read: done", denied, "write: done", denied]);
}

#[test]
fn every_script_finds_an_empty_private_folder_which_goes_with_the_driver() {
    for driver in DriverName::ALL {
        let mut runner = open(driver, &solver(), Sandbox::Solvers);
        let actions = ["look-around", "write left", "exit 0"].map(ToOwned::to_owned);
        let mut folder = String::new();
        for _ in 0..2 {
            let found = lines(&mut runner, &actions);
            let [cwd, entries, temporary, wrote] = found.as_slice() else { panic!("{found:?}") };
            assert_eq!(
                (entries.as_str(), wrote.as_str()),
                ("entries: 0", "write: done"),
                "{}",
                driver.name()
            );
            folder = cwd.strip_prefix("folder: ").unwrap().to_owned();
            assert_eq!(temporary.strip_prefix("temporary: "), Some(folder.as_str()), "{}", driver.name());
            assert_ne!(Path::new(&folder), std::env::current_dir().unwrap());
        }
        assert!(Path::new(&folder).exists());
        drop(runner);
        assert!(!Path::new(&folder).parent().unwrap().exists(), "{}", driver.name());
    }
}

#[test]
fn a_solver_that_is_not_confined_runs_where_gainsay_runs() {
    let here = format!("folder: {}", std::env::current_dir().unwrap().display());
    for driver in DriverName::ALL {
        let found = lines(&mut open(driver, &solver(), Sandbox::Off), &["look-around".to_owned()]);
        assert_eq!(found[0], here, "{}", driver.name());
    }
}

#[test]
fn a_link_in_the_place_of_the_script_is_out_of_a_solvers_reach() {
    let mut solver = solver();
    let profile = Arc::make_mut(&mut solver.profile);
    profile.input.stdin = None;
    let mut runner = open(DriverName::Plain, &solver, Sandbox::Solvers);
    let found = lines(&mut runner, &["write ../script.smt2".to_owned(), "read ../script.smt2".to_owned()]);
    assert_eq!(found, ["write: PermissionDenied", "read: done"]);
}
