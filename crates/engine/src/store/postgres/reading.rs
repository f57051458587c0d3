//! Reads a shared store: converts rows to values, with an error for invalid ones.

use std::io::Read;

use flate2::read::ZlibDecoder;
use postgres::Row;
use serde::de::DeserializeOwned;

use super::lessons;
use super::link::ServerLink;
use crate::event::CaseNumber;
use crate::solver::run::Answer;
use crate::store::{
    ChainRecord, FindingRecord, Sample, SeedEntry, SeedRecord, SeedStatus, StartRecord, StoreError,
    StoredProgress,
};
use crate::tally::Tally;

/// The most bytes of a text that are read: a damaged store must not exhaust memory.
const MAX_TEXT_BYTES: u64 = 1 << 30;

/// A number as PostgreSQL keeps it.
pub fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number of ours.
pub fn number(row: &Row, column: usize) -> u64 {
    u64::try_from(row.get::<_, i64>(column)).unwrap_or(0)
}

/// Reads a value of ours that was written as JSON.
pub fn unpacked<T: DeserializeOwned>(link: &ServerLink, json: &[u8], what: &str) -> Result<T, StoreError> {
    serde_json::from_slice(json).map_err(|error| link.unreadable(what, error))
}

/// Reads a compressed text.
pub fn inflated(link: &ServerLink, packed: &[u8], what: &str) -> Result<String, StoreError> {
    let mut text = String::new();
    let read = ZlibDecoder::new(packed).take(MAX_TEXT_BYTES).read_to_string(&mut text);
    read.map(|_| text).map_err(|error| link.unreadable(what, error))
}

/// A text in a column.
pub fn text(row: &Row, column: usize) -> String {
    String::from_utf8_lossy(row.get(column)).into_owned()
}

/// The counts of all workers together.
pub fn tally(link: &mut ServerLink) -> Result<Tally, StoreError> {
    let mut sum = Tally::default();
    let rows = link.rows("select tally from campaign union all select tally from workers", &[])?;
    // The tally of a campaign with one part is that part to the last bit.
    let mut parts = Vec::new();
    for row in rows {
        let part: Tally = unpacked(link, row.get(0), "a tally")?;
        if part != Tally::default() {
            parts.push(part);
        }
    }
    match parts.as_mut_slice() {
        [part] => sum = std::mem::take(part),
        parts => parts.iter().for_each(|part| sum.add(part)),
    }
    Ok(sum)
}

/// The progress of the campaign.
pub fn standing(link: &mut ServerLink) -> Result<StoredProgress, StoreError> {
    let mut tally = tally(link)?;
    tally.coverage.extend(lessons::reached(link)?);
    let mut ended_below = number(&link.row("select ended_below from campaign", &[])?, 0);
    let mut chains = Vec::new();
    for row in link.rows("select chain, next, out from chains order by chain", &[])? {
        let record = chain(link, &row)?;
        // Rows of chains that ended without a gap are removed now and then.
        match record.next {
            None if record.chain == ended_below => ended_below += 1,
            _ => chains.push(record),
        }
    }
    Ok(StoredProgress { tally, ended_below, chains })
}

/// The progress of a chain: number, next step, solvers that are out.
pub fn chain(link: &ServerLink, row: &Row) -> Result<ChainRecord, StoreError> {
    let next = row.get::<_, Option<i64>>(1).map(|_| number(row, 1));
    Ok(ChainRecord { chain: number(row, 0), next, out: unpacked(link, row.get(2), "a chain")? })
}

/// The findings, in the order in which they were first seen.
pub fn findings(link: &mut ServerLink) -> Result<Vec<FindingRecord>, StoreError> {
    let select = "select record, count, seconds, known or exists (select 1 from marks m where m.fingerprint = f.fingerprint)
                  from findings f order by seconds, first_case, fingerprint";
    let rows = link.rows(select, &[])?;
    let record = |row: Row| {
        let first: FindingRecord = unpacked(link, row.get(0), "a finding")?;
        let (count, seconds, known) = (number(&row, 1), number(&row, 2), row.get(3));
        Ok(FindingRecord { count, seconds, known, ..first })
    };
    rows.into_iter().map(record).collect()
}

