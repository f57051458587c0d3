//! Coverage of real solvers: the same answers as without traps, sets that add up, and campaigns that go on where it cannot be measured.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/launcher.rs"]
mod launcher;
#[path = "support/repository.rs"]
mod repository;
#[path = "support/real_solvers.rs"]
mod solvers;
mod support;

use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

use gainsay_engine::coverage::target::Level;
use gainsay_engine::solver::coverage;
use gainsay_engine::solver::driver::CoverageRequest;
use gainsay_engine::solver::profile::DriverName;
use gainsay_engine::solver::resolve::Program;
use gainsay_engine::solver::run::{Ask, Limits, Query};
use gainsay_engine::solver::runner::{self, Runner};
use launcher::launcher;
use repository::repository;
use serde_json::Value;
use support::CliTest;

/// A folder of the corpus.
fn corpus(folder: &str) -> String {
    repository().join("corpus/smt").join(folder).display().to_string()
}

/// The JSON object that a command prints last.
fn json(test: &CliTest, arguments: &[&str]) -> Value {
    let output = test.command(arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = text.lines().last().unwrap_or_else(|| panic!("{arguments:?} prints nothing: {errors}"));
    serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}\n{errors}"))
}

fn count(report: &Value, key: &str) -> u64 {
    report["summary"][key].as_u64().unwrap()
}

#[test]
fn answers_with_traps_are_those_without() {
    let test = CliTest::with_real_solvers();
    let (scripts, other) = (corpus("QF_LIA"), corpus("QF_BV"));
    for (solver, driver, level) in [
        ("z3@5.4.0", "plain", "functions"),
        ("z3@5.4.0", "plain", "blocks"),
        ("z3@5.4.0", "session", "functions"),
        ("cvc5@1.4.2", "fork", "functions"),
        ("cvc5@1.4.2", "fork", "blocks"),
    ] {
        let words = [
            "coverage", &scripts, &other, "--solver", solver, "--driver", driver, "--level", level, "--json",
        ];
        let traced = json(&test, &words);
        let plain = json(&test, &[&words[..], &["--without-traps"]].concat());
        assert_eq!(traced["answers"], plain["answers"], "{solver} {driver} {level}");
        assert!(count(&traced, "functions_reached") > 1000, "{traced}");
        assert!(count(&traced, "functions_reached") < count(&traced, "functions"), "{traced}");
    }
}

#[test]
fn models_with_traps_are_those_without() {
    let launcher = launcher();
    let folder = repository().join("corpus/smt/QF_LIA");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let scripts: Vec<String> =
        paths.iter().take(4).map(|path| std::fs::read_to_string(path).unwrap()).collect();
    for (name, driver) in [
        ("z3@5.4.0", DriverName::Plain),
        ("z3@5.4.0", DriverName::Session),
        ("cvc5@1.4.2", DriverName::Fork),
        ("yices@2.6.5", DriverName::Plain),
    ] {
        let (solver, driver) = (solvers::solver(name), runner::kind(driver).unwrap());
        let models = |request: Option<CoverageRequest>| -> Vec<Option<String>> {
            let mut runner = Runner::open_covered(&solver, driver, &launcher, request).unwrap();
            let limits = Limits { wall: Duration::from_secs(60), ..Limits::default() };
            let mut run = |script| runner.run(&Query { script, limits, ask: Ask::WITH_MODEL }).unwrap().model;
            scripts.iter().map(|script| run(script)).collect()
        };
        let plain = models(None);
        assert!(plain.iter().flatten().count() > 0, "{name}: {plain:?}");
        for level in [Level::Functions, Level::Blocks] {
            let target = coverage::target(&solver, level).unwrap();
            assert_eq!(models(Some(coverage::first_hits(&target))), plain, "{name} {level}");
        }
    }
}

#[test]
fn a_distilled_set_reaches_everything_that_all_scripts_reach() {
    let test = CliTest::with_real_solvers();
    let scripts = corpus("QF_LIA");
    let all = json(&test, &["coverage", &scripts, "--solver", "z3@5.4.0", "--json"]);
    let out = test.path("small").display().to_string();
    let words = ["distill", &scripts, &scripts, "--solver", "z3@5.4.0", "--out", &out, "--json"];
    let distilled = json(&test, &words);
    let chosen = distilled["chosen"].as_array().unwrap().len() as u64;
    assert!(chosen > 0 && chosen <= distilled["scripts"].as_u64().unwrap());
    let few = json(&test, &["coverage", &out, "--solver", "z3@5.4.0", "--json"]);
    assert_eq!(few["scripts"].as_u64().unwrap(), chosen);
    assert_eq!(count(&few, "sites_reached"), count(&all, "sites_reached"));
}

