//! Shards with real solvers, `gainsay merge`, and the jobs that `gainsay fleet` writes.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "../../engine/tests/support/postgres.rs"]
mod postgres;
#[path = "support/slurm.rs"]
mod slurm;
#[path = "support/real_solvers.rs"]
mod solvers;
mod support;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use gainsay_engine::campaign::plan::CampaignPlan;
use gainsay_engine::store::Store;
use gainsay_engine::store::sqlite::Sqlite;
use postgres::TemporaryServer;
use saphyr::{LoadableYamlNode, Yaml};
use slurm::PrivateSlurm;
use solvers::REAL_SOLVERS;
use support::CliTest;

const SEEDS: [&str; 3] = [
    "(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(assert (< (+ x y) (* 2 x)))(assert (> y 3))(check-sat)",
    "(set-logic QF_BV)(declare-const a (_ BitVec 8))(assert (bvult (bvadd a #x01) (bvurem a #x00)))(check-sat)",
    "(set-logic FP)(assert (forall ((x Float16)) (not (fp.isNegative (fp.rem x (_ -zero 5 11))))))(check-sat)",
];

/// A plan that bounds work, not time, so that its cases do not depend on the machine.
fn write_plan(cli: &CliTest, name: &str) -> String {
    for (number, text) in SEEDS.iter().enumerate() {
        cli.write(&format!("seeds/{number}.smt2"), text);
    }
    let solvers = [REAL_SOLVERS[1], REAL_SOLVERS[0]].map(|name| format!("\"{name} rlimit=200000\""));
    cli.write(
        name,
        &format!(
            "seeds = [\"seeds\"]\nsolvers = [{}]\nstrategies = [\"generative\", \"operator\"]\nrng_seed = 5\njobs = 1\n\
             [budget]\ncases = 60\n[limits]\ntimeout = 20\n",
            solvers.join(", ")
        ),
    )
}

/// A folder with the plan, whose path is returned, and with the campaign of one process in `whole`.
fn whole_campaign() -> (CliTest, String) {
    solvers::solver(REAL_SOLVERS[0]);
    solvers::solver(REAL_SOLVERS[1]);
    let cli = CliTest::with_real_solvers();
    let plan = write_plan(&cli, "plan.toml");
    let whole = cli.run(&["fuzz", &plan, "--out", "whole", "--plain"]);
    assert!([0, 10].contains(&whole.code), "{}", whole.stderr);
    (cli, plan)
}

/// The counts of a campaign, and its findings with their sightings.
fn essence(cli: &CliTest, out: &str) -> (u64, u64, BTreeSet<String>) {
    let store = Sqlite::read(&cli.path(out)).unwrap();
    let tally = store.standing().unwrap().tally;
    let found = store.findings().unwrap().into_iter().map(|found| {
        let sightings = store.sightings(&found.fingerprint).unwrap();
        format!("{} {:?} {sightings:?}", found.fingerprint, found.case)
    });
    (tally.cases, tally.skipped_in_all(), found.collect())
}

#[test]
fn shards_with_real_solvers_one_of_them_killed_join_to_the_whole() {
    let (cli, plan) = whole_campaign();
    for shard in ["1/3", "3/3"] {
        let ran = cli.run(&["fuzz", &plan, "--shard", shard, "--out", &shard[..1], "--plain"]);
        assert!(ran.stdout.starts_with(&format!("shard {shard}: fuzzing ")), "{}", ran.stdout);
    }
    let words = ["fuzz", &plan, "--shard", "2/3", "--out", "2", "--json"];
    let mut killed = cli.command(&words).stdout(Stdio::piped()).spawn().unwrap();
    let events = BufReader::new(killed.stdout.take().unwrap()).lines();
    assert_eq!(events.take(9).count(), 9);
    killed.kill().unwrap();
    killed.wait().unwrap();
    let early = cli.json(&["merge", "early", "1", "2", "3", "--json"]);
    assert!(early["missing_cases"].as_u64().unwrap() > 0, "{early}");
    assert!(cli.run(&["fuzz", "--resume", "--out", "2", "--plain"]).code != 3);
    let joined = cli.json(&["merge", "joined", "1", "2", "3", "--json"]);
    assert_eq!((&joined["parts"], &joined["missing_cases"]), (&3.into(), &0.into()), "{joined}");
    assert_eq!(essence(&cli, "joined"), essence(&cli, "whole"));
    // The campaign that was joined too early makes the rest by itself.
    assert!(cli.run(&["fuzz", "--resume", "--out", "early", "--plain"]).code != 3);
    assert_eq!(essence(&cli, "early"), essence(&cli, "whole"));
}

