//! Reads a store: converts rows to values, with an error for invalid ones.

use std::io::Read;

use flate2::read::ZlibDecoder;
use rusqlite::{Connection, OptionalExtension, Result, Row};
use serde::de::IntoDeserializer;
use serde::de::value::{Error as WordError, StrDeserializer};
use serde::de::{DeserializeOwned, Error as _};

use super::checksum;
use super::trouble::unreadable;
use crate::event::CaseNumber;
use crate::finding::Suspects;
use crate::solver::run::Answer;
use crate::solver::trace::Identity;
use crate::store::{
    ChainRecord, FindingRecord, Lessons, Sample, SeedEntry, SeedRecord, SeedStatus, StartRecord,
    StoredProgress,
};

/// The most bytes of a seed's text that are read: a damaged store must not exhaust memory.
const MAX_SEED_BYTES: u64 = 1 << 30;

/// The progress of the campaign.
pub fn standing(connection: &Connection) -> Result<StoredProgress> {
    let mut campaign = connection.prepare_cached("select tally, ended_below, tally_sum from campaign")?;
    let (tally, ended_below) = campaign.query_row([], |row| {
        let tally: String = row.get(0)?;
        compare(&checksum::of_text(&tally), &row.get::<_, String>(2)?, "the tally")?;
        Ok((json(&tally, "the tally")?, number(row, 1)?))
    })?;
    let mut chains = connection.prepare_cached("select chain, next, out from chains order by chain")?;
    let chains = chains.query_map([], |row| {
        let out = json(&row.get::<_, String>(2)?, "a chain")?;
        Ok(ChainRecord { chain: number(row, 0)?, next: perhaps(row, 1)?, out })
    })?;
    Ok(StoredProgress { tally, ended_below, chains: chains.collect::<Result<_>>()? })
}

const SELECT_FINDING: &str =
    "select fingerprint, kind, suspect, evidence, explanation, count, first_case, strategy, seed, seconds,
    known, path, sum from findings";

/// The findings, in the order in which they were first seen.
pub fn findings(connection: &Connection) -> Result<Vec<FindingRecord>> {
    let order = format!("{SELECT_FINDING} order by seconds, first_case, fingerprint");
    let mut statement = connection.prepare_cached(&order)?;
    statement.query_map([], read_finding)?.collect()
}

/// The finding of that fingerprint.
pub fn finding(connection: &Connection, fingerprint: &str) -> Result<Option<FindingRecord>> {
    let mut statement = connection.prepare_cached(&format!("{SELECT_FINDING} where fingerprint = ?"))?;
    statement.query_row([fingerprint], read_finding).optional()
}

fn read_finding(row: &Row<'_>) -> Result<FindingRecord> {
    let finding = FindingRecord {
        fingerprint: row.get(0)?,
        kind: word(&row.get::<_, String>(1)?, "the kind of a finding")?,
        suspects: Suspects::from_record(&row.get::<_, String>(2)?),
        evidence: word(&row.get::<_, String>(3)?, "the evidence of a finding")?,
        explanation: row.get(4)?,
        count: number(row, 5)?,
        case: perhaps(row, 6)?,
        strategy: row.get(7)?,
        seed: row.get(8)?,
        seconds: number(row, 9)?,
        known: row.get(10)?,
        path: row.get::<_, String>(11)?.into(),
    };
    compare(&checksum::of_finding(&finding), &row.get::<_, String>(12)?, "a finding")?;
    Ok(finding)
}

/// Returns an error if a checksum is not the recorded one.
fn compare(found: &str, recorded: &str, what: &str) -> Result<()> {
    let wrong = || unreadable(what, WordError::custom("its checksum is wrong"));
    if found == recorded { Ok(()) } else { Err(wrong()) }
}

/// The cases in which a finding was seen.
pub fn sightings(connection: &Connection, fingerprint: &str) -> Result<Vec<CaseNumber>> {
    let mut statement = connection.prepare_cached(
        "select number from sightings join findings on id = finding where fingerprint = ? order by number",
    )?;
    let numbers = statement.query_map([fingerprint], |row| number(row, 0))?;
    numbers.collect()
}

/// The samples of the counts.
pub fn samples(connection: &Connection) -> Result<Vec<Sample>> {
    let mut statement = connection.prepare_cached(
        "select seconds, cases, findings, solver_cpu, own_cpu from samples order by seconds",
    )?;
    let samples = statement.query_map([], |row| {
        Ok(Sample {
            seconds: row.get(0)?,
            cases: number(row, 1)?,
            findings: number(row, 2)?,
            solver_cpu: row.get(3)?,
            own_cpu: row.get(4)?,
        })
    })?;
    samples.collect()
}

