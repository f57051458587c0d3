//! What any store must do, whatever it is made of: every back end runs every test here.
//!
//! A back end is a row in `BACK_ENDS`. Files, damage and disks of one back end are tested beside it.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use gainsay_engine::finding::{Evidence, FindingKind};
use gainsay_engine::solver::run::Answer;
use gainsay_engine::solver::trace::Identity;
use gainsay_engine::store::memory::MemoryStore;
use gainsay_engine::store::postgres::{Postgres, StoreAddress};
use gainsay_engine::store::sqlite::Sqlite;
use gainsay_engine::store::{
    AdviceRecord, Batch, ChainRecord, FindingRecord, Lessons, MAX_SAMPLES_KEPT, MAX_SIGHTINGS_KEPT, Sample,
    SeedEntry, SeedRecord, SeedStatus, StartRecord, StatusRecord, Store,
};
use gainsay_engine::tally::Tally;
use support::postgres::TemporaryServer;
use tempfile::TempDir;

mod support;

/// A store under test.
struct StoreBench {
    folder: TempDir,
    back_end: &'static BackEnd,
    store: Box<dyn Store>,
}

/// How a kind of store is made, and opened again by another process.
struct BackEnd {
    name: &'static str,
    create: fn(&TempDir, &str) -> Box<dyn Store>,
    reopen: fn(&TempDir, Box<dyn Store>) -> Box<dyn Store>,
}

const BACK_ENDS: &[BackEnd] = &[
    BackEnd {
        name: "memory",
        create: |_, plan| Box::new(MemoryStore::new(plan)),
        // A store in memory is never opened again.
        reopen: |_, store| store,
    },
    BackEnd {
        name: "sqlite",
        create: |folder, plan| Box::new(Sqlite::create(folder.path(), plan).unwrap()),
        reopen: |folder, store| {
            drop(store);
            Box::new(Sqlite::resume(folder.path()).unwrap())
        },
    },
    BackEnd {
        name: "postgres",
        create: |folder, plan| Box::new(Postgres::enter(&address_of(folder), plan).unwrap()),
        reopen: |folder, store| {
            drop(store);
            Box::new(Postgres::open(&address_of(folder)).unwrap())
        },
    },
];

/// The database of a test, on the server that all tests share.
fn address_of(folder: &TempDir) -> StoreAddress {
    let name = folder.path().file_name().unwrap().to_string_lossy().to_lowercase().replace('.', "t");
    TemporaryServer::shared().unwrap().database(&name)
}

impl StoreBench {
    fn reopened(self) -> StoreBench {
        let store = (self.back_end.reopen)(&self.folder, self.store);
        StoreBench { store, ..self }
    }
}

