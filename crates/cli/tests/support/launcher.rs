//! How tests start solvers: by the gainsay under test.

use gainsay_engine::solver::process::HelperProgram;
use gainsay_engine::solver::runner::Launcher;
use gainsay_engine::solver::sandbox::Sandbox;

/// Starts solvers by helper processes of the gainsay under test, with the environment of the test.
pub fn launcher() -> Launcher {
    let host = HelperProgram {
        program: env!("CARGO_BIN_EXE_gainsay").into(),
        arguments: vec!["driver".into()],
        scratch: std::env::temp_dir(),
        sandbox: Sandbox::default(),
    };
    Launcher { host, variables: std::env::vars().collect() }
}
