//! Bug reports as their readers see them: the command shows the bug, the releases that are named were asked, and the regression
//! test fails on the affected release.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "../../solvers/tests/support/index.rs"]
mod index;
#[path = "support/real_solvers.rs"]
mod solvers;
mod support;
#[path = "support/z3_index.rs"]
mod z3_index;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use gainsay_engine::solver::resolve::{Program, Solver};
use index::PackageIndexServer;
use serde_json::Value;
use support::CliTest;

/// A script that yices 2.6.5 answers wrongly at its second question.
const ASSUMPTION_SCRIPT: &str = "(set-logic QF_BV)\n(declare-const p Bool)\n(declare-const x (_ BitVec 2))\n\
    (assert (bvult x #b01))\n(assert (= x #b01))\n(check-sat-assuming (p))\n(check-sat)\n";
/// A script to which z3 gives an invalid model up to 4.16.0, and a valid one in 5.4.0.
const ROUNDING_SCRIPT: &str = "(set-logic QF_FPLRA)\n(declare-const r Real)\n(declare-const m RoundingMode)\n(assert (= r (/ 3.0 5.0)))\n\
    (assert (< r (fp.to_real ((_ to_fp 8 24) m r))))\n(assert (distinct m RNA RTP))\n(check-sat)\n";
/// An unsatisfiable script that z3 4.8.10 calls satisfiable.
const MAXIMUM_SCRIPT: &str =
    "(assert (forall ((x Float32)) (not (fp.isNegative (fp.max x (_ -zero 8 24))))))\n(check-sat)\n";

/// Triages one script with a real solver and installed releases; returns the first group and the folder of its report.
fn triage(folder: &Path, solver: &str, script: &str) -> (Value, PathBuf) {
    ["z3@5.4.0", "cvc5@1.4.2", solver].iter().for_each(|name| drop(solvers::solver(name)));
    fs::create_dir(folder.join("scripts")).unwrap();
    fs::write(folder.join("scripts/a.smt2"), script).unwrap();
    let words = ["triage", "scripts", "--solver", solver, "--timeout", "30", "--installed", "--json"];
    let output =
        Command::new(env!("CARGO_BIN_EXE_gainsay")).args(words).current_dir(folder).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let value: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let group = value["groups"][0].clone();
    let bug =
        folder.join("scripts/triage/bugs").join(group["name"].as_str().unwrap_or_else(|| panic!("{value}")));
    (group, bug)
}

fn binary(solver: &Solver) -> &Path {
    match &solver.program {
        Program::Binary { path, .. } => path,
        Program::Library(_) => panic!("{solver:?} is no program"),
    }
}

/// The command in the only shell block of a report.
fn shell_command(report: &str) -> &str {
    let (_, rest) = report.split_once("```sh\n").unwrap();
    rest.split_once("\n```").unwrap().0
}

#[test]
fn the_command_of_a_report_prints_what_the_report_says() {
    let reported = [
        ("yices@2.6.5", "yices-smt2", ASSUMPTION_SCRIPT, "unsat\nsat\n", "which is unsatisfiable"),
        ("z3@4.16.0", "z3", ROUNDING_SCRIPT, "sat\n", "prints a model that does not satisfy it"),
        ("z3@4.8.10", "z3", MAXIMUM_SCRIPT, "sat\n", "which is unsatisfiable"),
    ];
    for (name, command, script, answers, claim) in reported {
        let folder = tempfile::tempdir().unwrap();
        let (group, bug) = triage(folder.path(), name, script);
        let report = fs::read_to_string(bug.join("report.md")).unwrap();
        // The command finds its solver on PATH, as that of the reader does; the report is about the newest affected release.
        let bin = folder.path().join("bin");
        fs::create_dir(&bin).unwrap();
        let (profile, _) = name.split_once('@').unwrap();
        let solver = solvers::solver(&format!("{profile}@{}", group["last_bad"].as_str().unwrap()));
        std::os::unix::fs::symlink(binary(&solver), bin.join(command)).unwrap();
        let shell = ["-c", shell_command(&report)];
        let said = Command::new("/bin/sh").args(shell).current_dir(&bug).env("PATH", &bin).output().unwrap();
        let said = String::from_utf8(said.stdout).unwrap();
        assert!(said.starts_with(answers) && !said.contains("error"), "{said}{report}");
        assert!(report.contains(&format!("```text\n{}\n```", said.trim_end())), "{said}{report}");
        // The one file that has it all says the same, with the solver of the reader.
        let one_file =
            Command::new("/bin/sh").arg(bug.join("reproduce.sh")).arg(binary(&solver)).output().unwrap();
        let one_said = String::from_utf8(one_file.stdout).unwrap();
        assert_eq!(one_said, format!("{}\nexit code 0\n", said.trim_end()), "{report}");
        let search = fs::read_to_string(bug.join("duplicates.txt")).unwrap();
        assert!(
            search.contains("gh issue list --state all --search ") && search.contains("titles such as"),
            "{search}"
        );
        assert!(report.contains(claim) && report.contains("It ended with exit code 0."), "{report}");
    }
}

