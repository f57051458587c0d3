//! Measures the CPU time per script of every driver against a naive process per script, and compares their answers.
//!
//! ```text
//! cargo bench -p gainsay-solvers --bench drivers -- [--count N] [--scripts FOLDER] [--driver NAME] [--sandbox] SOLVER…
//! ```
//!
//! Without `--scripts`, runs one trivial script `N` times; with it, every script of the folder that the solver decides
//! within two seconds, at most `N`. `SOLVER` is a name as in other commands: `z3@5.4.0`, `cvc5@1.4.2`, `z3=/path/to/z3`.
//!
//! With `--sandbox`, measures every driver twice: with confined solvers, as by default, and without (`-free`), in turns, so that
//! other load on the machine slows down both.
//!
//! All figures are CPU time, user and system, of everything that ran: the solver, the helper, its guard, and this process.
//! "own" is the cost of a script beyond the solver's CPU time in its run (which includes making the solver's process): mostly
//! reading and classifying its output. "start" is the cost of the first script alone, which includes the one-time costs of a driver. A
//! script differs if a driver gives another decided answer than plain.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use gainsay_solvers::cache::Cache;
use gainsay_solvers::driver::{self, DriverKind, LaunchSpec};
use gainsay_solvers::helper;
use gainsay_solvers::process::HelperProgram;
use gainsay_solvers::profiles::Profiles;
use gainsay_solvers::resolve::{Places, Solver};
use gainsay_solvers::run::{Answer, Ask, Exit, Limits, Query};
use gainsay_solvers::runner::{self, Launcher, Runner};
use gainsay_solvers::sandbox::Sandbox;

const TRIVIAL_SCRIPT: &str = "(set-logic QF_LIA)\n(declare-fun x () Int)\n(declare-fun y () Int)\n\
                       (assert (and (> x 2) (< y 10) (= (+ x y) 12)))\n(check-sat)\n";

/// The command line.
struct Arguments {
    count: usize,
    scripts: Option<String>,
    driver: Option<String>,
    sandbox: bool,
    solvers: Vec<String>,
}

/// A solver, and how it is started.
struct Subject {
    solver: Solver,
    launcher: Launcher,
}

/// A script with its name.
struct BenchScript {
    name: String,
    text: String,
}

/// The cost and the answers of one way to run the scripts.
struct Measured {
    total: Duration,
    /// Of the total, what does not grow with the number of scripts.
    start: Duration,
    /// CPU time per script beyond the solver's.
    own: Duration,
    each: Vec<Duration>,
    answers: Vec<Vec<Answer>>,
    ended: Vec<bool>,
}

fn main() {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    if words.first().is_some_and(|first| first == "driver") {
        let environment: Vec<_> = std::env::vars_os().collect();
        let _ = helper::main(&words[1..], &environment);
        return;
    }
    let arguments = read_arguments();
    println!(
        "{:<12} {:<8} {:>7} {:>12} {:>10} {:>8} {:>10} {:>8} {:>7} {:>8} {:>9}",
        "solver",
        "driver",
        "scripts",
        "scripts/CPUs",
        "ms mean",
        "x naive",
        "ms median",
        "x naive",
        "own µs",
        "start ms",
        "differing"
    );
    let launcher = Launcher { host: host(), variables: std::env::vars().collect() };
    for name in &arguments.solvers {
        let subject = Subject { solver: resolve(name, &launcher), launcher: launcher.clone() };
        compare(name, &subject, &arguments);
    }
}

fn read_arguments() -> Arguments {
    let mut arguments =
        Arguments { count: 300, scripts: None, driver: None, sandbox: false, solvers: Vec::new() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--bench" => {}
            "--count" => arguments.count = words.next().and_then(|n| n.parse().ok()).expect("--count N"),
            "--scripts" => arguments.scripts = words.next(),
            "--driver" => arguments.driver = words.next(),
            "--sandbox" => arguments.sandbox = true,
            _ => arguments.solvers.push(word),
        }
    }
    arguments
}

fn host() -> HelperProgram {
    HelperProgram {
        program: "/proc/self/exe".into(),
        arguments: vec!["driver".into()],
        scratch: std::env::temp_dir(),
        sandbox: Sandbox::default(),
    }
}

fn resolve(name: &str, launcher: &Launcher) -> Solver {
    let cache = Cache::of_user(&launcher.variables).expect("HOME is set");
    let path: Vec<_> = std::env::var_os("PATH").iter().flat_map(std::env::split_paths).collect();
    let places = Places { profiles: &Profiles::built_in(), cache: &cache, path: &path };
    let name = name.parse().unwrap_or_else(|error| panic!("{error}"));
    places.resolve(&name).unwrap_or_else(|error| panic!("{error}"))
}

