//! `gainsay reduce` with real solvers: what an old release gets wrong becomes a few lines that it still gets wrong, that the
//! newest releases read, and that do not depend on the number of jobs.
//!
//! The scripts grew out of our own corpus by `gainsay fuzz`, with assertions around them that have nothing to do with it.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/real_solvers.rs"]
mod solvers;

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// z3 4.8.10.
const SUSPECT_SOLVER: &str = solvers::REAL_SOLVERS[1];
/// The newest z3 and cvc5.
const REFERENCE_SOLVERS: [&str; 2] = [solvers::REAL_SOLVERS[0], solvers::REAL_SOLVERS[2]];

/// z3 4.8.10 says unsat; a model of another solver shows that it is satisfiable.
const REFUTATION_SCRIPT: &str = "(set-logic ALL)
(declare-const r Real)
(declare-const m RoundingMode)
(declare-const n Int)
(declare-const s String)
(assert (=> (> n 3) (= (str.len s) n)))
(assert (= r (/ 3.0 (- (fp.to_real ((_ to_fp 8 24) m r)) 5.0 (fp.to_real ((_ to_fp 8 24) m r))))))
(assert (let ((k (+ n 1))) (or (< k n) (distinct k 17))))
(assert (< r (fp.to_real ((_ to_fp 8 24) m r))))
(assert (distinct m RNA RTP))
(check-sat)
";

/// Its model rounds to nearest what must have been rounded up.
const INVALID_MODEL_SCRIPT: &str = "(set-logic QF_FPLRA)
(declare-const r Real)
(declare-const q Real)
(declare-const m RoundingMode)
(assert (or (= q 7.25) (< q (- r))))
(assert (= r (/ 3.0 5.0)))
(assert (< r (fp.to_real ((_ to_fp 8 24) m r))))
(assert (distinct m RNA RTP))
(assert (=> (< q 2.0) (> (* 2.0 q) (- 100.0))))
(check-sat)
";

/// Runs gainsay in the environment of the tests, where the solvers are installed, and reads its last line.
fn gainsay(arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_gainsay")).args(arguments).arg("--json").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().last().unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    serde_json::from_str(line).unwrap()
}

/// Runs a command of gainsay on a script with the suspect under this name, and the others.
fn with_solvers(command: &str, file: &Path, suspect: &str, more: &[&str]) -> Value {
    let mut arguments = vec![command, file.to_str().unwrap(), "--solver", suspect];
    for name in REFERENCE_SOLVERS {
        solvers::solver(name);
        arguments.extend(["--solver", name]);
    }
    solvers::solver(SUSPECT_SOLVER);
    arguments.extend(more);
    gainsay(&arguments)
}

/// Reduces a script with so many jobs; the result is checked, and must not be longer than `most` bytes.
fn reduced(text: &str, suspect: &str, jobs: &str, kind: &str, most: usize) -> (String, Value) {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("script.smt2"), folder.path().join("out.smt2"));
    std::fs::write(&file, text).unwrap();
    let told = with_solvers("reduce", &file, suspect, &["--jobs", jobs, "--out", out.to_str().unwrap()]);
    let small = std::fs::read_to_string(&out).unwrap();
    assert!(small.len() <= most, "{} bytes:\n{small}", small.len());
    assert_eq!(told["bytes_after"], small.len());
    let checked = with_solvers("check", &out, told["solvers"][0].as_str().unwrap(), &[]);
    let finding = &checked["findings"][0];
    assert_eq!((finding["kind"].as_str(), &finding["suspect"]), (Some(kind), &told["solvers"][0]), "{small}");
    let refused = checked["runs"].as_array().unwrap().iter().find(|run| !run["trouble"].is_null());
    assert!(refused.is_none(), "{refused:?}\n{small}");
    (small, told)
}

#[test]
fn a_wrong_unsat_stays_one_in_a_few_lines_whatever_the_number_of_jobs() {
    let (one, _) = reduced(REFUTATION_SCRIPT, SUSPECT_SOLVER, "1", "refutation", 200);
    let (two, _) = reduced(REFUTATION_SCRIPT, SUSPECT_SOLVER, "2", "refutation", 200);
    assert_eq!(one, two);
}

#[test]
fn a_model_that_fails_stays_one_in_a_few_lines_whatever_the_number_of_jobs() {
    let (one, _) = reduced(INVALID_MODEL_SCRIPT, SUSPECT_SOLVER, "1", "model", 200);
    let (two, _) = reduced(INVALID_MODEL_SCRIPT, SUSPECT_SOLVER, "2", "model", 200);
    assert_eq!(one, two);
}

#[test]
fn options_that_a_finding_does_not_need_go() {
    let options = format!("{SUSPECT_SOLVER} rewriter.flat=false smt.random_seed=7");
    let (_, told) = reduced(INVALID_MODEL_SCRIPT, &options, "2", "model", 200);
    assert_eq!(told["solvers"][0], SUSPECT_SOLVER);
    let command = told["command"].as_str().unwrap();
    assert!(command.contains("out.smt2") && !command.contains("rewriter.flat"), "{command}");
}
