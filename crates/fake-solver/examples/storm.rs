//! Many scripts with injected misbehaviour through every driver: each run told as it was, memory flat, no process left.
//!
//! ```text
//! cargo build --release -p fake-solver && cargo run --release -p fake-solver --example storm -- 10000
//! ```

use fake_solver::storm::{host, launch, marked, open, storm};
use gainsay_engine::solver::driver::ALL;

fn main() {
    let count = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(1000);
    let example = std::env::current_exe().expect("this program has a path");
    let programs = example.parent().and_then(|folder| folder.parent()).expect("a target folder");
    let host = host(&programs.join("fake-solver"));
    for kind in ALL {
        let launch = launch(&programs.join("fake-solver"), kind.name);
        let mut driver = open(kind.name, &host, &launch);
        let told = storm(driver.as_mut(), count / 10);
        let before = resident_kilobytes();
        let told = told.and_then(|()| storm(driver.as_mut(), count - count / 10));
        let after = resident_kilobytes();
        drop(driver);
        let left = marked(kind.name);
        println!(
            "{}: {count} scripts, {told:?}, resident {before} -> {after} kB, processes left: {left:?}",
            kind.name
        );
    }
}

fn resident_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.split_once("VmRSS:").map_or("", |(_, rest)| rest);
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}
