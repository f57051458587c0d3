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
    // In a smaller scope, gainsay would prove some of the answers of these solvers wrong.
    let mut all = vec!["fuzz", "--seeds", "seeds", "--strategy", "operator", "--cases", "60", "--plain"];
    all.extend(["--scope", "ordinary"]);
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

#[test]
fn a_limit_of_file_sizes_is_a_clear_error() {
    let cli = test_folder();
    let solvers = solvers(&cli);
    let run = arguments(&["--jobs", "1", "--out", "d"], &solvers);
    // The second limit lets scripts pass, but not the store.
    let cases = [
        (0, 4, "exchange data with a solver: File too large"),
        (16, 5, "cannot open the records of a campaign in d: "),
    ];
    for (blocks, expected, words) in cases {
        let (code, output, errors) = with_limits(&cli, &format!("ulimit -f {blocks}"), &run);
        assert_eq!((code, errors.contains(words)), (expected, true), "{output}{errors}");
    }
}

/// Sets the soft limit of open files of a running process; returns the former one.
fn set_descriptor_limit(pid: u32, soft: libc::rlim_t) -> libc::rlim_t {
    let pid = libc::pid_t::try_from(pid).unwrap();
    let mut before = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call reads and writes the given structs only.
    let got = unsafe { libc::prlimit(pid, libc::RLIMIT_NOFILE, std::ptr::null(), &raw mut before) };
    let after = libc::rlimit { rlim_cur: soft, ..before };
    // SAFETY: as above.
    let set = unsafe { libc::prlimit(pid, libc::RLIMIT_NOFILE, &raw const after, std::ptr::null_mut()) };
    assert_eq!((got, set), (0, 0), "{}", std::io::Error::last_os_error());
    before.rlim_cur
}

/// Kills a campaign when a test fails.
struct RunningCampaign(std::process::Child);

impl Drop for RunningCampaign {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_campaign_waits_while_descriptors_are_lacking_and_loses_no_solver() {
    let cli = test_folder();
    let solvers = solvers(&cli);
    // Questions beyond sat and unsat have other answers.
    let words = ["--jobs", "2", "--rng-seed", "1", "--questions", "none", "--json", "--out", "c"];
    let run = arguments(&words, &solvers);
    // The solvers take a file, so every script needs a new descriptor.
    let run: Vec<&str> = run.into_iter().map(|word| if word == "60" { "600" } else { word }).collect();
    let mut command = cli.command(&run);
    command.current_dir(cli.folder.path()).stdout(std::process::Stdio::piped());
    let mut campaign = RunningCampaign(command.spawn().unwrap());
    let output = campaign.0.stdout.take().unwrap();
    let (mut limit, mut shortages, mut events) = (None, 0, Vec::new());
    for line in std::io::BufRead::lines(std::io::BufReader::new(output)) {
        let event: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        if event["event"] == "case" && limit.is_none() {
            limit = Some(set_descriptor_limit(campaign.0.id(), 3));
        }
        if event["event"] == "shortage" {
            shortages += 1;
            let why = event["why"].as_str().unwrap();
            assert!(why.contains("Too many open files"), "{why}");
            set_descriptor_limit(campaign.0.id(), limit.unwrap());
        }
        events.push(event);
    }
    assert!(campaign.0.wait().unwrap().success(), "{:?}", events.last());
    assert!(shortages > 0, "{:?}", events.last());
    let lost = events.iter().find(|event| event["event"] == "solver-lost");
    assert_eq!(lost, None);
    let last = events.last().unwrap();
    let cases = last["cases"].as_u64().unwrap();
    assert_eq!(cases + last["skipped"].as_u64().unwrap(), 600, "{last}");
    for (name, solver) in last["solvers"].as_object().unwrap() {
        assert!(solver["sat"].as_u64() >= Some(cases), "{name} lost scripts: {last}");
    }
}
