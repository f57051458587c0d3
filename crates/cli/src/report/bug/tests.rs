//! Reports of bugs, compared with files that were read by hand.

use super::*;
use gainsay_engine::finding::Fingerprint;
use gainsay_engine::solver::profiles::Profiles;
use gainsay_engine::triage::bisect::{ReleaseList, ShownModel};
use gainsay_engine::triage::reproduction::Reproduction;
use gainsay_engine::triage::truth::Truth;
use gainsay_engine::trial::evidence::RightAnswer;

const REPLACE_SCRIPT: &str =
    "(declare-const x String)\n(assert (= (str.replace x \"B\" \"A\") \"A`\"))\n(check-sat)\n";
const FAILED_ASSERTION_OUTPUT: &str =
    "ASSERTION VIOLATION\nFile: ../src/smt/theory_seq.cpp\nLine: 118\nm_a <= *m_b && m_c[0] != 0\n";

fn entry(version: &str, affected: Option<bool>, said: &str) -> ReleaseResult {
    let version = version.parse().unwrap();
    ReleaseResult { version, affected, said: said.into(), why: String::new() }
}

fn witness(kind: FindingKind) -> Option<ShownModel> {
    let shown = |by: &str, why: &str| ShownModel {
        by: by.into(),
        model: "((define-fun x () String \"B`\"))".into(),
        why: why.into(),
    };
    match kind {
        FindingKind::Refutation => Some(shown("z3@4.0.0", "")),
        FindingKind::Model => Some(shown("z3@3.0.0", "(= (str.replace x \"B\" \"A\") \"A`\") is false")),
        _ => None,
    }
}

/// A trigger of a bug of the given kind in releases 2 and 3 of 1 to 4, and what its command printed.
fn record(kind: FindingKind, suspect: &str, (output, errors, exit): (&str, &str, &str)) -> TriageRecord {
    let supporters = vec!["cvc5@1.4.2".into(), "z3@3.0.0".into(), "cvc5@1.4.2".into()];
    let known = RightAnswer { answer: Answer::Sat, evidence: Evidence::Proved, supporters };
    let bisection = Bisection {
        kind: Some(kind),
        evidence: Some(Evidence::Proved),
        truth: Truth { checks: vec![Some(known)] },
        versions: vec![
            entry("1.0.0", None, "-"),
            entry("2.0.0", Some(true), "unsat"),
            entry("3.0.0", Some(true), "unsat"),
            entry("3.5.0", None, ""),
            entry("4.0.0", Some(false), "sat"),
        ],
        listed: ReleaseList::All,
        witness: witness(kind),
        stopped: false,
    };
    let name: SolverName = suspect.parse().unwrap();
    let command = [vec![name.profile.clone()], name.options.clone(), vec![SCRIPT_FILE.into()]].concat();
    let reproduction = Reproduction {
        solver: suspect.into(),
        command,
        script: REPLACE_SCRIPT.into(),
        output: output.into(),
        errors: errors.into(),
        exit: exit.into(),
        shows: true,
        backtrace: None,
    };
    TriageRecord {
        bisection: Some(bisection),
        reproduction: Some(reproduction),
        origin: "case 71, made by generative from a|b_c.smt2".into(),
        steps: vec![71],
        ..TriageRecord::new("trigger", REPLACE_SCRIPT, vec![suspect.into()])
    }
}

/// The title and the report on a trigger.
fn report(kind: FindingKind, suspect: &str, lead: &TriageRecord) -> String {
    let found = ConfirmedFinding {
        kind,
        suspects: suspect.into(),
        needs_model: kind == FindingKind::Model,
        family: "z3".into(),
        evidence: Evidence::Proved,
        fingerprint: Fingerprint::new(kind, "z3", ""),
        explanation: format!(
            "{suspect} says unsat; the model that z3@4.0.0 gives makes every assertion true"
        ),
    };
    let lead = &TriageRecord { found: Some(found.clone()), ..lead.clone() };
    // One more script, and the script of the lead for other solvers.
    let other = TriageRecord::new("other", "(check-sat)\n", Vec::new());
    let bug = Bug { name: "some-bug".into(), lead, others: vec![lead, &other], week: Some(1) };
    let suspect: SolverName = suspect.parse().unwrap();
    let profiles = Profiles::built_in();
    let version = "3.0.0".parse().unwrap();
    let system = [("Operating system", "Some Linux 12".to_owned()), ("Date", "2026-11-17".to_owned())];
    let facts = ReportFacts {
        profile: profiles.get(&suspect.profile).unwrap(),
        suspect: &suspect,
        version: Some(&version),
        version_line: Some("Z3 version 3.0.0 - 64 bit - build hashcode abc_def".into()),
        shape: &Shape::of(&Script::parse(REPLACE_SCRIPT, &Signature::standard()).unwrap()),
        system: &system,
    };
    format!("{}\n\n{}", title(&found, &facts), render(&bug, &found, &facts))
}

fn golden(name: &str, seen: &str) {
    let file = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/reports").join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, seen).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(seen, kept, "{} differs from the report; BLESS=1 rewrites it", file.display());
}

