//! Odd inputs and habits of users: standard input, existing output files, broken profiles, names in other spellings.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "../../solvers/tests/support/index.rs"]
mod index;
mod support;
#[path = "support/z3_index.rs"]
mod z3_index;

use std::fs;
use std::io::Write;
use std::process::Stdio;

use serde_json::Value;
use support::{CliOutput, CliTest};

const SCRIPT: &str = "(set-logic QF_LIA)\n(declare-const x Int)\n(assert (< x 1))\n(check-sat)\n";

/// Runs gainsay with this text as its standard input.
fn run_with_input(cli: &CliTest, words: &[&str], input: &str) -> CliOutput {
    let mut command = cli.command(words);
    let streams = [Stdio::piped(), Stdio::piped()];
    let [stdout, stderr] = streams;
    let mut child = command.stdin(Stdio::piped()).stdout(stdout).stderr(stderr).spawn().unwrap();
    // A command that refuses its flags reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    CliOutput {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn a_dash_is_standard_input_in_every_command_of_one_script() {
    let index = z3_index::serve(&[("4.8.10", "unsat"), ("4.8.11", "sat")]);
    let cli = CliTest::new(&index.address);
    let out = cli.path("small.smt2").display().to_string();
    let script = cli.write("script.smt2", SCRIPT);
    let commands: [(&[&str], i32); 4] = [
        (&["check", "-", "-s", "z3@4.8.10", "-s", "z3@4.8.11"], 10),
        (&["reduce", "-", "-s", "z3@4.8.10", "-s", "z3@4.8.11", "--out", &out], 0),
        (&["bisect", "-", "-s", "z3", "--expect", "sat"], 10),
        (&["parse", "-"], 0),
    ];
    for (words, code) in commands {
        let output = run_with_input(&cli, words, SCRIPT);
        assert_eq!(output.code, code, "{words:?}: {}{}", output.stdout, output.stderr);
    }
    assert!(fs::read_to_string(&out).unwrap().contains("(check-sat)"));
    let model = "((define-fun x () Int 5))\n";
    assert_eq!(run_with_input(&cli, &["eval", &script, "--model", "-"], model).code, 10);
    let nameless = run_with_input(&cli, &["reduce", "-", "-s", "z3@4.8.10"], SCRIPT);
    assert_eq!(nameless.code, 2);
    assert!(nameless.stderr.contains("name a file with --out"), "{}", nameless.stderr);
    let broken = run_with_input(&cli, &["check", "-", "-s", "z3@4.8.10"], "(assert");
    assert!(!broken.stderr.contains("gainsay: -:"), "{}", broken.stderr);
}

#[test]
fn a_bisection_of_one_release_is_refused() {
    let cli = CliTest::offline();
    let script = cli.write("script.smt2", SCRIPT);
    for (name, part) in [("z3@4.8.10", "--versions 4.8.10..4.8.10"), ("z3@latest", "write --solver \"z3\"")] {
        let output = cli.run(&["bisect", &script, "--solver", name]);
        assert_eq!(output.code, 2, "{}", output.stderr);
        assert!(output.stderr.contains(part), "{}", output.stderr);
    }
}

#[test]
fn commands_on_a_campaign_install_the_releases_that_it_ran() {
    let index = z3_index::serve(&[("4.8.10", "sat")]);
    let cli = CliTest::new(&index.address);
    let script = cli.write("script.smt2", SCRIPT);
    let out = cli.path("out").display().to_string();
    // The solver says sat to everything; nothing else may decide the mutants.
    let plan = cli.write("plan.toml", "[limits]\nexhaustion = 0\n");
    let fuzz = [
        "fuzz",
        &plan,
        "--seeds",
        &script,
        "--solver",
        "z3@4.8.10",
        "--cases",
        "20",
        "--rng-seed",
        "1",
        "--out",
        &out,
    ];
    assert_eq!(cli.run(&fuzz).code, 0);
    let cases = cli.json(&["list", &out, "--json"])["cases"].as_u64().unwrap();
    assert!(cases > 0);
    let replay =
        (0..20).map(|case| case.to_string()).find(|case| cli.run(&["replay", &out, case]).code == 0).unwrap();
    for words in [&["triage", &out][..], &["replay", &out, &replay, "--run"]] {
        assert_eq!(cli.run(&["solvers", "remove", "z3"]).code, 0);
        let output = cli.run(words);
        assert_eq!(output.code, 0, "{words:?}: {}", output.stderr);
        assert!(output.stderr.contains("z3@4.8.10 installed"), "{words:?}: {}", output.stderr);
    }
    assert!(!index.requests().is_empty());
}

