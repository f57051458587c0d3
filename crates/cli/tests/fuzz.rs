//! `gainsay fuzz` as a user meets it: real solvers, a real bug, and everything that can be wrong with a plan.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/real_solvers.rs"]
mod solvers;
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use solvers::REAL_SOLVERS;
use support::{CliOutput, CliTest};

/// Satisfiable: no remainder of a division by zero is negative. With `fp.max` or `fp.min` for `fp.rem` it is not, since both
/// may give a negative zero, and z3 4.8.10 says sat all the same.
const FLOAT_SEED: &str = "(set-logic FP)\n(set-info :status sat)\n\
    (assert (forall ((x Float16)) (not (fp.isNegative (fp.rem x (_ -zero 5 11))))))\n(check-sat)\n";
const ARITHMETIC_SEED: &str =
    "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (< x (+ x 1)))\n(check-sat)\n";

/// Runs `gainsay fuzz` with real solvers in a folder with one seed.
struct FuzzTest {
    cli: CliTest,
}

impl FuzzTest {
    fn new(seed: &str) -> Self {
        let cli = CliTest::with_real_solvers();
        cli.write("seeds/seed.smt2", seed);
        FuzzTest { cli }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.cli.path(name)
    }

    fn file(&self, name: &str, text: &str) {
        self.cli.write(name, text);
    }

    fn command(&self, arguments: &[&str]) -> Command {
        self.cli.command(arguments)
    }

    fn run(&self, arguments: &[&str]) -> CliOutput {
        self.cli.run(arguments)
    }

    fn fuzz(&self, arguments: &[&str]) -> CliOutput {
        self.run(&[&["fuzz"], arguments].concat())
    }

    /// The error that `fuzz` ends with: exit code, and its one line.
    fn refused(&self, arguments: &[&str]) -> (i32, String) {
        let outcome = self.fuzz(arguments);
        assert_eq!(outcome.stderr.trim_end().lines().count(), 1, "one line: {}", outcome.stderr);
        (outcome.code, outcome.stderr.trim_end().trim_start_matches("gainsay: ").to_owned())
    }
}

fn z3() -> &'static str {
    solvers::solver(REAL_SOLVERS[0]);
    REAL_SOLVERS[0]
}

