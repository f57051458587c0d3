//! Runs gainsay in a temporary folder: the one place for all tests of commands.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// The address of a package index that cannot be reached.
pub const UNREACHABLE_INDEX: &str = "http://127.0.0.1:1/simple";

/// A temporary folder and the environment that gainsay runs in.
pub struct CliTest {
    /// Holds `cache`, `config` and the files of the test.
    pub folder: TempDir,
    /// The address of the package index; `None` runs gainsay with the user's environment and solvers.
    pub index: Option<String>,
}

/// The result of a command.
pub struct CliOutput {
    /// Its exit code.
    pub code: i32,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl CliTest {
    /// With an empty cache, this package index, and no other environment variables.
    pub fn new(index: &str) -> Self {
        CliTest { folder: tempfile::tempdir().unwrap(), index: Some(index.to_owned()) }
    }

    /// With an empty cache and without network access.
    pub fn offline() -> Self {
        CliTest::new(UNREACHABLE_INDEX)
    }

    /// With the user's environment, whose cache has the real solvers, in the temporary folder.
    pub fn with_real_solvers() -> Self {
        CliTest { folder: tempfile::tempdir().unwrap(), index: None }
    }

    /// The path of a file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file, and the folders above it, and returns its path.
    pub fn write(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// Writes an executable file and returns its path.
    pub fn write_program(&self, name: &str, text: &str) -> String {
        let path = self.write(name, text);
        std::fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Prepares to run gainsay.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gainsay"));
        command.args(arguments).stdin(Stdio::null());
        match &self.index {
            None => command.current_dir(self.folder.path()),
            Some(index) => command
                .env_clear()
                .env("PATH", self.path("bin"))
                .env("GAINSAY_CACHE", self.path("cache"))
                .env("GAINSAY_CONFIG", self.path("config"))
                .env("PIP_CONFIG_FILE", "/dev/null")
                .env("PIP_INDEX_URL", index)
                .env("PIP_RETRIES", "0"),
        };
        command
    }

    /// Runs gainsay.
    pub fn run(&self, arguments: &[&str]) -> CliOutput {
        let output = self.command(arguments).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        CliOutput {
            code: output.status.code().unwrap(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Runs gainsay and parses the last line of its output.
    pub fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let output = self.run(arguments);
        let line = output.stdout.lines().last().unwrap_or_else(|| panic!("no output: {}", output.stderr));
        serde_json::from_str(line).unwrap()
    }
}
