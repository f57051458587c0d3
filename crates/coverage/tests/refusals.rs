//! What cannot be covered is refused with one clear sentence.

mod support;

use std::os::unix::process::CommandExt;
use std::process::Command;

use gainsay_coverage::binary::{Binary, BinaryError};
use gainsay_coverage::target::{CoverageTarget, Level};
use support::Workshop;

#[test]
fn a_stripped_program_is_refused() {
    let workshop = Workshop::new();
    let program = workshop.build("shapes.cpp", "stripped", &["-s", "-static"]);
    let error = Binary::read(&program).expect_err("no symbols");
    assert!(matches!(error, BinaryError::Stripped { .. }), "{error}");
    assert!(error.to_string().contains("is stripped"), "{error}");
}

#[test]
fn lines_need_a_line_table() {
    let workshop = Workshop::new();
    let program = workshop.build("shapes.cpp", "bare", &["-O1", "-g0"]);
    let error = CoverageTarget::program(&program, Level::Lines).expect_err("no lines").to_string();
    assert!(error.contains("-g1"), "{error}");
}

#[test]
fn scripts_and_files_of_other_machines_are_refused() {
    let workshop = Workshop::new();
    let script = workshop.path("wrapper");
    std::fs::write(&script, "#!/bin/sh\nexec z3 \"$@\"\n").expect("a file");
    let error = Binary::read(&script).expect_err("a script").to_string();
    assert!(error.contains("a script"), "{error}");
    let program = workshop.build("plugin.cpp", "plugin.so", &["-shared", "-fPIC"]);
    let mut bytes = std::fs::read(program).expect("a file");
    // e_machine: AArch64.
    bytes[18..20].copy_from_slice(&[183, 0]);
    let other = workshop.path("other.so");
    std::fs::write(&other, bytes).expect("a file");
    let error = Binary::read(&other).expect_err("another machine").to_string();
    assert!(error.contains("another machine"), "{error}");
}

/// The name of the test that runs itself under a filter, and the variable that says so.
const FORBIDDEN_TEST: &str = "a_machine_that_forbids_ptrace_is_told";
const FORBIDDEN_VARIABLE: &str = "COVERAGE_TEST_PTRACE_FORBIDDEN";

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[test]
fn a_machine_that_forbids_ptrace_is_told() {
    if std::env::var_os(FORBIDDEN_VARIABLE).is_some() {
        let told = gainsay_coverage::unsupported().expect("the filter forbids it");
        assert!(told.contains("ptrace") && told.contains("Operation not permitted"), "{told}");
        return;
    }
    assert_eq!(gainsay_coverage::unsupported(), None);
    let mut inner = Command::new(std::env::current_exe().expect("this program"));
    inner.args(["--exact", FORBIDDEN_TEST]).env(FORBIDDEN_VARIABLE, "1");
    // SAFETY: only system calls.
    unsafe { inner.pre_exec(forbid_ptrace) };
    let workshop = Workshop::new();
    let output = workshop.run(inner);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

/// Makes `ptrace` fail with EPERM in this process and its children, as a container may.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn forbid_ptrace() -> std::io::Result<()> {
    let instruction = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
    let program = [
        instruction(0x20, 0, 0, 0),
        instruction(0x15, 0, 1, libc::SYS_ptrace as u32),
        instruction(0x06, 0, 0, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32),
        instruction(0x06, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: 4, filter: program.as_ptr().cast_mut() };
    // SAFETY: the kernel copies the instructions before the call returns.
    unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        match libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const program) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        }
    }
}
