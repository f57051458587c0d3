//! `gainsay fusion fuse` and `mutate --strategy fusion`, as a user runs them.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const SAT_PARENT: &str = "(set-info :status sat)(declare-const x Int)(assert (< 3 x))(check-sat)";

fn gainsay(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gainsay")).args(arguments).current_dir(folder).output().unwrap()
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).unwrap());
    folder
}

/// What fusing two files says on standard error, with exit code 2.
fn refused(first: &str, second: &str, arguments: &[&str]) -> String {
    let folder = folder(&[("a.smt2", first), ("b.smt2", second)]);
    let output = gainsay(folder.path(), &[&["fusion", "fuse", "a.smt2", "b.smt2"], arguments].concat());
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn two_scripts_are_fused_the_same_way_again() {
    let folder = folder(&[("a.smt2", SAT_PARENT), ("b.smt2", SAT_PARENT)]);
    let fuse = |seed| {
        let arguments = ["fusion", "fuse", "a.smt2", "b.smt2", "--expect", "sat", "--rng-seed", seed];
        String::from_utf8(gainsay(folder.path(), &arguments).stdout).unwrap()
    };
    let text = fuse("1");
    assert!(text.starts_with("; z = ") && text.contains("(declare-const x_2 Int)"), "{text}");
    assert_eq!(text, fuse("1"));
    assert_ne!(text, fuse("2"));
}

#[test]
fn cases_are_written_with_their_origin() {
    let folder = folder(&[("a.smt2", SAT_PARENT), ("b.smt2", SAT_PARENT)]);
    let fuse =
        ["fusion", "fuse", "a.smt2", "b.smt2", "--expect", "sat", "-n", "20", "--out", "out", "--json"];
    let output = gainsay(folder.path(), &fuse);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["cases"], &json["skipped"]), (&20.into(), &0.into()));
    let origin = std::fs::read_to_string(folder.path().join("out/000020.json")).unwrap();
    let origin: Value = serde_json::from_str(&origin).unwrap();
    assert_eq!((origin["promise"].as_str(), origin["parents"][1].as_str()), (Some("sat"), Some("b.smt2")));
    let mutate =
        ["mutate", "--strategy", "fusion", "--seeds", "a.smt2", "-n", "4", "--out", "cases", "--json"];
    assert!(gainsay(folder.path(), &mutate).status.success());
    let origin = std::fs::read_to_string(folder.path().join("cases/000001.json")).unwrap();
    let origin: Value = serde_json::from_str(&origin).unwrap();
    assert_eq!((origin["promise"].as_str(), origin["parents"].as_array().unwrap().len()), (Some("sat"), 2));
}

#[test]
fn what_cannot_be_fused_is_told_with_its_reason() {
    let said = refused(SAT_PARENT, SAT_PARENT, &["--expect", "unsat"]);
    assert!(said.contains("a.smt2 has status sat (by :status or its folder), not unsat"), "{said}");
    let said = refused(SAT_PARENT, "(assert true)(check-sat)", &["--expect", "sat"]);
    assert!(said.contains("a.smt2 and b.smt2 cannot be fused: a seed has no variables"), "{said}");
    let said = refused(SAT_PARENT, "(declare-const x Int)(check-sat)(check-sat)", &["--expect", "sat"]);
    assert!(said.contains("a seed asks more than once"), "{said}");
    let said = refused(SAT_PARENT, "(assert (< x 1))(check-sat)", &["--expect", "sat"]);
    assert!(said.contains("b.smt2:1:"), "{said}");
    let said = refused(SAT_PARENT, SAT_PARENT, &["--expect", "sat", "--functions", "b.smt2"]);
    assert!(said.contains("b.smt2: line 1"), "{said}");
}
