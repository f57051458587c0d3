//! Systems of Horn clauses against real solvers: mutants have the answers of their seeds, models that are none are shown to be
//! none, and derivations are checked.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/launcher.rs"]
mod launcher;
#[path = "support/repository.rs"]
mod repository;
#[path = "support/real_solvers.rs"]
mod solvers;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Output};

use gainsay_engine::campaign::advice::{SeedAdvice, ask_about_clauses};
use gainsay_engine::campaign::chain::{Chain, Reread, StepOutcome};
use gainsay_engine::campaign::recipe::Recipe;
use gainsay_engine::finding::{Evidence, FindingKind};
use gainsay_engine::oracle::agreement::AgreementOracle;
use gainsay_engine::oracle::{Oracle, Verdict};
use gainsay_engine::random::RandomStream;
use gainsay_engine::solver::run::{Answer, Ask, Limits, Query, Run};
use gainsay_engine::solver::runner::{self, Runner};
use gainsay_engine::strategy::operators::Operators;
use gainsay_engine::strategy::value::ConstantSource;
use gainsay_engine::strategy::{self, CaseBounds, FusionSettings, StrategySettings};
use gainsay_engine::trial::{DerivationSearch, Promise, SolverIdentity, Statement, Trial, clauses};
use gainsay_smt::horn::{HornForm, System};
use gainsay_smt::{Script, Signature};
use launcher::launcher;
use repository::repository;
use solvers::REAL_SOLVERS;

/// Mutants of each seed.
const STEPS_PER_SEED: u64 = 40;

fn open(name: &str) -> Runner {
    let launcher = launcher();
    Runner::open(&solvers::solver(name), runner::plain(), &launcher).unwrap()
}

fn ask(runner: &mut Runner, script: &str, ask: Ask) -> Run {
    runner.run(&Query { script, limits: Limits::default(), ask }).unwrap()
}

/// The seeds of `corpus/chc`, by name.
fn seeds() -> BTreeMap<String, Script> {
    let folder = repository().join("corpus/chc");
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, Script::parse(&text, &Signature::standard()).unwrap())
    };
    std::fs::read_dir(folder).unwrap().map(|entry| read(entry.unwrap().path())).collect()
}

fn status(script: &Script) -> Answer {
    Answer::from_word(script.info(":status").unwrap().as_bytes()).unwrap()
}

#[test]
fn mutants_have_the_answers_of_their_seeds() {
    let mut z3 = open(REAL_SOLVERS[0]);
    let signature = Signature::standard();
    let settings = StrategySettings {
        bounds: CaseBounds { bytes: 50_000, depth: 200 },
        operators: Operators::standard(&signature),
        fusion: FusionSettings::default(),
        values: ConstantSource::Random,
        scope: gainsay_engine::strategy::ScopeChoice::default(),
        formats: Default::default(),
        enumerations: Default::default(),
    };
    let recipe = Recipe::new(7, STEPS_PER_SEED, vec![strategy::find("horn").unwrap()], settings);
    let (mut decided, mut rewrites, mut made) = (0, 0, BTreeMap::<String, usize>::new());
    for (number, (name, seed)) in seeds().into_iter().enumerate() {
        let said = ask_about_clauses(
            &seed,
            &mut |query| z3.run(query).ok(),
            Limits::default(),
            &mut RandomStream::new(3).rng(),
        );
        rewrites += said.rewrites.len();
        let advised = SeedAdvice { phrases: said, ..SeedAdvice::default() };
        let chain = Chain::new(&recipe, number as u64, &seed, Some(status(&seed)), Reread::Yes);
        for step in chain.with_advice(&advised, 0) {
            let StepOutcome::Made(mutant) = step.outcome else { panic!("{name}: {:?}", step.outcome) };
            assert_eq!(mutant.promise, Promise::Known(status(&seed)));
            assert!(System::read(&mutant.script).is_ok(), "{name}: {}", mutant.text);
            *made.entry(mutant.step.mutation.unwrap_or("to-horn").to_owned()).or_default() += 1;
            let run = ask(&mut z3, &mutant.text, Ask::ANSWERS_ONLY);
            assert_eq!(
                run.trouble.as_ref().filter(|trouble| trouble.kind.is_rejection()),
                None,
                "{}",
                mutant.text
            );
            if let [answer @ (Answer::Sat | Answer::Unsat)] = run.answers.as_slice() {
                decided += 1;
                assert_eq!(*answer, status(&seed), "{name} after {}:\n{}", mutant.step, mutant.text);
            }
        }
    }
    assert!(decided > 300, "only {decided} decided");
    assert!(made.len() > 15, "{made:?}");
    assert!(rewrites > 50, "z3 says {rewrites} things in other words");
}

