//! `gainsay perf` and `gainsay localize` with a real z3 that has a planted flaw: the operator that it goes with is named.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/repository.rs"]
mod repository;
#[path = "support/real_solvers.rs"]
mod solvers;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use gainsay_engine::solver::resolve::Program;
use repository::repository;
use serde_json::Value;
use solvers::REAL_SOLVERS;
use tempfile::TempDir;

/// Runs gainsay with the solvers of the user's cache.
fn gainsay(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_gainsay")).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn last_line(text: &str) -> Value {
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

/// A program of a few lines, as the name of a solver.
fn program(folder: &Path, name: &str, text: &str) -> String {
    let file = folder.join(name);
    fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    format!("generic={}", file.display())
}

/// Newest z3 with a flaw, as the name of a target.
fn flawed(folder: &Path, flaw: &str) -> String {
    for name in [REAL_SOLVERS[0], REAL_SOLVERS[2]] {
        solvers::solver(name);
    }
    let Program::Binary { path, .. } = solvers::solver(REAL_SOLVERS[0]).program else {
        panic!("z3 is a binary")
    };
    let planted = repository().join("crates/fake-solver/planted_flaw.sh");
    let text = format!("exec '{}' {flaw} '{}' -smt2 \"$@\"", planted.display(), path.display());
    program(folder, "flawed.sh", &text)
}

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    (folder, out)
}

#[test]
fn the_operator_that_a_solver_is_slow_with_is_named_and_the_script_is_made_small() {
    let (folder, out) = folder();
    let target = flawed(folder.path(), "slow bvsdiv 200000");
    let (code, stdout, stderr) = gainsay(&[
        "perf",
        "--target",
        &target,
        "--reference",
        REAL_SOLVERS[0],
        "--theory",
        "bv",
        "--sort",
        "(_ BitVec 4)",
        "--operator",
        "bvsdiv,bvadd,bvand,bvult,bvsle,bvor",
        "--assertions",
        "1",
        "--depth",
        "3",
        "--rng-seed",
        "1",
        "--queries",
        "60",
        "--timeout",
        "3",
        "--go-on",
        "--reduce",
        "2m",
        "--keep",
        "1",
        "--out",
        out.to_str().unwrap(),
        "--json",
    ]);
    assert_eq!(code, 0, "{stderr}");
    let result = last_line(&stdout);
    assert_eq!(result["queries"], 60, "{result}");
    assert_eq!(result["ranking"][0]["construct"], "bvsdiv", "{result}");
    let low = result["ranking"][0]["low"].as_f64().unwrap();
    let (mean, high) = (&result["ranking"][0]["mean"], &result["ranking"][0]["high"]);
    assert!(low < mean.as_f64().unwrap() && mean.as_f64().unwrap() < high.as_f64().unwrap());
    let best = &result["best"][0];
    assert!(best["margin"].as_f64().unwrap() > 0.0);
    let script = fs::read_to_string(best["path"].as_str().unwrap()).unwrap();
    let small = fs::read_to_string(best["reduced"].as_str().unwrap()).unwrap();
    assert!(
        script.contains("bvsdiv") && small.contains("bvsdiv") && small.len() < script.len(),
        "{script}\n{small}"
    );
    assert!(best["reduced_margin"].as_f64().unwrap() > 0.0, "{best}");
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert_eq!(page.matches("</svg>").count(), 3);
    assert!(page.contains("gainsay check best-01.reduced.smt2 --solver") && page.contains("bvsdiv"));
    for picture in ["scores.svg", "cactus.svg", "ranking.svg"] {
        assert!(fs::read_to_string(out.join(picture)).unwrap().contains("</svg>"));
    }
}