/// The scripts to run: of a folder, those that the plain driver decides.
fn scripts(subject: &Subject, arguments: &Arguments) -> Vec<BenchScript> {
    let Some(folder) = &arguments.scripts else {
        let script = || BenchScript { name: "trivial".to_owned(), text: TRIVIAL_SCRIPT.to_owned() };
        return std::iter::repeat_with(script).take(arguments.count).collect();
    };
    let mut scripts = Vec::new();
    read_folder(Path::new(folder), &mut scripts);
    scripts.sort_by(|a, b| a.name.cmp(&b.name));
    let plain = measure(runner::plain(), subject, &scripts);
    let decided =
        |at: &usize| plain.ended[*at] && plain.answers[*at].iter().any(|&answer| answer != Answer::Unknown);
    let keep: Vec<usize> = (0..scripts.len()).filter(decided).take(arguments.count).collect();
    let mut number = 0..;
    scripts.retain(|_| number.next().is_some_and(|at| keep.binary_search(&at).is_ok()));
    scripts
}

fn read_folder(folder: &Path, scripts: &mut Vec<BenchScript>) {
    for entry in std::fs::read_dir(folder).expect("a folder").filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            read_folder(&path, scripts);
        } else if path.extension().is_some_and(|extension| extension == "smt2")
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            scripts.push(BenchScript { name: path.display().to_string(), text });
        }
    }
}

fn compare(name: &str, subject: &Subject, arguments: &Arguments) {
    let scripts = scripts(subject, arguments);
    let naive = measure_naive(&runner::launch_spec(&subject.solver, &subject.launcher), &scripts);
    row(name, "naive", &naive, &naive, &[]);
    let mut plain = None;
    let launch = runner::launch_spec(&subject.solver, &subject.launcher);
    for kind in driver::ALL.iter().filter(|kind| (kind.fits)(&launch)) {
        if arguments.driver.as_ref().is_some_and(|driver| driver != kind.name) {
            continue;
        }
        let measured = measure(kind, subject, &scripts);
        let differing = plain.as_ref().map_or(Vec::new(), |plain| differences(plain, &measured, &scripts));
        row(name, kind.name, &measured, &naive, &differing);
        if arguments.sandbox {
            compare_sandbox(name, subject, kind, &scripts, &naive);
        }
        plain.get_or_insert(measured);
    }
}

/// The cost in seconds that the cheapest tenth of all scripts stays below: load on the machine only adds.
fn low_decile(rounds: &[Measured]) -> f64 {
    let mut all: Vec<Duration> = rounds.iter().flat_map(|round| round.each.iter().copied()).collect();
    all.sort_unstable();
    all.get(all.len() / 10).map_or(f64::NAN, Duration::as_secs_f64)
}

/// How often a driver is measured with and without a sandbox.
const SANDBOX_ROUNDS: usize = 9;

/// The best rounds of a driver with and without a sandbox, since a busy machine only adds, and the cost of the sandbox.
fn compare_sandbox(
    name: &str,
    subject: &Subject,
    kind: &'static DriverKind,
    scripts: &[BenchScript],
    naive: &Measured,
) {
    let free_host = HelperProgram { sandbox: Sandbox::Off, ..subject.launcher.host.clone() };
    let launcher = Launcher { host: free_host, ..subject.launcher.clone() };
    let free_subject = Subject { solver: subject.solver.clone(), launcher };
    let (mut confined, mut free) = (Vec::new(), Vec::new());
    for _ in 0..SANDBOX_ROUNDS {
        confined.push(measure(kind, subject, scripts));
        free.push(measure(kind, &free_subject, scripts));
    }
    let per_script = low_decile(&confined) - low_decile(&free);
    for rounds in [&mut confined, &mut free] {
        rounds.sort_by_key(|measured| measured.total);
    }
    let (confined, free) = (&confined[0], &free[0]);
    row(name, kind.name, confined, naive, &[]);
    row(name, &format!("{}-free", kind.name), free, naive, &[]);
    println!(
        "{name:<12} the sandbox costs {:.0} µs per script and {:.0} µs per driver",
        per_script * 1e6,
        (confined.start.as_secs_f64() - free.start.as_secs_f64()) * 1e6
    );
}