#[test]
fn a_slip_is_told_with_the_remedy() {
    let index = z3_index::serve(&[("4.8.10", "sat"), ("4.8.11", "sat")]);
    let cli = CliTest::new(&index.address);
    let script = cli.write("script.smt2", SCRIPT);
    let mutate = ["mutate", "--seeds", &script, "-n", "1", "--discard", "--strategy"];
    let cases: [(&[&str], &str); 11] = [
        (
            &["fuzz", &script, "--solver", "z3@4.8.10"],
            "is a script, not a campaign file; name it with --seeds",
        ),
        (
            &["bisect", &script, "-s", "z3", "--versions", "4.8.11..4.8.10"],
            "the range 4.8.11..4.8.10 is empty: write the older release first",
        ),
        (&[&mutate[..], &["operater"]].concat(), "unknown strategy operater (did you mean `operator`?)"),
        (
            &["mutate", "--seeds", "-", "-n", "1", "--discard", "--strategy", "operator"],
            "standard input cannot be a seed",
        ),
        (
            &["generate", "--theory", "int", "--literals", "300", "-n", "1", "--discard"],
            "write a number from 0 to 100",
        ),
        (&["check", &script, "-s", "z3@4.8.10", "-s", "z3@4.8.10"], "z3@4.8.10 is named twice"),
        (&["solvers", "install", "z3@5..4"], "the range 5..4 is empty: write the older release first, 4..5"),
        (&["solvers", "install", "z3=./z3"], "`z3=./z3` is a program of yours, which gainsay uses as it is"),
        (&["quickstart", "--out", &script], "is a file; name a folder"),
        (
            &["perf", "--target", "z3", "--reference", "z3", "--theory", "int", "--time", "0"],
            "write a time above 0",
        ),
        (&["fusion", "generate", "--theory", "int", "--count", "0"], "invalid value '0'"),
    ];
    for (words, part) in cases {
        let output = cli.run(words);
        assert_eq!(output.code, 2, "{words:?}: {}{}", output.stdout, output.stderr);
        assert!(output.stderr.contains(part), "{words:?}: {}", output.stderr);
    }
    assert!(!index.requests().is_empty());
}

#[test]
fn what_exists_is_overwritten_only_by_force() {
    let index = z3_index::serve(&[("4.8.10", "unsat"), ("4.8.11", "sat")]);
    let cli = CliTest::new(&index.address);
    let script = cli.write("script.smt2", SCRIPT);
    let (folder, file) = (cli.path("cases").display().to_string(), cli.path("out.txt").display().to_string());
    let commands: [&[&str]; 5] = [
        &["mutate", "--strategy", "operator", "--seeds", &script, "-n", "20", "--out", &folder],
        &["generate", "--theory", "int", "-n", "2", "--out", &folder],
        &["fusion", "fuse", &script, &script, "--expect", "sat", "--out", &folder],
        &["fusion", "generate", "--theory", "Ints", "--count", "1", "--out", &file],
        &["reduce", &script, "-s", "z3@4.8.10", "-s", "z3@4.8.11", "--out", &file],
    ];
    for words in commands {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).unwrap();
        cli.write("cases/000001.smt2", "mine");
        cli.write("out.txt", "mine");
        let refused = cli.run(words);
        assert_eq!(refused.code, 2, "{words:?}: {}", refused.stderr);
        assert!(refused.stderr.contains("--force"), "{words:?}: {}", refused.stderr);
        let mine = || {
            [cli.path("cases/000001.smt2"), cli.path("out.txt")].map(|path| fs::read_to_string(path).unwrap())
        };
        assert_eq!(mine(), ["mine", "mine"], "{words:?}");
        let forced = cli.run(&[words, &["--force"]].concat());
        assert_eq!(forced.code, 0, "{words:?}: {}", forced.stderr);
        assert_ne!(mine(), ["mine", "mine"], "{words:?}");
    }
}

