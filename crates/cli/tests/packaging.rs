//! The crates can be packaged for a registry: with licences, metadata and all files, and without dependencies that only a path names.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/repository.rs"]
mod repository;

use repository::repository;
use std::process::Command;

/// The crates that are packaged.
const PACKAGES: [&str; 7] = [
    "gainsay-smt",
    "gainsay-coverage",
    "gainsay-reduce",
    "gainsay-solvers",
    "gainsay-strategies",
    "gainsay-engine",
    "gainsay",
];

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(repository()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "cargo {arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_package_has_its_licences_and_the_program_its_seeds_and_pages() {
    for package in PACKAGES {
        let files = cargo(&["package", "--list", "--allow-dirty", "--offline", "--package", package]);
        let has = |name: &str| files.lines().any(|line| line == name);
        assert!(has("LICENSE-MIT") && has("LICENSE-APACHE") && has("src/lib.rs"), "{package}: {files}");
        if package == "gainsay" {
            assert!(
                has("README.md") && has("templates/report.html") && has("src/report/style.css"),
                "{files}"
            );
            let seeds =
                files.lines().filter(|line| line.starts_with("corpus/") && line.ends_with(".smt2")).count();
            let mut open = vec![repository().join("corpus/smt")];
            let mut kept = 0;
            while let Some(folder) = open.pop() {
                for entry in std::fs::read_dir(folder).unwrap() {
                    let path = entry.unwrap().path();
                    kept += usize::from(path.extension().is_some_and(|ending| ending == "smt2"));
                    open.extend(path.is_dir().then_some(path));
                }
            }
            assert_eq!(seeds, kept, "the package has all seeds");
        }
    }
}

#[test]
fn the_metadata_is_complete_and_every_dependency_has_a_version() {
    let text = cargo(&["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let metadata: serde_json::Value = serde_json::from_str(&text).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    for name in PACKAGES {
        let package = packages.iter().find(|package| package["name"] == name).unwrap();
        for key in ["description", "license", "rust_version"] {
            assert!(package[key].as_str().is_some_and(|text| !text.is_empty()), "{name}: {key}");
        }
        assert!(!package["keywords"].as_array().unwrap().is_empty(), "{name}: keywords");
        assert!(package["publish"].is_null(), "{name} may be published");
        for dependency in package["dependencies"].as_array().unwrap() {
            assert_ne!(dependency["req"], "*", "{name}: {} has no version", dependency["name"]);
        }
    }
}
