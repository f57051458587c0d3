//! Value mutation with helpers that misbehave: each costs the values of a seed, and is told as it was.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use fake_solver::storm;
use gainsay_engine::campaign::advice::{AdviceSolver, ask_for_values};
use gainsay_engine::random::RandomStream;
use gainsay_engine::solver::run::Limits;
use gainsay_engine::solver::runner::Setting;
use gainsay_engine::strategy::value::{Fillings, NoValuesReason};
use gainsay_smt::{Script, Signature};

const FAKE: &str = env!("CARGO_BIN_EXE_fake-solver");

const SEED: &str = "(declare-const x Int)(assert (or (< x 3) (= x 9)))(check-sat)";

/// What a helper that does this gives for the constants of a seed.
fn ask(seed: &str, directive: &str, wall: Duration) -> Fillings {
    let mut solver = storm::solver(Path::new(FAKE), "values");
    solver.name.options.extend(["--fake".to_owned(), directive.to_owned()]);
    let limits = Limits { wall, grace: Duration::ZERO, ..Limits::default() };
    let adviser = AdviceSolver { solver, version: None, limits };
    let setting = Setting { host: storm::host(Path::new(FAKE)), variables: BTreeMap::default() };
    let script = Script::parse(seed, &Signature::standard()).unwrap();
    ask_for_values(&script, &[], &adviser, &setting, 20, &mut RandomStream::new(1).rng())
}

const LONG: Duration = Duration::from_secs(60);

#[test]
fn a_helper_that_does_not_know_gives_nothing() {
    let found = ask(SEED, "answer unknown", LONG);
    assert_eq!((found.list.len(), found.why), (0, Some(NoValuesReason::Unknown)));
    assert!(found.account.unknown > 0 && found.account.unknown == found.account.asked, "{found:?}");
    assert_eq!(ask(SEED, "answer unsat", LONG).why, Some(NoValuesReason::Impossible));
}

#[test]
fn a_helper_that_dies_or_hangs_is_given_up_soon() {
    let died = ask(SEED, "segv", LONG);
    assert_eq!((died.why, died.account.failed), (Some(NoValuesReason::Died), 3));
    let hung = ask(SEED, "hang", Duration::from_millis(200));
    assert_eq!((hung.why, hung.account.timeouts), (Some(NoValuesReason::TimedOut), 3));
}

#[test]
fn a_helper_whose_models_cannot_be_read_gives_nothing() {
    let found = ask(SEED, "answer sat", LONG);
    assert_eq!((found.why, found.list.len()), (Some(NoValuesReason::Unreadable), 0));
    assert_eq!(ask(SEED, "answer whatever", LONG).why, Some(NoValuesReason::Refused));
}

#[test]
fn a_seed_without_constants_is_not_asked_about() {
    let found = ask("(declare-const p Bool)(assert p)(check-sat)", "segv", LONG);
    assert_eq!((found.why, found.account.asked), (Some(NoValuesReason::NoConstants), 0));
}
