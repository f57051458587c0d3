//! Scripts with injected misbehaviour, many of them, through a driver: every run must be told as it was.
//!
//! Used by a test with a few, and by the example of the same name with as many as are asked for.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gainsay_engine::solver::driver::SolverLibrary;
use gainsay_engine::solver::install::pip::Variables;
use gainsay_engine::solver::process::HelperProgram;
use gainsay_engine::solver::profile::{DriverName, EnvironmentVariable, LibraryApi};
use gainsay_engine::solver::profiles::Profiles;
use gainsay_engine::solver::resolve::{Program, Solver};
use gainsay_engine::solver::run::{Answer, Ask, Exit, Limits, Query, Run};
use gainsay_engine::solver::runner::{self, Runner, Setting};
use gainsay_engine::solver::sandbox::Sandbox;
use gainsay_engine::solver::trouble::TroubleKind;

/// One kind of script, and how its run must look.
pub struct Weather {
    /// The script.
    pub script: &'static str,
    /// The answers that it must give.
    pub answers: &'static [Answer],
    /// The exits that it may have.
    pub exits: &'static [Exit],
    /// What must be said to be wrong with it.
    pub trouble: Option<TroubleKind>,
}

use Answer::{Sat, Unknown, Unsat};

/// What a script must come to.
const fn weather(
    script: &'static str,
    answers: &'static [Answer],
    exits: &'static [Exit],
    trouble: Option<TroubleKind>,
) -> Weather {
    Weather { script, answers, exits, trouble }
}

/// Every kind. The answer before the trouble must survive it.
pub const WEATHERS: &[Weather] = &[
    weather("(check-sat)\n", &[Sat], &[Exit::Code(0)], None),
    weather(
        "; fake: answer unsat\n(check-sat)\n; fake: answer unknown\n(check-sat)\n(exit)\n(check-sat)\n",
        &[Unsat, Unknown],
        &[Exit::Code(0)],
        None,
    ),
    weather("(check-sat)\n; fake: segv\n", &[Sat], &[Exit::Signal(11)], Some(TroubleKind::Crash)),
    weather(
        "(check-sat)\n; fake: abort\n(check-sat)\n",
        &[Sat],
        &[Exit::Signal(6)],
        Some(TroubleKind::Crash),
    ),
    weather("; fake: assertion\n(check-sat)\n", &[], &[Exit::Code(114)], Some(TroubleKind::Assertion)),
    weather(
        "(check-sat)\n; fake: error no such thing\n(check-sat)\n",
        &[Sat, Sat],
        &[Exit::Code(1)],
        Some(TroubleKind::Error),
    ),
    weather(
        "(check-sat)\n; fake: hang\n(check-sat)\n",
        &[Sat],
        &[Exit::WallLimit],
        Some(TroubleKind::TimeOut),
    ),
    weather(
        "; fake: ignore-term\n(check-sat)\n; fake: hang\n",
        &[Sat],
        &[Exit::WallLimit],
        Some(TroubleKind::TimeOut),
    ),
    weather("(check-sat)\n; fake: flood\n", &[Sat], &[Exit::OutputLimit], Some(TroubleKind::Flood)),
    weather("(check-sat)\n; fake: flood-errors\n", &[Sat], &[Exit::OutputLimit], Some(TroubleKind::Flood)),
    weather(
        "(check-sat)\n; fake: leak\n",
        &[Sat],
        &[Exit::MemoryLimit, Exit::Code(101), Exit::Signal(6)],
        Some(TroubleKind::MemoryOut),
    ),
    weather("(check-sat)\n; fake: half\n", &[Sat], &[Exit::Signal(9)], Some(TroubleKind::Killed)),
    weather("; fake: garbage\n(check-sat)\n", &[Sat], &[Exit::Code(0)], Some(TroubleKind::Garbage)),
    weather("; fake: orphan\n(check-sat)\n; fake: exit 3\n", &[Sat], &[Exit::Code(3)], None),
    weather("; fake: orphan-session\n(check-sat)\n; fake: exit 0\n", &[Sat], &[Exit::Code(0)], None),
    weather(
        "; fake: orphan\n; fake: orphan-session\n(check-sat)\n; fake: kill-parent\n",
        &[Sat],
        &[Exit::Signal(9)],
        Some(TroubleKind::Killed),
    ),
    weather("(check-sat", &[Sat], &[Exit::Code(0)], None),
];

