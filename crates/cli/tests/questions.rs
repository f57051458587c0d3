//! Questions beyond sat and unsat with real solvers: known bugs are recognised on releases that have them, and right replies
//! are not called wrong.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/launcher.rs"]
mod launcher;
#[path = "support/real_solvers.rs"]
mod solvers;

use std::process::Command;

use gainsay_engine::solver::resolve::Program;
use gainsay_engine::solver::run::{Ask, Limits, Query};
use gainsay_engine::solver::runner::{self, Runner};
use serde_json::Value;

/// The scripts that `gainsay check` is run on, with the solvers.
fn check(script: &str, names: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("script.smt2");
    std::fs::write(&path, script).unwrap();
    let mut words = vec!["check", path.to_str().unwrap(), "--json", "--timeout", "20"];
    for name in names {
        assert!(solvers::REAL_SOLVERS.contains(name));
        solvers::solver(name);
        words.extend(["--solver", name]);
    }
    let output = Command::new(env!("CARGO_BIN_EXE_gainsay")).args(words).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

fn findings(judged: &Value) -> Vec<String> {
    let findings = judged["findings"].as_array().unwrap().iter();
    findings
        .map(|one| format!("{} {}", one["kind"].as_str().unwrap(), one["suspect"].as_str().unwrap()))
        .collect()
}

/// The bug of https://github.com/Z3Prover/z3/issues/7098, fixed in 4.13.0: a core that is too small.
const SMALL_CORE: &str = "(set-option :produce-unsat-cores true)
(declare-const p Bool) (declare-const q Bool) (declare-const r Bool) (declare-const s Bool)
(declare-const a Bool) (declare-const b Bool) (declare-const c Bool) (declare-const d Bool)
(assert (and ((_ pbeq 1 1 1) r s) ((_ pbeq 1 1 1) p q)))
(assert (forall ((x Real) (y Real)) (=> (and (> x 0.0) (> y x))
  (and (=> a (=> r (=> b (>= x y)))) (=> c (=> (and p s) (=> d (>= 0.0 y))))))))
(assert p) (assert b) (assert d)
(check-sat-assuming (a c))
(get-unsat-core)
";

#[test]
fn a_core_that_is_too_small_is_found_on_the_release_that_gives_it() {
    let judged = check(SMALL_CORE, &["z3@4.8.10", "z3@5.4.0"]);
    assert_eq!(findings(&judged), ["reply z3@4.8.10"], "{judged}");
    let judged = check(SMALL_CORE, &["z3@5.4.0", "cvc5@1.4.2"]);
    assert_eq!((findings(&judged), &judged["verdict"]), (Vec::new(), &"fine".into()), "{judged}");
}

/// The bug of https://github.com/Z3Prover/z3/issues/6946: quantifier elimination makes a satisfiable formula false.
const FALSE_ELIMINATION: &str = "(declare-const a Real)
(assert (forall ((v Real)) (= (= a v) (= v 0.0))))
(check-sat-using qe)
";

#[test]
fn a_tactic_that_makes_a_formula_false_is_found_on_the_release_that_has_it() {
    let judged = check(FALSE_ELIMINATION, &["z3@4.8.10", "z3@5.4.0", "cvc5@1.4.2"]);
    assert!(findings(&judged).iter().any(|one| one == "reply z3@4.8.10"), "{judged}");
    let judged = check(FALSE_ELIMINATION, &["z3@5.4.0", "cvc5@1.4.2"]);
    assert_eq!(findings(&judged), Vec::<String>::new(), "{judged}");
}

/// `bugs/yices-solution-bv-assumptions.smt2`, judged without a second code base.
#[test]
fn a_wrong_reply_to_a_small_script_is_proved_without_a_second_solver() {
    let script =
        "(set-logic QF_BV)(declare-const p Bool)(declare-const x (_ BitVec 2))(assert (bvult x #b01))
        (assert (= x #b01))(check-sat-assuming (p))(check-sat)";
    let judged = check(script, &["yices@2.6.5"]);
    let reply = judged["findings"].as_array().unwrap().iter().find(|one| one["kind"] == "reply").unwrap();
    assert_eq!(reply["evidence"], "proved", "{judged}");
}

/// A stand-in for a proof checker: it accepts proofs with a premise about `p`, and looks for the option of its format.
const STAND_IN_CHECKER: &str = "#!/bin/sh
grep -q 'assume' \"$1\" || { echo 'no proof'; exit 0; }
if grep -q '(assume [^ ]* p)' \"$1\"; then echo correct; else echo 'incorrect: no premise p'; fi
";

#[cfg(unix)]
#[test]
fn a_proof_goes_to_the_checker_that_the_profile_of_the_user_names() {
    use std::os::unix::fs::PermissionsExt;
    let config = tempfile::tempdir().unwrap();
    let checker = config.path().join("checker.sh");
    std::fs::write(&checker, STAND_IN_CHECKER).unwrap();
    std::fs::set_permissions(&checker, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::create_dir(config.path().join("solvers")).unwrap();
    let profile = |program: &str| {
        let rows =
            "head = '(set-option :proof-format-mode cpc)'\naccepts = '^correct'\nrejects = '^incorrect'";
        let text = format!(
            "extends = 'cvc5'\n[proof_checker]\nname = 'stand-in'\ncommand = ['{program}']\n{rows}\n"
        );
        std::fs::write(config.path().join("solvers/cvc5.toml"), text).unwrap();
    };
    profile(checker.to_str().unwrap());
    solvers::solver("cvc5@1.4.2");
    let judged = |name: &str| {
        let path = config.path().join("script.smt2");
        let text = format!(
            "(set-option :produce-proofs true)(set-logic QF_UF)(declare-const {name} Bool)(assert {name})
             (assert (not {name}))(check-sat)(get-proof)"
        );
        std::fs::write(&path, text).unwrap();
        let words = ["check", path.to_str().unwrap(), "--json", "--solver", "cvc5@1.4.2"];
        let output = Command::new(env!("CARGO_BIN_EXE_gainsay"))
            .args(words)
            .env("GAINSAY_CONFIG", config.path())
            .output()
            .unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (right, _) = judged("p");
    assert!(right.contains("\"verdict\":\"fine\""), "{right}");
    let (wrong, _) = judged("q");
    assert!(wrong.contains("stand-in rejects its proof: incorrect: no premise p"), "{wrong}");
    assert!(wrong.contains("\"evidence\":\"disagreement\""), "{wrong}");
    profile("no-such-checker");
    let (_, error) = judged("p");
    assert!(error.contains("no program `no-such-checker`, which checks the proofs of cvc5"), "{error}");
}

#[test]
fn right_replies_are_fine() {
    let cores = "(set-option :produce-unsat-cores true)(set-logic QF_LIA)(declare-const x Int)
        (assert (! (> x 3) :named a))(assert (! (< x 2) :named b))(assert (! (= x 7) :named c))
        (push 1)(check-sat)(get-unsat-core)(pop 1)(check-sat)";
    let values =
        "(set-option :produce-models true)(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)
        (assert (> (+ x (* 2 y)) 7))(assert (< x 3))(check-sat)(get-value (x y (+ x (* 2 y)) (< x y)))";
    for script in [cores, values] {
        let judged = check(script, &["z3@5.4.0", "cvc5@1.4.2", "yices@2.6.5"]);
        assert_eq!((findings(&judged), &judged["verdict"]), (Vec::new(), &"fine".into()), "{judged}");
    }
    let optimum = "(declare-const x Int)(declare-const r Real)(declare-const v (_ BitVec 8))
        (assert (< (* 3 x) 10))(assert (< r 2.5))(assert (bvult v #x80))
        (maximize x)(maximize v)(maximize r)(check-sat)(get-objectives)";
    let goals =
        "(declare-const x Int)(declare-const y Int)(assert (= x (+ y 3)))(assert (or (> x 1) (< y 2)))
        (simplify (+ x x y))(check-sat)(apply (then simplify propagate-values))(apply solve-eqs)";
    for script in [optimum, goals] {
        let judged = check(script, &["z3@5.4.0", "cvc5@1.4.2"]);
        assert_eq!((findings(&judged), &judged["verdict"]), (Vec::new(), &"fine".into()), "{judged}");
    }
}

/// z3 4.8.10 prints seven characters of code 0 as 28: the escapes of C, which the standard does not have.
const ESCAPED_VALUE: &str = "(set-option :produce-models true)
(declare-const s String)
(assert (= (str.len s) 7))
(check-sat)
(get-value (s (str.len s)))
";

#[test]
fn values_are_read_in_the_spelling_of_the_release() {
    let judged = check(ESCAPED_VALUE, &["z3@4.8.10", "cvc5@1.4.2"]);
    assert_eq!(findings(&judged), Vec::<String>::new(), "{judged}");
}

/// An interpolant, an abduct and truth values of cvc5, and a point of a Pareto front of z3.
const RIGHT_REPLIES: [&str; 5] = [
    "(set-option :produce-interpolants true)(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(declare-const z Int)
     (assert (> x (+ y 1)))(check-sat)(get-interpolant middle (> (+ x z) (+ y z)))",
    "(set-option :produce-abducts true)(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(declare-const z Int)
     (assert (> x y))(check-sat)(get-abduct missing (> x z))",
    "(set-option :produce-assignments true)(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)
     (assert (or (! (> x 3) :named a) (! (< y 2) :named b)))(assert (distinct x y))(check-sat)(get-assignment)",
    "(set-option :opt.priority pareto)(declare-const x Int)(declare-const y Int)(assert (<= 0 x 9))(assert (<= 0 y 9))
     (assert (<= (+ x y) 12))(maximize x)(maximize y)(check-sat)(get-objectives)",
    // Three points, and then none: every point and the last unsat are judged.
    "(set-option :opt.priority pareto)(declare-const x Int)(declare-const y Int)(assert (<= 0 x 3))(assert (<= 0 y 3))
     (assert (<= (+ x y) 4))(maximize x)(maximize y)(check-sat)(get-objectives)(check-sat)(get-objectives)(check-sat)
     (get-objectives)(check-sat)",
];

/// Every reply to these scripts is matched with its question, and none is wrong.
fn assert_replies_are_right(scripts: &[&str]) {
    for script in scripts {
        let judged = check(script, &["cvc5@1.4.2", "z3@5.4.0"]);
        assert_eq!(
            (findings(&judged), &judged["verdict"]),
            (Vec::new(), &"fine".into()),
            "{script}: {judged}"
        );
        let oracles = judged["oracles"].to_string();
        assert!(!oracles.contains("cannot be matched"), "{script}: {judged}");
    }
}

#[test]
fn interpolants_abducts_truth_values_and_points_are_judged() {
    assert_replies_are_right(&RIGHT_REPLIES);
}

/// Known bugs of z3, each with the release that has it and the finding; all of them are right in 5.4.0.
const KNOWN_BUGS: [(&str, &str, &str); 6] = [
    (include_str!("../../../experiments/questions/history/opt-10268.smt2"), "z3@4.8.10", "reply"),
    (include_str!("../../../experiments/questions/history/opt-4465.smt2"), "z3@4.8.10", "reply"),
    (include_str!("../../../experiments/questions/history/opt-6697.smt2"), "z3@4.8.10", "reply"),
    (include_str!("../../../experiments/questions/history/core-8045.smt2"), "z3@4.8.10", "reply"),
    (include_str!("../../../experiments/questions/history/inc-5388.smt2"), "z3@4.8.10", "refutation"),
    (include_str!("../../../experiments/questions/history/qe-6946.smt2"), "z3@4.8.10", "reply"),
];

#[test]
fn known_bugs_are_recognised_on_the_release_that_has_them() {
    for (script, release, kind) in KNOWN_BUGS {
        let judged = check(script, &[release, "cvc5@1.4.2"]);
        let expected = format!("{kind} {release}");
        assert!(findings(&judged).contains(&expected), "{script}: {judged}");
        let judged = check(script, &["z3@5.4.0", "cvc5@1.4.2"]);
        assert_eq!(findings(&judged), Vec::<String>::new(), "{script}: {judged}");
    }
}

#[test]
fn points_after_the_last_of_a_pareto_front_are_no_finding() {
    let front =
        "(set-option :opt.priority pareto)(declare-const x Int)(assert (<= 0 x 1))(maximize x)(minimize x)
        (check-sat)(check-sat)(check-sat)(check-sat)";
    for script in [front.to_owned(), front.replace("pareto", "box")] {
        let judged = check(&script, &["z3@5.4.0", "cvc5@1.4.2"]);
        assert_eq!(findings(&judged), Vec::<String>::new(), "{judged}");
    }
}

#[test]
fn the_table_of_parameters_has_only_what_the_release_knows() {
    let Program::Binary { path, .. } = solvers::solver("z3@5.4.0").program else { panic!("z3 is a program") };
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("help.smt2");
    std::fs::write(&script, "(help-tactic)").unwrap();
    let output = Command::new(path).arg(script).output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let section = |tactic: &str| {
        let start = help.find(&format!("\n- {tactic} ")).unwrap_or_else(|| panic!("no {tactic}")) + 1;
        let rest = &help[start..];
        &rest[..rest.find("\n- ").unwrap_or(rest.len())]
    };
    for (tactic, parameter, value) in gainsay_engine::question::tactic::parameters() {
        let line =
            section(tactic).lines().find(|line| line.trim_start().starts_with(&format!("{parameter} ")));
        let line = line.unwrap_or_else(|| panic!("{tactic} has no {parameter}"));
        let other = if value == "true" { "false" } else { "true" };
        assert!(
            line.contains("(bool)") && line.ends_with(&format!("(default: {other})")),
            "{tactic}: {line}"
        );
    }
}

/// A timeout core, the next models, learned literals and a function of cvc5; the verdict is fine only if a reply is judged right.
const RIGHT_REPLIES_OF_CVC5: [&str; 5] = [
    "(set-option :produce-unsat-cores true)(set-option :timeout-core-timeout 2000)(set-logic QF_LIA)(declare-const x Int)
     (assert (! (> x 3) :named a))(assert (! (< x 2) :named b))(assert (! (= x 7) :named c))(get-timeout-core)
     (push 1)(get-timeout-core)(pop 1)(check-sat)",
    "(set-option :produce-unsat-cores true)(set-option :print-cores-full true)(set-logic QF_LIA)(declare-const x Int)
     (assert (! (> x 3) :named a))(assert (< x 2))(check-sat)(get-unsat-core)",
    "(set-option :produce-models true)(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(assert (< 3 x 6))
     (assert (= y (* 2 x)))(check-sat)(get-value (x y))(block-model-values (x y))(check-sat)(get-value (x y))
     (block-model :values)(check-sat)(get-value (x y))(block-model-values (x y))(check-sat)",
    "(set-option :produce-learned-literals true)(set-option :ext-rew-prep agg)(set-logic QF_LIA)(declare-const x Int)
     (declare-const y Int)(assert (> x 3))(assert (= y (+ x 1)))(check-sat)(get-learned-literals :preprocess)",
    "(set-option :sygus true)(set-logic LIA)(declare-var x Int)(declare-var y Int)(synth-fun f ((a Int) (b Int)) Int)
     (constraint (>= (f x y) x))(constraint (>= (f x y) y))(constraint (or (= (f x y) x) (= (f x y) y)))(check-synth)",
];

#[test]
fn timeout_cores_next_models_literals_and_functions_are_judged() {
    assert_replies_are_right(&RIGHT_REPLIES_OF_CVC5);
}

#[test]
fn the_table_of_passes_has_only_options_of_the_release() {
    let solver = solvers::solver("cvc5@1.4.2");
    let launcher = launcher::launcher();
    for (option, value) in gainsay_engine::question::preprocess::table_options() {
        let script = format!("(set-option :{option} {value})(set-info :source a)");
        let mut runner = Runner::open(&solver, runner::plain(), &launcher).unwrap();
        let query = Query { script: &script, limits: Limits::default(), ask: Ask::ANSWERS_ONLY };
        let run = runner.run(&query).unwrap();
        assert_eq!(run.messages, Vec::<String>::new(), "{option}={value}");
    }
}

/// The third check contradicts its status; the other two have the right ones.
const CLAIMED_STATUSES: &str = "(set-logic QF_LIA)(declare-const x Int)(set-info :status sat)(check-sat)(push 1)
    (assert (> x 3))(assert (< x 2))(set-info :status unsat)(check-sat)(pop 1)(set-info :status STATUS)(check-sat)";

#[test]
fn each_check_is_held_against_the_status_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("script.smt2");
    solvers::solver("z3@5.4.0");
    for (status, verdict) in [("sat", "fine"), ("unsat", "expectation disproved")] {
        std::fs::write(&path, CLAIMED_STATUSES.replace("STATUS", status)).unwrap();
        let words = ["check", path.to_str().unwrap(), "--json", "--solver", "z3@5.4.0", "--expect-statuses"];
        let output = Command::new(env!("CARGO_BIN_EXE_gainsay")).args(words).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let judged: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!(judged["verdict"], verdict, "{judged}");
    }
}

/// Three assertions of which the first and the last contradict the second, and a sequence of interpolants between them.
const PARTITION: &str =
    "(set-option :produce-interpolants true)(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)
(assert (! (< x 2) :named a))(assert (! (> y 5) :named b))(assert (! (= x y) :named c))
(check-sat)(get-interpolants a c b)";

/// No package index has a solver with this command, so a program that says what SMTInterpol would say stands in for it; z3 judges the claims.
#[test]
fn a_sequence_of_interpolants_is_judged_part_by_part() {
    solvers::solver("z3@5.4.0");
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.smt2");
    std::fs::write(&script, PARTITION).unwrap();
    let judged = |reply: &str| {
        let program = folder.path().join("smtinterpol");
        let text = format!(
            "#!/bin/sh\ncase $(cat) in\n*produce-interpolants*get-interpolants*) printf 'unsat\\n{reply}\\n';;\n*assert*) echo unsat;;\n\
             *) echo sat;;\nesac\n"
        );
        std::fs::write(&program, text).unwrap();
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let solver = format!("smtinterpol={}", program.display());
        let words =
            ["check", script.to_str().unwrap(), "--json", "--solver", &solver, "--solver", "z3@5.4.0"];
        let output = Command::new(env!("CARGO_BIN_EXE_gainsay")).args(words).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        serde_json::from_str::<Value>(text.lines().last().unwrap()).unwrap()
    };
    let right = judged("((< x 2) (< y 2))");
    assert_eq!((findings(&right), &right["verdict"]), (Vec::new(), &"fine".into()), "{right}");
    // A formula that does not follow from the first part, and one with a constant that the first part does not have.
    let unshared = ("((< y 2) (< y 2))", "is not shared");
    for (reply, words) in [("((< x 1) (< y 2))", "does not follow"), unshared] {
        let wrong = judged(reply);
        let found = findings(&wrong);
        assert!(found.len() == 1 && found[0].starts_with("reply smtinterpol="), "{wrong}");
        assert!(wrong.to_string().contains(words), "{wrong}");
    }
}

/// Proofs from premises that are no assertions, as if a solver printed them.
#[cfg(unix)]
#[test]
fn a_proof_from_premises_that_nobody_asserted_is_a_wrong_reply() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let judged = |profile: &str, proof: &str| {
        let (program, script) = (folder.path().join("solver"), folder.path().join("script.smt2"));
        let version = if profile == "z3" { "Z3 version 5.4.0" } else { "This is cvc5 version 1.4.2" };
        let text = format!(
            "#!/bin/sh\ncase \"$*\" in *version*) echo '{version}'; exit;; esac\ncase \"$(cat)\" in *get-proof*) echo unsat; echo '{proof}';; *) echo sat;; esac\n"
        );
        std::fs::write(&program, text).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let text = "(set-option :produce-proofs true)(declare-const a Bool)(declare-const b Bool)(assert a)(assert (not a))(check-sat)(get-proof)";
        std::fs::write(&script, text).unwrap();
        let solver = format!("{profile}={}", program.display());
        let words = ["check", script.to_str().unwrap(), "--json", "--solver", &solver];
        let output = Command::new(env!("CARGO_BIN_EXE_gainsay")).args(words).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let judged: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        let findings = judged["findings"].as_array().unwrap().iter();
        findings.map(|one| one["explanation"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let right = "((assume @p1 a)(assume @p2 (not a))(step @p3 false :rule contra :premises (@p1 @p2)))";
    assert_eq!(judged("cvc5", right), Vec::<String>::new());
    let wrong = judged("cvc5", &right.replace("p1 a", "p1 b").replace("(not a)", "(not b)"));
    assert!(wrong[0].contains("the premise b of its proof follows from no assertion"), "{wrong:?}");
    let right = "((proof (unit-resolution (asserted a) (asserted (not a)) false)))";
    assert_eq!(judged("z3", right), Vec::<String>::new());
    let wrong = judged("z3", &right.replace(" a)", " b)").replace("(not a)", "(not b)"));
    assert!(wrong[0].contains("of its proof follows from no assertion"), "{wrong:?}");
    let weak = judged("z3", "((proof (mp (asserted a) (rewrite x) false)))");
    assert!(weak[0].contains("the premises of its proof do not contradict each other"), "{weak:?}");
}

#[test]
fn a_tactic_that_does_not_suit_leaves_other_replies_judged_and_sygus_needs_no_option() {
    let script =
        "(declare-const x Int)(declare-const y Int)(assert (= y (+ x 1)))(apply (then simplify solve-eqs))
        (apply (par-then split-clause simplify))(apply ctx-solver-simplify)";
    let judged = check(script, &["z3@5.4.0", "cvc5@1.4.2"]);
    assert_eq!((findings(&judged), &judged["verdict"]), (Vec::new(), &"fine".into()), "{judged}");
    let script =
        "(set-logic LIA)(synth-fun f ((x Int)) Int)(declare-var x Int)(constraint (>= (f x) x))(check-synth)";
    let judged = check(script, &["cvc5@1.4.2"]);
    assert_eq!((findings(&judged), &judged["verdict"]), (Vec::new(), &"fine".into()), "{judged}");
}
