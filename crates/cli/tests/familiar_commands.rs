//! What people know from other tools: completions, manual pages, the version, grouped help, the arguments of ddSMT and of
//! yinyang's programs, and documents for CI servers.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

mod support;

use std::process::{Command, Stdio};

use support::{CliOutput, CliTest};

const SCRIPT: &str = "(set-logic QF_LIA)\n(declare-const x Int)\n(declare-const y Int)\n\
    (assert (and (< x 0) (= y (* 2 x))))\n(assert (distinct x 4711))\n(check-sat)\n";

/// A solver that answers scripts with an assertion as told, and others `sat`; PATH is empty, so the shell does it all.
fn solver(cli: &CliTest, name: &str, told: &str) -> String {
    let text = format!(
        "#!/bin/sh\nscript=$(while read -r line; do echo \"$line\"; done)\n\
         case \"$script\" in *assert*) {told};; *check-sat*) echo sat;; esac\n"
    );
    cli.write_program(name, &text)
}

/// The same as a program that no profile knows: it gets the script as a file.
fn file_solver(cli: &CliTest, name: &str, told: &str) -> String {
    let text = format!(
        "#!/bin/sh\nscript=$(while read -r line; do echo \"$line\"; done < \"$1\")\n\
         case \"$script\" in *assert*) {told};; *check-sat*) echo sat;; esac\n"
    );
    cli.write_program(name, &text)
}

fn ran(outcome: &CliOutput, code: i32) {
    assert_eq!(outcome.code, code, "{}\n{}", outcome.stdout, outcome.stderr);
}

#[test]
fn every_shell_gets_a_completion_script_and_bash_reads_it() {
    let cli = CliTest::offline();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let outcome = cli.run(&["completions", shell]);
        ran(&outcome, 0);
        assert!(outcome.stdout.contains("quickstart"), "{shell} does not complete commands");
    }
    let script = cli.write("gainsay.bash", &cli.run(&["completions", "bash"]).stdout);
    let read = Command::new("bash").args(["-n", &script]).stdin(Stdio::null()).output().unwrap();
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let cli = CliTest::offline();
    let folder = cli.path("man1");
    ran(&cli.run(&["man", "--out", folder.to_str().unwrap()]), 0);
    let help = cli.run(&["--help"]).stdout;
    let overview = help.split("Options:").next().unwrap();
    let commands = overview.lines().filter_map(|line| line.strip_prefix("  ")?.split("  ").next());
    let commands = commands.filter(|word| !word.is_empty() && !word.starts_with('-') && *word != "help");
    let mut count = 0;
    for command in commands {
        let page = std::fs::read_to_string(folder.join(format!("gainsay-{}.1", command.trim()))).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{page}");
        count += 1;
    }
    assert!(count > 15, "{help}");
    let fuzz = cli.run(&["man", "fuzz"]);
    ran(&fuzz, 0);
    assert_eq!(
        fuzz.stdout.trim_end(),
        std::fs::read_to_string(folder.join("gainsay-fuzz.1")).unwrap().trim_end()
    );
    ran(&cli.run(&["man", "fuz"]), 2);
}

#[test]
fn the_version_names_the_build() {
    let version = CliTest::offline().run(&["--version"]).stdout;
    let rest = version.trim_end().strip_prefix(concat!("gainsay ", env!("CARGO_PKG_VERSION"))).unwrap();
    let is_commit = |rest: &str| {
        let inner = rest.strip_prefix(" (").and_then(|rest| rest.strip_suffix(')')).unwrap_or_default();
        let (hash, date) = inner.split_once(' ').unwrap_or_default();
        hash.len() >= 7 && hash.chars().all(|c| c.is_ascii_hexdigit()) && date.len() == 10
    };
    assert!(rest.is_empty() || is_commit(rest), "{version}");
}

#[test]
fn the_help_shows_commands_by_task() {
    let help = CliTest::offline().run(&["--help"]).stdout;
    let place = |text: &str| help.find(text).unwrap_or_else(|| panic!("{text} is missing:\n{help}"));
    assert!(place("Find bugs:") < place("  fuzz"));
    assert!(place("Shrink:") < place("  reduce"));
    assert!(place("Manage findings:") < place("  triage"));
}