fn json(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

/// The cases of a campaign on the real bug.
const BUG_HUNT_FLAGS: [&str; 15] = [
    "--seeds",
    "seeds",
    "--solver",
    "z3@4.8.10",
    "--solver",
    "z3@5.4.0",
    "--strategy",
    "operator",
    "--chain",
    "1",
    "--rng-seed",
    "3",
    "--out",
    "out",
    "--plain",
];

fn hunt() -> FuzzTest {
    solvers::solver("z3@4.8.10");
    solvers::solver("z3@5.4.0");
    FuzzTest::new(FLOAT_SEED)
}

#[test]
fn a_campaign_finds_a_bug_of_an_old_z3_and_says_where() {
    let test = hunt();
    let outcome = test.fuzz(&[&BUG_HUNT_FLAGS[..], &["--cases", "30"]].concat());
    assert_eq!(outcome.code, 10, "{}{}", outcome.stdout, outcome.stderr);
    let first = outcome.stdout.lines().next().unwrap();
    assert!(first.starts_with("fuzzing z3@4.8.10, z3@5.4.0 with 1 seed using operator, "), "{first}");
    assert!(first.ends_with(" up to 30 cases; rng seed 3; records in out"), "{first}");
    assert!(outcome.stdout.contains("FOUND in case "), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("gainsay fuzz --resume --out out --cases 60 "), "{}", outcome.stdout);
    let place = outcome.stdout.lines().find(|line| line.starts_with("    out/findings/")).unwrap().trim();
    let script = fs::read_to_string(test.path(place).join("case.smt2")).unwrap();
    assert!(script.contains("forall"), "{script}");
}

#[test]
fn json_is_an_event_a_line_and_the_sums_at_the_end() {
    let test = hunt();
    let outcome = test.fuzz(&[&BUG_HUNT_FLAGS[..14], &["--cases", "30", "--json"]].concat());
    assert_eq!(outcome.code, 10);
    let lines: Vec<Value> = outcome.stdout.lines().map(json).collect();
    let (sums, events) = lines.split_last().unwrap();
    let kinds: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!((kinds[0], kinds[kinds.len() - 1]), ("opened", "closed"));
    assert_eq!(kinds.iter().filter(|kind| **kind == "case").count() as u64, sums["cases"].as_u64().unwrap());
    for key in ["cases", "findings", "skipped", "undecided", "cpu", "seconds"] {
        assert!(!sums[key].is_null(), "{key} is missing: {sums}");
    }
    assert!(sums["cpu"]["own"].is_number() && sums["cpu"]["solvers"].as_f64().unwrap() > 0.0);
    let finding = &sums["findings"][0];
    for key in ["kind", "suspect", "evidence", "fingerprint", "count", "path"] {
        assert!(!finding[key].is_null(), "{key} is missing: {finding}");
    }
    assert!(test.path(finding["path"].as_str().unwrap()).join("case.smt2").is_file());
}

#[test]
fn a_campaign_in_two_sessions_is_the_campaign_in_one() {
    let (whole, parts) = (hunt(), hunt());
    // Mutants get a multiple of the CPU time that their seed took, which is another one in each run: two campaigns are the same if no
    // run ends at that limit.
    for test in [&whole, &parts] {
        fs::write(test.path("unlimited.toml"), "[limits]\npatience = 0\n").unwrap();
    }
    let flags = [&["unlimited.toml"], &BUG_HUNT_FLAGS[..]].concat();
    whole.fuzz(&[&flags[..], &["--cases", "24"]].concat());
    parts.fuzz(&[&flags[..], &["--cases", "9"]].concat());
    let again = parts.fuzz(&["--resume", "--out", "out", "--cases", "24", "--plain"]);
    assert!(again.stdout.contains("resuming after 9 cases"), "{}", again.stdout);
    let sums = |test: &FuzzTest| {
        let outcome = test.fuzz(&["--resume", "--out", "out", "--json"]);
        let sums = json(outcome.stdout.lines().last().unwrap());
        // They are listed in the order of time.
        let told = |finding: &Value| ["fingerprint", "case", "count"].map(|key| finding[key].to_string());
        let mut findings: Vec<_> = sums["findings"].as_array().unwrap().iter().map(told).collect();
        findings.sort();
        (sums["cases"].clone(), findings)
    };
    assert_eq!(sums(&whole), sums(&parts));
    assert_eq!(findings(&whole.path("out")), findings(&parts.path("out")));
}

/// The scripts of all findings.
fn findings(folder: &Path) -> Vec<String> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder.join("findings")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read_to_string(path.join("case.smt2")).unwrap()).collect()
}

#[test]
fn a_known_bug_changes_no_exit_code() {
    let test = hunt();
    test.file("known.txt", "# reported\ndisagreement z3*\nsolution z3*\nmodel z3*\n");
    let outcome = test.fuzz(&[&BUG_HUNT_FLAGS[..], &["--cases", "12", "--known", "known.txt"]].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.stdout);
    assert!(outcome.stdout.contains("no findings (not counting 2 known findings)"), "{}", outcome.stdout);
}

#[test]
fn a_list_of_known_bugs_applies_to_what_was_found_before_and_need_not_exist() {
    let test = hunt();
    let outcome = test.fuzz(&[&BUG_HUNT_FLAGS[..], &["--cases", "12", "--known", "known.txt"]].concat());
    assert_eq!(outcome.code, 10, "{}{}", outcome.stdout, outcome.stderr);
    let resume = ["--resume", "--out", "out", "--plain", "--known", "known.txt"];
    assert_eq!(test.fuzz(&resume).code, 10, "there is still no list");
    test.file("known.txt", "disagreement z3*\nsolution z3*\nmodel z3*\n");
    let outcome = test.fuzz(&resume);
    assert_eq!(outcome.code, 0, "{}{}", outcome.stdout, outcome.stderr);
    test.file("known.txt", "");
    assert_eq!(test.fuzz(&resume).code, 10, "what is taken off the list is new again");
}

