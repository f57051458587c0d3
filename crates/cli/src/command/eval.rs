//! `gainsay eval FILE --model FILE`: evaluates each assertion under a model.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use gainsay_engine::solver::outline::outline;
use gainsay_smt::eval::{EvalBudget, Evaluation, Explanation, TruthValue, evaluate, explain};
use gainsay_smt::print::{symbol_text, term_text};
use gainsay_smt::{IgnoredDefinition, Model, SatQuery, Script, Term, sat_queries};

use crate::json::scripts::{EvaluatedScript, FalseTerm, IgnoredModelPart, TermValue};
use crate::{console, exit, json, script};

const EVAL_EXAMPLES: &str = "\
Examples:
  gainsay eval script.smt2 --model model.txt            one line for each assertion
  gainsay eval script.smt2 --model model.txt --explain  explain false assertions
  gainsay eval script.smt2 --model model.txt --check 2  for the second check-sat
  gainsay eval script.smt2 --model model.txt --json
  z3 script.smt2 | gainsay eval script.smt2 --model -

The model is the output of (get-model). An assertion is true, false, or undecided with a reason.
The exit code is 10 if an assertion is false, 0 if none is, 2 if the script or the model cannot be read. `gainsay --help`
lists all exit codes.";

/// The arguments of `gainsay eval`.
#[derive(Args, Debug)]
#[command(after_help = EVAL_EXAMPLES)]
pub struct EvalArgs {
    /// The script; - for standard input
    file: PathBuf,
    /// The model, as a solver prints it; - for standard input
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// The check-sat that the model is for, counted from 1 [default: the last one]
    #[arg(long, value_name = "N")]
    check: Option<usize>,
    /// Explain false assertions: show the smallest false subterm and the values in it
    #[arg(long)]
    explain: bool,
    /// Maximum number of steps for each check-sat; a step computes one operator.
    #[arg(long, value_name = "STEPS", default_value_t = EvalBudget::default().steps)]
    steps: u64,
    /// Print one JSON object: assertions, reasons, assumptions, completed, ignored
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &EvalArgs) -> anyhow::Result<ExitCode> {
    if script::is_standard_input(&args.file) && script::is_standard_input(&args.model) {
        return Err(
            exit::UsageError("the script and the model cannot both be standard input".to_owned()).into()
        );
    }
    let script = read_script(&args.file)?;
    let all = sat_queries(&script);
    let number = args.check.unwrap_or(all.len());
    let check = number.checked_sub(1).and_then(|place| all.get(place)).ok_or_else(|| exit::BadInput {
        path: args.file.clone(),
        message: format!("there is no check-sat {number}; the script has {}", all.len()),
    })?;
    let text = script::bytes(&args.model)?;
    let model = read_model(&String::from_utf8_lossy(&text), &script, check)
        .map_err(|message| exit::BadInput { path: args.model.clone(), message })?;
    let evaluated = ModelEvaluation::make(&model, &script, check, args);
    evaluated.show(args);
    Ok(ExitCode::from(if evaluated.has_false() { exit::EXIT_FINDINGS } else { 0 }))
}

/// Reads a script, or the part before its first error if that has a check: such a check does not depend on the error.
fn read_script(path: &Path) -> anyhow::Result<Script> {
    let bytes = script::bytes(path)?;
    let error = match script::parse(path, &bytes) {
        Ok((_, script)) => return Ok(script),
        Err(error) => error,
    };
    let Some(prefix) = script::before_error(&String::from_utf8_lossy(&bytes)) else { return Err(error) };
    console::err(format_args!("{error}; only the checks before this error count"));
    Ok(prefix.script)
}

/// Reads a model; the error says why the text is not a model.
fn read_model(text: &str, script: &Script, check: &SatQuery) -> Result<Model, String> {
    const SCRIPT_COMMANDS: [&str; 4] = ["assert", "check-sat", "set-logic", "get-model"];
    if outline(text).commands.iter().any(|command| SCRIPT_COMMANDS.contains(&command.name)) {
        return Err(
            "this is a script, not a model; the model is what a solver prints after (get-model)".to_owned()
        );
    }
    Model::read(text, script, check).map_err(|error| format!("the model cannot be read: {error}"))
}

