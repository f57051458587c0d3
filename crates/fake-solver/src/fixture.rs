//! What tests start fake solvers with: limits, the helper program, a profile, and a search for processes that are left.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gainsay_engine::solver::driver::SolverLibrary;
use gainsay_engine::solver::install::pip::Variables;
use gainsay_engine::solver::process::HelperProgram;
use gainsay_engine::solver::profile::{DriverName, EnvironmentVariable, LibraryApi};
use gainsay_engine::solver::profiles::Profiles;
use gainsay_engine::solver::resolve::{Program, Solver};
use gainsay_engine::solver::run::{Ask, Limits, Query};
use gainsay_engine::solver::runner::{self, Launcher, Runner};
use gainsay_engine::solver::sandbox::Sandbox;

/// Limits that a well-behaved script never reaches, short enough for tests with many hanging scripts.
pub fn limits() -> Limits {
    Limits {
        wall: Duration::from_millis(400),
        counts_waiting: false,
        grace: Duration::from_millis(20),
        cpu: None,
        memory: Some(64 << 20),
        output: 1 << 16,
    }
}

/// Starts helpers with the binary `helper` of this package, which is in the folder of `fake`.
pub fn host(fake: &Path) -> HelperProgram {
    HelperProgram {
        program: fake.with_file_name("helper"),
        arguments: Vec::new(),
        scratch: std::env::temp_dir(),
        sandbox: Sandbox::default(),
    }
}

/// The launcher that starts solvers through this package's helper, without environment variables.
pub fn launcher(fake: &Path) -> Launcher {
    Launcher { host: host(fake), variables: Variables::default() }
}

/// A fake solver; [`processes_marked`] finds its processes by the mark in their environment.
pub fn solver(program: &Path, mark: &str) -> Solver {
    let mut profiles = Profiles::built_in();
    profiles.add("profile.toml", include_str!("../profile.toml")).expect("the profile is a good one");
    let mut profile = Arc::clone(profiles.get("fake").expect("it was just added"));
    let mark = EnvironmentVariable {
        name: "FAKE_SOLVER_MARK".to_owned(),
        value: mark.to_owned(),
        versions: None,
        why: String::new(),
    };
    let profile_of_test = Arc::make_mut(&mut profile);
    profile_of_test.environment.push(mark);
    // Tests exchange files with the solver in temporary folders.
    profile_of_test.sandbox.writable.push(std::env::temp_dir().display().to_string());
    let library = SolverLibrary { api: LibraryApi::Z3, path: "fake".into(), arguments: Vec::new() };
    Solver {
        name: "fake".parse().expect("a name"),
        profile,
        version: None,
        program: Program::Binary { path: program.to_owned(), library: Some(library) },
    }
}

/// A fake solver with this name, which is also its family, and these options.
pub fn named_solver(fake: &Path, mark: &str, name: &str, options: &[&str]) -> Solver {
    let mut solver = solver(fake, mark);
    solver.name = format!("{name}=fake").parse().expect("a name");
    name.clone_into(&mut Arc::make_mut(&mut solver.profile).family);
    solver.name.options.extend(options.iter().map(|option| (*option).to_owned()));
    solver
}

/// Opens a solver with a driver.
pub fn open(driver: DriverName, solver: &Solver, fake: &Path) -> Runner {
    let launcher = launcher(fake);
    let kind = runner::kind(driver).expect("a driver of that name");
    Runner::open(solver, kind, &launcher).expect("the driver opens")
}

/// Runs one script with a practically unlimited timeout, so that a test can kill this process meanwhile.
pub fn run_victim(driver: DriverName, script: &str) {
    let own = std::env::current_exe().expect("this program has a path");
    let mut runner = open(driver, &solver(&own.with_file_name("fake-solver"), "victim"), &own);
    let limits = Limits { wall: Duration::from_secs(3600), ..limits() };
    let _ = runner.run(&Query { script, limits, ask: Ask::ANSWERS_ONLY });
}

/// The ids of all processes with this mark in their environment.
pub fn processes_marked(mark: &str) -> Vec<String> {
    let text = format!("FAKE_SOLVER_MARK={mark}");
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("/proc").filter_map(Result::ok) {
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        if environment.split(|&byte| byte == 0).any(|variable| variable == text.as_bytes()) {
            found.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    found
}
