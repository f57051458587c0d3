//! Many scripts with injected misbehaviour through every driver: each run told as it was, memory flat, no process left.
//!
//! ```text
//! cargo build --release -p fake-solver && cargo run --release -p fake-solver --example storm -- 10000
//! ```

use fake_solver::storm::{marked, open, solver, storm};
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
        let told = storm(&mut runner, count / 10);
        let before = resident_kilobytes();
        let told = told.and_then(|()| storm(&mut runner, count - count / 10));
        let after = resident_kilobytes();
        drop(runner);
        let left = marked(&mark);
        println!(
            "{name}: {count} scripts, {told:?}, resident {before} -> {after} kB, processes left: {left:?}"
        );
    }
}

fn resident_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.split_once("VmRSS:").map_or("", |(_, rest)| rest);
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}
