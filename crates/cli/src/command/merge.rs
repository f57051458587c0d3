//! `gainsay merge OUT DIR…`: joins the shards of a campaign into one campaign, or copies one from a shared store.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::console;
use crate::display::{format, summary};
use crate::environment::Environment;
use crate::json;
use crate::json::campaigns::JoinedCampaign;
use crate::report::print;
use crate::shared_store;
use clap::Args;
use gainsay_engine::merge::{CampaignPart, MergeSummary, merge};
use gainsay_engine::store::Store;
use gainsay_engine::store::postgres::StoreAddress;
use gainsay_engine::store::sqlite::Sqlite;

const MERGE_EXAMPLES: &str = "Examples:
  gainsay merge nightly shard-*                 joins the folders of all shards into the new folder nightly
  gainsay merge week monday tuesday --json      joined campaigns are joined again, if they are parts of one plan
  gainsay merge nightly postgres://fuzz@db.example/nightly       copies the campaign of a shared store as it is now

Counts are added, findings are deduplicated by fingerprint, and samples and coverage are joined. The result is a campaign like
one that a single process ran: go on with `gainsay list`, `report` or `triage`. The parts are only read.

A shard that died is joined as far as it came; `gainsay fuzz --resume --out OUT` makes the cases that are missing. Parts of
different plans are refused, except for `shard`, `jobs` and the place of the seeds. docs/fleet.md shows how to run shards.";

/// Arguments of `gainsay merge`.
#[derive(Debug, Args)]
#[command(after_help = MERGE_EXAMPLES)]
pub struct MergeArgs {
    /// The folder of the joined campaign; it must not exist, or be empty.
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// The folders of the parts, or the address of a shared store.
    #[arg(value_name = "DIR", required = true, num_args = 1..)]
    folders: Vec<PathBuf>,
    /// Print one JSON object as the last line.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &MergeArgs) -> anyhow::Result<ExitCode> {
    let (mut parts, mut left_out) = (Vec::new(), Vec::new());
    for folder in &args.folders {
        if let Some(store) = folder.to_str().filter(|word| StoreAddress::is_address(word)) {
            let address = shared_store::address(store, &Environment::read()?)?;
            parts.push(CampaignPart::open_shared(&address)?);
            continue;
        }
        match CampaignPart::open(folder)? {
            Some(part) => parts.push(part),
            None => left_out.push(folder),
        }
    }
    for folder in &left_out {
        console::err(format_args!("gainsay: {} holds no campaign and was skipped", folder.display()));
    }
    let MergeSummary { parts, missing_cases } = merge(&parts, &args.out)?;
    let store = Sqlite::read(&args.out)?;
    let tally = store.standing()?.tally;
    let (known, new): (Vec<_>, Vec<_>) = store.findings()?.into_iter().partition(|finding| finding.known);
    if args.json {
        json::print(&JoinedCampaign {
            folder: args.out.clone(),
            parts,
            left_out: left_out.into_iter().cloned().collect(),
            cases: tally.cases,
            skipped: tally.skipped_in_all(),
            missing_cases,
            findings: new.len(),
            known: known.len(),
        });
        return Ok(ExitCode::SUCCESS);
    }
    let out = summary::shell_quoted(&args.out);
    let known = if known.is_empty() { String::new() } else { format!(", {} known", known.len()) };
    let mut text = format!(
        "joined {} into {out}: {} and {} skipped, {}{known}\n",
        format::plural(parts as u64, "part"),
        format::plural(tally.cases, "case"),
        format::thousands(tally.skipped_in_all()),
        format::plural(new.len() as u64, "new finding"),
    );
    if let Some(missing) = missing_cases.filter(|missing| *missing > 0) {
        let missing = format::plural(missing, "case");
        text += &format!(
            "the parts lack {missing} of the budget: `gainsay fuzz --resume --out {out}` makes them\n"
        );
    }
    text += &format!("next: gainsay triage {out}\n");
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}