#[test]
fn ddsmt_takes_its_arguments_in_its_order() {
    let cli = CliTest::offline();
    let script = cli.write("in.smt2", SCRIPT);
    let body = "text=$(while read -r line; do echo \"$line\"; done < \"$2\")\n\
                case \"$text\" in *4711*) echo \"$1 bad\" >&2; exit 1;; esac";
    let command = cli.write_program("test.sh", &format!("#!/bin/sh\n{body}\n"));
    let out = cli.path("out.smt2");
    let words =
        ["ddsmt", "-j", "1", "--match-err", "bad", &script, out.to_str().unwrap(), &command, "--flag"];
    let outcome = cli.run(&words);
    ran(&outcome, 0);
    let reduced = std::fs::read_to_string(&out).unwrap();
    assert!(reduced.contains("4711") && reduced.len() < SCRIPT.len() / 2, "{reduced}");
    assert!(outcome.stderr.contains("the native command is: gainsay reduce"), "{}", outcome.stderr);
    ran(&cli.run(&words), 0);
    let refused = cli.run(&["ddsmt", "-c", "other", &script, out.to_str().unwrap(), &command]);
    ran(&refused, 2);
    assert!(refused.stderr.contains("--cross-check has no counterpart"), "{}", refused.stderr);
}

#[test]
fn opfuzz_takes_the_arguments_of_yinyang_and_fills_its_bugs_folder() {
    let cli = CliTest::offline();
    let seed = cli.write("seeds/seed.smt2", SCRIPT);
    let one = file_solver(&cli, "one", "echo sat");
    let two = file_solver(&cli, "two", "echo unsat");
    let [bugs, logs] = ["bugs", "logs"].map(|name| cli.path(name).display().to_string());
    let solvers = format!("{one};{two}");
    let outcome = cli.run(&[
        "opfuzz", "-i", "3", "-t", "5", "-q", "--seed", "1", "-b", &bugs, "-l", &logs, &solvers, &seed,
    ]);
    ran(&outcome, 10);
    assert!(
        outcome.stderr.contains("the native command is: gainsay fuzz --strategy operator"),
        "{}",
        outcome.stderr
    );
    let files: Vec<String> = std::fs::read_dir(bugs)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(!files.is_empty() && files.iter().all(|name| name.starts_with("incorrect-")), "{files:?}");
    ran(&cli.run(&["typefuzz", "z3 'a", &seed]), 2);
}

#[test]
fn a_campaign_file_of_the_project_is_found_from_below() {
    let cli = CliTest::offline();
    cli.write("project/seeds/seed.smt2", SCRIPT);
    let [one, two] = ["one", "two"].map(|name| file_solver(&cli, name, "echo unknown"));
    let plan = format!(
        "seeds = [\"seeds\"]\nsolvers = [\"generic={one}\", \"generic={two}\"]\nstrategies = [\"operator\"]\nrng_seed = 1\n\
         [budget]\ncases = 2\n"
    );
    cli.write("project/gainsay.toml", &plan);
    let below = cli.path("project/a/b");
    std::fs::create_dir_all(&below).unwrap();
    let output = cli.command(&["fuzz", "--json"]).current_dir(&below).output().unwrap();
    let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(errors.contains("project/gainsay.toml"), "{errors}");
    let summary: serde_json::Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert!(summary["folder"].as_str().unwrap().starts_with("gainsay-campaign"), "{summary}");
}

#[test]
fn check_writes_documents_for_ci_servers() {
    let cli = CliTest::offline();
    let script = cli.write("script.smt2", SCRIPT);
    let z3 = format!("z3={}", solver(&cli, "z3", "echo sat"));
    let bad = format!("cvc5={}", solver(&cli, "bad", "echo unsat"));
    let check = |other: &str, format: &str| {
        cli.run(&["check", &script, "--solver", &z3, "--solver", other, "--format", format])
    };
    let junit = check(&bad, "junit");
    ran(&junit, 10);
    assert!(junit.stdout.starts_with("<?xml") && junit.stdout.contains("failures=\"1\""), "{}", junit.stdout);
    let sarif: serde_json::Value = serde_json::from_str(&check(&bad, "sarif").stdout).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 1);
    let good = format!("cvc5={}", solver(&cli, "good", "echo sat"));
    let fine = check(&good, "junit");
    assert!(fine.stdout.contains("failures=\"0\""), "{}", fine.stdout);
}