/// Does the same with a new store of every kind.
fn every(test: impl Fn(StoreBench)) {
    for back_end in BACK_ENDS {
        eprintln!("back end: {}", back_end.name);
        if back_end.name == "postgres" && TemporaryServer::shared().is_none() {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let store = (back_end.create)(&folder, "jobs = 2\n");
        test(StoreBench { folder, back_end, store });
    }
}

fn finding(fingerprint: &str, case: Option<u64>) -> FindingRecord {
    FindingRecord {
        fingerprint: fingerprint.into(),
        kind: FindingKind::Refutation,
        suspects: format!("z3 of {case:?}").as_str().into(),
        evidence: Evidence::Corroborated,
        explanation: "because".into(),
        count: 1,
        case,
        strategy: "operator".into(),
        seed: "a.smt2".into(),
        seconds: 10,
        known: false,
        path: "findings/x".into(),
    }
}

fn chain(chain: u64, next: Option<u64>) -> ChainRecord {
    ChainRecord { chain, next, out: vec![("z3".into(), "ran out of time".into())] }
}

fn chains(chains: Vec<ChainRecord>) -> Batch {
    Batch { chains, ..Batch::default() }
}

fn findings(findings: Vec<FindingRecord>) -> Batch {
    Batch { findings, ..Batch::default() }
}

#[test]
fn a_new_store_is_empty_and_knows_its_plan() {
    every(|bench| {
        let bench = bench.reopened();
        let standing = bench.store.standing().unwrap();
        assert_eq!((standing.tally, standing.ended_below, standing.chains), (Tally::default(), 0, vec![]));
        assert_eq!(bench.store.plan().unwrap(), "jobs = 2\n");
        assert!(bench.store.findings().unwrap().is_empty() && bench.store.samples().unwrap().is_empty());
        assert!(bench.store.roster().unwrap().is_empty());
        assert_eq!(bench.store.seed("no").unwrap(), None);
        assert_eq!(bench.store.sightings("no").unwrap(), Vec::<u64>::new());
    });
}

#[test]
fn what_was_recorded_is_there_when_it_is_opened_again() {
    every(|mut bench| {
        let mut tally = Tally { cases: 17, seconds: 1.5, own_cpu: 0.25, ..Tally::default() };
        tally.skipped.insert("nothing to do".into(), 3);
        let seed = SeedRecord {
            name: "a.smt2".into(),
            hash: "1f".into(),
            text: "; é\n(check-sat)\n".repeat(99),
            values: "{}".into(),
        };
        let sample = Sample { seconds: 1.0, cases: 17, findings: 1, solver_cpu: 2.5, own_cpu: 0.25 };
        let entry = |name: &str, hash: &str, status, used| SeedEntry {
            name: name.into(),
            hash: hash.into(),
            status: SeedStatus::claimed(status),
            sorts: "Int Real".into(),
            used,
        };
        let roster =
            vec![entry("a.smt2", "1f", Some(Answer::Unsat), false), entry("b.smt2", "2f", None, false)];
        let record = FindingRecord { known: true, ..finding("crash z3", Some(7)) };
        bench
            .store
            .record(&Batch {
                tally: tally.clone(),
                chains: vec![chain(3, Some(2))],
                findings: vec![record.clone()],
                sightings: vec![(7, "crash z3".into())],
                sample: Some(sample),
                seeds: vec![seed.clone()],
                roster,
                ..Batch::default()
            })
            .unwrap();
        let bench = bench.reopened();
        let standing = bench.store.standing().unwrap();
        assert_eq!((standing.tally, standing.ended_below), (tally, 0));
        assert_eq!(standing.chains, [chain(3, Some(2))]);
        assert_eq!(bench.store.findings().unwrap(), [record]);
        assert_eq!(bench.store.sightings("crash z3").unwrap(), [7]);
        assert_eq!(bench.store.samples().unwrap(), [sample]);
        assert_eq!(bench.store.seed("1f").unwrap(), Some(seed));
        let roster = [entry("a.smt2", "1f", Some(Answer::Unsat), true), entry("b.smt2", "2f", None, false)];
        assert_eq!(bench.store.roster().unwrap(), roster, "a seed is used when its text is there");
    });
}

#[test]
fn the_first_answer_about_a_seed_stays() {
    every(|mut bench| {
        let entry = |name: &str, status| SeedEntry {
            name: name.into(),
            hash: name.into(),
            status,
            sorts: "Int".into(),
            used: false,
        };
        let claimed = SeedStatus::Claimed(Answer::Sat);
        let roster = ["a", "b", "c"]
            .map(|name| entry(name, SeedStatus::Unasked))
            .into_iter()
            .chain([entry("d", claimed)]);
        bench.store.record(&Batch { roster: roster.collect(), ..Batch::default() }).unwrap();
        let said = |seed, answer| StatusRecord { seed, answer };
        for statuses in [
            vec![said(0, Some(Answer::Unsat)), said(1, None), said(3, Some(Answer::Unsat)), said(99, None)],
            vec![said(0, Some(Answer::Sat)), said(1, Some(Answer::Sat))],
        ] {
            bench.store.record(&Batch { statuses, ..Batch::default() }).unwrap();
        }
        let bench = bench.reopened();
        let statuses: Vec<_> = bench.store.roster().unwrap().into_iter().map(|entry| entry.status).collect();
        let expected =
            [SeedStatus::Asked(Some(Answer::Unsat)), SeedStatus::Asked(None), SeedStatus::Unasked, claimed];
        assert_eq!(statuses, expected);
    });
}

#[test]
fn the_first_advice_about_a_seed_stays() {
    every(|mut bench| {
        let seed = |values: &str| SeedRecord {
            name: "a.smt2".into(),
            hash: "1f".into(),
            text: "(check-sat)".into(),
            values: values.into(),
        };
        let advice = |hash: &str, values: &str| AdviceRecord { hash: hash.into(), values: values.into() };
        let batches = [
            Batch { seeds: vec![seed("")], ..Batch::default() },
            Batch { advice: vec![advice("1f", "{}"), advice("2f", "{}")], ..Batch::default() },
            Batch { seeds: vec![seed("")], advice: vec![advice("1f", "[]")], ..Batch::default() },
        ];
        batches.iter().for_each(|batch| bench.store.record(batch).unwrap());
        assert_eq!(bench.reopened().store.seed("1f").unwrap(), Some(seed("{}")));
    });
}

#[test]
fn the_list_of_seeds_is_written_once() {
    every(|mut bench| {
        let entry = |name: &str| SeedEntry {
            name: name.into(),
            hash: name.into(),
            status: SeedStatus::Unasked,
            sorts: String::new(),
            used: false,
        };
        let roster = |names: &[&str]| names.iter().map(|name| entry(name)).collect::<Vec<_>>();
        bench.store.record(&Batch { roster: roster(&["b", "a"]), ..Batch::default() }).unwrap();
        bench.store.record(&Batch::default()).unwrap();
        assert_eq!(bench.store.roster().unwrap(), roster(&["b", "a"]));
    });
}

#[test]
fn chains_that_ended_without_a_gap_are_one_number() {
    every(|mut bench| {
        let steps: [(Vec<ChainRecord>, u64, Vec<u64>); 4] = [
            (vec![chain(1, None), chain(0, Some(3))], 0, vec![0, 1]),
            (vec![chain(4, Some(0))], 0, vec![0, 1, 4]),
            (vec![chain(0, Some(9)), chain(0, None), chain(2, None)], 3, vec![4]),
            (vec![chain(1, Some(5)), chain(3, None), chain(4, None)], 5, vec![]),
        ];
        for (batch, ended_below, open) in steps {
            bench.store.record(&chains(batch)).unwrap();
            bench = bench.reopened();
            let standing = bench.store.standing().unwrap();
            let numbers: Vec<u64> = standing.chains.iter().map(|chain| chain.chain).collect();
            assert_eq!((standing.ended_below, numbers), (ended_below, open));
        }
    });
}

#[test]
fn a_chain_that_ended_stays_ended_and_the_last_word_on_another_counts() {
    every(|mut bench| {
        bench.store.record(&chains(vec![chain(5, None), chain(6, Some(1))])).unwrap();
        bench.store.record(&chains(vec![chain(5, Some(2)), chain(6, Some(2))])).unwrap();
        assert_eq!(bench.store.standing().unwrap().chains, [chain(5, None), chain(6, Some(2))]);
    });
}

#[test]
fn a_hundred_thousand_chains_leave_one_number_behind() {
    every(|mut bench| {
        for start in (0..100_000).step_by(1000) {
            let batch = (start..start + 1000).rev().map(|number| chain(number, None)).collect();
            bench.store.record(&chains(batch)).unwrap();
        }
        let standing = bench.store.standing().unwrap();
        assert_eq!((standing.ended_below, standing.chains.len()), (100_000, 0));
    });
}

#[test]
fn findings_merge_by_fingerprint_in_any_order() {
    let sightings = [
        FindingRecord { count: 2, seconds: 30, ..finding("crash z3", Some(9)) },
        FindingRecord { count: 1, seconds: 40, ..finding("crash z3", Some(4)) },
        FindingRecord { count: 3, seconds: 20, ..finding("crash z3", Some(12)) },
    ];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        every(|mut bench| {
            for index in order {
                bench.store.record(&findings(vec![sightings[index].clone()])).unwrap();
            }
            let merged = FindingRecord { count: 6, seconds: 20, ..finding("crash z3", Some(4)) };
            assert_eq!(bench.store.findings().unwrap(), [merged], "{order:?}");
        });
    }
}

