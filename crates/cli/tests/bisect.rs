//! `gainsay bisect` as a user sees it, over releases of a solver that exist only here, and over real ones.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "../../solvers/tests/support/index.rs"]
mod index;
#[path = "support/real_solvers.rs"]
mod solvers;
mod support;

use std::process::Command;

use index::{PackageIndexServer, Pages, sha256, wheel, wheel_name};
use serde_json::Value;
use support::CliTest;

/// A script that gainsay cannot decide by itself: a declared sort can have any number of elements.
const BOOLEAN_SCRIPT: &str = "(set-logic QF_UF)\n(declare-sort U 0)\n(declare-fun x () U)\n(declare-fun p (U) Bool)\n(assert (p x))\n(check-sat)\n";

/// An index with releases 4.8.5 … of something like z3: each gives a prescribed answer to scripts with an assertion.
fn serve(told: &[&str]) -> PackageIndexServer {
    let (mut pages, mut links) = (Pages::new(), String::new());
    for (place, told) in told.iter().enumerate() {
        let version = format!("4.8.{}", place + 5);
        let name = wheel_name("z3_solver", &format!("{version}.0"));
        let program = format!(
            "#!/bin/sh\nscript=$(while read -r line; do echo \"$line\"; done)\n\
             case \"$script\" in *assert*) {told};; *) echo sat;; esac\n"
        );
        let bytes = wheel(&[(&format!("z3_solver-{version}.0.data/data/bin/z3"), &program)]);
        links += &format!("<a href=\"/files/{name}#sha256={}\">{name}</a>", sha256(&bytes));
        pages.insert(format!("/files/{name}"), ("application/zip", bytes));
    }
    pages.insert("/simple/z3-solver/".to_owned(), ("text/html", links.into_bytes()));
    PackageIndexServer::serve(pages)
}