#[test]
fn conditions_that_never_hold_never_hold() {
    let table = include_str!("../../strategies/rules/contradictions.smt2");
    let script = Script::parse(table, &Signature::standard()).unwrap();
    let mut text = "(set-logic ALL)\n".to_owned();
    let mut rows = 0;
    for command in &script.commands {
        let gainsay_smt::Command::Define(_, row) = command else { continue };
        let arena = script.arena();
        let list: String = row
            .parameters
            .iter()
            .map(|p| format!("({} {})", arena.text(p.name), gainsay_smt::print::sort_text(arena, p.sort)))
            .collect();
        let body = gainsay_smt::print::term_text(arena, row.body);
        let exists = if list.is_empty() { body } else { format!("(exists ({list}) {body})") };
        text.push_str(&format!("(push 1)\n(assert {exists})\n(check-sat)\n(pop 1)\n"));
        rows += 1;
    }
    for name in [REAL_SOLVERS[0], REAL_SOLVERS[2]] {
        let answers = ask(&mut open(name), &text, Ask::ANSWERS_ONLY).answers;
        assert_eq!(answers, vec![Answer::Unsat; rows], "{name}");
    }
}

#[test]
fn both_styles_of_a_system_have_opposite_answers() {
    let mut z3 = open(REAL_SOLVERS[0]);
    for (name, seed) in seeds() {
        let rules = System::read(&seed).unwrap().script(HornForm::Fixedpoint).to_string();
        let expected = if status(&seed) == Answer::Sat { Answer::Unsat } else { Answer::Sat };
        assert_eq!(ask(&mut z3, &rules, Ask::ANSWERS_ONLY).answers, [expected], "{name}:\n{rules}");
        let back = System::read(&Script::parse(&rules, &Signature::standard()).unwrap()).unwrap();
        let horn = back.script(HornForm::Horn).to_string();
        assert_eq!(ask(&mut z3, &horn, Ask::ANSWERS_ONLY).answers, [status(&seed)], "{name}:\n{horn}");
    }
}

fn gainsay(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gainsay")).args(arguments).output().unwrap()
}