#[test]
fn work_is_compared_where_solvers_count_it_and_refused_where_one_does_not() {
    let (folder, _) = folder();
    let target = flawed(folder.path(), "slow bvsdiv 1");
    let common = [
        "perf",
        "--reference",
        REAL_SOLVERS[0],
        "--theory",
        "bv",
        "--queries",
        "5",
        "--score",
        "work",
        "--json",
    ];
    let (code, stdout, stderr) =
        gainsay(&[&common[..], &["--target", "z3@5.4.0 smt.random_seed=7"]].concat());
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(last_line(&stdout)["queries"], 5);
    let (code, _, stderr) = gainsay(&[&common[..], &["--target", &target]].concat());
    assert_eq!(code, 2);
    assert!(stderr.contains("does not count its work; use --score cpu"), "{stderr}");
}

#[test]
fn the_operator_with_wrong_answers_is_named_and_the_scripts_are_kept_with_what_is_wrong() {
    let (folder, out) = folder();
    let target = flawed(folder.path(), "lie str.replace");
    let (code, stdout, stderr) = gainsay(&[
        "localize",
        "--target",
        &target,
        "--reference",
        REAL_SOLVERS[0],
        "--reference",
        REAL_SOLVERS[2],
        "--theory",
        "string",
        "--operator",
        "str.replace,str.++,str.prefixof,str.len,=,and",
        "--assertions",
        "2",
        "--depth",
        "3",
        "--queries",
        "60",
        "--timeout",
        "1",
        "--out",
        out.to_str().unwrap(),
        "--json",
    ]);
    assert_eq!(code, 10, "{stderr}");
    let result = last_line(&stdout);
    assert_eq!(result["ranking"][0]["construct"], "str.replace", "{result}");
    let best = &result["best"][0];
    assert!(fs::read_to_string(best["path"].as_str().unwrap()).unwrap().contains("str.replace"), "{result}");
    assert!(["refutation", "solution"].contains(&best["findings"][0]["kind"].as_str().unwrap()), "{best}");
}

#[test]
fn what_cannot_be_is_said_with_its_remedy() {
    let says = |arguments: &[&str], code: i32, words: &str| {
        let (ended, _, stderr) = gainsay(arguments);
        assert_eq!(ended, code, "{stderr}");
        assert!(stderr.contains(words), "{stderr}");
    };
    solvers::solver(REAL_SOLVERS[3]);
    let perf = ["perf", "--target", REAL_SOLVERS[0], "--queries", "1", "--reference"];
    says(&[&perf[..], &[REAL_SOLVERS[0], "--theory", "strnig"]].concat(), 2, "did you mean `string`?");
    says(
        &[&perf[..], &[REAL_SOLVERS[0], "--theory", "bv", "--agent", "tompson"]].concat(),
        2,
        "choose from thompson, ucb",
    );
    says(&[&perf[..], &[REAL_SOLVERS[3], "--theory", "string"]].concat(), 2, "choose other theories");
    says(
        &[
            "localize",
            "--target",
            REAL_SOLVERS[0],
            "--reference",
            REAL_SOLVERS[3],
            "--theory",
            "string",
            "--queries",
            "1",
        ],
        2,
        "choose other theories",
    );
    says(
        &[&perf[..], &[REAL_SOLVERS[2], "--theory", "fp", "--operator", "fp.ad"]].concat(),
        2,
        "did you mean `fp.add`?",
    );
    says(&["localize", "--target", REAL_SOLVERS[0], "--theory", "bv"], 2, "--reference");
}

