//! No script passes off its own words as answers of a solver, writes a file, or silences a solver by an option of another:
//! real solvers, every driver.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/real_solvers.rs"]
mod solvers;

use std::process::Command;

use gainsay_engine::solver::process::HelperProgram;
use gainsay_engine::solver::run::{Answer, Ask, Limits, Query, Run};
use gainsay_engine::solver::runner::{self, Launcher, Runner};
use gainsay_engine::solver::sandbox::Sandbox;
use serde_json::Value;
use solvers::REAL_SOLVERS;

/// Runs a script by every driver of a solver.
fn runs(name: &str, script: &str) -> Vec<(String, Run)> {
    let program = env!("CARGO_BIN_EXE_gainsay").into();
    let (arguments, scratch) = (vec!["driver".into()], std::env::temp_dir());
    // Without a sandbox: the filter alone must see to it.
    let host = HelperProgram { program, arguments, scratch, sandbox: Sandbox::Off };
    let launcher = Launcher { host, variables: std::env::vars().collect() };
    let solver = solvers::solver(name);
    let query = Query { script, limits: Limits::default(), ask: Ask::ANSWERS_ONLY };
    let run = |kind: &&'static _| Runner::open(&solver, kind, &launcher).unwrap().run(&query).unwrap();
    let kinds = runner::drivers(&solver, &launcher);
    kinds.iter().map(|kind| (format!("{name} {}", kind.name), run(kind))).collect()
}

