//! Workers that reach the store through a pool of connections: a real pgbouncer in transaction mode, with fewer connections than workers.
//!
//! Without PostgreSQL or pgbouncer this test says so, and tests nothing.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "../../engine/tests/support/postgres.rs"]
mod postgres;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use fake_solver::shard_campaign::{EVENTFUL_DIRECTIVES, shard_campaign};
use gainsay_engine::event::Stop;
use gainsay_engine::store::Store;
use gainsay_engine::store::memory::MemoryStore;
use gainsay_engine::store::postgres::{Postgres, StoreAddress};
use postgres::TemporaryServer;

const FAKE_SOLVER: &str = env!("CARGO_BIN_EXE_fake-solver");
/// Where Debian installs it.
const POOL_PROGRAM: &str = "/usr/sbin/pgbouncer";
const POOL_PORT: u16 = 6543;

/// A pool of two connections to a server; it ends with this value.
struct ConnectionPool<'a>(&'a TemporaryServer);

impl<'a> ConnectionPool<'a> {
    fn start(server: &'a TemporaryServer) -> ConnectionPool<'a> {
        let settings = format!(
            "[databases]\n* = host={folder} user=gainsay\n[pgbouncer]\nlisten_addr =\nlisten_port = {POOL_PORT}\n\
             unix_socket_dir = {folder}\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 2\n\
             logfile = {folder}/pool.log\npidfile = {folder}/pool.pid\n",
            folder = server.folder().display()
        );
        server.write_private("pool.ini", settings.as_bytes());
        server.run(POOL_PROGRAM, &["-q", "-d", "pool.ini"]);
        ConnectionPool(server)
    }

    fn address(&self, name: &str) -> StoreAddress {
        drop(self.0.database(name));
        let text = self.0.address(name).replace(&format!("/{name}"), &format!(":{POOL_PORT}/{name}"));
        StoreAddress::read(&text, &|_| None).unwrap()
    }
}

impl Drop for ConnectionPool<'_> {
    fn drop(&mut self) {
        self.0.run("/bin/sh", &["-c", "kill $(cat pool.pid)"]);
    }
}

/// The cases of a campaign, skipped ones, and for each finding the cases that showed it.
fn essence(store: &dyn Store) -> (u64, u64, BTreeMap<String, Vec<u64>>) {
    let tally = store.standing().unwrap().tally;
    let found = store.findings().unwrap().into_iter();
    let sighted = |fingerprint: String| (fingerprint.clone(), store.sightings(&fingerprint).unwrap());
    (tally.cases, tally.skipped_in_all(), found.map(|found| sighted(found.fingerprint)).collect())
}

#[test]
fn workers_behind_a_pool_of_connections_make_the_campaign_of_one_process() {
    if !Path::new(POOL_PROGRAM).exists() {
        eprintln!("not run, for want of pgbouncer (.ci/packages installs it): a pool of connections");
        return;
    }
    let Some(server) = TemporaryServer::shared() else { return };
    let pool = ConnectionPool::start(server);
    let address = pool.address("pooled");
    let campaign = || shard_campaign(FAKE_SOLVER, None, "uniform", EVENTFUL_DIRECTIVES);
    std::thread::scope(|scope| {
        for number in 0..4 {
            let address = &address;
            scope.spawn(move || {
                let mut store = Postgres::enter(address, "").unwrap();
                store.join(&number.to_string(), Duration::from_secs(3600)).unwrap();
                assert_eq!(campaign().run(&mut store).0, Stop::Cases);
                store.leave().unwrap();
            });
        }
    });
    let mut whole = MemoryStore::new("");
    campaign().run(&mut whole);
    assert_eq!(essence(&Postgres::open(&address).unwrap()), essence(&whole));
    let connections = "select count(*) from pg_stat_activity where datname = 'pooled'";
    let connections: u32 = server.sql("postgres", connections).trim().parse().unwrap();
    assert!((1..=2).contains(&connections), "{connections} connections: the pool was not used");
}
