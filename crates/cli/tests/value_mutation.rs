//! Value mutation with real solvers.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/launcher.rs"]
mod launcher;
#[path = "support/real_solvers.rs"]
mod solvers;

use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gainsay_engine::campaign::advice::AdviceSolver;
use gainsay_engine::campaign::advice::{AdviceSource, WantedAdvice};
use gainsay_engine::solver::run::{Answer, Ask, Limits, Query};
use gainsay_engine::solver::runner::{self, Runner};
use gainsay_engine::strategy::value::skeleton::Skeleton;
use gainsay_engine::strategy::value::{ConstantSource, Fillings};
use gainsay_smt::eval::{self, EvalBudget, Evaluator};
use gainsay_smt::print::sort_text;
use gainsay_smt::value::value_text;
use gainsay_smt::{Model, Script, Signature, sat_queries};
use launcher::launcher;
use serde_json::Value;
use solvers::REAL_SOLVERS;

/// The formula on the left of the paper's first figure; the one on the right has 0 for 11.
const PAPER_FIGURE: &str = "(declare-fun a () String)(declare-fun b () String)\
    (assert (and (= (str.++ (str.substr \"1\" 0 (str.len a)) \"0\") b) (< (str.to_int b) 11)))(check-sat)";

/// A solver's values for the constants of a script, with choices drawn from a numbered stream.
fn fillings(script: &Script, helper: &str, way: ConstantSource, number: usize) -> Fillings {
    let solver = solvers::solver(helper);
    let limits = Limits { wall: Duration::from_secs(2), ..Limits::default() };
    let adviser = AdviceSolver { version: solver.version.clone(), solver, limits };
    let advice_source = AdviceSource::new(adviser, 60, way, WantedAdvice { values: true, phrases: false }, 1);
    advice_source.ask(number, script, &launcher(), &AtomicBool::new(false)).unwrap().0.values
}

fn parsed(text: &str) -> Script {
    Script::parse(text, &Signature::standard()).unwrap()
}

/// The scripts that a solver's values make.
fn cases(script: &Script, helper: &str, way: ConstantSource, number: usize) -> Vec<String> {
    let skeleton = Skeleton::of(script).unwrap();
    let found = fillings(script, helper, way, number);
    assert_eq!(found.why, None, "{found:?}");
    found.list.iter().map(|filling| skeleton.fill(filling)).collect()
}

#[test]
fn coercion_reaches_the_formula_of_the_figure() {
    let left = parsed(PAPER_FIGURE);
    let right = parsed(&PAPER_FIGURE.replace(" 11)", " 0)")).to_string();
    for way in [ConstantSource::Coercion, ConstantSource::Domains] {
        let reaches = |number| cases(&left, REAL_SOLVERS[0], way, number).contains(&right);
        assert!((0..8).any(reaches), "{}", way.name());
    }
}

#[test]
fn every_solver_can_be_the_helper() {
    let script = parsed("(declare-const x Int)(assert (or (< x 3) (= (+ x 4) 9)))(check-sat)");
    for helper in REAL_SOLVERS {
        let made = cases(&script, helper, ConstantSource::Domains, 0);
        assert!(made.len() > 5, "{helper}: {made:?}");
        made.iter().for_each(|text| assert_ne!(*text, script.to_string()));
    }
}

#[test]
fn a_coerced_term_is_true_or_false_under_the_values_that_were_found() {
    // The one assertion is coerced both ways, and nothing else depends on the constants.
    let script = parsed("(assert (< (* 3 7) 5))(check-sat)");
    let launcher = launcher();
    let solver = solvers::solver(REAL_SOLVERS[0]);
    let mut runner = Runner::open(&solver, runner::plain(), &launcher).unwrap();
    let mut answers = Vec::new();
    for text in cases(&script, REAL_SOLVERS[0], ConstantSource::Coercion, 0) {
        let query = Query { script: &text, limits: Limits::default(), ask: Ask::ANSWERS_ONLY };
        answers.extend(runner.run(&query).unwrap().answers);
    }
    assert!(answers.contains(&Answer::Sat) && answers.contains(&Answer::Unsat), "{answers:?}");
}

