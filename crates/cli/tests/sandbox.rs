//! Solvers run confined: real ones, by every driver, and programs of the user's by every command.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/real_solvers.rs"]
mod solvers;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::Arc;

use gainsay_engine::solver::driver::DriverKind;
use gainsay_engine::solver::process::HelperProgram;
use gainsay_engine::solver::resolve::Solver;
use gainsay_engine::solver::run::{Ask, Limits, Query, Run};
use gainsay_engine::solver::runner::{self, Launcher, Runner};
use gainsay_engine::solver::sandbox::Sandbox;
use gainsay_engine::solver::script_filter::ScriptFilter;
use solvers::REAL_SOLVERS;
use tempfile::TempDir;

fn launcher(sandbox: Sandbox) -> Launcher {
    let program = env!("CARGO_BIN_EXE_gainsay").into();
    let host =
        HelperProgram { program, arguments: vec!["driver".into()], scratch: std::env::temp_dir(), sandbox };
    Launcher { host, variables: std::env::vars().collect() }
}

fn run(solver: &Solver, kind: &'static DriverKind, sandbox: Sandbox, script: &str) -> Run {
    let mut runner = Runner::open(solver, kind, &launcher(sandbox)).unwrap();
    let ask = Ask { model: true, ..Ask::ANSWERS_ONLY };
    runner.run(&Query { script, limits: Limits::default(), ask }).unwrap()
}

/// Does something for every driver of every solver. The solvers get scripts unfiltered: the sandbox alone must hold.
fn for_all(does: impl Fn(&str, &Solver, &'static DriverKind)) {
    for name in REAL_SOLVERS {
        let mut solver = solvers::solver(name);
        Arc::make_mut(&mut solver.profile).filter = ScriptFilter::default();
        for kind in runner::drivers(&solver, &launcher(Sandbox::Solvers)) {
            does(&format!("{name} {}", kind.name), &solver, kind);
        }
    }
}

/// A script that makes solvers write to a file.
fn writing_to(file: &std::path::Path) -> String {
    format!(
        "(set-option :regular-output-channel \"{}\")\n(set-logic QF_LIA)\n(check-sat)\n(echo \"written\")\n",
        file.display()
    )
}

#[test]
fn no_solver_writes_to_the_file_that_a_script_names() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    fs::write(&old, "mine").unwrap();
    for_all(|who, solver, kind| {
        for file in [&old, &new] {
            run(solver, kind, Sandbox::Solvers, &writing_to(file));
        }
        assert_eq!(fs::read_to_string(&old).unwrap(), "mine", "{who}");
        assert!(!new.exists(), "{who}");
    });
}

#[test]
fn a_solver_that_is_not_confined_writes_to_the_file_that_a_script_names() {
    let folder = tempfile::tempdir().unwrap();
    for_all(|who, solver, kind| {
        let file = folder.path().join(who.replace(' ', "-"));
        run(solver, kind, Sandbox::Off, &writing_to(&file));
        assert!(file.exists(), "{who}");
    });
}

#[test]
fn confined_solvers_say_what_they_say_without_a_sandbox() {
    let scripts = [
        "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (< 2 x 7))\n(check-sat)\n(get-value (x))\n",
        "(set-logic QF_LRA)\n(declare-fun x () Real)\n(assert (and (< x 1.0) (> x 1.0)))\n(check-sat)\n",
        "(set-logic QF_BV)\n(declare-fun b () (_ BitVec 8))\n(assert (= (bvmul b #x03) #x81))\n(check-sat)\n",
        "(set-logic QF_UF)\n(declare-sort S 0)\n(declare-fun a () S)\n(assert (distinct a a))\n(check-sat)\n",
        "(set-logic QF_LIA)\n(assert (= 1 true))\n(check-sat)\n",
    ];
    for_all(|who, solver, kind| {
        for script in scripts {
            let [confined, free] =
                [Sandbox::Solvers, Sandbox::Off].map(|sandbox| run(solver, kind, sandbox, script));
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            assert_eq!(text(&confined.output), text(&free.output), "{who}: {script}");
            assert_eq!((&confined.model, confined.exit), (&free.model, free.exit), "{who}: {script}");
        }
    });
}

