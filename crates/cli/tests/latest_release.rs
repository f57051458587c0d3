//! What `z3@latest` means to every command: the newest release on the package index, named by its version.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "../../solvers/tests/support/index.rs"]
mod index;
mod support;
#[path = "support/z3_index.rs"]
mod z3_index;

use index::PackageIndexServer;
use support::{CliTest, UNREACHABLE_INDEX};
use z3_index::{Z3_PAGE, serve};

const SATISFIABLE_SCRIPT: &str = "(set-logic QF_LIA)\n(declare-const x Int)\n(assert (< x 1))\n(check-sat)\n";

/// An index with an old release that is wrong about [`SATISFIABLE_SCRIPT`] and a new one that is right.
fn two_releases() -> PackageIndexServer {
    serve(&[("4.8.10", "unsat"), ("4.8.11", "sat")])
}

/// A folder with the old release installed, and the script.
fn bench_with_old_release(index: &PackageIndexServer) -> (CliTest, String) {
    let cli = CliTest::new(&index.address);
    assert_eq!(cli.run(&["solvers", "install", "z3@4.8.10"]).code, 0);
    let script = script(&cli);
    (cli, script)
}

fn script(cli: &CliTest) -> String {
    let path = cli.folder.path().join("script.smt2");
    std::fs::write(&path, SATISFIABLE_SCRIPT).unwrap();
    path.display().to_string()
}

/// How often the page of releases was asked for.
fn page_requests(index: &PackageIndexServer) -> usize {
    index.requests().iter().filter(|request| request.contains(Z3_PAGE)).count()
}

#[test]
fn latest_is_installed_although_an_older_release_is_there() {
    let index = two_releases();
    let (cli, script) = bench_with_old_release(&index);
    let before = page_requests(&index);
    let arguments =
        ["check", &script, "-s", "z3@4.8.10", "-s", "z3@latest", "-s", "z3@latest -v:0", "--json"];
    let json = cli.json(&arguments);
    let solvers: Vec<&str> =
        json["runs"].as_array().unwrap().iter().map(|run| run["solver"].as_str().unwrap()).collect();
    assert_eq!(solvers, ["z3@4.8.10", "z3@4.8.11", "z3@4.8.11 -v:0"]);
    assert_eq!(page_requests(&index), before + 1, "{:?}", index.requests());
    let listed = cli.run(&["solvers", "list"]).stdout;
    assert!(listed.contains("z3@4.8.10") && listed.contains("z3@4.8.11"), "{listed}");
}

#[test]
fn every_command_names_the_release_and_installs_it() {
    let commands: [&[&str]; 9] = [
        &[
            "perf",
            "--target",
            "z3@latest",
            "--reference",
            "z3@latest -v:0",
            "--theory",
            "bool",
            "--queries",
            "1",
        ],
        &[
            "localize",
            "--target",
            "z3@latest",
            "--reference",
            "z3@latest -v:0",
            "--theory",
            "bool",
            "--queries",
            "1",
        ],
        &["check", "SCRIPT", "--solver", "z3@latest"],
        &["reduce", "SCRIPT", "--solver", "z3@latest", "--out", "OUT/small.smt2"],
        &["bisect", "SCRIPT", "--solver", "z3", "--versions", "4.8.10..4.8.10", "--reference", "z3@latest"],
        &["solvers", "check", "z3@latest"],
        &[
            "fuzz",
            "--seeds",
            "SCRIPT",
            "--solver",
            "z3@latest",
            "--cases",
            "1",
            "--out",
            "OUT/fuzz",
            "--plain",
        ],
        &[
            "mutate",
            "--strategy",
            "operator",
            "--seeds",
            "SCRIPT",
            "--solver",
            "z3@latest",
            "-n",
            "1",
            "--discard",
        ],
        &["generate", "--theory", "int", "--solver", "z3@latest", "-n", "1", "--discard"],
    ];
    for words in commands {
        let index = two_releases();
        let (cli, script) = bench_with_old_release(&index);
        let folder = cli.folder.path().display().to_string();
        let words: Vec<String> =
            words.iter().map(|word| word.replace("SCRIPT", &script).replace("OUT", &folder)).collect();
        let outcome = cli.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
        let said = format!("{}{}", outcome.stdout, outcome.stderr);
        assert!(said.contains("z3@4.8.11 installed"), "{words:?}: {said}");
        assert!(!said.contains("@latest"), "{words:?}: {said}");
        let is_silent = ["mutate", "generate"].contains(&words[0].as_str());
        let named = said.replace("z3@4.8.11 installed", "").replace("z3@4.8.11: getting", "");
        assert!(is_silent || named.contains("z3@4.8.11"), "{words:?}: {said}");
    }
}

#[test]
fn an_older_release_is_found_wrong_by_the_latest() {
    let index = two_releases();
    let (cli, script) = bench_with_old_release(&index);
    let checked = cli.run(&["check", &script, "--solver", "z3@4.8.10", "--solver", "z3@latest"]);
    assert_eq!(checked.code, 10, "{}{}", checked.stdout, checked.stderr);
    let out = cli.folder.path().join("small.smt2").display().to_string();
    let reduced = cli.run(&["reduce", &script, "-s", "z3@4.8.10", "-s", "z3@latest", "--out", &out]);
    assert_eq!(reduced.code, 0, "{}{}", reduced.stdout, reduced.stderr);
}