/// Literals as we print them mean the same to every solver that knows their sort.
#[test]
fn literals_are_read_alike() {
    let launcher = launcher();
    let numbers = [
        "0",
        "(- 7)",
        "340282366920938463463374607431768211456",
        "(/ 1.0 3.0)",
        "(- (/ 22.0 7.0))",
        "(- 0.5)",
    ];
    let bits = ["#b0", "#x0f", "#b101", "(_ bv5 65)"];
    let floats =
        ["(_ NaN 8 24)", "(_ -zero 8 24)", "(fp #b1 #x00 #b00000000000000000000001)", "(_ +oo 11 53)"];
    let strings = ["\"\"", "\"a\"\"b\"", "\"\\u{0}\\u{2ffff}\"", "\"\\u{5c}u{41}\"", "\"\\u{7f}\\u{e9}\""];
    let groups: [(&[&str], &[&str]); 4] = [
        (&numbers, &REAL_SOLVERS),
        (&bits, &REAL_SOLVERS),
        (&floats, &[REAL_SOLVERS[0], REAL_SOLVERS[2]]),
        (&strings, &[REAL_SOLVERS[0], REAL_SOLVERS[2]]),
    ];
    for (literals, names) in groups {
        for name in names {
            let solver = solvers::solver(name);
            let mut runner = Runner::open(&solver, runner::plain(), &launcher).unwrap();
            for literal in literals {
                let value = value_of(literal);
                let script = format!(
                    "(set-logic ALL)\n(declare-const x {})\n(assert (= x {}))\n(check-sat)\n",
                    value.0, value.1
                );
                let query = Query { script: &script, limits: Limits::default(), ask: Ask::WITH_MODEL };
                let run = runner.run(&query).unwrap();
                let model = run.model.unwrap_or_else(|| panic!("{name} on {script}: {:?}", run.messages));
                let model = solver.profile.standard_model(model, solver.version.as_ref());
                let script = parsed(&script);
                let check = sat_queries(&script).remove(0);
                let model = Model::read(&model, &script, &check).unwrap();
                let holds = eval::evaluate(&model, &check, EvalBudget::default()).outcome();
                assert_eq!(holds, eval::TruthValue::True, "{name} reads {literal} as something else");
            }
        }
    }
}

/// The sort of a literal and the text that we print for its value.
fn value_of(literal: &str) -> (String, String) {
    let script = parsed(&format!("(assert (= {literal} {literal}))"));
    let check = sat_queries(&script).remove(0);
    let term = script.arena().children(check.assertions[0])[0];
    let model = Model::empty(&script, &check);
    let value = Evaluator::new(&model, EvalBudget::default()).value(term).unwrap();
    let sort = script.arena().sort_of(term);
    (sort_text(script.arena(), sort), value_text(script.arena(), sort, &value))
}

fn gainsay(folder: &Path, arguments: &[&str]) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_gainsay")).args(arguments).current_dir(folder).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 10)), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_campaign_counts_what_the_helper_did_and_its_cases_are_made_again_from_the_record() {
    let folder = tempfile::tempdir().unwrap();
    let helper = REAL_SOLVERS[0];
    solvers::solver(helper);
    std::fs::create_dir(folder.path().join("seeds")).unwrap();
    std::fs::write(folder.path().join("seeds/a.smt2"), PAPER_FIGURE).unwrap();
    std::fs::write(folder.path().join("seeds/b.smt2"), "(declare-const p Bool)(assert p)(check-sat)")
        .unwrap();
    let common =
        ["--strategy", "value", "--seeds", "seeds", "--rng-seed", "3", "--chain", "10", "--cases", "20"];
    let fuzz = ["fuzz", "--json", "--out", "found", "--questions", "none", "--values", "bec+domains"];
    let fuzz = [&fuzz[..], &["--solver", helper], &common[..]].concat();
    let sums: Value = serde_json::from_str(gainsay(folder.path(), &fuzz).lines().last().unwrap()).unwrap();
    assert_eq!(sums["skipped_by_reason"]["there are no constants"], 10, "{sums}");
    assert_eq!((&sums["cases"], &sums["values"]["seeds"]), (&10.into(), &2.into()), "{sums}");
    assert!(sums["values"]["account"]["asked"].as_u64() > Some(10), "{sums}");
    let mutate =
        [&["mutate", "--values", "bec+domains", "--helper", helper, "--out", "cases"], &common[..]].concat();
    gainsay(folder.path(), &mutate);
    let mut replayed = 0;
    for number in 0..20 {
        let path = folder.path().join(format!("cases/{:06}.smt2", number + 1));
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        assert_eq!(gainsay(folder.path(), &["replay", "found", &number.to_string()]), text);
        replayed += 1;
    }
    assert_eq!(replayed, 10);
}