/// The cases in which a finding was seen.
pub fn sightings(link: &mut ServerLink, fingerprint: &str) -> Result<Vec<CaseNumber>, StoreError> {
    let select = "select number from sightings where fingerprint = $1 order by number";
    Ok(link.rows(select, &[&fingerprint.as_bytes()])?.iter().map(|row| number(row, 0)).collect())
}

/// The samples of the counts.
pub fn samples(link: &mut ServerLink) -> Result<Vec<Sample>, StoreError> {
    let select = "select seconds, cases, findings, solver_cpu, own_cpu from samples order by seconds";
    let sample = |row: &Row| Sample {
        seconds: row.get(0),
        cases: number(row, 1),
        findings: number(row, 2),
        solver_cpu: row.get(3),
        own_cpu: row.get(4),
    };
    Ok(link.rows(select, &[])?.iter().map(sample).collect())
}

/// The text of a seed.
pub fn seed(link: &mut ServerLink, hash: &str) -> Result<Option<SeedRecord>, StoreError> {
    let rows =
        link.rows("select name, hash, text, advice from seeds where hash = $1", &[&hash.as_bytes()])?;
    let Some(row) = rows.first() else { return Ok(None) };
    let script = inflated(link, row.get(2), "a seed")?;
    Ok(Some(SeedRecord { name: text(row, 0), hash: text(row, 1), text: script, values: text(row, 3) }))
}

/// The seeds in their order.
pub fn roster(link: &mut ServerLink) -> Result<Vec<SeedEntry>, StoreError> {
    let select = "select name, hash, status, sorts, exists (select 1 from seeds where seeds.hash = roster.hash), asked, found
                  from roster order by place";
    let rows = link.rows(select, &[])?;
    let entry = |row: &Row| {
        let status = match (answer(link, row, 2)?, row.get(5)) {
            (None, true) => SeedStatus::Asked(answer(link, row, 6)?),
            (claim, _) => SeedStatus::claimed(claim),
        };
        Ok(SeedEntry {
            name: text(row, 0),
            hash: text(row, 1),
            status,
            sorts: text(row, 3),
            used: row.get(4),
        })
    };
    rows.iter().map(entry).collect()
}

fn answer(link: &ServerLink, row: &Row, column: usize) -> Result<Option<Answer>, StoreError> {
    let word: Option<&str> = row.get(column);
    let read = |word: &str| {
        Answer::from_word(word.as_bytes()).ok_or_else(|| link.unreadable("the status of a seed", word))
    };
    word.map(read).transpose()
}

/// The starts of all chains, or of some.
pub fn starts(link: &mut ServerLink, chains: Option<&[i64]>) -> Result<Vec<StartRecord>, StoreError> {
    let select = "select chain, seed, weights, strategies, visits from starts
                  where $1::bigint[] is null or chain = any($1) order by chain";
    let start = |row: &Row| StartRecord {
        chain: number(row, 0),
        seed: usize::try_from(number(row, 1)).unwrap_or(usize::MAX),
        weights: text(row, 2),
        strategies: row
            .get::<_, &str>(3)
            .split(',')
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect(),
        visits: number(row, 4),
    };
    Ok(link.rows(select, &[&chains])?.iter().map(start).collect())
}

/// The plan.
pub fn plan(link: &mut ServerLink) -> Result<String, StoreError> {
    Ok(text(&link.row("select plan from campaign", &[])?, 0))
}

/// The files of a finding: path in its folder, and text.
pub fn exhibits(link: &mut ServerLink, fingerprint: &str) -> Result<Vec<(String, String)>, StoreError> {
    let select = "select name, content from exhibits where fingerprint = $1 order by name";
    let rows = link.rows(select, &[&fingerprint.as_bytes()])?;
    let file = |row: &Row| Ok((row.get(0), inflated(link, row.get(1), "an exhibit")?));
    rows.iter().map(file).collect()
}
