//! `fuzz --changed OLD..NEW --repository DIR`: a git diff of a solver that the test builds with -O2 -g1 leads a campaign, for real.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

mod support;

use std::process::Command;

use serde_json::Value;
use support::CliTest;

const SOLVER_SOURCE: &str = include_str!("programs/word_solver.cpp");
/// A header whose function is inlined.
const WEIGHT_HEADER: &str = "static inline int weight(int found) { return found * 3 + 1; }\n";

/// A repository with the sources of a solver, and a folder of builds beside them.
struct SolverRepository {
    test: CliTest,
}

impl SolverRepository {
    fn new() -> Self {
        let repository = SolverRepository { test: CliTest::with_real_solvers() };
        let test = &repository.test;
        test.write("z/include/weight.h", WEIGHT_HEADER);
        test.write("z/src/solver.cpp", SOLVER_SOURCE);
        std::fs::create_dir(test.path("z/build")).unwrap();
        // No mutant of the others has a product.
        let scripts = [
            ("product", "QF_NIA", "Int", "(> (* x y) 3)"),
            ("sum", "QF_LIA", "Int", "(> (+ x y) 3)"),
            ("one", "QF_UF", "Bool", "(or x y)"),
            ("two", "QF_UF", "Bool", "(and x (not y))"),
            ("three", "QF_UF", "Bool", "(=> x (xor y x))"),
        ];
        for (name, logic, sort, body) in scripts {
            let text = format!(
                "(set-logic {logic})\n(declare-const x {sort})\n(declare-const y {sort})\n(assert {body})\n(check-sat)\n"
            );
            test.write(&format!("seeds/{name}.smt2"), &text);
        }
        repository.git(&["init", "-q", "-b", "main"]);
        repository.commit();
        repository
    }

    fn git(&self, words: &[&str]) {
        let identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
        let mut git = Command::new("git");
        git.arg("-C").arg(self.test.path("z")).args(identity).args(words);
        assert!(git.status().unwrap().success(), "{words:?}");
    }

    fn commit(&self) {
        self.git(&["add", "src", "include"]);
        self.git(&["commit", "-q", "-m", "a version"]);
    }

    /// Edits a file and commits it.
    fn edit(&self, file: &str, from: &str, to: &str) {
        let text = std::fs::read_to_string(self.test.path(file)).unwrap();
        assert!(text.contains(from), "{file}: {from}");
        self.test.write(file, &text.replace(from, to));
        self.commit();
    }

    /// Builds the sources as they are, from the folder of builds, and returns the name of the solver.
    fn build(&self, debug: &str) -> String {
        let mut compiler = Command::new("g++");
        compiler.args(["-O2", debug, "-o", "solver", "../src/solver.cpp"]);
        assert!(compiler.current_dir(self.test.path("z/build")).status().unwrap().success());
        format!("generic={}", self.test.path("z/build/solver").display())
    }

    /// The events of a campaign that a range of revisions leads, and the counts that it prints last.
    fn fuzz(&self, solver: &str, range: &str, words: &[&str]) -> Vec<Value> {
        let (seeds, repository) = (self.test.path("seeds"), self.test.path("z"));
        let fixed =
            ["fuzz", "--changed", range, "--repository", repository.to_str().unwrap(), "--solver", solver];
        let more =
            ["--seeds", seeds.to_str().unwrap(), "--strategy", "operator", "--chain", "2", "--timeout", "60"];
        self.events(&[&fixed[..], &more, &["--jobs", "1", "--rng-seed", "1"], words].concat())
    }

    fn events(&self, words: &[&str]) -> Vec<Value> {
        let output = self.test.run(&[words, &["--json"]].concat());
        assert!(output.code == 0, "{}", output.stderr);
        output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn report(&self, folder: &str) -> String {
        let output = self.test.run(&["report", folder]);
        assert!(output.code == 0, "{}", output.stderr);
        output.stdout
    }
}

fn of_kind<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["event"] == kind).collect()
}

/// The names of the functions that are targets, without parameters.
fn targets(events: &[Value]) -> Vec<String> {
    let told = of_kind(events, "targeted");
    assert_eq!(told.len(), 1, "{events:?}");
    let name = |name: &Value| name.as_str().unwrap().split('(').next().unwrap().to_owned();
    let mut names: Vec<String> = told[0]["names"].as_array().unwrap().iter().map(name).collect();
    names.sort();
    names
}

