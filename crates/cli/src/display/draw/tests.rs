//! Screens of several sizes, compared with golden files; `BLESS=1` rewrites them.

use super::*;
use gainsay_engine::event::{Opinion, RunReport, Stop};
use gainsay_engine::finding::{Evidence, Finding, FindingKind, Fingerprint};
use gainsay_engine::solver::run::Answer;
use gainsay_engine::solver::trouble::TroubleKind;
use gainsay_engine::tally::Tally;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use std::path::PathBuf;
use std::time::Duration;

use gainsay_engine::event::Event;

/// Returns the screen of a terminal of this size, without trailing blanks.
fn picture(view: &CampaignView, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, view)).unwrap();
    let buffer = terminal.backend().buffer();
    let row =
        |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned() + "\n";
    (0..height).map(row).collect()
}

fn golden(name: &str, view: &CampaignView, width: u16, height: u16) {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/screens").join(format!("{name}.txt"));
    let seen = picture(view, width, height);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, &seen).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        seen,
        kept,
        "{} differs from the screen; BLESS=1 rewrites it, review the change",
        file.display()
    );
}

fn opened(solvers: &[&str]) -> Event {
    Event::Opened {
        folder: "nightly".into(),
        seeds: 120,
        refused: vec![("too large".into(), 3)],
        solvers: solvers.iter().map(ToString::to_string).collect(),
        next: 0,
        unclaimed: 0,
    }
}

fn run(solver: &str, answer: Answer, trouble: Option<(TroubleKind, &str)>) -> RunReport {
    RunReport {
        solver: solver.into(),
        options: Vec::new(),
        answers: if trouble.is_some() { Vec::new() } else { vec![answer] },
        trouble: trouble.map(|(kind, _)| kind),
        said: trouble.map(|(_, said)| said.to_owned()).unwrap_or_default(),
        removed: Vec::new(),
        cpu: Duration::from_millis(30),
        side_cpu: Duration::ZERO,
        behaviour: None,
        new_code: 0,
        changed: None,
    }
}

fn found(number: u64, kind: FindingKind, suspect: &str) -> Event {
    let evidence = if kind == FindingKind::Crash { Evidence::Proved } else { Evidence::Corroborated };
    let explanation = format!("{suspect} says unsat, cvc5@1.4.2 and z3@5.4.0 say sat");
    let fingerprint = Fingerprint::new(kind, "z3", &"abc".repeat(number as usize % 60 + 1));
    let finding =
        Finding { kind, suspects: suspect.into(), evidence, fingerprint, explanation, needs_model: false };
    let path = format!("findings/{}-{number}", kind.name()).into();
    Event::Found {
        case: Some(number),
        strategy: "generative",
        seed: "a.smt2".into(),
        finding,
        count: 1,
        known: false,
        path,
    }
}

/// The view after these events, one every tenth of a second.
fn view(events: impl IntoIterator<Item = Event>) -> CampaignView {
    let mut view = CampaignView::default();
    view.budget.seconds = Some(60.0);
    let mut tally = Tally { own_cpu: 0.9, ..Tally::default() };
    for event in events {
        tally.count(&event);
        tally.seconds += 0.1;
        view.record_event(&event, tally.seconds);
        view.update_tally(&tally);
    }
    view
}

