//! The reducer with questions that need no solver: what comes out shows, is well-sorted, is no larger, and does not depend on
//! the number of threads.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use gainsay_engine::reduce::{self, Candidate, End, Question, Reduced, Reply, Settings};
use gainsay_smt::{Script, Signature};

/// A question answered by a function of the text.
struct By<F>(F);

impl<F: Fn(&str) -> bool + Sync> Question for By<F> {
    fn ask(&self, candidate: &Candidate<'_>) -> Reply {
        assert_eq!(candidate.script.to_string(), candidate.text, "the script is what its text says");
        if (self.0)(candidate.text) { Reply::Shows } else { Reply::Differs }
    }
}

fn script(text: &str) -> Script {
    Script::parse(text, &Signature::standard()).unwrap()
}

fn settings(jobs: usize) -> Settings {
    Settings { jobs, first: None, longest: Duration::from_secs(10) }
}

fn reduced(text: &str, jobs: usize, shows: impl Fn(&str) -> bool + Sync) -> Reduced {
    let stop = AtomicBool::new(false);
    reduce::run(&script(text), &By(shows), settings(jobs), &stop, &mut |_| {})
}

/// What is left of a script, in one line.
fn check(text: &str, shows: impl Fn(&str) -> bool + Sync, left: &str) {
    let result = reduced(text, 1, shows);
    assert_eq!((result.text.replace('\n', " ").trim(), result.end), (left, End::Done));
}

/// Words of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || c == '(' || c == ')').filter(|word| !word.is_empty())
}

fn has(text: &str, word: &str, times: usize) -> bool {
    words(text).filter(|other| *other == word).count() >= times
}

#[test]
fn assertions_and_declarations_that_do_not_matter_go() {
    let text = "(set-logic QF_LIA)(declare-const a Int)(declare-const b Int)(declare-const c Int)\
                (assert (< a 1))(assert (< b 2))(assert (< c 3))(assert (= a b c))(check-sat)";
    check(text, |text| has(text, "2", 1), "(assert (< 0 2))");
}

#[test]
fn what_is_asked_first_can_be_known_before() {
    let texts = [
        "(declare-const a Int)(declare-const b Int)(assert (< a 1))(assert (< b 2))(check-sat)",
        "(check-sat)",
    ];
    for text in texts {
        let asked = std::sync::Mutex::new(Vec::new());
        let note = |text: &str| {
            asked.lock().unwrap().push(text.to_owned());
            false
        };
        reduced(text, 1, note);
        let first = reduce::first_candidate(&script(text));
        assert_eq!(asked.into_inner().unwrap().first().map(String::as_str), first.as_deref());
    }
}

#[test]
fn a_term_becomes_what_of_it_matters() {
    let text = "(declare-fun f (Int) Int)(declare-const x Int)(assert (or (< x 0) (and (= x (f (+ x (f 7)))) (> x 3))))";
    check(
        text,
        |text| has(text, "7", 1) && has(text, "f", 2),
        "(declare-fun f (Int) Int) (assert (= 0 (f 7)))",
    );
}

#[test]
fn nothing_leaves_the_binder_of_its_variables() {
    let text = "(assert (and true (forall ((x Int)) (exists ((y Int)) (or (< x y) (< y 5) (= x 9))))))";
    let result = reduced(text, 1, |text| has(text, "9", 1) && has(text, "x", 2));
    assert!(result.text.contains("forall ((x Int))"), "{}", result.text);
}

#[test]
fn what_nobody_could_read_stays_or_goes_as_a_whole() {
    let text =
        "(declare-const x Int)(frobnicate x (deeply nested) 1)(assert (< x 7))(assert (< x 8))(check-sat)";
    let result = reduced(text, 1, |text| has(text, "frobnicate", 1) && has(text, "8", 1));
    assert!(result.text.contains("(frobnicate x (deeply nested) 1)"), "{}", result.text);
    assert_eq!(result.text.lines().count(), 2, "{}", result.text);
}

#[test]
fn who_always_says_yes_gets_an_empty_script_and_who_says_no_the_same_one() {
    let text = "(declare-const x Int)\n(assert (< x 7))\n(check-sat)\n";
    check(text, |_| true, "");
    let result = reduced(text, 2, |_| false);
    assert_eq!((result.text.as_str(), result.end), (text, End::Done));
}

#[test]
fn who_asks_to_stop_gets_the_smallest_so_far() {
    let text: String = (0..200).map(|number| format!("(assert (< {number} 7))")).collect();
    let (stop, asked) = (AtomicBool::new(false), AtomicUsize::new(0));
    let question = By(|text: &str| {
        if asked.fetch_add(1, Ordering::Relaxed) == 12 {
            stop.store(true, Ordering::Relaxed);
        }
        has(text, "13", 1)
    });
    let result = reduce::run(&script(&text), &question, settings(1), &stop, &mut |_| {});
    assert_eq!(result.end, End::Stopped);
    assert!(has(&result.text, "13", 1) && result.text.len() < text.len(), "{}", result.text);
}

