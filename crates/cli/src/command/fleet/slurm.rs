//! `gainsay fleet slurm PLAN`: a job array with a task for each shard, and the job that joins them.
//!
//! Slurm sends SIGTERM some minutes before the time limit; the script then copies the shard's records and asks to be queued again. The job that joins the shards
//! depends on the end of the array, however its tasks end: a shard that failed is joined as far as it came. Paths stand in the bodies of the scripts, where they can
//! be quoted, and never in `#SBATCH` lines.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Args;
use gainsay_engine::store::origin::shell;
use gainsay_engine::time_span;

use super::{Fleet, FleetSize, SHARD_SCRIPT, STOPPED_CODE, check_new, usage, write};
use crate::console;
use crate::exit::NoCommand;
use crate::json;
use crate::json::campaigns::WrittenFleet;
use crate::report::print;

const SLURM_EXAMPLES: &str = "Examples:
  gainsay fleet slurm nightly.toml --shards 20 --out /shared/nightly
  gainsay fleet slurm nightly.toml --shards 200 --job-time 8h --sbatch --partition=long --sbatch --account=smt --submit

--out and the seeds must be on a disk that all machines share. The folder gets the plan, the scripts, a log for each shard,
the records of the shards (shards/1, shards/2, …), and after the last one the joined campaign (merged) with its triage. A shard
that reaches --job-time, or whose machine fails, is queued again and goes on from its last copy. docs/fleet.md has more.";

/// The longest time between the signal and the end of a job, in seconds.
const MAX_GRACE_SECONDS: u64 = 300;

/// Arguments of `gainsay fleet slurm`.
#[derive(Debug, Args)]
#[command(after_help = SLURM_EXAMPLES)]
pub struct SlurmArgs {
    #[command(flatten)]
    size: FleetSize,
    /// The new folder of the fleet, on a disk that all machines share [default: the name of the plan].
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Time limit of each job, after which a shard is queued again: 10m, 8h.
    #[arg(long, value_name = "TIME", default_value = "4h", value_parser = time_span::read)]
    job_time: f64,
    /// The local disk of the machines [default: $SLURM_TMPDIR, $TMPDIR or /tmp, as they are there].
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// Another option of sbatch for all jobs (repeated): --partition=long.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    sbatch: Vec<String>,
    /// Submit the jobs.
    #[arg(long)]
    submit: bool,
    /// Print one JSON object as the last line.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &SlurmArgs) -> anyhow::Result<ExitCode> {
    if let Some(option) = args.sbatch.iter().find(|option| option.contains(char::is_control)) {
        return Err(usage(format!("--sbatch {option:?} must be one line")));
    }
    let mut fleet = args.size.fleet()?;
    for path in fleet.plan.paths() {
        *path = std::path::absolute(&*path)?;
    }
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from(args.size.name()));
    check_new(&out)?;
    let out = std::path::absolute(out)?;
    let gainsay = std::env::current_exe()?;
    write(&out.join("plan.toml"), &fleet.plan.to_toml())?;
    write(&out.join("shard.sh"), SHARD_SCRIPT)?;
    write(&out.join("shards.sbatch"), &array_script(args, &fleet, (&out, &gainsay)))?;
    write(&out.join("merge.sbatch"), &merge_script(args, &fleet, (&out, &gainsay)))?;
    std::fs::create_dir_all(out.join("logs"))?;
    let jobs = if args.submit { Some(submit(&out)?) } else { None };
    print(&told(args, &out, jobs.as_ref()))?;
    Ok(ExitCode::SUCCESS)
}

/// The lines that all jobs begin with.
fn head(args: &SlurmArgs, fleet: &Fleet, what: &str) -> String {
    let more: String = args.sbatch.iter().map(|option| format!("#SBATCH {option}\n")).collect();
    format!(
        "#!/bin/sh\n#SBATCH --job-name={name}-{what}\n#SBATCH --time={minutes}\n#SBATCH --requeue\n#SBATCH --nodes=1\n#SBATCH --ntasks=1\n\
         #SBATCH --cpus-per-task={cpus}\n#SBATCH --mem={megabytes}M\n#SBATCH --output=/dev/null\n{more}",
        name = args.size.name(),
        minutes = (args.job_time / 60.0).ceil().max(1.0) as u64,
        cpus = fleet.jobs,
        megabytes = fleet.megabytes,
    )
}

