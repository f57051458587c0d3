//! Campaigns on a machine that lacks something for a moment: no solver is lost, and the user is told.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use std::fs::File;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fake_solver::fixture::named_solver;
use fake_solver::test_campaign::{TestCampaign, panel, plan, strategies, without_statistics};
use gainsay_engine::event::{Event, Stop};
use gainsay_engine::solver::resolve::Program;
use gainsay_engine::store::Store;
use gainsay_engine::store::memory::MemoryStore;
use gainsay_engine::tally::Tally;

const FAKE_SOLVER: &str = env!("CARGO_BIN_EXE_fake-solver");
const SEED: &str = "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (< x (+ x 1)))\n(check-sat)\n";
/// More than the workers may be ahead of the listener.
const CASES: u64 = 300;

/// Runs a campaign; `take` is called when a tenth of the cases are done, and what it returns is dropped after the first event
/// about a shortage.
fn run_with_shortage<T>(campaign: &TestCampaign, mut take: impl FnMut() -> T) -> (Stop, Vec<Event>, Tally) {
    let (mut store, mut events, mut taken) = (MemoryStore::new(""), Vec::new(), None);
    let mut was_taken = false;
    let listen = &mut |event: &Event, _: &Tally| {
        if matches!(event, Event::Case { case, .. } if *case >= CASES / 10) && !was_taken {
            was_taken = true;
            taken = Some(take());
        }
        if matches!(event, Event::Shortage { .. } | Event::SolverLost { .. }) {
            taken = None;
        }
        events.push(event.clone());
    };
    let stop = campaign.campaign.run(&mut store, listen, &AtomicBool::new(false)).unwrap();
    (stop, events, store.standing().unwrap().tally)
}

fn assert_recovered((stop, events, tally): &(Stop, Vec<Event>, Tally), lacking: &str) {
    let lost = events.iter().filter(|event| matches!(event, Event::SolverLost { .. })).collect::<Vec<_>>();
    assert!(lost.is_empty(), "{lost:?}");
    let told = |event: &Event| matches!(event, Event::Shortage { why, .. } if why.contains(lacking));
    assert!(events.iter().any(told), "{lacking}");
    assert_eq!((stop, tally.cases + tally.skipped_in_all()), (&Stop::Cases, CASES));
    assert_eq!(tally.our_bugs, 0);
}

#[test]
fn a_solver_waits_for_what_the_machine_lacks_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("solver");
    std::fs::copy(FAKE_SOLVER, &program).unwrap();
    let mut busy = without_statistics(named_solver(Path::new(FAKE_SOLVER), "busy", "busy", &[]));
    busy.program = Program::Binary { path: program.clone(), library: None };
    let fake = Path::new(FAKE_SOLVER);
    let campaign =
        TestCampaign::new(fake, strategies(&["operator"]), panel(fake, &[busy]), &[SEED], plan(CASES));
    // A program that is open for writing cannot be started. A program that runs cannot be opened for writing, so a copy takes its place.
    let ran = run_with_shortage(&campaign, || {
        let copy = folder.path().join("copy");
        std::fs::copy(FAKE_SOLVER, &copy).unwrap();
        let open = File::options().append(true).open(&copy).unwrap();
        std::fs::rename(&copy, &program).unwrap();
        open
    });
    assert_recovered(&ran, "Text file busy");
}
