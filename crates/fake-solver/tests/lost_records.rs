//! Campaigns whose memory or folder goes while they run: they stop with the reason, and lose no finding.

use std::path::Path;

use fake_solver::fixture::named_solver;
use fake_solver::test_campaign::{TestCampaign, panel, plan, strategies};
use gainsay_engine::event::{Event, Stop};
use gainsay_engine::store::memory::MemoryStore;
use gainsay_engine::store::sqlite::Sqlite;
use gainsay_engine::store::{Store, folder};

const FAKE_SOLVER: &str = env!("CARGO_BIN_EXE_fake-solver");
const SEED: &str = "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (< x (+ x 1)))\n(check-sat)\n";
/// So many that the coordinator looks at the memory long before the last one, however busy the machine is.
const CASES: u64 = 800;

/// A campaign with two solvers that contradict each other on everything.
fn campaign() -> TestCampaign {
    let fake = Path::new(FAKE_SOLVER);
    let solvers = [
        named_solver(fake, "records", "a", &["--fake", "answer sat"]),
        named_solver(fake, "records", "b", &["--fake", "answer unsat"]),
    ];
    TestCampaign::new(fake, strategies(&["operator"]), panel(fake, &solvers), &[SEED], plan(CASES))
}

#[test]
fn a_case_that_needs_too_much_memory_is_named_and_left_out_from_then_on() {
    let mut test = campaign();
    test.campaign.memory = Some(1);
    let mut store = MemoryStore::new("");
    let (stop, events) = test.run(&mut store);
    assert!(matches!(&stop, Stop::Memory(why) if why.contains("case ")), "{stop:?}");
    let closed = events.iter().filter(|event| matches!(event, Event::Closed { .. })).count();
    assert_eq!(closed, 1, "the listener is told once");
    let skipped = store.standing().unwrap().tally.skipped["gainsay ran out of memory"];
    assert!((1..=5).contains(&skipped), "the rest of one chain: {skipped}");
    test.campaign.memory = None;
    assert_eq!(test.run(&mut store).0, Stop::Cases);
    let tally = store.standing().unwrap().tally;
    assert_eq!(tally.cases + tally.skipped_in_all() + tally.our_bugs, CASES);
    assert_eq!(tally.skipped["gainsay ran out of memory"], skipped);
}

#[test]
fn a_folder_that_goes_is_noticed_and_findings_go_to_another_one() {
    for is_moved in [true, false] {
        let home = tempfile::tempdir().unwrap();
        let (place, rescue) = (home.path().join("campaign"), home.path().join("rescued"));
        let mut test = campaign();
        test.campaign.rescue_folders = vec![home.path().join("no\0folder"), rescue.clone()];
        let mut store = Sqlite::create(&place, "").unwrap();
        let mut is_gone = false;
        let (stop, events) = test.run_until(&mut store, |event| {
            if !is_gone && matches!(event, Event::Probed { .. }) {
                is_gone = true;
                match is_moved {
                    true => std::fs::rename(&place, home.path().join("elsewhere")).unwrap(),
                    false => std::fs::remove_dir_all(&place).unwrap(),
                }
            }
            false
        });
        let Stop::Store(why) = &stop else { panic!("{stop:?}") };
        assert!(why.contains("was removed or moved"), "{why}");
        let cases = events.iter().filter(|event| matches!(event, Event::Case { .. })).count() as u64;
        assert!(cases < CASES, "it stops long before the end: {cases}");
        assert!(!place.exists(), "nothing is written to where the folder was");
        assert!(why.contains("findings that it did not take (1) are in"), "{why}");
        let findings = std::fs::read_dir(rescue.join(folder::FINDINGS_FOLDER)).unwrap();
        let case = findings.map(|finding| finding.unwrap().path().join(folder::CASE_FILE)).next().unwrap();
        assert!(std::fs::read_to_string(case).unwrap().contains("(check-sat)"));
    }
}
