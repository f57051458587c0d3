//! The reducer with interestingness tests that need no solver: results are interesting, well-sorted, no larger than the original,
//! and do not depend on the number of threads.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use gainsay_reduce::{
    Candidate, InterestingnessTest, Reduced, ReductionEnd, ReductionSettings, TestOutcome, first_candidate,
    run,
};
use gainsay_smt::{Script, Signature};

/// An interestingness test by a predicate on the text.
struct TextTest<F>(F);

impl<F: Fn(&str) -> bool + Sync> InterestingnessTest for TextTest<F> {
    fn test(&self, candidate: &Candidate<'_>) -> TestOutcome {
        assert_eq!(candidate.script.to_string(), candidate.text, "the script matches its text");
        if (self.0)(candidate.text) { TestOutcome::Interesting } else { TestOutcome::Uninteresting }
    }
}

fn script(text: &str) -> Script {
    Script::parse(text, &Signature::standard()).unwrap()
}

fn settings(jobs: usize) -> ReductionSettings {
    ReductionSettings { jobs, first_test: None, max_timeout: Duration::from_secs(10) }
}

fn reduced(text: &str, jobs: usize, is_interesting: impl Fn(&str) -> bool + Sync) -> Reduced {
    let stop = AtomicBool::new(false);
    run(&script(text), &TextTest(is_interesting), settings(jobs), &stop, &mut |_| {})
}

/// Checks the result of a reduction, in one line.
fn check(text: &str, is_interesting: impl Fn(&str) -> bool + Sync, after: &str) {
    let result = reduced(text, 1, is_interesting);
    assert_eq!((result.text.replace('\n', " ").trim(), result.end), (after, ReductionEnd::Done));
}

/// The words of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || c == '(' || c == ')').filter(|word| !word.is_empty())
}

fn has(text: &str, word: &str, times: usize) -> bool {
    words(text).filter(|other| *other == word).count() >= times
}

#[test]
fn irrelevant_assertions_and_declarations_are_dropped() {
    let text = "(set-logic QF_LIA)(declare-const a Int)(declare-const b Int)(declare-const c Int)\
                (assert (< a 1))(assert (< b 2))(assert (< c 3))(assert (= a b c))(check-sat)";
    check(text, |text| has(text, "2", 1), "(assert (< 0 2))");
}

#[test]
fn first_candidate_is_the_first_script_that_is_tested() {
    let texts = [
        "(declare-const a Int)(declare-const b Int)(assert (< a 1))(assert (< b 2))(check-sat)",
        "(check-sat)",
    ];
    for text in texts {
        let tested = std::sync::Mutex::new(Vec::new());
        let note = |text: &str| {
            tested.lock().unwrap().push(text.to_owned());
            false
        };
        reduced(text, 1, note);
        let first = first_candidate(&script(text));
        assert_eq!(tested.into_inner().unwrap().first().map(String::as_str), first.as_deref());
    }
}

#[test]
fn a_term_is_reduced_to_its_relevant_parts() {
    let text = "(declare-fun f (Int) Int)(declare-const x Int)(assert (or (< x 0) (and (= x (f (+ x (f 7)))) (> x 3))))";
    check(
        text,
        |text| has(text, "7", 1) && has(text, "f", 2),
        "(declare-fun f (Int) Int) (assert (= 0 (f 7)))",
    );
}

#[test]
fn variables_stay_inside_their_binders() {
    let text = "(assert (and true (forall ((x Int)) (exists ((y Int)) (or (< x y) (< y 5) (= x 9))))))";
    let result = reduced(text, 1, |text| has(text, "9", 1) && has(text, "x", 2));
    assert!(result.text.contains("forall ((x Int))"), "{}", result.text);
}

#[test]
fn an_unknown_command_is_reduced_as_text() {
    let text =
        "(declare-const x Int)(frobnicate x (deeply nested) 1)(assert (< x 7))(assert (< x 8))(check-sat)";
    let result = reduced(text, 1, |text| has(text, "frobnicate", 1) && has(text, "8", 1));
    assert_eq!(result.text, "(frobnicate)\n(assert (< 0 8))\n");
    let result = reduced(text, 1, |text| has(text, "nested", 1));
    assert_eq!(result.text, "(frobnicate nested)\n", "the name of a command stays");
}

#[test]
fn if_all_is_interesting_the_result_is_empty_and_if_nothing_is_it_is_the_original() {
    let text = "(declare-const x Int)\n(assert (< x 7))\n(check-sat)\n";
    check(text, |_| true, "");
    let result = reduced(text, 2, |_| false);
    assert_eq!((result.text.as_str(), result.end), (text, ReductionEnd::Done));
}

#[test]
fn stopping_returns_the_smallest_script_so_far() {
    let text: String = (0..200).map(|number| format!("(assert (< {number} 7))")).collect();
    let (stop, tests) = (AtomicBool::new(false), AtomicUsize::new(0));
    let test = TextTest(|text: &str| {
        if tests.fetch_add(1, Ordering::Relaxed) == 12 {
            stop.store(true, Ordering::Relaxed);
        }
        has(text, "13", 1)
    });
    let result = run(&script(&text), &test, settings(1), &stop, &mut |_| {});
    assert_eq!(result.end, ReductionEnd::Stopped);
    assert!(has(&result.text, "13", 1) && result.text.len() < text.len(), "{}", result.text);
}