/// A file of this text, and the folder that holds it.
fn file(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("system.smt2");
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

/// z3 takes out `mid`, and forgets for which arguments it holds.
const FORGETFUL_SYSTEM: &str = "(set-logic HORN)(declare-fun mid (Int Int) Bool)(assert (not (mid 2 2)))(assert (mid 6 6))\
    (assert (forall ((k Int)) (=> (mid 2 7) (mid 2 k))))(assert (forall ((u Int)) (=> (mid 3 3) false)))(check-sat)";

#[test]
fn a_model_that_is_none_is_proved_to_be_none() {
    let (_folder, path) = file(FORGETFUL_SYSTEM);
    let output = gainsay(&["check", &path, "--solver", REAL_SOLVERS[0]]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("model (proved): z3@5.4.0 says sat, and under its model clause "), "{text}");
    assert_eq!(output.status.code(), Some(10));
}

#[test]
fn campaigns_look_at_every_model_clause_by_clause() {
    let (folder, path) = file(FORGETFUL_SYSTEM);
    let out = folder.path().join("out");
    let words = [
        "fuzz",
        "--strategy",
        "horn",
        "--seeds",
        &path,
        "--solver",
        "spacer@5.4.0",
        "--cases",
        "3",
        "--json",
    ];
    let output = gainsay(&[&words[..], &["--out", out.to_str().unwrap()]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let found = &last["findings"][0];
    assert_eq!((&found["kind"], &found["evidence"]), (&"model".into(), &"proved".into()), "{last}");
    assert_eq!(output.status.code(), Some(10));
}

#[test]
fn a_model_under_which_every_clause_holds_is_fine() {
    let (_folder, path) = file(
        "(set-logic HORN)(declare-fun inv (Int) Bool)(assert (inv 0))\
         (assert (forall ((x Int)) (=> (and (inv x) (< x 5)) (inv (+ x 1)))))\
         (assert (forall ((x Int)) (=> (inv x) (< x 9))))(check-sat)",
    );
    let output = gainsay(&["check", &path, "--solver", REAL_SOLVERS[0]]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("model: fine"), "{text}");
}

#[test]
fn a_derivation_proves_everybody_wrong_who_says_sat() {
    let mut z3 = open(REAL_SOLVERS[0]);
    for name in ["counter_overflows", "gcd_steps", "mutual_predicates"] {
        let seed = &seeds()[name];
        let found = clauses::derive(seed, &mut |text, wish| Some(ask(&mut z3, text, wish)));
        let found = found.unwrap_or_else(|| panic!("{name}: false is derived"));
        let run = Run { answers: vec![Answer::Sat], ..ask(&mut z3, "(check-sat)", Ask::ANSWERS_ONLY) };
        let solver = SolverIdentity { name: "liar@1".to_owned(), family: "liar".to_owned(), version: None };
        let mut trial = Trial::new(Some(seed.clone()), seed.to_string(), Promise::Known(Answer::Unsat));
        trial.derivation = DerivationSearch::Found(found);
        trial.statements = vec![Statement::of(solver, &run, 1, None)];
        let verdict = AgreementOracle.judge(&trial, &[]);
        let Verdict::Bug(findings) = verdict else { panic!("{name}: {verdict:?}") };
        assert_eq!(
            (findings[0].kind, findings[0].evidence),
            (FindingKind::Solution, Evidence::Proved),
            "{name}"
        );
    }
    for (name, seed) in seeds().into_iter().filter(|(_, seed)| status(seed) == Answer::Sat) {
        let found = clauses::derive(&seed, &mut |text, wish| Some(ask(&mut z3, text, wish)));
        assert_eq!(found, None, "{name} has a model");
    }
}

#[test]
fn what_is_no_system_is_said_with_its_assertion() {
    let (_folder, path) =
        file("(set-logic HORN)(declare-fun p (Int) Bool)(assert (p 0))(assert (or (p 1) (p 2)))(check-sat)");
    let output = gainsay(&["parse", "--horn", &path]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("assertion 2 is not a Horn clause: two heads, p and p"), "{text}");
    assert_eq!(output.status.code(), Some(2));
    let (_folder, path) = file(FORGETFUL_SYSTEM);
    let output = gainsay(&["parse", "--horn", &path]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("linear, 1 predicates, 4 clauses, assertions"), "{text}");
}

#[test]
fn what_is_reduced_stays_a_system() {
    let more = "(declare-fun idle (Int) Bool)(assert (forall ((x Int)) (=> (and (idle x) (< x 3)) (idle (+ x 1)))))(check-sat)";
    let (folder, path) = file(&FORGETFUL_SYSTEM.replace("(check-sat)", more));
    let small = folder.path().join("small.smt2");
    let output = gainsay(&["reduce", &path, "--solver", REAL_SOLVERS[0], "--out", small.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&small).unwrap();
    assert!(!text.contains("idle") && text.len() < FORGETFUL_SYSTEM.len(), "{text}");
    assert!(System::read(&Script::parse(&text, &Signature::standard()).unwrap()).is_ok(), "{text}");
    let output = gainsay(&["check", small.to_str().unwrap(), "--solver", REAL_SOLVERS[0]]);
    assert!(String::from_utf8(output.stdout).unwrap().contains("model (proved)"), "{text}");
}
