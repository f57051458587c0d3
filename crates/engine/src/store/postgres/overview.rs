//! What a page about a shared store shows beyond its records: workers and their health, and what users say about findings.

use super::lessons;
use super::reading::{self, number};
use super::{Postgres, lock};
use crate::store::StoreError;
use crate::tally::Tally;

/// The figures of a campaign at one moment.
#[derive(Debug, Clone, Default)]
pub struct StoreOverview {
    /// The counts.
    pub tally: Tally,
    /// Distinct findings.
    pub findings: u64,
    /// Those of them that are known or marked.
    pub known: u64,
    /// The sessions of workers, the latest first.
    pub workers: Vec<WorkerStatus>,
}

/// A session of a worker.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkerStatus {
    /// Machine and process.
    pub name: String,
    /// Seconds since it was last heard of.
    pub silence: f64,
    /// Whether it left in good order.
    pub departed: bool,
    /// Chains that it holds.
    pub leases: u64,
    /// Cases that it has made.
    pub cases: u64,
}

/// What a user says about a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingMark {
    /// The fingerprint of the finding.
    pub fingerprint: String,
    /// `known` or `filed`.
    pub mark: String,
    /// The address of a report; may be empty.
    pub link: String,
}

const COUNT_FINDINGS: &str = "select count(*), count(*) filter (where known or exists
        (select 1 from marks m where m.fingerprint = f.fingerprint)) from findings f";

const LIST_WORKERS: &str =
    "select name, extract(epoch from clock_timestamp() - seen)::float8, departed is not null,
        (select count(*) from leases l where l.worker = w.id), tally
    from workers w order by joined desc";

impl Postgres {
    /// The figures of the campaign now.
    pub fn overview(&self) -> Result<StoreOverview, StoreError> {
        let mut link = lock(&self.link);
        let counts = link.row(COUNT_FINDINGS, &[])?;
        let removed = link.row("select tally from campaign", &[])?;
        let mut tally: Tally = reading::unpacked(&link, removed.get(0), "a tally")?;
        let mut workers = Vec::new();
        for row in link.rows(LIST_WORKERS, &[])? {
            let part: Tally = reading::unpacked(&link, row.get(4), "the tally of a worker")?;
            workers.push(WorkerStatus {
                name: row.get(0),
                silence: row.get(1),
                departed: row.get(2),
                leases: number(&row, 3),
                cases: part.cases,
            });
            tally.add(&part);
        }
        tally.coverage.extend(lessons::reached(&mut link)?);
        Ok(StoreOverview { tally, findings: number(&counts, 0), known: number(&counts, 1), workers })
    }

    /// The marks of findings.
    pub fn marks(&self) -> Result<Vec<FindingMark>, StoreError> {
        let select = "select fingerprint, mark, link from marks order by fingerprint";
        let rows = lock(&self.link).rows(select, &[])?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mark = |row: &postgres::Row| FindingMark {
            fingerprint: text(row.get(0)),
            mark: row.get(1),
            link: text(row.get(2)),
        };
        Ok(rows.iter().map(mark).collect())
    }

    /// Marks a finding, or removes the mark of the finding with this fingerprint. Returns false if there is no such finding.
    pub fn mark(&self, fingerprint: &str, mark: Option<&FindingMark>) -> Result<bool, StoreError> {
        let mut link = lock(&self.link);
        let fingerprint = fingerprint.as_bytes();
        if link.rows("select 1 from findings where fingerprint = $1", &[&fingerprint])?.is_empty() {
            return Ok(false);
        }
        match mark {
            None => link.change("delete from marks where fingerprint = $1", &[&fingerprint])?,
            Some(FindingMark { mark, link: address, .. }) => {
                let write = "insert into marks values ($1, $2, $3)
                    on conflict (fingerprint) do update set mark = excluded.mark, link = excluded.link";
                link.change(write, &[&fingerprint, mark, &address.as_bytes()])?
            }
        };
        Ok(true)
    }
}