#[test]
fn a_question_that_breaks_ends_it_with_the_reason() {
    struct Breaks;
    impl Question for Breaks {
        fn ask(&self, _: &Candidate<'_>) -> Reply {
            Reply::Broken("no such solver".to_owned())
        }
    }
    let stop = AtomicBool::new(false);
    let result = reduce::run(&script("(assert true)(check-sat)"), &Breaks, settings(3), &stop, &mut |_| {});
    assert_eq!(result.end, End::Broken("no such solver".to_owned()));
    assert_eq!(result.text, "(assert true)\n(check-sat)\n");
}

#[test]
fn a_few_lines_of_a_thousand_are_found_with_few_questions() {
    let text: String = (0..2000)
        .map(|number| format!("(declare-const x{number} Int)(assert (< x{number} {number}))"))
        .collect();
    let result = reduced(&text, 1, |text| has(text, "1234", 1) && has(text, "77", 1));
    assert_eq!(result.text, "(assert (and (< 0 77) (< 0 1234)))\n");
    assert!(result.checks < 100, "{} questions", result.checks);
}

#[test]
fn what_has_no_name_in_common_with_the_rest_is_kept_alone_with_few_questions() {
    let text: String = (0..512)
        .map(|number| {
            format!("(declare-const x{number} Int)(assert (< x{number} 1))(assert (< {number} x{number}))")
        })
        .collect();
    let result = reduced(&text, 1, |text| has(text, "300", 1) && has(text, "<", 2));
    assert_eq!(result.text, "(assert (and (< 0 0) (< 300 0)))\n");
    assert!(result.checks < 50, "{} questions", result.checks);
}

#[test]
fn parts_of_a_conjunction_are_left_out_by_halves() {
    let parts: String =
        (0..256).fold("true".to_owned(), |rest, number| format!("(and (< x{number} {number}) {rest})"));
    let declared: String = (0..256).map(|number| format!("(declare-const x{number} Int)")).collect();
    let text = format!("{declared}(assert (let ((y 0)) {parts}))");
    let result = reduced(&text, 1, |text| has(text, "77", 1));
    assert_eq!(result.text, "(assert (< 0 77))\n");
    assert!(result.checks < 50, "{} questions", result.checks);
}

#[test]
fn a_long_script_loses_whole_commands_before_it_is_made_plain() {
    let conjunction =
        |number: usize| format!("(assert (and (< x{number} {number}) (< {number} x{number})))\n");
    let declared: String = (0..256).map(|number| format!("(declare-const x{number} Int)\n")).collect();
    let text = declared + &(0..256).map(conjunction).collect::<String>();
    let plain = AtomicUsize::new(0);
    let result = reduced(&text, 1, |candidate| {
        let is_plain = !candidate.contains("(and");
        plain.fetch_max(if is_plain { candidate.len() } else { 0 }, Ordering::Relaxed);
        has(candidate, "77", 2)
    });
    assert_eq!(result.text, "(assert (and (< 0 77) (< 77 0)))\n");
    assert!(plain.into_inner() < 1000 && result.checks < 60, "{} questions", result.checks);
}

#[test]
fn declarations_that_matter_stay_in_a_long_script_too() {
    let declared: String = (0..300).map(|number| format!("(declare-const x{number} Int)\n")).collect();
    let text = declared + "(assert (< x1 1))\n(assert (< x2 x3))\n";
    let result = reduced(&text, 1, |text| has(text, "declare-const", 200) && has(text, "<", 1));
    assert_eq!(result.text.lines().count(), 201, "{}", result.text);
}

#[test]
fn what_is_made_plain_in_vain_does_not_come_out_longer() {
    let text = "(declare-const aa Bool)\n(declare-const bb Bool)\n(assert (and aa bb))\n";
    let plain = "(declare-const aa Bool)\n(declare-const bb Bool)\n(assert aa)\n(assert bb)\n";
    let result = reduced(text, 1, |candidate| candidate == plain);
    assert_eq!(result.text, text);
}

/// The seeds of the corpus.
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

/// Questions about a text: whether some of its words are still there, as often as that.
fn wanted(text: &str, number: usize) -> Vec<(String, usize)> {
    let mut all: Vec<&str> = words(text).collect();
    all.sort_unstable();
    all.dedup();
    let pick = |shift: usize| all[(number * 7 + shift * 13) % all.len()].to_owned();
    let times = |word: &str| words(text).filter(|other| *other == word).count();
    let few = |word: String| (word.clone(), times(&word).min(1 + number % 3));
    vec![few(pick(0)), few(pick(1))]
}

#[test]
fn over_the_corpus_the_result_shows_and_is_smaller_and_the_same_for_any_number_of_threads() {
    let seeds = seeds();
    assert!(seeds.len() > 50, "the corpus is there");
    for (number, path) in seeds.iter().enumerate().step_by(3) {
        let text = std::fs::read_to_string(path).unwrap();
        let printed = script(&text).to_string();
        if printed.len() > 4000 {
            continue;
        }
        let wanted = wanted(&printed, number);
        let shows = |text: &str| wanted.iter().all(|(word, times)| has(text, word, *times));
        let one = reduced(&printed, 1, shows);
        let four = reduced(&printed, 4, shows);
        assert_eq!(one.text, four.text, "{}", path.display());
        assert!(shows(&one.text) && one.text.len() <= printed.len(), "{}: {}", path.display(), one.text);
        assert!(Script::parse(&one.text, &Signature::standard()).is_ok(), "{}: {}", path.display(), one.text);
        assert_eq!(one.end, End::Done, "{}", path.display());
    }
}
