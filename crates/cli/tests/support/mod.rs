//! Runs gainsay with folders of its own and no environment but what the test gives.

use std::process::Command;

use tempfile::TempDir;

/// Folders for one test.
pub struct Bench {
    /// Holds `cache`, `config` and what the test makes.
    pub folder: TempDir,
    /// The address of the package index.
    pub index: String,
}

/// What came of a command.
pub struct Outcome {
    /// Its exit code.
    pub code: i32,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl Bench {
    /// With this package index.
    pub fn new(index: &str) -> Self {
        Bench { folder: tempfile::tempdir().unwrap(), index: index.to_owned() }
    }

    /// Runs gainsay.
    pub fn run(&self, arguments: &[&str]) -> Outcome {
        let output = Command::new(env!("CARGO_BIN_EXE_gainsay"))
            .args(arguments)
            .env_clear()
            .env("PATH", self.folder.path().join("bin"))
            .env("GAINSAY_CACHE", self.folder.path().join("cache"))
            .env("GAINSAY_CONFIG", self.folder.path().join("config"))
            .env("PIP_CONFIG_FILE", "/dev/null")
            .env("PIP_INDEX_URL", &self.index)
            .env("PIP_RETRIES", "0")
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Outcome {
            code: output.status.code().unwrap(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Runs gainsay and reads the last line of its output.
    pub fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let outcome = self.run(arguments);
        let line = outcome.stdout.lines().last().unwrap_or_else(|| panic!("no output: {}", outcome.stderr));
        serde_json::from_str(line).unwrap()
    }
}
