//! `gainsay decide FILE`: the answer of a script by exhaustion, without any solver.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use gainsay_engine::trial::exhaustion::SINGLE_SCRIPT_STEPS;
use gainsay_smt::exhaust::{self, Decision, ExactAnswer, ExhaustionBudget, exhaustion_words};
use gainsay_smt::sat_queries;

use crate::json::scripts::{DecidedScript, ExactDecision, TriedDomain};
use crate::{console, json, script};

const DECIDE_EXAMPLES: &str = "\
Examples:
  gainsay decide small.smt2                    the answer, the number of assignments, a model
  gainsay decide small.smt2 --steps 1000000    give up sooner
  gainsay decide scripts/*.smt2 --json         one line a script

A script can be decided if its sorts are finite and small (Booleans, bit-vectors, small floats, datatypes, arrays and
functions between them, quantifiers over them), or if its integers are bounded by the assertions. Otherwise the answer
is undecided, with the reason, unless an assignment is found that satisfies it. The answer is one for each check-sat.
The exit code is 0, or 2 if the script cannot be read.";

/// The arguments of `gainsay decide`.
#[derive(Args, Debug)]
#[command(after_help = DECIDE_EXAMPLES)]
pub struct DecideArgs {
    /// The scripts
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Maximum number of steps for each check-sat; a step computes one operator.
    #[arg(long, value_name = "STEPS", default_value_t = SINGLE_SCRIPT_STEPS)]
    steps: u64,
    /// Print one JSON object a script: file, answers, each with answer, reason, assignments, steps, domains, model, open
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &DecideArgs) -> anyhow::Result<ExitCode> {
    args.files.iter().try_for_each(|file| decide(args, file))?;
    Ok(ExitCode::SUCCESS)
}

fn decide(args: &DecideArgs, file: &Path) -> anyhow::Result<()> {
    let (_, script) = script::read(file)?;
    let budget = ExhaustionBudget { steps: args.steps };
    let queries = sat_queries(&script);
    let decisions: Vec<Decision> =
        queries.iter().map(|query| exhaust::decide(&script, query, budget)).collect();
    if args.json {
        let answers = decisions.iter().map(described).collect();
        json::print(&DecidedScript { file: file.to_owned(), answers });
        return Ok(());
    }
    if args.files.len() > 1 {
        console::out(format_args!("{}:", file.display()));
    }
    decisions.iter().for_each(show);
    Ok(())
}

fn word(answer: &ExactAnswer) -> &'static str {
    match answer {
        ExactAnswer::Sat { .. } => "sat",
        ExactAnswer::Unsat => "unsat",
        ExactAnswer::Undecided(_) => "undecided",
    }
}

fn reason(decision: &Decision) -> String {
    match &decision.answer {
        ExactAnswer::Unsat => exhaustion_words(decision.assignments),
        ExactAnswer::Sat { open, .. } if open.is_empty() => "this assignment satisfies it".to_owned(),
        ExactAnswer::Sat { open, .. } => {
            let open = open.join(", ");
            format!("this assignment satisfies it, and chooses results that the standard leaves open: {open}")
        }
        ExactAnswer::Undecided(reason) => reason.to_string(),
    }
}

fn show(decision: &Decision) {
    console::out(word(&decision.answer));
    console::out(format_args!("reason: {}", reason(decision)));
    console::out(format_args!("evaluated: {} assignments, {} steps", decision.assignments, decision.steps));
    for domain in &decision.domains {
        let gap = if domain.is_complete { "" } else { ", of more" };
        console::out(format_args!("values of {}: {}{gap}", domain.name, domain.values));
    }
    if let ExactAnswer::Sat { model, .. } = &decision.answer {
        console::out(model.trim_end());
    }
}

fn described(decision: &Decision) -> ExactDecision {
    let (model, open) = match &decision.answer {
        ExactAnswer::Sat { model, open } => (Some(model), open.as_slice()),
        _ => (None, &[][..]),
    };
    let domains = decision.domains.iter().map(|one| TriedDomain {
        name: one.name.clone(),
        values: one.values.clone(),
        complete: one.is_complete,
    });
    ExactDecision {
        answer: word(&decision.answer),
        reason: reason(decision),
        assignments: decision.assignments,
        steps: decision.steps,
        domains: domains.collect(),
        model: model.cloned(),
        open: open.to_vec(),
    }
}