fn file(cli: &CliTest, name: &str, text: &str) -> String {
    let path = cli.folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// The vector: `X` has the bug, `.` has it not, `?` was not asked, `-` says nothing that counts.
fn vector(value: &Value) -> String {
    let letter = |entry: &Value| match (&entry["affected"], entry["said"].as_str()) {
        (Value::Bool(true), _) => 'X',
        (Value::Bool(false), _) => '.',
        (_, Some("")) => '?',
        _ => '-',
    };
    value["versions"].as_array().unwrap().iter().map(letter).collect()
}

fn downloads(index: &PackageIndexServer) -> usize {
    index.requests().iter().filter(|request| request.contains("/files/")).count()
}

#[test]
fn few_releases_are_installed_to_settle_where_a_bug_comes_and_goes_and_a_second_time_none() {
    let told: Vec<&str> =
        (0..16).map(|at| if (4..10).contains(&at) { "echo unsat" } else { "echo sat" }).collect();
    let index = serve(&told);
    let cli = CliTest::new(&index.address);
    let script = file(&cli, "script.smt2", BOOLEAN_SCRIPT);
    assert_eq!(cli.run(&["solvers", "install", "z3@4.8.11"]).code, 0);
    let words = ["bisect", &script, "--solver", "z3", "--json"];
    let value = cli.json(&words);
    assert_eq!(
        (value["first_bad"].as_str(), value["last_good"].as_str()),
        (Some("4.8.9"), Some("4.8.8")),
        "{value}"
    );
    assert_eq!((value["last_bad"].as_str(), value["fixed_in"].as_str()), (Some("4.8.14"), Some("4.8.15")));
    assert_eq!(
        (value["kind"].as_str(), value["evidence"].as_str()),
        (Some("refutation"), Some("disagreement"))
    );
    assert_eq!(value["still_bad"], false);
    assert!(vector(&value).contains('?'), "{value}");
    let before = downloads(&index);
    assert!(before < 12, "{before} releases were installed");
    assert_eq!(cli.json(&words), value);
    assert_eq!(downloads(&index), before);
    let all = cli.json(&[&words[..], &["--all"]].concat());
    assert_eq!(vector(&all), "....XXXXXX......");
    let some = cli.json(&[&words[..], &["--installed", "--versions", "4.8.9.."]].concat());
    assert_eq!(vector(&some), "XXXXXX......");
    let newest = |more: &[&str]| {
        let told = cli.run(&[&words[..4], more].concat()).stdout;
        told.lines().find(|line| line.starts_with("newest")).unwrap().to_owned()
    };
    assert_eq!(newest(&[]), "newest     not there in 4.8.20, the newest");
    let range = ["--versions", "4.8.8..4.8.10", "--expect", "sat"];
    assert_eq!(newest(&range), "newest     still there in 4.8.10, the newest of those asked");
    let told = cli.json(&[&words[..], &range].concat());
    let told = (told["introduced"].as_str(), told["fixed"].as_str());
    let fixed = "no (4.8.10, the newest release of those asked, is affected)";
    assert_eq!(told, (Some("in 4.8.9 (4.8.8 is not affected)"), Some(fixed)));
}

#[test]
fn crashes_and_refusals_are_told_apart() {
    let index = serve(&["echo '(error \"line 1: unknown constant\")'", "kill -SEGV $$", "echo sat"]);
    let cli = CliTest::new(&index.address);
    let script = file(&cli, "script.smt2", BOOLEAN_SCRIPT);
    let outcome = cli.run(&["bisect", &script, "--solver", "z3", "--all"]);
    assert_eq!(outcome.code, 10, "{}", outcome.stderr);
    assert!(outcome.stdout.contains("releases   -X."), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("wrong      crash, proved"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("not there in 4.8.7, the newest"), "{}", outcome.stdout);
}

#[test]
fn a_script_that_no_release_is_wrong_about_is_no_finding() {
    let index = serve(&["echo sat", "echo sat"]);
    let cli = CliTest::new(&index.address);
    let script = file(&cli, "script.smt2", BOOLEAN_SCRIPT);
    let outcome = cli.run(&["bisect", &script, "--solver", "z3", "--all"]);
    assert_eq!(outcome.code, 0);
    assert!(outcome.stdout.contains("no tested release of z3 is wrong about it"), "{}", outcome.stdout);
}

#[test]
fn what_cannot_be_bisected_is_refused_with_a_reason_and_left_as_it_is() {
    let index = serve(&["echo sat"]);
    let cli = CliTest::new(&index.address);
    let good = file(&cli, "good.smt2", BOOLEAN_SCRIPT);
    let ill = file(&cli, "ill.smt2", "(declare-fun x () Int)\n(assert x)\n(check-sat)\n");
    let empty = file(&cli, "empty.smt2", "");
    let check = |words: &[&str], code: i32, said: &str| {
        let outcome = cli.run(&[&["bisect"], words].concat());
        assert_eq!(outcome.code, code, "{words:?}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(said), "{words:?}: {}", outcome.stderr);
    };
    check(&["none.smt2", "--solver", "z3"], 2, "cannot read none.smt2");
    check(&[&ill, "--solver", "z3"], 2, "ill.smt2: 2:");
    check(&[&empty, "--solver", "z3"], 2, "has no (check-sat)");
    check(&[&good, "--solver", "z3=./z3"], 2, "is one program");
    check(&[&good, "--solver", "z4"], 2, "z4");
    check(&[&good, "--solver", "z3", "--versions", "9..10"], 2, "its releases are 4.8.5 to 4.8.5");
    check(&[&good, "--solver", "z3", "--installed"], 2, "no release of z3 is installed");
    assert_eq!(std::fs::read_to_string(&good).unwrap(), BOOLEAN_SCRIPT);
}

#[test]
fn real_releases_are_told_apart() {
    solvers::REAL_SOLVERS[..3].iter().for_each(|name| drop(solvers::solver(name)));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bug.smt2");
    let script =
        "(assert (forall ((x Float16)) (not (fp.isNegative (fp.max x (_ -zero 5 11))))))\n(check-sat)\n";
    std::fs::write(&path, script).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_gainsay"))
        .args([
            "bisect",
            path.to_str().unwrap(),
            "--solver",
            "z3",
            "--installed",
            "--timeout",
            "60",
            "--json",
        ])
        .output()
        .unwrap();
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let affected = |version: &str| {
        let entries = value["versions"].as_array().unwrap();
        entries.iter().find(|entry| entry["version"] == version).unwrap()["affected"].clone()
    };
    assert_eq!((affected("4.8.10"), affected("5.4.0")), (Value::Bool(true), Value::Bool(false)), "{value}");
    assert_eq!(value["kind"], "solution");
}

/// Builds a solver that does what the first line of the file `told` says on scripts with an assertion.
const BUILD: &str = r#"mkdir -p build && { echo '#!/bin/sh'; echo 'script=$(cat)'
    printf 'case "$script" in *assert*) %s;; *) echo sat;; esac\n' "$(head -1 told)"; } > build/z3 && chmod +x build/z3"#;

/// A repository with these versions of a solver, each a commit, and the names of the commits.
fn repository(cli: &CliTest, versions: &[&str]) -> Vec<String> {
    let folder = cli.path("repository");
    std::fs::create_dir_all(&folder).unwrap();
    let git = |arguments: &[&str]| {
        let output = std::process::Command::new("git")
            .args(["-c", "user.name=test", "-c", "user.email=test@example.org"])
            .args(arguments)
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "--quiet"]);
    let mut commits = Vec::new();
    for (number, told) in versions.iter().enumerate() {
        std::fs::write(folder.join("told"), format!("{told}\n# {number}\n")).unwrap();
        git(&["add", "told"]);
        git(&["commit", "--quiet", "-m", &format!("version {number}")]);
        commits.push(git(&["rev-parse", "HEAD"]));
    }
    commits
}

#[test]
fn commits_are_bisected_and_those_that_do_not_build_are_skipped() {
    // git and the build need the programs of the system.
    let cli = CliTest::with_real_solvers();
    let script =
        cli.write("bug.smt2", "(set-logic QF_UF)\n(declare-const a Bool)\n(assert a)\n(check-sat)\n");
    let versions = ["echo sat", "echo sat", "exit 1", "echo sat", "echo unsat", "echo unsat", "echo unsat"];
    let commits = repository(&cli, &versions);
    let build = format!("{BUILD} && ! grep -q 'exit 1' told");
    let folder = cli.path("repository").display().to_string();
    let outcome = cli.json(&[
        "bisect",
        &script,
        "--solver",
        "z3=build/z3",
        "--expect",
        "sat",
        "--repository",
        &folder,
        "--build",
        &build,
        "--good",
        &commits[0],
        "--json",
    ]);
    assert_eq!(outcome["first_bad"], commits[4], "{outcome}");
    let worktrees =
        std::process::Command::new("git").args(["-C", &folder, "worktree", "list"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&worktrees.stdout).lines().count(), 1, "the worktree is left behind");
}

#[test]
fn a_good_commit_that_is_bad_is_refused() {
    let cli = CliTest::with_real_solvers();
    let script =
        cli.write("bug.smt2", "(set-logic QF_UF)\n(declare-const a Bool)\n(assert a)\n(check-sat)\n");
    let commits = repository(&cli, &["echo unsat", "echo unsat"]);
    let folder = cli.path("repository").display().to_string();
    let bisect = |good: &str| {
        cli.run(&[
            "bisect",
            &script,
            "--solver",
            "z3=build/z3",
            "--expect",
            "sat",
            "--repository",
            &folder,
            "--build",
            BUILD,
            "--good",
            good,
        ])
    };
    for (good, line) in [(commits[0].as_str(), "name an older one"), ("nothing", "has no commit nothing")] {
        let outcome = bisect(good);
        assert_eq!(outcome.code, 2, "{}", outcome.stderr);
        assert!(outcome.stderr.lines().last().unwrap().contains(line), "{}", outcome.stderr);
    }
}
