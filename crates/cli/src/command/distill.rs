//! `gainsay distill SEEDS --solver S`: few scripts that reach the same code as all of them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use gainsay_engine::coverage::distill::{ScriptReach, distill};
use gainsay_engine::coverage::reached::ReachedSites;
use gainsay_engine::coverage::target::Level;
use gainsay_engine::seeds::Seed;
use gainsay_engine::solver::coverage;
use gainsay_engine::solver::runner;

use crate::command::coverage::load;
use crate::coverage_run::{self, CoveredSolverArgs};
use crate::display::format;
use crate::exit::NoOutput;
use crate::json::making::DistilledScripts;
use crate::{console, json};

const DISTILL_EXAMPLES: &str = "Examples:
  gainsay distill corpus --solver z3@5.4.0 --out distilled
  gainsay distill corpus --solver cvc5@1.4.2 --level blocks --timeout 2 > names.txt

Without --out, the chosen scripts are only named, one a line. The choice is greedy: always the script that adds most code, the
shorter one of two that add the same; what later choices make redundant is dropped.";

/// Arguments of `gainsay distill`.
#[derive(Debug, Args)]
#[command(after_help = DISTILL_EXAMPLES)]
pub struct DistillArgs {
    /// Files and folders of scripts.
    #[arg(required = true, value_name = "SEEDS")]
    seeds: Vec<PathBuf>,
    #[command(flatten)]
    covered: CoveredSolverArgs,
    /// What to count: functions, blocks or lines.
    #[arg(long, default_value_t = Level::Functions, value_name = "LEVEL")]
    level: Level,
    /// A folder for copies of the chosen scripts [default: they are only named].
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &DistillArgs) -> anyhow::Result<ExitCode> {
    let seeds = load(&args.seeds)?;
    let setup = args.covered.set_up()?;
    let solver = &setup.solver;
    let target = coverage_run::target(solver, args.level)?;
    let sites =
        setup
            .covered(runner::plain())
            .run_all(&seeds, Some(&coverage::every_run(&target)), |run| run.reached)?;
    let reach = |(seed, sites): (&Seed, Vec<u32>)| ScriptReach { bytes: seed.bytes, sites };
    let scripts: Vec<ScriptReach> = seeds.iter().zip(sites).map(reach).collect();
    let chosen = distill(&scripts);
    let all: ReachedSites = scripts.iter().flat_map(|script| script.sites.iter().copied()).collect();
    if let Some(folder) = &args.out {
        for &number in &chosen {
            copy(&seeds[number], folder)?;
        }
    }
    let bytes = |numbers: &[usize]| numbers.iter().map(|&number| seeds[number].bytes).sum::<u64>();
    if args.json {
        let names: Vec<&str> = chosen.iter().map(|&number| seeds[number].name.as_str()).collect();
        json::print(&DistilledScripts {
            solver: solver.name.to_string(),
            level: args.level,
            scripts: seeds.len(),
            bytes: bytes(&(0..seeds.len()).collect::<Vec<_>>()),
            reached: all.len(),
            chosen: names,
            chosen_bytes: bytes(&chosen),
        });
        return Ok(ExitCode::SUCCESS);
    }
    if args.out.is_none() {
        chosen.iter().for_each(|&number| console::out(&seeds[number].name));
    }
    console::progress(format_args!(
        "chose {} of {}, which together reach the same {} {} of {}",
        chosen.len(),
        format::plural(seeds.len() as u64, "script"),
        all.len(),
        args.level,
        solver.name
    ));
    Ok(ExitCode::SUCCESS)
}

/// Copies a script below a folder, by its name without what would lead out of the folder.
fn copy(seed: &Seed, folder: &Path) -> anyhow::Result<()> {
    let inner: PathBuf = Path::new(&seed.name)
        .components()
        .filter(|part| matches!(part, std::path::Component::Normal(_)))
        .collect();
    let path = folder.join(inner);
    let failed = |source| NoOutput { path: path.clone(), source };
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(failed)?;
    }
    std::fs::copy(&seed.path, &path).map_err(failed)?;
    Ok(())
}
