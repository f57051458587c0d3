//! `gainsay localize`: which constructs go with wrong answers of a solver.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use gainsay_engine::perf::localize::{Localization, Trigger};
use gainsay_engine::perf::panel::Unit;
use gainsay_engine::schedule::{self, Agent};
use serde_json::{Value, json};

use super::perf::arena::{self, Arena, ArenaArgs, Ticker};
use crate::exit::{self, NoOutput};
use crate::report::chart::{self, Row};
use crate::say;
use crate::stop::{Switch, Words};

const EXAMPLES: &str = "Examples:
  gainsay localize --target z3@4.8.10 --reference z3@latest --reference cvc5@latest --theory string --time 10m --out wrong
  gainsay localize --target z3=./build/z3 --reference cvc5@latest --theory fp --queries 2000 --out wrong --json

What is wrong is what `gainsay check` would say is: a crash, an answer that models or other solvers contradict, a model
that does not satisfy. The exit code is 10 if there was something, 0 if not.";

/// Arguments of `gainsay localize`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct LocalizeArgs {
    #[command(flatten)]
    arena: ArenaArgs,
    /// Who chooses the construct that is tried next: thompson, ucb, epsilon, random.
    #[arg(long, default_value = "thompson", value_name = "AGENT", value_parser = agent)]
    agent: &'static dyn Agent,
}

/// Scripts that are written, at most.
const WRITTEN: usize = 1000;

/// Constructs in the picture of the ranking.
const PICTURED: usize = 25;

/// Runs the command.
pub fn run(args: &LocalizeArgs) -> anyhow::Result<ExitCode> {
    let begin = Instant::now();
    let arena = Arena::open(&args.arena)?;
    let mut panel = arena.panel(Unit::Cpu);
    let folder = args.arena.out.as_deref();
    if let Some(folder) = folder {
        fs::create_dir_all(folder).map_err(|source| NoOutput { path: folder.to_owned(), source })?;
    }
    let stop = Switch::with_words(&Words {
        first: "gainsay: stopping after this query; what was found is kept; once more stops at once",
        second: "gainsay: stopped at once; the scripts so far are kept",
    })?;
    let mut ticker = Ticker::new(args.arena.queries, args.arena.time);
    let seed = args.arena.rng_seed;
    let mut search =
        Localization::new(&arena.generator, &arena.constructs, args.agent, args.arena.decay, seed);
    let mut best = Vec::new();
    while ticker.goes_on(search.queries, begin) && !stop.is_asked() {
        let before = search.triggers.len();
        search.step(&mut |script| panel.judge(script)).map_err(arena::gone)?;
        for trigger in &search.triggers[before..] {
            if best.len() < WRITTEN {
                best.push(write(folder, &arena, trigger)?);
            }
        }
        ticker.show(search.queries, &format!("{} scripts with wrong answers", search.triggers.len()));
    }
    ticker.finish();
    let ranking = arena.ranking(search.record());
    let object = json!({
        "queries": search.queries, "best": best, "ranking": ranking, "triggers": search.triggers.len(),
        "undecided": search.undecided.0,
    });
    if let Some(folder) = folder {
        put(&folder.join("localize.json"), &format!("{object}\n"))?;
        put(&folder.join("ranking.svg"), &picture(&arena, &search))?;
    }
    if args.arena.json {
        say::out(object);
    } else {
        tell(&arena, &search);
    }
    Ok(ExitCode::from(if search.triggers.is_empty() { 0 } else { exit::FINDINGS }))
}

fn tell(arena: &Arena, search: &Localization<'_>) {
    let (undecided, why) = &search.undecided;
    let count = search.triggers.len();
    say::out(format_args!(
        "{} queries, {count} scripts with wrong answers, {undecided} undecided",
        search.queries
    ));
    if *undecided * 2 > search.queries {
        say::out(format_args!(
            "  most could not be told, the last because {why}: allow more --timeout, or make scripts smaller"
        ));
    }
    if search.triggers.is_empty() {
        say::out("nothing wrong was seen: allow more --queries, or choose another theory or target");
    }
    arena.tell_ranking(search.record(), "brings a wrong answer into a script");
}

fn picture(arena: &Arena, search: &Localization<'_>) -> String {
    let ranking = search.record().ranking().into_iter().filter(|rank| rank.pulls > 0.0).take(PICTURED);
    let row = |rank: schedule::Rank| Row {
        name: arena.constructs[rank.arm].name.clone(),
        interval: (rank.low, rank.mean, rank.high),
    };
    let rows: Vec<Row> = ranking.map(row).collect();
    chart::intervals("How likely a construct brings a wrong answer into a script", &rows)
}

/// Writes a script with a wrong answer, and says what is wrong with it.
fn write(folder: Option<&Path>, arena: &Arena, trigger: &Trigger) -> anyhow::Result<Value> {
    let path: Option<PathBuf> = folder.map(|folder| folder.join(format!("{:06}.smt2", trigger.query)));
    let construct = trigger.construct.map(|arm| arena.constructs[arm].name.clone());
    let origin = json!({
        "path": path.as_ref().map(|path| path.display().to_string()), "margin": null, "query": trigger.query,
        "construct": construct, "findings": trigger.findings,
    });
    if let Some(path) = &path {
        put(path, &trigger.script.to_string())?;
        put(&path.with_extension("json"), &format!("{origin}\n"))?;
    }
    Ok(origin)
}

fn put(path: &Path, text: &str) -> anyhow::Result<()> {
    Ok(fs::write(path, text).map_err(|source| NoOutput { path: path.to_owned(), source })?)
}

fn agent(name: &str) -> Result<&'static dyn Agent, String> {
    let known = || schedule::ALL.iter().map(|agent| agent.name()).collect::<Vec<_>>().join(", ");
    schedule::find(name).ok_or_else(|| format!("there is no agent {name}; there are {}", known()))
}