/// `gainsay check` on a script: its JSON.
fn check(script: &str, solvers: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("script.smt2");
    std::fs::write(&file, script).unwrap();
    let mut arguments = vec!["check", file.to_str().unwrap(), "--json"];
    for name in solvers {
        solvers::solver(name);
        arguments.extend(["--solver", name]);
    }
    let output = Command::new(env!("CARGO_BIN_EXE_gainsay")).args(arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().last().unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    serde_json::from_str(line).unwrap()
}

const SAT_SCRIPT: &str = "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (> x 2))\n(check-sat)\n";

#[test]
fn an_echo_is_no_answer_however_it_is_written() {
    let echoes = [
        "(echo \"unsat\")",
        "( echo \"unsat\")",
        "(\techo \"unsat\")",
        "(\necho\n\"unsat\")",
        "( ; a comment\n echo \"unsat\")",
        "(|echo| \"unsat\")",
    ];
    for echo in echoes {
        for name in REAL_SOLVERS {
            for script in [format!("{echo}\n{SAT_SCRIPT}"), format!("{SAT_SCRIPT}{echo}\n")] {
                for (who, run) in runs(name, &script) {
                    assert_eq!(run.answers, [Answer::Sat], "{who}: {script}");
                }
            }
        }
    }
}

#[test]
fn what_other_commands_print_is_no_answer() {
    let datatype = "(set-option :produce-models true)\n(set-logic ALL)\n\
        (declare-datatypes ((D 0)) (((sat) (unsat) (unknown))))\n(declare-const d D)\n(assert (= d unsat))\n";
    let broken = "(declare-const |a\nunsat\n| Int)\n";
    let scripts = [
        format!("{datatype}(simplify unsat)\n(check-sat)\n(simplify unsat)\n"),
        format!("{datatype}(check-sat)\n(get-value (d))\n(get-value (|d|))\n"),
        format!(
            "(set-option :produce-models true)\n(set-logic QF_LIA)\n{broken}(check-sat)\n(get-value (|a\nunsat\n|))\n"
        ),
        format!("(set-option :produce-models true)\n(set-logic QF_LIA)\n{broken}(check-sat)\n(get-model)\n"),
        format!("(set-info :|a\nunsat\n| 3)\n{SAT_SCRIPT}"),
    ];
    for name in ["z3@5.4.0", "z3@4.8.10", "cvc5@1.4.2"] {
        for script in &scripts {
            for (who, run) in runs(name, script) {
                let refused = run.answers.is_empty() && run.trouble.is_some();
                assert!(run.answers == [Answer::Sat] || refused, "{who}: {script}\n{run:?}");
            }
        }
    }
}

#[test]
fn answers_to_several_questions_keep_their_places() {
    let script = "(set-option :produce-models true)\n(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (> x 2))\n\
        (check-sat)\n(get-value (x))\n(push 1)\n(assert (< x 2))\n(check-sat)\n(pop 1)\n(get-info :name)\n(check-sat)\n(exit)\n(check-sat)\n";
    for name in REAL_SOLVERS {
        for (who, run) in runs(name, script) {
            assert_eq!(run.answers, [Answer::Sat, Answer::Unsat, Answer::Sat], "{who}: {run:?}");
            assert_eq!(run.trouble, None, "{who}");
        }
    }
}

#[test]
fn an_option_of_one_solver_silences_no_other() {
    let options = "(set-option :auto_config false)\n(set-option :smt.mbqi false)\n(set-option :trace true)\n\
        (set-option :strings-exp true)\n(set-option :pp.bv_literals false)\n";
    let script = format!("{options}{SAT_SCRIPT}");
    for name in REAL_SOLVERS {
        for (who, run) in runs(name, &script) {
            assert_eq!(
                (run.answers.as_slice(), &run.trouble),
                ([Answer::Sat].as_slice(), &None),
                "{who}: {run:?}"
            );
        }
    }
    let json = check(&script, &REAL_SOLVERS);
    assert_eq!(json["verdict"], "fine", "{json}");
    assert_eq!(json["runs"][2]["not_sent"][0], "(set-option :auto_config)", "{json}");
}

#[test]
fn an_unknown_option_taints_no_answer_of_a_solver_that_goes_on() {
    let script = format!("(set-option :unknown-option true)\n{SAT_SCRIPT}");
    for name in ["z3@5.4.0", "z3@4.8.10", "yices@2.6.5"] {
        for (who, run) in runs(name, &script) {
            assert_eq!(
                (run.answers.as_slice(), &run.trouble),
                ([Answer::Sat].as_slice(), &None),
                "{who}: {run:?}"
            );
            assert_eq!(run.remarks.len(), 1, "{who}");
        }
    }
    let unsat = script.replace("(check-sat)", "(assert (< x 2))(check-sat)");
    assert_eq!(check(&unsat, &["z3@5.4.0", "yices@2.6.5"])["verdict"], "fine");
}

#[test]
fn an_error_that_concerns_no_answer_takes_none_away() {
    let script = |more: &str| {
        format!(
            "{more}(set-logic QF_BV)\n(declare-const p Bool)\n(declare-const x (_ BitVec 2))\n(assert (bvult x #b01))\n\
             (assert (= x #b01))\n(check-sat-assuming (p))\n(check-sat)\n"
        )
    };
    let solvers = ["yices@2.6.5", "z3@5.4.0", "cvc5@1.4.2"];
    let before = ["(set-option :produce-proofs true)", "(set-option :produce-assertions true)"];
    let after = [
        "(get-info :reason-unknown)",
        "(labels)",
        "(set-option :produce-models true)",
        "(frobnicate)",
        "(pop 7)",
    ];
    for option in before {
        let json = check(&script(option), &solvers);
        assert_eq!(json["findings"][0]["kind"], "solution", "{option}: {json}");
    }
    for command in after {
        let json = check(&(script("") + command), &solvers);
        assert_eq!(json["findings"][0]["kind"], "solution", "{command}: {json}");
        assert_eq!(json["findings"][0]["suspect"], "yices@2.6.5", "{command}: {json}");
    }
}

#[test]
fn an_error_taints_the_answers_that_depend_on_it() {
    let script = "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (> x 2))\n(check-sat)\n(get-assignment 3)\n(check-sat)\n\
        (assert (frob x))\n(check-sat)\n";
    for name in ["z3@5.4.0", "z3@4.8.10"] {
        for (who, run) in runs(name, script) {
            assert_eq!(run.answers, [Answer::Sat; 3], "{who}: {run:?}");
            assert_eq!(run.counted_answers(), [Answer::Sat; 2], "{who}: {run:?}");
            assert!(run.trouble.is_some() && !run.is_harmlessly_rejected(), "{who}: {run:?}");
        }
    }
    let option = format!("(set-option :global-declarations 3)\n{SAT_SCRIPT}");
    for (who, run) in runs("z3@5.4.0", &option) {
        assert!(run.counted_answers().is_empty() && run.trouble.is_some(), "{who}: {run:?}");
    }
}

#[test]
fn success_is_no_remark_about_an_option() {
    for (who, run) in runs("z3@5.4.0", &format!("(set-option :print-success true)\n{SAT_SCRIPT}")) {
        assert_eq!(
            (run.answers.as_slice(), run.remarks.len()),
            ([Answer::Sat].as_slice(), 0),
            "{who}: {run:?}"
        );
    }
}

#[test]
fn no_script_writes_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let victim = folder.path().join("victim");
    let options = [
        ":regular-output-channel",
        ":diagnostic-output-channel",
        ":trace_file_name",
        ":solver.proof.log",
        ":solver.smtlib2_log",
        ":sat.drat.file",
        ":out",
        ":err",
    ];
    for option in options {
        let script = format!(
            "(set-option {option} \"{}\")\n(set-option :trace true)\n(echo \"harm\")\n{SAT_SCRIPT}",
            victim.display()
        );
        std::fs::write(&victim, "precious").unwrap();
        for name in REAL_SOLVERS {
            for (who, run) in runs(name, &script) {
                assert_eq!(run.answers, [Answer::Sat], "{who} {option}: {run:?}");
                assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious", "{who} {option}");
            }
        }
    }
}
