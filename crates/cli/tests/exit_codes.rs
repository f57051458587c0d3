//! Exit codes: one table for all commands, in the help and in the book, and the code of every kind of trouble.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "../../solvers/tests/support/index.rs"]
mod index;
#[path = "support/repository.rs"]
mod repository;
mod support;
#[path = "support/z3_index.rs"]
mod z3_index;

use repository::repository;
use support::{CliOutput, CliTest};

const SCRIPT: &str = "(set-logic QF_LIA)\n(declare-const x Int)\n(assert (< x 1))\n(check-sat)\n";

/// A solver that rejects every script with the word `refuse`. It uses built-in commands of the shell only: there is no PATH.
const PICKY_SOLVER: &str = "#!/bin/sh\n\
    case \"$1\" in --version) echo 'Z3 version 4.8.10'; exit;; esac\n\
    for word; do [ -f \"$word\" ] && exec <\"$word\"; done\n\
    said=sat\n\
    while read -r line; do case \"$line\" in *refuse*) said='(error \"line 1 column 1: refused\")';; esac; done\n\
    echo \"$said\"\n";

/// A folder with a solver, whose name is returned.
fn with_solver() -> (CliTest, String) {
    let cli = CliTest::offline();
    let solver = format!("z3={}", cli.write_program("solver", PICKY_SOLVER));
    (cli, solver)
}

fn said(output: &CliOutput) -> String {
    format!("{}{}", output.stdout, output.stderr)
}

/// Runs a command and compares its exit code, and a part of its errors.
fn expect(cli: &CliTest, words: &[&str], code: i32, part: &str) {
    let output = cli.run(words);
    assert_eq!(output.code, code, "{words:?}: {}", said(&output));
    assert!(output.stderr.contains(part), "{words:?}: {}", said(&output));
}

#[test]
fn the_help_and_the_book_list_the_same_codes() {
    let help = CliTest::offline().run(&["--help"]).stdout;
    let (_, codes) = help.split_once("Exit codes of all commands:\n").unwrap();
    let codes: Vec<(&str, &str)> = codes
        .lines()
        .map_while(|line| line.trim().split_once(' '))
        .map(|(code, text)| (code, text.trim()))
        .collect();
    let book = repository().join("docs/introduction.md");
    let book = std::fs::read_to_string(book).unwrap();
    let rows = book.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "));
    let rows: Vec<(&str, &str)> = rows.filter(|(code, _)| code.parse::<u8>().is_ok()).collect();
    assert_eq!(codes, rows);
    assert_eq!(codes.len(), 8);
}

#[test]
fn a_script_that_nothing_can_read_is_wrong_input() {
    let (cli, solver) = with_solver();
    let script = |name: &str, text: &str| cli.write(name, text);
    let cases = [
        (script("open.smt2", "(assert (refuse\n"), "open.smt2: 1:1: the text ends with 2 parentheses open"),
        (script("unknown.smt2", "(assert refuse)\n(check-sat)\n"), "unknown.smt2: 1:9: "),
        (script("silent.smt2", "; refuse\n(assert true)\n"), "silent.smt2: the script has no (check-sat)"),
        ("nowhere.smt2".to_owned(), "cannot read nowhere.smt2: No such file"),
    ];
    for (script, part) in &cases {
        expect(&cli, &["check", script, "--solver", &solver], 2, part);
    }
    for (script, part) in &cases {
        expect(&cli, &["bisect", script, "--solver", "z3", "--installed"], 2, part);
    }
    assert_eq!(cli.run(&["parse", &cases[0].0]).code, 2);
    assert_eq!(cli.run(&["parse", &script("fine.smt2", SCRIPT)]).code, 0);
}

#[test]
fn a_script_that_no_solver_answers_is_not_called_fine() {
    let (cli, solver) = with_solver();
    let script = cli.write("refused.smt2", &format!("; refuse\n{SCRIPT}"));
    let part = "no solver answered, so nothing was checked: z3=";
    expect(&cli, &["check", &script, "--solver", &solver], 6, part);
    let fine = cli.write("fine.smt2", SCRIPT);
    expect(&cli, &["check", &fine, "--solver", &solver], 0, "");
}

#[test]
fn an_answer_that_does_not_count_is_no_answer() {
    let cli = CliTest::offline();
    let program = "#!/bin/sh\ncase \"$1\" in --version) echo 'Z3 version 4.8.10'; exit;; esac\n\
        for word; do [ -f \"$word\" ] && exec <\"$word\"; done\n\
        while read -r line; do case \"$line\" in *assert*) echo '(error \"line 3 column 9: unknown constant\")';; esac; done\n\
        echo sat\n";
    let solver = format!("z3={}", cli.write_program("solver", program));
    let script = cli.write("script.smt2", SCRIPT);
    let part = "no answer of a solver counts, so nothing was checked: z3=";
    expect(&cli, &["check", &script, "--solver", &solver], 6, part);
    let right = format!("z3={}", cli.write_program("right", PICKY_SOLVER));
    expect(&cli, &["check", &script, "--solver", &solver, "--solver", &right], 0, "");
}

