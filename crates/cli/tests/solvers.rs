//! `gainsay solvers …` as a user sees it: lines, JSON and exit codes, against an index of our own.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "../../solvers/tests/support/index.rs"]
mod index;
mod support;
#[path = "support/z3_index.rs"]
mod z3_index;

use index::PackageIndexServer;
use support::CliTest;

/// An index with versions of something that looks like z3.
fn serve(versions: &[&str]) -> PackageIndexServer {
    z3_index::serve(&versions.iter().map(|version| (*version, "sat")).collect::<Vec<_>>())
}

#[test]
fn install_list_and_remove_say_what_they_did() {
    let index = serve(&["4.8.10", "4.8.11"]);
    let cli = CliTest::new(&index.address);
    let installed = cli.run(&["solvers", "install", "z3@4.8.10", "z3"]);
    assert_eq!(
        (installed.stdout.as_str(), installed.code),
        ("z3@4.8.10 installed\nz3@4.8.11 installed\n", 0)
    );
    let before = index.requests();
    let again = cli.run(&["solvers", "install", "z3@4.8.10"]);
    assert_eq!(again.stdout, "z3@4.8.10 is already installed\n");
    assert_eq!(index.requests(), before);
    let listed = cli.run(&["solvers", "list"]);
    assert!(
        listed.stdout.starts_with("z3@4.8.10 ") && listed.stdout.lines().count() == 2,
        "{}",
        listed.stdout
    );
    let available = cli.run(&["solvers", "list", "--available", "z3"]);
    assert_eq!(available.stdout, "z3@4.8.10\nz3@4.8.11\n");
    let removed = cli.run(&["solvers", "remove", "z3@4.8.11"]);
    assert_eq!((removed.stdout.as_str(), removed.code), ("z3@4.8.11 removed\n", 0));
    assert_eq!(cli.run(&["solvers", "remove", "z3"]).stdout, "z3@4.8.10 removed\n");
    assert!(cli.run(&["solvers", "list"]).stdout.starts_with("no solvers; run"));
}

#[test]
fn json_is_the_last_line_and_names_everything() {
    let index = serve(&["4.8.10"]);
    let cli = CliTest::new(&index.address);
    let installed = cli.json(&["solvers", "install", "z3@4.8.10", "z3@1.0", "--json"]);
    assert_eq!(installed["installed"][0]["solver"], "z3");
    assert_eq!(installed["installed"][0]["version"], "4.8.10");
    assert_eq!(installed["errors"].as_array().unwrap().len(), 1);
    assert_eq!(cli.json(&["solvers", "list", "--json"])["installed"][0]["version"], "4.8.10");
    assert_eq!(cli.json(&["solvers", "list", "--available", "z3", "--json"])["available"][0], "4.8.10");
    assert_eq!(cli.json(&["solvers", "remove", "z3", "--json"])["removed"][0], "z3@4.8.10");
}

#[test]
fn the_self_test_finds_what_a_solver_cannot_do() {
    let index = serve(&["4.8.10"]);
    let cli = CliTest::new(&index.address);
    cli.run(&["solvers", "install", "z3@4.8.10"]);
    let checked = cli.run(&["solvers", "check", "z3@4.8.10"]);
    assert_eq!(checked.code, 4);
    assert!(
        checked.stdout.contains("version ok, sat ok, unsat FAILED (expected unsat, got sat)"),
        "{}",
        checked.stdout
    );
    let json = cli.json(&["solvers", "check", "--json"]);
    assert_eq!(json["passed"], false);
}

#[test]
fn trouble_is_one_clear_line_with_its_exit_code() {
    let index = serve(&["4.8.10"]);
    let cli = CliTest::new(&index.address);
    let cases = [
        ("z3@4.8.12", 4, "z3 has no version 4.8.12 for"),
        ("z4", 2, "unknown solver `z4` (did you mean `z3`?)"),
        ("mathsat", 4, "gainsay cannot install mathsat: its profile names no package that holds the program"),
        ("generic@latest", 4, "gainsay cannot install generic: its profile names no package"),
        ("z3@new", 2, "`new` is not a version"),
    ];
    for (request, code, line) in cases {
        let run = cli.run(&["solvers", "install", request]);
        assert_eq!((run.code, run.stderr.lines().count()), (code, 1), "{request}: {}", run.stderr);
        assert!(run.stderr.starts_with(&format!("gainsay: {line}")), "{request}: {}", run.stderr);
    }
    let unreachable = CliTest::offline().run(&["solvers", "install", "z3"]);
    assert_eq!(unreachable.code, 4);
    assert!(
        unreachable.stderr.starts_with("gainsay: cannot reach http://127.0.0.1:1/simple/z3-solver/"),
        "{}",
        unreachable.stderr
    );
}

#[test]
fn a_cache_that_is_a_file_is_the_users_mistake() {
    let index = serve(&["4.8.10"]);
    let cli = CliTest::new(&index.address);
    std::fs::write(cli.folder.path().join("cache"), "x").unwrap();
    let run = cli.run(&["solvers", "install", "z3"]);
    assert_eq!((run.code, run.stderr.lines().count()), (2, 1), "{}", run.stderr);
    assert!(run.stderr.contains("GAINSAY_CACHE"), "{}", run.stderr);
}

#[test]
fn a_profile_of_the_user_makes_a_solver_known_and_a_wrong_one_is_explained() {
    let cli = CliTest::offline();
    let folder = cli.folder.path().join("config/solvers");
    std::fs::create_dir_all(&folder).unwrap();
    let profile = "name = \"mine\"\ntitle = \"Mine\"\nfamily = \"mine\"\ncommand = [\"mine\"]\noption_form = \"-x\"\n\
                   drivers = [\"plain\"]\nlogics = [\"*\"]\n[input]\nfile = []\n";
    std::fs::write(folder.join("mine.toml"), profile).unwrap();
    let run = cli.run(&["solvers", "install", "mine"]);
    assert!(run.stderr.starts_with("gainsay: gainsay cannot install mine: "), "{}", run.stderr);
    std::fs::write(folder.join("mine.toml"), profile.replace("logics", "logic")).unwrap();
    let run = cli.run(&["solvers", "list"]);
    assert_eq!(run.code, 0, "a profile concerns its solver only");
    assert!(
        run.stderr.contains("mine.toml:7: unknown key `logic` (did you mean `logics`?)"),
        "{}",
        run.stderr
    );
}
