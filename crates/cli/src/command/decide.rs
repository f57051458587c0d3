//! `gainsay decide FILE`: the answer of a script by exhaustion, without any solver.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use gainsay_engine::trial::exhaustion::SINGLE_SCRIPT_STEPS;
use gainsay_smt::exhaust::{self, Decision, ExactAnswer, ExhaustionBudget, exhaustion_words};
use gainsay_smt::sat_queries;

use crate::display::format;
use crate::exit::NothingTested;
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
The exit code is 0 if an answer is sat or unsat, 6 if all are undecided, 2 if a script cannot be read or asks nothing.";

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
    let mut is_decided = false;
    for file in &args.files {
        is_decided |= decide(args, file)?;
    }
    match is_decided {
        true => Ok(ExitCode::SUCCESS),
        false => Err(NothingTested("no check-sat was decided".to_owned()).into()),
    }
}

/// Decides each check-sat of a script and prints the answers; returns true if one of them is sat or unsat.
fn decide(args: &DecideArgs, file: &Path) -> anyhow::Result<bool> {
    let (_, script) = script::read(file)?;
    script::check_asks(file, &script)?;
    let budget = ExhaustionBudget::of_steps(args.steps);
    let queries = sat_queries(&script);
    let decisions: Vec<Decision> =
        queries.iter().map(|query| exhaust::decide(&script, query, budget)).collect();
    if args.json {
        let answers = decisions.iter().map(described).collect();
        json::print(&DecidedScript { file: file.to_owned(), answers });
    } else {
        if args.files.len() > 1 {
            console::out(format_args!("{}:", file.display()));
        }
        decisions.iter().for_each(show);
    }
    Ok(decisions.iter().any(|decision| !matches!(decision.answer, ExactAnswer::Undecided(_))))
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
    console::out(format_args!(
        "evaluated: {}, {}",
        format::plural(decision.assignments, "assignment"),
        format::plural(decision.steps, "step")
    ));
    for domain in &decision.domains {
        let gap = if domain.is_complete { "" } else { " (there are more)" };
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