#[test]
fn a_regression_test_fails_on_the_affected_release_and_passes_on_another() {
    let folder = tempfile::tempdir().unwrap();
    let (group, bug) = triage(folder.path(), "z3@4.16.0", ROUNDING_SCRIPT);
    assert_eq!(group["kind"], "model", "{group}");
    let name = group["name"].as_str().unwrap();
    let expected = fs::read_to_string(bug.join(format!("regression/{name}.expected.out"))).unwrap();
    let passes = |solver: &str| {
        let solver = solvers::solver(solver);
        let said =
            Command::new(binary(&solver)).arg(bug.join(format!("regression/{name}.smt2"))).output().unwrap();
        String::from_utf8(said.stdout).unwrap() == expected
    };
    assert_eq!((passes("z3@4.16.0"), passes("z3@5.4.0")), (false, true));
}

/// A program that looks like z3 and does this to scripts with an assertion.
fn program(version: &str, does: &str) -> String {
    format!(
        "#!/bin/sh\ncase \"$1\" in --version) echo 'Z3 version {version} - build hashcode abc_def'; exit;; esac\n\
         for word; do [ -f \"$word\" ] && exec <\"$word\"; done\n\
         script=$(while read -r line; do echo \"$line\"; done)\n\
         case \"$script\" in *assert*check-sat*) {does};; *) echo sat;; esac\n"
    )
}

const CRASH: &str = "echo 'ASSERTION VIOLATION\nFile: ../src/x_y.cpp\nLine: 118\nm_a > 0' >&2; kill -SEGV $$";

/// Releases 4.8.5 … that crash (`X`), are right (`.`) or give up (`u`).
fn serve(releases: &str) -> PackageIndexServer {
    let does = |letter: char| match letter {
        'X' => CRASH,
        'u' => "echo unknown",
        _ => "echo sat",
    };
    let release = |(place, letter): (usize, char)| {
        let version = format!("4.8.{}", place + 5);
        (version.clone(), program(&version, does(letter)))
    };
    z3_index::serve_programs(&releases.chars().enumerate().map(release).collect::<Vec<_>>())
}

/// Triages a crash of a solver; returns the group and the report.
fn triage_crash(index: &PackageIndexServer, cli: &CliTest, solver: &str, more: &[&str]) -> (Value, String) {
    let _ = index;
    cli.write("scripts/a.smt2", "(set-logic QF_UF)\n(declare-const p Bool)\n(assert p)\n(check-sat)\n");
    let folder = cli.path("scripts").display().to_string();
    let value = cli.json(&[&["triage", &folder, "--solver", solver, "--json"], more].concat());
    let group = value["groups"][0].clone();
    let report = fs::read_to_string(Path::new(group["path"].as_str().unwrap()).join("report.md")).unwrap();
    (group, report)
}

