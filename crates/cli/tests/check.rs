//! `gainsay check` as a user sees it: verdicts, explanations, JSON and exit codes.
//!
//! The solvers are shell scripts under the profiles of real ones: the tests are about how gainsay judges answers.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

mod support;

use support::{CliOutput, CliTest};

/// A script that gainsay cannot decide by itself: a declared sort can have any number of elements.
const SAT_SCRIPT: &str = "(set-logic QF_UF)\n(set-info :status sat)\n(declare-sort U 0)\n(declare-fun x () U)\n\
                          (declare-fun p (U) Bool)\n(assert (p x))\n(check-sat)\n";

/// Runs `gainsay check` on `script.smt2` with shell scripts as solvers.
struct CheckTest {
    cli: CliTest,
}

impl CheckTest {
    fn new() -> Self {
        let cli = CliTest::offline();
        cli.write("script.smt2", SAT_SCRIPT);
        CheckTest { cli }
    }

    /// `NAME=COMMAND` for a solver that passes the self-test and runs `told` for scripts with an assertion.
    fn solver(&self, profile: &str, told: &str) -> String {
        let text = format!(
            "#!/bin/sh\nscript=$(while read -r line; do echo \"$line\"; done)\n\
             case \"$script\" in *:status*) echo '(error \"status was not dropped\")';; *assert*) {told};; *check-sat*) echo sat;; esac\n"
        );
        format!("{profile}={}", self.cli.write_program(&format!("{profile}-{}", told.len()), &text))
    }

    fn check(&self, solvers: &[&str], more: &[&str]) -> CliOutput {
        let script = self.cli.path("script.smt2");
        self.cli.run(&arguments(script.to_str().unwrap(), solvers, more))
    }

    fn json(&self, solvers: &[&str], more: &[&str]) -> serde_json::Value {
        let script = self.cli.path("script.smt2");
        self.cli.json(&[arguments(script.to_str().unwrap(), solvers, more), vec!["--json"]].concat())
    }
}

fn arguments<'a>(script: &'a str, solvers: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    let solvers = solvers.iter().flat_map(|solver| ["--solver", solver]);
    ["check", script].into_iter().chain(solvers).chain(more.iter().copied()).collect()
}

#[test]
fn checks_before_an_error_count() {
    let test = CheckTest::new();
    test.cli.write(
        "script.smt2",
        &format!("{SAT_SCRIPT}(declare-fun x () U)\n(assert (not (p x)))\n(check-sat)\n"),
    );
    let refuses = |answer: &str| {
        format!(
            "case \"$script\" in *not*) echo {answer}; echo '(error \"redeclared\")';; *) echo {answer};; esac"
        )
    };
    let (z3, cvc5) = (test.solver("z3", &refuses("unsat")), test.solver("cvc5", &refuses("sat ")));
    let json = test.json(&[&z3, &cvc5], &[]);
    assert_eq!(
        (json["verdict"].as_str(), json["findings"].as_array().map(Vec::len)),
        (Some("bug"), Some(1)),
        "{json}"
    );
    assert!(json["error"].as_str().unwrap().starts_with("8:14: "), "{json}");
    let outcome = test.check(&[&z3, &cvc5], &["--expect", "unsat"]);
    let line = "only the commands before this error were judged: 8:14: ";
    assert!(outcome.stdout.contains(line), "{}", outcome.stdout);
    // What solvers can read is judged as a whole.
    let (z3, cvc5) =
        (test.solver("z3", "echo unsat; echo sat"), test.solver("cvc5", "echo unsat;  echo sat"));
    let json = test.json(&[&z3, &cvc5], &[]);
    assert_eq!((json["verdict"].as_str(), json["error"].as_str()), (Some("fine"), None), "{json}");
}

