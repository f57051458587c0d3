//! Bisection by hand-made answers of releases.

use super::*;
use crate::trial::tests::statement;

/// `0=sat 1=unsat! …`: a release a word, `*` before those that are not installed.
fn run(
    words: &str,
    references: &str,
    scope: ReleaseScope,
    kind: Option<FindingKind>,
) -> (String, usize, Bisection) {
    let words: Vec<&str> = words.split_whitespace().collect();
    let release = |word: &&str| Release {
        version: word.trim_start_matches('*').split('=').next().unwrap().parse().unwrap(),
        installed: !word.starts_with('*'),
    };
    let releases: Vec<Release> = words.iter().map(release).collect();
    let says = |at: usize| {
        let said = words[at].split_once('=').unwrap().1;
        statement(&format!("z3={said}"))
    };
    let references: Vec<Statement> = references.split_whitespace().map(statement).collect();
    let references: Vec<&Statement> = references.iter().collect();
    let suspect = SolverIdentity { name: "z3".into(), family: "z3".into(), version: None };
    let request = BisectRequest {
        suspect: &suspect,
        releases: &releases,
        listed: ReleaseList::All,
        scope,
        references: &references,
        questions: 1,
        expected: &[],
        exact: &[],
        kind,
    };
    let mut count = 0;
    let mut ask = |release: &Release| {
        count += 1;
        Ok::<_, ()>(says(releases.iter().position(|one| one == release).unwrap()))
    };
    let bisection = bisect(&request, &mut ask, &mut |_, _| {}, &AtomicBool::new(false)).unwrap();
    let letter = |entry: &ReleaseResult| match (entry.affected, entry.said.is_empty()) {
        (Some(true), _) => 'X',
        (Some(false), _) => '.',
        (None, false) => '-',
        (None, true) => '?',
    };
    (bisection.versions.iter().map(letter).collect(), count, bisection)
}

#[test]
fn installed_releases_are_all_asked_and_others_left_open() {
    let words = "1=sat 2=unsat *3=unsat 4=unsat 5=sat";
    let (vector, count, bisection) = run(words, "cvc5=sat yices=sat", ReleaseScope::Installed, None);
    assert_eq!((vector.as_str(), count), (".X?X.", 4));
    assert_eq!(
        (bisection.kind, bisection.evidence),
        (Some(FindingKind::Refutation), Some(Evidence::Corroborated))
    );
    assert_eq!(bisection.first_bad().unwrap().to_string(), "2");
    assert_eq!(bisection.last_good().unwrap().to_string(), "1");
    assert_eq!(bisection.fixed_in().unwrap().to_string(), "5");
    assert_eq!(bisection.newest().unwrap().1, Some(false));
}

#[test]
fn the_newest_release_is_asked_beside_installed_ones_and_an_unknown_is_no_fix() {
    let words = "*1=sat! 2=unsat *3=unsat *4=unknown";
    let (vector, count, bisection) = run(words, "cvc5=sat! ", ReleaseScope::Newest, None);
    assert_eq!((vector.as_str(), count), ("?X?-", 2));
    assert_eq!((bisection.fixed_in(), bisection.newest().unwrap().1), (None, None));
    let crash = Some(FindingKind::Crash);
    let (vector, ..) = run("1=crash 2=unknown", "", ReleaseScope::Installed, crash);
    assert_eq!(vector, "X.", "a solver that gives up has not crashed");
}

#[test]
fn gaps_are_halved_until_it_is_settled_where_the_bug_comes_and_goes() {
    let words: Vec<String> =
        (1..=40).map(|n| format!("*{n}={}", if (9..23).contains(&n) { "unsat" } else { "sat!" })).collect();
    let (vector, count, bisection) = run(&words.join(" "), "", ReleaseScope::Settling, None);
    assert_eq!(bisection.kind, None, "with both ends good nothing is known to be bad: {vector}");
    assert_eq!(count, 2);
    let words = words.join(" ").replace("*15=", "15=");
    let (vector, count, bisection) = run(&words, "", ReleaseScope::Settling, None);
    assert_eq!(
        (bisection.first_bad().unwrap().to_string(), bisection.last_good().unwrap().to_string()),
        ("9".to_owned(), "8".to_owned()),
        "{vector}"
    );
    assert_eq!(
        (bisection.last_bad().unwrap().to_string(), bisection.fixed_in().unwrap().to_string()),
        ("22".to_owned(), "23".to_owned())
    );
    assert!(count < 16, "{count} releases were asked: {vector}");
    assert!(vector.contains('?'));
    let (vector, count, _) = run(&words, "", ReleaseScope::All, None);
    assert_eq!((vector.matches('X').count(), count), (14, 40));
}

#[test]
fn where_the_script_is_not_understood_the_bug_is_neither_there_nor_not() {
    let words = "*1=- *2=- *3=- *4=unsat *5=unsat 6=unsat 7=sat!";
    let (vector, _, bisection) = run(words, "", ReleaseScope::Settling, None);
    assert_eq!(vector, "-?-X?X.");
    assert_eq!(bisection.first_bad().unwrap().to_string(), "4");
    assert_eq!(bisection.last_good(), None);
}

#[test]
fn a_crash_is_no_answer_and_another_wrongness_is_not_this_one() {
    let words = "1=crash 2=sat? 3=unsat";
    let (vector, _, bisection) = run(words, "cvc5=unsat yices=unsat", ReleaseScope::Installed, None);
    assert_eq!((vector.as_str(), bisection.kind), ("-X.", Some(FindingKind::Solution)));
    let (vector, ..) =
        run(words, "cvc5=unsat yices=unsat", ReleaseScope::Installed, Some(FindingKind::Crash));
    assert_eq!(vector, "X..");
    let (vector, ..) = run("1=sat? 2=sat 3=sat!", "", ReleaseScope::Installed, Some(FindingKind::Model));
    assert_eq!(vector, "X-.");
}

#[test]
fn what_is_right_everywhere_has_no_bug() {
    let (vector, _, bisection) = run("1=sat 2=sat 3=unknown", "cvc5=sat", ReleaseScope::Installed, None);
    assert_eq!((vector.as_str(), bisection.kind), ("..-", None));
    assert_eq!((bisection.first_bad(), bisection.fixed_in()), (None, None));
}
