//! Records a batch in one transaction.
//!
//! A batch adds to the records, and the result does not depend on the order of workers: of two sightings of a finding, the one
//! with the lower case number is kept as the first, and a chain that has ended stays ended.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use rusqlite::{Connection, Transaction, TransactionBehavior, named_params};
use serde::Serialize;
use std::io::Write;

use super::{checksum, reading};
use crate::event::CaseNumber;
use crate::solver::run::Answer;
use crate::store::{
    AdviceRecord, Batch, ChainRecord, FindingRecord, MAX_SAMPLES_KEPT, MAX_SIGHTINGS_KEPT, Sample, SeedEntry,
    SeedRecord, StartRecord, StatusRecord,
};

/// Records a batch atomically.
pub fn record(connection: &mut Connection, batch: &Batch) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let tally = json(&batch.tally);
    let update = "update campaign set tally = ?, tally_sum = ?";
    transaction.prepare_cached(update)?.execute((&tally, checksum::of_text(&tally)))?;
    write_roster(&transaction, &batch.roster)?;
    batch.seeds.iter().try_for_each(|seed| write_seed(&transaction, seed))?;
    batch.statuses.iter().try_for_each(|record| write_status(&transaction, record))?;
    batch.advice.iter().try_for_each(|record| write_advice(&transaction, record))?;
    write_chains(&transaction, &batch.chains)?;
    batch.starts.iter().try_for_each(|start| write_start(&transaction, start))?;
    write_lessons(&transaction, batch)?;
    batch.findings.iter().try_for_each(|finding| write_finding(&transaction, finding))?;
    write_sightings(&transaction, &batch.sightings)?;
    if let Some(sample) = &batch.sample {
        write_sample(&transaction, sample)?;
    }
    transaction.commit()
}

/// A value of ours as JSON.
pub fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("records are made of what JSON can write")
}

/// A number as SQLite keeps it.
fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The list of seeds is written once, since chains depend on it.
fn write_roster(transaction: &Transaction<'_>, roster: &[SeedEntry]) -> rusqlite::Result<()> {
    let mut insert =
        transaction.prepare_cached("insert or ignore into roster values (?, ?, ?, ?, ?, 0, null)")?;
    for (place, seed) in (0i64..).zip(roster) {
        let claim = seed.status.claim().map(Answer::name);
        insert.execute((place, &seed.name, &seed.hash, claim, &seed.sorts))?;
    }
    Ok(())
}

/// Cases depend on the first status of a seed, so it never changes.
fn write_status(transaction: &Transaction<'_>, record: &StatusRecord) -> rusqlite::Result<()> {
    let update = "update roster set asked = 1, found = ? where place = ? and asked = 0 and status is null";
    let found = record.answer.map(Answer::name);
    transaction.prepare_cached(update)?.execute((found, integer(record.seed as u64))).map(drop)
}

/// The same holds for advice about a seed.
fn write_advice(transaction: &Transaction<'_>, record: &AdviceRecord) -> rusqlite::Result<()> {
    let update = "update seeds set \"values\" = ? where hash = ? and \"values\" = ''";
    transaction.prepare_cached(update)?.execute((&record.values, &record.hash)).map(drop)
}

fn write_seed(transaction: &Transaction<'_>, seed: &SeedRecord) -> rusqlite::Result<()> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let packed = encoder.write_all(seed.text.as_bytes()).and_then(|()| encoder.finish());
    let packed = packed.expect("writing to memory does not fail");
    let mut statement = transaction.prepare_cached("insert or ignore into seeds values (?, ?, ?, ?)")?;
    statement.execute((&seed.hash, &seed.name, packed, &seed.values)).map(drop)
}

fn write_chains(transaction: &Transaction<'_>, chains: &[ChainRecord]) -> rusqlite::Result<()> {
    let below = "select ended_below from campaign";
    let before: i64 = transaction.prepare_cached(below)?.query_row([], |row| row.get(0))?;
    let mut statement = transaction.prepare_cached(
        "insert into chains values (?, ?, ?)
         on conflict do update set next = excluded.next, out = excluded.out where chains.next is not null",
    )?;
    for chain in chains.iter().filter(|chain| integer(chain.chain) >= before) {
        statement.execute((integer(chain.chain), chain.next.map(integer), json(&chain.out)))?;
    }
    // Chains below the first unfinished one need no rows.
    let mut fold = transaction.prepare_cached("delete from chains where chain = ? and next is null")?;
    let mut after = before;
    while fold.execute([after])? == 1 {
        after += 1;
    }
    if after > before {
        transaction.prepare_cached("update campaign set ended_below = ?")?.execute([after])?;
    }
    Ok(())
}

