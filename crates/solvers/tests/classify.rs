//! Outputs of real solvers get the right class: the cases of `outputs/*.txt`.
//!
//! A case is `== PROFILE: WHAT => KIND` (`fine` for no trouble), then how it ended (`exit N`, `signal N`, `limit
//! wall|memory|output`), then lines of standard output (`| …`) and of standard error (`! …`).

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use gainsay_solvers::classify::RunOutput;
use gainsay_solvers::profiles::Profiles;
use gainsay_solvers::run::Exit;
use gainsay_solvers::trouble::TroubleKind;

const OUTPUT_FILES: [&str; 3] =
    [include_str!("outputs/z3.txt"), include_str!("outputs/cvc.txt"), include_str!("outputs/others.txt")];

struct ObservedOutput<'a> {
    profile: &'a str,
    what: &'a str,
    kind: &'a str,
    exit: Exit,
    output: String,
    errors: String,
}

fn cases() -> Vec<ObservedOutput<'static>> {
    OUTPUT_FILES.iter().flat_map(|file| file.split("\n== ").skip(1)).map(read).collect()
}

fn read(text: &str) -> ObservedOutput<'_> {
    let (head, rest) = text.split_once('\n').unwrap();
    let (title, kind) = head.rsplit_once(" => ").unwrap();
    let (profile, what) = title.split_once(": ").unwrap();
    let stream = |mark: char| {
        let lines = rest.lines().filter_map(|line| line.strip_prefix(mark));
        lines.map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect::<String>()
    };
    let exit = match rest.lines().next().unwrap().split_once(' ').unwrap() {
        ("exit", code) => Exit::Code(code.parse().unwrap()),
        ("signal", signal) => Exit::Signal(signal.parse().unwrap()),
        ("limit", "wall") => Exit::WallLimit,
        ("limit", "memory") => Exit::MemoryLimit,
        ("limit", "output") => Exit::OutputLimit,
        other => panic!("{title}: {other:?} is no end"),
    };
    ObservedOutput { profile, what, kind, exit, output: stream('|'), errors: stream('!') }
}

#[test]
fn every_written_down_output_is_classified_as_what_it_is() {
    let profiles = Profiles::built_in();
    let mut wrong = Vec::new();
    for case in cases() {
        let patterns = &profiles.get(case.profile).unwrap().patterns;
        let run_output =
            RunOutput { exit: case.exit, output: case.output.as_bytes(), errors: case.errors.as_bytes() };
        let trouble = patterns.classify(run_output);
        let kind = trouble.as_ref().map_or("fine", |trouble| trouble.kind.name());
        if kind != case.kind {
            wrong.push(format!("{}: {}: expected {}, got {trouble:?}", case.profile, case.what, case.kind));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_observed_row_has_a_case() {
    let cases = cases();
    for row in 1..=20 {
        let mark = format!("row {row},");
        assert!(cases.iter().any(|case| case.what.starts_with(&mark)), "row {row} has no case");
    }
}

#[test]
fn the_line_that_shows_the_trouble_is_kept() {
    let profiles = Profiles::built_in();
    let errors = b"warming up\nASSERTION VIOLATION\nFile: x.cpp\n";
    let run_output = RunOutput { exit: Exit::Code(114), output: b"sat\n", errors };
    let trouble = profiles.get("z3").unwrap().patterns.classify(run_output).unwrap();
    assert_eq!(trouble.to_string(), "assertion: ASSERTION VIOLATION");
}

#[test]
fn output_that_is_no_text_is_garbage_and_does_no_harm() {
    let profiles = Profiles::built_in();
    for profile in profiles.all() {
        let run_output =
            RunOutput { exit: Exit::Code(0), output: b"\xff\xfe\0sat\r\n\xc3", errors: b"\x80\x80" };
        let kind = profile.patterns.classify(run_output).map(|trouble| trouble.kind);
        assert_eq!(kind, Some(TroubleKind::Garbage), "{}", profile.name);
    }
}
