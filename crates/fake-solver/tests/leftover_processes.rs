//! No process and no folder is left when gainsay is killed.
//!
//! Alone in its file, because it makes its own process the parent of all orphans and waits for all of them.

use std::ffi::CString;
use std::process::{Command, Stdio};

use gainsay_engine::solver::profile::DriverName;

#[test]
fn nothing_survives_a_gainsay_that_is_killed() {
    // SAFETY: a flag of this process, and a deadline for the case that something does survive.
    unsafe {
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        libc::alarm(60);
    }
    for kind in DriverName::ALL {
        let meeting =
            std::env::temp_dir().join(format!("gainsay-meet-{}-{}", std::process::id(), kind.name()));
        let path = CString::new(meeting.to_str().unwrap()).unwrap();
        // SAFETY: a C string.
        assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
        let script = format!(
            "; fake: ignore-term\n; fake: orphan\n; fake: orphan-session\n; fake: meet {}\n; fake: hang\n",
            meeting.display()
        );
        let mut victim = Command::new(env!("CARGO_BIN_EXE_helper"))
            .args(["victim", kind.name(), &script])
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        // Blocks until the solver opens the pipe, so that all processes run.
        drop(std::fs::File::open(&meeting).unwrap());
        assert!(!private_folders(victim.id()).is_empty(), "{} runs in a folder of its own", kind.name());
        victim.kill().unwrap();
        victim.wait().unwrap();
        // Every process of the victim is now our child. Wait for all of them.
        // SAFETY: wait with no place for the status.
        while unsafe { libc::waitpid(-1, std::ptr::null_mut(), 0) } > 0 {}
        assert_eq!(private_folders(victim.id()), [""; 0], "{}", kind.name());
        std::fs::remove_file(&meeting).unwrap();
    }
}

/// The private folders of a process.
fn private_folders(process: u32) -> Vec<String> {
    let entries = std::fs::read_dir(std::env::temp_dir()).expect("a folder").filter_map(Result::ok);
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with(&format!("gainsay-{process}-"))).collect()
}
