//! `gainsay fusion fuse`: fuses two scripts with the same status into scripts with that status.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use gainsay_engine::campaign::chain::panic_message;
use gainsay_engine::campaign::plan::{FusionPlan, SizeBounds};
use gainsay_engine::prepare::Preparation;
use gainsay_engine::random::RandomStream;
use gainsay_engine::seeds;
use gainsay_engine::solver::run::Answer;
use gainsay_engine::strategy::operators::Operators;
use gainsay_engine::strategy::value::ConstantSource;
use gainsay_engine::strategy::{self, CaseBounds, Parent, Proposal, Skip, StrategySettings};
use gainsay_smt::{Script, Signature};

use crate::case_files::{CaseFolder, CaseOrigin};
use crate::exit::{InternalBug, NoOutput, UsageError};
use crate::json;
use crate::json::making::MadeCases;
use crate::overwrite::ForceArgs;
use crate::{campaign_setup, console, script};

const FUSION_FUSE_EXAMPLES: &str = "Examples:
  gainsay fusion fuse a.smt2 b.smt2 --expect sat                       one script, to standard output
  gainsay fusion fuse a.smt2 b.smt2 --expect unsat -n 100 --out cases  DIR/000001.smt2 …, each with a .json
  gainsay fusion fuse a.smt2 b.smt2 --expect sat --size 10,20 --rng-seed 7
  gainsay fusion fuse a.smt2 b.smt2 --expect sat --functions fusion_functions.txt

Both scripts must have that answer; every fused script then has it, too.";

/// Arguments of `gainsay fusion fuse`.
#[derive(Debug, Args)]
#[command(after_help = FUSION_FUSE_EXAMPLES)]
pub struct FuseArgs {
    /// A script.
    first: PathBuf,
    /// Another script.
    second: PathBuf,
    /// The answer of both scripts.
    #[arg(long, value_name = "ANSWER")]
    expect: ParentStatus,
    /// Number of scripts.
    #[arg(short = 'n', long = "cases", default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    cases: u64,
    /// The random seed.
    #[arg(long, default_value_t = 0, value_name = "N")]
    rng_seed: u64,
    /// Files of fusion functions, in gainsay's or yinyang's notation [default: the built-in functions].
    #[arg(long, num_args = 1.., value_name = "FILE")]
    functions: Vec<PathBuf>,
    /// Sizes of composed fusion functions, in functions; 1 is a single function [default: 1].
    #[arg(long = "function-size", alias = "size", value_delimiter = ',', value_name = "N")]
    sizes: Vec<usize>,
    /// A folder for the scripts [default: standard output].
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// Print one JSON object as the last line: cases, skipped.
    #[arg(long)]
    json: bool,
}

/// The answer of both scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ParentStatus {
    Sat,
    Unsat,
}

impl ParentStatus {
    fn answer(self) -> Answer {
        match self {
            ParentStatus::Sat => Answer::Sat,
            ParentStatus::Unsat => Answer::Unsat,
        }
    }
}

/// Runs the command.
pub fn run(args: &FuseArgs) -> anyhow::Result<ExitCode> {
    let signature = Signature::standard();
    let expected = args.expect.answer();
    let scripts = [read(&args.first, expected, &signature)?, read(&args.second, expected, &signature)?];
    let bounds = SizeBounds::default();
    let fusion = FusionPlan { functions: args.functions.clone(), sizes: args.sizes.clone() };
    let fusion = campaign_setup::fusion_kit(&fusion, &signature, &[])?;
    let bounds = CaseBounds { bytes: bounds.case_bytes, depth: bounds.depth };
    let settings = StrategySettings {
        bounds,
        operators: Operators::standard(&signature),
        fusion,
        values: ConstantSource::Random,
        scope: gainsay_engine::strategy::ScopeChoice::default(),
        formats: Default::default(),
        enumerations: Default::default(),
    };
    let folder = args.out.as_deref().map(|folder| CaseFolder::create(folder, args.force)).transpose()?;
    let parents = [&scripts[0], &scripts[1]].map(|script| Parent::new(script, Some(expected)));
    let (mut made, mut last) = (0, None);
    for case in 0..args.cases {
        match propose(&parents, &settings, &RandomStream::new(args.rng_seed).child("case", case))? {
            Ok(proposal) => {
                made += 1;
                put(args, folder.as_ref(), case, &proposal)?;
            }
            Err(skip) => last = Some(skip),
        }
    }
    if let (0, Some(skip)) = (made, last) {
        let (first, second) = (args.first.display(), args.second.display());
        return Err(UsageError(format!("{first} and {second} cannot be fused: {}", skip.name())).into());
    }
    finish(args, made);
    Ok(ExitCode::SUCCESS)
}

/// Fuses the parents and parses the result again: any difference is a bug in gainsay.
fn propose(
    parents: &[Parent<'_>],
    settings: &StrategySettings,
    stream: &RandomStream,
) -> Result<Result<Proposal, Skip>, InternalBug> {
    let fusion = strategy::find("fusion").expect("fusion is a strategy");
    let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        fusion.propose(parents, settings, &mut stream.rng())
    }));
    let made = made.map_err(|panic| InternalBug(format!("fusion panicked: {}", panic_message(&*panic))))?;
    if let Ok(proposal) = &made {
        let text = proposal.script.to_string();
        let read = Script::parse(&text, proposal.script.arena().signature());
        match read {
            Ok(read) if read == proposal.script => {}
            Ok(_) => {
                return Err(InternalBug(format!("the printed script differs from the fused one:\n{text}")));
            }
            Err(error) => return Err(InternalBug(format!("{error}:\n{text}"))),
        }
    }
    Ok(made)
}

/// Reads a script; its own status must not contradict the answer.
fn read(path: &Path, expected: Answer, signature: &Arc<Signature>) -> anyhow::Result<Script> {
    let bytes = script::bytes(path)?;
    let shown = path.display();
    let text = gainsay_smt::decode(&bytes).map_err(|error| UsageError(format!("{shown}: {error}")))?;
    let script = Script::parse(&text, signature)
        .map_err(|error| UsageError(format!("{shown}:{error}\n{}", error.snippet())))?;
    match seeds::status(&script, path) {
        Some(status) if status != expected => Err(UsageError(format!(
            "{shown} has status {} (by :status or its folder), not {}",
            status.name(),
            expected.name()
        ))
        .into()),
        _ => Ok(script),
    }
}

/// Writes or prints a script, with a logic that contains it.
fn put(
    args: &FuseArgs,
    folder: Option<&CaseFolder<'_>>,
    case: u64,
    proposal: &Proposal,
) -> Result<(), NoOutput> {
    let text = Preparation::standard(&proposal.script, &proposal.script.to_string());
    let Some(folder) = folder else {
        if !args.json {
            console::out(format_args!("; {}\n{text}", proposal.step));
        }
        return Ok(());
    };
    let promise = proposal.promise.answer().map_or("none", Answer::name);
    let parents = [&args.first, &args.second].map(|path| path.display().to_string()).to_vec();
    folder.write(
        case,
        &text,
        &CaseOrigin { strategy: "fusion", parents, step: proposal.step.to_string(), promise },
    )
}

fn finish(args: &FuseArgs, made: u64) {
    let skipped = args.cases - made;
    if args.json {
        json::print(&MadeCases {
            cases: made,
            skipped,
            cpu_seconds: None,
            skipped_by_reason: BTreeMap::new(),
        });
    } else if let Some(folder) = &args.out {
        console::out(format_args!("{made} scripts in {}, {skipped} skipped", folder.display()));
    }
}