fn array_script(args: &SlurmArgs, fleet: &Fleet, (out, gainsay): (&Path, &Path)) -> String {
    let quoted = |path: &Path| shell(&path.display().to_string());
    let scratch = match &args.scratch {
        Some(folder) => quoted(folder),
        None => "\"${SLURM_TMPDIR:-${TMPDIR:-/tmp}}\"".to_owned(),
    };
    format!(
        "{head}#SBATCH --array=1-{shards}\n#SBATCH --signal=B:TERM@{grace}\n\
         fleet={out}\n\
         exec >>\"$fleet/logs/shard-$SLURM_ARRAY_TASK_ID.log\" 2>&1\n\
         # The shell that Slurm signals must be the script itself, and must not wait for another program.\n\
         stop() {{ kill -TERM \"$pid\" 2>/dev/null; }}\n\
         sh \"$fleet/shard.sh\" {gainsay} \"$fleet/plan.toml\" \"$fleet\" \"$SLURM_ARRAY_TASK_ID\" {shards} {scratch} {seconds} &\n\
         pid=$!\n\
         trap stop TERM INT\n\
         wait \"$pid\"\n\
         code=$?\n\
         while kill -0 \"$pid\" 2>/dev/null; do wait \"$pid\"; code=$?; done\n\
         if [ \"$code\" -eq {STOPPED_CODE} ]; then scontrol requeue \"${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID\"; fi\n\
         exit \"$code\"\n",
        head = head(args, fleet, "shards"),
        shards = args.size.shards,
        grace = grace_seconds(args.job_time),
        out = quoted(out),
        gainsay = quoted(gainsay),
        seconds = args.size.checkpoint_seconds(),
    )
}

/// The time before the limit at which a shard is told to stop: it finishes its running cases and copies its records.
fn grace_seconds(job_time: f64) -> u64 {
    MAX_GRACE_SECONDS.min((job_time / 4.0) as u64).max(1)
}

fn merge_script(args: &SlurmArgs, fleet: &Fleet, (out, gainsay): (&Path, &Path)) -> String {
    let quoted = |path: &Path| shell(&path.display().to_string());
    format!(
        "{head}fleet={out}\n\
         exec >>\"$fleet/logs/merge.log\" 2>&1\n\
         if [ ! -e \"$fleet/merged\" ]; then {gainsay} merge \"$fleet/merged\" \"$fleet\"/shards/*/ || exit; fi\n\
         {gainsay} triage \"$fleet/merged\"\n",
        head = head(args, fleet, "merge"),
        out = quoted(out),
        gainsay = quoted(gainsay),
    )
}

/// Submits the array and the job that depends on it; returns their numbers.
fn submit(out: &Path) -> anyhow::Result<(String, String)> {
    let array = sbatch(&[], &out.join("shards.sbatch"))?;
    let merge = sbatch(&[format!("--dependency=afterany:{array}")], &out.join("merge.sbatch"))?;
    Ok((array, merge))
}

fn sbatch(options: &[String], script: &Path) -> anyhow::Result<String> {
    let failed = |why: String| NoCommand { program: "sbatch".to_owned(), why };
    let output = Command::new("sbatch")
        .arg("--parsable")
        .args(options)
        .arg(script)
        .output()
        .map_err(|error| failed(error.to_string()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    // With several clusters, the name of the cluster follows.
    let number = text.trim().split(';').next().unwrap_or_default().to_owned();
    if !output.status.success() || number.is_empty() {
        let said = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
        return Err(failed(console::harmless(&said).into_owned()).into());
    }
    Ok(number)
}

/// What the user reads at the end.
fn told(args: &SlurmArgs, out: &Path, jobs: Option<&(String, String)>) -> String {
    let folder = out.display().to_string();
    if args.json {
        let (array, merge) = jobs.cloned().unzip();
        let (name, shards) = (args.size.name(), args.size.shards);
        return json::line(&WrittenFleet { folder: out.to_owned(), name, shards, array, merge }) + "\n";
    }
    let place = |file: &str| shell(&out.join(file).display().to_string());
    let what = format!("wrote {} for {} shards to {}\n", "a job array", args.size.shards, shell(&folder));
    what + &match jobs {
        Some((array, merge)) => format!(
            "submitted the shards as job {array}, and the join as job {merge}\nresult: {}; progress: squeue, and {}\n",
            place("merged"),
            place("logs")
        ),
        None => format!(
            "submit: array=$(sbatch --parsable {}) && sbatch --dependency=afterany:$array {}\n",
            place("shards.sbatch"),
            place("merge.sbatch")
        ),
    }
}
