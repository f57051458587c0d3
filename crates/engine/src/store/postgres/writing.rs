//! Writes a batch to a shared store, in a transaction of the caller.
//!
//! Workers write the same rows at the same time, so rows are written in the order of their keys: two transactions that lock
//! the same rows in the same order never wait for each other in a circle. The first status and the first advice about a seed stay, and
//! cases depend on them: a batch that says otherwise was made from other premises, and is refused.

use std::collections::BTreeMap;
use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::link::ServerLink;
use super::packed_json;
use super::reading::{self, integer};
use crate::event::CaseNumber;
use crate::solver::run::Answer;
use crate::store::{
    AdviceRecord, Batch, ChainRecord, FindingRecord, MAX_SAMPLES_KEPT, MAX_SIGHTINGS_KEPT, Sample, SeedEntry,
    SeedRecord, StartRecord, StatusRecord, StoreError,
};

/// The files of a finding that wait for the batch that names it.
#[derive(Debug, Clone)]
pub struct PendingExhibit {
    /// The first case of the sighting, -1 for a seed, and its seed.
    pub rank: (i64, String),
    /// Path in the folder of the finding, and text.
    pub files: Vec<(String, String)>,
}

/// Writes the seeds, chains and statuses of a batch.
pub fn write_batch(link: &mut ServerLink, batch: &Batch) -> Result<(), StoreError> {
    write_roster(link, &batch.roster)?;
    write_seeds(link, &batch.seeds)?;
    write_statuses(link, &batch.statuses)?;
    write_advice(link, &batch.advice)?;
    write_chains(link, &batch.chains)?;
    batch.starts.iter().try_for_each(|start| write_start(link, start))
}

/// Compresses a text.
pub fn deflated(text: &str) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let packed = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    packed.expect("writing to memory does not fail")
}

/// The list of seeds is written once, since chains depend on it.
fn write_roster(link: &mut ServerLink, roster: &[SeedEntry]) -> Result<(), StoreError> {
    if roster.is_empty() {
        return Ok(());
    }
    let there = link.row("select count(*) from roster", &[])?;
    if there.get::<_, i64>(0) > 0 {
        return Ok(());
    }
    let places: Vec<i64> = (0..).take(roster.len()).collect();
    let names: Vec<&[u8]> = roster.iter().map(|seed| seed.name.as_bytes()).collect();
    let hashes: Vec<&[u8]> = roster.iter().map(|seed| seed.hash.as_bytes()).collect();
    let claims: Vec<Option<&str>> = roster.iter().map(|seed| seed.status.claim().map(Answer::name)).collect();
    let sorts: Vec<&[u8]> = roster.iter().map(|seed| seed.sorts.as_bytes()).collect();
    let insert = "insert into roster
        select place, name, hash, status, sorts, false, null
        from unnest($1::bigint[], $2::bytea[], $3::bytea[], $4::text[], $5::bytea[]) t(place, name, hash, status, sorts)
        on conflict do nothing";
    link.change(insert, &[&places, &names, &hashes, &claims, &sorts]).map(drop)
}

fn write_seeds(link: &mut ServerLink, seeds: &[SeedRecord]) -> Result<(), StoreError> {
    let mut seeds: Vec<&SeedRecord> = seeds.iter().collect();
    seeds.sort_by(|one, other| one.hash.cmp(&other.hash));
    for seed in seeds {
        let (hash, name, advice) = (seed.hash.as_bytes(), seed.name.as_bytes(), seed.values.as_bytes());
        let insert = "insert into seeds values ($1, $2, $3, $4) on conflict do nothing";
        link.change(insert, &[&hash, &name, &deflated(&seed.text), &advice])?;
    }
    Ok(())
}

fn write_statuses(link: &mut ServerLink, statuses: &[StatusRecord]) -> Result<(), StoreError> {
    let mut statuses: Vec<&StatusRecord> = statuses.iter().collect();
    statuses.sort_by_key(|record| record.seed);
    for record in statuses {
        let update =
            "update roster set asked = true, found = $2 where place = $1 and not asked and status is null";
        let found = record.answer.map(Answer::name);
        link.change(update, &[&integer(record.seed as u64), &found])?;
    }
    Ok(())
}