#[test]
fn a_seed_that_shows_a_finding_itself_comes_before_its_mutants() {
    every(|mut bench| {
        let of_seed = |seed: &str| FindingRecord { seed: seed.into(), ..finding("crash z3", None) };
        for sighting in
            [finding("crash z3", Some(0)), of_seed("b.smt2"), of_seed("a.smt2"), of_seed("c.smt2")]
        {
            bench.store.record(&findings(vec![sighting])).unwrap();
        }
        assert_eq!(bench.store.findings().unwrap(), [FindingRecord { count: 4, ..of_seed("a.smt2") }]);
    });
}

#[test]
fn the_finding_that_was_seen_first_comes_first() {
    every(|mut bench| {
        let at = |fingerprint: &str, case, seconds| FindingRecord { seconds, ..finding(fingerprint, case) };
        let batch =
            vec![at("late", Some(1), 9), at("b", Some(7), 2), at("a", Some(7), 2), at("seed", None, 2)];
        bench.store.record(&findings(batch)).unwrap();
        let order: Vec<String> =
            bench.store.findings().unwrap().into_iter().map(|one| one.fingerprint).collect();
        assert_eq!(order, ["seed", "a", "b", "late"]);
    });
}

#[test]
fn what_the_user_says_is_known_last_counts() {
    every(|mut bench| {
        for known in [false, true] {
            let record = FindingRecord { known, ..finding("crash z3", Some(3)) };
            bench.store.record(&findings(vec![record])).unwrap();
            assert_eq!(bench.store.findings().unwrap()[0].known, known);
        }
    });
}