#[test]
fn agreement_is_fine() {
    let test = CheckTest::new();
    let (z3, cvc5) = (test.solver("z3", "echo sat"), test.solver("cvc5", "echo sat"));
    let outcome = test.check(&[&z3, &cvc5], &[]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(
        outcome.stdout.contains("crash: fine\nagreement: fine\nmodel: undecided: "),
        "{}",
        outcome.stdout
    );
    assert!(outcome.stdout.ends_with("\nverdict: fine\n"), "{}", outcome.stdout);
}

#[test]
fn a_solver_that_contradicts_itself_needs_no_second_one() {
    let test = CheckTest::new();
    test.cli
        .write("script.smt2", &format!("{SAT_SCRIPT}(check-sat)\n").replace("(set-info :status sat)\n", ""));
    let z3 = test.solver("z3", "echo unsat; echo sat");
    let json = test.json(&[&z3], &[]);
    let finding = &json["findings"][0];
    assert_eq!(
        (&finding["kind"], &finding["evidence"]),
        (&"disagreement".into(), &"proved".into()),
        "{json}"
    );
    let cvc5 = test.solver("cvc5", "echo sat; echo unsat");
    let json = test.json(&[&cvc5], &[]);
    assert_eq!(json["findings"][0]["kind"], "disagreement", "{json}");
    let yices = test.solver("yices", "echo sat; echo sat");
    assert_eq!(test.json(&[&yices], &[])["verdict"], "fine");
}

#[test]
fn two_against_one_is_a_corroborated_finding() {
    let test = CheckTest::new();
    let solvers =
        [test.solver("z3", "echo unsat"), test.solver("cvc5", "echo sat"), test.solver("yices", "echo sat")];
    let solvers: Vec<&str> = solvers.iter().map(String::as_str).collect();
    let json = test.json(&solvers, &[]);
    assert_eq!(json["verdict"], "bug");
    let finding = &json["findings"][0];
    assert_eq!((&finding["kind"], &finding["evidence"]), (&"refutation".into(), &"corroborated".into()));
    assert_eq!(
        (&finding["suspect"], &finding["fingerprint"]),
        (&solvers[0].into(), &"refutation z3 QF_UF".into())
    );
    assert_eq!(json["runs"][0]["answers"][0], "unsat");
    assert_eq!(json["runs"][0]["exit"], "code 0");
    assert!(json["runs"][0]["cpu_seconds"].is_number());
    assert_eq!(test.check(&solvers, &[]).code, 10);
}

#[test]
fn a_bare_disagreement_is_called_one() {
    let test = CheckTest::new();
    let (z3, cvc5) = (test.solver("z3", "echo unsat"), test.solver("cvc5", "echo sat"));
    let json = test.json(&[&z3, &cvc5], &[]);
    assert_eq!(json["findings"][0]["evidence"], "disagreement");
    let expected = test.json(&[&z3, &cvc5], &["--expect", "sat"]);
    assert_eq!(
        (&expected["findings"][0]["evidence"], &expected["findings"][0]["suspect"]),
        (&"corroborated".into(), &z3.as_str().into())
    );
}

#[test]
fn a_model_that_redefines_an_operator_proves_nothing_against_the_others() {
    let test = CheckTest::new();
    test.cli.write("script.smt2", "(declare-const x Int)\n(assert (< x x))\n(check-sat)\n");
    let model = "((define-fun x () Int 5) (define-fun < ((a Int) (b Int)) Bool true))";
    let liar = test.solver(
        "z3",
        &format!("echo sat; mark=${{script##*(echo \\\"}}; echo ${{mark%%\\\"*}}; echo '{model}'"),
    );
    let honest = test.solver("cvc5", "echo unsat");
    let json = test.json(&[&liar, &honest], &[]);
    let findings = json["findings"].as_array().unwrap();
    let proved: Vec<_> = findings.iter().filter(|finding| finding["evidence"] == "proved").collect();
    let [finding] = proved.as_slice() else { panic!("{json}") };
    assert_eq!((&finding["kind"], &finding["suspect"]), (&"model".into(), &liar.as_str().into()), "{json}");
    let why = finding["explanation"].as_str().unwrap();
    assert!(why.ends_with("(< x x) is false: x is 5, x is 5; ignored in the model: <"), "{why}");
}

#[test]
fn a_crash_is_proved_by_itself() {
    let test = CheckTest::new();
    let z3 = test.solver("z3", "echo 'ASSERTION VIOLATION' >&2; exit 114");
    let json = test.json(&[&z3], &[]);
    assert_eq!(
        (&json["findings"][0]["kind"], &json["findings"][0]["evidence"]),
        (&"crash".into(), &"proved".into())
    );
    assert_eq!(json["findings"][0]["fingerprint"], "crash z3 assertion: ASSERTION VIOLATION");
}

#[test]
fn what_happens_only_once_is_flaky_and_no_finding() {
    let test = CheckTest::new();
    let mark = test.cli.folder.path().join("mark").display().to_string();
    let z3 =
        test.solver("z3", &format!("if [ -e {mark} ]; then echo sat; else : > {mark}; kill -SEGV $$; fi"));
    // The mark lies where a confined solver cannot write.
    let outcome = test.check(&[&z3], &["--no-sandbox"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stdout);
    assert!(
        outcome.stdout.contains("flaky") && outcome.stdout.ends_with("verdict: undecided\n"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn one_solver_alone_is_undecided() {
    let test = CheckTest::new();
    let z3 = test.solver("z3", "echo sat");
    let outcome = test.check(&[&z3], &[]);
    assert_eq!(outcome.code, 0);
    assert!(
        outcome.stdout.contains("agreement: undecided: only one solver decided it"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn what_cannot_be_run_is_one_clear_line_with_exit_code_four() {
    let test = CheckTest::new();
    let folder = test.cli.folder.path().display().to_string();
    test.cli.write("plain", "#!/bin/sh\n");
    test.cli.write_program("foreign", "MZ and so on");
    test.cli.write_program("silent", "#!/bin/sh\n");
    test.cli.write_program("loader", "#!/no/such/interpreter\n");
    let options = test.solver("z3", "echo \"ERROR: unknown parameter 'x'\" >&2; exit 110");
    let cases = [
        (format!("z3={folder}/nothing"), "does not exist; check the path"),
        (format!("z3={folder}/plain"), "is not executable; run `chmod +x"),
        (format!("z3={folder}/foreign"), "is a Windows program; get a build for"),
        (format!("z3={folder}/silent"), "does not answer (check-sat) like an SMT solver: it says nothing"),
        (format!("z3={folder}/loader"), "cannot run"),
        (format!("{options} x=1"), "rejects its command line: ERROR: unknown parameter 'x'"),
        ("z3@4.8.10".to_owned(), "z3@4.8.10 is not installed: cannot reach http"),
        ("z3".to_owned(), "no program `z3` on PATH; run `gainsay solvers install z3`"),
    ];
    for (solver, line) in cases {
        let outcome = test.check(&[&solver], &[]);
        assert_eq!((outcome.code, outcome.stderr.lines().count()), (4, 1), "{solver}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(line), "{solver}: {}", outcome.stderr);
    }
}

#[test]
fn a_script_that_is_not_there_is_a_usage_error() {
    let cli = CliTest::offline();
    let outcome = cli.run(&["check", "/no/such/file", "--solver", "z3"]);
    assert_eq!((outcome.code, outcome.stderr.lines().count()), (2, 1), "{}", outcome.stderr);
}

#[test]
fn an_expectation_that_a_model_disproves_is_wrong_and_not_the_solver() {
    let test = CheckTest::new();
    // gainsay does not find this number by itself.
    test.cli.write("script.smt2", "(declare-fun x () Real)\n(assert (= (* 7.0 x) 3.0))\n(check-sat)\n");
    // The solver prints its model where it is asked for it, after the mark that gainsay sends.
    let mark = "mark=${script##*(echo \\\"}; echo ${mark%%\\\"*}";
    let told = format!(
        "echo sat; case \"$script\" in *get-model*) {mark}; echo '((define-fun x () Real (/ 3.0 7.0)))';; esac"
    );
    let z3 = test.solver("cvc4", &told);
    let outcome = test.check(&[&z3], &["--expect", "unsat"]);
    assert_eq!(outcome.code, 2, "{}{}", outcome.stdout, outcome.stderr);
    let why = "the expected answer unsat is wrong, and sat is right: the model that cvc4=";
    assert!(outcome.stdout.contains(why), "{}", outcome.stdout);
    assert!(outcome.stdout.ends_with("\nverdict: expectation disproved\n"), "{}", outcome.stdout);
    assert_eq!(test.check(&[&z3], &["--expect", "sat"]).code, 0);
}

#[test]
fn a_solver_under_an_option_that_changes_the_meaning_is_compared_with_nothing() {
    let test = CheckTest::new();
    let script = "(declare-const x (_ BitVec 2))\n(assert (= (bvudiv x #b00) #b01))\n(check-sat)\n";
    test.cli.write("script.smt2", &format!("(set-option :rewriter.hi_div0 false)\n{script}"));
    let (z3, cvc5) = (test.solver("z3", "echo sat"), test.solver("cvc5", "echo unsat"));
    let json = test.json(&[&z3, &cvc5], &[]);
    assert_eq!(
        (json["verdict"].as_str(), json["findings"].as_array().map(Vec::len)),
        (Some("fine"), Some(0)),
        "{json}"
    );
    let why = json["runs"][0]["excused"].as_str().unwrap();
    assert!(why.starts_with("rewriter.hi_div0 false may change answers by design: "), "{json}");
    assert!(json["runs"][1].get("excused").is_none(), "the option is not sent to it: {json}");
    let outcome = test.check(&[&z3, &cvc5], &[]);
    assert!(
        outcome.stdout.contains("  its answers are compared with nothing: rewriter.hi_div0"),
        "{}",
        outcome.stdout
    );
    // The same on the command line.
    test.cli.write("script.smt2", script);
    let verdict = |solver: &str| test.json(&[solver], &[])["verdict"].as_str().unwrap().to_owned();
    assert_eq!(verdict(&z3), "bug");
    assert_eq!(verdict(&format!("{z3} rewriter.hi_div0=false")), "undecided");
    assert_eq!(verdict(&format!("{z3} rewriter.hi_div0=true")), "bug");
}

#[test]
fn a_status_that_is_proved_wrong_is_reported_and_no_solver_is() {
    let test = CheckTest::new();
    test.cli
        .write("script.smt2", "(declare-const x Bool)\n(set-info :status unsat)\n(assert x)\n(check-sat)\n");
    let z3 = test.solver("z3", "echo sat");
    let outcome = test.check(&[&z3], &[]);
    let why = "the claimed status unsat is wrong, and sat is right: by exhaustion";
    assert!(outcome.stdout.contains(why), "{}", outcome.stdout);
    assert!(outcome.stdout.ends_with("\nverdict: status disproved\n"), "{}", outcome.stdout);
    assert_eq!(outcome.code, 0);
    let json = test.json(&[&z3], &[]);
    assert!(json["status_disproved"].as_str().unwrap().starts_with(why), "{json}");
    test.cli
        .write("script.smt2", "(declare-const x Bool)\n(set-info :status sat)\n(assert x)\n(check-sat)\n");
    assert_eq!(test.json(&[&z3], &[])["status_disproved"], serde_json::Value::Null);
}

#[test]
fn a_script_with_a_function_to_synthesise_goes_to_cvc5_in_its_language() {
    let test = CheckTest::new();
    let script = "(set-info :source |assert|)\n(set-logic LIA)\n(synth-fun f ((x Int)) Int)\n(declare-var x Int)\n(constraint (= (f x) x))\n(check-synth)\n";
    test.cli.write("script.smt2", script);
    let found = "echo '((define-fun f ((x Int)) Int x))'";
    let cvc5 = test.solver(
        "cvc5",
        &format!("case \"$*\" in *lang=smt2*) echo '(error \"no\")';; *lang=sygus2*) {found};; esac"),
    );
    let outcome = test.check(&[&cvc5], &[]);
    assert!(!outcome.stdout.contains("(error"), "{}", outcome.stdout);
    test.cli.write("script.smt2", "(assert true)\n(check-sat)\n");
    let cvc5 = test.solver("cvc5", "case \"$*\" in *lang=smt2*) echo sat;; esac");
    assert_eq!(test.json(&[&cvc5], &[])["runs"][0]["answers"][0], "sat");
}
