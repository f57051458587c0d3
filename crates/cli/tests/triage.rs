//! `gainsay triage` as a user sees it: real bugs of an old release become few groups with reports, killed or not.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/real_solvers.rs"]
mod solvers;
mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use gainsay_engine::solver::resolve::Program;
use serde_json::Value;
use support::CliTest;
use tempfile::TempDir;

/// Scripts about floating point that z3 4.8.10 calls satisfiable, which they are not, and one that all solvers answer correctly.
const TRIGGER_SCRIPTS: [(&str, &str); 4] = [
    ("a", "(assert (forall ((x Float16)) (not (fp.isNegative (fp.max x (_ -zero 5 11))))))\n(check-sat)\n"),
    (
        "b",
        "(declare-const n Int)\n(assert (> n 3))\n(assert (forall ((y Float32)) (not (fp.isNegative (fp.max y (_ -zero 8 24))))))\n(check-sat)\n",
    ),
    (
        "c",
        "(declare-const p Bool)\n(assert (or p (not p)))\n(assert (forall ((z Float16)) (not (fp.isNegative (fp.max z (_ -zero 5 11))))))\n(check-sat)\n",
    ),
    ("d", "(declare-const x Int)\n(assert (> x 3))\n(check-sat)\n"),
];

fn site() -> TempDir {
    solvers::REAL_SOLVERS[..3].iter().for_each(|name| drop(solvers::solver(name)));
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("scripts")).unwrap();
    for (name, text) in TRIGGER_SCRIPTS {
        fs::write(folder.path().join(format!("scripts/{name}.smt2")), text).unwrap();
    }
    folder
}