#[test]
fn two_sets_are_compared_by_function() {
    let test = CliTest::with_real_solvers();
    let (integers, vectors) = (corpus("QF_LIA"), corpus("QF_BV"));
    let words = ["coverage", &integers, "--against", &vectors, "--solver", "z3@5.4.0", "--json"];
    let report = json(&test, &words);
    let only = |key: &str| report["against"][key].as_array().unwrap().len() as u64;
    let (first, second) =
        (count(&report, "functions_reached"), count(&report["against"], "functions_reached"));
    // Functions of the same name (constructors of several files) are listed apart.
    assert_eq!(first - only("only_first"), second - only("only_against"));
    let names = report["against"]["only_against"].to_string();
    assert!(names.contains("bit_blaster") || names.contains("bv"), "{names}");
}

#[test]
fn functions_that_changed_between_releases_are_reached_or_missed() {
    let test = CliTest::with_real_solvers();
    let scripts = corpus("QF_LIA");
    let changed = |old: &str| {
        let words = ["coverage", &scripts, "--solver", "z3@5.4.0", "--since", old, "--json"];
        let report = json(&test, &words);
        let names = |key: &str| report["changed"][key].as_array().unwrap().len();
        (names("reached"), names("missed"))
    };
    assert_eq!(changed("z3@5.4.0"), (0, 0));
    let (reached, missed) = changed("z3@4.16.0");
    assert!(reached > 0 && missed > 0, "{reached} {missed}");
}

/// Makes `ptrace` fail with EPERM in this process and its children, as a container may.
fn forbid_ptrace(command: &mut Command) {
    // SAFETY: only system calls; the kernel copies the instructions before the call returns.
    unsafe {
        command.pre_exec(|| {
            let instruction = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
            let program = [
                instruction(0x20, 0, 0, 0),
                instruction(0x15, 0, 1, libc::SYS_ptrace as u32),
                instruction(0x06, 0, 0, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32),
                instruction(0x06, 0, 0, libc::SECCOMP_RET_ALLOW),
            ];
            let program = libc::sock_fprog { len: 4, filter: program.as_ptr().cast_mut() };
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            match libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const program) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            }
        });
    }
}

/// The events of a short campaign with coverage.
fn campaign(test: &CliTest, solver: &str, prepare: impl Fn(&mut Command)) -> Vec<Value> {
    let (scripts, out) = (corpus("QF_LIA"), test.path("campaign").display().to_string());
    let mut command = test.command(&[
        "fuzz",
        "--seeds",
        &scripts,
        "--solver",
        solver,
        "--coverage",
        "--cases",
        "20",
        "--jobs",
        "1",
        "--rng-seed",
        "1",
        "--out",
        &out,
        "--json",
    ]);
    prepare(&mut command);
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(matches!(output.status.code(), Some(0 | 10)), "{}", String::from_utf8_lossy(&output.stderr));
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn of_kind<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["event"] == kind).collect()
}

#[test]
fn a_campaign_tells_the_growth_of_coverage() {
    let test = CliTest::with_real_solvers();
    let events = campaign(&test, "z3@5.4.0", |_| {});
    let grown: Vec<u64> = of_kind(&events, "covered")
        .iter()
        .map(|event| event["functions_reached"].as_u64().unwrap())
        .collect();
    assert!(!grown.is_empty() && grown.is_sorted() && grown.last() > Some(&1000), "{grown:?}");
    let new_code = events.iter().filter_map(|event| event["runs"].as_array()).flatten();
    assert!(new_code.filter_map(|run| run["new_code"].as_u64()).count() > 0);
}

/// Runs `fuzz` with these words on some scripts, in one job, and returns its events; the last one has the counts.
fn fuzz(test: &CliTest, out: &str, words: &[&str]) -> Vec<Value> {
    let (scripts, out) = (corpus("QF_LIA"), test.path(out).display().to_string());
    let fixed = ["fuzz", "--seeds", &scripts, "--jobs", "1", "--rng-seed", "1", "--out", &out, "--json"];
    let output = test.command(&[&fixed[..], words].concat()).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 10)), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_campaign_led_by_a_change_tells_which_changed_functions_it_reached() {
    let test = CliTest::with_real_solvers();
    let events = fuzz(
        &test,
        "campaign",
        &["--changed", "z3@4.16.0..z3@5.4.0", "--cases", "40", "--strategy", "operator"],
    );
    let targets = of_kind(&events, "targeted");
    assert_eq!((targets.len(), &targets[0]["since"]), (1, &"z3@4.16.0".into()));
    let functions = targets[0]["functions"].as_u64().unwrap();
    let grown: Vec<u64> = of_kind(&events, "covered")
        .iter()
        .map(|event| {
            assert_eq!(event["functions"].as_u64().unwrap(), functions, "only changed functions count");
            event["functions_reached"].as_u64().unwrap()
        })
        .collect();
    assert!(
        grown.is_sorted() && *grown.last().unwrap() > 50 && *grown.last().unwrap() < functions,
        "{grown:?}"
    );
    // Every run tells what it reaches, not only new code, and the old build is not covered.
    let runs = || of_kind(&events, "case").into_iter().filter_map(|event| event["runs"].as_array()).flatten();
    let of = |solver: &'static str| runs().filter(move |run| run["solver"] == solver);
    assert!(of("z3@5.4.0").count() > 10 && of("z3@4.16.0").count() > 10);
    assert!(of("z3@5.4.0").all(|run| run["changed"]["functions"].as_u64() > Some(50)));
    assert!(of("z3@4.16.0").all(|run| run["changed"].is_null()));
    let report = test.path("report.md").display().to_string();
    let folder = test.path("campaign").display().to_string();
    let told = test.command(&["report", &folder, "--out", &report]).output().unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let text = std::fs::read_to_string(report).unwrap();
    assert!(text.contains("that changed since z3@4.16.0") && text.contains("| never |"), "{text}");
}