/// Events of a campaign with most kinds of events.
fn busy(solvers: [&'static str; 3]) -> Vec<Event> {
    let mut events = vec![opened(&solvers)];
    for case in 0..300 {
        let second = match case % 10 {
            7 => Some((TroubleKind::TimeOut, "wall limit")),
            8 => Some((TroubleKind::Unsupported, "(error \"unknown constant str.replace_all\")")),
            _ => None,
        };
        let strategy = ["generative", "operator", "subterm"][case as usize % 3];
        events.push(Event::Case {
            case,
            strategy,
            mutation: None,
            question: None,
            seed: "a.smt2".into(),
            bytes: 500,
            theories: vec!["bool"],
            runs: vec![
                run(solvers[0], Answer::Sat, None),
                run(solvers[1], Answer::Unsat, second),
                run(solvers[2], if case % 4 == 0 { Answer::Unknown } else { Answer::Sat }, None),
            ],
            oracles: vec![
                ("crash", Opinion::Fine),
                ("agreement", if case % 3 == 0 { Opinion::Undecided } else { Opinion::Fine }),
            ],
        });
    }
    let skip =
        |why: &str, count| Event::Skipped { case: 301, count, strategy: Some("operator"), why: why.into() };
    events.extend([skip("nothing to do", 31), skip("chain ended with a finding", 12)]);
    let why = "rejects the seed".to_owned();
    events.extend((0..9).map(|case| Event::Spared { case, solver: solvers[1].into(), why: why.clone() }));
    events
        .extend([found(17, FindingKind::Refutation, solvers[0]), found(29, FindingKind::Crash, solvers[0])]);
    events
}

const BUSY_SOLVERS: [&str; 3] = ["z3@4.8.10", "cvc5@1.4.2", "z3@5.4.0"];

#[test]
fn a_campaign_at_80_by_24() {
    golden("busy-80x24", &view(busy(BUSY_SOLVERS)), 80, 24);
}

#[test]
fn a_campaign_at_140_by_40() {
    golden("busy-140x40", &view(busy(BUSY_SOLVERS)), 140, 40);
}

#[test]
fn a_campaign_that_has_not_begun() {
    golden("nothing-80x24", &CampaignView::default(), 80, 24);
}

#[test]
fn a_campaign_on_a_small_terminal() {
    let view = view(busy(BUSY_SOLVERS));
    golden("busy-60x16", &view, 60, 16);
    golden("busy-40x10", &view, 40, 10);
    golden("busy-20x4", &view, 20, 4);
}

#[test]
fn names_too_long_for_their_columns_are_cut() {
    let long = "z3=./a/very/long/path/to/a/build/of/z3 rewriter.flat=false smt.arith.solver=6";
    golden("long-80x24", &view(busy([long, "cvc5@1.4.2", "z3@漢字漢字漢字漢字漢字"])), 80, 24);
}

#[test]
fn thousands_of_findings_are_counted_and_the_gravest_shown() {
    let mut view = view(busy(BUSY_SOLVERS));
    for number in 0..5000 {
        let Event::Found { finding, .. } = found(number, FindingKind::Crash, "z3@4.8.10") else { continue };
        let fingerprint =
            Fingerprint::new(FindingKind::Crash, "z3", &"x".repeat(number as usize % 150)).to_string();
        view.findings.push(crate::display::view::FindingView {
            kind: finding.kind,
            evidence: finding.evidence,
            suspect: finding.suspects.to_string(),
            explanation: finding.explanation,
            fingerprint,
            count: number,
            seconds: 1.0,
            known: false,
            path: "x".into(),
            case: None,
        });
    }
    golden("thousands-80x24", &view, 80, 24);
}

#[test]
fn trouble_is_shown() {
    let mut events = busy(BUSY_SOLVERS);
    events.push(Event::OurBug { case: 7, message: "ill-sorted".into() });
    events.push(Event::SolverLost { solver: "cvc5@1.4.2".into(), why: "its program is gone".into() });
    events.push(Event::Closed { why: Stop::Interrupted });
    golden("trouble-80x24", &view(events), 80, 24);
}

#[test]
fn no_size_is_too_small_and_no_line_too_long() {
    let views = [view(busy(BUSY_SOLVERS)), CampaignView::default(), view(busy(["a", "b", "c"]))];
    for (width, height) in (1..200).step_by(7).flat_map(|width| (1..60).map(move |height| (width, height))) {
        for view in &views {
            let lines = lines(view, width, height);
            assert!(lines.len() <= height, "{width}×{height}: {} lines", lines.len());
            let widest = lines.iter().map(Line::width).max().unwrap_or(0);
            assert!(widest <= width, "{width}×{height}: {widest} columns in {lines:?}");
        }
    }
}

#[test]
fn the_screen_and_the_lines_say_that_solvers_are_asked_about_seeds() {
    let mut opened = opened(&["z3@5.4.0"]);
    if let Event::Opened { unclaimed, .. } = &mut opened {
        *unclaimed = 40;
    }
    let asking = |seed: &str| Event::Classifying { seed: seed.into() };
    let classified = |status| Event::Classified { seed: "folder/a.smt2".into(), status };
    let events =
        vec![opened, asking("a"), classified(Some("sat")), classified(None), asking("folder/b.smt2")];
    let view = view(events);
    let text = picture(&view, 90, 24);
    assert!(text.contains("seeds      determining the status of seeds: 2 of 40 done, 1 known"), "{text}");
    assert!(text.contains("determining the status of seed b.smt2"), "{text}");
    let line = crate::display::lines::progress_line(&view);
    assert!(line.contains("0 cases, determining the status of seeds: 2 of 40 done, 1 known, "), "{line}");
}
