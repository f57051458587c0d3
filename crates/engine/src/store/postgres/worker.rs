//! The session of a worker: a row in `workers`, and leases on the chains that it works on.
//!
//! A chain belongs to the worker that its lease names, also after the lease has run out, until another worker takes it. So a
//! batch is recorded only if the lease of each of its chains still names this worker; otherwise the whole batch is dropped, and
//! the worker begins a new session from the records. The number of batches is compared as well: a server that lost its last
//! transactions in a crash is noticed even behind a connection pool. So transactions need not wait for the disk of the server.
//!
//! Only the clock of the server is read.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::link::ServerLink;
use super::{packed_json, reading};
use crate::store::{ChainBounds, ChainLeases, ChainRecord, LeaseOffer, SeedRecord, StartRecord, StoreError};
use crate::tally::Tally;

/// Chains for which leases are made at once.
const CHAINS_OPENED_AT_ONCE: i64 = 1_000;
/// A lease is renewed after this part of its time.
const RENEWAL_DIVISOR: u32 = 4;

/// A connection that the recorder and the leases of a worker share.
pub type SharedLink = Arc<Mutex<ServerLink>>;

/// Locks a shared connection.
pub fn lock(link: &Mutex<ServerLink>) -> MutexGuard<'_, ServerLink> {
    link.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A session of a worker.
#[derive(Debug)]
pub struct WorkerSession {
    /// Its row in `workers`.
    pub id: i64,
    /// Batches that it has recorded.
    pub batches: i64,
    /// The time of a lease.
    pub lease: Duration,
    renewed: Instant,
}

impl WorkerSession {
    /// Begins a session; takes nothing yet.
    pub fn begin(link: &mut ServerLink, name: &str, lease: Duration) -> Result<WorkerSession, StoreError> {
        let nothing = packed_json(&Tally::default());
        let insert = "insert into workers (name, tally) values ($1, $2) returning id";
        let id = link.transact(|link| {
            remove_departed(link)?;
            link.row(insert, &[&name, &nothing])
        })?;
        Ok(WorkerSession { id: id.get(0), batches: 0, lease, renewed: Instant::now() })
    }

    /// Gives the chains back that the session holds, and marks it as departed.
    pub fn end(link: &mut ServerLink, id: i64) -> Result<(), StoreError> {
        link.transact(|link| {
            link.change("update leases set worker = null, until = null where worker = $1", &[&id])?;
            link.change("update workers set departed = clock_timestamp() where id = $1", &[&id]).map(drop)
        })
    }

    /// In the transaction of a batch: counts it, renews the leases, and returns an error if one of these chains is not leased to
    /// this worker any more.
    pub fn secure(
        &mut self,
        link: &mut ServerLink,
        tally: &Tally,
        chains: impl IntoIterator<Item = u64>,
    ) -> Result<(), StoreError> {
        let count = "update workers set batches = batches + 1, seen = clock_timestamp(), tally = $3
                     where id = $1 and batches = $2";
        if link.change(count, &[&self.id, &self.batches, &packed_json(tally)])? != 1 {
            return Err(lost(link));
        }
        let held = self.renew(link)?;
        match chains.into_iter().all(|chain| held.contains(&reading::integer(chain))) {
            true => Ok(()),
            false => Err(lost(link)),
        }
    }

    /// Renews the leases of a worker that has nothing to record, if it is time.
    pub fn keep_alive(&mut self, link: &mut ServerLink) -> Result<(), StoreError> {
        if self.renewed.elapsed() < self.lease / RENEWAL_DIVISOR {
            return Ok(());
        }
        let seen = "update workers set seen = clock_timestamp() where id = $1 and batches = $2";
        if link.change(seen, &[&self.id, &self.batches])? != 1 {
            return Err(lost(link));
        }
        self.renew(link).map(drop)
    }