#[test]
fn more_releases_are_asked_before_a_report_is_due() {
    let check = |releases: &str, more: &[&str], held: Option<&str>, introduced: &str, fixed: &str| {
        let index = serve(releases);
        let cli = CliTest::new(&index.address);
        let (group, report) = triage_crash(&index, &cli, "z3@4.8.9", more);
        let told = (group["held"].as_str(), group["introduced"].as_str(), group["fixed"].as_str());
        assert_eq!(told, (held, Some(introduced), Some(fixed)), "{releases}: {group}");
        assert_eq!(group["week"].as_u64(), held.is_none().then_some(1), "{releases}");
        let lines = [format!("- Introduced: {introduced}\n"), format!("- Fixed: {fixed}\n")];
        assert!(lines.iter().all(|line| report.contains(line)), "{report}");
    };
    let newest = "no (4.8.12, the newest release, is affected)";
    check("..XXXXXX", &[], None, "in 4.8.7 (4.8.6 is not affected)", newest);
    let oldest = "in 4.8.5 or earlier (4.8.5 is the oldest release that can be installed)";
    check("XXXXXXXX", &[], None, oldest, newest);
    let later = Some("a later release does not have it");
    let unasked = "in 4.8.9 or earlier; not tested: 4.8.5, 4.8.6, 4.8.7, 4.8.8";
    let range = "between 4.8.9 (affected) and 4.8.12 (not affected); not tested: 4.8.10, 4.8.11";
    check("..XXXXX.", &[], later, unasked, range);
    let alone = "in 4.8.9 or earlier (4.8.9 is the oldest release that was tested)";
    let tested = "no (4.8.9, the newest release that was tested, is affected)";
    check("..XXXXXX", &["--installed"], None, alone, tested);
}

#[test]
fn a_crash_report_has_the_whole_message_and_the_name_of_the_signal() {
    let index = serve("....XXXX");
    let cli = CliTest::new(&index.address);
    let (group, report) = triage_crash(&index, &cli, "z3@4.8.12", &[]);
    let message = "ASSERTION VIOLATION\nFile: ../src/x_y.cpp\nLine: 118\nm_a > 0\n```\n\nIt ended with SIGSEGV (signal 11).";
    assert!(report.contains(message), "{report}");
    for line in [
        "Z3 4.8.12 crashes with SIGSEGV (signal 11) on the script below.",
        "z3 -smt2 bug.smt2",
        "- Version output: `Z3 version 4.8.12 - build hashcode abc_def`",
        "- Options: default",
        "- Architecture: ",
        "- Operating system: ",
        "- Date: 20",
    ] {
        assert!(report.contains(line), "{line}: {report}");
    }
    assert_eq!(group["title"], "Z3 4.8.12 crashes on a QF_UF script");
}

#[test]
fn a_local_build_is_compared_with_the_releases() {
    let index = serve("......");
    let cli = CliTest::new(&index.address);
    assert_eq!(cli.run(&["solvers", "install", "z3@4.8.6"]).code, 0);
    let build = cli.write_program("build/z3", &program("4.8.11", CRASH));
    let (group, report) = triage_crash(&index, &cli, &format!("z3={build}"), &[]);
    assert_eq!((group["held"].as_str(), group["week"].as_u64()), (None, Some(1)), "{group}");
    assert!(report.starts_with("A local build of Z3 (4.8.11) crashes with SIGSEGV (signal 11)"), "{report}");
    let range =
        "affected, and 4.8.10, the newest release, is not: a regression between 4.8.10 and this build";
    for line in
        [&format!("- This build: {range}\n"), "- Not affected: 4.8.6, 4.8.10\n", "Z3 version 4.8.11", &build]
    {
        assert!(report.contains(line), "{line}: {report}");
    }
}

#[test]
fn an_old_local_build_is_no_regression_after_newer_releases() {
    let index = serve("......");
    let cli = CliTest::new(&index.address);
    let build = cli.write_program("build/z3", &program("4.8.7", CRASH));
    let (group, report) = triage_crash(&index, &cli, &format!("z3={build}"), &[]);
    let held = Some("a later release does not have it");
    assert_eq!((group["held"].as_str(), group["week"].as_u64()), (held, None), "{group}");
    assert_eq!(group["still_bad"], false, "{group}");
    let place = "affected; it is older (4.8.7) than 4.8.10, the newest release, which is not affected";
    assert!(report.contains(&format!("- This build: {place}\n")), "{report}");
    assert!(!report.contains("regression"), "{report}");

    let cli = CliTest::new(&index.address);
    let silent = cli.write_program("silent/z3", &program("", CRASH).replace("Z3 version", "what"));
    let (group, report) = triage_crash(&index, &cli, &format!("z3={silent}"), &[]);
    assert_eq!(group["held"], Value::Null, "{group}");
    assert!(
        report.contains("this build does not tell its version") && !report.contains("regression"),
        "{report}"
    );
}