#[test]
fn a_packed_script_is_read() {
    let (cli, solver) = with_solver();
    // `(check-sat)\n` as gzip without compression.
    let text = b"(check-sat)\n";
    let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend((!(text.len() as u16)).to_le_bytes());
    bytes.extend(text);
    bytes.extend(crc32(text).to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    std::fs::write(cli.path("packed.smt2.gz"), bytes).unwrap();
    let path = cli.path("packed.smt2.gz").display().to_string();
    let checked = cli.run(&["check", &path, "--solver", &solver]);
    assert_eq!(checked.code, 0, "{}", said(&checked));
    assert!(checked.stdout.contains(" sat "), "{}", said(&checked));
    assert_eq!(cli.run(&["parse", &path]).code, 0);
}

/// The checksum of gzip.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(
            crc ^ u32::from(*byte),
            |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 },
        )
    };
    !bytes.iter().fold(!0, step)
}

#[test]
fn what_is_no_model_is_wrong_input() {
    let cli = CliTest::offline();
    let script = cli.write("script.smt2", SCRIPT);
    let cases = [
        ("hello\n", 2, "there is no model in this text"),
        ("", 2, "there is no model in this text"),
        (SCRIPT, 2, "this is a script, not a model"),
        ("sat\n(\n  (define-fun x () Int 5)\n)\n", 10, ""),
        ("(\n  (define-fun x () Int 0)\n)\n", 0, ""),
    ];
    for (text, code, part) in cases {
        expect(&cli, &["eval", &script, "--model", &cli.write("model.txt", text)], code, part);
    }
}

#[test]
fn a_command_that_made_nothing_says_so_and_why() {
    let cli = CliTest::offline();
    let script = cli.write("script.smt2", SCRIPT);
    let mutate = ["mutate", "--strategy", "horn", "--seeds", &script, "-n", "4", "--discard"];
    expect(&cli, &mutate, 6, "no case was made: no system of Horn clauses");
    let generate = ["generate", "--theory", "fp", "--operator", "fp.add", "-n", "2", "--discard"];
    expect(&cli, &generate, 6, "no script over fp could be generated");
    expect(&cli, &[&mutate[..5], &["-n", "0", "--discard"]].concat(), 2, "invalid value '0'");
}

#[test]
fn a_path_that_cannot_be_written_is_the_users_mistake() {
    let (cli, solver) = with_solver();
    let file = cli.write("file.smt2", SCRIPT);
    let folder = cli.folder.path().display().to_string();
    let below = format!("{file}/below");
    let mutate = ["mutate", "--strategy", "operator", "--seeds", &file, "-n", "2"];
    let fuzz = ["fuzz", "--seeds", &file, "--solver", &solver, "--cases", "1"];
    expect(&cli, &[&fuzz[..], &["--out", &file]].concat(), 2, "is a file; name a folder");
    expect(&cli, &[&fuzz[..], &["--out", &below]].concat(), 2, "is a file; name a folder");
    expect(&cli, &[&mutate[..], &["--out", &file]].concat(), 2, "is a file; name a folder");
    expect(&cli, &[&mutate[..], &["--out", &below]].concat(), 2, "cannot write ");
    expect(&cli, &["reduce", &file, "--solver", &solver, "--out", &folder], 2, "is a folder; name a file");
}

#[test]
fn an_environment_without_a_home_is_the_users_mistake() {
    let cli = CliTest::offline();
    let output = cli.command(&["solvers", "list"]).env_clear().output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("set HOME or GAINSAY_CACHE"));
}

#[test]
fn a_solver_that_does_not_exist_is_wrong_usage_and_a_missing_release_is_a_missing_solver() {
    let index = z3_index::serve(&[("4.8.5", "sat"), ("4.8.17", "sat"), ("4.12.1", "sat")]);
    let cli = CliTest::new(&index.address);
    let script = cli.write("script.smt2", SCRIPT);
    let commands: [&[&str]; 6] = [
        &["check", &script, "--solver", "SOLVER"],
        &["reduce", &script, "--solver", "SOLVER"],
        &["fuzz", "--seeds", &script, "--cases", "1", "--solver", "SOLVER"],
        &[
            "mutate",
            "--strategy",
            "operator",
            "--seeds",
            &script,
            "-n",
            "1",
            "--discard",
            "--solver",
            "SOLVER",
        ],
        &["perf", "--target", "SOLVER", "--reference", "z3@4.8.5", "--theory", "int", "--queries", "1"],
        &["bisect", &script, "--solver", "z3", "--reference", "SOLVER"],
    ];
    for words in commands {
        let named =
            |name| words.iter().map(|&word| if word == "SOLVER" { name } else { word }).collect::<Vec<_>>();
        expect(&cli, &named("z4@4.8.5"), 2, "unknown solver `z4` (did you mean `z3`?)");
        let missing = "z3 has no version 4.9.0 for ";
        expect(&cli, &named("z3@4.9.0"), 4, missing);
        // 4.8.5 has the smaller last number, and is not the nearest.
        expect(&cli, &named("z3@4.9.0"), 4, "(the nearest is 4.8.17)");
        let output = cli.run(&named("z3@4.9.0"));
        assert!(!output.stderr.contains("solvers install"), "{}", said(&output));
    }
    let downloads = index.requests().iter().filter(|request| request.contains("4.9.0")).count();
    assert_eq!(downloads, 0, "{:?}", index.requests());
}
