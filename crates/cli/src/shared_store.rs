//! A campaign in a store that several processes share: enters it, works in sessions, and begins another session whenever the
//! connection or a lease is lost.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gainsay_engine::campaign::plan::CampaignPlan;
use gainsay_engine::campaign::{Campaign, CampaignError, Listener};
use gainsay_engine::event::{Event, Stop};
use gainsay_engine::merge::plan_differences;
use gainsay_engine::store::postgres::{Postgres, StoreAddress};
use gainsay_engine::store::{Store, StoreError};
use gainsay_engine::tally::Tally;

use crate::console;
use crate::environment::Environment;
use crate::exit::UsageError;

/// How long a worker waits for a server that cannot be reached.
const SERVER_PATIENCE: Duration = Duration::from_secs(600);
/// Time between two attempts to reach it.
const RECONNECT_INTERVAL: Duration = Duration::from_millis(500);
/// The least time of a lease: a worker must be able to renew it under load.
const MIN_LEASE_SECONDS: f64 = 1.0;

/// A campaign in a shared store.
#[derive(Debug, Clone)]
pub struct SharedCampaign {
    /// The address of the store.
    pub address: StoreAddress,
    /// The time of a lease.
    pub lease: Duration,
}

/// Reads the address of a store, completed from the environment.
pub fn address(text: &str, environment: &Environment) -> Result<StoreAddress, UsageError> {
    StoreAddress::read(text, &|name| environment.variables.get(name).cloned()).map_err(UsageError)
}

/// Reads the time of a lease.
pub fn lease_time(seconds: f64) -> Result<Duration, UsageError> {
    match seconds >= MIN_LEASE_SECONDS {
        true => Ok(Duration::from_secs_f64(seconds)),
        false => Err(UsageError(format!("--lease: a lease takes at least {MIN_LEASE_SECONDS} s"))),
    }
}

impl SharedCampaign {
    /// Opens the campaign of the store, or begins one with this plan if the store is empty. Returns an error if the store holds another plan.
    pub fn enter(&self, plan: &CampaignPlan) -> anyhow::Result<Postgres> {
        check_shareable(plan)?;
        let mut store = Postgres::enter(&self.address, &plan.to_toml())?;
        let known =
            CampaignPlan::read_recorded(&store.plan()?).map_err(|error| UsageError(error.to_string()))?;
        let differences = plan_differences(&known, plan);
        if !differences.is_empty() {
            let (shown, differences) = (store.shown(), differences.join("; "));
            return Err(UsageError(format!(
                "the store {shown} holds a campaign with another plan: {differences}; use another database, or `gainsay work`"
            ))
            .into());
        }
        store.join(&worker_name(), self.lease)?;
        Ok(store)
    }

    /// The folders for findings that the store does not take.
    pub fn rescue_folders(&self) -> Vec<PathBuf> {
        let name = self.address.shown().rsplit('/').next().unwrap_or_default();
        let name = format!("{}-rescued", if name.is_empty() { "gainsay" } else { name });
        vec![PathBuf::from(&name), std::env::temp_dir().join(&name)]
    }
}

/// A shard cannot be divided further.
fn check_shareable(plan: &CampaignPlan) -> Result<(), UsageError> {
    match plan.shard {
        None => Ok(()),
        Some(_) => Err(UsageError(
            "this plan cannot be worked on by several processes; a shard is a part of the campaign already: remove --shard"
                .to_owned(),
        )),
    }
}

/// The name of this process among the workers.
fn worker_name() -> String {
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    format!("{}:{}", machine.trim(), std::process::id())
}

/// Works on a campaign until it ends, in as many sessions as it takes.
pub fn work(
    campaign: &Campaign,
    store: &mut Postgres,
    listener: &mut Listener<'_>,
    stop: &AtomicBool,
) -> Result<Stop, CampaignError> {
    loop {
        let mut told = |event: &Event, tally: &Tally| listener(event, tally);
        let why = match campaign.run(store, &mut told, stop) {
            Ok(Stop::Session(why)) => why,
            Err(CampaignError::Store(error)) if error.is_passing() => error.to_string(),
            ended => {
                // Chains that are not given back are free when their leases have run out.
                let _ = store.leave();
                return ended;
            }
        };
        console::progress(format_args!("gainsay: {why}; beginning a new session"));
        if !begin_again(store, stop)? {
            return Ok(Stop::Interrupted);
        }
    }
}

/// Begins a new session as soon as the server can be reached; false if the user asks to stop meanwhile.
fn begin_again(store: &mut Postgres, stop: &AtomicBool) -> Result<bool, StoreError> {
    let start = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        match store.rejoin() {
            Ok(()) => return Ok(true),
            Err(error) if error.is_passing() && start.elapsed() < SERVER_PATIENCE => {
                std::thread::sleep(RECONNECT_INTERVAL);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}
