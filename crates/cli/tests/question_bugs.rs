//! Wrong replies and what comes after them, with real solvers: campaigns find one, `replay` makes its case again, `reduce`, `bisect`,
//! `triage` and `report` keep and tell it, and its regression test fails on the release that has the bug only.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/repository.rs"]
mod repository;
#[path = "support/real_solvers.rs"]
mod solvers;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use gainsay_engine::solver::resolve::Program;
use repository::repository;
use serde_json::Value;
use tempfile::TempDir;

const NEW_Z3: &str = solvers::REAL_SOLVERS[0];
const OLD_Z3: &str = solvers::REAL_SOLVERS[1];
const CVC5: &str = solvers::REAL_SOLVERS[2];

fn site() -> TempDir {
    solvers::REAL_SOLVERS[..3].iter().for_each(|name| drop(solvers::solver(name)));
    tempfile::tempdir().unwrap()
}

fn gainsay(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gainsay")).args(words).current_dir(folder).output().unwrap()
}

/// The JSON object in the last line of the output, and the exit code.
fn last(output: &Output) -> (Value, Option<i32>) {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = text.lines().last().unwrap_or_else(|| panic!("no output: {errors}"));
    let value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}\n{errors}"));
    (value, output.status.code())
}

fn bug(name: &str) -> PathBuf {
    repository().join("bugs").join(name)
}

/// z3 forgets a minimized unsat core when it is asked for it again; the rest of the script is not needed.
const LARGE_CORE: &str = "(set-option :produce-unsat-cores true)
(set-option :smt.core.minimize true)
(set-logic QF_LIA)
(declare-const x Int)
(declare-const y Int)
(declare-const z Int)
(assert (! (> x y) :named a))
(assert (! (< x y) :named b))
(assert (! (and (< z 5) (> z (- 100))) :named c))
(assert (or (= z 1) (= z 2)))
(check-sat)
(get-unsat-core)
(get-unsat-core)
";

/// The bug of https://github.com/Z3Prover/z3/issues/6946: quantifier elimination makes a satisfiable formula false.
const FALSE_ELIMINATION: &str = "(declare-const a Real)
(declare-const b Bool)
(assert (or b (not b)))
(assert (forall ((v Real)) (= (= a v) (= v 0.0))))
(check-sat-using qe)
";

#[test]
fn a_wrong_core_is_reduced_to_a_wrong_core() {
    let site = site();
    fs::write(site.path().join("core.smt2"), LARGE_CORE).unwrap();
    let words = ["reduce", "core.smt2", "--solver", NEW_Z3, "--solver", CVC5, "--out", "small.smt2"];
    let output = gainsay(site.path(), &words);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let small = fs::read_to_string(site.path().join("small.smt2")).unwrap();
    assert!(!small.contains(" z ") && small.matches("(get-unsat-core)").count() == 2, "{small}");
    assert!(small.len() * 3 < LARGE_CORE.len() * 2, "{small}");
    let words = ["check", "small.smt2", "--solver", NEW_Z3, "--solver", CVC5, "--json"];
    let (judged, code) = last(&gainsay(site.path(), &words));
    assert_eq!((judged["findings"][0]["kind"].as_str(), code), (Some("reply"), Some(10)), "{judged}");
}

#[test]
fn the_command_of_a_reduction_has_the_option_that_the_reply_needs() {
    let site = site();
    let path = bug("cvc5-reply-interpolant-wrong-selector.smt2");
    let words =
        ["reduce", path.to_str().unwrap(), "--solver", CVC5, "--solver", NEW_Z3, "--out", "s.smt2", "--json"];
    let (told, code) = last(&gainsay(site.path(), &words));
    assert_eq!(code, Some(0), "{told}");
    let command = told["command"].as_str().unwrap();
    let output = Command::new("sh").args(["-c", command]).current_dir(site.path()).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.contains(" Bool true)"), "{command}: {printed}");
}

#[test]
fn bisection_tells_the_releases_of_a_reply_and_of_a_crash_without_a_check() {
    let site = site();
    // Before 5.3.0 the tactic refuses additions, as it should.
    let rows = [
        ("z3-reply-core-asked-twice.smt2", "reply", [Some(true), Some(true)]),
        ("z3-crash-bv1-blast-addition.smt2", "crash", [Some(false), Some(true)]),
    ];
    for (file, kind, expected) in rows {
        let path = bug(file);
        let words = ["bisect", path.to_str().unwrap(), "--solver", "z3", "--installed", "--fresh", "--json"];
        let (told, code) = last(&gainsay(site.path(), &words));
        assert_eq!((told["kind"].as_str(), code), (Some(kind), Some(10)), "{told}");
        let releases = told["versions"].as_array().unwrap();
        for (release, affected) in ["4.8.10", "5.4.0"].into_iter().zip(expected) {
            let entry = releases.iter().find(|entry| entry["version"] == release).unwrap();
            assert_eq!(entry["affected"].as_bool(), affected, "{file} {release}: {told}");
        }
    }
}