#[test]
fn without_an_index_latest_is_the_newest_installed_and_one_line_says_so() {
    let index = two_releases();
    let (mut cli, script) = bench_with_old_release(&index);
    cli.index = Some(UNREACHABLE_INDEX.to_owned());
    let checked = cli.run(&["check", &script, "--solver", "z3@latest", "--solver", "z3@latest -v:0"]);
    assert_eq!(checked.stderr.lines().count(), 1, "{}", checked.stderr);
    assert!(
        checked.stderr.starts_with(&format!("gainsay: cannot reach {UNREACHABLE_INDEX}")),
        "{}",
        checked.stderr
    );
    assert!(
        checked.stderr.trim_end().ends_with("using z3@4.8.10, the newest installed release, for z3@latest"),
        "{}",
        checked.stderr
    );
    assert!(checked.stdout.starts_with("z3@4.8.10 "), "{}", checked.stdout);
}

#[test]
fn without_an_index_and_without_a_release_latest_is_one_clear_error() {
    let cli = CliTest::new(UNREACHABLE_INDEX);
    let checked = cli.run(&["check", &script(&cli), "--solver", "z3@latest"]);
    assert_eq!((checked.code, checked.stderr.lines().count()), (4, 1), "{}", checked.stderr);
    let start = "gainsay: no release of z3 is installed, and the newest release is unknown: cannot reach";
    assert!(checked.stderr.starts_with(start), "{}", checked.stderr);
    assert!(
        checked.stderr.contains("check the network, pip's index-url and the proxy"),
        "{}",
        checked.stderr
    );
}

#[test]
fn bisect_of_installed_releases_downloads_nothing() {
    let index = two_releases();
    let (cli, script) = bench_with_old_release(&index);
    let before = index.requests();
    let outcome = cli.run(&["bisect", &script, "-s", "z3", "--installed", "--reference", "z3@latest"]);
    assert_eq!(index.requests(), before);
    assert!(outcome.stderr.contains("z3@4.8.10 (reference)"), "{}", outcome.stderr);
}

#[test]
fn a_campaign_goes_on_with_the_release_that_it_began_with() {
    let index = serve(&[("4.8.10", "sat")]);
    let mut cli = CliTest::new(&index.address);
    let (script, out) = (script(&cli), cli.folder.path().join("out").display().to_string());
    let begun = cli.run(&[
        "fuzz",
        "--seeds",
        &script,
        "--solver",
        "z3@latest",
        "--strategy",
        "operator",
        "--rng-seed",
        "0",
        "--cases",
        "2",
        "--out",
        &out,
    ]);
    assert_eq!(begun.code, 0, "{}{}", begun.stdout, begun.stderr);
    let newer = two_releases();
    cli.index = Some(newer.address.clone());
    let resumed = cli.run(&["fuzz", "--resume", "--out", &out, "--cases", "4"]);
    assert_eq!(resumed.code, 0, "{}{}", resumed.stdout, resumed.stderr);
    assert!(resumed.stdout.contains("fuzzing z3@4.8.10 with"), "{}", resumed.stdout);
    assert!(newer.requests().is_empty(), "{:?}", newer.requests());
}

#[test]
fn a_campaign_does_not_compare_a_release_with_itself() {
    let index = two_releases();
    let (cli, script) = bench_with_old_release(&index);
    let out = cli.folder.path().join("out").display().to_string();
    let words =
        ["fuzz", "--seeds", &script, "-s", "z3@4.8.11", "-s", "z3@latest", "--cases", "1", "--out", &out];
    let outcome = cli.run(&words);
    assert_eq!(outcome.code, 2, "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stderr.contains("z3@4.8.11 is named twice"), "{}", outcome.stderr);
}

#[test]
fn two_names_of_one_release_are_one_solver_to_every_command_that_compares() {
    let index = serve(&[("4.9.0", "sat")]);
    let cli = CliTest::new(&index.address);
    let script = script(&cli);
    let out = cli.folder.path().join("out").display().to_string();
    let fuzz = ["fuzz", "--seeds", &script, "--cases", "1", "--out", &out, "--solver", "z3@4.9"];
    let search = ["--target", "z3@4.9", "--reference", "z3@latest", "--theory", "bool", "--queries", "1"];
    let bisect = ["bisect", &script, "-s", "z3", "--versions", "4.9.0..4.9.0", "--reference", "z3@4.9"];
    let commands = [
        [&fuzz[..], &["--solver", "z3@latest"]].concat(),
        [&fuzz[..], &["--reference", "z3@latest"]].concat(),
        [&["perf"], &search[..]].concat(),
        [&["localize"], &search[..]].concat(),
        [&bisect[..], &["--reference", "z3@latest"]].concat(),
        vec!["check", &script, "-s", "z3@4.9", "-s", "z3@latest"],
        vec!["triage", cli.folder.path().to_str().unwrap(), "-s", "z3@4.9", "-s", "z3@latest"],
    ];
    for words in commands {
        let outcome = cli.run(&words);
        assert_eq!(outcome.code, 2, "{words:?}: {}{}", outcome.stdout, outcome.stderr);
        let expected = "z3@4.9 and z3@4.9.0 are the same solver; name it once";
        assert!(outcome.stderr.contains(expected), "{words:?}: {}", outcome.stderr);
    }
    let program = format!("z3={}", cli.write_program("bin/z3", "#!/bin/sh\necho sat\n"));
    let outcome = cli.run(&["check", &script, "-s", "z3", "-s", &program]);
    assert_eq!(outcome.code, 2, "{}{}", outcome.stdout, outcome.stderr);
    let outcome = cli.run(&["check", &script, "-s", "z3", "-s", "z3 -v:0"]);
    assert_eq!(outcome.code, 0, "options make it another solver: {}", outcome.stderr);
}