/// The start of a chain never changes.
fn write_start(transaction: &Transaction<'_>, start: &StartRecord) -> rusqlite::Result<()> {
    let weights = "insert or ignore into weights (text) values (?)";
    transaction.prepare_cached(weights)?.execute([&start.weights])?;
    let insert = "insert or ignore into starts select ?, ?, id, ?, ? from weights where text = ?";
    let (chain, seed, visits) = (integer(start.chain), integer(start.seed as u64), integer(start.visits));
    transaction
        .prepare_cached(insert)?
        .execute((chain, seed, &start.strategies.join(","), visits, &start.weights))
        .map(drop)
}

fn write_lessons(transaction: &Transaction<'_>, batch: &Batch) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached("insert or ignore into traces values (?)")?;
    batch.seen.iter().try_for_each(|identity| insert.execute([identity.to_string()]).map(drop))?;
    if let Some(weights) = &batch.weights {
        transaction.prepare_cached("update campaign set weights = ?")?.execute([weights])?;
    }
    if let Some(schedule) = &batch.schedule {
        transaction.prepare_cached("update campaign set schedule = ?")?.execute([schedule])?;
    }
    Ok(())
}

fn write_finding(transaction: &Transaction<'_>, sighting: &FindingRecord) -> rusqlite::Result<()> {
    let finding = match reading::finding(transaction, &sighting.fingerprint)? {
        None => sighting.clone(),
        Some(mut known) => {
            known.merge(sighting);
            known
        }
    };
    let mut statement = transaction.prepare_cached(
        "insert into findings values (null, :fingerprint, :kind, :suspect, :evidence, :explanation, :count, :first_case,
             :strategy, :seed, :seconds, :known, :path, :sum)
         on conflict (fingerprint) do update set
             (kind, suspect, evidence, explanation, count, first_case, strategy, seed, seconds, known, path, sum)
             = (:kind, :suspect, :evidence, :explanation, :count, :first_case, :strategy, :seed, :seconds, :known, :path, :sum)",
    )?;
    statement.execute(named_params! {
        ":fingerprint": finding.fingerprint,
        ":kind": finding.kind.name(),
        ":suspect": finding.suspects.to_record(),
        ":evidence": finding.evidence.name(),
        ":explanation": finding.explanation,
        ":count": integer(finding.count),
        ":first_case": finding.case.map(integer),
        ":strategy": finding.strategy,
        ":seed": finding.seed,
        ":seconds": integer(finding.seconds),
        ":known": finding.known,
        ":path": finding.path.to_string_lossy(),
        ":sum": checksum::of_finding(&finding),
    })?;
    Ok(())
}

fn write_sightings(
    transaction: &Transaction<'_>,
    sightings: &[(CaseNumber, String)],
) -> rusqlite::Result<()> {
    let mut insert = transaction
        .prepare_cached("insert or ignore into sightings select id, ? from findings where fingerprint = ?")?;
    for (case, fingerprint) in sightings {
        insert.execute((integer(*case), fingerprint))?;
    }
    let mut fingerprints: Vec<&String> = sightings.iter().map(|(_, fingerprint)| fingerprint).collect();
    fingerprints.sort();
    fingerprints.dedup();
    let mut bound = transaction.prepare_cached(
        "delete from sightings where finding = (select id from findings where fingerprint = ?1) and number >=
             (select number from sightings where finding = (select id from findings where fingerprint = ?1)
              order by number limit 1 offset ?2)",
    )?;
    fingerprints.iter().try_for_each(|fingerprint| {
        bound.execute((fingerprint, integer(MAX_SIGHTINGS_KEPT as u64))).map(drop)
    })
}

fn write_sample(transaction: &Transaction<'_>, sample: &Sample) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached("insert or replace into samples values (?, ?, ?, ?, ?)")?;
    let (cases, findings) = (integer(sample.cases), integer(sample.findings));
    insert.execute((sample.seconds, cases, findings, sample.solver_cpu, sample.own_cpu))?;
    let mut count = transaction.prepare_cached("select count(*) from samples")?;
    if count.query_row([], |row| row.get::<_, i64>(0))? > integer(MAX_SAMPLES_KEPT as u64) {
        // The first and the last sample are kept, since there is an odd number of them.
        let mut thin = transaction.prepare_cached(
            "delete from samples where seconds in
                 (select seconds from (select seconds, row_number() over (order by seconds) as place from samples)
                  where place % 2 = 0)",
        )?;
        thin.execute([])?;
    }
    Ok(())
}
