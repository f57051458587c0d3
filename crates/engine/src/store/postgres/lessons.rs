//! What workers have learnt, in a shared store: behaviours of solvers, arms, weights of mutations, the code that was reached, and the queue of scripts that
//! reached new code.
//!
//! Arms and weights are one row for each session, with the lessons of that session alone, so that sums count nothing twice. The code that was reached and the queue
//! are one for all: a worker joins what it knows with what is there.

use std::collections::BTreeMap;

use super::link::ServerLink;
use super::packed_json;
use super::reading::{self, inflated, integer, number, starts, text, unpacked};
use super::writing::deflated;
use crate::event::CaseNumber;
use crate::solver::trace::Identity;
use crate::store::{Batch, Lessons, MAX_QUEUED_SCRIPTS, QueueRecord, SharedLessons, StoreError};
use crate::tally::{CoverageTally, GrowthPoint};

/// The least time between two points of growth, as a share of the campaign's time, and in seconds.
const GROWTH_INTERVAL: (f64, f64) = (0.005, 1.0);

/// Writes the behaviours of solvers in a batch; returns how many of them another worker has recorded before.
pub fn write_seen(link: &mut ServerLink, batch: &Batch) -> Result<u64, StoreError> {
    if batch.seen.is_empty() {
        return Ok(0);
    }
    let mut seen: Vec<String> = batch.seen.iter().map(ToString::to_string).collect();
    seen.sort();
    let insert = "insert into traces (identity) select unnest($1::text[]) on conflict do nothing";
    let new = link.change(insert, &[&seen])?;
    Ok((seen.len() as u64).saturating_sub(new))
}

/// Writes the other lessons of a batch; `worker` is the session that has made it, if any.
pub fn write_lessons(link: &mut ServerLink, batch: &Batch, worker: Option<i64>) -> Result<(), StoreError> {
    let (schedule, weights) = (batch.schedule.as_deref(), batch.weights.as_deref());
    match worker {
        Some(worker) if schedule.or(weights).is_some() => {
            let write = "insert into learnt (worker, schedule, weights) values ($1, $2, $3)
                on conflict (worker) do update set schedule = excluded.schedule, weights = excluded.weights";
            let bytes = |text: Option<&str>| text.unwrap_or_default().as_bytes().to_vec();
            link.change(write, &[&worker, &bytes(schedule), &bytes(weights)])?;
        }
        Some(_) => {}
        None => {
            let bytes = |text: Option<&str>| text.map(|text| text.as_bytes().to_vec());
            let write =
                "update campaign set schedule = coalesce($1, schedule), weights = coalesce($2, weights)";
            if schedule.or(weights).is_some() {
                link.change(write, &[&bytes(schedule), &bytes(weights)])?;
            }
        }
    }
    write_queue(link, &batch.queued, &batch.queue_uses)
}

/// Adds scripts to the queue, and counts the chains that started from them. When it is full, the script that most chains started from goes.
fn write_queue(link: &mut ServerLink, queued: &[QueueRecord], uses: &[CaseNumber]) -> Result<(), StoreError> {
    if queued.is_empty() && uses.is_empty() {
        return Ok(());
    }
    // Two workers that change several rows in different order would wait for each other.
    link.run("lock table queue in exclusive mode")?;
    for record in queued {
        let insert = "insert into queue values ($1, $2, $3) on conflict do nothing";
        link.change(insert, &[&integer(record.case), &integer(record.chains), &deflated(&record.script)])?;
    }
    for case in uses {
        link.change("update queue set chains = chains + 1 where number = $1", &[&integer(*case)])?;
    }
    let bound = "delete from queue where number in
        (select number from queue order by chains, number desc offset $1)";
    link.change(bound, &[&integer(MAX_QUEUED_SCRIPTS as u64)]).map(drop)
}