fn triage(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gainsay"));
    command
        .args([
            "triage",
            "scripts",
            "--solver",
            "z3@4.8.10",
            "--timeout",
            "30",
            "--reduce-time",
            "600",
            "--installed",
            "--json",
        ])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn last(stdout: &[u8]) -> Value {
    serde_json::from_str(String::from_utf8_lossy(stdout).lines().last().unwrap()).unwrap()
}

#[test]
fn triage_killed_again_and_again_ends_like_one_that_was_not() {
    let whole = site();
    let output = triage(whole.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(10), "{}", String::from_utf8_lossy(&output.stderr));
    let expected = last(&output.stdout);
    let groups = expected["groups"].as_array().unwrap();
    assert_eq!((groups.len(), expected["gone"].as_u64()), (1, Some(1)), "{expected}");
    assert_eq!(groups[0]["triggers"].as_array().unwrap().len(), 3, "{expected}");
    assert_eq!(groups[0]["kind"], "solution");
    let bug = whole.path().join("scripts/triage/bugs").join(groups[0]["name"].as_str().unwrap());
    let report = fs::read_to_string(bug.join("report.md")).unwrap();
    for word in
        ["answers `sat`", "which is unsatisfiable", "\n`unsat`.", "z3 -smt2 bug.smt2", "Affected:", "4.8.10"]
    {
        assert!(report.contains(word), "{word}: {report}");
    }
    let title = fs::read_to_string(bug.join("title.txt")).unwrap();
    assert!(title.contains("returns sat for an unsatisfiable"), "{title}");
    let script = fs::read_to_string(bug.join("bug.smt2")).unwrap();
    assert!(script.len() < TRIGGER_SCRIPTS[0].1.len() + 20, "{script}");
    assert!(fs::read_dir(bug.join("regression")).unwrap().count() == 2);

    let broken = site();
    // Killed after as many steps as a draw of no importance says, until there is nothing left to do.
    for steps in [1, 0, 2, 1, 3, 1, 2] {
        let mut child = triage(broken.path()).spawn().unwrap();
        let _ = BufReader::new(child.stderr.take().unwrap()).lines().take(steps).count();
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let ended = last(&triage(broken.path()).output().unwrap().stdout);
    assert_eq!(without_paths(ended), without_paths(expected.clone()));

    let beside_each_other = site();
    let ended = last(&triage(beside_each_other.path()).args(["--jobs", "2"]).output().unwrap().stdout);
    assert_eq!(without_paths(ended), without_paths(expected), "many jobs make the same groups");
    let texts = |site: &TempDir| {
        let mut records = records(&site.path().join("scripts"));
        records.sort_by_key(|record| record["name"].to_string());
        records.iter().map(|record| record["reduced"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(texts(&beside_each_other), texts(&whole));
}

/// The groups without their paths, which are of one folder.
fn without_paths(mut value: Value) -> Value {
    value["groups"].as_array_mut().unwrap().iter_mut().for_each(|group| group["path"] = Value::Null);
    value
}

/// Invalid models of z3 up to 4.16.0, found by fuzzing one of our seeds. The smallest script that gives 4.8.10 a wrong
/// model gives 4.16.0 a right one.
const ROUNDING_SCRIPT: &str = "(set-logic QF_FPLRA)\n(declare-const r Real)\n(declare-const m RoundingMode)\n(assert (= r (/ 3.0 5.0)))\n\
    (assert (< r (fp.to_real ((_ to_fp 8 24) m r))))\n(assert (distinct m RNA RTP))\n(check-sat)\n";

#[test]
fn a_reduction_does_not_slide_to_a_bug_of_fewer_releases() {
    ["z3@4.8.10", "z3@4.16.0", "z3@5.4.0"].iter().for_each(|name| drop(solvers::solver(name)));
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::create_dir(path("scripts")).unwrap();
    fs::write(path("scripts/a.smt2"), ROUNDING_SCRIPT).unwrap();
    let gainsay = |words: &[&str]| Command::new(env!("CARGO_BIN_EXE_gainsay")).args(words).output().unwrap();
    let is_wrong = |file: &str, solver: &str| {
        let code = gainsay(&["check", file, "--solver", solver, "--timeout", "30"]).status.code();
        assert!(matches!(code, Some(0 | 10)), "{file} {solver}: {code:?}");
        code == Some(10)
    };
    // One release alone does not know the difference.
    let alone = path("alone.smt2");
    let reduced = gainsay(&["reduce", &path("scripts/a.smt2"), "--solver", "z3@4.8.10", "--out", &alone]);
    assert!(reduced.status.success(), "{}", String::from_utf8_lossy(&reduced.stderr));
    assert!(is_wrong(&alone, "z3@4.8.10") && !is_wrong(&alone, "z3@4.16.0"));

    let value = last(&triage(folder.path()).output().unwrap().stdout);
    assert_eq!(value["groups"][0]["last_bad"], "4.16.0", "{value}");
    let kept =
        path(&format!("scripts/triage/bugs/{}/bug.smt2", value["groups"][0]["name"].as_str().unwrap()));
    // Without the question for the model, which the file has.
    assert!(value["groups"][0]["bytes"].as_u64().unwrap() < ROUNDING_SCRIPT.len() as u64, "{value}");
    assert!(fs::read_to_string(&kept).unwrap().contains("(get-model)"));
    let wrong = ["z3@4.8.10", "z3@4.16.0", "z3@5.4.0"].map(|solver| is_wrong(&kept, solver));
    assert_eq!(wrong, [true, true, false]);
}

/// What yices 2.6.5 is wrong about only when its model is asked for: a wrong one, of a script that names no logic, and a crash.
const YICES_MODEL_SCRIPTS: [(&str, &str); 2] = [
    (
        "a",
        "(declare-fun f (Real) Real)\n(declare-const x Real)\n(assert (= x 1.0))\n(assert (= (f x) (/ x x)))\n(check-sat)\n",
    ),
    (
        "b",
        "(set-logic QF_ANIA)\n(declare-const a (Array Int (Array Int Int)))\n(assert (> (select (select a 0) 0) 0))\n(check-sat)\n",
    ),
];

#[test]
fn the_script_of_a_report_shows_the_bug_as_it_is() {
    let yices = solvers::solver("yices@2.6.5");
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("scripts")).unwrap();
    for (name, text) in YICES_MODEL_SCRIPTS {
        fs::write(folder.path().join(format!("scripts/{name}.smt2")), text).unwrap();
    }
    let words = ["triage", "scripts", "--solver", "yices@2.6.5", "--timeout", "30", "--installed", "--json"];
    let output =
        Command::new(env!("CARGO_BIN_EXE_gainsay")).args(words).current_dir(folder.path()).output().unwrap();
    let value = last(&output.stdout);
    let groups = value["groups"].as_array().unwrap();
    let kinds: Vec<&str> = groups.iter().map(|group| group["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["model", "crash"], "{value}");
    let Program::Binary { path, .. } = &yices.program else { panic!("{yices:?}") };
    for group in groups {
        let file = format!("scripts/triage/bugs/{}/bug.smt2", group["name"].as_str().unwrap());
        let said =
            Command::new(path).arg("--smt2-model-format").arg(folder.path().join(file)).output().unwrap();
        let text = String::from_utf8(said.stdout).unwrap();
        assert!(text.starts_with("sat\n") && !text.contains("error"), "{text}");
        let printed = text.contains("(define-fun f ((x!0 Real)) Real 0.0)");
        assert_eq!(
            (said.status.success(), printed),
            if group["kind"] == "model" { (true, true) } else { (false, false) }
        );
    }
}

#[test]
fn what_happens_only_at_times_is_called_flaky() {
    let cli = CliTest::offline();
    let scripts = cli.folder.path().join("scripts");
    fs::create_dir(&scripts).unwrap();
    fs::write(scripts.join("a.smt2"), "(declare-const p Bool)\n(assert p)\n(check-sat)\n").unwrap();
    let state = cli.folder.path().join("state");
    let program = cli.folder.path().join("flaky");
    let text = format!(
        "#!/bin/sh\nscript=$(while read -r line; do echo \"$line\"; done)\n\
         case \"$script\" in *assert*) if [ -s {0} ]; then : > {0}; echo unknown; else echo x > {0}; kill -SEGV $$; fi;; \
         *) echo sat;; esac\n",
        state.display()
    );
    fs::write(&program, text).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let solver = format!("z3={}", program.display());
    let value =
        cli.json(&["triage", scripts.to_str().unwrap(), "--solver", &solver, "--json", "--no-sandbox"]);
    assert_eq!((value["flaky"].as_u64(), value["groups"].as_array().unwrap().len()), (Some(1), 0), "{value}");
    let queue = fs::read_to_string(scripts.join("triage/queue.md")).unwrap();
    assert!(queue.contains("a: flaky"), "{queue}");
}

/// A program that says this of scripts, by the pattern of a shell that they match.
fn program(cli: &CliTest, cases: &str) -> String {
    program_like(cli, "generic", cases)
}

/// The same in the place of a solver that gainsay knows.
fn program_like(cli: &CliTest, solver: &str, cases: &str) -> String {
    let program = cli.folder.path().join(format!("program-{solver}"));
    let text = format!(
        "#!/bin/sh\nfor last; do :; done\n[ -f \"$last\" ] || last=/dev/stdin\n\
         script=$(while read -r line || [ -n \"$line\" ]; do echo \"$line\"; done < \"$last\")\n\
         case \"$script\" in {cases} *) echo sat;; esac\n"
    );
    fs::write(&program, text).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    format!("{solver}={}", program.display())
}

/// Fuses two seeds of `text`, with numbers in the place of `#`, and triages the findings; returns the folder.
fn fuse_and_triage(cli: &CliTest, text: &str, solvers: &[String]) -> (String, Value) {
    let path = |name: &str| cli.folder.path().join(name).to_str().unwrap().to_owned();
    fs::create_dir(path("seeds")).unwrap();
    for number in 0..2 {
        fs::write(path(&format!("seeds/{number}.smt2")), text.replace('#', &number.to_string())).unwrap();
    }
    let (seeds, out) = (path("seeds"), path("out"));
    let mut words = vec!["fuzz", "--seeds", &seeds, "--strategy", "fusion", "--out", &out];
    solvers.iter().for_each(|solver| words.extend(["--solver", solver]));
    let outcome = cli.run(&[words.as_slice(), &["--cases", "10", "--rng-seed", "1", "--plain"]].concat());
    assert_eq!(outcome.code, 10, "{}{}", outcome.stdout, outcome.stderr);
    let value = cli.json(&["triage", &out, "--sightings", "2", "--json"]);
    assert_eq!((value["gone"].as_u64(), value["flaky"].as_u64()), (Some(0), Some(0)), "{value}");
    (out, value)
}

/// The texts of the files in the folder of the first group.
fn bug(value: &Value, name: &str) -> String {
    fs::read_to_string(Path::new(value["groups"][0]["path"].as_str().unwrap()).join(name)).unwrap()
}

/// The records of triage in a folder.
fn records(folder: &Path) -> Vec<Value> {
    let files = fs::read_dir(folder.join("triage/triggers")).unwrap();
    files.map(|file| serde_json::from_slice(&fs::read(file.unwrap().path()).unwrap()).unwrap()).collect()
}

/// Satisfied by x = 7/5 only, which exhaustion does not find.
const FUSED_SEED: &str = "(set-logic QF_LRA)\n(set-info :status sat)\n(declare-const x Real)\n\
    (assert (= (+ (* 7.0 x) 0.5 (* 0.0 #.0)) 10.3))\n(check-sat)\n";

#[test]
fn a_promise_of_parents_that_no_solver_decides_when_smaller_is_kept_as_it_is_and_told() {
    let cli = CliTest::offline();
    // The fused script has two assertions.
    let (out, value) = fuse_and_triage(&cli, FUSED_SEED, &[program(&cli, "*assert*assert*) echo unsat;;")]);
    assert_eq!(value["groups"][0]["kind"], "promise", "{value}");
    for record in records(Path::new(&out)) {
        assert_eq!((&record["promise"], &record["reduced"]), (&"sat".into(), &Value::Null), "{record}");
        assert!(record["note"].as_str().unwrap().contains("not reduced"), "{record}");
    }
}

#[test]
fn a_promise_that_exhaustion_proves_needs_no_parents() {
    let cli = CliTest::offline();
    let unsat = "(set-logic QF_LIA)\n(set-info :status unsat)\n(declare-const x Int)\n(declare-const y Int)\n\
                 (assert (< # (+ x y) 7))\n(assert (or (= x y 3) (= x (+ y y #))))\n(assert (and (< x 3) false))\n(check-sat)\n";
    // Both are right about the parents. One is wrong about the fused script, and the other answers unknown.
    let right = "*false*) echo unsat;;";
    let liar = program_like(&cli, "generic", &format!("*\"(= z\"*) echo sat;; {right}"));
    let weak = program_like(&cli, "cvc4", &format!("*\"(= z\"*) echo unknown;; {right}"));
    let (out, value) = fuse_and_triage(&cli, unsat, &[liar, weak]);
    let group = &value["groups"][0];
    assert_eq!((&group["kind"], &group["evidence"]), (&"solution".into(), &"proved".into()), "{value}");
    for record in records(Path::new(&out)) {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let (script, reduced) = (text(&record["script"]), text(&record["reduced"]));
        assert!(reduced.len() * 2 < script.len() && reduced.contains("(= z"), "{script}{reduced}");
    }
    let report = bug(&value, "report.md");
    assert!(report.contains("which is unsatisfiable") && report.contains("exhaustion"), "{report}");
}

#[test]
fn what_is_satisfied_by_the_models_of_its_parents_needs_no_promise() {
    let cli = CliTest::offline();
    let model = "((define-fun x () Real (/ 7.0 5.0))(define-fun x_2 () Real (/ 7.0 5.0)))";
    let mark = "mark=${script##*(echo \\\"}; echo ${mark%%\\\"*}";
    let cases = format!("*assert*assert*) echo unsat;; *get-model*) echo sat; {mark}; echo '{model}';;");
    let (out, value) = fuse_and_triage(&cli, FUSED_SEED, &[program_like(&cli, "cvc4", &cases)]);
    assert_eq!(
        (&value["groups"][0]["kind"], &value["groups"][0]["evidence"]),
        (&"refutation".into(), &"proved".into())
    );
    for record in records(Path::new(&out)) {
        let (script, reduced) = (record["script"].as_str().unwrap(), record["reduced"].as_str().unwrap());
        assert!(reduced.len() * 2 < script.len() && reduced.matches("assert").count() == 2, "{reduced}");
    }
    let report = bug(&value, "report.md");
    assert!(report.contains("which is satisfiable"), "{report}");
}

#[test]
fn a_chain_is_cut_down_to_the_steps_that_show_it() {
    let cli = CliTest::offline();
    let path = |name: &str| cli.folder.path().join(name).to_str().unwrap().to_owned();
    fs::create_dir(path("seeds")).unwrap();
    let seed = "(set-logic QF_LIA)\n(declare-const x Int)\n(assert (< x (+ x 1)))\n(assert (> (+ x 2) 3))\n(check-sat)\n";
    fs::write(path("seeds/a.smt2"), seed).unwrap();
    let solver = program(&cli, "*distinct*) kill -SEGV $$;;");
    let (seeds, out) = (path("seeds"), path("out"));
    let words = ["fuzz", "--seeds", &seeds, "--strategy", "operator", "--solver", &solver, "--out", &out];
    let outcome = cli.run(
        &[words.as_slice(), &["--cases", "200", "--chain", "10", "--rng-seed", "1", "--plain"]].concat(),
    );
    assert_eq!(outcome.code, 10, "{}{}", outcome.stdout, outcome.stderr);
    let value = cli.json(&["triage", &out, "--sightings", "20", "--json"]);
    // The solver says sat to everything else, which exhaustion proves wrong: other groups.
    let crashes = value["groups"].as_array().unwrap().iter().filter(|group| group["kind"] == "crash");
    // One without a word but the signal may be two bugs: at most one group for each shape of script.
    assert!((1..=2).contains(&crashes.count()), "{value}");
    // How many steps each case had, and how many of them are left.
    let steps = |record: &Value| {
        let steps: Vec<u64> =
            record["steps"].as_array().unwrap().iter().map(|step| step.as_u64().unwrap()).collect();
        (steps.last().unwrap() % 10 + 1, steps.len() as u64)
    };
    let records = records(Path::new(&out));
    let crashes = records.iter().filter(|record| record["name"].as_str().unwrap().starts_with("crash"));
    let steps: Vec<(u64, u64)> = crashes.map(steps).collect();
    assert!(steps.iter().any(|(before, _)| *before > 4), "{steps:?}");
    assert!(steps.iter().all(|(_, after)| *after <= 3), "{steps:?}");
}

#[test]
fn folders_that_hold_nothing_are_refused_and_left_as_they_are() {
    let cli = CliTest::offline();
    let folder = cli.folder.path().join("empty");
    fs::create_dir(&folder).unwrap();
    fs::create_dir(cli.folder.path().join("bin")).unwrap();
    let program = cli.folder.path().join("bin/z3");
    fs::write(&program, "#!/bin/sh\necho sat\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let folder = folder.to_str().unwrap();
    let check = |words: &[&str], code: i32, said: &str| {
        let outcome = cli.run(&[&["triage"], words].concat());
        assert_eq!(outcome.code, code, "{words:?}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(said), "{words:?}: {}", outcome.stderr);
    };
    check(&[folder], 2, "name solvers with --solver");
    check(&["nowhere"], 2, "folder nowhere does not exist");
    check(&[folder, "--solver", "z3"], 2, "neither a campaign nor scripts");
    check(&[folder, "--solver", "z3@"], 2, "version");
    assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
}