#[test]
fn a_campaign_file_is_read_from_its_own_folder_and_flags_win() {
    let test = FuzzTest::new(ARITHMETIC_SEED);
    fs::create_dir(test.path("plans")).unwrap();
    let text = "seeds = [\"../seeds\"]\nsolvers = [\"z4\"]\njobs = 1\nrng_seed = 7\n[budget]\ncases = 3\ntime = \"10m\"\n";
    test.file("plans/c.toml", &text.replace("z4", z3()));
    let outcome = test.fuzz(&["plans/c.toml", "--cases", "2", "--out", "out", "--plain"]);
    assert_eq!(outcome.code, 0, "{}{}", outcome.stdout, outcome.stderr);
    let first = outcome.stdout.lines().next().unwrap();
    assert!(first.contains("1 job, for 10m, up to 2 cases; rng seed 7"), "{first}");
    let written = fs::read_to_string(test.path("out/campaign.toml")).unwrap();
    assert!(written.contains("cases = 2") && written.contains("time = \"10m\""), "{written}");
    let again = test.fuzz(&["out/campaign.toml", "--out", "again", "--plain"]);
    assert_eq!(again.code, 0, "the effective plan is a campaign file: {}", again.stderr);
    assert_eq!(fs::read_to_string(test.path("again/campaign.toml")).unwrap(), written);
}

#[test]
fn a_wrong_campaign_file_is_refused_with_line_range_and_suggestion() {
    let test = FuzzTest::new(ARITHMETIC_SEED);
    let pairs = [
        ("strategys = []\n", "c.toml:1: unknown key `strategys` (did you mean `strategies`?)"),
        ("[budget]\ntmie = 3\n", "c.toml:2: unknown key `tmie` (did you mean `time`?)"),
        ("jobs = 0\n", "c.toml: jobs = 0 is out of range; write a number from 1 to 1024"),
        ("jobs = -1\n", "c.toml:1: jobs: invalid value: integer `-1`, expected a whole number"),
        ("[limits]\ntimeout = \"soon\"\n", "c.toml:2: `soon` is not a duration; write 90s, 10m"),
        (
            "strategies = [\"operater\"]\n",
            "c.toml: strategies: unknown strategy `operater` (did you mean `operator`?)",
        ),
        ("solvers = [\"z4\"]\n", "c.toml: solvers: unknown solver `z4` (did you mean `z3`?)"),
        (
            "options = { percent = 101 }\n",
            "c.toml: options.percent = 101 is out of range; write a number from 0 to 100",
        ),
        ("jobs = = 2\n", "c.toml:1: "),
    ];
    for (text, expected) in pairs {
        test.file("c.toml", text);
        let (code, line) = test.refused(&["c.toml"]);
        assert_eq!(code, 2, "{text}: {line}");
        assert!(line.starts_with(expected), "{text}: {line}");
    }
    assert!(test.refused(&["missing.toml"]).1.starts_with("cannot read missing.toml: "));
    assert!(
        !fs::read_dir(test.cli.folder.path())
            .unwrap()
            .any(|entry| { entry.unwrap().file_name().to_string_lossy().starts_with("gainsay-campaign") })
    );
}

#[test]
fn wrong_seeds_and_solvers_are_refused_before_anything_is_made() {
    let test = FuzzTest::new(ARITHMETIC_SEED);
    fs::create_dir(test.path("empty")).unwrap();
    fs::create_dir(test.path("useless")).unwrap();
    test.file("useless/a.smt2", "(assert (= 1");
    test.file("no-solver", "#!/bin/sh\necho hello\n");
    let rows: [(&[&str], i32, &str); 8] = [
        (&["--solver", z3()], 2, "seeds: none are named; name files or folders"),
        (&["--seeds", "seeds"], 2, "solvers: none are named; name at least one"),
        (&["--seeds", "empty", "--solver", z3()], 2, "empty holds no file that ends in .smt2"),
        (&["--seeds", "missing", "--solver", z3()], 2, "cannot read seeds from "),
        (&["--seeds", "useless", "--solver", z3()], 2, "no file can be a seed; skipped 1 file"),
        (&["--seeds", "seeds", "--solver", "z3=./missing"], 4, "./missing does not exist; check the path"),
        (&["--seeds", "seeds", "--solver", "z3=./no-solver"], 4, "is not executable"),
        (&["--seeds", "seeds", "--solver", "z3@5.4.0 no.such.option=1"], 4, "z3@5.4.0 no.such.option=1 "),
    ];
    for (arguments, code, expected) in rows {
        let (found, line) = test.refused(&[arguments, &["--out", "out"]].concat());
        assert_eq!(found, code, "{arguments:?}: {line}");
        assert!(line.contains(expected), "{arguments:?}: {line}");
        assert!(!test.path("out").exists(), "{arguments:?} made a folder");
    }
}

