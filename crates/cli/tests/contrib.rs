//! The files of `contrib/` and `action.yml` do what they say: the steps of the action are run as GitHub would run them, and
//! BenchExec runs gainsay and makes a table of it.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/repository.rs"]
mod repository;
mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use repository::repository;
use support::CliTest;

const SEED: &str =
    "(set-logic QF_LIA)\n(declare-const x Int)\n(assert (< x 0))\n(assert (distinct x 4711))\n(check-sat)\n";
/// The version of BenchExec that is tested.
const BENCHEXEC: &str = "benchexec==3.35";

/// The PATH of a machine that has gainsay installed.
fn path_with_gainsay() -> String {
    let folder = Path::new(env!("CARGO_BIN_EXE_gainsay")).parent().unwrap().display().to_string();
    format!("{folder}:{}", std::env::var("PATH").unwrap())
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A solver that reads a file and answers scripts with an assertion as told.
fn solver(cli: &CliTest, name: &str, told: &str) -> String {
    let text = format!(
        "#!/bin/sh\nscript=$(while read -r line; do echo \"$line\"; done < \"$1\")\n\
         case \"$script\" in *assert*) echo {told};; *check-sat*) echo sat;; esac\n"
    );
    format!("generic={}", cli.write_program(name, &text))
}

/// The shell commands of the steps of `action.yml`, by name.
fn shell_steps() -> Vec<(String, String)> {
    let action = std::fs::read_to_string(repository().join("action.yml")).unwrap();
    let steps = action.split("\n    - name: ").skip(1).map(|step| {
        let name = step.lines().next().unwrap().to_owned();
        let run = step.lines().find_map(|line| line.trim_start().strip_prefix("run: "));
        (name, run.map(str::to_owned))
    });
    steps.filter_map(|(name, run)| Some((name, run?))).collect()
}

/// The inputs that the action passes to its script, as `NAME: ${{ inputs.name }}`.
fn inputs() -> Vec<String> {
    let action = std::fs::read_to_string(repository().join("action.yml")).unwrap();
    let lines = action.lines().filter_map(|line| line.trim().split_once(": ${{ inputs."));
    lines
        .map(|(name, _)| name.to_owned())
        .filter(|name| name.chars().all(|c| c.is_ascii_uppercase()))
        .collect()
}

/// Runs the shell steps of the action in order, as GitHub does: `bash -e`, with inputs as variables.
fn night(cli: &CliTest, solvers: (&str, &str), known: &str) -> (i32, String, String) {
    let outputs = cli.write("outputs", "");
    let mut said = String::new();
    let mut code = 0;
    for (name, run) in shell_steps() {
        let mut step = Command::new("bash");
        step.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &run]).current_dir(cli.folder.path());
        step.env("PATH", path_with_gainsay())
            .env("HOME", cli.path("home"))
            .env("GAINSAY_CACHE", cli.path("cache"));
        step.env("GITHUB_ACTION_PATH", repository()).env("GITHUB_OUTPUT", &outputs);
        step.envs([
            ("SOLVER", solvers.0),
            ("REFERENCE", solvers.1),
            ("SEEDS", "seeds"),
            ("TIME", "10m"),
            ("JOBS", "1"),
        ]);
        step.envs([
            ("KNOWN", known),
            ("OUT", "nightly"),
            ("ARGUMENTS", "--cases 10 --rng-seed 1 --strategy operator --chain 5"),
        ]);
        step.env("PIP_INDEX_URL", support::UNREACHABLE_INDEX);
        let output = step.output().unwrap();
        said += &format!("{name}: {}", text(&output));
        code = output.status.code().unwrap();
        if code != 0 {
            break;
        }
    }
    (code, std::fs::read_to_string(outputs).unwrap(), said)
}

