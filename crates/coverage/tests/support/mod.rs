//! Builds C++ programs and runs them under the tracer, as the helper does.

#![allow(dead_code, reason = "each test file uses a part")]

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use gainsay_coverage::channel::{CoverageFiles, Reporting};
use gainsay_coverage::reached::ReachedSites;
use gainsay_coverage::target::CoverageTarget;
use gainsay_coverage::tracer::{self, TracedState, Tracer};

/// The tracer waits for all children of this process, so tests that start some take turns.
static CHILDREN: Mutex<()> = Mutex::new(());

/// A folder with the sources of the tests and what was built from them.
pub struct Workshop(tempfile::TempDir);

impl Workshop {
    /// An empty one.
    pub fn new() -> Self {
        Workshop(tempfile::tempdir().expect("a folder"))
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Builds a program of `tests/programs` with g++ and these flags.
    pub fn build(&self, source: &str, name: &str, flags: &[&str]) -> PathBuf {
        self.build_by("g++", source, name, flags)
    }

    /// Builds a program of `tests/programs` with a compiler and these flags.
    pub fn build_by(&self, compiler: &str, source: &str, name: &str, flags: &[&str]) -> PathBuf {
        let program = self.path(name);
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(source);
        let mut command = Command::new(compiler);
        command.args(["-std=c++17", "-o"]).arg(&program).args(flags).arg(&source).args(["-lpthread", "-ldl"]);
        let built = self.run(command);
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        program
    }

    /// Runs a command in the folder.
    pub fn run(&self, mut command: Command) -> Output {
        let _turn = CHILDREN.lock().unwrap_or_else(PoisonError::into_inner);
        command.current_dir(self.0.path()).output().expect("the program is installed")
    }
}

/// The output and exit code of a run under the tracer, and what it reached.
pub struct TracedRun {
    pub output: String,
    pub code: Option<i32>,
    pub reached: ReachedSites,
}

/// Runs a program with traps.
pub fn run_traced(target: &Arc<CoverageTarget>, arguments: &[&str]) -> TracedRun {
    let _turn = CHILDREN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut channel = target.channel(Reporting::EveryRun).expect("memory");
    let files = channel.descriptors().into_iter().map(|fd| fd.try_clone_to_owned().expect("a descriptor"));
    let files = CoverageFiles::open(files.collect()).expect("memory");
    let mut tracer = Tracer::new(files).expect("a program");
    let output = tempfile::NamedTempFile::new().expect("a file");
    let mut command = Command::new(format!("/proc/self/fd/{}", tracer.program()));
    command.args(arguments).stdin(Stdio::null()).stdout(output.reopen().expect("a file"));
    // SAFETY: only a system call.
    unsafe { command.pre_exec(|| tracer::trace_me().map_err(std::io::Error::from_raw_os_error)) };
    let mut child = command.spawn().expect("it starts");
    let main = i32::try_from(child.id()).expect("a process id");
    tracer.attach(main).expect("it stops after execve");
    while tracer.handle(main) == TracedState::Running {
        std::thread::yield_now();
    }
    let code = child.wait().expect("it has ended").code();
    let output = std::fs::read_to_string(output.path()).expect("text");
    TracedRun { output, code, reached: channel.take().into_iter().collect() }
}
