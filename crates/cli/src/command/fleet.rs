//! `gainsay fleet slurm|kubernetes PLAN`: writes the files by which an engine that is there already runs the shards of a campaign.
//!
//! gainsay schedules nothing by itself. Every engine runs the same script (`fleet/shard.sh`) once for each shard, and restarts those that were stopped or killed; a
//! last job joins the shards. The plan is copied with its random seed, so that all shards have the same one.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use gainsay_engine::campaign::plan::CampaignPlan;
use gainsay_engine::time_span;

use crate::command::fuzz::plan;
use crate::console;
use crate::environment::Environment;
use crate::exit::{NoOutput, UsageError};

mod kubernetes;
mod slurm;
mod yaml;

/// The script that runs a shard.
const SHARD_SCRIPT: &str = include_str!("fleet/shard.sh");
/// Megabytes for gainsay itself, beside those of the solvers.
const OWN_MEGABYTES: u64 = 1024;
/// The least time between two copies: a shard must come to its first case before it is stopped for a copy.
const MIN_CHECKPOINT_SECONDS: f64 = 60.0;
/// The exit code of the script if a shard was told to stop.
const STOPPED_CODE: u8 = 75;

/// Arguments of `gainsay fleet`.
#[derive(Debug, Args)]
pub struct FleetArgs {
    #[command(subcommand)]
    engine: FleetEngine,
}

/// An engine that runs the shards.
#[derive(Debug, Subcommand)]
enum FleetEngine {
    /// Write a Slurm job array, and a job that joins and triages its shards.
    Slurm(slurm::SlurmArgs),
    /// Write a Kubernetes Indexed Job with its ConfigMap and PodDisruptionBudget, and a job that joins and triages its shards.
    Kubernetes(kubernetes::KubernetesArgs),
}

/// What all engines need to know.
#[derive(Debug, Args)]
pub struct FleetSize {
    /// The campaign file.
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// Number of shards.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    shards: u64,
    /// Number of cases that a shard runs in parallel, and of CPUs that it asks for [default: `jobs` of the plan].
    #[arg(long, short, value_name = "N")]
    jobs: Option<usize>,
    /// Memory that a shard asks for, in megabytes [default: `limits.memory` for each of its jobs, and 1024].
    #[arg(long, value_name = "MB")]
    job_memory: Option<u64>,
    /// Time between two copies of a shard's records from the machine to the fleet's folder, at least 1m: 90s, 10m.
    #[arg(long, value_name = "TIME", default_value = "30m", value_parser = time_span::read)]
    checkpoint: f64,
}

/// A campaign to be divided.
struct Fleet {
    plan: CampaignPlan,
    jobs: usize,
    megabytes: u64,
}

/// Runs the command.
pub fn run(args: &FleetArgs) -> anyhow::Result<ExitCode> {
    match &args.engine {
        FleetEngine::Slurm(args) => slurm::run(args),
        FleetEngine::Kubernetes(args) => kubernetes::run(args),
    }
}

impl FleetSize {
    /// Reads the plan, and fixes what all shards must have in common.
    fn fleet(&self) -> anyhow::Result<Fleet> {
        let environment = Environment::read()?;
        let mut plan = plan::for_fleet(&self.plan, &environment)?;
        if plan.budget.cases.is_none() && plan.budget.seconds.is_none() {
            return Err(usage(format!(
                "{} has no budget, and its shards would never end; add `cases` or `time` to its section [budget]",
                self.plan.display()
            )));
        }
        for name in plan.panel().iter().filter(|name| name.contains("@latest")) {
            console::err(format_args!(
                "gainsay: {name} may be different releases on different machines, whose shards cannot be joined; name a release"
            ));
        }
        let jobs = self.jobs.unwrap_or(plan.jobs).max(1);
        (plan.jobs, plan.shard) = (jobs, None);
        plan.check(&environment.profiles).map_err(|error| UsageError(error.to_string()))?;
        let megabytes = self.job_memory.unwrap_or(plan.limits.memory * jobs as u64 + OWN_MEGABYTES);
        Ok(Fleet { plan, jobs, megabytes })
    }

    /// The name of the campaign: that of its file, as engines accept it: small letters, digits and hyphens.
    fn name(&self) -> String {
        let stem = self.plan.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
        let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
        let name: String = stem.chars().map(letter).take(40).collect();
        let name = name.trim_matches('-');
        if name.is_empty() { "gainsay".to_owned() } else { format!("gainsay-{name}") }
    }

    fn checkpoint_seconds(&self) -> u64 {
        self.checkpoint.max(MIN_CHECKPOINT_SECONDS).ceil() as u64
    }
}

fn usage(message: impl Into<String>) -> anyhow::Error {
    UsageError(message.into()).into()
}

/// Writes a file into a new folder.
fn write(path: &Path, text: &str) -> Result<(), NoOutput> {
    let no_output = |source| NoOutput { path: path.to_owned(), source };
    path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(no_output)?;
    std::fs::write(path, text).map_err(no_output)
}

/// Fails if there is something in the folder of a new fleet.
fn check_new(folder: &Path) -> anyhow::Result<()> {
    let is_empty = std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
    if folder.symlink_metadata().is_ok() && !is_empty {
        let shown = folder.display();
        return Err(usage(format!(
            "{shown} already exists, perhaps with a running fleet; name another folder with --out"
        )));
    }
    Ok(())
}
