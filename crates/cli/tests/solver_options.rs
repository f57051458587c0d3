//! The options that profiles say are worth trying, on real solvers: each is taken, and none changes an answer.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/launcher.rs"]
mod launcher;
#[path = "support/repository.rs"]
mod repository;
#[path = "support/real_solvers.rs"]
mod solvers;

use std::time::Duration;

use gainsay_engine::solver::profile::{SolverOption, Tier};
use gainsay_engine::solver::run::{Answer, Ask, Exit, Limits, Query, Run};
use gainsay_engine::solver::runner::{self, Runner};
use launcher::launcher;
use repository::repository;

/// Seeds that an option is tried with: of several theories, quick, of both answers.
const SAMPLE_SEEDS: [&str; 6] = [
    "smt/QF_LIA/nested_conditions",
    "smt/QF_BV/division_by_zero",
    "smt/QF_UFLIA/weights",
    "smt/QF_SLIA/at_the_end",
    "smt/QF_NRA/polynomial_identity",
    "smt/QF_AX/swap_twice",
];

/// Enough for all that a solver of yesterday knows.
const TRIVIAL_SCRIPT: &str =
    "(set-logic QF_BV)\n(declare-const x (_ BitVec 4))\n(assert (bvult x #x3))\n(check-sat)\n";

/// Runs each script under each option of a solver, one process an option, and says what `judge` has against the runs.
fn try_options(name: &str, scripts: &[String], judge: impl Fn(&[Run]) -> Option<String>) -> Vec<String> {
    let (launcher, bare) = (launcher(), solvers::solver(name));
    let limits = Limits { wall: Duration::from_secs(5), ..Limits::default() };
    let rows: Vec<String> =
        bare.profile.choices(bare.version.as_ref(), Tier::Expert).flat_map(SolverOption::words).collect();
    assert!(!rows.is_empty(), "{name} has no options to try");
    let mut against = Vec::new();
    for word in rows {
        let solver = bare.with_options(std::slice::from_ref(&word));
        let mut runner = Runner::open(&solver, runner::drivers(&solver, &launcher)[0], &launcher).unwrap();
        let mut ask =
            |script: &String| runner.run(&Query { script, limits, ask: Ask::ANSWERS_ONLY }).unwrap();
        let runs: Vec<Run> = scripts.iter().map(&mut ask).collect();
        against.extend(judge(&runs).map(|what| format!("{name} {word}: {what}")));
    }
    against
}

#[test]
fn every_option_is_taken_by_the_versions_that_it_claims() {
    let mut against = Vec::new();
    for name in ["z3@4.8.8", "z3@4.8.10", "cvc5@1.2.0", "yices@2.6.5"] {
        against.extend(try_options(name, &[TRIVIAL_SCRIPT.to_owned()], |runs| {
            (runs[0].answers != [Answer::Sat]).then(|| format!("{:?}", runs[0].trouble))
        }));
    }
    assert!(against.is_empty(), "{against:#?}");
}

#[test]
fn no_option_changes_an_answer_of_the_newest_solvers() {
    let corpus = repository().join("corpus");
    let text = |seed: &str| std::fs::read_to_string(corpus.join(format!("{seed}.smt2"))).unwrap();
    // The `:status` of the script would make solvers reject it.
    let without_claim =
        |text: String| text.lines().filter(|line| !line.contains(":status")).collect::<Vec<_>>().join("\n");
    let claims: Vec<Answer> = SAMPLE_SEEDS
        .map(|seed| if text(seed).contains(":status sat") { Answer::Sat } else { Answer::Unsat })
        .to_vec();
    let scripts = SAMPLE_SEEDS.map(|seed| without_claim(text(seed)) + "\n").to_vec();
    let judge = |runs: &[Run]| {
        let wrong = |run: &Run, claim| {
            let answer = *run.answers.first().unwrap_or(&Answer::Unknown);
            let stopped = run.exit == Exit::WallLimit;
            (answer != claim && answer != Answer::Unknown) || (run.trouble.is_some() && !stopped)
        };
        let of = |at: &usize| wrong(&runs[*at], claims[*at]);
        let first = (0..runs.len()).find(of)?;
        Some(format!("{}: {:?} {:?}", SAMPLE_SEEDS[first], runs[first].answers, runs[first].trouble))
    };
    let against = ["z3@5.4.0", "cvc5@1.4.2"].map(|name| try_options(name, &scripts, judge)).concat();
    assert!(against.is_empty(), "{against:#?}");
}