#[test]
fn a_diff_leads_to_the_functions_that_contain_its_lines() {
    let repository = SolverRepository::new();
    // A function that is inlined, in a header that the build names by way of another folder; and a line that looks like a file in a diff.
    repository.edit("z/include/weight.h", "found * 3", "found * 5");
    repository.edit(
        "z/src/solver.cpp",
        "    return count_words(line, \"str.\") - 5;",
        "    static int calls = 0;\n++ calls;\n    return count_words(line, \"str.\") - calls;",
    );
    let solver = repository.build("-g1");
    let events = repository.fuzz(&solver, "HEAD~2..HEAD", &["--cases", "80", "--out", "led"]);
    assert_eq!(targets(&events), ["on_products", "on_strings"]);
    let last = *of_kind(&events, "covered").last().unwrap();
    assert_eq!(
        (&last["functions_reached"], &last["functions"]),
        (&1.into(), &2.into()),
        "no script has strings"
    );
    // Seeds whose cases reach a changed function get most chains once that is known.
    let cases = of_kind(&events, "case");
    let is_integer = |case: &&&Value| {
        ["product.smt2", "sum.smt2"].iter().any(|seed| case["seed"].as_str().unwrap().ends_with(seed))
    };
    let (early, late) = cases.split_at(cases.len() / 2);
    let [early, late] =
        [early, late].map(|cases| cases.iter().filter(is_integer).count() as f64 / cases.len() as f64);
    assert!(late > 0.6 && late > early, "{early} {late}");
    let reaching = cases.iter().filter(|case| case["runs"][0]["changed"]["functions"] == 1).count();
    assert!(reaching > 10, "{reaching}");
    let text = repository.report("led");
    let row = |name: &str, reached: &str| {
        text.lines().any(|line| line.contains(name) && line.ends_with(&format!("| {reached} |")))
    };
    assert!(
        row("on\\_products", "yes") && row("on\\_strings", "never") && !text.contains("on\\_sums"),
        "{text}"
    );
}

#[test]
fn a_resumed_campaign_has_the_targets_of_its_start() {
    let repository = SolverRepository::new();
    repository.edit("z/src/solver.cpp", "\"(+\") + 1", "\"(+\") + 2");
    let solver = repository.build("-g1");
    let begun = repository.fuzz(&solver, "main~1..main", &["--cases", "6", "--out", "led"]);
    assert_eq!(targets(&begun), ["on_sums"]);
    // The branch moves on; the build does not.
    repository.edit("z/src/solver.cpp", "\"(*\")", "\"(**\")");
    let resumed = repository.events(&["fuzz", "--resume", "--out", "led", "--cases", "12"]);
    assert_eq!(targets(&resumed), ["on_sums"]);
    assert!(!of_kind(&resumed, "case").is_empty());
}

#[test]
fn shards_of_a_campaign_that_a_diff_leads_are_joined() {
    let repository = SolverRepository::new();
    repository.edit("z/include/weight.h", "found * 3", "found * 5");
    let solver = repository.build("-g1");
    for (shard, folder) in [("1/2", "one"), ("2/2", "two")] {
        repository.fuzz(&solver, "HEAD~1..HEAD", &["--cases", "24", "--shard", shard, "--out", folder]);
    }
    let merged = repository.test.run(&["merge", "both", "one", "two"]);
    assert!(merged.stdout.contains("joined 2 parts"), "{}{}", merged.stdout, merged.stderr);
    let text = repository.report("both");
    assert!(text.contains("1 changed; of 1 that are named here, 1 were reached and 0 never"), "{text}");
}

#[test]
fn what_cannot_lead_is_told_and_the_campaign_goes_on() {
    let repository = SolverRepository::new();
    repository.edit("z/src/solver.cpp", "// A solver", "// Still a solver");
    for (debug, why) in [("-g1", "none of its functions changed since"), ("-g0", "compile it with -g1")] {
        let solver = repository.build(debug);
        let events = repository.fuzz(
            &solver,
            "HEAD~1..HEAD",
            &["--cases", "4", "--out", debug.trim_start_matches('-')],
        );
        let told = of_kind(&events, "not-covered");
        assert!(told.len() == 1 && told[0]["why"].as_str().unwrap().contains(why), "{told:?}");
        assert!(!of_kind(&events, "case").is_empty());
    }
}

#[test]
fn revisions_that_git_does_not_know_are_an_error_in_one_sentence() {
    let repository = SolverRepository::new();
    let (solver, folder) = (repository.build("-g1"), repository.test.path("z").display().to_string());
    let run = |range: &str, folder: &str| {
        repository.test.run(&[
            "fuzz",
            "--changed",
            range,
            "--repository",
            folder,
            "--solver",
            &solver,
            "--seeds",
            "seeds",
        ])
    };
    for (range, folder, said) in [
        ("missing..main", &*folder, "git does not know missing"),
        ("main..main", "/nowhere", "cannot change to"),
    ] {
        let output = run(range, folder);
        assert!(output.code == 2 && output.stderr.contains(said), "{} {}", output.code, output.stderr);
        assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
    }
}