/// A folder with a script, a program that writes a file if it can, and that file.
struct SandboxTest {
    folder: TempDir,
}

impl SandboxTest {
    fn new() -> Self {
        let site = SandboxTest { folder: tempfile::tempdir().unwrap() };
        let program = format!("#!/bin/sh\n(echo x > {}) 2>/dev/null\necho sat\n", site.path("log").display());
        fs::write(site.path("script.smt2"), "(set-logic QF_LIA)\n(check-sat)\n").unwrap();
        fs::write(site.path("program"), program).unwrap();
        fs::set_permissions(site.path("program"), fs::Permissions::from_mode(0o755)).unwrap();
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `gainsay` with these words, where `SCRIPT` and `PROGRAM` stand for the paths of both.
    fn command(&self, words: &str) -> Command {
        let path = |name: &str| self.path(name).display().to_string();
        let words = words.replace("SCRIPT", &path("script.smt2")).replace("PROGRAM", &path("program"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_gainsay"));
        command.args(words.split(' ')).current_dir(self.folder.path());
        command
    }

    fn wrote(&self, words: &str) -> bool {
        let _ = fs::remove_file(self.path("log"));
        let output = self.command(words).output().unwrap();
        let says_sandbox = String::from_utf8_lossy(&output.stderr).contains("unexpected argument");
        assert!(!says_sandbox, "{words}: {}", String::from_utf8_lossy(&output.stderr));
        self.path("log").exists()
    }
}

#[test]
fn solvers_are_confined_by_default_and_own_commands_if_asked() {
    let site = SandboxTest::new();
    assert!(!site.wrote("check SCRIPT --solver z3=PROGRAM"));
    assert!(site.wrote("check SCRIPT --solver z3=PROGRAM --no-sandbox"));
    assert!(site.wrote("check SCRIPT --solver generic=PROGRAM"));
    assert!(!site.wrote("check SCRIPT --solver generic=PROGRAM --sandbox"));
    assert!(site.wrote("reduce SCRIPT --out small.smt2 -- PROGRAM"));
    assert!(!site.wrote("reduce SCRIPT --out small.smt2 --sandbox -- PROGRAM"));
}

#[test]
fn every_command_that_runs_solvers_can_do_so_without_a_sandbox() {
    let commands = [
        "bisect",
        "check",
        "fuzz",
        "fusion check",
        "localize",
        "mutate",
        "perf",
        "quickstart",
        "reduce",
        "replay",
        "solvers check",
        "triage",
    ];
    for command in commands {
        let output = SandboxTest::new().command(&format!("{command} --help")).output().unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        assert!(help.contains("--no-sandbox") && help.contains("--sandbox"), "{command}: {help}");
    }
}

/// Runs a command as on a kernel without Landlock: asking for it fails.
fn without_landlock(mut command: Command) -> Output {
    let instruction = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
    let landlock = u32::try_from(libc::SYS_landlock_create_ruleset).unwrap();
    let filter = [
        instruction(0x20, 0, 0, 0),
        instruction(0x15, 0, 1, landlock),
        instruction(0x06, 0, 0, libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned()),
        instruction(0x06, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    // SAFETY: only system calls between fork and exec; the kernel copies the filter, which lives in the closure.
    unsafe {
        command.pre_exec(move || {
            let program = libc::sock_fprog { len: 4, filter: filter.as_ptr().cast_mut() };
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            match libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program, 0, 0) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            }
        });
    }
    command.output().unwrap()
}

#[test]
fn a_kernel_that_cannot_confine_is_told_once_and_solvers_run_all_the_same() {
    let site = SandboxTest::new();
    let warnings = |words: &str| {
        let output = without_landlock(site.command(words));
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).contains("sat"), "{words}: {errors}");
        errors.lines().filter(|line| line.contains("no Landlock")).count()
    };
    assert_eq!(warnings("check SCRIPT --solver z3=PROGRAM --solver cvc5=PROGRAM"), 1);
    assert_eq!(warnings("check SCRIPT --solver z3=PROGRAM --no-sandbox"), 0);
}
