//! `gainsay reduce` as a user sees it: results, refusals, JSON and exit codes.
//!
//! Commands and solvers are shell scripts: the tests are about how gainsay uses their results.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

mod support;

use std::process::{Command, Stdio};

use support::{CliOutput, CliTest};

const LARGE_SCRIPT: &str = "; a comment\n(set-logic QF_LIA)\n(declare-const x Int)\n(declare-const y Int)\n\
    (assert (and (< x 0) (= y (* 2 x))))\n(assert (distinct x 4711))\n(check-sat)\n";

/// Runs `gainsay reduce` on `script.smt2` with shell scripts as commands and solvers.
struct ReduceTest {
    cli: CliTest,
}

impl ReduceTest {
    fn new() -> Self {
        let cli = CliTest::offline();
        cli.write("script.smt2", LARGE_SCRIPT);
        ReduceTest { cli }
    }

    fn path(&self, name: &str) -> String {
        self.cli.path(name).display().to_string()
    }

    /// A command whose body sees the text of the script as `$text`; the shell's own words only, for PATH is empty.
    fn command(&self, name: &str, body: &str) -> String {
        let read = "text=$(while read -r line; do echo \"$line\"; done < \"$1\")";
        self.cli.write_program(name, &format!("#!/bin/sh\n{read}\n{body}\n"))
    }

    /// A solver of a profile that answers scripts which hold `mark` as told, and others right.
    fn solver(&self, profile: &str, mark: &str, told: &str) -> String {
        let text = format!(
            "#!/bin/sh\ntext=$(while read -r line; do echo \"$line\"; done)\n\
             case \"$text\" in *{mark}*) {told};; *check-sat*) echo sat;; esac\n"
        );
        format!("{profile}={}", self.cli.write_program(&format!("{profile}-solver"), &text))
    }

    fn reduce(&self, arguments: &[&str]) -> CliOutput {
        let script = self.path("script.smt2");
        self.cli.run(&[&["reduce", &script], arguments].concat())
    }

    fn result(&self) -> String {
        std::fs::read_to_string(self.path("script.reduced.smt2")).unwrap()
    }

    /// Refused with one line, exit code 2 and no trace of a result.
    fn refused(&self, arguments: &[&str], line: &str) {
        let outcome = self.reduce(arguments);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{}", outcome.stderr);
        assert!(outcome.stderr.lines().last().unwrap().contains(line), "{}", outcome.stderr);
        assert!(!std::fs::exists(self.path("script.reduced.smt2")).unwrap(), "nothing is written");
        assert_eq!(
            std::fs::read_to_string(self.path("script.smt2")).unwrap(),
            LARGE_SCRIPT,
            "the script is as it was"
        );
    }
}

#[test]
fn a_command_gets_its_exit_code_kept_and_the_script_stays_as_it_was() {
    let test = ReduceTest::new();
    let command = test.command("finds", "case \"$text\" in *4711*) exit 7;; esac; exit 0");
    let script = test.path("script.smt2");
    let json = test.cli.json(&["reduce", &script, "--json", "--jobs", "2", "--", &command]);
    assert_eq!(json["bytes_before"], LARGE_SCRIPT.len());
    assert_eq!(json["bytes_after"], test.result().len());
    assert_eq!(json["out"], test.path("script.reduced.smt2"));
    assert!(json["checks"].as_u64().unwrap() > 5 && json["seconds"].is_number());
    assert_eq!(test.result(), "(assert (= 0 4711))\n");
    assert_eq!(std::fs::read_to_string(test.path("script.smt2")).unwrap(), LARGE_SCRIPT);
}