#[test]
fn seeds_that_no_solver_can_do_end_the_campaign_with_the_reason() {
    let test =
        FuzzTest::new("(set-logic QF_LIA)\n(declare-fun s () (Bag Int))\n(assert (= s s))\n(check-sat)\n");
    let outcome =
        test.fuzz(&["--seeds", "seeds", "--solver", z3(), "--cases", "5", "--out", "out", "--plain"]);
    assert_eq!(outcome.code, 2, "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stderr.contains("no seed can be solved by z3@5.4.0"), "{}", outcome.stderr);
}

#[test]
fn a_folder_that_holds_a_campaign_is_gone_on_with_or_left_alone() {
    let test = FuzzTest::new(ARITHMETIC_SEED);
    let plan = ["--seeds", "seeds", "--solver", z3(), "--cases", "2", "--out", "out"];
    assert_eq!(test.refused(&["--resume", "--out", "out"]).0, 2, "there is nothing yet");
    assert_eq!(test.fuzz(&plan).code, 0);
    let (code, line) = test.refused(&plan);
    assert_eq!((code, line.contains("continue it with --resume")), (2, true), "{line}");
    let (code, line) = test.refused(&["--resume", "--out", "out", "--chain", "3"]);
    assert_eq!((code, line.contains("remove --chain")), (2, true), "{line}");
    assert_eq!(test.refused(&["--resume"]).0, 2);
    fs::write(test.path("out/store.sqlite"), "rubbish").unwrap();
    let (code, line) = test.refused(&["--resume", "--out", "out"]);
    assert_eq!((code, line.contains("is damaged")), (5, true), "{line}");
    assert_eq!(fs::read_to_string(test.path("out/store.sqlite")).unwrap(), "rubbish", "it was left alone");
}

#[test]
fn a_kill_that_asks_is_obeyed_and_the_way_on_told() {
    use std::io::{BufRead, BufReader};
    let test = FuzzTest::new(ARITHMETIC_SEED);
    let mut command = test.command(&["fuzz", "--seeds", "seeds", "--solver", z3(), "--out", "out", "--json"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    // The campaign has no end of its own: the first case shows that it runs.
    lines.find(|line| json(line)["event"] == "case").unwrap();
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let rest: Vec<String> = lines.collect();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(rest[rest.len() - 2].contains("interrupted"), "{rest:?}");
    let again = test.fuzz(&["--resume", "--out", "out", "--cases", "1", "--plain"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
}

#[test]
fn a_campaign_without_a_case_says_why_and_has_an_exit_code_of_its_own() {
    // That it is unsat takes two code bases to be believed, and there is one.
    let test = FuzzTest::new("(set-logic QF_LIA)(declare-const x Int)(assert (< x x))(check-sat)");
    let words =
        ["--seeds", "seeds", "--solver", z3(), "--strategy", "fusion", "--cases", "7", "--out", "out"];
    let outcome = test.fuzz(&[&words[..], &["--plain"]].concat());
    assert_eq!(outcome.code, 6, "{}{}", outcome.stdout, outcome.stderr);
    let asking = "determining the status of 1 seed with the solvers, as needed";
    assert!(outcome.stdout.contains(asking), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("no cases were run"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("no findings"), "{}", outcome.stdout);
    let line = outcome.stderr.trim_end();
    assert!(line.starts_with("gainsay: no cases were run in "), "{line}");
    let reason = "skipped: 7 the status of the seed is not known; \
                  determining the status of seeds: 1 of 1 done, 0 known";
    assert!(line.contains(reason), "{line}");
    // It goes on without asking again.
    let again = test.fuzz(&["--resume", "--out", "out", "--cases", "9", "--json"]);
    assert_eq!(again.code, 6, "{}", again.stderr);
    assert!(!again.stdout.contains("\"classifying\""), "{}", again.stdout);
    let sums = json(again.stdout.lines().last().unwrap());
    assert_eq!(sums["statuses"], serde_json::json!({ "unclaimed": 1, "asked": 1, "found": 0 }));
    assert!(sums["no_case"].as_str().unwrap().contains("skipped: 9 the status"), "{sums}");
    assert!(sums["cpu"]["solvers"].as_f64().unwrap() > 0.0, "{sums}");
}

#[test]
fn a_campaign_that_triages_as_it_goes_tells_groups_and_leaves_reports() {
    use std::io::{BufRead, BufReader};
    let test = hunt();
    let words: Vec<&str> = BUG_HUNT_FLAGS.into_iter().filter(|word| *word != "--plain").collect();
    let mut command = test.command(&[&["fuzz", "--triage", "--json"], words.as_slice()].concat());
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    // The campaign has no end of its own: it goes on until a group is told.
    let grouped = lines.find(|line| json(line)["event"] == "grouped").unwrap();
    let grouped = json(&grouped);
    assert!(grouped["groups"].as_u64() >= Some(1) && grouped["triggers"].as_u64() >= Some(1), "{grouped}");
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    lines.for_each(drop);
    assert_eq!(child.wait().unwrap().code(), Some(10));
    let groups = json(&fs::read_to_string(test.path("out/triage/groups.json")).unwrap());
    let bug = test.path("out/triage/bugs").join(groups["groups"][0]["name"].as_str().unwrap());
    assert!(fs::read_to_string(bug.join("report.md")).unwrap().contains("4.8.10"));
}

#[test]
fn triage_that_fails_beside_a_campaign_is_told_and_the_campaign_goes_on() {
    let test = FuzzTest::new(ARITHMETIC_SEED);
    fs::create_dir(test.path("out")).unwrap();
    test.file("out/triage", "a file where the records should be");
    let words = ["--seeds", "seeds", "--solver", z3(), "--out", "out", "--cases", "3", "--triage", "--plain"];
    let outcome = test.fuzz(&words);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let told = |word: &str| outcome.stderr.contains(word);
    assert!(told("triage ended early") && told("run `gainsay triage out` to continue"), "{}", outcome.stderr);
}

#[test]
fn quickstart_finds_a_real_bug_and_shows_its_script() {
    solvers::solver("z3@4.8.10");
    z3();
    solvers::solver("cvc5@1.4.2");
    let test = FuzzTest::new(ARITHMETIC_SEED);
    let outcome = test.run(&["quickstart", "--time", "10m", "--findings", "1", "--out", "found"]);
    assert_eq!(outcome.code, 10, "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stdout.contains("\n1. z3@4.8.10 "), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("\n     (check-sat)\n"), "{}", outcome.stdout);
    assert_eq!(test.run(&["list", "found"]).code, 0);
    let again = test.run(&["quickstart", "--out", "found"]);
    assert_eq!(again.code, 2, "it holds a campaign: {}", again.stderr);
}

#[test]
fn quickstart_without_solvers_and_without_a_network_says_so_in_a_line() {
    let test = FuzzTest::new(ARITHMETIC_SEED);
    let mut command = test.command(&["quickstart", "--out", "found"]);
    command.env("GAINSAY_CACHE", test.path("cache")).env("PIP_INDEX_URL", "http://127.0.0.1:1/simple");
    let output = command.env("PIP_RETRIES", "0").env("PIP_CONFIG_FILE", "/dev/null").output().unwrap();
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{line}");
    assert_eq!(line.lines().count(), 1, "{line}");
    assert!(line.contains("127.0.0.1:1"), "{line}");
    assert!(!test.path("found").exists());
}

#[test]
fn tactics_that_only_the_installed_program_has_are_drawn_recorded_and_made_again() {
    let test = FuzzTest::new(ARITHMETIC_SEED);
    // It answers line by line, so it works in a session as well as on a whole script.
    let text = r#"#!/bin/sh
case "$*" in *version*) echo 'Z3 version 5.4.0'; exit;; esac
while IFS= read -r line || [ -n "$line" ]; do case "$line" in
*help-tactic*) printf 'builtin tactics:\n- our-tactic does.\n    our_flag (bool) x (default: false)\n';;
'(echo "'*) line=${line#*\"}; echo "${line%\"*}";;
*check-sat*) echo sat;;
esac; done
"#;
    let z3 = format!("z3={}", test.cli.write_program("z3", text));
    let flags = [
        "--questions",
        "tactic",
        "--question-share",
        "100",
        "--cases",
        "40",
        "--rng-seed",
        "1",
        "--out",
        "out",
    ];
    test.fuzz(&[&["--seeds", "seeds", "--solver", &z3][..], &flags].concat());
    let plan = fs::read_to_string(test.path("out/campaign.toml")).unwrap();
    assert!(plan.contains("our-tactic : our_flag=true"), "{plan}");
    let cases: Vec<String> =
        (0..40).map(|case| test.run(&["replay", "out", &case.to_string()]).stdout).collect();
    assert!(cases.iter().any(|case| case.contains("our-tactic")), "{cases:?}");
}
