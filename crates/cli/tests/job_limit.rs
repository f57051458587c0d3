//! Jobs and open files: a job per core fits on every machine, and more jobs than fit are refused with the number that would.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

mod support;

use std::process::Command;

use support::CliTest;

/// Runs gainsay by a shell that sets limits first.
fn with_limits(cli: &CliTest, limits: &str, arguments: &[&str]) -> (i32, String, String) {
    let plain = cli.command(arguments);
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &format!("{limits}; exec \"$0\" \"$@\"")]).arg(plain.get_program());
    command.args(plain.get_args()).env_clear();
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("PATH", "/usr/bin:/bin").current_dir(cli.folder.path());
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

fn test_folder() -> CliTest {
    let cli = CliTest::offline();
    cli.write("seeds/a.smt2", "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (> x 0))\n(check-sat)\n");
    let solver = "#!/bin/sh\ncat \"$1\" > /dev/null\necho sat\n";
    ["one", "two", "three"].iter().for_each(|name| drop(cli.write_program(name, solver)));
    cli
}

fn arguments<'a>(extra: &[&'a str], solvers: &'a [String]) -> Vec<&'a str> {
    let mut all = vec!["fuzz", "--seeds", "seeds", "--strategy", "operator", "--cases", "60", "--plain"];
    solvers.iter().for_each(|solver| all.extend(["--solver", solver]));
    all.extend(extra);
    all
}

fn solvers(cli: &CliTest) -> Vec<String> {
    ["one", "two", "three"].iter().map(|name| format!("generic={}", cli.path(name).display())).collect()
}

#[test]
fn more_jobs_than_fit_into_the_open_files_are_refused_with_the_number_that_fits() {
    let cli = test_folder();
    let solvers = solvers(&cli);
    let run = arguments(&["--jobs", "40", "--out", "a"], &solvers);
    let (code, _, errors) = with_limits(&cli, "ulimit -n 1024", &run);
    assert_eq!(code, 2, "{errors}");
    assert!(errors.contains("40 jobs") && errors.contains("use --jobs 11 or fewer"), "{errors}");
    assert!(!cli.path("a").exists(), "nothing was begun");
}

#[test]
fn the_soft_limit_of_open_files_is_raised() {
    let cli = test_folder();
    let solvers = solvers(&cli);
    let run = arguments(&["--jobs", "16", "--out", "b"], &solvers);
    let (code, output, errors) = with_limits(&cli, "ulimit -Sn 40", &run);
    assert_eq!(code, 0, "{output}{errors}");
    assert!(!output.contains("failed") && !output.contains("could not run"), "{output}");
}