fn write_advice(link: &mut ServerLink, advice: &[AdviceRecord]) -> Result<(), StoreError> {
    let mut advice: Vec<&AdviceRecord> = advice.iter().collect();
    advice.sort_by(|one, other| one.hash.cmp(&other.hash));
    for record in advice {
        let update = "update seeds set advice = $2 where hash = $1 and advice = ''";
        link.change(update, &[&record.hash.as_bytes(), &record.values.as_bytes()])?;
    }
    Ok(())
}

/// Returns an error if another worker was first to record other statuses or advice than those of a batch.
pub fn check_premises(link: &mut ServerLink, batch: &Batch) -> Result<(), StoreError> {
    let lost = || StoreError::LeaseLost(link.shown().to_owned());
    let (lost_status, lost_advice) = (lost(), lost());
    for record in &batch.statuses {
        let select = "select found from roster where place = $1 and status is null";
        let rows = link.rows(select, &[&integer(record.seed as u64)])?;
        let found = rows.first().map(|row| row.get::<_, Option<&str>>(0));
        if found.is_some_and(|found| found != record.answer.map(Answer::name)) {
            return Err(lost_status);
        }
    }
    for record in &batch.advice {
        let rows = link.rows("select advice from seeds where hash = $1", &[&record.hash.as_bytes()])?;
        if rows.first().is_some_and(|row| row.get::<_, &[u8]>(0) != record.values.as_bytes()) {
            return Err(lost_advice);
        }
    }
    Ok(())
}

fn write_chains(link: &mut ServerLink, chains: &[ChainRecord]) -> Result<(), StoreError> {
    // A statement may write a row once; a chain that has ended stays ended.
    let mut last: BTreeMap<i64, &ChainRecord> = BTreeMap::new();
    for record in chains {
        let known = last.entry(integer(record.chain)).or_insert(record);
        if known.next.is_some() {
            *known = record;
        }
    }
    if last.is_empty() {
        return Ok(());
    }
    let numbers: Vec<i64> = last.keys().copied().collect();
    let next: Vec<Option<i64>> = last.values().map(|record| record.next.map(integer)).collect();
    let out: Vec<Vec<u8>> = last.values().map(|record| packed_json(&record.out)).collect();
    let insert = "insert into chains select chain, next, out
        from unnest($1::bigint[], $2::bigint[], $3::bytea[]) t(chain, next, out)
        where chain >= (select ended_below from campaign)
        on conflict (chain) do update set next = excluded.next, out = excluded.out where chains.next is not null";
    link.change(insert, &[&numbers, &next, &out])?;
    let ended: Vec<i64> =
        last.iter().filter(|(_, record)| record.next.is_none()).map(|(chain, _)| *chain).collect();
    if ended.is_empty() {
        return Ok(());
    }
    link.change("delete from leases where chain = any($1)", &[&ended]).map(drop)
}

/// The start of a chain never changes.
fn write_start(link: &mut ServerLink, start: &StartRecord) -> Result<(), StoreError> {
    let (chain, seed, visits) = (integer(start.chain), integer(start.seed as u64), integer(start.visits));
    let (weights, strategies) = (start.weights.as_bytes(), start.strategies.join(","));
    let insert = "insert into starts values ($1, $2, $3, $4, $5) on conflict do nothing";
    link.change(insert, &[&chain, &seed, &weights, &strategies, &visits]).map(drop)
}

/// One insert wins, and the sighting with the lowest case number describes the finding, whichever worker was first.
const WRITE_FINDING: &str = "
    insert into findings as f values ($1, $2, $3, $4, $5, $6, $7)
    on conflict (fingerprint) do update set
        count = f.count + excluded.count, seconds = least(f.seconds, excluded.seconds), known = excluded.known,
        first_case = case when (excluded.first_case, excluded.seed) < (f.first_case, f.seed)
                     then excluded.first_case else f.first_case end,
        seed = case when (excluded.first_case, excluded.seed) < (f.first_case, f.seed) then excluded.seed else f.seed end,
        record = case when (excluded.first_case, excluded.seed) < (f.first_case, f.seed) then excluded.record else f.record end
    returning first_case, seed";

