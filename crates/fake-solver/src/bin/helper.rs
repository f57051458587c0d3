//! The helper process of the drivers, for tests of crates without a `gainsay` binary. The fork server can also load the fake
//! solver as a library. `victim` and `store-writer` are programs that tests kill.

use std::ffi::OsString;
use std::process::ExitCode;

use gainsay_engine::solver::helper::{self, ForkServer, PreloadedSolver};
use gainsay_engine::solver::profile::DriverName;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let environment: Vec<_> = std::env::vars_os().collect();
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    match words.as_slice() {
        [.., "fork", "z3", "fake"] => {
            let _ = helper::begin(&arguments)
                .and_then(|(_, context)| helper::serve(&mut ForkServer(FakeLibrary), &context.work_folder));
            ExitCode::SUCCESS
        }
        ["victim", driver, script] => {
            let driver = DriverName::ALL.into_iter().find(|name| name.name() == *driver);
            fake_solver::fixture::run_victim(driver.expect("a driver of that name"), script);
            ExitCode::SUCCESS
        }
        ["store-writer", folder] => match fake_solver::store_writer::write(folder.as_ref()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        },
        _ => helper::main(&arguments, &environment),
    }
}

/// The fake solver as a library.
struct FakeLibrary;

impl PreloadedSolver for FakeLibrary {
    fn run(&mut self, script: &[u8]) -> i32 {
        fake_solver::run_text(script)
    }
}
