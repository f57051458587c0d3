//! `gainsay reduce` as a user sees it: results, refusals, JSON and exit codes.
//!
//! Commands and solvers are shell scripts: what counts here is what gainsay makes of what they do.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

mod support;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use support::{Bench, Outcome};

const SCRIPT: &str = "; a comment\n(set-logic QF_LIA)\n(declare-const x Int)\n(declare-const y Int)\n\
    (assert (and (< x 0) (= y (* 2 x))))\n(assert (distinct x 4711))\n(check-sat)\n";

struct Shop {
    bench: Bench,
}

impl Shop {
    fn new() -> Self {
        let shop = Shop { bench: Bench::new("http://127.0.0.1:1/simple") };
        shop.file("script.smt2", SCRIPT, 0o644);
        shop
    }

    fn path(&self, name: &str) -> String {
        self.bench.folder.path().join(name).display().to_string()
    }

    /// Writes a file and says where it is.
    fn file(&self, name: &str, text: &str, mode: u32) -> String {
        std::fs::write(self.path(name), text).unwrap();
        std::fs::set_permissions(self.path(name), Permissions::from_mode(mode)).unwrap();
        self.path(name)
    }

    /// A command whose body sees the text of the script as `$text`; the shell's own words only, for PATH is empty.
    fn command(&self, name: &str, body: &str) -> String {
        let read = "text=$(while read -r line; do echo \"$line\"; done < \"$1\")";
        self.file(name, &format!("#!/bin/sh\n{read}\n{body}\n"), 0o755)
    }

    /// A solver of a profile that answers scripts which hold `mark` as told, and others right.
    fn solver(&self, profile: &str, mark: &str, told: &str) -> String {
        let text = format!(
            "#!/bin/sh\ntext=$(while read -r line; do echo \"$line\"; done)\n\
             case \"$text\" in *{mark}*) {told};; *check-sat*) echo sat;; esac\n"
        );
        format!("{profile}={}", self.file(&format!("{profile}-solver"), &text, 0o755))
    }

    fn reduce(&self, arguments: &[&str]) -> Outcome {
        let script = self.path("script.smt2");
        self.bench.run(&[&["reduce", &script], arguments].concat())
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
            SCRIPT,
            "the script is as it was"
        );
    }
}

#[test]
fn a_command_gets_its_exit_code_kept_and_the_script_stays_as_it_was() {
    let shop = Shop::new();
    let command = shop.command("finds", "case \"$text\" in *4711*) exit 7;; esac; exit 0");
    let script = shop.path("script.smt2");
    let json = shop.bench.json(&["reduce", &script, "--json", "--jobs", "2", "--", &command]);
    assert_eq!(json["bytes_before"], SCRIPT.len());
    assert_eq!(json["bytes_after"], shop.result().len());
    assert_eq!(json["out"], shop.path("script.reduced.smt2"));
    assert!(json["checks"].as_u64().unwrap() > 5 && json["seconds"].is_number());
    assert_eq!(shop.result(), "(assert (= 0 4711))\n");
    assert_eq!(std::fs::read_to_string(shop.path("script.smt2")).unwrap(), SCRIPT);
}

#[test]
fn output_is_kept_unless_told_otherwise() {
    let body =
        "case \"$text\" in *4711*) echo bad; case \"$text\" in *QF_LIA*) echo logic;; esac; exit 1;; esac";
    let shop = Shop::new();
    let command = shop.command("speaks", body);
    assert_eq!(shop.reduce(&["--", &command]).code, 0);
    assert!(shop.result().contains("QF_LIA"), "{}", shop.result());
    for arguments in [vec!["--ignore-out", "--", &command], vec!["--match-out", "bad", "--", &command]] {
        assert_eq!(shop.reduce(&arguments).code, 0);
        assert_eq!(shop.result(), "(assert (= 0 4711))\n");
    }
}