#[test]
fn a_file_that_cannot_be_written_has_nothing_to_do_with_the_cache() {
    let cli = CliTest::offline();
    let script = cli.write("script.smt2", SCRIPT);
    fs::create_dir_all(cli.path("cases/000001.smt2")).unwrap();
    let out = cli.path("cases").display().to_string();
    let words = ["generate", "--theory", "int", "-n", "1", "--out", &out, "--force"];
    let output = cli.run(&words);
    assert!(
        output.stderr.contains("cannot write") && !output.stderr.contains("GAINSAY_CACHE"),
        "{}",
        output.stderr
    );
    drop(script);
}

#[test]
fn a_case_has_the_number_of_its_file() {
    let cli = CliTest::offline();
    let script = cli.write("script.smt2", SCRIPT);
    let out = cli.path("cases").display().to_string();
    assert_eq!(
        cli.run(&["mutate", "--strategy", "operator", "--seeds", &script, "-n", "12", "--out", &out]).code,
        0
    );
    let mut seen = 0;
    for entry in fs::read_dir(&out).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "json") {
            let origin: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
            let number: u64 = path.file_stem().unwrap().to_str().unwrap().parse().unwrap();
            assert_eq!(origin["case"], number);
            seen += 1;
        }
    }
    assert!(seen > 1);
}

#[test]
fn a_broken_profile_blocks_only_its_solver() {
    let index = z3_index::serve(&[("4.8.10", "sat")]);
    let cli = CliTest::new(&index.address);
    let script = cli.write("script.smt2", SCRIPT);
    cli.write("config/solvers/mine.toml", "name = \"mine\"\nnonsense = 1\n");
    let fine = cli.run(&["check", &script, "--solver", "z3@4.8.10"]);
    assert_eq!(fine.code, 0, "{}", fine.stderr);
    assert!(index.requests().iter().any(|request| request.contains("4.8.10")), "it was installed");
    assert!(
        fine.stderr.contains("warning: profile ignored: ") && fine.stderr.contains("mine.toml:2: "),
        "{}",
        fine.stderr
    );
    let broken = cli.run(&["check", &script, "--solver", "mine=true"]);
    assert_eq!(broken.code, 2, "{}", broken.stderr);
    assert!(broken.stderr.contains("the profile of mine cannot be used"), "{}", broken.stderr);
    assert_eq!(broken.stderr.matches("nonsense").count(), 1, "{}", broken.stderr);
    assert!(broken.stderr.len() < 500, "{}", broken.stderr);
}

#[test]
fn a_folder_of_seeds_is_no_folder_for_records_and_records_are_no_seeds() {
    let index = z3_index::serve(&[("4.8.10", "sat")]);
    let cli = CliTest::new(&index.address);
    cli.write("seeds/script.smt2", SCRIPT);
    let seeds = cli.path("seeds").display().to_string();
    let fuzz = ["fuzz", "--seeds", &seeds, "--solver", "z3@4.8.10", "--cases", "20", "--out"];
    let refused = cli.run(&[&fuzz[..], &[&seeds]].concat());
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("is a folder of seeds"), "{}", refused.stderr);
    let inside = cli.path("seeds/nightly").display().to_string();
    // The solver says sat to everything, which exhaustion may prove wrong.
    let first = cli.run(&[&fuzz[..], &[&inside]].concat());
    assert!([0, 10].contains(&first.code), "{}", first.stderr);
    // A script among the records, as the folder of a finding has one.
    cli.write("seeds/nightly/findings/one/case.smt2", &SCRIPT.replace('1', "2"));
    let again = cli.path("again").display().to_string();
    let second = cli.run(&[&fuzz[..], &[&again]].concat());
    assert!(second.stdout.contains("with 1 seed "), "{}", second.stdout);
}