#[test]
fn a_campaign_without_changed_functions_says_so_and_goes_on() {
    let test = CliTest::with_real_solvers();
    let Program::Binary { path, .. } = solvers::solver("z3@5.4.0").program else { panic!("z3 is a program") };
    let change = format!("z3={}..z3@5.4.0", path.display());
    let events = fuzz(&test, "campaign", &["--changed", &change, "--solver", "z3@5.4.0", "--cases", "5"]);
    let told = of_kind(&events, "not-covered");
    assert_eq!(told.len(), 1);
    assert!(told[0]["why"].as_str().unwrap().starts_with("none of its functions changed since"), "{told:?}");
    assert!(!of_kind(&events, "case").is_empty());
}

#[test]
fn chains_that_start_from_kept_scripts_are_replayed_exactly() {
    let test = CliTest::with_real_solvers();
    let words = [
        "--solver",
        "z3@5.4.0",
        "--coverage",
        "--schedule",
        "thompson",
        "--queue",
        "--cases",
        "150",
        "--chain",
        "3",
    ];
    let events = fuzz(&test, "campaign", &words);
    let folder = test.path("campaign").display().to_string();
    let cases = of_kind(&events, "case");
    let mut kept = 0;
    // The first chains are planned before any script is kept.
    for case in cases.iter().filter(|case| case["case"].as_u64() > Some(60)) {
        let replayed = json(&test, &["replay", &folder, &case["case"].to_string(), "--json"]);
        let script = replayed["script"].as_str().unwrap();
        // A script beyond its logic is printed with another one.
        let named = script.replace("(set-logic ALL)", "(set-logic QF_LIA)");
        let bytes = [script, &named].map(|text| Some(text.len() as u64));
        assert!(bytes.contains(&case["bytes"].as_u64()), "{replayed}");
        kept += u32::from(replayed["steps"].to_string().contains("starts from the script of case"));
    }
    assert!(kept > 0, "no chain started from a kept script");
}

#[test]
fn a_campaign_goes_on_where_ptrace_is_forbidden() {
    let test = CliTest::with_real_solvers();
    let events = campaign(&test, "z3@5.4.0", forbid_ptrace);
    let told = of_kind(&events, "not-covered");
    assert_eq!(told.len(), 1);
    let why = told[0]["why"].as_str().unwrap();
    assert!(why.contains("ptrace") && why.contains("Operation not permitted"), "{why}");
    assert!(!of_kind(&events, "case").is_empty() && of_kind(&events, "covered").is_empty());
}

#[test]
fn a_campaign_goes_on_with_a_solver_for_another_machine() {
    let test = CliTest::with_real_solvers();
    // A script stands for a program that an emulator runs: its code is not that of this machine.
    let Program::Binary { path, .. } = solvers::solver("z3@5.4.0").program else { panic!("z3 is a program") };
    // The sandbox lets a solver read its own folder.
    let wrapper = test.write_program("solver/z3", "#!/bin/sh\nexec \"${0%/*}/real-z3\" \"$@\"\n");
    std::fs::copy(path, test.path("solver/real-z3")).unwrap();
    let events = campaign(&test, &format!("z3={wrapper}"), |_| {});
    let told = of_kind(&events, "not-covered");
    assert_eq!(told.len(), 1);
    assert!(told[0]["why"].as_str().unwrap().contains("is not an x86-64 ELF program or library"), "{told:?}");
    assert!(!of_kind(&events, "case").is_empty());
}

#[test]
fn a_campaign_goes_on_with_a_stripped_solver() {
    let test = CliTest::with_real_solvers();
    let Program::Binary { path, .. } = solvers::solver("z3@5.4.0").program else { panic!("z3 is a program") };
    let stripped = test.path("z3").display().to_string();
    let done = Command::new("strip").args(["-o", &stripped]).arg(path).status().unwrap();
    assert!(done.success());
    let events = campaign(&test, &format!("z3={stripped}"), |_| {});
    let told = of_kind(&events, "not-covered");
    assert_eq!(told.len(), 1);
    assert!(told[0]["why"].as_str().unwrap().contains("is stripped"), "{told:?}");
    assert!(!of_kind(&events, "case").is_empty());
}