#[test]
fn sightings_are_the_lowest_numbers_in_order_once_each_and_bounded() {
    every(|mut bench| {
        let seen = |numbers: Vec<u64>| Batch {
            findings: vec![finding("crash z3", numbers.first().copied()), finding("other", Some(3))],
            sightings: numbers.into_iter().map(|number| (number, "crash z3".to_owned())).collect(),
            ..Batch::default()
        };
        bench
            .store
            .record(&seen((0..2 * MAX_SIGHTINGS_KEPT as u64).rev().map(|number| 10 * number).collect()))
            .unwrap();
        bench.store.record(&seen(vec![15, 5, 5, 10, 1_000_000])).unwrap();
        let kept = bench.store.sightings("crash z3").unwrap();
        assert_eq!((kept.len(), &kept[..5]), (MAX_SIGHTINGS_KEPT, &[0, 5, 10, 15, 20][..]));
        assert!(kept.is_sorted());
        assert!(bench.store.sightings("other").unwrap().is_empty());
    });
}

#[test]
fn a_week_of_samples_is_thinned_and_keeps_its_ends() {
    every(|mut bench| {
        let at = |second: u64| Sample { seconds: second as f64, cases: 7 * second, ..Sample::default() };
        let end = 6 * MAX_SAMPLES_KEPT as u64;
        for second in 0..end {
            bench.store.record(&Batch { sample: Some(at(second)), ..Batch::default() }).unwrap();
        }
        let samples = bench.store.samples().unwrap();
        assert!((MAX_SAMPLES_KEPT / 2..=MAX_SAMPLES_KEPT).contains(&samples.len()), "{}", samples.len());
        assert_eq!((samples[0], *samples.last().unwrap()), (at(0), at(end - 1)));
        assert!(samples.is_sorted_by(|one, other| one.seconds < other.seconds));
    });
}

#[test]
fn hostile_text_is_kept_as_it_is() {
    every(|mut bench| {
        let text = "'; drop table findings; -- \" \\ \u{0} \u{feff} é 中文 \u{1f4a5}\r\n\t%s{}";
        let record =
            FindingRecord { explanation: text.into(), suspects: text.into(), ..finding(text, Some(1)) };
        let (name, hash) = (text.into(), text.into());
        let seed = SeedRecord { name, hash, text: text.into(), values: String::new() };
        let mut batch = findings(vec![record.clone()]);
        batch.seeds = vec![seed.clone()];
        batch.sightings = vec![(1, text.into())];
        bench.store.record(&batch).unwrap();
        let bench = bench.reopened();
        assert_eq!(bench.store.findings().unwrap(), [record]);
        assert_eq!(bench.store.seed(text).unwrap(), Some(seed));
        assert_eq!(bench.store.sightings(text).unwrap(), [1]);
    });
}

#[test]
fn what_chains_were_begun_with_and_what_runs_showed_is_kept() {
    every(|mut bench| {
        assert_eq!(bench.store.lessons().unwrap(), Lessons::default());
        let start = |chain, seed, weights: &str| {
            let strategies =
                ["operator", "value"].iter().take(chain as usize).map(ToString::to_string).collect();
            StartRecord { chain, seed, weights: weights.into(), strategies, visits: 2 * chain }
        };
        let way = |word| Identity::of([word]);
        let batch = |starts, seen, weights: Option<&str>| Batch {
            chains: vec![chain(0, None), chain(1, Some(3))],
            starts,
            seen,
            weights: weights.map(str::to_owned),
            schedule: weights.map(|_| "[]".to_owned()),
            ..Batch::default()
        };
        let first = batch(vec![start(0, 2, "w"), start(1, 0, "w")], vec![way("a"), way("b")], Some("{}"));
        bench.store.record(&first).unwrap();
        // What a chain was begun with stays, and so do weights that a batch does not tell of.
        bench.store.record(&batch(vec![start(1, 5, "x"), start(3, 1, "x")], vec![way("a")], None)).unwrap();
        let bench = bench.reopened();
        let mut seen = vec![way("a"), way("b")];
        seen.sort();
        let starts = vec![start(0, 2, "w"), start(1, 0, "w"), start(3, 1, "x")];
        assert_eq!(
            bench.store.lessons().unwrap(),
            Lessons { weights: "{}".into(), schedule: "[]".into(), seen, starts }
        );
        assert_eq!(bench.store.start(1).unwrap(), Some(start(1, 0, "w")));
        assert_eq!(bench.store.start(2).unwrap(), None);
    });
}