/// A script with two bugs, of which an old release has both.
const TWO_BUGS_SCRIPT: &str = "(set-logic ALL)\n(declare-const x Int)\n(declare-const y Int)\n(assert (= (div x 7) 3))\n\
    (assert (= (mod y 7) 3))\n(check-sat)\n";

#[test]
fn the_reduction_for_a_local_build_keeps_the_releases_of_the_bug() {
    // The bug at the first operator is gone in 4.8.6, that at the second in 4.8.7.
    let check = |early: &str, late: &str| {
        let crashing = |version: &str, operators: &[&str]| {
            let patterns = operators.iter().map(|name| format!("*\"{name}\"*check-sat*"));
            let patterns = patterns.collect::<Vec<_>>().join("|");
            program(version, CRASH).replace("*assert*check-sat*", &patterns)
        };
        let releases =
            [("4.8.5", &[early, late][..]), ("4.8.6", &[late]), ("4.8.7", &["none"]), ("4.8.8", &["none"])];
        let releases =
            releases.map(|(version, operators)| (version.to_owned(), crashing(version, operators)));
        let index = z3_index::serve_programs(&releases);
        let cli = CliTest::new(&index.address);
        assert_eq!(cli.run(&["solvers", "install", "z3@4.8.5..4.8.8"]).code, 0);
        let build = cli.write_program("build/z3", &crashing("4.8.5", &[early, late]));
        cli.write("scripts/a.smt2", TWO_BUGS_SCRIPT);
        let folder = cli.path("scripts").display().to_string();
        let solver = format!("z3={build}");
        let value = cli.json(&["triage", &folder, "--solver", &solver, "--installed", "--json"]);
        let group = &value["groups"][0];
        assert_eq!(
            (group["last_bad"].as_str(), group["fixed_in"].as_str(), group["note"].as_str()),
            (Some("4.8.6"), Some("4.8.7"), Some("")),
            "{late} is kept: {value}"
        );
    };
    check("(div", "(mod");
    check("(mod", "(div");
}

#[test]
fn a_report_without_a_regression_test_says_why() {
    // The right answer is not known: gainsay cannot decide a declared sort, and no other release is installed.
    let does = program("4.8.5", CRASH).replace("*assert*check-sat*", "*\"(p x)\"*check-sat*");
    let index = z3_index::serve_programs(&[("4.8.5".to_owned(), does)]);
    let cli = CliTest::new(&index.address);
    let script = "(set-logic QF_UF)\n(declare-sort U 0)\n(declare-fun x () U)\n(declare-fun p (U) Bool)\n(assert (p x))\n(check-sat)\n";
    cli.write("scripts/a.smt2", script);
    let folder = cli.path("scripts").display().to_string();
    let words = ["triage", &folder, "--solver", "z3@4.8.5", "--installed", "--reduce-checks", "1", "--json"];
    let value = cli.json(&words);
    let group = &value["groups"][0];
    assert!(!Path::new(group["path"].as_str().unwrap()).join("regression").exists(), "{group}");
    assert_eq!(group["no_regression_test"], "the right answer is not certain", "{value}");
    let queue = fs::read_to_string(cli.path("scripts/triage/queue.md")).unwrap();
    assert!(queue.contains("; no regression test: the right answer is not certain\n"), "{queue}");
}

#[test]
fn solver_sets_that_share_a_suspect_count_each_script_once_and_ask_all_installed_releases() {
    let index = serve("X.X");
    let cli = CliTest::new(&index.address);
    let (group, _) = triage_crash(&index, &cli, "z3@4.8.5", &["--installed"]);
    assert_eq!((group["last_bad"].as_str(), group["fixed_in"].as_str()), (Some("4.8.5"), None), "{group}");
    let (group, report) = triage_crash(&index, &cli, "z3@4.8.5", &["--solver", "z3@4.8.6", "--installed"]);
    assert_eq!(group["triggers"].as_array().unwrap().len(), 1, "{group}");
    assert_eq!(
        (group["last_bad"].as_str(), group["fixed_in"].as_str()),
        (Some("4.8.5"), Some("4.8.6")),
        "4.8.6 was installed for the second set: {group}"
    );
    assert!(report.contains("- Not affected: 4.8.6\n") && !report.contains("scripts show it"), "{report}");
    let queue = fs::read_to_string(cli.path("scripts/triage/queue.md")).unwrap();
    assert!(queue.contains(", 1 script;"), "{queue}");
    let (group, _) = triage_crash(&index, &cli, "z3@4.8.5", &["--installed"]);
    assert_eq!(group["triggers"], serde_json::json!(["a"]), "{group}");
}

