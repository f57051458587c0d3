//! The book and the README are true: their links lead somewhere, every page is in the table of contents, and their commands run.
//!
//! Every command of a code block is run in a folder that has the files which the book talks about. Budgets are cut to seconds,
//! and downloads of many releases to one, by the table [`CUTS`]; all else runs as it stands.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/repository.rs"]
mod repository;
#[path = "support/real_solvers.rs"]
mod solvers;
mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use gainsay_engine::solver::resolve::Program;
use repository::repository;
use support::CliTest;

/// What is shortened in commands, so that the test ends in minutes.
const CUTS: &[(&str, &str)] = &[
    ("--time 8h", "--time 2s"),
    ("--time 30m", "--time 2s"),
    ("--time 10m", "--time 4s"),
    ("--time 1h", "--time 2s"),
    ("-n 100 ", "-n 5 "),
    ("-n 20 ", "-n 5 "),
    ("--versions 4.8.6..4.12.2 --all", "--versions 4.8.10..4.8.11"),
    ("z3@4.8.8..4.8.17", "z3@4.8.10..4.8.11"),
    ("bisect bug.smt2 --solver z3 ", "bisect bug.smt2 --solver z3 --installed "),
    ("bisect small.smt2 --solver z3 ", "bisect small.smt2 --solver z3 --installed "),
    ("coverage corpus", "coverage few"),
    ("distill corpus", "distill few"),
    ("--seeds corpus ", "--seeds few "),
    ("cvc5 -q", "cvc5@1.4.2 -q"),
    ("z3@4.12.1", "z3@4.8.10"),
    ("z3@latest", "z3@5.4.0"),
    ("cvc5@latest", "cvc5@1.4.2"),
    ("spacer@latest", "spacer@5.4.0"),
];

/// Commands that are run elsewhere, with the place.
const RUN_ELSEWHERE: &[(&str, &str)] = &[
    ("gainsay quickstart", ".ci/quickstart"),
    ("gainsay fuzz --resume", "crates/cli/tests/fuzz.rs: it needs a campaign that was stopped"),
    ("gainsay replay nightly 4711", "crates/cli/tests/replayed_case.rs: the campaign has fewer cases"),
    ("--repository", "crates/cli/tests/bisect.rs: it needs a repository of a solver"),
    ("FOLDER/", "the folder of quickstart; tests of check and reduce"),
    ("DIR", "a name to replace"),
    ("gainsay help", "crates/cli/src/help.rs"),
    ("z3.info", "crates/cli/tests/coverage.rs: it needs a build with line tables"),
    ("import-coverage", "crates/cli/tests/coverage.rs: it needs an instrumented build"),
    ("gainsay fleet ", "the tests of fleet: it needs a cluster"),
    ("postgres://", "crates/cli/tests/fleet.rs: it needs a server"),
    ("gainsay serve ", "crates/cli/tests/serve.rs: it ends only when it is stopped"),
    ("gainsay-nightly/nights", "crates/cli/tests/contrib.rs"),
    ("ASSERTION VIOLATION", "crates/cli/tests/familiar_commands.rs: it needs a solver that crashes"),
    ("best-01.reduced.smt2", "the output of an example of perf"),
];

/// A wrong answer of z3 4.8.10, which also has a model.
const BUG: &str =
    "(assert (forall ((x Float32)) (not (fp.isNegative (fp.max x (_ -zero 8 24))))))\n(check-sat)\n";
const SCRIPT: &str = "(set-logic QF_LIA)\n(declare-const x Int)\n(declare-const y Int)\n(assert (! (> x 1) :named a))\n\
    (assert (< (+ x y) 9))\n(check-sat)\n";

/// What Boogie, and with it Dafny, sends to z3.
const BOOGIE_LOG: &str = "(set-option :print-success false)\n(set-option :auto_config false)\n(set-option :smt.mbqi false)\n\
    (declare-fun tickleBool (Bool) Bool)\n(assert (and (tickleBool true) (tickleBool false)))\n(push 1)\n\
    (declare-fun ControlFlow (Int Int) Int)\n(declare-fun x@0 () Int)\n(set-option :timeout 0)\n(set-option :rlimit 0)\n\
    (set-info :boogie-vc-id Impl$$_module.__default.m)\n\
    (assert (not (=> (= (ControlFlow 0 0) 2) (=> (= (ControlFlow 0 2) (- 0 1)) (> x@0 0)))))\n(check-sat)\n\
    (get-info :reason-unknown)\n(pop 1)\n(reset)\n";