#[test]
fn the_action_fails_in_the_night_of_a_finding_only() {
    let expected = ["SOLVER", "REFERENCE", "SEEDS", "TIME", "KNOWN", "JOBS", "ARGUMENTS", "OUT"];
    assert_eq!(inputs(), expected, "the test passes the inputs that the action passes");
    let cli = CliTest::offline();
    cli.write("seeds/seed.smt2", SEED);
    let (right, wrong) = (solver(&cli, "right", "sat"), solver(&cli, "wrong", "unsat"));
    let (code, outputs, said) = night(&cli, (&wrong, &right), "known-by-us.txt");
    assert_eq!((code, outputs.as_str()), (10, "exit-code=10\n"), "{said}");
    let nights: Vec<PathBuf> =
        std::fs::read_dir(cli.path("nightly/nights")).unwrap().map(|night| night.unwrap().path()).collect();
    assert!(nights.len() == 1 && nights[0].join("report.html").is_file(), "{said}");
    let known = std::fs::read_to_string(cli.path("nightly/known.txt")).unwrap();
    assert!(known.lines().any(|line| line.starts_with("refutation generic ")), "{known}");
    assert!(known.contains("# 20"), "the night is noted: {known}");
    let (code, outputs, said) = night(&cli, (&wrong, &right), "known-by-us.txt");
    assert_eq!((code, outputs.as_str()), (0, "exit-code=0\n"), "known since yesterday: {said}");
    let fresh = CliTest::offline();
    fresh.write("seeds/seed.smt2", SEED);
    let (right, wrong) = (solver(&fresh, "right", "sat"), solver(&fresh, "wrong", "unsat"));
    fresh.write("known-by-us.txt", &known);
    assert_eq!(night(&fresh, (&wrong, &right), "known-by-us.txt").0, 0, "the file of the repository counts");
    assert_eq!(night(&fresh, (&right, &right.replace("right", "none")), "").0, 4, "a solver that is missing");
}

/// A Python with BenchExec, in the folder of cargo's temporary files; `None`, with a line that says so, without Python.
fn python_with_benchexec() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("benchexec");
    let python = folder.join("bin/python");
    let works = || {
        let import = Command::new(&python).args(["-c", "import benchexec"]).output();
        import.is_ok_and(|output| output.status.success())
    };
    if works() {
        return Some(python);
    }
    let made = Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder).output();
    if !made.is_ok_and(|output| output.status.success()) {
        eprintln!("not run: the module for BenchExec, because python3 -m venv does not work here");
        return None;
    }
    let installed =
        Command::new(&python).args(["-m", "pip", "install", "--quiet", BENCHEXEC]).output().unwrap();
    assert!(installed.status.success() && works(), "cannot install {BENCHEXEC}: {}", text(&installed));
    Some(python)
}

#[test]
fn benchexec_runs_gainsay_and_makes_a_table() {
    let Some(python) = python_with_benchexec() else { return };
    let cli = CliTest::offline();
    cli.write("fine.smt2", SEED);
    cli.write("wrong.smt2", &SEED.replace("4711", "4712"));
    let program = "#!/bin/sh\nscript=$(while read -r line; do echo \"$line\"; done < \"$1\")\n\
                   case \"$script\" in *4712*) echo unsat;; *check-sat*) echo sat;; esac\n";
    let wrong = format!("generic={}", cli.write_program("wrong", program));
    let right = solver(&cli, "right", "sat");
    let example = std::fs::read_to_string(repository().join("contrib/benchexec/example.xml")).unwrap();
    let definition = example.replace("z3@latest", &wrong).replace("cvc5@latest", &right);
    assert_ne!(definition, example);
    let file = cli.write("example.xml", &definition);
    let run = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(python.with_file_name(program));
        command.args(arguments).current_dir(cli.folder.path());
        command.env("PATH", path_with_gainsay()).env("PYTHONPATH", repository().join("contrib/benchexec"));
        command.env("GAINSAY_CACHE", cli.path("cache")).env("HOME", cli.path("home"));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
    };
    run("benchexec", &["--no-container", "--outputpath", "results/", &file]);
    let results = |ending: &str| {
        let files = std::fs::read_dir(cli.path("results")).unwrap().map(|file| file.unwrap().path());
        let mut files = files.filter(|path| path.display().to_string().ends_with(ending));
        files.next().unwrap().display().to_string()
    };
    run("table-generator", &["--format", "csv", &results(".xml.bz2")]);
    let table = std::fs::read_to_string(results(".csv")).unwrap();
    let row = |name: &str| table.lines().find(|line| line.contains(name)).unwrap_or_default().to_owned();
    assert!(row("wrong.smt2").contains("false(") && row("wrong.smt2").contains(" unsat; "), "{table}");
    assert!(!row("fine.smt2").contains("false") && row("fine.smt2").contains(" sat; "), "{table}");
}