/// The text of a seed.
pub fn seed(connection: &Connection, hash: &str) -> Result<Option<SeedRecord>> {
    let mut statement =
        connection.prepare_cached("select name, hash, text, \"values\" from seeds where hash = ?")?;
    let seed = statement.query_row([hash], |row| {
        let packed: Vec<u8> = row.get(2)?;
        let mut text = String::new();
        let unpacked = ZlibDecoder::new(&packed[..]).take(MAX_SEED_BYTES).read_to_string(&mut text);
        unpacked.map_err(|error| unreadable("a seed", error))?;
        Ok(SeedRecord { name: row.get(0)?, hash: row.get(1)?, text, values: row.get(3)? })
    });
    seed.optional()
}

/// The seeds in their order.
pub fn roster(connection: &Connection) -> Result<Vec<SeedEntry>> {
    let mut statement = connection.prepare_cached(
        "select name, hash, status, sorts, exists (select 1 from seeds where seeds.hash = roster.hash), \
         asked, found from roster order by place",
    )?;
    let seeds = statement.query_map([], |row| {
        let word = |column| row.get::<_, Option<String>>(column)?.map(|word| answer(&word)).transpose();
        let status = match (word(2)?, row.get(5)?) {
            (None, true) => SeedStatus::Asked(word(6)?),
            (claim, _) => SeedStatus::claimed(claim),
        };
        Ok(SeedEntry { name: row.get(0)?, hash: row.get(1)?, status, sorts: row.get(3)?, used: row.get(4)? })
    })?;
    seeds.collect()
}

const SELECT_START: &str =
    "select chain, seed, text, strategies, visits from starts join weights on id = starts.weights";

/// The start of a chain.
pub fn start(connection: &Connection, chain: u64) -> Result<Option<StartRecord>> {
    let mut statement = connection.prepare_cached(&format!("{SELECT_START} where chain = ?"))?;
    statement.query_row([i64::try_from(chain).unwrap_or(i64::MAX)], read_start).optional()
}

fn read_start(row: &Row<'_>) -> Result<StartRecord> {
    let seed = usize::try_from(number(row, 1)?).unwrap_or(usize::MAX);
    let (weights, names, visits) = (row.get(2)?, row.get::<_, String>(3)?, number(row, 4)?);
    let strategies = names.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    Ok(StartRecord { chain: number(row, 0)?, seed, weights, strategies, visits })
}

/// The lessons of the campaign from its runs.
pub fn lessons(connection: &Connection) -> Result<Lessons> {
    let mut campaign = connection.prepare_cached("select weights, schedule from campaign")?;
    let (weights, schedule) = campaign.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut traces = connection.prepare_cached("select identity from traces")?;
    let identity = |row: &Row<'_>| {
        let text: String = row.get(0)?;
        text.parse::<Identity>().map_err(|error| unreadable("a trace", error))
    };
    let seen = traces.query_map([], identity)?.collect::<Result<_>>()?;
    let mut starts = connection.prepare_cached(&format!("{SELECT_START} order by chain"))?;
    let starts = starts.query_map([], read_start)?.collect::<Result<_>>()?;
    Ok(Lessons { weights, schedule, seen, starts })
}

/// The plan.
pub fn plan(connection: &Connection) -> Result<String> {
    connection.prepare_cached("select plan, plan_sum from campaign")?.query_row([], |row| {
        let plan: String = row.get(0)?;
        compare(&checksum::of_text(&plan), &row.get::<_, String>(1)?, "the plan")?;
        Ok(plan)
    })
}

fn number(row: &Row<'_>, column: usize) -> Result<u64> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, number))
}

fn perhaps(row: &Row<'_>, column: usize) -> Result<Option<u64>> {
    row.get::<_, Option<i64>>(column)?.map(|_| number(row, column)).transpose()
}

fn json<T: DeserializeOwned>(text: &str, what: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| unreadable(what, error))
}

fn answer(word: &str) -> Result<Answer> {
    let what = || unreadable("the status of a seed", WordError::custom(word));
    Answer::from_word(word.as_bytes()).ok_or_else(what)
}

/// A value of one word, by its serde name.
fn word<T: DeserializeOwned>(text: &str, what: &str) -> Result<T> {
    let deserializer: StrDeserializer<'_, WordError> = text.into_deserializer();
    T::deserialize(deserializer).map_err(|error| unreadable(what, error))
}
