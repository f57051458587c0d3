//! `gainsay work --store ADDRESS`: works on the campaign in a shared store, with any number of other workers.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use gainsay_engine::campaign::plan::CampaignPlan;
use gainsay_engine::store::Store;
use gainsay_engine::store::postgres::Postgres;
use gainsay_engine::time_span;

use crate::campaign_run::{self, CampaignRun, DisplayMode};
use crate::command::fuzz::plan::default_jobs;
use crate::console;
use crate::environment::{Environment, SandboxArgs};
use crate::exit::UsageError;
use crate::shared_store::{self, SharedCampaign};

const WORK_EXAMPLES: &str = "Examples:
  gainsay fuzz nightly.toml --store postgres://fuzz@db.example/nightly     begin a campaign, and work on it
  gainsay work --store postgres://fuzz@db.example/nightly                  work on it from another machine
  gainsay work --store postgres://fuzz@db.example/nightly --seeds /scratch/seeds --jobs 32
  gainsay merge nightly postgres://fuzz@db.example/nightly                 copy its records to a folder

A worker takes leases on chains of cases. A worker that vanishes loses its leases, and others make its cases again. Stop a worker
with Ctrl-C: it finishes its running cases and gives its chains back. Passwords come from PGPASSFILE, a service file
(PGSERVICE) or PGPASSWORD, as for other clients of PostgreSQL. docs/fleet.md tells more.";

/// Arguments of `gainsay work`.
#[derive(Debug, Args)]
#[command(after_help = WORK_EXAMPLES)]
pub struct WorkArgs {
    /// The address of the store: postgres://USER@HOST/DATABASE.
    #[arg(long, value_name = "STORE")]
    store: String,
    /// The seeds on this machine, if they are elsewhere than the plan says; their texts must be those of the campaign.
    #[arg(long, num_args = 1.., value_name = "PATH")]
    seeds: Vec<PathBuf>,
    /// Number of cases to run in parallel [default: one per core].
    #[arg(long, short, value_name = "N")]
    jobs: Option<usize>,
    /// Time after which other workers may take over the chains of a worker that has vanished: 60s, 2m.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = time_span::read)]
    lease: f64,
    /// Print one event per line as JSON, and the totals as the last line.
    #[arg(long)]
    json: bool,
    /// Print plain lines, even on a terminal.
    #[arg(long)]
    plain: bool,
    #[command(flatten)]
    sandbox: SandboxArgs,
}

/// Runs the command.
pub fn run(args: &WorkArgs) -> anyhow::Result<ExitCode> {
    let environment = Environment::read()?.with_sandbox(args.sandbox);
    let address = shared_store::address(&args.store, &environment)?;
    let store = Postgres::open(&address)?;
    let mut plan =
        CampaignPlan::read_recorded(&store.plan()?).map_err(|error| UsageError(error.to_string()))?;
    // The campaign has a connection of its own.
    drop(store);
    plan.jobs = args.jobs.unwrap_or_else(|| default_jobs(plan.panel().len()));
    if !args.seeds.is_empty() {
        plan.seeds.clone_from(&args.seeds);
    }
    plan.check(&environment.profiles).map_err(|error| UsageError(error.to_string()))?;
    let show = match () {
        () if args.json => DisplayMode::Json,
        () if console::is_quiet() => DisplayMode::Silent,
        () if args.plain => DisplayMode::Lines,
        () => DisplayMode::Best,
    };
    let shared = SharedCampaign { address, lease: shared_store::lease_time(args.lease)? };
    campaign_run::run(CampaignRun::shared(plan, shared).with_recorded_plan(), &environment, show, None)
}
