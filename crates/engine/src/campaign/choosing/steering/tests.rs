//! Choices are reproducible, and lessons are counted once.

use super::*;
use crate::schedule;
use crate::store::{Batch, SharedLessons};
use crate::strategy::operators::Operators;
use crate::strategy::value::ConstantSource;
use crate::strategy::{self, CaseBounds, FusionSettings, StrategySettings};
use gainsay_smt::Signature;

/// By Thompson sampling, for these strategies over seeds of these sorts, chains of four.
fn steering(strategies: &[&str], sorts: &[&str], cases: Option<u64>) -> Steering {
    let signature = Signature::standard();
    let settings = StrategySettings {
        bounds: CaseBounds { bytes: 1000, depth: 10 },
        operators: Operators::standard(&signature),
        fusion: FusionSettings::default(),
        values: ConstantSource::Random,
        scope: crate::strategy::ScopeChoice::default(),
        formats: Default::default(),
        enumerations: Default::default(),
    };
    let strategies = strategies.iter().map(|name| strategy::find(name).unwrap()).collect();
    let recipe = Recipe::new(1, 4, strategies, settings);
    let seed = |(number, sorts): (usize, &&str)| Seed {
        name: number.to_string(),
        path: number.to_string().into(),
        hash: number.to_string(),
        status: None,
        sorts: (*sorts).to_owned(),
        is_horn: *sorts == "horn",
        bytes: 10,
    };
    let seeds: Vec<Seed> = sorts.iter().enumerate().map(seed).collect();
    let thompson = schedule::find("thompson").unwrap();
    Steering::new(thompson, &recipe, &seeds, (cases, 1), (&Lessons::default(), 0))
}

/// What its first chains are begun with.
fn starts(strategies: &[&str], sorts: &[&str], cases: Option<u64>) -> Vec<StartRecord> {
    let steering = steering(strategies, sorts, cases);
    let halt = AtomicBool::new(true);
    (0..CHAIN_LAG).map(|chain| steering.start(chain, &halt).unwrap().0).collect()
}

#[test]
fn every_seed_has_its_turn_before_one_comes_again() {
    let starts = starts(&["operator", "value"], &["Int", "String", "Real"], Some(100));
    for (number, round) in starts.chunks(3).enumerate() {
        let seeds: BTreeSet<usize> = round.iter().map(|start| start.seed).collect();
        assert_eq!(seeds.len(), round.len(), "{round:?}");
        assert!(round.iter().all(|start| start.visits == number as u64), "{round:?}");
    }
}

#[test]
fn each_step_has_a_strategy_that_can_do_something_with_the_seed() {
    let starts = starts(&["operator", "value", "horn"], &["Int", "horn"], None);
    assert!(starts.iter().all(|start| start.strategies.len() == 4), "{starts:?}");
    let used = |seed: usize| -> BTreeSet<&str> {
        let own = starts.iter().filter(|start| start.seed == seed);
        own.flat_map(|start| &start.strategies).map(String::as_str).collect()
    };
    assert_eq!(used(0), BTreeSet::from(["operator", "value"]));
    assert_eq!(used(1), BTreeSet::from(["horn", "operator", "value"]));
}

#[test]
fn the_same_campaign_is_begun_in_the_same_way() {
    let begin = || starts(&["operator", "value", "fusion"], &["Int", "String", "Int"], None);
    assert_eq!(begin(), begin());
}

/// A process that shares a store with others.
fn sharing(session: u64, others: &SharedLessons) -> Steering {
    steering(&["operator", "value"], &["Int"], Some(100)).leased(session, others)
}

fn recorded_batch(steering: &Steering) -> Batch {
    let mut batch = Batch::default();
    steering.record(&mut batch);
    batch
}

#[test]
fn a_process_adds_the_lessons_of_others_to_its_own_and_records_only_its_own() {
    let first = sharing(1, &SharedLessons::default());
    (0..9).for_each(|_| first.lock().scheduler.learn(1, Reward::Success));
    let lessons = |batch: &Batch| -> Vec<(f64, f64)> {
        let record: SteeringRecord = serde_json::from_str(batch.schedule.as_ref().unwrap()).unwrap();
        record.arms.iter().map(|arm| (arm.successes.round(), arm.failures.round())).collect()
    };
    let learnt = recorded_batch(&first);
    assert_eq!(lessons(&learnt), [(0.0, 0.0), (9.0, 0.0)]);
    let learnt =
        SharedLessons { schedules: learnt.schedule.into_iter().collect(), ..SharedLessons::default() };
    let second = sharing(2, &learnt);
    assert_eq!(second.lock().scheduler.record().counts(1).0.round(), 9.0);
    second.lock().scheduler.learn(0, Reward::Success);
    for _ in 0..2 {
        assert_eq!(lessons(&recorded_batch(&second)), [(1.0, 0.0), (0.0, 0.0)]);
        second.learn_from(&learnt);
    }
    assert_eq!(second.lock().scheduler.record().counts(0).0.round(), 1.0);
}

#[test]
fn processes_that_share_a_store_have_one_queue_of_scripts() {
    let script = |case| QueuedScript { case, seed: 0, status: None, text: "(check-sat)".into(), chains: 0 };
    let first = sharing(1, &SharedLessons::default());
    first.lock().keep(script(7));
    let told = recorded_batch(&first);
    assert_eq!(told.queued, [script(7).queued()]);
    assert!(recorded_batch(&first).queued.is_empty(), "it is told once");
    let second = sharing(2, &SharedLessons { queue: told.queued, ..SharedLessons::default() });
    // Half of the chains start from it, and each of them is told.
    let planned = second.lock().record.planned.values().filter(|chain| chain.kept.is_some()).count();
    let uses = recorded_batch(&second).queue_uses;
    assert!(planned > 0 && uses == vec![7; planned], "{planned} {uses:?}");
    second.lock().keep(script(9));
    second.learn_from(&SharedLessons::default());
    let mut queue = std::mem::take(&mut second.lock().record.kept);
    let mut rng = RandomStream::new(1).rng();
    let drawn: BTreeSet<u64> =
        (0..20).filter_map(|_| queue.draw(&mut rng)).map(|script| script.case).collect();
    assert_eq!(
        drawn,
        BTreeSet::from([9]),
        "its own script is not recorded yet, and that of the first is gone"
    );
}

#[test]
fn a_finding_is_new_once_and_only_if_no_seed_of_it_showed_it_before() {
    let steering = steering(&["operator"], &["Int"], None);
    let [a, b, c] = ["a", "b", "c"].map(|seed| Identity::of(["finding", "refutation z3 QF_S", seed]));
    let is_new = |finding: &[Identity]| steering.lock().is_new(finding);
    assert!(is_new(&[a]) && !is_new(&[a]));
    assert!(!is_new(&[a, b]), "a showed it");
    assert!(!is_new(&[b]), "and b has, with a");
    assert!(is_new(&[c]));
}