/// The pages of the book, the README and others that users read.
fn pages() -> Vec<(PathBuf, String)> {
    let folder = std::fs::read_dir(repository().join("docs")).unwrap().map(|file| file.unwrap().path());
    let pages = folder.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let others =
        ["README.md", "CONTRIBUTING.md", "corpus/README.md", "bugs/README.md", "experiments/README.md"];
    let all = pages.chain(others.map(|name| repository().join(name)));
    let mut all: Vec<(PathBuf, String)> =
        all.map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect();
    all.sort();
    all
}

/// The anchors of a page's headings, as GitHub and mdbook make them.
fn anchors(text: &str) -> Vec<String> {
    let heading =
        |line: &str| line.strip_prefix('#').map(|rest| rest.trim_start_matches('#').trim().to_lowercase());
    let anchor = |title: String| -> String {
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    text.lines().filter_map(heading).map(anchor).collect()
}

#[test]
fn every_link_leads_to_a_file_and_a_heading_that_exist() {
    let (mut count, mut broken) = (0, Vec::new());
    for (path, text) in pages() {
        let blocks: String = text.split("```").step_by(2).collect();
        for link in blocks.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") {
                continue;
            }
            count += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            let is_there = anchor.is_empty()
                || std::fs::read_to_string(&target)
                    .is_ok_and(|text| anchors(&text).iter().any(|one| one == anchor));
            if !target.exists() || !is_there {
                broken.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(count > 40, "only {count} links were found");
}

#[test]
fn every_page_is_in_the_table_of_contents_and_stays_within_the_book() {
    let contents = std::fs::read_to_string(repository().join("docs/SUMMARY.md")).unwrap();
    for (path, text) in pages() {
        let Ok(name) = path.strip_prefix(repository().join("docs")) else { continue };
        let is_listed = contents.contains(&format!("]({})", name.display()));
        assert!(
            is_listed || name == Path::new("SUMMARY.md"),
            "docs/SUMMARY.md does not list {}",
            name.display()
        );
        assert!(!text.contains("](../"), "{} links out of the book", path.display());
    }
}

/// The lines of code blocks that run gainsay, without comments and redirections.
fn commands(text: &str) -> Vec<String> {
    let blocks = text.split("\n```").skip(1).step_by(2);
    let lines =
        blocks.flat_map(|block| block.replace("\\\n", " ").lines().map(str::to_owned).collect::<Vec<_>>());
    let lines = lines
        .map(|line| line.trim_start_matches("$ ").to_owned())
        .filter(|line| line.starts_with("gainsay "));
    let cut = |line: String| {
        let end = [" #", " > ", " | ", " || "].iter().filter_map(|mark| line.find(mark)).min();
        line[..end.unwrap_or(line.len())].trim_end().to_owned()
    };
    lines.map(cut).collect()
}

/// A folder with the files and programs that the book talks about.
fn furnished() -> CliTest {
    let cli = CliTest::with_real_solvers();
    for name in ["bug.smt2", "small.smt2"] {
        cli.write(name, BUG);
    }
    for name in [
        "script.smt2",
        "a.smt2",
        "b.smt2",
        "benchmarks/a.smt2",
        "regressions/a.smt2",
        "regress/a.smt2",
        "others/a.smt2",
        "few/a.smt2",
        "few/b.smt2",
        "seeds/a.smt2",
    ] {
        cli.write(name, SCRIPT);
    }
    cli.write("path/to/benchmarks/a.smt2", SCRIPT);
    cli.write("benchmarks/b.smt2", BUG);
    cli.write(
        "few/b.smt2",
        "(set-logic QF_BV)\n(declare-const x (_ BitVec 4))\n(assert (= (bvmul x x) #x1))\n(check-sat)\n",
    );
    cli.write(
        "core.smt2",
        &format!(
            "(set-option :produce-unsat-cores true)\n{}(get-unsat-core)\n",
            SCRIPT.replace("(check-sat)", "(assert (! (< x 0) :named b))\n(check-sat)")
        ),
    );
    cli.write("model.txt", "((define-fun x () Int 2) (define-fun y () Int 0))\n");
    cli.write(
        "broken.smt2",
        "(declare-const s String)\n(declare-const i Int)\n(assert (= s (str.at s \"1\")))\n",
    );
    cli.write("known.txt", "");
    cli.write("log.smt2", BOOGIE_LOG);
    cli.write(
        "nightly.toml",
        "rng_seed = 1\nseeds = [\"benchmarks\"]\nsolvers = [\"z3@4.8.10\", \"z3@5.4.0\"]\n[budget]\ntime = \"2s\"\n",
    );
    cli.write_program("crashes.sh", "#!/bin/sh\ngrep -q fp.max \"$1\" && exit 1\nexit 0\n");
    let functions = cli.run(&["fusion", "generate", "--theory", "int", "-n", "2", "--out", "functions.txt"]);
    assert_eq!(functions.code, 0, "{}", functions.stderr);
    let system = std::fs::read_dir(repository().join("corpus/chc")).unwrap().map(|file| file.unwrap().path());
    let system = system.filter(|path| path.extension().is_some_and(|ending| ending == "smt2")).min().unwrap();
    std::fs::copy(system, cli.path("system.smt2")).unwrap();
    for name in ["corpus", "bugs"] {
        std::os::unix::fs::symlink(repository().join(name), cli.path(name)).unwrap();
    }
    for (name, place) in [("z3@5.4.0", "bin/z3"), ("z3@5.4.0", "old/z3"), ("z3@4.8.10", "build/z3")] {
        let Program::Binary { path, .. } = solvers::solver(name).program else {
            panic!("{name} is no program")
        };
        std::fs::create_dir_all(cli.path(place).parent().unwrap()).unwrap();
        std::fs::copy(path, cli.path(place)).unwrap();
    }
    cli
}

/// Removes what a command is going to write, as its reader would have done, and puts back what it is going to read.
fn clear(cli: &CliTest, command: &str) {
    cli.write("small.smt2", BUG);
    let words: Vec<&str> = command.split_whitespace().collect();
    let named = words.windows(2).filter(|pair| pair[0] == "--out").map(|pair| pair[1]);
    let joined = words.get(2).copied().filter(|_| words.get(1) == Some(&"merge"));
    let named = named.chain(joined);
    let is_second = command.contains("bug.smt2 small.smt2");
    for name in named.chain(["bug.reduced.smt2"]).chain(is_second.then_some("small.smt2")) {
        let place = cli.path(name);
        let _ = if place.is_dir() { std::fs::remove_dir_all(place) } else { std::fs::remove_file(place) };
    }
}

#[test]
fn every_command_of_the_book_runs() {
    let cli = furnished();
    let (mut ran, mut failed) = (0, Vec::new());
    for (path, text) in pages().into_iter().filter(|(path, _)| !path.ends_with("CONTRIBUTING.md")) {
        for written in commands(&text) {
            if RUN_ELSEWHERE.iter().any(|(mark, _)| written.contains(mark)) {
                continue;
            }
            let cut =
                CUTS.iter().fold(format!("{written} "), |line, (long, short)| line.replace(long, short));
            let is_endless =
                cut.starts_with("gainsay fuzz") && !cut.contains("--time") && !cut.contains(".toml");
            let is_search = cut.starts_with("gainsay perf ") || cut.starts_with("gainsay localize ");
            let more = match () {
                // A drawn random seed may draw only strategies that skip the seed.
                () if is_endless => "--cases 20 --rng-seed 1 ",
                () if is_search && !cut.contains("--time") => "--queries 5 ",
                () if cut.starts_with("gainsay opfuzz") => "-i 2 ",
                () if cut.starts_with("gainsay triage ") => "--installed --reduce-checks 20 ",
                () => "",
            };
            clear(&cli, &cut);
            let line = format!("exec {} {more}", cut.trim_end()).replacen(
                "exec gainsay",
                &format!("exec '{}'", env!("CARGO_BIN_EXE_gainsay")),
                1,
            );
            let line = if cut.starts_with("gainsay reduce") || cut.starts_with("gainsay ddsmt") {
                cut.replacen("gainsay", &format!("exec '{}'", env!("CARGO_BIN_EXE_gainsay")), 1)
            } else {
                line
            };
            let search = format!("{}:{}", cli.path("bin").display(), std::env::var("PATH").unwrap());
            let output = Command::new("sh")
                .args(["-c", &line])
                .current_dir(cli.folder.path())
                .env("PATH", search)
                .stdin(std::process::Stdio::null())
                .output()
                .unwrap();
            let code = output.status.code().unwrap_or(-1);
            let is_parse_error = written.contains("broken.smt2");
            ran += 1;
            if !(code == 0 || code == 10 || is_parse_error && code == 2) {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                failed.push(format!(
                    "{}: {line}: {code}: {}",
                    path.file_name().unwrap().display(),
                    said.lines().last().unwrap_or_default()
                ));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(ran > 40, "only {ran} commands were run");
}
