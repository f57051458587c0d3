//! Traces and statistics of real solvers: they can be read, they are the same in two runs, and they tell seeds apart.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/launcher.rs"]
mod launcher;
#[path = "support/repository.rs"]
mod repository;
#[path = "support/real_solvers.rs"]
mod solvers;

use std::collections::BTreeSet;

use gainsay_engine::feedback::behaviour::{BehaviourSignal, RunBehaviour};
use gainsay_engine::solver::run::{Answer, Ask, Limits, Query, Run};
use gainsay_engine::solver::runner::{self, Runner};
use launcher::launcher;
use repository::repository;

/// Versions of z3 from the oldest to the newest that tests use.
const TRACED_VERSIONS: [&str; 4] = ["z3@4.8.10", "z3@4.12.1", "z3@4.16.0", "z3@5.4.0"];

/// A solver behind the driver that campaigns would use.
fn open(name: &str) -> Runner {
    let solver = solvers::solver(name);
    let launcher = launcher();
    Runner::open(&solver, runner::drivers(&solver, &launcher)[0], &launcher).unwrap()
}

fn ask(runner: &mut Runner, script: &str, ask: Ask) -> Run {
    runner.run(&Query { script, limits: Limits::default(), ask }).unwrap()
}

/// The Horn systems of the corpus, by name.
fn seeds() -> Vec<(String, String)> {
    let folder = repository().join("corpus/chc");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let read = |path: std::path::PathBuf| {
        (path.file_stem().unwrap().to_str().unwrap().to_owned(), std::fs::read_to_string(&path).unwrap())
    };
    let mut seeds: Vec<_> = paths.map(read).collect();
    seeds.sort();
    seeds
}

#[test]
fn every_z3_tells_its_steps_and_tells_them_alike_in_two_runs() {
    for name in TRACED_VERSIONS {
        let mut runner = open(name);
        let mut traces = BTreeSet::new();
        for (seed, script) in seeds() {
            let runs = [(); 2].map(|()| ask(&mut runner, &script, Ask::WITH_BEHAVIOUR));
            let [one, two] = runs.each_ref().map(RunBehaviour::of);
            assert_eq!((one.signal, one), (BehaviourSignal::Trace, two), "{name} {seed}");
            assert_eq!(runs[0].trouble, None, "{name} {seed}");
            let trace = runs[0].trace.as_ref().unwrap();
            let left = String::from_utf8_lossy(&runs[0].errors);
            assert_eq!((trace.unread(), left.as_ref()), (0, ""), "{name} {seed}");
            traces.insert(one.identity);
        }
        // Two of ten small systems may well be solved in the same steps.
        assert!(traces.len() + 1 >= seeds().len(), "{name}: {} of {}", traces.len(), seeds().len());
    }
}

#[test]
fn a_run_that_is_asked_for_its_behaviour_answers_as_one_that_is_not() {
    for name in ["z3@5.4.0", "spacer@4.8.10"] {
        let mut runner = open(name);
        for (seed, script) in seeds() {
            let bare = ask(&mut runner, &script, Ask::ANSWERS_ONLY);
            let all = ask(&mut runner, &script, Ask { model: true, work: true, ..Ask::WITH_BEHAVIOUR });
            assert_eq!((&bare.answers, bare.output), (&all.answers, all.output), "{name} {seed}");
            assert_eq!((bare.trace, bare.statistics), (None, None), "{name} {seed}");
            assert!(all.work.is_some() && all.statistics.is_some(), "{name} {seed}");
            assert_eq!(all.model.is_some(), bare.answers == [Answer::Sat], "{name} {seed}");
        }
    }
}

#[test]
fn trouble_is_seen_among_the_steps() {
    let script = "(set-logic HORN)\n(declare-fun |ASSERTION VIOLATION| (Int) Bool)\n\
        (assert (forall ((x Int)) (=> (= x 0) (|ASSERTION VIOLATION| x))))\n\
        (assert (forall ((x Int)) (=> (and (|ASSERTION VIOLATION| x) (< x 5)) (|ASSERTION VIOLATION| (+ x 1)))))\n\
        (assert (forall ((x Int)) (=> (and (|ASSERTION VIOLATION| x) (> x 7)) false)))\n(check-sat)\n";
    let mut runner = open("z3@5.4.0");
    let run = ask(&mut runner, script, Ask::WITH_BEHAVIOUR);
    assert_eq!((run.answers.as_slice(), &run.trouble), ([Answer::Sat].as_slice(), &None));
    assert!(run.trace.unwrap().is_usable());
    let broken = ask(&mut runner, "(assert (< 1 y))\n(check-sat)\n", Ask::WITH_BEHAVIOUR);
    assert_eq!(broken.trouble.unwrap().kind.name(), "sort-error");
}

#[test]
fn what_has_no_trace_is_known_by_its_statistics_or_else_by_its_answers() {
    let scripts = [
        "(set-logic QF_LIA)\n(declare-const x Int)\n(assert (< x 5))\n(check-sat)\n",
        "(set-logic QF_SLIA)\n(declare-const x String)\n(assert (and (str.contains x \"ab\") (> (str.len x) 7)))\n(check-sat)\n",
    ];
    for name in solvers::REAL_SOLVERS {
        let mut runner = open(name);
        let has_statistics = runner.solver().profile.statistics.is_some();
        let signal = if has_statistics { BehaviourSignal::Statistics } else { BehaviourSignal::Answers };
        let behaviours = scripts.map(|script| {
            let [one, two] =
                [(); 2].map(|()| RunBehaviour::of(&ask(&mut runner, script, Ask::WITH_BEHAVIOUR)));
            assert_eq!((one.signal, two.signal), (signal, signal), "{name} {script}");
            // The class of a time is the one thing that two runs need not share.
            assert!(one == two || !has_statistics, "{name} {script}");
            one.identity
        });
        assert_ne!(behaviours[0], behaviours[1], "{name}");
    }
}

#[test]
fn releases_that_solve_a_system_otherwise_have_other_traces() {
    let of = |name: &str, seed: &str| {
        let (_, script) = seeds().into_iter().find(|(other, _)| other == seed).unwrap();
        ask(&mut open(name), &script, Ask::WITH_BEHAVIOUR).trace.unwrap()
    };
    // Of the first system they differ in the order of the preparations alone.
    let [old, new] = ["z3@4.8.10", "z3@5.4.0"].map(|name| of(name, "counter_is_bounded"));
    assert!(old.identity() != new.identity() && old.core() == new.core());
    let [old, new] = ["z3@4.8.10", "z3@5.4.0"].map(|name| of(name, "unreachable_division"));
    assert_ne!(old.core(), new.core());
}