#[test]
fn a_crash_is_reduced_to_what_crashes() {
    let shop = Shop::new();
    let z3 = shop.solver("z3", "4711", "echo 'ASSERTION VIOLATION' >&2; exit 114");
    let outcome = shop.reduce(&["--solver", &z3]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(shop.result(), "(assert (= 0 4711))\n");
}

#[test]
fn a_wrong_answer_keeps_its_evidence() {
    let shop = Shop::new();
    let wrong = shop.solver("z3", "4711", "echo unsat");
    let (one, two) = (shop.solver("cvc5", "4711", "echo sat"), shop.solver("yices", "4711", "echo sat"));
    let outcome = shop.reduce(&["--solver", &wrong, "--solver", &one, "--solver", &two]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("keeping refutation (corroborated)"), "{}", outcome.stderr);
    assert!(shop.result().contains("4711") && shop.result().contains("(check-sat)"), "{}", shop.result());
    assert!(shop.result().len() < 60, "{}", shop.result());
}

#[test]
fn what_shows_nothing_is_refused() {
    let shop = Shop::new();
    let (z3, cvc5) = (shop.solver("z3", "4711", "echo sat"), shop.solver("cvc5", "4711", "echo sat"));
    shop.refused(&["--solver", &z3, "--solver", &cvc5], "shows nothing wrong with");
}

#[test]
fn a_command_that_does_the_same_with_everything_is_refused() {
    let shop = Shop::new();
    shop.refused(&["--", &shop.command("always", "exit 1")], "does the same with");
    shop.refused(
        &["--", &shop.command("never", "exit 0")],
        "as with an empty script (ends with exit code 0)",
    );
    let other = shop.command("other", "echo here; exit 1");
    shop.refused(
        &["--match-out", "there", "--", &other],
        "does not write what --match-out or --match-err want",
    );
}

#[test]
fn what_changes_from_time_to_time_is_called_flaky() {
    let shop = Shop::new();
    let mark = shop.path("mark");
    // A candidate is asked beside the first script; no conjunction is left in it.
    let whole = "*\"(and (< x 0)\"*\"x 4711\"*";
    let body =
        format!("case \"$text\" in {whole}) if [ -e {mark} ]; then exit 0; fi; : > {mark}; exit 1;; esac");
    shop.refused(&["--", &shop.command("flaky", &body)], "is flaky");
    let seen = shop.path("seen");
    let told = format!("if [ -e {seen} ]; then echo sat; else : > {seen}; kill -SEGV $$; fi");
    let solver = shop.solver("z3", "4711", &told);
    // What it remembers lies where a confined solver cannot write.
    let outcome = shop.reduce(&["--solver", &solver, "--no-sandbox"]);
    assert_eq!(outcome.code, 2, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("flaky"), "{}", outcome.stderr);
}

#[test]
fn a_command_that_shows_nothing_while_another_runs_is_asked_alone() {
    let shop = Shop::new();
    let runs = shop.path("runs");
    // Those that were asked at the same time are the first two.
    let count =
        format!("echo >> {runs}; count=0; while read -r line; do count=$((count + 1)); done < {runs}");
    let body =
        format!("case \"$text\" in *4711*) {count}; [ $count -gt 2 ] && exit 7; exit 0;; esac; exit 0");
    let outcome = shop.reduce(&["--", &shop.command("busy", &body)]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(shop.result(), "(assert (= 0 4711))\n");
}

#[test]
fn the_script_itself_is_asked_about_once_where_a_candidate_does_the_same() {
    let shop = Shop::new();
    let runs = shop.path("runs");
    let (_, whole) = SCRIPT.split_once('\n').unwrap();
    let whole = shop.file("whole", whole, 0o644);
    let read = format!("whole=$(while read -r line; do echo \"$line\"; done < {whole})");
    let body = format!(
        "{read}; if [ \"$text\" = \"$whole\" ]; then echo run >> {runs}; fi; case \"$text\" in *4711*) exit 1;; esac"
    );
    let outcome = shop.reduce(&["--", &shop.command("counts", &body)]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(shop.result(), "(assert (= 0 4711))\n");
    assert_eq!(std::fs::read_to_string(runs).unwrap(), "run\n");
}

#[test]
fn a_result_that_shows_only_once_is_called_flaky() {
    let shop = Shop::new();
    let mark = shop.path("mark");
    // Nothing is left to take away from the second text, which the command does not do the same with twice.
    let body = format!(
        "case \"$text\" in '(assert (= 0 4711))') [ -e {mark} ] && exit 0; : > {mark}; exit 1;; *4711*) exit 1;; esac"
    );
    let outcome = shop.reduce(&["--", &shop.command("flaky", &body)]);
    assert_eq!(outcome.code, 2, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("does not do so every time"), "{}", outcome.stderr);
}

#[test]
fn a_file_that_cannot_be_reduced_is_refused_with_its_line() {
    let shop = Shop::new();
    let command = shop.command("finds", "exit 1");
    for (text, line) in [
        ("", "there is nothing to reduce"),
        ("(set-logic QF_LIA)\n", "there is nothing to reduce"),
        ("(declare-const x Int)\n(assert (and x true))\n", "script.smt2: 2:14: "),
        ("(assert", "script.smt2: 1:"),
    ] {
        shop.file("script.smt2", text, 0o644);
        let outcome = shop.reduce(&["--", &command]);
        assert_eq!((outcome.code, outcome.stderr.lines().count()), (2, 1), "{text}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(line), "{text}: {}", outcome.stderr);
    }
    let outcome = shop.bench.run(&["reduce", "/no/such/file", "--", &command]);
    assert_eq!((outcome.code, outcome.stderr.lines().count()), (2, 1), "{}", outcome.stderr);
}

#[test]
fn the_script_is_never_written_over() {
    let shop = Shop::new();
    let command = shop.command("finds", "case \"$text\" in *4711*) exit 7;; esac");
    let script = shop.path("script.smt2");
    shop.refused(&["--out", &script, "--", &command], "is the script itself, which is never changed");
    std::os::unix::fs::symlink(&script, shop.path("link.smt2")).unwrap();
    shop.refused(&["--out", &shop.path("link.smt2"), "--", &command], "is the script itself");
    let outcome = shop.reduce(&["--out", &shop.path("no/such/folder/out.smt2"), "--", &command]);
    assert_eq!(outcome.code, 5, "{}", outcome.stderr);
}

#[test]
fn what_cannot_be_run_is_exit_code_four() {
    let shop = Shop::new();
    for arguments in [
        vec!["--", "./no-such-command"],
        vec!["--", "no-such-command"],
        vec!["--solver", "z3=/no/such/solver"],
    ] {
        let outcome = shop.reduce(&arguments);
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
    let shop = Shop::new();
    assert_eq!(shop.reduce(&[]).code, 2);
    assert_eq!(shop.reduce(&["--solver", "z3", "--", "true"]).code, 2);
}

#[test]
fn a_command_that_hangs_on_some_scripts_costs_their_time_only() {
    let shop = Shop::new();
    let body = "case \"$text\" in *4711*) exit 7;; *distinct*) while :; do :; done;; esac";
    let outcome = shop.reduce(&["--timeout", "1", "--jobs", "2", "--", &shop.command("hangs", body)]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(shop.result(), "(assert (= 0 4711))\n");
}

#[test]
fn an_interrupt_keeps_the_smallest_script_so_far() {
    let shop = Shop::new();
    let lines: String = (0..3000).map(|number| format!("(assert (distinct {number} 4711))\n")).collect();
    shop.file("script.smt2", &lines, 0o644);
    // It asks to be stopped itself, when there is something to keep.
    let (pid, body) = (shop.path("pid"), "case \"$text\" in *'distinct 12 '*) ;; *) exit 0;; esac");
    let once =
        format!("if [ -e {pid} ]; then read -r pid < {pid}; : > {pid}; kill -INT $pid 2> /dev/null; fi");
    let body = format!("{body}\nif [ ${{#text}} -lt 2000 ]; then {once}; fi; exit 7");
    let command = shop.command("stops", &body);
    let child = Command::new(env!("CARGO_BIN_EXE_gainsay"))
        .args(["reduce", &shop.path("script.smt2"), "--jobs", "1", "--", &command])
        .env_clear()
        .env("HOME", shop.bench.folder.path())
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
        shop.result().contains("distinct 12 ") && shop.result().len() < lines.len(),
        "{}",
        shop.result().len()
    );
}