#[test]
fn a_failing_test_ends_the_reduction_with_its_reason() {
    struct Fails;
    impl InterestingnessTest for Fails {
        fn test(&self, _: &Candidate<'_>) -> TestOutcome {
            TestOutcome::Failed("no such solver".to_owned())
        }
    }
    let stop = AtomicBool::new(false);
    let result = run(&script("(assert true)(check-sat)"), &Fails, settings(3), &stop, &mut |_| {});
    assert_eq!(result.end, ReductionEnd::TestFailed("no such solver".to_owned()));
    assert_eq!(result.text, "(assert true)\n(check-sat)\n");
}

#[test]
fn a_few_relevant_lines_of_a_thousand_are_found_with_few_tests() {
    let text: String = (0..2000)
        .map(|number| format!("(declare-const x{number} Int)(assert (< x{number} {number}))"))
        .collect();
    let result = reduced(&text, 1, |text| has(text, "1234", 1) && has(text, "77", 1));
    assert_eq!(result.text, "(assert (and (< 0 77) (< 0 1234)))\n");
    assert!(result.checks < 100, "{} tests", result.checks);
}

#[test]
fn a_connected_group_of_assertions_is_kept_alone_with_few_tests() {
    let text: String = (0..512)
        .map(|number| {
            format!("(declare-const x{number} Int)(assert (< x{number} 1))(assert (< {number} x{number}))")
        })
        .collect();
    let result = reduced(&text, 1, |text| has(text, "300", 1) && has(text, "<", 2));
    assert_eq!(result.text, "(assert (and (< 0 0) (< 300 0)))\n");
    assert!(result.checks < 50, "{} tests", result.checks);
}

#[test]
fn conjuncts_are_dropped_by_halves() {
    let parts: String =
        (0..256).fold("true".to_owned(), |rest, number| format!("(and (< x{number} {number}) {rest})"));
    let declared: String = (0..256).map(|number| format!("(declare-const x{number} Int)")).collect();
    let text = format!("{declared}(assert (let ((y 0)) {parts}))");
    let result = reduced(&text, 1, |text| has(text, "77", 1));
    assert_eq!(result.text, "(assert (< 0 77))\n");
    assert!(result.checks < 50, "{} tests", result.checks);
}

#[test]
fn a_long_script_loses_whole_commands_before_it_is_preprocessed() {
    let conjunction =
        |number: usize| format!("(assert (and (< x{number} {number}) (< {number} x{number})))\n");
    let declared: String = (0..256).map(|number| format!("(declare-const x{number} Int)\n")).collect();
    let text = declared + &(0..256).map(conjunction).collect::<String>();
    let longest_preprocessed = AtomicUsize::new(0);
    let result = reduced(&text, 1, |candidate| {
        let is_preprocessed = !candidate.contains("(and");
        longest_preprocessed.fetch_max(if is_preprocessed { candidate.len() } else { 0 }, Ordering::Relaxed);
        has(candidate, "77", 2)
    });
    assert_eq!(result.text, "(assert (and (< 0 77) (< 77 0)))\n");
    assert!(longest_preprocessed.into_inner() < 1000 && result.checks < 60, "{} tests", result.checks);
}

#[test]
fn relevant_declarations_stay_in_a_long_script() {
    let declared: String = (0..300).map(|number| format!("(declare-const x{number} Int)\n")).collect();
    let text = declared + "(assert (< x1 1))\n(assert (< x2 x3))\n";
    let result = reduced(&text, 1, |text| has(text, "declare-const", 200) && has(text, "<", 1));
    assert_eq!(result.text.lines().count(), 201, "{}", result.text);
}

#[test]
fn the_result_is_never_longer_because_of_preprocessing() {
    let text = "(declare-const aa Bool)\n(declare-const bb Bool)\n(assert (and aa bb))\n";
    let preprocessed = "(declare-const aa Bool)\n(declare-const bb Bool)\n(assert aa)\n(assert bb)\n";
    let result = reduced(text, 1, |candidate| candidate == preprocessed);
    assert_eq!(result.text, text);
}

/// The scripts of the seed corpus.
fn seeds() -> Vec<PathBuf> {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")];
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|ending| ending == "smt2") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Words of a text that an interesting candidate must contain, and how often.
fn required_words(text: &str, number: usize) -> Vec<(String, usize)> {
    let mut all: Vec<&str> = words(text).collect();
    all.sort_unstable();
    all.dedup();
    let pick = |shift: usize| all[(number * 7 + shift * 13) % all.len()].to_owned();
    let times = |word: &str| words(text).filter(|other| *other == word).count();
    let few = |word: String| (word.clone(), times(&word).min(1 + number % 3));
    vec![few(pick(0)), few(pick(1))]
}

#[test]
fn results_on_the_corpus_are_interesting_smaller_and_the_same_for_any_number_of_threads() {
    let seeds = seeds();
    assert!(seeds.len() > 50, "the corpus is missing");
    for (number, path) in seeds.iter().enumerate().step_by(3) {
        let text = std::fs::read_to_string(path).unwrap();
        let printed = script(&text).to_string();
        if printed.len() > 4000 {
            continue;
        }
        let required = required_words(&printed, number);
        let is_interesting = |text: &str| required.iter().all(|(word, times)| has(text, word, *times));
        let one = reduced(&printed, 1, is_interesting);
        let four = reduced(&printed, 4, is_interesting);
        assert_eq!(one.text, four.text, "{}", path.display());
        assert!(
            is_interesting(&one.text) && one.text.len() <= printed.len(),
            "{}: {}",
            path.display(),
            one.text
        );
        assert!(Script::parse(&one.text, &Signature::standard()).is_ok(), "{}: {}", path.display(), one.text);
        assert_eq!(one.end, ReductionEnd::Done, "{}", path.display());
    }
}