#[test]
fn a_timeout_is_a_span_of_time_everywhere() {
    let cli = CliTest::offline();
    let script = cli.write("script.smt2", SCRIPT);
    let z3 = format!("z3={}", solver(&cli, "z3", "echo sat"));
    for timeout in ["10", "5s", "5000ms", "1m"] {
        ran(&cli.run(&["check", &script, "--solver", &z3, "--timeout", timeout]), 0);
    }
    for command in ["check", "bisect", "reduce"] {
        let outcome = cli.run(&[command, &script, "--solver", "z3", "--timeout", "soon"]);
        ran(&outcome, 2);
        assert!(outcome.stderr.contains("write 90s, 10m, 1h30m"), "{}", outcome.stderr);
    }
}

/// Runs `gainsay check` on a script with a solver that answers sat.
fn check(cli: &CliTest, flags: &[&str], no_color: Option<&str>) -> CliOutput {
    let script = cli.write("script.smt2", SCRIPT);
    let solver = file_solver(cli, "one", "echo sat");
    let solver = format!("generic={solver}");
    let words = [&["check", script.as_str(), "--solver", solver.as_str()][..], flags].concat();
    let mut command = cli.command(&words);
    command.env("TERM", "xterm");
    if let Some(value) = no_color {
        command.env("NO_COLOR", value);
    }
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    CliOutput {
        code: output.status.code().unwrap(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

#[test]
fn colours_come_on_request_only_and_never_against_it() {
    let cli = CliTest::offline();
    let is_coloured = |flags: &[&str], no_color| {
        let outcome = check(&cli, flags, no_color);
        let verdict = outcome.stdout.lines().last().unwrap();
        assert!(verdict.contains("verdict: "), "{}{}", outcome.stdout, outcome.stderr);
        verdict.contains('\u{1b}')
    };
    assert!(!is_coloured(&[], None), "standard output is a pipe");
    assert!(is_coloured(&["--color", "always"], None));
    assert!(is_coloured(&["--color=always"], Some("1")), "the flag is stronger than the variable");
    assert!(!is_coloured(&["--color", "never"], None));
    assert!(!is_coloured(&[], Some("1")));
    let help = |flags: &[&str]| cli.run(&[&["check", "--help"][..], flags].concat()).stdout;
    assert!(
        help(&["--color", "always"]).contains('\u{1b}') && !help(&["--color", "never"]).contains('\u{1b}')
    );
}

#[test]
fn quiet_silences_progress_and_verbose_names_programs_and_folders() {
    let cli = CliTest::offline();
    let script = cli.write("in.smt2", SCRIPT);
    let body = "text=$(while read -r line; do echo \"$line\"; done < \"$1\")\n\
                case \"$text\" in *4711*) exit 1;; esac";
    let command = cli.write_program("test.sh", &format!("#!/bin/sh\n{body}\n"));
    let loud = cli.run(&["reduce", &script, "--", &command]);
    ran(&loud, 0);
    assert!(loud.stderr.contains("keeping "), "{}", loud.stderr);
    let quiet = cli.run(&["reduce", "-q", "--force", &script, "--", &command]);
    ran(&quiet, 0);
    assert_eq!(quiet.stderr, "");
    assert!(quiet.stdout.contains("to reproduce: "), "the result is printed: {}", quiet.stdout);
    let (plain, verbose) = (check(&cli, &[], None), check(&cli, &["-v"], None));
    assert!(!plain.stderr.contains("solvers are installed in"), "{}", plain.stderr);
    let folder = cli.path("cache").display().to_string();
    assert!(verbose.stderr.contains(&format!("solvers are installed in {folder}")), "{}", verbose.stderr);
    assert!(verbose.stderr.contains("is ") && verbose.stderr.contains("one"), "{}", verbose.stderr);
    assert_eq!(verbose.stdout.lines().count(), plain.stdout.lines().count());
}
