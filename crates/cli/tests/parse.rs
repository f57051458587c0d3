//! `gainsay parse` as a user meets it.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn gainsay(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gainsay"))
        .current_dir(folder)
        .arg("parse")
        .args(arguments)
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A folder with the given files.
fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, contents) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }
    folder
}

const VALID_SCRIPT: &[u8] = b"(set-logic QF_LIA)\n(declare-const x Int)\n(assert (< x 1))\n(check-sat)\n";

#[test]
fn a_good_file_is_counted_and_the_exit_code_is_zero() {
    let folder = folder(&[("a.smt2", VALID_SCRIPT)]);
    let output = gainsay(folder.path(), &["a.smt2"]);
    assert_eq!(stdout(&output), "1 file: 1 read, 1 sort-checked, 0 with opaque parts, 0 failed\n");
    assert_eq!((stderr(&output).as_str(), output.status.code()), ("", Some(0)));
}

#[test]
fn an_error_names_file_line_and_column_and_points_at_the_culprit() {
    let folder = folder(&[("a.smt2", b"(declare-const x Int)\n(assert (and true x))\n")]);
    let output = gainsay(folder.path(), &["a.smt2"]);
    assert_eq!(
        stderr(&output),
        "a.smt2:2:19: argument 2 of and is of sort Int, expected Bool\n(assert (and true x))\n                  ^\n"
    );
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn bad_files_cost_only_themselves() {
    let folder = folder(&[
        ("a/truncated.smt2", b"(assert (and true"),
        ("a/unbalanced.smt2", b"(assert true))"),
        ("a/nul.smt2", b"(assert \0)"),
        ("a/latin1.smt2", b"(assert (= s \"\xe4\"))"),
        ("a/empty.smt2", b""),
        ("a/blank.smt2", b" \n\t\n"),
        ("a/binary.smt2", &[0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0xff, 0xfe]),
        ("a/crlf.smt2", b"(declare-const x Int)\r\n(assert (< x 1))\r\n"),
        ("a/bom.smt2", b"\xef\xbb\xbf(check-sat)"),
        ("a/b/comment.smt2", b"; caf\xe9\n(check-sat)"),
        ("a/good.smt2", VALID_SCRIPT),
        ("a/ignored.txt", b"not a script"),
    ]);
    let output = gainsay(folder.path(), &["a", "--json"]);
    let json: Value = serde_json::from_str(stdout(&output).lines().last().unwrap()).unwrap();
    let count = |key: &str| json[key].as_u64().unwrap();
    assert_eq!((count("files"), count("read"), count("checked"), count("failed")), (11, 4, 4, 7), "{json}");
    let errors = json["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 7);
    for (file, line, column, message) in [
        ("truncated", 1, 18, "the end of the text"),
        ("unbalanced", 1, 14, "a closing parenthesis too many"),
        ("nul", 1, 9, "unexpected character (U+0000)"),
        ("latin1", 1, 15, "not UTF-8"),
        ("empty", 0, 0, "the file is empty"),
        ("blank", 0, 0, "the file is empty"),
        ("binary", 1, 1, "unexpected character"),
    ] {
        let error = errors.iter().find(|error| error["file"].as_str().unwrap().contains(file)).unwrap();
        assert_eq!((error["line"].as_u64(), error["column"].as_u64()), (Some(line), Some(column)), "{error}");
        assert!(error["message"].as_str().unwrap().contains(message), "{error}");
    }
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_path_that_leads_nowhere_is_an_error_and_the_rest_goes_on() {
    let folder = folder(&[("a.smt2", VALID_SCRIPT), ("none/readme.txt", b"no scripts here")]);
    let output = gainsay(folder.path(), &["missing.smt2", "none", "a.smt2", "/dev/null"]);
    let errors = stderr(&output);
    assert!(errors.contains("missing.smt2: cannot read: "), "{errors}");
    assert!(errors.contains("none: no *.smt2 or *.smt2.gz file in this folder"), "{errors}");
    assert!(errors.contains("/dev/null: not a regular file"), "{errors}");
    assert_eq!(stdout(&output), "4 files: 1 read, 1 sort-checked, 0 with opaque parts, 3 failed\n");
}

#[test]
fn a_script_that_is_well_formed_but_not_well_sorted_is_read_and_not_checked() {
    let folder = folder(&[("a.smt2", b"(assert 1)"), ("b.smt2", b"(assert (str.zorch 1))(zorch)")]);
    let output = gainsay(folder.path(), &["--json", "a.smt2", "b.smt2"]);
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(
        (&json["read"], &json["checked"], &json["opaque"]),
        (&2.into(), &1.into(), &1.into()),
        "{json}"
    );
}

#[test]
fn what_is_printed_is_the_script_and_nothing_else() {
    let folder = folder(&[("a.smt2", b"(declare-const |x| Int) ; c\n(assert (< (+ x 1) (* 2 (+ x 1))))")]);
    let output = gainsay(folder.path(), &["--print", "a.smt2"]);
    assert_eq!(stdout(&output), "(declare-const x Int)\n(assert (< (+ x 1) (* 2 (+ x 1))))\n");
    let output = gainsay(folder.path(), &["--print", "--share", "a.smt2"]);
    assert_eq!(stdout(&output), "(declare-const x Int)\n(assert (let ((s!0 (+ x 1))) (< s!0 (* 2 s!0))))\n");
}

#[test]
fn standard_input_is_a_file_like_any_other() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_gainsay"))
        .args(["parse", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(VALID_SCRIPT).unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = folder(&[("a.smt2", VALID_SCRIPT)]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_gainsay"))
        .current_dir(folder.path())
        .args(["parse", "--print", "a.smt2"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(!stderr(&output).contains("gainsay:"), "{}", stderr(&output));
}

#[test]
fn help_shows_how_it_is_used() {
    let output = gainsay(Path::new("."), &["--help"]);
    assert!(stdout(&output).contains("gainsay parse benchmarks/"), "{}", stdout(&output));
}
