//! `gainsay replay DIR N`: reproduces a case of a campaign, byte for byte, from its records.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use gainsay_engine::campaign::chain::{MadeScript, StepOutcome};
use gainsay_engine::campaign::plan::CampaignPlan;
use gainsay_engine::campaign::recipe::Recipe;
use gainsay_engine::campaign::remake::{Remade, Rerun, remake, rerun};
use gainsay_engine::prepare::Preparation;
use gainsay_engine::session::panel::PanelSolver;
use gainsay_engine::store::Store;
use gainsay_engine::store::sqlite::Sqlite;

use crate::environment::{Environment, SandboxArgs};
use crate::exit::{self, UsageError};
use crate::json::campaigns::ReplayedCase;
use crate::overwrite::ForceArgs;
use crate::{campaign_setup, console, json, solver_lookup};

const REPLAY_EXAMPLES: &str = "Examples:
  gainsay replay nightly 4711                    print the script
  gainsay replay nightly 4711 --out case.smt2    write it to a file and print its history
  gainsay replay nightly 4711 --run              run the campaign's solvers on it

The exit code is 10 if --run has findings.";

/// Arguments of `gainsay replay`.
#[derive(Debug, Args)]
#[command(after_help = REPLAY_EXAMPLES)]
pub struct ReplayArgs {
    /// The folder of the campaign.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The number of the case.
    #[arg(value_name = "N")]
    case: u64,
    /// The output file for the script [default: standard output].
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// Run the campaign's solvers on it and check their answers.
    #[arg(long)]
    run: bool,
    /// Print one JSON object as the last line.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sandbox: SandboxArgs,
}

/// Runs the command.
pub fn run(args: &ReplayArgs) -> anyhow::Result<ExitCode> {
    if let Some(path) = &args.out {
        args.force.check_file(path)?;
    }
    let store = Sqlite::read(&args.folder)?;
    let plan = CampaignPlan::read_recorded(&store.plan()?).map_err(|error| UsageError(error.to_string()))?;
    let environment = Environment::read()?.with_sandbox(args.sandbox);
    let (signature, recipe) = campaign_setup::recipe(&plan, &environment.profiles)?;
    let remade = remake(&store, &recipe, &signature, args.case)?;
    let StepOutcome::Made(made) = &remade.outcome else {
        return Err(UsageError(not_made(&remade)).into());
    };
    let text = Preparation::standard(&made.script, &made.text);
    if let Some(path) = &args.out {
        std::fs::write(path, &text).map_err(|source| exit::NoOutput { path: path.clone(), source })?;
    }
    let asked = args.run.then(|| ask(&environment, (&remade, made), &plan, &recipe));
    let rerun = asked.transpose()?;
    show(args, &remade, &text, rerun.as_ref())?;
    let found = rerun.is_some_and(|rerun| !rerun.findings.is_empty());
    Ok(ExitCode::from(if found { exit::EXIT_FINDINGS } else { 0 }))
}

fn not_made(remade: &Remade) -> String {
    let case = remade.case;
    match &remade.outcome {
        StepOutcome::Skipped(why) => {
            format!("case {case} was skipped: {} with {}: {}", remade.strategy, remade.seed.name, why.name())
        }
        StepOutcome::OurBug(message) => format!("case {case} was lost to a bug in gainsay: {message}"),
        StepOutcome::Made(_) => unreachable!("it was made"),
    }
}

fn ask(
    environment: &Environment,
    case: (&Remade, &MadeScript),
    plan: &CampaignPlan,
    recipe: &Recipe,
) -> anyhow::Result<Rerun> {
    let launcher = environment.launcher()?;
    let solvers = solver_lookup::find_or_install(environment, &plan.panel())?;
    for name in campaign_setup::changed_programs(plan, &campaign_setup::program_hashes(&solvers)?) {
        console::err(format_args!(
            "gainsay: warning: {name}: the program has changed since the campaign, so its answers may differ"
        ));
    }
    let team =
        solvers.iter().map(|solver| PanelSolver::open(solver, &launcher)).collect::<Result<Vec<_>, _>>()?;
    Ok(rerun(case, (plan, recipe), &team, &launcher))
}

fn show(args: &ReplayArgs, remade: &Remade, text: &str, rerun: Option<&Rerun>) -> anyhow::Result<()> {
    if args.json {
        json::print(&ReplayedCase {
            case: remade.case,
            strategy: remade.strategy,
            seed: &remade.seed.name,
            partners: remade.partners.iter().map(|seed| seed.name.as_str()).collect(),
            steps: &remade.steps,
            script: text,
            runs: rerun.map(|rerun| rerun.runs.as_slice()),
            findings: rerun.map(|rerun| rerun.findings.as_slice()),
        });
        return Ok(());
    }
    if args.out.is_none() {
        console::data(text)?;
    }
    if args.out.is_some() || rerun.is_some() {
        console::out(format_args!("; seed: {}", remade.seed.name));
        remade.partners.iter().for_each(|seed| console::out(format_args!("; joined with: {}", seed.name)));
        remade.steps.iter().for_each(|step| console::out(format_args!("; {step}")));
    }
    let Some(rerun) = rerun else { return Ok(()) };
    for run in &rerun.runs {
        let answers: Vec<&str> = run.answers.iter().map(|answer| answer.name()).collect();
        let trouble = run.trouble.map(|trouble| format!("  {trouble}: {}", run.said)).unwrap_or_default();
        console::out(format_args!("; {:<24} {}{trouble}", run.solver, answers.join(" ")));
    }
    let spared =
        |(solver, why): &(String, String)| console::out(format_args!("; {solver:<24} not run: {why}"));
    rerun.spared.iter().for_each(spared);
    rerun.findings.iter().for_each(|finding| console::out(format_args!("; {finding}")));
    Ok(())
}