#[test]
fn reports_are_as_they_were_looked_at() {
    use FindingKind::{Crash, Model, Refutation};
    let suspect = "z3@3.0.0 smt.mbqi=false";
    let unsat = record(Refutation, suspect, ("unsat\n", "", "exit code 0"));
    golden("refutation-z3.md", &report(Refutation, suspect, &unsat));
    let mut died =
        record(Crash, "cvc5@3.0.0 --strings-exp", ("", FAILED_ASSERTION_OUTPUT, "SIGSEGV (signal 11)"));
    died.reproduction.as_mut().unwrap().backtrace =
        Some("#0  0x1 in smt::theory_seq::f () at theory_seq.cpp:118\n".into());
    golden("crash-cvc5.md", &report(Crash, "cvc5@3.0.0 --strings-exp", &died));
    let model = "sat\n((define-fun x () String \"B`\"))\n";
    let mut local = record(Model, "z3=./build/z3", (model, "", "exit code 0"));
    let releases = vec![entry("3.5.0", Some(false), "sat"), entry("4.0.0", Some(false), "sat")];
    local.bisection.as_mut().unwrap().versions = releases;
    local.build_version = Some("4.1.0".parse().unwrap());
    golden("model-local-build.md", &report(Model, "z3=./build/z3", &local));
}

#[test]
fn a_title_is_plain_text_and_words_of_solvers_are_not_escaped() {
    let record = record(FindingKind::Crash, "z3@3.0.0", ("", FAILED_ASSERTION_OUTPUT, "SIGABRT (signal 6)"));
    let report = report(FindingKind::Crash, "z3@3.0.0", &record);
    assert!(report.starts_with("Z3 3.0.0 crashes on a QF_S script with str.replace\n"), "{report}");
    assert!(
        !report.contains("\\_") && report.contains("Line: 118\nm_a <= *m_b && m_c[0] != 0\n"),
        "{report}"
    );
}

#[test]
fn the_right_answer_is_by_others_each_named_once() {
    let record = record(FindingKind::Refutation, "z3@3.0.0", ("unsat\n", "", "exit code 0"));
    let report = report(FindingKind::Refutation, "z3@3.0.0", &record);
    assert!(report.contains("\n- Right answer by: `cvc5@1.4.2`\n"), "{report}");
}

#[test]
fn a_report_fits_into_an_issue_whatever_the_script_and_the_output() {
    let long = format!("{}\n", "; é".repeat(40_000));
    let mut record = record(FindingKind::Crash, "z3@3.0.0", (&long, &long, "SIGABRT (signal 6)"));
    record.model = Some(long.clone());
    record.promise = Some(Answer::Sat);
    let parent = |name: &str| gainsay_engine::triage::record::ReducedParent {
        name: name.into(),
        script: long.clone(),
    };
    record.parents = vec![parent("a.smt2"), parent("b.smt2")];
    if let Some(run) = record.reproduction.as_mut() {
        run.script = format!("{REPLACE_SCRIPT}{long}");
    }
    let report = report(FindingKind::Crash, "z3@3.0.0", &record);
    assert!(report.chars().count() < 65_536, "{} characters", report.chars().count());
    assert!(report.contains("more bytes are in `bug.smt2`, which is to be attached."), "{report}");
}

#[test]
fn a_command_is_quoted_for_the_shell() {
    let words = ["./my build/z3", "a=1", "it's", SCRIPT_FILE].map(str::to_owned);
    assert_eq!(shell_words(&words), "'./my build/z3' a=1 'it'\\''s' bug.smt2");
}

#[test]
fn a_stack_names_libraries_without_their_folders() {
    let stack = "#4  0x7f in f(int) () from /opt/a b/lib/libcvc5.so.1.4.2\n#5  0x8 in g () at g.cpp:3";
    assert_eq!(
        without_folders(stack),
        "#4  0x7f in f(int) () from libcvc5.so.1.4.2\n#5  0x8 in g () at g.cpp:3"
    );
}

#[test]
fn exhaustion_is_told_in_words_and_claims_no_more_than_it_did() {
    let words =
        |name: &str, answers: &[Answer]| Supporter { name: name.into(), answers: answers.to_vec() }.words();
    let check = |answers: &[Answer], did: &str| {
        let told = format!("gainsay, which {did} (`gainsay decide bug.smt2`)");
        assert_eq!(words(EXHAUSTION_SUPPORTER, answers), told);
    };
    assert_eq!(words("z3@5.4.0", &[Answer::Sat]), "`z3@5.4.0`");
    check(&[Answer::Sat], "found a satisfying assignment");
    check(&[Answer::Unsat], "tried every assignment");
    check(&[Answer::Unsat, Answer::Sat], "found satisfying assignments or tried every one");
    let mut record = record(FindingKind::Refutation, "z3@3.0.0", ("unsat\n", "", "exit code 0"));
    let known = record.bisection.as_mut().unwrap().truth.checks[0].as_mut().unwrap();
    known.supporters = vec![EXHAUSTION_SUPPORTER.into()];
    let report = report(FindingKind::Refutation, "z3@3.0.0", &record);
    assert!(report.contains("- Right answer by: gainsay, which found a satisfying assignment ("), "{report}");
}