/// The scripts on which two drivers give different decided answers.
fn differences<'a>(plain: &Measured, other: &Measured, scripts: &'a [BenchScript]) -> Vec<&'a str> {
    let differ = |at: &usize| {
        let pairs = plain.answers[*at].iter().zip(&other.answers[*at]);
        let stopped = !plain.ended[*at] || !other.ended[*at];
        let same_length = stopped || plain.answers[*at].len() == other.answers[*at].len();
        !same_length
            || pairs.into_iter().any(|(a, b)| a != b && *a != Answer::Unknown && *b != Answer::Unknown)
    };
    (0..scripts.len()).filter(differ).map(|at| scripts[at].name.as_str()).collect()
}

fn measure(kind: &'static DriverKind, subject: &Subject, scripts: &[BenchScript]) -> Measured {
    let first = &scripts[..scripts.len().min(1)];
    // The least of a few: an occasional slow start would count against every script.
    let start = (0..3).map(|_| pass(kind, subject, first).own).min().unwrap_or_default();
    let all = pass(kind, subject, scripts);
    let more = u32::try_from(scripts.len().saturating_sub(1).max(1)).expect("not that many");
    let own = all.own.saturating_sub(start) / more;
    Measured { start, own, each: all.each.iter().map(|cpu| *cpu + own).collect(), ..all }
}

/// Runs scripts through a new driver; `own` is in all, and `each` the solver's.
fn pass(kind: &'static DriverKind, subject: &Subject, scripts: &[BenchScript]) -> Measured {
    let limits =
        Limits { cpu: Some(Duration::from_secs(2)), wall: Duration::from_secs(10), ..Limits::default() };
    let before = cpu_so_far();
    let mut runner = Runner::open(&subject.solver, kind, &subject.launcher).expect("the driver opens");
    let (mut each, mut answers, mut ended) = (Vec::new(), Vec::new(), Vec::new());
    for script in scripts {
        let query = Query { script: &script.text, limits, ask: Ask::ANSWERS_ONLY };
        let run = runner.run(&query).expect("the solver runs");
        each.push(run.cpu);
        answers.push(run.answers);
        ended.push(matches!(run.exit, Exit::Code(_)));
    }
    drop(runner);
    let total = cpu_so_far() - before;
    let own = total.saturating_sub(each.iter().sum());
    Measured { total, start: Duration::ZERO, own, each, answers, ended }
}

/// What everybody writes first: a process with pipes, in the environment that we have.
fn measure_naive(launch: &LaunchSpec, scripts: &[BenchScript]) -> Measured {
    let (start, mut each) = (cpu_so_far(), Vec::new());
    for script in scripts {
        let before = cpu_so_far();
        let mut child = Command::new(&launch.program)
            .args(&launch.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the solver starts");
        let _ = child.stdin.take().expect("a pipe").write_all(script.text.as_bytes());
        child.wait_with_output().expect("the solver ends");
        each.push(cpu_so_far() - before);
    }
    let total = cpu_so_far() - start;
    Measured {
        total,
        start: Duration::ZERO,
        own: Duration::ZERO,
        each,
        answers: Vec::new(),
        ended: Vec::new(),
    }
}

fn row(name: &str, driver: &str, measured: &Measured, naive: &Measured, differing: &[&str]) {
    let count = measured.each.len() as f64;
    let mean = measured.total.as_secs_f64() / count;
    let times = naive.total.as_secs_f64() / measured.total.as_secs_f64();
    let (median, naive_median) = (median(&measured.each), median(&naive.each));
    println!(
        "{name:<12} {driver:<8} {count:>7} {:>12.0} {:>10.3} {times:>8.2} {:>10.3} {:>8.2} {:>7.0} {:>8.1} {:>9}",
        1.0 / mean,
        mean * 1e3,
        median * 1e3,
        naive_median / median,
        measured.own.as_secs_f64() * 1e6,
        measured.start.as_secs_f64() * 1e3,
        differing.len()
    );
    for script in differing {
        println!("    {script}");
    }
}

fn median(times: &[Duration]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).map_or(f64::NAN, Duration::as_secs_f64)
}

/// CPU time of this process and all its ended children.
fn cpu_so_far() -> Duration {
    let usage = |who| {
        // SAFETY: a zeroed rusage is valid and getrusage fills it.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::getrusage(who, &raw mut usage);
            usage
        };
        let time =
            |t: libc::timeval| Duration::new(t.tv_sec.unsigned_abs(), t.tv_usec.unsigned_abs() as u32 * 1000);
        time(usage.ru_utime) + time(usage.ru_stime)
    };
    usage(libc::RUSAGE_SELF) + usage(libc::RUSAGE_CHILDREN)
}
