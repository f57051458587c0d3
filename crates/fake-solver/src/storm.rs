//! Scripts with injected misbehaviour, many of them, through a driver: every run must be told as it was.
//!
//! Used by a test with a few, and by the example of the same name with as many as are asked for.

use std::path::{Path, PathBuf};
use std::time::Duration;

use gainsay_engine::solver::driver::{
    ALL, Driver, Launch, Library, LibraryKind, Positions, Session, WorkCount,
};
use gainsay_engine::solver::process::Host;
use gainsay_engine::solver::run::{Answer, Exit, Limits, Query, Run, Work};

/// One kind of script, and how its run must look.
pub struct Weather {
    /// The script.
    pub script: &'static str,
    /// The answers that it must give.
    pub answers: &'static [Answer],
    /// The exits that it may have.
    pub exits: &'static [Exit],
}

use Answer::{Sat, Unknown, Unsat};

/// Every kind. The answer before the trouble must survive it.
pub const WEATHERS: &[Weather] = &[
    Weather { script: "(check-sat)\n", answers: &[Sat], exits: &[Exit::Code(0)] },
    Weather {
        script: "; fake: answer unsat\n(check-sat)\n; fake: answer unknown\n(check-sat)\n(exit)\n(check-sat)\n",
        answers: &[Unsat, Unknown],
        exits: &[Exit::Code(0)],
    },
    Weather { script: "(check-sat)\n; fake: segv\n", answers: &[Sat], exits: &[Exit::Signal(11)] },
    Weather {
        script: "(check-sat)\n; fake: abort\n(check-sat)\n",
        answers: &[Sat],
        exits: &[Exit::Signal(6)],
    },
    Weather { script: "; fake: assertion\n(check-sat)\n", answers: &[], exits: &[Exit::Code(114)] },
    Weather {
        script: "(check-sat)\n; fake: error no such thing\n(check-sat)\n",
        answers: &[Sat, Sat],
        exits: &[Exit::Code(1)],
    },
    Weather {
        script: "(check-sat)\n; fake: hang\n(check-sat)\n",
        answers: &[Sat],
        exits: &[Exit::WallLimit],
    },
    Weather {
        script: "; fake: ignore-term\n(check-sat)\n; fake: hang\n",
        answers: &[Sat],
        exits: &[Exit::WallLimit],
    },
    Weather { script: "(check-sat)\n; fake: flood\n", answers: &[Sat], exits: &[Exit::OutputLimit] },
    Weather { script: "(check-sat)\n; fake: flood-errors\n", answers: &[Sat], exits: &[Exit::OutputLimit] },
    Weather {
        script: "(check-sat)\n; fake: leak\n",
        answers: &[Sat],
        exits: &[Exit::MemoryLimit, Exit::Code(101), Exit::Signal(6)],
    },
    Weather { script: "(check-sat)\n; fake: half\n", answers: &[Sat], exits: &[Exit::Signal(9)] },
    Weather { script: "; fake: garbage\n(check-sat)\n", answers: &[Sat], exits: &[Exit::Code(0)] },
    Weather {
        script: "; fake: orphan\n(check-sat)\n; fake: exit 3\n",
        answers: &[Sat],
        exits: &[Exit::Code(3)],
    },
    Weather {
        script: "; fake: orphan-session\n(check-sat)\n; fake: exit 0\n",
        answers: &[Sat],
        exits: &[Exit::Code(0)],
    },
    Weather { script: "(check-sat)\n; fake: kill-parent\n", answers: &[Sat], exits: &[Exit::Signal(9)] },
    Weather { script: "(check-sat", answers: &[Sat], exits: &[Exit::Code(0)] },
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
pub fn host(beside: &Path) -> Host {
    Host { program: beside.with_file_name("helper"), arguments: Vec::new(), scratch: std::env::temp_dir() }
}

/// The fake solver, with a mark in its environment by which its processes can be found.
pub fn launch(program: &Path, mark: &str) -> Launch {
    Launch {
        program: program.to_owned(),
        arguments: Vec::new(),
        environment: vec![("FAKE_SOLVER_MARK".to_owned(), mark.to_owned())],
        work: Some(WorkCount { command: "(get-info :rlimit)".to_owned(), before: ":rlimit".to_owned() }),
        session: Some(Session {
            program: program.to_owned(),
            arguments: Vec::new(),
            undo: "(reset)".to_owned(),
            options: Vec::new(),
            positions: Positions::Continue,
            scripts: 50,
        }),
        library: Some(Library { kind: LibraryKind::Z3, path: "fake".into(), arguments: Vec::new() }),
    }
}

/// Opens a driver by name.
pub fn open(driver: &str, host: &Host, launch: &Launch) -> Box<dyn Driver> {
    let kind = ALL.iter().find(|kind| kind.name == driver).expect("a driver of that name");
    (kind.open)(host, launch).expect("the driver opens")
}

/// Runs `count` scripts of all kinds in turn; tells the first that was not told as it was.
pub fn storm(driver: &mut dyn Driver, count: usize) -> Result<(), String> {
    for (number, weather) in WEATHERS.iter().cycle().take(count).enumerate() {
        // Only what hangs shall meet the limit, however busy the machine is.
        let hangs = weather.exits.contains(&Exit::WallLimit);
        let wall = if hangs { limits().wall } else { Duration::from_secs(60) };
        let query = Query { script: weather.script, limits: Limits { wall, ..limits() }, work: Work::Ignore };
        let run = driver.run(&query).map_err(|error| format!("script {number}: {error}"))?;
        if run.answers != weather.answers || !weather.exits.contains(&run.exit) {
            return Err(format!("script {number}: {:?}\n{}", weather.script, show(&run)));
        }
    }
    Ok(())
}

fn show(run: &Run) -> String {
    let output = String::from_utf8_lossy(&run.output);
    let short: String = output.chars().take(200).collect();
    format!(
        "{:?} {:?}\n{short}\n{}",
        run.exit,
        run.answers,
        String::from_utf8_lossy(&run.errors).chars().take(200).collect::<String>()
    )
}

/// Runs one script through a driver with the programs beside this one, without a limit that matters: a victim.
pub fn run_one(driver: &str, script: &str) {
    let own = std::env::current_exe().expect("this program has a path");
    let program: PathBuf = own.with_file_name("fake-solver");
    let mut driver = open(driver, &host(&own), &launch(&program, "victim"));
    let limits = Limits { wall: Duration::from_secs(3600), ..limits() };
    let _ = driver.run(&Query { script, limits, work: Work::Ignore });
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