#[test]
fn workers_of_a_shared_store_one_of_them_killed_make_the_campaign_of_one_process() {
    let Some(server) = TemporaryServer::shared() else { return };
    let (cli, plan) = whole_campaign();
    drop(server.database("fleet"));
    let store = server.address("fleet");
    let mut killed =
        cli.command(&["fuzz", &plan, "--store", &store, "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let events = BufReader::new(killed.stdout.take().unwrap()).lines();
    assert_eq!(events.take(9).count(), 9);
    killed.kill().unwrap();
    killed.wait().unwrap();
    server.sql("fleet", "update leases set until = clock_timestamp() - interval '1 s'");
    let work = ["work", "--store", &store, "--jobs", "1", "--plain"];
    let mut other = cli.command(&work).stdout(Stdio::null()).spawn().unwrap();
    let worked = cli.run(&work);
    assert!([0, 10].contains(&worked.code), "{}", worked.stderr);
    assert!(other.wait().unwrap().code().is_some_and(|code| [0, 10].contains(&code)));
    let joined = cli.json(&["merge", "joined", &store, "--json"]);
    assert_eq!(joined["missing_cases"], 0, "{joined}");
    assert_eq!(essence(&cli, "joined"), essence(&cli, "whole"));
    let text = std::fs::read_to_string(cli.path("plan.toml")).unwrap();
    let changed = cli.write("other.toml", &text.replace("rng_seed = 5", "rng_seed = 6"));
    let refused = cli.run(&["fuzz", &changed, "--store", &store, "--plain"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("a campaign with another plan: rng_seed is 5 and 6"),
        "{}",
        refused.stderr
    );
}

/// Where Debian installs the library that gives a program another clock.
const OTHER_CLOCK: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";

#[test]
fn workers_whose_clocks_differ_by_days_keep_their_leases_and_make_the_campaign_of_one_process() {
    if !std::path::Path::new(OTHER_CLOCK).exists() {
        eprintln!("not run, for want of libfaketime (.ci/packages installs it): workers with other clocks");
        return;
    }
    let Some(server) = TemporaryServer::shared() else { return };
    let (cli, plan) = whole_campaign();
    drop(server.database("clocks"));
    let store = server.address("clocks");
    let worker = |clock: &str, words: &[&str]| {
        let mut command = cli.command(words);
        command
            .env("LD_PRELOAD", OTHER_CLOCK)
            .env("FAKETIME", clock)
            .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let ahead = worker("+3d", &["fuzz", &plan, "--store", &store, "--plain"]);
    while server.sql("clocks", "select to_regclass('roster') is not null").trim() != "t"
        || server.sql("clocks", "select count(*) from roster").trim() == "0"
    {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let behind = worker("-3d", &["work", "--store", &store, "--jobs", "1", "--plain"]);
    for worker in [ahead, behind] {
        let ended = worker.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.code().is_some_and(|code| [0, 10].contains(&code)), "{said}");
        assert!(!said.contains("beginning a new session"), "a lease was lost: {said}");
    }
    assert_eq!(cli.json(&["merge", "joined", &store, "--json"])["missing_cases"], 0);
    assert_eq!(essence(&cli, "joined"), essence(&cli, "whole"));
    // Times of the store are those of the server.
    let odd = "select count(*) from workers where abs(extract(epoch from clock_timestamp() - seen)) > 3600";
    assert_eq!(server.sql("clocks", odd).trim(), "0");
}

#[test]
fn a_store_that_cannot_be_used_is_told_in_one_line_without_its_password() {
    let cli = CliTest::offline();
    cli.write("seeds/a.smt2", SEEDS[0]);
    let said = |arguments: &[&str]| {
        let output = cli.run(arguments);
        assert_eq!((output.code, output.stderr.lines().count()), (2, 1), "{}", output.stderr);
        assert!(!output.stderr.contains("secret"), "{}", output.stderr);
        output.stderr
    };
    let nowhere = "postgres://me:secret@127.0.0.1:1/x";
    assert!(
        said(&["work", "--store", nowhere])
            .contains("the store postgres://me@127.0.0.1:1/x cannot be reached")
    );
    assert!(said(&["merge", "out", nowhere]).contains("cannot be reached"));
    assert!(said(&["work", "--store", "mysql://h/d"]).contains("postgres://USER@HOST/DATABASE"));
}

#[test]
fn wrong_shards_and_parts_are_told_in_one_line() {
    let cli = CliTest::offline();
    cli.write("seeds/a.smt2", SEEDS[0]);
    let said = |arguments: &[&str]| {
        let output = cli.run(arguments);
        assert_eq!(output.code, 2, "{}", output.stderr);
        output.stderr
    };
    let seeds = cli.path("seeds").display().to_string();
    let plan = ["fuzz", "--seeds", &seeds, "--solver", "z3"];
    assert!(
        said(&[&plan[..], &["--shard", "4/3"]].concat())
            .contains("the shards of this campaign are 1/3 to 3/3")
    );
    assert!(
        said(&[&plan[..], &["--shard", "1/3"]].concat())
            .contains("shard 1/3 needs the random seed that all shards have")
    );
    let out = cli.path("out").display().to_string();
    assert!(said(&["merge", &out, &seeds]).ends_with("gainsay: none of the folders holds a campaign\n"));
    assert!(said(&["merge", &seeds, &out]).contains("holds no campaign"));
    let plan = cli.write("plan.toml", "seeds = [\"seeds\"]\nsolvers = [\"z3\"]\n");
    assert!(
        said(&["fleet", "slurm", &plan, "--out", &out])
            .contains("has no budget, and its shards would never end")
    );
    assert!(!cli.path("out").exists());
}

#[test]
fn a_slurm_array_is_submitted_with_the_join_that_depends_on_it_whatever_its_folder_is_called() {
    let cli = CliTest::offline();
    let plan = cli.write(
        "Odd 'name' $(x).toml",
        "seeds = [\"seeds\"]\nsolvers = [\"z3@5.4.0\"]\njobs = 3\n[budget]\ncases = 100\n",
    );
    let out = cli.path("fleet of \"$(touch broken)\" 'x' %a").display().to_string();
    let log = cli.path("log").display().to_string();
    let missing = cli.run(&["fleet", "slurm", &plan, "--out", &format!("{out}-0"), "--submit"]);
    assert_eq!((missing.code, missing.stderr.lines().count()), (4, 1), "{}", missing.stderr);
    cli.write_program("bin/sbatch", &format!("#!/bin/sh\necho \"$2\" >>'{log}'\necho '101;cluster'\n"));
    let told = cli.json(&[
        "fleet",
        "slurm",
        &plan,
        "--out",
        &out,
        "--sbatch",
        "--partition=long",
        "--submit",
        "--json",
    ]);
    assert_eq!((&told["array"], &told["merge"], &told["shards"]), (&"101".into(), &"101".into(), &20.into()));
    let calls = std::fs::read_to_string(&log).unwrap();
    assert!(calls.lines().nth(1) == Some("--dependency=afterany:101"), "{calls}");
    let read = |name: &str| std::fs::read_to_string(format!("{out}/{name}")).unwrap();
    for line in [
        "--array=1-20",
        "--requeue",
        "--signal=B:TERM@300",
        "--time=240",
        "--cpus-per-task=3",
        "--mem=4096M",
        "--partition=long",
    ] {
        assert!(
            read("shards.sbatch").contains(&format!("#SBATCH {line}\n")),
            "{line}: {}",
            read("shards.sbatch")
        );
    }
    for script in ["shards.sbatch", "merge.sbatch", "shard.sh"] {
        let checked = Command::new("sh").arg("-n").arg(format!("{out}/{script}")).status().unwrap();
        assert!(checked.success(), "{script}");
    }
    // The assignment of the folder is all that names it, and a shell reads it back.
    let assignment = read("merge.sbatch").lines().find(|line| line.starts_with("fleet=")).unwrap().to_owned();
    let echoed =
        Command::new("sh").arg("-c").arg(format!("{assignment}\nprintf %s \"$fleet\"")).output().unwrap();
    assert_eq!(String::from_utf8(echoed.stdout).unwrap(), out);
    let plan = CampaignPlan::read("plan.toml", &read("plan.toml")).unwrap();
    assert_eq!((plan.seeds, plan.jobs, plan.shard), (vec![cli.path("seeds")], 3, None));
    let again = cli.run(&["fleet", "slurm", "plan.toml", "--out", &out]);
    assert_eq!(again.code, 2);
}

#[test]
fn shards_as_jobs_of_a_real_slurm_join_to_the_whole() {
    let Some(slurm) = PrivateSlurm::start() else { return };
    let (cli, plan) = whole_campaign();
    let words =
        ["fleet", "slurm", &plan, "--shards", "3", "--job-memory", "500", "--out", "fleet", "--submit"];
    let submitted = slurm.prepare(&mut cli.command(&words)).output().unwrap();
    assert!(submitted.status.success(), "{}", String::from_utf8_lossy(&submitted.stderr));
    slurm.wait("the jobs", |slurm| slurm.ask("squeue", &["-h"]).trim().is_empty());
    assert_eq!(essence(&cli, "fleet/merged"), essence(&cli, "whole"));
}

/// A program in place of gainsay: its first run stops its own job and waits for the signal, the second finds something.
const STAND_IN: &str = r#"#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = --out ] && out=$2; [ "$1" = --resume ] && resumed=yes; shift; done
mkdir -p "$out"
echo run >>"$out/store.sqlite"
if [ -n "${resumed:-}" ]; then exit 10; fi
tail -f /dev/null &
trap 'kill $!; exit 0' TERM
kill -TERM "$(cut -d ' ' -f 4 /proc/$PPID/stat)"
wait
"#;

#[test]
fn a_shard_that_is_told_to_stop_keeps_its_records_and_goes_on_with_them() {
    let cli = CliTest::offline();
    let plan = cli.write("plan.toml", "seeds = [\"s\"]\nsolvers = [\"z3@5.4.0\"]\n[budget]\ncases = 9\n");
    let out = cli.path("fleet").display().to_string();
    assert_eq!(cli.run(&["fleet", "slurm", &plan, "--shards", "2", "--out", &out]).code, 0);
    let gainsay = cli.write_program("stand-in", STAND_IN);
    let scratch = cli.path("scratch");
    std::fs::create_dir(&scratch).unwrap();
    let run = || {
        let script = cli.path("fleet/shard.sh");
        let plan = cli.path("fleet/plan.toml");
        let mut command = Command::new("sh");
        command.arg(script).arg(&gainsay).arg(plan).arg(&out).args(["2", "2"]).arg(&scratch).arg("3600");
        command.status().unwrap().code()
    };
    let kept = || std::fs::read_to_string(cli.path("fleet/shards/2/store.sqlite")).unwrap();
    assert_eq!((run(), kept()), (Some(75), "run\n".to_owned()));
    assert_eq!((run(), kept()), (Some(0), "run\nrun\n".to_owned()));
    let left = std::fs::read_dir(cli.path("fleet/shards")).unwrap().count();
    assert_eq!((left, std::fs::read_dir(&scratch).unwrap().count()), (1, 0));
    // A kill between two renames leaves only the older copy.
    std::fs::rename(cli.path("fleet/shards/2"), cli.path("fleet/shards/.2.old")).unwrap();
    assert_eq!((run(), kept()), (Some(0), "run\nrun\nrun\n".to_owned()));
}

#[test]
fn a_shard_that_makes_no_case_between_two_copies_gets_twice_the_time() {
    let cli = CliTest::offline();
    let plan = cli.write("plan.toml", "seeds = [\"s\"]\nsolvers = [\"z3@5.4.0\"]\n[budget]\ncases = 9\n");
    let out = cli.path("fleet").display().to_string();
    assert_eq!(cli.run(&["fleet", "slurm", &plan, "--shards", "2", "--out", &out]).code, 0);
    let log = cli.path("log").display().to_string();
    // Each line of the list is the number of cases after a run; `none`: there are no records yet.
    cli.write("cases", "none\n0\n4\n4\n7\n");
    let count = format!("sed -n \"$(wc -l <'{log}')p\" '{}'", cli.path("cases").display());
    let list = format!(
        "#!/bin/sh\nnow=$({count})\n[ \"$now\" = none ] && exit 2\n\
         echo '{{\"format\":1,\"cases\":'\"$now\"',\"findings\":[{{\"case\":3}}]}}'\n"
    );
    let gainsay = cli.write_program("stand-in", &list);
    // In place of `timeout`: five runs are stopped by it, and the sixth ends by itself.
    let timeout =
        format!("#!/bin/sh\necho \"$3\" >>'{log}'\n[ \"$(wc -l <'{log}')\" -gt 5 ] && exit 0\nexit 124\n");
    cli.write_program("bin/timeout", &timeout);
    let path = format!("{}:{}", cli.path("bin").display(), std::env::var("PATH").unwrap());
    let ran = Command::new("sh")
        .args([&cli.path("fleet/shard.sh").display().to_string(), &gainsay, &plan, &out, "1", "2"])
        .arg(cli.folder.path())
        .arg("60")
        .env("PATH", path)
        .status()
        .unwrap();
    assert_eq!(ran.code(), Some(0));
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "60\n120\n240\n240\n480\n480\n");
}

#[test]
fn manifests_are_yaml_whatever_the_names_are_and_pods_have_no_privileges() {
    let cli = CliTest::offline();
    let seeds = "we're: [odd] # \"näme\"\\\t\u{7f}\u{2028}";
    let text = CampaignPlan {
        seeds: vec![seeds.into()],
        solvers: vec!["z3@5.4.0 a=\"b c\"".into()],
        rng_seed: 7,
        budget: gainsay_engine::campaign::plan::CampaignBudget { cases: Some(9), ..Default::default() },
        ..CampaignPlan::default()
    };
    let plan = cli.write("Nightly: #1.toml", &text.to_toml());
    let out = cli.path("out").display().to_string();
    let image = "registry.example/a\"b: 'c' #d:1";
    let arguments =
        ["fleet", "kubernetes", &plan, "--shards", "7", "--image", image, "--claim", "data", "--out", &out];
    let ran = cli.run(&[&arguments[..], &["--namespace", "no"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = std::fs::read_to_string(cli.path("out/fleet.yaml")).unwrap();
    let documents = Yaml::load_from_str(&text).unwrap();
    let kinds: Vec<&str> = documents.iter().map(|one| one["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["ConfigMap", "Job", "PodDisruptionBudget"]);
    for document in &documents {
        assert_eq!(document["metadata"]["name"].as_str(), Some("gainsay-nightly---1"));
        assert_eq!(document["metadata"]["namespace"].as_str(), Some("no"));
    }
    let plan = CampaignPlan::read("plan.toml", documents[0]["data"]["plan.toml"].as_str().unwrap()).unwrap();
    assert_eq!((plan.seeds, plan.rng_seed), (vec![std::path::Path::new("/data").join(seeds)], 7));
    let job = &documents[1]["spec"];
    assert_eq!((job["completions"].as_integer(), job["completionMode"].as_str()), (Some(7), Some("Indexed")));
    let pod = &job["template"]["spec"];
    let container = &pod["containers"][0];
    assert_eq!(container["image"].as_str(), Some(image));
    assert_eq!(pod["securityContext"]["runAsNonRoot"].as_bool(), Some(true));
    let security = &container["securityContext"];
    assert_eq!(security["readOnlyRootFilesystem"].as_bool(), Some(true));
    assert_eq!(security["allowPrivilegeEscalation"].as_bool(), Some(false));
    assert_eq!(security["capabilities"]["drop"][0].as_str(), Some("ALL"));
    assert!(container["resources"]["limits"]["memory"].as_str().unwrap().ends_with("Mi"));
    let merge = std::fs::read_to_string(cli.path("out/merge.yaml")).unwrap();
    let script =
        Yaml::load_from_str(&merge).unwrap()[0]["spec"]["template"]["spec"]["containers"][0]["command"][2]
            .clone();
    assert!(script.as_str().unwrap().contains("gainsay merge /data/gainsay-nightly---1/merged"));
    let odd = cli.run(&[&arguments[..8], &["--claim", "a b", "--out", &out]].concat());
    assert_eq!(odd.code, 2);
}

#[test]
fn pods_that_share_a_store_get_its_password_from_a_secret_alone() {
    let cli = CliTest::offline();
    let plan = cli.write("plan.toml", "seeds = [\"s\"]\nsolvers = [\"z3@5.4.0\"]\n[budget]\ncases = 9\n");
    let out = cli.path("out").display().to_string();
    let words =
        ["fleet", "kubernetes", &plan, "--image", "i", "--claim", "data", "--shards", "5", "--out", &out];
    let run = |more: &[&str]| cli.run(&[&words[..], more].concat());
    for store in ["postgres://me:secret@db/x", "postgres://me@db/x?password=secret", "db"] {
        let refused = run(&["--store", store]);
        assert_eq!((refused.code, refused.stderr.contains("secret@")), (2, false), "{}", refused.stderr);
    }
    let ran = run(&["--store", "postgres://me@db/it's", "--secret", "db"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = std::fs::read_to_string(cli.path("out/fleet.yaml")).unwrap();
    let documents = Yaml::load_from_str(&text).unwrap();
    let job = &documents[1]["spec"];
    assert_eq!(job["parallelism"].as_integer(), Some(5));
    assert!(!text.contains("completion"), "workers have no index: {text}");
    let container = &job["template"]["spec"]["containers"][0];
    let password = &container["env"][2];
    assert_eq!(password["name"].as_str(), Some("PGPASSWORD"));
    assert_eq!(password["valueFrom"]["secretKeyRef"]["name"].as_str(), Some("db"));
    let script = container["command"][2].as_str().unwrap();
    assert!(Command::new("sh").args(["-n", "-c", script]).status().unwrap().success(), "{script}");
    // Findings are no failure.
    cli.write_program("bin/gainsay", "#!/bin/sh\necho \"$4\"\nexit 10\n");
    let path = format!("{}:{}", cli.path("bin").display(), std::env::var("PATH").unwrap());
    let ended = Command::new("sh").args(["-c", script]).env("PATH", path).output().unwrap();
    assert_eq!((ended.status.code(), &*ended.stdout), (Some(0), &b"postgres://me@db/it's\n"[..]));
}