#[test]
fn a_folder_of_scripts_is_triaged_anew_for_another_solver() {
    let index = serve("XX");
    let cli = CliTest::new(&index.address);
    let (group, _) = triage_crash(&index, &cli, "z3@4.8.5", &["--installed"]);
    assert_eq!(group["suspect"], "z3@4.8.5");
    let fine = cli.write_program("fine", &program("4.9.0", "echo sat"));
    let folder = cli.path("scripts").display().to_string();
    let other = cli.json(&["triage", &folder, "--solver", &format!("z3={fine}"), "--installed", "--json"]);
    assert_eq!(
        (other["groups"].as_array().unwrap().len(), other["triggers"].as_u64()),
        (0, Some(1)),
        "{other}"
    );
    let again = cli.json(&["triage", &folder, "--solver", "z3@4.8.5", "--installed", "--json"]);
    assert_eq!(again["groups"][0]["suspect"], "z3@4.8.5", "{again}");
    let queue = fs::read_to_string(cli.path("scripts/triage/queue.md")).unwrap();
    assert!(queue.contains("crashes on a QF_UF script"), "the reports for all solvers stay: {queue}");
}

#[test]
fn a_bug_is_added_to_the_known_ones_by_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (group, bug) = triage(folder.path(), "z3@4.16.0", ROUNDING_SCRIPT);
    let fingerprint = group["fingerprint"].as_str().unwrap();
    assert!(fingerprint.starts_with("model z3 ") && fingerprint.ends_with(")}"), "{fingerprint}");
    let known = |words: &[&str]| {
        let command = Command::new(env!("CARGO_BIN_EXE_gainsay"))
            .arg("known")
            .args(words)
            .current_dir(folder.path())
            .output()
            .unwrap();
        (command.status.code().unwrap(), String::from_utf8(command.stdout).unwrap())
    };
    assert_eq!(known(&["list"]), (0, String::new()), "the file need not exist");
    let listed = (0, format!("{fingerprint}\n"));
    assert_eq!(known(&["add", bug.to_str().unwrap(), "--note", "issue 1"]), listed);
    assert_eq!(known(&["add", fingerprint]), listed, "it is there once");
    assert_eq!(
        fs::read_to_string(folder.path().join("known.txt")).unwrap(),
        format!("# issue 1\n{fingerprint}\n")
    );
    assert_eq!(known(&["remove", fingerprint]), (0, String::new()));
    assert_eq!((known(&["remove", fingerprint]).0, known(&["add", "nonsense"]).0), (2, 2));
}

/// A script on which z3 5.4.0 dies of a signal.
const DEADLY_SCRIPT: &str = "(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))\n(declare-const x L)\n\
    (assert (match x ((nil true) ((cons h t) (< h 0)))))\n(check-sat)\n(reset)\n\
    (declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))\n(declare-const x L)\n\
    (assert (match x ((nil true) ((cons h t) (< h 0)))))\n(check-sat)\n";

#[test]
fn a_crash_report_has_the_stack_if_a_debugger_is_installed() {
    if Command::new("gdb").arg("--version").output().is_err() {
        eprintln!("not run: gdb is not installed, so no report has a stack");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (_, bug) = triage(folder.path(), "z3@5.4.0", DEADLY_SCRIPT);
    let report = fs::read_to_string(bug.join("report.md")).unwrap();
    let (_, stack) = report.split_once("\nBacktrace:\n\n```text\n").unwrap_or_else(|| panic!("{report}"));
    let (stack, _) = stack.split_once("\n```").unwrap();
    assert!(stack.starts_with("#0 "), "{report}");
    // z3 crashes while it parses a term, which only the names of its functions tell.
    assert!(stack.lines().any(|frame| frame.contains("parser")), "{report}");
    assert!(report.contains("ended with SIGSEGV (signal 11)."), "{report}");
}
