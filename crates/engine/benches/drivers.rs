//! Scripts per CPU second of every driver, against a naive process per script, in one run.
//!
//! ```text
//! cargo bench -p gainsay-engine --bench drivers -- [--count N] [--scripts FOLDER] [--driver NAME] SOLVER…
//! ```
//!
//! `SOLVER` is `NAME=z3:PROGRAM[:LIBRARY] OPTIONS…`, `NAME=cvc5:FOLDER OPTIONS…` (its libraries, run by our program), or
//! `NAME=PROGRAM ARGUMENTS…`. All figures are CPU time (user and system) of everything that ran: the solver, the helper,
//! and this process, starts and ends included. "own" is all of it but what the runs report as the solver's.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use gainsay_engine::solver::driver::{self, Launch};
use gainsay_engine::solver::helper;
use gainsay_engine::solver::process::Host;
use gainsay_engine::solver::run::{Limits, Query, Work};

const TRIVIAL: &str = "(set-logic QF_LIA)\n(declare-fun x () Int)\n(declare-fun y () Int)\n\
                       (assert (and (> x 2) (< y 10) (= (+ x y) 12)))\n(check-sat)\n";

fn main() {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "driver") {
        let environment: Vec<_> = std::env::vars_os().collect();
        let _ = helper::main(&arguments[1..], &environment);
        return;
    }
    let mut count = 300;
    let mut scripts = vec![TRIVIAL.to_owned()];
    let mut solvers = Vec::new();
    let mut only = None;
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--bench" => {}
            "--count" => count = words.next().and_then(|n| n.parse().ok()).expect("--count N"),
            "--scripts" => scripts = read_scripts(&words.next().expect("--scripts FOLDER")),
            "--driver" => only = words.next(),
            _ => solvers.push(word),
        }
    }
    println!(
        "{:<14} {:<9} {:>12} {:>12} {:>9} {:>10}",
        "solver", "driver", "scripts/CPUs", "ms/script", "x naive", "own µs"
    );
    for solver in solvers {
        let (name, solver) = solver.split_once('=').expect("NAME=SOLVER");
        measure(name, &launch(solver), &scripts, count, only.as_deref());
    }
}

fn host() -> Host {
    Host { program: "/proc/self/exe".into(), arguments: vec!["driver".into()], scratch: std::env::temp_dir() }
}

fn launch(solver: &str) -> Launch {
    let mut words = solver.split_whitespace().map(str::to_owned);
    let program = words.next().expect("a program");
    let options: Vec<String> = words.collect();
    match program.split(':').collect::<Vec<_>>().as_slice() {
        ["z3", program, library] => Launch::z3(program.as_ref(), Some(library.as_ref()), &options),
        ["z3", program] => Launch::z3(program.as_ref(), None, &options),
        ["cvc5", folder] => Launch::cvc5(&host(), folder.as_ref(), &options),
        _ => Launch { program: program.into(), arguments: options, ..Launch::default() },
    }
}

fn read_scripts(folder: &str) -> Vec<String> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
        .iter()
        .filter(|path| path.extension().is_some_and(|e| e == "smt2"))
        .filter_map(|path| std::fs::read_to_string(path).ok())
        .collect()
}

fn measure(name: &str, launch: &Launch, scripts: &[String], count: usize, only: Option<&str>) {
    let naive = cpu(|| {
        for script in scripts.iter().cycle().take(count) {
            run_naively(launch, script);
        }
        Duration::ZERO
    });
    row(name, "naive", count, naive, naive);
    let wanted = |kind: &&driver::Kind| (kind.fits)(launch) && only.is_none_or(|name| name == kind.name);
    for kind in driver::ALL.iter().filter(wanted) {
        let times = cpu(|| {
            let mut driver = (kind.open)(&host(), launch).expect("the driver opens");
            let mut solver = Duration::ZERO;
            for script in scripts.iter().cycle().take(count) {
                let query = Query { script, limits: Limits::default(), work: Work::Ignore };
                solver += driver.run(&query).expect("the solver runs").cpu;
            }
            solver
        });
        row(name, kind.name, count, times, naive);
    }
}

fn row(
    name: &str,
    driver: &str,
    count: usize,
    (all, solver): (Duration, Duration),
    naive: (Duration, Duration),
) {
    let per_script = all.as_secs_f64() / count as f64;
    let own = (all.saturating_sub(solver)).as_secs_f64() / count as f64 * 1e6;
    let own = if solver.is_zero() { "-".to_owned() } else { format!("{own:.0}") };
    let times = naive.0.as_secs_f64() / all.as_secs_f64();
    println!(
        "{name:<14} {driver:<9} {:>12.0} {:>12.3} {times:>9.2} {own:>10}",
        1.0 / per_script,
        per_script * 1e3
    );
}

/// What everybody writes first: a process with pipes, in the environment that we have.
fn run_naively(launch: &Launch, script: &str) {
    let mut child = Command::new(&launch.program)
        .args(&launch.arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the solver starts");
    let _ = child.stdin.take().expect("a pipe").write_all(script.as_bytes());
    child.wait_with_output().expect("the solver ends");
}

/// CPU time of this process and all its ended children during `work`, and what `work` returns.
fn cpu(work: impl FnOnce() -> Duration) -> (Duration, Duration) {
    let before = cpu_so_far();
    let solver = work();
    (cpu_so_far() - before, solver)
}

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
