//! Stress test of every driver with misbehaving solvers: checks each run, memory growth and leftover processes.
//!
//! ```text
//! cargo build --release -p fake-solver && cargo run --release -p fake-solver --example misbehaviour -- 10000
//! ```

use fake_solver::fixture::{open, processes_marked, solver};
use fake_solver::misbehaviour::run_all;
use gainsay_engine::solver::profile::DriverName;

fn main() {
    let count = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(1000);
    let example = std::env::current_exe().expect("this program has a path");
    let programs = example.parent().and_then(|folder| folder.parent()).expect("a target folder");
    let fake = programs.join("fake-solver");
    for driver in DriverName::ALL {
        let name = driver.name();
        let mark = format!("{name}-{}", std::process::id());
        let mut runner = open(driver, &solver(&fake, &mark), &fake);
        let result = run_all(&mut runner, count / 10);
        let before = resident_kilobytes();
        let result = result.and_then(|()| run_all(&mut runner, count - count / 10));
        let after = resident_kilobytes();
        drop(runner);
        let left = processes_marked(&mark);
        println!(
            "{name}: {count} scripts, {result:?}, resident {before} -> {after} kB, processes left: {left:?}"
        );
    }
}

fn resident_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.split_once("VmRSS:").map_or("", |(_, rest)| rest);
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}
