//! Value mutation with misbehaving helpers: gainsay gets no values and reports why.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use std::path::Path;
use std::time::Duration;

use fake_solver::fixture;
use gainsay_engine::campaign::advice::{AdviceSolver, ask_for_values};
use gainsay_engine::random::RandomStream;
use gainsay_engine::solver::run::Limits;
use gainsay_engine::strategy::value::{Fillings, NoValuesReason};
use gainsay_smt::{Script, Signature};

const FAKE_SOLVER: &str = env!("CARGO_BIN_EXE_fake-solver");

const SEED_WITH_CONSTANTS: &str = "(declare-const x Int)(assert (or (< x 3) (= x 9)))(check-sat)";

/// The values that a helper with this directive proposes for the constants of a seed.
fn ask(seed: &str, directive: &str, wall: Duration) -> Fillings {
    let mut solver = fixture::solver(Path::new(FAKE_SOLVER), "values");
    solver.name.options.extend(["--fake".to_owned(), directive.to_owned()]);
    let limits = Limits { wall, grace: Duration::ZERO, ..Limits::default() };
    let adviser = AdviceSolver { solver, version: None, limits };
    let launcher = fixture::launcher(Path::new(FAKE_SOLVER));
    let script = Script::parse(seed, &Signature::standard()).unwrap();
    ask_for_values(&script, &[], &adviser, &launcher, 20, &mut RandomStream::new(1).rng())
}

const UNREACHED_TIMEOUT: Duration = Duration::from_secs(60);

#[test]
fn a_helper_that_does_not_know_gives_nothing() {
    let found = ask(SEED_WITH_CONSTANTS, "answer unknown", UNREACHED_TIMEOUT);
    assert_eq!((found.list.len(), found.why), (0, Some(NoValuesReason::Unknown)));
    assert!(found.account.unknown > 0 && found.account.unknown == found.account.asked, "{found:?}");
    assert_eq!(
        ask(SEED_WITH_CONSTANTS, "answer unsat", UNREACHED_TIMEOUT).why,
        Some(NoValuesReason::Impossible)
    );
}

#[test]
fn a_helper_that_dies_or_hangs_is_given_up_soon() {
    let died = ask(SEED_WITH_CONSTANTS, "segv", UNREACHED_TIMEOUT);
    assert_eq!((died.why, died.account.failed), (Some(NoValuesReason::Died), 3));
    let hung = ask(SEED_WITH_CONSTANTS, "hang", Duration::from_millis(200));
    assert_eq!((hung.why, hung.account.timeouts), (Some(NoValuesReason::TimedOut), 3));
}

#[test]
fn a_helper_whose_models_cannot_be_read_gives_nothing() {
    let found = ask(SEED_WITH_CONSTANTS, "answer sat", UNREACHED_TIMEOUT);
    assert_eq!((found.why, found.list.len()), (Some(NoValuesReason::Unreadable), 0));
    assert_eq!(
        ask(SEED_WITH_CONSTANTS, "answer whatever", UNREACHED_TIMEOUT).why,
        Some(NoValuesReason::Refused)
    );
}

#[test]
fn a_seed_without_constants_is_not_asked_about() {
    let found = ask("(declare-const p Bool)(assert p)(check-sat)", "segv", UNREACHED_TIMEOUT);
    assert_eq!((found.why, found.account.asked), (Some(NoValuesReason::NoConstants), 0));
}