    fn renew(&mut self, link: &mut ServerLink) -> Result<HashSet<i64>, StoreError> {
        let renew = "update leases set until = clock_timestamp() + make_interval(secs => $2)
                     where worker = $1 returning chain";
        let rows = link.rows(renew, &[&self.id, &self.lease.as_secs_f64()])?;
        self.renewed = Instant::now();
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }
}

fn lost(link: &ServerLink) -> StoreError {
    StoreError::LeaseLost(link.shown().to_owned())
}

/// Adds the counts of workers that left to those of the campaign, and removes their rows after an hour.
fn remove_departed(link: &mut ServerLink) -> Result<(), StoreError> {
    let gone = "select id, tally from workers w
                where seen < clock_timestamp() - interval '1 hour' and not exists (select 1 from leases where worker = w.id)
                for update skip locked";
    // Two that begin at once must not add the same counts twice.
    let row = link.row("select tally from campaign for update", &[])?;
    let mut sum: Tally = reading::unpacked(link, row.get(0), "the tally")?;
    let mut ids: Vec<i64> = Vec::new();
    for row in link.rows(gone, &[])? {
        let tally: Tally = reading::unpacked(link, row.get(1), "the tally of a worker")?;
        sum.add(&tally);
        ids.push(row.get(0));
    }
    if ids.is_empty() {
        return Ok(());
    }
    link.change("delete from workers where id = any($1)", &[&ids])?;
    link.change("update campaign set tally = $1", &[&packed_json(&sum)]).map(drop)
}

/// Hands out chains to the threads of a worker.
pub struct WorkerLeases {
    /// The connection of the worker.
    pub link: SharedLink,
    /// Its session.
    pub worker: i64,
    /// The time of a lease.
    pub lease: Duration,
    /// When it last looked for chains of workers that have vanished.
    pub looked: Option<Instant>,
}

/// The statement that takes the lowest chains under a condition. It is a transaction of its own, which does not wait for the disk: a lease that a crash of the server loses is noticed
/// with the next batch. A worker never takes a chain that it holds, even if its lease has expired: one of its threads works on it.
macro_rules! take_leases {
    ($condition:literal) => {
        concat!(
            "with quick as (select set_config('synchronous_commit', 'off', true)),
                free as (
                    select l.chain from leases l left join chains c on c.chain = l.chain
                    where ",
            $condition,
            " and l.chain * $3 + coalesce(c.next, 0) < $4
                    order by l.chain limit $5 for update of l skip locked)
            update leases l set worker = $1, until = clock_timestamp() + make_interval(secs => $2)
            from free cross join quick where l.chain = free.chain returning l.chain"
        )
    };
}

/// The lowest chains that no worker holds: those that were begun, and those that were not.
const TAKE_FREE: &str = take_leases!("l.worker is null");
/// The lowest chains of workers that have vanished.
const TAKE_EXPIRED: &str = take_leases!("l.worker <> $1 and l.until < statement_timestamp()");

const CHAINS_OF_OTHERS: &str = "
    select exists (select 1 from leases l left join chains c on c.chain = l.chain
        where l.chain * $2 + coalesce(c.next, 0) < $3 and l.worker is distinct from $1)";

impl ChainLeases for WorkerLeases {
    fn take(&mut self, bounds: ChainBounds, wanted: usize) -> Result<LeaseOffer, StoreError> {
        let shared = Arc::clone(&self.link);
        let mut link = lock(&shared);
        let mut taken = Vec::new();
        if self.looked.is_none_or(|looked| looked.elapsed() > self.lease / RENEWAL_DIVISOR) {
            taken = self.take_expired(&mut link, bounds, wanted)?;
        }
        if taken.is_empty() {
            taken = self.take_by(TAKE_FREE, &mut link, bounds, wanted)?;
        }
        if taken.is_empty() && link.transact(|link| open_more(link, bounds))? {
            taken = self.take_by(TAKE_FREE, &mut link, bounds, wanted)?;
        }
        if taken.is_empty() {
            taken = self.take_expired(&mut link, bounds, wanted)?;
        }
        if !taken.is_empty() {
            // Read after the leases are held: their last holders write no more.
            return Ok(LeaseOffer::Chains(records(&mut link, &taken)?));
        }
        let (steps, limit) = (reading::integer(bounds.steps), reading::integer(bounds.limit));
        let row = link.row(CHAINS_OF_OTHERS, &[&self.worker, &steps, &limit])?;
        Ok(if row.get(0) { LeaseOffer::Wait } else { LeaseOffer::Done })
    }