#[test]
fn the_output_file_may_follow_the_input_as_for_ddsmt() {
    let test = ReduceTest::new();
    let command = test.command("finds", "case \"$text\" in *4711*) exit 7;; esac; exit 0");
    let (script, small) = (test.path("script.smt2"), test.path("small.smt2"));
    let outcome = test.cli.run(&["reduce", &script, &small, "--", &command]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(std::fs::read_to_string(&small).unwrap(), "(assert (= 0 4711))\n");
    let twice = test.cli.run(&["reduce", &script, &small, "--out", &small, "--", &command]);
    assert_eq!(twice.code, 2, "{}", twice.stderr);
}

#[test]
fn output_is_kept_unless_told_otherwise() {
    let body =
        "case \"$text\" in *4711*) echo bad; case \"$text\" in *QF_LIA*) echo logic;; esac; exit 1;; esac";
    let test = ReduceTest::new();
    let command = test.command("speaks", body);
    assert_eq!(test.reduce(&["--", &command]).code, 0);
    assert!(test.result().contains("QF_LIA"), "{}", test.result());
    for arguments in [
        vec!["--force", "--ignore-out", "--", &command],
        vec!["--force", "--match-out", "bad", "--", &command],
    ] {
        assert_eq!(test.reduce(&arguments).code, 0);
        assert_eq!(test.result(), "(assert (= 0 4711))\n");
    }
}

#[test]
fn a_crash_is_reduced_to_what_crashes() {
    let test = ReduceTest::new();
    let z3 = test.solver("z3", "4711", "echo 'ASSERTION VIOLATION' >&2; exit 114");
    let outcome = test.reduce(&["--solver", &z3]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(test.result(), "(assert (= 0 4711))\n");
}

#[test]
fn a_wrong_answer_keeps_its_evidence() {
    let test = ReduceTest::new();
    // Gainsay does not decide it by itself: the least solution has a y of nine digits.
    let pell = "(declare-const x Int)(declare-const y Int)\n(assert (= (* x x) (+ (* 61 y y) 1)))\n(assert (> y 4711))\n(check-sat)\n";
    test.cli.write("script.smt2", pell);
    let wrong = test.solver("z3", "4711", "echo unsat");
    let (one, two) = (test.solver("cvc5", "4711", "echo sat"), test.solver("yices", "4711", "echo sat"));
    let outcome = test.reduce(&["--solver", &wrong, "--solver", &one, "--solver", &two]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("keeping refutation (corroborated)"), "{}", outcome.stderr);
    assert!(test.result().contains("4711") && test.result().contains("(check-sat)"), "{}", test.result());
    assert!(test.result().len() < 60, "{}", test.result());
}

#[test]
fn what_shows_nothing_is_refused() {
    let test = ReduceTest::new();
    let (z3, cvc5) = (test.solver("z3", "4711", "echo sat"), test.solver("cvc5", "4711", "echo sat"));
    test.refused(&["--solver", &z3, "--solver", &cvc5], "shows no bug of");
}

#[test]
fn a_command_that_does_the_same_with_everything_is_refused() {
    let test = ReduceTest::new();
    test.refused(&["--", &test.command("always", "exit 1")], "behaves the same on");
    test.refused(&["--", &test.command("never", "exit 0")], "and on an empty script (ends with exit code 0)");
    let other = test.command("other", "echo here; exit 1");
    test.refused(
        &["--match-out", "there", "--", &other],
        "does not contain the text of --match-out or --match-err",
    );
}

#[test]
fn what_changes_from_time_to_time_is_called_flaky() {
    let test = ReduceTest::new();
    let mark = test.path("mark");
    // A candidate is asked beside the first script; no conjunction is left in it.
    let whole = "*\"(and (< x 0)\"*\"x 4711\"*";
    let body =
        format!("case \"$text\" in {whole}) if [ -e {mark} ]; then exit 0; fi; : > {mark}; exit 1;; esac");
    test.refused(&["--", &test.command("flaky", &body)], "is flaky");
    let seen = test.path("seen");
    let told = format!("if [ -e {seen} ]; then echo sat; else : > {seen}; kill -SEGV $$; fi");
    let solver = test.solver("z3", "4711", &told);
    // Its state lies outside of the sandbox, where a confined solver cannot write.
    let outcome = test.reduce(&["--solver", &solver, "--no-sandbox"]);
    assert_eq!(outcome.code, 2, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("flaky"), "{}", outcome.stderr);
}

#[test]
fn a_command_that_shows_nothing_while_another_runs_is_asked_alone() {
    let test = ReduceTest::new();
    let runs = test.path("runs");
    // Those that were asked at the same time are the first two.
    let count =
        format!("echo >> {runs}; count=0; while read -r line; do count=$((count + 1)); done < {runs}");
    let body =
        format!("case \"$text\" in *4711*) {count}; [ $count -gt 2 ] && exit 7; exit 0;; esac; exit 0");
    let outcome = test.reduce(&["--", &test.command("busy", &body)]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(test.result(), "(assert (= 0 4711))\n");
}

#[test]
fn the_script_itself_is_asked_about_once_where_a_candidate_does_the_same() {
    let test = ReduceTest::new();
    let runs = test.path("runs");
    let (_, whole) = LARGE_SCRIPT.split_once('\n').unwrap();
    let whole = test.cli.write("whole", whole);
    let read = format!("whole=$(while read -r line; do echo \"$line\"; done < {whole})");
    let body = format!(
        "{read}; if [ \"$text\" = \"$whole\" ]; then echo run >> {runs}; fi; case \"$text\" in *4711*) exit 1;; esac"
    );
    let outcome = test.reduce(&["--", &test.command("counts", &body)]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(test.result(), "(assert (= 0 4711))\n");
    assert_eq!(std::fs::read_to_string(runs).unwrap(), "run\n");
}

#[test]
fn a_result_that_shows_only_once_is_called_flaky() {
    let test = ReduceTest::new();
    let mark = test.path("mark");
    // The second text cannot get smaller, and the command behaves differently on it from run to run.
    let body = format!(
        "case \"$text\" in '(assert (= 0 4711))') [ -e {mark} ] && exit 0; : > {mark}; exit 1;; *4711*) exit 1;; esac"
    );
    let outcome = test.reduce(&["--", &test.command("flaky", &body)]);
    assert_eq!(outcome.code, 2, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("but not on every run"), "{}", outcome.stderr);
}

#[test]
fn a_file_that_cannot_be_reduced_is_refused_with_its_line() {
    let test = ReduceTest::new();
    let command = test.command("finds", "exit 1");
    for (text, line) in [
        ("", "nothing to reduce"),
        ("(set-logic QF_LIA)\n", "nothing to reduce"),
        ("(declare-const x Int)\n(assert (and x true))\n", "script.smt2: 2:14: "),
        ("(assert", "script.smt2: 1:"),
    ] {
        test.cli.write("script.smt2", text);
        // A command may be asked about any text, solvers about scripts only.
        let solver = test.solver("z3", "4711", "echo unsat");
        let outcome = if line.starts_with("script") {
            test.reduce(&["--solver", &solver])
        } else {
            test.reduce(&["--", &command])
        };
        assert_eq!((outcome.code, outcome.stderr.lines().count()), (2, 1), "{text}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(line), "{text}: {}", outcome.stderr);
    }
    let outcome = test.cli.run(&["reduce", "/no/such/file", "--", &command]);
    assert_eq!((outcome.code, outcome.stderr.lines().count()), (2, 1), "{}", outcome.stderr);
}

#[test]
fn a_text_that_is_no_script_is_reduced_for_a_command() {
    let test = ReduceTest::new();
    let command = test.command("finds", "case \"$text\" in *\"(frob x\"*) exit 7;; esac; exit 0");
    let noise = "(declare-const y Int)\n".repeat(30);
    for (last, expected) in
        [("(check-sat)\n", "(assert (frob x))\n"), ("(check-sat) ) ) \"", "(assert (frob x))\n")]
    {
        test.cli.write("script.smt2", &format!("{noise}(assert (and (= y 1) (frob x y) true))\n{last}"));
        let outcome = test.reduce(&["--force", "--jobs", "1", "--", &command]);
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        assert!(outcome.stderr.contains("reduced as a tree of parentheses"), "{}", outcome.stderr);
        assert_eq!(test.result(), expected);
    }
}

#[test]
fn commands_that_are_not_parsed_are_reduced_inside() {
    let test = ReduceTest::new();
    // Its name may be shortened.
    let command = test.command(
        "finds",
        "case \"$text\" in *\"(synth-fun max \"*\"(constraint \"*\"(max 7\"*) exit 7;;\n\
         *\"(synth-fun a \"*\"(constraint \"*\"(a 7\"*) exit 7;; esac; exit 0",
    );
    let noise: String =
        (0..20).map(|n| format!("(declare-var v{n} Int)(constraint (>= v{n} (max v{n} 0)))\n")).collect();
    test.cli.write(
        "script.smt2",
        &format!(
            "(set-logic LIA)\n(synth-fun max ((first Int) (second Int)) Int ((Start Int (first second 0 (+ Start Start)))))\n\
             {noise}(constraint (and (>= (max 7 v1) v1) (or (= v2 (max v2 v3)) (= v3 (max v2 v3)))))\n(check-synth)\n"
        ),
    );
    let outcome = test.reduce(&["--jobs", "1", "--", &command]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("tree of parentheses"), "{}", outcome.stderr);
    assert_eq!(test.result(), "(synth-fun a Int)\n(constraint (a 7))\n");
}

#[test]
fn solvers_reduce_a_script_up_to_its_first_error() {
    let test = ReduceTest::new();
    let text = format!("{LARGE_SCRIPT}(declare-const x Int)\n(assert (> x 4712))\n(check-sat)\n");
    test.cli.write("script.smt2", &text);
    let z3 = test.solver("z3", "4711", "echo unsat");
    let cvc5 = test.solver("cvc5", "never", "echo unsat");
    let outcome = test.reduce(&["--solver", &z3, "--solver", &cvc5]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("8:16: "), "{}", outcome.stderr);
    assert!(test.result().contains("4711") && !test.result().contains("4712"), "{}", test.result());
}

#[test]
fn the_script_is_never_written_over() {
    let test = ReduceTest::new();
    let command = test.command("finds", "case \"$text\" in *4711*) exit 7;; esac");
    let script = test.path("script.smt2");
    test.refused(&["--out", &script, "--", &command], "is the input file; name another file");
    std::os::unix::fs::symlink(&script, test.path("link.smt2")).unwrap();
    test.refused(&["--out", &test.path("link.smt2"), "--", &command], "is the input file");
    test.refused(
        &["--out", &test.path("no/such/folder/out.smt2"), "--", &command],
        "no/such/folder does not exist",
    );
}

#[test]
fn what_cannot_be_run_is_exit_code_four() {
    let test = ReduceTest::new();
    for arguments in [
        vec!["--", "./no-such-command"],
        vec!["--", "no-such-command"],
        vec!["--solver", "z3=/no/such/solver"],
    ] {
        let outcome = test.reduce(&arguments);
        assert_eq!(
            (outcome.code, outcome.stderr.lines().count()),
            (4, 1),
            "{arguments:?}: {}",
            outcome.stderr
        );
    }
}

#[test]
fn solvers_and_a_command_at_once_or_neither_is_a_usage_error() {
    let test = ReduceTest::new();
    assert_eq!(test.reduce(&[]).code, 2);
    assert_eq!(test.reduce(&["--solver", "z3", "--", "true"]).code, 2);
}

#[test]
fn a_command_that_hangs_on_some_scripts_costs_their_time_only() {
    let test = ReduceTest::new();
    let body = "case \"$text\" in *4711*) exit 7;; *distinct*) while :; do :; done;; esac";
    let outcome = test.reduce(&["--timeout", "1", "--jobs", "2", "--", &test.command("hangs", body)]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(test.result(), "(assert (= 0 4711))\n");
}

#[test]
fn an_interrupt_keeps_the_smallest_script_so_far() {
    let test = ReduceTest::new();
    let lines: String = (0..3000).map(|number| format!("(assert (distinct {number} 4711))\n")).collect();
    test.cli.write("script.smt2", &lines);
    // It asks to be stopped itself, when there is something to keep.
    let (pid, body) = (test.path("pid"), "case \"$text\" in *'distinct 12 '*) ;; *) exit 0;; esac");
    let once =
        format!("if [ -e {pid} ]; then read -r pid < {pid}; : > {pid}; kill -INT $pid 2> /dev/null; fi");
    let body = format!("{body}\nif [ ${{#text}} -lt 2000 ]; then {once}; fi; exit 7");
    let command = test.command("stops", &body);
    let child = Command::new(env!("CARGO_BIN_EXE_gainsay"))
        .args(["reduce", &test.path("script.smt2"), "--jobs", "1", "--", &command])
        .env_clear()
        .env("HOME", test.cli.folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::fs::write(&pid, format!("{}\n", child.id())).unwrap();
    let output = child.wait_with_output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(stdout.contains("stopped early"), "{stdout}");
    assert!(
        test.result().contains("distinct 12 ") && test.result().len() < lines.len(),
        "{}",
        test.result().len()
    );
}

#[test]
fn a_wrong_answer_under_several_passes_keeps_those_that_it_needs() {
    let site = ReduceTest::new();
    // One pass makes it wrong, and the other does nothing.
    let text = "#!/bin/sh\nfor last; do :; done\n[ -f \"$last\" ] || last=/dev/stdin\nanswer=sat\n\
         while read -r line || [ -n \"$line\" ]; do case \"$line\" in *ext-rew-prep*) answer=unsat;; *check-sat*) echo $answer;; esac; done < \"$last\"\n";
    let solver = format!("cvc5={}", site.cli.write_program("cvc5-program", text));
    let script = "(set-option :ite-simp true)\n(set-option :ext-rew-prep agg)\n(set-option :repeat-simp true)\n(set-logic QF_LRA)\n\
         (declare-const x Real)\n(assert (= (+ (* 7.0 x) 0.5) 10.3))\n(check-sat)\n";
    let (file, small) = (site.cli.write("passes.smt2", script), site.path("small.smt2"));
    let outcome = site.cli.run(&["reduce", &file, &small, "--solver", &solver]);
    assert_eq!(outcome.code, 0, "{}{}", outcome.stdout, outcome.stderr);
    let reduced = std::fs::read_to_string(&small).unwrap();
    assert!(reduced.contains("ext-rew-prep"), "{reduced}");
    assert!(!reduced.contains("ite-simp") && !reduced.contains("repeat-simp"), "{reduced}");
}