/// The folder of the only group of a triage.
fn triaged(folder: &Path, solver: &str) -> (Value, PathBuf) {
    let words = [
        "triage",
        "scripts",
        "--solver",
        solver,
        "--installed",
        "--timeout",
        "20",
        "--reduce-time",
        "120",
        "--json",
    ];
    let (ended, code) = last(&gainsay(folder, &words));
    let groups = ended["groups"].as_array().unwrap();
    assert_eq!((groups.len(), code), (1, Some(10)), "{ended}");
    let name = groups[0]["name"].as_str().unwrap();
    (groups[0].clone(), folder.join("scripts/triage/bugs").join(name))
}

/// The files of a regression test: the script, and the output that it must have.
fn regression(bug: &Path) -> Option<(String, String)> {
    let files = fs::read_dir(bug.join("regression")).ok()?.map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.collect();
    files.sort();
    let [expected, script] = &files[..] else { panic!("{files:?}") };
    assert!(expected.extension().unwrap() == "out", "{files:?}");
    Some((fs::read_to_string(script).unwrap(), fs::read_to_string(expected).unwrap()))
}

/// What a release of z3 prints.
fn printed(solver: &str, script: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.smt2");
    fs::write(&path, script).unwrap();
    let Program::Binary { path: program, .. } = solvers::solver(solver).program else {
        panic!("{solver} is no program")
    };
    let output = Command::new(program).arg(&path).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_wrong_core_that_every_release_gives_is_triaged_and_has_no_test_that_could_never_pass() {
    let site = site();
    fs::create_dir(site.path().join("scripts")).unwrap();
    fs::write(site.path().join("scripts/core.smt2"), LARGE_CORE).unwrap();
    let (group, folder) = triaged(site.path(), NEW_Z3);
    assert_eq!(
        (group["kind"].as_str(), group["evidence"].as_str()),
        (Some("reply"), Some("proved")),
        "{group}"
    );
    let report = fs::read_to_string(folder.join("report.md")).unwrap();
    for words in ["gives a wrong reply (`core`)", "must be unsatisfiable by themselves", "z3 -smt2 bug.smt2"]
    {
        assert!(report.contains(words), "{words}: {report}");
    }
    assert!(!report.contains("did not show the bug"), "{report}");
    assert_eq!(regression(&folder), None, "the right core is not known");
}

#[test]
fn the_test_of_a_wrong_tactic_fails_on_the_release_that_has_it() {
    let site = site();
    fs::create_dir(site.path().join("scripts")).unwrap();
    fs::write(site.path().join("scripts/tactic.smt2"), FALSE_ELIMINATION).unwrap();
    let (_, folder) = triaged(site.path(), OLD_Z3);
    let (script, expected) = regression(&folder).expect("a newer release is right");
    assert!(script.contains("check-sat-using"), "{script}");
    assert_eq!(expected, "sat\n");
    assert_ne!(printed(OLD_Z3, &script), expected);
    assert_ne!(printed(NEW_Z3, &script), printed(OLD_Z3, &script));
}

#[test]
fn a_crash_without_a_check_is_triaged() {
    let site = site();
    fs::create_dir(site.path().join("scripts")).unwrap();
    fs::copy(bug("z3-crash-euf-completion-ite.smt2"), site.path().join("scripts/crash.smt2")).unwrap();
    let (group, folder) = triaged(site.path(), NEW_Z3);
    assert_eq!(
        (group["kind"].as_str(), group["last_bad"].as_str()),
        (Some("crash"), Some("5.4.0")),
        "{group}"
    );
    let script = fs::read_to_string(folder.join("bug.smt2")).unwrap();
    assert!(script.contains("(apply euf-completion)"), "{script}");
    let report = fs::read_to_string(folder.join("report.md")).unwrap();
    assert!(report.contains("crashes with SIGSEGV"), "{report}");
}

#[test]
fn a_campaign_finds_a_wrong_core_and_its_case_is_made_again() {
    let site = site();
    let seed = "(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(assert (> x y))(assert (< x y))(check-sat)\n";
    fs::create_dir(site.path().join("seeds")).unwrap();
    fs::write(site.path().join("seeds/a.smt2"), seed).unwrap();
    let words: Vec<&str> =
        "fuzz --seeds seeds --questions core --question-share 100 --strategy operator,subterm --cases 5000 \
        --findings 1 --jobs 1 --rng-seed 13 --timeout 20 --out camp --json"
            .split_whitespace()
            .chain(["--solver", NEW_Z3, "--solver", CVC5])
            .collect();
    let output = gainsay(site.path(), &words);
    assert_eq!(output.status.code(), Some(10), "{}", String::from_utf8_lossy(&output.stderr));
    let found = fs::read_dir(site.path().join("camp/findings")).unwrap().next().unwrap().unwrap().path();
    let name = found.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("reply-z3-"), "{name}");
    let (listed, _) = last(&gainsay(site.path(), &["list", "camp", "--json"]));
    let text = listed.to_string();
    assert!(text.contains("\"reply\"") && text.contains("unsat core"), "{text}");
    let report = gainsay(site.path(), &["report", "camp"]);
    assert!(String::from_utf8_lossy(&report.stdout).contains("unsat core"), "the report tells it");
    let script = fs::read_to_string(found.join("case.smt2")).unwrap();
    let case = listed["findings"][0]["case"].as_u64().unwrap().to_string();
    let remade = gainsay(site.path(), &["replay", "camp", &case]);
    let remade = String::from_utf8(remade.stdout).unwrap();
    assert!(remade.contains(script.trim()), "{remade}\n{script}");
}