    fn starts(&mut self, chains: &[u64]) -> Result<Vec<StartRecord>, StoreError> {
        let chains: Vec<i64> = chains.iter().copied().map(reading::integer).collect();
        reading::starts(&mut lock(&self.link), Some(&chains))
    }

    fn seed(&mut self, hash: &str) -> Result<Option<SeedRecord>, StoreError> {
        reading::seed(&mut lock(&self.link), hash)
    }

    fn session(&self) -> u64 {
        u64::try_from(self.worker).unwrap_or(0)
    }
}

impl WorkerLeases {
    fn take_expired(
        &mut self,
        link: &mut ServerLink,
        bounds: ChainBounds,
        wanted: usize,
    ) -> Result<Vec<i64>, StoreError> {
        self.looked = Some(Instant::now());
        self.take_by(TAKE_EXPIRED, link, bounds, wanted)
    }

    fn take_by(
        &self,
        statement: &'static str,
        link: &mut ServerLink,
        bounds: ChainBounds,
        wanted: usize,
    ) -> Result<Vec<i64>, StoreError> {
        let (steps, limit) = (reading::integer(bounds.steps), reading::integer(bounds.limit));
        let wanted = reading::integer(wanted as u64);
        let seconds = self.lease.as_secs_f64();
        let rows = link.rows(statement, &[&self.worker, &seconds, &steps, &limit, &wanted])?;
        let mut chains: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
        chains.sort_unstable();
        Ok(chains)
    }
}

/// Makes leases for the next chains of the campaign, and forgets those that have ended without a gap; false if there are no more chains.
fn open_more(link: &mut ServerLink, bounds: ChainBounds) -> Result<bool, StoreError> {
    let opened: i64 = link.row("select opened from campaign for update", &[])?.get(0);
    let end = reading::integer(bounds.limit.div_ceil(bounds.steps.max(1)));
    let upper = opened.saturating_add(CHAINS_OPENED_AT_ONCE).min(end);
    if upper <= opened {
        return Ok(false);
    }
    // The campaign may have begun without leases.
    let insert =
        "insert into leases (chain) select place from generate_series($1::bigint, $2::bigint - 1) place
                  where not exists (select 1 from chains where chain = place and next is null)
                  and place >= (select ended_below from campaign) on conflict do nothing";
    link.change(insert, &[&opened, &upper])?;
    let fold = "update campaign set opened = $1,
                ended_below = greatest(ended_below, coalesce((select min(chain) from leases), $1))";
    link.change(fold, &[&upper])?;
    link.change("delete from chains where chain < (select ended_below from campaign)", &[])?;
    Ok(true)
}

/// The progress of chains, in their order; a chain without a record was not begun.
fn records(link: &mut ServerLink, chains: &[i64]) -> Result<Vec<ChainRecord>, StoreError> {
    let select = "select chain, next, out from chains where chain = any($1)";
    let mut begun = Vec::new();
    for row in link.rows(select, &[&chains])? {
        begun.push(reading::chain(link, &row)?);
    }
    let record = |chain: &i64| {
        let chain = u64::try_from(*chain).unwrap_or(0);
        let known = begun.iter().find(|record: &&ChainRecord| record.chain == chain).cloned();
        known.unwrap_or(ChainRecord { chain, next: Some(0), out: Vec::new() })
    };
    Ok(chains.iter().map(record).collect())
}
