//! `gainsay quickstart` as the README has it: in the checkout, by a user who has no solver yet, from the real package index.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/repository.rs"]
mod repository;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use repository::repository;
use serde_json::Value;
use tempfile::TempDir;

/// A user with an empty home and an empty cache, who stands in the checkout.
struct NewUser {
    home: TempDir,
}

impl NewUser {
    fn new() -> Self {
        NewUser { home: tempfile::tempdir().unwrap() }
    }

    fn state(&self) -> PathBuf {
        self.home.path().join("state")
    }

    /// Runs gainsay. `HOME` itself stays: pip's configuration may be there.
    fn run(&self, arguments: &[&str]) -> (i32, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_gainsay"))
            .args(arguments)
            .current_dir(repository())
            .env("GAINSAY_CACHE", self.home.path().join("cache"))
            .env("XDG_STATE_HOME", self.state())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap(), format!("{}{}", text(&output.stdout), text(&output.stderr)))
    }

    fn campaigns(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.state().join("gainsay")).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }
}

/// What git says of the checkout, and the entries of its root, which need no git.
fn traces() -> (Option<String>, Vec<PathBuf>) {
    let status = Command::new("git").arg("-C").arg(repository()).args(["status", "--porcelain"]).output();
    let status = status.ok().filter(|output| output.status.success());
    let mut entries: Vec<PathBuf> =
        fs::read_dir(repository()).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    (status.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()), entries)
}

/// The names of the solvers in a campaign's plan.
fn planned(folder: &Path) -> Vec<String> {
    let plan = fs::read_to_string(folder.join("campaign.toml")).unwrap();
    let list = plan.lines().skip_while(|line| !line.starts_with("solvers = ["));
    let list: String = list.take_while(|line| *line != "]").collect();
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn a_new_user_sees_two_releases_of_z3_by_name_and_a_clean_checkout() {
    let before = traces();
    let user = NewUser::new();
    let (code, said) = user.run(&["quickstart", "--time", "1s"]);
    assert!([0, 10].contains(&code), "{said}");
    let campaigns = user.campaigns();
    let [folder] = &campaigns[..] else { panic!("one campaign: {campaigns:?}") };
    assert!(said.contains(&format!("results are in {}", folder.display())), "{said}");
    let solvers = planned(folder);
    let [old, newest, cvc5] = &solvers[..] else { panic!("three solvers: {solvers:?}") };
    assert_eq!(old, "z3@4.8.10");
    assert!(newest.starts_with("z3@") && newest != old && newest != "z3@latest", "{solvers:?}");
    assert!(cvc5.starts_with("cvc5@") && cvc5 != "cvc5@latest", "{solvers:?}");
    for solver in &solvers {
        assert!(said.contains(&format!("{solver} installed")), "{said}");
    }
    assert!(said.contains(&format!("fuzzing {old}, {newest}, {cvc5} with")), "{said}");
    let (code, report) = user.run(&["report", &folder.display().to_string(), "--format", "md"]);
    assert_eq!(code, 0, "{report}");
    assert!(solvers.iter().all(|solver| report.contains(solver)) && !report.contains("@latest"), "{report}");

    let (_, page) = user.run(&["solvers", "list", "--available", "z3", "--json"]);
    let page: Value = serde_json::from_str(page.lines().last().unwrap()).unwrap();
    let last = page["available"].as_array().unwrap().last().unwrap().as_str().unwrap().to_owned();
    assert_eq!(*newest, format!("z3@{last}"), "the newest on the index");

    let (_, again) = user.run(&["quickstart", "--time", "1s"]);
    assert_eq!(user.campaigns().len(), 2, "a second run has a folder of its own: {again}");
    assert_eq!(traces(), before, "the checkout is as it was");
}