/// Limits that a well-behaved script does not feel, and that a storm of hanging ones does not make slow.
pub fn limits() -> Limits {
    Limits {
        wall: Duration::from_millis(400),
        grace: Duration::from_millis(20),
        cpu: None,
        memory: Some(64 << 20),
        output: 1 << 16,
    }
}

/// How helpers are started: the binary `helper` of this package, beside `beside`.
pub fn host(beside: &Path) -> HelperProgram {
    HelperProgram {
        program: beside.with_file_name("helper"),
        arguments: Vec::new(),
        scratch: std::env::temp_dir(),
        sandbox: Sandbox::default(),
    }
}

/// The fake solver at a path, with a mark in its environment by which its processes can be found.
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
    // Tests meet the solver at files in folders of their own there.
    profile_of_test.sandbox.writable.push(std::env::temp_dir().display().to_string());
    let library = SolverLibrary { api: LibraryApi::Z3, path: "fake".into(), arguments: Vec::new() };
    Solver {
        name: "fake".parse().expect("a name"),
        profile,
        version: None,
        program: Program::Binary { path: program.to_owned(), library: Some(library) },
    }
}

/// A solver behind a driver, with the helper beside `beside`.
pub fn open(driver: DriverName, solver: &Solver, beside: &Path) -> Runner {
    let setting = Setting { host: host(beside), variables: Variables::default() };
    let kind = runner::kind(driver).expect("a driver of that name");
    Runner::open(solver, kind, &setting).expect("the driver opens")
}

/// Runs `count` scripts of all kinds in turn; tells the first that was not told as it was.
pub fn storm(runner: &mut Runner, count: usize) -> Result<(), String> {
    for (number, weather) in WEATHERS.iter().cycle().take(count).enumerate() {
        // Only what hangs shall meet the limit, however busy the machine is.
        let hangs = weather.exits.contains(&Exit::WallLimit);
        let wall = if hangs { limits().wall } else { Duration::from_secs(60) };
        let query = Query { script: weather.script, limits: Limits { wall, ..limits() }, ask: Ask::NOTHING };
        let run = runner.run(&query).map_err(|error| format!("script {number}: {error}"))?;
        let trouble = run.trouble.as_ref().map(|trouble| trouble.kind);
        let as_it_was =
            run.answers == weather.answers && weather.exits.contains(&run.exit) && trouble == weather.trouble;
        if !as_it_was {
            return Err(format!("script {number}: {:?}\n{}", weather.script, show(&run)));
        }
    }
    Ok(())
}

fn show(run: &Run) -> String {
    let short = |text: &[u8]| String::from_utf8_lossy(text).chars().take(200).collect::<String>();
    format!(
        "{:?} {:?} {:?}\n{}\n{}",
        run.exit,
        run.answers,
        run.trouble,
        short(&run.output),
        short(&run.errors)
    )
}

/// Runs one script through a driver with the programs beside this one, without a limit that matters: a victim.
pub fn run_one(driver: DriverName, script: &str) {
    let own = std::env::current_exe().expect("this program has a path");
    let mut runner = open(driver, &solver(&own.with_file_name("fake-solver"), "victim"), &own);
    let limits = Limits { wall: Duration::from_secs(3600), ..limits() };
    let _ = runner.run(&Query { script, limits, ask: Ask::NOTHING });
}

/// The processes that have a mark in their environment.
pub fn marked(mark: &str) -> Vec<String> {
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