/// The values of all assertions and assumptions.
struct ModelEvaluation {
    evaluation: Evaluation,
    /// The assertions and assumptions as text.
    terms: Vec<String>,
    /// For each of them, why it is false, if it is and `--explain` was given.
    explanations: Vec<Option<Explanation>>,
    completed: Vec<String>,
    /// Definitions of the model that have no effect, each with the reason.
    ignored: Vec<(String, String)>,
}

impl ModelEvaluation {
    fn make(model: &Model, script: &Script, check: &SatQuery, args: &EvalArgs) -> ModelEvaluation {
        let budget = EvalBudget { steps: args.steps, ..EvalBudget::default() };
        let asked: Vec<Term> = check.assertions.iter().chain(&check.assumptions).copied().collect();
        let terms = asked.iter().map(|&term| term_text(script.arena(), term)).collect();
        let evaluation = evaluate(model, check, budget);
        let outcomes = evaluation.assertions.iter().chain(&evaluation.assumptions);
        let explanation = |(&term, outcome): (&Term, &TruthValue)| match outcome {
            TruthValue::False if args.explain => explain(model, term, budget),
            _ => None,
        };
        let explanations = asked.iter().zip(outcomes).map(explanation).collect();
        let completed = evaluation.completed.iter().map(|&name| symbol_text(model.arena(), name)).collect();
        let remark = |one: &IgnoredDefinition| (symbol_text(model.arena(), one.name), one.reason.to_string());
        let ignored = model.ignored().iter().map(remark).collect();
        ModelEvaluation { evaluation, terms, explanations, completed, ignored }
    }

    fn has_false(&self) -> bool {
        self.outcomes().any(|outcome| *outcome == TruthValue::False)
    }

    fn outcomes(&self) -> impl Iterator<Item = &TruthValue> {
        self.evaluation.assertions.iter().chain(&self.evaluation.assumptions)
    }

    fn show(&self, args: &EvalArgs) {
        if args.json {
            json::print(&self.object());
            return;
        }
        for ((outcome, term), explanation) in self.outcomes().zip(&self.terms).zip(&self.explanations) {
            console::out(format_args!("{}: {}", outcome.word(), shortened(term)));
            if let TruthValue::Undecided(why) = outcome {
                console::out(format_args!("  reason: {why}"));
            }
            if let Some(explanation) = explanation {
                console::out(format_args!("  {} is {}", shortened(&explanation.text), explanation.value));
                for (child, value) in &explanation.children {
                    console::out(format_args!("    {} is {}", shortened(child), shortened(value)));
                }
            }
        }
        if !self.completed.is_empty() {
            console::out(format_args!(
                "not in the model, set to default values: {}",
                self.completed.join(" ")
            ));
        }
        for (name, reason) in &self.ignored {
            console::out(format_args!("ignored in the model: {name} ({reason})"));
        }
    }

    fn object(&self) -> EvaluatedScript {
        let words = |outcomes: &[TruthValue]| outcomes.iter().map(TruthValue::word).collect::<Vec<_>>();
        let reason = |outcome: &TruthValue| match outcome {
            TruthValue::Undecided(why) => Some(why.to_string()),
            _ => None,
        };
        let explanation = |explanation: &Option<Explanation>| {
            explanation.as_ref().map(|explanation| {
                let child =
                    |(term, value): &(String, String)| TermValue { term: term.clone(), value: value.clone() };
                FalseTerm {
                    term: explanation.text.clone(),
                    value: explanation.value,
                    children: explanation.children.iter().map(child).collect(),
                }
            })
        };
        let ignored = |(name, reason): &(String, String)| IgnoredModelPart {
            name: name.clone(),
            reason: reason.clone(),
        };
        EvaluatedScript {
            assertions: words(&self.evaluation.assertions),
            assumptions: words(&self.evaluation.assumptions),
            reasons: self.outcomes().map(reason).collect(),
            explanations: self.explanations.iter().map(explanation).collect(),
            completed: self.completed.clone(),
            ignored: self.ignored.iter().map(ignored).collect(),
            steps: self.evaluation.steps,
        }
    }
}

/// Truncates a text to a line or two.
fn shortened(text: &str) -> String {
    const MAX_CHARS_SHOWN: usize = 200;
    match text.char_indices().nth(MAX_CHARS_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