#[test]
fn a_script_that_a_solver_crashes_on_is_kept_by_both_commands() {
    let (folder, out) = folder();
    solvers::solver(REAL_SOLVERS[0]);
    let target = program(
        folder.path(),
        "crash.sh",
        "for s; do :; done\ngrep -q bvadd \"$s\" && kill -SEGV $$\necho sat",
    );
    let common =
        ["--target", &target, "--reference", REAL_SOLVERS[0], "--theory", "bv", "--queries", "12", "--json"];
    let small = ["--operator", "bvadd,bvult,bvand", "--depth", "3", "--out", out.to_str().unwrap()];
    let (code, stdout, stderr) = gainsay(&[&["perf"][..], &common, &small].concat());
    assert_eq!(code, 10, "{stderr}");
    let result = last_line(&stdout);
    let crash = &result["crashes"][0];
    assert_eq!(result["crashes"].as_array().unwrap().len(), 1, "{result}");
    assert_eq!(crash["finding"]["kind"], "crash");
    assert!(fs::read_to_string(crash["path"].as_str().unwrap()).unwrap().contains("bvadd"));
    assert!(fs::read_to_string(out.join("report.html")).unwrap().contains("crash-01.smt2"));
    let (code, stdout, stderr) = gainsay(&[&["localize", "--force"][..], &common, &small].concat());
    assert_eq!(code, 10, "{stderr}");
    let result = last_line(&stdout);
    assert_eq!(result["queries"], 12, "{result}");
    let kinds = result["best"].as_array().unwrap().iter().map(|best| best["findings"][0]["kind"].clone());
    assert!(kinds.filter(|kind| kind == "crash").count() > 0, "{result}");
}

#[test]
fn references_that_never_solve_end_the_search_with_the_remedy() {
    let (folder, _) = folder();
    solvers::solver(REAL_SOLVERS[0]);
    let reference = program(
        folder.path(),
        "loop.sh",
        "for s; do :; done\nif grep -q assert \"$s\"; then while :; do :; done; fi\necho sat",
    );
    let common =
        ["--target", REAL_SOLVERS[0], "--reference", &reference, "--theory", "bool", "--timeout", "0.05"];
    let (code, stdout, stderr) = gainsay(&[&["perf"][..], &common, &["--queries", "500"]].concat());
    assert_eq!(code, 6, "{stderr}");
    assert!(stderr.contains("so nothing was compared"), "{stderr}");
    assert!(stdout.contains("stopped: the references solved none of the first 20 scripts"), "{stdout}");
    let (code, stdout, stderr) = gainsay(&[&["localize"][..], &common, &["--queries", "500"]].concat());
    assert_eq!(code, 6, "{stderr}");
    assert!(stderr.contains("so nothing was tested"), "{stderr}");
    assert!(stdout.contains("stopped: all of the first 20 scripts were undecided"), "{stdout}");
}

#[test]
fn scores_that_never_move_are_said_and_have_no_ranking() {
    solvers::solver(REAL_SOLVERS[0]);
    let (code, stdout, stderr) = gainsay(&[
        "perf",
        "--target",
        REAL_SOLVERS[0],
        "--reference",
        &format!("{} -v:0", REAL_SOLVERS[0]),
        "--theory",
        "bool",
        "--queries",
        "8",
        "--timeout",
        "60",
    ]);
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stdout.contains("no script made the target slower than the references by more than 1.80"),
        "{stdout}"
    );
    assert!(
        stdout.contains("makes a script slower for the target") || stdout.contains("nothing was learnt"),
        "{stdout}"
    );
}

/// Without a deadline for the query itself, each of these commands would wait for an hour and a half.
#[test]
fn the_time_of_a_command_ends_a_query() {
    let (folder, _) = folder();
    let marker = folder.path().join("probed");
    // It can use the first script, so that the search begins, and then sleeps.
    let text = format!("if mkdir '{}' 2>/dev/null; then echo sat; else sleep 100000; fi", marker.display());
    let target = program(folder.path(), "sleeping.sh", &text);
    let common =
        ["--target", &target, "--reference", REAL_SOLVERS[0], "--theory", "bool", "--timeout", "600"];
    for command in ["perf", "localize"] {
        let _ = fs::remove_dir(&marker);
        let words = [&[command], &common[..], &["--time", "3"]].concat();
        let (code, _, stderr) = gainsay(&words);
        assert_ne!(code, 0, "{stderr}");
        assert!(stderr.contains("--time had run out"), "{command}: {stderr}");
    }
}