/// Adds sightings of findings, with the files of those that describe their finding from now on.
pub fn write_findings(
    link: &mut ServerLink,
    findings: &[FindingRecord],
    exhibits: &BTreeMap<String, PendingExhibit>,
) -> Result<(), StoreError> {
    let mut findings: Vec<&FindingRecord> = findings.iter().collect();
    findings.sort_by(|one, other| one.fingerprint.cmp(&other.fingerprint));
    for finding in findings {
        let (fingerprint, seed) = (finding.fingerprint.as_bytes(), finding.seed.as_bytes());
        let case = finding.case.map_or(-1, integer);
        let (count, seconds) = (integer(finding.count), integer(finding.seconds));
        let record = packed_json(finding);
        let row = link
            .row(WRITE_FINDING, &[&fingerprint, &case, &seed, &count, &seconds, &finding.known, &record])?;
        let kept: (i64, &[u8]) = (row.get(0), row.get(1));
        let Some(exhibit) = exhibits.get(&finding.fingerprint) else { continue };
        if (exhibit.rank.0, exhibit.rank.1.as_bytes()) != kept {
            continue;
        }
        link.change("delete from exhibits where fingerprint = $1", &[&fingerprint])?;
        for (name, text) in &exhibit.files {
            let insert = "insert into exhibits values ($1, $2, $3)";
            link.change(insert, &[&fingerprint, name, &deflated(text)])?;
        }
    }
    Ok(())
}

/// Adds the cases that showed findings; of each finding the lowest are kept.
pub fn write_sightings(link: &mut ServerLink, sightings: &[(CaseNumber, String)]) -> Result<(), StoreError> {
    let mut numbers: BTreeMap<&[u8], Vec<i64>> = BTreeMap::new();
    for (case, fingerprint) in sightings {
        numbers.entry(fingerprint.as_bytes()).or_default().push(integer(*case));
    }
    for (fingerprint, mut numbers) in numbers {
        numbers.sort_unstable();
        let insert = "insert into sightings select fingerprint, unnest($2::bigint[]) from findings where fingerprint = $1
                      on conflict do nothing";
        link.change(insert, &[&fingerprint, &numbers])?;
        let bound = "delete from sightings where fingerprint = $1 and number >=
            (select number from sightings where fingerprint = $1 order by number limit 1 offset $2)";
        link.change(bound, &[&fingerprint, &integer(MAX_SIGHTINGS_KEPT as u64)])?;
    }
    Ok(())
}

/// Adds a sample of the counts.
pub fn write_sample(link: &mut ServerLink, sample: &Sample) -> Result<(), StoreError> {
    let (cases, findings) = (integer(sample.cases), integer(sample.findings));
    let insert = "insert into samples values ($1, $2, $3, $4, $5) on conflict (seconds) do update
        set cases = excluded.cases, findings = excluded.findings, solver_cpu = excluded.solver_cpu, own_cpu = excluded.own_cpu";
    link.change(insert, &[&sample.seconds, &cases, &findings, &sample.solver_cpu, &sample.own_cpu])?;
    let count: i64 = link.row("select count(*) from samples", &[])?.get(0);
    if count > integer(MAX_SAMPLES_KEPT as u64) {
        // The first and the last sample are kept, since there is an odd number of them.
        let thin = "delete from samples where seconds in
            (select seconds from (select seconds, row_number() over (order by seconds) as place from samples) t
             where place % 2 = 0)";
        link.change(thin, &[])?;
    }
    Ok(())
}

/// Adds a sample of the counts of all workers, unless another worker has done so in the last second.
pub fn write_shared_sample(link: &mut ServerLink, sample: &Sample) -> Result<(), StoreError> {
    let last: Option<f64> = link.row("select max(seconds) from samples", &[])?.get(0);
    if last.is_some_and(|last| sample.seconds < last + (last * 0.005).max(1.0)) {
        return Ok(());
    }
    let tally = reading::tally(link)?;
    let findings: i64 = link.row("select count(*) from findings", &[])?.get(0);
    let findings = u64::try_from(findings).unwrap_or(0);
    let (solver_cpu, own_cpu) = (tally.solver_cpu(), tally.own_cpu);
    let seconds = sample.seconds.max(tally.seconds);
    write_sample(link, &Sample { seconds, cases: tally.cases, findings, solver_cpu, own_cpu })
}