/// Joins code that a worker has reached with what is recorded, `seconds` into the campaign. The first worker decides which build of a solver counts: sites of
/// another one mean something else.
pub fn write_reached(
    link: &mut ServerLink,
    coverage: &[(&String, &CoverageTally)],
    seconds: f64,
) -> Result<(), StoreError> {
    for (solver, own) in coverage {
        let insert = "insert into reached values ($1, $2) on conflict do nothing";
        if link.change(insert, &[&solver.as_bytes(), &packed_coverage(own)])? == 1 {
            continue;
        }
        let select = "select record from reached where solver = $1 for update";
        let row = link.row(select, &[&solver.as_bytes()])?;
        let mut known = unpacked_coverage(link, row.get(0))?;
        let before = known.summary.sites_reached;
        if (known.level, known.summary.sites) != (own.level, own.summary.sites) {
            continue;
        }
        known.add(own);
        if known.summary.sites_reached > before {
            grow(link, &mut known, seconds)?;
            let update = "update reached set record = $2 where solver = $1";
            link.change(update, &[&solver.as_bytes(), &packed_coverage(&known)])?;
        }
    }
    Ok(())
}

/// Adds a point to the growth of what all workers have reached, or moves the last one if it is new.
fn grow(link: &mut ServerLink, known: &mut CoverageTally, seconds: f64) -> Result<(), StoreError> {
    let reached = known.summary.sites_reached;
    let (share, least) = GROWTH_INTERVAL;
    match known.growth.last_mut() {
        Some(last) if seconds < last.seconds + (last.seconds * share).max(least) => last.reached = reached,
        _ => {
            let tally = reading::tally(link)?;
            let (cases, solver_cpu) = (tally.cases, tally.solver_cpu());
            known.add_growth(GrowthPoint { cases, solver_cpu, seconds, reached });
        }
    }
    Ok(())
}

fn packed_coverage(known: &CoverageTally) -> Vec<u8> {
    deflated(&String::from_utf8_lossy(&packed_json(known)))
}

fn unpacked_coverage(link: &ServerLink, packed: &[u8]) -> Result<CoverageTally, StoreError> {
    let what = "the code that was reached";
    unpacked(link, inflated(link, packed, what)?.as_bytes(), what)
}

/// The code of each solver that any worker has reached.
pub fn reached(link: &mut ServerLink) -> Result<BTreeMap<String, CoverageTally>, StoreError> {
    let mut found = BTreeMap::new();
    for row in link.rows("select solver, record from reached", &[])? {
        found.insert(text(&row, 0), unpacked_coverage(link, row.get(1))?);
    }
    Ok(found)
}

/// The lessons of the campaign from its runs, and the place up to which behaviours were read.
pub fn lessons(link: &mut ServerLink) -> Result<(Lessons, i64), StoreError> {
    let row = link.row("select weights, schedule from campaign", &[])?;
    let (weights, schedule) = (text(&row, 0), text(&row, 1));
    let (mut seen, read) = seen_after(link, 0)?;
    seen.sort();
    Ok((Lessons { weights, schedule, seen, starts: starts(link, None)? }, read))
}

/// What all sessions but one have learnt, with behaviours after a place, and the place up to which these were read.
pub fn lessons_of_others(
    link: &mut ServerLink,
    but: Option<i64>,
    place: i64,
) -> Result<(SharedLessons, i64), StoreError> {
    let mut others = SharedLessons::default();
    let select = "select schedule, weights from learnt where worker is distinct from $1 order by worker";
    for row in link.rows(select, &[&but])? {
        let (schedule, weights) = (text(&row, 0), text(&row, 1));
        others.schedules.extend((!schedule.is_empty()).then_some(schedule));
        others.weights.extend((!weights.is_empty()).then_some(weights));
    }
    let (seen, read) = seen_after(link, place)?;
    others.seen = seen;
    others.coverage = reached(link)?;
    for row in link.rows("select number, chains, script from queue order by number", &[])? {
        let script = inflated(link, row.get(2), "a script of the queue")?;
        others.queue.push(QueueRecord { case: number(&row, 0), chains: number(&row, 1), script });
    }
    Ok((others, read))
}

/// The behaviours of solvers that were recorded after a place, and the last place. One that is recorded late at a lower place is missed until the next session,
/// and then counts as new twice.
fn seen_after(link: &mut ServerLink, place: i64) -> Result<(Vec<Identity>, i64), StoreError> {
    let (mut seen, mut read) = (Vec::new(), place);
    for row in link.rows("select identity, place from traces where place > $1 order by place", &[&place])? {
        let identity: &str = row.get(0);
        seen.push(identity.parse().map_err(|error| link.unreadable("a trace", error))?);
        read = row.get(1);
    }
    Ok((seen, read))
}
